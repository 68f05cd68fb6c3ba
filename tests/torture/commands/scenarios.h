/* scenarios.h - command lines of `ink` whose every call is made to fail, and the files that they
 * find. */
#ifndef INK_TORTURE_SCENARIOS_H
#define INK_TORTURE_SCENARIOS_H

#include "server.h"

enum {
    SCENARIO_STATE = 16,   /* a stream: what was saved before a failure stays, and is whole ... */
    SCENARIO_RESUMES = 32, /* ... and the same command again comes to the same end */
    SCENARIO_SLOW = 64,   /* takes a second: of each site of calls the first one fails, none in make
                             check */
    SCENARIO_THREADS = 1, /* several threads: the order of calls, and how many, may differ */
    SCENARIO_OUTPUT_TIMED = 2, /* what is printed says how long it took: not compared */
    SCENARIO_FILES_TIMED = 4,  /* so do files: only which ones there are is compared */
    SCENARIO_TWO_OUTPUTS = 8,  /* each is whole or not at all, but one may be new and one old */
};

typedef struct scenario {
    const char *words;     /* after `ink`, with blanks between them */
    const char *input;     /* standard input: a file, "|FILE" through a pipe, NULL: nothing */
    unsigned    flags;     /* SCENARIO_... */
    unsigned    peer;      /* PEER_...: what the other side of its connections does */
    const char *variables; /* of the environment, as NAME=VALUE, with blanks between them */
} scenario;

extern const scenario scenarios[];
extern const size_t   scenario_count;

/* Makes the files that scenarios name, in a new folder: data, sketches and states. */
void stock_make(server *with, const char *folder);
/* Copies what the words of a scenario name to its folder. */
void stock_take(const scenario *of, const char *stock, const char *folder);

#endif
