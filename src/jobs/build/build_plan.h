/* build_plan.h - what a build makes, and how: its kinds, and how their sketches are made. Constant
 * once made; a map runs several builds by the same plan. */
#ifndef INK_JOBS_BUILD_BUILD_PLAN_H
#define INK_JOBS_BUILD_BUILD_PLAN_H

#include "inkling_job.h"
#include "jobs/groups/elements.h"
#include "sketch/internal.h"

/* How the sketches of a kind are made. */
typedef enum ink__build_mode {
    INK__BUILD_DIRECT,  /* the size is known, in any order: by each thread, then merged */
    INK__BUILD_SIZED,   /* the size follows from the keys: elements are kept until all are read */
    INK__BUILD_ORDERED, /* the order matters: in ordered commits */
    INK__BUILD_MODES
} ink__build_mode;

typedef struct ink__build_kind {
    ink_params      params;
    ink_kind_info   info;
    ink_description description;
    ink__build_mode mode;
    bool            planned; /* SIZED only because of pieces: its size is known */
} ink__build_kind;

/* What a build does besides making a set of sketches. All zero: nothing. */
typedef struct ink__build_use {
    bool     pieces;        /* sends or receives pieces: filters are SIZED */
    bool     taking;        /* receives them: elements come from other builds */
    bool     counting;      /* only counts the records of each group, by one worker */
    unsigned workers;       /* 0: as many as the inputs and the job allow */
    uint64_t segment_bytes; /* of the input, for kinds that depend on order; 0: 64 MiB */
    /* Sends what was read so far, to free memory; or NULL. */
    ink_status (*flush)(void *host, ink_error *error);
    void *flush_host;
    /* The number of keys of a group, or of its records, if measured before; or NULL. */
    bool (*measured)(const void *host, bool records, const ink_label *label, uint64_t *keys);
    const void *measured_host;
} ink__build_use;

typedef struct ink__build_plan {
    ink_allocator     allocator;
    ink_job          *job;
    ink_reading       reading; /* with the key type of Arrow columns, if inputs are Arrow */
    ink__build_use    use;
    double            headroom;
    const ink_sketch *only;   /* its keys are the ones that are added; NULL: all */
    const char       *format; /* of another system, which decides sizes; NULL: none */
    uint64_t          began, memory;
    const char       *folder;
    unsigned          workers;
    ink__build_kind  *kinds;
    size_t            kind_count;
    bool              any[INK__BUILD_MODES]; /* whether there are kinds of this mode */
    bool              filled;                /* some sized kind is filled with elements ... */
    bool              made_whole;            /* ... or made of all of them at once */
    bool              unsized;               /* some size depends on the number of keys */
    bool              counted;               /* elements have counts, if sent in pieces */
    bool              repeats_matter; /* to some kind, adding a key twice differs from once */
    bool              endless;        /* some input is a pipe: it may never end */
    bool              estimated;      /* of what workers keep, the number of keys is estimated */
    ink__keep         keep;
    uint64_t          group_bytes; /* that a group takes at least */
    ink__hasher      *hasher;      /* NULL if the key rule has no 64-bit hash */
    ink__hasher      *label_hasher;
} ink__build_plan;

/* Plans one kind; INK_UNSUPPORTED if it is for pieces and cannot be built in parts. */
ink_status ink__build_plan_kind(ink__build_kind *kind, const ink_params *params, bool pieces,
                                ink_error *error);

/* Plans a build; INK_USAGE names what is not possible. To be ended also on failure. */
ink_status ink__build_plan_make(ink__build_plan *plan, const ink_input *inputs, size_t input_count,
                                const ink_reading *reading, const ink_build_options *options,
                                const ink__build_use *use, ink_job *job, ink_error *error);
void       ink__build_plan_end(ink__build_plan *plan);

/* Whether the size of a group's sketches is known before its keys are counted; *keys is the number
 * measured, else 0. */
bool ink__build_known(const ink__build_plan *plan, const ink_label *label, uint64_t *keys);

/* The parameters of kind number `kind`, for `keys` keys if it is sized by them. */
ink_params ink__build_params(const ink__build_plan *plan, size_t kind, uint64_t keys);

/* Makes a sketch of kind number `kind` for `keys` keys (if it is sized by them). Of a kind that is
 * made whole it has none. */
ink_status ink__build_make(const ink__build_plan *plan, size_t kind, uint64_t keys,
                           ink_sketch **sketch, ink_error *error);

/* Adds a batch to a sketch, without what its kind does not take. */
ink_status ink__build_add(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                          ink_error *error);

/* The same for a sketch that other threads fill, too: see ink__sketch_add_in_range. */
ink_status ink__build_add_in_range(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                                   uint64_t *records, ink_error *error);

/* Merges *part, unless NULL, into *whole, which may be NULL. *part is NULL then. */
ink_status ink__build_merge(ink_sketch **whole, ink_sketch **part, ink_error *error);

/* An estimate this many times INK__EXACT_KEYS is certainly of more. */
#define INK__SURELY_MORE 1.02

/* An empty sketch that estimates the number of distinct hashes. */
ink_status ink__build_counter(const ink__build_plan *plan, ink_sketch **counter, ink_error *error);

#endif
