/* dedup_options.c - options of ink dedup as the library takes them. */
#include "arguments/dedup_options.h"

#include "report/failure.h"

ink_reading dedup_reading(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    return (ink_reading){
        .form = options[OPTION_IN].given ? (ink_form)(INK_FORM_LINES + options[OPTION_IN].number)
                                         : INK_FORM_DEFAULT,
        .fail_bad = options[OPTION_BAD_TEXT].given,
    };
}

ink_dedup_options dedup_options(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    const bool          bytes = options[OPTION_NGRAM_BYTES].given;

    return (ink_dedup_options){
        .exact = options[OPTION_EXACT].given,
        .paragraphs = options[OPTION_PARAGRAPHS].given,
        .ngrams = (uint32_t)options[bytes ? OPTION_NGRAM_BYTES : OPTION_NGRAMS].number,
        .ngrams_of_bytes = bytes,
        .lower = options[OPTION_LOWER].given,
        .strip_punctuation = options[OPTION_STRIP_PUNCTUATION].given,
        .overlap = options[OPTION_OVERLAP].real,
        .near = options[OPTION_NEAR].real,
        .text = options[OPTION_TEXT].text,
        .id = options[OPTION_ID].text,
        .bad = (ink_dedup_bad)options[OPTION_BAD_TEXT].number,
        .folder = options[OPTION_DRY_RUN].given ? NULL : options[OPTION_OUTPUT].text,
        .overwrite = options[OPTION_FORCE].given,
        .mark = options[OPTION_MARK].given,
        .expected_keys = options[OPTION_KEYS].number,
        .rate = options[OPTION_RATE].real,
        .max_rate = options[OPTION_MAX_RATE].real,
        .seen = options[OPTION_SEEN_FILE].text,
        .against = options[OPTION_AGAINST].text,
        .every = options[OPTION_EVERY].number,
    };
}

int dedup_check_levels(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;

    if (options[OPTION_NGRAMS].given && options[OPTION_NGRAM_BYTES].given)
        return fail_usage("--ngrams and --bytes do not go together");
    return 0;
}
