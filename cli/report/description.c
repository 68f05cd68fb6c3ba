/* description.c - a sketch as a row: what it is, what it promises and how it is now. */
#include "report/description.h"

#include <string.h>

_Static_assert((int)DESCRIBED_COLUMNS <= (int)REPORT_COLUMNS_MAX,
               "a report has room for the columns");

const cli_column described_columns[DESCRIBED_COLUMNS] = {
    [DESCRIBED_KIND] = {"kind", "kind", COLUMN_TEXT},
    [DESCRIBED_GROUP] = {"group", "group", COLUMN_LABEL},
    [DESCRIBED_SLOT] = {"slot", "slot", COLUMN_SLOT},
    [DESCRIBED_KEYS] = {"keys", "keys", COLUMN_COUNT},
    [DESCRIBED_BITS] = {"bits", "bits", COLUMN_COUNT},
    [DESCRIBED_HASHES] = {"hashes", "hashes", COLUMN_COUNT},
    [DESCRIBED_BYTES] = {"bytes", "size", COLUMN_SIZE},
    [DESCRIBED_BITS_PER_KEY] = {"bits_per_key", "bits/key", COLUMN_RATIO},
    [DESCRIBED_TARGET] = {"target_rate", "target", COLUMN_RATE},
    [DESCRIBED_PROMISED] = {"promised_rate", "promised", COLUMN_RATE},
    [DESCRIBED_CURRENT] = {"current_rate", "current", COLUMN_RATE},
    [DESCRIBED_RECORDS] = {"records", "records", COLUMN_COUNT},
    [DESCRIBED_TOTAL] = {"total", "total", COLUMN_COUNT},
    [DESCRIBED_LEVELS] = {"levels", "levels", COLUMN_COUNT},
    [DESCRIBED_WIDTH] = {"width", "width", COLUMN_COUNT},
    [DESCRIBED_DEPTH] = {"depth", "depth", COLUMN_COUNT},
    [DESCRIBED_COUNTER_BITS] = {"counter_bits", "counters", COLUMN_COUNT},
    [DESCRIBED_EPSILON] = {"epsilon", "eps", COLUMN_RATE},
    [DESCRIBED_DELTA] = {"delta", "delta", COLUMN_RATE},
    [DESCRIBED_CAPACITY] = {"capacity", "capacity", COLUMN_COUNT},
    [DESCRIBED_PHI] = {"phi", "phi", COLUMN_RATE},
    [DESCRIBED_PRECISION] = {"precision", "precision", COLUMN_COUNT},
    [DESCRIBED_STANDARD_ERROR] = {"standard_error", "error", COLUMN_RATE},
    [DESCRIBED_DISTINCT] = {"distinct", "distinct", COLUMN_COUNT},
    [DESCRIBED_DIGEST] = {"digest", NULL, COLUMN_TEXT}, /* nothing to read for people */
    [DESCRIBED_OK] = {"ok", "", COLUMN_OK},
};

static void describe(cli_cell cells[DESCRIBED_COLUMNS], const ink_label *label,
                     const ink_description *d)
{
    const cli_cell found[DESCRIBED_COLUMNS] = {
        [DESCRIBED_KIND] = cell_text(d->kind),
        [DESCRIBED_GROUP] = cell_group(label),
        [DESCRIBED_SLOT] = cell_slot(label),
        [DESCRIBED_KEYS] = cell_count_if(d->expected_keys),
        [DESCRIBED_BITS] = cell_count_if(d->bits),
        [DESCRIBED_HASHES] = cell_count_if(d->hashes),
        [DESCRIBED_BYTES] = cell_count(d->bytes),
        [DESCRIBED_BITS_PER_KEY] = cell_real_if(d->bits_per_key),
        [DESCRIBED_TARGET] = cell_real_if(d->target_rate),
        [DESCRIBED_PROMISED] = cell_real_if(d->promised_rate),
        [DESCRIBED_RECORDS] = cell_count(d->records),
        [DESCRIBED_TOTAL] = cell_count_if(d->total),
        [DESCRIBED_LEVELS] = cell_count_if(d->levels),
        [DESCRIBED_WIDTH] = cell_count_if(d->width),
        [DESCRIBED_DEPTH] = cell_count_if(d->depth),
        [DESCRIBED_COUNTER_BITS] = cell_count_if(d->counter_bits),
        [DESCRIBED_EPSILON] = cell_real_if(d->epsilon),
        [DESCRIBED_DELTA] = cell_real_if(d->delta),
        [DESCRIBED_CAPACITY] = cell_count_if(d->capacity),
        [DESCRIBED_PHI] = cell_real_if(d->phi),
        [DESCRIBED_PRECISION] = cell_count_if(d->precision),
        [DESCRIBED_STANDARD_ERROR] = cell_real_if(d->standard_error),
    };

    memcpy(cells, found, sizeof found);
}

bool described_is_filter(const ink_sketch *sketch)
{
    ink_description d;
    ink_kind_info   kind;

    ink_sketch_describe(sketch, &d);
    return ink_kind_describe(d.kind, &kind, NULL) == INK_OK && kind.contains;
}

ink_status described(cli_cell cells[DESCRIBED_COLUMNS], const ink_label *label,
                     const ink_sketch *sketch, double rate, ink_error *error)
{
    ink_description d;
    ink_kind_info   kind;
    ink_answer      answer;

    ink_sketch_describe(sketch, &d);
    describe(cells, label, &d);
    ink_status status = ink_kind_describe(d.kind, &kind, error);
    if (status == INK_OK && kind.contains) {
        cells[DESCRIBED_CURRENT] = cell_real(rate);
        if (d.promised_rate > 0)
            cells[DESCRIBED_OK] = cell_ok(!is_above(rate, d.promised_rate), "above promise");
    } else if (status == INK_OK && kind.distinct) {
        status = ink_sketch_distinct(sketch, 0, &answer, error);
        if (status == INK_OK)
            cells[DESCRIBED_DISTINCT] = cell_count((uint64_t)(answer.estimate + 0.5));
    }
    return status;
}
