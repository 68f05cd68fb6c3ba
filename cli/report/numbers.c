/* numbers.c - numbers as people read them. */
#include "report/numbers.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void format_scaled(char *text, size_t room, double number, const char *one,
                          const char *const *scales)
{
    size_t scale = 0;

    if (number < 999.5) {
        snprintf(text, room, "%.0f%s", number, one);
        return;
    }
    for (number /= 1000; number >= 999.5 && scales[scale + 1] != NULL; number /= 1000)
        scale++;
    snprintf(text, room, number < 99.95 ? "%.1f %s" : "%.0f %s", number, scales[scale]);
}

void format_size(char *text, size_t room, uint64_t bytes)
{
    static const char *const scales[] = {"kB", "MB", "GB", "TB", "PB", "EB", NULL};

    format_scaled(text, room, (double)bytes, " B", scales);
}

void format_short(char *text, size_t room, double number)
{
    static const char *const scales[] = {"k", "M", "G", "T", NULL};

    format_scaled(text, room, number, "", scales);
}

void format_rate(char *text, size_t room, double rate)
{
    if (rate == 0)
        snprintf(text, room, "0");
    else if (rate >= 1e-4)
        snprintf(text, room, "%#.3g", rate);
    else
        snprintf(text, room, "%.2e", rate);
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '.') /* "100." */
        text[length - 1] = '\0';
}

/* The last result is cached: it takes up to 17 tries, and rows often repeat a number. */
void format_exact(char *text, size_t room, double real)
{
    static _Thread_local double last;
    static _Thread_local char   last_text[32] = "0";

    for (int digits = 1; real != last && digits <= 17; digits++) {
        snprintf(last_text, sizeof last_text, "%.*g", digits, real);
        if (strtod(last_text, NULL) == real)
            last = real;
    }
    snprintf(text, room, "%s", last_text);
}
