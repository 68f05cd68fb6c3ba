package inkling.spark;

import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.execution.ColumnarRule;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec;
import scala.Function1;
import scala.runtime.AbstractPartialFunction;

/** Puts our operators in the place of those of Spark: {@link InkPartialAggregateExec} and {@link InkFilterExec}. */
final class OperatorRule extends ColumnarRule {
    /** Set to false, it leaves plans as they are. */
    private static final String SETTING = "spark.inkling.operator";

    @Override
    public Rule<SparkPlan> postColumnarTransitions() {
        return new Replacing();
    }

    private static final class Replacing extends Rule<SparkPlan> {
        @Override
        public SparkPlan apply(SparkPlan plan) {
            boolean isOn = Boolean.parseBoolean(plan.conf().getConfString(SETTING, "true"));
            return !isOn ? plan : plan.transformUp(new Replacement());
        }
    }

    private static final class Replacement extends AbstractPartialFunction<SparkPlan, SparkPlan> {
        private static final long serialVersionUID = 1;

        @Override
        public boolean isDefinedAt(SparkPlan plan) {
            return replaced(plan) != plan;
        }

        // Scala declares wider bounds for both types than Java can.
        @Override
        @SuppressWarnings("unchecked")
        public <A extends SparkPlan, B> B applyOrElse(A plan, Function1<A, B> otherwise) {
            SparkPlan replaced = replaced(plan);
            return replaced == plan ? otherwise.apply(plan) : (B) replaced;
        }
    }

    /** Ours, or the plan itself. */
    private static SparkPlan replaced(SparkPlan plan) {
        if (plan instanceof ObjectHashAggregateExec aggregate) {
            return PartialAggregates.inPlaceOf(aggregate);
        }
        return plan instanceof FilterExec filter ? InkFilterExec.inPlaceOf(filter) : plan;
    }
}
