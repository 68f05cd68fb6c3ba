/* records.h - what tests of whole jobs share: records as the test itself knows them, files and
 * pipes to read them from, and the sketches that a job must make of them, made with the calls of
 * inkling.h one key at a time. All fail the test when a call that must succeed does not. */
#ifndef INK_TESTS_RECORDS_H
#define INK_TESTS_RECORDS_H

#include "support/owned.h"

#include "inkling_job.h"

/* With INK_TEST_LIGHT set (valgrind, thread sanitizer) tests try fewer ways. */
bool records_light(void);

/* ---- Chance ------------------------------------------------------------------------------- */

uint64_t records_random(uint64_t *state);
uint64_t records_below(uint64_t *state, uint64_t limit);

/* ---- Time --------------------------------------------------------------------------------- */

/* Until the end every look at the clock takes a second, so that jobs report their progress often.
 */
void records_slow_clock_begin(void);
void records_slow_clock_end(void);

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Bytes that grow. All zero is an empty one. */
typedef struct records_bytes {
    uint8_t *bytes;
    size_t   count, room;
} records_bytes;

void records_put(records_bytes *to, const void *bytes, size_t count);
void records_say(records_bytes *to, const char *format, ...) __attribute__((format(printf, 2, 3)));
void records_bytes_free(records_bytes *bytes);

/* Whether these bytes are this text. */
bool records_are(const records_bytes *bytes, const char *text);

/* A sink that keeps everything. */
ink_sink records_sink(records_bytes *to);

/* A sink whose call number `fail_at` fails. Called by threads of the job, which must not fail the
 * test themselves. */
typedef struct records_bad_sink {
    unsigned calls, fail_at;
    int      os_error;
} records_bad_sink;
int records_fail_later(void *bad_sink, const void *bytes, size_t count);

/* Pieces of a distributed job, in the order in which they came. All zero is none. */
enum { RECORDS_PIECES = 4096 };
typedef struct records_pieces {
    records_bytes list[RECORDS_PIECES];
    uint32_t      buckets[RECORDS_PIECES];
    size_t        count;
} records_pieces;

int  records_take_piece(void *pieces, uint32_t bucket, const uint8_t *bytes, size_t count);
void records_pieces_free(records_pieces *pieces);

/* ---- Files and pipes ---------------------------------------------------------------------- */

void records_write(const char *path, const void *bytes, size_t count);
void records_gzip(const char *path, const void *bytes, size_t count);
/* The same into memory, which must have room; returns how many bytes that is. */
size_t records_gzip_to(uint8_t *to, size_t room, const void *from, size_t count);
void   records_zstd(const char *path, const void *bytes, size_t count);

/* Removes files that are there. */
#define UNLINK(...) records_unlink((const char *const[]){__VA_ARGS__, NULL})
void records_unlink(const char *const *paths);

/* All of a file, which must be there. */
records_bytes records_read(const char *path);

/* Whether a file is there and holds these bytes, or this text. */
bool records_file_holds(const char *path, const void *bytes, size_t count);
bool records_unchanged(const char *path, const records_bytes *bytes);
bool records_file_is(const char *path, const char *text);

/* How many names are in a folder. */
unsigned records_names_in(const char *folder);

/* Setup and teardown of a group of tests that sync thousands of files: a folder of its own, in
 * memory where there is such a file system. No file may be left over. */
int records_folder_begin(void **state);
int records_folder_end(void **state);

/* A thread that writes bytes into a new FIFO `path`, or if that is NULL into a pipe that becomes
 * standard input until the end. */
typedef struct records_pipe records_pipe;
records_pipe               *records_pipe_begin(const char *path, const void *bytes, size_t count);
void records_pipe_end(records_pipe *pipe); /* the FIFO is gone then; or NULL */

/* Connects to "tcp://127.0.0.1:PORT" or "unix:PATH". */
int records_connect(const char *address);

/* ---- Rows --------------------------------------------------------------------------------- */

/* What a record says. */
typedef struct records_row {
    size_t   key, key_bytes;     /* where its key stands in the bytes of the rows ... */
    size_t   group, group_bytes; /* ... and its group, if it has one */
    int64_t  number;             /* the key, of rows with int keys */
    uint64_t weight;
    bool     null_group;
} records_row;

/* Many of them. All zero is none. */
typedef struct records_rows {
    records_row  *rows;
    size_t        count, room;
    records_bytes bytes;
    bool          ints, grouped, weighted;
} records_rows;

/* Adds a row; `group` NULL is a null group, where rows are grouped. */
void records_add(records_rows *rows, const void *key, size_t key_bytes, const void *group,
                 size_t group_bytes, uint64_t weight);
void records_add_text(records_rows *rows, const char *key, const char *group, uint64_t weight);
void records_add_int(records_rows *rows, int64_t key, const char *group, uint64_t weight);
void records_rows_free(records_rows *rows);

ink_label records_group(const records_rows *rows, const records_row *row);

/* Records as text, and what they say. */
typedef struct records_data {
    records_bytes text;
    records_rows  rows;
    ink_reading   reading;
} records_data;

#define owned_records OWNED(records_data_free) records_data
void records_data_free(records_data *data);

/* Adds a record as the reading finds it: a line, {"k":KEY,"g":GROUP}, or the three columns key,
 * group and weight, of a form with tabs. */
void records_data_put(records_data *to, const char *key, const char *group, uint64_t weight);

/* ---- By hand ------------------------------------------------------------------------------ */

/* A file in memory. */
typedef struct records_file {
    uint8_t  *bytes;
    size_t    count;
    ink_file *file;
} records_file;

void records_file_close(records_file *file);

/* What ink_build makes of these bytes with one thread; and the same saved. */
ink_set *records_build(const void *bytes, size_t count, const ink_reading *reading,
                       const ink_params *kinds, size_t kind_count);
void     records_build_file(const char *path, const void *bytes, size_t count,
                            const ink_reading *reading, const ink_params *kinds, size_t kind_count);

/* The set as a file; with the input spec, as it is. */
records_file records_encode(const ink_set *set);

/* These entries as a file, in memory or at a path; their sketches are freed. */
records_file records_entries(const ink_entry *entries, size_t count);
void         records_save_entries(const char *path, const ink_entry *entries, size_t count);

/* The sketches that ink_build must make of these rows, made one key at a time, as a file without a
 * input spec. Sizes that are not given follow from the different keys of each group; above 2^20 of
 * them from an estimate. */
records_file records_by_hand(const records_rows *rows, const ink_build_options *options);

/* A sketch of `count` keys from `first` on, of which some repeat: text, or integers if it has
 * these. */
ink_sketch *records_sketch(const ink_params *params, unsigned first, unsigned count);

/* Adds a row to a sketch. */
void records_add_row(ink_sketch *sketch, const records_rows *rows, const records_row *row);

/* How many keys a sized sketch of these different keys is planned for. `hll` of precision 18 has
 * them all. */
uint64_t records_planned(uint64_t different, const ink_sketch *hll);

typedef struct records_digest {
    uint8_t bytes[INK_DIGEST_BYTES];
} records_digest;

records_digest records_digest_of(const ink_file *file);
records_digest records_digest_of_set(const ink_set *set);
/* Of a set with an allocator of faults.h, which is freed: all memory is given back then. */
records_digest records_digest_of_counted(ink_set *set, const ink_allocator *allocator);
records_digest records_digest_by_hand(const records_rows *rows, const ink_build_options *options);
bool           records_same(const records_digest *a, const records_digest *b);

#endif
