package inkling.spark;

import java.io.Serializable;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenContext;
import org.apache.spark.sql.catalyst.expressions.codegen.CodegenFallback;
import org.apache.spark.sql.catalyst.expressions.codegen.ExprCode;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** The bytes of a sketch that every node has once, however many tasks ask it. */
public final class BroadcastSketch extends Expression implements CodegenFallback, Serializable {
    private static final long serialVersionUID = 1;

    private final Broadcast<byte[]> sketch;

    /**
     * Called by Catalyst, too.
     *
     * @param sketch what was broadcast
     */
    public BroadcastSketch(Broadcast<byte[]> sketch) {
        this.sketch = sketch;
    }

    @Override
    public Object eval(InternalRow row) {
        return sketch.value();
    }

    @Override
    public ExprCode doGenCode(CodegenContext context, ExprCode code) {
        return CodegenFallback.super.doGenCode(context, code);
    }

    @Override
    public Seq<Expression> children() {
        return Sequences.seqOf(List.of());
    }

    @Override
    public Expression withNewChildrenInternal(IndexedSeq<Expression> changed) {
        return this;
    }

    @Override
    public boolean nullable() {
        return false;
    }

    @Override
    public DataType dataType() {
        return DataTypes.BinaryType;
    }

    @Override
    public String toString() {
        return "sketch";
    }

    @Override
    public int productArity() {
        return 1;
    }

    @Override
    public Object productElement(int index) {
        return sketch;
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof BroadcastSketch;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof BroadcastSketch that && that.sketch.id() == sketch.id();
    }

    @Override
    public int hashCode() {
        return Long.hashCode(sketch.id());
    }
}
