/* golden.h - the files in tests/golden/: what is in them, so that they can be made and compared. */
#ifndef INK_TESTS_GOLDEN_H
#define INK_TESTS_GOLDEN_H

#include "inkling_file.h"

/* Keys by number. */
typedef struct golden_range {
    uint64_t first, count;
} golden_range;

/* One sketch of a golden file, made in this order: its keys are added, numbers first_key to
 * first_key + keys - 1; some are removed; a second sketch is merged in; more are added; only what
 * another sketch has stays; what one more has leaves. */
typedef struct golden_entry {
    ink_params      params;
    ink_label       label;
    uint64_t        first_key;
    uint64_t        keys;
    uint64_t        rounds;  /* all keys are added so often, round by round; 0: once */
    const uint64_t *weights; /* of the adds, over and over; NULL: all 1 */
    size_t          weight_count;
    uint64_t        removed; /* keys, from the first on, that are taken out once */
    uint64_t        joined;  /* keys after those of the first sketch, in the second */
    uint64_t        later;   /* keys after those of the second, added last */
    golden_range    met;     /* keys of the sketch that it is intersected with */
    golden_range    less;    /* keys of the sketch that is subtracted */
} golden_entry;

typedef struct golden_file {
    const char         *name;
    const golden_entry *entries;
    size_t              entry_count;
    const ink_section  *sections;
    size_t              section_count;
} golden_file;

/* File number `index`; NULL past the last one. */
const golden_file *golden_at(size_t index);

enum { GOLDEN_KEY_ROOM = 2048, GOLDEN_LONG = 1 << 24 };

/* The bytes of key `number` and their count: a few odd keys first, then "key-N"; from GOLDEN_LONG
 * on as many letters x as the number is above it. */
size_t golden_key(uint64_t number, uint8_t key[GOLDEN_KEY_ROOM]);
/* The integer key `number`. */
int64_t golden_int(uint64_t number);

/* Whether sketches of this kind are asked for membership. */
bool golden_is_filter(const char *kind);
/* The weight of add number `add`. */
uint64_t golden_weight(const golden_entry *entry, uint64_t add);
/* How many records the entry ends up with. */
uint64_t golden_records(const golden_entry *entry);

/* Builds a file. The caller frees the bytes with ink_bytes_free. */
ink_status golden_build(const golden_file *golden, uint8_t **bytes, size_t *count,
                        ink_error *error);

#endif
