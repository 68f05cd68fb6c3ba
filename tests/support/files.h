/* files.h - sample files in memory, of every kind and with every sort of label and section, and
 * what it takes to damage them on purpose: where their fields stand, how to put the checksums right
 * again after a change, and memory after which nothing can be read. Written from
 * docs/format.md; knows nothing of the library's reader.
 *
 *     files_sample_make(&sample, 0);
 *     uint8_t *bytes = files_place(&guard, sample.bytes, sample.count);
 *     files_set(bytes + FILES_ENTRIES_AT, 8, 7);
 *     files_repair(bytes, sample.count);
 *     ... the file is refused, and not because of a checksum ... */
#ifndef INK_TESTS_FILES_H
#define INK_TESTS_FILES_H

#include "inkling.h"
#include "support/owned.h"

/* ---- Samples ------------------------------------------------------------------------------ */

typedef struct files_sample {
    const char *name;
    uint8_t    *bytes;
    size_t      count;
    bool        large; /* too large to try every bit of it: it has more than one piece */
} files_sample;

/* How many samples there are. */
unsigned files_sample_count(void);

/* Makes sample number `index`; the same bytes each time. Fails the test if it cannot. */
void files_sample_make(files_sample *sample, unsigned index);
/* The sample of this name. */
void files_sample_named(files_sample *sample, const char *name);
void files_sample_free(files_sample *sample);

/* One that is freed at the end of its block: SAMPLE sample = files_sample_of("bloom"). */
#define owned_sample OWNED(files_sample_free) files_sample
files_sample files_sample_of(const char *name);

/* The secret of the samples "keyed" and "keyed top". */
extern const uint8_t files_secret[INK_SECRET_BYTES];

/* ---- Keys --------------------------------------------------------------------------------- */

/* A sketch with these parameters and the keys `first` to `first + count`: the text "key N", or the
 * integer N. `allocator` NULL means malloc. Fails the test if it cannot. */
ink_sketch *files_sketch(const ink_params *params, uint64_t first, uint64_t count,
                         const ink_allocator *allocator);

/* ---- Fields ------------------------------------------------------------------------------- */

enum {
    FILES_VERSION_AT = 8,
    FILES_ENTRIES_AT = 32,
    FILES_DIRECTORY_AT = 40,
    FILES_PAYLOAD_AT = 48,
    FILES_HEADER_BYTES = 64,
};

/* A number in a file: little-endian, 1, 2, 4 or 8 bytes. */
typedef struct files_field {
    uint64_t at;
    unsigned width;
} files_field;

/* Finds all numbers of a valid file that are not checksums: header, directory (of long columns only
 * the first and last cells), sections. Returns how many, at most `most`. */
size_t files_fields(const uint8_t *bytes, size_t count, files_field *fields, size_t most);

uint64_t files_get(const uint8_t *at, unsigned width);
void     files_set(uint8_t *at, unsigned width, uint64_t value);

/* Where the cells of a column stand in a valid file: number of the table, id of the column. Fails
 * the test if there is none. */
files_field files_column(const uint8_t *bytes, size_t count, unsigned number, unsigned id);

/* What the first entry has in a column of the first table; 0 if there is no such column. */
uint64_t files_value(const uint8_t *bytes, size_t count, unsigned id);

/* Where the payload area and the first section of a file start, as its header says. */
uint64_t files_payload_at(const uint8_t *bytes);
uint64_t files_sections_at(const uint8_t *bytes);

/* A file with one entry and no label, of any contents, its checksums right: as a forger makes it
 * who knows docs/format.md. Freed as a sample. */
enum { FILES_FORGED_FIELDS = 8 };

typedef struct files_forged {
    unsigned       kind, position_rule;
    ink_key_type   key_type;
    bool           keyed; /* with a secret that is unknown, so that hashes may be any */
    uint64_t       records, fields[FILES_FORGED_FIELDS];
    const uint8_t *payload;
    size_t         payload_bytes;
} files_forged;

void files_forge(files_sample *sample, const char *name, const files_forged *forged);

/* Puts every checksum right that can be found by what the file says of itself: payload pieces,
 * directory, header, sections. Touches nothing outside of `bytes`, whatever stands there. */
void files_repair(uint8_t *bytes, size_t count);

/* ---- A guarded place ---------------------------------------------------------------------- */

/* Memory that ends at a page which cannot be read. */
typedef struct files_guard {
    uint8_t *base;
    size_t   base_bytes;
    size_t   room;
} files_guard;

void files_guard_create(files_guard *guard, size_t room);
void files_guard_free(files_guard *guard);

/* Copies `count` <= room bytes to where their last one is the last that can be read. */
uint8_t *files_location(files_guard *guard, const uint8_t *bytes, size_t count);

/* Memory for records of 2^31 bytes: zeros, which take room only where they are written to. NULL if
 * looking through them twice would take more than about two seconds here. */
uint8_t *files_zeros(uint64_t count);
void     files_zeros_free(uint8_t *bytes, uint64_t count);

#endif
