/* arrow_filters.c - tests the rows of Arrow arrays against the filters of a file. */
#include "base/memory.h"
#include "base/status.h"
#include "jobs/arrays/array_rows.h"
#include "jobs/groups/ask_rows.h"

struct ink_arrow_filters {
    ink_allocator allocator;
    ink__ask_rows ask;
};

ink_status ink_arrow_filters_create(ink_arrow_filters **filters, const ink_file *file,
                                    const ink_filter_options *options,
                                    const ink_allocator *allocator, ink_error *error)
{
    const ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_arrow_filters  *opened;

    INK__TRY(ink__allocate_zeroed(&memory, sizeof *opened, &opened, error));
    opened->allocator = memory;
    ink_status status = ink__ask_rows_open(&opened->ask, file, options, &memory, error);
    if (status != INK_OK) {
        ink__release(&memory, opened, sizeof *opened);
        return status;
    }
    *filters = opened;
    return INK_OK;
}

void ink_arrow_filters_free(ink_arrow_filters *filters)
{
    if (filters == NULL)
        return;
    const ink_allocator memory = filters->allocator;
    ink__ask_rows_close(&filters->ask);
    ink__release(&memory, filters, sizeof *filters);
}

/* What one call needs. */
typedef struct call {
    const ink__ask_rows *ask;
    ink__ask_rows_room   room;
} call;

/* Tests rows, INK__ROWS_MAX at a time. More than these come at once only without groups
 * (ink__arrow_read). */
static ink_status take(void *host, const ink__rows *rows, void *answers, ink_error *error)
{
    call    *mine = host;
    uint8_t *any = answers;

    for (size_t first = 0; first < rows->count; first += INK__ROWS_MAX) {
        size_t    left = rows->count - first;
        ink__rows some = *rows;
        some.count = left < INK__ROWS_MAX ? left : INK__ROWS_MAX;
        some.key_ints = rows->key_ints == NULL ? NULL : rows->key_ints + first;
        some.key_starts = rows->key_starts == NULL ? NULL : rows->key_starts + first;
        some.key_ends = rows->key_ends == NULL ? NULL : rows->key_ends + first;
        INK__TRY(ink__ask_rows_answer(mine->ask, &some, &mine->room, any + first, NULL, error));
    }
    return INK_OK;
}

ink_status ink_arrow_filters_rows(const ink_arrow_filters  *filters,
                                  const struct ArrowSchema *schema, const struct ArrowArray *array,
                                  const ink_reading *reading, uint8_t *answers,
                                  ink_arrow_report *report, ink_error *error)
{
    static const uint8_t  no = 0;
    const ink_sketch     *first = filters->ask.members.list[0].sketch;
    const bool            named = reading != NULL && reading->by != NULL;
    call                  mine;
    const ink__array_work work = {&mine, take, answers, sizeof *answers, &no, true};
    ink__arrow_plan       plan;

    mine.ask = &filters->ask; /* the room is not cleared */
    if (report != NULL)
        *report = (ink_arrow_report){0};
    if (filters->ask.by != named)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0, "%s",
            named ? "a column that names the group ({by}), expected none: every group is tested"
                  : "no column that names the group, expected one ({by})");
    INK__TRY(ink__array_plan(&plan, schema, reading, first, error));
    const ink__rows nothing = ink__array_nothing(&plan);
    const ink_batch none = ink__rows_batch(&nothing);
    INK__TRY(ink_sketch_contains_batch(first, &none, NULL, error)); /* refuses keys by their form */
    return ink__array_each(&plan, array, &work, &filters->allocator, report, error);
}
