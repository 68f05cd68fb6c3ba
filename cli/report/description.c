/* description.c - a sketch as a row of a report: its size, its promise and its current state. */
#include "report/description.h"

#include "options/kind_texts.h"

#include <string.h>

const cli_column described_columns[DESCRIBED_COLUMNS] = {DESCRIBED(COLUMN_ID_IS)};

bool described_is_filter(const ink_sketch *sketch)
{
    ink_description d;

    ink_sketch_describe(sketch, &d);
    return kind_info(d.kind).contains;
}

ink_status described_json(cli_text *to, const ink_sketch *sketch, const ink_info_options *options,
                          ink_error *error)
{
    size_t room = INK_INFO_BYTES + 6 * options->label->group_bytes, count = 0;

    text_reserve(to, room);
    ink_status status =
        ink_sketch_info_json(sketch, options, to->bytes + to->count, room, &count, error);
    to->count += count;
    return status;
}

ink_status described(cli_cell cells[DESCRIBED_COLUMNS], const ink_label *label,
                     const ink_sketch *sketch, double rate, ink_error *error)
{
    ink_description room, *d = &room;
    ink_answer      answer;

    ink_sketch_describe(sketch, d);
    const ink_kind_info kind = kind_info(d->kind);
    const cli_cell      found[DESCRIBED_COLUMNS] = {DESCRIBED(COLUMN_ID_CELL)};
    memcpy(cells, found, sizeof found);
    if (kind.contains)
        cells[DESCRIBED_CURRENT] = cell_real(rate);
    if (kind.contains && d->promised_rate > 0)
        cells[DESCRIBED_OK] = cell_ok(ink_rate_holds(d, rate), "above promise");
    if (kind.contains || !kind.distinct)
        return INK_OK;
    ink_status status = ink_sketch_distinct(sketch, 0, &answer, error);
    if (status == INK_OK)
        cells[DESCRIBED_DISTINCT] = cell_count(ink_nearest_whole(answer.estimate));
    return status;
}
