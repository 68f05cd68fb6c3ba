/* window.c - how often did a name occur in the last three minutes? Each line of standard input is
 * a time in seconds and a name; a ring of ten slots of one minute keeps ten minutes.
 *     printf '0 ann\n130 bob\n140 bob\n250 eve\n' | window ann bob */
#include <inkling_file.h>
#include <stdio.h>
#include <string.h>

#define TRY(call)                                                                                  \
    if ((call) != INK_OK)                                                                          \
    return fprintf(stderr, "window: %s\n", error.message), 1

int main(int argc, char **argv)
{
    const ink_params params = {.kind = "count-min"};
    const ink_window window = {.slot_microseconds = 60000000, .slots = 10, .slots_ahead = 1000};
    ink_ring        *ring;
    ink_sketch      *slot, *last;
    ink_answer       count;
    ink_error        error;
    long long        when, late = 0;
    char             who[256];

    TRY(ink_ring_create(&ring, &params, &window, NULL, &error));
    while (scanf("%lld %255s", &when, who) == 2) {
        TRY(ink_ring_slot(ring, when * 1000000, &slot, &error));
        if (slot == NULL)
            late++;
        else
            TRY(ink_sketch_add(slot, who, strlen(who), &error));
    }
    TRY(ink_ring_last(ring, 3, &last, &error)); /* their union */
    for (int i = 1; i < argc; i++) {
        TRY(ink_sketch_count(last, argv[i], strlen(argv[i]), &count, &error));
        printf("%s: %.0f\n", argv[i], count.estimate);
    }
    printf("%lld records were late\n", late);
    return ink_sketch_free(last), ink_ring_free(ring), 0;
}
