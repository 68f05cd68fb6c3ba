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

    /** The values of a column at its rows from {@code from} on; those of NULL are anything. */
    void copy(ColumnVector column, int from, int count, long[] into) {
        switch (width) {
            case Long.BYTES -> System.arraycopy(column.getLongs(from, count), 0, into, 0, count);
            case Integer.BYTES -> {
                for (int i = 0; i < count; i++) {
                    into[i] = column.getInt(from + i);
                }
            }
            case Short.BYTES -> {
                for (int i = 0; i < count; i++) {
                    into[i] = column.getShort(from + i);
                }
            }
            default -> {
                for (int i = 0; i < count; i++) {
                    into[i] = column.getByte(from + i);
                }
            }
        }
    }
}
