/* signals.h - work that a signal ends in good order: the first one lets it end by itself, what it
 * has made is put in its place or taken away, and then the process dies of the signal; a second one
 * ends the process at once. */
#ifndef INK_CLI_REPORT_SIGNALS_H
#define INK_CLI_REPORT_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP call `end`, which must be async-signal-safe; may be NULL.
 * Those that are ignored stay so. */
void signals_begin(void (*end)(void *host), void *host);
/* The work is over, and `end` is not called any more; but what it leaves is still to be put in
 * order, and a signal waits for ending_die. */
void signals_heed(void);
/* Whether a signal has come. */
bool signals_asked(void);
/* Signals do what they did before. */
void signals_over(void);
/* Dies of the signal that came, if one did; what waits for standard output is written first. */
void signals_die(void);

#endif
