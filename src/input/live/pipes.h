/* pipes.h - what can only be read as it comes: standard input, FIFOs, devices. For live_source.c.
 */
#ifndef INK_INPUT_LIVE_PIPES_H
#define INK_INPUT_LIVE_PIPES_H

#include "input/live/live_origin.h"

typedef struct ink__pipe ink__pipe;

/* As the calls of live_source.h, for the only address of the rule, which must outlive it. */
ink_status ink__pipe_open(ink__pipe **pipe, const ink__live_rule *rule,
                          const ink_allocator *allocator, ink_error *error);
void       ink__pipe_close(ink__pipe *pipe); /* NULL is allowed */
ink_status ink__pipe_next(ink__pipe *pipe, ink__live_chunk *arrival, uint64_t until,
                          ink__live_state *what, ink_error *error);

#endif
