/* server.h - the command `ink` as a server (interpose.c): a run of it for each order. */
#ifndef INK_TORTURE_SERVER_H
#define INK_TORTURE_SERVER_H

#include "page.h"
#include "peer.h"

#include <stddef.h>
#include <sys/types.h>

/* What came of a run. */
typedef struct outcome {
    int         code;   /* exit code; -1 if it died of a signal */
    int         signal; /* which one; 0: none */
    bool        hung;   /* it did not end, and was killed */
    char       *output, *errors;
    size_t      output_bytes, error_bytes;
    peer_report peer; /* of the other side, if there is one */
} outcome;

typedef struct server server;

/* Starts FOLDER/ink with the interposing library; runs leave their output in files below `scratch`.
 * Ends the program if that fails. */
server       *server_start(const char *folder, const char *scratch);
void          server_stop(server *of);
torture_page *server_page(server *of);

/* Runs words, separated by blanks, in a folder. `input` is a file below it, NULL for nothing, or
 * "|FILE" for what comes through a pipe. `variables` are separated by blanks too, and may be NULL.
 */
void server_run(server *of, const char *words, const char *variables, const char *folder,
                const char *input, const torture_plan *plan, outcome *to);
/* The same in two steps, for those who have something to do with the process meanwhile. */
pid_t server_order(server *of, const char *words, const char *variables, const char *folder,
                   const char *input, const torture_plan *plan);
void  server_await(server *of, pid_t id, outcome *to);
void  outcome_free(outcome *of);

#endif
