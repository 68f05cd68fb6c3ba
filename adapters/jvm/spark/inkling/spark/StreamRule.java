package inkling.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Refuses aggregates over streams that keep all keys of a group until it ends, at analysis: more of them may come.
 */
final class StreamRule extends AbstractFunction1<LogicalPlan, BoxedUnit> {
    @Override
    public BoxedUnit apply(LogicalPlan plan) {
        if (plan.isStreaming()) {
            check(plan);
        }
        return BoxedUnit.UNIT;
    }

    private static void check(LogicalPlan plan) {
        if (plan instanceof Aggregate aggregate && aggregate.isStreaming()) {
            Sequences.listOf(aggregate.aggregateExpressions()).forEach(expression -> check((Expression) expression));
        }
        Sequences.listOf(plan.children()).forEach(StreamRule::check);
    }

    private static void check(Expression expression) {
        if (expression instanceof InkAggregate aggregate) {
            aggregate.refuseDraft();
        }
        Sequences.listOf(expression.children()).forEach(StreamRule::check);
    }
}
