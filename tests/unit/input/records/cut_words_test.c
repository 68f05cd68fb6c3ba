/* cut_words_test.c - words are what stands between white space, wherever it stands, however much of
 * it there is, and however little room for words there is; nothing past the text is read. */
#include "input/records/cut_words.h"

#include "support/check.h"
#include "support/files.h"

enum { CHARACTERS = 300, BYTES_MAX = 4 * CHARACTERS, ROUNDS = 3000 };

/* All that is White_Space, and characters that begin as one of these does. */
static const char *const spaces[] = {
    "\t",     "\n",     "\v",     "\f",     "\r",     " ",      "\xc2\x85", "\u00a0", "\u1680",
    "\u2000", "\u2001", "\u2002", "\u2003", "\u2004", "\u2005", "\u2006",   "\u2007", "\u2008",
    "\u2009", "\u200a", "\u2028", "\u2029", "\u202f", "\u205f", "\u3000"};
static const char *const others[] = {"a",      "Z",      "\x01",   "\x1f",   "!",
                                     "\x7f",   "\u00a9", "\u00e9", "\u1681", "\u167f",
                                     "\u200b", "\u2027", "\u202a", "\u2030", "\u205e",
                                     "\u2060", "\u3001", "\u00c2", "\u4e00", "\U0001f600"};

static unsigned random_below(unsigned below)
{
    static uint64_t state = 1;

    state = state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)(state >> 33) % below;
}

TEST(words_are_what_stands_between_white_space)
{
    files_guard guard;

    files_guard_create(&guard, BYTES_MAX);
    for (unsigned round = 0; round < ROUNDS; round++) {
        static uint8_t text[BYTES_MAX];
        uint64_t starts[CHARACTERS], ends[CHARACTERS], cut_starts[CHARACTERS], cut_ends[CHARACTERS];
        const unsigned characters = random_below(CHARACTERS), rare = 1 + random_below(20);
        size_t         bytes = 0, words = 0, cut = 0, some;
        bool           in_word = false;

        for (unsigned i = 0; i < characters; i++) {
            const bool  space = random_below(rare) == 0;
            const char *character = space ? spaces[random_below(sizeof spaces / sizeof *spaces)]
                                          : others[random_below(sizeof others / sizeof *others)];
            if (!space && !in_word)
                starts[words++] = bytes;
            if (space && in_word)
                ends[words - 1] = bytes;
            in_word = !space;
            memcpy(text + bytes, character, strlen(character));
            bytes += strlen(character);
        }
        if (in_word)
            ends[words - 1] = bytes;

        ink__cut_words cutting = ink__cut_words_of(files_location(&guard, text, bytes), bytes);
        const size_t   room = 1 + random_below(CHARACTERS - 1);
        while ((some = ink__cut_words_next(&cutting, cut_starts + cut, cut_ends + cut,
                                           room < CHARACTERS - cut ? room : CHARACTERS - cut)) > 0)
            cut += some;
        assert_int_equal(cut, words);
        assert_memory_equal(cut_starts, starts, words * sizeof *starts);
        assert_memory_equal(cut_ends, ends, words * sizeof *ends);
    }
    files_guard_free(&guard);
}

RUN_TESTS()
