/* seen.c - the hashes that were seen at one level. */
#include "jobs/dedup/seen.h"

#include "base/memory.h"
#include "base/real.h"
#include "base/status.h"
#include "jobs/runtime/statistics.h"

#include <string.h>

enum { RATE_PARTS = 256 };
/* Above this a filter is full. */
#define RATE_MOST (1 - 1e-12)

/* ---- Making ------------------------------------------------------------------------------- */

void ink__seen_open_table(ink__seen *seen, unsigned ranges, uint64_t bytes, bool valued,
                          const ink_allocator *allocator)
{
    unsigned bits = 0;

    while (1u << bits < ranges && 1u << bits < INK__FILTER_RANGES_MAX)
        bits++;
    *seen = (ink__seen){
        .allocator = *allocator,
        .table = true,
        .ranges = 1u << bits,
        .shift = 64 - bits,
        .limit = bytes >> bits,
        .valued = valued,
    };
}

/* The rate of the filter with this many keys. */
static double plan_rate(const ink__seen *seen, uint64_t keys)
{
    ink_params params = {
        .kind = seen->description.kind, .expected_keys = keys, .bits = seen->description.bits};
    ink_description with;

    if (keys == 0)
        return 0;
    if (ink_plan(&params, &with, NULL) != INK_OK)
        return RATE_MOST;
    /* Two keys with the same block and the same lower half of the hash are one key to it. */
    const double blocks = (double)with.bits / (8 * INK__FILTER_BLOCK_BYTES);
    const double rate = with.promised_rate + (double)keys / blocks * 0x1p-32;
    return rate < RATE_MOST ? rate : RATE_MOST;
}

static double curve_step(const ink__seen *seen)
{
    return 2 * (double)seen->description.expected_keys / INK__RATE_STEPS;
}

static void plan_rates(ink__seen *seen)
{
    for (unsigned i = 0; i <= INK__RATE_STEPS; i++)
        seen->rates[i] = plan_rate(seen, (uint64_t)(curve_step(seen) * i));
}

/* About how many keys a filter has, by its rate. */
static ink_status estimate_keys(ink__seen *seen, ink_error *error)
{
    uint64_t low = 0, high = 4 * seen->description.expected_keys + 16;
    double   rate;

    INK__TRY(ink_sketch_rate(seen->filter, &rate, error));
    while (low < high) {
        const uint64_t middle = low + (high - low) / 2;
        if (plan_rate(seen, middle) < rate)
            low = middle + 1;
        else
            high = middle;
    }
    seen->before = low;
    return INK_OK;
}

/* Texts are hashed by the default rule of bytes: with another nothing would be found. */
static ink_status check_rule(const ink_description *filter, ink_error *error)
{
    const ink_params params = {.kind = filter->kind, .expected_keys = 1, .key_type = INK_KEY_BYTES};
    ink_description  texts;

    INK__TRY(ink_plan(&params, &texts, error));
    if (filter->key_type == texts.key_type && filter->seed == texts.seed && !filter->keyed &&
        strcmp(filter->hash, texts.hash) == 0)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "a filter of %s keys hashed by %s with %s %llu, expected one of texts, by %s "
                     "with the default seed",
                     filter->key_type == INK_KEY_INT ? "integer" : "byte", filter->hash,
                     filter->keyed ? "a secret and seed" : "seed", (unsigned long long)filter->seed,
                     texts.hash);
}

ink_status ink__seen_open_filter(ink__seen *seen, unsigned ranges, ink_sketch *filter, bool fixed,
                                 const ink_allocator *allocator, ink_error *error)
{
    *seen = (ink__seen){.allocator = *allocator, .fixed = fixed, .filter = filter};
    ink_sketch_describe(filter, &seen->description);
    if (!ink__filter_ranges_of(&seen->in_filter, filter, ranges))
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a %s, expected a filter of blocks", seen->description.kind);
    INK__TRY(check_rule(&seen->description, error));
    seen->ranges = seen->in_filter.count;
    plan_rates(seen);
    return estimate_keys(seen, error);
}

void ink__seen_open_apart(ink__seen *seen, const ink_description *plan,
                          const ink_allocator *allocator)
{
    *seen = (ink__seen){.allocator = *allocator, .apart = true, .description = *plan};
    plan_rates(seen);
}

void ink__seen_end(ink__seen *seen)
{
    for (unsigned i = 0; i < seen->ranges && seen->table; i++)
        if (seen->sets[i].words != NULL)
            ink__release(&seen->allocator, seen->sets[i].words,
                         ink__hash_set_bytes(seen->sets[i].slots, seen->valued));
    ink_sketch_free(seen->filter);
    *seen = (ink__seen){0};
}

/* ---- Hashes of a chunk -------------------------------------------------------------------- */

ink_status ink__seen_part_room(ink__seen_part *part, uint64_t more, const ink_allocator *allocator,
                               ink_error *error)
{
    const uint64_t used = part->count * sizeof *part->hashes;

    if (part->hashes_room - used >= more * sizeof *part->hashes)
        return INK_OK;
    return ink__make_room(allocator, &part->hashes, &part->hashes_room, used,
                          more * sizeof *part->hashes, error);
}

void ink__seen_part_end(ink__seen_part *part, const ink_allocator *allocator)
{
    ink__release(allocator, part->hashes, part->hashes_room);
    ink__release(allocator, part->memory, part->memory_room);
}

static unsigned range_of(const ink__seen *seen, uint64_t hash)
{
    return seen->shift == 64 ? 0 : (unsigned)(hash >> seen->shift);
}

static void sort_for_table(const ink__seen *seen, ink__seen_part *part)
{
    uint64_t next[INK__FILTER_RANGES_MAX] = {0}, at = 0;

    for (uint64_t i = 0; i < part->count; i++)
        next[range_of(seen, part->hashes[i])]++;
    for (unsigned range = 0; range < seen->ranges; range++) {
        part->starts[range] = at;
        at += next[range];
        next[range] = part->starts[range];
    }
    part->starts[seen->ranges] = at;
    for (uint64_t i = 0; i < part->count; i++) {
        const uint64_t place = next[range_of(seen, part->hashes[i])]++;
        part->places[i] = (uint32_t)place;
        part->sorted[place] = part->hashes[i];
    }
}

ink_status ink__seen_sort(const ink__seen *seen, ink__seen_part *part, const uint64_t *values,
                          ink_error *error)
{
    const uint64_t count = part->count;
    const uint64_t each = sizeof *part->sorted + (seen->valued ? sizeof *part->values : 0) +
                          sizeof *part->places + sizeof *part->was_new;

    if (count * each + 1 > part->memory_room)
        INK__TRY(ink__make_room(&seen->allocator, &part->memory, &part->memory_room, 0,
                                count * each + 1, error));
    part->sorted = (uint64_t *)(void *)part->memory;
    part->values = part->sorted + count;
    part->places = (uint32_t *)(void *)(part->values + (seen->valued ? count : 0));
    part->was_new = (uint8_t *)(part->places + count);
    if (seen->apart)
        for (uint64_t i = 0; i < count; i++)
            part->places[i] = (uint32_t)i;
    else if (seen->table)
        sort_for_table(seen, part);
    else
        ink__filter_ranges_sort(&seen->in_filter, part->hashes, (size_t)count, part->places,
                                part->sorted, part->starts);
    for (uint64_t i = 0; seen->valued && i < count; i++)
        part->values[part->places[i]] = values[i];
    return INK_OK;
}

/* ---- Looking up and entering -------------------------------------------------------------- */

/* Makes room for another hash in a table. */
static ink_status grow_table(ink__seen *seen, unsigned range)
{
    ink__hash_set *set = &seen->sets[range], larger = {.valued = seen->valued};

    larger.slots = set->slots == 0 ? INK__HASH_SET_SLOTS_MIN : 2 * set->slots;
    const uint64_t bytes = ink__hash_set_bytes(larger.slots, seen->valued);
    if (bytes > seen->limit && set->slots != 0)
        return INK_LIMIT;
    INK__TRY(ink__allocate_zeroed(&seen->allocator, bytes, &larger.words, NULL));
    larger.salt = ink__salt_of(larger.words);
    if (set->slots != 0) {
        ink__hash_set_move(&larger, set);
        ink__release(&seen->allocator, set->words, ink__hash_set_bytes(set->slots, seen->valued));
    }
    *set = larger;
    return INK_OK;
}

static void step_table(ink__seen *seen, ink__seen_part *part, unsigned range)
{
    ink__hash_set *set = &seen->sets[range];
    uint64_t       end = part->starts[range + 1];

    for (uint64_t i = part->starts[range]; i < end; i++) {
        if (seen->used[range] >= ink__hash_set_room(set->slots)) {
            const ink_status status = grow_table(seen, range);
            if (status != INK_OK) {
                atomic_store(&seen->refused, (int)status);
                memset(part->was_new + i, 0, (size_t)(end - i));
                return;
            }
        }
        if (i + INK__HASH_SET_AHEAD < end)
            ink__hash_set_fetch(set, part->sorted[i + INK__HASH_SET_AHEAD]);
        const uint64_t hash = part->sorted[i], slot = ink__hash_set_find(set, hash);
        const bool     fresh = !ink__hash_set_has(set, slot);
        part->was_new[i] = fresh;
        if (fresh) {
            ink__hash_set_put(set, slot, hash);
            seen->used[range]++;
            if (seen->valued)
                *ink__hash_set_value(set, slot) = part->values[i];
        } else if (seen->valued)
            part->values[i] = *ink__hash_set_value(set, slot);
    }
}

/* Asks a filter that nothing enters. */
static void ask_filter(const ink__seen *seen, ink__seen_part *part, unsigned range)
{
    const uint64_t start = part->starts[range], count = part->starts[range + 1] - start;
    ink_batch      batch = {.count = (size_t)count, .hashes = part->sorted + start};

    /* A failure is not possible: there are hashes, and the kind knows membership. */
    ink_sketch_contains_batch(seen->filter, &batch, part->was_new + start, NULL);
    for (uint64_t i = start; i < start + count; i++)
        part->was_new[i] = !part->was_new[i];
}

void ink__seen_step(ink__seen *seen, ink__seen_part *part, unsigned range)
{
    const uint64_t start = part->starts[range], count = part->starts[range + 1] - start;

    if (count == 0)
        return;
    if (seen->table)
        step_table(seen, part, range);
    else if (seen->fixed)
        ask_filter(seen, part, range);
    else
        ink__filter_ranges_add(&seen->in_filter, part->sorted + start, (size_t)count,
                               part->was_new + start);
}

ink_status ink__seen_check(ink__seen *seen, ink_error *error)
{
    const int refused = atomic_load(&seen->refused);

    if (refused == INK_OK)
        return INK_OK;
    if (refused == INK_LIMIT)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "more texts than {memory_bytes} holds in a table, which the start of the "
                         "inputs did not show; expected a number of them ({expected_keys})");
    return ink__fail(error, (ink_status)refused, INK_NOWHERE, 0,
                     "no memory for the hashes of what was seen");
}

uint64_t ink__seen_bytes(const ink__seen *seen)
{
    uint64_t bytes = seen->table ? 0 : seen->description.bytes;

    for (unsigned i = 0; i < seen->ranges && seen->table; i++)
        if (seen->sets[i].words != NULL)
            bytes += ink__hash_set_bytes(seen->sets[i].slots, seen->valued);
    return bytes;
}

/* ---- What was taken for seen wrongly ------------------------------------------------------- */

double ink__seen_rate(const ink__seen *seen, uint64_t keys)
{
    if (seen->table)
        return (double)keys * 0x1p-64;
    const uint64_t all = seen->fixed ? seen->before : seen->before + keys;
    const double   at = (double)all / curve_step(seen);
    if (at >= INK__RATE_STEPS)
        return plan_rate(seen, all);
    const unsigned step = (unsigned)at;
    return seen->rates[step] + (at - step) * (seen->rates[step + 1] - seen->rates[step]);
}

void ink__wrong_add(ink__wrong *wrong, double chance)
{
    const double odds = chance >= RATE_MOST ? 1e12 : chance / (1 - chance);

    wrong->mean += odds;
    wrong->variance += odds * (1 + odds);
    if (odds > wrong->odds)
        wrong->odds = odds;
}

ink__wrong ink__wrong_of(const ink__seen *seen, uint64_t keys)
{
    ink__wrong wrong = {0};

    /* The rate rises faster and faster, so that the middle of its two ends is not too low. */
    for (unsigned i = 0; i < RATE_PARTS; i++) {
        const double low = (double)keys * i / RATE_PARTS,
                     high = (double)keys * (i + 1) / RATE_PARTS;
        ink__wrong one = {0};
        ink__wrong_add(
            &one,
            (ink__seen_rate(seen, (uint64_t)low) + ink__seen_rate(seen, ink__whole_up(high))) / 2);
        wrong.mean += one.mean * (high - low);
        wrong.variance += one.variance * (high - low);
        wrong.odds = one.odds > wrong.odds ? one.odds : wrong.odds;
    }
    /* There may be some after the last new one: as many as before one more. */
    wrong.variance += wrong.odds * (1 + wrong.odds);
    return wrong;
}

uint64_t ink__wrong_limit(const ink__wrong *wrong)
{
    const double limit =
        ink__chance_limit_of_runs(wrong->mean + wrong->odds, wrong->variance, wrong->odds);

    return limit < 0x1p63 ? (uint64_t)limit : UINT64_MAX;
}

/* ---- Reports ------------------------------------------------------------------------------ */

const char *ink_dedup_level_name(ink_dedup_level level)
{
    static const char *const names[INK_DEDUP_LEVELS] = {"exact", "paragraphs", "ngrams", "near"};

    return (unsigned)level < INK_DEDUP_LEVELS ? names[level] : NULL;
}

ink_status ink__seen_check_fill(const ink__seen *seen, ink_dedup_level level, uint64_t first,
                                double max_rate, ink_error *error)
{
    const uint64_t keys = seen->before + first;

    if (seen->table || seen->fixed || keys <= seen->description.expected_keys)
        return INK_OK;
    if (max_rate > 0 && ink__seen_rate(seen, first) <= max_rate)
        return INK_OK;
    if (max_rate > 0)
        return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                         "level %s: a rate above {max_rate} %g with about %llu different texts",
                         ink_dedup_level_name(level), max_rate, (unsigned long long)keys);
    return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0,
                     "level %s: more than the %llu different texts that its filter was planned "
                     "for, expected a larger {expected_keys}, or {max_rate}",
                     ink_dedup_level_name(level),
                     (unsigned long long)seen->description.expected_keys);
}

ink_status ink__seen_report(const ink__seen *seen, ink_dedup_level level, const ink__wrong *ngrams,
                            double rate, ink_dedup_count *count, ink_error *error)
{
    const double predicted = ink__seen_rate(seen, count->first);
    ink__wrong   wrong = level == INK_DEDUP_NGRAMS ? *ngrams : ink__wrong_of(seen, count->first);

    count->used = true;
    count->table = seen->table;
    count->rate = predicted;
    count->bytes = ink__seen_bytes(seen);
    if (!seen->table) {
        count->expected_keys = seen->description.expected_keys;
        count->promised_rate = seen->description.promised_rate;
        count->rate = rate;
        if (!seen->apart)
            INK__TRY(ink_sketch_rate(seen->filter, &count->rate, error));
        if (count->rate > predicted && predicted > 0) { /* by chance a bit more than planned */
            wrong.mean *= count->rate / predicted;
            wrong.variance *= count->rate / predicted;
        }
    }
    const uint64_t repeated = count->texts - count->first, limit = ink__wrong_limit(&wrong);
    const uint64_t most = level == INK_DEDUP_NGRAMS ? count->removed : repeated;
    count->wrong = wrong.mean < (double)most ? wrong.mean : (double)most;
    count->wrong_high = limit < most ? limit : most;
    return INK_OK;
}
