package inkling.spark;

import java.io.Serializable;
import java.lang.ref.Cleaner;
import java.lang.ref.Reference;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.function.LongToIntFunction;
import java.util.function.ToIntFunction;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.codegen.Block;
import org.apache.spark.sql.catalyst.expressions.codegen.CodeBlock;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.catalyst.util.GenericArrayData;
import org.apache.spark.sql.execution.ScalarSubquery;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.unsafe.Platform;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A scalar of the list, and ink_top_keys, whose rows are an array. A sketch that stays the same is opened once for each task. */
public final class InkScalar extends Expression
        implements CodegenFallback, LongToIntFunction, ToIntFunction<Object>, Serializable {
    private static final long serialVersionUID = 1;
    private static final int MEMBERS = 2;
    /** Rows of ink_top_keys without a number. */
    private static final int ROWS = 10;

    private static final int ROW_NUMBERS = 3;
    /** NULL, in place of 0 or 1. */
    private static final int NOTHING = -1;

    private static final Cleaner CLEANER = Cleaner.create();

    private final int id;
    private final Seq<Expression> children;

    private transient Arguments arguments;
    private transient Opened opened;
    /** The sketch of all rows, if it was asked yet, and 0 if it is NULL. */
    private transient long constant;

    private transient boolean isConstantOpen;

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
            byte[] key = given.data()[1];
            int maybe = given.types()[1] == SqlNative.INT
                    ? SqlNative.maybeLong(handle, given.numbers()[1])
                    : SqlNative.maybeBytes(handle, key, 0, key.length);
            if (maybe >= 0) {
                return maybe != 0;
            }
        }
        return asked(given, handle);
    }

    private Object asked(Arguments given, long handle) {
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

    /** Room for the rows is what was asked for, ten without, and never more than the sketch has bytes. */
    private Object topKeys(Arguments given) {
        int rows = given.count() < 2 ? ROWS : (int) Math.max(0, Math.min(given.data()[0].length, given.numbers()[1]));
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

    // ---- One sketch for all rows: 1, 0, or NOTHING -------------------------------------------

    /** Whether it says if a key is in a sketch that is the same for all rows. */
    boolean asksConstant() {
        Expression sketch = children.apply(0);
        boolean isConstant =
                sketch.foldable() || sketch instanceof BroadcastSketch || sketch instanceof ScalarSubquery;
        return isConstant && arguments().asksKey() && dataType().equals(DataTypes.BooleanType);
    }

    /** What it asks about. */
    Expression key() {
        return children.apply(1);
    }

    /** Asks about all keys at once: 1 or 0 each, and 0 if there is no sketch. */
    void ask(Keys keys, byte[] answers) {
        long handle = constant();
        if (handle == 0) {
            Arrays.fill(answers, 0, keys.count(), (byte) 0);
        } else {
            keys.ask(id, handle, answers);
        }
        Reference.reachabilityFence(this);
    }

    private long constant() {
        if (!isConstantOpen) {
            byte[] sketch = (byte[]) children.apply(0).eval(null);
            constant = sketch == null ? 0 : opened().of(id, sketch);
            isConstantOpen = true;
        }
        return constant;
    }

    @Override
    public int applyAsInt(long key) {
        long handle = constant();
        int maybe = handle == 0 ? NOTHING : SqlNative.maybeLong(handle, key);
        return maybe >= 0 || handle == 0 ? maybe : explained(key);
    }

    @Override
    public int applyAsInt(Object key) {
        long handle = constant();
        if (handle == 0) {
            return NOTHING;
        }
        int maybe;
        if (key instanceof UTF8String text && text.getBaseObject() instanceof byte[] base) {
            int from = (int) (text.getBaseOffset() - Platform.BYTE_ARRAY_OFFSET);
            maybe = SqlNative.maybeBytes(handle, base, from, text.numBytes());
        } else {
            byte[] bytes = KeyType.bytes(key);
            maybe = SqlNative.maybeBytes(handle, bytes, 0, bytes.length);
        }
        return maybe >= 0 ? maybe : explained(key);
    }

    /** The slow way, which knows what is wrong. */
    private int explained(Object key) {
        Arguments given = arguments();
        given.put(1, key);
        return Boolean.TRUE.equals(asked(given, constant)) ? 1 : 0;
    }

    /** Generated code names no class of ours: a task may have them from another class loader than the driver. */
    private ExprCode generated(CodegenContext context, ExprCode code) {
        ExprCode key = key().genCode(context);
        boolean isInt = KeyType.isInt(key().dataType());
        String type = isInt ? LongToIntFunction.class.getName() : ToIntFunction.class.getName();
        String function = context.addReferenceObj("contains", this, type);
        String found = context.freshName("found");
        String text = "int " + found + " = " + key.isNull() + " ? " + NOTHING + " : " + function + ".applyAsInt("
                + (isInt ? "(long) " : "") + key.value() + ");\nboolean " + code.isNull() + " = " + found + " < 0;\nboolean "
                + code.value() + " = " + found + " > 0;\n";
        Block block = new CodeBlock(Sequences.seqOf(List.of(text)), Sequences.seqOf(List.of()));
        return code.copy(key.code().$plus(block), code.isNull(), code.value());
    }

    // ---- What Catalyst asks -----------------------------------------------------------------

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        return asksConstant() ? generated(context, code) : CodegenFallback.super.doGenCode(context, code);
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
