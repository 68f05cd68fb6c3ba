/* quantities.h - numbers as people write and read them: 1e6, 64M, 4x, 10m. Strict: a sign, blanks,
 * hex, nan and trailing text are refused. */
#ifndef INK_CLI_OPTIONS_QUANTITIES_H
#define INK_CLI_OPTIONS_QUANTITIES_H

#include <stddef.h>
#include <stdint.h>

typedef enum number_status { NUMBER_OK, NUMBER_IS_NONE, NUMBER_TOO_LARGE } number_status;

/* A whole number below 2^64, also as 1e6 or 1.5e6. */
number_status number_count(const char *text, uint64_t *value);

/* A number of bytes: a whole number, or with K, M, G, T: powers of 1024. */
number_status number_bytes(const char *text, uint64_t *value);

/* A real number; one too small for a double becomes 0. */
number_status number_real(const char *text, double *value);

/* A factor: 4x, or 4. */
number_status number_factor(const char *text, double *value);

/* A time in microseconds: 10s, 10m, 10h, 10d, 250ms; a number without a unit is in seconds. */
number_status number_time(const char *text, uint64_t *value);

/* 999 B, 1.2 MB, 120 GB: powers of 1000, one decimal below 100. */
void format_size(char *text, size_t room, uint64_t bytes);
/* The same for a number: 12.3 M. */
void format_short(char *text, size_t room, double number);
/* Three digits: 0.00987, 1.23e-05. */
void format_rate(char *text, size_t room, double rate);

#endif
