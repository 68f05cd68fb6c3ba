package inkling.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.sql.catalyst.expressions.Alias;
import org.apache.spark.sql.catalyst.expressions.AttributeReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.NamedExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.AggregateExpression;
import org.apache.spark.sql.catalyst.expressions.aggregate.Partial$;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.ProjectExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.execution.aggregate.ObjectHashAggregateExec;
import scala.Option;

/**
 * Where {@link InkPartialAggregateExec} stands in the place of the first half of an aggregation: where all of its aggregates
 * are ours. The other half stays Spark's.
 */
final class PartialAggregates {
    private PartialAggregates() {}

    /** Ours, or the plan itself. */
    static SparkPlan inPlaceOf(ObjectHashAggregateExec plan) {
        return isOurs(plan) ? replaced(plan) : plan;
    }

    private static boolean isOurs(ObjectHashAggregateExec plan) {
        List<AggregateExpression> aggregates = Sequences.listOf(plan.aggregateExpressions());
        return !plan.isStreaming() && !aggregates.isEmpty() && aggregates.stream().allMatch(PartialAggregates::isOurs);
    }

    private static boolean isOurs(AggregateExpression aggregate) {
        return aggregate.mode() == Partial$.MODULE$
                && !aggregate.isDistinct()
                && aggregate.filter().isEmpty()
                && aggregate.aggregateFunction() instanceof InkAggregate function
                && function.isOverKeys();
    }

    /** The operator over whole columns if there are some, and else over rows that have what it needs. */
    private static SparkPlan replaced(ObjectHashAggregateExec plan) {
        List<Expression> groups = new ArrayList<>();
        for (NamedExpression group : Sequences.listOf(plan.groupingExpressions())) {
            groups.add((Expression) group);
        }
        List<InkAggregate> functions = new ArrayList<>();
        for (AggregateExpression aggregate : Sequences.listOf(plan.aggregateExpressions())) {
            functions.add((InkAggregate) aggregate.aggregateFunction());
        }
        SparkPlan child = plan.child();
        while (child instanceof ProjectExec project && isSelection(project)) {
            child = project.child();
        }
        List<Integer> places = places(groups, functions, child);
        if (places == null) {
            child = project(groups, functions, plan.child());
            places = places(groups, functions, child);
        } else if (child instanceof ColumnarToRowExec rows) {
            child = rows.child();
        }
        return new InkPartialAggregateExec(
                Sequences.seqOf(functions), groups.size(), List.copyOf(places), plan.output(), child);
    }

    private static boolean isSelection(ProjectExec project) {
        return Sequences.listOf(project.projectList()).stream().allMatch(one -> one instanceof AttributeReference);
    }

    /** Where the groups, and the key and weight of each function, are in the rows; null if some are not there as they are. */
    private static List<Integer> places(List<Expression> groups, List<InkAggregate> functions, SparkPlan child) {
        List<Integer> places = new ArrayList<>();
        for (Expression needed : needed(groups, functions)) {
            int place = needed == null ? -1 : MemberPlan.columnOf(child, needed);
            if (place < 0 && needed != null) {
                return null;
            }
            places.add(place);
        }
        return places;
    }

    /** Groups; then of each function its key, and its weight or null. */
    private static List<Expression> needed(List<Expression> groups, List<InkAggregate> functions) {
        List<Expression> needed = new ArrayList<>(groups);
        for (InkAggregate function : functions) {
            needed.add(function.key());
            needed.add(function.weight());
        }
        return needed;
    }

    /** Has what is computed in rows, and changes groups and functions so that they name it. */
    private static SparkPlan project(List<Expression> groups, List<InkAggregate> functions, SparkPlan child) {
        List<NamedExpression> computed = new ArrayList<>();
        groups.replaceAll(group -> named(group, computed));
        functions.replaceAll(function -> function.over(
                named(function.key(), computed),
                function.weight() == null ? null : named(function.weight(), computed)));
        return new ProjectExec(Sequences.seqOf(computed), child);
    }

    private static Expression named(Expression expression, List<NamedExpression> computed) {
        NamedExpression name = expression instanceof NamedExpression named
                ? named
                : new Alias(
                        expression, "key", NamedExpression.newExprId(), Sequences.seqOf(List.of()), Option.empty(),
                        Sequences.seqOf(List.of()));
        if (computed.stream().noneMatch(one -> one.exprId().equals(name.exprId()))) {
            computed.add(name);
        }
        return name.toAttribute();
    }
}
