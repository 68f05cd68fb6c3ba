/* chunk.h - the records of a chunk at all levels: their hashes, what becomes of each record, and
 * what is written of them. */
#ifndef INK_JOBS_DEDUP_CHUNK_H
#define INK_JOBS_DEDUP_CHUNK_H

#include "base/real.h"
#include "inkling_job.h"
#include "input/records/compress.h"
#include "jobs/dedup/document.h"
#include "jobs/dedup/near.h"
#include "jobs/dedup/ngrams.h"
#include "jobs/dedup/seen.h"
#include "jobs/dedup/seen_file.h"

/* How documents are compared: the same for all chunks. */
typedef struct ink__dedup_rule {
    ink__document_rule document;
    ink__ngram_rule    ngrams;
    ink__hasher       *hasher;
    bool               used[INK_DEDUP_LEVELS];
    ink__ngram_rule    near; /* of signatures */
    ink__near_shape    shape;
    bool               signing; /* a first reading, which makes signatures */
    double             overlap;
    ink_dedup_bad      bad;
    bool               mark;
} ink__dedup_rule;

typedef enum ink__record_fate {
    INK__RECORD_REMOVED, /* by `level`, or a bad record */
    INK__RECORD_KEPT,
    INK__RECORD_CUT, /* paragraphs are cut out */
} ink__record_fate;

/* A record, or what else stands between records. */
typedef struct ink__dedup_record {
    uint64_t start, record, end; /* in the chunk: with what is before it; itself; with its end */
    uint32_t record_bytes;
    bool     document, bad;
    uint32_t paragraphs, counted, cut; /* all; those with text; of these those that were seen */
    uint32_t ngrams, ngrams_seen;
    uint32_t id_at, id_bytes; /* in `ids` */
    ink__record_fate fate;
    ink_dedup_level  level; /* of one that is removed */
} ink__dedup_record;

typedef struct ink__dedup_span {
    uint32_t start, end; /* in the record */
    bool     counted;
} ink__dedup_span;

/* All zero but the allocators of the parts is empty. */
typedef struct ink__dedup_chunk {
    ink_allocator      allocator;
    const uint8_t     *bytes;
    uint64_t           at; /* bytes whose records were taken */
    uint64_t           input, sequence;
    ink__dedup_record *records;
    uint64_t           count, records_room;
    ink__dedup_span   *spans;
    uint64_t           span_count, spans_room;
    uint8_t           *ids;
    uint64_t           ids_used, ids_room;
    uint64_t          *numbers; /* of the record that each hash of level exact is of */
    uint64_t           numbers_room;
    ink__seen_part     parts[INK__SEEN_LEVELS];
    uint8_t           *signatures; /* of each record, while they are made ... */
    uint64_t          *bands;      /* ... and the hashes of its bands; 0: none */
    uint64_t           signatures_room, bands_room;
    uint32_t           bins[INK__NEAR_BINS]; /* of one record */
    const uint64_t    *earlier; /* of each record: another one is like it; NULL: not this level */
    ink__document      document;
    ink__ngrams        ngrams;
    uint8_t           *output, *compressed;
    uint64_t           output_bytes, output_room, compressed_bytes, compressed_room;
    ink__compressor    compressor;
} ink__dedup_chunk;

/* How many of `ngrams` make the share `overlap`, in spite of its rounding. */
static inline uint64_t ink__least_seen(double overlap, uint64_t ngrams)
{
    const uint64_t least = ink__whole_up(overlap * (double)ngrams * (1 - 1e-12));

    return least == 0 ? 1 : least;
}

/* Makes the rule of options, which must outlive it. */
ink_status ink__dedup_rule_begin(ink__dedup_rule *rule, const ink_dedup_options *options,
                                 const ink_allocator *allocator, ink_error *error);
void       ink__dedup_rule_end(ink__dedup_rule *rule);

void ink__dedup_chunk_begin(ink__dedup_chunk *chunk, const ink_allocator *allocator);
void ink__dedup_chunk_end(ink__dedup_chunk *chunk);
/* Drops the records and keeps the memory. */
void ink__dedup_chunk_clear(ink__dedup_chunk *chunk);

/* Takes the next record, from `record` up to `record_end`, which with its end goes up to `end`. A
 * bad one is INK_FORMAT if these are to fail. */
ink_status ink__dedup_chunk_add(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                uint64_t record, uint64_t record_end, uint64_t end,
                                ink_error *error);

/* What becomes of a record, for the report. */
typedef struct ink__dedup_outcome {
    uint64_t         bytes;
    uint32_t         paragraphs; /* cut */
    bool             document, bad;
    ink__record_fate fate;
    ink_dedup_level  level; /* of one that is removed, or cut */
} ink__dedup_outcome;

static inline ink__dedup_outcome ink__dedup_outcome_of(const ink__dedup_record *record,
                                                       uint64_t                 bytes)
{
    return (ink__dedup_outcome){.bytes = bytes,
                                .paragraphs = record->cut,
                                .document = record->document,
                                .bad = record->bad,
                                .fate = record->fate,
                                .level = record->level};
}

/* Counts a record; `stays`: in the results, whatever its fate. */
void ink__dedup_count_outcome(ink_dedup_report *report, const ink__dedup_outcome *of, bool stays);

/* Adds the chance that a document which stays at level n-grams would have gone, with a filter of
 * this rate. */
void ink__dedup_count_chance(ink__wrong *wrong, const ink__dedup_rule *rule,
                             const ink__dedup_record *record, double rate);

/* Decides about all records, when their hashes were looked up, and makes the output (unless `dry`),
 * compressed as `form` says. */
ink_status ink__dedup_chunk_decide(ink__dedup_chunk *chunk, const ink__dedup_rule *rule,
                                   ink__compression form, bool dry, ink_error *error);

#endif
