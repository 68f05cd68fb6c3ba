package inkling.spark;

import java.util.ArrayList;
import java.util.List;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.AttributeSet;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataType;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/**
 * The first half of an aggregation whose aggregates are all ours: keys go to C in large batches, from whole columns where there
 * are some, and a state of C is kept for each group. It gives the rows of the operator of Spark that it replaces: groups and
 * states as bytes. A group may come more than once, where the memory was needed.
 */
public final class InkPartialAggregateExec extends MemberPlan {
    private static final long serialVersionUID = 1;

    private final Seq<InkAggregate> functions;
    private final int groups;
    private final List<Integer> ordinals;
    private final Seq<Attribute> output;

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
            Seq<InkAggregate> functions, int groups, List<Integer> ordinals, Seq<Attribute> output, SparkPlan child) {
        super(child);
        this.functions = functions;
        this.groups = groups;
        this.ordinals = ordinals;
        this.output = output;
    }

    @Override
    public RDD<InternalRow> doExecute() {
        List<DataType> input = new ArrayList<>();
        for (Attribute attribute : Sequences.listOf(child().output())) {
            input.add(attribute.dataType());
        }
        PartialAggregate.Plan plan = new PartialAggregate.Plan(Sequences.listOf(functions), groups, ordinals, input);
        return (child().supportsColumnar()
                        ? child().executeColumnar().toJavaRDD().mapPartitions(plan::ofColumns)
                        : child().execute().toJavaRDD().mapPartitions(plan::ofRows))
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
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> changed) {
        return new InkPartialAggregateExec(functions, groups, ordinals, output, changed.apply(0));
    }

    @Override
    List<Object> members() {
        return List.of(functions, groups, ordinals, output, child());
    }
}
