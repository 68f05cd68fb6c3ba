/* draft_test.c - drafts: finished, one is the sketch that was planned for its keys, and the one
 * that ink_build makes of the same records; merged in any order, parts are the whole; encoded,
 * equal contents are equal bytes, and what is decoded goes on as if it never had been encoded; a
 * limit is kept, and what does not fit changes nothing. Over every hash and key type of sketches.h,
 * in every form that keys have.
 *
 * With INK_TEST_LIGHT set, without the build of more than a million keys. */
#include "base/bits.h"
#include "base/checksum.h"
#include "hash/rule.h"
#include "inkling_job.h"
#include "properties/sketches.h"
#include "sketch/internal.h"
#include "support/files.h"
#include "support/records.h"

#include <math.h>
#include <stdio.h>

static inline void free_draft(ink_draft **draft)
{
    ink_draft_free(*draft);
}
#define owned_draft OWNED(free_draft) ink_draft

static bool has_drafts(const char *kind)
{
    return is_one_of(kind, "bloom classic counting fuse");
}

/* The same without a size. */
static ink_params unsized(const ink_params *of)
{
    ink_params params = *of;

    params.expected_keys = params.bits = params.hashes = 0;
    return params;
}

static ink_draft *new_draft(const ink_params *of)
{
    const ink_params params = unsized(of);
    ink_draft       *draft = NULL;

    CHECK_OK(ink_draft_create(&draft, &params, 0, NULL, &error));
    return draft;
}

static sketches_snapshot encode_draft(const ink_draft *draft)
{
    sketches_snapshot made = {0};
    size_t            written = 0;

    CHECK_OK(ink_draft_encoded_bytes(draft, &made.count, &error));
    made.bytes = malloc(made.count);
    assert_non_null(made.bytes);
    CHECK_FAILS(ink_draft_encode_to(draft, made.bytes, made.count - 1, &written, &error), INK_LIMIT,
                "room for");
    CHECK(written == 0);
    CHECK_OK(ink_draft_encode_to(draft, made.bytes, made.count, &written, &error));
    CHECK(written == made.count);
    return made;
}

static bool same_drafts(const ink_draft *a, const ink_draft *b)
{
    owned_snapshot of_a = encode_draft(a), of_b = encode_draft(b);

    return encodings_equal(&of_a, &of_b);
}

static ink_draft *decode_draft(const sketches_snapshot *made)
{
    ink_draft *draft = NULL;

    CHECK_OK(ink_draft_decode(&draft, made->bytes, made->count, 0, NULL, &error));
    return draft;
}

static ink_sketch *finish(const ink_draft *draft, double headroom)
{
    ink_sketch *sketch = NULL;

    CHECK_OK(ink_draft_finish(&sketch, draft, headroom, &error));
    return sketch;
}

/* ---- Keys --------------------------------------------------------------------------------- */

enum { NUMBERS_MAX = 8192 };

/* Keys by number, some of them more than once, and in every form. */
typedef struct numbers {
    uint64_t number[NUMBERS_MAX], weights[NUMBERS_MAX];
    size_t   count;
    uint8_t  bytes[NUMBERS_MAX * 32 + KEY_BYTES_MAX * (NUMBERS_MAX / 16)];
    uint64_t offsets[NUMBERS_MAX + 1], starts[NUMBERS_MAX], ends[NUMBERS_MAX];
    int64_t  ints[NUMBERS_MAX];
    uint64_t hashes[NUMBERS_MAX];
    ink_key  keys[NUMBERS_MAX];
} numbers;

typedef enum form { AS_OFFSETS, AS_ENDS, AS_PAIRS, AS_HASHES, FORMS } form;

/* `count` draws of numbers below `below`; about a third of the draws repeat. */
static void draw_numbers(numbers *to, const struct variant *variant, uint64_t seed, size_t count,
                         uint64_t below)
{
    generator     random = {seed};
    uint64_t      at = 0;
    owned_sketch *hasher = make_with(&variant->params, 0, 0);

    CHECK(count <= NUMBERS_MAX);
    to->count = count;
    for (size_t i = 0; i < count; i++) {
        to->number[i] = random_below(&random, below);
        to->weights[i] = random_below(&random, 4);
        to->offsets[i] = to->starts[i] = at;
        at += bytes_of_key(to->number[i], to->bytes + at);
        to->offsets[i + 1] = to->ends[i] = at;
        to->keys[i] = (ink_key){to->bytes + to->starts[i], (size_t)(to->ends[i] - to->starts[i])};
        to->ints[i] = int_of_key(to->number[i]);
        CHECK(at + KEY_BYTES_MAX < sizeof to->bytes);
    }
    ink_batch batch = {.count = count, .data = to->bytes, .offsets = to->offsets};
    if (variant->params.key_type == INK_KEY_INT)
        batch = (ink_batch){.count = count, .ints = to->ints};
    if (has_hashes(variant))
        CHECK_OK(ink_sketch_hash_batch(hasher, &batch, to->hashes, &error));
}

/* Some of them as a batch in this form, or the next one that the variant has. */
static ink_batch batch_of(const numbers *of, const struct variant *variant, size_t first,
                          size_t count, form as)
{
    ink_batch batch = {.count = count};

    if (as == AS_HASHES && has_hashes(variant))
        batch.hashes = of->hashes + first;
    else if (variant->params.key_type == INK_KEY_INT)
        batch.ints = of->ints + first;
    else if (as == AS_PAIRS)
        batch.keys = of->keys + first;
    else {
        batch.data = of->bytes;
        batch.offsets = as == AS_ENDS ? of->starts + first : of->offsets + first;
        batch.ends = as == AS_ENDS ? of->ends + first : NULL;
    }
    if (takes_weights(variant) && variant->keys % 2 == 0)
        batch.weights = of->weights + first;
    return batch;
}

/* Adds all, in batches of up to `most`, in all forms in turn. */
static void add_numbers(ink_draft *draft, const numbers *from, const struct variant *variant,
                        size_t most)
{
    generator random = {most};
    size_t    some;

    for (size_t first = 0, turn = 0; first < from->count; first += some, turn++) {
        some = 1 + (size_t)random_below(&random, most);
        some = some < from->count - first ? some : from->count - first;
        const ink_batch batch = batch_of(from, variant, first, some, (form)(turn % FORMS));
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    }
}

static uint64_t different(const numbers *of)
{
    static uint8_t seen[1 << 16];
    uint64_t       sum = 0;

    memset(seen, 0, sizeof seen);
    for (size_t i = 0; i < of->count; i++) {
        CHECK(of->number[i] < sizeof seen);
        sum += seen[of->number[i]] == 0;
        seen[of->number[i]] = 1;
    }
    return sum;
}

/* The sketch that is planned for them. */
static ink_sketch *by_hand(const numbers *of, const struct variant *variant, uint64_t keys)
{
    ink_params params = unsized(&variant->params);

    params.expected_keys = keys == 0 ? 1 : keys;
    ink_sketch     *sketch = make(&params);
    const ink_batch batch = batch_of(of, variant, 0, of->count, AS_OFFSETS);
    CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    return sketch;
}

/* ---- Create ------------------------------------------------------------------------------- */

TEST_OF_VARIANTS(a_kind_has_drafts_if_it_is_sized_by_keys)
{
    ink_params    params = unsized(&variants[i].params);
    owned_draft  *draft = NULL;
    ink_kind_info info;
    ink_status    status = ink_draft_create(&draft, &params, 0, NULL, &error);

    CHECK_OK(ink_kind_describe(params.kind, &info, &error));
    CHECK(info.sized_by_keys == has_drafts(params.kind));
    if (!has_drafts(params.kind)) {
        CHECK_FAILS(status, INK_UNSUPPORTED, params.kind);
        CHECK(draft == NULL);
        return;
    }
    CHECK(status == INK_OK && ink_draft_keys(draft) == 0);
    ink_draft *none = NULL;
    params.expected_keys = 7;
    CHECK_FAILS(ink_draft_create(&none, &params, 0, NULL, &error), INK_USAGE, "expected_keys 7");
    params.expected_keys = 0;
    params.bits = 1024;
    CHECK_FAILS(ink_draft_create(&none, &params, 0, NULL, &error), INK_USAGE, "bits 1024");
    params.bits = 0;
    params.false_positive_rate = 2;
    CHECK_FAILS(ink_draft_create(&none, &params, 0, NULL, &error), INK_USAGE, "rate");
    params.false_positive_rate = 0;
    params.precision = 4;
    CHECK_FAILS(ink_draft_create(&none, &params, 0, NULL, &error), INK_USAGE, "precision");
    CHECK(none == NULL);
    CHECK_FAILS(ink_draft_create(&none, &(ink_params){.kind = "bloom"}, 100, NULL, &error),
                INK_LIMIT, "at most 100");
    CHECK(none == NULL);
}

/* ---- Finish ------------------------------------------------------------------------------- */

TEST_OF_VARIANTS(a_finished_draft_is_the_sketch_planned_for_its_keys)
{
    static const size_t counts[] = {0, 1, 12, 13, 700, NUMBERS_MAX};
    static numbers      drawn;

    for (size_t c = 0; has_drafts(variants[i].params.kind) && c < 6; c++) {
        owned_draft *draft = new_draft(&variants[i].params);
        draw_numbers(&drawn, &variants[i], i + c, counts[c], 1 + counts[c]);
        add_numbers(draft, &drawn, &variants[i], c % 2 == 0 ? 5 : NUMBERS_MAX);
        uint64_t keys = different(&drawn);
        CHECK(ink_draft_keys(draft) == keys);
        if (!has_hashes(&variants[i]))
            keys = drawn.count; /* records, as ink_build has it */
        owned_sketch *expected = by_hand(&drawn, &variants[i], keys);
        owned_sketch *twice = by_hand(&drawn, &variants[i], 2 * (keys == 0 ? 1 : keys));
        owned_sketch *finished = finish(draft, 0), *again = finish(draft, 1);
        owned_sketch *roomy = finish(draft, 2);
        CHECK_SAME(finished, expected, i);
        CHECK_SAME(again, expected, i);
        CHECK_SAME(roomy, twice, i);
        ink_sketch *none = NULL;
        CHECK_FAILS(ink_draft_finish(&none, draft, 0.5, &error), INK_USAGE, "headroom 0.5");
        CHECK_FAILS(ink_draft_finish(&none, draft, NAN, &error), INK_USAGE, "expected 1 to 1e6");
        CHECK(none == NULL);
    }
}

/* ink_build of `count` lines, of which some repeat, and the draft of the same. */
static void check_build(const ink_params *params, uint64_t count, double headroom)
{
    owned_bytes  text = {0};
    owned_draft *draft = new_draft(params);
    generator    random = {count};
    char         line[32];

    for (uint64_t i = 0; i < count; i++) {
        uint64_t number = i % 5 == 4 ? random_below(&random, i) : i;
        int      bytes = snprintf(line, sizeof line, "%llu\n", (unsigned long long)number);
        records_put(&text, line, (size_t)bytes);
        const ink_key   key = {line, (size_t)bytes - 1};
        const ink_batch batch = {.count = 1, .keys = &key};
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    }
    const ink_build_options options = {.kinds = params, .kind_count = 1, .headroom = headroom};
    const ink_input         input = {.memory = text.count == 0 ? (const uint8_t *)"" : text.bytes,
                                     .memory_bytes = text.count};
    ink_job                 job = {.threads = 2};
    owned_set              *set = NULL;
    CHECK_OK(ink_build(&set, &input, 1, &(ink_reading){0}, &options, &job, &error));
    ink_entry built;
    CHECK_OK(ink_set_entry(set, 0, &built, &error));
    owned_sketch *finished = finish(draft, headroom);
    if (!sketches_equal(built.sketch, finished))
        fail_msg("a build of %s of %llu lines differs", params->kind, (unsigned long long)count);
}

TEST(a_finished_draft_is_what_a_build_makes_of_the_same_records)
{
    static const ink_params kinds[] = {
        {.kind = "bloom"},
        {.kind = "bloom", .false_positive_rate = 0.2, .seed = 3},
        {.kind = "classic", .hash = "murmur64a"},
        {.kind = "classic", .hash = "mmh3"},
        {.kind = "counting", .secret = a_secret},
        {.kind = "classic", .hash = "spark-v2"},
        {.kind = "classic", .hash = "guava-chars"},
        {.kind = "classic", .hash = "hadoop"},
    };
    static const uint64_t counts[] = {0, 1, 100, 30000};

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t c = 0; c < sizeof counts / sizeof counts[0]; c++)
            check_build(&kinds[k], counts[c], c % 2 == 0 ? 0 : 1.5);
    if (!light()) { /* estimated: more than 2^20 different keys */
        check_build(&kinds[0], 1500000, 0);
        check_build(&kinds[4], 1400000, 2);
    }
}

/* ---- Merge, encode and decode ------------------------------------------------------------- */

TEST_OF_ALL_VARIANTS(drafts_of_parts_merge_to_the_whole_in_any_order)
{
    enum { PARTS = 4 };
    static const uint8_t orders[][PARTS] = {{0, 1, 2, 3}, {3, 1, 0, 2}, {2, 3, 1, 0}};
    static const size_t  counts[PARTS] = {NUMBERS_MAX / 2, 20, 0, 900};
    static numbers       drawn;

    if (!has_drafts(variants[i].params.kind))
        return;
    owned_draft      *whole = new_draft(&variants[i].params);
    sketches_snapshot parts[PARTS];
    for (size_t p = 0; p < PARTS; p++) {
        owned_draft *part = new_draft(&variants[i].params);
        draw_numbers(&drawn, &variants[i], p, counts[p], 5000);
        add_numbers(whole, &drawn, &variants[i], 100);
        add_numbers(part, &drawn, &variants[i], 3000);
        parts[p] = encode_draft(part);
        owned_draft *decoded = decode_draft(&parts[p]);
        CHECK(same_drafts(decoded, part));
        CHECK(ink_draft_keys(decoded) == ink_draft_keys(part));
    }
    owned_sketch *expected = finish(whole, 0);
    for (size_t o = 0; o < sizeof orders / sizeof orders[0]; o++) {
        owned_draft *merged = decode_draft(&parts[orders[o][0]]);
        for (size_t p = 1; p < PARTS; p++) {
            owned_draft *part = decode_draft(&parts[orders[o][p]]);
            CHECK_OK(ink_draft_merge(merged, part, &error));
        }
        CHECK(same_drafts(merged, whole));
        owned_sketch *finished = finish(merged, 0);
        CHECK_SAME(finished, expected, i);
    }
    for (size_t p = 0; p < PARTS; p++)
        sketches_free_snapshot(&parts[p]);
}

TEST(drafts_that_differ_do_not_merge)
{
    static const ink_params base = {.kind = "bloom"};
    static const struct {
        ink_params  params;
        const char *text;
    } others[] = {
        {{.kind = "classic"}, "kinds differ: bloom and classic"},
        {{.kind = "bloom", .false_positive_rate = 0.02}, "target rates differ: 0.01 and 0.02"},
        {{.kind = "bloom", .seed = 1}, "seed"},
        {{.kind = "bloom", .hash = "xxh64"}, "hash"},
        {{.kind = "bloom", .key_type = INK_KEY_INT}, "key"},
        {{.kind = "bloom", .secret = a_secret}, "hash"},
    };
    owned_draft *draft = new_draft(&base);

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        owned_draft *other = new_draft(&others[i].params);
        CHECK_FAILS(ink_draft_merge(draft, other, &error), INK_MISMATCH, others[i].text);
    }
    CHECK_FAILS(ink_draft_merge(draft, draft, &error), INK_USAGE, "itself");
}

TEST(a_keyed_draft_is_finished_without_its_secret_but_takes_no_keys)
{
    const ink_params params = {.kind = "bloom", .secret = a_secret};
    const ink_key    key = {"a", 1};
    const ink_batch  batch = {.count = 1, .keys = &key};
    owned_draft     *draft = new_draft(&params);

    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    owned_snapshot made = encode_draft(draft);
    owned_draft   *locked = decode_draft(&made);
    CHECK_FAILS(ink_draft_add_batch(locked, &batch, &error), INK_MISMATCH, "secret");
    CHECK(same_drafts(locked, draft));
    owned_sketch *finished = finish(locked, 0), *expected = finish(draft, 0);
    CHECK(same_bytes(finished, expected));
    CHECK_OK(ink_sketch_unlock(finished, a_secret, &error));
    bool maybe = false;
    CHECK_OK(ink_sketch_contains(finished, "a", 1, &maybe, &error));
    CHECK(maybe);
}

/* ---- Batches ------------------------------------------------------------------------------ */

TEST(any_hash_is_a_key_once)
{
    static const uint64_t hashes[] = {0, 1, UINT64_MAX, 0, 2, 1, (uint64_t)1 << 63, 0};
    const ink_batch       batch = {.count = 8, .hashes = hashes, .records = 1000};

    for (int counting = 0; counting < 2; counting++) {
        const ink_params params = {.kind = counting != 0 ? "counting" : "bloom"};
        owned_draft     *draft = new_draft(&params), *other = new_draft(&params);
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
        CHECK(ink_draft_keys(draft) == 5);
        owned_snapshot made = encode_draft(draft);
        owned_draft   *decoded = decode_draft(&made);
        CHECK_OK(ink_draft_merge(other, decoded, &error));
        CHECK(same_drafts(draft, other));
        owned_sketch *finished = finish(other, 0);
        CHECK(sketches_describe(finished).records == 1000);
        CHECK(sketches_describe(finished).expected_keys == 5);
    }
}

TEST(batches_that_a_sketch_refuses_are_refused)
{
    static const uint64_t word = 1;
    static const int64_t  number = 1;
    static const struct {
        ink_params  params;
        ink_batch   batch;
        ink_status  status;
        const char *text;
    } cases[] = {
        {{.kind = "bloom"},
         {.count = 1, .hashes = &word, .weights = &word},
         INK_UNSUPPORTED,
         "weights"},
        {{.kind = "bloom"}, {.count = 1, .ints = &number}, INK_MISMATCH, "int keys"},
        {{.kind = "bloom"}, {.count = 1}, INK_USAGE, "expected hashes, ints"},
        {{.kind = "classic", .hash = "mmh3"},
         {.count = 1, .hashes = &word},
         INK_UNSUPPORTED,
         "mmh3"},
        {{.kind = "classic", .hash = "guava"},
         {.count = 1, .hashes = &word},
         INK_UNSUPPORTED,
         "guava"},
    };

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        owned_draft *draft = new_draft(&cases[i].params), *empty = new_draft(&cases[i].params);
        CHECK_FAILS(ink_draft_add_batch(draft, &cases[i].batch, &error), cases[i].status,
                    cases[i].text);
        CHECK(same_drafts(draft, empty));
    }
}

/* Of 16 bytes XXH3 multiplies two words, each of them changed by a constant. Where one becomes 0
 * the other is added, from either end. */
TEST(keys_that_share_a_hash_stay_two_however_a_draft_grows)
{
    const uint64_t first = 0x6782737bea4239b9 + INK__DEFAULT_SEED;
    const uint64_t second = 0xaf56bc3b0996523a - INK__DEFAULT_SEED;
    uint8_t        pair[2][16];
    enum { OTHERS = 5000 };
    const ink_params params = {.kind = "classic", .hash = "guava"};
    const ink_key    keys[] = {{pair[0], 16}, {pair[1], 16}};
    const ink_batch  both = {.count = 2, .keys = keys};
    owned_draft     *draft = new_draft(&params);

    ink__store_u64(pair[0], first);
    ink__store_u64(pair[0] + 8, second ^ 1);
    ink__store_u64(pair[1], first ^ (uint64_t)1 << 56);
    ink__store_u64(pair[1] + 8, second);
    CHECK(ink__hash_label(pair[0], 16) == ink__hash_label(pair[1], 16));
    for (uint64_t i = 0; i < OTHERS; i++) {
        const ink_key   other = {&i, sizeof i};
        const ink_batch batch = {.count = 1, .keys = &other};
        CHECK_OK(ink_draft_add_batch(draft, &both, &error));
        CHECK(ink_draft_keys(draft) == 2 + i);
        CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    }
    owned_snapshot made = encode_draft(draft);
    owned_draft   *decoded = decode_draft(&made);
    CHECK_OK(ink_draft_add_batch(decoded, &both, &error));
    CHECK(ink_draft_keys(decoded) == 2 + OTHERS);
}

/* ---- The limit ---------------------------------------------------------------------------- */

TEST_OF_VARIANTS(a_draft_keeps_its_limit_and_what_does_not_fit_changes_nothing)
{
    enum { LIMIT = 40000 };
    static numbers drawn;
    ink_params     params = unsized(&variants[i].params);
    owned_draft   *draft = NULL;
    bool           refused = false;

    if (!has_drafts(params.kind))
        return;
    CHECK_OK(ink_draft_create(&draft, &params, LIMIT, NULL, &error));
    draw_numbers(&drawn, &variants[i], i, NUMBERS_MAX, 60000);
    for (size_t first = 0; !refused; first += 64) {
        owned_snapshot  before = encode_draft(draft);
        const ink_batch batch =
            batch_of(&drawn, &variants[i], first, 64, (form)(first / 64 % FORMS));
        CHECK(first + 64 < NUMBERS_MAX);
        ink_status status = ink_draft_add_batch(draft, &batch, &error);
        CHECK(ink_draft_memory(draft) <= LIMIT);
        if (status == INK_OK)
            continue;
        refused = true;
        CHECK_FAILS(status, INK_LIMIT, "expected at most 40000 (limit_bytes)");
        owned_snapshot after = encode_draft(draft);
        CHECK(encodings_equal(&before, &after));
        CHECK(ink_draft_keys(draft) > 500);

        /* What is in already is taken, however large the batch. */
        const ink_batch known = batch_of(&drawn, &variants[i], 0, first, AS_OFFSETS);
        CHECK_OK(ink_draft_add_batch(draft, &known, &error));
        ink_draft *none = NULL;
        CHECK_FAILS(ink_draft_decode(&none, after.bytes, after.count, LIMIT / 8, NULL, &error),
                    INK_LIMIT, "expected at most 5000");
        CHECK(none == NULL);
        owned_draft *more = new_draft(&params);
        add_numbers(more, &drawn, &variants[i], NUMBERS_MAX);
        owned_snapshot with_known = encode_draft(draft);
        CHECK_FAILS(ink_draft_merge(draft, more, &error), INK_LIMIT, "limit_bytes");
        owned_snapshot unmerged = encode_draft(draft);
        CHECK(encodings_equal(&with_known, &unmerged));
    }
}

TEST(memory_follows_the_different_keys_not_the_batches)
{
    static uint64_t  same[100000];
    const ink_batch  batch = {.count = 100000, .hashes = same};
    const ink_params params = {.kind = "bloom"};
    owned_draft     *draft = new_draft(&params);

    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    CHECK(ink_draft_keys(draft) == 1);
    CHECK(ink_draft_memory(draft) < 1000);
    for (uint64_t i = 0; i < 100000; i++)
        same[i] = scramble(i);
    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    CHECK(ink_draft_keys(draft) == 100001);
    CHECK(ink_draft_memory(draft) < 22 * 100001);
}

TEST(the_weights_of_a_key_stop_at_the_largest_number)
{
    static const uint64_t hashes[] = {5, 5}, weights[] = {UINT64_MAX - 1, 3};
    const ink_params      params = {.kind = "counting"};
    const ink_batch       batch = {.count = 2, .hashes = hashes, .weights = weights};
    owned_draft          *draft = new_draft(&params);

    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    owned_sketch *finished = finish(draft, 0);
    CHECK(sketches_count_hash(finished, 5).saturated); /* a wrapped sum of 1 is not */
}

/* A build counts as many exactly (INK__EXACT_KEYS). */
TEST(more_than_2_to_the_20_keys_are_estimated)
{
    enum { EXACT = 1 << 20 };
    static uint64_t  hashes[EXACT + 1];
    const ink_params params = {.kind = "bloom"};

    for (uint64_t i = 0; i <= EXACT; i++)
        hashes[i] = scramble(i);
    owned_draft    *draft = new_draft(&params);
    const ink_batch batch = {.count = EXACT, .hashes = hashes};
    const ink_batch last = {.count = 1, .hashes = hashes + EXACT};
    CHECK_OK(ink_draft_add_batch(draft, &batch, &error));
    owned_sketch *exact = finish(draft, 0);
    CHECK(sketches_describe(exact).expected_keys == EXACT);
    CHECK_OK(ink_draft_add_batch(draft, &last, &error));
    owned_sketch *estimated = finish(draft, 0);
    CHECK(sketches_describe(estimated).expected_keys != EXACT + 1);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

TEST_OF_ALL_VARIANTS(a_draft_with_any_byte_changed_or_missing_is_refused)
{
    static numbers drawn;

    if (!has_drafts(variants[i].params.kind))
        return;
    owned_draft *draft = new_draft(&variants[i].params);
    draw_numbers(&drawn, &variants[i], 1, 5, 100);
    add_numbers(draft, &drawn, &variants[i], 5);
    owned_snapshot made = encode_draft(draft);
    ink_draft     *none = NULL;
    for (size_t at = 0; at < made.count; at++) {
        made.bytes[at] ^= 1;
        CHECK(ink_draft_decode(&none, made.bytes, made.count, 0, NULL, &error) == INK_FORMAT);
        CHECK(error.location == INK_AT_BYTE && error.at <= made.count);
        made.bytes[at] ^= 1;
        CHECK(ink_draft_decode(&none, made.bytes, at, 0, NULL, NULL) == INK_FORMAT);
    }
    CHECK(none == NULL);
    owned_sketch  *finished = finish(draft, 0);
    owned_snapshot file = encode(finished);
    CHECK_FAILS(ink_draft_decode(&none, file.bytes, file.count, 0, NULL, &error), INK_FORMAT,
                "expected those of a draft");
    CHECK(!ink_is_file(made.bytes, made.count));
}

/* Of three elements of `bytes` each, one is made equal to its neighbour; the checksum is right. */
static void check_order(const ink_params *params, size_t bytes, const char *expected)
{
    static const unsigned wrong[][2] = {{0, 1}, {1, 0}, {1, 2}, {2, 1}}; /* which becomes which */
    static const ink_key  keys[] = {{"a", 1}, {"b", 1}, {"c", 1}};
    owned_draft          *draft = new_draft(params);

    CHECK_OK(ink_draft_add_batch(draft, &(ink_batch){.count = 3, .keys = keys}, &error));
    owned_snapshot made = encode_draft(draft);
    uint8_t       *end = made.bytes + made.count - 8, *elements = end - 3 * bytes;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        ink_draft *none = NULL;
        uint8_t    kept[8];
        memcpy(kept, elements + wrong[i][0] * bytes, bytes);
        memcpy(elements + wrong[i][0] * bytes, elements + wrong[i][1] * bytes, bytes);
        files_set(end, 8, ink__checksum(made.bytes, made.count - 8));
        CHECK_FAILS(ink_draft_decode(&none, made.bytes, made.count, 0, NULL, &error), INK_FORMAT,
                    expected);
        memcpy(elements + wrong[i][0] * bytes, kept, bytes);
    }
}

TEST(elements_that_do_not_rise_are_refused)
{
    check_order(&(ink_params){.kind = "classic", .hash = "mmh3"}, 1,
                "does not come after the one before it, expected rising keys");
    check_order(&(ink_params){.kind = "bloom"}, 8, "expected rising ones");
}

/* Another number where one stands last, and checksums that are right afterwards. */
static void check_forged(const ink_draft *draft, uint64_t old, uint64_t forged,
                         const char *expected)
{
    owned_snapshot made = encode_draft(draft);
    ink_draft     *none = NULL;
    uint8_t        sought[8];
    size_t         at = made.count - 16;

    files_set(sought, 8, old);
    while (at > 0 && memcmp(made.bytes + at, sought, 8) != 0)
        at--;
    files_set(made.bytes + at, 8, forged);
    files_set(made.bytes + made.count - 8, 8, ink__checksum(made.bytes, made.count - 8));
    CHECK_FAILS(ink_draft_decode(&none, made.bytes, made.count, 0, NULL, &error), INK_FORMAT,
                expected);
    assert_int_equal(error.location, INK_AT_BYTE);
    assert_int_equal(error.at, at);
}

TEST(rates_and_ends_of_keys_that_no_draft_has_are_refused_at_their_byte)
{
    static const double rates[] = {0, -0.01, 1};
    static const char   long_key[300];
    const ink_key       keys[] = {{long_key, 200}, {long_key, 300}};
    uint64_t            target, forged;
    const double        rate = 0.01;

    memcpy(&target, &rate, 8);
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        owned_draft *draft = new_draft(&(ink_params){.kind = "bloom"});
        memcpy(&forged, &rates[i], 8);
        check_forged(draft, target, forged, "target rate ");
    }
    owned_draft *draft = new_draft(&(ink_params){.kind = "classic", .hash = "mmh3"});
    CHECK_OK(ink_draft_add_batch(draft, &(ink_batch){.count = 2, .keys = keys}, &error));
    check_forged(draft, 500, 501, "a key from byte 200 to 501, expected one within 500");
}

RUN_TESTS()
