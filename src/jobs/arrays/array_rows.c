/* array_rows.c - reads one Arrow array for sketches. */
#include "jobs/arrays/array_rows.h"

#include "base/status.h"
#include "input/arrow/arrow_check.h"
#include "jobs/runtime/reading.h"

#include <string.h>

/* ---- Columns ------------------------------------------------------------------------------ */

ink_status ink__array_plan(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                           const ink_reading *reading, const ink_sketch *sketch, ink_error *error)
{
    static const ink_reading plain = {0};
    const ink_reading       *used = reading == NULL ? &plain : reading;
    const ink__arrow_wanted  wanted = ink__reading_arrow(used);
    ink_description          description;
    const struct {
        bool        given;
        const char *name;
    } for_records[] = {
        {used->form != INK_FORM_DEFAULT, "form"},
        {used->delimiter != 0, "delimiter"},
        {used->blanks, "blanks"},
        {used->header, "header"},
        {used->multiline, "multiline"},
        {used->time != NULL, "time"},
        {used->skip_bad, "skip_bad"},
    };

    INK__TRY(ink__reading_check_values(used, error));
    for (size_t i = 0; i < sizeof for_records / sizeof for_records[0]; i++)
        if (for_records[i].given)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "{%s} for an Arrow array, expected none", for_records[i].name);
    if (used->round != INK_ROUND_NONE && used->by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{round} without {by} for an Arrow array, expected none");
    INK__TRY(ink__arrow_plan_make(plan, schema, &wanted, error));
    if (used->keys != INK_KEYS_DEFAULT)
        INK__TRY(ink__arrow_plan_keys(
            plan, used->keys == INK_KEYS_INT ? INK_KEY_INT : INK_KEY_BYTES, error));
    if (sketch == NULL)
        return INK_OK;
    ink_sketch_describe(sketch, &description);
    ink__arrow_plan_keys(plan, description.key_type, NULL); /* the batch calls refuse others */
    return INK_OK;
}

ink__rows ink__array_nothing(const ink__arrow_plan *plan)
{
    static const int64_t  no_int;
    static const uint64_t no_number;
    bool                  ints = plan->key_type == INK_KEY_INT;

    return (ink__rows){
        .key_ints = ints ? &no_int : NULL,
        .key_starts = ints ? NULL : &no_number,
        .key_ends = ints ? NULL : &no_number,
        .group_starts = plan->has_group ? &no_number : NULL,
        .group_ends = plan->has_group ? &no_number : NULL,
        .weights = plan->has_weight ? &no_number : NULL,
    };
}

/* ---- Rows --------------------------------------------------------------------------------- */

ink_status ink__array_open(ink__array *array, const ink__arrow_plan *plan,
                           const struct ArrowArray *of, const ink_allocator *allocator,
                           ink_error *error)
{
    INK__TRY(ink__arrow_check(plan, of, error));
    *array = (ink__array){
        .plan = plan,
        .array = of,
        .allocator = *allocator,
        .end = (uint64_t)of->length,
    };
    return array->end == 0
               ? INK_OK
               : ink__arrow_reader_create(&array->reader, plan, &array->allocator, error);
}

ink_status ink__array_read(ink__array *array, ink_error *error)
{
    array->first = array->next;
    return ink__arrow_read(array->reader, array->array, array->first, array->end, &array->next,
                           &array->rows, error);
}

/* Moves the answers of the last rows, which follow each other from the first row's index on, to the
 * indexes of their rows, the last one first. */
static inline void spread(const ink__array *array, const ink__array_work *work, size_t bytes)
{
    uint8_t *answers = work->answers;
    uint64_t at = array->next;

    for (size_t row = array->rows.count; row-- > 0;) {
        uint64_t location = ink__arrow_location(array->reader, row);
        while (at > location + 1)
            memcpy(answers + --at * bytes, work->null_answer, bytes);
        at = location;
        memmove(answers + at * bytes, answers + (array->first + row) * bytes, bytes);
    }
    while (at > array->first)
        memcpy(answers + --at * bytes, work->null_answer, bytes);
}

static void *answers_from(const ink__array_work *work, uint64_t row)
{
    return work->answers == NULL ? NULL : (uint8_t *)work->answers + row * work->answer_bytes;
}

static ink_status take_all(ink__array *array, const ink__array_work *work, ink_arrow_report *report,
                           ink_error *error)
{
    while (array->next < array->end) {
        INK__TRY(ink__array_read(array, error));
        INK__TRY(work->take(work->host, &array->rows, answers_from(work, array->first), error));
        uint64_t nulls = ink__arrow_nulls(array->reader);
        bool     spreads = nulls > 0 && work->answers != NULL;
        if (spreads && work->answer_bytes == 1)
            spread(array, work, 1); /* a constant size needs no call of memcpy */
        else if (spreads)
            spread(array, work, work->answer_bytes);
        report->rows = array->next;
        report->nulls += nulls;
    }
    return INK_OK;
}

/* ---- Arrays in parts ---------------------------------------------------------------------- */

/* This many rows are checked and then worked on: they are still in the cache. */
enum { PART_ROWS = 1 << 14 };

/* Whether parts pay: bytes are checked, and no dictionary, which every part would check. */
static bool is_cut(const ink__arrow_plan *plan, const struct ArrowArray *array,
                   const ink__array_work *work)
{
    bool bytes = true;

    for (size_t i = 0; i < plan->key_count; i++)
        bytes =
            bytes && plan->keys[i].type.layout >= INK__ARROW_OFFSETS32 && !plan->keys[i].dictionary;
    return work->asks && bytes && !plan->has_group && array->length > PART_ROWS &&
           array->offset >= 0 && array->offset <= INT64_MAX - array->length;
}

/* Works on all rows of an array, or of its part from row `first` on. */
static ink_status run_part(const ink__arrow_plan *plan, const struct ArrowArray *part,
                           uint64_t first, const ink__array_work *work,
                           const ink_allocator *allocator, ink_arrow_report *done, ink_error *error)
{
    ink__array       rows = {0};
    ink__array_work  mine = *work;
    ink_arrow_report report = {0};

    mine.answers = answers_from(work, first);
    ink_status status = ink__array_open(&rows, plan, part, allocator, error);
    if (status == INK_OK)
        status = take_all(&rows, &mine, &report, error);
    ink__arrow_reader_free(rows.reader);
    if (status != INK_OK && error != NULL && error->location == INK_AT_KEY)
        error->at += first;
    done->rows += report.rows;
    done->nulls += report.nulls;
    return status;
}

static ink_status run_parts(const ink__arrow_plan *plan, const struct ArrowArray *array,
                            const ink__array_work *work, const ink_allocator *allocator,
                            ink_arrow_report *done, ink_error *error)
{
    INK__TRY(ink__arrow_check_structure(plan, array, error));
    for (int64_t first = 0; first < array->length; first += PART_ROWS) {
        struct ArrowArray part = *array;
        int64_t           left = array->length - first;
        part.offset += first;
        part.length = left < PART_ROWS ? left : PART_ROWS;
        INK__TRY(run_part(plan, &part, (uint64_t)first, work, allocator, done, error));
    }
    return INK_OK;
}

ink_status ink__array_each(const ink__arrow_plan *plan, const struct ArrowArray *array,
                           const ink__array_work *work, const ink_allocator *allocator,
                           ink_arrow_report *report, ink_error *error)
{
    ink_arrow_report done = {0};
    ink_status       status = is_cut(plan, array, work)
                                  ? run_parts(plan, array, work, allocator, &done, error)
                                  : run_part(plan, array, 0, work, allocator, &done, error);

    if (report != NULL)
        *report = done;
    return status;
}
