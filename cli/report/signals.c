/* signals.c - work that ends cleanly on a signal. */
#define _XOPEN_SOURCE 700
#include "report/signals.h"

#include "report/output.h"

#include <signal.h>
#include <stdatomic.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static volatile sig_atomic_t ended_by; /* the number of a signal; 0: none */
static atomic_int            signals;
static volatile sig_atomic_t begun;
static struct sigaction      before[NUMBERS];
static void (*volatile end_work)(void *host);
static void *end_host;

void signals_over(void)
{
    end_work = NULL;
    for (size_t i = 0; i < NUMBERS && begun; i++)
        sigaction(numbers[i], &before[i], NULL);
}

static void take_signal(int number)
{
    void (*end)(void *) = end_work;
    const int count = atomic_fetch_add(&signals, 1) + 1;

    if (count == 2) /* as the program timeout sends two */
        return;
    ended_by = number;
    if (count > 2) {
        signals_over();
        raise(count == 3 ? number : SIGKILL); /* on return; again if sigaction failed */
    } else if (end != NULL)
        end(end_host);
}

void signals_begin(void (*end)(void *host), void *host)
{
    struct sigaction handler = {.sa_handler = take_signal};

    end_work = end;
    end_host = host;
    for (size_t i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], NULL, &before[i]);
    begun = true;
    for (size_t i = 0; i < NUMBERS; i++)
        if (before[i].sa_handler != SIG_IGN) /* nohup stays as it is */
            sigaction(numbers[i], &handler, NULL);
}

void signals_heed(void)
{
    end_work = NULL;
}

bool signals_pending(void)
{
    return ended_by != 0;
}

void signals_die(void)
{
    if (ended_by == 0)
        return;
    out_flush();
    atomic_store(&signals, 2); /* the next one is not ignored */
    raise(ended_by);
}
