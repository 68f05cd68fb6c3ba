/* write.h - writing a file: entries in order, one after another, to a sink. The bytes are a
 * function of the entries alone. Knows nothing of what kinds mean. */
#ifndef INK_FORMAT_WRITE_H
#define INK_FORMAT_WRITE_H

#include "base/crew.h"
#include "format/layout.h"

/* What is to be written. The functions are called several times for every entry, by the threads of
 * a crew at the same time, and must give the same each time. */
typedef struct ink__payload_source {
    const void   *host;
    ink__identity keys;
    uint64_t      entries; /* in the order of the directory, without repeated labels */
    /* Fills all of *entry but the payload's offset. */
    void (*entry)(const void *host, uint64_t index, ink__entry *entry);
    /* The payload of the entry: in place, where it stays until all is written, or encoded in
     * `scratch`. */
    const uint8_t *(*payload)(const void *host, uint64_t index, uint8_t *scratch);
    uint64_t           scratch_bytes; /* room for the largest payload that is encoded */
    const ink_section *sections;      /* in order of id */
    size_t             section_count;
} ink__payload_source;

/* Where the bytes go, in order. */
typedef struct ink__sink {
    void *host;
    /* Called once, before the first write, with the number of bytes to come. May be NULL. */
    ink_status (*begin)(void *host, uint64_t bytes, ink_error *error);
    ink_status (*write)(void *host, const uint8_t *bytes, uint64_t count, ink_error *error);
} ink__sink;

/* Memory needed meanwhile comes from `allocator`. The crew (NULL: none) plans and fills the
 * directory of many entries, encodes payloads and computes their checksums. */
ink_status ink__write(const ink__payload_source *source, const ink__sink *sink,
                      const ink__crew *crew, const ink_allocator *allocator, ink_error *error);

/* The digest of what would be written. */
ink_status ink__write_digest(const ink__payload_source *source, const ink_allocator *allocator,
                             uint8_t digest[INK_DIGEST_BYTES], ink_error *error);

#endif
