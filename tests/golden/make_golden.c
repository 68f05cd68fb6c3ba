/* make_golden.c - writes the .ink files of tests/golden, and beside each a .json that says what is
 * in it, for readers that know only the specification. `make golden` runs it. A file that is there
 * stays as it is: what version 1 wrote must be read for ever. make_golden FOLDER */
#include "support/golden.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define XXH_INLINE_ALL
#include <xxhash.h>

static ink_error error;

static void must(ink_status status, const char *name)
{
    if (status == INK_OK)
        return;
    fprintf(stderr, "make_golden: %s: %s\n", name, error.message);
    exit(1);
}

static void print_hex(FILE *out, const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        fprintf(out, "%02x", bytes[i]);
}

static void print_label(FILE *out, const ink_label *label)
{
    fprintf(out, "\"group\": ");
    if (label->group_kind == INK_GROUP_NONE) {
        fprintf(out, "null");
    } else if (label->group_kind == INK_GROUP_NULL) {
        fprintf(out, "{\"null\": true}");
    } else {
        fprintf(out, "{\"hex\": \"");
        print_hex(out, label->group, label->group_bytes);
        fprintf(out, "\"}");
    }
    if (label->has_slot)
        fprintf(out, ", \"slot\": %" PRId64, label->slot);
    else
        fprintf(out, ", \"slot\": null");
}

/* The parameters that the description of a sketch tells; a reader of the file knows more. */
static void print_params(FILE *out, const ink_description *d)
{
    fprintf(out, "\"params\": {");
    if (strcmp(d->kind, "hll") == 0 || strcmp(d->kind, "theta") == 0)
        fprintf(out, "\"precision\": %u", d->precision);
    if (strcmp(d->kind, "top") == 0)
        fprintf(out, "\"capacity\": %" PRIu64 ", \"total\": %" PRIu64 ", \"missed\": %" PRIu64,
                d->capacity, d->total, d->missed);
    if (strcmp(d->kind, "count-min") == 0 || strcmp(d->kind, "fm") == 0)
        fprintf(out, "\"width\": %" PRIu64 ", \"depth\": %u", d->width, d->depth);
    if (strcmp(d->kind, "count-min") == 0)
        fprintf(out, ", \"counter_bits\": %u, \"conservative\": %d, \"total\": %" PRIu64,
                d->counter_bits, d->conservative, d->total);
    if (golden_is_filter(d->kind))
        fprintf(out,
                "\"expected_keys\": %" PRIu64 ", \"target_rate\": %.17g, \"promised_rate\": %.17g",
                d->expected_keys, d->target_rate, d->promised_rate);
    if (strcmp(d->kind, "classic") == 0)
        fprintf(out, ", \"bits\": %" PRIu64 ", \"hashes\": %u", d->bits, d->hashes);
    if (strcmp(d->kind, "fuse") == 0)
        fprintf(out, ", \"bits\": %d", -ilogb(d->promised_rate));
    if (strcmp(d->kind, "scalable") == 0)
        fprintf(out, ", \"ratio\": %.17g", d->ratio);
    fprintf(out, "}");
}

static void print_payload(FILE *out, const ink_sketch *sketch, const ink_description *d)
{
    uint8_t *payload = malloc(d->bytes + 1);

    must(ink_sketch_payload(sketch, payload, d->bytes, &error), "payload");
    if (d->bytes <= 64) {
        fprintf(out, "\"payload_hex\": \"");
        print_hex(out, payload, d->bytes);
        fprintf(out, "\"");
    } else {
        fprintf(out, "\"payload_xxh3\": \"%016" PRIx64 "\"",
                (uint64_t)XXH3_64bits(payload, d->bytes));
    }
    free(payload);
}

static void print_bytes_key(FILE *out, const uint8_t *key, size_t count)
{
    fprintf(out, "\"");
    print_hex(out, key, count);
    fprintf(out, "\"");
}

static void print_key(FILE *out, const golden_entry *entry, uint64_t number, const char *before)
{
    uint8_t key[GOLDEN_KEY_ROOM];

    fprintf(out, "%s", before);
    if (entry->params.key_type == INK_KEY_INT)
        fprintf(out, "%" PRId64, golden_int(number));
    else
        print_bytes_key(out, key, golden_key(number, key));
}

static bool is_absent(const golden_entry *entry, const ink_sketch *sketch, uint64_t number)
{
    uint8_t key[GOLDEN_KEY_ROOM];
    bool    maybe = true;

    if (entry->params.key_type == INK_KEY_INT)
        must(ink_sketch_contains_int(sketch, golden_int(number), &maybe, &error), "contains");
    else
        must(ink_sketch_contains(sketch, key, golden_key(number, key), &maybe, &error), "contains");
    return !maybe;
}

static void print_list(FILE *out, const golden_entry *entry, const char *name, uint64_t first,
                       uint64_t count)
{
    fprintf(out, "%s: [", name);
    for (uint64_t i = 0; i < count; i++)
        print_key(out, entry, first + i, i == 0 ? "" : ", ");
    fprintf(out, "]");
}

/* How the sketch was made, in order. */
static void print_keys(FILE *out, const golden_entry *entry, const ink_sketch *sketch)
{
    uint64_t behind = entry->first_key + entry->keys;

    print_list(out, entry, "\"present\"", entry->first_key, entry->keys);
    if (entry->rounds > 0)
        fprintf(out, ", \"rounds\": %" PRIu64, entry->rounds);
    for (size_t i = 0; i < entry->weight_count; i++)
        fprintf(out, "%s%" PRIu64 "%s", i == 0 ? ", \"weights\": [" : ", ", entry->weights[i],
                i + 1 == entry->weight_count ? "]" : "");
    if (entry->removed > 0)
        print_list(out, entry, ", \"removed\"", entry->first_key, entry->removed);
    if (entry->joined > 0)
        print_list(out, entry, ", \"joined\"", behind, entry->joined);
    if (entry->later > 0)
        print_list(out, entry, ", \"later\"", behind + entry->joined, entry->later);
    if (entry->met.count > 0)
        print_list(out, entry, ", \"met\"", entry->met.first, entry->met.count);
    if (entry->less.count > 0)
        print_list(out, entry, ", \"less\"", entry->less.first, entry->less.count);
    if (!golden_is_filter(entry->params.kind))
        return;
    fprintf(out, ", \"absent\": [");
    const char *before = "";
    for (uint64_t i = 1000000; i < 1000020; i++)
        if (is_absent(entry, sketch, i)) {
            print_key(out, entry, i, before);
            before = ", ";
        }
    fprintf(out, "]");
}

static void print_count(FILE *out, const golden_entry *entry, const ink_sketch *sketch,
                        uint64_t number, const char *before)
{
    uint8_t    key[GOLDEN_KEY_ROOM];
    ink_answer a;

    if (entry->params.key_type == INK_KEY_INT)
        must(ink_sketch_count_int(sketch, golden_int(number), &a, &error), "count");
    else
        must(ink_sketch_count(sketch, key, golden_key(number, key), &a, &error), "count");
    fprintf(out, "%s[%.17g, %.17g, %.17g]", before, a.estimate, a.low, a.high);
}

/* Some keys that were not added, and the counts (estimate, low, high) of all that were and of
 * these. */
static void print_counts(FILE *out, const golden_entry *entry, const ink_sketch *sketch)
{
    const uint64_t others = 1000000, other_count = 3;
    const uint64_t added = entry->keys + entry->joined + entry->later;

    print_list(out, entry, ",\n     \"others\"", others, other_count);
    fprintf(out, ", \"counts\": [");
    for (uint64_t i = 0; i < added + other_count; i++)
        print_count(out, entry, sketch, i < added ? entry->first_key + i : others + i - added,
                    i == 0 ? "" : ", ");
    fprintf(out, "]");
}

static void print_top(FILE *out, const ink_sketch *sketch)
{
    ink_item items[64];
    size_t   found;

    must(ink_sketch_top(sketch, items, 64, &found, &error), "top");
    fprintf(out, ", \"top\": [");
    for (size_t i = 0; i < found; i++) {
        const ink_item *item = &items[i];
        fprintf(out, "%s[", i == 0 ? "" : ", ");
        if (item->key == NULL)
            fprintf(out, "%" PRId64, item->key_int);
        else
            print_bytes_key(out, item->key, item->key_bytes);
        fprintf(out, ", %s, %.17g, %.17g, %.17g]", item->cut ? "true" : "false",
                item->count.estimate, item->count.low, item->count.high);
    }
    fprintf(out, "]");
}

/* What the sketch answers, beside membership. */
static void print_answers(FILE *out, const golden_entry *entry, const ink_sketch *sketch)
{
    const char *kind = entry->params.kind;
    bool        fm = strcmp(kind, "fm") == 0, top = strcmp(kind, "top") == 0;
    bool        rated =
        strcmp(kind, "counting") == 0 || strcmp(kind, "scalable") == 0 || strcmp(kind, "fuse") == 0;
    ink_answer answer;
    double     rate;

    if (fm || rated || strcmp(kind, "hll") == 0 || strcmp(kind, "theta") == 0) {
        must(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0, &answer, &error),
             "distinct");
        fprintf(out, ", \"estimate\": %.17g", answer.estimate);
    }
    if (fm) {
        must(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 0, &answer, &error),
             "distinct_by");
        fprintf(out, ", \"mean_of_powers\": %.17g", answer.estimate);
    }
    if (rated) {
        must(ink_sketch_rate(sketch, &rate, &error), "rate");
        fprintf(out, ", \"rate\": %.17g", rate);
    }
    if (top || strcmp(kind, "count-min") == 0)
        print_counts(out, entry, sketch);
    if (top)
        print_top(out, sketch);
}

static const golden_entry *entry_of(const golden_file *golden, const ink_entry_info *info)
{
    for (size_t i = 0; i < golden->entry_count; i++) {
        const golden_entry *entry = &golden->entries[i];
        const ink_label    *a = &entry->label, *b = &info->label;
        if (strcmp(entry->params.kind, info->kind) == 0 && a->group_kind == b->group_kind &&
            a->has_slot == b->has_slot && a->slot == b->slot && a->group_bytes == b->group_bytes &&
            (a->group_bytes == 0 || memcmp(a->group, b->group, a->group_bytes) == 0))
            return entry;
    }
    fprintf(stderr, "make_golden: %s: an entry that was not asked for\n", golden->name);
    exit(1);
}

static void print_entry(FILE *out, const golden_file *golden, const ink_file *file, size_t index)
{
    ink_entry_info  info;
    ink_sketch     *sketch;
    ink_description d;

    must(ink_file_entry(file, index, &info, &error), golden->name);
    must(ink_file_sketch(file, index, &sketch, &error), golden->name);
    ink_sketch_describe(sketch, &d);
    const golden_entry *entry = entry_of(golden, &info);
    fprintf(out, "%s\n    {\"kind\": \"%s\", ", index == 0 ? "" : ",", info.kind);
    print_label(out, &info.label);
    fprintf(out, ", \"records\": %" PRIu64 ",\n     ", info.records);
    print_params(out, &d);
    fprintf(out, ",\n     ");
    print_payload(out, sketch, &d);
    if (entry->params.secret != NULL)
        must(ink_sketch_unlock(sketch, entry->params.secret, &error), golden->name);
    print_answers(out, entry, sketch);
    fprintf(out, ",\n     ");
    print_keys(out, entry, sketch);
    fprintf(out, "}");
    ink_sketch_free(sketch);
}

static void print_json(FILE *out, const golden_file *golden, const uint8_t *bytes, size_t count)
{
    ink_file *file;
    uint8_t   digest[INK_DIGEST_BYTES];

    must(ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, NULL, &error), golden->name);
    must(ink_file_digest(file, digest, &error), golden->name);
    fprintf(out, "{\"digest\": \"");
    print_hex(out, digest, sizeof digest);
    fprintf(out, "\",\n");
    if (golden->entry_count > 0 && golden->entries[0].params.secret != NULL) {
        fprintf(out, " \"secret_hex\": \"");
        print_hex(out, golden->entries[0].params.secret, INK_SECRET_BYTES);
        fprintf(out, "\",\n");
    }
    fprintf(out, " \"entries\": [");
    for (size_t i = 0; i < ink_file_count(file); i++)
        print_entry(out, golden, file, i);
    fprintf(out, "],\n \"sections\": [");
    for (size_t i = 0; i < golden->section_count; i++) {
        const ink_section *section = &golden->sections[i];
        fprintf(out, "%s{\"id\": %u, \"critical\": %s, \"hex\": \"", i == 0 ? "" : ", ",
                section->id, section->critical ? "true" : "false");
        print_hex(out, section->data, section->bytes);
        fprintf(out, "\"}");
    }
    fprintf(out, "]}\n");
    ink_file_close(file);
}

/* Opens a new file; NULL if there is one already. */
static FILE *create(const char *folder, const char *name, const char *suffix)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *out = fopen(path, "wbx");
    if (out == NULL && errno != EEXIST) {
        perror(path);
        exit(1);
    }
    return out;
}

int main(int argc, char **argv)
{
    if (argc != 2) {
        fprintf(stderr, "usage: make_golden FOLDER\n");
        return 2;
    }
    for (size_t i = 0; golden_at(i) != NULL; i++) {
        const golden_file *golden = golden_at(i);
        uint8_t           *bytes;
        size_t             count;
        must(golden_build(golden, &bytes, &count, &error), golden->name);
        FILE *out = create(argv[1], golden->name, ".ink");
        if (out != NULL) {
            fwrite(bytes, 1, count, out);
            fclose(out);
            printf("%s.ink: %zu bytes\n", golden->name, count);
        }
        out = create(argv[1], golden->name, ".json");
        if (out != NULL) {
            print_json(out, golden, bytes, count);
            fclose(out);
        }
        ink_bytes_free(bytes, count, NULL);
    }
    return 0;
}
