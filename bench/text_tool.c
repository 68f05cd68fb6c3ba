/* text_tool.c - what `make bench-text` needs besides the command: lines to read.
 *   text_tool lines BYTES [SERIES]          at most BYTES of random lines, to standard output
 *   text_tool repeats BYTES POWER           the same, but half of the lines repeat one; a POWER of
 *                                           1: any of them, above that mostly the first ones */
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "text_tool: %s\n", what);
    exit(1);
}

static uint64_t number(const char *text)
{
    char    *end;
    uint64_t value = strtoull(text, &end, 10);

    if (*text < '0' || *text > '9' || *end != 0) {
        fprintf(stderr, "text_tool: %s: expected a whole number\n", text);
        exit(2);
    }
    return value;
}

/* ---- Lines -------------------------------------------------------------------------------- */

enum { LINE_MIN = 12, LINE_MAX = 20, LINE_LENGTHS = LINE_MAX - LINE_MIN + 1, BUFFER = 1 << 20 };

/* One to one: different numbers stay different. */
static uint64_t mix(uint64_t x)
{
    x *= 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

/* The first 11 characters hold all bits of `first`, so that no line comes twice, in no series.
 * Writes LINE_MAX + 1 bytes and returns how many are meant. */
static size_t make_line(char *out, uint64_t index)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    const uint64_t first = mix(index), second = mix(first);
    const size_t   length = LINE_MIN + (size_t)((second >> 56) * LINE_LENGTHS >> 8);

    for (unsigned i = 0; i < 10; i++)
        out[i] = letters[first >> 6 * i & 63];
    out[10] = letters[first >> 60 | (second & 3) << 4];
    for (unsigned i = 11; i < LINE_MAX; i++)
        out[i] = letters[second >> (6 * (i - 11) + 2) & 63];
    out[length] = '\n';
    return length + 1;
}

static void write_all(const char *buffer, size_t bytes)
{
    if (fwrite(buffer, 1, bytes, stdout) != bytes)
        fail("standard output cannot be written");
}

/* Lines on their way to standard output, up to a number of bytes. */
typedef struct writer {
    char     buffer[BUFFER + LINE_MAX + 1];
    size_t   used;
    uint64_t left;
} writer;

/* Whether the line still fitted. */
static bool put_line(writer *w, uint64_t index)
{
    const size_t length = make_line(w->buffer + w->used, index);

    if (length > w->left)
        return false;
    w->left -= length;
    w->used += length;
    if (w->used >= BUFFER) {
        write_all(w->buffer, w->used);
        w->used = 0;
    }
    return true;
}

static void finish(const writer *w)
{
    write_all(w->buffer, w->used);
    if (fflush(stdout) != 0)
        fail("standard output cannot be written");
}

static void write_lines(uint64_t bytes, uint64_t series)
{
    static writer w;
    uint64_t      index = (series << 40) + 1;

    w.left = bytes;
    while (put_line(&w, index))
        index++;
    finish(&w);
}

/* Which of the lines that were made is repeated: number made * u^power, where u is drawn evenly
 * from 0 to 1; so each as often with a power of 1, and mostly the first ones with a higher one. */
static uint64_t earlier(uint64_t made, uint64_t draw, uint64_t power)
{
    const double u = (double)(draw >> 11) * 0x1p-53;
    double       location = (double)made;

    for (uint64_t i = 0; i < power; i++)
        location *= u;
    return (uint64_t)location;
}

static void write_repeats(uint64_t bytes, uint64_t power)
{
    static writer  w;
    const uint64_t first = (UINT64_C(2) << 40) + 1; /* a series of its own */
    uint64_t       made = 0, index = first;

    w.left = bytes;
    for (uint64_t draw = 1; put_line(&w, index); draw++) {
        made += index == first + made;
        const bool fresh = mix(2 * draw) >> 63;
        index = first + (fresh ? made : earlier(made, mix(2 * draw + 1), power));
    }
    finish(&w);
}

int main(int argc, char **argv)
{
    if ((argc == 3 || argc == 4) && strcmp(argv[1], "lines") == 0)
        write_lines(number(argv[2]), argc == 4 ? number(argv[3]) : 0);
    else if (argc == 4 && strcmp(argv[1], "repeats") == 0)
        write_repeats(number(argv[2]), number(argv[3]));
    else {
        fprintf(stderr, "usage: text_tool lines BYTES [SERIES]\n"
                        "       text_tool repeats BYTES POWER\n");
        return 2;
    }
    return 0;
}
