/* arrow_sketch.c - calls with one sketch and the keys of an Arrow array: add, remove, query; and
 * with texts that are compared. */
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "jobs/arrays/array_rows.h"

#include <string.h>

/* One sketch has no groups: a column that names them is a mistake. */
static ink_status plan_for_one(ink__arrow_plan *plan, const ink_sketch *sketch,
                               const struct ArrowSchema *schema, const ink_reading *reading,
                               ink_error *error)
{
    if (reading != NULL && reading->by != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a column that names groups ({by}) for one sketch, expected none");
    return ink__array_plan(plan, schema, reading, sketch, error);
}

ink_status ink_arrow_key_type(const struct ArrowSchema *schema, const ink_reading *reading,
                              ink_key_type *type, ink_error *error)
{
    ink__arrow_plan plan;

    INK__TRY(ink__array_plan(&plan, schema, reading, NULL, error));
    *type = plan.key_type;
    return INK_OK;
}

/* ---- Add and query ------------------------------------------------------------------------ */

/* A call with one sketch: `changed` or `asked`. */
typedef struct call {
    enum { ADD, ADD_ON_THREADS, ADD_NEW, CONTAINS, COUNT } verb;
    ink_sketch       *changed;
    const ink_sketch *asked;
    ink_job          *job; /* of ADD_ON_THREADS */
} call;

static ink_status take(void *host, const ink__rows *rows, void *answers, ink_error *error)
{
    const call     *of = host;
    const ink_batch batch = ink__rows_batch(rows);

    switch (of->verb) {
    case ADD:
        return ink_sketch_add_batch(of->changed, &batch, error);
    case ADD_ON_THREADS:
        return ink_job_add_batch(of->changed, &batch, of->job, error);
    case ADD_NEW:
        return ink_sketch_add_new_batch(of->changed, &batch, answers, error);
    case CONTAINS:
        return ink_sketch_contains_batch(of->asked, &batch, answers, error);
    default:
        return ink_sketch_count_batch(of->asked, &batch, answers, error);
    }
}

/* Takes all rows, and first none: that refuses wrong keys and weights, views and missing secrets
 * before anything changes, and also if there are no rows. */
static ink_status run(call of, const struct ArrowSchema *schema, const struct ArrowArray *array,
                      const ink_reading *reading, void *answers, ink_arrow_report *report,
                      ink_error *error)
{
    static const ink_answer never = {.confidence = 1};
    static const uint8_t    no = 0;
    const ink_sketch       *sketch = of.asked != NULL ? of.asked : of.changed;
    ink_allocator           allocator;
    const ink__array_work   work = {
          .host = &of,
          .take = take,
          .answers = answers,
          .answer_bytes = of.verb == COUNT ? sizeof never : sizeof no,
          .null_answer = of.verb == COUNT ? (const void *)&never : &no,
          .asks = of.asked != NULL,
    };
    ink__arrow_plan plan;

    ink_sketch_allocator(sketch, &allocator);
    if (report != NULL)
        *report = (ink_arrow_report){0};
    INK__TRY(plan_for_one(&plan, sketch, schema, reading, error));
    const ink__rows nothing = ink__array_nothing(&plan);
    INK__TRY(take(&of, &nothing, answers, error));
    return ink__array_each(&plan, array, &work, &allocator, report, error);
}

ink_status ink_arrow_add(ink_sketch *sketch, const struct ArrowSchema *schema,
                         const struct ArrowArray *array, const ink_reading *reading,
                         ink_arrow_report *report, ink_error *error)
{
    return run((call){ADD, .changed = sketch}, schema, array, reading, NULL, report, error);
}

ink_status ink_job_add_array(ink_sketch *sketch, const struct ArrowSchema *schema,
                             const struct ArrowArray *array, const ink_reading *reading,
                             ink_job *job, ink_error *error)
{
    const call       of = {ADD_ON_THREADS, .changed = sketch, .job = job};
    ink_arrow_report report;

    job->failed_path = NULL;
    ink_status status = run(of, schema, array, reading, NULL, &report, error);
    job->records = report.rows; /* of all batches, not of the last */
    job->bad = 0;
    job->nulls = report.nulls;
    return status;
}

ink_status ink_arrow_add_new(ink_sketch *sketch, const struct ArrowSchema *schema,
                             const struct ArrowArray *array, const ink_reading *reading,
                             uint8_t *was_new, ink_arrow_report *report, ink_error *error)
{
    return run((call){ADD_NEW, .changed = sketch}, schema, array, reading, was_new, report, error);
}

ink_status ink_arrow_contains(const ink_sketch *sketch, const struct ArrowSchema *schema,
                              const struct ArrowArray *array, const ink_reading *reading,
                              uint8_t *answers, ink_arrow_report *report, ink_error *error)
{
    return run((call){CONTAINS, .asked = sketch}, schema, array, reading, answers, report, error);
}

ink_status ink_arrow_count(const ink_sketch *sketch, const struct ArrowSchema *schema,
                           const struct ArrowArray *array, const ink_reading *reading,
                           ink_answer *answers, ink_arrow_report *report, ink_error *error)
{
    return run((call){COUNT, .asked = sketch}, schema, array, reading, answers, report, error);
}

/* ---- Remove ------------------------------------------------------------------------------- */

/* Removes all keys of the array. A failure names the row of the key, not its number among those
 * without nulls: the rows are read again. */
static ink_status remove_keys(ink_sketch *sketch, ink__array *array, const ink_batch *batch,
                              ink_error *error)
{
    ink_status status = ink_sketch_remove_batch(sketch, batch, error);

    if (status != INK_NOT_FOUND || error == NULL)
        return status;
    uint64_t key = error->at;
    array->next = array->rows.count = 0;
    do {
        key -= array->rows.count;
        INK__TRY(ink__array_read(array, error));
    } while (key >= array->rows.count);
    error->at = ink__arrow_location(array->reader, (size_t)key);
    return status;
}

/* Appends hashes and weights, if any, of the current rows and all later ones. */
static ink_status gather(const ink_sketch *sketch, ink__array *array, uint64_t *hashes,
                         uint64_t *weights, ink_batch *all, uint64_t *nulls, ink_error *error)
{
    for (;;) {
        const ink_batch batch = ink__rows_batch(&array->rows);
        INK__TRY(ink_sketch_hash_batch(sketch, &batch, hashes + all->count, error));
        if (weights != NULL && batch.count > 0)
            memcpy(weights + all->count, batch.weights, batch.count * sizeof *weights);
        all->count += batch.count;
        *nulls += ink__arrow_nulls(array->reader);
        if (array->next == array->end)
            return INK_OK;
        INK__TRY(ink__array_read(array, error));
    }
}

static ink_status remove_gathered(ink_sketch *sketch, ink__array *array, uint64_t *nulls,
                                  ink_error *error)
{
    uint64_t  columns = array->plan->has_weight ? 2 : 1, bytes;
    uint64_t *hashes;

    if (!ink__mul_u64(array->end, columns * sizeof(uint64_t), &bytes))
        bytes = UINT64_MAX;
    INK__TRY(ink__allocate(&array->allocator, bytes, &hashes, error));
    uint64_t  *weights = columns == 2 ? hashes + array->end : NULL;
    ink_batch  all = {.hashes = hashes, .weights = weights};
    ink_status status = gather(sketch, array, hashes, weights, &all, nulls, error);
    if (status == INK_OK)
        status = remove_keys(sketch, array, &all, error);
    ink__release(&array->allocator, hashes, bytes);
    return status;
}

static ink_status remove_rows(ink_sketch *sketch, ink__array *array, uint64_t *nulls,
                              ink_error *error)
{
    if (array->end == 0)
        return INK_OK;
    INK__TRY(ink__array_read(array, error));
    if (array->next < array->end)
        return remove_gathered(sketch, array, nulls, error);
    const ink_batch batch = ink__rows_batch(&array->rows);
    *nulls = ink__arrow_nulls(array->reader);
    return remove_keys(sketch, array, &batch, error);
}

ink_status ink_arrow_remove(ink_sketch *sketch, const struct ArrowSchema *schema,
                            const struct ArrowArray *array, const ink_reading *reading,
                            ink_arrow_report *report, ink_error *error)
{
    ink_allocator   allocator;
    ink__arrow_plan plan;
    ink__array      rows = {0};
    uint64_t        nulls = 0;

    ink_sketch_allocator(sketch, &allocator);
    if (report != NULL)
        *report = (ink_arrow_report){0};
    INK__TRY(plan_for_one(&plan, sketch, schema, reading, error));
    const ink__rows nothing = ink__array_nothing(&plan);
    const ink_batch none = ink__rows_batch(&nothing);
    INK__TRY(ink_sketch_remove_batch(sketch, &none, error));
    ink_status status = ink__array_open(&rows, &plan, array, &allocator, error);
    if (status == INK_OK)
        status = remove_rows(sketch, &rows, &nulls, error);
    ink__arrow_reader_free(rows.reader);
    if (status == INK_OK && report != NULL)
        *report = (ink_arrow_report){.rows = rows.end, .nulls = nulls};
    return status;
}

/* ---- Texts that are compared -------------------------------------------------------------- */

static ink_status take_texts(void *host, const ink__rows *rows, void *answers, ink_error *error)
{
    const ink_batch batch = ink__rows_batch(rows);

    if (answers != NULL)
        memset(answers, 1, rows->count);
    return ink_dedup_texts_add(host, &batch, error);
}

ink_status ink_arrow_dedup(ink_dedup_texts *texts, const struct ArrowSchema *schema,
                           const struct ArrowArray *array, const ink_reading *reading,
                           uint8_t *is_text, ink_arrow_report *report, ink_error *error)
{
    static const uint8_t  no = 0;
    const ink_allocator   allocator = ink__allocator_or_heap(NULL);
    const ink__array_work work = {.host = texts,
                                  .take = take_texts,
                                  .answers = is_text,
                                  .answer_bytes = 1,
                                  .null_answer = &no};
    ink__arrow_plan       plan;

    if (report != NULL)
        *report = (ink_arrow_report){0};
    INK__TRY(plan_for_one(&plan, NULL, schema, reading, error));
    const ink__rows nothing = ink__array_nothing(&plan);
    INK__TRY(take_texts(texts, &nothing, NULL, error));
    return ink__array_each(&plan, array, &work, &allocator, report, error);
}
