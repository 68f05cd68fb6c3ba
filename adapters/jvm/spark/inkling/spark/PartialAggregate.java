package inkling.spark;

import java.io.Serializable;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.BoundReference;
import org.apache.spark.sql.catalyst.expressions.Expression;
import org.apache.spark.sql.catalyst.expressions.GenericInternalRow;
import org.apache.spark.sql.catalyst.expressions.JoinedRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;
import org.apache.spark.sql.types.DataType;
import org.apache.spark.sql.types.DataTypes;
import org.apache.spark.sql.vectorized.ColumnarBatch;

/** One task of {@link InkPartialAggregateExec}: takes all rows or columns, and gives a row for each group. */
final class PartialAggregate<T> implements Iterator<InternalRow> {
    /** Rows between two looks at the memory. */
    private static final int ROWS = 4096;
    /** Groups of Java that a task keeps at most; C's memory is looked at besides. */
    private static final int MOST_GROUPS = 1 << 16;

    private final Plan plan;
    private final Iterator<T> source;
    private final Taking<T> taking;
    private final List<KeyColumn> columns = new ArrayList<>();
    private final GroupTable groups;
    private final UnsafeProjection result;
    /** Of each group the states of all functions, one after the other. */
    private final List<AggregateState> states = new ArrayList<>();

    private Iterator<InternalRow> given = List.<InternalRow>of().iterator();
    private boolean isDone;

    /** What all tasks have in common. */
    static final class Plan implements Serializable {
        private static final long serialVersionUID = 1;

        private final InkAggregate[] functions;
        private final int groups;
        private final int[] ordinals;
        private final DataType[] input;

        Plan(List<InkAggregate> functions, int groups, List<Integer> ordinals, List<DataType> input) {
            this.functions = functions.toArray(new InkAggregate[0]);
            this.groups = groups;
            this.ordinals = ordinals.stream().mapToInt(Integer::intValue).toArray();
            this.input = input.toArray(new DataType[0]);
        }

        Iterator<InternalRow> ofRows(Iterator<InternalRow> rows) {
            return new PartialAggregate<>(this, rows, PartialAggregate::takeRow);
        }

        Iterator<InternalRow> ofColumns(Iterator<ColumnarBatch> batches) {
            return new PartialAggregate<>(this, batches, PartialAggregate::takeBatch);
        }

        private UnsafeProjection groupsOfInput() {
            return projection(0, groups);
        }

        private UnsafeProjection projection(int from, int count) {
            List<Expression> chosen = new ArrayList<>();
            for (int i = from; i < from + count; i++) {
                chosen.add(new BoundReference(ordinals[i], input[ordinals[i]], true));
            }
            return UnsafeProjection.create(Sequences.seqOf(chosen));
        }

        private UnsafeProjection result() {
            DataType[] types = new DataType[groups + functions.length];
            for (int i = 0; i < types.length; i++) {
                types[i] = i < groups ? input[ordinals[i]] : DataTypes.BinaryType;
            }
            return UnsafeProjection.create(types);
        }
    }

    private interface Taking<T> {
        void take(PartialAggregate<T> into, T next);
    }

    private PartialAggregate(Plan plan, Iterator<T> source, Taking<T> taking) {
        this.plan = plan;
        this.source = source;
        this.taking = taking;
        for (int i = 0; i < plan.functions.length; i++) {
            int key = plan.ordinals[plan.groups + 2 * i];
            int weight = plan.ordinals[plan.groups + 2 * i + 1];
            columns.add(new KeyColumn(plan.functions[i], key, weight, plan.input));
        }
        boolean isNumber = plan.groups == 1 && KeyType.isInt(plan.input[plan.ordinals[0]]);
        groups = new GroupTable(
                plan.groupsOfInput(), isNumber ? new IntColumn(plan.ordinals[0], plan.input[plan.ordinals[0]]) : null);
        result = plan.result();
        if (plan.groups == 0) {
            start();
        }
    }

    // ---- Rows in ----------------------------------------------------------------------------

    private void start() {
        for (InkAggregate function : plan.functions) {
            states.add(function.createAggregationBuffer());
        }
    }

    /** The number of the group of a row. */
    private int groupOf(InternalRow row) {
        if (plan.groups == 0) {
            return 0;
        }
        int group = groups.find(row);
        if (group * columns.size() == states.size()) {
            start();
        }
        return group;
    }

    private void takeRow(InternalRow row) {
        int first = groupOf(row) * columns.size();
        for (int i = 0; i < columns.size(); i++) {
            columns.get(i).add(states.get(first + i), row);
        }
    }

    private void takeBatch(ColumnarBatch batch) {
        if (plan.groups == 0) {
            for (int i = 0; i < columns.size(); i++) {
                columns.get(i).addAll(states.get(i), batch);
            }
        } else {
            for (int i = 0; i < batch.numRows(); i++) {
                takeRow(batch.getRow(i));
            }
        }
        batch.closeIfFreeable();
    }

    // ---- Groups out -------------------------------------------------------------------------

    @Override
    public boolean hasNext() {
        while (!given.hasNext() && !isDone) {
            consume();
            given = new Giving();
        }
        return given.hasNext();
    }

    @Override
    public InternalRow next() {
        return given.next();
    }

    private void consume() {
        for (int i = 1; source.hasNext(); i++) {
            taking.take(this, source.next());
            if (i % ROWS == 0 && isFull()) {
                break;
            }
        }
        isDone = !source.hasNext();
        columns.forEach(KeyColumn::flush);
    }

    /** Whether groups are to be given, and begun anew: the other half merges them. */
    private boolean isFull() {
        return plan.groups > 0
                && (groups.size() >= MOST_GROUPS || SqlNative.live() > Runtime.getRuntime().maxMemory() / 2);
    }

    /** A row for each group, whose states are then dropped. */
    private final class Giving implements Iterator<InternalRow> {
        private final JoinedRow row = new JoinedRow();
        private final GenericInternalRow bytes = new GenericInternalRow(columns.size());
        private int group;

        @Override
        public boolean hasNext() {
            boolean isMore = group * columns.size() < states.size();
            if (!isMore) {
                states.clear();
                groups.clear();
                group = 0;
            }
            return isMore;
        }

        @Override
        public InternalRow next() {
            int first = group++ * columns.size();
            if (plan.groups == 0 && columns.size() == 1) {
                UnsafeRow alone = states.get(first).encodeRow();
                states.get(first).close();
                return alone;
            }
            for (int i = 0; i < columns.size(); i++) {
                AggregateState state = states.get(first + i);
                bytes.update(i, state.encode());
                state.close();
            }
            InternalRow name = plan.groups == 0 ? InternalRow.empty() : groups.name(group - 1);
            return result.apply(row.apply(name, bytes));
        }
    }
}
