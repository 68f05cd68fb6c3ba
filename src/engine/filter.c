/* filter.c - grep for sets: which records may be in a set, in the order of the input. */
#include "base/memory.h"
#include "base/system.h"
#include "engine/feed.h"
#include "engine/members.h"
#include "engine/reading.h"

#include <string.h>

/* What passes of a chunk, until it has its turn, and what a thread needs. */
typedef struct passing {
    uint8_t *bytes;
    uint64_t used, room;
    uint64_t first_bytes; /* of the first record that passes */
    uint64_t analysed, admitted;
    uint64_t hashes[INK__ROWS_MAX];
    uint8_t  answers[INK__ROWS_MAX], any[INK__ROWS_MAX];
    uint8_t *table; /* of a set with groups: answers of each row for each member */
} passing;

typedef struct filtering {
    ink_allocator             allocator;
    const ink_filter_options *options;
    const ink_sink           *sink;
    ink_reading               reading;
    ink__members              members;
    bool                      grouped; /* groups are asked one and all, and named */
    bool                      hashes_suffice;
    bool                      ended; /* records by a byte: */
    uint8_t                   end;
    passing                  *workers;
    unsigned                  worker_count;
    uint64_t                  analysed, admitted;
    bool                      enough;
} filtering;

/* ---- What passes -------------------------------------------------------------------------- */

static ink_status put(const filtering *all, passing *mine, const void *bytes, uint64_t count,
                      ink_error *error)
{
    void *memory = mine->bytes;

    INK__TRY(ink__make_room(&all->allocator, &memory, &mine->room, mine->used, count, error));
    mine->bytes = memory;
    if (count > 0)
        memcpy(mine->bytes + mine->used, bytes, count);
    mine->used += count;
    return INK_OK;
}

/* A label, in quotes as in CSV where it would not stand out otherwise. */
static ink_status put_label(const filtering *all, passing *mine, const ink_label *label,
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

/* The groups that row number `row` may be in. */
static ink_status put_groups(const filtering *all, passing *mine, size_t row, ink_error *error)
{
    const char *before = "\t";

    for (size_t m = 0; m < all->members.count; m++) {
        const ink_label *label = &all->members.list[m].label;
        if (!mine->table[m * INK__ROWS_MAX + row])
            continue;
        INK__TRY(put(all, mine, before, 1, error));
        before = ",";
        INK__TRY(put_label(all, mine, label, error));
    }
    return INK_OK;
}

/* A record as it stands, with a carriage return if it has one. */
static ink_status put_record(const filtering *all, passing *mine, const ink__rows *rows, size_t row,
                             ink_error *error)
{
    uint64_t start = rows->record_starts[row], end = rows->record_ends[row];

    if (all->ended && all->end == '\n' && !all->grouped && end < rows->record_limit &&
        rows->record_bytes[end] == '\r')
        end++;
    INK__TRY(put(all, mine, rows->record_bytes + start, end - start, error));
    if (all->grouped)
        INK__TRY(put_groups(all, mine, row, error));
    return all->ended ? put(all, mine, &all->end, 1, error) : INK_OK;
}

/* ---- Asking ------------------------------------------------------------------------------- */

/* Each record is asked of the group that it names. */
static ink_status ask_own(const filtering *all, passing *mine, const ink__rows *rows,
                          ink_batch batch, ink_error *error)
{
    for (size_t i = 0; i < rows->count; i++) {
        bool      null = rows->group_starts[i] == INK__GROUP_NULL;
        ink_label label = {
            .group_kind = null ? INK_GROUP_NULL : INK_GROUP_BYTES,
            .group = null ? NULL : rows->group_bytes + rows->group_starts[i],
            .group_bytes = null ? 0 : (size_t)(rows->group_ends[i] - rows->group_starts[i]),
        };
        const ink__member *member = ink__members_find(&all->members, &label);
        ink_batch          one = {
                     .count = 1,
                     .hashes = batch.hashes == NULL ? NULL : batch.hashes + i,
                     .ints = batch.ints == NULL ? NULL : batch.ints + i,
                     .bytes = batch.bytes,
                     .offsets = batch.offsets == NULL ? NULL : batch.offsets + i,
                     .ends = batch.ends == NULL ? NULL : batch.ends + i,
        };
        mine->any[i] = 0;
        if (member != NULL)
            INK__TRY(ink_sketch_contains_batch(member->sketch, &one, &mine->any[i], error));
    }
    return INK_OK;
}

/* Each record is asked of all groups. */
static ink_status ask_all(const filtering *all, passing *mine, const ink__rows *rows,
                          const ink_batch *batch, ink_error *error)
{
    memset(mine->any, 0, rows->count);
    for (size_t m = 0; m < all->members.count; m++) {
        uint8_t *answers = mine->table + m * INK__ROWS_MAX;
        INK__TRY(ink_sketch_contains_batch(all->members.list[m].sketch, batch, answers, error));
        for (size_t i = 0; i < rows->count; i++)
            mine->any[i] |= answers[i];
    }
    return INK_OK;
}

static ink_status ask(const filtering *all, passing *mine, const ink__rows *rows, ink_error *error)
{
    ink_batch batch = ink__rows_batch(rows);

    if (all->hashes_suffice) {
        INK__TRY(ink_hash_batch(all->members.list[0].sketch, &batch, mine->hashes, error));
        batch.hashes = mine->hashes;
    }
    if (all->options->by)
        return ask_own(all, mine, rows, batch, error);
    if (all->grouped)
        return ask_all(all, mine, rows, &batch, error);
    return ink_sketch_contains_batch(all->members.list[0].sketch, &batch, mine->any, error);
}

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    filtering       *all = host;
    passing         *mine = &all->workers[worker];
    const ink__rows *rows = feed->rows;
    uint64_t         admitted = 0;

    INK__TRY(ask(all, mine, rows, error));
    for (size_t i = 0; i < rows->count; i++)
        admitted += mine->any[i];
    mine->analysed += rows->count;
    mine->admitted += admitted;
    if (all->sink == NULL)
        return INK_OK;
    for (size_t i = 0; i < rows->count; i++)
        if ((mine->any[i] != 0) != all->options->invert) {
            INK__TRY(put_record(all, mine, rows, i, error));
            mine->first_bytes = mine->first_bytes == 0 ? mine->used : mine->first_bytes;
            if (all->options->first)
                break;
        }
    return INK_OK;
}

static int write_header(const filtering *all, const ink__feed_rows *feed)
{
    const uint8_t end = all->end;
    int result = all->sink->write(all->sink->host, feed->header, (size_t)feed->header_bytes);

    if (result == 0 && feed->header[feed->header_bytes - 1] != end)
        result = all->sink->write(all->sink->host, &end, 1);
    return result;
}

static ink_status turn(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    filtering *all = host;
    passing   *mine = &all->workers[worker];
    uint64_t   bytes = all->options->first ? mine->first_bytes : mine->used;
    int        result = 0;

    /* The header of the first input stays at the top, so that what passes can be read as that was.
     */
    if (all->sink != NULL && !all->options->first && feed->sequence == 0 && feed->header_bytes > 0)
        result = write_header(all, feed);
    if (result == 0 && !all->enough) {
        all->analysed += mine->analysed;
        all->admitted += mine->admitted;
        uint64_t passed = all->options->invert ? all->analysed - all->admitted : all->admitted;
        if (bytes > 0)
            result = all->sink->write(all->sink->host, mine->bytes, (size_t)bytes);
        all->enough = result == 0 && all->options->first && passed > 0;
    }
    mine->used = mine->first_bytes = mine->analysed = mine->admitted = 0;
    return result == 0 ? INK_OK : ink__fail_io(error, result, "cannot write");
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status plan_reading(filtering *all, const ink_file *file, const ink_input *inputs,
                               size_t input_count, ink_recipe **recipe, ink_error *error)
{
    ink_reading   stored;
    ink__row_rule rule;

    INK__TRY(ink_recipe_read(recipe, file, &stored, error));
    if (*recipe != NULL && !all->options->plain)
        ink__reading_complete(&all->reading, &stored, all->options->by);
    if (!all->options->by) {
        all->reading.by = NULL;
        all->reading.round = INK_ROUND_NONE;
    } else if (all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no column that names the group, expected one (--by=COL)");
    all->reading.weight = NULL;
    INK__TRY(ink__members_keys(&all->members, &all->reading, error));
    INK__TRY(ink__reading_rule(&rule, &all->reading, inputs, input_count, error));
    all->ended = rule.records.form != INK__RECORDS_FIXED;
    all->end = rule.records.end;
    return INK_OK;
}

static ink_status make_workers(filtering *all, ink_error *error)
{
    void *memory;

    INK__TRY(
        ink__allocate(&all->allocator, all->worker_count * sizeof *all->workers, &memory, error));
    all->workers = memory;
    memset(memory, 0, all->worker_count * sizeof *all->workers);
    for (unsigned i = 0; i < all->worker_count && all->grouped; i++) {
        INK__TRY(
            ink__allocate(&all->allocator, all->members.count * INK__ROWS_MAX, &memory, error));
        all->workers[i].table = memory;
    }
    return INK_OK;
}

static void free_workers(filtering *all)
{
    for (unsigned i = 0; i < all->worker_count && all->workers != NULL; i++) {
        ink__release(&all->allocator, all->workers[i].bytes, all->workers[i].room);
        ink__release(&all->allocator, all->workers[i].table, all->members.count * INK__ROWS_MAX);
    }
    ink__release(&all->allocator, all->workers, all->worker_count * sizeof *all->workers);
}

static ink_status describe(const filtering *all, ink_filter_report *report, ink_error *error)
{
    *report = (ink_filter_report){
        .kind = all->members.list[0].description.kind,
        .functions = all->members.list[0].description.hashes,
        .groups = all->grouped ? all->members.count : 0,
    };
    for (size_t i = 0; i < all->members.count; i++) {
        double rate;
        INK__TRY(ink_sketch_rate(all->members.list[i].sketch, &rate, error));
        report->false_groups += rate;
        report->set_size += all->members.list[i].description.records;
        if (all->members.list[i].description.hashes != report->functions)
            report->functions = 0;
    }
    return INK_OK;
}

static ink_status run(filtering *all, const ink_file *file, const ink_input *inputs,
                      size_t input_count, ink_filter_report *report, ink_job *job, uint64_t began,
                      ink_error *error)
{
    ink_recipe *recipe = NULL;
    ink__feed   feed = {
          .inputs = inputs,
          .input_count = input_count,
          .reading = &all->reading,
          .host = all,
          .take = take,
          .turn = turn,
          .enough = all->options->first ? &all->enough : NULL,
    };

    ink_status status = plan_reading(all, file, inputs, input_count, &recipe, error);
    all->worker_count = feed.workers = ink__feed_workers(&feed, job);
    if (status == INK_OK)
        status = make_workers(all, error);
    if (status == INK_OK)
        status = ink__feed_run(&feed, job, began, error);
    if (status == INK_OK)
        status = describe(all, report, error);
    free_workers(all);
    ink_recipe_free(recipe);
    return status;
}

static bool has_groups(const ink__members *members)
{
    for (size_t i = 0; i < members->count; i++)
        if (members->list[i].label.group_kind != INK_GROUP_NONE)
            return true;
    return false;
}

ink_status ink_filter(const ink_file *file, const ink_input *inputs, size_t input_count,
                      const ink_reading *reading, const ink_filter_options *options,
                      const ink_sink *sink, ink_filter_report *report, ink_job *job,
                      ink_error *error)
{
    uint64_t    began = ink__system_now()->nanoseconds();
    const char *kind;
    filtering   all = {
          .allocator = ink__allocator_or_heap(job->allocator),
          .options = options,
          .sink = sink,
          .reading = *reading,
    };

    job->failed_path = NULL;
    INK__TRY(ink__members_filter_kind(file, options->kind, &kind, error));
    INK__TRY(ink__members_load(&all.members, file, kind, options->secret, &all.allocator, error));
    const ink__member *first = &all.members.list[0];
    all.grouped = !options->by && has_groups(&all.members);
    all.hashes_suffice = !first->description.needs_keys;
    ink_status status = INK_OK;
    if (options->by && !has_groups(&all.members))
        status = ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                           "the file has no groups, expected some to test records by");
    if (status == INK_OK)
        status = run(&all, file, inputs, input_count, report, job, began, error);
    ink__members_free(&all.members);
    INK__TRY(status);
    report->analysed = all.analysed;
    report->admitted = all.admitted;
    report->rejected = all.analysed - all.admitted;
    report->seconds = (double)(ink__system_now()->nanoseconds() - began) / 1e9;
    return INK_OK;
}
