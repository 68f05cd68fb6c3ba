/* golden.h - the files in tests/golden/: what is in them, so that they can be made and compared. */
#ifndef INK_TESTS_GOLDEN_H
#define INK_TESTS_GOLDEN_H

#include "inkling.h"

/* One sketch of a golden file: its keys are numbers first_key to first_key + keys - 1. */
typedef struct golden_entry {
    ink_params params;
    ink_label  label;
    uint64_t   first_key;
    uint64_t   keys;
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

/* The bytes of key `number` and their count; a few odd keys first, then "key-N". */
size_t golden_key(uint64_t number, uint8_t key[32]);
/* The integer key `number`. */
int64_t golden_int(uint64_t number);

/* Builds a file. The caller frees the bytes with ink_bytes_free. */
ink_status golden_build(const golden_file *golden, uint8_t **bytes, size_t *count,
                        ink_error *error);

#endif
