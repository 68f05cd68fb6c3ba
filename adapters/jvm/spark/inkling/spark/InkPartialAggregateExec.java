package inkling.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.catalyst.plans.physical.Partitioning;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * The first half of an aggregation whose aggregates are all ours: keys go to C in large batches, from whole columns where there
 * are some, and a state of C is kept for each group. It gives the rows of the operator of Spark that it replaces: groups and
 * states as bytes. A group may come more than once, where the memory was needed.
 */
public final class InkPartialAggregateExec extends SparkPlan {
    private static final long serialVersionUID = 1;
    private static final int MEMBERS = 5;

    private final Seq<InkAggregate> functions;
    private final int groups;
    private final int[] ordinals;
    private final Seq<Attribute> output;
    private final SparkPlan child;

    /**
     * Called by Catalyst, too.
     *
     * @param functions the aggregates
     * @param groups how many columns name a group
     * @param ordinals where in the child those columns are, and of each function the key and the weight, or -1
     * @param output the columns that it gives
     * @param child where keys come from: columns, or rows
     */
    public InkPartialAggregateExec(
            Seq<InkAggregate> functions, int groups, int[] ordinals, Seq<Attribute> output, SparkPlan child) {
        this.functions = functions;
        this.groups = groups;
        this.ordinals = ordinals.clone();
        this.output = output;
        this.child = child;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        List<DataType> input = new ArrayList<>();
        for (Attribute attribute : Sequences.listOf(child.output())) {
            input.add(attribute.dataType());
        }
        PartialAggregate.Plan plan = new PartialAggregate.Plan(Sequences.listOf(functions), groups, ordinals, input);
        return (child.supportsColumnar()
                        ? child.executeColumnar().toJavaRDD().mapPartitions(plan::ofColumns)
                        : child.execute().toJavaRDD().mapPartitions(plan::ofRows))
                .rdd();
    }

    // ---- What Catalyst asks -----------------------------------------------------------------

    @Override
    public Seq<Attribute> output() {
        return output;
    }

    @Override
    public AttributeSet producedAttributes() {
        return outputSet();
    }

    @Override
    public Partitioning outputPartitioning() {
        return child.outputPartitioning();
    }

    @Override
    public Seq<SparkPlan> children() {
        return Sequences.seqOf(List.of(child));
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> changed) {
        return new InkPartialAggregateExec(functions, groups, ordinals, output, changed.apply(0));
    }

    @Override
    public int productArity() {
        return MEMBERS;
    }

    @Override
    public Object productElement(int index) {
        return switch (index) {
            case 0 -> functions;
            case 1 -> groups;
            case 2 -> ordinals.clone();
            case 3 -> output;
            default -> child;
        };
    }

    @Override
    public boolean canEqual(Object other) {
        return other instanceof InkPartialAggregateExec;
    }

    @Override
    public boolean equals(Object other) {
        return other instanceof InkPartialAggregateExec that
                && that.functions.equals(functions)
                && that.groups == groups
                && Arrays.equals(that.ordinals, ordinals)
                && that.output.equals(output)
                && that.child.equals(child);
    }

    @Override
    public int hashCode() {
        return java.util.Objects.hash(functions, groups, Arrays.hashCode(ordinals), output, child);
    }
}
