package inkling.spark;

import java.nio.charset.StandardCharsets;
import org.apache.spark.sql.types.BinaryType;
import org.apache.spark.sql.types.ByteType;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DateType;
import org.apache.spark.sql.types.Decimal;
import org.apache.spark.sql.types.DecimalType;
import org.apache.spark.sql.types.DoubleType;
import org.apache.spark.sql.types.FloatType;
import org.apache.spark.sql.types.IntegerType;
import org.apache.spark.sql.types.LongType;
import org.apache.spark.sql.types.NullType;
import org.apache.spark.sql.types.ShortType;
import org.apache.spark.sql.types.StringType;
import org.apache.spark.sql.types.TimestampNTZType;
import org.apache.spark.sql.types.TimestampType;
import org.apache.spark.unsafe.types.UTF8String;

/** Types of Spark as those of adapters/sql: docs/keys.md has the table. */
final class KeyType {
    private KeyType() {}

    /** Integers of any width; dates are days, timestamps microseconds, which is what Spark has. */
    static boolean isInt(DataType type) {
        return isInteger(type)
                || type instanceof DateType
                || type instanceof TimestampType
                || type instanceof TimestampNTZType;
    }

    static boolean isInteger(DataType type) {
        return type instanceof LongType
                || type instanceof IntegerType
                || type instanceof ShortType
                || type instanceof ByteType;
    }

    static boolean isBytes(DataType type) {
        return type instanceof StringType || type instanceof BinaryType;
    }

    static boolean isReal(DataType type) {
        return type instanceof DoubleType || type instanceof FloatType || type instanceof DecimalType;
    }

    static boolean isNull(DataType type) {
        return type instanceof NullType;
    }

    /** Whether an argument of this letter may have this type. */
    static boolean fits(char letter, DataType type) {
        if (isNull(type)) {
            return true;
        }
        return switch (letter) {
            case 'K', 'L' -> isInt(type) || isBytes(type);
            case 'W', 'N' -> isInteger(type);
            case 'R' -> isReal(type) || isInteger(type);
            case 'O' -> type instanceof StringType;
            default -> type instanceof BinaryType;
        };
    }

    /** The {@code inksql_type} of values of a type. */
    static int sqlType(DataType type) {
        if (isInt(type)) {
            return SqlNative.INT;
        }
        if (isReal(type)) {
            return SqlNative.REAL;
        }
        return type instanceof StringType ? SqlNative.TEXT : SqlNative.BYTES;
    }

    /** A value that is a number, or the bits of one. */
    static long number(Object value) {
        if (value instanceof Decimal decimal) {
            return Double.doubleToRawLongBits(decimal.toDouble());
        }
        if (value instanceof Double || value instanceof Float) {
            return Double.doubleToRawLongBits(((Number) value).doubleValue());
        }
        return ((Number) value).longValue();
    }

    static byte[] bytes(Object value) {
        if (value instanceof UTF8String text) {
            return text.getBytes();
        }
        return value instanceof byte[] bytes ? bytes : value.toString().getBytes(StandardCharsets.UTF_8);
    }
}
