/* description.h - a sketch as a row of a report: its size, its promise and its current state.
 * docs/output.md, info, lists the columns. */
#ifndef INK_CLI_REPORT_DESCRIPTION_H
#define INK_CLI_REPORT_DESCRIPTION_H

#include "report/report.h"

/* Cells come from `label` and the description `d`; those without one are set later. */
/* clang-format off */
#define DESCRIBED(X)                                                                               \
    X(DESCRIBED_KIND, "kind", "kind", TEXT, cell_text(d->kind))                                    \
    X(DESCRIBED_GROUP, "group", "group", LABEL, cell_group(label))                                 \
    X(DESCRIBED_SLOT, "slot", "slot", SLOT, cell_slot(label))                                      \
    X(DESCRIBED_KEYS, "keys", "keys", COUNT, cell_count_if(d->expected_keys))                      \
    X(DESCRIBED_BITS, "bits", "bits", COUNT, cell_count_if(d->bits))                               \
    X(DESCRIBED_HASHES, "hashes", "hashes", COUNT, cell_count_if(d->hashes))                       \
    X(DESCRIBED_BYTES, "bytes", "size", SIZE, cell_count(d->bytes))                                \
    X(DESCRIBED_BITS_PER_KEY, "bits_per_key", "bits/key", RATIO, cell_real_if(d->bits_per_key))    \
    X(DESCRIBED_TARGET, "target_rate", "target", RATE, cell_real_if(d->target_rate))               \
    X(DESCRIBED_PROMISED, "promised_rate", "promised", RATE, cell_real_if(d->promised_rate))       \
    X(DESCRIBED_CURRENT, "current_rate", "current", RATE, NO_CELL)                                 \
    X(DESCRIBED_RECORDS, "records", "records", COUNT, cell_count(d->records))                      \
    X(DESCRIBED_TOTAL, "total", "total", COUNT, cell_count_if(d->total))                           \
    X(DESCRIBED_LEVELS, "levels", "levels", COUNT, cell_count_if(d->levels))                       \
    X(DESCRIBED_WIDTH, "width", "width", COUNT, cell_count_if(d->width))                           \
    X(DESCRIBED_DEPTH, "depth", "depth", COUNT, cell_count_if(d->depth))                           \
    X(DESCRIBED_COUNTER_BITS, "counter_bits", "counters", COUNT, cell_count_if(d->counter_bits))   \
    X(DESCRIBED_EPSILON, "epsilon", "eps", RATE, cell_real_if(d->epsilon))                         \
    X(DESCRIBED_DELTA, "delta", "delta", RATE, cell_real_if(d->delta))                             \
    X(DESCRIBED_CAPACITY, "capacity", "capacity", COUNT, cell_count_if(d->capacity))               \
    X(DESCRIBED_PHI, "phi", "phi", RATE, cell_real_if(d->phi))                                     \
    X(DESCRIBED_PRECISION, "precision", "precision", COUNT, cell_count_if(d->precision))           \
    X(DESCRIBED_STANDARD_ERROR, "standard_error", "error", RATE, cell_real_if(d->standard_error))  \
    X(DESCRIBED_DISTINCT, "distinct", "distinct", COUNT, NO_CELL)                                  \
    X(DESCRIBED_DIGEST, "digest", NULL, TEXT, NO_CELL)                                             \
    X(DESCRIBED_OK, "ok", "", OK, NO_CELL)                                                         \
    X(DESCRIBED_ORIGIN, "origin", NULL, TEXT, NO_CELL)
/* clang-format on */
enum { DESCRIBED(COLUMN_ID) DESCRIBED_COLUMNS };

extern const cli_column described_columns[DESCRIBED_COLUMNS];

/* Whether a sketch is a filter, and so has a rate. */
bool described_is_filter(const ink_sketch *sketch);

/* Fills all cells but the digest, which takes reading the whole sketch, and the origin. `rate` is
 * the current rate of a filter. Returns the status of the sketch's answers. */
ink_status described(cli_cell cells[DESCRIBED_COLUMNS], const ink_label *label,
                     const ink_sketch *sketch, double rate, ink_error *error);

/* Appends what a row of JSON has, which the library makes. */
ink_status described_json(cli_text *to, const ink_sketch *sketch, const ink_info_options *options,
                          ink_error *error);

#endif
