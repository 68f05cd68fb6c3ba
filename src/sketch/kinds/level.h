/* level.h - one level of a scalable: a bloom or a classic with the number of keys that it holds,
 * how large it must be, and its form in a file. Under the rule of another system it is a classic.
 * Knows nothing of the other levels. */
#ifndef INK_SKETCH_KINDS_LEVEL_H
#define INK_SKETCH_KINDS_LEVEL_H

#include "sketch/kinds/membership.h"

typedef struct ink__level {
    ink__filter filter;
    uint64_t    keys; /* that it holds, at most filter.promise.expected_keys */
} ink__level;

/* Plans a level that takes `keys` keys at this rate; INK_USAGE if no filter can. */
ink_status ink__level_plan(uint64_t keys, double rate, const ink__key_rule *rule,
                           ink__shape *shape);

/* Makes a level from a plan or a file, in the memory of `owner`: empty if `cells` is NULL, else
 * with these cells, in place if the owner is read-only. Freed by ink__payload_release. */
ink_status ink__level_open(ink__level *level, const ink_sketch *owner, const ink__shape *shape,
                           const uint8_t *cells, uint64_t keys, ink_error *error);

/* How many keys it still takes. */
static inline uint64_t ink__level_room(const ink__level *level)
{
    return level->filter.promise.expected_keys - level->keys;
}

/* The bytes of its cells. */
static inline uint64_t ink__level_cells(const ink__level *level)
{
    return ink__filter_bytes(&level->filter, level->filter.size);
}

/* Closes it: it takes no more keys, so the rate that it has stays. */
void ink__level_close(ink__level *level);

/* In a file there is a record for each level, then the cells of all. */
enum { INK__LEVEL_BYTES = 64 };

typedef struct ink__filed_level {
    ink__shape shape;
    uint64_t   keys, bits, hashes, cells_at;
} ink__filed_level;

/* Where cells that come after `end` begin. */
static inline uint64_t ink__level_cells_after(uint64_t end)
{
    return (end + 63) & ~(uint64_t)63;
}

void ink__level_write(uint8_t *record, const ink__level *level, uint64_t cells_at);

/* Reads and checks level `number` of `count` in a payload of payload_bytes bytes; its cells come
 * after `end`. INK_FORMAT with an offset in the payload. */
ink_status ink__level_read(const uint8_t *payload, uint64_t payload_bytes,
                           const ink__key_rule *rule, uint64_t number, uint64_t count, uint64_t end,
                           ink__filed_level *read, ink_error *error);

#endif
