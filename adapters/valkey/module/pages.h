/* pages.h - large blocks of memory: a thread touches their pages ahead of the first keys, and gives
 * blocks back to the system. Both take milliseconds, which the server would stand still for. */
#ifndef INKLING_VALKEY_PAGES_H
#define INKLING_VALKEY_PAGES_H

#include <stdbool.h>
#include <stddef.h>

/* Called once, in the server's own process; in its children these do nothing. */
void pages_start(void);

/* Touches the pages of a block that is all 0, soon. A hint. */
void pages_prepare(void *block, size_t bytes);

/* Gives a block to RM_Free, soon. False: the caller does it. No block that was prepared may be
 * freed in another way. */
bool pages_free(void *block, size_t bytes);

#endif
