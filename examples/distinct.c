/* distinct.c - how many different lines has standard input? Flajolet-Martin, read as it should be
 * and as textbooks read it, beside HyperLogLog.
 *     distinct < access.log */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

static ink_error error;

static void print(const char *what, const ink_answer *a)
{
    printf("%-21s %.0f (95 %%: %.0f to %.0f)\n", what, a->estimate, a->low, a->high);
}

int main(void)
{
    const ink_params as_fm = {.kind = "fm"}, as_hll = {.kind = "hll"};
    ink_sketch      *fm, *hll;
    ink_answer       answer;
    char             line[4096];

    if (ink_sketch_create(&fm, &as_fm, NULL, &error) != INK_OK ||
        ink_sketch_create(&hll, &as_hll, NULL, &error) != INK_OK)
        return fprintf(stderr, "distinct: %s\n", error.sentence), 1;
    while (fgets(line, sizeof line, stdin) != NULL)
        if (ink_sketch_add(fm, line, strcspn(line, "\n"), &error) != INK_OK ||
            ink_sketch_add(hll, line, strcspn(line, "\n"), &error) != INK_OK)
            return fprintf(stderr, "distinct: %s\n", error.sentence), 1;
    ink_sketch_distinct(fm, 0.95, &answer, &error);
    print("fm, 144 bytes", &answer);
    ink_sketch_distinct_by(fm, INK_ESTIMATOR_MEAN_OF_POWERS, 0.95, &answer, &error);
    print("fm, as in textbooks", &answer);
    ink_sketch_distinct(hll, 0.95, &answer, &error);
    print("hll, 12 KB at most", &answer);
    ink_sketch_free(hll);
    ink_sketch_free(fm);
    return 0;
}
