package inkling.spark;

import inkling.InkException;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.LongType;
import scala.collection.immutable.Seq;

/** The arguments of a call: checked at analysis, evaluated for each row. Belongs to one thread. */
final class Arguments {
    private final SqlFunction function;
    private final List<Expression> expressions;
    private final String form;
    private final int[] types;
    private final long[] numbers;
    private final byte[][] data;
    private final int weight;
    private boolean weightIsNull;
    private boolean hasNull;

    Arguments(SqlFunction function, Seq<Expression> children) {
        this.function = function;
        expressions = Sequences.listOf(children);
        form = function.form(expressions);
        types = new int[expressions.size()];
        numbers = new long[expressions.size()];
        data = new byte[expressions.size()][];
        weight = form.indexOf('W');
    }

    SqlFunction function() {
        return function;
    }

    int[] types() {
        return types;
    }

    long[] numbers() {
        return numbers;
    }

    byte[][] data() {
        return data;
    }

    boolean hasNull() {
        return hasNull;
    }

    boolean weightIsNull() {
        return weightIsNull;
    }

    /** Whether it asks a sketch about a key. */
    boolean asksKey() {
        return form.equals("SK");
    }

    int count() {
        return expressions.size();
    }

    // ---- Analysis ---------------------------------------------------------------------------

    /** Types, and options, which are read here so that a wrong one is no failure of a task. */
    TypeCheckResult check() {
        try {
            for (int i = 0; i < expressions.size(); i++) {
                checkType(form.charAt(i), expressions.get(i));
            }
            if (function.isAggregate() && function.isOverKeys()) {
                plan();
            }
            return TypeCheckResult.TypeCheckSuccess$.MODULE$;
        } catch (InkException | IllegalArgumentException error) {
            return new TypeCheckResult.TypeCheckFailure(error.getMessage());
        }
    }

    private void checkType(char letter, Expression argument) {
        DataType type = argument.dataType();
        if (KeyType.fits(letter, type)) {
            if (letter == 'O' && !argument.foldable()) {
                throw new IllegalArgumentException(function.name() + ": options: expected a constant text");
            }
            return;
        }
        if (letter == 'K' || letter == 'L') {
            SqlNative.refuse(function.id(), type.simpleString());
        }
        throw new IllegalArgumentException(
                function.name() + ": found " + type.simpleString() + ", expected " + expected(letter));
    }

    private static String expected(char letter) {
        return switch (letter) {
            case 'W', 'N' -> "an integer";
            case 'R' -> "a number";
            case 'O' -> "options, a constant text";
            default -> "a sketch, which is binary";
        };
    }

    /** The options, read once for all tasks of a process. */
    long plan() {
        int options = form.indexOf('O');
        Object text = options < 0 ? null : expressions.get(options).eval(null);
        return function.plan(text == null ? null : text.toString());
    }

    Expression key() {
        return expressions.get(0);
    }

    /** Null without one. */
    Expression weight() {
        return weight < 0 ? null : expressions.get(weight);
    }

    int weightIndex() {
        return weight;
    }

    /** Where a row has the key as a long, if there is no weight; otherwise -1. */
    int plainKey() {
        boolean isPlain = weight < 0 && key() instanceof BoundReference && key().dataType() instanceof LongType;
        return isPlain ? ((BoundReference) key()).ordinal() : -1;
    }

    // ---- Rows -------------------------------------------------------------------------------

    Object evaluateKey(InternalRow row) {
        return expressions.get(0).eval(row);
    }

    long evaluateWeight(InternalRow row) {
        if (weight < 0) {
            return 1;
        }
        Object value = expressions.get(weight).eval(row);
        weightIsNull = value == null;
        return value == null ? 0 : checkWeight(((Number) value).longValue());
    }

    /** Returns it. */
    long checkWeight(long value) {
        if (value < 0) {
            throw new IllegalArgumentException(function.name() + ": found weight " + value + ", expected 0 or more");
        }
        return value;
    }

    /** All arguments as the library takes them. */
    void evaluate(InternalRow row) {
        hasNull = false;
        for (int i = 0; i < types.length; i++) {
            put(i, expressions.get(i).eval(row));
        }
    }

    /** One argument, which was evaluated. */
    void put(int i, Object value) {
        types[i] = value == null ? SqlNative.NULL : KeyType.sqlType(expressions.get(i).dataType());
        hasNull |= value == null;
        boolean isNumber = types[i] == SqlNative.INT || types[i] == SqlNative.REAL;
        numbers[i] = isNumber ? KeyType.number(value) : 0;
        data[i] = isNumber || value == null ? null : KeyType.bytes(value);
    }
}
