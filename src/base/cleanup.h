/* cleanup.h - the cleanup registry: what a signal handler must know of this process. Files that are
 * being written, sockets that it listens at, and files that are mapped. files.c and listeners
 * register them; a handler can read the registry at any time. It has fixed room: what does not fit
 * is not registered. */
#ifndef INK_BASE_CLEANUP_H
#define INK_BASE_CLEANUP_H

#include <stdbool.h>
#include <stdint.h>

/* This thread is about to create a temporary file with this name, and will report at once that it
 * exists or is finished. Does not return in a process that is ending. */
void ink__cleanup_making(const char *name);
/* A temporary file or socket with this name exists now; was renamed or removed. */
void ink__cleanup_unfinished(const char *name);
void ink__cleanup_finished(const char *name);

/* A file is mapped at `at`; it is no longer. */
void ink__cleanup_map(const void *at, uint64_t bytes, const char *path);
void ink__cleanup_unmap(const void *at);
/* A reader of the map at `at` watches it, and checks at its end whether the file was truncated
 * meanwhile: then zeros were read. */
void ink__cleanup_watch(const void *at);
bool ink__cleanup_was_cut(const void *at);

/* The rest is safe in a signal handler. Removes all temporary files and sockets of this process,
 * not those of its parent. */
void ink__cleanup_remove(void);
/* The same for a process that is about to end: waits for files that other threads are creating, and
 * keeps them from creating more. */
void ink__cleanup_end(void);
/* The path of the file mapped at `address`, or NULL. */
const char *ink__cleanup_path(const void *address);
/* Replaces what was truncated of a watched map by zeros; false if `address` is in none. */
bool ink__cleanup_outlive(const void *address);

#endif
