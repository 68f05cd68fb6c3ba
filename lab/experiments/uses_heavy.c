/* uses_heavy.c - heavy hitters HH(k), the keys that have more than 1/k of the total: by a top
 * sketch, which keeps keys, and by a Count-Min sketch, which is asked for all of them, beside the
 * exact ones. */
#include "experiments/uses_parts.h"
#include <stdlib.h>

static const uint64_t parts[] = {10, 100, 1000, 10000};
enum { PARTS = sizeof parts / sizeof *parts, SHOWN = 10 };

/* What one sketch lists. */
typedef struct listing {
    uint64_t bytes, listed, wrong;
} listing;

typedef struct heavy {
    uint64_t records, table_bytes;
    uint64_t different;
    uint64_t truly[PARTS];
    listing  top[PARTS], count_min[PARTS];
    struct {
        char     key[24];
        uint64_t count;
        double   low, high, count_min; /* by the sketches for the last k */
    } shown[SHOWN];
} heavy;

static bool is_over(uint64_t count, const heavy *found, uint64_t k)
{
    return (double)count > (double)found->records / (double)k;
}

static listing list_top(lab *bench, const ink_sketch *sketch, const exact *truth,
                        const heavy *found, uint64_t k)
{
    listing   made = {.bytes = lab_bytes(sketch)};
    size_t    room = (size_t)(2 * k); /* it keeps at most this number */
    ink_item *items = calloc(room, sizeof *items);
    size_t    count = 0;

    if (items == NULL)
        lab_fail_memory(bench, room * sizeof *items);
    else if (bench->status == INK_OK)
        lab_ok(bench, ink_sketch_over(sketch, k, items, room, &count, &bench->error));
    for (size_t i = 0; i < count; i++) {
        text_line key = {(const char *)items[i].key, items[i].key_bytes};
        made.wrong += !is_over(exact_count(truth, key), found, k);
    }
    made.listed = count;
    free(items);
    return made;
}

static listing list_count_min(lab *bench, const ink_sketch *sketch, const exact *truth,
                              const heavy *found, uint64_t k)
{
    listing made = {.bytes = lab_bytes(sketch)};

    for (size_t i = 0; i < truth->count && bench->status == INK_OK; i++) {
        ink_answer estimate = count_of(bench, sketch, truth->entries[i].key);
        if (!is_over((uint64_t)estimate.estimate, found, k))
            continue;
        made.listed++;
        made.wrong += !is_over(truth->entries[i].count, found, k);
    }
    return made;
}

static int by_count(const void *a, const void *b)
{
    const exact_entry *one = a, *other = b;

    return one->count < other->count ? 1 : one->count > other->count ? -1 : 0;
}

/* The most frequent keys: what the sketches say of them. Changes the order of the table, so that
 * nothing is looked up in it afterwards. */
static void show(lab *bench, const ink_sketch *top, const ink_sketch *count_min, exact *truth,
                 heavy *found)
{
    qsort(truth->entries, truth->count, sizeof *truth->entries, by_count);
    for (size_t i = 0; i < SHOWN && i < truth->count && bench->status == INK_OK; i++) {
        text_line  key = truth->entries[i].key;
        ink_answer bounds = count_of(bench, top, key);
        for (size_t j = 0; j < key.bytes && j + 1 < sizeof found->shown[i].key; j++)
            found->shown[i].key[j] = key.text[j];
        found->shown[i].count = truth->entries[i].count;
        found->shown[i].low = bounds.low;
        found->shown[i].high = bounds.high;
        found->shown[i].count_min = count_of(bench, count_min, key).estimate;
    }
}

static void measure(lab *bench, heavy *found)
{
    lab_data words = lab_generate(bench, "zipf", found->records, 7);
    exact    truth = exact_of(bench, &words);

    found->table_bytes = exact_bytes(&truth);
    found->different = truth.count;
    for (unsigned i = 0; i < PARTS; i++) {
        const double     share = 1 / (double)parts[i];
        const ink_params top_params = {.kind = "top", .phi = share};
        const ink_params params = {.kind = "count-min", .epsilon = share};
        ink_sketch      *top = lab_build(bench, &words, &top_params);
        ink_sketch      *count_min = lab_build(bench, &words, &params);
        for (size_t j = 0; j < truth.count; j++)
            found->truly[i] += is_over(truth.entries[j].count, found, parts[i]);
        if (bench->status == INK_OK) {
            found->top[i] = list_top(bench, top, &truth, found, parts[i]);
            found->count_min[i] = list_count_min(bench, count_min, &truth, found, parts[i]);
        }
        if (i == PARTS - 1)
            show(bench, top, count_min, &truth, found);
        ink_sketch_free(top);
        ink_sketch_free(count_min);
    }
    exact_free(&truth);
    lab_data_free(&words);
}

static void report_listing(findings *all, const heavy *found, unsigned i, const char *name,
                           const listing *made)
{
    found_number(all, (double)parts[i]);
    found_number(all, (double)found->records / (double)parts[i]);
    found_word(all, "%s", name);
    found_number(all, (double)made->bytes);
    found_number(all, (double)found->truly[i]);
    found_number(all, (double)made->listed);
    found_number(all, (double)made->wrong);
    found_number(all, (double)(found->truly[i] + made->wrong - made->listed));
}

static void report_listings(findings *all, const heavy *found)
{
    found_table(all, "listed", "The keys with more than 1/k of the total");
    found_column(all, "k", "", FOUND_GIVEN, 0);
    found_column(all, "N / k", "", FOUND_GIVEN, 0);
    found_column(all, "sketch", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "size", "bytes", FOUND_HERE, 0);
    found_column(all, "truly over", "keys", FOUND_HERE, 0);
    found_column(all, "listed", "keys", FOUND_HERE, 0);
    found_column(all, "of these wrong", "keys", FOUND_HERE, 0);
    found_column(all, "missing", "keys", FOUND_HERE, 0);
    for (unsigned i = 0; i < PARTS; i++) {
        report_listing(all, found, i, "top", &found->top[i]);
        report_listing(all, found, i, "count-min", &found->count_min[i]);
    }
}

static void report_shown(findings *all, const heavy *found)
{
    found_table(all, "most", "The ten most frequent keys, by the sketches for the largest k");
    found_column(all, "key", "", FOUND_HERE, FOUND_WORDS);
    found_column(all, "exact", "", FOUND_HERE, 0);
    found_column(all, "top: at least", "", FOUND_HERE, 0);
    found_column(all, "top: at most", "", FOUND_HERE, 0);
    found_column(all, "count-min", "", FOUND_HERE, 0);
    for (unsigned i = 0; i < SHOWN; i++) {
        found_word(all, "%s", found->shown[i].key);
        found_number(all, (double)found->shown[i].count);
        found_number(all, found->shown[i].low);
        found_number(all, found->shown[i].high);
        found_number(all, found->shown[i].count_min);
    }
}

static void report_meaning(findings *all, const heavy *found)
{
    const unsigned last = PARTS - 1;
    uint64_t       missing = 0;

    for (unsigned i = 0; i < PARTS; i++)
        missing += found->truly[i] + found->top[i].wrong - found->top[i].listed + found->truly[i] +
                   found->count_min[i].wrong - found->count_min[i].listed;
    found_text(
        all,
        "%s `top` keeps the keys themselves, so it can be asked for them; a `count-min` must be "
        "given the keys to try, here all %llu different ones. A table of all keys with "
        "their counts takes %llu bytes, without any pointer: %.1f times the `top` for k = "
        "%llu, %.1f times the `count-min`.",
        missing == 0 ? "No heavy hitter is missing from any list: both sketches are wrong "
                       "to one side only."
                     : "Heavy hitters are missing, which must not be.",
        (unsigned long long)found->different, (unsigned long long)found->table_bytes,
        (double)found->table_bytes / (double)found->top[last].bytes,
        (unsigned long long)parts[last],
        (double)found->table_bytes / (double)found->count_min[last].bytes);
}

static void report_commands(findings *all, const heavy *found)
{
    found_command(all, "ink gen zipf -n %llu --seed 7 --force -o zipf.txt",
                  (unsigned long long)found->records);
    found_command(all, "awk '{n[$0]++} END {for (w in n) print n[w] \"\\t\" w}' zipf.txt | sort "
                       "-k1,1nr > exact.tsv\n"
                       "head exact.tsv; awk '{b += length($2) + 4} END {print NR, b}' exact.tsv");
    found_command(
        all,
        "total=%llu\n"
        "for k in 10 100 1000 10000; do\n"
        "  phi=$(awk \"BEGIN {print 1 / $k}\")\n"
        "  awk \"\\$1 > $total / $k {print \\$2}\" exact.tsv | sort > true.txt; wc -l < true.txt\n"
        "  ink build top --phi $phi --force -o top.ink zipf.txt; ink info top.ink\n"
        "  ink top --phi $phi --tsv top.ink | tail -n +2 | cut -f 4 | sort > listed.txt\n"
        "  wc -l < listed.txt; comm -13 true.txt listed.txt | wc -l\n"
        "  ink build count-min --eps $phi --force -o count.ink zipf.txt; ink info count.ink\n"
        "  cut -f 2 exact.tsv | ink count --tsv count.ink |\n"
        "    awk -F'\\t' \"NR > 1 && \\$5 > $total / $k {print \\$4}\" | sort > listed.txt\n"
        "  wc -l < listed.txt; comm -13 true.txt listed.txt | wc -l\n"
        "done",
        (unsigned long long)found->records);
    found_command(all, "head exact.tsv | cut -f 2 > most.txt\n"
                       "ink count top.ink most.txt; ink count count.ink most.txt");
}

void uses_heavy(lab *bench)
{
    findings *all = bench->found;
    heavy     found = {.records = lab_size(bench, 1000000, 200000)};

    if (!lab_step(bench, 0.8, "heavy hitters"))
        return;
    found_part(all, "heavy", "Which keys have more than 1/k of all?");
    found_text(all,
               "HH(k) are the keys with more than 1/k of the total; the lecture finds them by "
               "asking a Count-Min sketch for the count of each key. Here are %llu words: a `top` "
               "made for 1/k, a `count-min` whose error is at most 1/k of the total too, and "
               "the exact counts.",
               (unsigned long long)found.records);
    report_commands(all, &found);
    measure(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_listings(all, &found);
    report_shown(all, &found);
    report_meaning(all, &found);
}
