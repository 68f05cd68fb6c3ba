/* hostile.h - what the tests of hostile files share: a file is refused with INK_FORMAT, a message
 * and a byte of the file, having taken little memory; or it is a valid file after all, and then
 * every call on it works. Every file lies against a page that cannot be read, so that one byte too
 * many ends the test. */
#ifndef INK_TESTS_FAULTS_HOSTILE_H
#define INK_TESTS_FAULTS_HOSTILE_H

#include "support/check.h"
#include "support/faults.h"
#include "support/files.h"

#include <stdio.h>

/* Set for runs under valgrind: the heavy loops shrink. */
static inline bool light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

static ink_error   error;
static files_guard guard;
static char        tried[160]; /* what is being tried, for messages */

#define REQUIRE(condition)                                                                         \
    do {                                                                                           \
        if (!(condition))                                                                          \
            fail_msg("%s: not so: %s (\"%s\")", tried, #condition, error.message);                 \
    } while (0)

#define REQUIRE_OK(call)                                                                           \
    do {                                                                                           \
        ink_status require_status = (call);                                                        \
        if (require_status != INK_OK)                                                              \
            fail_msg("%s: %s: %s: %s", tried, #call, ink_status_name(require_status),              \
                     error.message);                                                               \
    } while (0)

/* A call that fails must write all of it; what it leaves can still be printed. */
static inline void forget_error(void)
{
    memset(&error, 0xff, sizeof error);
    error.message[sizeof error.message - 1] = '\0';
}

#define NO_FILE ((ink_file *)(uintptr_t)16)
#define NO_SKETCH ((ink_sketch *)(uintptr_t)16)

/* ---- Random numbers ----------------------------------------------------------------------- */

static uint64_t random_state;

static inline uint64_t next_random(void)
{
    uint64_t x = random_state += 0x9e3779b97f4a7c15u; /* SplitMix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

static inline uint64_t random_value(uint64_t old)
{
    switch (next_random() % 6) {
    case 0:
        return old + next_random() % 9 - 4;
    case 1:
        return next_random() % 256;
    case 2:
        return next_random() % 65536;
    case 3:
        return ((uint64_t)1 << next_random() % 64) - 1 + next_random() % 3;
    case 4:
        return old << next_random() % 8;
    default:
        return next_random();
    }
}

static inline uint64_t bits_of(double real)
{
    uint64_t bits;

    memcpy(&bits, &real, sizeof bits);
    return bits;
}

/* The numbers at which a field may break, without `old` and what has not its width; returns how
 * many, at most LIMITS_MAX. */
enum { LIMITS_MAX = 64 };

static inline size_t limits_around(uint64_t old, unsigned width, uint64_t limits[LIMITS_MAX])
{
    static const unsigned powers[] = {7, 8, 15, 16, 31, 32, 63};
    static const double   reals[] = {0.0,
                                     -0.0,
                                     1,
                                     2,
                                     -1,
                                     0x1p-1074,
                                     -0x1p-1074,
                                     0x1p-1022,
                                     0x1.fffffffffffffp-1,
                                     0x1.0000000000001p0};
    uint64_t              values[LIMITS_MAX] = {0, 1, old - 1, old + 1, UINT64_MAX, UINT64_MAX - 1};
    size_t                n = 6, found = 0;

    for (size_t l = 0; l < sizeof powers / sizeof powers[0]; l++)
        for (uint64_t around = 0; around < 3; around++)
            values[n++] = ((uint64_t)1 << powers[l]) - 1 + around;
    for (size_t r = 0; r < sizeof reals / sizeof reals[0]; r++)
        values[n++] = bits_of(reals[r]);
    values[n++] = 0x7ff0000000000000; /* infinities and NaNs */
    values[n++] = 0xfff0000000000000;
    values[n++] = 0x7ff8000000000000;
    values[n++] = 0x7ff0000000000001;
    for (size_t v = 0; v < n; v++) {
        bool twice = values[v] == old || values[v] > UINT64_MAX >> (64 - 8 * width);
        for (size_t before = 0; before < found; before++)
            twice = twice || limits[before] == values[v];
        if (!twice)
            limits[found++] = values[v];
    }
    return found;
}

/* ---- Memory ------------------------------------------------------------------------------- */

enum { FIXED_BYTES = 65536, PLAN_BYTES_MAX = 8 << 20 };

/* What calls after a load may take: no block is larger than `allowed_bytes` and a fixed part. A
 * sketch without a largest size, or one that is planned anew, may ask for more, and is given at
 * most PLAN_BYTES_MAX: a valid file may promise more keys than there is memory for. */
static struct {
    uint64_t allowed_bytes, live_bytes, largest_bytes;
    bool     open_ended;
} meter;

static inline void *metered_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    (void)host;
    REQUIRE(block == NULL || new_bytes == 0); /* the library does not resize */
    meter.live_bytes -= old_bytes;
    if (new_bytes == 0) {
        free(block);
        return NULL;
    }
    if (new_bytes > meter.largest_bytes)
        meter.largest_bytes = new_bytes;
    if (new_bytes > FIXED_BYTES + meter.allowed_bytes) {
        if (!meter.open_ended)
            fail_msg("%s: a block of %zu bytes, expected at most %llu", tried, new_bytes,
                     (unsigned long long)(FIXED_BYTES + meter.allowed_bytes));
        if (new_bytes > PLAN_BYTES_MAX)
            return NULL;
    }
    meter.live_bytes += new_bytes;
    return malloc(new_bytes);
}

static const ink_allocator metered = {.resize = metered_resize};

/* The calls that follow are about this number of bytes. */
static inline void allow(uint64_t bytes, bool open_ended)
{
    meter.allowed_bytes = bytes;
    meter.open_ended = open_ended;
}

/* ---- Refusing ----------------------------------------------------------------------------- */

/* A refusal has a message and a place in the file. */
static inline void require_named(ink_status status, size_t count)
{
    REQUIRE(status == INK_FORMAT && error.status == INK_FORMAT);
    REQUIRE(error.location == INK_AT_BYTE && error.at <= count);
    REQUIRE(strlen(error.message) > 10 && error.os_error == 0);
}

/* Opens a file in one way, for nothing but the answer; a refusal must be named, small and clean. */
static inline ink_status look_at(const uint8_t *bytes, size_t count, unsigned flags)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_file     *file = NO_FILE;

    forget_error();
    ink_status status = ink_file_decode(&file, bytes, count, flags, &allocator, &error);
    if (status == INK_OK) {
        ink_file_close(file);
    } else {
        require_named(status, count);
        REQUIRE(file == NO_FILE);
    }
    REQUIRE(memory.most_bytes <= FIXED_BYTES + 2 * (uint64_t)count);
    REQUIRE(memory.live_blocks == 0);
    return status;
}

/* The same as a sketch. */
static inline ink_status look_at_sketch(const uint8_t *bytes, size_t count)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink_sketch   *sketch = NO_SKETCH;

    ink_status status = ink_sketch_decode(&sketch, bytes, count, &allocator, &error);
    if (status == INK_OK)
        ink_sketch_free(sketch);
    else
        REQUIRE(sketch == NO_SKETCH);
    REQUIRE(memory.most_bytes <= FIXED_BYTES + 2 * (uint64_t)count);
    REQUIRE(memory.live_blocks == 0);
    return status;
}

static inline void require_refused(const uint8_t *bytes, size_t count)
{
    REQUIRE(look_at(bytes, count, INK_OPEN_CHECKED) == INK_FORMAT);
}

static inline void require_refused_every_way(const uint8_t *bytes, size_t count)
{
    REQUIRE(look_at_sketch(bytes, count) == INK_FORMAT);
    REQUIRE(look_at(bytes, count, INK_OPEN_COPY) == INK_FORMAT);
    REQUIRE(look_at(bytes, count, INK_OPEN_LAZY) == INK_FORMAT);
    require_refused(bytes, count);
}

/* ---- What a kind can do ------------------------------------------------------------------- */

enum {
    CONTAINS = 1 << 0, /* and has a rate */
    DISTINCT = 1 << 1,
    COUNTS = 1 << 2, /* answers how often ... */
    SHARES = 1 << 9, /* ... and of how many in all */
    WEIGHTS = 1 << 3,
    KEEPS = 1 << 4,
    MEETS = 1 << 5,   /* can be intersected */
    GROWS = 1 << 6,   /* may refuse to grow, since no promise or no memory is left */
    SAME = 1 << 7,    /* merging with itself changes nothing */
    REMOVES = 1 << 8, /* takes keys out, and becomes a bloom */
    FIXED = 1 << 10,  /* never changes: made of all keys at once */
};

static inline unsigned abilities(const char *kind)
{
    static const struct {
        const char *kind;
        unsigned    abilities;
    } all[] = {
        {"bloom", CONTAINS | DISTINCT | MEETS | SAME},
        {"classic", CONTAINS | DISTINCT | MEETS | SAME},
        {"counting", CONTAINS | DISTINCT | COUNTS | WEIGHTS | REMOVES},
        {"scalable", CONTAINS | DISTINCT | GROWS},
        {"count-min", COUNTS | SHARES | WEIGHTS},
        {"top", COUNTS | SHARES | WEIGHTS | KEEPS},
        {"fm", DISTINCT | SAME},
        {"hll", DISTINCT | SAME},
        {"theta", DISTINCT | MEETS | SAME},
        {"fuse", CONTAINS | DISTINCT | SAME | FIXED},
    };

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++)
        if (strcmp(all[i].kind, kind) == 0)
            return all[i].abilities;
    fail_msg("%s: kind \"%s\" is not in the list", tried, kind);
    return 0;
}

static inline bool is_able(const ink_description *d, unsigned ability)
{
    return (abilities(d->kind) & ability) != 0;
}

/* The most that a sketch may have once it is as full as this test makes it: its dense size. Of a
 * top, which may promise room for many more keys, twice what it holds with the keys of a test,
 * indexed. */
static inline uint64_t dense_bytes(const ink_description *d)
{
    enum { ENTRY_BYTES = 64 };
    uint64_t held = d->bytes + (uint64_t)ENTRY_BYTES * 300, most = d->bytes_max;

    if (is_able(d, GROWS) || (is_able(d, KEEPS) && most > 4 * held))
        most = 4 * held;
    return most > d->bytes ? most : d->bytes;
}

/* What was asked of the maker of such a sketch. */
static inline ink_params params_of(const ink_description *d)
{
    ink_params params = {
        .kind = d->kind,
        .key_type = d->key_type,
        .hash = d->keyed ? NULL : d->hash,
        .seed = d->keyed ? 0 : d->seed,
        .has_seed = !d->keyed,
        .secret = d->keyed ? files_secret : NULL,
        .expected_keys = d->expected_keys,
        .ratio = d->ratio,
        .width = d->width,
        .depth = d->depth,
        .counter_bits = d->counter_bits,
        .conservative = d->conservative,
        .phi = d->phi,
        .precision = d->precision,
    };

    if (d->target_rate != 0) {
        params.false_positive_rate = d->target_rate;
    } else {
        params.bits = d->bits;
        params.hashes = strcmp(d->kind, "classic") == 0 ? d->hashes : 0;
    }
    return params;
}

/* ---- Asking ------------------------------------------------------------------------------- */

enum { KEYS = 300, ITEMS = 70 };

/* A batch of keys that the sketch takes; with their hashes where it is locked. */
static inline ink_batch keys_for(const ink_description *d)
{
    static int64_t  ints[KEYS];
    static uint64_t offsets[KEYS + 1], hashes[KEYS];
    static char     bytes[KEYS * 12];
    ink_batch       batch = {.count = KEYS, .hashes = d->keyed ? hashes : NULL};

    for (size_t i = 0; i < KEYS && offsets[KEYS] == 0; i++) {
        ints[i] = (int64_t)i;
        hashes[i] = i * 0x9e3779b97f4a7c15u;
        int used = snprintf(bytes + offsets[i], 12, "key %u", (unsigned)i);
        offsets[i + 1] = offsets[i] + (uint64_t)used;
    }
    if (d->key_type == INK_KEY_BYTES) {
        batch.data = (const uint8_t *)bytes;
        batch.offsets = offsets;
    } else {
        batch.ints = ints;
    }
    return batch;
}

static inline void require_ordered(const ink_answer *answer)
{
    REQUIRE(answer->low >= 0 && answer->low <= answer->estimate);
    REQUIRE(answer->estimate <= answer->high && answer->high <= 0x1p200); /* and no NaN */
    REQUIRE(answer->confidence > 0 && answer->confidence <= 1);
}

/* Answers that are in order, or a refusal. */
static inline void require_overlap(const ink_sketch *a, const ink_sketch *b)
{
    ink_overlap       overlap;
    const ink_answer *answers = &overlap.a;
    ink_status        status = ink_sketch_overlap(a, b, 0, &overlap, &error);

    REQUIRE(status == INK_OK || status == INK_UNSUPPORTED || status == INK_MISMATCH);
    for (size_t i = 0; i < 9 && status == INK_OK; i++)
        require_ordered(&answers[i]);
}

static inline void ask_membership(const ink_sketch *sketch, const ink_description *d)
{
    static uint8_t answers[KEYS];
    ink_batch      keys = keys_for(d);
    bool           filter = is_able(d, CONTAINS), maybe;
    double         rate;

    ink_status status = ink_sketch_rate(sketch, &rate, &error);
    REQUIRE(status == (filter ? INK_OK : INK_UNSUPPORTED));
    REQUIRE(!filter || (rate >= 0 && rate <= 1));
    status = ink_sketch_contains_batch(sketch, &keys, answers, &error);
    REQUIRE(status == (filter ? INK_OK : INK_UNSUPPORTED));
    if (!filter || d->keyed)
        return;
    if (d->key_type == INK_KEY_INT)
        REQUIRE_OK(ink_sketch_contains_int(sketch, 3, &maybe, &error));
    else
        REQUIRE_OK(ink_sketch_contains(sketch, "key 3", 5, &maybe, &error));
    REQUIRE(maybe == answers[3]);
}

static inline void ask_distinct(const ink_sketch *sketch, const ink_description *d)
{
    ink_answer answer;
    ink_status status = ink_sketch_distinct(sketch, 0, &answer, &error);

    REQUIRE(status == (is_able(d, DISTINCT) ? INK_OK : INK_UNSUPPORTED));
    if (status == INK_OK) {
        require_ordered(&answer);
        REQUIRE(answer.estimate <= 0x1p64);
    }
    status = ink_sketch_distinct_by(sketch, INK_ESTIMATOR_MEAN_OF_POWERS, 0.5, &answer, &error);
    REQUIRE(status == (strcmp(d->kind, "fm") == 0 ? INK_OK : INK_UNSUPPORTED));
    if (status == INK_OK)
        require_ordered(&answer);
}

/* The largest whole number that is not above 1/k of the total; exact up to 2^53. */
#define MOST_EXACT ((uint64_t)1 << 53)

static inline double share_of(const ink_description *d, uint64_t k)
{
    return (double)(d->total / k);
}

static inline void ask_counts(const ink_sketch *sketch, const ink_description *d)
{
    static const uint64_t shares[] = {1, 2, 100, UINT64_MAX};
    static ink_answer     counts[KEYS];
    static uint8_t        over[KEYS];
    ink_batch             keys = keys_for(d);
    ink_answer            dot;

    ink_status status = ink_sketch_count_batch(sketch, &keys, counts, &error);
    REQUIRE(status == (is_able(d, COUNTS) ? INK_OK : INK_UNSUPPORTED));
    for (size_t i = 0; i < KEYS && status == INK_OK; i++)
        require_ordered(&counts[i]);
    for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
        status = ink_sketch_over_batch(sketch, &keys, shares[s], over, &error);
        REQUIRE(status == (is_able(d, SHARES) ? INK_OK : INK_UNSUPPORTED));
        double share = share_of(d, shares[s]);
        for (size_t i = 0; i < KEYS && status == INK_OK; i++)
            REQUIRE(over[i] <= 2 &&
                    (d->total > MOST_EXACT ||
                     over[i] == (counts[i].low > share ? 2 : counts[i].high > share)));
    }
    status = ink_sketch_dot(sketch, sketch, &dot, &error);
    bool plain = strcmp(d->kind, "count-min") == 0 && !d->conservative;
    REQUIRE(status == (plain ? INK_OK : INK_UNSUPPORTED));
    if (plain)
        require_ordered(&dot);
    require_overlap(sketch, sketch);
}

/* Items in falling order, each with bytes that can be read. */
static inline void require_items(const ink_item *items, size_t found, const ink_description *d)
{
    unsigned sum = 0;

    for (size_t i = 0; i < found; i++) {
        require_ordered(&items[i].count);
        REQUIRE(i == 0 || items[i - 1].count.estimate >= items[i].count.estimate);
        REQUIRE(items[i].key_bytes <= 1024 && !(items[i].cut && d->key_type == INK_KEY_INT));
        REQUIRE((items[i].key == NULL) == (d->key_type == INK_KEY_INT));
        for (size_t j = 0; j < items[i].key_bytes; j++)
            sum += items[i].key[j];
    }
    REQUIRE(sum < UINT32_MAX);
}

static inline void ask_kept(const ink_sketch *sketch, const ink_description *d)
{
    static const size_t   rooms[] = {0, 1, 3, ITEMS};
    static const uint64_t shares[] = {1, 2, 7, 1000, UINT64_MAX};
    static ink_item       items[ITEMS];
    size_t                found = 99;
    bool                  able = is_able(d, KEEPS);

    for (size_t r = 0; r < sizeof rooms / sizeof rooms[0]; r++) {
        ink_status status = ink_sketch_top(sketch, items, rooms[r], &found, &error);
        REQUIRE(status == (able ? INK_OK : INK_UNSUPPORTED));
        if (!able)
            continue;
        REQUIRE(found <= rooms[r] && found <= 2 * d->capacity);
        require_items(items, found, d);
    }
    for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
        ink_status status = ink_sketch_over(sketch, shares[s], items, ITEMS, &found, &error);
        REQUIRE(able ? status == INK_OK || status == INK_USAGE || status == INK_LIMIT
                     : status == INK_UNSUPPORTED);
        if (status != INK_OK)
            continue;
        REQUIRE(found <= 2 * d->capacity);
        size_t written = found < ITEMS ? found : ITEMS;
        require_items(items, written, d);
        for (size_t i = 0; i < written && d->total <= MOST_EXACT; i++)
            REQUIRE(items[i].count.high > share_of(d, shares[s]));
    }
}

/* Every question there is; also of bytes that were not checked. */
static inline void ask(const ink_sketch *sketch)
{
    ink_description d;

    ink_sketch_describe(sketch, &d);
    ask_membership(sketch, &d);
    ask_distinct(sketch, &d);
    ask_counts(sketch, &d);
    ask_kept(sketch, &d);
}

/* ---- Using -------------------------------------------------------------------------------- */

static inline uint8_t *payload_of(const ink_sketch *sketch, size_t *bytes)
{
    ink_description d;

    ink_sketch_describe(sketch, &d);
    *bytes = (size_t)d.bytes;
    uint8_t *payload = malloc(*bytes + 1);
    assert_non_null(payload);
    REQUIRE_OK(ink_sketch_payload(sketch, payload, *bytes, &error));
    return payload;
}

static inline void require_equal_payloads(const ink_sketch *a, const ink_sketch *b)
{
    size_t   bytes_a, bytes_b;
    uint8_t *payload_a = payload_of(a, &bytes_a), *payload_b = payload_of(b, &bytes_b);

    REQUIRE(bytes_a == bytes_b && memcmp(payload_a, payload_b, bytes_a) == 0);
    free(payload_a);
    free(payload_b);
}

/* Whether this is an answer that a valid sketch may give to combining and folding. */
static inline void require_sober(ink_status status)
{
    REQUIRE(status == INK_OK || status == INK_PROMISE || status == INK_USAGE ||
            status == INK_UNSUPPORTED || status == INK_MISMATCH || status == INK_LIMIT);
}

/* Whether this is an answer that a valid sketch may give to new keys. */
static inline void require_added(ink_status status, const ink_description *d)
{
    REQUIRE(status == (is_able(d, FIXED) ? INK_UNSUPPORTED : INK_OK) ||
            (is_able(d, GROWS) &&
             (status == INK_PROMISE || status == INK_LIMIT || status == INK_MEMORY)));
}

/* What a sketch encodes to can be decoded, and is the same. */
static inline void encode_and_decode(const ink_sketch *sketch)
{
    uint8_t     digest[2][INK_DIGEST_BYTES], *bytes;
    ink_sketch *again;
    size_t      count;

    uint64_t allowed_bytes = meter.allowed_bytes;
    meter.allowed_bytes *= 2; /* a payload is put together beside the piece that it goes to */
    REQUIRE_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    REQUIRE_OK(ink_sketch_decode(&again, bytes, count, &metered, &error));
    REQUIRE_OK(ink_sketch_digest(sketch, digest[0], &error));
    REQUIRE_OK(ink_sketch_digest(again, digest[1], &error));
    meter.allowed_bytes = allowed_bytes;
    REQUIRE(memcmp(digest[0], digest[1], INK_DIGEST_BYTES) == 0);
    ink_sketch_free(again);
    ink_bytes_free(bytes, count, &metered);
}

static inline void convert(const ink_sketch *sketch, const ink_description *d)
{
    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        const char *kind = ink_kind_name(i);
        ink_sketch *made = NO_SKETCH;
        bool        same = strcmp(kind, d->kind) == 0;
        bool        bloom = is_able(d, REMOVES) && strcmp(kind, "bloom") == 0;
        ink_status  status = ink_sketch_convert(&made, sketch, kind, &metered, &error);
        REQUIRE(status == (same || bloom ? INK_OK : INK_UNSUPPORTED));
        if (status != INK_OK) {
            REQUIRE(made == NO_SKETCH);
            continue;
        }
        if (same)
            require_equal_payloads(made, sketch);
        else
            ask(made);
        ink_sketch_free(made);
    }
}

/* Adds, adds what is new, and takes out again. */
static inline void change(ink_sketch *sketch, const ink_description *d)
{
    static uint64_t weights[KEYS];
    ink_batch       keys = keys_for(d), weighted = keys;

    for (size_t i = 0; i < KEYS; i++)
        weights[i] = i % 50 == 0 ? UINT64_MAX >> i % 64 : i % 5;
    weighted.weights = weights;
    require_added(ink_sketch_add_batch(sketch, &keys, &error), d);
    ink_status status = ink_sketch_add_new_batch(sketch, &keys, NULL, &error);
    if (is_able(d, CONTAINS))
        require_added(status, d);
    else
        REQUIRE(status == INK_UNSUPPORTED);
    /* Each key was added once at least: all of them can go. */
    status = ink_sketch_remove_batch(sketch, &keys, &error);
    REQUIRE(status == (is_able(d, REMOVES) ? INK_OK : INK_UNSUPPORTED));
    status = ink_sketch_remove_batch(sketch, &weighted, &error);
    REQUIRE(is_able(d, REMOVES) ? status == INK_OK || status == INK_NOT_FOUND
                                : status == INK_UNSUPPORTED);
    status = ink_sketch_add_batch(sketch, &weighted, &error);
    REQUIRE(status == (is_able(d, WEIGHTS) ? INK_OK : INK_UNSUPPORTED));
}

/* Everything that can be done with one sketch of a file, and with a second one beside it. */
static inline void use(const ink_sketch *view, const ink_sketch *other)
{
    const ink_merge_options parts = {.parts = true};
    ink_description         d, beside;
    ink_sketch             *copy, *read_only = (ink_sketch *)(uintptr_t)view;
    ink_answer              dot;
    uint64_t                divisor;

    ink_sketch_describe(other, &beside);
    ink_sketch_describe(view, &d);
    allow(dense_bytes(&d) + dense_bytes(&beside), is_able(&d, GROWS));
    ink_batch keys = keys_for(&d);
    ask(view);
    REQUIRE(d.read_only);
    const ink_status refused = is_able(&d, FIXED) ? INK_UNSUPPORTED : INK_READ_ONLY;
    REQUIRE(ink_sketch_add_batch(read_only, &keys, &error) == refused);
    if (is_able(&d, CONTAINS))
        REQUIRE(ink_sketch_add_new_batch(read_only, &keys, NULL, &error) == refused);
    if (is_able(&d, REMOVES))
        REQUIRE(ink_sketch_remove_batch(read_only, &keys, &error) == INK_READ_ONLY);
    encode_and_decode(view);
    convert(view, &d);

    REQUIRE_OK(ink_sketch_copy(&copy, view, &metered, &error));
    require_equal_payloads(copy, view);
    require_sober(ink_sketch_merge(copy, view, NULL, &error));
    ink_status status = ink_sketch_merge(copy, view, &parts, &error);
    REQUIRE(status == (is_able(&d, FIXED) ? INK_UNSUPPORTED : INK_OK) ||
            (is_able(&d, GROWS) && status == INK_LIMIT));
    if (is_able(&d, SAME))
        require_equal_payloads(copy, view);
    require_sober(ink_sketch_intersect(copy, view, &error));
    if (is_able(&d, SAME))
        require_equal_payloads(copy, view);
    require_sober(ink_sketch_dot(copy, view, &dot, &error));
    require_sober(ink_sketch_dot(copy, other, &dot, &error));
    require_overlap(copy, other);
    require_sober(ink_sketch_merge(copy, other, NULL, &error));
    require_sober(ink_sketch_intersect(copy, other, &error));
    require_sober(ink_sketch_subtract(copy, view, &error));
    require_sober(ink_sketch_fold(copy, 2, &error));
    require_sober(ink_sketch_fold(copy, 3, &error));
    require_sober(ink_sketch_fold(copy, UINT64_MAX, &error));
    require_sober(ink_sketch_fold_to_rate(copy, 0.9, &divisor, &error));
    change(copy, &d);
    ask(copy);
    encode_and_decode(copy);
    ink_sketch_free(copy);
}

/* Entries that are used wholly; all others are only made. */
static inline bool chosen(size_t index, size_t count)
{
    return index < 2 || index + 1 == count || index == count / 2;
}

/* Writes the file anew from its views: the bytes must be the same, for there is one valid form. */
static inline void write_anew(const ink_file *file, ink_entry *entries, const uint8_t *bytes,
                              size_t count)
{
    ink_section  sections[8];
    ink_contents contents = {
        .entries = entries,
        .entry_count = ink_file_count(file),
        .sections = sections,
        .allocator = &metered,
    };
    uint8_t *anew;
    size_t   anew_count;

    while (ink_file_section(file, contents.section_count, &sections[contents.section_count],
                            &error) == INK_OK)
        REQUIRE(++contents.section_count < 8);
    if (contents.entry_count == 0)
        return; /* a file without entries is always written with the default key rule */
    REQUIRE_OK(ink_contents_encode(&contents, &anew, &anew_count, &error));
    REQUIRE(anew_count == count && memcmp(anew, bytes, count) == 0);
    ink_bytes_free(anew, anew_count, &metered);
}

/* ---- Slots -------------------------------------------------------------------------------- */

/* A ring that was loaded holds what the file has, goes on, and falls empty. */
static inline void use_ring(ink_ring *ring)
{
    ink_sketch *slot = NULL, *last = NULL;
    ink_entry   entry;
    size_t      count = ink_ring_count(ring);

    for (size_t i = 0; i < count; i++) {
        REQUIRE_OK(ink_ring_entry(ring, i, NULL, &entry, &error));
        REQUIRE(entry.label.has_slot);
        ask(entry.sketch);
    }
    REQUIRE(ink_ring_entry(ring, count, NULL, &entry, &error) == INK_NOT_FOUND);
    for (uint32_t newest = 0; newest < 3; newest++) {
        ink_status status = ink_ring_last(ring, newest, &last, &error);
        if (status != INK_MEMORY) /* a plan may be too large to be made */
            require_sober(status);
        if (status == INK_OK) {
            ask(last);
            ink_sketch_free(last);
        }
    }
    ink_status status = ink_ring_slot(ring, INT64_MAX / 2, &slot, &error);
    REQUIRE(status == INK_OK || status == INK_MEMORY);
    if (slot != NULL)
        ask(slot);
    status = ink_ring_move(ring, INT64_MAX, &error); /* makes the newest slot, too */
    REQUIRE(status == INK_OK || status == INK_MEMORY);
    REQUIRE(ink_ring_count(ring) <= 8);
}

/* The union of the slots of entry `index`'s kind and group, from the file and from a ring. */
static inline void use_slots(const ink_file *file, size_t index, const ink_description *d)
{
    static const ink_window windows[] = {{.slot_microseconds = 1000, .slots = 8},
                                         {.slot_microseconds = 1, .slots = 4}};
    ink_params              params = params_of(d);
    ink_entry_info          info;
    ink_sketch             *last;
    ink_ring               *ring;

    allow(dense_bytes(d), true); /* rings are planned, unions may be of larger sketches */
    REQUIRE_OK(ink_file_entry(file, index, &info, &error));
    for (size_t newest = 0; newest < 3; newest++) {
        ink_status status = ink_file_last(file, info.kind, &info.label, newest, &last, &error);
        if (status != INK_NOT_FOUND)
            require_sober(status);
        REQUIRE(!info.label.has_slot || status != INK_NOT_FOUND);
        if (status == INK_OK) {
            ask(last);
            ink_sketch_free(last);
        }
    }
    for (size_t w = 0; w < sizeof windows / sizeof windows[0]; w++) {
        if (is_able(d, GROWS)) /* each slot has its part of the rate */
            params.false_positive_rate = d->target_rate * windows[w].slots;
        /* A plan that a file may have, but not a caller, is refused. */
        if (ink_ring_create(&ring, &params, &windows[w], &metered, &error) != INK_OK)
            continue;
        ink_status status = ink_ring_load(ring, file, &info.label, &error);
        REQUIRE(status == INK_OK || status == INK_MISMATCH || status == INK_USAGE ||
                status == INK_MEMORY);
        if (status != INK_OK)
            REQUIRE(ink_ring_count(ring) == 0);
        use_ring(ring);
        ink_ring_free(ring);
    }
}

/* ---- Files -------------------------------------------------------------------------------- */

/* Uses a file that was accepted in every way there is. Its payloads may still be wrong in a way
 * that only their kind knows; then all ways of asking for them must say so. Returns whether they
 * are right. */
static inline bool use_file(const uint8_t *bytes, size_t count)
{
    ink_file      *file, *copy;
    ink_entry_info info;
    uint8_t        digest[INK_DIGEST_BYTES];
    size_t         index;
    bool           right = true;

    meter.live_bytes = 0;
    allow(2 * (uint64_t)count, false);
    REQUIRE_OK(ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, &metered, &error));
    REQUIRE_OK(
        ink_file_decode(&copy, bytes, count, INK_OPEN_COPY | INK_OPEN_LAZY, &metered, &error));
    REQUIRE_OK(ink_file_digest(file, digest, &error));
    size_t     entries = ink_file_count(file);
    ink_entry *views = calloc(entries + 1, sizeof *views);
    assert_non_null(views);
    for (size_t i = 0; i < entries; i++) {
        ink_sketch *view = NULL, *copied = NULL;
        REQUIRE_OK(ink_file_entry(file, i, &info, &error));
        REQUIRE_OK(ink_file_find(file, info.kind, &info.label, &index, &error));
        REQUIRE(index == i);
        ink_status status = ink_file_sketch(file, i, &view, &error);
        if (status != INK_OK)
            require_named(status, count);
        REQUIRE(ink_file_sketch(copy, i, &copied, &error) == status);
        right = right && status == INK_OK;
        if (status == INK_OK)
            require_equal_payloads(view, copied);
        views[i] = (ink_entry){.label = info.label, .sketch = view};
        ink_sketch_free(copied);
    }
    REQUIRE(ink_file_entry(file, entries, &info, &error) == INK_NOT_FOUND);
    for (size_t i = 0; i < entries && right; i++) {
        ink_description d;
        if (!chosen(i, entries))
            continue;
        ink_sketch_describe(views[i].sketch, &d);
        use(views[i].sketch, views[(i + 1) % entries].sketch);
        if (views[i].label.has_slot || i == 0)
            use_slots(i % 2 == 0 ? file : copy, i, &d);
    }
    allow(2 * (uint64_t)count, false);
    if (right)
        write_anew(file, views, bytes, count);
    for (size_t i = 0; i < entries; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)views[i].sketch);
    free(views);
    ink_file_close(copy);
    ink_file_close(file);
    REQUIRE(meter.live_bytes == 0);
    return right;
}

/* Refused cleanly, or used cleanly. Returns whether it was accepted. */
static inline bool refused_or_used(const uint8_t *bytes, size_t count)
{
    ink_status status = look_at(bytes, count, INK_OPEN_CHECKED);

    REQUIRE(look_at(bytes, count, INK_OPEN_COPY) == status);
    REQUIRE(look_at(bytes, count, INK_OPEN_LAZY) == INK_OK || status != INK_OK);
    if (status != INK_OK) /* the message of this one */
        look_at(bytes, count, INK_OPEN_CHECKED);
    return status == INK_OK && use_file(bytes, count);
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* One question of each sort that the kind answers. */
static inline void ask_a_little(const ink_sketch *view)
{
    ink_description d;
    ink_answer      answer;
    ink_item        items[4];
    size_t          found;
    double          rate;

    ink_sketch_describe(view, &d);
    if (is_able(&d, CONTAINS)) {
        REQUIRE_OK(ink_sketch_rate(view, &rate, &error));
        REQUIRE(rate >= 0 && rate <= 1);
    }
    if (is_able(&d, DISTINCT)) {
        REQUIRE_OK(ink_sketch_distinct(view, 0, &answer, &error));
        require_ordered(&answer);
    }
    if (is_able(&d, COUNTS) && !d.keyed) {
        ink_batch keys = keys_for(&d);
        keys.count = 1;
        REQUIRE_OK(ink_sketch_count_batch(view, &keys, &answer, &error));
        require_ordered(&answer);
    }
    if (is_able(&d, KEEPS)) {
        REQUIRE_OK(ink_sketch_top(view, items, 4, &found, &error));
        require_items(items, found, &d);
    }
}

/* A view holds what a copy of it holds: nothing in it is passed over. */
static inline void copy_whole(const ink_sketch *view, size_t count)
{
    ink_sketch *copied = NULL;

    allow(2 * (uint64_t)count, true);
    REQUIRE_OK(ink_sketch_copy(&copied, view, &metered, &error));
    require_equal_payloads(view, copied);
    ink_sketch_free(copied);
    allow(2 * (uint64_t)count, false);
}

/* Refused cleanly, or read: asked a little, copied and written anew. Much faster than using it.
 * Returns whether it was accepted. */
static inline bool refused_or_read(const uint8_t *bytes, size_t count)
{
    ink_file *file = NO_FILE;
    bool      right = true;

    meter.live_bytes = 0;
    allow(2 * (uint64_t)count, false);
    forget_error();
    ink_status status = ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, &metered, &error);
    if (status != INK_OK) {
        require_named(status, count);
        REQUIRE(file == NO_FILE && meter.live_bytes == 0);
        return false;
    }
    size_t     entries = ink_file_count(file);
    ink_entry *views = calloc(entries + 1, sizeof *views);
    assert_non_null(views);
    for (size_t i = 0; i < entries && right; i++) {
        ink_entry_info info;
        ink_sketch    *view = NULL;
        REQUIRE_OK(ink_file_entry(file, i, &info, &error));
        status = ink_file_sketch(file, i, &view, &error);
        if (status != INK_OK)
            require_named(status, count);
        right = status == INK_OK;
        views[i] = (ink_entry){.label = info.label, .sketch = view};
        if (right && chosen(i, entries)) {
            ask_a_little(view);
            copy_whole(view, count);
        }
    }
    if (right)
        write_anew(file, views, bytes, count);
    for (size_t i = 0; i < entries; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)views[i].sketch);
    free(views);
    ink_file_close(file);
    REQUIRE(meter.live_bytes == 0);
    return right;
}

/* ---- Fields ------------------------------------------------------------------------------- */

/* Copies a sample, changes one field, repairs, and tries it. */
static inline bool try_value(const files_sample *sample, files_field field, uint64_t value)
{
    uint8_t *bytes = files_location(&guard, sample->bytes, sample->count);

    files_set(bytes + field.at, field.width, value);
    files_repair(bytes, sample->count);
    snprintf(tried, sizeof tried, "%s with 0x%llx in the %u bytes at %llu", sample->name,
             (unsigned long long)value, field.width, (unsigned long long)field.at);
    return refused_or_used(bytes, sample->count);
}

#endif
