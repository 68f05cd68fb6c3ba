package inkling.spark;

import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.NoSuchElementException;
import org.apache.spark.rdd.RDD;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.And;
import org.apache.spark.sql.catalyst.expressions.Attribute;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.SortOrder;
import org.apache.spark.sql.execution.ColumnarToRowExec;
import org.apache.spark.sql.execution.FilterExec;
import org.apache.spark.sql.execution.SparkPlan;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.vectorized.ColumnVector;
import org.apache.spark.sql.vectorized.ColumnarBatch;
import scala.collection.immutable.IndexedSeq;
import scala.collection.immutable.Seq;

/** A filter that asks one sketch about a column: whole columns go to C, and those that come out have the rows that are left. */
public final class InkFilterExec extends MemberPlan {
    private static final long serialVersionUID = 1;

    private final InkScalar question;

    /**
     * Called by Catalyst, too.
     *
     * @param question what says if a key may be in a sketch that is the same for all rows
     * @param child where columns come from; the key is one of them
     */
    public InkFilterExec(InkScalar question, SparkPlan child) {
        super(child);
        this.question = question;
    }

    // ---- In the place of a filter of Spark --------------------------------------------------

    /** The same filter, with what it asks a sketch about a column of a scan asked below it. */
    static SparkPlan inPlaceOf(FilterExec filter) {
        if (!(filter.child() instanceof ColumnarToRowExec rows) || !filter.condition().deterministic()) {
            return filter;
        }
        SparkPlan columns = rows.child();
        Expression rest = null;
        for (Expression conjunct : conjuncts(filter.condition())) {
            if (conjunct instanceof InkScalar one && one.asksConstant() && columnOf(columns, one.key()) >= 0) {
                columns = new InkFilterExec(one, columns);
            } else {
                rest = rest == null ? conjunct : new And(rest, conjunct);
            }
        }
        if (columns == rows.child()) {
            return filter;
        }
        SparkPlan left = new ColumnarToRowExec(columns);
        return rest == null ? left : new FilterExec(rest, left);
    }

    private static List<Expression> conjuncts(Expression condition) {
        List<Expression> conjuncts = new ArrayList<>();
        if (condition instanceof And both) {
            conjuncts.addAll(conjuncts(both.left()));
            conjuncts.addAll(conjuncts(both.right()));
        } else {
            conjuncts.add(condition);
        }
        return conjuncts;
    }

    // ---- Columns ----------------------------------------------------------------------------

    /** One task: of each batch the rows whose key may be in the sketch. A batch is good until the next one is asked for. */
    private static final class Selection implements Iterator<ColumnarBatch> {
        private final ColumnQuestion question;
        private final Iterator<ColumnarBatch> source;
        private ColumnarBatch next;

        Selection(ColumnQuestion question, Iterator<ColumnarBatch> source) {
            this.question = question;
            this.source = source;
        }

        @Override
        public boolean hasNext() {
            while (next == null && source.hasNext()) {
                next = selected(source.next());
            }
            return next != null;
        }

        @Override
        public ColumnarBatch next() {
            if (!hasNext()) {
                throw new NoSuchElementException();
            }
            ColumnarBatch given = next;
            next = null;
            return given;
        }

        /** Null if no row is left. */
        private ColumnarBatch selected(ColumnarBatch batch) {
            int count = question.select(batch);
            if (count == 0) {
                batch.closeIfFreeable();
                return null;
            }
            if (count == batch.numRows()) {
                return batch;
            }
            ColumnVector[] columns = new ColumnVector[batch.numCols()];
            for (int i = 0; i < columns.length; i++) {
                columns[i] = new SelectedColumn(batch.column(i), question.selected(), count);
            }
            return new ColumnarBatch(columns, count);
        }
    }

    @Override
    public boolean supportsColumnar() {
        return true;
    }

    @Override
    public RDD<ColumnarBatch> doExecuteColumnar() {
        InkScalar function = question;
        int ordinal = columnOf(child(), question.key());
        DataType type = question.key().dataType();
        return child().executeColumnar().toJavaRDD()
                .mapPartitions(batches -> new Selection(new ColumnQuestion(function, ordinal, type), batches))
                .rdd();
    }

    @Override
    public RDD<InternalRow> doExecute() {
        throw new UnsupportedOperationException("it gives columns");
    }

    // ---- What Catalyst asks -----------------------------------------------------------------

    @Override
    public Seq<Attribute> output() {
        return child().output();
    }

    @Override
    public Seq<SortOrder> outputOrdering() {
        return child().outputOrdering();
    }

    @Override
    public SparkPlan withNewChildrenInternal(IndexedSeq<SparkPlan> changed) {
        return new InkFilterExec(question, changed.apply(0));
    }

    @Override
    List<Object> members() {
        return List.of(question, child());
    }
}
