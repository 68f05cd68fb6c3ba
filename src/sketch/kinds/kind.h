/* kind.h - the contract between the public calls and a kind of sketch. A kind is one const struct
 * of functions, one .c file, and one line in kinds.c. Nothing else is known of it outside.
 *
 * The public calls (sketch.c, ask.c, save.c, file.c, ring.c) check arguments, match key rules, hash
 * keys and count records. docs/adding-a-kind.md explains each step, docs/accuracy.md each promise.
 *
 * The folder src/sketch/kinds holds all that is known of each kind. Read this header, then
 * bloom.c. membership, promise, blocks and payload are what filters share; level and top_table are
 * parts of one kind each. Only src/sketch calls it, through the table of functions below. */
#ifndef INK_SKETCH_KINDS_KIND_H
#define INK_SKETCH_KINDS_KIND_H

#include "base/real.h"
#include "format/directory.h"
#include "format/layout.h"
#include "hash/rule.h"
#include "kernels/kernels.h"

typedef struct ink__kind ink__kind;

/* What every sketch starts with; a kind's own struct has it as its first member. */
struct ink_sketch {
    const ink__kind    *kind;
    const ink__kernels *kernels;
    ink_allocator       allocator;
    ink__key_rule       rule;
    uint64_t            records;
    uint32_t            group;      /* in a call of ink_add_each (each.c) */
    bool                concurrent; /* several threads write; read-only for all but add */
    bool                read_only;  /* a view: the payload stays where it is ... */
    const ink__image   *image;      /* ... in this file, which may not have been checked yet ... */
    union {
        uint64_t             image_at; /* ... from this byte of the payload area on */
        struct ink__tallies *tallies;  /* of a concurrent one (shared.h) */
    };
    void (*close)(ink_file *file); /* of a view that has the file to itself: ends it; else NULL */
    ink_file *file;
};

/* The size of a sketch as the directory states it: all that is known before its payload. */
typedef struct ink__shape {
    const ink__kind *kind;
    uint64_t fields[INK__FIELDS_MAX]; /* the kind's parameters, as docs/format.md lists them */
    uint64_t payload_bytes;
    double
        error; /* for `describe`, where a sketch knows it: the bound that takes time to compute */
} ink__shape;

/* Keys for a kind: their hashes, except where the rule has none (`scheme`), and the keys
 * themselves, as ints or as bytes, where the caller had them. */
typedef struct ink__keys {
    size_t          count;
    const uint64_t *hashes;
    const int64_t  *ints;
    const uint8_t  *bytes;
    const uint64_t *starts, *ends; /* key i goes from ink__key_at(bytes, starts[i]) up to ends[i] */
    bool            one_array;     /* what stands between them may be read */
    const ink_key  *pairs;         /* the same as the caller has them; for `reserve` */
    const uint64_t *weights;       /* NULL: each counts once */
    /* Of a kind that asks several filters under one rule of another system: where the walk of each
     * key starts (foreign_positions.h), instead of all above; else NULL. */
    const struct ink__bit_walk *walks;
    /* For kinds that prefetch: what to fetch meanwhile, at most `count` keys; NULL: nothing. */
    const ink__prefetch *prefetch;
} ink__keys;

/* The fields of ink_params that a kind may take, besides kind, key type, hash, seed and secret. */
enum {
    INK__TAKES_KEYS = 1u << 0, /* expected_keys */
    INK__TAKES_RATE = 1u << 1,
    INK__TAKES_BITS = 1u << 2,
    INK__TAKES_HASHES = 1u << 3,
    INK__TAKES_PRECISION = 1u << 4,
    INK__TAKES_RATIO = 1u << 5,
    INK__TAKES_ERROR = 1u << 6,    /* epsilon and delta */
    INK__TAKES_WIDTH = 1u << 7,    /* width and depth */
    INK__TAKES_COUNTERS = 1u << 8, /* counter_bits and conservative */
    INK__TAKES_SHARE = 1u << 9,    /* top_keys and phi */
    INK__TAKES_WRITERS = 1u << 10, /* concurrent */
};

/* A part of a payload, made of all hashes with the same first bits. Its head comes after the parts
 * of all shards. */
enum { INK__SHARD_HEAD_BYTES = 8 };
typedef struct ink__shard {
    uint8_t *bytes; /* of the allocator */
    uint64_t count;
    uint8_t  head[INK__SHARD_HEAD_BYTES];
} ink__shard;

/* How a sketch is made of all of its different hashes at once (whole.c). */
struct ink__fuse_room;
typedef struct ink__whole_rules {
    /* The first bits that number the shard of a hash, of this many different ones. */
    unsigned (*shard_bits)(uint64_t keys);
    /* Makes the shard of some different hashes; the shape is that of a plan for all of them. Memory
     * in `room` is used again. */
    ink_status (*build)(const ink__shape *shape, const uint64_t *hashes, size_t count,
                        struct ink__fuse_room *room, const ink_allocator *allocator,
                        ink__shard *shard, ink_error *error);
} ink__whole_rules;

/* An operation that is NULL is refused by name. One that fails leaves the sketch as it was. */
struct ink__kind {
    const char *name;
    uint16_t    id;     /* in files */
    uint16_t    layout; /* of the payload, in files; variants of a kind are fields, not layouts */
    unsigned    takes;
    unsigned    field_count;
    bool        order_free;  /* unless `describe` says otherwise */
    bool        counts;      /* takes weights */
    bool        rising;      /* locations in the payload rise with the hash */
    bool        totals;      /* keeps the sum of all weights, of which keys have shares */
    bool        keeps_keys;  /* hashes alone are refused */
    bool        adds_rates;  /* a merge adds the false-positive rates up */
    bool        fixed_size;  /* its size does not grow with what is added */
    uint32_t    block_bytes; /* hashes that begin alike fall close together, in blocks; or 0 */
    unsigned    added_up;    /* the fields that a merge adds up, as bits 1 << number */
    size_t      object_bytes;

    /* The kind that concurrent sketches have instead of it, or NULL; of that one, the kind that it
     * stands for. It adds and asks for keys, has what `free` and `describe` need, and two more: */
    const ink__kind *shared, *plain;
    /* Makes a sketch ready; INK_UNSUPPORTED if it has one writer for ever. May be NULL. */
    ink_status (*share)(ink_sketch *sketch, ink_error *error);
    /* Copies a concurrent sketch into an empty one with one writer, of the same shape. */
    ink_status (*snapshot)(const ink_sketch *sketch, ink_sketch *into, ink_error *error);

    /* Of a filter: see membership.h; and the weight of the union of two parts (b may be NULL),
     * below 2^63. */
    const struct ink__filter_rules *filter_rules;
    uint64_t (*weigh)(const ink__kernels *kernels, const uint8_t *a, const uint8_t *b,
                      uint64_t count);

    /* Of a kind that is made of all of its keys at once, and never changes: it has no `add` and no
     * `merge`, and its `reserve` refuses every key. NULL: another kind. */
    const ink__whole_rules *whole;

    /* How well it answers each ink_question (ink_kind_info): 0 if not at all, 1 for the last
     * choice. Filters share a rank: the caller chooses among them. */
    uint8_t ranks[INK_QUESTIONS_MAX];

    /* The position rule under each hash scheme; 0 where the kind has none. */
    uint16_t position_rules[INK__SCHEMES];

    /* The shape of an empty sketch with these parameters; all but its kind is 0 before. INK_USAGE
     * if they are wrong. */
    ink_status (*plan)(const ink_params *params, const ink__key_rule *rule, ink__shape *shape,
                       ink_error *error);
    /* Turns the shape of an empty sketch into that of one with this many different keys; INK_USAGE
     * if there is none. May be NULL: the shape is the same, or depends on the keys themselves. */
    ink_status (*fill)(const ink__key_rule *rule, uint64_t keys, ink__shape *shape,
                       ink_error *error);
    /* Checks a shape from a file: INK_FORMAT at INK__AT_FIELD and the number of the field, or
     * field_count for the size of the payload. */
    ink_status (*check)(const ink__shape *shape, const ink__key_rule *rule, ink_error *error);
    /* Checks the contents of a payload of a checked shape: INK_FORMAT. May be NULL: any bytes are
     * valid. */
    ink_status (*check_payload)(const ink__shape *shape, const ink__key_rule *rule,
                                const uint8_t *payload, ink_error *error);
    /* Sets the fields of a description that follow from the shape. */
    void (*describe)(const ink__shape *shape, ink_description *description);

    /* Completes an object whose first member is set and whose rest is zero: empty if `payload` is
     * NULL, else with this checked payload, in place if the sketch is read-only, copied if not. */
    ink_status (*load)(ink_sketch *sketch, const ink__shape *shape, const uint8_t *payload,
                       ink_error *error);
    /* Writes the next bytes of a payload of this shape, from byte `at` on, to a sketch that `load`
     * made empty: in order, the first time INK__PIECE_BYTES at least. Checks the contents as
     * check_payload does. The sketch is of no use before the last byte, nor after a failure. NULL:
     * `load` gets the payload as a whole. */
    ink_status (*take)(ink_sketch *sketch, const ink__shape *shape, uint64_t at,
                       const uint8_t *bytes, uint64_t count, ink_error *error);
    void (*release)(ink_sketch *sketch);
    /* The bytes that release gives back. */
    uint64_t (*memory)(const ink_sketch *sketch);

    /* The current shape, and the payload: in place, or assembled in `scratch`, which has
     * scratch_bytes bytes. scratch_bytes may be NULL: none are needed. */
    void (*shape)(const ink_sketch *sketch, ink__shape *shape);
    uint64_t (*scratch_bytes)(const ink_sketch *sketch);
    const uint8_t *(*payload)(const ink_sketch *sketch, uint8_t *scratch);

    /* Reserves memory so that adding these keys (all of a call, not hashed yet) cannot fail. May be
     * NULL: there is always room. */
    ink_status (*reserve)(ink_sketch *sketch, const ink__keys *keys, ink_error *error);
    void (*add)(ink_sketch *sketch, const ink__keys *keys);
    /* Of a kind without blocks whose keys set bits all over the payload (membership.h): finds bit
     * number i of each hash, and sets bits at some offsets from bit `first`, a multiple of 8. NULL:
     * another kind. */
    void (*find_bits)(const ink_sketch *sketch, const uint64_t *hashes, size_t count, uint32_t i,
                      uint64_t *bits);
    void (*set_bits)(ink_sketch *sketch, uint64_t first, const uint32_t *offsets, size_t count);
    /* Adds, in order, the keys that do not seem to be in; sets was_new[i] to 1 for those, to 0 for
     * others, and returns their number. May be NULL: each key is then queried and added alone. */
    size_t (*add_new)(ink_sketch *sketch, const ink__keys *keys, uint8_t *was_new);
    /* Removes keys in order, up to the first that is not in; returns how many. Adding these again
     * restores the sketch. */
    size_t (*remove)(ink_sketch *sketch, const ink__keys *keys);
    void (*contains)(const ink_sketch *sketch, const ink__keys *keys, uint8_t *answers);
    /* Sets all of each answer. */
    void (*count)(const ink_sketch *sketch, const ink__keys *keys, ink_answer *answers);

    /* Of levels, all but the last of which take no more keys: how many these are; a view of them,
     * which lives no longer than the sketch; and that the keys to be added are in none of the first
     * `levels` of them. NULL: it has no levels. */
    uint64_t (*closed)(const ink_sketch *sketch);
    ink_status (*view_closed)(const ink_sketch *sketch, ink_sketch **view, ink_error *error);
    void (*skip_closed)(ink_sketch *sketch, uint64_t levels);

    /* Prefetches what the keys of some hashes will touch: if blocks exceed the cache, and where
     * many sketches take a key each. */
    void (*fetch)(const ink_sketch *sketch, const uint64_t *hashes, size_t count, ink__fetch how);
    /* `add`, `add_new` and `contains` prefetch the next keys themselves (ink__keys.prefetch). */
    bool prefetches;

    /* Both sketches are of this kind, with equal key rules. */
    ink_status (*merge)(ink_sketch *into, const ink_sketch *from, const ink_merge_options *options,
                        ink_error *error);
    /* The same of several at once, as parts of one set. NULL: one by one. */
    ink_status (*merge_all)(ink_sketch *into, const ink_sketch *const *from, size_t count,
                            ink_error *error);
    /* Merges a slice of a payload with the same slice of another of this shape. NULL: only whole
     * sketches can be merged. */
    void (*merge_slice)(const ink__kernels *kernels, const ink__shape *shape, uint8_t *into,
                        const uint8_t *from, size_t bytes);
    /* Merges what `merge` does beside the payload of a sketch of the same plan. NULL: nothing. */
    void (*merge_totals)(ink_sketch *into, const ink_sketch *from);
    /* Slices begin and end at multiples of this many bytes. May be NULL: anywhere. */
    uint32_t (*unit)(const ink__shape *shape);
    ink_status (*intersect)(ink_sketch *into, const ink_sketch *from, ink_error *error);
    /* Takes what `from` has out of `into`. */
    ink_status (*subtract)(ink_sketch *into, const ink_sketch *from, ink_error *error);
    /* Folds to size / divisor, or, if divisor is 0, to the smallest size with at most this rate. */
    ink_status (*fold)(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                       ink_error *error);

    /* What it can be converted to: sets the shape, and writes the payload unless that is NULL. */
    const ink__kind *becomes;
    void (*become)(const ink_sketch *sketch, ink__shape *shape, uint8_t *payload);

    /* `z` is the normal quantile of the confidence level; sets estimate, low, high, saturated. */
    void (*distinct)(const ink_sketch *sketch, double z, ink_answer *answer);
    void (*distinct_mean_of_powers)(const ink_sketch *sketch, double z, ink_answer *answer);
    double (*rate)(const ink_sketch *sketch);
    /* As for `merge`. */
    ink_status (*dot)(const ink_sketch *a, const ink_sketch *b, ink_answer *answer,
                      ink_error *error);
    /* As for `merge`; `z` as for `distinct`. Sets the method and all answers but their confidence,
     * which is set before, and becomes 1 where an answer is exact. The caller keeps every answer in
     * its range, and sets the shares of empty sets. */
    void (*overlap)(const ink_sketch *a, const ink_sketch *b, double z, ink_overlap *overlap);
    /* Every key that is kept, with its count, in any order. */
    size_t (*kept)(const ink_sketch *sketch);
    void (*item)(const ink_sketch *sketch, size_t index, ink_item *item);
};

/* The kinds. Some use others: a counting converts to a bloom, levels are blooms or classics. */
extern const ink__kind ink__bloom;
extern const ink__kind ink__classic;
extern const ink__kind ink__counting;
extern const ink__kind ink__scalable;
extern const ink__kind ink__count_min;
extern const ink__kind ink__top;
extern const ink__kind ink__fm;
extern const ink__kind ink__hll;
extern const ink__kind ink__theta;
extern const ink__kind ink__fuse;

/* Every kind, in order of id; ends with NULL. */
extern const ink__kind *const ink__kinds[];

/* INK_USAGE, naming all kinds, if there is no such one; *kind is NULL then. */
ink_status       ink__kind_find(const char *name, const ink__kind **kind, ink_error *error);
const ink__kind *ink__kind_of_id(unsigned id);

/* Whether it needs a number of keys, or a size by hand; it has drafts then. */
static inline bool ink__is_sized_by_keys(const ink__kind *kind)
{
    return (kind->takes & INK__TAKES_BITS) != 0 || kind->whole != NULL;
}

/* Reserves memory so that adding these keys cannot fail. */
static inline ink_status ink__reserve(ink_sketch *sketch, const ink__keys *keys, ink_error *error)
{
    return sketch->kind->reserve == NULL ? INK_OK : sketch->kind->reserve(sketch, keys, error);
}

/* No answer is above what was added: records, or the sum of weights. 0 and a number that has
 * saturated say nothing. */
static inline void ink__answer_limit(ink_answer *answer, uint64_t added)
{
    double most = added == 0 || added == UINT64_MAX ? 0x1p64 : ink__real_up(added);

    answer->low = answer->low > most ? most : answer->low;
    answer->estimate = answer->estimate > most ? most : answer->estimate;
    answer->high = answer->high > most ? most : answer->high;
}

static inline ink__shape ink__shape_of(const ink_sketch *sketch)
{
    ink__shape shape = {.kind = sketch->concurrent ? sketch->kind->plain : sketch->kind};

    sketch->kind->shape(sketch, &shape);
    return shape;
}

#endif
