/* index_list.c - the text that programs with mmh3 print: a list of the indexes of set bits, or of
 * all bits as 0 and 1, as [37, 74, 52], or without brackets, with the group before it or without,
 * as [8, [0, 1, 0]], (8, [0, 1, 0]) and 8<tab>[0, 1, 0]. Neither the number of hashes nor, with
 * indexes, that of bits is in the text. */
#include "format/foreign/formats.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

#define BITS_MAX (UINT64_C(1) << 32) /* a hash of 32 bits reaches no further */

/* ---- Text --------------------------------------------------------------------------------- */

typedef struct text {
    const uint8_t *bytes;
    uint64_t       count, at;
} text;

/* The next byte; 0 at the end. */
static uint8_t next(const text *t)
{
    return t->at < t->count ? t->bytes[t->at] : 0;
}

static bool is_blank(uint8_t c)
{
    return c == ' ' || c == '\t' || c == '\r';
}

static void skip_blanks(text *t, bool lines)
{
    while (is_blank(next(t)) || (lines && next(t) == '\n'))
        t->at++;
}

static bool skip_byte(text *t, uint8_t byte)
{
    const bool found = next(t) == byte;

    t->at += found;
    return found;
}

static ink_status fail_expected(const text *t, const char *expected, ink_error *error)
{
    char quoted[8];

    if (t->at == t->count)
        return INK__FOREIGN_FAIL(error, t->at, "the text ends, expected %s", expected);
    ink__quote(quoted, sizeof quoted, t->bytes + t->at, 1);
    return INK__FOREIGN_FAIL(error, t->at, "\"%s\", expected %s", quoted, expected);
}

static bool read_number(text *t, uint64_t *number)
{
    const uint64_t start = t->at;

    *number = 0;
    for (; next(t) >= '0' && next(t) <= '9' && *number < BITS_MAX; t->at++)
        *number = 10 * *number + (uint64_t)(next(t) - '0');
    return t->at > start && *number < BITS_MAX;
}

/* ---- Groups ------------------------------------------------------------------------------- */

static bool in_word(uint8_t c, uint8_t quote)
{
    return quote != 0 ? c != quote && c >= ' ' && c != '\\'
                      : c > ' ' && c < 0x7f && strchr("[](),\"'", c) == NULL;
}

/* A word, perhaps in quotes. */
static bool read_word(text *t, char *word, size_t room)
{
    const uint8_t quote = next(t) == '\'' || next(t) == '"' ? next(t) : 0;
    size_t        length = 0;

    t->at += quote != 0;
    for (; length < room - 1 && in_word(next(t), quote); t->at++)
        word[length++] = (char)next(t);
    word[length] = '\0';
    return length > 0 && (quote == 0 || skip_byte(t, quote));
}

/* What stands before a list: a group, and the byte that closes its pair. If there is none, nothing
 * is read. */
static void read_group(text *t, char *group, size_t room, uint8_t *close)
{
    const text start = *t;

    *close = skip_byte(t, '[') ? ']' : skip_byte(t, '(') ? ')' : 0;
    skip_blanks(t, false);
    bool found = read_word(t, group, room);
    if (*close != 0) {
        skip_blanks(t, false);
        found = found && skip_byte(t, ',');
    } else
        found = found && next(t) == '\t';
    skip_blanks(t, false);
    if (found && next(t) == '[')
        return;
    *t = start;
    *close = 0;
    group[0] = '\0';
}

/* ---- Lists -------------------------------------------------------------------------------- */

typedef struct list {
    bool     brackets;
    uint64_t count, most; /* of the numbers */
} list;

static bool list_ends(const text *t, bool brackets)
{
    return brackets ? next(t) == ']' : t->at == t->count;
}

/* Reads the numbers up to the end, past a closing bracket; without brackets over all lines. With
 * `bits` it sets those that are listed: by index, or with `direct` by a 1. */
static ink_status read_numbers(text *t, list *l, bool direct, uint8_t *bits, ink_error *error)
{
    uint64_t number;

    l->count = l->most = 0;
    skip_blanks(t, true);
    while (!list_ends(t, l->brackets)) {
        if (!read_number(t, &number))
            return fail_expected(t, "a number below 2^32", error);
        const uint64_t at = direct ? l->count : number;
        if (bits != NULL && (!direct || number == 1))
            bits[at / 8] |= (uint8_t)(1u << at % 8);
        l->most = number > l->most ? number : l->most;
        l->count++;
        const uint64_t end = t->at;
        skip_blanks(t, true);
        const bool comma = skip_byte(t, ',');
        skip_blanks(t, true);
        if (!list_ends(t, l->brackets) && !comma && (l->brackets || t->at == end))
            return fail_expected(t, l->brackets ? "a comma or ]" : "a comma or a blank", error);
    }
    t->at += l->brackets;
    return INK_OK;
}

/* After a list: the rest of the line. */
static ink_status read_end(text *t, uint8_t close, ink_error *error)
{
    skip_blanks(t, false);
    if (close != 0 && !skip_byte(t, close))
        return fail_expected(t, close == ']' ? "]" : ")", error);
    skip_blanks(t, false);
    if (t->at < t->count && next(t) != '\n')
        return fail_expected(t, "the end of the line", error);
    skip_blanks(t, true);
    return INK_OK;
}

static ink_status check_sizes(const ink_foreign_options *options, ink_error *error)
{
    if (options->hashes == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{hashes} is not in a list of indexes, expected it as a parameter");
    if (options->bits > BITS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{bits} %llu, expected at most 2^32",
                         (unsigned long long)options->bits);
    return INK_OK;
}

/* The size of the filter that a list has; a list of more than two numbers below 2 is of bits. */
static ink_status find_size(const ink__foreign_file *file, const list *l, uint64_t at, bool *direct,
                            uint64_t *size, ink_error *error)
{
    *size = file->options->bits;
    *direct = l->count > 2 && l->most <= 1;
    if (*direct && (l->count > BITS_MAX || (*size != 0 && *size != l->count)))
        return INK__FOREIGN_FAIL(error, at, "%llu bits, expected %llu",
                                 (unsigned long long)l->count,
                                 (unsigned long long)(*size != 0 ? *size : BITS_MAX));
    if (*direct)
        *size = l->count;
    else if (*size == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{bits} is not in a list of indexes, expected it as a parameter");
    else if (l->count > 0 && l->most >= *size)
        return INK__FOREIGN_FAIL(error, at, "index %llu, expected at most %llu",
                                 (unsigned long long)l->most, (unsigned long long)*size - 1);
    return INK_OK;
}

static ink_status read(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error)
{
    text    t = {file->bytes, file->count, sketch->next[0]};
    uint8_t close;
    bool    direct;

    INK__TRY(check_sizes(file->options, error));
    skip_blanks(&t, true);
    read_group(&t, sketch->group, sizeof sketch->group, &close);
    const uint64_t start = t.at;
    list           l = {.brackets = skip_byte(&t, '[')};
    if (!l.brackets && (index > 0 || t.at == t.count))
        return fail_expected(&t, "a list of numbers", error);
    text again = t;
    INK__TRY(read_numbers(&t, &l, false, NULL, error));
    INK__TRY(read_end(&t, close, error));
    INK__TRY(find_size(file, &l, start, &direct, &sketch->params.bits, error));
    sketch->more = t.at < t.count;
    sketch->next[0] = t.at;
    /* Else lines of a few bytes were filters of {bits} each. */
    if (!direct && (index > 0 || sketch->more))
        return INK__FOREIGN_FAIL(error, index > 0 ? start : t.at,
                                 "several lists of indexes, expected one: filters of one file may "
                                 "have different sizes");
    sketch->params.kind = "classic";
    sketch->params.hashes = file->options->hashes;
    sketch->payload_bytes = sketch->made_bytes = (sketch->params.bits + 7) / 8;
    INK__TRY(ink__allocate_zeroed(file->allocator, sketch->made_bytes, &sketch->made, error));
    sketch->payload = sketch->made;
    return read_numbers(&again, &l, direct, sketch->made, error);
}

/* ---- Writing ------------------------------------------------------------------------------ */

/* Numbers as text, sent when they are many. */
typedef struct output {
    const ink_sink *sink;
    size_t          used;
    uint8_t         bytes[1 << 14];
} output;

static ink_status put_number(output *o, uint64_t number, ink_error *error)
{
    enum { MOST = 24 };
    uint8_t digits[MOST];
    size_t  count = 0;

    if (o->used > sizeof o->bytes - MOST) {
        INK__TRY(ink__foreign_put(o->sink, o->bytes, o->used, error));
        o->used = 0;
    }
    do
        digits[count++] = (uint8_t)('0' + number % 10);
    while ((number /= 10) > 0);
    while (count > 0)
        o->bytes[o->used++] = digits[--count];
    return INK_OK;
}

static ink_status size(ink_params *params, ink_error *error)
{
    if (params->seed != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{seed} %llu, expected 0 for index-list",
                         (unsigned long long)params->seed);
    return INK_OK;
}

static ink_status write(const ink__foreign_source *source, const ink_sink *sink, ink_error *error)
{
    output o = {.sink = sink, .used = 1, .bytes = "["};
    bool   first = true;

    if (source->is.seed != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "seed %llu, expected 0",
                         (unsigned long long)source->is.seed);
    for (uint64_t i = 0; i < source->is.bits; i++) {
        if ((source->payload[i / 8] >> i % 8 & 1) == 0)
            continue;
        if (!first) {
            o.bytes[o.used++] = ',';
            o.bytes[o.used++] = ' ';
        }
        first = false;
        INK__TRY(put_number(&o, i, error));
    }
    memcpy(o.bytes + o.used, "]\n", 2);
    return ink__foreign_put(sink, o.bytes, o.used + 2, error);
}

const ink__foreign_format ink__foreign_index_list = {
    .info = {.name = "index-list",
             .about = "text of programs with mmh3: [3, 17], the indexes of set bits",
             .kind = "classic",
             .unsaid = "the number of bits, the hash, and how many of them a key has",
             .reads = true,
             .writes = true},
    .hashes = (const char *const[]){"mmh3", "mmh3-signed", NULL},
    .read = read,
    .write = write,
    .size = size,
};
