package inkling.spark;

import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.plans.logical.Aggregate;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Refuses aggregates over streams that keep all keys of a group until it ends: more of them may come. As a check of the
 * analyzer it refuses the query; as a rule of the optimizer, of a session whose analyzer was there first, its start.
 */
final class StreamRule extends Rule<LogicalPlan> {
    @Override
    public LogicalPlan apply(LogicalPlan plan) {
        if (plan.isStreaming()) {
            check(plan);
        }
        return plan;
    }

    /** The same for an analyzer. */
    AbstractFunction1<LogicalPlan, BoxedUnit> asCheck() {
        return new AbstractFunction1<>() {
            @Override
            public BoxedUnit apply(LogicalPlan plan) {
                StreamRule.this.apply(plan);
                return BoxedUnit.UNIT;
            }
        };
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
