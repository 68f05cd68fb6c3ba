/* scalable.c - have I seen this key, when the number of keys is unknown? A chain of filters, the
 * levels: keys go to the last one until it has as many as planned, then a larger one is opened
 * [Almeida, Baquero, Preguica, Hutchison 2007]. Each level gets a share of the rate that the levels
 * before it left, so their sum stays below it.
 *
 * A level is a bloom, or a classic where its rate is too low for a bloom, and under the rule of
 * another system, whose chain it then is. Keys are tested before they are added, so a level counts
 * different keys. Merging appends the levels of one chain to the other and closes all: a closed
 * level expects the keys that it has and promises the rate that it has. Owns the chain; a level is
 * level.c; docs/accuracy.md#scalable states the promise. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/real.h"
#include "base/size.h"
#include "base/status.h"
#include "sketch/kinds/foreign_positions.h"
#include "sketch/kinds/level.h"
#include "sketch/kinds/prefetch.h"

#include <string.h>

#define KEYS_DEFAULT ((uint64_t)1 << 16)
#define RATE_DEFAULT 0.01
#define RATE_MIN 1e-9
#define RATE_MAX 0.5
#define RATIO_DEFAULT 0.5
#define RATIO_MIN 0.1
#define RATIO_MAX 0.9

enum { LEVELS_MAX = 1024 };
enum { FIELD_RATIO = INK__PROMISE_FIELDS, FIELD_CHAINS, FIELD_LEVELS, FIELDS };

typedef struct chain {
    ink_sketch     base;
    ink__promise   promise; /* expected_keys are those of the first level */
    double         ratio;
    uint64_t       chains; /* merged into this one; 1: itself alone */
    ink__level    *levels;
    uint64_t       used;   /* levels with keys in them ... */
    uint64_t       opened; /* ... and empty ones after them, for keys to come */
    uint64_t       room;   /* of the array */
    uint64_t       skip;   /* the first levels, which have none of the keys that are being added */
    const uint8_t *view;   /* the payload in a file, or NULL */
    struct coming *coming; /* NULL, but for a payload that is being taken */
} chain;

/* What was read of a payload that is being taken: the records, and the level whose cells come. */
typedef struct coming {
    uint64_t         bytes; /* of all this */
    ink__filed_level level;
    uint8_t          records[];
} coming;

/* ---- Sizes -------------------------------------------------------------------------------- */

static ink_status scalable_plan(const ink_params *params, const ink__key_rule *rule,
                                ink__shape *shape, ink_error *error)
{
    double rate = params->false_positive_rate == 0 ? RATE_DEFAULT : params->false_positive_rate;
    double ratio = params->ratio == 0 ? RATIO_DEFAULT : params->ratio;
    const ink__promise promise = {
        .expected_keys = params->expected_keys == 0 ? KEYS_DEFAULT : params->expected_keys,
        .target = rate,
        .promised = rate,
    };

    if (!(rate >= RATE_MIN && rate <= RATE_MAX))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected %g to %g for scalable", rate, RATE_MIN,
                         RATE_MAX);
    if (!(ratio >= RATIO_MIN && ratio <= RATIO_MAX))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{ratio} %g, expected %g to %g", ratio,
                         RATIO_MIN, RATIO_MAX);
    if (ink__level_plan(promise.expected_keys, rate * (1 - ratio), rule, shape) != INK_OK)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{expected_keys} %llu at rate %g, expected what the first level can take",
                         (unsigned long long)promise.expected_keys, rate);
    *shape = (ink__shape){.kind = &ink__scalable}; /* it is opened with the first key */
    ink__promise_store(&promise, shape);
    shape->fields[FIELD_RATIO] = ink__bits_of_double(ratio);
    shape->fields[FIELD_CHAINS] = 1;
    return INK_OK;
}

/* What the levels of a chain have taken so far: room for keys, and of the rate. */
typedef struct growth {
    uint64_t room;
    double   left; /* of the rate */
} growth;

static double rate_of_next(const growth *so_far, double ratio)
{
    return so_far->left * (1 - ratio);
}

/* The next level doubles the keys and gets its share of the rate left. INK_USAGE: no filter can. */
static ink_status plan_level(const growth *so_far, uint64_t first_keys, double ratio,
                             const ink__key_rule *rule, ink__shape *shape)
{
    double rate = rate_of_next(so_far, ratio);

    if (!(rate > 0)) /* which a filter's plan would take for its default */
        return INK_USAGE;
    return ink__level_plan(ink__add_saturating(first_keys, so_far->room), rate, rule, shape);
}

static void grow(growth *so_far, const ink__promise *level)
{
    so_far->room = ink__add_saturating(so_far->room, level->expected_keys);
    so_far->left -= level->promised;
}

static ink_status scalable_fill(const ink__key_rule *rule, uint64_t keys, ink__shape *shape,
                                ink_error *error)
{
    ink__promise promise = ink__promise_of(shape);
    double       ratio = ink__double_of_bits(shape->fields[FIELD_RATIO]);
    growth       so_far = {.left = promise.promised};
    uint64_t     levels = 0, end = 0;

    while (so_far.room < keys) {
        ink__shape level;
        if (plan_level(&so_far, promise.expected_keys, ratio, rule, &level) != INK_OK)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "%llu keys, expected at most %llu for scalable at rate %g: a 64-bit "
                             "hash, or 1 TiB, is not enough",
                             (unsigned long long)keys, (unsigned long long)so_far.room,
                             promise.target);
        ink__promise its = ink__promise_of(&level);
        grow(&so_far, &its);
        end = ink__level_cells_after(end) + level.payload_bytes;
        levels++;
    }
    shape->fields[FIELD_LEVELS] = levels;
    /* Records have the length that cells are aligned to, so they move all cells alike. */
    shape->payload_bytes = levels * INK__LEVEL_BYTES + end;
    return INK_OK;
}

static ink_status scalable_check(const ink__shape *shape, const ink__key_rule *rule,
                                 ink_error *error)
{
    double   ratio = ink__double_of_bits(shape->fields[FIELD_RATIO]);
    uint64_t levels = shape->fields[FIELD_LEVELS];

    (void)rule;
    INK__TRY(ink__promise_check(shape, error));
    for (unsigned i = 0; i < INK__PROMISE_FIELDS; i++)
        if (shape->fields[i] == 0)
            return ink__fail(error, INK_FORMAT, INK__AT_FIELD, i,
                             "a scalable without %s, expected keys and rates",
                             i == 0   ? "expected keys"
                             : i == 1 ? "a target rate"
                                      : "a promised rate");
    if (!(ratio >= RATIO_MIN && ratio <= RATIO_MAX))
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_RATIO,
                         "ratio %g, expected %g to %g", ratio, RATIO_MIN, RATIO_MAX);
    if (shape->fields[FIELD_CHAINS] == 0)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_CHAINS,
                         "0 chains, expected at least 1");
    if (levels > LEVELS_MAX)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELD_LEVELS,
                         "%llu levels, expected at most %d", (unsigned long long)levels,
                         LEVELS_MAX);
    if (levels == 0 ? shape->payload_bytes != 0 : shape->payload_bytes <= levels * INK__LEVEL_BYTES)
        return ink__fail(error, INK_FORMAT, INK__AT_FIELD, FIELDS,
                         "a scalable of %llu bytes, expected %s for its %llu levels",
                         (unsigned long long)shape->payload_bytes, levels == 0 ? "none" : "more",
                         (unsigned long long)levels);
    return INK_OK;
}

static void scalable_describe(const ink__shape *shape, ink_description *description)
{
    ink__promise_describe(shape, description);
    description->ratio = ink__double_of_bits(shape->fields[FIELD_RATIO]);
    description->levels = (uint32_t)shape->fields[FIELD_LEVELS];
    description->bytes_max = 0;
}

/* ---- Levels in a file --------------------------------------------------------------------- */

/* Bytes `from` to `until` of a payload, which are at `bytes`. */
static ink_status check_padding(const uint8_t *bytes, uint64_t from, uint64_t until,
                                ink_error *error)
{
    for (uint64_t i = from; i < until; i++, bytes++)
        if (*bytes != 0)
            return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, i,
                             "byte 0x%x between levels, expected 0", *bytes);
    return INK_OK;
}

/* Converts the location of an error of a level's kind from its cells to the payload. */
static ink_status in_level(ink_status status, const ink__filed_level *level, ink_error *error)
{
    if (status != INK_OK && error != NULL)
        error->at += level->cells_at;
    return status;
}

static ink_status check_last(const ink__shape *shape, uint64_t end, ink_error *error)
{
    if (end == shape->payload_bytes)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, end,
                     "levels that end at %llu, expected them to end at %llu",
                     (unsigned long long)end, (unsigned long long)shape->payload_bytes);
}

static ink_status scalable_check_payload(const ink__shape *shape, const ink__key_rule *rule,
                                         const uint8_t *payload, ink_error *error)
{
    uint64_t levels = shape->fields[FIELD_LEVELS], end = levels * INK__LEVEL_BYTES;

    for (uint64_t i = 0; i < levels; i++) {
        ink__filed_level read;
        INK__TRY(
            ink__level_read(payload, shape->payload_bytes, rule, i, levels, end, &read, error));
        INK__TRY(check_padding(payload + end, end, read.cells_at, error));
        end = read.cells_at + read.shape.payload_bytes;
        if (read.shape.kind->check_payload != NULL)
            INK__TRY(in_level(
                read.shape.kind->check_payload(&read.shape, rule, payload + read.cells_at, error),
                &read, error));
    }
    return check_last(shape, end, error);
}

static uint64_t payload_bytes(const chain *c)
{
    uint64_t end = c->used * INK__LEVEL_BYTES;

    for (uint64_t i = 0; i < c->used; i++)
        end = ink__level_cells_after(end) + ink__level_cells(&c->levels[i]);
    return end;
}

static uint64_t scalable_scratch_bytes(const ink_sketch *sketch)
{
    const chain *c = (const chain *)sketch;

    return c->view != NULL ? 0 : payload_bytes(c);
}

static const uint8_t *scalable_payload(const ink_sketch *sketch, uint8_t *scratch)
{
    const chain *c = (const chain *)sketch;
    uint64_t     end = c->used * INK__LEVEL_BYTES;

    if (c->view != NULL)
        return c->view;
    for (uint64_t i = 0; i < c->used; i++) {
        uint64_t start = ink__level_cells_after(end), bytes = ink__level_cells(&c->levels[i]);
        ink__level_write(scratch + i * INK__LEVEL_BYTES, &c->levels[i], start);
        memset(scratch + end, 0, (size_t)(start - end));
        memcpy(scratch + start, c->levels[i].filter.cells.data, (size_t)bytes);
        end = start + bytes;
    }
    return scratch;
}

static void scalable_shape(const ink_sketch *sketch, ink__shape *shape)
{
    const chain *c = (const chain *)sketch;

    ink__promise_store(&c->promise, shape);
    shape->fields[FIELD_RATIO] = ink__bits_of_double(c->ratio);
    shape->fields[FIELD_CHAINS] = c->chains;
    shape->fields[FIELD_LEVELS] = c->used;
    shape->payload_bytes = payload_bytes(c);
}

/* ---- Levels in memory --------------------------------------------------------------------- */

static void drop_levels(chain *c, uint64_t keep)
{
    while (c->opened > keep)
        ink__payload_release(&c->levels[--c->opened].filter.base);
}

static ink_status make_room(chain *c, uint64_t wanted, ink_error *error)
{
    uint64_t room = c->room != 0 ? c->room : wanted < 4 ? 4 : wanted;
    uint64_t bytes = c->room * sizeof(ink__level);

    if (wanted <= c->room)
        return INK_OK;
    if (wanted > LEVELS_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a chain of %llu levels, expected at most %d; a bloom has no levels",
                         (unsigned long long)wanted, LEVELS_MAX);
    while (room < wanted)
        room *= 2;
    INK__TRY(ink__grow(&c->base.allocator, &c->levels, &bytes, c->opened * sizeof(ink__level),
                       room * sizeof(ink__level), error));
    c->room = room;
    return INK_OK;
}

/* Plans the level after all opened ones. */
static ink_status plan_next(const chain *c, ink__shape *shape, ink_error *error)
{
    uint64_t first_keys = c->promise.expected_keys;
    growth   so_far = {.left = c->promise.promised};

    for (uint64_t i = 0; i < c->opened; i++)
        grow(&so_far, &c->levels[i].filter.promise);
    if (!(rate_of_next(&so_far, c->ratio) > 0))
        return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                         "the levels have used up the rate of %g: no other can be opened",
                         c->promise.promised);
    if (plan_level(&so_far, first_keys, c->ratio, &c->base.rule, shape) == INK_OK)
        return INK_OK;
    return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                     "no filter can take another %llu keys at rate %g: a 64-bit hash, or 1 TiB, is "
                     "not enough",
                     (unsigned long long)ink__add_saturating(first_keys, so_far.room),
                     rate_of_next(&so_far, c->ratio));
}

/* Opens a level after the last one; the array has room. */
static ink_status open_level(chain *c, const ink__shape *shape, const uint8_t *cells, uint64_t keys,
                             ink_error *error)
{
    INK__TRY(ink__level_open(&c->levels[c->opened], &c->base, shape, cells, keys, error));
    c->opened++;
    return INK_OK;
}

static ink_status open_next(chain *c, ink_error *error)
{
    ink__shape shape;

    INK__TRY(plan_next(c, &shape, error));
    INK__TRY(make_room(c, c->opened + 1, error));
    return open_level(c, &shape, NULL, 0, error);
}

/* Room for all keys, should all be new. */
static ink_status scalable_reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    chain   *c = (chain *)sketch;
    uint64_t room = 0, before = c->opened;

    for (uint64_t i = c->used == 0 ? 0 : c->used - 1; i < c->opened; i++)
        room = ink__add_saturating(room, ink__level_room(&c->levels[i]));
    while (room < keys->count) {
        ink_status status = open_next(c, error);
        if (status != INK_OK) {
            drop_levels(c, before); /* opened in vain */
            return status;
        }
        room = ink__add_saturating(room, ink__level_room(&c->levels[c->opened - 1]));
    }
    return INK_OK;
}

static ink_status scalable_load(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                                ink_error *error)
{
    chain   *c = (chain *)sketch;
    uint64_t levels = shape->fields[FIELD_LEVELS], end = levels * INK__LEVEL_BYTES;

    c->promise = ink__promise_of(shape);
    c->ratio = ink__double_of_bits(shape->fields[FIELD_RATIO]);
    c->chains = shape->fields[FIELD_CHAINS];
    if (payload == NULL)
        return INK_OK;
    c->view = sketch->read_only ? payload : NULL;
    INK__TRY(make_room(c, levels, error));
    for (uint64_t i = 0; i < levels; i++) {
        ink__filed_level read;
        /* Checked again, since a mapped file may have changed meanwhile. */
        INK__TRY(ink__level_read(payload, shape->payload_bytes, &sketch->rule, i, levels, end,
                                 &read, error));
        INK__TRY(open_level(c, &read.shape, payload + read.cells_at, read.keys, error));
        c->used = c->opened;
        end = read.cells_at + read.shape.payload_bytes;
    }
    return INK_OK;
}

_Static_assert(LEVELS_MAX *INK__LEVEL_BYTES <= INK__PIECE_BYTES, "all records come at once");

/* Opens the next level of a payload that is being taken; its cells come after `end`. */
static ink_status open_coming(chain *c, const ink__shape *shape, uint64_t end, ink_error *error)
{
    ink__filed_level *level = &c->coming->level;

    INK__TRY(ink__level_read(c->coming->records, shape->payload_bytes, &c->base.rule, c->opened,
                             shape->fields[FIELD_LEVELS], end, level, error));
    return open_level(c, &level->shape, NULL, level->keys, error);
}

static ink_status begin_coming(chain *c, const ink__shape *shape, const uint8_t *records,
                               ink_error *error)
{
    uint64_t levels = shape->fields[FIELD_LEVELS], bytes = levels * INK__LEVEL_BYTES;

    INK__TRY(make_room(c, levels, error));
    INK__TRY(ink__allocate(&c->base.allocator, sizeof *c->coming + bytes, &c->coming, error));
    c->coming->bytes = sizeof *c->coming + bytes;
    memcpy(c->coming->records, records, (size_t)bytes);
    return open_coming(c, shape, bytes, error);
}

static void end_coming(chain *c)
{
    if (c->coming != NULL)
        ink__release(&c->base.allocator, c->coming, c->coming->bytes);
    c->coming = NULL;
}

/* All cells of the level have come. */
static ink_status close_coming(chain *c, const ink__shape *shape, uint64_t end, ink_error *error)
{
    c->used = c->opened;
    if (c->opened < shape->fields[FIELD_LEVELS])
        return open_coming(c, shape, end, error);
    end_coming(c);
    return check_last(shape, end, error);
}

static ink_status scalable_take(ink_sketch *sketch, const ink__shape *shape, uint64_t at,
                                const uint8_t *bytes, uint64_t count, ink_error *error)
{
    chain   *c = (chain *)sketch;
    uint64_t last = at + count;

    if (at == 0) {
        INK__TRY(begin_coming(c, shape, bytes, error));
        at = shape->fields[FIELD_LEVELS] * INK__LEVEL_BYTES;
        bytes += at;
    }
    for (uint64_t part; at < last; at += part, bytes += part) {
        const ink__filed_level *level = &c->coming->level;
        uint64_t                start = level->cells_at, end = start + level->shape.payload_bytes;
        uint64_t                until = at < start ? start : end;
        until = until < last ? until : last;
        part = until - at;
        if (at < start)
            INK__TRY(check_padding(bytes, at, until, error));
        else
            INK__TRY(in_level(ink__payload_take(&c->levels[c->used].filter.base, &level->shape,
                                                at - start, bytes, part, error),
                              level, error));
        if (until == end)
            INK__TRY(close_coming(c, shape, end, error));
    }
    return INK_OK;
}

static void scalable_release(ink_sketch *sketch)
{
    chain *c = (chain *)sketch;

    end_coming(c);
    drop_levels(c, 0);
    ink__release(&sketch->allocator, c->levels, c->room * sizeof(ink__level));
}

static uint64_t scalable_memory(const ink_sketch *sketch)
{
    const chain *c = (const chain *)sketch;
    uint64_t     bytes = c->room * sizeof(ink__level);

    for (uint64_t i = 0; i < c->opened; i++)
        bytes += ink__payload_memory(&c->levels[i].filter.base);
    return bytes;
}

/* ---- Keys --------------------------------------------------------------------------------- */

enum { CHUNK = 128 };

/* Keys as levels take them: by their hashes or, under the rule of another system, by the start of
 * their walks. */
typedef struct part {
    ink__keys     keys;
    ink__bit_walk walks[CHUNK];
} part;

static bool is_native(const chain *c)
{
    return c->base.rule.scheme == INK__SCHEME_HASH64;
}

/* Takes the next keys from `first` on; returns how many. */
static size_t take_part(part *p, const chain *c, const ink__keys *keys, size_t first)
{
    const size_t count = keys->count - first < CHUNK ? keys->count - first : CHUNK;

    p->keys = (ink__keys){.count = count};
    if (is_native(c)) {
        p->keys.hashes = keys->hashes + first;
        return count;
    }
    ink__bit_walks_start(p->walks, &c->base.rule, keys, first, count);
    p->keys.walks = p->walks;
    return count;
}

/* Key number i of a part. */
static ink__keys one_of(const ink__keys *keys, size_t i)
{
    ink__keys one = {.count = 1};

    if (keys->walks == NULL)
        one.hashes = keys->hashes + i;
    else
        one.walks = keys->walks + i;
    return one;
}

/* Whether keys, CHUNK at most, are in one of the levels from `first` up to `end`. */
static void ask_levels(const chain *c, uint64_t first, uint64_t end, const ink__keys *keys,
                       uint8_t *answers)
{
    uint8_t    found[CHUNK];
    ink__fetch how;

    memset(answers, 0, keys->count);
    for (uint64_t i = first; i < end; i++) {
        const ink_sketch *level = &c->levels[i].filter.base;
        if (keys->count >= INK__PREFETCH_FROM && ink__prefetch_window(level, false, &how) != 0)
            level->kind->fetch(level, keys->hashes, keys->count, how);
        level->kind->contains(level, keys, found);
        c->base.kernels->or_bytes(answers, found, keys->count);
    }
}

/* Bits of a classic that are looked at before those of the next level, whether they are set or not:
 * it has at least as many. */
enum { FIRST_BITS = 3 };

/* Whether the first bits of a hash are set. */
static inline unsigned first_bits(const ink__filter *filter, uint64_t hash)
{
    unsigned set = 1;

    for (uint32_t i = 0; i < FIRST_BITS; i++) {
        uint64_t at = ink__filter_position(filter, hash, i);
        set &= (unsigned)filter->cells.data[at / 8] >> at % 8;
    }
    return set & 1u;
}

/* Prefetches the block of a bloom, or the first two bits of a classic: half of the keys that it
 * does not have are known by each. */
static void fetch_levels(const chain *c, const uint64_t *hash)
{
    for (uint64_t i = c->used; i > 0; i--) {
        const ink__filter *level = &c->levels[i - 1].filter;
        if (level->base.kind == &ink__bloom)
            level->base.kind->fetch(&level->base, hash, 1, INK__FETCH_READ);
        for (uint32_t bit = 0; level->base.kind != &ink__bloom && bit < 2; bit++)
            __builtin_prefetch(level->cells.data + ink__filter_position(level, *hash, bit) / 8);
    }
}

/* The newest levels, which have most of the keys, are asked before all others. */
enum { NEWEST = 3 };

/* One key alone, in the first `levels` levels. Of those before the newest it first looks at few
 * bits, without a jump for each that would be mispredicted; then at all bits of those that may have
 * it. Levels larger than the cache are fetched together. Under the rule of another system it just
 * looks at all. */
static bool is_in_levels(const chain *c, uint64_t levels, const ink__keys *key)
{
    const uint64_t newest = is_native(c) ? NEWEST : LEVELS_MAX;
    uint16_t       maybe[LEVELS_MAX];
    uint64_t       before = levels, count = 0;
    uint8_t        found = 0;

    for (; before > 0 && before + newest > levels && found == 0; before--) {
        const ink_sketch *level = &c->levels[before - 1].filter.base;
        level->kind->contains(level, key, &found);
    }
    for (uint64_t i = 0; i < before && found == 0; i++) {
        const ink__filter *level = &c->levels[i].filter;
        uint8_t            here = 1;
        if (level->base.kind == &ink__bloom)
            level->base.kind->contains(&level->base, key, &here);
        else if (level->hashes >= FIRST_BITS)
            here = (uint8_t)first_bits(level, key->hashes[0]);
        maybe[count] = (uint16_t)i;
        count += here;
    }
    while (count > 0 && found == 0) {
        const ink_sketch *level = &c->levels[maybe[--count]].filter.base;
        level->kind->contains(level, key, &found);
    }
    return found != 0;
}

/* Fetches what one key touches, if that is more than a line in more than the cache. */
static inline void fetch_one(const chain *c, const ink__keys *key)
{
    if (c->used > 1 && ink__level_cells(&c->levels[c->used - 1]) > ink__tuning_now().l2_bytes &&
        is_native(c))
        fetch_levels(c, key->hashes);
}

static bool contains_one(const chain *c, const ink__keys *key)
{
    fetch_one(c, key);
    return is_in_levels(c, c->used, key);
}

/* Out of line: a key alone takes no room for a part. */
static __attribute__((noinline)) void contains_parts(const chain *c, const ink__keys *keys,
                                                     uint8_t *answers)
{
    part p;

    for (size_t first = 0; first < keys->count; first += CHUNK) {
        take_part(&p, c, keys, first);
        if (p.keys.count == 1)
            answers[first] = contains_one(c, &p.keys);
        else
            ask_levels(c, 0, c->used, &p.keys, answers + first);
    }
}

static void scalable_contains(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers)
{
    const chain *c = (const chain *)sketch;

    if (keys->count == 1 && is_native(c))
        answers[0] = contains_one(c, keys);
    else
        contains_parts(c, keys, answers);
}

/* Adds a new key to the last level; the next one is opened already. */
static void add_new(chain *c, const ink__keys *key)
{
    if (c->used == 0 || ink__level_room(&c->levels[c->used - 1]) == 0)
        c->used++;
    ink__level *last = &c->levels[c->used - 1];
    last->filter.base.kind->add(&last->filter.base, key);
    last->keys++;
}

/* Keys prefetched together: few enough that all their lines, up to 60 for a key, stay in the
 * first-level cache. */
enum { FEW = 4 };

/* Adds keys one by one, except those that are known because of keys just added, in the levels from
 * the last one on. */
static void add_one_by_one(chain *c, const ink__keys *keys)
{
    const uint64_t    changing = c->used == 0 ? 0 : c->used - 1;
    const ink_sketch *last = &c->levels[changing].filter.base;

    for (size_t i = 0; i < keys->count; i++) {
        ink__keys key = one_of(keys, i);
        uint8_t   known;
        if (i % FEW == 0 && is_native(c))
            last->kind->fetch(last, keys->hashes + i, keys->count - i < FEW ? keys->count - i : FEW,
                              INK__FETCH_WRITE);
        ask_levels(c, changing, c->used, &key, &known);
        if (known == 0)
            add_new(c, &key);
    }
}

/* Adds keys, CHUNK at most, that no level knows. */
static void add_unknown(chain *c, const ink__keys *keys)
{
    ink__level *last = c->used == 0 ? NULL : &c->levels[c->used - 1];
    uint8_t     was_new[CHUNK];

    /* If they all fit one level, and its kind can report which were new, it does. */
    if (last != NULL && last->filter.base.kind->add_new != NULL &&
        ink__level_room(last) >= keys->count)
        last->keys += last->filter.base.kind->add_new(&last->filter.base, keys, was_new);
    else
        add_one_by_one(c, keys);
}

static void scalable_add(ink_sketch *sketch, const ink__keys *keys)
{
    chain *c = (chain *)sketch;
    part   p;

    for (size_t first = 0; first < keys->count; first += CHUNK) {
        const size_t count = take_part(&p, c, keys, first);
        uint8_t      known[CHUNK];
        uint64_t     hashes[CHUNK];
        ask_levels(c, c->skip, c->used, &p.keys, known);
        p.keys.count = 0;
        for (size_t i = 0; i < count; i++) {
            if (is_native(c))
                hashes[p.keys.count] = p.keys.hashes[i];
            else
                p.walks[p.keys.count] = p.walks[i];
            p.keys.count += known[i] == 0;
        }
        p.keys.hashes = hashes;
        add_unknown(c, &p.keys);
    }
}

/* One key, unless it is known. The last level both asks and adds, if its kind can. */
static bool add_one_if_new(chain *c, const ink__keys *key)
{
    const uint64_t closed = c->used == 0 ? 0 : c->used - 1;
    ink__level    *last = &c->levels[closed];
    uint8_t        was_new;

    fetch_one(c, key);
    if (closed > 0 && is_in_levels(c, closed, key))
        return false;
    if (c->used > 0 && last->filter.base.kind->add_new != NULL && ink__level_room(last) > 0) {
        last->keys += last->filter.base.kind->add_new(&last->filter.base, key, &was_new);
        return was_new != 0;
    }
    if (c->used > 0) {
        last->filter.base.kind->contains(&last->filter.base, key, &was_new);
        if (was_new != 0)
            return false;
    }
    add_new(c, key);
    return true;
}

/* Fetches what some keys touch in the last level, if it is larger than the cache. */
static void fetch_last(const chain *c, const ink__keys *keys)
{
    const ink_sketch *last = &c->levels[c->used - 1].filter.base;
    ink__fetch        how;

    if (keys->count >= INK__PREFETCH_FROM && ink__prefetch_window(last, true, &how) != 0)
        last->kind->fetch(last, keys->hashes, keys->count, how);
}

/* Keys that no level before the last has: their numbers in `keys`, and their hashes. */
typedef struct unknown {
    size_t   count;
    uint64_t hashes[CHUNK];
    uint8_t  at[CHUNK];
} unknown;

static void find_unknown(const chain *c, const ink__keys *keys, unknown *left)
{
    uint8_t known[CHUNK];

    ask_levels(c, 0, c->used - 1, keys, known);
    left->count = 0;
    for (size_t i = 0; i < keys->count; i++) {
        left->hashes[left->count] = keys->hashes[i];
        left->at[left->count] = (uint8_t)i;
        left->count += known[i] == 0;
    }
}

/* Adds keys, CHUNK at most, for which the last level has room, and whose kind asks and adds. */
static size_t add_part_if_new(chain *c, const ink__keys *keys, uint8_t *was_new)
{
    ink__level *last = &c->levels[c->used - 1];
    ink_sketch *base = &last->filter.base;
    uint8_t     added[CHUNK];
    unknown     left;
    size_t      fresh;

    if (c->used == 1) {
        fetch_last(c, keys);
        fresh = base->kind->add_new(base, keys, was_new);
    } else {
        find_unknown(c, keys, &left);
        const ink__keys some = {.count = left.count, .hashes = left.hashes};
        fetch_last(c, &some);
        fresh = base->kind->add_new(base, &some, added);
        memset(was_new, 0, keys->count);
        for (size_t i = 0; i < left.count; i++)
            was_new[left.at[i]] = added[i];
    }
    last->keys += fresh;
    return fresh;
}

static bool takes_parts(const chain *c, size_t count)
{
    const ink__level *last = c->used == 0 ? NULL : &c->levels[c->used - 1];

    return count > 1 && last != NULL && last->filter.base.kind->add_new != NULL &&
           ink__level_room(last) >= count;
}

/* Out of line, as contains_parts. */
static __attribute__((noinline)) size_t add_parts_if_new(chain *c, const ink__keys *keys,
                                                         uint8_t *was_new)
{
    size_t fresh = 0;
    part   p;

    for (size_t first = 0; first < keys->count; first += CHUNK) {
        const size_t count = take_part(&p, c, keys, first);
        if (is_native(c) && takes_parts(c, count)) {
            fresh += add_part_if_new(c, &p.keys, was_new + first);
            continue;
        }
        for (size_t i = 0; i < count; i++) {
            const ink__keys key = one_of(&p.keys, i);
            was_new[first + i] = add_one_if_new(c, &key);
            fresh += was_new[first + i];
        }
    }
    return fresh;
}

static size_t scalable_add_new(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new)
{
    chain *c = (chain *)sketch;

    if (keys->count != 1 || !is_native(c))
        return add_parts_if_new(c, keys, was_new);
    was_new[0] = add_one_if_new(c, keys);
    return was_new[0];
}

/* ---- Closed levels ------------------------------------------------------------------------ */

/* Keys go to the last level alone. */
static uint64_t scalable_closed(const ink_sketch *sketch)
{
    const chain *c = (const chain *)sketch;

    return c->used == 0 ? 0 : c->used - 1;
}

static ink_status scalable_view_closed(const ink_sketch *sketch, ink_sketch **view,
                                       ink_error *error)
{
    const chain *c = (const chain *)sketch;
    uint64_t     closed = scalable_closed(sketch);
    chain       *made;

    INK__TRY(ink__allocate_zeroed(&sketch->allocator, sizeof *made, &made, error));
    made->base = (ink_sketch){
        .kind = sketch->kind,
        .kernels = sketch->kernels,
        .allocator = sketch->allocator,
        .rule = sketch->rule,
        .read_only = true,
    };
    made->promise = c->promise;
    made->ratio = c->ratio;
    made->chains = c->chains;
    ink_status status = make_room(made, closed, error);
    for (uint64_t i = 0; i < closed && status == INK_OK; i++) {
        const ink__level *level = &c->levels[i];
        const ink__shape  shape = ink__shape_of(&level->filter.base);
        status = open_level(made, &shape, level->filter.cells.data, level->keys, error);
        made->used = made->opened;
    }
    *view = &made->base;
    return status;
}

static void scalable_skip_closed(ink_sketch *sketch, uint64_t levels)
{
    ((chain *)sketch)->skip = levels;
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* A non-member passes one level or another: at most the sum of their rates. */
static double rate_of(const chain *c)
{
    double sum = 0;

    for (uint64_t i = 0; i < c->used; i++)
        sum += ink__filter_rate(&c->levels[i].filter.base);
    return sum;
}

static double at_most_1(double rate)
{
    return rate < 1 ? rate : 1;
}

/* There are 2^64 hashes, even if a file claims more keys. */
static double at_most_all(double keys)
{
    return keys < 0x1p64 ? keys : 0x1p64;
}

static double scalable_rate(const ink_sketch *sketch)
{
    return at_most_1(rate_of((const chain *)sketch));
}

/* Every key of a level was new to the chain. A new key was taken for a known one at the rate of
 * that time: by a level before, or by its own level at about an eighth of its rate on average. The
 * estimate adds these; the upper bound uses the current rate, since rates only grow. Merged chains
 * may share keys: they have at least those of the largest level. */
static void scalable_distinct(const ink_sketch *sketch, double z, ink_answer *answer)
{
    const chain *c = (const chain *)sketch;
    double       kept = 0, largest = 0, passed = 1, rate = 0;

    for (uint64_t i = 0; i < c->used; i++) {
        double keys = (double)c->levels[i].keys, own = ink__filter_rate(&c->levels[i].filter.base);
        double share = passed * (1 - own / 8);
        answer->estimate += c->chains > 1 ? keys : keys / (share < 0.01 ? 0.01 : share);
        kept += keys;
        largest = keys > largest ? keys : largest;
        passed *= 1 - own;
        rate += own;
    }
    if (kept == 0)
        return;
    rate = at_most_1(rate);
    answer->low = at_most_all(c->chains == 1 ? kept : largest);
    answer->saturated = rate > 0.99;
    answer->high =
        answer->saturated ? 0x1p64 : at_most_all((kept + z * ink__sqrt(kept * rate)) / (1 - rate));
    if (answer->estimate > answer->high)
        answer->estimate = answer->high;
}

static ink_status scalable_merge(ink_sketch *into, const ink_sketch *from,
                                 const ink_merge_options *options, ink_error *error)
{
    chain       *a = (chain *)into;
    const chain *b = (const chain *)from;

    if (a->ratio != b->ratio)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "ratios differ: %g and %g", a->ratio,
                         b->ratio);
    ink__promise promise = ink__promise_union(&a->promise, &b->promise);
    if (options->parts && a->used > 0 && b->used > 0) {
        /* Each part has its share of the rate of the whole. */
        promise.target = a->promise.target + b->promise.target;
        if (!(promise.target < 1))
            promise.target = 0x1.fffffffffffffp-1; /* a target rate is below 1 */
        promise.promised = at_most_1(a->promise.promised + b->promise.promised);
    }
    double rate =
        ink__promise_limit(&promise, options) < 1 ? at_most_1(rate_of(a) + rate_of(b)) : 0;
    INK__TRY(ink__promise_keep(&promise, rate, options, error));
    drop_levels(a, a->used);
    INK__TRY(make_room(a, a->used + b->used, error));
    for (uint64_t i = 0; i < b->used; i++) {
        const ink__level *level = &b->levels[i];
        ink__shape        shape = ink__shape_of(&level->filter.base);
        ink_status status = open_level(a, &shape, level->filter.cells.data, level->keys, error);
        if (status != INK_OK) {
            drop_levels(a, a->used);
            return status;
        }
    }
    a->promise = promise;
    if (a->used == 0) {
        a->chains = b->chains;
    } else if (b->used > 0) {
        a->chains = ink__add_saturating(a->chains, b->chains);
        for (uint64_t i = 0; i < a->opened; i++)
            ink__level_close(&a->levels[i]);
    }
    a->used = a->opened;
    return INK_OK;
}

const ink__kind ink__scalable = {
    .name = "scalable",
    .id = 4,
    .layout = 1,
    .takes = INK__TAKES_KEYS | INK__TAKES_RATE | INK__TAKES_RATIO,
    .field_count = FIELDS,
    .ranks = {[INK_ASK_MEMBER] = 1, [INK_ASK_DISTINCT] = 1},
    .adds_rates = true,
    .object_bytes = sizeof(chain),
    .position_rules =
        {[INK__SCHEME_HASH64] = INK__RULE_CHAIN, [INK__SCHEME_REDISBLOOM] = INK__RULE_REDISBLOOM},
    .plan = scalable_plan,
    .fill = scalable_fill,
    .check = scalable_check,
    .check_payload = scalable_check_payload,
    .describe = scalable_describe,
    .load = scalable_load,
    .take = scalable_take,
    .release = scalable_release,
    .memory = scalable_memory,
    .shape = scalable_shape,
    .scratch_bytes = scalable_scratch_bytes,
    .payload = scalable_payload,
    .reserve = scalable_reserve,
    .add = scalable_add,
    .add_new = scalable_add_new,
    .contains = scalable_contains,
    .closed = scalable_closed,
    .view_closed = scalable_view_closed,
    .skip_closed = scalable_skip_closed,
    .merge = scalable_merge,
    .distinct = scalable_distinct,
    .rate = scalable_rate,
};
