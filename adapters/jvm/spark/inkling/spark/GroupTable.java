package inkling.spark;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.spark.sql.catalyst.InternalRow;
import org.apache.spark.sql.catalyst.expressions.UnsafeProjection;
import org.apache.spark.sql.catalyst.expressions.UnsafeRow;

/** Numbers the groups of rows, in the order in which they come. */
final class GroupTable {
    private static final int FEW = 64;
    private static final long MIX = 0x9E3779B97F4A7C15L;

    private final UnsafeProjection projection;
    /** The column that names groups, if there is one alone, of integers. */
    private final IntColumn numbers;

    private final List<UnsafeRow> names = new ArrayList<>();
    private final Map<UnsafeRow, Integer> found = new HashMap<>();
    private long[] keys = new long[FEW];
    /** The number of the group of a key, and 1; 0: no key. */
    private int[] slots = new int[FEW];
    private int nullGroup;

    GroupTable(UnsafeProjection projection, IntColumn numbers) {
        this.projection = projection;
        this.numbers = numbers;
    }

    int size() {
        return names.size();
    }

    UnsafeRow name(int group) {
        return names.get(group);
    }

    void clear() {
        names.clear();
        found.clear();
        Arrays.fill(slots, 0);
        nullGroup = 0;
    }

    int find(InternalRow row) {
        return numbers == null ? findRow(row) : findNumber(row);
    }

    private int add(InternalRow row) {
        names.add(projection.apply(row).copy());
        return names.size() - 1;
    }

    private int findRow(InternalRow row) {
        Integer group = found.get(projection.apply(row));
        if (group == null) {
            group = add(row);
            found.put(name(group), group);
        }
        return group;
    }

    private int findNumber(InternalRow row) {
        if (numbers.isNull(row)) {
            nullGroup = nullGroup == 0 ? add(row) + 1 : nullGroup;
            return nullGroup - 1;
        }
        long key = numbers.of(row);
        int slot = place(key);
        if (slots[slot] == 0) {
            if (2 * names.size() >= slots.length) {
                grow();
                slot = place(key);
            }
            keys[slot] = key;
            slots[slot] = add(row) + 1;
        }
        return slots[slot] - 1;
    }

    /** Where a key is, or would be. */
    private int place(long key) {
        int slot = (int) (key * MIX >>> Integer.SIZE) & (slots.length - 1);
        while (slots[slot] != 0 && keys[slot] != key) {
            slot = (slot + 1) & (slots.length - 1);
        }
        return slot;
    }

    private void grow() {
        long[] oldKeys = keys;
        int[] oldSlots = slots;
        keys = new long[2 * oldKeys.length];
        slots = new int[2 * oldSlots.length];
        for (int i = 0; i < oldSlots.length; i++) {
            if (oldSlots[i] != 0) {
                int slot = place(oldKeys[i]);
                keys[slot] = oldKeys[i];
                slots[slot] = oldSlots[i];
            }
        }
    }
}
