package inkling.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A scalar of the list, and ink_top_keys, whose rows are an array. A sketch that stays the same is opened once for each task. */
public final class InkScalar extends Expression implements CodegenFallback, Serializable {
    private static final long serialVersionUID = 1;
    private static final int MEMBERS = 2;
    /** Rows of ink_top_keys without a number, and the most with one: a top keeps no more keys. */
    private static final int ROWS = 10;

    private static final int MOST_ROWS = 1 << 24;
    private static final int ROW_NUMBERS = 3;

    private static final Cleaner CLEANER = Cleaner.create();

    private final int id;
    private final Seq<Expression> children;

    private transient Arguments arguments;
    private transient Opened opened;

    /** What a task keeps of sketches: a cache of C, and the last one that was asked. */
    private static final class Opened implements Runnable {
        private final long cache = SqlNative.cacheCreate();
        private byte[] sketch;
        private long handle;

        @Override
        public void run() {
            SqlNative.release(handle);
            SqlNative.cacheFree(cache);
        }

        /** The same array is the same sketch: literals and subqueries give one for all rows. */
        long of(int id, byte[] bytes) {
            if (bytes != sketch) {
                long found = SqlNative.open(cache, id, bytes);
                SqlNative.release(handle);
                handle = found;
                sketch = bytes;
            }
            return handle;
        }
    }

    /**
     * Called by Catalyst, too.
     *
     * @param id the number of the function in the list
     * @param children its arguments
     */
    public InkScalar(int id, Seq<Expression> children) {
        this.id = id;
        this.children = children;
    }

    private Arguments arguments() {
        if (arguments == null) {
            arguments = new Arguments(SqlFunction.of(id), children);
        }
        return arguments;
    }

    private Opened opened() {
        if (opened == null) {
            opened = new Opened();
            CLEANER.register(this, opened);
        }
        return opened;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        return arguments().check();
    }

    @Override
    public Object eval(InternalRow row) {
        Arguments given = arguments();
        given.evaluate(row);
        if (given.hasNull()) {
            return null;
        }
        if (given.function().isTable()) {
            return topKeys(given);
        }
        return given.asksKey() ? ask(given) : result(given);
    }

    private Object ask(Arguments given) {
        long handle = opened().of(id, given.data()[0]);
        if (dataType().equals(DataTypes.BooleanType)) {
            int maybe = given.types()[1] == SqlNative.INT
                    ? SqlNative.maybeLong(handle, given.numbers()[1])
                    : SqlNative.maybeBytes(handle, given.data()[1]);
            if (maybe >= 0) {
                return maybe != 0;
            }
        }
        given.types()[0] = SqlNative.OPENED;
        given.numbers()[0] = handle;
        return result(given);
    }

    private Object result(Arguments given) {
        long[] found = new long[2];
        byte[] bytes = SqlNative.call(id, opened().cache, given.types(), given.numbers(), given.data(), found);
        return switch ((int) found[0]) {
            case SqlNative.NULL -> null;
            case SqlNative.INT -> found[1];
            case SqlNative.REAL -> Double.longBitsToDouble(found[1]);
            case SqlNative.BOOLEAN -> found[1] != 0;
            case SqlNative.TEXT -> UTF8String.fromBytes(bytes);
            default -> bytes;
        };
    }

    /** Room for the rows is what was asked for; ten without. */
    private Object topKeys(Arguments given) {
        int rows = given.count() < 2 ? ROWS : (int) Math.max(0, Math.min(MOST_ROWS, given.numbers()[1]));
        List<byte[]> keys = new ArrayList<>();
        long[] counts = new long[ROW_NUMBERS * rows];
        SqlNative.topKeys(id, given.types(), given.numbers(), given.data(), keys, counts);
        Object[] found = new Object[keys.size()];
        for (int i = 0; i < found.length; i++) {
            found[i] = new GenericInternalRow(new Object[] {
                UTF8String.fromBytes(keys.get(i)), counts[ROW_NUMBERS * i], counts[ROW_NUMBERS * i + 1],
                counts[ROW_NUMBERS * i + 2],
            });
        }
        return new GenericArrayData(found);
    }

    // ---- What Catalyst asks -----------------------------------------------------------------

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        return CodegenFallback.super.doGenCode(context, code);
    }

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> changed) {
        return new InkScalar(id, changed);
    }

    @Override
    public boolean nullable() {
        return true;
    }

    @Override
    public DataType dataType() {
        return SqlFunction.of(id).dataType();
    }

    @Override
    public String prettyName() {
        return SqlFunction.of(id).name();
    }

    @Override
    public int productArity() {
        return MEMBERS;
    }

    @Override
    public Object productElement(int index) {
        return index == 0 ? (Object) id : children;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof InkScalar;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InkScalar that && that.id == id && that.children.equals(children);
    }

    @Override
    public int hashCode() {
        return java.util.Objects.hash(id, children);
    }
}
