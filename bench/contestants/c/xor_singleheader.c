/* xor_singleheader.c - the contestant of xor_singleheader, whose header comes with the sources of
 * the package pyfusefilter: a binary fuse filter of 8 bits, made and asked as its README does. Its
 * keys are hashes already, and must be different. */
#include "contest.h"

#include <binaryfusefilter.h>
#include <stdlib.h>

static void *make(const question *asked)
{
    binary_fuse8_t *made = contest_memory(sizeof *made);

    if (!binary_fuse8_allocate((uint32_t)asked->count, made))
        contest_fail("binary_fuse8_allocate");
    return made;
}

static void drop(void *filter)
{
    binary_fuse8_free(filter);
    free(filter);
}

static void add(void *filter, const question *asked)
{
    if (!binary_fuse8_populate(asked->keys.ints[ADDED], (uint32_t)asked->count, filter))
        contest_fail("binary_fuse8_populate");
}

static uint64_t ask(void *filter, const question *asked, int series)
{
    const uint64_t *keys = asked->keys.ints[series];
    uint64_t        found = 0;

    for (size_t i = 0; i < asked->count; i++)
        found += binary_fuse8_contain(keys[i], filter);
    return found;
}

static uint64_t bytes_of(const void *filter)
{
    return binary_fuse8_size_in_bytes(filter);
}

int main(void)
{
    static const way ways[] = {{.name = "xor_singleheader",
                                .workload = "static",
                                .forms = "u64",
                                .most = UINT32_MAX,
                                .threads = "1",
                                .how = "binary_fuse8_populate, binary_fuse8_contain",
                                .make = make,
                                .add = add,
                                .ask = ask,
                                .bytes = bytes_of,
                                .drop = drop}};

    contest_serve(ways, sizeof ways / sizeof ways[0]);
    return 0;
}
