package inkling.spark;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.apache.spark.broadcast.Broadcast;
import org.apache.spark.sql.Column;
import org.apache.spark.sql.catalyst.FunctionIdentifier;
import org.apache.spark.sql.catalyst.analysis.FunctionRegistry;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.ExpressionInfo;
import org.apache.spark.sql.catalyst.plans.logical.LogicalPlan;
import org.apache.spark.sql.catalyst.rules.Rule;
import org.apache.spark.sql.classic.SparkSession;
import scala.Function1;
import scala.reflect.ClassTag$;
import scala.collection.immutable.Seq;
import scala.runtime.AbstractFunction1;
import scala.runtime.BoxedUnit;

/** The functions, for a session that runs already, and columns that ask one sketch; inkling.spark of Python calls it. */
public final class Functions {
    /** Makes it: the functions need nothing of it. */
    public Functions() {}

    /** What makes an expression of the arguments of a call. */
    static final class Builder extends AbstractFunction1<Seq<Expression>, Expression> {
        private final SqlFunction function;

        Builder(SqlFunction function) {
            this.function = function;
        }

        @Override
        public Expression apply(Seq<Expression> children) {
            function.form(Sequences.listOf(children));
            return function.isAggregate()
                    ? new InkAggregate(function.id(), children, 0, 0)
                    : new InkScalar(function.id(), children);
        }
    }

    static FunctionIdentifier nameOf(SqlFunction function) {
        return new FunctionIdentifier(function.name());
    }

    static ExpressionInfo about(SqlFunction function) {
        Class<?> type = function.isAggregate() ? InkAggregate.class : InkScalar.class;
        return new ExpressionInfo(
                type.getName(), null, function.name(), function.text(), "", "", "",
                function.isAggregate() ? "agg_funcs" : "misc_funcs", "", "", "");
    }

    /**
     * Registers all functions in a session, and the check of streams: in its analyzer if that is not there yet, which Spark
     * makes for the first query, and in its optimizer. The operator of whole columns needs the extension, at the start of Spark.
     *
     * @param session the session
     */
    public void register(SparkSession session) {
        Compatibility.check();
        FunctionRegistry registry = session.sessionState().functionRegistry();
        for (SqlFunction function : SqlFunction.registered()) {
            registry.createOrReplaceTempFunction(function.name(), new Builder(function), "scala_udf");
        }
        List<Rule<LogicalPlan>> rules = Sequences.listOf(session.experimental().extraOptimizations());
        if (rules.stream().noneMatch(StreamRule.class::isInstance)) {
            StreamRule rule = new StreamRule();
            session.extensions().injectCheckRule(new Extensions.Always<Function1<LogicalPlan, BoxedUnit>>(rule.asCheck()));
            rules.add(rule);
            session.experimental().extraOptimizations_$eq(Sequences.seqOf(rules));
        }
    }

    /**
     * A column that says whether a key may be in the sketch of a file, which is broadcast.
     *
     * @param session the session
     * @param key the column of keys
     * @param path where the sketch is, which may be deleted afterwards
     * @return the column
     * @throws IOException if the file cannot be read
     */
    public Column contains(SparkSession session, Column key, String path) throws IOException {
        Broadcast<byte[]> sketch =
                session.sparkContext().broadcast(Files.readAllBytes(Path.of(path)), ClassTag$.MODULE$.apply(byte[].class));
        /* No name is looked up: the column may be used in another session than this one. */
        Expression asked = org.apache.spark.sql.classic.ExpressionUtils.expression(key);
        SqlFunction function = SqlFunction.registered().stream().filter(one -> one.name().equals("ink_contains")).findFirst().orElseThrow();
        Seq<Expression> arguments = Sequences.seqOf(List.of(new BroadcastSketch(sketch), asked));
        return org.apache.spark.sql.classic.ExpressionUtils.column(new Builder(function).apply(arguments));
    }
}
