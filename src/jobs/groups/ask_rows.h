/* ask_rows.h - tests rows against the filters of a file: each row is hashed once and tested against
 * all groups, or against the one it names. */
#ifndef INK_JOBS_GROUPS_ASK_ROWS_H
#define INK_JOBS_GROUPS_ASK_ROWS_H

#include "input/rows.h"
#include "jobs/groups/matches.h"
#include "sketch/internal.h"

/* A slot of the hash table of groups. */
typedef struct ink__ask_rows_slot {
    uint64_t           hash;
    const ink__member *member; /* NULL: empty */
} ink__ask_rows_slot;

/* Filters that are ready; constant, so that many threads may use it. */
typedef struct ink__ask_rows {
    ink__members members; /* one or more, of one kind */
    bool         by;      /* a row is tested against the group that it names */
    bool         grouped; /* a row is tested against all groups */
    /* With `by`: */
    ink__hasher        *label_hasher;
    ink__ask_rows_slot *table; /* of all members that are groups */
    uint64_t            slots; /* a power of two */
    uint64_t            salt;
} ink__ask_rows;

/* Uses kind, by, last, secret and groups of `options`. The file must outlive it. */
ink_status ink__ask_rows_open(ink__ask_rows *ask, const ink_file *file,
                              const ink_filter_options *options, const ink_allocator *allocator,
                              ink_error *error);
void       ink__ask_rows_close(ink__ask_rows *ask);

enum { INK__ASK_ROWS_CHAINS = 2 * INK__ROWS_MAX };

/* Scratch memory of one thread. */
typedef struct ink__ask_rows_room {
    uint64_t hashes[INK__ROWS_MAX];
    uint8_t  answers[INK__ROWS_MAX];
    /* Rows are chained by the first bits of their labels' hashes, in order. */
    uint64_t labels[INK__ROWS_MAX]; /* hashes */
    uint16_t heads[INK__ASK_ROWS_CHAINS], next[INK__ROWS_MAX];
    /* The rows that name one group, and their keys. */
    uint16_t picked[INK__ROWS_MAX];
    uint64_t picked_hashes[INK__ROWS_MAX], starts[INK__ROWS_MAX], ends[INK__ROWS_MAX];
} ink__ask_rows_room;

/* Sets any[i] to 1 if row i, of at most INK__ROWS_MAX, may be in a filter that it is tested
 * against, else to 0. If these are all groups, `table`, unless NULL, gets the answers of each:
 * INK__ROWS_MAX for every member. */
ink_status ink__ask_rows_answer(const ink__ask_rows *ask, const ink__rows *rows,
                                ink__ask_rows_room *room, uint8_t *any, uint8_t *table,
                                ink_error *error);

#endif
