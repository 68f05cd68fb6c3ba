/* sketches.c - asking sketches in tests. */
#include "support/sketches.h"

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"

#include <stdio.h>

static ink_error error;

ink_sketch *sketches_with(ink_params params, uint64_t first, uint64_t count)
{
    return files_sketch(&params, first, count, NULL);
}

bool sketches_need_keys(const ink_params *params)
{
    static const char *const names[] = {
        "mmh3",          "mmh3-signed",    "guava",      "guava-chars",
        "hadoop",        "hadoop-jenkins", "redisbloom", "datasketches-bloom",
        "redisbloom-cms"};

    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (params->hash != NULL && strcmp(params->hash, names[i]) == 0)
            return params->key_type != INK_KEY_INT;
    return false;
}

uint64_t sketches_found(const ink_sketch *sketch, uint64_t first, uint64_t count)
{
    bool     ints = sketches_describe(sketch).key_type == INK_KEY_INT;
    uint64_t found = 0;

    for (uint64_t i = first; i < first + count; i++) {
        char key[32];
        int  bytes = snprintf(key, sizeof key, "key %llu", (unsigned long long)i);
        bool maybe;
        if (ints)
            CHECK_OK(ink_sketch_contains_int(sketch, (int64_t)i, &maybe, &error));
        else
            CHECK_OK(ink_sketch_contains(sketch, key, (size_t)bytes, &maybe, &error));
        found += maybe;
    }
    return found;
}

ink_description sketches_describe(const ink_sketch *sketch)
{
    ink_description description;

    ink_sketch_describe(sketch, &description);
    return description;
}

ink_answer sketches_distinct(const ink_sketch *sketch)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_distinct_by(sketch, INK_ESTIMATOR_UNLIMITED, 0, &answer, &error));
    return answer;
}

double sketches_rate(const ink_sketch *sketch)
{
    double rate;

    CHECK_OK(ink_sketch_rate(sketch, &rate, &error));
    return rate;
}

/* ---- Bytes -------------------------------------------------------------------------------- */

sketches_snapshot sketches_encode(const ink_contents *contents)
{
    sketches_snapshot snapshot;

    CHECK_OK(ink_contents_encode(contents, &snapshot.bytes, &snapshot.count, &error));
    return snapshot;
}

/* With malloc, whatever allocator the sketch has. */
sketches_snapshot sketches_remember(const ink_sketch *sketch)
{
    const ink_entry entry = {.sketch = sketch};

    return sketches_encode(&(ink_contents){.entries = &entry, .entry_count = 1});
}

void sketches_free_snapshot(sketches_snapshot *snapshot)
{
    ink_bytes_free(snapshot->bytes, snapshot->count, NULL);
    snapshot->bytes = NULL;
}

bool sketches_unchanged(const ink_sketch *sketch, sketches_snapshot *before)
{
    sketches_snapshot now = sketches_remember(sketch);
    bool same = now.count == before->count && memcmp(now.bytes, before->bytes, now.count) == 0;

    sketches_free_snapshot(&now);
    sketches_free_snapshot(before);
    return same;
}

bool sketches_equal(const ink_sketch *a, const ink_sketch *b)
{
    sketches_snapshot of_a = sketches_remember(a);

    return sketches_unchanged(b, &of_a);
}

static uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    *bytes = (size_t)sketches_describe(sketch).bytes;
    uint8_t *payload = malloc(*bytes + 1);
    assert_non_null(payload);
    CHECK_OK(ink_sketch_payload(sketch, payload, *bytes, &error));
    return payload;
}

bool sketches_equal_payloads(const ink_sketch *a, const ink_sketch *b)
{
    size_t   bytes_a, bytes_b;
    uint8_t *of_a = payload_of(a, &bytes_a), *of_b = payload_of(b, &bytes_b);
    bool     same = bytes_a == bytes_b && memcmp(of_a, of_b, bytes_a) == 0;

    free(of_a);
    free(of_b);
    return same;
}

void sketches_reload(ink_sketch **sketch)
{
    sketches_snapshot file = sketches_remember(*sketch);

    ink_sketch_free(*sketch);
    CHECK_OK(ink_sketch_decode(sketch, file.bytes, file.count, NULL, &error));
    CHECK(sketches_unchanged(*sketch, &file));
}

/* ---- Keys --------------------------------------------------------------------------------- */

uint64_t scramble(uint64_t x)
{
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void sketches_add_hash(ink_sketch *sketch, uint64_t hash, uint64_t weight)
{
    const ink_batch batch = {.count = 1, .hashes = &hash, .weights = &weight};

    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
}

ink_answer sketches_count_hash(const ink_sketch *sketch, uint64_t hash)
{
    const ink_batch batch = {.count = 1, .hashes = &hash};
    ink_answer      answer;

    CHECK_OK(ink_sketch_count_batch(sketch, &batch, &answer, &error));
    return answer;
}

static ink_status add_or_merge(ink_sketch *into, const ink_batch *batch, const ink_sketch *from)
{
    return batch == NULL ? ink_sketch_merge(into, from, NULL, &error)
                         : ink_sketch_add_batch(into, batch, &error);
}

void sketches_check_refusals(const ink_params *params, uint64_t held, const ink_batch *batch,
                             const ink_sketch *from)
{
    faults_refusals run = {.later = true};
    owned_sketch   *same = files_sketch(params, 0, held, NULL);

    CHECK_OK(add_or_merge(same, batch, from));
    while (faults_refusals_next(&run)) {
        owned_sketch     *into = files_sketch(params, 0, held, &run.allocator);
        sketches_snapshot before = sketches_remember(into);
        faults_refuse_now(&run);
        bool refused = faults_check_refused(&run, add_or_merge(into, batch, from));
        CHECK(sketches_unchanged(into, &before) == refused);
        if (refused)
            CHECK_OK(add_or_merge(into, batch, from));
        CHECK(sketches_equal(into, same));
    }
    CHECK(run.nth > 1);
}

/* ---- Views -------------------------------------------------------------------------------- */

sketches_view sketches_view_entries(const ink_entry *entries, size_t count, unsigned flags)
{
    const ink_contents contents = {.entries = entries, .entry_count = count};
    sketches_snapshot  encoded = sketches_encode(&contents);
    sketches_view      view = {.bytes = encoded.bytes, .count = encoded.count};

    CHECK_OK(ink_file_decode(&view.file, view.bytes, view.count, flags, NULL, &error));
    return view;
}

sketches_view sketches_view_of(const ink_sketch *sketch, unsigned flags)
{
    sketches_view view = sketches_view_entries(&(ink_entry){.sketch = sketch}, 1, flags);

    CHECK_OK(ink_file_sketch(view.file, 0, &view.sketch, &error));
    return view;
}

void sketches_view_close(sketches_view *view)
{
    ink_sketch_free(view->sketch);
    ink_file_close(view->file);
    ink_bytes_free(view->bytes, view->count, NULL);
}
