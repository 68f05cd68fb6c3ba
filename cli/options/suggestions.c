/* suggestions.c - lists of words: the nearest to a mistyped one, and all of them in a message. */
#include "options/suggestions.h"

#include <stdio.h>
#include <string.h>

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* Letters to insert, delete, change or swap with their neighbour (Damerau-Levenshtein). */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);

    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                twice[j - 2] + 1 < row[j])
                row[j] = twice[j - 2] + 1;
        }
    }
    return rows[a_length % 3][b_length];
}

/* Names that other programs use: suggested, never accepted. */
static const struct other_name {
    const char *typed, *word;
} other_names[] = {
    {"bloomfilter", "bloom"},
    {"bloom-filter", "bloom"},
    {"cuckoo", "counting"},
    {"cms", "count-min"},
    {"count-min-sketch", "count-min"},
    {"heavy", "top"},
    {"hitters", "top"},
    {"heavy-hitters", "top"},
    {"heavyhitters", "top"},
    {"spacesaving", "top"},
    {"space-saving", "top"},
    {"top-k", "top"},
    {"flajolet-martin", "fm"},
    {"hyperloglog", "hll"},
    {"murmur3", "mmh3"},
    /* commands */
    {"create", "build"},
    {"insert", "add"},
    {"delete", "remove"},
    {"contains", "filter"},
    {"query", "filter"},
    {"cardinality", "distinct"},
    {"unique", "uniq"},
    {"union", "merge"},
    {"inspect", "info"},
    {"list", "info"},
    {"show", "info"},
    /* options */
    {"sep", "delimiter"},
    {"separator", "delimiter"},
    {"col", "key"},
    {"column", "key"},
    {"group", "by"},
    {"group-by", "by"},
    {"csv", "in"},
    {"input-format", "in"},
    {"limit", "top"},
    {"fpp", "rate"},
    {"fpr", "rate"},
    {"error-rate", "rate"},
    {"capacity", "keys"},
    {"epsilon", "eps"},
    {"jobs", "threads"},
    {"overwrite", "force"},
};

static bool is_other_name(const char *typed, const char *word)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].typed, typed) == 0 && strcmp(other_names[i].word, word) == 0)
            return true;
    return false;
}

bool nearer(const char *typed, const char *word, size_t *best)
{
    size_t steps = distance(typed, word), length = strlen(word);
    bool   begins = strlen(typed) >= 3 && strncmp(typed, word, strlen(typed)) == 0;

    if (is_other_name(typed, word))
        steps = 0;
    else if (begins)
        steps = 1;
    if (steps > (length < 3 ? 0 : length < 6 ? 1 : 2) || steps >= *best)
        return false;
    *best = steps;
    return true;
}

const char *nearest_word(const char *typed, word_list *words)
{
    const char *found = NULL, *word;
    size_t      best = WORD_MAX;

    for (size_t i = 0; (word = words(i, NULL)) != NULL; i++)
        if (nearer(typed, word, &best))
            found = word;
    return found;
}

void suggestions_add(char list[WORDS_BYTES], const char *between, const char *word)
{
    size_t used = strlen(list);

    snprintf(list + used, WORDS_BYTES - used, "%s%s", used == 0 ? "" : between, word);
}
