package inkling.spark;

import org.apache.spark.sql.SparkSessionExtensions;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import scala.Tuple3;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** Puts the SQL functions into Spark, at its start: {@code spark.sql.extensions=inkling.spark.Extensions}. */
public final class Extensions extends AbstractFunction1<SparkSessionExtensions, BoxedUnit> {
    /** Makes it, as Spark does. */
    public Extensions() {}

    /** What makes an expression of the arguments of a call. */
    private static final class Builder extends AbstractFunction1<Seq<Expression>, Expression> {
        private final SqlFunction function;

        Builder(SqlFunction function) {
            this.function = function;
        }

        @Override
        public Expression apply(Seq<Expression> children) {
            function.form(SqlFunction.listOf(children));
            return function.isAggregate()
                    ? new InkAggregate(function.id(), children, 0, 0)
                    : new InkScalar(function.id(), children);
        }
    }

    private static ExpressionInfo about(SqlFunction function) {
        Class<?> type = function.isAggregate() ? InkAggregate.class : InkScalar.class;
        return new ExpressionInfo(
                type.getName(), null, function.name(), function.text(), "", "", "", function.isAggregate() ? "agg_funcs" : "misc_funcs",
                "", "", "");
    }

    @Override
    public BoxedUnit apply(SparkSessionExtensions extensions) {
        for (SqlFunction function : SqlFunction.registered()) {
            extensions.injectFunction(
                    new Tuple3<>(new FunctionIdentifier(function.name()), about(function), new Builder(function)));
        }
        return BoxedUnit.UNIT;
    }
}
