/* filter.c - build a filter, save it, map it and query it, in twenty lines.
 *     cc filter.c $(pkg-config --cflags --libs inkling) -o filter && ./filter */
#include <inkling_file.h>
#include <stdio.h>

#define TRY(call)                                                                                  \
    do {                                                                                           \
        if ((call) != INK_OK)                                                                      \
            return fprintf(stderr, "%s\n", error.message), 1;                                      \
    } while (0)

int main(void)
{
    const ink_params params = {.kind = "bloom", .expected_keys = 1000, .false_positive_rate = 0.01};
    ink_sketch      *words, *view;
    ink_file        *file;
    ink_error        error;
    bool             bee, cat;

    TRY(ink_sketch_create(&words, &params, NULL, &error));
    TRY(ink_sketch_add(words, "bee", 3, &error));
    TRY(ink_sketch_save(words, "words.ink", &error));
    TRY(ink_file_open(&file, "words.ink", INK_OPEN_LAZY, NULL, &error)); /* maps it */
    TRY(ink_file_sketch(file, 0, &view, &error));
    TRY(ink_sketch_contains(view, "bee", 3, &bee, &error));
    TRY(ink_sketch_contains(view, "cat", 3, &cat, &error));
    printf("bee: %s, cat: %s\n", bee ? "maybe" : "no", cat ? "maybe" : "no");
    ink_sketch_free(view);
    ink_file_close(file);
    ink_sketch_free(words);
    return 0;
}
