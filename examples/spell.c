/* spell.c - a spell checker in one byte a word: 8 bits and 5 hash functions a word let about 2 % of
 * wrong words pass, and never blame a right one.
 *     spell DICTIONARY < TEXT      prints the words of TEXT that are not in DICTIONARY */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

static ink_error error;

static int fail(const char *why)
{
    return fprintf(stderr, "spell: %s\n", why), 1;
}

int main(int argc, char **argv)
{
    FILE       *dictionary = argc == 2 ? fopen(argv[1], "r") : NULL;
    char        word[256];
    uint64_t    words = 0;
    ink_sketch *known;
    bool        maybe;

    if (dictionary == NULL)
        return fail("expected a dictionary, one word a line");
    while (fscanf(dictionary, "%255s", word) == 1)
        words++;
    const ink_params params = {.kind = "classic", .bits = 8 * words, .hashes = 5};
    if (ink_sketch_create(&known, &params, NULL, &error) != INK_OK)
        return fail(error.sentence);
    rewind(dictionary);
    while (fscanf(dictionary, "%255s", word) == 1)
        ink_sketch_add(known, word, strlen(word), &error);
    fclose(dictionary);
    while (scanf("%255s", word) == 1)
        if (ink_sketch_contains(known, word, strlen(word), &maybe, &error) == INK_OK && !maybe)
            puts(word);
    ink_sketch_free(known);
    return 0;
}
