/* change.c - how inputs are made and changed: drawn numbers, and changes that suit any bytes. */
#include "fuzz/fuzz.h"

#include <stdlib.h>
#include <string.h>

int fuzz_variant = -1;

void fuzz_begin(void)
{
    const char *name = getenv("INK_FUZZ_VARIANT");

    for (int i = 0; name != NULL && fuzz_here.variants != NULL && fuzz_here.variants[i] != NULL;
         i++)
        if (strcmp(name, fuzz_here.variants[i]) == 0)
            fuzz_variant = i;
    if (fuzz_here.begin != NULL)
        fuzz_here.begin();
}

size_t fuzz_put(uint8_t *to, size_t room, const void *head, const void *bytes, size_t count)
{
    size_t head_bytes = head == NULL ? 0 : fuzz_here.head_bytes;

    if (head_bytes + count > room)
        abort();
    if (head_bytes > 0)
        memcpy(to, head, head_bytes);
    memcpy(to + head_bytes, bytes, count);
    return head_bytes + count;
}

static uint64_t drawn;

void fuzz_draw_from(uint64_t seed)
{
    drawn = seed;
}

uint64_t fuzz_draw(uint64_t limit)
{
    uint64_t x = drawn += 0x9e3779b97f4a7c15u; /* SplitMix64 */

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    x ^= x >> 31;
    return limit == 0 ? x : x % limit;
}

size_t fuzz_insert(uint8_t *bytes, size_t count, size_t room, size_t at, const void *piece,
                   size_t size)
{
    if (size > room - count)
        return count;
    memmove(bytes + at + size, bytes + at, count - at);
    memcpy(bytes + at, piece, size);
    return count + size;
}

const char *fuzz_word(const char *words, size_t *bytes)
{
    uint64_t count = 1;

    for (const char *at = words; *at != '\0'; at++)
        count += *at == '|';
    for (uint64_t skip = fuzz_draw(count); skip > 0; skip--)
        words = strchr(words, '|') + 1;
    *bytes = strcspn(words, "|");
    return words;
}

size_t fuzz_insert_word(uint8_t *bytes, size_t count, size_t room, const char *words)
{
    size_t      size;
    const char *word = fuzz_word(words, &size);

    return fuzz_insert(bytes, count, room, fuzz_draw(count + 1), word, size);
}

/* Numbers of repetitions at which counters break. */
static uint64_t limit_count(void)
{
    static const unsigned powers[] = {1, 3, 7, 8, 10, 15, 16, 17};

    return ((uint64_t)1 << powers[fuzz_draw(sizeof powers / sizeof powers[0])]) - 1 + fuzz_draw(3);
}

/* Writes a piece of the input again and again after itself, over what stands there or before it.
 */
static size_t repeat(uint8_t *bytes, size_t count, size_t room)
{
    uint8_t piece[64];
    size_t  from = fuzz_draw(count), size = 1 + fuzz_draw(sizeof piece);
    size_t  left = count - from, times = limit_count();

    if (size > left)
        size = left;
    if (times > (room - count) / size && fuzz_draw(2) == 0)
        times = (room - count) / size;
    memcpy(piece, bytes + from, size);
    if (times <= (room - count) / size) { /* the rest moves on */
        memmove(bytes + from + times * size, bytes + from, left);
        count += times * size;
    } else {
        times = left / size;
    }
    for (size_t i = 0; i < times; i++)
        memcpy(bytes + from + i * size, piece, size);
    return count;
}

static void set_number(uint8_t *bytes, size_t count)
{
    static const uint64_t limits[] = {0,      1,          0x7f,       0x80,       0xff,
                                      0x7fff, 0xffff,     0x7fffffff, 0x80000000, 0xffffffff,
                                      ~0ull,  ~0ull >> 1, 1ull << 63, '\n',       '"'};
    size_t                width = (size_t)1 << fuzz_draw(4), at = fuzz_draw(count);
    uint64_t value = limits[fuzz_draw(sizeof limits / sizeof limits[0])] + fuzz_draw(3) - 1;

    for (size_t i = 0; i < width && at + i < count; i++)
        bytes[at + i] = (uint8_t)(value >> 8 * i);
}

size_t fuzz_scramble(uint8_t *bytes, size_t count, size_t room)
{
    if (count == 0) {
        bytes[0] = (uint8_t)fuzz_draw(256);
        return room > 0 ? 1 : 0;
    }
    size_t a = fuzz_draw(count), b = fuzz_draw(count), size = 1 + fuzz_draw(16);
    switch (fuzz_draw(6)) {
    case 0:
        bytes[a] = (uint8_t)(bytes[a] ^ 1u << fuzz_draw(8));
        return count;
    case 1:
        bytes[a] = (uint8_t)fuzz_draw(256);
        return count;
    case 2:
        set_number(bytes, count);
        return count;
    case 3:
        return repeat(bytes, count, room);
    case 4: /* a piece of it stands twice */
        size = size > count - a ? count - a : size;
        size = size > count - b ? count - b : size;
        memmove(bytes + a, bytes + b, size);
        return count;
    default: /* cut out */
        size = size > count - a ? count - a : size;
        memmove(bytes + a, bytes + a + size, count - a - size);
        return count - size;
    }
}

/* The head, what is after it, or a word there. */
static size_t change_words(uint8_t *bytes, size_t count, size_t room)
{
    size_t head = fuzz_here.head_bytes;

    if (fuzz_draw(4) == 0) {
        bytes[fuzz_draw(head)] = (uint8_t)fuzz_draw(fuzz_draw(2) == 0 ? 16 : 256);
        return count;
    }
    if (fuzz_draw(4) == 0)
        return head + fuzz_scramble(bytes + head, count - head, room - head);
    return head + fuzz_insert_word(bytes + head, count - head, room - head, fuzz_here.words);
}

size_t fuzz_change(uint8_t *bytes, size_t count, size_t room)
{
    if (count < fuzz_here.head_bytes)
        return fuzz_here.seed(0, bytes, room);
    if (fuzz_here.change != NULL && fuzz_draw(4) != 0)
        return fuzz_here.change(bytes, count, room);
    if (fuzz_here.words != NULL && fuzz_draw(4) != 0)
        return change_words(bytes, count, room);
    count = fuzz_scramble(bytes, count, room);
    if (fuzz_here.mend != NULL && fuzz_draw(8) != 0)
        fuzz_here.mend(bytes, count);
    return count;
}
