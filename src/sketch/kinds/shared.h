/* shared.h - a concurrent sketch, to which any number of threads add at once: its memory, read and
 * changed by atomics, and its numbers of records, in lines that threads do not share. Other
 * functions of a kind read the same memory without atomics: they are for copies. */
#ifndef INK_SKETCH_KINDS_SHARED_H
#define INK_SKETCH_KINDS_SHARED_H

#include "base/bits.h"
#include "sketch/kinds/kind.h"

#include <stdatomic.h>

/* ---- Memory ------------------------------------------------------------------------------- */

/* Numbers rise before cells, and are read after them: who sees a cell sees the number. Fences hold
 * the order once a batch, where cells are relaxed; the thread sanitizer knows none, and needs none:
 * all that they order is atomic. */
#if defined __SANITIZE_THREAD__
#define INK__SHARED_FENCE(order) ((void)0)
#else
#define INK__SHARED_FENCE(order) atomic_thread_fence(order)
#endif

static inline void ink__shared_counted(void)
{
    INK__SHARED_FENCE(memory_order_release);
}

static inline void ink__shared_seen(void)
{
    INK__SHARED_FENCE(memory_order_acquire);
}

/* Cells of a payload, in file order; others see the same memory as bytes. */
typedef _Atomic uint8_t  ink__shared_u8;
typedef _Atomic uint32_t ink__shared_u32 __attribute__((may_alias));
typedef _Atomic uint64_t ink__shared_u64 __attribute__((may_alias));

#define INK__SHARED(bits, cells) ((ink__shared_u##bits *)(uintptr_t)(cells))

static inline uint8_t ink__shared_load_u8(const uint8_t *at)
{
    return atomic_load_explicit(INK__SHARED(8, at), memory_order_relaxed);
}

/* Sets bits. Those that are set cost no write: a line that all threads only read stays with all. */
static inline void ink__shared_or_u8(uint8_t *at, uint8_t bits)
{
    if ((ink__shared_load_u8(at) & bits) != bits)
        atomic_fetch_or_explicit(INK__SHARED(8, at), bits, memory_order_relaxed);
}

static inline uint64_t ink__shared_load_bits(const uint8_t *at)
{
    return INK__SWAP(64, atomic_load_explicit(INK__SHARED(64, at), memory_order_relaxed));
}

static inline void ink__shared_or_bits(uint8_t *at, uint64_t bits)
{
    if ((ink__shared_load_bits(at) & bits) != bits)
        atomic_fetch_or_explicit(INK__SHARED(64, at), INK__SWAP(64, bits), memory_order_relaxed);
}

static inline void ink__shared_raise_u8(uint8_t *at, uint8_t value)
{
    uint8_t found = ink__shared_load_u8(at);

    while (found < value &&
           !atomic_compare_exchange_weak_explicit(INK__SHARED(8, at), &found, value,
                                                  memory_order_relaxed, memory_order_relaxed))
        continue;
}

/* Counters. Who reads one sees also what was done before it was raised, such as the total. */
#define INK__SHARED_COUNTER(bits)                                                                  \
    static inline uint64_t ink__shared_load_u##bits(const uint8_t *at)                             \
    {                                                                                              \
        return INK__SWAP(bits, atomic_load_explicit(INK__SHARED(bits, at), memory_order_acquire)); \
    }                                                                                              \
                                                                                                   \
    /* Saturating. Below half of what it can hold a small sum is added at once: there are never so \
     * many threads that sums between a look and its addition fill the other half. */              \
    static inline void ink__shared_add_u##bits(uint8_t *at, uint64_t added)                        \
    {                                                                                              \
        ink__shared_u##bits *cell = INK__SHARED(bits, at);                                         \
        uint##bits##_t       found = atomic_load_explicit(cell, memory_order_relaxed), sum;        \
                                                                                                   \
        if (INK__SWAP(16, 1) == 1 && found >> (bits - 1) == 0 && added >> (bits / 4) == 0) {       \
            atomic_fetch_add_explicit(cell, (uint##bits##_t)added, memory_order_release);          \
            return;                                                                                \
        }                                                                                          \
        do {                                                                                       \
            uint##bits##_t value = INK__SWAP(bits, found);                                         \
            if (value == UINT##bits##_MAX)                                                         \
                return;                                                                            \
            sum = added > (uint##bits##_t) ~value ? UINT##bits##_MAX                               \
                                                  : (uint##bits##_t)(value + added);               \
        } while (!atomic_compare_exchange_weak_explicit(                                           \
            cell, &found, INK__SWAP(bits, sum), memory_order_release, memory_order_relaxed));      \
    }
INK__SHARED_COUNTER(32)
INK__SHARED_COUNTER(64)

/* Copies cells of 1, 4 or 8 bytes that others are changing. */
void ink__shared_copy(uint8_t *to, const uint8_t *from, uint64_t bytes, unsigned cell_bytes);

/* ---- Numbers ------------------------------------------------------------------------------ */

/* Threads count in different lines, two apart, as lines are fetched in pairs. */
enum { INK__TALLY_BYTES = 128, INK__TALLIES = 64, INK__TALLY_BITS = 6 };

/* What was added since the sketch became concurrent. As counters in memory. */
typedef struct ink__tally {
    _Alignas(8) uint8_t records[8];
    _Alignas(8) uint8_t total[8];
    uint8_t apart[INK__TALLY_BYTES - 16];
} ink__tally;

typedef struct ink__tallies {
    uint8_t    apart[INK__TALLY_BYTES];
    ink__tally of[INK__TALLIES];
} ink__tallies;

/* The tally of this thread, which is found by its stack. Others may have the same. */
static inline ink__tally *ink__tally_here(const ink_sketch *sketch)
{
    uint64_t stack = (uint64_t)(uintptr_t)__builtin_frame_address(0) >> 16;

    return &sketch->tallies->of[stack * 0x9e3779b97f4a7c15u >> (64 - INK__TALLY_BITS)];
}

/* The records of a concurrent sketch, and the total of one that began with this. */
uint64_t ink__tallied_records(const ink_sketch *sketch);
uint64_t ink__tallied_total(const ink_sketch *sketch, uint64_t before);

static inline uint64_t ink__records_of(const ink_sketch *sketch)
{
    return sketch->concurrent ? ink__tallied_records(sketch) : sketch->records;
}

#endif
