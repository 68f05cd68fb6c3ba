/* ngrams.c - the different n-grams of a text. */
#include "jobs/dedup/ngrams.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/mix.h"
#include "base/status.h"
#include "input/records/cut_words.h"
#include "jobs/dedup/unicode_tables.h"

#include <string.h>

enum {
    BATCH = 512,      /* words that are hashed at once */
    SLOTS_LEAST = 64, /* of the table of fingerprints */
    KEY_BYTES = 8,
};

#define FACTOR UINT64_C(0x9e3779b97f4a7c15)

void ink__ngrams_end(ink__ngrams *ngrams)
{
    ink__release(&ngrams->allocator, ngrams->fingerprints, ngrams->fingerprints_room);
    ink__release(&ngrams->allocator, ngrams->table, ngrams->table_room);
    ink__release(&ngrams->allocator, ngrams->words, ngrams->words_room);
    *ngrams = (ink__ngrams){.allocator = ngrams->allocator};
}

/* ---- Lower case, punctuation -------------------------------------------------------------- */

/* The code point at the start of a text of UTF-8, and its bytes. */
static uint32_t read_point(const uint8_t *text, unsigned *bytes)
{
    const uint8_t first = text[0];
    uint32_t      point;

    *bytes = first < 0x80 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
    if (*bytes == 1)
        return first;
    point = first & (0x7fu >> *bytes);
    for (unsigned i = 1; i < *bytes; i++)
        point = point << 6 | (text[i] & 0x3f);
    return point;
}

static unsigned write_point(uint32_t point, uint8_t *to)
{
    const unsigned bytes = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;

    if (bytes == 1) {
        to[0] = (uint8_t)point;
        return 1;
    }
    for (unsigned i = bytes - 1; i > 0; i--, point >>= 6)
        to[i] = (uint8_t)(0x80 | (point & 0x3f));
    to[0] = (uint8_t)(0xf0u << (4 - bytes) | point);
    return bytes;
}

static uint32_t lower_of(uint32_t point)
{
    size_t low = 0, high = ink__lower_range_count;

    if (point < 0x80)
        return point >= 'A' && point <= 'Z' ? point + ('a' - 'A') : point;
    while (low < high) {
        const size_t            middle = (low + high) / 2;
        const ink__lower_range *range = &ink__lower_ranges[middle];
        if (point > range->last)
            low = middle + 1;
        else if (point < range->first)
            high = middle;
        else
            return (point - range->first) % range->step == 0
                       ? (uint32_t)((int32_t)point + range->distance)
                       : point;
    }
    return point;
}

static bool is_punctuation(uint32_t point)
{
    size_t low = 0, high = ink__punctuation_range_count;

    if (point < 0x80)
        return point > ' ' && point < 0x7f && memchr("$+<=>^`|~", (int)point, 9) == NULL &&
               !(point >= '0' && point <= '9') && !((point | 0x20) >= 'a' && (point | 0x20) <= 'z');
    while (low < high) {
        const size_t            middle = (low + high) / 2;
        const ink__point_range *range = &ink__punctuation_ranges[middle];
        if (point > range->last)
            low = middle + 1;
        else if (point < range->first)
            high = middle;
        else
            return true;
    }
    return false;
}

/* Writes a word as it is compared; returns its bytes, at most one and a half times as many. */
static uint64_t normalise(const ink__ngram_rule *rule, const uint8_t *word, uint64_t bytes,
                          uint8_t *to)
{
    uint64_t used = 0;
    unsigned read;

    for (uint64_t at = 0; at < bytes; at += read) {
        uint32_t point = read_point(word + at, &read);
        if (rule->strip_punctuation && is_punctuation(point))
            continue;
        used += write_point(rule->lower ? lower_of(point) : point, to + used);
    }
    return used;
}

/* ---- Fingerprints ------------------------------------------------------------------------- */

static ink_status grow_table(ink__ngrams *ngrams, ink_error *error)
{
    const uint64_t slots = ngrams->slots == 0 ? SLOTS_LEAST : 2 * ngrams->slots;

    if (slots * sizeof *ngrams->table > ngrams->table_room)
        INK__TRY(ink__grow(&ngrams->allocator, &ngrams->table, &ngrams->table_room, 0,
                           slots * sizeof *ngrams->table, error));
    memset(ngrams->table, 0, (size_t)(slots * sizeof *ngrams->table));
    ngrams->slots = slots;
    for (uint64_t i = 0; i < ngrams->count; i++) {
        const uint64_t fingerprint = ngrams->fingerprints[i];
        uint64_t       slot = ink__mix64(fingerprint) & (slots - 1);
        while (ngrams->table[slot] != 0)
            slot = (slot + 1) & (slots - 1);
        ngrams->table[slot] = i + 1;
    }
    return INK_OK;
}

/* Keeps a fingerprint, unless the text has it already. The table has the places of fingerprints. */
static ink_status keep(ink__ngrams *ngrams, uint64_t fingerprint, ink_error *error)
{
    if (ngrams->slots < 2 * (ngrams->count + 1))
        INK__TRY(grow_table(ngrams, error));
    const uint64_t mask = ngrams->slots - 1;
    uint64_t       slot = ink__mix64(fingerprint) & mask;
    for (; ngrams->table[slot] != 0; slot = (slot + 1) & mask)
        if (ngrams->fingerprints[ngrams->table[slot] - 1] == fingerprint)
            return INK_OK;
    const uint64_t used = ngrams->count * sizeof fingerprint;
    if (used + sizeof fingerprint > ngrams->fingerprints_room)
        INK__TRY(ink__make_room(&ngrams->allocator, &ngrams->fingerprints,
                                &ngrams->fingerprints_room, used, sizeof fingerprint, error));
    ngrams->fingerprints[ngrams->count++] = fingerprint;
    ngrams->table[slot] = ngrams->count;
    return INK_OK;
}

static inline ink_status take(ink__ngrams *ngrams, uint64_t fingerprint, ink_error *error)
{
    if (ngrams->bins == NULL)
        return keep(ngrams, fingerprint, error);
    ink__near_add(ngrams->bins, ink__mix64(fingerprint));
    return INK_OK;
}

/* The last words, as they roll by. */
typedef struct rolling {
    uint64_t words[INK__NGRAM_WORDS_MAX]; /* hashes; word i of the text is at i % N */
    uint64_t seen, sum, last_factor;      /* M^(N-1) */
    unsigned next;                        /* where the next word goes */
} rolling;

static void start_rolling(rolling *roll, unsigned words)
{
    roll->seen = roll->sum = roll->next = 0;
    roll->last_factor = 1;
    for (unsigned i = 1; i < words; i++)
        roll->last_factor *= FACTOR;
}

static inline ink_status roll_word(ink__ngrams *ngrams, rolling *roll, unsigned words,
                                   uint64_t hash, ink_error *error)
{
    uint64_t *place = &roll->words[roll->next];

    roll->next = roll->next + 1 == words ? 0 : roll->next + 1;
    if (roll->seen >= words)
        roll->sum -= *place * roll->last_factor;
    *place = hash;
    roll->sum = roll->sum * FACTOR + hash;
    roll->seen++;
    return roll->seen < words ? INK_OK : take(ngrams, roll->sum, error);
}

/* ---- Texts -------------------------------------------------------------------------------- */

/* Replaces words by what is compared; words that become empty are dropped. */
static ink_status normalise_words(ink__ngrams *ngrams, const ink__ngram_rule *rule,
                                  const uint8_t *text, uint64_t *starts, uint64_t *ends,
                                  size_t *count, ink_error *error)
{
    uint64_t used = 0;
    size_t   kept = 0;

    if (*count == 0)
        return INK_OK;
    const uint64_t most = 2 * (ends[*count - 1] - starts[0]);
    if (most > ngrams->words_room)
        INK__TRY(ink__make_room(&ngrams->allocator, &ngrams->words, &ngrams->words_room, 0, most,
                                error));
    for (size_t i = 0; i < *count; i++) {
        const uint64_t bytes =
            normalise(rule, text + starts[i], ends[i] - starts[i], ngrams->words + used);
        starts[kept] = used;
        ends[kept] = used += bytes;
        kept += bytes > 0;
    }
    *count = kept;
    return INK_OK;
}

static ink_status read_words(ink__ngrams *ngrams, const ink__ngram_rule *rule, rolling *roll,
                             const uint8_t *text, uint64_t bytes, ink_error *error)
{
    uint64_t       starts[BATCH], ends[BATCH], hashes[BATCH];
    const bool     changed = rule->lower || rule->strip_punctuation;
    ink__cut_words cut = ink__cut_words_of(text, bytes);
    size_t         count;

    while ((count = ink__cut_words_next(&cut, starts, ends, BATCH)) > 0) {
        if (changed)
            INK__TRY(normalise_words(ngrams, rule, text, starts, ends, &count, error));
        const ink_batch batch = {.count = count,
                                 .data = changed ? ngrams->words : text,
                                 .offsets = starts,
                                 .ends = ends,
                                 .one_array = 1};
        INK__TRY(ink__hasher_batch(rule->hasher, &batch, hashes, error));
        for (size_t i = 0; i < count; i++)
            INK__TRY(roll_word(ngrams, roll, rule->words, hashes[i], error));
    }
    return INK_OK;
}

ink_status ink__ngrams_read(ink__ngrams *ngrams, const ink__ngram_rule *rule, const uint8_t *text,
                            uint64_t bytes, ink_error *error)
{
    rolling roll;

    ngrams->count = 0;
    if (ngrams->slots > 0 && ngrams->bins == NULL) {
        while (ngrams->slots > SLOTS_LEAST && ngrams->slots > bytes)
            ngrams->slots /= 2; /* to be cleared in less time */
        memset(ngrams->table, 0, (size_t)(ngrams->slots * sizeof *ngrams->table));
    }
    start_rolling(&roll, rule->words);
    if (!rule->bytes)
        INK__TRY(read_words(ngrams, rule, &roll, text, bytes, error));
    else
        for (uint64_t i = 0; i < bytes; i++)
            INK__TRY(roll_word(ngrams, &roll, rule->words, ink__mix64(text[i] + 1u), error));
    if (roll.seen > 0 && roll.seen < rule->words)
        INK__TRY(take(ngrams, roll.sum, error));
    return INK_OK;
}

ink_status ink__ngrams_hash(const ink__ngram_rule *rule, const uint64_t *fingerprints,
                            uint64_t count, uint64_t *hashes, ink_error *error)
{
    uint8_t  keys[BATCH * KEY_BYTES];
    uint64_t offsets[BATCH + 1];

    for (size_t i = 0; i <= BATCH; i++)
        offsets[i] = i * KEY_BYTES;
    for (uint64_t from = 0; from < count; from += BATCH) {
        ink_batch batch = {.count = count - from < BATCH ? (size_t)(count - from) : BATCH,
                           .data = keys,
                           .offsets = offsets};
        for (size_t i = 0; i < batch.count; i++)
            ink__store_u64(keys + i * KEY_BYTES, fingerprints[from + i]);
        INK__TRY(ink__hasher_batch(rule->hasher, &batch, hashes + from, error));
    }
    return INK_OK;
}
