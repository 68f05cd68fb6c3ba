/* room.h - memory for a sketch that another thread makes: allocated here, touched there.
 *
 * A new thread that allocates by itself gets fresh pages from the system each time: for a million
 * keys these cost more than half of the time. */
#ifndef INK_JOBS_ARRAYS_ROOM_H
#define INK_JOBS_ARRAYS_ROOM_H

#include "base/memory.h"

/* All zero is empty, and may be closed. */
typedef struct ink__room {
    ink_allocator allocator;
    ink__block    memory;
    uint64_t      least; /* a request of at least this many bytes is for the payload */
    bool          used;
} ink__room;

/* Allocates `bytes` bytes for the payload of a sketch, and touches none of them. A refusal is no
 * failure: the thread then allocates itself. */
void ink__room_open(ink__room *room, uint64_t bytes, const ink_allocator *allocator);
/* After the sketch is freed. */
void ink__room_close(ink__room *room);

/* For one sketch, and one thread at a time: the payload gets the room, other requests go to the
 * allocator. */
ink_allocator ink__room_allocator(ink__room *room);

#endif
