/* attacks_test.c - keys that somebody chose who knows how we hash: each attack breaks a sketch
 * without a secret, as docs/accuracy.md says, and does nothing to one with a secret, which the
 * attacker does not have; and some that break nothing even without one. [Gerbet, Kumar, Lauradoux
 * 2014; Reviriego, Adell, Ting 2020; Paterson, Raynal 2021; Markelon, Filic, Shrimpton 2023;
 * multicollisions of Murmur: Aumasson, Bernstein 2012] */
#include "inkling_job.h"
#include "support/check.h"
#include "support/files.h"
#include "support/sketches.h"

#include "kernels/split_block.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static ink_error     error;
static const uint8_t secret[INK_SECRET_BYTES] = "nobody knows it!";

static uint64_t chance = 5;

static uint64_t next_random(void) /* SplitMix64 */
{
    uint64_t before = chance;

    chance += 0x9e3779b97f4a7c15u;
    return scramble(before);
}

/* ---- What an attacker can do -------------------------------------------------------------- */

static uint64_t inverse_of(uint64_t odd)
{
    uint64_t x = odd;

    for (int i = 0; i < 6; i++)
        x *= 2 - odd * x;
    return x;
}

/* The finaliser of integers is a bijection: what has a given hash can be computed. */
static uint64_t unmix(uint64_t hash)
{
    hash ^= hash >> 33;
    hash *= inverse_of(0xc4ceb9fe1a85ec53u);
    hash ^= hash >> 33;
    hash *= inverse_of(0xff51afd7ed558ccdu);
    return hash ^ hash >> 33;
}

/* The integer whose hash, in a sketch without a secret, is this one. */
static int64_t key_of(const ink_sketch *sketch, uint64_t hash)
{
    const int64_t zero = 0;
    uint64_t      of_zero;

    CHECK_OK(
        ink_sketch_hash_batch(sketch, &(ink_batch){.count = 1, .ints = &zero}, &of_zero, &error));
    return (int64_t)(unmix(hash) ^ unmix(of_zero));
}

static ink_sketch *made(ink_params params, bool keyed)
{
    params.secret = keyed ? secret : NULL;
    return sketches_with(params, 0, 0);
}

static void add_ints(ink_sketch *sketch, const int64_t *keys, size_t count)
{
    CHECK_OK(ink_sketch_add_batch(sketch, &(ink_batch){.count = count, .ints = keys}, &error));
}

/* ---- Filters ------------------------------------------------------------------------------ */

enum { FILTER_KEYS = 2000, CANDIDATES = 512 };

static unsigned new_bits(const uint32_t *block, uint64_t hash)
{
    static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;
    unsigned              bits = 0;

    for (unsigned i = 0; i < INK__BLOCK_WORDS; i++)
        bits += (block[i] >> ((uint32_t)hash * salts[i] >> 27) & 1) == 0;
    return bits;
}

static void set_bits(uint32_t *block, uint64_t hash)
{
    static const uint32_t salts[INK__BLOCK_WORDS] = INK__BLOCK_SALTS;

    for (unsigned i = 0; i < INK__BLOCK_WORDS; i++)
        block[i] |= (uint32_t)1 << ((uint32_t)hash * salts[i] >> 27);
}

/* Of many keys the one that sets most bits, again and again. */
static void choose_insertions(const ink_sketch *victim, int64_t *keys)
{
    uint64_t  blocks = sketches_describe(victim).bits / 256;
    uint32_t *bits = calloc(blocks, INK__BLOCK_BYTES);
    assert_non_null(bits);
    for (size_t i = 0; i < FILTER_KEYS; i++) {
        uint64_t best = 0;
        unsigned most = 0;
        for (int c = 0; c < CANDIDATES && most < INK__BLOCK_WORDS; c++) {
            uint64_t  hash = next_random();
            uint32_t *block = bits + INK__BLOCK_WORDS * ink__block_of(hash, blocks);
            if (new_bits(block, hash) > most) {
                most = new_bits(block, hash);
                best = hash;
            }
        }
        set_bits(bits + INK__BLOCK_WORDS * ink__block_of(best, blocks), best);
        keys[i] = key_of(victim, best);
    }
    free(bits);
}

TEST(chosen_insertions_fill_a_filter_only_without_a_secret)
{
    const ink_params params = {
        .kind = "bloom", .expected_keys = FILTER_KEYS, .key_type = INK_KEY_INT};
    static int64_t keys[FILTER_KEYS];
    double         rates[2];

    for (int keyed = 0; keyed < 2; keyed++) {
        owned_sketch *sketch = made(params, keyed);
        if (!keyed)
            choose_insertions(sketch, keys);
        add_ints(sketch, keys, FILTER_KEYS);
        rates[keyed] = sketches_rate(sketch);
    }
    if (!(rates[0] > 0.04 && rates[1] <= 0.01))
        fail_msg("rates %g and, with a secret, %g", rates[0], rates[1]);
}

/* ---- Murmur ------------------------------------------------------------------------------- */

enum { PAIRS = 12, COLLIDING = 1 << PAIRS, COLLIDING_BYTES = 16 * PAIRS };

/* MurmurHash64A multiplies, turns and multiplies each word, and takes it in by an exclusive or and
 * an odd factor: a difference in the top bit alone stays one, and the next word can take it back,
 * whatever the seed. So each pair of words has two forms, and all forms of all pairs collide. */
static uint64_t word_with(uint64_t mixed)
{
    const uint64_t back = inverse_of(0xc6a4a7935bd1e995u);
    uint64_t       word = mixed * back;

    return (word ^ word >> 47) * back;
}

static void make_colliding(uint8_t *bytes, uint64_t *offsets)
{
    uint64_t words[2 * PAIRS];

    for (size_t i = 0; i < 2 * PAIRS; i++)
        words[i] = next_random();
    for (size_t key = 0; key < COLLIDING; key++) {
        offsets[key] = key * COLLIDING_BYTES;
        for (size_t i = 0; i < 2 * PAIRS; i++)
            files_set(bytes + offsets[key] + 8 * i, 8,
                      word_with(words[i] ^ (uint64_t)(key >> i / 2 & 1) << 63));
    }
    offsets[COLLIDING] = (uint64_t)COLLIDING * COLLIDING_BYTES;
}

/* Adds the first half of the keys; tells the share of the others that then seem to be in. */
static double share_of_non_members(const char *hash, uint64_t seed, bool keyed,
                                   const uint8_t *bytes, const uint64_t *offsets)
{
    enum { HALF = COLLIDING / 2 };
    static uint8_t   answers[HALF];
    const ink_params params = {.kind = "bloom",
                               .expected_keys = HALF,
                               .hash = hash,
                               .seed = seed,
                               .has_seed = hash != NULL};
    const ink_batch  in = {.count = HALF, .data = bytes, .offsets = offsets};
    const ink_batch  out = {.count = HALF, .data = bytes, .offsets = offsets + HALF};
    ink_sketch      *sketch = made(params, keyed);
    double           maybe = 0;

    CHECK_OK(ink_sketch_add_batch(sketch, &in, &error));
    CHECK_OK(ink_sketch_contains_batch(sketch, &out, answers, &error));
    for (size_t i = 0; i < HALF; i++)
        maybe += answers[i];
    ink_sketch_free(sketch);
    return maybe / HALF;
}

TEST(keys_that_collide_under_murmur_whatever_its_seed_do_not_under_our_hashes)
{
    uint8_t  *bytes = malloc((size_t)COLLIDING * COLLIDING_BYTES);
    uint64_t *offsets = malloc((COLLIDING + 1) * sizeof *offsets);

    assert_true(bytes != NULL && offsets != NULL);
    make_colliding(bytes, offsets);
    CHECK(share_of_non_members("murmur64a", 0, false, bytes, offsets) == 1);
    CHECK(share_of_non_members("murmur64a", 0x123456789abcdefu, false, bytes, offsets) == 1);
    CHECK(share_of_non_members(NULL, 0, false, bytes, offsets) < 0.02);
    CHECK(share_of_non_members(NULL, 0, true, bytes, offsets) < 0.02);
    free(bytes);
    free(offsets);
}

/* ---- HyperLogLog -------------------------------------------------------------------------- */

enum { PRECISION = 12, REGISTERS = 1 << PRECISION };

static const ink_params hll = {.kind = "hll", .precision = PRECISION, .key_type = INK_KEY_INT};

/* One key for each register, with the highest value that one can have. */
TEST(a_few_chosen_keys_inflate_an_hll_only_without_a_secret)
{
    static int64_t keys[REGISTERS];
    double         counted[2];

    for (int keyed = 0; keyed < 2; keyed++) {
        owned_sketch *sketch = made(hll, keyed);
        for (uint64_t i = 0; i < REGISTERS && !keyed; i++)
            keys[i] = key_of(sketch, i << (64 - PRECISION));
        add_ints(sketch, keys, REGISTERS);
        counted[keyed] = sketches_distinct(sketch).estimate;
    }
    CHECK(counted[0] > 1e15);
    CHECK(counted[1] > 0.9 * REGISTERS && counted[1] < 1.1 * REGISTERS);
}

/* Keys that all meet one register, and are therefore hardly seen. */
TEST(many_chosen_keys_hide_from_an_hll_only_without_a_secret)
{
    enum { KEYS = 100000 };
    int64_t *keys = malloc(KEYS * sizeof *keys);
    double   counted[2];

    assert_non_null(keys);
    for (int keyed = 0; keyed < 2; keyed++) {
        owned_sketch *sketch = made(hll, keyed);
        for (uint64_t i = 0; i < KEYS && !keyed; i++)
            keys[i] = key_of(sketch, (next_random() | (uint64_t)1 << 63) >> PRECISION);
        add_ints(sketch, keys, KEYS);
        counted[keyed] = sketches_distinct(sketch).estimate;
    }
    CHECK(counted[0] < 10);
    CHECK(counted[1] > 0.9 * KEYS && counted[1] < 1.1 * KEYS);
    free(keys);
}

/* ---- Count-Min ---------------------------------------------------------------------------- */

enum { WIDTH = 300, DEPTH = 4, COVER_MAX = DEPTH };

static const ink_params count_min = {
    .kind = "count-min", .width = WIDTH, .depth = DEPTH, .key_type = INK_KEY_INT};

/* The counters of a key: the bytes of a sketch that has nothing else. */
static void counters_of(int64_t key, uint8_t *payload, size_t bytes)
{
    owned_sketch *sketch = made(count_min, false);

    add_ints(sketch, &key, 1);
    CHECK_OK(ink_sketch_payload(sketch, payload, bytes, &error));
}

/* Keys that together have every counter of the victim. */
static size_t find_cover(int64_t victim, int64_t cover[COVER_MAX])
{
    static uint8_t  wanted[65536], found[65536];
    ink_sketch     *any = made(count_min, false);
    ink_description d;
    size_t          count = 0, left = DEPTH;

    ink_sketch_describe(any, &d);
    ink_sketch_free(any);
    assert_true(d.bytes <= sizeof wanted);
    size_t bytes = (size_t)d.bytes;
    counters_of(victim, wanted, bytes);
    for (int64_t key = victim + 1; left > 0; key++) {
        size_t met = 0;
        counters_of(key, found, bytes);
        for (size_t i = 0; i < bytes; i++)
            if (wanted[i] != 0 && found[i] != 0) {
                wanted[i] = 0;
                met++;
            }
        if (met > 0)
            cover[count++] = key;
        left -= met;
    }
    return count;
}

static double count_of(const ink_sketch *sketch, int64_t key)
{
    ink_answer answer;

    CHECK_OK(
        ink_sketch_count_batch(sketch, &(ink_batch){.count = 1, .ints = &key}, &answer, &error));
    return answer.estimate;
}

TEST(a_cover_of_a_key_makes_it_look_frequent_only_without_a_secret)
{
    enum { VICTIM = 77, TIMES = 1000 };
    int64_t cover[COVER_MAX];
    size_t  size = find_cover(VICTIM, cover);

    for (int keyed = 0; keyed < 2; keyed++) {
        owned_sketch *sketch = made(count_min, keyed);
        for (int i = 0; i < TIMES; i++)
            add_ints(sketch, cover, size);
        double counted = count_of(sketch, VICTIM); /* which was never added */
        CHECK(keyed ? counted == 0 : counted >= TIMES);
    }
}

/* ---- Top ---------------------------------------------------------------------------------- */

/* A purge lets the smallest counts go: whichever program has more than its share is never among
 * them, and of a key that fell below it the bounds hold still. */
TEST(a_flood_drives_out_no_key_above_its_share)
{
    enum { VICTIM = 77, TIMES = 3000, SHARE = 100, ROOM = 4096 };
    static ink_item  items[ROOM];
    const ink_params params = {.kind = "top", .phi = 1.0 / SHARE, .key_type = INK_KEY_INT};
    owned_sketch    *sketch = made(params, false);
    int64_t          flood[TIMES];
    size_t           found;

    for (int i = 0; i < TIMES; i++)
        flood[i] = VICTIM;
    add_ints(sketch, flood, TIMES);
    for (uint64_t wave = 1; wave < 3 * SHARE; wave++) {
        const int64_t   victim = VICTIM;
        const ink_batch one = {.count = 1, .ints = &victim};
        ink_answer      answer;
        for (uint64_t i = 0; i < TIMES; i++) /* never seen, and crowded in their order */
            flood[i] = key_of(sketch, (wave * TIMES + i) << 20);
        add_ints(sketch, flood, TIMES);
        CHECK_OK(ink_sketch_count_batch(sketch, &one, &answer, &error));
        CHECK(answer.low <= TIMES && answer.high >= TIMES);
        if (wave >= SHARE - 1)
            continue; /* exactly its share, or less */
        CHECK_OK(ink_sketch_over(sketch, SHARE, items, ROOM, &found, &error));
        bool there = false;
        for (size_t i = 0; i < found; i++)
            there |= items[i].key_int == VICTIM;
        CHECK(there);
    }
}

/* ---- Hashes at their ends ----------------------------------------------------------------- */

static unsigned bits_set_in(const ink_sketch *sketch)
{
    static uint8_t  payload[1 << 16];
    ink_description d;
    unsigned        count = 0;

    ink_sketch_describe(sketch, &d);
    assert_true(d.bytes <= sizeof payload);
    CHECK_OK(ink_sketch_payload(sketch, payload, (size_t)d.bytes, &error));
    for (uint64_t i = 0; i < d.bytes; i++)
        for (unsigned bit = 0; bit < 8; bit++)
            count += (unsigned)payload[i] >> bit & 1u;
    return count;
}

static bool maybe_has(const ink_sketch *sketch, int64_t key)
{
    const ink_batch batch = {.count = 1, .ints = &key};
    uint8_t         answer;

    CHECK_OK(ink_sketch_contains_batch(sketch, &batch, &answer, &error));
    return answer == 1;
}

/* What is taken for an empty place, a step of 0 or the end of a run elsewhere. */
TEST(a_hash_of_zeros_or_of_ones_is_one_like_any_other)
{
    static const uint64_t   hashes[] = {0,          UINT64_MAX,           1, (uint64_t)1 << 63,
                                        UINT32_MAX, ~(uint64_t)UINT32_MAX};
    static const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 1000},
        {.kind = "classic", .bits = 1 << 16, .hashes = 11},
        {.kind = "counting", .expected_keys = 1000},
        {.kind = "scalable", .expected_keys = 1000},
        {.kind = "count-min", .width = 1000, .depth = 4},
        {.kind = "top", .phi = 0.01},
        {.kind = "hll"},
        {.kind = "fm"},
    };
    enum { HASHES = sizeof hashes / sizeof hashes[0] };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (size_t h = 0; h < HASHES; h++) {
            ink_params params = kinds[k];
            params.key_type = INK_KEY_INT;
            owned_sketch *sketch = made(params, false);
            const int64_t key = key_of(sketch, hashes[h]);
            const int64_t other = key_of(sketch, hashes[(h + 1) % HASHES]);
            add_ints(sketch, &key, 1);
            if (k < 4)
                CHECK(maybe_has(sketch, key) && !maybe_has(sketch, other));
            else if (k < 6)
                CHECK(count_of(sketch, key) == 1 && count_of(sketch, other) == 0);
            else
                CHECK(sketches_distinct(sketch).estimate > 0.9 &&
                      sketches_distinct(sketch).estimate < 1.5);
            if (k == 0 || k == 1) /* each a place of its own */
                assert_int_equal(bits_set_in(sketch), k == 0 ? INK__BLOCK_WORDS : 11);
        }
}

/* ---- Samples ------------------------------------------------------------------------------ */

enum { SAMPLED = 20000, ONE_IN = 64 };

static uint64_t plain_hash(const ink_sketch *plain, const ink_batch *key)
{
    uint64_t hash;

    CHECK_OK(ink_sketch_hash_batch(plain, key, &hash, &error));
    return hash;
}

/* Counts keys of which somebody upstream left one in 64, by the first bits of a hash without a
 * seed; with that very hash, or with ours. */
static double count_sampled(ink_key_type type, bool same_hash)
{
    const ink_params seedless = {
        .kind = "hll", .precision = 12, .key_type = type, .has_seed = true};
    const ink_params ours = {.kind = "hll", .precision = 12, .key_type = type};
    owned_sketch *plain = made(seedless, false), *sketch = made(same_hash ? seedless : ours, false);

    for (int64_t number = 0, left = SAMPLED; left > 0; number++) {
        char           text[32];
        const uint64_t offsets[] = {
            0, (uint64_t)snprintf(text, sizeof text, "key %lld", (long long)number)};
        ink_batch key = {.count = 1};
        if (type == INK_KEY_INT)
            key.ints = &number;
        else {
            key.data = (const uint8_t *)text;
            key.offsets = offsets;
        }
        if (plain_hash(plain, &key) >= UINT64_MAX / ONE_IN)
            continue;
        CHECK_OK(ink_sketch_add_batch(sketch, &key, &error));
        left--;
    }
    double counted = sketches_distinct(sketch).estimate;
    return counted;
}

TEST(a_sample_by_a_plain_hash_is_counted_as_any_other_data)
{
    for (int type = 0; type < 2; type++) {
        ink_key_type of = type == 0 ? INK_KEY_BYTES : INK_KEY_INT;
        double       same = count_sampled(of, true), ours = count_sampled(of, false);
        /* Of the registers one in 64 is met; ours scatter by 1.6 %. */
        if (same > 0.2 * SAMPLED && same < 5 * SAMPLED)
            fail_msg("the same hash counts %g of %d: it shows nothing", same, SAMPLED);
        if (!(ours > 0.9 * SAMPLED && ours < 1.1 * SAMPLED))
            fail_msg("%g of %d", ours, SAMPLED);
    }
}

/* ---- Groups ------------------------------------------------------------------------------- */

static uint64_t turned(uint64_t x, unsigned by)
{
    return x << by | x >> (64 - by);
}

/* The eight bytes whose XXH3 is this hash, but for the same bits of every one: the steps of XXH3
 * for such keys, backwards. */
static uint64_t unhash_8(uint64_t hash)
{
    const uint64_t prime = inverse_of(0x9fb21c651e98df25u);

    hash ^= hash >> 28 ^ hash >> 56;
    hash *= prime;
    hash ^= (hash >> 35) + 8;
    hash *= prime;
    for (int i = 0; i < 63; i++) /* 64 times is the identity */
        hash ^= turned(hash, 49) ^ turned(hash, 24);
    return turned(hash, 32);
}

static uint64_t hash_8(const ink_sketch *labeller, uint64_t label)
{
    static const uint64_t offsets[] = {0, 8};
    uint8_t               bytes[8];

    for (int i = 0; i < 8; i++)
        bytes[i] = (uint8_t)(label >> 8 * i);
    return plain_hash(labeller, &(ink_batch){.count = 1, .data = bytes, .offsets = offsets});
}

static bool can_stand_in_a_field(uint64_t label)
{
    for (int i = 0; i < 8; i++) {
        uint8_t byte = (uint8_t)(label >> 8 * i);
        if (byte == '\t' || byte == '\n' || byte == '\r')
            return false;
    }
    return true;
}

/* The seconds of this processor that asking this many groups by their names takes, where these have
 * hashes that all end in 20 zeros, or any. */
static double seconds_for_names(size_t count, bool chosen)
{
    static const char *const first[] = {"1"};
    const ink_reading reading = {.form = INK_FORM_TSV, .key = first, .key_count = 1, .by = "2"};
    const ink_params  bloom = {.kind = "bloom", .expected_keys = 1};
    const ink_build_options  options = {.kinds = &bloom, .kind_count = 1};
    const ink_filter_options by = {.by = true};
    const ink_params         labels = {.kind = "fm"};
    ink_sketch              *labeller = made(labels, false);
    uint64_t                 bits = unhash_8(hash_8(labeller, 0)); /* which XXH3 flips first */
    uint8_t                 *text = malloc(11 * count), *end = text, *bytes;
    ink_job                  job = {.threads = 1};
    ink_filter_report        report;
    ink_set                 *set;
    ink_file                *file;
    size_t                   byte_count;

    assert_non_null(text);
    for (uint64_t i = 1; end < text + 11 * count; i++) {
        uint64_t label = chosen ? unhash_8(i << 20) ^ bits : next_random();
        if (!can_stand_in_a_field(label))
            continue;
        if (chosen)
            CHECK(hash_8(labeller, label) == i << 20);
        *end++ = 'k';
        *end++ = '\t';
        for (int b = 0; b < 8; b++)
            *end++ = (uint8_t)(label >> 8 * b);
        *end++ = '\n';
    }
    const ink_input input = {.memory = text, .memory_bytes = 11 * count};
    CHECK_OK(ink_build(&set, &input, 1, &reading, &options, &job, &error));
    assert_int_equal(ink_set_count(set), count);
    CHECK_OK(ink_set_encode(set, &bytes, &byte_count, &error));
    CHECK_OK(ink_file_decode(&file, bytes, byte_count, INK_OPEN_CHECKED, NULL, &error));
    clock_t began = clock();
    CHECK_OK(ink_filter(file, &input, 1, &reading, &by, NULL, &report, &job, &error));
    double took = (double)(clock() - began) / CLOCKS_PER_SEC;
    assert_int_equal(report.admitted, count);
    ink_file_close(file);
    ink_bytes_free(bytes, byte_count, NULL);
    ink_set_free(set);
    ink_sketch_free(labeller);
    free(text);
    return took;
}

TEST(groups_whose_names_were_chosen_are_found_as_fast_as_others)
{
    const size_t count = getenv("INK_TEST_LIGHT") != NULL ? 10000 : 80000;
    double       others = seconds_for_names(count, false), chosen = seconds_for_names(count, true);

    if (chosen > 10 * others + 0.5)
        fail_msg("%g s, others %g s", chosen, others);
}

RUN_TESTS()
