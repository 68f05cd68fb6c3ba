/* value.h - what a key holds: one sketch, with what clients of the compatible commands reported
 * about it, or the bytes of one that has not come whole. */
#ifndef INKLING_VALKEY_VALUE_H
#define INKLING_VALKEY_VALUE_H

#include "api.h"
#include "heap.h"
#include "memory.h"

/* A kind of the library, and what it can do. */
typedef struct kind {
    const char   *name;
    ink_kind_info can;
} kind;

/* The commands that made a value, and may change it. Stored: new ones at the end. */
typedef enum family {
    FAMILY_NATIVE,
    FAMILY_BLOOM,
    FAMILY_COUNTS,
    FAMILY_TOP,
    FAMILY_CUCKOO,
    FAMILIES
} family;

/* What clients gave, and get in answers. Stored as words in this order; new ones at the end. */
typedef struct settings {
    uint64_t family;
    uint64_t capacity;  /* BF, CF: keys that were asked for */
    uint64_t expansion; /* BF, CF */
    uint64_t fixed;     /* BF: 1, NONSCALING */
    uint64_t k;         /* TOPK */
    uint64_t width, depth;
    double   decay;
    uint64_t removed;            /* CF: keys taken out */
    uint64_t bucket, iterations; /* CF */
} settings;

enum { SETTINGS_WORDS = 11 };

/* A sketch in memory of its own, which lives as long as a value or a thread uses it. */
typedef struct body {
    account     memory;
    _Atomic int users;
    ink_sketch *sketch; /* NULL: not whole */
    uint8_t    *bytes;  /* its encoding, while it is read in pieces; or what has come of one: */
    size_t      total, arrived;
    int         readers; /* tasks in threads that read it: it may not be changed */
    bool        foreign; /* they are of BF.SCANDUMP of RedisBloom */
} body;

typedef struct value {
    body       *body;
    const kind *kind; /* NULL: not whole */
    settings    set;
    heap       *heap;       /* TOPK */
    bool        ints;       /* keys are integers */
    uint64_t    items;      /* filters: keys added that were new */
    uint64_t    generation; /* another one after every change, of all values */
} value;

/* Learns the kinds of the library. */
void value_kinds(void);

/* A body without a sketch, or NULL. */
body *body_create(void);
body *body_hold(body *held);
void  body_release(body *held);

/* Forgets the encoding that is kept while it is read in pieces. */
void body_forget(body *of);

/* A value without a sketch, or NULL: there is no memory. */
value *value_create(family of);
void   value_free(value *v);

/* Gives a value its sketch, which is in the memory of its body. */
void value_take(value *v, ink_sketch *sketch);

/* Counts the items anew, after weights or removals: a counting filter has as many as records. */
void value_recount(value *v);

/* A value whose sketch is made with these parameters. */
ink_status value_make(value **made, family of, const ink_params *params, ink_error *error);
ink_status value_copy(value **made, const value *from, ink_error *error);

/* Reports that memory was refused. */
ink_status value_no_memory(ink_error *error);

/* Exchanges what two values hold, so that a key keeps its expiry. */
void value_swap(value *a, value *b);

/* Counts a change. */
void value_changed(value *v);

/* How many bytes of memory it takes. */
size_t value_memory(const value *v);

/* Settings, heap and the numbers of a half value as bytes that begin with their length, and back.
 */
size_t value_head_bytes(const value *v);
void   value_head_write(const value *v, uint8_t *to);
bool   value_head_read(value *v, const uint8_t *bytes, size_t count);

/* Whether commands of a family take a value that others made: a native one of their kinds. */
bool value_serves(const value *v, family of);

/* Whether sketch, settings and heap go together, as they must in a stored value. */
bool value_fits(const value *v);

/* The encoding of a body's sketch, in its memory, whatever the limits are. */
ink_status body_encode(const body *of, uint8_t **bytes, size_t *count, ink_error *error);

#endif
