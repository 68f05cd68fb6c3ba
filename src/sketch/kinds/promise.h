/* promise.h - what a filter promises: the expected keys, the target rate and the promised rate. The
 * first three fields of the shape of every filter. */
#ifndef INK_SKETCH_KINDS_PROMISE_H
#define INK_SKETCH_KINDS_PROMISE_H

#include "sketch/kinds/kind.h"

typedef struct ink__promise {
    uint64_t expected_keys;
    double   target;   /* 0: the size was given by hand */
    double   promised; /* 0: nothing is promised */
} ink__promise;

enum { INK__PROMISE_FIELDS = 3 };

/* Where none is given. */
#define INK__DEFAULT_RATE 0.01

/* To and from the shape's fields. */
ink__promise ink__promise_of(const ink__shape *shape);
void         ink__promise_store(const ink__promise *promise, ink__shape *shape);
void         ink__promise_describe(const ink__shape *shape, ink_description *description);

/* INK_FORMAT at the field that is no rate. */
ink_status ink__promise_check(const ink__shape *shape, ink_error *error);

/* INK_USAGE unless the parameters are n and perhaps p, or bits without p; sets *rate to p or its
 * default in the first case, to 0 in the second. */
ink_status ink__promise_params(const ink_params *params, double *rate, ink_error *error);

/* The promise of a union: the larger of everything. */
ink__promise ink__promise_union(const ink__promise *a, const ink__promise *b);
/* The promise of an intersection: the smaller of everything that is promised. */
ink__promise ink__promise_intersection(const ink__promise *a, const ink__promise *b);
/* The promise of a filter folded by `divisor`. */
ink__promise ink__promise_folded(const ink__promise *promise, uint64_t divisor);

/* The rate that the result of a merge may have; 1 if there is no limit. */
double ink__promise_limit(const ink__promise *promise, const ink_merge_options *options);

/* A limit that the options give becomes the promise where it is the larger. */
void ink__promise_raise(ink__promise *promise, const ink_merge_options *options);
/* The same for the shape of an empty filter (ink_params.max_rate, unless that is 0); INK_USAGE for
 * less than the rate that was planned for. */
ink_status ink__promise_allow(ink__shape *shape, double max_rate, ink_error *error);

/* INK_PROMISE if a filter that now has this rate is above the limit, which is raised otherwise. */
ink_status ink__promise_keep(ink__promise *promise, double rate, const ink_merge_options *options,
                             ink_error *error);

#endif
