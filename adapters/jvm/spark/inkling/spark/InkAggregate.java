package inkling.spark;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.analysis.TypeCheckResult;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.aggregate.ImperativeAggregate;
import org.apache.spark.sql.catalyst.expressions.aggregate.TypedImperativeAggregate;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.unsafe.types.UTF8String;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * An aggregate of the list. Catalyst compares and copies it by the members of a case class, which Java has to write down, and
 * finds the constructor by their order.
 */
public final class InkAggregate extends TypedImperativeAggregate<AggregateState> implements Serializable {
    private static final long serialVersionUID = 1;
    private static final int MEMBERS = 4;

    private final int id;
    private final Seq<Expression> children;
    private final int mutableOffset;
    private final int inputOffset;

    private transient Arguments arguments;
    private transient KeyBatch batch;
    /** Where a row has the key, if it is a long without a weight, and there is a batch; otherwise -1. */
    private transient int plainKey;

    /**
     * Called by Catalyst, too.
     *
     * @param id the number of the function in the list
     * @param children its arguments
     * @param mutableOffset where its buffer is
     * @param inputOffset where the buffer is that it takes
     */
    public InkAggregate(int id, Seq<Expression> children, int mutableOffset, int inputOffset) {
        this.id = id;
        this.children = children;
        this.mutableOffset = mutableOffset;
        this.inputOffset = inputOffset;
    }

    private Arguments arguments() {
        if (arguments == null) {
            arguments = new Arguments(SqlFunction.of(id), children);
        }
        return arguments;
    }

    @Override
    public TypeCheckResult checkInputDataTypes() {
        return arguments().check();
    }

    // ---- For the operator -------------------------------------------------------------------

    boolean isOverKeys() {
        return arguments().function().isOverKeys();
    }

    Expression key() {
        return arguments().key();
    }

    /** Null without one. */
    Expression weight() {
        return arguments().weight();
    }

    long plan() {
        return arguments().plan();
    }

    long checkWeight(long weight) {
        return arguments().checkWeight(weight);
    }

    /** The same of another key and weight. */
    InkAggregate over(Expression key, Expression weight) {
        List<Expression> changed = Sequences.listOf(children);
        if (weight != null) {
            changed.set(arguments().weightIndex(), weight);
        }
        changed.set(0, key);
        return new InkAggregate(id, Sequences.seqOf(changed), mutableOffset, inputOffset);
    }

    /** Refuses a filter that keeps all keys until it knows how many there are. */
    void refuseDraft() {
        if (isOverKeys() && SqlFunction.drafts(plan())) {
            throw new IllegalArgumentException(prettyName() + ": a filter that is sized by the keys of a stream, expected "
                    + "options with n, the number of different keys of a group, for a kind that takes it");
        }
    }

    // ---- A state ----------------------------------------------------------------------------

    @Override
    public AggregateState createAggregationBuffer() {
        return new AggregateState(id);
    }

    @Override
    public AggregateState update(AggregateState state, InternalRow row) {
        Arguments given = arguments();
        if (!given.function().isOverKeys()) {
            given.evaluate(row);
            state.step(given.types(), given.numbers(), given.data());
            return state;
        }
        if (plainKey >= 0 && batch != null) {
            if (!row.isNullAt(plainKey)) {
                state.through(batch);
                batch.add(state, row.getLong(plainKey), 1);
            }
            return state;
        }
        Object key = given.evaluateKey(row);
        long weight = key == null ? 0 : given.evaluateWeight(row);
        if (key == null || given.weightIsNull()) {
            return state;
        }
        if (batch == null) {
            batch = new KeyBatch(given.plan());
            plainKey = given.plainKey();
        }
        state.through(batch);
        if (key instanceof UTF8String text) {
            batch.add(state, text, weight);
        } else if (key instanceof byte[] bytes) {
            batch.add(state, bytes, weight);
        } else {
            batch.add(state, KeyType.number(key), weight);
        }
        return state;
    }

    @Override
    public AggregateState merge(AggregateState state, AggregateState from) {
        return state.merge(from);
    }

    @Override
    public Object eval(AggregateState state) {
        long[] found = new long[2];
        byte[] bytes = state.finish(found);
        if (bytes != null) {
            return bytes;
        }
        return found[0] == SqlNative.NULL ? null : (Object) found[1];
    }

    @Override
    public byte[] serialize(AggregateState state) {
        return state.encode();
    }

    @Override
    public AggregateState deserialize(byte[] data) {
        AggregateState state = new AggregateState(id);
        state.decode(data);
        return state;
    }

    // ---- What Catalyst asks -----------------------------------------------------------------

    @Override
    public Seq<Expression> children() {
        return children;
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> changed) {
        return new InkAggregate(id, changed, mutableOffset, inputOffset);
    }

    @Override
    public int mutableAggBufferOffset() {
        return mutableOffset;
    }

    @Override
    public int inputAggBufferOffset() {
        return inputOffset;
    }

    @Override
    public ImperativeAggregate withNewMutableAggBufferOffset(int offset) {
        return new InkAggregate(id, children, offset, inputOffset);
    }

    @Override
    public ImperativeAggregate withNewInputAggBufferOffset(int offset) {
        return new InkAggregate(id, children, mutableOffset, offset);
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
        return switch (index) {
            case 0 -> id;
            case 1 -> children;
            case 2 -> mutableOffset;
            default -> inputOffset;
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof InkAggregate;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InkAggregate that
                && that.id == id
                && that.mutableOffset == mutableOffset
                && that.inputOffset == inputOffset
                && that.children.equals(children);
    }

    @Override
    public int hashCode() {
        return java.util.Objects.hash(id, children, mutableOffset, inputOffset);
    }
}
