/* numbers.h - numbers as people read them. */
#ifndef INK_CLI_REPORT_NUMBERS_H
#define INK_CLI_REPORT_NUMBERS_H

#include <stddef.h>
#include <stdint.h>

/* 999 B, 1.2 MB, 120 GB: powers of 1000, one decimal below 100. */
void format_size(char *text, size_t room, uint64_t bytes);
/* The same for a number: 12.3 M. */
void format_short(char *text, size_t room, double number);
/* Three digits: 0.00987, 1.23e-05. */
void format_rate(char *text, size_t room, double rate);
/* The shortest decimal that reads back as the same number. */
void format_exact(char *text, size_t room, double real);

#endif
