/* workbench.h - what experiments work with: data, jobs, a clock, and where they report what they
 * find. The first failure stays: calls after it get nothing, so that an experiment looks
 * once, at the end of a step. */
#ifndef LAB_WORKBENCH_WORKBENCH_H
#define LAB_WORKBENCH_WORKBENCH_H

#include "inkling_job.h"

#include "workbench/findings.h"
#include "workbench/lab_options.h"

typedef struct lab {
    findings          *found;
    const lab_options *options;
    unsigned           threads;
    double             from, until; /* the share of all that this experiment goes through */
    ink_status         status;      /* the first failure ... */
    ink_error          error;       /* ... and why */
} lab;

/* Whether all is well; a call that failed is noted. */
bool lab_ok(lab *bench, ink_status status);
/* Notes that there is no memory for `bytes` bytes. */
void lab_fail_memory(lab *bench, size_t bytes);
/* Reports progress: the share of this experiment, and what is being done. False: stop. */
bool lab_step(lab *bench, double share, const char *what);

/* Seconds since some time in the past. */
double lab_clock(void);

/* How many cores there are here. */
unsigned lab_cores(void);

/* One of two numbers: for all data, or for a quick run. */
uint64_t lab_size(const lab *bench, uint64_t whole, uint64_t quick);

/* ---- Data --------------------------------------------------------------------------------- */

/* Records in memory, lines. All zero is none. */
typedef struct lab_data {
    uint8_t *bytes;
    size_t   count, room;
} lab_data;

/* As `ink gen KIND -n RECORDS --seed SEED` writes them. */
lab_data lab_generate(lab *bench, const char *kind, uint64_t records, uint64_t seed);
/* The same with `--sample SAMPLE --sample-out FILE`, which are lines of `chosen`. */
lab_data lab_generate_sample(lab *bench, const char *kind, uint64_t records, uint64_t seed,
                             uint64_t sample, lab_data *chosen);
/* Adds a line. */
void lab_add_line(lab *bench, lab_data *data, const char *format, ...) LAB_PRINTF(3, 4);
void lab_data_free(lab_data *data);
/* Where a job writes lines to, and reads them from. */
ink_sink  lab_sink(lab_data *data);
ink_input lab_input(const lab_data *data);
/* The first `lines` lines of data, and those after them: views, not to be freed. */
lab_data lab_head(const lab_data *data, uint64_t lines);
lab_data lab_tail(const lab_data *data, uint64_t lines);
uint64_t lab_lines(const lab_data *data);

enum { LAB_PATH = 512 };

/* Makes a folder for files, in TMPDIR or else /tmp; the caller removes it. False: it failed.
 */
bool lab_make_folder(lab *bench, char folder[LAB_PATH]);
/* Writes data to a new file. */
void lab_write_file(lab *bench, const char *path, const lab_data *data);

/* ---- Jobs --------------------------------------------------------------------------------- */

/* As `ink build KIND ...` of a file with these lines; NULL after a failure. */
ink_sketch *lab_build(lab *bench, const lab_data *data, const ink_params *params);
/* One for each group, and more than that is said: the whole set. */
ink_set *lab_build_set(lab *bench, const lab_data *data, const ink_reading *reading,
                       const ink_params *params);
/* What `ink filter --count` reports of these lines; how to run it, as with how many threads, is the
 * job's. */
ink_filter_report lab_filter(lab *bench, const ink_sketch *sketch, const lab_data *lines,
                             ink_job *job);
/* How many of these lines may be in the set, as it answers. */
uint64_t lab_admitted(lab *bench, const ink_sketch *sketch, const lab_data *lines);
/* The current rate, the number of bytes that it takes in a file. */
double   lab_rate(lab *bench, const ink_sketch *sketch);
uint64_t lab_bytes(const ink_sketch *sketch);

/* ---- Experiments -------------------------------------------------------------------------- */

typedef struct experiment {
    const char *id;     /* that --only takes */
    const char *title;  /* of its section */
    const char *source; /* the document: its title, its authors, and where it comes from ... */
    const char *about;  /* ... what it is about, and what it has published */
    unsigned    share;  /* of the time of all, about */
    void (*run)(lab *bench);
} experiment;

#endif
