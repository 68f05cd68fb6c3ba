/* distinct.c - how many distinct lines has standard input? Flajolet-Martin with our estimator and
 * with that of the textbooks, and HyperLogLog.
 *     distinct < access.log */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                  \
    if ((call) != INK_OK)                                                                          \
    return fprintf(stderr, "distinct: %s\n", error.message), 1

static void print(const char *what, const ink_answer *a)
{
    printf("%-21s %.0f (95 %%: %.0f to %.0f)\n", what, a->estimate, a->low, a->high);
}

int main(void)
{
    const ink_params as_fm = {.kind = "fm"}, as_hll = {.kind = "hll"};
    ink_sketch      *fm, *hll;
    ink_answer       good, textbook, better;
    ink_error        error;
    char             line[4096];

    TRY(ink_sketch_create(&fm, &as_fm, NULL, &error));
    TRY(ink_sketch_create(&hll, &as_hll, NULL, &error));
    while (fgets(line, sizeof line, stdin) != NULL) {
        TRY(ink_sketch_add(fm, line, strcspn(line, "\n"), &error));
        TRY(ink_sketch_add(hll, line, strcspn(line, "\n"), &error));
    }
    TRY(ink_sketch_distinct(fm, 0.95, &good, &error));
    TRY(ink_sketch_distinct_by(fm, INK_ESTIMATOR_MEAN_OF_POWERS, 0.95, &textbook, &error));
    TRY(ink_sketch_distinct(hll, 0.95, &better, &error));
    print("fm, 144 bytes", &good);
    print("fm, as in textbooks", &textbook);
    print("hll, 12 kB at most", &better);
    return ink_sketch_free(fm), ink_sketch_free(hll), 0;
}
