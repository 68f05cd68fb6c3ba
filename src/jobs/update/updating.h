/* updating.h - an update in progress: what update.c and update_rows.c share.
 *
 * The folder src/jobs/update changes files: update adds and removes records under a lock,
 * merge combines and folds files. Nothing else in src uses it. */
#ifndef INK_JOBS_UPDATE_UPDATING_H
#define INK_JOBS_UPDATE_UPDATING_H

#include "jobs/groups/collect.h"
#include "jobs/groups/matches.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/feed.h"

typedef struct ink__update_worker {
    uint64_t            hashes[INK__ROWS_MAX];
    ink__pending_rows   pending;
    ink__collect_worker collect;
    ink_sketch        **copies; /* empty at first, of each kind, if this worker adds apart */
    uint64_t            added;  /* rows, to these */
} ink__update_worker;

/* A sketch of a group that the file does not have. */
typedef struct ink__update_made {
    const ink__group *group;
    size_t            kind;
} ink__update_made;

/* The memory of the sketches that change, as their allocator sees it. They change in ordered
 * commits only, so no lock is needed. */
typedef struct ink__update_meter {
    uint64_t used;
    uint64_t copied;  /* of these, by sketches of the file */
    bool     copying; /* such a sketch: the limit does not count */
    bool     refused; /* an allocation, as it was above the limit */
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
    const ink_file           *file;
    ink_input_spec           *input_spec;
    ink_reading               reading, stored; /* completed, and what the input spec says, ... */
    const ink_reading        *remembered;      /* ... if that is followed, or NULL */
    bool                      grouped;
    ink__members              kinds; /* the first sketch of each kind; the first one hashes */
    bool                      hashes, keys; /* are needed */
    bool                      apart;        /* each worker adds to small copies of its own */
    bool                      about_input;  /* the failure is about an input */
    ink__collector            collector;    /* its groups own the sketches that change ... */
    ink__group               *whole;        /* ... or this one, of a file without groups */
    ink_sketch              **touched;      /* the same, by the number of their entry */
    ink__update_made         *made;         /* and those without an entry */
    uint64_t                  made_count, made_bytes;
    uint8_t                  *fresh; /* which rows are new to any kind, then to one kind */
    uint64_t                  fresh_bytes;
    ink__update_worker       *workers;
    unsigned                  worker_count;
} ink__updating;

/* update_rows.c: keeps rows of a chunk; adds or removes their keys in an ordered commit. */
ink_status ink__update_take(void *host, unsigned number, const ink__feed_rows *feed,
                            ink_error *error);
ink_status ink__update_commit(void *host, unsigned number, const ink__feed_rows *feed,
                              ink_error *error);

/* Whether each worker may add to copies of its own, which need no order and little memory; makes
 * and frees these; and merges them into the sketches of the file. */
bool       ink__update_is_apart(const ink__updating *all);
ink_status ink__update_make_copies(ink__updating *all, ink_error *error);
void       ink__update_free_copies(ink__updating *all);
ink_status ink__update_join(ink__updating *all, ink_error *error);

/* The parameters of an empty sketch like this one. For a filter that is sized by its keys only the
 * size is given; its promise follows from that. */
ink_params ink__update_params(const ink_description *description, const ink_kind_info *kind,
                              const uint8_t *secret);

#endif
