/* memory.h - memory of values: from the server's allocator, counted for each value and in total,
 * and limited. */
#ifndef INKLING_VALKEY_MEMORY_H
#define INKLING_VALKEY_MEMORY_H

#include "inkling.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

/* What a value has taken, as the server's allocator counts it. */
typedef struct account {
    _Atomic uint64_t bytes;
} account;

/* Settable at run time: inkling.max-bytes, of a key, and inkling.total-bytes, of all; 0: no limit.
 */
typedef struct limits {
    long long key_bytes, total_bytes;
} limits;

extern limits memory_limits;

/* Reasons why limits do not hold: data that was taken once is taken again, here and on every
 * replica. */
enum { MEMORY_LOADING = 1, MEMORY_REPLICA = 2 };
void memory_trust(unsigned reason, bool on);

/* The same for what this thread does: writing out what is there takes memory. */
void memory_writes_out(bool on);

/* The allocator of an account, which outlives what is made with it. */
ink_allocator memory_of(account *of);

void *memory_take(account *of, size_t bytes);
void *memory_zeroed(account *of, size_t bytes);
void  memory_give(account *of, void *block);

/* Whether a value may take this. */
bool memory_allows(uint64_t bytes);

/* The limit that this thread ran into since the last call of this function, as a message, or NULL.
 */
const char *memory_refused(void);

uint64_t memory_total(void);

/* Memory for the length of a command, on the main thread: the same block each time. NULL: refused.
 */
void *memory_scratch(size_t bytes);

#endif
