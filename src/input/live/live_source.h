/* live_source.h - data as they arrive: files one after another, a file that grows, a FIFO, standard
 * input, or connections; in chunks of whole records, each of one origin, with the place where the
 * origin goes on. For one thread at a time. */
#ifndef INK_INPUT_LIVE_LIVE_SOURCE_H
#define INK_INPUT_LIVE_LIVE_SOURCE_H

#include "input/live/live_origin.h"

typedef struct ink__live_source ink__live_source;

/* Opens, and listens. Waits for nobody, not for the writer of a FIFO either. INK_USAGE: what cannot
 * be followed, or be one of several. INK_MISMATCH: a file is not what it was: shorter than it was
 * read, its bytes before the place are others, or its last record, which had no end, has grown by
 * more than that. (Of compressed files _next finds that, when their turn comes, as they are read
 * for it.) One that is followed, and is shorter, other or another file, is begun at its start,
 * which is told; but if the file that was left is found under its name with ".1" behind it, that is
 * read to its end before. *address, if not NULL, becomes the number of the address that a failure
 * is about.
 */
ink_status ink__live_source_open(ink__live_source **source, const ink__live_rule *rule,
                                 const ink_allocator *allocator, size_t *address, ink_error *error);
void       ink__live_source_close(ink__live_source *source);

/* Whether the data come to an end: a file that is not followed, or a pipe, unlike connections. */
bool ink__live_source_end(const ink__live_source *source);
/* Whether all are regular files: what was read can be read again. */
bool ink__live_source_again(const ink__live_source *source);
/* The first address, with the port that was found. */
const char *ink__live_source_address(const ink__live_source *source);
/* How many connections are open; for any thread. */
uint64_t ink__live_source_connections(const ink__live_source *source);

/* The next chunk, of whole records, each with its end behind it, but for the last of a file, a pipe
 * or a connection that has ended, which may lack it. In a file that is followed a last record waits
 * for its end, unless the file is cut or replaced; one that was replaced is read until it was quiet
 * for a second, as somebody may still be writing to it. A FIFO ends when its writers have gone; if
 * it is followed, more are waited for. Waits at most until `until` (nanoseconds of the system
 * table), but for the disk. Of a connection that sends nothing, or half a record, others notice
 * nothing; takes turns, so that none has to wait for one that sends all the time. No more is read
 * of anything than is asked for here. A connection with a record of more than 16 MiB is closed,
 * which is told; so is one that takes what all hold of records without an end beyond `held_bytes`.
 * After a failure, which *address is about if not NULL, the source can only be closed.
 */
ink_status ink__live_source_next(ink__live_source *source, ink__live_chunk *arrival, uint64_t until,
                                 ink__live_state *what, size_t *address, ink_error *error);
/* For any thread: lets a connection be closed soon for what it sent. What was given of it, or is
 * given at this moment, is the caller's to leave out. */
void ink__live_source_refuse(ink__live_source *source, uint64_t connection);
void ink__live_source_release(ink__live_source *source, ink__live_chunk *arrival);

#endif
