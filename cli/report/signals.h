/* signals.h - work that ends cleanly on a signal: the first one stops the work, its results are
 * saved or removed, and the process dies of that signal. The second one is ignored, as the program
 * timeout sends two; the third kills the process at once. */
#ifndef INK_CLI_REPORT_SIGNALS_H
#define INK_CLI_REPORT_SIGNALS_H

#include <stdbool.h>

/* From now on SIGINT, SIGTERM and SIGHUP call `end`, which must be async-signal-safe; may be NULL.
 * Those that are ignored stay so. */
void signals_begin(void (*end)(void *host), void *host);
/* The work is over: `end` is not called any more, but a signal still waits for signals_die, so that
 * the caller can clean up. */
void signals_heed(void);
/* Whether a signal has come. */
bool signals_pending(void);
/* Restores the former handlers. */
void signals_over(void);
/* Dies of the signal, if one has come; flushes standard output first. */
void signals_die(void);

#endif
