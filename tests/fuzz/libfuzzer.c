/* libfuzzer.c - a target under libFuzzer. INK_FUZZ_VARIANT names the variant, if it has such;
 * INK_FUZZ_SEEDS a folder: the inputs to begin with are written there, and that is all. With
 * INK_FUZZ_DESCRIBE it only prints how large inputs are, its weight, and its variants, for
 * run_fuzz.py. */
#define _DEFAULT_SOURCE 1
#include "fuzz/fuzz.h"

#include <stdio.h>
#include <stdlib.h>

int    LLVMFuzzerInitialize(int *argc, char ***argv);
int    LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);
size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned seed);
size_t LLVMFuzzerMutate(uint8_t *bytes, size_t count, size_t room);

static void write_seeds(const char *folder)
{
    uint8_t *bytes = malloc(fuzz_here.most_bytes);
    size_t   count;

    for (unsigned i = 0; (count = fuzz_here.seed(i, bytes, fuzz_here.most_bytes)) != SIZE_MAX;
         i++) {
        char path[4096];
        snprintf(path, sizeof path, "%s/seed-%03u", folder, i);
        FILE *file = fopen(path, "wb");
        if (file == NULL || fwrite(bytes, 1, count, file) != count || fclose(file) != 0) {
            perror(path);
            exit(1);
        }
    }
    free(bytes);
    exit(0);
}

static void describe(void)
{
    printf("%zu %u", fuzz_here.most_bytes, fuzz_here.weight == 0 ? 1 : fuzz_here.weight);
    for (size_t i = 0; fuzz_here.variants != NULL && fuzz_here.variants[i] != NULL; i++)
        printf(" %s", fuzz_here.variants[i]);
    printf("\n");
    exit(0);
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = getenv("INK_FUZZ_SEEDS");

    (void)argc;
    (void)argv;
    if (getenv("INK_FUZZ_DESCRIBE") != NULL)
        describe();
    setenv("CMOCKA_TEST_ABORT", "1", 1); /* a check that fails is a finding */
    fuzz_begin();
    if (folder != NULL)
        write_seeds(folder);
    return 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    double seconds = fuzz_try(bytes, count);

    if (seconds > FUZZ_SECONDS_MAX) {
        fprintf(stderr, "ERROR: it took %.1f s, expected at most %g\n", seconds, FUZZ_SECONDS_MAX);
        abort();
    }
    return 0;
}

size_t LLVMFuzzerCustomMutator(uint8_t *bytes, size_t count, size_t room, unsigned seed)
{
    fuzz_draw_from(seed);
    if (fuzz_draw(3) == 0) { /* what libFuzzer knows: words that were compared, other inputs */
        count = LLVMFuzzerMutate(bytes, count, room);
        if (fuzz_here.mend != NULL && fuzz_draw(8) != 0)
            fuzz_here.mend(bytes, count);
        return count;
    }
    for (uint64_t times = 1 + fuzz_draw(3); times > 0; times--)
        count = fuzz_change(bytes, count, room);
    return count;
}
