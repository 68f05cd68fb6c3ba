/* memory.h - all memory of the library: the caller's allocator, and blocks that are aligned for
 * the kernels. A refusal is an ordinary failure, never an abort. */
#ifndef INK_BASE_MEMORY_H
#define INK_BASE_MEMORY_H

#include "inkling.h"

/* The caller's allocator, or malloc's for NULL. */
ink_allocator ink__allocator_or_heap(const ink_allocator *allocator);

/* Allocates `bytes` > 0 bytes, not cleared, into the pointer at `pointer`, which may be of any
 * type; INK_MEMORY names how many, and the pointer is NULL then. The second clears them; it leaves
 * the pointer as it is if it fails. */
ink_status ink__allocate(const ink_allocator *allocator, uint64_t bytes, void *pointer,
                         ink_error *error);
ink_status ink__allocate_zeroed(const ink_allocator *allocator, uint64_t bytes, void *pointer,
                                ink_error *error);
void       ink__release(const ink_allocator *allocator, void *memory, uint64_t bytes);

/* Moves the first `used` bytes of the memory that the pointer at `pointer` points to, which has
 * *bytes of them (none: NULL), to a new block of `wanted` bytes, and releases the old one. A
 * refusal changes nothing. */
ink_status ink__grow(const ink_allocator *allocator, void *pointer, uint64_t *bytes, uint64_t used,
                     uint64_t wanted, ink_error *error);
/* The same for room for `more` bytes, if there is none. Grows by doubling. */
ink_status ink__make_room(const ink_allocator *allocator, void *pointer, uint64_t *bytes,
                          uint64_t used, uint64_t more, ink_error *error);

/* For libraries that free without a size: it is stored before the memory, which is aligned as
 * malloc's. NULL if there is none. NULL may be given back. */
enum { INK__SIZE_BYTES = 16 };
void *ink__take_sized(const ink_allocator *allocator, uint64_t bytes);
void  ink__give_back_sized(const ink_allocator *allocator, void *memory);

/* Cleared memory that starts on a cache line, a large one on a huge page unless the allocator has
 * small pages. All zero: no bytes. */
typedef struct ink__block {
    uint8_t *data;
    uint64_t bytes;
    void    *base; /* what the allocator gave */
    uint64_t base_bytes;
} ink__block;

ink_status ink__block_create(ink__block *block, const ink_allocator *allocator, uint64_t bytes,
                             ink_error *error);
/* The same, but not cleared: for what is written before it is read. */
ink_status ink__block_take(ink__block *block, const ink_allocator *allocator, uint64_t bytes,
                           ink_error *error);
/* How many bytes the allocator is asked for, with those for the alignment. */
uint64_t ink__block_asks(const ink_allocator *allocator, uint64_t bytes);
void     ink__block_release(ink__block *block, const ink_allocator *allocator);

#endif
