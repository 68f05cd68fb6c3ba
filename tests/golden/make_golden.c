/* make_golden.c - writes the .ink files of tests/golden, and beside each a .json that says what is
 * in it, for readers that know only the specification. `make golden` runs it; while the format is a
 * draft the files may be written anew, from version 1 on never again. make_golden FOLDER */
#include "support/golden.h"

#include <inttypes.h>
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
    fprintf(stderr, "make_golden: %s: %s\n", name, error.sentence);
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

static void print_params(FILE *out, const ink_description *d)
{
    fprintf(out, "\"params\": {");
    if (strcmp(d->kind, "hll") == 0) {
        fprintf(out, "\"precision\": %u", d->precision);
    } else {
        fprintf(out,
                "\"expected_keys\": %" PRIu64 ", \"asked_rate\": %.17g, \"promised_rate\": %.17g",
                d->expected_keys, d->asked_rate, d->promised_rate);
        if (strcmp(d->kind, "classic") == 0)
            fprintf(out, ", \"bits\": %" PRIu64 ", \"hashes\": %u", d->bits, d->hashes);
    }
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

static void print_key(FILE *out, const golden_entry *entry, uint64_t number, const char *before)
{
    uint8_t key[32];

    fprintf(out, "%s", before);
    if (entry->params.key_type == INK_KEY_INT) {
        fprintf(out, "%" PRId64, golden_int(number));
        return;
    }
    fprintf(out, "\"");
    print_hex(out, key, golden_key(number, key));
    fprintf(out, "\"");
}

static bool is_absent(const golden_entry *entry, const ink_sketch *sketch, uint64_t number)
{
    uint8_t key[32];
    bool    maybe = true;

    if (entry->params.key_type == INK_KEY_INT)
        must(ink_sketch_contains_int(sketch, golden_int(number), &maybe, &error), "contains");
    else
        must(ink_sketch_contains(sketch, key, golden_key(number, key), &maybe, &error), "contains");
    return !maybe;
}

static void print_keys(FILE *out, const golden_entry *entry, ink_sketch *sketch)
{
    bool filter = strcmp(entry->params.kind, "hll") != 0;

    fprintf(out, "\"present\": [");
    for (uint64_t i = 0; i < entry->keys; i++)
        print_key(out, entry, entry->first_key + i, i == 0 ? "" : ", ");
    fprintf(out, "]");
    if (!filter)
        return;
    if (entry->params.secret != NULL)
        must(ink_sketch_unlock(sketch, entry->params.secret, &error), "unlock");
    fprintf(out, ", \"absent\": [");
    const char *before = "";
    for (uint64_t i = 1000000; i < 1000020; i++)
        if (is_absent(entry, sketch, i)) {
            print_key(out, entry, i, before);
            before = ", ";
        }
    fprintf(out, "]");
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
    ink_answer      answer;

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
    if (strcmp(info.kind, "hll") == 0) {
        must(ink_sketch_distinct(sketch, 0, &answer, &error), golden->name);
        fprintf(out, ", \"estimate\": %.17g", answer.estimate);
    }
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
        print_hex(out, section->bytes, section->count);
        fprintf(out, "\"}");
    }
    fprintf(out, "]}\n");
    ink_file_close(file);
}

static FILE *create(const char *folder, const char *name, const char *suffix)
{
    char path[512];

    snprintf(path, sizeof path, "%s/%s%s", folder, name, suffix);
    FILE *out = fopen(path, "wb");
    if (out == NULL) {
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
        fwrite(bytes, 1, count, out);
        fclose(out);
        out = create(argv[1], golden->name, ".json");
        print_json(out, golden, bytes, count);
        fclose(out);
        ink_bytes_free(bytes, count, NULL);
        printf("%s.ink: %zu bytes\n", golden->name, count);
    }
    return 0;
}
