/* attacks_test.c - keys that somebody chose who knows how we hash: each attack breaks a sketch
 * without a secret, as docs/accuracy.md says, and does nothing to one with a secret, which the
 * attacker does not have. [Gerbet, Kumar, Lauradoux 2014; Reviriego, Adell, Ting 2020; Paterson,
 * Raynal 2021; Markelon, Filic, Shrimpton 2023; multicollisions of Murmur: Aumasson, Bernstein
 * 2012] */
#include "support/check.h"

#include "kernels/split_block.h"

static ink_error     error;
static const uint8_t secret[INK_SECRET_BYTES] = "nobody knows it!";

static uint64_t chance = 5;

static uint64_t next_random(void)
{
    uint64_t x = chance += 0x9e3779b97f4a7c15u; /* SplitMix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
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

    CHECK_OK(ink_hash_batch(sketch, &(ink_batch){.count = 1, .ints = &zero}, &of_zero, &error));
    return (int64_t)(unmix(hash) ^ unmix(of_zero));
}

static ink_sketch *made(ink_params params, bool keyed)
{
    ink_sketch *sketch;

    params.secret = keyed ? secret : NULL;
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    return sketch;
}

static void add_ints(ink_sketch *sketch, const int64_t *keys, size_t count)
{
    CHECK_OK(ink_sketch_add_batch(sketch, &(ink_batch){.count = count, .ints = keys}, &error));
}

static double distinct_of(const ink_sketch *sketch)
{
    ink_answer answer;

    CHECK_OK(ink_sketch_distinct(sketch, 0, &answer, &error));
    return answer.estimate;
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
    ink_description d;

    ink_sketch_describe(victim, &d);
    uint64_t  blocks = d.bits / 256;
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

static void chosen_insertions_fill_a_filter_only_without_a_secret(void **state)
{
    const ink_params params = {
        .kind = "bloom", .expected_keys = FILTER_KEYS, .key_type = INK_KEY_INT};
    static int64_t keys[FILTER_KEYS];
    double         rates[2];

    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        ink_sketch *sketch = made(params, keyed);
        if (!keyed)
            choose_insertions(sketch, keys);
        add_ints(sketch, keys, FILTER_KEYS);
        CHECK_OK(ink_sketch_rate(sketch, &rates[keyed], &error));
        ink_sketch_free(sketch);
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

static void put_word(uint8_t *to, uint64_t word)
{
    for (unsigned i = 0; i < 8; i++)
        to[i] = (uint8_t)(word >> 8 * i);
}

static void make_colliding(uint8_t *bytes, uint64_t *offsets)
{
    uint64_t words[2 * PAIRS];

    for (size_t i = 0; i < 2 * PAIRS; i++)
        words[i] = next_random();
    for (size_t key = 0; key < COLLIDING; key++) {
        offsets[key] = key * COLLIDING_BYTES;
        for (size_t i = 0; i < 2 * PAIRS; i++)
            put_word(bytes + offsets[key] + 8 * i,
                     word_with(words[i] ^ (uint64_t)(key >> i / 2 & 1) << 63));
    }
    offsets[COLLIDING] = (uint64_t)COLLIDING * COLLIDING_BYTES;
}

/* Adds the first half of the keys; tells the share of the others that then seem to be in. */
static double share_of_strangers(const char *hash, uint64_t seed, bool keyed, const uint8_t *bytes,
                                 const uint64_t *offsets)
{
    enum { HALF = COLLIDING / 2 };
    static uint8_t   answers[HALF];
    const ink_params params = {.kind = "bloom",
                               .expected_keys = HALF,
                               .hash = hash,
                               .seed = seed,
                               .explicit_seed = hash != NULL};
    const ink_batch  in = {.count = HALF, .bytes = bytes, .offsets = offsets};
    const ink_batch  out = {.count = HALF, .bytes = bytes, .offsets = offsets + HALF};
    ink_sketch      *sketch = made(params, keyed);
    double           maybe = 0;

    CHECK_OK(ink_sketch_add_batch(sketch, &in, &error));
    CHECK_OK(ink_sketch_contains_batch(sketch, &out, answers, &error));
    for (size_t i = 0; i < HALF; i++)
        maybe += answers[i];
    ink_sketch_free(sketch);
    return maybe / HALF;
}

static void keys_that_collide_under_murmur_whatever_its_seed_do_not_under_our_hashes(void **state)
{
    uint8_t  *bytes = malloc((size_t)COLLIDING * COLLIDING_BYTES);
    uint64_t *offsets = malloc((COLLIDING + 1) * sizeof *offsets);

    (void)state;
    assert_true(bytes != NULL && offsets != NULL);
    make_colliding(bytes, offsets);
    CHECK(share_of_strangers("murmur64a", 0, false, bytes, offsets) == 1);
    CHECK(share_of_strangers("murmur64a", 0x123456789abcdefu, false, bytes, offsets) == 1);
    CHECK(share_of_strangers(NULL, 0, false, bytes, offsets) < 0.02);
    CHECK(share_of_strangers(NULL, 0, true, bytes, offsets) < 0.02);
    free(bytes);
    free(offsets);
}

/* ---- HyperLogLog -------------------------------------------------------------------------- */

enum { PRECISION = 12, REGISTERS = 1 << PRECISION };

static const ink_params hll = {.kind = "hll", .precision = PRECISION, .key_type = INK_KEY_INT};

/* One key for each register, with the highest value that one can have. */
static void a_few_chosen_keys_inflate_an_hll_only_without_a_secret(void **state)
{
    static int64_t keys[REGISTERS];
    double         counted[2];

    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        ink_sketch *sketch = made(hll, keyed);
        for (uint64_t i = 0; i < REGISTERS && !keyed; i++)
            keys[i] = key_of(sketch, i << (64 - PRECISION));
        add_ints(sketch, keys, REGISTERS);
        counted[keyed] = distinct_of(sketch);
        ink_sketch_free(sketch);
    }
    CHECK(counted[0] > 1e15);
    CHECK(counted[1] > 0.9 * REGISTERS && counted[1] < 1.1 * REGISTERS);
}

/* Keys that all meet one register, and are therefore hardly seen. */
static void many_chosen_keys_hide_from_an_hll_only_without_a_secret(void **state)
{
    enum { KEYS = 100000 };
    int64_t *keys = malloc(KEYS * sizeof *keys);
    double   counted[2];

    (void)state;
    assert_non_null(keys);
    for (int keyed = 0; keyed < 2; keyed++) {
        ink_sketch *sketch = made(hll, keyed);
        for (uint64_t i = 0; i < KEYS && !keyed; i++)
            keys[i] = key_of(sketch, (next_random() | (uint64_t)1 << 63) >> PRECISION);
        add_ints(sketch, keys, KEYS);
        counted[keyed] = distinct_of(sketch);
        ink_sketch_free(sketch);
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
    ink_sketch *sketch = made(count_min, false);

    add_ints(sketch, &key, 1);
    CHECK_OK(ink_sketch_payload(sketch, payload, bytes, &error));
    ink_sketch_free(sketch);
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

static void a_cover_of_a_key_makes_it_look_frequent_only_without_a_secret(void **state)
{
    enum { VICTIM = 77, TIMES = 1000 };
    int64_t cover[COVER_MAX];
    size_t  size = find_cover(VICTIM, cover);

    (void)state;
    for (int keyed = 0; keyed < 2; keyed++) {
        ink_sketch *sketch = made(count_min, keyed);
        for (int i = 0; i < TIMES; i++)
            add_ints(sketch, cover, size);
        double counted = count_of(sketch, VICTIM); /* which was never added */
        CHECK(keyed ? counted == 0 : counted >= TIMES);
        ink_sketch_free(sketch);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(chosen_insertions_fill_a_filter_only_without_a_secret),
        cmocka_unit_test(keys_that_collide_under_murmur_whatever_its_seed_do_not_under_our_hashes),
        cmocka_unit_test(a_few_chosen_keys_inflate_an_hll_only_without_a_secret),
        cmocka_unit_test(many_chosen_keys_hide_from_an_hll_only_without_a_secret),
        cmocka_unit_test(a_cover_of_a_key_makes_it_look_frequent_only_without_a_secret),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
