/* file.h - an open file, and what its header, directory and payloads mean: for file.c, which has
 * all bytes in memory, and decoder.c, which gets them piece by piece. */
#ifndef INK_SKETCH_FILE_H
#define INK_SKETCH_FILE_H

#include "format/directory.h"
#include "sketch/sketch.h"

struct ink_file {
    ink_allocator  allocator;
    ink__image     image;
    ink__key_rule  rule;   /* its `scheme` is left to each table */
    bool           copied; /* its sketches are copies, not views */
    const uint8_t *mapped; /* to unmap when closed, or NULL */
    uint8_t       *copy;   /* to release when closed, or NULL */
    uint64_t       bytes;
};

/* A file without bytes; of `flags` only INK_OPEN_COPY counts. */
ink_status ink__file_new(ink_file **file, unsigned flags, const ink_allocator *allocator,
                         ink_error *error);

/* Checks what header and directory mean: the key rule, the tables, and the parameters of every
 * entry, many of them by the crew (NULL: none). */
ink_status ink__file_check_meaning(ink_file *file, const ink__crew *crew, ink_error *error);

/* INK_USAGE unless there is one entry. */
ink_status ink__file_check_single(const ink_file *file, ink_error *error);

/* All that the directory says of the sketch of an entry. */
ink__plan ink__file_plan(const ink_file *file, const ink__entry *entry);

/* Converts the location of an error of the kind from its payload to the file. */
ink_status ink__file_placed(const ink_file *file, const ink__entry *entry, ink_status status,
                            ink_error *error);

/* What the kind says of the contents of an entry's payload. */
ink_status ink__file_check_payload(const ink_file *file, const ink__entry *entry,
                                   const uint8_t *payload, ink_error *error);

#endif
