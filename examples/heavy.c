/* heavy.c - the most frequent lines of standard input, in fixed memory for any length, each
 * with certain bounds; a star marks those that certainly have more than 1 % of all lines.
 *     heavy < access.log */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                  \
    if ((call) != INK_OK)                                                                          \
    return fprintf(stderr, "heavy: %s\n", error.message), 1

int main(void)
{
    const ink_params params = {.kind = "top", .top_keys = 10};
    ink_sketch      *top;
    ink_description  d;
    ink_item         items[10];
    ink_error        error;
    size_t           found;
    char             line[4096];

    TRY(ink_sketch_create(&top, &params, NULL, &error));
    while (fgets(line, sizeof line, stdin) != NULL)
        TRY(ink_sketch_add(top, line, strcspn(line, "\n"), &error));
    ink_sketch_describe(top, &d);
    TRY(ink_sketch_top(top, items, 10, &found, &error));
    for (size_t i = 0; i < found; i++)
        printf("%c %.0f to %.0f  %.*s%s\n", items[i].count.low > (double)d.total / 100 ? '*' : ' ',
               items[i].count.low, items[i].count.high, (int)items[i].key_bytes,
               (const char *)items[i].key, items[i].cut ? "..." : "");
    ink_sketch_free(top);
    return 0;
}
