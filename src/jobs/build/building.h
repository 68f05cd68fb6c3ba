/* building.h - a build on its way: what its parts (build.c, build_groups.c, build_sized.c,
 * build_ordered.c) share. */
#ifndef INK_JOBS_BUILD_BUILDING_H
#define INK_JOBS_BUILD_BUILDING_H

#include "jobs/build/ranges.h"
#include "jobs/groups/collect.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/sketch_set.h"

/* How the sketches of a kind come about. */
typedef enum ink__build_mode {
    INK__BUILD_DIRECT,  /* the size is known and the order does not matter: by every thread, then
                           merged */
    INK__BUILD_SIZED,   /* the size follows from the keys: these are kept until all were seen */
    INK__BUILD_ORDERED, /* the order matters: by one thread after another */
    INK__BUILD_SLICED,  /* sized, and made elsewhere, range by range */
} ink__build_mode;

typedef struct ink__build_kind {
    ink_params      params;
    ink_kind_info   info;
    ink_description description;
    ink__build_mode mode;
    bool            planned; /* kept like sized ones, though its size is known: for pieces */
    /* Direct, and so large that hashes are sorted by range before they are added: to one sketch, or
     * to one of each worker. 0: it is not. */
    unsigned     ranges_count;
    ink__ranges *ranges;
} ink__build_kind;

typedef struct ink__build_worker ink__build_worker;

/* Several threads add to one sketch where there is no room for one each. */
typedef struct ink__build_slot {
    ink__gate    gate;
    ink_sketch **sketches; /* one for each kind; NULL but for direct ones */
} ink__build_slot;

typedef struct ink__building {
    ink_allocator      allocator;
    ink_job           *job;
    const ink_reading *reading;
    double             headroom;
    bool               mapping; /* gives or takes pieces: filters are kept, whatever is known */
    bool               taking;  /* takes them: what is kept comes from others */
    ink_status (*relieve)(void *host, ink_error *error); /* gives away what was read so far, ... */
    void *relieve_host; /* ... which is then done before it takes much of the memory; or NULL */
    bool  counting;     /* only the records of each group, by one worker */
    const ink_sizes   *sizes;  /* numbers of keys that were measured before, or NULL */
    const ink_sizes   *counts; /* numbers of records, likewise */
    uint64_t           began, memory;
    const char        *folder;
    ink__build_kind   *kinds;
    size_t             kind_count;
    bool               any_direct, any_sized, any_ordered, any_ranged;
    bool               counted; /* what is kept of a record needs to tell how often it came */
    bool               repeats_matter; /* to some kind: adding a key twice is not adding it once */
    bool               estimated; /* without groups: nobody knows how many keys are different */
    ink__collector     collector; /* its groups have the sketches */
    ink__hasher       *hasher;    /* of the key rule; NULL if that has no 64-bit hash */
    unsigned           workers;
    ink__build_worker *worker;
    ink__group        *whole; /* the one group of a build without groups */
    ink__build_slot   *slots;
    unsigned           slot_count, open_slots;
    uint64_t           stretch; /* of the input, that ordered kinds are at */
    ink__group       **touched; /* groups that have parts of it */
    uint64_t           touched_count, touched_bytes;
    atomic_uint_fast64_t kept_bytes;  /* of elements in memory, in the bins of all workers */
    atomic_uint_fast64_t grown_bytes; /* that ordered sketches of groups have at most ... */
    atomic_uint_fast64_t drawn_bytes; /* ... and direct ones, where these may have to be relieved */
} ink__building;

enum { INK__RECENT_HASHES = 1 << 14, INK__MODELS = 256 };

/* What a thread has to itself. */
struct ink__build_worker {
    uint64_t            hashes[INK__ROWS_MAX];
    ink__collect_worker collect;
    /* Without groups: what is kept, by the first bits of hashes; and some hashes that are there for
     * sure. */
    ink__bins    bins;
    uint32_t     recent_tries, recent_hits;
    uint64_t     recent_pause; /* so many hashes are not looked for among them */
    uint64_t     recent[INK__RECENT_HASHES];
    uint64_t     records;
    ink_sketch  *counter; /* how many of these are different; NULL as long as there are few */
    ink__waiting waiting; /* for ordered kinds */
    /* Filling. Empty sketches that were planned for so many keys: a plan takes longer than a small
     * sketch. */
    ink_sketch *models[INK__MODELS];
    uint64_t    model_keys[INK__MODELS];
    ink__gather copy;
    ink__table  table;
};

/* Plans one kind, of a build that gives or takes pieces if it is `mapping`: INK_UNSUPPORTED then if
 * it cannot be built in parts. */
ink_status ink__build_plan_kind(ink__build_kind *kind, const ink_params *params, bool mapping,
                                ink_error *error);

/* The life of a build: plans it for all->workers workers; reads all records; makes sketches of what
 * was kept; the end of all that. */
ink_status ink__build_begin(ink__building *all, const ink_build_options *options, ink_error *error);
ink_status ink__build_read(ink__building *all, const ink_input *inputs, size_t input_count,
                           ink_error *error);
/* Brings all that was read to groups and bins, where it waits to be filled or given away. */
ink_status ink__build_settle(ink__building *all, ink_error *error);
ink_status ink__build_fill(ink__building *all, ink_error *error);
void       ink__build_end(ink__building *all);

/* What a job and its options say about a build; INK_USAGE tells what cannot be. `keyed` is memory
 * for the reading, whose keys are those of Arrow columns where inputs are such. */
ink_status ink__build_start(ink__building *all, ink_reading *keyed, const ink_input *inputs,
                            size_t input_count, const ink_reading *reading,
                            const ink_build_options *options, ink_job *job, ink_error *error);

/* Whether the size of a group's sketches is known before its keys are counted; *keys is set where
 * that was measured, and 0 otherwise. */
bool ink__build_known(const ink__building *all, const ink_label *label, uint64_t *keys);

/* measured_sizes.c: INK_MISMATCH if counts or sizes are those of another job; all groups, with
 * their keys.
 */
ink_status ink__sizes_match(const ink_pieces_options *options, uint64_t job, ink_error *error);
typedef ink_status ink__size_visit(void *host, const ink_label *label, uint64_t keys,
                                   ink_error *error);
ink_status         ink__sizes_each(const ink_sizes *sizes, ink__size_visit *visit, void *host,
                                   ink_error *error);

/* Merges a part, if there is one, into the whole, of which it may be the first. */
ink_status ink__build_unite(ink_sketch **whole, ink_sketch **part, ink_error *error);

/* Adds a batch to a sketch of a kind, which may not take weights. */
ink_status ink__build_add(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                          ink_error *error);

/* The parameters of kind number `kind`, for `keys` keys if it is sized by them. */
ink_params ink__build_params(const ink__building *all, size_t kind, uint64_t keys);

/* Makes a sketch of kind number `kind` for `keys` keys (if it is sized by them). */
ink_status ink__build_make(const ink__building *all, size_t kind, uint64_t keys,
                           ink_sketch **sketch, ink_error *error);

/* The number of keys that a sketch is planned for, from the estimate of how many different ones
 * there are. */
uint64_t ink__build_keys(double estimate);
enum { INK__EXACT_KEYS = 1 << 20 };
/* Above this estimate there are more than INK__EXACT_KEYS for sure. */
#define INK__SURELY_MORE 1.02

/* An empty sketch that estimates how many hashes are different. */
ink_status ink__build_counter(const ink__building *all, ink_sketch **counter, ink_error *error);

/* build_groups.c: makes the sketches of a group, of all that is kept of it; adds what a group has
 * collected to its sketches; fills all groups. */
/* Gathers what is kept of a group, each hash once where hashes are kept. */
ink_status ink__build_gather_group(ink__building *all, const ink__group *group,
                                   ink__gather **gather, ink_error *error);
ink_status ink__build_drain(void *host, ink__collect_worker *mine, ink__group *group,
                            ink__bins *bins, ink_error *error);
ink_status ink__build_fill_group(const ink__building *all, ink__build_worker *mine,
                                 ink__group *group, ink_error *error);
ink_status ink__build_fill_groups(ink__building *all, ink_error *error);

/* A build without groups keeps hashes in so many bins, by their first bits. */
enum { INK__BUILD_BINS = 256, INK__BUILD_BIN_SHIFT = 56 };
/* build_sized.c: keeps rows of a build without groups; makes the sketches of sized kinds. */
ink_status ink__build_keep(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                           ink_error *error);
/* Keeps elements that another build kept, as they stood in its bins. */
ink_status ink__build_keep_elements(ink__building *all, ink__build_worker *mine,
                                    const uint8_t *elements, uint64_t bytes, ink_error *error);
ink_status ink__build_fill_whole(ink__building *all, ink_error *error);
/* Gathers what the workers keep in a bin, each hash once where hashes are kept. */
ink_status ink__build_gather_bin(ink__building *all, unsigned bin, ink__gather **gather,
                                 ink_error *error);
/* The number of bins that workers have, and of elements in them. */
unsigned ink__build_bins(const ink__building *all);
uint64_t ink__build_elements(const ink__building *all);

/* build_ordered.c: holds the rows of a chunk, adds them when it has its turn, and ends. */
ink_status ink__build_hold(ink__building *all, ink__build_worker *mine, const ink__rows *rows,
                           ink_error *error);
ink_status ink__build_turn(ink__building *all, ink__build_worker *mine, uint64_t position,
                           ink_error *error);
ink_status ink__build_close_stretch(ink__building *all, ink_error *error);
#define INK__STRETCH_BYTES ((uint64_t)64 << 20)

#endif
