/* inkling_foreign.h - sketches of other systems, read and written byte for byte: filters of Spark,
 * Guava, Hadoop, Redis and Parquet, and what docs/formats.md lists besides.
 *
 *     ink_foreign_options options = {.format = "spark-v1"};
 *     ink_foreign_read(bytes, count, &options, take, host, NULL, &error);   take gets each sketch
 *     ink_foreign_write(sketch, "spark-v1", &sink, &error);
 *
 * A sketch that is read is one of our kinds, and all calls take it. It hashes keys as its system
 * does (ink_description.hash), so it meets no sketch that hashes otherwise. The rules of inkling.h
 * hold here too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_FOREIGN_H
#define INKLING_FOREIGN_H

#include "inkling_file.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct ink_foreign_info {
    const char *name;   /* "spark-v1" */
    const char *about;  /* what it is, in a few words */
    const char *kind;   /* of ours, that its sketches become */
    const char *lost;   /* what its files say that sketches do not keep, or NULL */
    const char *unsaid; /* what sketches keep and its files do not say, or NULL */
    bool        reads, writes;
    bool        certain;   /* has a magic number: its files are found without its name */
    bool        columns;   /* its files have sketches of several columns: options choose one */
    bool        precision; /* its files do not say it: options do */
    uint64_t    reserved[3];
} ink_foreign_info;

/* Format `index`, or NULL past the last one. */
INK_API const ink_foreign_info *ink_foreign(size_t index);

typedef struct ink_foreign_options {
    const char  *format;     /* NULL: the only one that fits in full */
    ink_key_type key_type;   /* of a format whose files do not say it */
    const char  *hash;       /* of a format that has several; NULL: the first that takes the keys */
    const char  *funnel;     /* guava: utf8 (the default for bytes), chars, long (for int), int */
    const char  *column;     /* of a table: whose sketches. parquet: NULL is the only one that has
                                them; puffin: "3", or "3,5", the numbers of its fields; NULL: all */
    uint32_t precision;      /* 0: the default of the kind */
    uint32_t hashes;         /* index-list: of a key */
    uint64_t bits;           /* index-list: of the filter; 0: as many as the file lists */
    bool     column_of_data; /* `column` is that of data, too: unless the table has it, as NULL */
    uint64_t reserved[2];
} ink_foreign_options;

/* Gets each sketch, and owns it, also on failure; the label lives as long as the call. */
typedef ink_status ink_foreign_take(void *host, const ink_label *label, ink_sketch *sketch,
                                    ink_error *error);

/* Reads all sketches of a file. INK_FORMAT names the byte and what was expected; without a format,
 * INK_USAGE lists those that fit if they are several. *found (which may be NULL) becomes the
 * format. Nothing is allocated that the bytes do not justify. `allocator` NULL means malloc. */
INK_API ink_status ink_foreign_read(const void *data, size_t bytes,
                                    const ink_foreign_options *options, ink_foreign_take *take,
                                    void *host, const ink_foreign_info **found,
                                    const ink_allocator *allocator, ink_error *error);

/* Whether a file that begins with these bytes is surely of a format, and needs no name. */
INK_API const ink_foreign_info *ink_foreign_certain(const void *data, size_t bytes);

/* Writes a sketch as the other system would. INK_MISMATCH if it hashes keys otherwise, or has a
 * kind or a size that the format does not have: the answers would be others. */
INK_API ink_status ink_foreign_write(const ink_sketch *sketch, const char *format,
                                     const ink_sink *sink, ink_error *error);

/* Completes the parameters of a sketch that is to be written in a format: kind, hash and seed where
 * they are not given, and the size that the other system takes for these keys and this rate, or
 * this error. INK_USAGE if a parameter is given that the format cannot have. */
INK_API ink_status ink_foreign_params(const char *format, ink_params *params, ink_error *error);

#ifdef __cplusplus
}
#endif

#endif
