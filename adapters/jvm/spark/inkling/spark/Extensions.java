package inkling.spark;

import org.apache.spark.sql.SparkSession;
import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.execution.ColumnarRule;
import scala.Function1;
import scala.Tuple3;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/**
 * Puts the SQL functions and their operator into Spark, at its start: {@code spark.sql.extensions=inkling.spark.Extensions}.
 */
public final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    /** Makes it, as Spark does. */
    public Extensions() {}

    /** Gives every session the same rule. */
    private static final class Always<T> extends AbstractFunction1<SparkSession, T> {
        private final T rule;

        Always(T rule) {
            this.rule = rule;
        }

        @Override
        public T apply(SparkSession session) {
            return rule;
        }
    }

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        Compatibility.check();
        for (SqlFunction function : SqlFunction.registered()) {
            extensions.injectFunction(
                    new Tuple3<>(Functions.nameOf(function), Functions.about(function), new Functions.Builder(function)));
        }
        extensions.injectColumnar(new Always<ColumnarRule>(new OperatorRule()));
        extensions.injectCheckRule(new Always<Function1<LogicalPlan, BoxedUnit>>(new StreamRule()));
        return BoxedUnit.UNIT;
    }
}
