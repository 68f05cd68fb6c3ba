/* spell.c - a spell checker in one byte per word: 8 bits and 5 hash functions per word accept
 * about 2 % of wrong words, and every right one.
 *     spell DICTIONARY < TEXT      prints the words of TEXT that are not in DICTIONARY */
#include <inkling.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                  \
    if ((call) != INK_OK)                                                                          \
    return fprintf(stderr, "spell: %s\n", error.message), 1

int main(int argc, char **argv)
{
    FILE       *dictionary = argc == 2 ? fopen(argv[1], "r") : NULL;
    char        word[256];
    uint64_t    words = 0;
    ink_sketch *known;
    ink_error   error;
    bool        maybe;

    if (dictionary == NULL)
        return fprintf(stderr, "spell: expected a dictionary, one word a line\n"), 1;
    while (fscanf(dictionary, "%255s", word) == 1)
        words++;
    const ink_params params = {.kind = "classic", .bits = 8 * words, .hashes = 5};
    TRY(ink_sketch_create(&known, &params, NULL, &error));
    rewind(dictionary);
    while (fscanf(dictionary, "%255s", word) == 1)
        TRY(ink_sketch_add(known, word, strlen(word), &error));
    while (scanf("%255s", word) == 1) {
        TRY(ink_sketch_contains(known, word, strlen(word), &maybe, &error));
        if (!maybe)
            puts(word);
    }
    fclose(dictionary);
    return ink_sketch_free(known), 0;
}
