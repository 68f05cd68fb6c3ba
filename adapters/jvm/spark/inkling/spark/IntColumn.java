package inkling.spark;

import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.sql.vectorized.ColumnVector;

/** A column of integers of any width, read without an object for each. */
final class IntColumn {
    private final int ordinal;
    private final int width;

    IntColumn(int ordinal, DataType type) {
        this.ordinal = ordinal;
        width = widthOf(type);
    }

    private static int widthOf(DataType type) {
        if (type instanceof LongType || type instanceof TimestampType || type instanceof TimestampNTZType) {
            return Long.BYTES;
        }
        if (type instanceof ShortType) {
            return Short.BYTES;
        }
        return type instanceof ByteType ? Byte.BYTES : Integer.BYTES;
    }

    boolean isNull(InternalRow row) {
        return row.isNullAt(ordinal);
    }

    long of(InternalRow row) {
        return switch (width) {
            case Long.BYTES -> row.getLong(ordinal);
            case Integer.BYTES -> row.getInt(ordinal);
            case Short.BYTES -> row.getShort(ordinal);
            default -> row.getByte(ordinal);
        };
    }

    long of(ColumnVector column, int row) {
        return switch (width) {
            case Long.BYTES -> column.getLong(row);
            case Integer.BYTES -> column.getInt(row);
            case Short.BYTES -> column.getShort(row);
            default -> column.getByte(row);
        };
    }

    /** The values of a column without NULL at its rows from {@code from} on. */
    void copy(ColumnVector column, int from, int count, long[] into, int at) {
        switch (width) {
            case Long.BYTES -> System.arraycopy(column.getLongs(from, count), 0, into, at, count);
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = column.getInt(from + i);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    into[at + i] = of(column, from + i);
                }
            }
        }
    }
}
