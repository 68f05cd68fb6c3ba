/* heavy.c - the most frequent lines of standard input, in fixed memory however long it is, each
 * with bounds that are certain; a star marks those that surely have more than 1 % of all lines.
 *     heavy < access.log */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

static ink_error error;

int main(void)
{
    const ink_params params = {.kind = "top", .top_keys = 10};
    ink_sketch      *top;
    ink_description  d;
    ink_item         items[10];
    size_t           found = 0;
    char             line[4096];

    if (ink_sketch_create(&top, &params, NULL, &error) != INK_OK)
        return fprintf(stderr, "heavy: %s\n", error.sentence), 1;
    while (fgets(line, sizeof line, stdin) != NULL)
        if (ink_sketch_add(top, line, strcspn(line, "\n"), &error) != INK_OK)
            return fprintf(stderr, "heavy: %s\n", error.sentence), 1;
    ink_sketch_describe(top, &d);
    ink_sketch_top(top, items, 10, &found, &error);
    for (size_t i = 0; i < found; i++)
        printf("%c %.0f to %.0f  %.*s\n", items[i].count.low > (double)d.total / 100 ? '*' : ' ',
               items[i].count.low, items[i].count.high, (int)items[i].key_bytes,
               (const char *)items[i].key);
    ink_sketch_free(top);
    return 0;
}
