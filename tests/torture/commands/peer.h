/* peer.h - the other side of a command that has connections: clients that train and ask a stream,
 * looks at its page and ends it with SIGTERM; a file that grows; a NameNode. It is a thread of the
 * suite, and does the same in every run.
 *
 * It waits for as long as the command may take, but for a command of which something has failed:
 * that one may rightly be silent for ever, and is given a while after its last sign of life. */
#ifndef INK_TORTURE_PEER_H
#define INK_TORTURE_PEER_H

#include "page.h"

#include <stddef.h>
#include <sys/types.h>

/* What a peer does, in this order. Streams begin to listen in this order too. */
enum {
    PEER_TRAINS = 1,  /* over two connections */
    PEER_GROWS = 2,   /* adds lines to PEER_GROWING */
    PEER_ASKS = 4,    /* until all records are in and saved; then some questions */
    PEER_BROWSES = 8, /* looks at the page */
    /* Not by a thread: */
    PEER_STALE = 16,  /* sockets without a listener are there already */
    PEER_OFFERS = 32, /* a NameNode with a file; PORT in words is its port */
    PEER_STORES = 64, /* a NameNode with none */
};

#define PEER_GROWING "growing.txt" /* has as many lines before as the peer adds */
enum { PEER_RECORDS = 40 };

/* Whether it ends the command with SIGTERM. */
enum { PEER_ENDS = PEER_TRAINS | PEER_GROWS | PEER_ASKS | PEER_BROWSES };

/* What was reported to a peer. */
typedef struct peer_report {
    char    *heard; /* answers, or the file that was stored */
    size_t   bytes;
    bool     left;  /* it gave up */
    uint64_t saved; /* records that the command reported as saved */
} peer_report;

typedef struct peer peer;

/* Before the command is started: gives words in which PORT is a port. */
peer *peer_begin(unsigned does, const char *folder, const torture_page *page, const char *words,
                 const char *variables);
const char *peer_words(const peer *of);
const char *peer_variables(const peer *of);
/* When it is, and when it has ended. */
void peer_meet(peer *of, pid_t command);
void peer_end(peer *of, peer_report *to);

#endif
