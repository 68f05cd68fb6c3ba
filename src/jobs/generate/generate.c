/* generate.c - the list of generators, and the checks. */
#include "jobs/generate/generator.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "inkling_command.h"

#include <string.h>

#define SKEW_DEFAULT 1.1
#define SKEW_ABOVE 0.1
#define SKEW_MAX 10.0

typedef struct ink__generator {
    const char *name, *about;
    ink_status (*run)(const ink__generator_run *run, ink_error *error);
    uint64_t records; /* by default ... */
    bool     fixed;   /* ... or always */
    bool     has_skew, has_sample;
} ink__generator;

static const ink__generator generators[] = {
    {"ip", "random IPv4 addresses without dots, as 147056003121", ink__generate_ip,
     .records = 1000000},
    {"names", "pronounceable strings of 30 letters", ink__generate_names, 1000000,
     .has_sample = true},
    {"imdb", "a table like IMDb's of 2022: as many titles with each rating", ink__generate_ratings,
     INK__TITLES, .fixed = true},
    {"zipf", "words of a vocabulary of 10 million, ever rarer by their rank", ink__generate_zipf,
     1000000, .has_skew = true},
    {"u64", "random integers of 64 bits, in decimal", ink__generate_u64, .records = 1000000},
    {"log", "an access log: host, client, time, request, status, bytes", ink__generate_log, 100000,
     .has_skew = true},
};
enum { GENERATORS = sizeof generators / sizeof generators[0] };

const char *ink_generation_kind(size_t index, const char **about)
{
    if (index >= GENERATORS)
        return NULL;
    if (about != NULL)
        *about = generators[index].about;
    return generators[index].name;
}

static ink_status find_generator(const char *name, const ink__generator **generator,
                                 ink_error *error)
{
    char   names[64], found[64];
    size_t used = 0;

    for (size_t i = 0; i < GENERATORS; i++) {
        if (name != NULL && strcmp(generators[i].name, name) == 0) {
            *generator = &generators[i];
            return INK_OK;
        }
        used += ink__format(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                            generators[i].name);
    }
    ink__quote(found, sizeof found, name, name == NULL ? 0 : strlen(name));
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{kind} \"%s\", expected one of %s", found,
                     names);
}

static ink_status check(const ink__generator *generator, const ink_generation *generation,
                        uint64_t records, ink_error *error)
{
    const unsigned long long sample = generation->sample;
    const double             skew = generation->skew;

    INK__TRY_ROOM("ink_generation", generation, error);
    if (generator->fixed && records != generator->records)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%llu records of %s, expected %llu",
                         (unsigned long long)records, generator->name,
                         (unsigned long long)generator->records);
    if (skew != 0 && !generator->has_skew)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{skew} %g for %s, expected none: only zipf and log have one", skew,
                         generator->name);
    if (skew != 0 && !(skew > SKEW_ABOVE && skew <= SKEW_MAX)) /* not a number too */
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{skew} %g, expected above %g, at most %g", skew, SKEW_ABOVE, SKEW_MAX);
    if (sample > 0 && !generator->has_sample)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a sample of %llu for %s, expected none: only names has one", sample,
                         generator->name);
    if (sample > records)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a sample of %llu from %llu records, expected at most as many", sample,
                         (unsigned long long)records);
    if (sample > 0 && generation->sample_sink == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a sample of %llu without a sink, expected one to write it to", sample);
    return INK_OK;
}

ink_status ink_generate(const ink_generation *generation, const ink_sink *sink, ink_job *job,
                        ink_error *error)
{
    const ink__generator *generator = NULL;
    ink__generator_run    run = {
           .seed = generation->seed,
           .skew = generation->skew == 0 ? SKEW_DEFAULT : generation->skew,
           .sink = sink,
           .sample = generation->sample,
           .sample_sink = generation->sample_sink,
           .job = job,
           .began = ink__system_now()->nanoseconds(),
           .allocator = ink__allocator_or_heap(job->allocator),
    };

    job->failed_path = NULL;
    INK__TRY(find_generator(generation->kind, &generator, error));
    run.records = generation->records == 0 ? generator->records : generation->records;
    INK__TRY(check(generator, generation, run.records, error));
    INK__TRY(generator->run(&run, error));
    job->records = run.records;
    job->bad = 0;
    return INK_OK;
}
