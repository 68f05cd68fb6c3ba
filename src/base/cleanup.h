/* cleanup.h - what this process holds at the moment that a signal handler must know of: files that
 * are being written, sockets that it listens at, and files that are mapped. Filled and emptied by
 * files.c and listeners; a handler can read it at any time. Where more is held than there is room
 * for, the rest is not known. */
#ifndef INK_BASE_CLEANUP_H
#define INK_BASE_CLEANUP_H

#include <stdbool.h>
#include <stdint.h>

/* A temporary file with this name is about to be made by this thread, which at once tells either
 * that it exists or that it is finished. Does not return in a process that is ending. */
void ink__cleanup_making(const char *name);
/* A temporary file or socket with this name exists now; it was renamed or removed. */
void ink__cleanup_unfinished(const char *name);
void ink__cleanup_finished(const char *name);

/* A file is mapped at `at`; it is no longer. */
void ink__cleanup_map(const void *at, uint64_t bytes, const char *path);
void ink__cleanup_unmap(const void *at);
/* Whoever reads what is mapped at `at` looks at its end whether it was cut meanwhile: then zeros
 * were read. */
void ink__cleanup_watch(const void *at);
bool ink__cleanup_was_cut(const void *at);

/* All are safe in a signal handler. Removes all temporary files and sockets of this process, not
 * those of the one that it was forked from; does so for good, as the process is about to end: what
 * other threads are making at this moment is waited for and removed too, and from now on they make
 * none; the path of what is mapped at `address`, or NULL. */
void        ink__cleanup_remove(void);
void        ink__cleanup_end(void);
const char *ink__cleanup_path(const void *address);
/* Puts zeros in place of what was cut of a map that is watched; false if `address` is in none. */
bool ink__cleanup_outlive(const void *address);

#endif
