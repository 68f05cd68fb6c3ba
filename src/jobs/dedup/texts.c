/* texts.c - texts in memory instead of files: which of them would be removed. */
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/dedup/chunk.h"
#include "jobs/dedup/sizes.h"
#include "jobs/runtime/feed.h"

#include <string.h>

/* Texts, and hashes of them, that are settled at once. */
enum { TEXTS_AT_ONCE = 4096, HASHES_AT_ONCE = 65536 };

struct ink_dedup_texts {
    ink_allocator            allocator;
    const ink_dedup_options *options;
    ink_job                  job;
    ink__dedup_rule          rule;
    ink__dedup_chunk         chunk;
    ink__seen_file           seen_file;
    ink__seen                seen[INK__SEEN_LEVELS];
    uint64_t                 texts[INK__SEEN_LEVELS], first[INK__SEEN_LEVELS];
    ink__wrong               wrong_ngrams;
    ink__near                near;
    ink__dedup_outcome      *fates; /* of those that are settled */
    uint64_t                 count, fates_room;
    uint64_t                 began;
};

static ink_status open_levels(ink_dedup_texts *all, ink_error *error)
{
    const ink_dedup_options *options = all->options;
    const double             texts[INK__SEEN_LEVELS] = {0};
    ink__level_size          sizes[INK__SEEN_LEVELS];
    bool                     exists = false;

    if (options->seen != NULL || options->against != NULL)
        INK__TRY(ink__seen_file_take_all(&all->seen_file, options, all->rule.used,
                                         &all->rule.ngrams, 1, all->seen, &exists, &all->allocator,
                                         error));
    if (exists)
        return INK_OK;
    INK__TRY(ink__dedup_size(options, all->rule.used, texts, ink__job_memory(&all->job), 0, sizes,
                             error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        ink_sketch *filter;
        if (!all->rule.used[level])
            continue;
        if (options->expected_keys == 0 || sizes[level].table) {
            ink__seen_open_table(&all->seen[level], 1, sizes[level].memory, false, &all->allocator);
            continue;
        }
        INK__TRY(ink_sketch_create(&filter, &sizes[level].params, &all->allocator, error));
        INK__TRY(
            ink__seen_open_filter(&all->seen[level], 1, filter, false, &all->allocator, error));
    }
    return INK_OK;
}

static ink_status open_texts(ink_dedup_texts *all, ink_error *error)
{
    const ink_dedup_options *options = all->options;

    if (options->folder != NULL || options->rows != NULL || options->mark || options->id != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a folder, rows or a mark for texts in memory, expected none");
    INK__TRY(ink__dedup_rule_begin(&all->rule, options, &all->allocator, error));
    all->rule.signing = options->near > 0;
    if (options->near > 0)
        INK__TRY(ink__near_begin(&all->near, options->near, ink__job_memory(&all->job) / 2,
                                 ink__job_folder(&all->job), &all->allocator, error));
    return open_levels(all, error);
}

ink_status ink_dedup_texts_open(ink_dedup_texts **texts, const ink_dedup_options *options,
                                ink_job *job, ink_error *error)
{
    const ink_allocator allocator = ink__allocator_or_heap(job->allocator);
    ink_dedup_texts    *all;

    INK__TRY_ROOM("ink_dedup_options", options, error);
    INK__TRY(ink__allocate_zeroed(&allocator, sizeof *all, &all, error));
    all->allocator = allocator;
    all->options = options;
    all->job = *job;
    all->began = ink__system_now()->nanoseconds();
    ink__dedup_chunk_begin(&all->chunk, &allocator);
    ink_status status = open_texts(all, error);
    if (status != INK_OK) {
        ink_dedup_texts_free(all);
        return status;
    }
    *texts = all;
    return INK_OK;
}

void ink_dedup_texts_free(ink_dedup_texts *texts)
{
    if (texts == NULL)
        return;
    const ink_allocator allocator = texts->allocator;
    ink__dedup_chunk_end(&texts->chunk);
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        ink__seen_end(&texts->seen[level]);
    ink__seen_file_end(&texts->seen_file);
    ink__near_end(&texts->near);
    ink__dedup_rule_end(&texts->rule);
    ink__release(&allocator, texts->fates, texts->fates_room);
    ink__release(&allocator, texts, sizeof *texts);
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* Looks up all hashes of the chunk, and enters them. */
static ink_status look_up(ink_dedup_texts *all, ink_error *error)
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        ink__seen_part *part = &all->chunk.parts[level];
        ink__seen      *seen = &all->seen[level];
        if (!all->rule.used[level])
            continue;
        INK__TRY(ink__seen_sort(seen, part, NULL, error));
        for (unsigned range = 0; range < seen->ranges; range++)
            ink__seen_step(seen, part, range);
        INK__TRY(ink__seen_check(seen, error));
        all->texts[level] += part->count;
    }
    return INK_OK;
}

static void count_hashes(ink_dedup_texts *all)
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        for (uint64_t i = 0; i < all->chunk.parts[level].count; i++)
            all->first[level] += all->chunk.parts[level].was_new[i];
}

/* Decides about the texts of the chunk. */
static ink_status settle(ink_dedup_texts *all, ink_error *error)
{
    ink__dedup_chunk *chunk = &all->chunk;
    uint64_t          ngrams = all->first[INK_DEDUP_NGRAMS];

    INK__TRY(ink__make_room(&all->allocator, &all->fates, &all->fates_room,
                            all->count * sizeof *all->fates, chunk->count * sizeof *all->fates,
                            error));
    INK__TRY(look_up(all, error));
    INK__TRY(ink__dedup_chunk_decide(chunk, &all->rule, INK__COMPRESSION_NONE, true, error));
    if (all->rule.signing)
        INK__TRY(ink__near_put(&all->near, chunk->signatures, chunk->bands, chunk->count, error));
    for (uint64_t i = 0; i < chunk->count; i++) {
        const ink__dedup_record *record = &chunk->records[i];
        ngrams += record->ngrams - record->ngrams_seen;
        if (record->ngrams > 0)
            ink__dedup_count_chance(&all->wrong_ngrams, &all->rule, record,
                                    ink__seen_rate(&all->seen[INK_DEDUP_NGRAMS], ngrams));
        all->fates[all->count++] = ink__dedup_outcome_of(record, record->record_bytes);
    }
    count_hashes(all);
    ink__dedup_chunk_clear(chunk);
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (all->rule.used[level])
            INK__TRY(ink__seen_check_fill(&all->seen[level], (ink_dedup_level)level,
                                          all->first[level], all->options->max_rate, error));
    return INK_OK;
}

static ink_key text_of(const ink_batch *batch, size_t i)
{
    if (batch->keys != NULL)
        return batch->keys[i];
    const uint64_t start = batch->offsets[i];
    const uint64_t end = batch->ends != NULL ? batch->ends[i] : batch->offsets[i + 1];
    return (ink_key){batch->data + start, (size_t)(end - start)};
}

static ink_status add_text(ink_dedup_texts *all, ink_key text, ink_error *error)
{
    ink__dedup_chunk *chunk = &all->chunk;
    uint64_t          hashes = 0;

    if (text.bytes >= (uint64_t)1 << 31)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a text of %zu bytes, expected fewer "
                         "than 2^31",
                         text.bytes);
    chunk->bytes = text.data;
    chunk->at = 0;
    INK__TRY(ink__dedup_chunk_add(chunk, &all->rule, 0, text.bytes, text.bytes, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        hashes += chunk->parts[level].count;
    return chunk->count < TEXTS_AT_ONCE && hashes < HASHES_AT_ONCE ? INK_OK : settle(all, error);
}

ink_status ink_dedup_texts_add(ink_dedup_texts *texts, const ink_batch *batch, ink_error *error)
{
    if (batch->ints != NULL || batch->hashes != NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s, expected texts",
                         batch->ints != NULL ? "integers" : "hashes");
    for (size_t i = 0; i < batch->count; i++) {
        ink_status status = add_text(texts, text_of(batch, i), error);
        if (status == INK_OK)
            continue;
        if (error != NULL && (status == INK_FORMAT || status == INK_LIMIT)) {
            error->location = INK_AT_KEY;
            error->at = i;
        }
        return status;
    }
    return INK_OK;
}

/* ---- The end ------------------------------------------------------------------------------ */

uint64_t ink_dedup_texts_count(const ink_dedup_texts *texts)
{
    return texts->count + texts->chunk.count;
}

/* Level near comes before paragraphs, and after the others. */
static void decide_near(const ink_dedup_texts *all, uint64_t i, ink__dedup_outcome *fate)
{
    if (!all->rule.signing || all->near.earlier[i] == 0 ||
        (fate->fate == INK__RECORD_REMOVED && fate->level != INK_DEDUP_PARAGRAPHS))
        return;
    fate->fate = INK__RECORD_REMOVED;
    fate->level = INK_DEDUP_NEAR;
}

static ink_status report_levels(ink_dedup_texts *all, ink_dedup_report *report, ink_error *error)
{
    for (int level = 0; level < INK__SEEN_LEVELS; level++) {
        ink_dedup_count *count = &report->levels[level];
        if (!all->rule.used[level])
            continue;
        count->texts = all->texts[level];
        count->first = all->first[level];
        INK__TRY(ink__seen_report(&all->seen[level], (ink_dedup_level)level, &all->wrong_ngrams, 0,
                                  count, error));
    }
    if (all->rule.signing)
        ink__near_report(&all->near, report->documents, &report->levels[INK_DEDUP_NEAR]);
    return INK_OK;
}

ink_status ink_dedup_texts_finish(ink_dedup_texts *texts, uint8_t *kept, ink_dedup_report *report,
                                  ink_error *error)
{
    *report = (ink_dedup_report){0};
    INK__TRY(settle(texts, error));
    if (texts->rule.signing)
        INK__TRY(ink__near_find(&texts->near, &texts->job, texts->began, error));
    for (uint64_t i = 0; i < texts->count; i++) {
        ink__dedup_outcome fate = texts->fates[i];
        decide_near(texts, i, &fate);
        kept[i] = fate.fate != INK__RECORD_REMOVED;
        report->bytes += fate.bytes;
        ink__dedup_count_outcome(report, &fate, false);
    }
    INK__TRY(report_levels(texts, report, error));
    if (texts->options->seen != NULL)
        INK__TRY(ink__seen_file_save_all(&texts->seen_file, texts->options->seen, texts->seen,
                                         report, &texts->rule.ngrams, error));
    report->seconds = (double)(ink__system_now()->nanoseconds() - texts->began) / 1e9;
    return INK_OK;
}
