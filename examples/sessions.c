/* sessions.c - a set from which keys are removed: who is logged in? A counting filter removes keys,
 * and the rest converts to a plain bloom of a quarter of the size.
 *     printf 'in ann\nin bob\nout ann\n' | sessions */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                  \
    if ((call) != INK_OK)                                                                          \
    return fprintf(stderr, "sessions: %s\n", error.message), 1

int main(void)
{
    const ink_params params = {.kind = "counting", .expected_keys = 10000};
    ink_sketch      *here, *bloom;
    ink_description  counting, handed;
    ink_answer       distinct;
    ink_error        error;
    char             what[8], who[256];

    TRY(ink_sketch_create(&here, &params, NULL, &error));
    while (scanf("%7s %255s", what, who) == 2) {
        bool       in = strcmp(what, "in") == 0;
        ink_status status = in ? ink_sketch_add(here, who, strlen(who), &error)
                               : ink_sketch_remove(here, who, strlen(who), &error);
        if (status == INK_NOT_FOUND)
            printf("%s was not here\n", who); /* nothing has changed */
        else
            TRY(status);
    }
    TRY(ink_sketch_distinct(here, 0.95, &distinct, &error));
    TRY(ink_sketch_convert(&bloom, here, "bloom", NULL, &error));
    ink_sketch_describe(here, &counting);
    ink_sketch_describe(bloom, &handed);
    printf("%.0f here; %llu bytes, as a bloom %llu\n", distinct.estimate,
           (unsigned long long)counting.bytes, (unsigned long long)handed.bytes);
    ink_sketch_free(bloom);
    return ink_sketch_free(here), 0;
}
