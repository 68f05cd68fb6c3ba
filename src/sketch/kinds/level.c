/* level.c - one level of a scalable; docs/format.md has its record. */
#include "sketch/kinds/level.h"

#include "base/bits.h"
#include "base/size.h"
#include "base/status.h"
#include "kernels/split_block.h"

#include <string.h>

/* From here on a level is a bloom; below, a bloom takes over 1.4 times the bits of a classic. */
#define BLOOM_RATE_MIN 1e-4

/* Offsets of the fields of a record. */
enum {
    AT_KIND = 0,
    AT_KEYS = 8,
    AT_EXPECTED = 16,
    AT_TARGET = 24,
    AT_PROMISED = 32,
    AT_BITS = 40,
    AT_HASHES = 48,
    AT_CELLS = 56,
};

_Static_assert(AT_CELLS + 8 == INK__LEVEL_BYTES, "the location of the cells ends the record");

/* Keys that a level wrongly takes for known ones have their bits set as if it had taken them; while
 * it fills they come at its mean rate so far, for which half its rate is a generous guess. */
ink_status ink__level_plan(uint64_t keys, double rate, const ink__key_rule *rule, ink__shape *shape)
{
    const ink__promise promise = {.expected_keys = keys, .target = rate, .promised = rate};
    ink_params         params = {
                .kind = "scalable",
                .expected_keys = ink__add_saturating(keys, (uint64_t)((double)keys * rate / 2)),
                .false_positive_rate = rate,
    };

    *shape = (ink__shape){.kind = &ink__bloom};
    if (rule->scheme != INK__SCHEME_HASH64 || rate < BLOOM_RATE_MIN ||
        ink__bloom.plan(&params, rule, shape, NULL) != INK_OK) {
        shape->kind = &ink__classic;
        /* Its own promise, which allows for scatter and rounding, is often above the rate: then a
         * lower one is planned for. */
        do {
            INK__TRY(ink__classic.plan(&params, rule, shape, NULL));
            params.false_positive_rate *= 0.9;
        } while (ink__promise_of(shape).promised > rate);
    }
    ink__promise_store(&promise, shape);
    return INK_OK;
}

ink_status ink__level_open(ink__level *level, const ink_sketch *owner, const ink__shape *shape,
                           const uint8_t *cells, uint64_t keys, ink_error *error)
{
    ink_sketch *base = &level->filter.base;

    memset(level, 0, sizeof *level);
    level->keys = keys;
    base->kind = shape->kind;
    base->kernels = owner->kernels;
    base->allocator = owner->allocator;
    base->rule.scheme = owner->rule.scheme; /* all that filters ask of it: no secret */
    base->read_only = owner->read_only;
    return shape->kind->load(base, shape, cells, error);
}

void ink__level_close(ink__level *level)
{
    level->filter.promise.expected_keys = level->keys;
    level->filter.promise.promised = ink__filter_rate(&level->filter.base);
}

void ink__level_write(uint8_t *at, const ink__level *level, uint64_t cells_at)
{
    ink__shape shape = ink__shape_of(&level->filter.base);
    bool       bloom = shape.kind == &ink__bloom;

    ink__store_u64(at + AT_KIND, shape.kind->id);
    ink__store_u64(at + AT_KEYS, level->keys);
    ink__store_u64(at + AT_EXPECTED, shape.fields[0]);
    ink__store_u64(at + AT_TARGET, shape.fields[1]);
    ink__store_u64(at + AT_PROMISED, shape.fields[2]);
    ink__store_u64(at + AT_BITS,
                   bloom ? shape.payload_bytes * 8 : shape.fields[INK__PROMISE_FIELDS]);
    ink__store_u64(at + AT_HASHES,
                   bloom ? INK__BLOCK_WORDS : shape.fields[INK__PROMISE_FIELDS + 1]);
    ink__store_u64(at + AT_CELLS, cells_at);
}

static ink_status check_level(const uint8_t *payload, const ink__key_rule *rule, uint64_t number,
                              bool last, ink__filed_level *read, ink_error *error)
{
    static const unsigned position_of[] = {AT_EXPECTED, AT_TARGET, AT_PROMISED,
                                           AT_BITS,     AT_HASHES, AT_BITS};
    const bool            native = rule->scheme == INK__SCHEME_HASH64;
    uint64_t              position = number * INK__LEVEL_BYTES;
    const uint8_t        *at = payload + position;
    uint64_t              id = ink__load_u64(at + AT_KIND);
    const ink__kind      *kind = native && id == ink__bloom.id ? &ink__bloom : &ink__classic;

    if (id != kind->id)
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, position + AT_KIND,
                         "a level of kind %llu, expected %s", (unsigned long long)id,
                         native ? "1 or 2" : "2");
    *read = (ink__filed_level){
        .shape.kind = kind,
        .keys = ink__load_u64(at + AT_KEYS),
        .bits = ink__load_u64(at + AT_BITS),
        .hashes = ink__load_u64(at + AT_HASHES),
        .cells_at = ink__load_u64(at + AT_CELLS),
        .shape.fields = {ink__load_u64(at + AT_EXPECTED), ink__load_u64(at + AT_TARGET),
                         ink__load_u64(at + AT_PROMISED)},
    };
    read->shape.payload_bytes = read->bits / 8 + (read->bits % 8 != 0);
    if (kind == &ink__classic) {
        read->shape.fields[INK__PROMISE_FIELDS] = read->bits;
        read->shape.fields[INK__PROMISE_FIELDS + 1] = read->hashes;
    }
    ink_status status = kind->check(&read->shape, rule, error);
    if (status != INK_OK) {
        if (error != NULL) {
            error->location = INK__AT_PAYLOAD;
            error->at =
                position + position_of[kind == &ink__bloom && error->at > 2 ? 3 : error->at];
        }
        return status;
    }
    if (kind == &ink__bloom && (read->hashes != INK__BLOCK_WORDS || read->bits % 256 != 0))
        return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, position + AT_BITS,
                         "a level of %llu bits and %llu hashes, expected a multiple of 256 and 8",
                         (unsigned long long)read->bits, (unsigned long long)read->hashes);
    if (read->keys == 0 || read->keys > read->shape.fields[0] ||
        (!last && read->keys != read->shape.fields[0]))
        return ink__fail(
            error, INK_FORMAT, INK__AT_PAYLOAD, position + AT_KEYS,
            "a level with %llu keys of %llu expected; only the last one may have fewer",
            (unsigned long long)read->keys, (unsigned long long)read->shape.fields[0]);
    return INK_OK;
}

ink_status ink__level_read(const uint8_t *payload, uint64_t payload_bytes,
                           const ink__key_rule *rule, uint64_t number, uint64_t count, uint64_t end,
                           ink__filed_level *read, ink_error *error)
{
    uint64_t start = ink__level_cells_after(end);

    INK__TRY(check_level(payload, rule, number, number + 1 == count, read, error));
    if (read->cells_at == start && start <= payload_bytes &&
        read->shape.payload_bytes <= payload_bytes - start)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK__AT_PAYLOAD, number * INK__LEVEL_BYTES + AT_CELLS,
                     "%llu bytes of a level at %llu, expected them at %llu and below %llu",
                     (unsigned long long)read->shape.payload_bytes,
                     (unsigned long long)read->cells_at, (unsigned long long)start,
                     (unsigned long long)payload_bytes);
}
