/* tcp_clients.h - records from many connections at a time, of which none waits for another. For
 * live_source.c. */
#ifndef INK_INPUT_LIVE_TCP_CLIENTS_H
#define INK_INPUT_LIVE_TCP_CLIENTS_H

#include "input/live/live_origin.h"

typedef struct ink__tcp_clients ink__tcp_clients;

/* As the calls of live_source.h, for the only address of the rule, which must outlive it. */
ink_status ink__tcp_clients_open(ink__tcp_clients **clients, const ink__live_rule *rule,
                                 const ink_allocator *allocator, ink_error *error);
void       ink__tcp_clients_close(ink__tcp_clients *clients); /* NULL is allowed */
ink_status ink__tcp_clients_next(ink__tcp_clients *clients, ink__live_chunk *arrival,
                                 uint64_t until, ink__live_state *what, ink_error *error);

const char *ink__tcp_clients_address(const ink__tcp_clients *clients);
uint64_t
     ink__tcp_clients_count(const ink__tcp_clients *clients); /* for any thread, as the next one */
void ink__tcp_clients_refuse(ink__tcp_clients *clients, uint64_t connection);

#endif
