/* sketches.h - asking sketches in tests: what they hold, say and encode to, in one call each. Keys
 * are those of files_sketch: the text "key N", or the integer N. All fail the test when a call that
 * must succeed does not. */
#ifndef INK_TESTS_SKETCHES_H
#define INK_TESTS_SKETCHES_H

#include "support/owned.h"

#define owned_snapshot OWNED(sketches_free_snapshot) sketches_snapshot
#define owned_view OWNED(sketches_view_close) sketches_view

/* A sketch with the keys `first` to `first + count`: files_sketch with malloc. */
ink_sketch *sketches_with(ink_params params, uint64_t first, uint64_t count);

/* How many of the keys `first` to `first + count` may have been added. */
uint64_t sketches_found(const ink_sketch *sketch, uint64_t first, uint64_t count);

/* Whether the 64 bits of a hash do not suffice for keys of these parameters; for ints they do. */
bool sketches_need_keys(const ink_params *params);

ink_description sketches_describe(const ink_sketch *sketch);
ink_answer      sketches_distinct(const ink_sketch *sketch); /* unlimited: the estimator alone */
double          sketches_rate(const ink_sketch *sketch);

/* Whether the two encode to the same bytes. */
bool sketches_equal(const ink_sketch *a, const ink_sketch *b);

/* Whether the two have the same payload. */
bool sketches_equal_payloads(const ink_sketch *a, const ink_sketch *b);

/* What a sketch was, to be compared later. sketches_unchanged frees it. */
typedef struct sketches_snapshot {
    uint8_t *bytes;
    size_t   count;
} sketches_snapshot;

sketches_snapshot sketches_remember(const ink_sketch *sketch);
sketches_snapshot sketches_encode(const ink_contents *contents);
void              sketches_free_snapshot(sketches_snapshot *snapshot);
bool              sketches_unchanged(const ink_sketch *sketch, sketches_snapshot *before);

/* Refuses every allocation, in turn, while a batch is added to a sketch with the first `held` keys,
 * or, if it is NULL, while `from` is merged into it: the sketch stays as it was, and then takes
 * them as any other. At least one allocation is refused. */
void sketches_check_refusals(const ink_params *params, uint64_t held, const ink_batch *batch,
                             const ink_sketch *from);

/* Encodes a sketch, frees it, and makes it the one that is decoded, which is equal. */
void sketches_reload(ink_sketch **sketch);

/* splitmix64: not one of ours. */
uint64_t scramble(uint64_t x);

/* One hash, with this weight. */
void       sketches_add_hash(ink_sketch *sketch, uint64_t hash, uint64_t weight);
ink_answer sketches_count_hash(const ink_sketch *sketch, uint64_t hash);

/* A sketch encoded and opened again, in memory, with these flags. */
typedef struct sketches_view {
    uint8_t    *bytes;
    size_t      count;
    ink_file   *file;
    ink_sketch *sketch;
} sketches_view;

sketches_view sketches_view_of(const ink_sketch *sketch, unsigned flags);
/* The same for a file with these entries. */
sketches_view sketches_view_entries(const ink_entry *entries, size_t count, unsigned flags);
void          sketches_view_close(sketches_view *view);

#endif
