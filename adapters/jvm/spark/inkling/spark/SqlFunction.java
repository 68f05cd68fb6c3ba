package inkling.spark;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.types.StructField;

/** One function of the list of adapters/sql: its name, the arguments that it takes, what it gives. */
final class SqlFunction {
    /** The forms of functions, as {@code inksql_shape} in adapters/sql/sql.h. */
    private static final int AGGREGATE = 0;

    private static final int TABLE = 2;
    private static final int ABOUT_NUMBERS = 4;
    /** What {@code inksql_gives} means in Spark. */
    private static final DataType[] GIVES = {
        DataTypes.BinaryType, DataTypes.LongType, DataTypes.DoubleType, DataTypes.BooleanType, DataTypes.StringType,
        DataTypes.BinaryType,
    };
    /** The rows of ink_top_keys, for explode. */
    private static final DataType TOP_KEYS = DataTypes.createArrayType(
            DataTypes.createStructType(new StructField[] {
                DataTypes.createStructField("key", DataTypes.StringType, false),
                DataTypes.createStructField("estimate", DataTypes.LongType, false),
                DataTypes.createStructField("low", DataTypes.LongType, false),
                DataTypes.createStructField("high", DataTypes.LongType, false),
            }),
            false);

    private static final List<SqlFunction> ALL = list();

    private final int id;
    private final String name;
    private final String[] forms;
    private final String text;
    private final int shape;
    private final int gives;
    private final boolean opensFiles;
    private final boolean overKeys;
    /** Options that were read; a program has few, and they stay. */
    private final Map<String, Long> plans = new ConcurrentHashMap<>();

    private SqlFunction(int id, String[] texts, int[] about) {
        this.id = id;
        name = texts[0];
        forms = texts[1].split(" ");
        text = texts[2];
        shape = about[0];
        gives = about[1];
        opensFiles = about[2] != 0;
        overKeys = about[3] != 0;
    }

    private static List<SqlFunction> list() {
        List<SqlFunction> all = new ArrayList<>();
        int[] about = new int[ABOUT_NUMBERS];
        for (String[] texts = SqlNative.function(0, about); texts != null; ) {
            all.add(new SqlFunction(all.size(), texts, about));
            texts = SqlNative.function(all.size(), about);
        }
        return List.copyOf(all);
    }

    static SqlFunction of(int id) {
        return ALL.get(id);
    }

    /** Those that Spark has: all that open no files of the machine that they happen to run on. */
    static List<SqlFunction> registered() {
        return ALL.stream().filter(function -> !function.opensFiles).toList();
    }

    int id() {
        return id;
    }

    String name() {
        return name;
    }

    String text() {
        return text;
    }

    boolean isAggregate() {
        return shape == AGGREGATE;
    }

    boolean isTable() {
        return shape == TABLE;
    }

    /** Whether it takes keys, many in one call; ink_merge and ink_file take sketches. */
    boolean isOverKeys() {
        return overKeys;
    }

    DataType dataType() {
        return isTable() ? TOP_KEYS : GIVES[gives];
    }

    /** The letters of the form that fits the arguments, as in adapters/sql/function_list.h. */
    String form(List<Expression> arguments) {
        for (String form : forms) {
            String letters = form.equals("-") ? "" : form;
            if (letters.endsWith("+") && !arguments.isEmpty()) {
                return letters.substring(0, 1).repeat(arguments.size());
            }
            if (letters.length() == arguments.size() && fits(letters, arguments)) {
                return letters;
            }
        }
        throw new IllegalArgumentException(
                name + ": found " + arguments.size() + " arguments, expected the forms of docs/sql.md");
    }

    /** A text in the second place are options, an integer there is a weight. */
    private static boolean fits(String letters, List<Expression> arguments) {
        return letters.length() != 2
                || letters.charAt(0) != 'K'
                || (letters.charAt(1) == 'O') == (!arguments.get(1).resolved() || !KeyType.isInt(arguments.get(1).dataType()));
    }

    /** Reads options once. */
    long plan(String options) {
        return plans.computeIfAbsent(
                options == null ? "" : options,
                given -> SqlNative.plan(id, options == null ? null : given.getBytes(StandardCharsets.UTF_8)));
    }

    /** Whether options that were read make a filter that is sized by its keys. */
    static boolean drafts(long plan) {
        return SqlNative.drafts(plan);
    }
}
