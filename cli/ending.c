/* ending.c - work that a signal ends in good order. */
#define _XOPEN_SOURCE 700
#include "ending.h"

#include "output.h"

#include <signal.h>
#include <stddef.h>

static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};

enum { NUMBERS = sizeof numbers / sizeof *numbers };

static volatile sig_atomic_t ended_by; /* the number of a signal; 0: none */
static struct sigaction      before[NUMBERS];
static void (*end_work)(void *host);
static void *end_host;

void ending_over(void)
{
    for (size_t i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], &before[i], NULL);
}

static void take_signal(int number)
{
    ended_by = number;
    ending_over();
    if (end_work != NULL)
        end_work(end_host);
}

void ending_begin(void (*end)(void *host), void *host)
{
    struct sigaction ending = {.sa_handler = take_signal};

    end_work = end;
    end_host = host;
    for (size_t i = 0; i < NUMBERS; i++)
        sigaction(numbers[i], NULL, &before[i]);
    for (size_t i = 0; i < NUMBERS; i++)
        if (before[i].sa_handler != SIG_IGN) /* nohup stays as it is */
            sigaction(numbers[i], &ending, NULL);
}

bool ending_asked(void)
{
    return ended_by != 0;
}

void ending_die(void)
{
    if (ended_by == 0)
        return;
    out_flush();
    raise(ended_by);
}
