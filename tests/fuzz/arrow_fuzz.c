/* arrow_fuzz.c - schemas, arrays and streams of Arrow that contradict themselves: what the C data
 * interface lets a consumer see to be wrong is refused with a message and changes nothing, and
 * whatever is taken is the same for the whole array as for its rows one by one. An input is read
 * byte by byte as a description of them.
 *
 * The interface does not say how long buffers are, so each is here exactly as long as the structs
 * say, or not there at all, and a sanitizer sees a byte too many: a bitmap has a bit, and a buffer
 * of values one, for each row of the array and those before its offset; offsets one more; the bytes
 * that they point into are as many as the last offset of the visible rows says; a buffer of views
 * as many as its size says; buffers, children and the dictionary are as many as there are. What has
 * to be survived are all other values: lengths, offsets and counts, also negative ones and those
 * whose sums do not fit 64 bits; numbers of buffers and children that are not those of the type
 * (but the number of buffers of views is believed); pointers that are NULL, structs that were
 * released, types that do not go together; and in buffers any bytes: offsets that fall, views and
 * indices that point elsewhere, numbers that cannot be converted. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include "inkling_arrow.h"
#include "inkling_job.h"
#include "input/arrow/arrow_abi.h"
#include "support/check.h"
#include "support/faults.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>

enum {
    MOST_BYTES = 2048,
    COLUMNS_MAX = 4,
    ROWS_MAX = 40,       /* and as many before them; at times MANY_ROWS */
    MANY_ROWS = 1500,    /* more than are read at a time */
    BYTES_MAX = 1 << 16, /* of a buffer; one that would be longer is not there */
    ARRAYS_MAX = 3,
    SCHEMAS_MAX = 8,
};

static ink_error error;

/* ---- Reading the description -------------------------------------------------------------- */

static struct {
    const uint8_t *at, *end;
} input;

static unsigned next(unsigned limit)
{
    return input.at < input.end ? *input.at++ % limit : 0;
}

/* Rarely true: most of what is described is sound. */
enum { ODD = 250 };
static bool odd(void)
{
    return next(256) >= ODD;
}

static int64_t number(void)
{
    static const int64_t numbers[] = {
        0,  -1,       INT64_MAX, INT64_MIN, INT64_MAX - 1, (int64_t)1 << 59, (int64_t)1 << 60,
        -2, INT32_MIN};
    return numbers[next(sizeof numbers / sizeof numbers[0])];
}

/* ---- Memory that goes when a struct is released -------------------------------------------- */

/* What a schema or an array, with all that is below it, consists of. */
typedef struct arena {
    void   **blocks;
    size_t   count, room;
    uint64_t bytes;
    bool     released;
} arena;

static void *take_block(arena *of, size_t bytes)
{
    void *block = malloc(bytes > 0 ? bytes : 1);

    if (of->count == of->room) {
        of->room = 2 * of->room + 64;
        of->blocks = realloc(of->blocks, of->room * sizeof *of->blocks);
    }
    assert_true(block != NULL && of->blocks != NULL);
    of->blocks[of->count++] = block;
    of->bytes += bytes;
    return block;
}

static void let_go(arena *of)
{
    for (size_t i = 0; i < of->count; i++)
        free(of->blocks[i]);
    free(of->blocks);
    of->blocks = NULL;
    of->count = of->room = 0;
}

static void release_schema(struct ArrowSchema *schema)
{
    arena *of = schema->private_data;

    assert_false(of->released);
    of->released = true;
    let_go(of);
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    arena *of = array->private_data;

    assert_false(of->released);
    of->released = true;
    let_go(of);
    array->release = NULL;
}

/* Children are released by their parent alone. */
static void release_child_schema(struct ArrowSchema *schema)
{
    (void)schema;
    fail_msg("the child of a schema was released");
}

static void release_child_array(struct ArrowArray *array)
{
    (void)array;
    fail_msg("the child of an array was released");
}

/* ---- Schemas ------------------------------------------------------------------------------- */

static const char *const formats[] = {
    "u",         "l",   "i",    "s",     "c",    "L",    "I",     "S",
    "C",         "z",   "U",    "Z",     "vu",   "vz",   "w:3",   "w:16",
    "w:0",       "tdD", "tdm",  "tss:",  "tsm:", "tsu:", "tsn:Z", "n",
    "b",         "e",   "f",    "g",     "+s",   "+l",   "d:9",   "",
    "w:2000000", "w:",  "w:-1", "w:1x",  "ttu",  "tDs",  "+m",    "_pli128",
    "x",         "u ",  "\xff", "w:007", "tss",  "+w:3", "+ud:",  "w:999999999999"};
enum { FORMATS = sizeof formats / sizeof formats[0], USED_FORMATS = 24, TABLE = 28 };
enum { GROUP_FORMATS_FROM = 240, GROUP_FORMATS = 4 }; /* the next ones, which only groups have */

static const char *const names[] = {"a", "b", "c", "", "1", "a", "\xff\n", NULL};
enum { NAMES = sizeof names / sizeof names[0] };

static char *copy_text(arena *of, const char *text)
{
    return text == NULL ? NULL : strcpy(take_block(of, strlen(text) + 1), text);
}

static unsigned next_format(void)
{
    unsigned byte = next(256);

    return byte < GROUP_FORMATS_FROM ? byte % USED_FORMATS : USED_FORMATS + byte % GROUP_FORMATS;
}

static void describe_schema(arena *of, struct ArrowSchema *schema, unsigned depth)
{
    bool     table = depth == 0 && next(4) > 0, words = !table && depth < 3 && next(5) == 4;
    unsigned format = odd() ? next(FORMATS) : table ? TABLE : next_format();

    if (words && !odd()) /* indices */
        format = 1 + next(8);
    *schema = (struct ArrowSchema){
        .format = odd() ? NULL : copy_text(of, formats[format]),
        .name = copy_text(of, names[next(NAMES)]),
        .flags = ARROW_FLAG_NULLABLE,
        .release = odd()        ? NULL
                   : depth == 0 ? release_schema
                                : release_child_schema,
        .private_data = of,
    };
    if (format == TABLE && depth < 2) {
        int64_t count = 1 + next(COLUMNS_MAX);
        schema->children = take_block(of, (size_t)count * sizeof *schema->children);
        schema->n_children = count;
        for (int64_t i = 0; i < count; i++) {
            schema->children[i] = odd() ? NULL : take_block(of, sizeof **schema->children);
            if (schema->children[i] != NULL)
                describe_schema(of, schema->children[i], depth + 1);
        }
        if (odd())
            schema->n_children = number() < 0 ? -1 : 0;
        if (odd())
            schema->children = NULL;
    } else if (words) {
        schema->dictionary = take_block(of, sizeof *schema->dictionary);
        describe_schema(of, schema->dictionary, depth + 1);
    }
}

/* ---- Arrays -------------------------------------------------------------------------------- */

/* How the values of a format stand in buffers; what is not known here has a buffer of nothing. */
typedef enum layout { NONE, BITS, VALUES, OFFSETS, VIEWS } layout;

static layout layout_of(const char *format, uint64_t *width)
{
    *width = 0;
    if (format == NULL)
        return NONE;
    if (strchr("cCsSiIlLefg", format[0]) != NULL && format[0] != '\0' && format[1] == '\0') {
        *width = strchr("cC", format[0]) != NULL    ? 1
                 : strchr("sSe", format[0]) != NULL ? 2
                 : strchr("iIf", format[0]) != NULL ? 4
                                                    : 8;
        return VALUES;
    }
    if (strncmp(format, "ts", 2) == 0 || strncmp(format, "td", 2) == 0) {
        *width = strcmp(format, "tdD") == 0 ? 4 : 8;
        return VALUES;
    }
    if (strncmp(format, "w:", 2) == 0) {
        *width = strtoull(format + 2, NULL, 10);
        return VALUES;
    }
    if (strcmp(format, "b") == 0)
        return BITS;
    if (format[0] == 'v')
        return VIEWS;
    *width = strchr("UZ", format[0]) != NULL ? 8 : 4;
    return format[0] != '\0' && strchr("uzUZ", format[0]) != NULL ? OFFSETS : NONE;
}

/* A buffer of this number of bytes, of the input as long as there are any; NULL if they are too
 * many. */
static uint8_t *take_buffer(arena *of, uint64_t bytes)
{
    if (bytes > BYTES_MAX)
        return NULL;
    uint8_t *buffer = take_block(of, (size_t)bytes);
    memset(buffer, 0, (size_t)bytes);
    return buffer;
}

/* As the host has numbers; of what is longer than any of them the first bytes. */
static void put_number(uint8_t *to, uint64_t width, int64_t value)
{
    const int32_t four = (int32_t)value;
    const int16_t two = (int16_t)value;

    if (width == 4)
        memcpy(to, &four, sizeof four);
    else if (width == 2)
        memcpy(to, &two, sizeof two);
    else if (width == 1)
        *to = (uint8_t)value;
    else
        memcpy(to, &value, width < sizeof value ? (size_t)width : sizeof value);
}

static int64_t get_number(const uint8_t *from, uint64_t width)
{
    int32_t narrow;
    int64_t wide;

    if (width == 4) {
        memcpy(&narrow, from, sizeof narrow);
        return narrow;
    }
    memcpy(&wide, from, sizeof wide);
    return wide;
}

static uint8_t *describe_bits(arena *of, uint64_t locations)
{
    uint8_t *bits = take_buffer(of, (locations + 7) / 8);

    for (uint64_t i = 0; bits != NULL && i < (locations + 7) / 8; i++)
        bits[i] = (uint8_t)(i < 12 ? next(256) | next(256) : 0xff);
    return bits;
}

/* Halves, or what cannot be rounded. */
static void put_real(uint8_t *to, uint64_t width)
{
    static const double reals[] = {0x1p63, -0x1p63, 0x1p62, 1e300, 0x1p-1074, -0.0, 0.5};
    enum { REALS = sizeof reals / sizeof reals[0] };
    unsigned     which = odd() ? next(REALS + 2) : REALS + 2;
    const double eight = which < REALS        ? reals[which]
                         : which == REALS     ? (double)NAN
                         : which == REALS + 1 ? (double)-INFINITY
                                              : (double)next(16) / 2 - 3;
    const float  four = (float)eight;

    if (width == 8)
        memcpy(to, &eight, sizeof eight);
    else
        memcpy(to, &four, sizeof four);
}

static uint8_t *describe_values(arena *of, uint64_t locations, uint64_t width, bool reals)
{
    uint8_t *values = width > BYTES_MAX ? NULL : take_buffer(of, locations * width);

    for (uint64_t i = 0; values != NULL && i < locations && width > 0; i++) {
        uint8_t *to = values + i * width;
        if (i >= 40)
            put_number(to, width, (int64_t)i * 7 % 5);
        else if (reals)
            put_real(to, width);
        else if (odd())
            put_number(to, width, number() ^ (int64_t)next(2));
        else
            put_number(to, width, (int64_t)next(8) * (width == 8 && next(3) == 2 ? 86400000 : 1));
    }
    return values;
}

/* Offsets that mostly rise, and the bytes up to the last one that is visible. */
static void describe_offsets(arena *of, const void **buffers, uint64_t locations, uint64_t width,
                             uint64_t visible)
{
    uint8_t *offsets = take_buffer(of, (locations + 1) * width), *bytes = NULL;
    int64_t  at = 0;

    buffers[1] = offsets;
    buffers[2] = NULL;
    if (offsets == NULL)
        return;
    for (uint64_t i = 0; i <= locations; i++) {
        put_number(offsets + i * width, width, odd() ? number() ^ (int64_t)next(64) : at);
        at += i >= 40 ? (int64_t)i % 3 : (int64_t)next(6);
    }
    int64_t last = get_number(offsets + visible * width, width);
    if (last >= 0 && last <= BYTES_MAX && !odd())
        bytes = take_buffer(of, (uint64_t)last);
    for (int64_t i = 0; bytes != NULL && i < last; i++)
        bytes[i] = (uint8_t)("0123456789.-exab"[i < 60 ? next(16) : (unsigned)i % 16]);
    buffers[2] = bytes;
}

static void put_view(uint8_t *view, unsigned buffer_count)
{
    unsigned length = next(20);

    put_number(view, 4, odd() ? number() : (int64_t)length);
    for (unsigned i = 4; i < 8; i++)
        view[i] = (uint8_t)('a' + next(3));
    put_number(view + 8, 4, odd() ? number() : (int64_t)next(buffer_count + 1));
    put_number(view + 12, 4, odd() ? number() : (int64_t)next(16));
}

/* Views into `count` buffers, whose sizes stand in the last one. */
static void describe_views(arena *of, const void **buffers, uint64_t locations, unsigned count)
{
    uint8_t *views = take_buffer(of, locations * 16), *sizes = take_buffer(of, 8 * (uint64_t)count);

    buffers[1] = views;
    buffers[2 + count] = odd() ? NULL : sizes;
    for (uint64_t i = 0; views != NULL && i < locations; i++)
        if (i < 40)
            put_view(views + 16 * i, count);
    for (unsigned i = 0; i < count; i++) {
        int64_t  size = odd() ? number() : (int64_t)next(40);
        uint8_t *bytes = size < 0 || odd() ? NULL : take_buffer(of, (uint64_t)size);
        put_number(sizes + 8 * i, 8, size);
        for (int64_t b = 0; bytes != NULL && b < size; b++)
            bytes[b] = (uint8_t)('a' + b % 26);
        buffers[2 + i] = bytes;
    }
}

/* The buffers of an array of `locations` rows with those before it, of which the first `visible`
 * are all that is looked at. */
static void describe_buffers(arena *of, struct ArrowArray *array, const char *format,
                             uint64_t locations, uint64_t visible)
{
    uint64_t width;
    layout   how = layout_of(format, &width);
    unsigned views = how == VIEWS ? next(4) : 0;
    unsigned count = how == VIEWS ? 3 + views : how == OFFSETS ? 3 : how == NONE ? 1 : 2;

    if (format != NULL && strcmp(format, "n") == 0)
        count = 0;
    const void **buffers = take_block(of, count * sizeof *buffers);
    array->buffers = buffers;
    array->n_buffers = count;
    if (count == 0)
        return;
    array->null_count = next(3) == 0 ? 0 : next(4) == 0 ? (int64_t)next(4) : -1;
    buffers[0] = array->null_count == 0 && next(2) == 0 ? NULL : describe_bits(of, locations);
    if (how == OFFSETS)
        describe_offsets(of, buffers, locations, width, visible);
    else if (how == VIEWS)
        describe_views(of, buffers, locations, views);
    else if (how == BITS)
        buffers[1] = describe_bits(of, locations);
    else if (how == VALUES)
        buffers[1] = describe_values(of, locations, width, strchr("fg", format[0]) != NULL);
    if (odd())
        buffers[next(count)] = NULL;
}

/* Makes the structure itself contradict its schema or itself, in what is reported without a buffer.
 */
static void spoil(struct ArrowArray *array, bool views)
{
    switch (next(7)) {
    case 0:
        array->null_count = number();
        break;
    case 1:
        array->n_buffers = views ? (int64_t)next(3) : number();
        break;
    case 2:
        array->n_children = array->n_children == 0 ? number() : -1;
        break;
    case 3:
        array->children = NULL;
        break;
    case 4:
        array->dictionary = NULL;
        break;
    case 5:
        array->buffers = NULL;
        break;
    default:
        array->release = NULL;
    }
}

/* Whose rows are looked at: all of them, or the first ones. */
typedef enum seen { ALL, FIRST } seen;

static void describe_array(arena *of, struct ArrowArray *array, const struct ArrowSchema *schema,
                           unsigned depth, uint64_t rows, seen rows_seen)
{
    uint64_t    offset = next(3) == 0 ? next(ROWS_MAX) : 0;
    uint64_t    more = rows_seen == FIRST && next(4) == 0 ? next(5) : 0;
    const char *format = schema->format;

    if (rows_seen == FIRST && odd()) /* too few */
        rows /= 2;
    *array = (struct ArrowArray){
        .length = (int64_t)(rows + more),
        .offset = (int64_t)offset,
        .release = depth == 0 ? release_array : release_child_array,
        .private_data = of,
    };
    if (odd()) { /* impossible lengths: there are no buffers for them */
        int64_t huge = number();
        array->offset = array->length = 0;
        *(next(2) == 0 ? &array->length : &array->offset) = huge;
        rows = offset = more = 0;
    }
    describe_buffers(of, array, format, offset + rows + more, offset + rows);
    if (schema->n_children > 0 && schema->children != NULL && schema->dictionary == NULL) {
        array->n_children = schema->n_children;
        array->children = take_block(of, (size_t)array->n_children * sizeof *array->children);
        for (int64_t i = 0; i < array->n_children; i++) {
            const struct ArrowSchema *child = schema->children[i];
            array->children[i] = child == NULL || odd() ? NULL : take_block(of, sizeof *array);
            if (array->children[i] != NULL)
                describe_array(of, array->children[i], child, depth + 1, offset + rows, FIRST);
        }
    }
    if (depth < 3 && (schema->dictionary != NULL || odd())) {
        array->dictionary = take_block(of, sizeof *array);
        describe_array(of, array->dictionary,
                       schema->dictionary != NULL ? schema->dictionary : schema, depth + 1,
                       next(ROWS_MAX), ALL);
    }
    if (odd())
        spoil(array, format != NULL && format[0] == 'v');
}

/* ---- Streams ------------------------------------------------------------------------------- */

/* A schema or an array that was described, and is given away at times. */
typedef struct given {
    arena of;
    bool  must_go; /* who has got it has to release it */
} given;

typedef struct source {
    const uint8_t    *schema_at; /* its description, as it may be asked for often */
    given             schemas[SCHEMAS_MAX];
    size_t            asked; /* for a schema */
    struct ArrowArray arrays[ARRAYS_MAX];
    given             owned[ARRAYS_MAX];
    size_t            count, at;
    size_t            fails_at; /* 0: when asked for its schema; SIZE_MAX: never */
    const char       *reason;
} source;

/* After a failure the contents are undefined. */
static int fail_asked(const source *from, void *out, size_t bytes)
{
    memset(out, 0x5a, bytes);
    return from->reason == NULL ? ENOMEM : EIO;
}

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out)
{
    source *from = stream->private_data;

    if (from->fails_at == 0)
        return fail_asked(from, out, sizeof *out);
    const uint8_t *at = input.at;
    assert_true(from->asked < SCHEMAS_MAX);
    input.at = from->schema_at;
    given *to = &from->schemas[from->asked++];
    describe_schema(&to->of, out, 0);
    to->must_go = out->release != NULL;
    input.at = at;
    return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out)
{
    source *from = stream->private_data;

    if (from->at + 1 == from->fails_at)
        return fail_asked(from, out, sizeof *out);
    memset(out, 0, sizeof *out);
    if (from->at == from->count)
        return 0;
    *out = from->arrays[from->at];
    from->owned[from->at++].must_go = out->release != NULL;
    return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream)
{
    return ((const source *)stream->private_data)->reason;
}

static void release_stream(struct ArrowArrayStream *stream)
{
    (void)stream;
    fail_msg("a stream was released that is the caller's");
}

/* ---- Trial --------------------------------------------------------------------------------- */

static faults_memory memory;
static ink_allocator allocator;

/* A failure says why, and is one that the interface has. */
static bool taken(ink_status status)
{
    if (status == INK_OK)
        return true;
    assert_true(error.status == status && strlen(error.message) > 10);
    if (status != INK_FORMAT && status != INK_UNSUPPORTED && status != INK_USAGE &&
        status != INK_MISMATCH && status != INK_LIMIT)
        fail_msg("%s: %s", ink_status_name(status), error.message);
    return false;
}

typedef enum deed { ADDS, ADDS_NEW, REMOVES, ASKS, COUNTS, BUILDS, DEEDS } deed;

static ink_sketch *make_sketch(deed what, ink_key_type type)
{
    static const ink_params params[] = {
        [ADDS] = {.kind = "count-min", .width = 40, .depth = 2},
        [ADDS_NEW] = {.kind = "bloom", .bits = 512},
        [REMOVES] = {.kind = "counting", .expected_keys = 100},
        [ASKS] = {.kind = "bloom", .bits = 512},
        [COUNTS] = {.kind = "count-min", .width = 40, .depth = 2},
    };
    ink_params  of = params[what];
    ink_sketch *sketch;

    of.key_type = type;
    CHECK_OK(ink_sketch_create(&sketch, &of, &allocator, &error));
    return sketch;
}

static bool same(const ink_sketch *a, const ink_sketch *b)
{
    uint8_t *bytes[2];
    size_t   counts[2];

    CHECK_OK(ink_sketch_encode(a, &bytes[0], &counts[0], &error));
    CHECK_OK(ink_sketch_encode(b, &bytes[1], &counts[1], &error));
    bool equal = counts[0] == counts[1] && memcmp(bytes[0], bytes[1], counts[0]) == 0;
    ink_bytes_free(bytes[0], counts[0], &allocator);
    ink_bytes_free(bytes[1], counts[1], &allocator);
    return equal;
}

/* Does it with one array; `answers` has room for one for each row and not a byte more. */
static ink_status act(deed what, ink_sketch *sketch, const struct ArrowSchema *schema,
                      const struct ArrowArray *array, const ink_reading *reading, void *answers,
                      ink_arrow_report *report)
{
    switch (what) {
    case ADDS:
        return ink_arrow_add(sketch, schema, array, reading, report, &error);
    case ADDS_NEW:
        return ink_arrow_add_new(sketch, schema, array, reading, answers, report, &error);
    case REMOVES: /* what was added just before */
        if (ink_arrow_add(sketch, schema, array, reading, report, &error) != INK_OK)
            return ink_arrow_remove(sketch, schema, array, reading, report, &error);
        CHECK_OK(ink_arrow_remove(sketch, schema, array, reading, report, &error));
        return INK_OK;
    case ASKS:
        return ink_arrow_contains(sketch, schema, array, reading, answers, report, &error);
    default:
        return ink_arrow_count(sketch, schema, array, reading, answers, report, &error);
    }
}

static size_t answer_bytes(deed what)
{
    return what == COUNTS ? sizeof(ink_answer) : 1;
}

/* What a whole array comes to, its parts one by one come to, too. */
static void check_parts(deed what, const ink_sketch *whole, const struct ArrowSchema *schema,
                        const struct ArrowArray *array, const ink_reading *reading,
                        ink_key_type type, const void *answers, const ink_arrow_report *report)
{
    ink_sketch      *sketch = make_sketch(what, type);
    int64_t          step = array->length / 8 + 1;
    ink_arrow_report sum = {0}, one;

    for (int64_t row = 0; row < array->length; row += step) {
        struct ArrowArray part = *array;
        part.offset += row;
        part.length = array->length - row < step ? array->length - row : step;
        part.null_count = array->null_count == 0 ? 0 : -1;
        size_t bytes = answer_bytes(what);
        void  *here = calloc((size_t)part.length, bytes);
        assert_non_null(here);
        CHECK_OK(act(what, sketch, schema, &part, reading, here, &one));
        if (what != ADDS)
            assert_memory_equal(here, (const uint8_t *)answers + (size_t)row * bytes,
                                (size_t)part.length * bytes);
        free(here);
        sum.rows += one.rows;
        sum.nulls += one.nulls;
    }
    assert_true(same(sketch, whole));
    assert_int_equal(sum.rows, report->rows);
    assert_int_equal(sum.nulls, report->nulls);
    ink_sketch_free(sketch);
}

static void try_array(deed what, const struct ArrowSchema *schema, const struct ArrowArray *array,
                      const ink_reading *reading, ink_key_type type, uint64_t input_bytes)
{
    ink_sketch      *sketch = make_sketch(what, type), *before = make_sketch(what, type);
    bool             rows = array->length > 0 && array->length <= 2 * MANY_ROWS;
    size_t           bytes = rows ? (size_t)array->length * answer_bytes(what) : 0;
    void            *answers = malloc(bytes > 0 ? bytes : 1);
    ink_arrow_report report;

    assert_non_null(answers);
    memset(answers, 0, bytes);
    memory.largest_bytes = 0;
    ink_status status = act(what, sketch, schema, array, reading, answers, &report);
    if (memory.largest_bytes > 2 * input_bytes + (64 << 10))
        fail_msg("%llu bytes at once for %llu of input", (unsigned long long)memory.largest_bytes,
                 (unsigned long long)input_bytes);
    if (!taken(status)) {
        assert_true(same(sketch, before));
        assert_int_equal(report.rows, 0);
    } else {
        assert_int_equal(report.rows, array->length);
        assert_true(report.nulls <= report.rows);
        if (what != REMOVES && rows)
            check_parts(what, sketch, schema, array, reading, type, answers, &report);
    }
    free(answers);
    ink_sketch_free(sketch);
    ink_sketch_free(before);
}

/* A build of all arrays, in groups. */
static void try_build(source *from, const ink_reading *reading, ink_key_type type, unsigned threads)
{
    struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, from};
    const ink_params        kinds[] = {{.kind = "hll", .precision = 4, .key_type = type},
                                       {.kind = "count-min", .width = 40, .depth = 2, .key_type = type}};
    const ink_build_options options = {.kinds = kinds, .kind_count = 2};
    const ink_input         data = {.path = "rows", .arrow = &stream};
    ink_job                 job = {
                        .threads = threads, .chunk_bytes = threads == 1 ? 0 : 640, .memory_bytes = 1 << 20};
    ink_set *set;

    if (from->reason != NULL && from->reason[0] == '\0')
        stream.get_last_error = NULL;
    ink_status status = ink_build(&set, &data, 1, reading, &options, &job, &error);
    if (status == INK_IO || status == INK_MEMORY) /* of the stream */
        assert_true(from->fails_at <= from->at + 1 && strlen(error.message) > 10);
    else if (taken(status))
        ink_set_free(set);
}

/* One of `count` columns, by its number; or anything. */
static const char *choose_column(unsigned count)
{
    static const char *const columns[] = {"1", "2", "3", "4", "a", "b", "", "9", "\xff\n"};

    return columns[odd() ? next(sizeof columns / sizeof columns[0]) : next(count)];
}

static void choose_reading(ink_reading *reading, const char *key[4], deed what,
                           const struct ArrowSchema *schema)
{
    unsigned flags = next(256), columns = (unsigned)schema->n_children;

    if (columns < 1 || columns > COLUMNS_MAX)
        columns = 1;
    *reading = (ink_reading){
        .key = key,
        .key_count = next(8) > 1 ? 1 : next(4),
        .refuse_nulls = flags / 4 % 8 == 1,
        .keys = odd() ? INK_KEYS_INT : INK_KEYS_DEFAULT,
    };
    for (size_t i = 0; i < 4; i++)
        key[i] = choose_column(columns);
    if (flags % 4 == 1)
        reading->weight = choose_column(columns);
    if ((what == BUILDS && next(2) == 0) || odd()) {
        reading->by = choose_column(columns);
        reading->round = (ink_round)next(3);
    }
}

/* What was given away was released, once, and nothing else was. */
static void end_given(given *of)
{
    assert_int_equal(of->of.released, of->must_go);
    let_go(&of->of);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    static source      from;
    struct ArrowSchema schema;
    ink_reading        reading;
    const char        *key[4];
    ink_key_type       type = INK_KEY_BYTES;

    input.at = bytes;
    input.end = bytes + count;
    memory = (faults_memory){.unfilled = true};
    allocator = faults_allocator(&memory);
    memset(&from, 0, sizeof from);
    deed     what = (deed)next(DEEDS);
    unsigned threads = what == BUILDS ? 1 + next(16) / 15 * 2 : 1;
    from.schema_at = input.at;
    given *own = &from.schemas[from.asked++];
    describe_schema(&own->of, &schema, 0);
    choose_reading(&reading, key, what, &schema);
    if (taken(ink_arrow_key_type(&schema, &reading, &type, &error)) && odd())
        type = type == INK_KEY_INT ? INK_KEY_BYTES : INK_KEY_INT;
    from.count = what == BUILDS ? next(ARRAYS_MAX + 1) : 1;
    for (size_t i = 0; i < from.count; i++)
        describe_array(&from.owned[i].of, &from.arrays[i], &schema, 0,
                       next(16) == 15 ? MANY_ROWS + next(100) : next(ROWS_MAX), ALL);
    from.fails_at = odd() ? next(4) : SIZE_MAX;
    from.reason = next(3) == 0 ? NULL : next(2) == 0 ? "" : "the disk\nis gone";
    if (what == BUILDS)
        try_build(&from, &reading, type, threads);
    else
        try_array(what, &schema, &from.arrays[0], &reading, type,
                  from.owned[0].of.bytes + own->of.bytes);
    faults_check_no_leak(&memory);
    for (size_t i = 0; i < from.asked; i++)
        end_given(&from.schemas[i]);
    for (size_t i = 0; i < from.count; i++)
        end_given(&from.owned[i]);
}

/* ---- Where it begins ----------------------------------------------------------------------- */

enum { SEEDS = 96 };

/* Descriptions at random, of which every other one describes nothing odd. */
static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    if (index >= SEEDS)
        return SIZE_MAX;
    fuzz_draw_from(index);
    size_t count = 40 + fuzz_draw(400);
    assert_true(count <= room);
    for (size_t i = 0; i < count; i++)
        to[i] = (uint8_t)fuzz_draw(index % 2 == 0 ? ODD : 256);
    to[0] = (uint8_t)index;
    return count;
}

/* Makes one thing odd, or nothing from somewhere on; describes anew what comes there; or anything.
 */
static size_t change(uint8_t *bytes, size_t count, size_t room)
{
    if (count < 10)
        return seed((unsigned)fuzz_draw(SEEDS), bytes, room);
    switch (fuzz_draw(4)) {
    case 0:
        for (size_t i = fuzz_draw(count); i < count; i++)
            bytes[i] = (uint8_t)fuzz_draw(ODD);
        return count;
    case 1:
        bytes[fuzz_draw(count)] = (uint8_t)(ODD + fuzz_draw(256 - ODD));
        return count;
    case 2:
        for (size_t i = fuzz_draw(count); i < count; i++)
            bytes[i] %= ODD;
        return count;
    default:
        return fuzz_scramble(bytes, count, room);
    }
}

const fuzz_target fuzz_here = {
    .name = "arrow",
    .most_bytes = MOST_BYTES,
    .rounds = 30000,
    .seed = seed,
    .change = change,
    .attempt = attempt,
};
