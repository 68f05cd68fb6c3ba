/* tcp_clients.h - records from many connections at a time, of which none waits for another. For
 * arrivals.
 */
#ifndef INK_INPUT_LIVE_TCP_CLIENTS_H
#define INK_INPUT_LIVE_TCP_CLIENTS_H

#include "input/live/live_origin.h"

typedef struct ink__wires ink__wires;

/* As the calls of live_source.h, for the only address of the rule, which must outlive it. */
ink_status ink__wires_open(ink__wires **wires, const ink__arrivals_rule *rule,
                           const ink_allocator *allocator, ink_error *error);
void       ink__wires_close(ink__wires *wires); /* NULL is allowed */
ink_status ink__wires_next(ink__wires *wires, ink__arrival *arrival, uint64_t until,
                           ink__arrived *what, ink_error *error);

const char *ink__wires_address(const ink__wires *wires);
uint64_t    ink__wires_count(const ink__wires *wires); /* for any thread, as the next one */
void        ink__wires_refuse(ink__wires *wires, uint64_t connection);

#endif
