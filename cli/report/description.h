/* description.h - a sketch as a row: what it is, what it promises and how it is now. One
 * description of the columns for all who tell it; docs/output.md, info. */
#ifndef INK_CLI_REPORT_DESCRIPTION_H
#define INK_CLI_REPORT_DESCRIPTION_H

#include "report/report.h"

enum {
    DESCRIBED_KIND,
    DESCRIBED_GROUP,
    DESCRIBED_SLOT,
    DESCRIBED_KEYS,
    DESCRIBED_BITS,
    DESCRIBED_HASHES,
    DESCRIBED_BYTES,
    DESCRIBED_BITS_PER_KEY,
    DESCRIBED_TARGET,
    DESCRIBED_PROMISED,
    DESCRIBED_CURRENT,
    DESCRIBED_RECORDS,
    DESCRIBED_TOTAL,
    DESCRIBED_LEVELS,
    DESCRIBED_WIDTH,
    DESCRIBED_DEPTH,
    DESCRIBED_COUNTER_BITS,
    DESCRIBED_EPSILON,
    DESCRIBED_DELTA,
    DESCRIBED_CAPACITY,
    DESCRIBED_PHI,
    DESCRIBED_PRECISION,
    DESCRIBED_STANDARD_ERROR,
    DESCRIBED_DISTINCT,
    DESCRIBED_DIGEST,
    DESCRIBED_OK,
    DESCRIBED_COLUMNS
};

extern const cli_column described_columns[DESCRIBED_COLUMNS];

/* Whether a sketch tells if a key was seen, and so has a rate. */
bool described_is_filter(const ink_sketch *sketch);

/* Fills the cells about a sketch, whose current rate is `rate` if it is a filter, but that of its
 * digest, which is read off the whole sketch. */
ink_status described(cli_cell cells[DESCRIBED_COLUMNS], const ink_label *label,
                     const ink_sketch *sketch, double rate, ink_error *error);

#endif
