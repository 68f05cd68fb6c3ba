/* source.h - inputs, one after another, as chunks of whole records. Files are mapped; pipes, FIFOs,
 * standard input, compressed files and files in HDFS are read; Arrow arrays are in memory. Chunks
 * are taken by one thread at a time and worked on by many.
 *
 * The folder src/input turns inputs into keys. source gives chunks of whole records, rows makes
 * keys, groups and weights of them; records/ and arrow/ are below, live/ above. Read source.h,
 * then rows.h. Jobs call it. */
#ifndef INK_INPUT_SOURCE_H
#define INK_INPUT_SOURCE_H

#include "base/crew.h"
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
    uint64_t               memory_bytes; /* ... this number of them */
    const uint8_t         *begun;        /* of standard input: bytes that were read already ... */
    unsigned               begun_bytes;  /* ... at most INK__BEGUN_BYTES of decompress.h ... */
    bool                   begun_all;    /* ... and no more come */
    const ink__arrow_part *arrow;        /* if not NULL: rows of Arrow arrays */
    bool                   headless;     /* its header, if there is one, is somewhere else */
} ink__input_part;

/* The bytes that a row of Arrow counts as where inputs are measured. */
enum { INK__ARROW_ROW_BYTES = 64 };

typedef struct ink__source     ink__source;
typedef struct ink__source_map ink__source_map;

/* Whole records, each with its end; the last of an input may lack it. All zero at first. */
typedef struct ink__chunk {
    const uint8_t *bytes;
    uint64_t       count;
    uint64_t       seen;  /* bytes that can be read here, some perhaps of later chunks; at the
                             start of an input enough to recognize an .ink file */
    size_t   input;       /* the number of its part */
    uint64_t offset;      /* where it starts in that input ... */
    bool     headless;    /* ... which does not begin with a header */
    bool     compressed;  /* that input */
    uint64_t record;      /* the number of its first record there, from 1; 0: mapped, or unknown */
    ink__source_map *map; /* that it is part of, or NULL: then in ... */
    uint8_t         *buffer; /* ... memory of its own */
    uint64_t         room;
    ink__arrow_slice arrow; /* or these rows, and no bytes */
} ink__chunk;

/* Chunks have about `chunk_bytes` bytes, more if a record has. `parts` must outlive the source. */
ink_status ink__source_create(ink__source **source, const ink__input_part *parts, size_t count,
                              const ink__record_rule *records, uint64_t chunk_bytes,
                              const ink_allocator *allocator, ink_error *error);
void       ink__source_free(ink__source *source);

/* Lends threads to what decompresses files (ink__decompress_lend), or NULL; before the first chunk
 * is taken. */
void ink__source_lend(ink__source *source, const ink__crew *crew);

/* Whether a part is a file that is mapped, or memory, whole and not empty; its bytes. */
bool ink__source_is_mapped(const ink__input_part *part, const ink__record_rule *records,
                           const ink_allocator *allocator, uint64_t *bytes);

/* Leaves, of parts that are all mapped, only the records that start at `from` or later and before
 * `until`. To be called before the first chunk is taken. */
typedef struct ink__source_place {
    size_t   part;
    uint64_t offset; /* in it; 0 after the last part */
} ink__source_place;
void ink__source_bound(ink__source *source, ink__source_place from, ink__source_place until);

/* Releases what `chunk` refers to and takes the next one: the records of one input that start
 * within the next chunk_bytes bytes, or the next `most` if that is less. At the end *more is false
 * and the chunk empty. On failure *input, if not NULL, is the part it is about. A record of 2^31
 * bytes or more is INK_LIMIT. */
ink_status ink__source_next(ink__source *source, ink__chunk *chunk, uint64_t most, bool *more,
                            size_t *input, ink_error *error);

/* The first record of a chunk's input, without its end. Of a stream only its first chunk has it:
 * for others *count is 0. */
void ink__source_first(const ink__source *source, const ink__chunk *chunk, const uint8_t **bytes,
                       uint64_t *count);

/* The number in its input, from 1, of the record at byte `at` of a chunk, or of row `at` of its
 * Arrow array; 0 in a split of a file in HDFS whose start was not read. */
uint64_t ink__source_record(const ink__source *source, const ink__chunk *chunk, uint64_t at);

/* Reads the byte of a mapped file that is `bytes` beyond the end of the chunk, near where a later
 * chunk will be cut: the thread that cuts it, while others wait, then finds the page in memory. Any
 * thread may call it for its chunk. */
void ink__source_ahead(const ink__chunk *chunk, uint64_t bytes);

/* To be called once for each chunk, by its thread, when its bytes were read: gives back the pages
 * of a region of a mapped file when all its chunks are done. To unmap them all at the end is the
 * work of one thread, while others wait. The chunk stays readable. */
void ink__source_leave(const ink__chunk *chunk);

void ink__source_release(ink__source *source, ink__chunk *chunk);

/* Whether an input was cut short while it was mapped, and which: zeros were read instead of the
 * missing bytes (ink__cleanup_watch). Call it after all chunks were released. */
bool ink__source_was_cut(const ink__source *source, size_t *input);

/* How many bytes of the files were taken so far, and how many there are; 0: unknown. */
uint64_t ink__source_taken(const ink__source *source);
uint64_t ink__source_total(const ink__input_part *parts, size_t count);

/* The bytes of a part in its file; false if that is unknown. */
bool ink__source_size(const ink__input_part *part, uint64_t *bytes);

#endif
