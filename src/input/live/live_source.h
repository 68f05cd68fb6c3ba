/* live_source.h - live input: files one after another, a file that grows, a FIFO, standard input,
 * or connections; in chunks of whole records, each of one origin, with the location to resume at.
 * For one thread at a time.
 *
 * The folder src/input/live reads data as it arrives. This module chooses among growing files
 * (live_files), pipes and network clients (tcp_clients), which share live_origin. Only streams, and
 * uniq on pipes, call it. */
#ifndef INK_INPUT_LIVE_LIVE_SOURCE_H
#define INK_INPUT_LIVE_LIVE_SOURCE_H

#include "input/live/live_origin.h"

typedef struct ink__live_source ink__live_source;

/* Opens, and listens. Never waits, not even for the writer of a FIFO. INK_USAGE: an address that
 * cannot be followed, or be one of several. INK_MISMATCH: a file has changed: it is shorter than
 * its location, has other bytes before it, or its last record, which had no end, has grown by more
 * than that. (Compressed files are checked by _next, as they have to be read for it.) A followed
 * file that is shorter, changed or another one is read from its start, which is reported; but if
 * the old file has its name with ".1" appended, that is read to its end first. *address, if not
 * NULL, is the number of the address that a failure is about. */
ink_status ink__live_source_open(ink__live_source **source, const ink__live_rule *rule,
                                 const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__live_source_close(ink__live_source *source);

/* Whether the data end: a file that is not followed, or a pipe, unlike connections. */
bool ink__live_source_end(const ink__live_source *source);
/* Whether all are regular files, which can be read again. */
bool ink__live_source_again(const ink__live_source *source);
/* The first address, with the port in use. */
const char *ink__live_source_address(const ink__live_source *source);
/* How many connections are open; for any thread. */
uint64_t ink__live_source_connections(const ink__live_source *source);

/* The next chunk, of whole records, each with its end; the last of a file, a pipe or a connection
 * that has ended may lack it. The last record of a followed file waits for its end, unless the file
 * is cut or replaced; a replaced file is read until nothing was written to it for a second. A FIFO
 * ends when its writers have closed it; if it is followed, it waits for more. Waits at most until
 * `until` (nanoseconds of the system table), except for the disk. Connections are read round robin:
 * none waits for another that is silent, sends a partial record, or sends all the time. Nothing is
 * read before it is needed. A connection is closed, which is reported, for a record of more than 16
 * MiB, or if its partial record takes those of all beyond `partial_bytes`. After a failure, which
 * *address is about if not NULL, the source can only be closed. */
ink_status ink__live_source_next(ink__live_source *source, ink__live_chunk *live, uint64_t until,
                                 ink__live_state *what, size_t *address, ink_error *error);
/* For any thread: closes a connection soon, for what it sent. The caller drops chunks of it that
 * were returned already, or are being returned. */
void ink__live_source_refuse(ink__live_source *source, uint64_t connection);
void ink__live_source_release(ink__live_source *source, ink__live_chunk *live);

#endif
