/* kind_texts.c - texts about the kinds of sketches, for help and completion. */
#include "options/kind_texts.h"

#include <stdio.h>
#include <string.h>

enum { LINE_BYTES = 80 };

static const kind_text texts[] = {
    {"bloom",
     "the fastest filter",
     "A filter of blocks of 256 bits, with one cache line for each key: the fastest, and the "
     "default choice. It has no false negatives. Filters can be merged, and folded to a smaller "
     "size.",
     {"ink build bloom -p 0.001 -o seen.ink words.txt", "ink filter seen.ink more.txt"}},
    {"classic",
     "for very low rates",
     "The filter of the textbooks: m bits, k hashes of each key. It takes rates that are too low "
     "for bloom, and is slower. With --hash mmh3 it has the bits of programs that set "
     "bit mmh3.hash(key, i, signed=False) % m.",
     {"ink build classic -p 1e-7 -o seen.ink words.txt",
      "ink build classic --hash mmh3 --bits 1e6 --hashes 7 -o same.ink words.txt"}},
    {"counting",
     "keys can be removed again",
     "A bloom with counters instead of bits, four times as large: keys can be removed again. "
     "Remove only keys that were added. A key that was added 15 times or more stays for good, as "
     "its counters are full.",
     {"ink build counting -o seen.ink words.txt", "ink remove seen.ink gone.txt"}},
    {"scalable",
     "grows with its keys",
     "A chain of filters that grows with its keys and keeps its rate, for sets of unknown "
     "size. Its bytes depend on the order of the keys.",
     {"cat words.txt | ink build scalable -o seen.ink", "ink filter -v seen.ink more.txt"}},
    {"count-min",
     "never too low",
     "Counts how often each key was added. A count is never too low, and rarely too high by more "
     "than a share of the total of all counts. Two of one size estimate the size of a join.",
     {"ink build count-min -o often.ink words.txt", "ink count often.ink keys.txt"}},
    {"top",
     "with certain bounds",
     "Keeps the most frequent keys, with certain bounds for each count. No key with more than a "
     "known share of the total is missed. Its bytes depend on the order of the keys.",
     {"ink build top -k 100 -o often.ink words.txt", "ink top -k 5 often.ink"}},
    {"fm",
     "as in textbooks, a few bytes",
     "Counts different keys by the Flajolet-Martin algorithm, as textbooks have it, in a few "
     "bytes. Repeated keys change nothing. For more precision take hll.",
     {"ink build fm -o different.ink words.txt", "ink distinct different.ink"}},
    {"hll",
     "the most precise, a few kilobytes",
     "Counts different keys by HyperLogLog, in a few kilobytes for any number of them. "
     "Repeated keys change nothing; sketches of different precision can be merged.",
     {"ink build hll -o different.ink words.txt", "ink distinct different.ink"}},
    {"theta",
     "of unions, intersections and differences",
     "Counts different keys by a uniform sample of them: exactly up to 2^N keys, and then of any "
     "union, intersection or difference of sets, with bounds. Repeated keys change nothing; "
     "sketches of different precision can be merged. For the number alone, hll is smaller.",
     {"ink build theta -o different.ink words.txt", "ink distinct different.ink"}},
    {"fuse",
     "the smallest, never changes",
     "A binary fuse filter: fingerprints of 4 to 32 bits, made of all keys at once. It has no "
     "false negatives, takes about 1.13 times the bits of a fingerprint for each different key, "
     "and its rate is 1 / 2^bits. It never changes: no key is added, and none are merged. Build "
     "one from several inputs instead.",
     {"ink build fuse -p 0.001 -o seen.ink words.txt", "ink filter seen.ink more.txt"}},
};

const kind_text *kind_text_of(const char *kind)
{
    static const kind_text none = {"", "", "", {NULL}};

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
        {info.ranks[INK_ASK_OVERLAP] > 0, "what do two sets share?", "overlap"},
        {info.dot, "how large is the join of two?", "dot"},
    };
    for (size_t i = 0; i < sizeof questions / sizeof *questions; i++)
        if (questions[i].answers && index-- == 0) {
            *command = questions[i].command;
            return questions[i].question;
        }
    return NULL;
}

const char *kind_words(size_t index, const char **about)
{
    static char lines[KINDS_MAX][LINE_BYTES];
    const char *kind = ink_kind_name(index), *command;

    if (kind == NULL || about == NULL)
        return kind;
    const char *apart = kind_text_of(kind)->apart;
    snprintf(lines[index % KINDS_MAX], LINE_BYTES, *apart == '\0' ? "%s" : "%s (%s)",
             kind_question(kind, 0, &command), apart);
    *about = lines[index % KINDS_MAX];
    return kind;
}
