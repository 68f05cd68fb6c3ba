/* build_plan.h - what a build is to make, and how: its kinds, and how the sketches of each come
 * about. Constant once it is made; a map makes one build after another by the same plan. */
#ifndef INK_JOBS_BUILD_BUILD_PLAN_H
#define INK_JOBS_BUILD_BUILD_PLAN_H

#include "inkling_job.h"
#include "jobs/groups/elements.h"
#include "sketch/internal.h"

/* How the sketches of a kind come about. */
typedef enum ink__build_mode {
    INK__BUILD_DIRECT,  /* the size is known and the order does not matter: by every thread, then
                           merged */
    INK__BUILD_SIZED,   /* the size follows from the keys: these are kept until all were seen */
    INK__BUILD_ORDERED, /* the order matters: by one thread after another */
    INK__BUILD_MODES
} ink__build_mode;

typedef struct ink__build_kind {
    ink_params      params;
    ink_kind_info   info;
    ink_description description;
    ink__build_mode mode;
    bool            planned; /* kept like sized ones, though its size is known: for pieces */
} ink__build_kind;

/* What a build is for, besides a set of sketches. All zero: nothing else. */
typedef struct ink__build_use {
    bool     pieces;   /* gives or takes pieces: filters are kept, whatever is known */
    bool     taking;   /* takes them: what is kept comes from others */
    bool     counting; /* only the records of each group, by one worker */
    unsigned workers;  /* 0: as many as the inputs and the job allow */
    /* Gives away what was read so far, before it takes much of the memory; or NULL. */
    ink_status (*flush)(void *host, ink_error *error);
    void *flush_host;
    /* The number of keys of a group, or of its records, if that was measured before; or NULL. */
    bool (*measured)(const void *host, bool records, const ink_label *label, uint64_t *keys);
    const void *measured_host;
} ink__build_use;

typedef struct ink__build_plan {
    ink_allocator    allocator;
    ink_job         *job;
    ink_reading      reading; /* its keys are those of Arrow columns where inputs are such */
    ink__build_use   use;
    double           headroom;
    uint64_t         began, memory;
    const char      *folder;
    unsigned         workers;
    ink__build_kind *kinds;
    size_t           kind_count;
    bool             any[INK__BUILD_MODES]; /* kinds of this mode */
    bool             unsized;               /* some size is known only when the keys were counted */
    bool             counted;               /* what is kept of a record tells how often it came */
    bool             repeats_matter; /* to some kind: adding a key twice is not adding it once */
    bool             estimated;      /* without groups: nothing tells how many keys are different */
    ink__keep        keep;
    uint64_t         group_bytes; /* that a group takes for sure */
    ink__hasher     *hasher;      /* NULL if the key rule has no 64-bit hash */
    ink__hasher     *label_hasher;
} ink__build_plan;

/* Plans one kind, of a build that gives or takes pieces: INK_UNSUPPORTED then if it cannot be built
 * in parts. */
ink_status ink__build_plan_kind(ink__build_kind *kind, const ink_params *params, bool pieces,
                                ink_error *error);

/* Plans a build; INK_USAGE says what cannot be. To be ended also if it failed. */
ink_status ink__build_plan_make(ink__build_plan *plan, const ink_input *inputs, size_t input_count,
                                const ink_reading *reading, const ink_build_options *options,
                                const ink__build_use *use, ink_job *job, ink_error *error);
void       ink__build_plan_end(ink__build_plan *plan);

/* Whether the size of a group's sketches is known before its keys are counted; *keys is set where
 * that was measured, and 0 otherwise. */
bool ink__build_known(const ink__build_plan *plan, const ink_label *label, uint64_t *keys);

/* The parameters of kind number `kind`, for `keys` keys if it is sized by them. */
ink_params ink__build_params(const ink__build_plan *plan, size_t kind, uint64_t keys);

/* Makes a sketch of kind number `kind` for `keys` keys (if it is sized by them). */
ink_status ink__build_make(const ink__build_plan *plan, size_t kind, uint64_t keys,
                           ink_sketch **sketch, ink_error *error);

/* Adds a batch to a sketch of a kind, which may not take weights. */
ink_status ink__build_add(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                          ink_error *error);

/* Merges a part, if there is one, into the whole, of which it may be the first. */
ink_status ink__build_merge(ink_sketch **whole, ink_sketch **part, ink_error *error);

/* The number of keys that a sketch is planned for, from the estimate of how many different ones
 * there are. */
uint64_t ink__build_keys(double estimate);
enum { INK__EXACT_KEYS = 1 << 20 };
/* Above this estimate there are more than INK__EXACT_KEYS for sure. */
#define INK__SURELY_MORE 1.02

/* An empty sketch that estimates how many hashes are different. */
ink_status ink__build_counter(const ink__build_plan *plan, ink_sketch **counter, ink_error *error);

#endif
