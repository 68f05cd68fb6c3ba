/* chunk.c - the records of a chunk at all levels. */
#include "jobs/dedup/chunk.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

enum { MARK_ROOM = 96, DIGITS_ROOM = 24 };

void ink__dedup_chunk_begin(ink__dedup_chunk *chunk, const ink_allocator *allocator)
{
    *chunk = (ink__dedup_chunk){
        .allocator = *allocator,
        .document = {.allocator = *allocator},
        .ngrams = {.allocator = *allocator},
        .compressor = {.allocator = *allocator},
    };
}

void ink__dedup_chunk_end(ink__dedup_chunk *chunk)
{
    const ink_allocator *allocator = &chunk->allocator;

    ink__release(allocator, chunk->records, chunk->records_room);
    ink__release(allocator, chunk->spans, chunk->spans_room);
    ink__release(allocator, chunk->ids, chunk->ids_room);
    ink__release(allocator, chunk->numbers, chunk->numbers_room);
    ink__release(allocator, chunk->signatures, chunk->signatures_room);
    ink__release(allocator, chunk->bands, chunk->bands_room);
    ink__release(allocator, chunk->output, chunk->output_room);
    ink__release(allocator, chunk->compressed, chunk->compressed_room);
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        ink__seen_part_end(&chunk->parts[level], allocator);
    ink__document_end(&chunk->document);
    ink__ngrams_end(&chunk->ngrams);
    ink__compressor_end(&chunk->compressor);
}

void ink__dedup_chunk_clear(ink__dedup_chunk *chunk)
{
    chunk->count = chunk->span_count = chunk->ids_used = chunk->at = 0;
    chunk->output_bytes = chunk->compressed_bytes = 0;
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        chunk->parts[level].count = 0;
}

/* ---- Hashes ------------------------------------------------------------------------------- */

static ink_status hash_document(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                ink_error *error)
{
    ink__seen_part *part = &chunk->parts[INK_DEDUP_EXACT];
    const ink_key   key = {chunk->document.text, (size_t)chunk->document.bytes};
    const ink_batch batch = {.count = 1, .keys = &key};
    const uint64_t  used = part->count * sizeof *chunk->numbers;

    INK__TRY(ink__seen_part_room(part, 1, &chunk->allocator, error));
    if (used + sizeof *chunk->numbers > chunk->numbers_room)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->numbers, &chunk->numbers_room, used,
                                sizeof *chunk->numbers, error));
    chunk->numbers[part->count] = chunk->count;
    return ink__hasher_batch(rule->hasher, &batch, &part->hashes[part->count++], error);
}

enum { PARAGRAPHS_AT_ONCE = 256 };

static ink_status hash_paragraphs(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                  ink__dedup_record *record, ink_error *error)
{
    const ink__document *document = &chunk->document;
    ink__seen_part      *part = &chunk->parts[INK_DEDUP_PARAGRAPHS];
    const uint64_t       count = document->paragraph_count;
    const uint64_t       used = chunk->span_count * sizeof *chunk->spans;
    uint64_t             starts[PARAGRAPHS_AT_ONCE], ends[PARAGRAPHS_AT_ONCE];

    INK__TRY(ink__seen_part_room(part, count, &chunk->allocator, error));
    if (chunk->spans_room - used < count * sizeof *chunk->spans)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->spans, &chunk->spans_room, used,
                                count * sizeof *chunk->spans, error));
    record->paragraphs = (uint32_t)count;
    for (uint64_t i = 0; i < count;) {
        ink_batch batch = {.data = document->text, .offsets = starts, .ends = ends, .one_array = 1};
        for (; i < count && batch.count < PARAGRAPHS_AT_ONCE; i++) {
            const ink__paragraph *one = &document->paragraphs[i];
            const bool            counted = ink__paragraph_counts(document, one);
            chunk->spans[chunk->span_count++] = (ink__dedup_span){one->start, one->end, counted};
            if (!counted)
                continue;
            starts[batch.count] = one->text_start;
            ends[batch.count++] = one->text_end;
        }
        INK__TRY(ink__hasher_batch(rule->hasher, &batch, part->hashes + part->count, error));
        part->count += batch.count;
        record->counted += (uint32_t)batch.count;
    }
    return INK_OK;
}

static ink_status hash_ngrams(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                              ink__dedup_record *record, ink_error *error)
{
    ink__seen_part *part = &chunk->parts[INK_DEDUP_NGRAMS];
    ink__ngrams    *ngrams = &chunk->ngrams;

    INK__TRY(ink__ngrams_read(ngrams, &rule->ngrams, chunk->document.text, chunk->document.bytes,
                              error));
    INK__TRY(ink__seen_part_room(part, ngrams->count, &chunk->allocator, error));
    INK__TRY(ink__ngrams_hash(&rule->ngrams, ngrams->fingerprints, ngrams->count,
                              part->hashes + part->count, error));
    record->ngrams = (uint32_t)ngrams->count;
    part->count += ngrams->count;
    return INK_OK;
}

/* Room for the signature of the next record, which is that of one without n-grams. */
static ink_status sign_nothing(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                               ink_error *error)
{
    const uint64_t one = INK__NEAR_BINS * sizeof *chunk->signatures;
    const uint64_t bands = rule->shape.bands * sizeof *chunk->bands;

    if ((chunk->count + 1) * one > chunk->signatures_room)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->signatures, &chunk->signatures_room,
                                chunk->count * one, one, error));
    if ((chunk->count + 1) * bands > chunk->bands_room)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->bands, &chunk->bands_room,
                                chunk->count * bands, bands, error));
    memset(chunk->signatures + chunk->count * INK__NEAR_BINS, 0xff, (size_t)one);
    memset(chunk->bands + chunk->count * rule->shape.bands, 0, (size_t)bands);
    return INK_OK;
}

static ink_status sign(ink__dedup_chunk *chunk, const ink__dedup_rule *rule, ink_error *error)
{
    ink__near_start(chunk->bins);
    chunk->ngrams.bins = chunk->bins;
    INK__TRY(ink__ngrams_read(&chunk->ngrams, &rule->near, chunk->document.text,
                              chunk->document.bytes, error));
    ink__near_finish(&rule->shape, chunk->bins, chunk->signatures + chunk->count * INK__NEAR_BINS,
                     chunk->bands + chunk->count * rule->shape.bands);
    chunk->ngrams.bins = NULL;
    return INK_OK;
}

/* ---- Records ------------------------------------------------------------------------------ */

static ink_status keep_id(ink__dedup_chunk *chunk, const uint8_t *bytes, ink__dedup_record *record,
                          ink_error *error)
{
    const ink__json_value *id = &chunk->document.id;

    INK__TRY(ink__make_room(&chunk->allocator, &chunk->ids, &chunk->ids_room, chunk->ids_used,
                            id->end - id->start, error));
    uint8_t *to = chunk->ids + chunk->ids_used;
    record->id_at = (uint32_t)chunk->ids_used;
    record->id_bytes = (uint32_t)(id->end - id->start);
    if (id->escaped)
        record->id_bytes = (uint32_t)ink__json_unescape(bytes, id, to);
    else if (record->id_bytes > 0)
        memcpy(to, bytes + id->start, record->id_bytes);
    chunk->ids_used += record->id_bytes;
    return INK_OK;
}

/* Whether there is nothing in a record: then it is no document, and stays. */
static bool is_blank(const uint8_t *bytes, uint64_t count, bool json)
{
    for (uint64_t i = 0; i < count; i++)
        if (!json || (bytes[i] != ' ' && bytes[i] != '\t' && bytes[i] != '\r'))
            return false;
    return true;
}

static ink_status read_document(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                ink__dedup_record *record, ink_error *error)
{
    const uint8_t *bytes = chunk->bytes + record->record;

    ink_status status =
        ink__document_read(&chunk->document, &rule->document, bytes, record->record_bytes, error);
    if (status == INK_FORMAT && rule->bad != INK_DEDUP_BAD_FAIL) {
        record->bad = true;
        record->fate = rule->bad == INK_DEDUP_BAD_KEEP ? INK__RECORD_KEPT : INK__RECORD_REMOVED;
        return INK_OK;
    }
    INK__TRY(status);
    record->document = true;
    if (rule->signing)
        INK__TRY(sign(chunk, rule, error));
    if (chunk->document.id.end > chunk->document.id.start)
        INK__TRY(keep_id(chunk, bytes, record, error));
    if (rule->used[INK_DEDUP_EXACT])
        INK__TRY(hash_document(chunk, rule, error));
    if (rule->used[INK_DEDUP_PARAGRAPHS])
        INK__TRY(hash_paragraphs(chunk, rule, record, error));
    return rule->used[INK_DEDUP_NGRAMS] ? hash_ngrams(chunk, rule, record, error) : INK_OK;
}

ink_status ink__dedup_chunk_add(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                uint64_t record, uint64_t record_end, uint64_t end,
                                ink_error *error)
{
    const uint64_t    used = chunk->count * sizeof *chunk->records;
    ink__dedup_record one = {
        .start = chunk->at,
        .record = record,
        .end = end,
        .record_bytes = (uint32_t)(record_end - record),
        .fate = INK__RECORD_KEPT,
    };

    if (used + sizeof one > chunk->records_room)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->records, &chunk->records_room, used,
                                sizeof one, error));
    chunk->at = end;
    if (rule->signing)
        INK__TRY(sign_nothing(chunk, rule, error));
    if (!is_blank(chunk->bytes + record, one.record_bytes, rule->document.json))
        INK__TRY(read_document(chunk, rule, &one, error));
    chunk->records[chunk->count++] = one;
    return INK_OK;
}

/* ---- Decisions ---------------------------------------------------------------------------- */

/* Where the hashes and paragraphs of the record that is decided next begin. */
typedef struct deciding {
    uint64_t documents, paragraphs, spans, ngrams;
} deciding;

static void decide(ink__dedup_chunk *chunk, const ink__dedup_rule *rule, ink__dedup_record *record,
                   deciding *at)
{
    const ink__seen_part *parts = chunk->parts;
    bool                  repeated =
        rule->used[INK_DEDUP_EXACT] && !ink__seen_new(&parts[INK_DEDUP_EXACT], at->documents++);

    for (uint32_t i = 0; i < record->ngrams; i++)
        record->ngrams_seen += !ink__seen_new(&parts[INK_DEDUP_NGRAMS], at->ngrams++);
    for (uint32_t i = 0; i < record->counted; i++)
        record->cut += !ink__seen_new(&parts[INK_DEDUP_PARAGRAPHS], at->paragraphs++);
    at->spans += record->paragraphs;
    if (repeated)
        record->level = INK_DEDUP_EXACT;
    else if (record->ngrams > 0 &&
             record->ngrams_seen >= ink__least_seen(rule->overlap, record->ngrams))
        record->level = INK_DEDUP_NGRAMS;
    else if (chunk->earlier != NULL && chunk->earlier[record - chunk->records] != 0)
        record->level = INK_DEDUP_NEAR;
    else if (record->cut > 0) {
        record->level = INK_DEDUP_PARAGRAPHS;
        record->fate = record->cut == record->counted ? INK__RECORD_REMOVED : INK__RECORD_CUT;
        return;
    } else
        return;
    record->fate = INK__RECORD_REMOVED;
}

/* ---- Output ------------------------------------------------------------------------------- */

/* There is room: no record takes more than it had, and MARK_ROOM bytes and its paragraphs. */
static void put(ink__dedup_chunk *chunk, const void *bytes, uint64_t count)
{
    if (count > 0)
        memcpy(chunk->output + chunk->output_bytes, bytes, (size_t)count);
    chunk->output_bytes += count;
}

static void put_text(ink__dedup_chunk *chunk, const char *text)
{
    put(chunk, text, strlen(text));
}

/* Writes the record without its paragraphs that were seen. Of the newlines between paragraphs those
 * before each that stays stay, but for the first one. */
static void put_cut(ink__dedup_chunk *chunk, const ink__dedup_record *record, const deciding *at)
{
    const uint8_t         *bytes = chunk->bytes + record->record;
    const ink__dedup_span *spans = chunk->spans + at->spans;
    uint64_t               hash = at->paragraphs;
    bool                   any = false;

    put(chunk, chunk->bytes + record->start, record->record - record->start + spans[0].start);
    for (uint32_t i = 0; i < record->paragraphs; i++) {
        const ink__dedup_span *one = &spans[i];
        if (one->counted && !ink__seen_new(&chunk->parts[INK_DEDUP_PARAGRAPHS], hash++))
            continue;
        const uint32_t from = any ? spans[i - 1].end : one->start;
        put(chunk, bytes + from, one->end - from);
        any = true;
    }
    const uint32_t last = spans[record->paragraphs - 1].end;
    put(chunk, bytes + last, record->end - record->record - last);
}

static void put_number(ink__dedup_chunk *chunk, uint64_t number)
{
    uint8_t digits[DIGITS_ROOM];

    put(chunk, digits, (uint64_t)(ink__put_number(digits, number) - digits));
}

/* The numbers of paragraphs, from 0, that were seen. */
static void put_numbers(ink__dedup_chunk *chunk, const ink__dedup_record *record,
                        const deciding *at)
{
    uint64_t hash = at->paragraphs;
    bool     any = false;

    for (uint32_t i = 0; i < record->paragraphs; i++) {
        if (!chunk->spans[at->spans + i].counted ||
            ink__seen_new(&chunk->parts[INK_DEDUP_PARAGRAPHS], hash++))
            continue;
        put_text(chunk, any ? "," : "");
        put_number(chunk, i);
        any = true;
    }
}

/* Writes an object with one more member at its end. */
static void put_marked(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                       const ink__dedup_record *record, const deciding *at)
{
    const uint8_t *bytes = chunk->bytes;
    uint64_t       brace = record->record + record->record_bytes - 1;
    const bool     removed = record->fate == INK__RECORD_REMOVED;

    while (bytes[brace] != '}')
        brace--;
    put(chunk, bytes + record->start, brace - record->start);
    put_text(chunk, ",\"ink_dedup\":{\"removed\":");
    if (removed) {
        put_text(chunk, "\"");
        put_text(chunk, ink_dedup_level_name(record->level));
    }
    put_text(chunk, removed ? "\"" : "null");
    if (rule->used[INK_DEDUP_PARAGRAPHS]) {
        put_text(chunk, ",\"paragraphs\":[");
        put_numbers(chunk, record, at);
        put_text(chunk, "]");
    }
    if (rule->used[INK_DEDUP_NGRAMS]) {
        put_text(chunk, ",\"ngrams\":");
        put_number(chunk, record->ngrams);
        put_text(chunk, ",\"ngrams_seen\":");
        put_number(chunk, record->ngrams_seen);
    }
    put_text(chunk, "}");
    put(chunk, bytes + brace, record->end - brace);
}

static void put_record(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                       const ink__dedup_record *record, const deciding *at)
{
    if (rule->mark && record->document)
        put_marked(chunk, rule, record, at);
    else if (record->fate == INK__RECORD_KEPT)
        put(chunk, chunk->bytes + record->start, record->end - record->start);
    else if (record->fate == INK__RECORD_CUT)
        put_cut(chunk, record, at);
}

static ink_status output_room(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                              ink_error *error)
{
    uint64_t most = chunk->at + 1;

    if (rule->mark)
        most += chunk->count * (MARK_ROOM + 2 * DIGITS_ROOM) +
                chunk->parts[INK_DEDUP_PARAGRAPHS].count * (DIGITS_ROOM / 2);
    if (most <= chunk->output_room)
        return INK_OK;
    return ink__make_room(&chunk->allocator, &chunk->output, &chunk->output_room, 0, most, error);
}

static ink_status compress(ink__dedup_chunk *chunk, ink__compression form, ink_error *error)
{
    const uint64_t most = ink__compress_room(form, chunk->output_bytes);

    if (most > chunk->compressed_room)
        INK__TRY(ink__make_room(&chunk->allocator, &chunk->compressed, &chunk->compressed_room, 0,
                                most, error));
    return ink__compress(&chunk->compressor, form, chunk->output, chunk->output_bytes,
                         chunk->compressed, chunk->compressed_room, &chunk->compressed_bytes,
                         error);
}

ink_status ink__dedup_chunk_decide(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                   ink__compression form, bool dry, ink_error *error)
{
    deciding next = {0};

    if (!dry)
        INK__TRY(output_room(chunk, rule, error));
    for (uint64_t i = 0; i < chunk->count; i++) {
        ink__dedup_record *record = &chunk->records[i];
        const deciding     at = next;
        if (record->document)
            decide(chunk, rule, record, &next);
        if (!dry)
            put_record(chunk, rule, record, &at);
    }
    if (form == INK__COMPRESSION_NONE || chunk->output_bytes == 0)
        return INK_OK;
    return compress(chunk, form, error);
}

/* ---- Counts and chances ------------------------------------------------------------------- */

void ink__dedup_count_outcome(ink_dedup_report *report, const ink__dedup_outcome *of, bool stays)
{
    ink_dedup_count *level = &report->levels[of->level];
    const bool       paragraphs = of->level == INK_DEDUP_PARAGRAPHS;

    report->documents += of->document;
    report->bad += of->bad;
    if (stays || of->fate != INK__RECORD_REMOVED) {
        report->kept += of->document || of->bad;
        report->kept_bytes += of->bytes;
    }
    report->changed += of->fate == INK__RECORD_CUT;
    if (!of->document || of->fate == INK__RECORD_KEPT)
        return;
    level->removed += paragraphs ? of->paragraphs : 1;
    if (of->fate == INK__RECORD_REMOVED) {
        level->removed_bytes += of->bytes;
        report->emptied += paragraphs;
    }
}

/* Of `unseen` n-grams `missing` are needed that are taken for seen ones. */
static double chance_of_missing(uint64_t unseen, uint64_t missing, double rate)
{
    double chance = 1;

    for (uint64_t i = 0; i < missing && chance > 1e-30; i++)
        chance *= (double)(unseen - i) * rate / (double)(i + 1);
    return chance < 1 ? chance : 1;
}

void ink__dedup_count_chance(ink__wrong *wrong, const ink__dedup_rule *rule,
                             const ink__dedup_record *record, double rate)
{
    const uint64_t least = ink__least_seen(rule->overlap, record->ngrams);

    if (record->ngrams_seen < least)
        ink__wrong_add(wrong, chance_of_missing(record->ngrams - record->ngrams_seen,
                                                least - record->ngrams_seen, rate));
}
