/* libbloom.c - the contestant of Debian's package libbloom-dev: one key a call, which is all that
 * it has. Its sizes are ints. */
#include "contest.h"

#include <bloom.h>
#include <stdlib.h>

static void *make(const question *asked)
{
    struct bloom *made = contest_memory(sizeof *made);

    if (bloom_init(made, (int)asked->count, 0.01) != 0)
        contest_fail("bloom_init");
    return made;
}

static void drop(void *sketch)
{
    bloom_free(sketch);
    free(sketch);
}

static const void *key_of(const question *asked, int series, size_t i, int *bytes)
{
    if (asked->keys.ints[series] != NULL) {
        *bytes = 8;
        return asked->keys.ints[series] + i;
    }
    *bytes = STRING_BYTES;
    return asked->keys.bytes[series] + STRING_BYTES * i;
}

static void add(void *sketch, const question *asked)
{
    int bytes;

    for (size_t i = 0; i < asked->count; i++) {
        const void *key = key_of(asked, ADDED, i, &bytes);
        bloom_add(sketch, key, bytes);
    }
}

static uint64_t ask(void *sketch, const question *asked, int series)
{
    uint64_t found = 0;
    int      bytes;

    for (size_t i = 0; i < asked->count; i++) {
        const void *key = key_of(asked, series, i, &bytes);
        found += (unsigned)bloom_check(sketch, key, bytes);
    }
    return found;
}

static uint64_t bytes_of(const void *sketch)
{
    return (uint64_t)((const struct bloom *)sketch)->bytes;
}

int main(void)
{
    static const way ways[] = {{.name = "libbloom",
                                .workload = "filter",
                                .forms = "u64,str16",
                                .most = 100000000,
                                .threads = "1",
                                .how = "bloom_add, bloom_check",
                                .make = make,
                                .add = add,
                                .ask = ask,
                                .bytes = bytes_of,
                                .drop = drop}};

    contest_serve(ways, sizeof ways / sizeof ways[0]);
    return 0;
}
