/* fuzz.h - what a fuzz target is: inputs to begin with, a way to change one that knows its form,
 * and a trial that ends the program if anything is wrong. A target is one NAME_fuzz.c with one
 * struct.
 *
 * It runs in two ways. Under libFuzzer (libfuzzer.c, `make fuzz`) what the trial reaches guides the
 * changes. As an ordinary test (replay.c, in `make check`) inputs are drawn from a fixed seed, each
 * by its number alone, so that a failure is made again by that number. */
#ifndef INK_TESTS_FUZZ_FUZZ_H
#define INK_TESTS_FUZZ_FUZZ_H

#include <stddef.h>
#include <stdint.h>
#include <time.h>

typedef struct fuzz_target {
    const char *name;
    size_t      most_bytes; /* of an input; one that has more, or not its head, is not tried */
    size_t      head_bytes; /* that come first, and say how the rest is read */
    unsigned    rounds;     /* of changed inputs that `make check` tries, about a second's worth */
    unsigned    weight;     /* its shares of the inputs of a full run; 0: one */
    /* What it is run for one by one, such as the kinds of sketches, ends with NULL; NULL: it has no
     * variants. */
    const char *const *variants;
    /* Called once, before everything else. May be NULL. */
    void (*begin)(void);
    /* Writes input number `index` to begin with; returns its size, SIZE_MAX if there is none. */
    size_t (*seed)(unsigned index, uint8_t *to, size_t room);
    /* What means something to a parser, with "|" between the words: they are put anywhere after the
     * head. NULL: there are none, or `change` puts them. */
    const char *words;
    /* Changes an input of `count` bytes, which has room for more and is no shorter than its head,
     * in one way; returns its new size. All choices are drawn with fuzz_draw. May be NULL: words
     * are put, the head is changed, bytes are changed at random. */
    size_t (*change)(uint8_t *bytes, size_t count, size_t room);
    /* Puts right in an input that was changed at random what would be refused at first sight, such
     * as checksums. May be NULL. */
    void (*mend)(uint8_t *bytes, size_t count);
    void (*attempt)(const uint8_t *bytes, size_t count);
} fuzz_target;

/* What an input may take, of processor time. */
#define FUZZ_SECONDS_MAX 1.0

/* The one of this program. */
extern const fuzz_target fuzz_here;

/* The number of its variant that INK_FUZZ_VARIANT names; -1: all. */
extern int fuzz_variant;

/* Finds the variant, and begins. */
void fuzz_begin(void);

/* Writes an input to begin with: its head, unless NULL, and the bytes after it; returns its size.
 */
size_t fuzz_put(uint8_t *to, size_t room, const void *head, const void *bytes, size_t count);

/* Tries an input; returns the seconds of the processor that it takes, the least of three tries
 * where it seems to be too many: a virtual machine counts as used what others were given meanwhile.
 */
static inline double fuzz_try(const uint8_t *bytes, size_t count)
{
    double least = 1e9;

    if (count < fuzz_here.head_bytes || count > fuzz_here.most_bytes)
        return 0;
    for (int i = 0; i < 3 && least > FUZZ_SECONDS_MAX; i++) {
        clock_t start = clock();
        fuzz_here.attempt(bytes, count);
        double seconds = (double)(clock() - start) / CLOCKS_PER_SEC;
        least = seconds < least ? seconds : least;
    }
    return least;
}

/* A number below `limit`, drawn from what fuzz_draw_from was reported. */
void     fuzz_draw_from(uint64_t seed);
uint64_t fuzz_draw(uint64_t limit);

/* One of these words, which have "|" between them; not ended. */
const char *fuzz_word(const char *words, size_t *bytes);

/* Puts `size` bytes before byte `at`, or one of these words anywhere, if there is room. Returns the
 * new size. */
size_t fuzz_insert(uint8_t *bytes, size_t count, size_t room, size_t at, const void *piece,
                   size_t size);
size_t fuzz_insert_word(uint8_t *bytes, size_t count, size_t room, const char *words);

/* Changes a few bytes at random: flips, limits, pieces that are moved, repeated a number of times
 * at which counters break, cut or made longer. Returns the new size. */
size_t fuzz_scramble(uint8_t *bytes, size_t count, size_t room);

/* One change of an input, in one of the target's ways or at random and mended. */
size_t fuzz_change(uint8_t *bytes, size_t count, size_t room);

#endif
