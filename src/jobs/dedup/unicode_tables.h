/* unicode_tables.h - lower case and punctuation of code points above ASCII, of one version of
 * Unicode. */
#ifndef INK_JOBS_DEDUP_UNICODE_TABLES_H
#define INK_JOBS_DEDUP_UNICODE_TABLES_H

#include <stddef.h>
#include <stdint.h>

/* Code points `first` to `last`, each `step` after the one before: their lower case is this far
 * off. */
typedef struct ink__lower_range {
    uint32_t first, last;
    int32_t  distance;
    uint32_t step;
} ink__lower_range;

typedef struct ink__point_range {
    uint32_t first, last;
} ink__point_range;

/* Rising. */
extern const char             ink__unicode_version[];
extern const ink__lower_range ink__lower_ranges[];
extern const size_t           ink__lower_range_count;
extern const ink__point_range ink__punctuation_ranges[];
extern const size_t           ink__punctuation_range_count;

#endif
