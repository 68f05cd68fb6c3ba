/* encode_test.c - bytes: encode, decode, encode gives the same bytes; a sketch that was saved and
 * loaded goes on as if it never had been, after every single key: an hll across the switches from
 * list to array in memory and from sparse to dense in the file (its payload is what docs/format.md
 * says of its registers), others across levels, purges and counters that stop; copies are equal and
 * stand alone; a file of many labels finds each. Over every kind, hash and key type of sketches.h.
 *
 * With INK_TEST_LIGHT set, hlls of five precisions instead of fifteen, and fewer steps and labels.
 */
#include "properties/sketches.h"
#include "support/faults.h"
#include "support/sketches.h"

#include <stdio.h>

/* ---- Encode and decode -------------------------------------------------------------------- */

/* 0, 1, 2, a tenth, half and all of the keys. */
static uint64_t filling(const struct variant *variant, int step)
{
    const uint64_t fillings[] = {0, 1, 2, variant->keys / 10, variant->keys / 2, variant->keys};

    return fillings[step];
}
enum { FILLINGS = 6 };

TEST_OF_ALL_VARIANTS(encode_decode_encode_gives_the_same_bytes)
{
    for (int step = 0; step < FILLINGS; step++) {
        owned_sketch  *sketch = make_with(&variants[i].params, 0, filling(&variants[i], step));
        owned_snapshot first = encode(sketch);
        owned_sketch  *decoded = decode(&first);
        owned_snapshot second = encode(decoded);

        if (!encodings_equal(&first, &second))
            fail_msg("variant %zu with %llu keys", i,
                     (unsigned long long)filling(&variants[i], step));
    }
}

/* A sink whose bytes must be the next of an encoding. */
typedef struct compared {
    const sketches_snapshot *with;
    size_t                  *used;
} compared;

static int compare_next(void *host, const void *data, size_t bytes)
{
    const compared *all = host;

    CHECK(bytes > 0 && bytes <= 1 << 20 && bytes <= all->with->count - *all->used);
    CHECK(memcmp(all->with->bytes + *all->used, data, bytes) == 0);
    *all->used += bytes;
    return 0;
}

TEST_OF_ALL_VARIANTS(an_encoding_goes_to_memory_that_is_just_large_enough)
{
    for (int step = 0; step < FILLINGS; step++) {
        owned_sketch  *sketch = make_with(&variants[i].params, 0, filling(&variants[i], step));
        owned_snapshot encoded = encode(sketch);
        size_t         needed = 0, count = 0;
        CHECK_OK(ink_sketch_encoded_bytes(sketch, &needed, &error));
        CHECK(needed == encoded.count);

        uint8_t *to = test_malloc(needed);
        memset(to, 7, needed);
        CHECK_FAILS(ink_sketch_encode_to(sketch, to, needed - 1, &count, &error), INK_LIMIT,
                    "bytes, expected the ");
        CHECK(count == 0 && to[0] == 7 && memcmp(to, to + 1, needed - 1) == 0);
        CHECK_OK(ink_sketch_encode_to(sketch, to, needed, &count, &error));
        CHECK(count == needed && memcmp(to, encoded.bytes, needed) == 0);
        count = 0;
        CHECK_OK(ink_sketch_write(sketch, &(ink_sink){compare_next, &(compared){&encoded, &count}},
                                  &error));
        CHECK(count == needed);
        test_free(to);
    }
}

/* Memory is counted to the byte, as the allocator counts it, while a sketch grows and as a view. */
TEST_OF_VARIANTS(a_sketch_knows_its_memory_and_its_kind)
{
    for (int step = 0; step < FILLINGS; step++) {
        faults_memory memory = {.unfilled = true};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *sketch = NULL;
        CHECK_OK(ink_sketch_create(&sketch, &variants[i].params, &allocator, &error));
        CHECK(ink_sketch_memory(sketch) == memory.live_bytes);
        add_range(sketch, 0, filling(&variants[i], step));
        CHECK(ink_sketch_memory(sketch) == memory.live_bytes);
        CHECK(strcmp(ink_sketch_kind(sketch), variants[i].params.kind) == 0);
        owned_view view = sketches_view_of(sketch, INK_OPEN_CHECKED);
        CHECK(ink_sketch_memory(view.sketch) < 4096 + sketches_describe(sketch).bytes);
        ink_sketch_free(sketch);
        faults_check_no_leak(&memory);
    }
}

static void descriptions_agree(const ink_sketch *a, const ink_sketch *b)
{
    ink_description of_a = sketches_describe(a), of_b = sketches_describe(b);

    assert_string_equal(of_a.kind, of_b.kind);
    assert_string_equal(of_a.hash, of_b.hash);
    CHECK(of_a.key_type == of_b.key_type && of_a.keyed == of_b.keyed && of_a.seed == of_b.seed);
    CHECK(of_a.records == of_b.records && of_a.expected_keys == of_b.expected_keys);
    CHECK(of_a.bits == of_b.bits && of_a.hashes == of_b.hashes && of_a.ratio == of_b.ratio);
    CHECK(of_a.width == of_b.width && of_a.depth == of_b.depth);
    CHECK(of_a.counter_bits == of_b.counter_bits && of_a.conservative == of_b.conservative);
    CHECK(of_a.epsilon == of_b.epsilon && of_a.delta == of_b.delta);
    CHECK(of_a.total == of_b.total && of_a.capacity == of_b.capacity && of_a.phi == of_b.phi);
    CHECK(of_a.precision == of_b.precision && of_a.bytes == of_b.bytes);
    CHECK(of_a.bytes_max == of_b.bytes_max && of_a.standard_error == of_b.standard_error);
    CHECK(of_a.bits_per_key == of_b.bits_per_key && of_a.target_rate == of_b.target_rate);
    CHECK(of_a.promised_rate == of_b.promised_rate && of_a.order_free == of_b.order_free);
}

static void check_same_distinct(const ink_sketch *a, const ink_sketch *b)
{
    ink_answer of_a, of_b;

    CHECK_OK(ink_sketch_distinct(a, 0.9, &of_a, &error));
    CHECK_OK(ink_sketch_distinct(b, 0.9, &of_b, &error));
    CHECK(answers_equal(&of_a, &of_b));
    if (strcmp(sketches_describe(a).kind, "fm") != 0)
        return;
    CHECK_OK(ink_sketch_distinct_by(a, INK_ESTIMATOR_MEAN_OF_POWERS, 0.9, &of_a, &error));
    CHECK_OK(ink_sketch_distinct_by(b, INK_ESTIMATOR_MEAN_OF_POWERS, 0.9, &of_b, &error));
    CHECK(answers_equal(&of_a, &of_b));
}

/* All keys that are kept, the first few, and those above some shares. */
static void check_same_lists(const ink_sketch *a, const ink_sketch *b)
{
    static const uint64_t shares[] = {1, 2, 5, 10, 30, 100, 1000};
    enum { ITEMS = 4000 };
    static ink_item of_a[ITEMS], of_b[ITEMS];
    size_t          found_a, found_b;

    for (size_t room = 1; room <= ITEMS; room = room == 1 ? 7 : room == 7 ? ITEMS : ITEMS + 1) {
        CHECK_OK(ink_sketch_top(a, of_a, room, &found_a, &error));
        CHECK_OK(ink_sketch_top(b, of_b, room, &found_b, &error));
        CHECK(found_a == found_b);
        for (size_t i = 0; i < found_a; i++)
            CHECK(items_equal(&of_a[i], &of_b[i]));
    }
    for (size_t s = 0; s < sizeof shares / sizeof shares[0]; s++) {
        ink_status status = ink_sketch_over(a, shares[s], of_a, ITEMS, &found_a, &error);
        CHECK(ink_sketch_over(b, shares[s], of_b, ITEMS, &found_b, &error) == status);
        if (status != INK_OK)
            continue;
        CHECK(found_a == found_b);
        for (size_t i = 0; i < found_a; i++)
            CHECK(items_equal(&of_a[i], &of_b[i]));
    }
}

/* The same answers to everything that can be asked. */
static void check_same_answers(const ink_sketch *a, const ink_sketch *b, uint64_t keys)
{
    const ink_description d = sketches_describe(a);
    double                rate_a = 0, rate_b = 1;
    ink_answer            dot_a, dot_b, dot;

    descriptions_agree(a, b);
    for (uint64_t number = 0; number < keys + keys / 2; number++) {
        if (kind_is_filter(d.kind))
            CHECK(may_contain(a, number) == may_contain(b, number));
        if (kind_counts(d.kind)) {
            ink_answer of_a = count_of(a, number), of_b = count_of(b, number);
            CHECK(answers_equal(&of_a, &of_b));
        }
    }
    if (kind_has_distinct(d.kind))
        check_same_distinct(a, b);
    if (kind_is_filter(d.kind)) {
        CHECK_OK(ink_sketch_rate(a, &rate_a, &error));
        CHECK_OK(ink_sketch_rate(b, &rate_b, &error));
        CHECK(rate_a == rate_b);
    }
    if (strcmp(d.kind, "top") == 0)
        check_same_lists(a, b);
    if (strcmp(d.kind, "count-min") == 0 && !d.conservative) {
        CHECK_OK(ink_sketch_dot(a, a, &dot_a, &error));
        CHECK_OK(ink_sketch_dot(b, b, &dot_b, &error));
        CHECK_OK(ink_sketch_dot(a, b, &dot, &error));
        CHECK(answers_equal(&dot_a, &dot_b) && answers_equal(&dot_a, &dot));
    }
}

static void unlock_if_keyed(ink_sketch *sketch)
{
    if (sketches_describe(sketch).keyed)
        CHECK_OK(ink_sketch_unlock(sketch, a_secret, &error));
}

TEST_OF_VARIANTS(a_saved_and_loaded_sketch_goes_on_as_if_it_never_had_been)
{
    uint64_t      keys = variants[i].keys, half = keys / 2;
    owned_sketch *never = make_with(&variants[i].params, 0, half), *loaded = NULL;

    CHECK_OK(ink_sketch_save(never, "half.ink", &error));
    CHECK_OK(ink_sketch_load(&loaded, "half.ink", NULL, &error));
    CHECK(remove("half.ink") == 0);

    CHECK_SAME(loaded, never, i);
    unlock_if_keyed(loaded);
    check_same_answers(never, loaded, half);
    add_range(never, half, keys);
    add_range(loaded, half, keys);
    CHECK_SAME(loaded, never, i);
}

TEST(a_file_holds_the_bytes_of_the_encoding)
{
    for (size_t i = 0; i < VARIANTS; i += 3) {
        owned_sketch  *sketch = make_with(&variants[i].params, 0, variants[i].keys);
        owned_snapshot made = encode(sketch);
        uint8_t       *read = test_malloc(made.count + 1);

        CHECK_OK(ink_sketch_save(sketch, "one.ink", &error));
        FILE *file = fopen("one.ink", "rb");
        CHECK(file != NULL);
        CHECK(fread(read, 1, made.count + 1, file) == made.count);
        fclose(file);
        CHECK(remove("one.ink") == 0);
        assert_memory_equal(read, made.bytes, made.count);
        test_free(read);
    }
}

TEST_OF_ALL_VARIANTS(a_view_of_bytes_answers_as_the_sketch_and_frees_all)
{
    static const unsigned flags[] = {INK_OPEN_CHECKED, INK_OPEN_LAZY, INK_OPEN_TRUSTED,
                                     INK_OPEN_COPY, INK_OPEN_COPY | INK_OPEN_TRUSTED};
    uint64_t              keys = variants[i].keys;
    owned_sketch         *sketch = make_with(&variants[i].params, 0, keys);
    owned_snapshot        encoded = encode(sketch);

    for (size_t f = 0; f < sizeof flags / sizeof flags[0]; f++) {
        faults_memory memory = {.unfilled = true};
        ink_allocator allocator = faults_allocator(&memory);
        ink_sketch   *view = NULL;
        CHECK_OK(
            ink_sketch_view(&view, encoded.bytes, encoded.count, flags[f], &allocator, &error));
        ink_sketch_free(view);
        faults_check_no_leak(&memory);
        CHECK_OK(ink_sketch_view(&view, encoded.bytes, encoded.count, flags[f], NULL, &error));
        CHECK(sketches_describe(view).read_only == ((flags[f] & INK_OPEN_COPY) == 0));
        CHECK_SAME(view, sketch, i);
        unlock_if_keyed(view);
        check_same_answers(sketch, view, keys);
        ink_sketch_free(view);
    }
}

TEST(a_view_of_bytes_is_checked_now_later_or_never)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 1000};
    owned_sketch    *sketch = make_with(&params, 0, 1000);
    owned_snapshot   encoded = encode(sketch);
    ink_sketch      *view = NULL;
    uint8_t          before[INK_DIGEST_BYTES], after[INK_DIGEST_BYTES];

    CHECK_OK(ink_identity(encoded.bytes, encoded.count, before, &error));
    encoded.bytes[encoded.count / 2] ^= 1;
    CHECK_FAILS(ink_sketch_view(&view, encoded.bytes, encoded.count, 0, NULL, &error), INK_FORMAT,
                "checksum");
    CHECK_OK(ink_sketch_view(&view, encoded.bytes, encoded.count, INK_OPEN_LAZY, NULL, &error));
    CHECK_FAILS(ink_sketch_digest(view, after, &error), INK_FORMAT, "checksum");
    ink_sketch_free(view);
    CHECK_OK(ink_sketch_view(&view, encoded.bytes, encoded.count, INK_OPEN_TRUSTED, NULL, &error));
    ink_sketch_free(view);
    CHECK_FAILS(ink_sketch_view(&view, encoded.bytes, encoded.count, 8, NULL, &error), INK_USAGE,
                "flags 0x8");
    CHECK_FAILS(ink_sketch_view(&view, encoded.bytes, 20, INK_OPEN_TRUSTED, NULL, &error),
                INK_FORMAT, "");
    CHECK_FAILS(ink_identity(encoded.bytes, 20, after, &error), INK_FORMAT, "");

    /* The payload is not read; another content has another identity. */
    CHECK_OK(ink_identity(encoded.bytes, encoded.count, after, &error));
    assert_memory_equal(before, after, sizeof before);
    owned_sketch  *other = make_with(&params, 1, 1001);
    owned_snapshot of_other = encode(other);
    CHECK_OK(ink_identity(of_other.bytes, of_other.count, after, &error));
    assert_memory_not_equal(before, after, sizeof before);
}

TEST_OF_VARIANTS(a_copy_is_equal_and_stands_alone)
{
    for (int step = 0; step < FILLINGS; step++) {
        uint64_t      keys = filling(&variants[i], step);
        ink_sketch   *sketch = make_with(&variants[i].params, 0, keys);
        owned_sketch *copy = copy_of(sketch), *direct = NULL;

        CHECK_SAME(copy, sketch, i);
        check_same_answers(copy, sketch, 10);
        add_range(copy, keys, keys + 20); /* a copy of a keyed one has its secret */
        direct = make_with(&variants[i].params, 0, keys);
        CHECK_SAME(sketch, direct, i);
        add_range(direct, keys, keys + 20);
        ink_sketch_free(sketch);
        CHECK_SAME(copy, direct, i);
    }
}

TEST_OF_VARIANTS(more_keys_or_another_parameter_is_another_digest)
{
    ink_sketch *a = make_with(&variants[i].params, 0, 2);
    ink_sketch *b = make_with(&variants[i].params, 0, 3);
    CHECK(!same_bytes(a, b)); /* the records differ at least; compares digests too */
    ink_sketch_free(a);
    ink_sketch_free(b);
    for (size_t j = 0; j < i; j++) {
        a = make(&variants[i].params);
        b = make(&variants[j].params);
        CHECK(!same_bytes(a, b));
        ink_sketch_free(a);
        ink_sketch_free(b);
    }
}

/* ---- The registers of an hll -------------------------------------------------------------- */

/* The payload that docs/format.md gives these registers; returns its size. */
static size_t plain_hll_payload(const uint8_t *registers, uint32_t precision, uint8_t *payload)
{
    size_t count = (size_t)1 << precision, above = 0, bytes = 0;

    for (size_t i = 0; i < count; i++)
        above += registers[i] != 0;
    if (above < count / 4) {
        for (size_t i = 0; i < count; i++) {
            uint64_t number = i * 64 + registers[i];
            for (int j = 0; registers[i] != 0 && j < 3; j++)
                payload[bytes++] = (uint8_t)(number >> 8 * j);
        }
        return bytes;
    }
    memset(payload, 0, 3 * count / 4);
    for (size_t bit = 0; bit < 6 * count; bit++)
        payload[bit / 8] |= (uint8_t)((registers[bit / 6] >> bit % 6 & 1) << bit % 8);
    return 3 * count / 4;
}

/* Raises the register of a hash, by docs/format.md: position rule 5. */
static void plain_hll_add(uint8_t *registers, uint32_t precision, uint64_t hash)
{
    uint32_t value = 1;

    for (int bit = 63 - (int)precision; bit >= 0 && (hash >> bit & 1) == 0; bit--)
        value++;
    uint8_t *at = &registers[hash >> (64 - precision)];
    *at = *at < value ? (uint8_t)value : *at;
}

typedef struct hll_walk {
    uint32_t    precision;
    generator   random;
    ink_sketch *never; /* saved */
    ink_sketch *saved; /* and loaded before every key */
    uint8_t    *registers, *expected, *found;
} hll_walk;

static size_t registers_above_0(const hll_walk *walk)
{
    size_t above = 0;

    for (size_t i = 0; i < (size_t)1 << walk->precision; i++)
        above += walk->registers[i] != 0;
    return above;
}

/* Adds `count` keys to both sketches and the plain registers. */
static void walk_on(hll_walk *walk, size_t count)
{
    uint64_t hashes[64];

    for (size_t i = 0; i < count;) {
        size_t part = count - i < 64 ? count - i : 64;
        for (size_t j = 0; j < part; j++) {
            hashes[j] = next_random(&walk->random);
            plain_hll_add(walk->registers, walk->precision, hashes[j]);
        }
        add_hashes(walk->never, hashes, part);
        add_hashes(walk->saved, hashes, part);
        i += part;
    }
}

/* Saves and loads one of the two, and compares bytes and registers. */
static void walk_check(hll_walk *walk)
{
    owned_snapshot of_never = encode(walk->never), of_saved = encode(walk->saved);
    ink_sketch    *loaded = decode(&of_saved);
    size_t         bytes = plain_hll_payload(walk->registers, walk->precision, walk->expected);

    if (!encodings_equal(&of_never, &of_saved))
        fail_msg("precision %u: saved and never saved differ at %zu registers", walk->precision,
                 registers_above_0(walk));
    assert_int_equal(sketches_describe(walk->never).bytes, bytes);
    CHECK_OK(ink_sketch_payload(walk->never, walk->found, bytes, &error));
    if (memcmp(walk->found, walk->expected, bytes) != 0)
        fail_msg("precision %u: the payload is wrong at %zu registers", walk->precision,
                 registers_above_0(walk));
    ink_sketch_free(walk->saved);
    walk->saved = loaded;
}

/* Every n until `registers` of them are above 0. */
static void walk_each_until(hll_walk *walk, size_t registers)
{
    while (registers_above_0(walk) < registers) {
        walk_on(walk, 1);
        walk_check(walk);
    }
}

/* In strides, until a few below `registers`. */
static void walk_near(hll_walk *walk, size_t registers)
{
    size_t above;

    while ((above = registers_above_0(walk)) + 12 < registers)
        walk_on(walk, (registers - above) / 2);
    walk_check(walk);
}

TEST(an_hll_saved_after_every_key_is_one_never_saved)
{
    for (uint32_t precision = 4; precision <= 18; precision += light() ? 3 : 1) {
        const ink_params params = {.kind = "hll", .precision = precision};
        size_t           count = (size_t)1 << precision;
        hll_walk         walk = {
                    .precision = precision,
                    .random = {precision},
                    .never = make(&params),
                    .saved = make(&params),
                    .registers = test_calloc(count, 1),
                    .expected = test_malloc(count),
                    .found = test_malloc(count),
        };

        walk_check(&walk);
        if (precision <= (light() ? 7u : 9u)) { /* every n up to nearly all registers */
            walk_each_until(&walk, count - count / 16);
        } else { /* every n at the start and around the switches: m / 16 and m / 4 registers */
            walk_each_until(&walk, 40);
            walk_near(&walk, count / 16);
            walk_each_until(&walk, count / 16 + 12);
            walk_near(&walk, count / 4);
            walk_each_until(&walk, count / 4 + 12);
        }
        walk_on(&walk, 20 * count < 100000 ? 20 * count : 100000);
        walk_check(&walk);
        ink_sketch_free(walk.never);
        ink_sketch_free(walk.saved);
        test_free(walk.registers);
        test_free(walk.expected);
        test_free(walk.found);
    }
}

TEST(an_hll_takes_a_whole_batch_across_its_switches)
{
    /* One batch that makes a list an array at once, against the same keys one by one. */
    enum { HASHES = 5000 };
    static uint64_t hashes[HASHES];
    generator       random = {9};

    for (size_t i = 0; i < HASHES; i++)
        hashes[i] = next_random(&random);
    for (uint32_t precision = 4; precision <= 18; precision += light() ? 7 : 1)
        for (size_t count = 1; count <= HASHES; count = 3 * count + 1) {
            const ink_params params = {.kind = "hll", .precision = precision};
            owned_sketch    *whole = make(&params), *single = make(&params);
            add_hashes(whole, hashes, count);
            for (size_t i = 0; i < count; i++)
                add_hashes(single, hashes + i, 1);
            CHECK(same_bytes(whole, single));
        }
}

/* ---- Every other kind, key by key --------------------------------------------------------- */

/* Saved and loaded before every key, one sketch stays equal to one that never was: keys come once
 * and again, with weights where they count. */
static void check_each_step(const ink_params *params, uint64_t steps, uint64_t keys,
                            uint64_t weight)
{
    ink_sketch *never = make(params), *saved = make(params);
    generator   random = {steps};

    for (uint64_t step = 0; step < steps; step++) {
        owned_snapshot of_never = encode(never), of_saved = encode(saved);
        ink_sketch    *loaded = decode(&of_saved);
        if (!encodings_equal(&of_never, &of_saved))
            fail_msg("%s: saved and never saved differ after %llu keys", params->kind,
                     (unsigned long long)step);
        ink_sketch_free(saved);
        saved = loaded;
        uint64_t number = random_below(&random, keys);
        if (weight == 0) {
            add_key(never, number);
            add_key(saved, number);
        } else {
            uint64_t often = random_below(&random, weight);
            add_weighted(never, number, often);
            add_weighted(saved, number, often);
        }
    }
    CHECK(same_bytes(never, saved));
    check_same_answers(never, saved, keys < 50 ? keys : 50);
    ink_sketch_free(never);
    ink_sketch_free(saved);
}

TEST(every_kind_saved_after_every_key_is_one_never_saved)
{
    static const struct {
        ink_params params;
        uint64_t   steps, keys, weight; /* weight 0: none */
    } walks[] = {
        {{.kind = "bloom", .bits = 512}, 60, 100, 0},
        {{.kind = "classic", .bits = 300, .hashes = 3}, 60, 100, 0},
        /* Counters that stop at 15. */
        {{.kind = "counting", .bits = 2048}, 150, 12, 0},
        {{.kind = "counting", .bits = 1024, .key_type = INK_KEY_INT}, 80, 30, 20},
        /* A level after 1, 3, 7, 15, ... keys. */
        {{.kind = "scalable", .expected_keys = 1, .ratio = 0.5}, 300, 10000, 0},
        {{.kind = "scalable", .expected_keys = 3, .false_positive_rate = 0.3}, 200, 250, 0},
        {{.kind = "scalable",
          .expected_keys = 50,
          .false_positive_rate = 1e-3,
          .ratio = 0.8,
          .key_type = INK_KEY_INT},
         500,
         100000,
         0},
        /* Counters that stop at 2^32 - 1 and at 2^64 - 1, as the total does. */
        {{.kind = "count-min", .width = 8, .depth = 2}, 100, 40, (uint64_t)1 << 31},
        {{.kind = "count-min", .width = 8, .depth = 2, .counter_bits = 64},
         100,
         40,
         (uint64_t)1 << 62},
        {{.kind = "count-min", .width = 8, .depth = 3, .conservative = true},
         100,
         40,
         (uint64_t)1 << 30},
        /* A purge after every c + 1 new keys, or fewer. */
        {{.kind = "top", .phi = 1}, 100, 40, 0},
        {{.kind = "top", .phi = 0.1}, 300, 200, 0},
        {{.kind = "top", .phi = 0.1, .key_type = INK_KEY_INT}, 300, 60, 9},
        {{.kind = "top", .phi = 0.5}, 100, 20, (uint64_t)1 << 62}, /* up to where counts stop */
        {{.kind = "top", .phi = 0.5}, 60, 20, UINT64_MAX},
        {{.kind = "fm", .width = 3, .depth = 3}, 100, 1000, 0},
    };

    for (size_t i = 0; i < sizeof walks / sizeof walks[0]; i++)
        check_each_step(&walks[i].params, light() ? walks[i].steps / 4 : walks[i].steps,
                        walks[i].keys, walks[i].weight);
}

/* Keys that differ only after what is kept of them, or in whether they are longer. */
TEST(long_keys_of_a_top_are_reported_apart_and_listed_alike)
{
    static uint8_t   key[1100];
    const ink_params params = {.kind = "top", .phi = 0.05};
    ink_sketch      *sketch = make(&params), *other_order = make(&params);

    memset(key, 'k', sizeof key);
    for (size_t length = 1020; length < 1040; length++) {
        CHECK_OK(ink_sketch_add(sketch, key, length, &error));
        CHECK_OK(ink_sketch_add(other_order, key, 2059 - length, &error));
    }
    CHECK(same_bytes(sketch, other_order));
    owned_snapshot made = encode(sketch);
    ink_sketch    *decoded = decode(&made);
    ink_file      *file = NULL;
    ink_sketch    *view = NULL;
    CHECK_OK(ink_file_decode(&file, made.bytes, made.count, INK_OPEN_LAZY, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    check_same_lists(sketch, other_order);
    check_same_lists(sketch, decoded);
    check_same_lists(sketch, view);
    for (size_t length = 1000; length < 1050; length++) {
        const ink_sketch *const asked[] = {sketch, decoded, view};
        ink_answer              answer;
        for (size_t i = 0; i < 3; i++) {
            CHECK_OK(ink_sketch_count(asked[i], key, length, &answer, &error));
            CHECK(answer.estimate == (length >= 1020 && length < 1040));
        }
    }
    ink_sketch_free(view);
    ink_file_close(file);
    ink_sketch_free(decoded);
    ink_sketch_free(sketch);
    ink_sketch_free(other_order);
}

/* ---- Files of many labels ----------------------------------------------------------------- */

enum { LABELS = 500 };

/* Label number i: groups of all three sorts and of random bytes, with and without slots. */
static ink_label label_of(size_t i, char names[LABELS][24])
{
    generator random = {i};
    ink_label label = {.has_slot = i % 3 != 0, .slot = 0};

    if (label.has_slot)
        label.slot = i % 3 == 1 ? (int64_t)i : (int64_t)next_random(&random);
    if (i < 6) {
        label.group_kind = i < 3 ? INK_GROUP_NONE : INK_GROUP_NULL;
        return label;
    }
    label.group_kind = INK_GROUP_BYTES;
    label.group = names[i];
    label.group_bytes = i < 9 ? 0 : (size_t)snprintf(names[i], 24, "%zu", i / 3);
    if (i % 5 == 0 && i >= 9) { /* any bytes; the number in front keeps them apart */
        for (int j = 0; j < 8; j++)
            names[i][label.group_bytes++] = (char)next_random(&random);
    }
    return label;
}

TEST(a_file_of_many_labels_finds_each)
{
    static char             names[LABELS][24];
    static const ink_params kinds[] = {
        {.kind = "hll", .precision = 6},          {.kind = "theta", .precision = 4},
        {.kind = "bloom", .bits = 512},           {.kind = "top", .phi = 0.2},
        {.kind = "scalable", .expected_keys = 5},
    };
    enum { KINDS = sizeof kinds / sizeof kinds[0] };
    static ink_entry entries[KINDS * LABELS];
    size_t           labels = light() ? 60 : LABELS, entry_count = 0;
    ink_file        *file = NULL;

    for (size_t i = 0; i < labels; i++)
        for (size_t kind = 0; kind < KINDS; kind++) {
            /* Entry order is jumbled: 7 and the number of labels have no common divisor. */
            ink_entry *entry = &entries[entry_count++];
            size_t     label = i * 7 % labels;
            entry->label = label_of(label, names);
            entry->sketch = make_with(&kinds[kind], label, label + 1 + label % 30);
        }
    const ink_contents contents = {.entries = entries, .entry_count = entry_count};
    CHECK_OK(ink_contents_save("many.ink", &contents, &error));

    for (unsigned flags = INK_OPEN_CHECKED; flags <= (INK_OPEN_LAZY | INK_OPEN_COPY); flags++) {
        CHECK_OK(ink_file_open(&file, "many.ink", flags, NULL, &error));
        CHECK(ink_file_count(file) == entry_count);
        for (size_t i = 0; i < entry_count; i++) {
            const char    *kind = kinds[i % KINDS].kind;
            size_t         index = SIZE_MAX;
            ink_entry_info info;
            owned_sketch  *sketch = NULL;

            CHECK_OK(ink_file_find(file, kind, &entries[i].label, &index, &error));
            CHECK_OK(ink_file_entry(file, index, &info, &error));
            assert_string_equal(info.kind, kind);
            CHECK(info.records == sketches_describe(entries[i].sketch).records);
            CHECK(info.bytes == sketches_describe(entries[i].sketch).bytes);
            CHECK(info.label.group_kind == entries[i].label.group_kind);
            CHECK(info.label.has_slot == entries[i].label.has_slot);
            CHECK(info.label.slot == entries[i].label.slot);
            CHECK(info.label.group_bytes == entries[i].label.group_bytes);
            if (info.label.group_bytes > 0)
                assert_memory_equal(info.label.group, entries[i].label.group,
                                    info.label.group_bytes);
            CHECK_OK(ink_file_sketch(file, index, &sketch, &error));
            CHECK(i % 16 == 0 ? same_bytes(sketch, entries[i].sketch)
                              : same_content(sketch, entries[i].sketch));
        }
        ink_file_close(file);
    }
    CHECK(remove("many.ink") == 0);
    for (size_t i = 0; i < entry_count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
}

TEST(labels_that_are_not_there_are_not_found)
{
    owned_sketch   *sketch = make_with(&(const ink_params){.kind = "hll", .precision = 4}, 0, 3);
    const ink_entry entries[] = {
        {.label = ink_group("b"), .sketch = sketch},
        {.label = ink_group("bb"), .sketch = sketch},
        {.label = {.group_kind = INK_GROUP_BYTES,
                   .group = "d",
                   .group_bytes = 1,
                   .has_slot = true,
                   .slot = -5},
         .sketch = sketch},
    };
    const ink_label missing[] = {
        {0},
        {.group_kind = INK_GROUP_NULL},
        {.has_slot = true},
        ink_group(""),
        ink_group("a"),
        ink_group("ba"),
        ink_group("bbb"),
        ink_group("c"),
        ink_group("d"),
        {.group_kind = INK_GROUP_BYTES,
         .group = "d",
         .group_bytes = 1,
         .has_slot = true,
         .slot = 5},
        {.group_kind = INK_GROUP_BYTES, .group = "b\0", .group_bytes = 2},
    };
    owned_view saved = sketches_view_entries(entries, 3, INK_OPEN_CHECKED);

    for (size_t i = 0; i < sizeof missing / sizeof missing[0]; i++) {
        size_t index = 77;
        CHECK_FAILS(ink_file_find(saved.file, "hll", &missing[i], &index, &error), INK_NOT_FOUND,
                    "");
        CHECK_FAILS(ink_file_find(saved.file, "bloom", &missing[i], &index, &error), INK_NOT_FOUND,
                    "bloom");
        CHECK(index == 77);
    }
}

/* ---- Views -------------------------------------------------------------------------------- */

/* Opens the only sketch of an encoding. */
static ink_sketch *open_view(const sketches_snapshot *made, unsigned flags, ink_file **file)
{
    ink_sketch *view = NULL;

    CHECK_OK(ink_file_decode(file, made->bytes, made->count, flags, NULL, &error));
    CHECK_OK(ink_file_sketch(*file, 0, &view, &error));
    CHECK(sketches_describe(view).read_only == ((flags & INK_OPEN_COPY) == 0));
    return view;
}

TEST_OF_VARIANTS(views_answer_as_copies_do)
{
    for (unsigned flags = 0; flags <= (INK_OPEN_LAZY | INK_OPEN_COPY); flags++) {
        uint64_t       keys = variants[i].keys;
        owned_sketch  *sketch = make_with(&variants[i].params, 0, keys);
        owned_snapshot made = encode(sketch);
        ink_file      *file = NULL;
        ink_sketch    *view = open_view(&made, flags, &file);

        unlock_if_keyed(view); /* the secret is not the file's, so a view takes it */
        CHECK_SAME(view, sketch, i);
        CHECK(sketches_equal_payloads(view, sketch));
        check_same_answers(view, sketch, keys < 300 ? keys : 300);

        /* What comes of a view stands alone. */
        owned_sketch *copy = copy_of(view), *merged = make(&variants[i].params);
        merge_parts(merged, view);
        ink_sketch_free(view);
        ink_file_close(file);
        memset(made.bytes, 0xee, made.count);
        add_range(copy, keys, keys + 10);
        add_range(sketch, keys, keys + 10);
        CHECK_SAME(copy, sketch, i);
        add_range(merged, keys, keys + 10);
        CHECK_SAME(merged, sketch, i);
    }
}

TEST_OF_VARIANTS(views_refuse_every_change)
{
    owned_sketch   *sketch = make_with(&variants[i].params, 0, 3);
    owned_snapshot  made = encode(sketch);
    owned_opened   *file = NULL;
    owned_sketch   *view = open_view(&made, INK_OPEN_LAZY, &file);
    const ink_batch none = {0};

    unlock_if_keyed(view);
    CHECK_FAILS(ink_sketch_add(view, "a", 1, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_add_int(view, 1, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_add_batch(view, &none, &error), INK_READ_ONLY, "view");
    if (is_filter(&variants[i]))
        CHECK_FAILS(ink_sketch_add_new_batch(view, &none, NULL, &error), INK_READ_ONLY, "view");
    if (strcmp(variants[i].params.kind, "counting") == 0)
        CHECK_FAILS(ink_sketch_remove(view, "a", 1, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_merge(view, sketch, NULL, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_intersect(view, sketch, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_fold(view, 1, &error), INK_READ_ONLY, "view");
    CHECK_FAILS(ink_sketch_fold_to_rate(view, 0.5, NULL, &error), INK_READ_ONLY, "view");
    owned_snapshot after = encode(view);
    CHECK(encodings_equal(&made, &after));
}

TEST(a_view_at_any_address_answers_alike)
{
    for (size_t i = 0; i < VARIANTS; i += light() ? 9 : 1)
        for (size_t at = 1; at < 16; at += 5) {
            owned_sketch  *sketch = make_with(&variants[i].params, 0, 200);
            owned_snapshot made = encode(sketch);
            uint8_t       *moved = test_malloc(made.count + 16);
            ink_file      *file = NULL;

            const sketches_snapshot odd = {memcpy(moved + at, made.bytes, made.count), made.count};

            ink_sketch *view = open_view(&odd, INK_OPEN_CHECKED, &file);

            unlock_if_keyed(view);
            check_same_answers(view, sketch, 200);
            CHECK_SAME(view, sketch, i);
            ink_sketch_free(view);
            ink_file_close(file);
            test_free(moved);
        }
}

/* ---- Secrets ------------------------------------------------------------------------------ */

TEST_OF_VARIANTS(a_keyed_sketch_takes_keys_again_with_its_secret_alone)
{
    if (variants[i].params.secret == NULL)
        return;
    bool           ints = variants[i].params.key_type == INK_KEY_INT, maybe = true;
    owned_sketch  *sketch = make_with(&variants[i].params, 0, 50);
    owned_snapshot made = encode(sketch);
    owned_sketch  *locked = decode(&made);

    /* Without it: everything but keys. */
    CHECK(sketches_describe(locked).keyed);
    ink_status added =
        ints ? ink_sketch_add_int(locked, 1, &error) : ink_sketch_add(locked, "a", 1, &error);
    CHECK_FAILS(added, INK_MISMATCH, "secret");
    if (is_filter(&variants[i])) {
        ink_status asked = ints ? ink_sketch_contains_int(locked, 1, &maybe, &error)
                                : ink_sketch_contains(locked, "a", 1, &maybe, &error);
        CHECK_FAILS(asked, INK_MISMATCH, "secret");
    }
    if (is_counter(&variants[i])) {
        ink_answer answer;
        ink_status asked = ints ? ink_sketch_count_int(locked, 1, &answer, &error)
                                : ink_sketch_count(locked, "a", 1, &answer, &error);
        CHECK_FAILS(asked, INK_MISMATCH, "secret");
    }
    if (keeps_keys(&variants[i])) /* which need no hash to be read */
        check_same_lists(locked, sketch);
    CHECK_SAME(locked, sketch, i);
    CHECK_FAILS(ink_sketch_unlock(locked, another_secret, &error), INK_MISMATCH, "secret");
    added = ints ? ink_sketch_add_int(locked, 1, &error) : ink_sketch_add(locked, "a", 1, &error);
    CHECK_FAILS(added, INK_MISMATCH, "secret");

    /* A locked one merges with its like, and what was merged is there. */
    owned_sketch *more = make_with(&variants[i].params, 50, 60);
    merge_parts(locked, more);
    merge_parts(sketch, more);
    CHECK_SAME(locked, sketch, i);

    CHECK_OK(ink_sketch_unlock(locked, a_secret, &error));
    add_range(locked, 60, 70);
    add_range(sketch, 60, 70);
    CHECK_SAME(locked, sketch, i);
    CHECK_OK(ink_sketch_unlock(locked, a_secret, &error)); /* again is no harm */
    if (is_filter(&variants[i]))
        for (uint64_t number = 0; number < 70; number++)
            CHECK(may_contain(locked, number));
}

TEST_OF_ALL_VARIANTS(a_sketch_without_a_secret_is_not_unlocked)
{
    owned_sketch *sketch = make_with(&variants[i].params, 0, 3), *before = copy_of(sketch);
    if (variants[i].params.secret == NULL)
        CHECK_FAILS(ink_sketch_unlock(sketch, a_secret, &error), INK_MISMATCH, "without one");
    CHECK_SAME(sketch, before, i);
}

TEST_OF_ALL_VARIANTS(the_secret_stands_nowhere_in_the_bytes)
{
    if (variants[i].params.secret == NULL)
        return;
    owned_sketch  *sketch = make_with(&variants[i].params, 0, 50);
    owned_snapshot made = encode(sketch);
    for (size_t at = 0; at + 8 <= made.count; at++)
        CHECK(memcmp(made.bytes + at, a_secret, 8) != 0 &&
              memcmp(made.bytes + at, a_secret + 8, 8) != 0);
}

RUN_TESTS()
