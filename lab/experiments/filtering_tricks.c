/* filtering_tricks.c - what a lecture (document 003) does with filters that are built: union of
 * two, and half the size. */
#include "experiments/filtering_parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- Union -------------------------------------------------------------------------------- */

enum { MONDAY, TUESDAY, UNION, BOTH, DAYS, DAY_HASHES = 6 };

static void measure_union(lab *bench, uint64_t day, const ink_params *params, measured found[DAYS])
{
    lab_data    keys = lab_generate(bench, "names", day / 2 * 3, 4);
    lab_data    others = lab_generate(bench, "names", day, 5);
    lab_data    monday = lab_head(&keys, day), tuesday = lab_tail(&keys, day / 2), both = {0};
    ink_sink    sink = lab_sink(&both);
    ink_sketch *filters[DAYS] = {0};

    if (sink.write(sink.host, monday.bytes, monday.count) != 0 ||
        sink.write(sink.host, tuesday.bytes, tuesday.count) != 0)
        lab_fail_memory(bench, both.room);
    filters[MONDAY] = lab_build(bench, &monday, params);
    filters[TUESDAY] = lab_build(bench, &tuesday, params);
    filters[BOTH] = lab_build(bench, &both, params);
    if (bench->status == INK_OK &&
        lab_ok(bench, ink_sketch_copy(&filters[UNION], filters[MONDAY], NULL, &bench->error)))
        lab_ok(bench, ink_sketch_merge(filters[UNION], filters[TUESDAY], NULL, &bench->error));
    for (size_t i = 0; i < DAYS; i++) {
        found[i] = filtering_measure(bench, filters[i], &others);
        ink_sketch_free(filters[i]);
    }
    lab_data_free(&keys);
    lab_data_free(&others);
    lab_data_free(&both);
}

static void report_union(findings *all, uint64_t day, const ink_params *params,
                         const measured found[DAYS])
{
    static const char *const names[] = {[MONDAY] = "Monday",
                                        [TUESDAY] = "Tuesday",
                                        [UNION] = "Monday OR Tuesday",
                                        [BOTH] = "built of both"};

    found_table(all, "days", "Filters of two days, their union, and the filter of all records");
    found_column(all, "filter", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "different keys", "", FOUND_GIVEN, 0);
    found_column(all, "measured", "%", FOUND_HERE, 3);
    found_column(all, "from the bits", "%", FOUND_HERE, 3);
    found_column(all, "formula", "%", FOUND_THEORY, 3);
    found_column(all, "digest", "its first half", FOUND_HERE, FOUND_WORDS);
    for (size_t i = 0; i < DAYS; i++) {
        uint64_t keys = i < UNION ? day : day / 2 * 3;
        found_word(all, "%s", names[i]);
        found_number(all, (double)keys);
        found_number(all, PER_CENT * found[i].measured);
        found_number(all, PER_CENT * found[i].current);
        found_number(all,
                     PER_CENT * filtering_rate((double)params->bits, (double)keys, params->hashes));
        found_word(all, "%.*s", HALF_DIGEST, found[i].digest.text);
    }
    found_text(all, "%s. It has the rate of a filter with the keys of both days, %.2f %%.",
               filtering_same(&found[UNION].digest, &found[BOTH].digest)
                   ? "The union is the filter of both days, bit for bit: the digests are equal"
                   : "The union is not the filter of both days, which must never be",
               PER_CENT * found[UNION].measured);
}

void filtering_union(lab *bench, double from)
{
    uint64_t         day = lab_size(bench, 1000000, 100000);
    const ink_params params = {
        .kind = "classic", .bits = BITS_A_KEY * (day / 2 * 3), .hashes = DAY_HASHES};
    findings *all = bench->found;
    measured  found[DAYS] = {0};

    found_part(all, "union", "Two filters into one");
    found_text(all,
               "Two filters of the same size and the same hash functions are merged by OR of their "
               "bits. Here each of two days has %llu keys, half of which come on both days.",
               (number)day);
    found_command(all, "ink gen names -n %llu --seed 4 -o week.txt", (number)(day / 2 * 3));
    found_command(all, "ink gen names -n %llu --seed 5 -o others.txt", (number)day);
    found_command(all, "head -n %llu week.txt > mon.txt; tail -n %llu week.txt > tue.txt",
                  (number)day, (number)day);
    found_command(all,
                  "for day in mon tue; do ink build classic --bits %llu --hashes %d -o $day.ink "
                  "$day.txt; done",
                  (number)params.bits, DAY_HASHES);
    found_command(all, "ink merge -o union.ink mon.ink tue.ink");
    found_command(all, "ink build classic --bits %llu --hashes %d -o both.ink mon.txt tue.txt",
                  (number)params.bits, DAY_HASHES);
    found_command(all, "for f in mon tue union both; do ink info $f.ink; ink info --digest $f.ink; "
                       "ink filter --count $f.ink others.txt; done");
    if (lab_step(bench, from, "union"))
        measure_union(bench, day, &params, found);
    if (bench->status == INK_OK)
        report_union(all, day, &params, found);
}

/* ---- Halving ------------------------------------------------------------------------------ */

/* The number of sizes, each half of the one before it. */
enum { HALVES = 5, HALF_HASHES = 4 };

typedef struct halved {
    uint64_t bits;
    double   allowed, textbook; /* the rate that ink fold -p is given */
    measured found;
    bool     as_built; /* the bits are those of a filter that was built at this size */
} halved;

/* A rate between that of this size and that of half of it, as a command has it: two digits. */
static double rate_between(double bits, double keys)
{
    char text[32];

    snprintf(text, sizeof text, "%.2g",
             sqrt(filtering_rate(bits, keys, HALF_HASHES) *
                  filtering_rate(bits / 2, keys, HALF_HASHES)));
    return strtod(text, NULL);
}

static void plan_halves(halved halves[HALVES], uint64_t bits, uint64_t keys)
{
    for (size_t i = 0; i < HALVES; i++, bits /= 2)
        halves[i] = (halved){
            .bits = bits,
            .allowed = rate_between((double)bits, (double)keys),
            .textbook = filtering_rate((double)bits, (double)keys, HALF_HASHES),
        };
}

static bool same_payload(lab *bench, const ink_sketch *one, const ink_sketch *other)
{
    size_t   bytes = (size_t)lab_bytes(one);
    uint8_t *both = bytes == lab_bytes(other) ? malloc(2 * bytes + 1) : NULL;
    bool     same = false;

    if (both == NULL)
        return false;
    if (lab_ok(bench, ink_sketch_payload(one, both, bytes, &bench->error)) &&
        lab_ok(bench, ink_sketch_payload(other, both + bytes, bytes, &bench->error)))
        same = memcmp(both, both + bytes, bytes) == 0;
    free(both);
    return same;
}

static void measure_half(lab *bench, const lab_data *keys, const lab_data *others,
                         const ink_sketch *whole, halved *half)
{
    const ink_params params = {.kind = "classic", .bits = half->bits, .hashes = HALF_HASHES};
    ink_sketch      *folded = NULL, *direct = lab_build(bench, keys, &params);

    if (bench->status == INK_OK &&
        lab_ok(bench, ink_sketch_copy(&folded, whole, NULL, &bench->error)))
        lab_ok(bench, ink_sketch_fold_to_rate(folded, half->allowed, NULL, &bench->error));
    if (bench->status == INK_OK) {
        half->as_built = same_payload(bench, folded, direct);
        half->found = filtering_measure(bench, folded, others);
    }
    ink_sketch_free(folded);
    ink_sketch_free(direct);
}

static void measure_halves(lab *bench, uint64_t count, halved halves[HALVES])
{
    lab_data         keys = lab_generate(bench, "names", count, 6);
    lab_data         others = lab_generate(bench, "names", count, 7);
    const ink_params params = {.kind = "classic", .bits = halves[0].bits, .hashes = HALF_HASHES};
    ink_sketch      *whole = lab_build(bench, &keys, &params);

    for (size_t i = 0; i < HALVES && bench->status == INK_OK; i++)
        measure_half(bench, &keys, &others, whole, &halves[i]);
    ink_sketch_free(whole);
    lab_data_free(&keys);
    lab_data_free(&others);
}

static void report_halves(findings *all, uint64_t keys, const halved halves[HALVES])
{
    size_t as_built = 0;

    found_table(all, "halves", "A filter, halved again and again");
    found_column(all, "bits", "", FOUND_GIVEN, 0);
    found_column(all, "bits a key", "", FOUND_GIVEN, 1);
    found_column(all, "`-p` of `ink fold`", "%", FOUND_GIVEN, FOUND_SHORT);
    found_column(all, "measured", "%", FOUND_HERE, 3);
    found_column(all, "from the bits", "%", FOUND_HERE, 3);
    found_column(all, "formula", "%", FOUND_THEORY, 3);
    found_column(all, "as one built at this size", "", FOUND_HERE, FOUND_WORDS);
    for (size_t i = 0; i < HALVES; i++) {
        found_number(all, (double)halves[i].bits);
        found_number(all, (double)halves[i].bits / (double)keys);
        found_number(all, PER_CENT * halves[i].allowed);
        found_number(all, PER_CENT * halves[i].found.measured);
        found_number(all, PER_CENT * halves[i].found.current);
        found_number(all, PER_CENT * halves[i].textbook);
        found_word(all, "%s", halves[i].as_built ? "the same bits" : "other bits");
        as_built += halves[i].as_built;
    }
    found_plot(all, "rate", "False positives over the size of the filter");
    found_axis_x(all, "bits a key", "", true);
    found_axis_y(all, "false positives", "%", true);
    found_line(all, "measured", FOUND_HERE);
    for (size_t i = 0; i < HALVES; i++)
        found_point(all, (double)halves[i].bits / (double)keys,
                    PER_CENT * halves[i].found.measured);
    found_line(all, "textbook", FOUND_THEORY);
    for (size_t i = 0; i < HALVES; i++)
        found_point(all, (double)halves[i].bits / (double)keys, PER_CENT * halves[i].textbook);
    found_text(all,
               "%zu of %d sizes have exactly the bits of a filter that was built at that size from "
               "the keys; for halving no key is read. The first halving takes the rate from "
               "%.3f %% to %.3f %%, %.0f times as much.",
               as_built, HALVES, PER_CENT * halves[0].found.current,
               PER_CENT * halves[1].found.current,
               halves[1].found.current / halves[0].found.current);
}

static void report_halving_commands(findings *all, uint64_t keys, const halved halves[HALVES])
{
    char   sizes[256];
    size_t used = 0;

    for (size_t i = 0; i < HALVES; i++)
        used += (size_t)snprintf(sizes + used, sizeof sizes - used, " %llux%.2g",
                                 (number)halves[i].bits, halves[i].allowed);
    found_command(all, "ink gen names -n %llu --seed 6 -o set.txt", (number)keys);
    found_command(all, "ink gen names -n %llu --seed 7 -o not.txt", (number)keys);
    found_command(all, "ink build classic --bits %llu --hashes %d -o large.ink set.txt",
                  (number)halves[0].bits, HALF_HASHES);
    found_command(
        all,
        "for size in%s; do ink fold -p ${size#*x} --force -o half.ink large.ink; ink info "
        "half.ink; ink filter --count half.ink not.txt; ink build classic --bits "
        "${size%%x*} --hashes %d --force -o direct.ink set.txt; cmp -i %d half.ink "
        "direct.ink && echo the same bits; done",
        sizes, HALF_HASHES, PAYLOAD_AT);
}

void filtering_halving(lab *bench, double from)
{
    uint64_t  keys = lab_size(bench, 1000000, 125000);
    uint64_t  bits = lab_size(bench, 1 << 25, 1 << 22);
    findings *all = bench->found;
    halved    halves[HALVES];

    plan_halves(halves, bits, keys);
    found_part(all, "halving", "Half the size, without the keys");
    found_text(
        all,
        "A filter whose size is a power of two is halved by OR of its first and its second "
        "half; from then on the highest bit of each hash is masked. `ink fold` halves as often "
        "as the rate given with `-p` allows. So that it stops at each size once, it is given a "
        "rate that a filter of that size keeps and one of half the size does not: between their "
        "two rates by the formula. The commands have size and rate as one word, with an x between "
        "them. Here are %llu keys with %d hash functions.",
        (number)keys, HALF_HASHES);
    report_halving_commands(all, keys, halves);
    if (lab_step(bench, from, "halving"))
        measure_halves(bench, keys, halves);
    if (bench->status == INK_OK)
        report_halves(all, keys, halves);
}
