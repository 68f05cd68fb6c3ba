/* network.h - connections without a network: a system whose sockets are what a test says that the
 * other sides do. Nothing is waited for, as the clock goes on by itself when nothing is ready, so
 * that minutes of silence cost nothing; and a fixed number draws how everything is cut.
 *
 *     const network_peer peers[] = {{"HTTP/1.1 200 OK\r\n\r\nabc", 22, .end = NETWORK_STAYS}};
 *
 *     network_begin(&(network_plan){.peers = peers, .count = 1, .draws = 5});
 *     ... a connection is made, and its answer comes in pieces of any size, and then nothing ...
 *     network_end();
 *     assert_int_equal(network_open(), 0); */
#ifndef INK_TESTS_NETWORK_H
#define INK_TESTS_NETWORK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum network_end_kind {
    NETWORK_CLOSES = 0, /* has sent everything, and still takes what it is sent */
    NETWORK_RESETS,
    NETWORK_STAYS, /* sends nothing more, for ever */
} network_end_kind;

/* The other side of a connection. */
typedef struct network_peer {
    const void      *bytes; /* that it sends */
    size_t           count;
    const char      *until; /* once what it was sent has ended with this; NULL: at once */
    network_end_kind end;   /* what it does then */
    size_t           piece; /* bytes that come at a time ... */
    uint64_t         pause; /* ... and nanoseconds between them; 0: all are there */
    size_t           takes; /* of what it is sent, and takes so much in a pause; 0: all at once */
} network_peer;

typedef struct network_plan {
    const network_peer *peers; /* in the order in which connections are made; more are refused */
    size_t              count;
    /* Draws how many bytes are moved at a time, who is ready, and what is interrupted or has to be
     * tried again; 0: all is moved at once, and nothing is. */
    uint64_t draws;
} network_plan;

/* Puts the table in place. `plan` must outlive it, until network_end. One thread only. */
void network_begin(const network_plan *plan);
void network_end(void);

/* Since network_begin, and still to be asked after network_end: */
size_t   network_connections(void); /* that were made or taken */
int      network_open(void);        /* of these, and of what listens: not closed */
uint64_t network_passed(void);      /* nanoseconds */
/* What a peer was sent so far, until the next network_begin. */
const uint8_t *network_sent(size_t number, size_t *count);
/* Whether this side has closed the connection. */
bool network_left(size_t number);

#endif
