/* rows.h - records as rows, many at a time: their keys, groups, weights and times. */
#ifndef INK_INPUT_ROWS_H
#define INK_INPUT_ROWS_H

#include "base/json.h"
#include "inkling_job.h"
#include "input/records/fields.h"
#include "input/records/parse_number.h"
#include "input/records/row.h"
#include "input/source.h"

enum { INK__COLUMNS_MAX = INK__KEY_COLUMNS_MAX + 3 }; /* and those of group, weight and time */

/* The columns of a record that are read, counted from 0; 0 for those that are not. */
typedef struct ink__row_columns {
    uint32_t key[INK__KEY_COLUMNS_MAX], group, weight, time;
} ink__row_columns;

/* How to read records. All zero but `records`: a record is its key. (Arrow is read as the plan of
 * its chunk says, and of this only the key type counts.) */
typedef struct ink__row_rule {
    ink__record_rule records;   /* of fixed width: an integer key each, little-endian */
    bool             header;    /* the first record of an input names the columns: it is skipped */
    ink__field_form  form;      /* of records that have fields */
    uint8_t          delimiter; /* of these */
    bool             json;      /* records are JSON, and column i is what stands at paths[i] */
    bool             skip_bad;  /* a record that cannot be read is counted, and no failure */

    ink__row_columns columns;
    bool             resolved;         /* they were found in the header of an input */
    size_t           key_column_count; /* 0: the whole record; several make a tuple: each as a u32
                                          length, little-endian, and its bytes */
    ink_key_type   key_type;
    bool           has_group, rounded; /* a group that is rounded is a number, as decimal text */
    ink__rounding  rounding;
    bool           has_weight;
    bool           has_time; /* see ink__time_read; between blanks it may take several fields */
    ink_time_unit  time_unit;
    ink__json_path paths[INK__COLUMNS_MAX];
    const char    *path_texts[INK__COLUMNS_MAX]; /* as the user wrote them */
    size_t         path_count;
} ink__row_rule;

/* A reader. Callers may read `at`, `header_bytes`, `bad` and `nulls`, and set `allowed`. */
typedef struct ink__row_reader {
    ink_allocator     allocator;
    ink__row_rule     rule;
    const ink__chunk *chunk;
    uint64_t at;   /* the byte of the chunk that reading has reached, the end of a record; of Arrow
                      the row */
    uint64_t from; /* where the rows that were read last start there */
    uint64_t header_bytes; /* at the start of the chunk; 0: no header */
    uint64_t allowed;      /* records that may still be read, bad ones included; not for Arrow */
    uint64_t bad, nulls;   /* records that were skipped so far */

    struct ink__arrow_reader *arrow;       /* of chunks of Arrow, ... */
    size_t                    arrow_input; /* ... of this input */

    /* The columns that are wanted, rising, and where the rule's are among them. */
    uint32_t wanted[INK__COLUMNS_MAX];
    size_t   wanted_count;
    size_t   key_locations[INK__KEY_COLUMNS_MAX], group_location, weight_location, time_location;

    bool           keys_made, groups_made; /* they are put together here: */
    ink__row_bytes keys, groups;

    uint64_t record_starts[INK__ROWS_MAX], record_ends[INK__ROWS_MAX];
    uint64_t key_starts[INK__ROWS_MAX], key_ends[INK__ROWS_MAX];
    int64_t  key_ints[INK__ROWS_MAX];
    uint64_t group_starts[INK__ROWS_MAX], group_ends[INK__ROWS_MAX];
    uint64_t weights[INK__ROWS_MAX];
    int64_t  times[INK__ROWS_MAX];
} ink__row_reader;

/* INK_USAGE for int tuples, or too many key columns. The rule is copied. */
ink_status ink__row_reader_create(ink__row_reader **reader, const ink__row_rule *rule,
                                  const ink_allocator *allocator, ink_error *error);
void       ink__row_reader_free(ink__row_reader *reader);

/* Begins a chunk, which must stay until it has been read to its end. At the start of an input a
 * header and a byte-order mark are passed over. */
void ink__row_reader_start(ink__row_reader *reader, const ink__chunk *chunk);

/* The same at a record of the chunk, after its header. */
void ink__row_reader_start_at(ink__row_reader *reader, const ink__chunk *chunk, uint64_t at);

/* Where the record of row `row` starts in the chunk; for Arrow its number in the array. */
uint64_t ink__row_location(const ink__row_reader *reader, const ink__rows *rows, size_t row);

/* Reads the next rows; none at the end of the chunk. INK_FORMAT, at a byte of the chunk, for a bad
 * record, unless these are skipped. */
ink_status ink__row_reader_next(ink__row_reader *reader, ink__rows *rows, ink_error *error);

#endif
