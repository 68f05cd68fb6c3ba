/* pending_rows.h - rows of a chunk that wait for its ordered commit: what a job whose result
 * depends on the order of records keeps of them until then. */
#ifndef INK_JOBS_GROUPS_PENDING_ROWS_H
#define INK_JOBS_GROUPS_PENDING_ROWS_H

#include "input/rows.h"
#include "jobs/groups/groups.h"
#include "jobs/runtime/passing.h"

/* All zero but the allocator of `keys` is empty. What a job does not ask for is NULL. */
typedef struct ink__pending_rows {
    uint64_t       count;
    uint64_t      *hashes, *weights;
    uint64_t      *locations; /* where the records start in the chunk */
    ink__group   **groups;
    ink__gather    keys;
    bool           ints; /* the keys are */
    ink__location *records;
    uint64_t       hashes_bytes, weights_bytes, locations_bytes, groups_bytes, records_bytes;
    /* The chunk from the first row on, which `records` are offsets of, and its bytes. */
    const uint8_t *bytes;
    uint64_t       limit;
} ink__pending_rows;

/* What to keep of rows, besides their weights: the same in every call. */
typedef struct ink__pending_rows_for {
    const uint64_t        *hashes;  /* NULL: none */
    ink__group *const     *groups;  /* NULL: one for all */
    const ink__row_reader *reader;  /* of the rows, for `locations`; NULL: none */
    const ink__passing    *passing; /* of the records, for `records`; NULL: none */
    bool                   keys;
} ink__pending_rows_for;

ink_status ink__pending_rows_add(ink__pending_rows *to, const ink__rows *rows,
                                 const ink__pending_rows_for *what, ink_error *error);

/* The end of the rows from `first` on that are of one group. */
uint64_t ink__pending_rows_run(const ink__pending_rows *from, uint64_t first);

/* The rows from `first` up to `end` as a batch of what is kept. */
ink_batch ink__pending_rows_batch(const ink__pending_rows *from, uint64_t first, uint64_t end);

/* The key of a row, of which keys are kept, as text; an integer is written to `digits`. */
enum { INK__DIGITS_BYTES = 24 };
const uint8_t *ink__pending_rows_key(const ink__pending_rows *from, uint64_t row,
                                     char digits[INK__DIGITS_BYTES], size_t *bytes);

/* `count` keys of a batch, from `first` on. */
ink_batch ink__batch_range(const ink_batch *batch, size_t first, size_t count);

/* A batch as a kind takes it: weights if it counts, keys if it keeps them or has no hashes. */
ink_batch ink__batch_for(const ink_kind_info *kind, ink_batch batch);

/* Drops the rows and keeps the memory; releases all. */
void ink__pending_rows_clear(ink__pending_rows *pending);
void ink__pending_rows_end(ink__pending_rows *pending);

#endif
