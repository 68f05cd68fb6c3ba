/* generate_zipf.c - words whose frequency falls with a power of their rank. */
#include "base/status.h"
#include "base/text.h"
#include "jobs/generate/generator.h"
#include "jobs/generate/zipf.h"

#include <string.h>

enum { VOCABULARY = INK__ZIPF_RANKS_MAX };

static uint8_t *put_word(uint8_t *to, ink__random *random, const void *zipf)
{
    memcpy(to, "word", 4);
    return ink__put_number(to + 4, ink__zipf_draw(zipf, random));
}

static ink_status run_zipf(const ink__generator_run *run, ink_error *error)
{
    ink__zipf *zipf;

    INK__TRY(ink__zipf_make(&zipf, VOCABULARY, run->skew, &run->allocator, error));
    ink_status status = ink__generate_each(run, INK__RANDOM_ZIPF, put_word, zipf, error);
    ink__zipf_free(zipf, &run->allocator);
    return status;
}

const ink__generator ink__generate_zipf = {
    .name = "zipf",
    .about = "words of a vocabulary of 10 million, ever rarer by their rank",
    .records = 1000000,
    .has_skew = true,
    .run = run_zipf,
};
