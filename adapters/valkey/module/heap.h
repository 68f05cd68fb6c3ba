/* heap.h - the k keys that TOPK.* keep: a heap of counts whose root is the smallest, which starts
 * with k empty slots of count 0. A key that is not among them enters if its count is at least that
 * of the root, whose key is expelled. */
#ifndef INKLING_VALKEY_HEAP_H
#define INKLING_VALKEY_HEAP_H

#include "memory.h"

typedef struct heap heap;

enum { HEAP_NEAR = 16 };

/* Short keys stand in the slot. */
typedef struct heap_slot {
    union {
        char  near[HEAP_NEAR];
        char *far;
    } key;
    size_t   bytes;
    uint64_t count;
    uint64_t since; /* the number of the change that gave it this count */
} heap_slot;

static inline const char *heap_key(const heap_slot *slot)
{
    return slot->bytes <= HEAP_NEAR ? slot->key.near : slot->key.far;
}

/* NULL: there is no memory. */
heap *heap_create(uint64_t room, account *memory);
heap *heap_copy(const heap *from, account *memory);
void  heap_free(heap *of, account *memory);

uint64_t heap_room(const heap *of);

/* A key has this count now. HEAP_EXPELLED: *expelled is the key that had to leave, to be given back
 * with heap_give. HEAP_NO_MEMORY: nothing is changed. */
typedef enum heap_result { HEAP_TAKEN, HEAP_EXPELLED, HEAP_NO_MEMORY } heap_result;
heap_result heap_offer(heap *of, const char *key, size_t bytes, uint64_t count, account *memory,
                       heap_slot *expelled);
void        heap_give(heap_slot *slot, account *memory);

bool heap_has(const heap *of, const char *key, size_t bytes);

/* Writes its keys in falling order of counts, of equal counts the one first that had it first; how
 * many there are. */
uint64_t heap_list(const heap *of, const heap_slot **slots);

/* As bytes; NULL is none. heap_read makes *made NULL of none. */
size_t heap_bytes(const heap *of);
void   heap_write(const heap *of, uint8_t *to);
bool   heap_read(heap **made, const uint8_t *bytes, size_t count, account *memory);

#endif
