/* top_test.c - a top reports every key above its share and brackets the count of every key, kept or
 * not, on streams of all shapes, whole or in parts that are merged in order or as a tree; and it is
 * key by key what a naive table with the rule of docs/format.md is. These are certainties, so each
 * single answer is checked, and a defect of any size that changes one fails. What the bounds do not
 * tell, how much narrower than N / (c + 1) the answers are on Zipf streams, stands in rows. */
#include "accuracy/streams.h"

/* ---- The naive table ---------------------------------------------------------------------- */

/* Counts by key: high 0 means not kept. */
typedef struct table {
    uint64_t  capacity, total, missed;
    size_t    keys, kept;
    uint64_t *high, *error;
    int64_t  *names; /* of those kept */
} table;

static table table_of(uint64_t capacity, size_t keys)
{
    return (table){
        .capacity = capacity,
        .keys = keys,
        .high = taken(keys, sizeof(uint64_t)),
        .error = taken(keys, sizeof(uint64_t)),
        .names = taken(keys, sizeof(int64_t)),
    };
}

static void table_free(table *t)
{
    free(t->high);
    free(t->error);
    free(t->names);
}

static int falling(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;

    return (x < y) - (x > y);
}

/* `missed` becomes the (c + 1)-th largest high, and all keys up to that go. */
static void table_purge(table *t)
{
    uint64_t *sorted = taken(t->kept, sizeof *sorted);
    size_t    kept = 0;

    for (size_t i = 0; i < t->kept; i++)
        sorted[i] = t->high[t->names[i]];
    qsort(sorted, t->kept, sizeof *sorted, falling);
    t->missed = sorted[t->capacity];
    free(sorted);
    for (size_t i = 0; i < t->kept; i++) {
        int64_t key = t->names[i];
        if (t->high[key] <= t->missed)
            t->high[key] = t->error[key] = 0;
        else
            t->names[kept++] = key;
    }
    t->kept = kept;
}

static void table_add(table *t, int64_t key, uint64_t weight)
{
    t->total += weight;
    if (t->high[key] == 0) {
        if (t->kept == 2 * t->capacity)
            table_purge(t);
        t->high[key] = t->error[key] = t->missed;
        t->names[t->kept++] = key;
    }
    t->high[key] += weight;
}

/* A key that one of the two does not keep may have had there what that one misses. */
static void table_merge(table *a, const table *b)
{
    a->kept = 0;
    for (size_t key = 0; key < a->keys; key++) {
        bool in_a = a->high[key] != 0, in_b = b->high[key] != 0;
        if (!in_a && !in_b)
            continue;
        a->high[key] = (in_a ? a->high[key] : a->missed) + (in_b ? b->high[key] : b->missed);
        a->error[key] = (in_a ? a->error[key] : a->missed) + (in_b ? b->error[key] : b->missed);
        a->names[a->kept++] = (int64_t)key;
    }
    a->total += b->total;
    a->missed += b->missed;
    if (a->kept > 2 * a->capacity)
        table_purge(a);
}

/* ---- The streams -------------------------------------------------------------------------- */

/* The shapes; c is the capacity. */
enum shape {
    ZIPF_08,
    ZIPF_10,
    ZIPF_12,
    ZIPF_15,
    ALL_EQUAL,
    ALL_EQUAL_SHUFFLED,
    SORTED,
    REVERSED,
    ROUND_ROBIN,
    HEAVY_C,       /* c equal keys in turn, each with 1/c of all */
    HEAVY_C_1,     /* c + 1 */
    HEAVY_2C_1,    /* 2c + 1: the fullest table, again and again */
    HEAVY_BETWEEN, /* c / 2 heavy keys, each with more than 1/c, among keys that come once */
    HEAVY_LAST,    /* keys that come once, then one with more than 1/c */
    HEAVY_FIRST,
    SHAPES
};

static const char *const shape_names[] = {
    "Zipf 0.8",         "Zipf 1.0",         "Zipf 1.2",         "Zipf 1.5",
    "all equal",        "all equal, mixed", "sorted",           "reversed",
    "round-robin",      "c heavy keys",     "c + 1 heavy keys", "2c + 1 heavy keys",
    "c / 2 among rare", "heavy key last",   "heavy key first",
};

/* c / 2 heavy keys, or one, with 3 / 2c of all each, before keys that come once. */
static stream heavy_and_rare(uint64_t capacity, uint64_t heavy, size_t length)
{
    uint64_t  each = 3 * length / (2 * capacity);
    size_t    rare = length - (size_t)(heavy * each), keys = (size_t)heavy + rare;
    uint64_t *counts = taken(keys, sizeof *counts);

    for (size_t key = 0; key < keys; key++)
        counts[key] = key < heavy ? each : 1;
    return stream_of_counts(keys, counts);
}

static stream stream_in(enum shape shape, uint64_t capacity, size_t length)
{
    static const double exponents[] = {0.8, 1.0, 1.2, 1.5};
    size_t              keys = length / 10, c = (size_t)capacity;
    stream              s;

    switch (shape) {
    case ZIPF_08:
    case ZIPF_10:
    case ZIPF_12:
    case ZIPF_15:
        s = stream_zipf(keys, exponents[shape], length);
        stream_shuffle(&s, 5 + (uint64_t)shape);
        return s;
    case ALL_EQUAL:
    case ALL_EQUAL_SHUFFLED:
        s = stream_uniform(keys, 10);
        if (shape == ALL_EQUAL_SHUFFLED)
            stream_shuffle(&s, 17);
        return s;
    case SORTED:
        return stream_zipf(keys, 1.0, length);
    case REVERSED:
        s = stream_zipf(keys, 1.0, length);
        stream_reverse(&s);
        return s;
    case ROUND_ROBIN:
        s = stream_zipf(keys, 1.0, length);
        stream_round_robin(&s);
        return s;
    case HEAVY_C:
    case HEAVY_C_1:
    case HEAVY_2C_1:
        keys = shape == HEAVY_C ? c : shape == HEAVY_C_1 ? c + 1 : 2 * c + 1;
        s = stream_uniform(keys, length / keys + 1);
        stream_round_robin(&s);
        return s;
    case HEAVY_BETWEEN:
        s = heavy_and_rare(capacity, capacity / 2, length);
        stream_shuffle(&s, 18);
        return s;
    default:
        s = heavy_and_rare(capacity, 1, length);
        if (shape == HEAVY_LAST)
            stream_reverse(&s);
        return s;
    }
}

/* ---- Building, whole and in parts --------------------------------------------------------- */

typedef struct pair { /* what is tested, and what it must be */
    ink_sketch *sketch;
    table       naive;
} pair;

static pair pair_of(const ink_params *params, const stream *s, size_t part, size_t parts)
{
    size_t from = s->length * part / parts, until = s->length * (part + 1) / parts;
    pair   p = {.sketch = make(params)};

    p.naive = table_of(described(p.sketch).capacity, s->keys);
    add_items(p.sketch, s->items + from, until - from);
    for (size_t i = from; i < until; i++)
        table_add(&p.naive, s->items[i], 1);
    return p;
}

static void pair_free(pair *p)
{
    ink_sketch_free(p->sketch);
    table_free(&p->naive);
}

static void pair_merge(pair *into, pair *from)
{
    merge_into(into->sketch, from->sketch);
    table_merge(&into->naive, &from->naive);
    pair_free(from);
}

static pair in_order(const ink_params *params, const stream *s, size_t parts)
{
    pair all = pair_of(params, s, 0, parts);

    for (size_t part = 1; part < parts; part++) {
        pair next = pair_of(params, s, part, parts);
        pair_merge(&all, &next);
    }
    return all;
}

static pair as_tree(const ink_params *params, const stream *s, size_t first, size_t count,
                    size_t parts)
{
    if (count == 1)
        return pair_of(params, s, first, parts);
    pair left = as_tree(params, s, first, count / 2, parts);
    pair right = as_tree(params, s, first + count / 2, count - count / 2, parts);
    pair_merge(&left, &right);
    return left;
}

/* ---- Checks ------------------------------------------------------------------------------- */

/* The true value lies between the bounds of each key, also of one that never came, and nothing that
 * is missed is above N / (c + 1). */
static void check_bounds(const ink_sketch *sketch, const stream *s, const char *name)
{
    ink_answer     *answers = taken(s->keys + 1, sizeof *answers);
    ink_description d = described(sketch);

    CHECK(d.total == s->length);
    ask_counts(sketch, s->keys + 1, answers);
    for (size_t key = 0; key <= s->keys; key++) {
        double exact = key < s->keys ? (double)s->counts[key] : 0;
        if (!(answers[key].low <= exact && exact <= answers[key].high &&
              answers[key].confidence == 1))
            fail_msg("%s: key %zu was added %g times, not %g to %g", name, key, exact,
                     answers[key].low, answers[key].high);
        /* No width is above what can be missed. */
        CHECK((answers[key].high - answers[key].low) * (double)(d.capacity + 1) <=
              (double)s->length);
    }
    CHECK(answers[s->keys].low == 0);
    free(answers);
}

static void check_against_naive(const ink_sketch *sketch, const table *t, const char *name)
{
    ink_answer *answers = taken(t->keys + 1, sizeof *answers);

    ask_counts(sketch, t->keys + 1, answers);
    for (size_t key = 0; key <= t->keys; key++) {
        bool     kept = key < t->keys && t->high[key] != 0;
        uint64_t high = kept ? t->high[key] : t->missed;
        uint64_t low = kept ? t->high[key] - t->error[key] : 0;
        if (answers[key].low != (double)low || answers[key].high != (double)high)
            fail_msg("%s: key %zu is %g to %g, the naive table has %g to %g", name, key,
                     answers[key].low, answers[key].high, (double)low, (double)high);
    }
    free(answers);
}

/* Every key above N / k is reported, for k up to the capacity; and what is reported is as it is
 * told. */
static void check_recall(const ink_sketch *sketch, const stream *s, const char *name)
{
    ink_description d = described(sketch);
    size_t          room = (size_t)(2 * d.capacity), found = 0;
    ink_item       *items = taken(room, sizeof *items);
    uint8_t        *reported = taken(s->keys, 1);
    ink_error       error;

    for (uint64_t k = d.capacity; k > 0; k /= 3) {
        CHECK_OK(ink_sketch_over(sketch, k, items, room, &found, &error));
        memset(reported, 0, s->keys);
        for (size_t i = 0; i < found; i++) {
            CHECK((uint64_t)items[i].key_int < s->keys);
            CHECK(!reported[items[i].key_int]);
            reported[items[i].key_int] = 1;
            double exact = (double)s->counts[items[i].key_int];
            CHECK(items[i].count.low <= exact && exact <= items[i].count.high);
            CHECK(items[i].count.high * (double)k > (double)s->length);
            CHECK(i == 0 || items[i - 1].count.estimate >= items[i].count.estimate);
        }
        for (size_t key = 0; key < s->keys; key++)
            if (s->counts[key] * k > s->length && !reported[key])
                fail_msg("%s: key %zu has %g of %g, above 1/%g, and is not reported", name, key,
                         (double)s->counts[key], (double)s->length, (double)k);
    }
    CHECK_OK(ink_sketch_top(sketch, items, room, &found, &error));
    CHECK(found <= room);
    free(items);
    free(reported);
}

static void check_pair(pair *p, const stream *s, const char *name)
{
    check_bounds(p->sketch, s, name);
    check_recall(p->sketch, s, name);
    check_against_naive(p->sketch, &p->naive, name);
    pair_free(p);
}

/* ---- Tests -------------------------------------------------------------------------------- */

static const struct {
    double phi;
    size_t length;
    bool   full;
} sizes[] = {
    {0.1, 20000, false},    {0.01, 40000, false}, {1.0 / 33, 200000, true},
    {0.001, 1000000, true}, {1, 5000, false},     {0.5, 5000, false},
};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

/* Calls for each size and shape. */
static void for_each_stream(void (*test)(const ink_params *, const stream *, const char *))
{
    for (size_t i = 0; i < SIZES; i++)
        for (int shape = 0; shape < SHAPES; shape++) {
            const ink_params params = {.kind = "top", .phi = sizes[i].phi, .key_type = INK_KEY_INT};
            ink_description  d;
            ink_error        error;
            char             name[80];
            if ((sizes[i].full && !full()) || (sizes[i].phi >= 0.5 && shape >= HEAVY_BETWEEN))
                continue;
            CHECK_OK(ink_plan(&params, &d, &error));
            stream s = stream_in((enum shape)shape, d.capacity, light() ? 2000 : sizes[i].length);
            (void)snprintf(name, sizeof name, "top: %s, c %u", shape_names[shape],
                           (unsigned)d.capacity);
            test(&params, &s, name);
            stream_free(&s);
        }
}

static void check_whole(const ink_params *params, const stream *s, const char *name)
{
    pair p = pair_of(params, s, 0, 1);

    check_pair(&p, s, name);
}

TEST(heavy_keys_are_reported_and_all_counts_bracketed)
{
    for_each_stream(check_whole);
}

static void check_parts(const ink_params *params, const stream *s, const char *name)
{
    static const size_t parts[] = {2, 7, 64};

    for (size_t i = 0; i < 3; i++) {
        pair p = in_order(params, s, parts[i]);
        check_pair(&p, s, name);
        p = as_tree(params, s, 0, parts[i], parts[i]);
        check_pair(&p, s, name);
    }
}

TEST(merged_parts_are_as_good_as_the_whole)
{
    for_each_stream(check_parts);
}

static void check_weights(const ink_params *params, const stream *s, const char *name)
{
    pair p = pair_of(params, s, 0, s->length + 1); /* nothing */

    add_counts(p.sketch, s);
    for (size_t key = 0; key < s->keys; key++)
        if (s->counts[key] > 0)
            table_add(&p.naive, (int64_t)key, s->counts[key]);
    check_pair(&p, s, name);
}

TEST(weights_count_as_often_as_they_say)
{
    for_each_stream(check_weights);
}

TEST(capacities_are_those_of_phi_and_top_keys)
{
    static const double   shares[] = {1, 0.5, 0.3, 0.1, 0.03, 0.01, 1e-3, 1e-5};
    static const uint32_t wanted[] = {0, 1, 10, 32, 33, 100, 32768};

    for (size_t i = 0; i < 8; i++) {
        const ink_params params = {.kind = "top", .phi = shares[i]};
        ink_description  d;
        ink_error        error;
        CHECK_OK(ink_plan(&params, &d, &error));
        CHECK((double)d.capacity == ceil(1 / shares[i]) && d.phi == 1 / (double)d.capacity);
    }
    for (size_t i = 0; i < 7; i++) {
        const ink_params params = {.kind = "top", .top_keys = wanted[i]};
        ink_description  d;
        ink_error        error;
        CHECK_OK(ink_plan(&params, &d, &error));
        CHECK(d.capacity == (wanted[i] <= 32 ? 1024 : 32 * wanted[i]));
    }
}

TEST(merged_capacities_are_the_smaller)
{
    /* Ten keys a part, of which one table keeps many more than the other. */
    stream s = stream_zipf(2000, 1.0, light() ? 4000 : 30000);

    stream_shuffle(&s, 3);
    for (int turned = 0; turned < 2; turned++) {
        const ink_params small = {.kind = "top", .phi = 0.05, .key_type = INK_KEY_INT};
        const ink_params large = {.kind = "top", .phi = 0.004, .key_type = INK_KEY_INT};
        pair             a = pair_of(turned ? &large : &small, &s, 0, 2);
        pair             b = pair_of(turned ? &small : &large, &s, 1, 2);
        a.naive.capacity = 20;
        pair_merge(&a, &b);
        CHECK(described(a.sketch).capacity == 20);
        check_pair(&a, &s, "top: capacities 20 and 250");
    }
    stream_free(&s);
}

TEST(missed_is_as_small_as_the_bound_says_where_it_is_largest)
{
    /* 2c + 1 keys in turn, each j times: all have the same high when the table is full, so `missed`
     * is that; c keys more with large counts leave the bound no room. */
    for (uint64_t c = 1; c <= 64; c *= 2) {
        const ink_params params = {.kind = "top", .phi = 1 / (double)c, .key_type = INK_KEY_INT};
        stream           s = stream_uniform((size_t)(2 * c + 1), 100);
        stream_sort(&s); /* 100 of the first key, then of the next */
        pair       p = pair_of(&params, &s, 0, 1);
        ink_answer answers[130];
        ask_counts(p.sketch, s.keys + 1, answers);
        CHECK(answers[s.keys].high == 100); /* (c + 1)-th of 2c equal ones */
        CHECK(answers[s.keys].high * (double)(c + 1) <= (double)s.length);
        check_pair(&p, &s, "top: 2c + 1 equal keys, sorted");
        stream_free(&s);
    }
}

TEST(the_most_frequent_keys_of_zipf_streams_are_reported_sharply)
{
    /* The width of the bounds of the true top 100, as a part of N / (c + 1): equal to that of the
     * naive table; and the share of the true top 10 among the 10 that it names first. */
    static const struct {
        double exponent;
        size_t parts;
    } cases[] = {{0.8, 1}, {1.0, 1}, {1.2, 1}, {1.5, 1}, {1.0, 64}, {1.2, 64}};

    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const ink_params params = {.kind = "top", .top_keys = 10, .key_type = INK_KEY_INT};
        size_t length = light() ? 10000 : full() ? 1000000 : 100000, found = 0, true_ones = 0;
        stream s = stream_zipf(length / 10, cases[i].exponent, length);
        stream_shuffle(&s, 40 + i);
        pair       p = in_order(&params, &s, cases[i].parts);
        double     bound = (double)s.length / 1025, width = 0, naive = 0;
        ink_answer answers[100];
        ink_item   items[10];
        ink_error  error;
        CHECK(described(p.sketch).capacity == 1024);
        ask_counts(p.sketch, 100, answers);
        for (size_t key = 0; key < 100; key++) {
            bool kept = p.naive.high[key] != 0;
            width += (answers[key].high - answers[key].low) / 100;
            naive += (double)(kept ? p.naive.error[key] : p.naive.missed) / 100;
        }
        CHECK_OK(ink_sketch_top(p.sketch, items, 10, &found, &error));
        CHECK(found == 10);
        for (size_t j = 0; j < 10; j++)
            true_ones += s.counts[items[j].key_int] >= s.counts[9];
        row(named("top: mean width of the top 100, in N / (c + 1), Zipf %g, parts %u",
                  cases[i].exponent, (unsigned)cases[i].parts),
            naive / bound, width / bound, naive / bound, naive / bound);
        row(named("top: share of the true top 10, Zipf %g, parts %u", cases[i].exponent,
                  (unsigned)cases[i].parts),
            1, (double)true_ones / 10, cases[i].exponent < 1 ? 0.8 : 1, 1);
        CHECK(width <= bound);
        check_pair(&p, &s, "top: Zipf");
        stream_free(&s);
    }
}

RUN_TESTS()
