package inkling.spark;

import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import scala.collection.immutable.Seq;

/**
 * An operator with one child, as Catalyst wants to see it: it compares and copies operators by the members of a case class, in
 * the order of a public constructor, which Java has to write down.
 */
abstract class MemberPlan extends SparkPlan {
    private static final long serialVersionUID = 1;

    private final SparkPlan child;

    MemberPlan(SparkPlan child) {
        this.child = child;
    }

    /** What the constructor takes, in its order. Each has an equals of its content. */
    abstract List<Object> members();

    /** Which column of a plan this is; -1 if it has to be computed. */
    static int columnOf(SparkPlan plan, Expression wanted) {
        List<Attribute> output = Sequences.listOf(plan.output());
        for (int i = 0; i < output.size(); i++) {
            if (wanted instanceof Attribute attribute && attribute.exprId().equals(output.get(i).exprId())) {
                return i;
            }
        }
        return -1;
    }

    final SparkPlan child() {
        return child;
    }

    @Override
    public final Seq<SparkPlan> children() {
        return Sequences.seqOf(List.of(child));
    }

    @Override
    public final Partitioning outputPartitioning() {
        return child.outputPartitioning();
    }

    @Override
    public final int productArity() {
        return members().size();
    }

    @Override
    public final Object productElement(int index) {
        return members().get(index);
    }

    @Override
    public final boolean canEqual(Object other) {
        return other != null && other.getClass() == getClass();
    }

    @Override
    public final boolean equals(Object other) {
        return canEqual(other) && ((MemberPlan) other).members().equals(members());
    }

    @Override
    public final int hashCode() {
        return members().hashCode();
    }
}
