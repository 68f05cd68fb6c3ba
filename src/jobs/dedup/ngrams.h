/* ngrams.h - the different n-grams of a text, of words or of bytes, as fingerprints of 64 bits.
 *
 * A word is what stands between white space of Unicode. Its hash is that of a key of bytes. With w1
 * ... wN the hashes of N words after each other, their fingerprint is
 *     w1 M^(N-1) + w2 M^(N-2) + ... + wN   modulo 2^64, M = 0x9e3779b97f4a7c15;
 * a text of fewer words than N, but one at least, has the fingerprint of all of them. Of bytes the
 * hash of a byte b is mix64(b + 1), where mix64 is the finaliser of MurmurHash3. As a key a
 * fingerprint is its eight bytes, the lowest first. docs/dedup.md says so. */
#ifndef INK_JOBS_DEDUP_NGRAMS_H
#define INK_JOBS_DEDUP_NGRAMS_H

#include "jobs/dedup/near.h"
#include "sketch/internal.h"

enum { INK__NGRAM_WORDS_MAX = 256 };

typedef struct ink__ngram_rule {
    const ink__hasher *hasher;                   /* of byte keys */
    unsigned           words;                    /* N, 1 to INK__NGRAM_WORDS_MAX */
    bool               bytes;                    /* n-grams of bytes */
    bool               lower, strip_punctuation; /* of words */
} ink__ngram_rule;

/* The n-grams of the text that was read last, and memory for the next. All zero but the allocator
 * at first. */
typedef struct ink__ngrams {
    ink_allocator allocator;
    uint64_t     *fingerprints; /* in the order in which they first come */
    uint64_t      count, fingerprints_room;
    uint64_t     *table; /* of these */
    uint64_t      slots, table_room;
    uint8_t      *words; /* in lower case, without punctuation */
    uint64_t      words_room;
    uint32_t
        *bins; /* not NULL: n-grams go into these, of a signature, and no fingerprint is kept */
} ink__ngrams;

void ink__ngrams_end(ink__ngrams *ngrams);

/* Reads a text of UTF-8. */
ink_status ink__ngrams_read(ink__ngrams *ngrams, const ink__ngram_rule *rule, const uint8_t *text,
                            uint64_t bytes, ink_error *error);

/* The hashes of fingerprints as keys. */
ink_status ink__ngrams_hash(const ink__ngram_rule *rule, const uint64_t *fingerprints,
                            uint64_t count, uint64_t *hashes, ink_error *error);

#endif
