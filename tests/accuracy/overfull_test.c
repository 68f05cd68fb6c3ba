/* overfull_test.c - the rule by which filters are refused: never by the scatter of their own bits,
 * and surely from some percent more keys than planned on. A filter with exactly the planned keys is
 * to be refused with a chance of 1e-9, so none of 3000 is; the rule before it (a rate above the
 * promise) refuses some of them. With `more` times the keys all but one in a thousand are: of 3000
 * at least 2990, which a power below 0.995 fails with a chance above 0.95. */
#include "accuracy/statistics.h"

enum { KEYS_MAX = 103000 };

static ink_error error;
static uint64_t  hashes[KEYS_MAX];

typedef struct setting {
    ink_params params;
    unsigned   filters;
    double     more;  /* times the planned keys: such filters are refused */
    bool       above; /* some with the planned keys have more than the promised rate */
} setting;

static const setting settings[] = {
    {{.kind = "bloom", .expected_keys = 10}, 3000, 4, false},
    {{.kind = "bloom", .expected_keys = 100}, 3000, 1.8, true},
    {{.kind = "bloom", .expected_keys = 1000}, 3000, 1.25, true},
    {{.kind = "bloom", .expected_keys = 1000, .false_positive_rate = 0.001}, 3000, 1.35, true},
    {{.kind = "bloom", .expected_keys = 10000}, 300, 1.07, false},
    {{.kind = "bloom", .expected_keys = 100000}, 30, 1.03, false},
    {{.kind = "bloom", .expected_keys = 1000, .bits = 8192}, 3000, 1.25, true},
    {{.kind = "classic", .expected_keys = 1}, 3000, 40, true},
    {{.kind = "classic", .expected_keys = 10}, 3000, 2.6, true},
    {{.kind = "classic", .expected_keys = 1000}, 3000, 1.1, true},
    {{.kind = "classic", .expected_keys = 100000, .false_positive_rate = 1e-6}, 30, 1.02, false},
    {{.kind = "counting", .expected_keys = 100}, 1000, 1.8, false},
    {{.kind = "counting", .expected_keys = 1000}, 1000, 1.25, false},
};

/* How many of so many filters with this many keys are refused, and how many have a rate above the
 * promise. */
static unsigned refused(const setting *of, uint64_t keys, unsigned *above)
{
    unsigned        found = 0;
    ink_sketch     *filter;
    ink_description is;
    double          rate;

    uint64_t random = keys;

    *above = 0;
    for (unsigned i = 0; i < trials_of(of->filters); i++) {
        CHECK_OK(ink_sketch_create(&filter, &of->params, NULL, &error));
        for (uint64_t k = 0; k < keys; k++)
            hashes[k] = next_random(&random);
        CHECK_OK(
            ink_sketch_add_batch(filter, &(ink_batch){.hashes = hashes, .count = keys}, &error));
        CHECK_OK(ink_sketch_rate(filter, &rate, &error));
        ink_sketch_describe(filter, &is);
        found += !ink_rate_holds(&is, rate);
        *above += rate > is.promised_rate;
        ink_sketch_free(filter);
    }
    return found;
}

TEST(a_filter_with_the_planned_keys_is_never_refused_and_one_with_some_more_always)
{
    unsigned above, ignored;

    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++) {
        const setting *of = &settings[i];
        uint64_t       keys = of->params.expected_keys, more = (uint64_t)((double)keys * of->more);
        assert_int_equal(refused(of, keys, &above), 0);
        CHECK(!of->above || above > 0 || light());
        CHECK(refused(of, more, &ignored) >= trials_of(of->filters) - of->filters / 300);
    }
}

RUN_TESTS()
