/* document.h - a record as a document: its text in UTF-8, and the paragraphs of that, with their
 * bytes in the record. */
#ifndef INK_JOBS_DEDUP_DOCUMENT_H
#define INK_JOBS_DEDUP_DOCUMENT_H

#include "base/json.h"

/* What stands between two newlines. Offsets are from the start of the record. */
typedef struct ink__paragraph {
    uint32_t start, end;           /* in the record, without the newlines around it */
    uint32_t text_start, text_end; /* in the text */
} ink__paragraph;

typedef struct ink__document_rule {
    bool           json;   /* a record is an object; else it is the text */
    ink__json_path text;   /* of JSON: where the text is, ... */
    const char    *name;   /* ... as the caller wrote it */
    ink__json_path id;     /* a member that names the document ... */
    bool           has_id; /* ... if that is wanted */
    bool           paragraphs;
} ink__document_rule;

/* The document that was read last, and memory for the next. All zero but the allocator at first. */
typedef struct ink__document {
    ink_allocator   allocator;
    const uint8_t  *text; /* in the record, or in `unescaped` */
    uint64_t        bytes;
    ink__json_value id;         /* in the record, if it is wanted */
    ink__paragraph *paragraphs; /* if they are wanted: one at least */
    uint64_t        paragraph_count, paragraph_room;
    uint8_t        *unescaped;
    uint64_t        unescaped_room;
} ink__document;

void ink__document_end(ink__document *document);

/* Reads a record of fewer than 2^31 bytes. INK_FORMAT, at a byte of the record: it is no object,
 * has no string at the path, or its text is not UTF-8. */
ink_status ink__document_read(ink__document *document, const ink__document_rule *rule,
                              const uint8_t *record, uint64_t bytes, ink_error *error);

/* Whether a paragraph has anything but white space of ASCII: those without are no paragraphs. */
bool ink__paragraph_counts(const ink__document *document, const ink__paragraph *paragraph);

#endif
