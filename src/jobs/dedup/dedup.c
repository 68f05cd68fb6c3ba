/* dedup.c - a corpus without what repeats. Threads read documents and hash them (chunk.c); each
 * level has a memory of what was seen, whose ranges take the chunks in order as tracks of the feed
 * (seen.c); then each thread decides about its documents and makes their bytes, and the ordered
 * commit writes them (shards.c). */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/dedup/chunk.h"
#include "jobs/dedup/passes.h"
#include "jobs/dedup/progress_file.h"
#include "jobs/dedup/seen_file.h"
#include "jobs/dedup/shards.h"
#include "jobs/dedup/sizes.h"
#include "jobs/runtime/reading.h"

#include <string.h>

/* A chunk, whatever the caller has: frames of compressed results are made of chunks. */
#define CHUNK_BYTES ((uint64_t)1 << 20)
/* How often progress is saved, and the bytes that are read in a microsecond: files are taken in
 * batches that take about as long. */
#define EVERY_MICROSECONDS ((uint64_t)600 * 1000000)
#define BYTES_A_MICROSECOND 50

enum {
    STEP_HASHES = 256, /* that are worth a turn of a worker */
    TRACKS_EACH = 2,   /* for each thread */
    RECORD_BITS = 24,  /* of the number of a record in the value of a hash; the rest is its chunk */
};

/* Where a chunk is, for the locations of its records. */
typedef struct chunk_place {
    uint64_t input, line; /* of its first record */
    uint64_t record;      /* the number of that in all inputs, from 0 */
} chunk_place;

typedef struct dedup {
    ink_allocator            allocator;
    const ink_dedup_options *options;
    ink_reading              reading;
    ink__dedup_rule          rule;
    ink__shards              shards;
    ink_input               *inputs;
    ink__seen_file           seen_file;
    ink__seen                seen[INK__SEEN_LEVELS];
    ink__passes              passes[INK__SEEN_LEVELS]; /* of levels whose filter is in ranges */
    ink__level_size          sizes[INK__SEEN_LEVELS];
    uint64_t                 first[INK__SEEN_LEVELS]; /* texts that were new */
    ink__wrong               wrong_ngrams;
    unsigned                 track_starts[INK__SEEN_LEVELS + 1];
    ink__tracks             *tracks; /* NULL: one thread */
    ink__dedup_chunk        *chunks; /* of workers */
    bool                    *by_tracks;
    unsigned                 worker_count;
    chunk_place             *places;
    uint64_t                 places_room, place_count;
    chunk_place              next_place;
    ink__near                near;     /* all zero: not this level */
    ink__progress            progress; /* saved so far */
    bool                     saves, began_saving;
    bool                     done;  /* an earlier run was whole */
    uint64_t batch, batch_sequence; /* the first shard and chunk of the batch that is
                                       read */
    uint64_t          sequence_end; /* after the last chunk that was committed */
    uint64_t          saved;        /* when */
    ink_dedup_report *report;
    ink_job           job; /* with our size of chunks */
    ink_job          *caller;
    uint64_t          began;
} dedup;

/* ---- Reading ------------------------------------------------------------------------------- */

/* Records are read as lines, or up to NUL; JSON is looked at by chunk.c. */
static ink_status begin_reading(dedup *all, const ink_reading *reading, ink_error *error)
{
    const ink_reading given = {.form = reading == NULL ? INK_FORM_DEFAULT : reading->form};
    ink_form          form;

    INK__TRY(ink__reading_check_values(&given, error));
    INK__TRY(ink_reading_form(&given, all->inputs, (size_t)all->shards.count, &form, error));
    if (form != INK_FORM_JSONL && form != INK_FORM_LINES && form != INK_FORM_NUL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "documents in %s, expected {form} jsonl, lines or nul",
                         ink__form_name(form));
    all->rule.document.json = form == INK_FORM_JSONL;
    all->reading = (ink_reading){.form = form == INK_FORM_NUL ? INK_FORM_NUL : INK_FORM_LINES,
                                 .fail_bad = reading != NULL && reading->fail_bad};
    if (!all->rule.document.json && (all->options->mark || all->options->id != NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s, but documents are no JSON, expected {form} jsonl",
                         all->options->mark ? "documents are to be marked"
                                            : "documents are named by a member");
    return INK_OK;
}

/* ---- Sizes -------------------------------------------------------------------------------- */

/* The ranges of a table: as many as all levels together may have in the file of progress. */
static unsigned table_ranges(const dedup *all, unsigned wanted)
{
    unsigned levels = 0, most = INK__FILTER_RANGES_MAX;

    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        levels += all->rule.used[level];
    while (most * levels > INK__PROGRESS_RANGES)
        most /= 2;
    if (wanted < INK__TABLE_RANGES)
        return INK__TABLE_RANGES;
    return wanted < most ? wanted : most;
}

_Static_assert((int)INK__TABLE_RANGES *(int)INK__SEEN_LEVELS <= (int)INK__PROGRESS_RANGES,
               "all levels may have tables");

/* What keeps what was seen at a level that no file has. */
static ink_status make_seen(dedup *all, ink_dedup_level level, unsigned ranges, ink_error *error)
{
    const ink__level_size *size = &all->sizes[level];
    ink__seen             *seen = &all->seen[level];
    ink_sketch            *filter;

    if (size->table) {
        ink__seen_open_table(seen, table_ranges(all, ranges), size->memory,
                             level == INK_DEDUP_EXACT && all->options->rows != NULL,
                             &all->allocator);
        return INK_OK;
    }
    if (size->ranges > 0) {
        ink__seen_open_apart(seen, &size->plan, &all->allocator);
        return ink__passes_begin(&all->passes[level], &size->params, size->ranges,
                                 size->memory / INK__HASHES_PART, ink__job_folder(&all->job),
                                 &all->allocator, error);
    }
    INK__TRY(ink_sketch_create(&filter, &size->params, &all->allocator, error));
    return ink__seen_open_filter(seen, ranges, filter, false, &all->allocator, error);
}

/* Of a run that goes on, whose filters are in its progress: the rest of the file. */
static ink_status take_other_seen(dedup *all, const char *path, ink_error *error)
{
    char        name[INK__SEEN_NAME_BYTES];
    ink_sketch *filter;
    bool        exists;

    INK__TRY(ink__seen_file_open(&all->seen_file, path, &exists, &all->allocator, error));
    for (int level = 0; exists && level < INK__SEEN_LEVELS; level++) {
        ink__seen_name((ink_dedup_level)level, &all->rule.ngrams, name);
        if (all->rule.used[level] &&
            ink__seen_file_take(&all->seen_file, name, &filter, NULL) == INK_OK)
            ink_sketch_free(filter);
    }
    return INK_OK;
}

static ink_status fail_level(ink_dedup_level level, ink_error *error)
{
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     INK__PROGRESS_NAME ": nothing of level %s, expected what was seen",
                     ink_dedup_level_name(level));
}

/* Of a run that goes on the levels are in its progress, but for those in passes. */
static ink_status make_all_seen(dedup *all, unsigned ranges, ink_error *error)
{
    double texts[INK__SEEN_LEVELS] = {0};
    bool   any = false;

    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        any |= all->rule.used[level];
    if (any && all->options->expected_keys == 0)
        INK__TRY(ink__dedup_estimate(&all->shards, &all->rule, &all->reading, all->caller, texts,
                                     error));
    INK__TRY(ink__dedup_size(all->options, all->rule.used, texts, ink__job_memory(&all->job),
                             all->worker_count, all->sizes, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        if (!all->rule.used[level] || ink__seen_is_open(&all->seen[level]))
            continue;
        if (all->progress.shards > 0 && all->sizes[level].ranges == 0)
            return fail_level((ink_dedup_level)level, error);
        INK__TRY(make_seen(all, (ink_dedup_level)level, ranges, error));
    }
    return INK_OK;
}

static ink_status open_seen(dedup *all, ink_error *error)
{
    const ink_dedup_options *options = all->options;
    const char              *path = options->against != NULL ? options->against : options->seen;
    unsigned                 ranges = TRACKS_EACH * all->worker_count,
             most = INK__TRACKS_MAX / INK__SEEN_LEVELS / 2;

    if (all->worker_count == 1)
        ranges = 1;
    if (ranges > most)
        ranges = most;
    if (path == NULL)
        INK__TRY(make_all_seen(all, ranges, error));
    else if (all->progress.shards > 0 && options->against == NULL)
        INK__TRY(take_other_seen(all, path, error)); /* the levels are in the progress */
    else {
        bool exists;
        all->caller->failed_path = path;
        INK__TRY(ink__seen_file_take_all(&all->seen_file, options, all->rule.used,
                                         &all->rule.ngrams, ranges, all->seen, &exists,
                                         &all->allocator, error));
        all->caller->failed_path = NULL;
        if (!exists)
            INK__TRY(make_all_seen(all, ranges, error));
    }
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        if (all->rule.used[level] && !ink__seen_is_open(&all->seen[level]))
            return fail_level((ink_dedup_level)level, error);
        all->track_starts[level + 1] = all->track_starts[level] + all->seen[level].ranges;
    }
    return INK_OK;
}

/* ---- Chunks ------------------------------------------------------------------------------- */

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    dedup *all = host;

    ink__dedup_chunk *chunk = &all->chunks[worker];

    ink_status status = ink__dedup_take(chunk, &all->rule, feed, error);
    chunk->input += all->batch;
    chunk->sequence += all->batch_sequence;
    if (status == INK_FORMAT)
        ink__reading_may_skip(&all->reading, error);
    return status;
}

/* Sorts the hashes of a chunk. The value of a document is its chunk and its number there. */
static ink_status sort_hashes(dedup *all, ink__dedup_chunk *chunk, ink_error *error)
{
    for (uint64_t i = 0; i < chunk->parts[INK_DEDUP_EXACT].count; i++)
        chunk->numbers[i] |= chunk->sequence << RECORD_BITS;
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        ink__seen_part *part = &chunk->parts[level];
        if (!all->rule.used[level])
            continue;
        INK__TRY(ink__seen_sort(&all->seen[level], part, chunk->numbers, error));
        if (all->seen[level].apart)
            ink__passes_answer(&all->passes[level], chunk->sequence, part->hashes, part->count,
                               part->was_new);
    }
    return INK_OK;
}

static ink_status prepare(void *host, unsigned worker, unsigned *at_once, ink_error *error)
{
    dedup            *all = host;
    ink__dedup_chunk *chunk = &all->chunks[worker];
    uint64_t          hashes = 1;

    all->by_tracks[worker] = true;
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        hashes += chunk->parts[level].count;
    *at_once = 1 + (unsigned)(STEP_HASHES * all->track_starts[INK__SEEN_LEVELS] / hashes);
    return sort_hashes(all, chunk, error);
}

static void step(void *host, unsigned owner, unsigned track)
{
    dedup *all = host;
    int    level = 0;

    if (track >= all->track_starts[INK__SEEN_LEVELS])
        return; /* there is one track at least, for the sake of what comes after it */
    while (track >= all->track_starts[level + 1])
        level++;
    ink__seen_step(&all->seen[level], &all->chunks[owner].parts[level],
                   track - all->track_starts[level]);
}

static ink_status gather(void *host, unsigned worker, ink_error *error)
{
    dedup            *all = host;
    ink__dedup_chunk *chunk = &all->chunks[worker];

    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (all->rule.used[level])
            INK__TRY(ink__seen_check(&all->seen[level], error));
    if (all->rule.used[INK_DEDUP_NEAR])
        chunk->earlier = all->near.earlier + all->places[chunk->sequence].record;
    return ink__dedup_chunk_decide(chunk, &all->rule, all->shards.all[chunk->input].form,
                                   all->options->folder == NULL, error);
}

/* ---- The ordered commit ------------------------------------------------------------------- */

/* The location of a record by its number in all inputs. */
static void find_record(const dedup *all, uint64_t record, ink_dedup_row *row)
{
    uint64_t low = 0, high = all->place_count;

    while (high - low > 1) {
        const uint64_t middle = low + (high - low) / 2;
        if (all->places[middle].record <= record)
            low = middle;
        else
            high = middle;
    }
    row->earlier_path = all->shards.all[all->places[low].input].path;
    row->earlier_line = all->places[low].line + record - all->places[low].record;
}

/* The value of the first hash that the document's is equal to. */
static void find_earlier(const dedup *all, const ink__dedup_chunk *chunk, uint64_t document,
                         ink_dedup_row *row)
{
    const ink__seen_part *part = &chunk->parts[INK_DEDUP_EXACT];

    if (!all->seen[INK_DEDUP_EXACT].valued)
        return;
    const uint64_t     value = part->values[part->places[document]];
    const chunk_place *place = &all->places[value >> RECORD_BITS];
    row->earlier_path = all->shards.all[place->input].path;
    row->earlier_line = place->line + (value & ((1u << RECORD_BITS) - 1));
}

static ink_status report_row(const dedup *all, const ink__dedup_chunk *chunk, uint64_t i,
                             uint64_t document, ink_error *error)
{
    const ink__dedup_record *record = &chunk->records[i];
    const ink_dedup_sink    *rows = all->options->rows;
    ink_dedup_row            row = {
                   .path = all->shards.all[chunk->input].path,
                   .line = all->places[chunk->sequence].line + i,
                   .id = record->id_bytes > 0 ? chunk->ids + record->id_at : NULL,
                   .id_bytes = record->id_bytes,
                   .level = record->level,
                   .whole = record->fate == INK__RECORD_REMOVED,
                   .texts = 1,
                   .removed = 1,
    };

    if (record->level == INK_DEDUP_EXACT)
        find_earlier(all, chunk, document, &row);
    else if (record->level == INK_DEDUP_PARAGRAPHS) {
        row.texts = record->counted;
        row.removed = record->cut;
    } else if (record->level == INK_DEDUP_NEAR) {
        const uint64_t      earlier = chunk->earlier[i] - 1;
        const ink__likeness found =
            ink__near_compare(&all->near, all->places[chunk->sequence].record + i, earlier);
        row.texts = found.bins;
        row.removed = found.equal;
        find_record(all, earlier, &row);
    } else {
        row.texts = record->ngrams;
        row.removed = record->ngrams_seen;
    }
    const int os_error = rows->row(rows->host, &row);
    return os_error == 0 ? INK_OK : ink__fail_io(error, os_error, "cannot write");
}

/* Keeps where a chunk is, unless an earlier pass did. */
static ink_status keep_place(dedup *all, const ink__dedup_chunk *chunk, ink_error *error)
{
    const uint64_t used = all->place_count * sizeof *all->places;

    if (chunk->sequence < all->place_count)
        return INK_OK;
    if (used + sizeof *all->places > all->places_room)
        INK__TRY(ink__make_room(&all->allocator, &all->places, &all->places_room, used,
                                sizeof *all->places, error));
    if (all->next_place.input != chunk->input)
        all->next_place.line = 0;
    all->next_place.input = chunk->input;
    all->places[all->place_count] = all->next_place;
    all->places[all->place_count++].line++; /* from 1 */
    all->next_place.line += chunk->count;
    all->next_place.record += chunk->count;
    return INK_OK;
}

static ink_status count_records(dedup *all, const ink__dedup_chunk *chunk, ink_error *error)
{
    uint64_t document = 0, ngrams = all->first[INK_DEDUP_NGRAMS];

    for (uint64_t i = 0; i < chunk->count; i++) {
        const ink__dedup_record *record = &chunk->records[i];
        const ink__dedup_outcome outcome =
            ink__dedup_outcome_of(record, record->end - record->start);
        ink__dedup_count_outcome(all->report, &outcome, all->options->mark);
        ngrams += record->ngrams - record->ngrams_seen;
        if (record->ngrams > 0)
            ink__dedup_count_chance(&all->wrong_ngrams, &all->rule, record,
                                    ink__seen_rate(&all->seen[INK_DEDUP_NGRAMS], ngrams));
        if (all->options->rows != NULL && record->document && record->fate != INK__RECORD_KEPT)
            INK__TRY(report_row(all, chunk, i, document, error));
        document += record->document;
    }
    return INK_OK;
}

static ink_status count_hashes(dedup *all, const ink__dedup_chunk *chunk, ink_error *error)
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        const ink__seen_part *part = &chunk->parts[level];
        uint64_t              first = 0;
        if (!all->rule.used[level])
            continue;
        for (uint64_t i = 0; i < part->count; i++)
            first += part->was_new[i];
        all->first[level] += first;
        all->report->levels[level].texts += part->count;
        INK__TRY(ink__seen_check_fill(&all->seen[level], (ink_dedup_level)level, all->first[level],
                                      all->options->max_rate, error));
    }
    return INK_OK;
}

/* Before there are tracks, or without them, a commit does all their work. */
static ink_status work_alone(dedup *all, unsigned worker, ink_error *error)
{
    INK__TRY(sort_hashes(all, &all->chunks[worker], error));
    for (unsigned track = 0; track < all->track_starts[INK__SEEN_LEVELS]; track++)
        step(all, worker, track);
    return gather(all, worker, error);
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    dedup            *all = host;
    ink__dedup_chunk *chunk = &all->chunks[worker];

    chunk->input = all->batch + feed->chunk->input;
    chunk->sequence = all->batch_sequence + feed->sequence;
    INK__TRY(keep_place(all, chunk, error));
    if (!all->by_tracks[worker])
        INK__TRY(work_alone(all, worker, error));
    if (all->tracks != NULL && feed->sequence == 0)
        ink__tracks_open(
            all->tracks,
            all->track_starts[INK__SEEN_LEVELS] > 0 ? all->track_starts[INK__SEEN_LEVELS] : 1, 1);
    all->report->bytes += feed->chunk->count;
    INK__TRY(count_records(all, chunk, error));
    INK__TRY(count_hashes(all, chunk, error));
    all->sequence_end = chunk->sequence + 1;
    const bool plain = all->shards.all[chunk->input].form == INK__COMPRESSION_NONE;
    INK__TRY(ink__shards_write(&all->shards, chunk->input,
                               plain ? chunk->output : chunk->compressed,
                               plain ? chunk->output_bytes : chunk->compressed_bytes, error));
    all->by_tracks[worker] = false;
    ink__dedup_chunk_clear(chunk);
    return INK_OK;
}

/* ---- A reading before ----------------------------------------------------------------------- */

static ink_status commit_first(void *host, unsigned worker, const ink__feed_rows *feed,
                               ink_error *error)
{
    dedup            *all = host;
    ink__dedup_chunk *chunk = &all->chunks[worker];

    chunk->input = all->batch + feed->chunk->input;
    chunk->sequence = all->batch_sequence + feed->sequence;
    INK__TRY(keep_place(all, chunk, error));
    if (all->rule.signing)
        INK__TRY(ink__near_put(&all->near, chunk->signatures, chunk->bands, chunk->count, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (all->rule.used[level])
            INK__TRY(ink__passes_put(&all->passes[level], chunk->parts[level].hashes,
                                     chunk->parts[level].count, error));
    ink__dedup_chunk_clear(chunk);
    return INK_OK;
}

/* Reads all records for signatures, and for the hashes of filters in ranges. */
static ink_status read_first(dedup *all, const ink__feed *all_records, ink_error *error)
{
    const ink__dedup_rule rule = all->rule;
    ink__feed             feed = *all_records;

    feed.commit = commit_first;
    feed.tracks = NULL;
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        all->rule.used[level] = all->passes[level].ranges > 0;
    all->rule.signing = rule.used[INK_DEDUP_NEAR];
    INK__TRY(ink__feed_run(&feed, &all->job, all->began, error));
    all->rule = rule;
    return INK_OK;
}

static ink_status prepare_levels(dedup *all, const ink__feed *feed, ink_error *error)
{
    bool wanted = all->rule.used[INK_DEDUP_NEAR];

    INK__TRY(open_seen(all, error));
    if (wanted)
        INK__TRY(ink__near_begin(&all->near, all->options->near, ink__job_memory(&all->job) / 2,
                                 ink__job_folder(&all->job), &all->allocator, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        wanted |= all->passes[level].ranges > 0;
    if (wanted)
        INK__TRY(read_first(all, feed, error));
    if (all->rule.used[INK_DEDUP_NEAR])
        INK__TRY(ink__near_find(&all->near, &all->job, all->began, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (all->passes[level].ranges > 0)
            INK__TRY(ink__passes_run(&all->passes[level], &all->job, all->began, error));
    return INK_OK;
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status begin(dedup *all, const char *const *paths, size_t path_count,
                        const ink_reading *reading, ink_error *error)
{
    const ink_dedup_options *options = all->options;

    INK__TRY_ROOM("ink_dedup_options", options, error);
    INK__TRY(ink__dedup_rule_begin(&all->rule, options, &all->allocator, error));
    all->shards = (ink__shards){.allocator = all->allocator,
                                .folder = all->options->folder,
                                .overwrite = all->options->overwrite};
    INK__TRY(ink__shards_find(&all->shards, paths, path_count, all->report->failed_path, error));
    all->saves = options->folder != NULL;
    all->report->files = all->shards.count;
    INK__TRY(ink__allocate_zeroed(&all->allocator, (all->shards.count + 1) * sizeof *all->inputs,
                                  &all->inputs, error));
    for (uint64_t i = 0; i < all->shards.count; i++)
        all->inputs[i] = (ink_input){.path = all->shards.all[i].path};
    return begin_reading(all, reading, error);
}

static ink_status begin_workers(dedup *all, ink__feed *feed, ink_error *error)
{
    feed->workers = ink__feed_workers(feed, &all->job);
    INK__TRY(ink__allocate_zeroed(&all->allocator, feed->workers * sizeof *all->by_tracks,
                                  &all->by_tracks, error));
    INK__TRY(ink__allocate_zeroed(&all->allocator, feed->workers * sizeof *all->chunks,
                                  &all->chunks, error));
    all->worker_count = feed->workers;
    for (unsigned i = 0; i < feed->workers; i++)
        ink__dedup_chunk_begin(&all->chunks[i], &all->allocator);
    return INK_OK;
}

/* ---- Progress ----------------------------------------------------------------------------- */

/* The hash of what decides about results, besides the inputs. */
static ink_status hash_run(dedup *all, ink_error *error)
{
    const ink_dedup_options *options = all->options;
    const char *const texts[] = {options->text, options->seen, options->against, options->folder};
    struct {
        uint64_t numbers[16], texts[4];
        double   reals[4];
    } words = {
        .numbers = {options->exact, options->paragraphs, options->ngrams, options->ngrams_of_bytes,
                    options->lower, options->strip_punctuation, options->bad, options->mark,
                    options->expected_keys, ink__job_memory(&all->job), all->reading.form,
                    all->rule.document.json, sizeof(ink__progress)},
        .reals = {options->overlap, options->near, options->rate, options->max_rate},
    };

    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        words.texts[i] = texts[i] == NULL ? 0 : ink__hash_label(texts[i], strlen(texts[i]));
    return ink__progress_run(&all->shards, &words, sizeof words, &all->progress.run, error);
}

/* The levels that are saved: not what no text enters. */
static const bool *saved_levels(const dedup *all)
{
    static const bool none[INK__SEEN_LEVELS];

    return all->options->against != NULL ? none : all->rule.used;
}

static ink_status save_progress(dedup *all, uint64_t shards, ink_error *error)
{
    static const ink__seen none[INK__SEEN_LEVELS];
    ink__progress         *progress = &all->progress;

    progress->shards = shards;
    progress->wrong_ngrams = all->wrong_ngrams;
    progress->report = *all->report;
    memcpy(progress->first, all->first, sizeof progress->first);
    all->saved = ink__system_now()->nanoseconds();
    all->began_saving = true;
    return ink__progress_save(
        progress, shards == 0 || progress->done || all->options->against != NULL ? none : all->seen,
        all->options->folder, &all->allocator, error);
}

/* Rows are of all records: such a run begins again, unless what was seen may have all of them. */
static ink_status begin_again(dedup *all, ink_error *error)
{
    if (all->options->seen != NULL && all->progress.shards == all->shards.count)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         INK__PROGRESS_NAME ": all files are finished, expected no rows of them: "
                                            "what was seen may be saved already");
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        ink__seen_end(&all->seen[level]);
    all->progress = (ink__progress){.run = all->progress.run};
    return INK_OK;
}

/* Goes on where an earlier run was killed, or begins. */
static ink_status begin_progress(dedup *all, ink_error *error)
{
    const ink_dedup_options *options = all->options;
    char                    *failed = all->report->failed_path;
    bool                     found = false;

    if (!all->saves)
        return INK_OK;
    INK__TRY(hash_run(all, error));
    INK__TRY(ink__progress_read(&all->progress, all->seen, saved_levels(all), all->worker_count,
                                options->folder, options->overwrite, &found, &all->allocator,
                                error));
    if (found && all->progress.done) {
        all->done = options->rows == NULL && !options->overwrite && ink__shards_exist(&all->shards);
        /* Rows that were not written whole: all is made again, unless all of it was seen. */
        found = options->rows != NULL && options->seen == NULL;
        if (!all->done)
            all->progress = (ink__progress){.run = all->progress.run};
    }
    if (all->progress.shards > all->shards.count)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         INK__PROGRESS_NAME ": %llu finished files, expected at most %llu",
                         (unsigned long long)all->progress.shards,
                         (unsigned long long)all->shards.count);
    if (options->rows != NULL && all->progress.shards > 0)
        INK__TRY(begin_again(all, error));
    if (!found && !all->done)
        return ink__shards_check(&all->shards, failed, error);
    *all->report = all->progress.report;
    all->wrong_ngrams = all->progress.wrong_ngrams;
    memcpy(all->first, all->progress.first, sizeof all->first);
    all->shards.next = all->progress.shards;
    all->shards.overwrite = true; /* what was finished after it is made again */
    all->saved = all->began;
    return INK_OK;
}

/* A run that is done says so to the next one. If that cannot be written nothing is lost: the next
 * one then finds results that exist. */
static void end_progress(dedup *all)
{
    ink_error unused;

    if (!all->saves)
        return;
    all->progress.done = true;
    if (save_progress(all, all->shards.count, &unused) != INK_OK)
        ink__progress_remove(all->options->folder);
}

static uint64_t save_every(const dedup *all)
{
    return all->options->every == 0 ? EVERY_MICROSECONDS : all->options->every;
}

/* The shard after the batch that begins with one. */
static uint64_t batch_end(const dedup *all, uint64_t first)
{
    uint64_t bytes = all->shards.all[first].size;

    if (!all->saves || all->options->rows != NULL)
        return all->shards.count;
    while (++first < all->shards.count && bytes / BYTES_A_MICROSECOND < save_every(all))
        bytes += all->shards.all[first].size;
    return first;
}

/* Reads the shards of a batch, and finishes them. */
static ink_status run_batch(dedup *all, ink__feed *feed, uint64_t end, ink_error *error)
{
    feed->inputs = all->inputs + all->batch;
    feed->input_count = (size_t)(end - all->batch);
    if (feed->workers > 1)
        INK__TRY(
            ink__tracks_create(&all->tracks, feed->workers, step, all, &all->allocator, error));
    feed->tracks = all->tracks;
    ink_status status = ink__feed_run(feed, &all->job, all->began, error);
    ink__tracks_free(all->tracks);
    all->tracks = NULL;
    INK__TRY(status);
    all->caller->records += all->job.records;
    return ink__shards_finish(&all->shards, end, error);
}

static ink_status run_batches(dedup *all, ink__feed *feed, ink_error *error)
{
    all->batch = all->progress.shards;
    while (all->batch_sequence < all->place_count &&
           all->places[all->batch_sequence].input < all->batch)
        all->batch_sequence++;
    for (uint64_t end; all->batch < all->shards.count; all->batch = end) {
        end = batch_end(all, all->batch);
        INK__TRY(run_batch(all, feed, end, error));
        all->batch_sequence = all->sequence_end;
        if (all->saves && end < all->shards.count &&
            (ink__system_now()->nanoseconds() - all->saved) / 1000 >= save_every(all))
            INK__TRY(save_progress(all, end, error));
    }
    return INK_OK;
}

static ink_status run(dedup *all, ink_error *error)
{
    ink__feed feed = {
        .inputs = all->inputs,
        .input_count = (size_t)all->shards.count,
        .reading = &all->reading,
        .host = all,
        .take = take,
        .commit = commit,
        .prepare = prepare,
        .gather = gather,
    };

    INK__TRY(begin_workers(all, &feed, error));
    INK__TRY(begin_progress(all, error));
    if (all->done)
        return INK_OK;
    ink_status status = prepare_levels(all, &feed, error);
    if (status == INK_OK && all->saves && all->progress.shards == 0)
        status = save_progress(all, 0, error);
    if (status == INK_OK)
        status = run_batches(all, &feed, error);
    /* When the file of what was seen has been replaced, it must not be read by a run that goes on.
     */
    if (status == INK_OK && all->saves && all->options->seen != NULL)
        status = save_progress(all, all->shards.count, error);
    if (all->job.failed_path != NULL)
        all->caller->failed_path = all->job.failed_path;
    all->caller->failed_byte = all->job.failed_byte;
    return status;
}

static ink_status save_seen(dedup *all, ink_error *error)
{
    const char *path = all->options->seen;

    if (path == NULL || all->options->folder == NULL)
        return INK_OK;
    all->caller->failed_path = path;
    INK__TRY(ink__seen_file_save_all(&all->seen_file, path, all->seen, all->report,
                                     &all->rule.ngrams, error));
    all->caller->failed_path = NULL;
    return INK_OK;
}

static ink_status fill_level(dedup *all, ink_dedup_level level, ink_error *error)
{
    ink_dedup_count   *count = &all->report->levels[level];
    const ink__passes *passes = &all->passes[level];
    const double       rate = passes->ranges > 0 ? ink__passes_rate(passes) : 0;

    count->first = all->first[level];
    INK__TRY(ink__seen_report(&all->seen[level], level, &all->wrong_ngrams, rate, count, error));
    count->passes = passes->ranges;
    if (passes->ranges > 0)
        count->bytes = all->sizes[level].bytes;
    return INK_OK;
}

static ink_status fill_report(dedup *all, ink_error *error)
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (all->rule.used[level])
            INK__TRY(fill_level(all, (ink_dedup_level)level, error));
    if (all->rule.used[INK_DEDUP_NEAR])
        ink__near_report(&all->near, all->report->documents, &all->report->levels[INK_DEDUP_NEAR]);
    return INK_OK;
}

static ink_status finish(dedup *all, ink_error *error)
{
    INK__TRY(save_seen(all, error));
    INK__TRY(fill_report(all, error));
    end_progress(all);
    return INK_OK;
}

static void release(dedup *all)
{
    for (unsigned i = 0; i < all->worker_count; i++)
        ink__dedup_chunk_end(&all->chunks[i]);
    ink__release(&all->allocator, all->chunks, all->worker_count * sizeof *all->chunks);
    ink__release(&all->allocator, all->by_tracks, all->worker_count * sizeof *all->by_tracks);
    ink__tracks_free(all->tracks);
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        ink__seen_end(&all->seen[level]);
        ink__passes_end(&all->passes[level]);
    }
    ink__seen_file_end(&all->seen_file);
    ink__release(&all->allocator, all->places, all->places_room);
    ink__near_end(&all->near);
    if (all->inputs != NULL)
        ink__release(&all->allocator, all->inputs, (all->shards.count + 1) * sizeof *all->inputs);
    ink__shards_end(&all->shards);
    ink__dedup_rule_end(&all->rule);
}

/* A path that is ours goes into the report, since ours ends with the job. */
static void keep_failed_path(dedup *all)
{
    ink_job          *job = all->caller;
    ink_dedup_report *report = all->report;

    if (job->failed_path != NULL && job->failed_path != all->options->seen &&
        job->failed_path != all->options->against)
        ink__format(report->failed_path, sizeof report->failed_path, "%s", job->failed_path);
    if (report->failed_path[0] != '\0')
        job->failed_path = report->failed_path;
}

/* It is too large for the stack of a thread. */
static ink_status make_dedup(dedup **made, const ink_dedup_options *options,
                             ink_dedup_report *report, ink_job *job, ink_error *error)
{
    const uint64_t      began = ink__system_now()->nanoseconds();
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);

    job->failed_path = NULL;
    *report = (ink_dedup_report){0};
    INK__TRY(ink__allocate_zeroed(&allocator, sizeof **made, made, error));
    (*made)->allocator = allocator;
    (*made)->options = options;
    (*made)->report = report;
    (*made)->job = *job;
    (*made)->caller = job;
    (*made)->began = began;
    return INK_OK;
}

static void free_dedup(dedup *all)
{
    const ink_allocator allocator = all->allocator;

    release(all);
    ink__release(&allocator, all, sizeof *all);
}

ink_status ink_dedup(const char *const *paths, size_t path_count, const ink_reading *reading,
                     const ink_dedup_options *options, ink_dedup_report *report, ink_job *job,
                     ink_error *error)
{
    dedup *all;

    INK__TRY(make_dedup(&all, options, report, job, error));
    all->job.chunk_bytes = CHUNK_BYTES;
    ink_status status = begin(all, paths, path_count, reading, error);
    if (status == INK_OK)
        status = run(all, error);
    if (status == INK_OK && !all->done)
        status = finish(all, error);
    report->seconds = (double)(ink__system_now()->nanoseconds() - all->began) / 1e9;
    if (status != INK_OK && all->began_saving && all->shards.next == 0)
        ink__progress_remove(options->folder);
    if (status != INK_OK)
        keep_failed_path(all);
    report->done_before = status == INK_OK && all->done;
    free_dedup(all);
    return status;
}

/* ---- The plan ----------------------------------------------------------------------------- */

/* Bytes of memory for the program, and for the chunks of a thread: as they were measured. */
#define WORK_BYTES ((uint64_t)7 << 20)
#define WORK_THREAD ((uint64_t)2300 << 10)
#define WORK_PARAGRAPHS ((uint64_t)1600 << 10)
#define WORK_NGRAMS ((uint64_t)3100 << 10)
#define WORK_NEAR ((uint64_t)2500 << 10)
/* And for each record of a chunk. */
#define WORK_RECORD 210

/* `records` of a chunk, 0 if that is unknown. */
static uint64_t work_bytes(const bool used[INK_DEDUP_LEVELS], unsigned threads, uint64_t records)
{
    const uint64_t each = WORK_THREAD + records * WORK_RECORD +
                          used[INK_DEDUP_PARAGRAPHS] * WORK_PARAGRAPHS +
                          used[INK_DEDUP_NGRAMS] * WORK_NGRAMS + used[INK_DEDUP_NEAR] * WORK_NEAR;

    return WORK_BYTES + threads * each;
}

static void plan_levels(dedup *all, const double texts[INK__SEEN_LEVELS], uint64_t documents,
                        ink_dedup_plan *plan)
{
    const ink_job *job = &all->job;
    const double   chunks = (double)plan->bytes / (double)CHUNK_BYTES;
    const uint64_t records = chunks > 1 ? (uint64_t)(texts[INK_DEDUP_EXACT] / chunks) : 0;

    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        const ink__level_size *size = &all->sizes[level];
        if (!all->rule.used[level])
            continue;
        plan->levels[level] = (ink_dedup_level_plan){
            .used = true,
            .table = size->table,
            .keys = size->keys,
            .rate = size->table ? 0 : size->plan.promised_rate,
            .bytes = size->bytes,
            .passes = size->ranges,
            .disk_bytes =
                size->ranges == 0
                    ? 0
                    : (uint64_t)(texts[level] > 0 ? texts[level] : (double)size->keys) * 65 / 8,
        };
    }
    if (all->rule.used[INK_DEDUP_NEAR])
        ink__near_plan(&all->rule.shape, documents, ink__job_memory(job) / 2, ink__job_threads(job),
                       &plan->levels[INK_DEDUP_NEAR]);
    plan->work_bytes = work_bytes(all->rule.used, ink__job_threads(job), records);
    plan->memory_bytes = plan->work_bytes;
    for (int level = 0; level < INK_DEDUP_LEVELS; level++)
        plan->memory_bytes += plan->levels[level].bytes;
}

static ink_status make_plan(dedup *all, const char *const *paths, size_t path_count,
                            const ink_reading *reading, ink_dedup_plan *plan, ink_error *error)
{
    const uint64_t given = all->options->expected_keys;
    double         texts[INK__SEEN_LEVELS] = {0};
    bool           used[INK_DEDUP_LEVELS];

    INK__TRY(begin(all, paths, path_count, reading, error));
    if (path_count == 0 && given == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "neither inputs nor {expected_keys}, expected one");
    memcpy(used, all->rule.used, sizeof used);
    all->rule.used[INK_DEDUP_EXACT] = true; /* counts documents */
    if (path_count > 0)
        INK__TRY(ink__dedup_estimate(&all->shards, &all->rule, &all->reading, all->caller, texts,
                                     error));
    memcpy(all->rule.used, used, sizeof used);
    INK__TRY(ink__dedup_size(all->options, used, texts, ink__job_memory(&all->job),
                             ink__job_threads(&all->job), all->sizes, error));
    plan->files = all->shards.count;
    for (uint64_t i = 0; i < all->shards.count; i++)
        plan->bytes += all->shards.all[i].size;
    plan->permutations = used[INK_DEDUP_NEAR] ? INK__NEAR_BINS : 0;
    plan->bands = all->rule.shape.bands;
    plan->rows = all->rule.shape.rows;
    plan->near = all->options->near;
    plan_levels(all, texts, given > 0 ? given : (uint64_t)texts[INK_DEDUP_EXACT], plan);
    return INK_OK;
}

ink_status ink_plan_dedup(const char *const *paths, size_t path_count, const ink_reading *reading,
                          const ink_dedup_options *options, ink_dedup_plan *plan, ink_job *job,
                          ink_error *error)
{
    ink_dedup_report report;
    dedup           *all;

    *plan = (ink_dedup_plan){0};
    INK__TRY(make_dedup(&all, options, &report, job, error));
    ink_status status = make_plan(all, paths, path_count, reading, plan, error);
    if (status != INK_OK) {
        keep_failed_path(all);
        memcpy(plan->failed_path, report.failed_path, sizeof plan->failed_path);
        if (job->failed_path == report.failed_path)
            job->failed_path = plan->failed_path;
    }
    free_dedup(all);
    return status;
}
