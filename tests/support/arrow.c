/* arrow.c - Arrow columns made by hand. */
#include "support/arrow.h"

#include "support/check.h"

#include <errno.h>
#include <math.h>

size_t arrow_misaligned;

static long live;

/* ---- Memory of an array ------------------------------------------------------------------- */

enum { BUFFERS_MAX = 8, VIEW_BYTES = 16, VIEW_SHORT = 12, VIEW_BUFFERS = 3, JUNK = 0x5a };

/* What an array owns. */
typedef struct owned {
    const void *buffers[BUFFERS_MAX];
    size_t      shifts[BUFFERS_MAX]; /* how far after what malloc gave */
    size_t      buffer_count;
    size_t      child_count;
} owned;

static void *must(void *memory)
{
    if (memory == NULL)
        fail_msg("no memory");
    return memory;
}

/* A piece of memory of `bytes` bytes, filled with junk. */
static uint8_t *take_bytes(size_t bytes)
{
    size_t   all = bytes + arrow_misaligned;
    uint8_t *memory = must(malloc(all > 0 ? all : 1));

    memset(memory, JUNK, all);
    return memory + arrow_misaligned;
}

static void give_bytes(const void *bytes, size_t shift)
{
    if (bytes != NULL)
        free((uint8_t *)(uintptr_t)bytes - shift);
}

/* Adds a buffer to an array; NULL is a buffer that is not there. */
static uint8_t *add_buffer(struct ArrowArray *array, uint8_t *bytes)
{
    owned *own = array->private_data;

    CHECK(own->buffer_count < BUFFERS_MAX);
    own->shifts[own->buffer_count] = arrow_misaligned;
    own->buffers[own->buffer_count++] = bytes;
    array->n_buffers = (int64_t)own->buffer_count;
    return bytes;
}

/* Releases a part of an array or a schema, which may have been taken out or not be there. */
#define RELEASE_PART(part)                                                                         \
    do {                                                                                           \
        if ((part) != NULL && (part)->release != NULL)                                             \
            (part)->release(part);                                                                 \
        free(part);                                                                                \
    } while (0)

static void release_array(struct ArrowArray *array)
{
    owned *own = array->private_data;

    for (size_t i = 0; i < own->child_count; i++)
        RELEASE_PART(array->children[i]);
    free(array->children);
    RELEASE_PART(array->dictionary);
    for (size_t i = 0; i < own->buffer_count; i++)
        give_bytes(own->buffers[i], own->shifts[i]);
    free(own);
    array->release = NULL;
    live--;
}

static void release_schema(struct ArrowSchema *schema)
{
    for (int64_t i = 0; i < schema->n_children; i++)
        RELEASE_PART(schema->children[i]);
    free(schema->children);
    RELEASE_PART(schema->dictionary);
    free((void *)(uintptr_t)schema->format);
    free((void *)(uintptr_t)schema->name);
    schema->release = NULL;
    live--;
}

static char *copy_text(const char *text)
{
    return text == NULL ? NULL : strcpy(must(malloc(strlen(text) + 1)), text);
}

/* An array without buffers. */
static arrow_data begin(const char *name, const char *format, size_t count, size_t offset)
{
    owned *own = must(calloc(1, sizeof *own));

    live += 2;
    return (arrow_data){
        .schema = {.format = copy_text(format),
                   .name = copy_text(name),
                   .flags = ARROW_FLAG_NULLABLE,
                   .release = release_schema},
        .array = {.length = (int64_t)count,
                  .offset = (int64_t)offset,
                  .buffers = own->buffers,
                  .release = release_array,
                  .private_data = own},
    };
}

static bool is_valid(const char *valid, size_t row)
{
    return valid == NULL || valid[row] != '0';
}

static void put_bit(uint8_t *bits, size_t at, bool value)
{
    uint8_t bit = (uint8_t)(1u << at % 8);

    bits[at / 8] = (uint8_t)(value ? bits[at / 8] | bit : bits[at / 8] & ~bit);
}

/* Adds the bitmap, or that there is none. */
static void add_bitmap(struct ArrowArray *array, const char *valid)
{
    size_t count = (size_t)array->length, offset = (size_t)array->offset;

    if (valid == NULL) {
        add_buffer(array, NULL);
        return;
    }
    uint8_t *bits = add_buffer(array, take_bytes((offset + count + 7) / 8));
    for (size_t i = 0; i < count; i++) {
        put_bit(bits, offset + i, is_valid(valid, i));
        array->null_count += !is_valid(valid, i);
    }
}

void arrow_release(arrow_data *data)
{
    if (data->array.release != NULL)
        data->array.release(&data->array);
    if (data->schema.release != NULL)
        data->schema.release(&data->schema);
}

long arrow_live(void)
{
    return live;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

/* In bytes, of integers and floats. */
static size_t width_of(const char *format)
{
    static const char   letters[] = "cCsSiIlLefg";
    static const size_t widths[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
    const char         *letter = strchr(letters, format[0]);

    if (format[0] == 't')
        return strcmp(format, "tdD") == 0 || format[1] == 't' ? 4 : 8;
    if (letter == NULL)
        fail_msg("a format of numbers, not %s", format);
    return widths[letter - letters];
}

static void put_int(uint8_t *to, size_t width, int64_t value)
{
    int8_t  value8 = (int8_t)value;
    int16_t value16 = (int16_t)value;
    int32_t value32 = (int32_t)value;

    memcpy(to,
           width == 1   ? (const void *)&value8
           : width == 2 ? (const void *)&value16
           : width == 4 ? (const void *)&value32
                        : (const void *)&value,
           width);
}

arrow_data arrow_ints(const char *name, const char *format, const int64_t *values,
                      const char *valid, size_t count, size_t offset)
{
    arrow_data data = begin(name, format, count, offset);
    size_t     width = width_of(format);

    add_bitmap(&data.array, valid);
    uint8_t *bytes = add_buffer(&data.array, take_bytes((offset + count) * width));
    for (size_t i = 0; i < count; i++)
        if (is_valid(valid, i))
            put_int(bytes + (offset + i) * width, width, values[i]);
    return data;
}

/* A double as a half float: the nearest one, by trying them all. */
static uint16_t half_of(double value)
{
    uint16_t best = 0;
    double   distance = HUGE_VAL, sign = signbit(value) ? -1 : 1;

    if (isnan(value))
        return 0x7e00;
    for (unsigned bits = 0; bits < 0x7c00; bits++) {
        int    exponent = (int)(bits >> 10);
        double half =
            exponent == 0 ? ldexp(bits & 0x3ff, -24) : ldexp((bits & 0x3ff) | 0x400, exponent - 25);
        if (fabs(half - fabs(value)) < distance) {
            distance = fabs(half - fabs(value));
            best = (uint16_t)bits;
        }
    }
    if (fabs(value) >= 65520)
        best = 0x7c00;
    return (uint16_t)(best | (sign < 0 ? 0x8000 : 0));
}

arrow_data arrow_floats(const char *name, const char *format, const double *values,
                        const char *valid, size_t count, size_t offset)
{
    arrow_data data = begin(name, format, count, offset);
    size_t     width = width_of(format);

    add_bitmap(&data.array, valid);
    uint8_t *bytes = add_buffer(&data.array, take_bytes((offset + count) * width));
    for (size_t i = 0; i < count; i++) {
        if (!is_valid(valid, i))
            continue;
        float    single = (float)values[i];
        uint16_t half = width == 2 ? half_of(values[i]) : 0;
        memcpy(bytes + (offset + i) * width,
               width == 2   ? (const void *)&half
               : width == 4 ? (const void *)&single
                            : (const void *)&values[i],
               width);
    }
    return data;
}

arrow_data arrow_bools(const char *name, const int64_t *values, const char *valid, size_t count,
                       size_t offset)
{
    arrow_data data = begin(name, "b", count, offset);

    add_bitmap(&data.array, valid);
    uint8_t *bits = add_buffer(&data.array, take_bytes((offset + count + 7) / 8));
    for (size_t i = 0; i < count; i++)
        put_bit(bits, offset + i, values[i] != 0);
    return data;
}

arrow_data arrow_nulls(const char *name, size_t count, size_t offset)
{
    arrow_data data = begin(name, "n", count, offset);

    data.array.null_count = (int64_t)count;
    return data;
}

/* ---- Text --------------------------------------------------------------------------------- */

static void add_offsets(struct ArrowArray *array, size_t width, const char *const *values)
{
    size_t   count = (size_t)array->length, offset = (size_t)array->offset;
    uint8_t *offsets = add_buffer(array, take_bytes((offset + count + 1) * width));
    size_t   used = 0;

    for (size_t i = 0; i < offset; i++) /* a byte of junk each */
        put_int(offsets + i * width, width, (int64_t)used++);
    for (size_t i = 0; i < count; i++) {
        put_int(offsets + (offset + i) * width, width, (int64_t)used);
        used += values[i] == NULL ? 2 : strlen(values[i]); /* two bytes of junk below a null */
    }
    put_int(offsets + (offset + count) * width, width, (int64_t)used);
    uint8_t *bytes = add_buffer(array, take_bytes(used));
    for (size_t i = 0, at = offset; i < count; i++) {
        size_t length = values[i] == NULL ? 2 : strlen(values[i]);
        if (values[i] != NULL)
            memcpy(bytes + at, values[i], length);
        at += length;
    }
}

static void add_views(struct ArrowArray *array, const char *const *values)
{
    size_t   count = (size_t)array->length, offset = (size_t)array->offset;
    size_t   sizes[VIEW_BUFFERS] = {0}, used[VIEW_BUFFERS] = {0};
    uint8_t *views = add_buffer(array, take_bytes((offset + count) * VIEW_BYTES));
    uint8_t *buffers[VIEW_BUFFERS];

    for (size_t i = 0; i < count; i++)
        if (values[i] != NULL && strlen(values[i]) > VIEW_SHORT)
            sizes[i % VIEW_BUFFERS] += strlen(values[i]);
    for (size_t i = 0; i < VIEW_BUFFERS; i++)
        buffers[i] = add_buffer(array, take_bytes(sizes[i]));
    for (size_t i = 0; i < count; i++) {
        uint8_t *view = views + (offset + i) * VIEW_BYTES;
        if (values[i] == NULL)
            continue;
        size_t length = strlen(values[i]), commit = i % VIEW_BUFFERS;
        put_int(view, 4, (int64_t)length);
        if (length <= VIEW_SHORT) {
            memset(view + 4, 0, VIEW_SHORT);
            memcpy(view + 4, values[i], length);
            continue;
        }
        memcpy(view + 4, values[i], 4);
        put_int(view + 8, 4, (int64_t)commit);
        put_int(view + 12, 4, (int64_t)used[commit]);
        memcpy(buffers[commit] + used[commit], values[i], length);
        used[commit] += length;
    }
    uint8_t *lengths = add_buffer(array, take_bytes(sizeof(int64_t) * VIEW_BUFFERS));
    for (size_t i = 0; i < VIEW_BUFFERS; i++)
        put_int(lengths + 8 * i, 8, (int64_t)sizes[i]);
}

static void add_fixed(struct ArrowArray *array, size_t width, const char *const *values)
{
    size_t   count = (size_t)array->length, offset = (size_t)array->offset;
    uint8_t *bytes = add_buffer(array, take_bytes((offset + count) * width));

    for (size_t i = 0; i < count; i++) {
        if (values[i] == NULL)
            continue;
        size_t length = strlen(values[i]) < width ? strlen(values[i]) : width;
        memset(bytes + (offset + i) * width, 0, width);
        memcpy(bytes + (offset + i) * width, values[i], length);
    }
}

arrow_data arrow_texts(const char *name, const char *format, const char *const *values,
                       size_t count, size_t offset)
{
    arrow_data data = begin(name, format, count, offset);
    char      *valid = must(malloc(count + 1));
    bool       nulls = false;

    for (size_t i = 0; i < count; i++) {
        valid[i] = values[i] == NULL ? '0' : '1';
        nulls = nulls || values[i] == NULL;
    }
    add_bitmap(&data.array, nulls ? valid : NULL);
    free(valid);
    if (format[0] == 'v')
        add_views(&data.array, values);
    else if (format[0] == 'w')
        add_fixed(&data.array, (size_t)strtoul(format + 2, NULL, 10), values);
    else
        add_offsets(&data.array, strchr("UZ", format[0]) != NULL ? 8 : 4, values);
    return data;
}

/* ---- Columns of columns ------------------------------------------------------------------- */

arrow_data arrow_dictionary(const char *name, const char *format, const int64_t *indices,
                            const char *valid, size_t count, size_t offset, arrow_data values)
{
    arrow_data data = arrow_ints(name, format, indices, valid, count, offset);

    data.schema.dictionary = must(malloc(sizeof values.schema));
    *data.schema.dictionary = values.schema;
    data.array.dictionary = must(malloc(sizeof values.array));
    *data.array.dictionary = values.array;
    return data;
}

arrow_data arrow_struct(arrow_data *columns, size_t columns_count, const char *valid, size_t count,
                        size_t offset)
{
    arrow_data data = begin("", "+s", count, offset);
    owned     *own = data.array.private_data;

    add_bitmap(&data.array, valid);
    data.schema.children = must(malloc((columns_count + 1) * sizeof *data.schema.children));
    data.array.children = must(malloc((columns_count + 1) * sizeof *data.array.children));
    for (size_t i = 0; i < columns_count; i++) {
        data.schema.children[i] = must(malloc(sizeof columns[i].schema));
        *data.schema.children[i] = columns[i].schema;
        data.array.children[i] = must(malloc(sizeof columns[i].array));
        *data.array.children[i] = columns[i].array;
        columns[i] = (arrow_data){0};
    }
    data.schema.n_children = data.array.n_children = (int64_t)columns_count;
    own->child_count = columns_count;
    return data;
}

/* ---- Streams ------------------------------------------------------------------------------ */

typedef struct pulled {
    arrow_data *arrays;
    size_t      count, next, fail_at;
} pulled;

static void copy_schema(const struct ArrowSchema *from, struct ArrowSchema *to)
{
    *to = *from;
    live++;
    to->format = copy_text(from->format);
    to->name = copy_text(from->name);
    to->children = must(malloc(((size_t)from->n_children + 1) * sizeof *to->children));
    for (int64_t i = 0; i < from->n_children; i++) {
        to->children[i] = must(malloc(sizeof **to->children));
        copy_schema(from->children[i], to->children[i]);
    }
    if (from->dictionary != NULL) {
        to->dictionary = must(malloc(sizeof *to->dictionary));
        copy_schema(from->dictionary, to->dictionary);
    }
}

static int stream_schema(struct ArrowArrayStream *stream, struct ArrowSchema *schema)
{
    const pulled *from = stream->private_data;

    copy_schema(&from->arrays[0].schema, schema);
    return 0;
}

static int stream_next(struct ArrowArrayStream *stream, struct ArrowArray *array)
{
    pulled *from = stream->private_data;

    if (from->next == from->fail_at)
        return EIO;
    memset(array, 0, sizeof *array);
    if (from->next < from->count) {
        *array = from->arrays[from->next].array;
        from->arrays[from->next++].array.release = NULL;
    }
    return 0;
}

static const char *stream_error(struct ArrowArrayStream *stream)
{
    const pulled *from = stream->private_data;

    return from->next == from->fail_at ? "the disk is gone" : NULL;
}

static void stream_release(struct ArrowArrayStream *stream)
{
    pulled *from = stream->private_data;

    for (size_t i = 0; i < from->count; i++)
        arrow_release(&from->arrays[i]);
    free(from->arrays);
    free(from);
    stream->release = NULL;
    live--;
}

struct ArrowArrayStream arrow_stream(arrow_data *arrays, size_t count, size_t fail_at)
{
    pulled *from = must(malloc(sizeof *from));

    CHECK(count > 0);
    *from = (pulled){must(malloc(count * sizeof *arrays)), count, 0, fail_at};
    memcpy(from->arrays, arrays, count * sizeof *arrays);
    for (size_t i = 0; i < count; i++)
        arrays[i] = (arrow_data){0};
    live++;
    return (struct ArrowArrayStream){.get_schema = stream_schema,
                                     .get_next = stream_next,
                                     .get_last_error = stream_error,
                                     .release = stream_release,
                                     .private_data = from};
}
