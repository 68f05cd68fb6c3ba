/* sessions.c - a set that keys leave again: who is logged in? A counting filter takes keys out, and
 * what is left can be handed on as a plain bloom of a quarter of the size.
 *     printf 'in ann\nin bob\nout ann\n' | sessions */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

static ink_error error;

int main(void)
{
    const ink_params params = {.kind = "counting", .expected_keys = 10000};
    ink_sketch      *here, *bloom;
    ink_description  counting, handed;
    ink_answer       distinct;
    char             what[8], who[256];

    if (ink_sketch_create(&here, &params, NULL, &error) != INK_OK)
        return fprintf(stderr, "sessions: %s\n", error.sentence), 1;
    while (scanf("%7s %255s", what, who) == 2) {
        if (strcmp(what, "in") == 0)
            ink_sketch_add(here, who, strlen(who), &error);
        else if (ink_sketch_remove(here, who, strlen(who), &error) != INK_OK)
            printf("%s was not here\n", who); /* refused: nothing has changed */
    }
    ink_sketch_distinct(here, 0.95, &distinct, &error);
    if (ink_sketch_convert(&bloom, here, "bloom", NULL, &error) != INK_OK)
        return fprintf(stderr, "sessions: %s\n", error.sentence), 1;
    ink_sketch_describe(here, &counting);
    ink_sketch_describe(bloom, &handed);
    printf("%.0f here; %llu bytes, as a bloom %llu\n", distinct.estimate,
           (unsigned long long)counting.bytes, (unsigned long long)handed.bytes);
    ink_sketch_free(bloom);
    ink_sketch_free(here);
    return 0;
}
