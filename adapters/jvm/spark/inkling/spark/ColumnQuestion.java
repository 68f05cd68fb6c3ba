package inkling.spark;

import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** One sketch that is asked about a column, a batch of rows in one call. Belongs to one task. */
final class ColumnQuestion {
    private static final byte[] NOTHING = {};

    private final InkScalar function;
    private final int ordinal;
    /** Null if keys are no integers. */
    private final IntColumn ints;

    private final boolean isBinary;
    private Keys keys = new Keys(0);
    private byte[] answers = {};
    private int[] selected = {};

    ColumnQuestion(InkScalar function, int ordinal, DataType type) {
        this.function = function;
        this.ordinal = ordinal;
        ints = KeyType.isInt(type) ? new IntColumn(ordinal, type) : null;
        isBinary = type instanceof BinaryType;
    }

    /** How many rows have a key that may be in the sketch, where no NULL is; {@link #selected} has their numbers. */
    int select(ColumnarBatch batch) {
        ColumnVector column = batch.column(ordinal);
        int rows = batch.numRows();
        gather(column, rows);
        function.ask(keys, answers);
        boolean hasNull = column.hasNull();
        int count = 0;
        for (int i = 0; i < rows; i++) {
            selected[count] = i;
            count += answers[i] != 0 && !(hasNull && column.isNullAt(i)) ? 1 : 0;
        }
        return count;
    }

    /** Good until the next batch. */
    int[] selected() {
        return selected;
    }

    /** The keys of all rows; in the place of NULL is one that does not count. */
    private void gather(ColumnVector column, int rows) {
        if (rows > keys.room()) {
            keys = new Keys(rows);
            answers = new byte[rows];
            selected = new int[rows];
        }
        keys.clear();
        if (ints != null && !column.hasNull()) {
            keys.addAll(ints, column, 0, rows);
            return;
        }
        for (int i = 0; i < rows; i++) {
            add(column, i);
        }
    }

    private void add(ColumnVector column, int row) {
        boolean isNull = column.isNullAt(row);
        if (ints != null) {
            keys.add(isNull ? 0 : ints.of(column, row));
        } else if (isNull) {
            keys.add(NOTHING);
        } else if (isBinary) {
            keys.add(column.getBinary(row));
        } else {
            keys.add(column.getUTF8String(row));
        }
    }
}
