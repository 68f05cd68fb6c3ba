/* json.c - values found by their paths in a JSON text: one pass, which keeps for each open
 * container the paths that go through it. Depth and paths are bounded; nothing is allocated. */
#include "base/json.h"

#include "base/bits.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

/* The halves of a surrogate pair are units with these upper bits. */
enum { FIRST_HALF = 0xd800 >> 10, SECOND_HALF = 0xdc00 >> 10, HALF_BITS = 10 };

enum { INDEX_DIGITS_MAX = 18 };

/* A set of paths: bit i is path i. */
typedef uint32_t path_set;

/* The paths of an open container. */
typedef struct level {
    path_set inside; /* continue in it */
    path_set ending; /* lead to it */
    uint64_t index;  /* of the current element of an array */
} level;

/* The bytes that are read, and how far. */
typedef struct cursor {
    const uint8_t *bytes;
    uint64_t       start, at, end;
    const char    *name; /* what it is, for failures */
    ink_error     *error;
} cursor;

typedef struct text_scan {
    cursor                in;
    const ink__json_path *paths;
    ink__json_value      *values;
    path_set here;  /* the paths that lead to the value that comes next, or through it */
    size_t   depth; /* of open containers */
    level    levels[INK__JSON_STEPS_MAX + 1]; /* of those that paths can reach */
    bool     objects[INK__JSON_DEPTH_MAX];    /* whether they are objects */
} text_scan;

static ink_status fail_expecting(const cursor *in, const char *expected)
{
    char found[8];

    if (in->at == in->end)
        return ink__fail(in->error, INK_FORMAT, INK_AT_BYTE, in->at - in->start,
                         "the end of the %s, expected %s", in->name, expected);
    ink__quote(found, sizeof found, in->bytes + in->at, 1);
    return ink__fail(in->error, INK_FORMAT, INK_AT_BYTE, in->at - in->start, "'%s', expected %s",
                     found, expected);
}

/* ---- Escapes ------------------------------------------------------------------------------ */

/* Of four valid digits. */
static uint32_t hex_number(const uint8_t *digits)
{
    return ink__hex_digit(digits[0]) << 12 | ink__hex_digit(digits[1]) << 8 |
           ink__hex_digit(digits[2]) << 4 | ink__hex_digit(digits[3]);
}

/* Reads \uXXXX, whose first two bytes have been checked. */
static ink_status read_unit(cursor *in, uint32_t *unit)
{
    in->at += 2;
    for (uint64_t end = in->at + 4; in->at < end; in->at++)
        if (in->at == in->end || ink__hex_digit(in->bytes[in->at]) > 15)
            return fail_expecting(in, "four hexadecimal digits after \\u");
    *unit = hex_number(in->bytes + in->at - 4);
    return INK_OK;
}

/* Reads the escape at in->at, a backslash. */
static ink_status read_escape(cursor *in)
{
    const uint8_t *bytes = in->bytes;
    uint64_t       start = in->at;
    uint32_t       unit = 0;

    if (in->end - start < 2 || memchr("\"\\/bfnrtu", bytes[start + 1], 9) == NULL) {
        in->at++;
        return fail_expecting(in, "one of \"\\/bfnrtu after a backslash");
    }
    if (bytes[start + 1] != 'u') {
        in->at += 2;
        return INK_OK;
    }
    INK__TRY(read_unit(in, &unit));
    bool first = unit >> HALF_BITS == FIRST_HALF, half = first || unit >> HALF_BITS == SECOND_HALF;
    if (first && in->end - in->at >= 2 && bytes[in->at] == '\\' && bytes[in->at + 1] == 'u') {
        INK__TRY(read_unit(in, &unit));
        half = unit >> HALF_BITS != SECOND_HALF;
    }
    if (half)
        return ink__fail(in->error, INK_FORMAT, INK_AT_BYTE, start - in->start,
                         "half of a surrogate pair, expected both halves");
    return INK_OK;
}

/* Writes a code point as UTF-8; returns how many bytes it takes. */
static unsigned write_utf8(uint32_t point, uint8_t *utf8)
{
    unsigned count = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    if (count == 1) {
        utf8[0] = (uint8_t)point;
        return 1;
    }
    for (unsigned i = count - 1; i > 0; i--, point >>= 6)
        utf8[i] = (uint8_t)(0x80 | (point & 0x3f));
    utf8[0] = (uint8_t)(0xf0u << (4 - count) | point);
    return count;
}

/* Unescapes the valid escape at *at, and moves *at to its end; returns the number of bytes written,
 * at most 4 and fewer than it takes. */
static unsigned undo_escape(const uint8_t *bytes, uint64_t *at, uint8_t *utf8)
{
    static const char letters[] = "bfnrt", meanings[] = "\b\f\n\r\t";
    uint8_t           letter = bytes[*at + 1];

    if (letter == 'u') {
        uint32_t point = hex_number(bytes + *at + 2);
        *at += 6;
        if (point >> HALF_BITS == FIRST_HALF) {
            point = 0x10000 + ((point - 0xd800) << 10) + (hex_number(bytes + *at + 2) - 0xdc00);
            *at += 6;
        }
        return write_utf8(point, utf8);
    }
    const char *found = memchr(letters, letter, 5);
    utf8[0] = found == NULL ? letter : (uint8_t)meanings[found - letters];
    *at += 2;
    return 1;
}

/* ---- Strings, numbers, words -------------------------------------------------------------- */

/* The first quote, backslash or control character from `at` on. Eight bytes at a time; sixteen by
 * SSE2 were less than a tenth faster on records of a log. */
static inline uint64_t skip_plain(const uint8_t *bytes, uint64_t at, uint64_t end)
{
    const uint64_t ones = 0x0101010101010101u;

    for (; end - at >= 8; at += 8) {
        uint64_t word = ink__load_u64(bytes + at);
        uint64_t quote = word ^ ones * '"', backslash = word ^ ones * '\\';
        /* The lowest bit that is set is right; those above it may be set by the carry. */
        uint64_t found = (((quote - ones) & ~quote) | ((backslash - ones) & ~backslash) |
                          ((word - ones * 0x20) & ~word)) &
                         ones * 0x80;
        if (found != 0)
            return at + ink__trailing_zeros_64(found) / 8;
    }
    while (at < end && bytes[at] >= 0x20 && bytes[at] != '"' && bytes[at] != '\\')
        at++;
    return at;
}

/* Reads the string at in->at, its quote. */
static ink_status read_string(cursor *in, ink__json_value *value)
{
    *value = (ink__json_value){.kind = INK__JSON_STRING, .start = ++in->at};
    for (;;) {
        in->at = skip_plain(in->bytes, in->at, in->end);
        if (in->at == in->end)
            return fail_expecting(in, "a closing quote");
        if (in->bytes[in->at] == '"')
            break;
        if (in->bytes[in->at] != '\\')
            return fail_expecting(in, "an escape for a control character in a string");
        value->escaped = true;
        INK__TRY(read_escape(in));
    }
    value->end = in->at++;
    return INK_OK;
}

/* Skips digits, at least one. */
static ink_status read_digits(cursor *in)
{
    uint64_t at = in->at;

    while (at < in->end && ink__is_digit(in->bytes[at]))
        at++;
    if (at == in->at)
        return fail_expecting(in, "a digit");
    in->at = at;
    return INK_OK;
}

static bool accept(cursor *in, uint8_t byte)
{
    bool found = in->at < in->end && in->bytes[in->at] == byte;

    in->at += found;
    return found;
}

static ink_status read_number(cursor *in, ink__json_value *value)
{
    *value = (ink__json_value){.kind = INK__JSON_NUMBER, .start = in->at};
    accept(in, '-');
    if (!accept(in, '0')) /* no digits may follow */
        INK__TRY(read_digits(in));
    if (accept(in, '.'))
        INK__TRY(read_digits(in));
    if (accept(in, 'e') || accept(in, 'E')) {
        if (!accept(in, '+'))
            accept(in, '-');
        INK__TRY(read_digits(in));
    }
    value->end = in->at;
    return INK_OK;
}

static ink_status read_word(cursor *in, ink__json_kind kind, const char *word,
                            ink__json_value *value)
{
    *value = (ink__json_value){.kind = kind, .start = in->at};
    for (const char *letter = word; *letter != 0; letter++)
        if (!accept(in, (uint8_t)*letter))
            return fail_expecting(in, word);
    value->end = in->at;
    return INK_OK;
}

static inline void skip_blanks(cursor *in)
{
    const uint8_t *bytes = in->bytes;
    uint64_t       at = in->at;

    while (at < in->end && bytes[at] <= ' ' &&
           (bytes[at] == ' ' || bytes[at] == '\t' || bytes[at] == '\n' || bytes[at] == '\r'))
        at++;
    in->at = at;
}

static ink_status read_scalar(cursor *in, ink__json_value *value)
{
    uint8_t first = in->at < in->end ? in->bytes[in->at] : 0;

    switch (first) {
    case '"':
        return read_string(in, value);
    case 't':
        return read_word(in, INK__JSON_TRUE, "true", value);
    case 'f':
        return read_word(in, INK__JSON_FALSE, "false", value);
    case 'n':
        return read_word(in, INK__JSON_NULL, "null", value);
    default:
        if (first == '-' || ink__is_digit(first))
            return read_number(in, value);
        return fail_expecting(in, "a value");
    }
}

/* ---- Which paths lead where --------------------------------------------------------------- */

/* The paths of the innermost container, or NULL if it is too deep for any. */
static level *innermost(text_scan *scan)
{
    return scan->depth <= INK__JSON_STEPS_MAX + 1 ? &scan->levels[scan->depth - 1] : NULL;
}

static bool names_equal(const uint8_t *bytes, const ink__json_value *name, const uint8_t *wanted,
                        uint64_t wanted_bytes)
{
    uint64_t at = name->start, matched = 0;

    if (!name->escaped)
        return name->end - at == wanted_bytes &&
               memcmp(bytes + at, wanted, (size_t)wanted_bytes) == 0;
    while (at < name->end) {
        uint8_t  some[4] = {bytes[at]};
        unsigned count = 1;
        if (bytes[at] == '\\')
            count = undo_escape(bytes, &at, some);
        else
            at++;
        if (count > wanted_bytes - matched || memcmp(some, wanted + matched, count) != 0)
            return false;
        matched += count;
    }
    return matched == wanted_bytes;
}

/* Sets the paths that lead to or through the member of this name, or (NULL) the current element of
 * an array, and forgets earlier values. */
static void follow(text_scan *scan, const ink__json_value *name)
{
    level *outer = innermost(scan);

    scan->here = 0;
    for (path_set left = outer == NULL ? 0 : outer->inside; left != 0; left &= left - 1) {
        unsigned              i = ink__trailing_zeros_64(left);
        const ink__json_step *step = &scan->paths[i].steps[scan->depth - 1];
        if (step->is_index ? name == NULL && step->index == outer->index
                           : name != NULL && names_equal(scan->in.bytes, name,
                                                         scan->paths[i].names + step->name_at,
                                                         step->name_bytes)) {
            scan->here |= (path_set)1 << i;
            scan->values[i] = (ink__json_value){.kind = INK__JSON_MISSING};
        }
    }
}

/* Gives the value that was read to the paths that lead to it; returns which do. */
static path_set give(text_scan *scan, const ink__json_value *value)
{
    path_set ending = 0;

    for (path_set left = scan->here; left != 0; left &= left - 1) {
        unsigned i = ink__trailing_zeros_64(left);
        if (scan->paths[i].step_count == scan->depth) {
            scan->values[i] = *value;
            ending |= (path_set)1 << i;
        }
    }
    return ending;
}

/* ---- Containers --------------------------------------------------------------------------- */

static ink_status open_container(text_scan *scan)
{
    const ink__json_value value = {.kind = INK__JSON_CONTAINER, .start = scan->in.at};

    if (scan->depth == INK__JSON_DEPTH_MAX)
        return ink__fail(scan->in.error, INK_FORMAT, INK_AT_BYTE, scan->in.at - scan->in.start,
                         "a container within %d others, expected fewer", INK__JSON_DEPTH_MAX);
    scan->objects[scan->depth] = scan->in.bytes[scan->in.at] == '{';
    path_set ending = scan->here == 0 ? 0 : give(scan, &value);
    if (scan->depth++ <= INK__JSON_STEPS_MAX)
        *innermost(scan) = (level){.inside = scan->here & ~ending, .ending = ending};
    scan->in.at++;
    return INK_OK;
}

static void close_container(text_scan *scan)
{
    level *closed = innermost(scan);

    scan->in.at++;
    for (path_set left = closed == NULL ? 0 : closed->ending; left != 0; left &= left - 1)
        scan->values[ink__trailing_zeros_64(left)].end = scan->in.at;
    scan->depth--;
}

/* Reads the name of a member and the colon after it. */
static ink_status read_name(text_scan *scan, const char *expected)
{
    cursor         *in = &scan->in;
    ink__json_value name;

    if (in->at == in->end || in->bytes[in->at] != '"')
        return fail_expecting(in, expected);
    INK__TRY(read_string(in, &name));
    follow(scan, &name);
    skip_blanks(in);
    return accept(in, ':') ? INK_OK : fail_expecting(in, "a colon after a name");
}

/* Goes on to the value after another one, and closes the containers that end in between. */
static ink_status proceed(text_scan *scan)
{
    cursor *in = &scan->in;

    for (; scan->depth > 0; close_container(scan)) {
        bool object = scan->objects[scan->depth - 1];
        skip_blanks(in);
        if (accept(in, ',')) {
            skip_blanks(in);
            if (object)
                return read_name(scan, "a name in quotes");
            if (innermost(scan) != NULL)
                innermost(scan)->index++;
            follow(scan, NULL);
            return INK_OK;
        }
        if (in->at == in->end || in->bytes[in->at] != (object ? '}' : ']'))
            return fail_expecting(in, object ? "a comma or }" : "a comma or ]");
    }
    return INK_OK;
}

/* Reads the next value; of a container that is not empty only its start. */
static ink_status read_value(text_scan *scan)
{
    cursor         *in = &scan->in;
    ink__json_value value;

    skip_blanks(in);
    if (in->at == in->end || (in->bytes[in->at] != '{' && in->bytes[in->at] != '[')) {
        INK__TRY(read_scalar(in, &value));
        if (scan->here != 0)
            give(scan, &value);
    } else {
        INK__TRY(open_container(scan));
        bool object = scan->objects[scan->depth - 1];
        skip_blanks(in);
        if (in->at == in->end || in->bytes[in->at] != (object ? '}' : ']')) {
            if (object)
                return read_name(scan, "a name in quotes or }");
            follow(scan, NULL);
            return INK_OK;
        }
        close_container(scan);
    }
    return proceed(scan);
}

/* ---- Texts -------------------------------------------------------------------------------- */

static ink_status check_top(cursor *in, const ink__json_path *paths, size_t count)
{
    bool array_allowed = false;

    for (size_t i = 0; i < count; i++)
        array_allowed = array_allowed || paths[i].steps[0].is_index;
    skip_blanks(in);
    uint8_t     first = in->at < in->end ? in->bytes[in->at] : 0;
    const char *expected = array_allowed ? "an object or an array" : "an object";
    if (first == '{' || (first == '[' && array_allowed))
        return INK_OK;
    if (first == '[')
        return ink__fail(
            in->error, INK_FORMAT, INK_AT_BYTE, in->at - in->start,
            "an array, expected an object (jq -c '.[]' makes records of its elements)");
    if (first != '"' && first != '-' && !ink__is_digit(first))
        return fail_expecting(in, expected);
    return ink__fail(in->error, INK_FORMAT, INK_AT_BYTE, in->at - in->start, "%s, expected %s",
                     first == '"' ? "a string" : "a number", expected);
}

ink_status ink__json_find(const uint8_t *bytes, uint64_t start, uint64_t end,
                          const ink__json_path *paths, size_t count, ink__json_value *values,
                          ink_error *error)
{
    text_scan scan;

    scan.in = (cursor){bytes, start, start, end, "record", error}; /* what users call it */
    scan.paths = paths;
    scan.values = values;
    scan.here = (path_set)(((uint64_t)1 << count) - 1);
    scan.depth = 0;
    for (size_t i = 0; i < count; i++)
        values[i] = (ink__json_value){.kind = INK__JSON_MISSING};
    INK__TRY(check_top(&scan.in, paths, count));
    do
        INK__TRY(read_value(&scan));
    while (scan.depth > 0);
    skip_blanks(&scan.in);
    return scan.in.at == end ? INK_OK : fail_expecting(&scan.in, "the end of the record");
}

/* Skips a container whose text is known to be right. */
static void skip_container(cursor *in)
{
    ink__json_value value;
    uint64_t        depth = 0;

    do {
        const uint8_t byte = in->bytes[in->at];
        if (byte == '"')
            (void)read_string(in, &value);
        else
            in->at++;
        depth += byte == '{' || byte == '[';
        depth -= byte == '}' || byte == ']';
    } while (depth > 0);
}

bool ink__json_next(const uint8_t *bytes, const ink__json_value *array, uint64_t *at,
                    ink__json_value *element)
{
    cursor in = {.bytes = bytes, .start = array->start, .at = *at, .end = array->end};

    if (in.at == array->start) /* its bracket */
        in.at++;
    skip_blanks(&in);
    accept(&in, ',');
    skip_blanks(&in);
    if (in.at + 1 >= in.end)
        return false;
    if (bytes[in.at] == '{' || bytes[in.at] == '[') {
        *element = (ink__json_value){.kind = INK__JSON_CONTAINER, .start = in.at};
        skip_container(&in);
        element->end = in.at;
    } else
        (void)read_scalar(&in, element);
    *at = in.at;
    return true;
}

uint64_t ink__json_unescape(const uint8_t *bytes, const ink__json_value *value, uint8_t *copy)
{
    uint64_t length = 0;

    for (uint64_t at = value->start; at < value->end;)
        if (bytes[at] == '\\')
            length += undo_escape(bytes, &at, copy + length);
        else
            copy[length++] = bytes[at++];
    return length;
}

bool ink__json_is_hex(const uint8_t *bytes, const ink__json_value *value)
{
    bool hex = value->kind == INK__JSON_STRING && (value->end - value->start) % 2 == 0;

    for (uint64_t at = value->start; hex && at < value->end; at++)
        hex = ink__hex_digit(bytes[at]) < 16;
    return hex;
}

uint64_t ink__json_unhex(const uint8_t *bytes, const ink__json_value *value, uint8_t *copy)
{
    uint64_t length = 0;

    for (uint64_t at = value->start; at < value->end; at += 2)
        copy[length++] = (uint8_t)(ink__hex_digit(bytes[at]) << 4 | ink__hex_digit(bytes[at + 1]));
    return length;
}

/* ---- Paths -------------------------------------------------------------------------------- */

/* Finds room for one more name of at most `bytes` bytes, after the last one. */
static ink_status reserve_name(const cursor *in, const ink__json_path *path, uint64_t bytes,
                               uint16_t *name_at)
{
    *name_at = 0;
    for (size_t i = 0; i < path->step_count; i++)
        *name_at = (uint16_t)(*name_at + path->steps[i].name_bytes);
    if (bytes <= (uint64_t)INK__JSON_NAMES_BYTES_MAX - *name_at)
        return INK_OK;
    return ink__fail(in->error, INK_USAGE, INK_AT_BYTE, in->at,
                     "names of more than %d bytes, expected fewer", INK__JSON_NAMES_BYTES_MAX);
}

/* Reads a name up to the next dot or bracket. */
static ink_status read_plain_name(cursor *in, ink__json_path *path, ink__json_step *step,
                                  const char *expected)
{
    uint64_t start = in->at;

    while (in->at < in->end && memchr(".[]\"", in->bytes[in->at], 4) == NULL)
        in->at++;
    if (in->at == start)
        return fail_expecting(in, expected);
    INK__TRY(reserve_name(in, path, in->at - start, &step->name_at));
    step->name_bytes = (uint16_t)(in->at - start);
    memcpy(path->names + step->name_at, in->bytes + start, step->name_bytes);
    return INK_OK;
}

/* Reads a name in quotes, or an index, up to the closing bracket. */
static ink_status read_bracketed(cursor *in, ink__json_path *path, ink__json_step *step)
{
    ink__json_value name;

    if (in->at < in->end && in->bytes[in->at] == '"') {
        INK__TRY(read_string(in, &name));
        INK__TRY(reserve_name(in, path, name.end - name.start, &step->name_at));
        step->name_bytes =
            (uint16_t)ink__json_unescape(in->bytes, &name, path->names + step->name_at);
    } else {
        step->is_index = true;
        uint64_t start = in->at;
        while (in->at < in->end && ink__is_digit(in->bytes[in->at]) &&
               in->at - start < INDEX_DIGITS_MAX)
            step->index = step->index * 10 + (uint64_t)(in->bytes[in->at++] - '0');
        if (in->at == start)
            return fail_expecting(in, "an index from 0, or a name in quotes, in brackets");
    }
    if (accept(in, ']'))
        return INK_OK;
    return fail_expecting(in, step->is_index ? "at most 18 digits and a closing bracket"
                                             : "a closing bracket");
}

static ink_status read_step(cursor *in, ink__json_path *path)
{
    ink__json_step step = {0};

    if (path->step_count == INK__JSON_STEPS_MAX)
        return ink__fail(in->error, INK_USAGE, INK_AT_BYTE, in->at,
                         "more than %d steps, expected fewer", INK__JSON_STEPS_MAX);
    if (accept(in, '['))
        INK__TRY(read_bracketed(in, path, &step));
    else if (path->step_count == 0)
        INK__TRY(read_plain_name(in, path, &step, "a name, or a bracket"));
    else if (accept(in, '.'))
        INK__TRY(read_plain_name(in, path, &step, "a name after the dot"));
    else
        return fail_expecting(in, "a dot, an opening bracket or the end");
    path->steps[path->step_count++] = step;
    return INK_OK;
}

ink_status ink__json_path_create(ink__json_path *path, const char *text, ink_error *error)
{
    ink_error trouble;
    cursor    in = {(const uint8_t *)text, 0, 0, strlen(text), "path", &trouble};
    char      quoted[80];

    path->step_count = 0;
    do {
        if (read_step(&in, path) != INK_OK) {
            ink__quote(quoted, sizeof quoted, text, (size_t)in.end);
            return ink__fail(error, INK_USAGE, INK_AT_BYTE, trouble.at, "the path \"%s\": %s",
                             quoted, trouble.message);
        }
    } while (in.at < in.end);
    return INK_OK;
}

bool ink__json_hex_path(const ink__json_path *path, ink__json_path *hex)
{
    static const char *const names[] = {"key", "group"};
    const ink__json_step    *first = &path->steps[0];

    for (size_t i = 1; i < path->step_count; i++)
        if (!path->steps[i].is_index)
            return false;
    for (size_t i = 0; !first->is_index && i < sizeof names / sizeof names[0]; i++)
        if (first->name_bytes == strlen(names[i]) &&
            memcmp(path->names, names[i], first->name_bytes) == 0) {
            *hex = *path;
            memcpy(hex->names + first->name_bytes, "_hex", 4);
            hex->steps[0].name_bytes = (uint16_t)(first->name_bytes + 4);
            return true;
        }
    return false;
}
