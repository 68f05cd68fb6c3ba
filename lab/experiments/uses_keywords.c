/* uses_keywords.c - which documents have both words? Two peers, each with the list of one word,
 * find the common documents, and send few bytes for it. */
#include "experiments/uses_parts.h"

/* The bytes of the number of a document when it is sent as it is. */
enum { NUMBER_BYTES = 8 };

static const double rates[] = {0.5, 0.2, 0.1, 0.05, 0.02, 0.01, 0.001, 0.0001};
enum { RATES = sizeof rates / sizeof *rates };

typedef struct keywords {
    uint64_t one, other, common; /* documents with a word each, and with both */
    uint64_t candidates[RATES], verified[RATES];
    size_t   sent[RATES]; /* bytes of the filter */
} keywords;

static double plain_bytes(const keywords *found)
{
    return NUMBER_BYTES * ((double)found->one + (double)found->common);
}

static double filter_bytes(const keywords *found, unsigned i)
{
    return (double)found->sent[i] + NUMBER_BYTES * (double)found->candidates[i];
}

/* How many of these lines are in the list. */
static uint64_t verify(const exact *list, const lab_data *lines)
{
    text_line line;
    uint64_t  in = 0;

    for (size_t at = 0; next_line(lines, &at, &line);)
        in += exact_count(list, line) > 0;
    return in;
}

static void exchange(lab *bench, keywords *found)
{
    lab_data documents = lab_generate(bench, "u64", found->one + found->other - found->common, 3);
    lab_data one = lab_head(&documents, found->one);
    lab_data other = lab_tail(&documents, found->one - found->common);
    exact    list = exact_of(bench, &one);

    for (unsigned i = 0; i < RATES && bench->status == INK_OK; i++) {
        const ink_params params = {.kind = "bloom", .false_positive_rate = rates[i]};
        message          filter = message_of(bench, &one, &(ink_reading){0}, &params);
        lab_data         back = message_filter(bench, &filter, &other, false);
        found->sent[i] = filter.count;
        found->candidates[i] = lab_lines(&back);
        found->verified[i] = verify(&list, &back);
        message_free(&filter);
        lab_data_free(&back);
    }
    exact_free(&list);
    lab_data_free(&documents);
}

static void report_exchange(findings *all, const keywords *found)
{
    found_table(all, "bytes", "What the peers send each other, in the two ways");
    found_column(all, "A sends", "", FOUND_GIVEN, FOUND_WORDS);
    found_column(all, "bytes from A", "", FOUND_HERE, 0);
    found_column(all, "documents from B", "", FOUND_HERE, 0);
    found_column(all, "of these wrong", "", FOUND_HERE, 0);
    found_column(all, "bytes in all", "", FOUND_HERE, 0);
    found_column(all, "common", "after A has looked", FOUND_HERE, 0);
    found_word(all, "its list");
    found_number(all, NUMBER_BYTES * (double)found->one);
    found_number(all, (double)found->common);
    found_number(all, 0);
    found_number(all, plain_bytes(found));
    found_number(all, (double)found->common);
    for (unsigned i = 0; i < RATES; i++) {
        found_word(all, "a filter, p = %g", rates[i]);
        found_number(all, (double)found->sent[i]);
        found_number(all, (double)found->candidates[i]);
        found_number(all, (double)(found->candidates[i] - found->verified[i]));
        found_number(all, filter_bytes(found, i));
        found_number(all, (double)found->verified[i]);
    }
}

static void report_meaning(findings *all, const keywords *found)
{
    unsigned best = 0;
    bool     right = true;

    found_plot(all, "total", "Bytes in all over the rate of the filter");
    found_axis_x(all, "rate of the filter", "", true);
    found_axis_y(all, "sent in all", "bytes", false);
    found_line(all, "with a filter", FOUND_HERE);
    for (unsigned i = 0; i < RATES; i++) {
        found_point(all, rates[i], filter_bytes(found, i));
        best = filter_bytes(found, i) < filter_bytes(found, best) ? i : best;
        right = right && found->verified[i] == found->common;
    }
    found_line(all, "with the list", FOUND_HERE);
    found_point(all, rates[RATES - 1], plain_bytes(found));
    found_point(all, rates[0], plain_bytes(found));
    found_text(all,
               "The fewest bytes, %.0f, are sent with a filter of p = %g: %.1f %% of the %.0f "
               "bytes of the plain way. %s",
               filter_bytes(found, best), rates[best],
               100 * filter_bytes(found, best) / plain_bytes(found), plain_bytes(found),
               right ? "With every filter A ends with just the documents that have both words: "
                       "a filter never loses one, and A looks up the few wrong ones in its list."
                     : "A did not end with just the common documents, which must not be.");
}

static void report_commands(findings *all, const keywords *found)
{
    found_command(all, "ink gen u64 -n %llu --seed 3 --force -o documents.txt",
                  (unsigned long long)(found->one + found->other - found->common));
    found_command(all, "head -n %llu documents.txt > a.txt", (unsigned long long)found->one);
    found_command(all, "tail -n +%llu documents.txt > b.txt",
                  (unsigned long long)(found->one - found->common + 1));
    found_command(all, "for p in 0.5 0.2 0.1 0.05 0.02 0.01 0.001 0.0001; do\n"
                       "  ink build bloom -p $p --force -o a.ink a.txt; wc -c < a.ink\n"
                       "  ink filter a.ink b.txt > back.txt; wc -l < back.txt\n"
                       "  awk 'NR == FNR {mine[$0]; next} $0 in mine' a.txt back.txt | wc -l\n"
                       "done");
}

void uses_keywords(lab *bench)
{
    findings *all = bench->found;
    keywords  found = {.one = lab_size(bench, 100000, 20000),
                       .other = lab_size(bench, 100000, 20000),
                       .common = lab_size(bench, 5000, 1000)};

    if (!lab_step(bench, 0.3, "documents with both words"))
        return;
    found_part(all, "keywords", "Which documents have both words?");
    found_text(all,
               "A search in a network of peers: A has the list of the documents with one word, B "
               "the list with the other, and A wants the documents that have both, for few bytes. "
               "A sends B a filter of its list; B returns those of its own documents that may be "
               "in it; A looks which of these really are. Here each list has %llu documents, %llu "
               "of them common, whose numbers take %d bytes when sent as they are.",
               (unsigned long long)found.one, (unsigned long long)found.common, NUMBER_BYTES);
    report_commands(all, &found);
    exchange(bench, &found);
    if (bench->status != INK_OK)
        return;
    report_exchange(all, &found);
    report_meaning(all, &found);
}
