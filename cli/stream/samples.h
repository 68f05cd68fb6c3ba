/* samples.h - samples of a stream, one each second, and a history of ten minutes. One thread takes
 * them, so that clients add no cost. */
#ifndef INK_CLI_STREAM_SAMPLES_H
#define INK_CLI_STREAM_SAMPLES_H

#include "inkling_stream.h"

#include <time.h>

enum {
    SAMPLE_SKETCHES_MAX = 16, /* more than kinds; a stream has one sketch of each */
    SAMPLE_ITEMS = 20,        /* the most frequent keys */
    SAMPLE_KEY_BYTES = 256,   /* of each, at most */
    SAMPLE_HISTORY = 600,     /* seconds */
    SAMPLE_NOTES = 5,
    SAMPLE_NOTE_BYTES = 512,
};

/* A frequent key. */
typedef struct sample_item {
    char       key[SAMPLE_KEY_BYTES];
    size_t     key_bytes;
    bool       cut;
    ink_answer count;
} sample_item;

/* A sketch at the time of a sample. */
typedef struct sample_sketch {
    ink_description description;
    ink_kind_info   kind;
    double          rate;     /* the current one of a filter; else NAN */
    ink_answer      distinct; /* NAN if it does not estimate this */
    size_t          item_count;
    sample_item     items[SAMPLE_ITEMS];
} sample_sketch;

/* One second of the history; NAN where there is no value. */
typedef struct sample_moment {
    double     seconds; /* since the run began */
    double     records_per_second;
    double     questions_per_second;
    ink_answer distinct;
    double     rates[SAMPLE_SKETCHES_MAX]; /* of each filter */
} sample_moment;

typedef struct sample_note {
    time_t when;
    char   text[SAMPLE_NOTE_BYTES];
} sample_note;

/* Read these between samples_lock and samples_unlock. */
typedef struct cli_samples {
    const ink_stream_options *options;
    size_t                    key_columns;
    const char               *train, *ask; /* addresses; ask may be NULL */
    ink_stream_report         report;      /* of the last sample */
    time_t                    saved_at;    /* of the last new checkpoint; 0: none was seen */
    sample_sketch             sketches[SAMPLE_SKETCHES_MAX];
    size_t                    sketch_count;
    size_t        counter; /* the sketch whose distinct keys are shown; sketch_count: none */
    sample_moment history[SAMPLE_HISTORY]; /* a ring */
    uint64_t      moments;                 /* in all */
    sample_note   notes[SAMPLE_NOTES];     /* a ring */
    uint64_t      note_count;              /* in all */
} cli_samples;

typedef struct cli_sampler cli_sampler;

/* Takes a sample now and each second, and then calls `each_second` in the sampler's thread. */
int samples_start(cli_sampler **sampler, ink_stream *stream, const ink_stream_options *options,
                  size_t key_columns, void (*each_second)(void *host), void *host);
/* NULL is allowed. */
void samples_stop(cli_sampler *sampler);

const cli_samples *samples_lock(cli_sampler *sampler);
void               samples_unlock(cli_sampler *sampler);

/* Adds a note for clients; one that repeats the last only renews its time. */
void samples_note(cli_sampler *sampler, const char *text);

#endif
