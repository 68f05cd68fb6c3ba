/* page.h - memory that a suite, the server and the command under test have in common: what is to be
 * run, what is to fail, and what came of it. */
#ifndef INK_TORTURE_PAGE_H
#define INK_TORTURE_PAGE_H

#include "calls.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* Descriptors of the server: it reads the page and orders, and writes what became of them. */
enum { TORTURE_PAGE_FILE = 900, TORTURE_ORDERS = 901, TORTURE_REPORTS = 902 };

/* In the place of an errno: the call moves a single byte. */
enum { TORTURE_SHORT = -1 };

typedef struct torture_plan {
    torture_call call;
    uint64_t     nth;       /* counted from 1, since main; 0: nothing fails */
    int          os_error;  /* or TORTURE_SHORT */
    bool         and_after; /* so does every later call of this kind ... */
    bool         alternate; /* ... or every second one */
} torture_plan;

enum {
    TORTURE_WORDS_BYTES = 4096,
    TORTURE_PATH_BYTES = 512,
    TORTURE_FRAMES = 40,
    TORTURE_PATHS = 32,
    TORTURE_LISTENERS = 4,
    TORTURE_SITES = 1024, /* of all kinds of calls together */
};

/* A place that calls something, and its number among the calls of its kind when it first did. */
typedef struct torture_site {
    uint64_t     hash; /* of where it returns to, and where that does */
    torture_call call;
    uint64_t     first;
} torture_site;

typedef struct torture_page {
    /* What is run: words and variables, each with its NUL, the last one empty. */
    char         words[TORTURE_WORDS_BYTES];
    char         variables[TORTURE_WORDS_BYTES];
    char         folder[TORTURE_PATH_BYTES];
    char         input[TORTURE_PATH_BYTES], output[TORTURE_PATH_BYTES], errors[TORTURE_PATH_BYTES];
    bool         input_is_pipe;
    torture_plan plan;
    bool         trace; /* note where it failed, in frames */
    bool         looks; /* note the sites of all calls */

    /* What came of it. */
    _Atomic uint64_t counts[TORTURE_CALL_COUNT];
    _Atomic uint64_t struck;          /* how often something failed */
    _Atomic unsigned struck_standard; /* bits: standard input, output or error met it */
    char             struck_paths[TORTURE_PATHS][TORTURE_PATH_BYTES]; /* what others were for */
    _Atomic unsigned path_count;
    void            *frames[TORTURE_FRAMES];
    int              frame_count;
    void            *command_start; /* where the command is loaded */
    /* Where it listens, in the order in which it began to: the port, or 0 for a path. */
    int              ports[TORTURE_LISTENERS];
    _Atomic unsigned listeners;
    _Atomic bool     catches; /* it takes SIGTERM as the end of a stream, or has tried to */
    torture_site     sites[TORTURE_SITES];
    unsigned         site_count;
} torture_page;

#endif
