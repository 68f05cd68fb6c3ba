/* kind_texts.c - texts about the kinds of sketches, for help and completion. */
#include "options/kind_texts.h"

#include <stdio.h>
#include <string.h>

enum { EXAMPLES_MAX = 3, LINE_BYTES = 80 };

static const struct kind_text {
    const char *kind;
    const char *apart; /* its difference from others, in a few words */
    const char *about;
    const char *examples[EXAMPLES_MAX];
} texts[] = {
    {"bloom",
     "the fastest filter",
     "A filter of blocks of 256 bits, with one cache line for each key: the fastest, and the one "
     "to take unless another is needed. It never denies a key that was added. Filters can be "
     "united, and folded to a smaller size.",
     {"ink build bloom -p 0.001 -o seen.ink words.txt", "ink filter seen.ink more.txt"}},
    {"classic",
     "for very low rates",
     "The filter of the textbooks: so many bits, so many hashes of each key. It takes rates that "
     "are too low for bloom, and is slower. With --hash mmh3 it has the bits of programs that set "
     "bit mmh3.hash(key, i, signed=False) % m.",
     {"ink build classic -p 1e-7 -o seen.ink words.txt",
      "ink build classic --hash mmh3 --bits 1e6 --hashes 7 -o same.ink words.txt"}},
    {"counting",
     "keys can be removed again",
     "A bloom with counters in the place of bits, four times as large: keys can be removed again. "
     "What is removed must have been added. A key that was added 15 times or more is stuck, as its "
     "counters are full: it stays in for good.",
     {"ink build counting -o seen.ink words.txt", "ink remove seen.ink gone.txt"}},
    {"scalable",
     "grows with its keys",
     "A chain of filters that grows with its keys and keeps its rate, for sets whose size nobody "
     "knows. Its bytes depend on the order of the keys.",
     {"cat words.txt | ink build scalable -o seen.ink", "ink filter -v seen.ink more.txt"}},
    {"count-min",
     "never too low",
     "Counts how often each key was added. A count is never too low, and rarely too high by more "
     "than a share of the total of all counts. Two of one size tell how large a join would be.",
     {"ink build count-min -o often.ink words.txt", "ink count often.ink keys.txt"}},
    {"top",
     "with certain bounds",
     "Keeps the keys that have the largest counts, with certain bounds for each. No key with more "
     "than a known share of the total is missed. Its bytes depend on the order of the keys.",
     {"ink build top -k 100 -o often.ink words.txt", "ink top -k 5 often.ink"}},
    {"fm",
     "as in textbooks, a few bytes",
     "Counts different keys by the Flajolet-Martin algorithm, as textbooks have it, in a few "
     "bytes. Repeated keys change nothing. For more precision take hll.",
     {"ink build fm -o different.ink words.txt", "ink distinct different.ink"}},
    {"hll",
     "the most precise, a few kilobytes",
     "Counts different keys by HyperLogLog, in a few kilobytes however many they are. Repeated "
     "keys change nothing; sketches of different precision can be united.",
     {"ink build hll -o different.ink words.txt", "ink distinct different.ink"}},
};

static const struct kind_text *text_of(const char *kind)
{
    static const struct kind_text none = {"", "", "", {NULL}};

    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        if (strcmp(texts[i].kind, kind) == 0)
            return &texts[i];
    return &none;
}

ink_kind_info kind_info(const char *kind)
{
    ink_kind_info info;

    return ink_kind_describe(kind, &info, NULL) == INK_OK ? info : (ink_kind_info){0};
}

const char *kind_question(const char *kind, size_t index, const char **command)
{
    const ink_kind_info info = kind_info(kind);
    const struct {
        bool        answers;
        const char *question, *command;
    } questions[] = {
        {info.contains, "have I seen this key?", "filter"},
        {info.keeps_keys, "which are the most frequent?", "top"},
        {info.counts && !info.contains, "how often did I see it?", "count"},
        {info.counts && info.contains, "how often, up to 14?", "count"},
        {info.distinct, "how many different keys?", "distinct"},
        {info.dot, "how large is the join of two?", "dot"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (questions[i].answers && index-- == 0) {
            *command = questions[i].command;
            return questions[i].question;
        }
    return NULL;
}

const char *kind_about(const char *kind)
{
    return text_of(kind)->about;
}

const char *const *kind_examples(const char *kind)
{
    return text_of(kind)->examples;
}

const char *kind_words(size_t index, const char **about)
{
    static char lines[KINDS_MAX][LINE_BYTES];
    const char *kind = ink_kind_name(index), *command;

    if (kind == NULL || about == NULL)
        return kind;
    const char *apart = text_of(kind)->apart;
    snprintf(lines[index % KINDS_MAX], LINE_BYTES, *apart == '\0' ? "%s" : "%s (%s)",
             kind_question(kind, 0, &command), apart);
    *about = lines[index % KINDS_MAX];
    return kind;
}
