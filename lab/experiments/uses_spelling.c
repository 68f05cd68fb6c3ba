/* uses_spelling.c - the spell checker that fits into 25 kB: words in a filter, and misspelt words
 * that pass for words. */
#include "experiments/uses_parts.h"
#include "workbench/classic_rate.h"

#include <math.h>
#include <string.h>

/* Slide "Classic Uses of BF: Spell-Checking". */
static const struct {
    double   words, list_bytes, filter_bytes, rate;
    uint32_t hashes;
} published = {
    .words = 25000, .list_bytes = 210000, .filter_bytes = 25000, .rate = 0.02, .hashes = 5};

enum { WORDS = 25000, CANDIDATES = 30000, FILTER_BITS = 200000, BLOOM_BITS = 200192 };
/* The least letters of a word, and the number of lengths from there on. */
enum { LETTERS_LEAST = 5, LETTERS_SPAN = 6 };

enum { CHECKERS = 4 };
static const ink_params checkers[CHECKERS] = {
    {.kind = "classic", .bits = FILTER_BITS, .hashes = 4},
    {.kind = "classic", .bits = FILTER_BITS, .hashes = 5},
    {.kind = "classic", .bits = FILTER_BITS, .hashes = 6},
    {.kind = "bloom", .bits = BLOOM_BITS},
};

typedef struct spelling {
    uint64_t words, word_bytes, misspelt;
    uint64_t admitted[CHECKERS], denied[CHECKERS];
    double   rates[CHECKERS]; /* from the bits */
    uint64_t bytes[CHECKERS];
} spelling;

/* The beginnings of pronounceable strings, those that are not there yet. */
static lab_data make_words(lab *bench)
{
    lab_data  names = lab_generate(bench, "names", CANDIDATES, 1), cut = {0}, words = {0};
    text_line line;
    unsigned  number = 0;

    for (size_t at = 0; next_line(&names, &at, &line);) {
        text_line word = line_part(line, 0, LETTERS_LEAST + ++number % LETTERS_SPAN);
        lab_add_line(bench, &cut, "%.*s", (int)word.bytes, word.text);
    }
    exact different = exact_of(bench, &cut);
    for (size_t i = 0; i < different.count && i < WORDS; i++)
        lab_add_line(bench, &words, "%.*s", (int)different.entries[i].key.bytes,
                     different.entries[i].key.text);
    exact_free(&different);
    lab_data_free(&cut);
    lab_data_free(&names);
    return words;
}

/* Each word with each two neighbouring letters exchanged, unless that is a word. */
static lab_data misspell(lab *bench, const lab_data *words)
{
    exact    known = exact_of(bench, words);
    lab_data misspelt = {0};

    for (size_t i = 0; i < known.count; i++) {
        text_line word = known.entries[i].key;
        char      letters[LETTERS_LEAST + LETTERS_SPAN];
        for (size_t j = 0; j + 1 < word.bytes; j++) {
            memcpy(letters, word.text, word.bytes);
            letters[j] = word.text[j + 1];
            letters[j + 1] = word.text[j];
            if (exact_count(&known, (text_line){letters, word.bytes}) == 0)
                lab_add_line(bench, &misspelt, "%.*s", (int)word.bytes, letters);
        }
    }
    exact_free(&known);
    return misspelt;
}

static void check_spelling(lab *bench, spelling *found)
{
    lab_data words = make_words(bench);
    lab_data misspelt = misspell(bench, &words);

    found->words = lab_lines(&words);
    found->word_bytes = words.count;
    found->misspelt = lab_lines(&misspelt);
    for (unsigned i = 0; i < CHECKERS; i++) {
        ink_sketch *filter = lab_build(bench, &words, &checkers[i]);
        found->admitted[i] = lab_admitted(bench, filter, &misspelt);
        found->denied[i] = found->words - lab_admitted(bench, filter, &words);
        found->rates[i] = lab_rate(bench, filter);
        found->bytes[i] = lab_bytes(filter);
        ink_sketch_free(filter);
    }
    lab_data_free(&words);
    lab_data_free(&misspelt);
}

static bool is_published(const ink_params *checker)
{
    return strcmp(checker->kind, "classic") == 0 && checker->hashes == published.hashes;
}

static void report_checkers(findings *all, const spelling *found)
{
    found_table(all, "checkers", "Misspelt words that pass for words");
    found_column(all, "filter", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "passed", "misspelt words", FOUND_HERE, 0);
    found_column(all, "rate", "%", FOUND_HERE, 2);
    found_column(all, "from the bits", "%", FOUND_HERE, 2);
    found_column(all, "(1\u00a0\u2212\u00a0e^(\u2212kn/m))^k", "%", FOUND_THEORY, 2);
    found_column(all, "published rate", "%", FOUND_PUBLISHED, 0);
    found_column(all, "words denied", "", FOUND_HERE, 0);
    for (unsigned i = 0; i < CHECKERS; i++) {
        if (checkers[i].hashes == 0)
            found_word(all, "%s", checkers[i].kind);
        else
            found_word(all, "%s, k = %u", checkers[i].kind, checkers[i].hashes);
        found_number(all, (double)found->admitted[i]);
        found_number(all, 100 * (double)found->admitted[i] / (double)found->misspelt);
        found_number(all, 100 * found->rates[i]);
        if (checkers[i].hashes > 0)
            found_number(all,
                         100 * classic_rate((double)found->words, FILTER_BITS, checkers[i].hashes));
        else
            found_nothing(all);
        if (is_published(&checkers[i]))
            found_number(all, 100 * published.rate);
        else
            found_nothing(all);
        found_number(all, (double)found->denied[i]);
    }
}

static void report_list(findings *all, const spelling *found)
{
    found_table(all, "list", "The list of words and the filter");
    found_column(all, "what", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "published", "", FOUND_PUBLISHED, 0);
    found_column(all, "here", "", FOUND_HERE, 0);
    found_word(all, "words");
    found_number(all, published.words);
    found_number(all, (double)found->words);
    found_word(all, "bytes of the list");
    found_number(all, published.list_bytes);
    found_number(all, (double)found->word_bytes);
    for (unsigned i = 0; i < CHECKERS; i++)
        if (is_published(&checkers[i])) {
            found_word(all, "bytes of the filter");
            found_number(all, published.filter_bytes);
            found_number(all, (double)found->bytes[i]);
        }
}

static void report_spelling(findings *all, const spelling *found)
{
    unsigned best = 0;
    uint64_t denied = 0;

    for (unsigned i = 0; i < CHECKERS; i++) {
        if (checkers[i].hashes != 0)
            best = found->admitted[i] < found->admitted[best] ? i : best;
        denied += found->denied[i];
        if (is_published(&checkers[i]))
            found_compared(all,
                           &(found_comparison){
                               .what = "Misspelt words that pass a filter of 25 kB",
                               .unit = "%",
                               .by = FOUND_PUBLISHED,
                               .decimals = 1,
                               .expected = 100 * published.rate,
                               .here = 100 * (double)found->admitted[i] / (double)found->misspelt,
                               .low = 75 * published.rate,
                               .high = 125 * published.rate,
                               .why = "the words are others",
                           });
    }
    report_list(all, found);
    report_checkers(all, found);
    found_text(all,
               "%llu misspelt words were asked for. The best k would be (m/n) ln 2 = %.2f; k = %u "
               "lets the fewest pass of those tried. %s",
               (unsigned long long)found->misspelt,
               (double)FILTER_BITS / (double)found->words * log(2), checkers[best].hashes,
               denied == 0 ? "Words that are in the list are never denied, by none of the filters."
                           : "Words of the list were denied, which must not be.");
}

static void report_spelling_commands(findings *all)
{
    found_command(all,
                  "ink gen names -n %d --seed 1 | awk '{w = substr($0, 1, %d + NR %% %d)}\n"
                  "  !(w in seen) && n < %d {seen[w]; n++; print w}' > words.txt; wc -lc words.txt",
                  CANDIDATES, LETTERS_LEAST, LETTERS_SPAN, WORDS);
    found_command(
        all, "awk 'NR == FNR {word[$0]; next} {for (i = 1; i < length($0); i++) {\n"
             "  t = substr($0, 1, i - 1) substr($0, i + 1, 1) substr($0, i, 1) substr($0, i + 2)\n"
             "  if (!(t in word)) print t}}' words.txt words.txt > misspelt.txt");
    found_command(all,
                  "for k in 4 5 6; do\n"
                  "  ink build classic --bits %d --hashes $k --force -o words.ink words.txt\n"
                  "  ink info words.ink; ink filter --count words.ink misspelt.txt\n"
                  "  ink filter --count words.ink words.txt\n"
                  "done",
                  FILTER_BITS);
    found_command(all,
                  "ink build bloom --bits %d --force -o words.ink words.txt\n"
                  "ink info words.ink; ink filter --count words.ink misspelt.txt\n"
                  "ink filter --count words.ink words.txt",
                  BLOOM_BITS);
}

void uses_spelling(lab *bench)
{
    findings *all = bench->found;
    spelling  found = {0};

    if (!lab_step(bench, 0.25, "the spell checker"))
        return;
    found_part(all, "spelling", "A spell checker in 25 kB");
    found_text(all,
               "When memory was scarce, a list of %.0f words (%.0f kB) was kept as a filter of "
               "%.0f kB: %d bits a word, %u hash functions, and about %.0f %% of misspelt words "
               "pass. The words here are made up, as long as English ones; each is misspelt by "
               "every exchange of two neighbouring letters that does not make another word.",
               published.words, published.list_bytes / 1000, published.filter_bytes / 1000,
               FILTER_BITS / WORDS, published.hashes, 100 * published.rate);
    report_spelling_commands(all);
    check_spelling(bench, &found);
    if (bench->status == INK_OK)
        report_spelling(all, &found);
}
