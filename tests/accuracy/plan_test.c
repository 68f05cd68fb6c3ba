/* plan_test.c - how large a filter is depends on n and p alone: on no optimiser, no compiler and no
 * libm. A million pairs (n, p) give one hash, whatever this program was compiled with; fifty
 * thousand of them are compared with the same sources compiled without optimisation
 * (support/plan_unoptimised.c). And the sizes are right: the smallest that promise p, and for
 * classic those of the textbook formulas as Python works them out.
 *
 * The constants: `MILLION`, and `SHARE` and `FIRST` on the way to it, come from gcc 12 -O3 on
 * x86-64, and were the same with the unoptimised sources over all million pairs. The textbook sizes
 * come from CPython 3.11: m = round(-((n * log(p)) / (log(2)) ** 2)); k = round((m / n) * log(2))
 *
 * A million pairs in full, 200000 in `make check`, with INK_TEST_LIGHT set only the first 20000. */
#include "accuracy/statistics.h"
#include "base/real.h"
#include "kernels/split_block.h"
#include "sketch/kinds/split_block_plan.h"
#include "support/plan_unoptimised.h"

enum { PAIRS = 1000000, SHARE_PAIRS = 200000, FIRST_PAIRS = 20000 };
enum { UNOPTIMISED_PAIRS = 50000, RIGHT_PAIRS = 100000 };

/* n from 1 to 2^doublings - 1, evenly over its bit lengths; p from 1e-5 to 1/2 likewise. Only exact
 * operations, so the pairs are the same everywhere. */
static void draw_pair(uint64_t *random, unsigned doublings, uint64_t *keys, double *rate)
{
    uint64_t length = next_random(random) % doublings;

    *keys = ((uint64_t)1 << length) + next_random(random) % ((uint64_t)1 << length);
    uint64_t halvings = next_random(random) % 16;
    *rate = (1 + (double)(next_random(random) >> 12) * 0x1p-52) * 0.25;
    for (uint64_t i = 0; i < halvings; i++)
        *rate *= 0.5;
    if (*rate < INK__SPLIT_BLOCK_RATE_MIN)
        *rate = INK__SPLIT_BLOCK_RATE_MIN;
}

static ink_status plan_classic(uint64_t keys, double rate, ink_description *plan)
{
    const ink_params params = {
        .kind = "classic", .expected_keys = keys, .false_positive_rate = rate};
    ink_error error;

    return ink_plan(&params, plan, &error);
}

/* The pairs go up to 2^34 keys: at low rates that is more than a bloom can hold, and its plan is 0.
 * The hash after this many pairs. */
static uint64_t hash_of_plans(size_t pairs, uint64_t (*bloom)(uint64_t, double))
{
    uint64_t random = 1, hash = 0, keys;
    double   rate;

    for (size_t i = 0; i < pairs; i++) {
        ink_description plan = {0};
        draw_pair(&random, 34, &keys, &rate);
        hash = mixed(hash ^ bloom(keys, rate));
        CHECK(plan_classic(keys, rate, &plan) == INK_OK);
        hash = mixed(hash ^ plan.bits);
        hash = mixed(hash ^ plan.hashes);
        uint64_t promised;
        memcpy(&promised, &plan.promised_rate, sizeof promised);
        hash = mixed(hash ^ promised);
    }
    return hash;
}

#define FIRST 0xed73b3cdfcefff45u
#define SHARE 0x66c0089d9b24af2au
#define MILLION 0x4a5b8c5ec159ff5fu

static void check_hash(uint64_t found, uint64_t expected)
{
    if (found != expected)
        fail_msg("the plans have the hash 0x%016llx, expected 0x%016llx", (unsigned long long)found,
                 (unsigned long long)expected);
}

TEST(the_first_pairs_have_the_sizes_that_they_always_had)
{
    check_hash(hash_of_plans(FIRST_PAIRS, ink__split_block_plan), FIRST);
}

TEST(many_pairs_have_the_sizes_that_they_always_had)
{
    if (light()) { /* the first ones once more, by the unoptimised sources */
        check_hash(hash_of_plans(FIRST_PAIRS, unoptimised_split_block_plan), FIRST);
        return;
    }
    if (full())
        check_hash(hash_of_plans(PAIRS, ink__split_block_plan), MILLION);
    else
        check_hash(hash_of_plans(SHARE_PAIRS, ink__split_block_plan), SHARE);
}

/* ---- Optimised and not -------------------------------------------------------------------- */

TEST(sizes_do_not_depend_on_the_optimiser)
{
    uint64_t random = 2, keys;
    double   rate;

    for (size_t i = 0; i < trials_of(UNOPTIMISED_PAIRS); i++) {
        draw_pair(&random, 34, &keys, &rate);
        uint64_t blocks = ink__split_block_plan(keys, rate);
        uint64_t plain = unoptimised_split_block_plan(keys, rate);
        if (blocks != plain)
            fail_msg("%llu keys at %a: %llu blocks, unoptimised %llu", (unsigned long long)keys,
                     rate, (unsigned long long)blocks, (unsigned long long)plain);
    }
}

static bool same_bits(double a, double b)
{
    return memcmp(&a, &b, sizeof a) == 0;
}

TEST(promises_do_not_depend_on_the_optimiser)
{
    uint64_t random = 3, keys;
    double   rate;

    for (size_t i = 0; i < trials_of(UNOPTIMISED_PAIRS); i++) {
        draw_pair(&random, 34, &keys, &rate);
        uint64_t blocks = 1 + next_random(&random) % (next_random(&random) % 0x20000000 + 1);
        double   scatter, plain_scatter;
        CHECK(same_bits(ink__split_block_rate(keys, blocks, &scatter),
                        unoptimised_split_block_rate(keys, blocks, &plain_scatter)));
        CHECK(same_bits(scatter, plain_scatter));
        CHECK(same_bits(ink__split_block_promise(keys, blocks),
                        unoptimised_split_block_promise(keys, blocks)));
        if (i % 100 == 0)
            CHECK(same_bits(ink__split_block_bits_per_key(rate),
                            unoptimised_split_block_bits_per_key(rate)));
    }
}

TEST(logarithms_and_the_like_do_not_depend_on_the_optimiser)
{
    uint64_t random = 4;

    for (size_t i = 0; i < trials_of(UNOPTIMISED_PAIRS); i++) {
        double u = next_uniform(&random), x = ldexp(u, (int)(next_random(&random) % 200) - 100);
        CHECK(same_bits(ink__ln(x), unoptimised_ln(x)));
        CHECK(same_bits(ink__ln_1p(u - 0.5), unoptimised_ln_1p(u - 0.5)));
        CHECK(same_bits(ink__exp(-30 * u), unoptimised_exp(-30 * u)));
        CHECK(same_bits(ink__exp_m1(u - 0.5), unoptimised_exp_m1(u - 0.5)));
        CHECK(same_bits(ink__sqrt(x), unoptimised_sqrt(x)));
        CHECK(
            same_bits(ink__power(u, (uint32_t)(i % 65)), unoptimised_power(u, (uint32_t)(i % 65))));
        if (i % 100 == 0)
            CHECK(same_bits(ink__normal_z(u), unoptimised_normal_z(u)));
    }
}

/* ---- The right sizes of bloom ------------------------------------------------------------- */

static bool has_nine_bits(uint64_t blocks)
{
    while (blocks != 0 && blocks % 2 == 0)
        blocks /= 2;
    return blocks < 512;
}

/* The next smaller size of at most nine significant bits. */
static uint64_t smaller_size(uint64_t blocks)
{
    uint64_t unit = 1;

    while (blocks / unit > 512)
        unit *= 2;
    return blocks - unit; /* from 512 units itself the step is half as large already */
}

static void check_plan(uint64_t keys, double rate)
{
    uint64_t blocks = ink__split_block_plan(keys, rate);

    if (blocks == 0) {
        CHECK(ink__split_block_promise(keys, INK__BLOCKS_MAX) > rate);
        return;
    }
    if (!has_nine_bits(blocks) || blocks > INK__BLOCKS_MAX ||
        ink__split_block_promise(keys, blocks) > rate)
        fail_msg("%llu keys at %g: %llu blocks, which promise %g", (unsigned long long)keys, rate,
                 (unsigned long long)blocks, ink__split_block_promise(keys, blocks));
    if (blocks > 1 && ink__split_block_promise(keys, smaller_size(blocks)) <= rate)
        fail_msg("%llu keys at %g: %llu blocks, but %llu promise %g", (unsigned long long)keys,
                 rate, (unsigned long long)blocks, (unsigned long long)smaller_size(blocks),
                 ink__split_block_promise(keys, smaller_size(blocks)));
}

TEST(every_plan_is_the_smallest_of_its_shape_that_promises_the_rate)
{
    uint64_t random = 5, keys;
    double   rate;

    CHECK(smaller_size(1024) == 1022 && smaller_size(512) == 511 && smaller_size(100) == 99);
    CHECK(smaller_size(1028) == 1024 && smaller_size(511 * 8) == 510 * 8);
    for (size_t i = 0; i < trials_of(RIGHT_PAIRS); i++) {
        draw_pair(&random, 34, &keys, &rate);
        check_plan(keys, rate);
    }
    /* All small n, where the plan takes every step. */
    for (keys = 1; keys <= (light() ? 50 : 2000); keys++)
        for (rate = 0.5; rate >= 1e-5; rate *= 0.3)
            check_plan(keys, rate);
}

TEST(the_public_plan_is_this_plan)
{
    uint64_t random = 6, keys;
    double   rate;

    for (size_t i = 0; i < trials_of(5000); i++) {
        draw_pair(&random, 30, &keys, &rate);
        const ink_params params = {
            .kind = "bloom", .expected_keys = keys, .false_positive_rate = rate};
        ink_description plan;
        ink_error       error;
        uint64_t        blocks = ink__split_block_plan(keys, rate);
        if (blocks == 0) {
            CHECK_FAILS(ink_plan(&params, &plan, &error), INK_USAGE, "16 GiB");
            continue;
        }
        CHECK_OK(ink_plan(&params, &plan, &error));
        CHECK(plan.bits == 256 * blocks && plan.bytes == 32 * blocks && plan.hashes == 8);
        CHECK(plan.expected_keys == keys && plan.target_rate == rate && plan.promised_rate == rate);
        CHECK(plan.bits_per_key == (double)plan.bits / (double)keys);
    }
}

TEST(more_keys_or_a_lower_rate_never_need_less)
{
    uint64_t random = 7, keys;
    double   rate;

    for (size_t i = 0; i < trials_of(20000); i++) {
        draw_pair(&random, 28, &keys, &rate);
        uint64_t blocks = ink__split_block_plan(keys, rate);
        CHECK(ink__split_block_plan(keys + 1 + keys / 50, rate) >= blocks);
        CHECK(rate * 0.98 < INK__SPLIT_BLOCK_RATE_MIN ||
              ink__split_block_plan(keys, rate * 0.98) >= blocks);
    }
}

TEST(large_filters_need_the_bits_a_key_that_theory_reports)
{
    /* 1e8 keys: scatter is 0.1 % of the rate or less, a size is met to 0.4 % and the rate moves
     * about eight times as much as the size at the most. */
    static const double rates[] = {0.1, 0.01, 0.001, 1e-4, 1e-5};

    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        double bits = 256 * (double)ink__split_block_plan(100000000, rates[i]) / 1e8;
        double theory = ink__split_block_bits_per_key(rates[i]);
        CHECK(bits >= theory * 0.9999 && bits <= theory * 1.006);
    }
}

/* ---- The sizes of classic ----------------------------------------------------------------- */

TEST(the_ten_groups_of_the_imdb_table_have_pythons_sizes)
{
    static const double rates[4] = {0.001, 0.01, 0.05, 0.1};
    static const struct {
        uint64_t n;
        struct {
            uint64_t m;
            uint32_t k;
        } size[4];
    } groups[] = {
        {2484, {{35714, 10}, {23809, 7}, {15488, 4}, {11905, 3}}},
        {7699, {{110693, 10}, {73795, 7}, {48005, 4}, {36898, 3}}},
        {17035, {{244922, 10}, {163281, 7}, {106217, 4}, {81641, 3}}},
        {50907, {{731920, 10}, {487947, 7}, {317417, 4}, {243973, 3}}},
        {96854, {{1392527, 10}, {928351, 7}, {603906, 4}, {464176, 3}}},
        {253265, {{3641340, 10}, {2427560, 7}, {1579164, 4}, {1213780, 3}}},
        {349453, {{5024291, 10}, {3349527, 7}, {2178918, 4}, {1674764, 3}}},
        {370225, {{5322942, 10}, {3548628, 7}, {2308436, 4}, {1774314, 3}}},
        {95158, {{1368142, 10}, {912095, 7}, {593331, 4}, {456047, 3}}},
        {17737, {{255015, 10}, {170010, 7}, {110594, 4}, {85005, 3}}},
    };

    for (size_t i = 0; i < sizeof groups / sizeof groups[0]; i++)
        for (size_t j = 0; j < 4; j++) {
            ink_description plan = {0};
            CHECK(plan_classic(groups[i].n, rates[j], &plan) == INK_OK);
            assert_int_equal(plan.bits, groups[i].size[j].m);
            assert_int_equal(plan.hashes, groups[i].size[j].k);
        }
}

TEST(random_pairs_have_pythons_sizes)
{
    uint64_t random = 2024, hash = 0, keys;
    double   rate;

    for (int i = 0; i < 5000; i++) {
        ink_description plan = {0};
        draw_pair(&random, 34, &keys, &rate);
        CHECK(plan_classic(keys, rate, &plan) == INK_OK);
        hash = mixed(hash ^ plan.bits);
        hash = mixed(hash ^ plan.hashes);
    }
    check_hash(hash, 0xca79736b88e1dbd3);
}

TEST(the_textbook_size_comes_out_without_the_optimiser_too)
{
    const double ln2 = 0.6931471805599453;
    uint64_t     random = 8, keys;
    double       rate;

    for (size_t i = 0; i < trials_of(UNOPTIMISED_PAIRS); i++) {
        ink_description plan = {0};
        draw_pair(&random, 34, &keys, &rate);
        CHECK(plan_classic(keys, rate, &plan) == INK_OK);
        /* nearbyint rounds half to even, as Python's round does. */
        double m = nearbyint(-(((double)keys * unoptimised_ln(rate)) / (ln2 * ln2)));
        double k = nearbyint(m / (double)keys * ln2);
        CHECK((double)plan.bits == m && (double)plan.hashes == k);
    }
}

RUN_TESTS()
