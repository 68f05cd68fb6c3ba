/* filter.c - grep for sets: the records that may be in a set, in the order of the input. */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "inkling_command.h"
#include "jobs/groups/ask_rows.h"
#include "jobs/runtime/passing.h"
#include "jobs/runtime/reading.h"

#include <string.h>

/* Below one passing row in FEW, passing rows are searched for and the others skipped. */
enum { FEW = 16 };

/* What a thread has to itself: the output of its chunk until the ordered commit, and room. */
typedef struct filter_worker {
    ink__passed        passed;
    uint64_t           analysed, admitted;
    ink__ask_rows_room room;
    uint8_t            any[INK__ROWS_MAX];
    ink__location      locations[INK__ROWS_MAX];
    uint8_t           *table; /* with groups: the answer of each member for each row */
} filter_worker;

typedef struct filtering {
    ink_allocator             allocator;
    const ink_filter_options *options;
    ink__passing              passing;
    ink_reading               reading;
    ink__ask_rows             asking; /* where all groups are queried, they are named */
    filter_worker            *workers;
    unsigned                  worker_count;
    uint64_t                  analysed, admitted;
    bool                      enough;
} filtering;

/* ---- Groups after a record ---------------------------------------------------------------- */

static ink_status put(const filtering *all, filter_worker *mine, const void *bytes, uint64_t count,
                      ink_error *error)
{
    return ink__passed_put(&all->passing, &mine->passed, bytes, count, error);
}

/* A label, in quotes as in CSV where it needs them. */
static ink_status put_label(const filtering *all, filter_worker *mine, const ink_label *label,
                            ink_error *error)
{
    const uint8_t *bytes = label->group;
    bool           quoted = label->group_bytes == 0 || bytes[0] == '(';

    if (label->group_kind != INK_GROUP_BYTES)
        return put(all, mine, label->group_kind == INK_GROUP_NULL ? "(null)" : "(none)", 6, error);
    for (size_t i = 0; i < label->group_bytes; i++)
        quoted = quoted || bytes[i] == ',' || bytes[i] == '"' || bytes[i] < ' ';
    if (!quoted)
        return put(all, mine, bytes, label->group_bytes, error);
    INK__TRY(put(all, mine, "\"", 1, error));
    for (size_t i = 0; i < label->group_bytes; i++)
        INK__TRY(put(all, mine, bytes[i] == '"' ? "\"\"" : (const char *)&bytes[i],
                     bytes[i] == '"' ? 2 : 1, error));
    return put(all, mine, "\"", 1, error);
}

/* A record, without a carriage return, and the groups that it may be in. */
static ink_status put_grouped(const filtering *all, filter_worker *mine, const ink__rows *rows,
                              size_t row, ink_error *error)
{
    uint64_t    start = rows->record_starts[row], count = rows->record_ends[row] - start;
    const char *before = "\t";

    INK__TRY(put(all, mine, rows->record_bytes + start, count, error));
    for (size_t m = 0; m < all->asking.members.count; m++) {
        if (!mine->table[m * INK__ROWS_MAX + row])
            continue;
        INK__TRY(put(all, mine, before, 1, error));
        before = ",";
        INK__TRY(put_label(all, mine, &all->asking.members.list[m].label, error));
    }
    return all->passing.ended ? put(all, mine, &all->passing.end, 1, error) : INK_OK;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Puts the passing rows among the `count` from `first` on. */
static ink_status put_rows(const filtering *all, filter_worker *mine, const ink__rows *rows,
                           size_t first, size_t count, ink_error *error)
{
    uint8_t   wanted = !all->options->invert;
    ink__rows some = *rows;

    some.count = count;
    some.record_starts += first;
    some.record_ends += first;
    if (!all->asking.grouped) {
        ink__passing_locations(&all->passing, &some, 0, mine->locations);
        return ink__passed_put_records(&all->passing, &mine->passed, rows->record_bytes,
                                       rows->record_limit, mine->locations, mine->any + first,
                                       wanted, count, error);
    }
    for (size_t i = first; i < first + count; i++)
        if (mine->any[i] == wanted)
            INK__TRY(put_grouped(all, mine, rows, i, error));
    return INK_OK;
}

/* Puts the first `most` passing rows, one by one. */
static ink_status put_some(const filtering *all, filter_worker *mine, const ink__rows *rows,
                           size_t most, ink_error *error)
{
    const uint8_t *next = mine->any, *end = mine->any + rows->count;

    for (; most > 0; most--, next++) {
        next = memchr(next, !all->options->invert, (size_t)(end - next));
        INK__TRY(put_rows(all, mine, rows, (size_t)(next - mine->any), 1, error));
    }
    return INK_OK;
}

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    filtering       *all = host;
    filter_worker   *mine = &all->workers[worker];
    const ink__rows *rows = feed->rows;
    size_t           admitted = 0;

    INK__TRY(ink__ask_rows_answer(&all->asking, rows, &mine->room, mine->any, mine->table, error));
    for (size_t i = 0; i < rows->count; i++)
        admitted += mine->any[i];
    mine->analysed += rows->count;
    mine->admitted += admitted;
    size_t passing = all->options->invert ? rows->count - admitted : admitted;
    if (all->passing.sink == NULL)
        return INK_OK;
    if (all->options->first)
        return put_some(all, mine, rows, passing > 0 && mine->passed.used == 0, error);
    if (passing < rows->count / FEW)
        return put_some(all, mine, rows, passing, error);
    return put_rows(all, mine, rows, 0, rows->count, error);
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    filtering     *all = host;
    filter_worker *mine = &all->workers[worker];

    /* The header of the first input stays at the top: the output reads like the input. */
    if (!all->options->first)
        INK__TRY(ink__passing_header(&all->passing, feed, error));
    if (!all->enough) {
        all->analysed += mine->analysed;
        all->admitted += mine->admitted;
        uint64_t passed = all->options->invert ? all->analysed - all->admitted : all->admitted;
        INK__TRY(ink__passed_write(&all->passing, &mine->passed, error));
        all->enough = all->options->first && passed > 0;
    }
    mine->passed.used = mine->analysed = mine->admitted = 0;
    return INK_OK;
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status plan_reading(filtering *all, const ink_file *file, const ink_input *inputs,
                               size_t input_count, const ink_sink *sink,
                               ink_input_spec **input_spec, ink_error *error)
{
    ink_reading   stored;
    ink__row_rule rule;

    INK__TRY(ink__reading_refuse_arrow(inputs, input_count, error));
    INK__TRY(ink_input_spec_read(input_spec, file, &stored, error));
    if (*input_spec != NULL && !all->options->plain)
        ink_reading_complete(&all->reading, &stored, all->options->by);
    if (!all->options->by) {
        all->reading.by = NULL;
        all->reading.round = INK_ROUND_NONE;
    } else if (all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no column that names the group, expected one ({by})");
    all->reading.weight = NULL;
    INK__TRY(ink__members_keys(&all->asking.members, &all->reading, error));
    INK__TRY(ink__reading_rule(&rule, &all->reading, inputs, input_count, error));
    ink__passing_begin(&all->passing, &rule.records, sink, &all->allocator);
    return INK_OK;
}

static ink_status make_workers(filtering *all, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->worker_count * sizeof *all->workers,
                                  &all->workers, error));
    for (unsigned i = 0; i < all->worker_count && all->asking.grouped; i++)
        INK__TRY(ink__allocate_zeroed(&all->allocator, all->asking.members.count * INK__ROWS_MAX,
                                      &all->workers[i].table, error));
    return INK_OK;
}

static ink_status describe(const filtering *all, ink_filter_report *report, ink_error *error)
{
    const ink__members *members = &all->asking.members;

    *report = (ink_filter_report){
        .kind = members->list[0].description.kind,
        .functions = members->list[0].description.hashes,
        .groups = all->asking.grouped ? members->count : 0,
    };
    for (size_t i = 0; i < members->count; i++) {
        double rate;
        INK__TRY(ink_sketch_rate(members->list[i].sketch, &rate, error));
        report->false_groups += rate;
        report->set_size += members->list[i].description.records;
        if (members->list[i].description.hashes != report->functions)
            report->functions = 0;
    }
    return INK_OK;
}

static ink_status run(filtering *all, const ink_file *file, const ink_input *inputs,
                      size_t input_count, const ink_sink *sink, ink_filter_report *report,
                      ink_job *job, uint64_t began, ink_error *error)
{
    ink_input_spec *input_spec = NULL;
    ink__feed       feed = {
              .inputs = inputs,
              .input_count = input_count,
              .reading = &all->reading,
              .host = all,
              .take = take,
              .commit = commit,
              .enough = all->options->first ? &all->enough : NULL,
    };

    ink_status status = plan_reading(all, file, inputs, input_count, sink, &input_spec, error);
    all->worker_count = feed.workers = ink__feed_workers(&feed, job);
    if (status == INK_OK)
        status = make_workers(all, error);
    if (status == INK_OK)
        status = ink__feed_run(&feed, job, began, error);
    if (status == INK_OK)
        status = describe(all, report, error);
    for (unsigned i = 0; i < all->worker_count && all->workers != NULL; i++) {
        ink__passed_free(&all->passing, &all->workers[i].passed);
        ink__release(&all->allocator, all->workers[i].table,
                     all->asking.members.count * INK__ROWS_MAX);
    }
    ink__release(&all->allocator, all->workers, all->worker_count * sizeof *all->workers);
    ink_input_spec_free(input_spec);
    return status;
}

ink_status ink_filter(const ink_file *file, const ink_input *inputs, size_t input_count,
                      const ink_reading *reading, const ink_filter_options *options,
                      const ink_sink *sink, ink_filter_report *report, ink_job *job,
                      ink_error *error)
{
    uint64_t  began = ink__system_now()->nanoseconds();
    filtering all = {
        .allocator = ink__allocator_or_heap(job->allocator),
        .options = options,
        .reading = *reading,
    };

    job->failed_path = NULL;
    INK__TRY_ROOM("ink_filter_options", options, error);
    INK__TRY(ink__ask_rows_open(&all.asking, file, options, &all.allocator, error));
    ink_status status = run(&all, file, inputs, input_count, sink, report, job, began, error);
    ink__ask_rows_close(&all.asking);
    INK__TRY(status);
    report->analysed = all.analysed;
    report->admitted = all.admitted;
    report->rejected = all.analysed - all.admitted;
    report->seconds = (double)(ink__system_now()->nanoseconds() - began) / 1e9;
    return INK_OK;
}
