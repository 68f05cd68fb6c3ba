/* update_params_test.c - a sketch that is made for a new group of a file has the parameters of the
 * one that it is made like, whatever these were derived from. */
#include "jobs/update/updating.h"

#include "support/check.h"
#include "support/owned.h"

static ink_error error;

static const uint8_t secret[INK_SECRET_BYTES] = "parameters";

/* Makes a sketch by `params`, and an empty one like it. */
static void check_like(const ink_params *params)
{
    owned_sketch   *of = NULL, *like = NULL;
    ink_description a, b;
    ink_kind_info   info;

    CHECK_OK(ink_sketch_create(&of, params, NULL, &error));
    ink_sketch_describe(of, &a);
    CHECK_OK(ink_kind_describe(a.kind, &info, &error));
    const ink_params made = ink__update_params(&a, &info, params->secret);
    CHECK_OK(ink_sketch_create(&like, &made, NULL, &error));
    ink_sketch_describe(like, &b);
    assert_string_equal(a.kind, b.kind);
    assert_string_equal(a.hash, b.hash);
    CHECK(a.key_type == b.key_type && a.seed == b.seed && a.keyed == b.keyed);
    CHECK(a.secret_check == b.secret_check);
    CHECK(a.bits == b.bits && a.hashes == b.hashes && a.bytes == b.bytes);
    CHECK(a.ratio == b.ratio && a.width == b.width && a.depth == b.depth);
    CHECK(a.counter_bits == b.counter_bits && a.conservative == b.conservative);
    CHECK(a.capacity == b.capacity && a.precision == b.precision);
    if (!info.sized_by_keys) /* others promise what their size gives */
        CHECK(a.expected_keys == b.expected_keys && a.target_rate == b.target_rate);
}

TEST(a_sketch_like_another_has_its_parameters)
{
    static const ink_params kinds[] = {
        {.kind = "bloom", .expected_keys = 1000},
        {.kind = "bloom", .bits = 4096},
        {.kind = "classic", .expected_keys = 1000, .false_positive_rate = 0.2},
        {.kind = "classic", .bits = 4096, .hashes = 3},
        {.kind = "counting", .expected_keys = 77},
        {.kind = "scalable", .expected_keys = 77},
        {.kind = "scalable", .expected_keys = 77, .false_positive_rate = 0.1, .ratio = 0.7},
        {.kind = "count-min", .width = 1000, .depth = 3},
        {.kind = "count-min", .width = 10, .depth = 3, .counter_bits = 64},
        {.kind = "count-min", .epsilon = 0.01, .delta = 0.05, .conservative = true},
        {.kind = "hll"},
        {.kind = "hll", .precision = 5},
        {.kind = "theta", .precision = 7},
        {.kind = "fm", .width = 4, .depth = 3},
        {.kind = "top", .top_keys = 10},
    };

    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (unsigned rule = 0; rule < 7; rule++) {
            ink_params params = kinds[k];
            params.key_type = rule == 1 ? INK_KEY_INT : INK_KEY_BYTES;
            params.has_seed = rule == 2 || rule == 3;
            params.seed = rule == 3 ? UINT64_MAX : 0;
            params.hash = rule == 4 ? "xxh64" : rule == 6 ? "mmh3" : NULL;
            params.secret = rule == 5 ? secret : NULL;
            ink_description found;
            if (params.hash == NULL || ink_plan(&params, &found, NULL) == INK_OK)
                check_like(&params);
        }
}

/* What a top keeps is told by a fraction, which is rounded. */
TEST(a_top_like_another_keeps_as_many_keys)
{
    for (unsigned keys = 1; keys < 3000; keys++) {
        check_like(&(ink_params){.kind = "top", .phi = 1.0 / keys});
        if (keys < 1000)
            check_like(&(ink_params){.kind = "top", .top_keys = keys});
    }
}

RUN_TESTS()
