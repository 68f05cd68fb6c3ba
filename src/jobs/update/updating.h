/* updating.h - an update on its way: what its parts (update.c, update_rows.c) share. */
#ifndef INK_JOBS_UPDATE_UPDATING_H
#define INK_JOBS_UPDATE_UPDATING_H

#include "jobs/groups/collect.h"
#include "jobs/groups/matches.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/feed.h"
#include "jobs/update/locked_file.h"

/* A kind that the file holds. */
typedef struct ink__update_kind {
    ink_kind_info   info;
    ink_description description; /* of its first sketch */
} ink__update_kind;

/* What a thread has to itself. */
typedef struct ink__update_worker {
    uint64_t            hashes[INK__ROWS_MAX];
    ink__pending_rows   pending;
    ink__collect_worker collect;
} ink__update_worker;

/* A sketch of a group that the file does not have. */
typedef struct ink__update_made {
    const ink__group *group;
    size_t            kind;
} ink__update_made;

/* What the sketches that change take in memory, as their allocator sees it. Only whoever has its
 * turn changes them, so that no lock is needed. */
typedef struct ink__update_meter {
    uint64_t held;
    uint64_t copied;  /* of these, for what the file has already */
    bool     copying; /* such: it has room, whatever the limit */
    bool     refused; /* something, as there is no room for it */
} ink__update_meter;

typedef struct ink__updating {
    ink_allocator             allocator;
    ink__update_meter         meter;
    const ink_update_options *options;
    const ink_input          *inputs;
    size_t                    input_count;
    ink_job                  *job;
    ink_update_report        *report;
    uint64_t                  began;
    ink__locked               locked;
    const ink_file           *file;
    ink_input_spec           *input_spec;
    ink_reading               reading;
    bool                      grouped;
    ink__update_kind         *kinds;
    uint64_t                  kinds_bytes;
    size_t                    kind_count;
    ink__member               hasher;       /* the first sketch, which knows what a key is */
    bool                      hashes, keys; /* are needed */
    bool                      about_input;  /* why it failed is */
    ink__collector            collector;    /* its groups have the sketches that change ... */
    ink__group               *whole;        /* ... or this one, of a file without groups */
    ink_sketch              **touched;      /* the same, by the number of their entry */
    ink__update_made         *made;         /* and those that have none yet */
    uint64_t                  made_count, made_bytes;
    uint8_t                  *fresh; /* which rows are new, to some kind and to this one */
    uint64_t                  fresh_bytes;
    ink__update_worker       *workers;
    unsigned                  worker_count;
} ink__updating;

/* update_rows.c: keeps rows of a chunk, and adds or removes their keys when it has its turn. */
ink_status ink__update_take(void *host, unsigned number, const ink__feed_rows *feed,
                            ink_error *error);
ink_status ink__update_commit(void *host, unsigned number, const ink__feed_rows *feed,
                              ink_error *error);

/* A view of an entry, with the secret that its keys need. */
ink_status ink__update_open(const ink__updating *all, size_t index, ink_sketch **view,
                            ink_error *error);

/* The parameters of an empty sketch like this one. Of a filter that is sized by its keys only the
 * size: it promises as much as that can. */
ink_params ink__update_params(const ink_description *description, const ink_kind_info *kind,
                              const uint8_t *secret);

#endif
