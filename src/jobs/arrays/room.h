/* room.h - memory for a sketch that another thread makes: taken here, touched there.
 *
 * A thread that asks the heap by itself gets memory that is new from the system each time, and pays
 * for every page of it: for a million keys more than half of what adding them costs. */
#ifndef INK_JOBS_ARRAYS_ROOM_H
#define INK_JOBS_ARRAYS_ROOM_H

#include "base/memory.h"

/* All zero is none, which may be closed. */
typedef struct ink__room {
    ink_allocator allocator;
    ink__block    memory;
    uint64_t      least; /* so many bytes at once come from here */
    bool          used;
} ink__room;

/* Takes memory for the payload of a sketch, `bytes` bytes, and touches none of it. A refusal is no
 * failure: the thread then asks for itself. */
void ink__room_open(ink__room *room, uint64_t bytes, const ink_allocator *allocator);
/* What the sketch was made with must be given back before. */
void ink__room_close(ink__room *room);

/* For one sketch, and one thread at a time: gives the payload its room, and hands on what else is
 * asked for. */
ink_allocator ink__room_allocator(ink__room *room);

#endif
