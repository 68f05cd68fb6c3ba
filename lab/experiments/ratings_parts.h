/* ratings_parts.h - what the parts of the experiment on IMDb's ratings (document 001) hand to one
 * another: a filter for each rating, at four rates, by different numbers of threads. */
#ifndef LAB_EXPERIMENTS_RATINGS_PARTS_H
#define LAB_EXPERIMENTS_RATINGS_PARTS_H

#include "workbench/workbench.h"

enum { RATINGS = 10, RATES = 4, EXECUTORS = 4, THREAD_ROWS = EXECUTORS + 1 };

/* p, as the document has them in the columns of its tables, and the one that a quick run takes
 * where it takes but one. */
extern const double ratings_asked[RATES];
enum { RATINGS_USUAL = 1 };

/* The filter of one rating. */
typedef struct rating_filter {
    uint64_t titles; /* n */
    uint64_t bits;   /* m */
    uint32_t hashes; /* k */
    uint64_t bytes;
    uint64_t tested, false_positives;
} rating_filter;

/* The filters of all ratings, of one kind, at one rate. */
typedef struct rated {
    rating_filter of[RATINGS];
    double        build[THREAD_ROWS], verify[THREAD_ROWS]; /* the least seconds */
} rated;

typedef struct ratings_found {
    char     file[LAB_PATH]; /* the table of titles */
    uint64_t file_lines, file_bytes;
    unsigned threads[THREAD_ROWS];
    size_t   rows; /* of these */
    rated    textbook[RATES], bloom[RATES];
} ratings_found;

/* As many threads as --threads says, or as there are cores. */
unsigned ratings_threads(const lab *bench);
/* How many builds and verifications: all filters at all rates, by each number of threads. */
uint64_t ratings_runs(const lab *bench);
void     ratings_measure(lab *bench, const char *folder, ratings_found *found);
/* Seconds of building and verifying in row `row`; then the row that takes the least. */
double ratings_seconds(const rated *one, size_t row);
size_t ratings_fastest(const ratings_found *found, const rated *one);

/* What the document says, in ms, by executors from 1 on; and the least at each rate. */
extern const double ratings_published_times[EXECUTORS][RATES];
double              ratings_published_least(size_t rate, unsigned *executors);
/* The same job by the commands --spark and --hadoop; nothing without them. */
void ratings_on_clusters(lab *bench, const ratings_found *found);

#endif
