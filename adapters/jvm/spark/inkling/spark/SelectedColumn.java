package inkling.spark;

import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarArray;
import org.apache.spark.sql.vectorized.ColumnarMap;
import org.apache.spark.unsafe.types.UTF8String;

/** Some rows of a column, which stay where they are: row i is row {@code rows[i]} of the column. */
final class SelectedColumn extends ColumnVector {
    private final ColumnVector column;
    private final int[] rows;
    private final int count;

    SelectedColumn(ColumnVector column, int[] rows, int count) {
        super(column.dataType());
        this.column = column;
        this.rows = rows;
        this.count = count;
    }

    @Override
    public void close() {
        column.close();
    }

    @Override
    public void closeIfFreeable() {
        column.closeIfFreeable();
    }

    @Override
    public boolean hasNull() {
        return column.hasNull();
    }

    @Override
    public int numNulls() {
        int nulls = 0;
        for (int i = 0; hasNull() && i < count; i++) {
            nulls += isNullAt(i) ? 1 : 0;
        }
        return nulls;
    }

    @Override
    public boolean isNullAt(int row) {
        return column.isNullAt(rows[row]);
    }

    @Override
    public boolean getBoolean(int row) {
        return column.getBoolean(rows[row]);
    }

    @Override
    public byte getByte(int row) {
        return column.getByte(rows[row]);
    }

    @Override
    public short getShort(int row) {
        return column.getShort(rows[row]);
    }

    @Override
    public int getInt(int row) {
        return column.getInt(rows[row]);
    }

    @Override
    public long getLong(int row) {
        return column.getLong(rows[row]);
    }

    @Override
    public float getFloat(int row) {
        return column.getFloat(rows[row]);
    }

    @Override
    public double getDouble(int row) {
        return column.getDouble(rows[row]);
    }

    @Override
    public Decimal getDecimal(int row, int precision, int scale) {
        return column.getDecimal(rows[row], precision, scale);
    }

    @Override
    public UTF8String getUTF8String(int row) {
        return column.getUTF8String(rows[row]);
    }

    @Override
    public byte[] getBinary(int row) {
        return column.getBinary(rows[row]);
    }

    @Override
    public ColumnarArray getArray(int row) {
        return column.getArray(rows[row]);
    }

    @Override
    public ColumnarMap getMap(int row) {
        return column.getMap(rows[row]);
    }

    /** The members of structs, of the same rows. */
    @Override
    public ColumnVector getChild(int ordinal) {
        return new SelectedColumn(column.getChild(ordinal), rows, count);
    }
}
