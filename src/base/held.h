/* held.h - what this process holds at the moment that a signal handler must know of: files that are
 * being written, sockets that it listens at, and files that are mapped. Filled and emptied by
 * files.c and listeners; a handler can read it at any time. Where more is held than there is room
 * for, the rest is not known. */
#ifndef INK_BASE_HELD_H
#define INK_BASE_HELD_H

#include <stdint.h>

/* A temporary file or socket with this name exists now; it was renamed or removed. */
void ink__held_unfinished(const char *name);
void ink__held_finished(const char *name);

/* A file is mapped at `at`; it is no longer. */
void ink__held_map(const void *at, uint64_t bytes, const char *path);
void ink__held_unmap(const void *at);

/* Both are safe in a signal handler. Removes all temporary files and sockets of this process, not
 * those of the one that it was forked from; the path of what is mapped at `address`, or NULL. */
void        ink__held_remove(void);
const char *ink__held_path(const void *address);

#endif
