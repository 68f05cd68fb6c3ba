/* source.h - inputs, one after another, as chunks of whole records. A file is mapped, whatever else
 * is read: pipes, FIFOs, standard input, compressed files, files in HDFS; Arrow arrays are there
 * already. Chunks are taken by one thread at a time and worked on by many. */
#ifndef INK_INPUT_SOURCE_H
#define INK_INPUT_SOURCE_H

#include "input/arrow/arrow_stream.h"
#include "input/records/records.h"

/* An input: a path, an address of WebHDFS, "-" for standard input, or bytes in memory. Of a split,
 * the records that start at `offset` or later and before offset + bytes; the last of them is taken
 * whole. A file in HDFS must not end before its split does. */
typedef struct ink__input_part {
    const char            *path;
    uint64_t               offset;
    uint64_t               bytes;        /* UINT64_MAX: up to the end */
    const uint8_t         *memory;       /* if not NULL: these bytes, ... */
    uint64_t               memory_bytes; /* ... so many */
    const uint8_t         *begun;        /* of standard input: bytes that were read already ... */
    unsigned               begun_bytes;  /* ... at most INK__BEGUN_BYTES of decompress.h */
    const ink__arrow_part *arrow;        /* if not NULL: rows of Arrow arrays */
    bool                   headless;     /* its header, if there is one, is somewhere else */
} ink__input_part;

/* A row of Arrow counts as so many bytes, wherever inputs are measured. */
enum { INK__ARROW_ROW_BYTES = 64 };

typedef struct ink__source     ink__source;
typedef struct ink__source_map ink__source_map;

/* Whole records, each with its end behind it, but for the last of an input, which may lack it. All
 * zero before it is used first. */
typedef struct ink__chunk {
    const uint8_t *bytes;
    uint64_t       count;
    uint64_t       seen;     /* so many are there, some of later chunks perhaps; at the start of an
                                input as many as tell an .ink file, if it is one */
    size_t   input;          /* the number of its part */
    uint64_t offset;         /* where it starts in that input ... */
    bool     headless;       /* ... which does not begin with a header */
    uint64_t record;         /* the number of its first record there, from 1; 0 if it is mapped,
                                or nobody knows */
    ink__source_map *map;    /* that it is part of, or NULL: then in ... */
    uint8_t         *buffer; /* ... memory of its own */
    uint64_t         room;
    ink__arrow_slice arrow; /* or it has no bytes, but these rows */
} ink__chunk;

/* Chunks have about `chunk_bytes` bytes, more if a record has. `parts` must outlive the source. */
ink_status ink__source_create(ink__source **source, const ink__input_part *parts, size_t count,
                              const ink__record_rule *records, uint64_t chunk_bytes,
                              const ink_allocator *allocator, ink_error *error);
void       ink__source_free(ink__source *source);

/* Takes the next chunk into `chunk`, which gives back what it held before: the records of one input
 * that start within the next chunk_bytes bytes, or the next `most` if that is less. *more becomes
 * false, and the chunk empty, when there is none. On failure *input, if not NULL, tells which part
 * it was about. A record of 2^31 bytes or more is INK_LIMIT. */
ink_status ink__source_next(ink__source *source, ink__chunk *chunk, uint64_t most, bool *more,
                            size_t *input, ink_error *error);

/* The first record of the input that a chunk is of, without its end. Of a stream only the chunk at
 * its start knows it: then *count is 0 for others. */
void ink__source_first(const ink__source *source, const ink__chunk *chunk, const uint8_t **bytes,
                       uint64_t *count);

/* The number, from 1, of the record that byte `at` of a chunk belongs to, in its input; of Arrow,
 * of row `at` of its array; 0 in a split of a file in HDFS, of which the start was not seen. */
uint64_t ink__source_record(const ink__source *source, const ink__chunk *chunk, uint64_t at);

/* Gives back what a chunk holds. */
void ink__source_release(ink__source *source, ink__chunk *chunk);

/* Whether an input was cut short while it was mapped, and which: zeros were read in place of what
 * is missing (ink__cleanup_watch). For when all chunks were given back. */
bool ink__source_was_cut(const ink__source *source, size_t *input);

/* How many bytes of the inputs were taken so far, as they stand in files, and how many there are, 0
 * if that cannot be known. */
uint64_t ink__source_taken(const ink__source *source);
uint64_t ink__source_total(const ink__input_part *parts, size_t count);

/* Whether it can be known how many bytes a part has, as they stand in its file, and how many. */
bool ink__source_size(const ink__input_part *part, uint64_t *bytes);

#endif
