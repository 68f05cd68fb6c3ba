/* ask_rows.h - rows asked of the filters of a file: hashed once, and asked of every group, or of
 * the one that each names, those that name the same one together. */
#ifndef INK_JOBS_GROUPS_ASK_ROWS_H
#define INK_JOBS_GROUPS_ASK_ROWS_H

#include "input/rows.h"
#include "jobs/groups/matches.h"
#include "sketch/internal.h"

/* A place of the table that finds a group: the hash of its label. */
typedef struct ink__asking_slot {
    uint64_t           hash;
    const ink__member *member; /* NULL: nothing stands here */
} ink__asking_slot;

/* Filters that are ready. Asking changes nothing in it: many threads may. */
typedef struct ink__asking {
    ink__members members; /* one or more, of one kind */
    bool         by;      /* a row is asked of the group that it names */
    bool         grouped; /* or of all groups, of which there are some */
    /* If groups are named: */
    ink__hasher      *label_hasher;
    ink__asking_slot *table; /* of all members that are groups */
    uint64_t          slots; /* in it, a power of two */
    uint64_t          salt;  /* of it */
} ink__asking;

/* Of `options` kind, by, last and secret count. The file must outlive it. */
ink_status ink__asking_open(ink__asking *asking, const ink_file *file,
                            const ink_filter_options *options, const ink_allocator *allocator,
                            ink_error *error);
void       ink__asking_close(ink__asking *asking);

enum { INK__ASKING_CHAINS = 2 * INK__ROWS_MAX };

/* What a thread needs to ask. */
typedef struct ink__asking_room {
    uint64_t hashes[INK__ROWS_MAX];
    uint8_t  answers[INK__ROWS_MAX];
    /* Rows whose labels have hashes that begin alike stand in one chain, the first one first. */
    uint64_t labels[INK__ROWS_MAX]; /* their hashes */
    uint16_t heads[INK__ASKING_CHAINS], next[INK__ROWS_MAX];
    /* Those of them that name one group, and what is asked for them. */
    uint16_t picked[INK__ROWS_MAX];
    uint64_t picked_hashes[INK__ROWS_MAX], starts[INK__ROWS_MAX], ends[INK__ROWS_MAX];
} ink__asking_room;

/* Sets any[i] to 1 if row i, of at most INK__ROWS_MAX, may be in a filter that it is asked of, else
 * to 0. Where groups are asked one and all, `table` keeps the answers of each, INK__ROWS_MAX for
 * every member, unless it is NULL. */
ink_status ink__asking_rows(const ink__asking *asking, const ink__rows *rows,
                            ink__asking_room *room, uint8_t *any, uint8_t *table, ink_error *error);

#endif
