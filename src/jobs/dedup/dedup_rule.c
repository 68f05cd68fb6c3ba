/* dedup_rule.c - options of dedup as the rule by which documents are compared. */
#include "base/status.h"
#include "jobs/dedup/chunk.h"

#define OVERLAP 0.8

static ink_status check_options(const ink_dedup_options *options, ink_error *error)
{
    if (options->ngrams > INK__NGRAM_WORDS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "n-grams of %u, expected 1 to %d",
                         options->ngrams, INK__NGRAM_WORDS_MAX);
    if (!(options->overlap >= 0 && options->overlap <= 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an overlap of %g, expected above 0 and up to 1", options->overlap);
    if (options->overlap > 0 && options->ngrams == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "an overlap without n-grams");
    if ((options->lower || options->strip_punctuation) &&
        (options->ngrams == 0 || options->ngrams_of_bytes) && options->near == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "how words are compared, but no n-grams of words");
    if (!(options->near >= 0 && options->near <= 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a similarity of %g, expected above 0 and up to 1", options->near);
    if (options->near > 0 && (options->seen != NULL || options->against != NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "level near with a file of what was seen, which has no signatures");
    if (options->seen != NULL && options->against != NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a file of what was seen, and one to compare with alone, expected one");
    if (!(options->rate >= 0 && options->rate <= 0.5))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{false_positive_rate} %g, expected above 0 and up to 0.5", options->rate);
    return ink__check_max_rate(options->max_rate, error);
}

static ink__ngram_rule words_rule(const ink__dedup_rule *rule, const ink_dedup_options *options,
                                  unsigned words)
{
    return (ink__ngram_rule){
        .hasher = rule->hasher,
        .words = words,
        .lower = options->lower,
        .strip_punctuation = options->strip_punctuation,
    };
}

static void choose_levels(ink__dedup_rule *rule, const ink_dedup_options *options)
{
    rule->used[INK_DEDUP_PARAGRAPHS] = options->paragraphs;
    rule->used[INK_DEDUP_NGRAMS] = options->ngrams > 0;
    rule->used[INK_DEDUP_NEAR] = options->near > 0;
    rule->used[INK_DEDUP_EXACT] =
        options->exact || (!options->paragraphs && options->ngrams == 0 && options->near == 0);
    if (options->near > 0)
        rule->shape = ink__near_shape_of(options->near);
}

ink_status ink__dedup_rule_begin(ink__dedup_rule *rule, const ink_dedup_options *options,
                                 const ink_allocator *allocator, ink_error *error)
{
    const ink_params keys = {.key_type = INK_KEY_BYTES};

    *rule = (ink__dedup_rule){
        .document = {.name = options->text == NULL ? "text" : options->text,
                     .has_id = options->id != NULL,
                     .paragraphs = options->paragraphs},
        .overlap = options->overlap == 0 ? OVERLAP : options->overlap,
        .bad = options->bad,
        .mark = options->mark,
    };
    INK__TRY(check_options(options, error));
    INK__TRY(ink__hasher_create(&rule->hasher, &keys, allocator, error));
    rule->ngrams = words_rule(rule, options, options->ngrams);
    rule->ngrams.bytes = options->ngrams_of_bytes;
    rule->near = words_rule(rule, options, INK__NEAR_WORDS);
    choose_levels(rule, options);
    INK__TRY(ink__json_path_create(&rule->document.text, rule->document.name, error));
    if (options->id != NULL)
        INK__TRY(ink__json_path_create(&rule->document.id, options->id, error));
    return INK_OK;
}

void ink__dedup_rule_end(ink__dedup_rule *rule)
{
    ink__hasher_free(rule->hasher);
    rule->hasher = NULL;
}
