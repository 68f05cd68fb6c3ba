/* arrow.h - Arrow columns made by hand, as any producer of the C data interface would hand them
 * out. Every buffer is a piece of memory of its own and not a byte longer than it must be, so that
 * a sanitizer sees reads past it.
 *
 *     arrow_data columns[] = {
 *         arrow_ints("id", "l", (const int64_t[]){7, 8, 9}, "110", 3, 0),
 *         arrow_texts("name", "u", (const char *const[]){"a", NULL, "c"}, 3, 5),
 *     };
 *     arrow_data table = arrow_struct(columns, 2, NULL, 3, 0);
 *     ... &table.schema, &table.array ...
 *     arrow_release(&table);
 *     CHECK(arrow_live() == 0);
 *
 * Everywhere: `count` rows are visible; `offset` rows of junk stand before them.
 * `valid` has a character for each row, '0' for a null, or is NULL, which makes no bitmap. What
 * stands below a null is junk. null_count is exact; set it to -1 to have it unknown. */
#ifndef INK_TESTS_ARROW_H
#define INK_TESTS_ARROW_H

#include "input/arrow/arrow_abi.h"

#include <stddef.h>

typedef struct arrow_data {
    struct ArrowSchema schema;
    struct ArrowArray  array;
} arrow_data;

/* Buffers start this number of bytes past an aligned address; 0 unless a test sets it. */
extern size_t arrow_misaligned;

/* c C s S i I l L, and what stands in such integers, as tdD or tsu:; values are cut to the width.
 */
arrow_data arrow_ints(const char *name, const char *format, const int64_t *values,
                      const char *valid, size_t count, size_t offset);

/* e f g: values are rounded to the width. */
arrow_data arrow_floats(const char *name, const char *format, const double *values,
                        const char *valid, size_t count, size_t offset);

/* u z U Z, vu vz (long ones in three data buffers by turns), w:N (filled up with zero bytes, or
 * cut). NULL is a null; without any there is no bitmap. */
arrow_data arrow_texts(const char *name, const char *format, const char *const *values,
                       size_t count, size_t offset);

/* b: a value is false if it is 0. */
arrow_data arrow_bools(const char *name, const int64_t *values, const char *valid, size_t count,
                       size_t offset);

/* n */
arrow_data arrow_nulls(const char *name, size_t count, size_t offset);

/* Indices of any integer format into `values`, which are taken over. */
arrow_data arrow_dictionary(const char *name, const char *format, const int64_t *indices,
                            const char *valid, size_t count, size_t offset, arrow_data values);

/* A table: a struct of columns, which are taken over. They have count + offset rows or more, of
 * which the struct skips `offset`; columns with more rows than that are as good. */
arrow_data arrow_struct(arrow_data *columns, size_t columns_count, const char *valid, size_t count,
                        size_t offset);

/* Releases what has not been released. */
void arrow_release(arrow_data *data);

/* A stream of one array or more, which are taken over; its schema is that of the first. The
 * caller that pulls an array owns it. Once `fail_at` arrays were pulled, the next pull fails with
 * EIO and the last error "the disk is gone"; SIZE_MAX: never. */
struct ArrowArrayStream arrow_stream(arrow_data *arrays, size_t count, size_t fail_at);

/* How many schemas, arrays and streams that were made here are not released, children included. */
long arrow_live(void);

#endif
