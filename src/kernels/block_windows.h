/* block_windows.h - the walk over a batch of hashes that every split-block kernel shares: straight
 * through a small filter, and window by window through a large one, each window's lines being
 * fetched while the window before it is worked on. (Isolated batches without the overlap were
 * measured slower than no prefetch at all.) */
#ifndef INK_KERNELS_BLOCK_WINDOWS_H
#define INK_KERNELS_BLOCK_WINDOWS_H

#include "kernels/kernels.h"
#include "kernels/split_block.h"

/* `write` is 1 where the lines will be changed. A macro, since the prefetch wants a constant. */
#define INK__FETCH_WINDOW(bits, blocks, hashes, from, count, write)                                \
    for (size_t fetch_ = (from); fetch_ < (count) && fetch_ < (from) + INK__PREFETCH_WINDOW;       \
         fetch_++)                                                                                 \
    __builtin_prefetch((bits) + ink__block_of((hashes)[fetch_], (blocks)) * INK__BLOCK_BYTES,      \
                       (write), 3)

/* Runs `each(i)` for all i below count. */
#define INK__WALK_WINDOWS(bits, blocks, hashes, count, write, each)                                \
    do {                                                                                           \
        if ((blocks)*INK__BLOCK_BYTES < INK__PREFETCH_FROM_BYTES) {                                \
            for (size_t i_ = 0; i_ < (count); i_++)                                                \
                each(i_);                                                                          \
            break;                                                                                 \
        }                                                                                          \
        INK__FETCH_WINDOW(bits, blocks, hashes, (size_t)0, count, write);                          \
        for (size_t from_ = 0; from_ < (count); from_ += INK__PREFETCH_WINDOW) {                   \
            INK__FETCH_WINDOW(bits, blocks, hashes, from_ + INK__PREFETCH_WINDOW, count, write);   \
            for (size_t i_ = from_; i_ < (count) && i_ < from_ + INK__PREFETCH_WINDOW; i_++)       \
                each(i_);                                                                          \
        }                                                                                          \
    } while (0)

#endif
