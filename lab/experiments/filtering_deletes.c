/* filtering_deletes.c - deletes by counting (document 003): counters in the place of bits, what is
 * left when keys are taken out again, and counters that stick. */
#include "experiments/filtering_parts.h"

#include <stdlib.h>
#include <string.h>

/* A counter has four bits: one that has come to this stays, as it is unknown how many keys it
 * stands for. */
enum { STUCK_AT = 15 };

static const double counting_rate = 0.01;

static ink_params params_of(const char *kind, uint64_t keys)
{
    return (ink_params){.kind = kind, .expected_keys = keys, .false_positive_rate = counting_rate};
}

/* As `ink remove` does: every line is taken out once. */
static void remove_lines(lab *bench, ink_sketch *filter, const lab_data *lines)
{
    for (size_t at = 0; at < lines->count && bench->status == INK_OK;) {
        const uint8_t *start = lines->bytes + at, *end = memchr(start, '\n', lines->count - at);
        size_t         bytes = end == NULL ? lines->count - at : (size_t)(end - start);
        lab_ok(bench, ink_sketch_remove(filter, start, bytes, &bench->error));
        at += bytes + 1;
    }
}

/* ---- Added and removed -------------------------------------------------------------------- */

enum { ALL, LESS, REST, BLOOM, NONE, EMPTY, STATES };

typedef struct deleting {
    measured states[STATES];
    bool     converts; /* the counting filter, made a bloom, is the bloom of what is left */
} deleting;

static void measure_deleting(lab *bench, uint64_t count, deleting *found)
{
    lab_data         keys = lab_generate(bench, "names", count, 8);
    lab_data         others = lab_generate(bench, "names", count, 9), nothing = {0};
    lab_data         gone = lab_head(&keys, count / 2), rest = lab_tail(&keys, count / 2);
    const ink_params counting = params_of("counting", count), bloom = params_of("bloom", count);
    ink_sketch      *some = lab_build(bench, &keys, &counting), *as_bloom = NULL,
               *others_built[] = {lab_build(bench, &rest, &counting),
                                  lab_build(bench, &rest, &bloom),
                                  lab_build(bench, &nothing, &counting)};

    found->states[ALL] = filtering_measure(bench, some, &others);
    remove_lines(bench, some, &gone);
    found->states[LESS] = filtering_measure(bench, some, &others);
    found->states[REST] = filtering_measure(bench, others_built[0], &others);
    found->states[BLOOM] = filtering_measure(bench, others_built[1], &others);
    if (bench->status == INK_OK)
        lab_ok(bench, ink_sketch_convert(&as_bloom, some, "bloom", NULL, &bench->error));
    digest converted = filtering_digest(bench, as_bloom);
    found->converts = filtering_same(&converted, &found->states[BLOOM].digest);
    remove_lines(bench, some, &rest);
    found->states[NONE] = filtering_measure(bench, some, &others);
    found->states[EMPTY] = filtering_measure(bench, others_built[2], &others);
    for (size_t i = 0; i < sizeof others_built / sizeof *others_built; i++)
        ink_sketch_free(others_built[i]);
    ink_sketch_free(some);
    ink_sketch_free(as_bloom);
    lab_data_free(&keys);
    lab_data_free(&others);
}

static void report_deleting(findings *all, uint64_t keys, const deleting *found)
{
    static const struct {
        const char *name;
        double      share;
    } rows[] = {
        [ALL] = {"counting: all keys added", 1},
        [LESS] = {"counting: half removed again", 0.5},
        [REST] = {"counting: of the other half", 0.5},
        [BLOOM] = {"bloom: of the other half", 0.5},
        [NONE] = {"counting: all removed", 0},
        [EMPTY] = {"counting: never a key", 0},
    };
    const measured *const states = found->states;
    bool                  rest = filtering_same(&states[LESS].digest, &states[REST].digest), empty;

    empty = filtering_same(&states[NONE].digest, &states[EMPTY].digest);
    found_table(all, "deletes", "A counting filter, and the filters that it should be equal to");
    found_column(all, "filter", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "keys in it", "", FOUND_GIVEN, 0);
    found_column(all, "memory", "kB", FOUND_HERE, 0);
    found_column(all, "non-members admitted", "", FOUND_HERE, 0);
    found_column(all, "from the bits", "%", FOUND_HERE, 4);
    found_column(all, "digest", "its first half", FOUND_HERE, FOUND_WORDS);
    for (size_t i = 0; i < STATES; i++) {
        found_word(all, "%s", rows[i].name);
        found_number(all, rows[i].share * (double)keys);
        found_number(all, (double)states[i].bytes / 1e3);
        found_number(all, (double)states[i].admitted);
        found_number(all, PER_CENT * states[i].current);
        found_word(all, "%.*s", HALF_DIGEST, states[i].digest.text);
    }
    found_text(all,
               "What was removed %s trace: with half of the keys out the filter is %s as one that "
               "never had them, and with all keys out it is %s. Its counters above 0 are %s of a "
               "`bloom` of the keys that are left, which takes a quarter of the memory and "
               "cannot forget.",
               rest && empty ? "has left no" : "has left a",
               rest ? "the same, bit for bit," : "not the same",
               empty ? "an empty one" : "not empty",
               found->converts ? "exactly the bits" : "not the bits");
}

static void report_deleting_commands(findings *all, uint64_t keys)
{
    number whole = keys, half = keys / 2;

    found_command(all, "ink gen names -n %llu --seed 8 -o members.txt", whole);
    found_command(all, "ink gen names -n %llu --seed 9 -o outside.txt", whole);
    found_command(all, "head -n %llu members.txt > gone.txt; tail -n %llu members.txt > rest.txt",
                  half, half);
    found_command(all, "ink build counting -n %llu -p %g -o all.ink members.txt", whole,
                  counting_rate);
    found_command(all, "cp all.ink less.ink; ink remove less.ink gone.txt");
    found_command(all, "ink build counting -n %llu -p %g -o rest.ink rest.txt", whole,
                  counting_rate);
    found_command(all, "ink build bloom -n %llu -p %g -o bloom.ink rest.txt", whole, counting_rate);
    found_command(all, "cp less.ink none.ink; ink remove none.ink rest.txt");
    found_command(all, "ink build counting -n %llu -p %g -o empty.ink /dev/null", whole,
                  counting_rate);
    found_command(all, "for f in all less rest bloom none empty; do ink info $f.ink; ink info "
                       "--digest $f.ink; ink filter --count $f.ink outside.txt; done");
}

static void run_deleting(lab *bench)
{
    uint64_t  keys = lab_size(bench, 1000000, 100000);
    findings *all = bench->found;
    deleting  found = {0};

    found_part(all, "deletes", "Taking keys out again");
    found_text(
        all,
        "A bit may stand for several keys, so no key can be taken out of a Bloom filter. The "
        "lecture\u2019s answer is a counting filter: a key raises its counters when it is added "
        "and lowers them when it is removed. Here are %llu keys in a filter with counters of "
        "four bits; half of them are removed, then the rest.",
        (number)keys);
    report_deleting_commands(all, keys);
    measure_deleting(bench, keys, &found);
    if (bench->status == INK_OK)
        report_deleting(all, keys, &found);
}

/* ---- Counters that stick ------------------------------------------------------------------ */

typedef struct sticking {
    uint64_t records, different, often; /* lines; words; words that came STUCK_AT times or more */
    uint64_t admitted, stuck, counters; /* words, counters, when all was removed */
    uint64_t bytes;
} sticking;

typedef struct line {
    const uint8_t *bytes;
    size_t         count;
} line;

static int compare_lines(const void *a, const void *b)
{
    const line *one = a, *other = b;
    size_t      least = one->count < other->count ? one->count : other->count;
    int         order = memcmp(one->bytes, other->bytes, least);

    return order != 0 ? order : (one->count > other->count) - (one->count < other->count);
}

/* Counts words as `sort | uniq -c` does, and keeps each once. */
static void count_words(lab *bench, const lab_data *text, lab_data *once, sticking *found)
{
    size_t   lines = (size_t)lab_lines(text), count = 0;
    line    *sorted = malloc((lines + 1) * sizeof *sorted);
    ink_sink sink = lab_sink(once);

    if (sorted == NULL) {
        lab_fail_memory(bench, lines * sizeof *sorted);
        return;
    }
    for (size_t at = 0; at < text->count; count++) {
        const uint8_t *start = text->bytes + at, *end = memchr(start, '\n', text->count - at);
        sorted[count] = (line){start, end == NULL ? text->count - at : (size_t)(end - start)};
        at += sorted[count].count + 1;
    }
    qsort(sorted, count, sizeof *sorted, compare_lines);
    for (size_t i = 0, next; i < count; i = next) {
        for (next = i + 1; next < count && compare_lines(&sorted[i], &sorted[next]) == 0;)
            next++;
        found->different++;
        found->often += next - i >= STUCK_AT;
        if (sink.write(sink.host, sorted[i].bytes, sorted[i].count) != 0 ||
            sink.write(sink.host, "\n", 1) != 0)
            lab_fail_memory(bench, once->room);
    }
    found->records = count;
    free(sorted);
}

/* How many counters are full: as they stand in the file, two in a byte. */
static uint64_t count_stuck(lab *bench, const ink_sketch *filter)
{
    size_t   bytes = (size_t)lab_bytes(filter);
    uint8_t *payload = malloc(bytes + 1);
    uint64_t stuck = 0;

    if (payload == NULL)
        lab_fail_memory(bench, bytes);
    else if (filter != NULL &&
             lab_ok(bench, ink_sketch_payload(filter, payload, bytes, &bench->error)))
        for (size_t i = 0; i < bytes; i++)
            stuck += (uint64_t)((payload[i] & 15) == STUCK_AT) + (payload[i] >> 4 == STUCK_AT);
    free(payload);
    return stuck;
}

static void measure_sticking(lab *bench, const lab_data *text, sticking *found)
{
    lab_data         once = {0};
    const ink_params params = params_of("counting", lab_lines(text));

    count_words(bench, text, &once, found);
    ink_sketch *filter = lab_build(bench, text, &params);
    remove_lines(bench, filter, text);
    found->stuck = count_stuck(bench, filter);
    found->admitted = lab_admitted(bench, filter, &once);
    found->bytes = lab_bytes(filter);
    found->counters = 2 * found->bytes;
    ink_sketch_free(filter);
    lab_data_free(&once);
}

static void report_sticking(findings *all, const sticking found[2])
{
    static const char *const names[] = {"each key once", "words of a text"};

    found_table(all, "stuck", "All that was added is removed again: what stays");
    found_column(all, "added", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "records", "", FOUND_GIVEN, 0);
    found_column(all, "different", "", FOUND_HERE, 0);
    found_column(all, "that came 15 times or more", "", FOUND_HERE, 0);
    found_column(all, "still admitted", "", FOUND_HERE, 0);
    found_column(all, "counters", "", FOUND_HERE, 0);
    found_column(all, "stuck at 15", "", FOUND_HERE, 0);
    for (size_t i = 0; i < 2; i++) {
        found_word(all, "%s", names[i]);
        found_number(all, (double)found[i].records);
        found_number(all, (double)found[i].different);
        found_number(all, (double)found[i].often);
        found_number(all, (double)found[i].admitted);
        found_number(all, (double)found[i].counters);
        found_number(all, (double)found[i].stuck);
    }
    found_text(
        all,
        "With each key added once %llu counters stick. Of the text %llu words stay in for "
        "good: the %llu that came 15 times or more, and %llu whose counters others filled. "
        "That costs a few false positives and denies no one; add each key once, as `ink uniq` "
        "passes them, and counters hardly ever stick.",
        (number)found[0].stuck, (number)found[1].admitted, (number)found[1].often,
        (number)(found[1].admitted - found[1].often));
}

static void run_sticking(lab *bench)
{
    uint64_t  records = lab_size(bench, 1000000, 100000);
    findings *all = bench->found;
    lab_data  keys = lab_generate(bench, "names", records, 8);
    lab_data  text = lab_generate(bench, "zipf", records, 1);
    sticking  found[2] = {0};

    measure_sticking(bench, &keys, &found[0]);
    measure_sticking(bench, &text, &found[1]);
    found_part(all, "stuck", "Counters that stick");
    found_text(
        all, "A counter of four bits that has come to 15 stays there: lowered, it could come to 0 "
             "while a key is still in. Keys that come often stick so. `ink remove` says how many "
             "keys stay in for good.");
    found_command(all, "ink gen names -n %llu --seed 8 --force -o members.txt", (number)records);
    found_command(all, "ink gen zipf -n %llu --seed 1 -o text.txt", (number)records);
    found_command(all,
                  "for f in members text; do sort $f.txt | uniq -c > counts.txt; wc -l < "
                  "counts.txt; awk '$1 >= %d' counts.txt | wc -l; ink build counting -n %llu -p %g "
                  "-o $f.ink $f.txt; ink remove $f.ink $f.txt; sort -u $f.txt | ink filter --count "
                  "$f.ink; tail -c +%d $f.ink | head -c %llu | od -An -v -tx1 | tr -cd f | wc -c; "
                  "done",
                  STUCK_AT, (number)records, counting_rate, PAYLOAD_AT + 1, (number)found[1].bytes);
    if (bench->status == INK_OK)
        report_sticking(all, found);
    lab_data_free(&keys);
    lab_data_free(&text);
}

void filtering_deletes(lab *bench, double from)
{
    if (lab_step(bench, from, "deletes by counting"))
        run_deleting(bench);
    if (lab_step(bench, from + 0.05, "counters that stick"))
        run_sticking(bench);
}
