/* filter.c - grep for sets: the records that may be in a set, in the order of the input. */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/groups/ask_rows.h"
#include "jobs/query/group_column.h"
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
    ink_reading               reading, stored; /* completed, and what the input spec says */
    ink__ask_rows             asking;
    ink__group_column         column; /* where all groups are queried, they are written */
    ink__record_rule          records;
    filter_worker            *workers;
    unsigned                  worker_count;
    uint64_t                  analysed, admitted;
    bool                      enough;
} filtering;

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
    if (all->column.form == INK__GROUPS_ABSENT) {
        ink__passing_locations(&all->passing, &some, 0, mine->locations);
        return ink__passed_put_records(&all->passing, &mine->passed, rows->record_bytes,
                                       rows->record_limit, mine->locations, mine->any + first,
                                       wanted, count, error);
    }
    for (size_t i = first; i < first + count; i++)
        if (mine->any[i] == wanted)
            INK__TRY(ink__group_column_put(&all->column, rows, i, mine->table, &all->passing,
                                           &mine->passed, error));
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

/* The header of the first input stays at the top: the output reads like the input. */
static ink_status put_header(const filtering *all, const ink__feed_rows *feed, ink_error *error)
{
    ink__passed passed = {0};
    uint64_t    used;

    if (all->column.form != INK__GROUPS_FIELD || feed->sequence != 0 || feed->header_bytes == 0)
        return ink__passing_header(&all->passing, feed, error);
    uint64_t   bytes = ink__records_first(&all->records, feed->header, feed->header_bytes, &used);
    bool       ended = feed->header[feed->header_bytes - 1] == all->passing.end;
    ink_status status = ink__passed_put(&all->passing, &passed, feed->header, bytes, error);
    if (status == INK_OK)
        status = ink__group_column_put_name(&all->column, &all->passing, &passed, error);
    if (status == INK_OK)
        status = ink__passed_put(&all->passing, &passed, feed->header + bytes,
                                 feed->header_bytes - bytes, error);
    if (status == INK_OK)
        status = ink__passed_put(&all->passing, &passed, &all->passing.end, !ended, error);
    if (status == INK_OK)
        status = ink__passed_write(&all->passing, &passed, error);
    ink__passed_free(&all->passing, &passed);
    return status;
}

static ink_status see_header(void *host, const uint8_t *header, uint64_t bytes, ink_error *error)
{
    filtering *all = host;

    return ink__group_column_see(&all->column, header, bytes, error);
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    filtering     *all = host;
    filter_worker *mine = &all->workers[worker];

    if (!all->options->first)
        INK__TRY(put_header(all, feed, error));
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

static ink_status plan_reading(filtering *all, const ink_file *file, ink__feed *feed,
                               const ink_sink *sink, ink_input_spec **input_spec, ink_error *error)
{
    ink__row_rule rule;

    INK__TRY(ink__reading_refuse_arrow(feed->inputs, feed->input_count, error));
    INK__TRY(ink_input_spec_read(input_spec, file, &all->stored, error));
    all->stored.weight = NULL;
    if (*input_spec != NULL && !all->options->plain)
        INK__TRY(ink__reading_follow(&all->reading, &all->stored, all->options->by, feed->inputs,
                                     feed->input_count, &feed->remembered, error));
    if (!all->options->by) {
        all->reading.by = NULL;
        all->reading.round = INK_ROUND_NONE;
    } else if (all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no column that names the group, expected one ({by})");
    all->reading.weight = NULL;
    INK__TRY(ink__members_keys(&all->asking.members, &all->reading, error));
    ink_status status =
        ink__reading_rule(&rule, &all->reading, feed->inputs, feed->input_count, error);
    if (status == INK_USAGE)
        ink__reading_explain(feed->remembered, error);
    INK__TRY(status);
    ink__passing_begin(&all->passing, &rule.records, sink, &all->allocator);
    all->records = rule.records;
    if (!all->asking.grouped || sink == NULL || all->options->invert)
        return INK_OK;
    return ink__group_column_begin(&all->column, &rule, all->options->group_column,
                                   &all->asking.members, &all->allocator, error);
}

static ink_status make_workers(filtering *all, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->worker_count * sizeof *all->workers,
                                  &all->workers, error));
    for (unsigned i = 0; i < all->worker_count && all->column.form != INK__GROUPS_ABSENT; i++)
        INK__TRY(ink__allocate_zeroed(&all->allocator, all->asking.members.count * INK__ROWS_MAX,
                                      &all->workers[i].table, error));
    return INK_OK;
}

/* How many keys a filter holds: as planned, or else estimated. */
static ink_status count_keys(const ink__member *member, uint64_t *keys, ink_error *error)
{
    ink_answer answer;

    *keys = member->description.expected_keys;
    if (*keys > 0 && member->description.levels == 0)
        return INK_OK;
    INK__TRY(ink_sketch_distinct(member->sketch, 0, &answer, error));
    *keys = ink_nearest_whole(answer.estimate);
    return INK_OK;
}

static ink_status describe(const filtering *all, ink_filter_report *report, ink_error *error)
{
    const ink__members *members = &all->asking.members;

    *report = (ink_filter_report){
        .kind = members->list[0].description.kind,
        .functions = members->list[0].description.hashes,
    };
    for (size_t i = 0; i < members->count; i++) {
        double   rate;
        uint64_t keys;
        if (members->list[i].unwanted)
            continue;
        INK__TRY(count_keys(&members->list[i], &keys, error));
        report->set_keys += keys;
        report->groups += all->asking.grouped;
        INK__TRY(ink_sketch_rate(members->list[i].sketch, &rate, error));
        report->false_groups += rate;
        report->set_records += members->list[i].description.records;
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
              .see_header = see_header,
              .enough = all->options->first ? &all->enough : NULL,
    };

    ink_status status = plan_reading(all, file, &feed, sink, &input_spec, error);
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
    ink__group_column_end(&all->column);
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
