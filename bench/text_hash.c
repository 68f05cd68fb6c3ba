/* text_hash.c - what hashing many keys at a time gains on text: lines to a HyperLogLog sketch, with
 * the hashes of a batch and with the xxHash library called for one key after another.
 *
 *   text_hash FILE ROUNDS     prints "seconds_of_batches<tab>seconds_one_by_one", the least of all
 *                             rounds, of which each runs both */
#define _GNU_SOURCE
#include "hash/hashes.h"
#include "inkling.h"
#include "kernels/dispatch.h"

#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { ROWS = 512, SEED = 7 };

static _Noreturn void fail(const char *what)
{
    fprintf(stderr, "text_hash: %s\n", what);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void hash_lines(const uint8_t *bytes, const uint64_t *starts, const uint64_t *ends,
                       size_t count, bool batch, uint64_t *hashes)
{
    if (batch) {
        ink__kernels_fastest()->xxh3_batch(bytes, starts, ends, count, SEED, hashes);
        return;
    }
    for (size_t i = 0; i < count; i++)
        hashes[i] = ink__xxh3(bytes + starts[i], (size_t)(ends[i] - starts[i]), SEED);
}

/* Reads all lines; returns how many different ones there are, about. */
static double read_lines(const uint8_t *bytes, uint64_t count, bool batch)
{
    const ink_params params = {.kind = "hll"};
    uint64_t         starts[ROWS], ends[ROWS], hashes[ROWS], used;
    ink_sketch      *sketch;
    ink_answer       answer;
    size_t           lines;
    bool             cr;

    if (ink_sketch_create(&sketch, &params, NULL, NULL) != INK_OK)
        fail("no sketch");
    for (uint64_t at = 0; at < count; at += used) {
        lines = ink__kernels_fastest()->lines_cut(bytes + at, count - at, '\n', starts, ends, ROWS,
                                                  &used, &cr);
        if (lines == 0)
            break;
        hash_lines(bytes + at, starts, ends, lines, batch, hashes);
        const ink_batch some = {.count = lines, .hashes = hashes};
        if (ink_sketch_add_batch(sketch, &some, NULL) != INK_OK)
            fail("the sketch takes no hashes");
    }
    if (ink_sketch_distinct(sketch, 0, &answer, NULL) != INK_OK)
        fail("no answer");
    ink_sketch_free(sketch);
    return answer.estimate;
}

/* Faults of a fresh mapping are part of the time, as they are of the command's. */
static double time_once(int file, uint64_t count, bool batch, double *estimate)
{
    double   start = seconds();
    uint8_t *bytes = mmap(NULL, (size_t)count, PROT_READ, MAP_PRIVATE, file, 0);

    if (bytes == MAP_FAILED)
        fail("the file cannot be mapped");
    *estimate = read_lines(bytes, count, batch);
    munmap(bytes, (size_t)count);
    return seconds() - start;
}

int main(int argc, char **argv)
{
    double      best[2] = {1e9, 1e9}, estimates[2];
    struct stat stat;

    if (argc != 3) {
        fprintf(stderr, "usage: text_hash FILE ROUNDS\n");
        return 2;
    }
    int file = open(argv[1], O_RDONLY);
    if (file < 0 || fstat(file, &stat) != 0 || stat.st_size == 0)
        fail("expected a file with lines");
    for (long round = 0; round < strtol(argv[2], NULL, 10); round++)
        for (int one = 0; one < 2; one++) {
            double time = time_once(file, (uint64_t)stat.st_size, one == 0, &estimates[one]);
            best[one] = time < best[one] ? time : best[one];
        }
    if (estimates[0] != estimates[1])
        fail("the two ways have different hashes");
    printf("%.6f\t%.6f\n", best[0], best[1]);
    return 0;
}
