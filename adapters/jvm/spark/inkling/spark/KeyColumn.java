package inkling.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** The keys of one aggregate in one task, and their weights, on their way from rows or columns to C. */
final class KeyColumn {
    private final InkAggregate function;
    private final KeyBatch batch;
    private final int ordinal;
    private final int weight;
    /** Null if keys are no integers. */
    private final IntColumn ints;

    private final IntColumn weights;
    private final boolean isBinary;

    KeyColumn(InkAggregate function, int ordinal, int weight, DataType[] input) {
        this.function = function;
        this.ordinal = ordinal;
        this.weight = weight;
        batch = new KeyBatch(function.plan());
        ints = KeyType.isInt(input[ordinal]) ? new IntColumn(ordinal, input[ordinal]) : null;
        weights = weight < 0 ? null : new IntColumn(weight, input[weight]);
        isBinary = input[ordinal] instanceof BinaryType;
    }

    void flush() {
        batch.flush();
    }

    void add(AggregateState state, InternalRow row) {
        if (row.isNullAt(ordinal) || (weights != null && weights.isNull(row))) {
            return;
        }
        long times = weights == null ? 1 : function.checkWeight(weights.of(row));
        state.through(batch);
        if (ints != null) {
            batch.add(state, ints.of(row), times);
        } else if (isBinary) {
            batch.add(state, row.getBinary(ordinal), times);
        } else {
            batch.add(state, row.getUTF8String(ordinal), times);
        }
    }

    /** Adds the keys of all rows to one state. */
    void addAll(AggregateState state, ColumnarBatch rows) {
        ColumnVector column = rows.column(ordinal);
        boolean isPlain = weights == null && !column.hasNull();
        state.through(batch);
        if (isPlain && ints != null) {
            batch.addAll(state, ints, column, rows.numRows());
        } else if (isPlain && !isBinary) {
            batch.addAll(state, column, rows.numRows());
        } else {
            for (int i = 0; i < rows.numRows(); i++) {
                add(state, rows.getRow(i));
            }
        }
    }
}
