/* near.c - documents that are like an earlier one. */
#include "jobs/dedup/near.h"

#include "base/hash_set.h"
#include "base/mix.h"
#include "base/real.h"
#include "base/sort.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/tasks.h"

/* A pair with the wanted similarity is a candidate with this chance at least. */
#define CHANCE_LEAST 0.98
#define EMPTY UINT32_MAX
#define EMPTY_BYTE UINT8_MAX

/* When this many bands are whole on average, one is. */
#define BANDS_MANY 15

enum {
    PARTITION_BITS = 8,
    PARTITIONS = 1 << PARTITION_BITS,
    PART_BINS = 128, /* of which a byte counts */
    SIGNATURE_BYTES = INK__NEAR_BINS,
    /* Earlier documents with an equal band that a document is compared with, the first ones: of a
     * thousand that are like each other one is enough. */
    COMPARED_MAX = 64,
};

/* What a partition holds: a band of a document. */
typedef struct band_of {
    uint64_t hash, document;
} band_of;

/* ---- Signatures --------------------------------------------------------------------------- */

double ink__near_chance(const ink__near_shape *shape, double similarity)
{
    return 1 - ink__power(1 - ink__power(similarity, shape->rows), shape->bands);
}

ink__near_shape ink__near_shape_of(double similarity)
{
    ink__near_shape shape = {.bands = INK__NEAR_BANDS_MAX, .rows = 1};

    for (unsigned rows = 2; rows <= INK__NEAR_GROUPS; rows++) {
        const ink__near_shape next = {.bands = INK__NEAR_GROUPS / rows, .rows = rows};
        if (ink__near_chance(&next, similarity) >= CHANCE_LEAST)
            shape = next;
    }
    /* Different values have an equal byte by this chance. */
    shape.share = (similarity + (1 - similarity) / EMPTY_BYTE) * (1 - 1e-12);
    return shape;
}

/* ---- The plan ----------------------------------------------------------------------------- */

double ink_dedup_chance_compared(const ink_dedup_plan *plan, double similarity)
{
    const ink__near_shape shape = {.bands = plan->bands, .rows = plan->rows};

    return plan->bands == 0 ? 0 : ink__near_chance(&shape, similarity);
}

/* The chance that of `equal` bins anywhere no band is whole: inclusion and exclusion of bands. */
static double chance_of_no_band(const ink_dedup_plan *plan, unsigned equal)
{
    double   term = 1, sum = 1;
    unsigned used = 0;

    if (ink__power((double)equal / plan->permutations, plan->rows) * plan->bands > BANDS_MANY)
        return 0;
    for (unsigned k = 1; k <= plan->bands && term > 1e-12; k++) {
        for (unsigned row = 0; row < plan->rows; row++, used++)
            term *= used < equal ? (double)(equal - used) / (plan->permutations - used) : 0;
        term *= (double)(plan->bands - k + 1) / k;
        sum += k % 2 == 0 ? term : -term;
    }
    return sum < 0 ? 0 : sum > 1 ? 1 : sum;
}

double ink_dedup_chance_removed(const ink_dedup_plan *plan, double similarity)
{
    const double odds = similarity / (1 - similarity);
    double       weight = 1, all = 0, removed = 0;
    unsigned     mode = (unsigned)(similarity * plan->permutations);

    if (plan->bands == 0 || similarity <= 0 || similarity >= 1)
        return plan->bands != 0 && similarity >= 1;
    for (int down = 0; down < 2; down++) { /* from the likeliest number of equal bins both ways */
        weight = 1;
        for (unsigned equal = mode; equal <= plan->permutations && weight > 1e-15;) {
            if (!down || equal != mode)
                all += weight;
            if ((!down || equal != mode) && equal >= plan->near * (1 - 1e-12) * plan->permutations)
                removed += weight * (1 - chance_of_no_band(plan, equal));
            if (down && equal == 0)
                break;
            weight *= down ? equal / odds / (plan->permutations - equal + 1)
                           : (plan->permutations - equal) * odds / (equal + 1);
            equal = down ? equal - 1 : equal + 1;
        }
    }
    return removed / all;
}

void ink__near_plan(const ink__near_shape *shape, uint64_t documents, uint64_t memory,
                    unsigned threads, ink_dedup_level_plan *plan)
{
    const uint64_t bands = documents * shape->bands, part = bands / PARTITIONS + 1;
    const uint64_t all = bands * sizeof(band_of);
    const uint64_t table = ink__hash_set_bytes(ink__hash_set_slots(part), 1);

    *plan = (ink_dedup_level_plan){
        .used = true,
        .keys = documents,
        .bytes = (all < memory ? all : memory) + documents * sizeof(uint64_t) +
                 threads * (table + part * (sizeof(band_of) + 2 * sizeof(uint32_t))),
        .disk_bytes = documents * SIGNATURE_BYTES + (all < memory ? 0 : all),
    };
}

/* ---- Bins --------------------------------------------------------------------------------- */

void ink__near_start(uint32_t bins[INK__NEAR_BINS])
{
    memset(bins, 0xff, INK__NEAR_BINS * sizeof *bins);
}

/* Fills empty groups by others, to each of which a group comes in steps of its own: two documents
 * that have the same ones empty choose alike. Every group that is still empty takes a step, and
 * then those that are left: no branch depends on what a step finds. */
static void fill_empty(const uint32_t was[INK__NEAR_GROUPS], uint32_t groups[INK__NEAR_GROUPS])
{
    uint16_t empty[INK__NEAR_GROUPS];
    unsigned count = 0;

    for (unsigned group = 0; group < INK__NEAR_GROUPS; group++) {
        empty[count] = (uint16_t)group;
        count += was[group] == EMPTY;
    }
    for (uint32_t taken = 0; count > 0; taken++) {
        const unsigned before = count;
        count = 0;
        for (unsigned i = 0; i < before; i++) {
            const uint16_t group = empty[i];
            const uint64_t order = ink__mix64(group + 1u);
            const uint32_t step = (uint32_t)order | 1; /* odd: it comes to all */
            groups[group] = was[((uint32_t)(order >> 32) + taken * step) % INK__NEAR_GROUPS];
            empty[count] = group;
            count += groups[group] == EMPTY;
        }
    }
}

/* The last bytes of bins: of another value than an empty one has. */
static bool make_signature(const uint32_t bins[INK__NEAR_BINS], uint8_t signature[INK__NEAR_BINS])
{
    uint32_t all = EMPTY;

    for (unsigned bin = 0; bin < INK__NEAR_BINS; bin++) {
        const uint8_t byte = (uint8_t)bins[bin];
        signature[bin] = (uint8_t)(byte - (bins[bin] != EMPTY && byte == EMPTY_BYTE));
        all &= bins[bin];
    }
    return all != EMPTY;
}

static uint32_t least_of(const uint32_t *group)
{
    uint32_t least = group[0];

    for (unsigned bin = 1; bin < 1u << INK__NEAR_GROUP_BITS; bin++)
        least = group[bin] < least ? group[bin] : least;
    return least;
}

void ink__near_finish(const ink__near_shape *shape, const uint32_t bins[INK__NEAR_BINS],
                      uint8_t signature[INK__NEAR_BINS], uint64_t hashes[INK__NEAR_BANDS_MAX])
{
    uint32_t was[INK__NEAR_GROUPS], groups[INK__NEAR_GROUPS];

    if (!make_signature(bins, signature)) {
        memset(hashes, 0, shape->bands * sizeof *hashes);
        return;
    }
    for (unsigned group = 0; group < INK__NEAR_GROUPS; group++)
        was[group] = least_of(bins + (group << INK__NEAR_GROUP_BITS));
    memcpy(groups, was, sizeof groups);
    fill_empty(was, groups);
    for (unsigned band = 0; band < shape->bands; band++) {
        uint64_t hash = band + 1;
        for (unsigned row = 0; row < shape->rows; row++)
            hash = (hash ^ groups[band * shape->rows + row]) * INK__MIX_FIRST ^ hash >> 29;
        hash = ink__mix64(hash);
        hashes[band] = hash == 0 ? 1 : hash;
    }
}

/* ---- All documents ------------------------------------------------------------------------ */

ink_status ink__near_begin(ink__near *near, double similarity, uint64_t memory, const char *folder,
                           const ink_allocator *allocator, ink_error *error)
{
    *near = (ink__near){.allocator = *allocator, .shape = ink__near_shape_of(similarity)};
    ink__spool_begin(&near->signatures, folder);
    ink__spill_begin(&near->bands, memory, NULL, folder, allocator);
    for (unsigned i = 0; i < PARTITIONS; i++)
        INK__TRY(ink__spill_add(&near->bands, error));
    return INK_OK;
}

void ink__near_end(ink__near *near)
{
    if (near->shape.bands == 0)
        return;
    ink__spool_end(&near->signatures);
    ink__spill_end(&near->bands);
    ink__release(&near->allocator, near->earlier, near->earlier_bytes);
    *near = (ink__near){0};
}

ink_status ink__near_put(ink__near *near, const uint8_t *signatures, const uint64_t *hashes,
                         uint64_t count, ink_error *error)
{
    uint64_t at;

    if (count == 0)
        return INK_OK;
    INK__TRY(ink__spool_reserve(&near->signatures, count * SIGNATURE_BYTES, &at, error));
    INK__TRY(ink__spool_write(&near->signatures, at, signatures, count * SIGNATURE_BYTES, error));
    for (uint64_t i = 0; i < count * near->shape.bands; i++) {
        const band_of one = {hashes[i], near->documents + i / near->shape.bands};
        if (one.hash != 0)
            INK__TRY(ink__spill_put(&near->bands, one.hash >> (64 - PARTITION_BITS), &one,
                                    sizeof one, error));
    }
    near->documents += count;
    return INK_OK;
}

void ink__near_report(const ink__near *near, uint64_t documents, ink_dedup_count *level)
{
    level->used = true;
    level->texts = level->first = documents;
    for (uint64_t i = 0; i < near->documents; i++)
        level->first -= near->earlier[i] != 0;
}

ink__likeness ink__near_compare(const ink__near *near, uint64_t one, uint64_t other)
{
    const uint8_t *a = ink__spool_at(&near->signatures, one * SIGNATURE_BYTES);
    const uint8_t *b = ink__spool_at(&near->signatures, other * SIGNATURE_BYTES);
    ink__likeness  found = {0};

    for (unsigned part = 0; part < INK__NEAR_BINS; part += PART_BINS) {
        uint8_t bins = 0, equal = 0; /* narrow, for vectors of bytes */
        for (unsigned bin = part; bin < part + PART_BINS; bin++) {
            const uint8_t any = (a[bin] & b[bin]) != EMPTY_BYTE;
            bins = (uint8_t)(bins + any);
            equal = (uint8_t)(equal + (any & (a[bin] == b[bin])));
        }
        found.bins += bins;
        found.equal += equal;
    }
    return found;
}

static bool is_alike(const ink__near *near, uint64_t one, uint64_t other)
{
    const ink__likeness found = ink__near_compare(near, one, other);

    return found.equal >= near->shape.share * found.bins;
}

/* ---- Partners ----------------------------------------------------------------------------- */

/* A partition in memory: elements in order of documents, and those with an equal hash in a chain.
 */
typedef struct partition {
    const ink__near *near;
    ink__hash_set    firsts; /* of each hash: the first element that has it, and its last one */
    band_of         *all;
    uint32_t        *next; /* in the chain; 0: the last */
    uint32_t        *last; /* of a first one */
    uint64_t         count;
} partition;

/* A document may have been given an earlier one by another partition: the first of all stays. */
static void note_earlier(uint64_t *earlier, uint64_t document)
{
    _Atomic uint64_t *at = (_Atomic uint64_t *)earlier;
    uint64_t          now = atomic_load_explicit(at, memory_order_relaxed);

    while ((now == 0 || document + 1 < now) &&
           !atomic_compare_exchange_weak_explicit(at, &now, document + 1, memory_order_relaxed,
                                                  memory_order_relaxed))
        ;
}

static ink_status add_elements(void *host, const uint8_t *elements, uint64_t bytes,
                               ink_error *error)
{
    partition *one = host;

    (void)error;
    memcpy(one->all + one->count, elements, (size_t)bytes);
    one->count += bytes / sizeof *one->all;
    return INK_OK;
}

static bool is_after(const void *host, uint64_t a, uint64_t b)
{
    const partition *one = host;

    return one->all[a].document > one->all[b].document;
}

static void swap(void *host, uint64_t a, uint64_t b)
{
    partition    *one = host;
    const band_of kept = one->all[a];

    one->all[a] = one->all[b];
    one->all[b] = kept;
}

/* Elements that were on disk come in runs, the newest first. */
static void sort_elements(partition *one)
{
    const ink__heap heap = {.host = one, .after = is_after, .swap = swap};

    for (uint64_t i = 1; i < one->count; i++)
        if (is_after(one, i - 1, i)) {
            ink__heap_sort(&heap, one->count);
            return;
        }
}

/* Compares an element with those before it in its chain, the first ones. */
static void compare(const partition *one, uint32_t first, uint32_t element)
{
    const ink__near *near = one->near;
    const uint64_t   document = one->all[element].document;
    unsigned         compared = 0;

    for (uint32_t i = first; i != element && compared < COMPARED_MAX; i = one->next[i], compared++)
        if (one->all[i].document != document && is_alike(near, one->all[i].document, document)) {
            note_earlier(&near->earlier[document], one->all[i].document);
            return;
        }
}

static void chain(partition *one)
{
    for (uint32_t i = 0; i < one->count; i++) {
        const uint64_t slot = ink__hash_set_find(&one->firsts, one->all[i].hash);
        one->next[i] = 0;
        one->last[i] = i;
        if (!ink__hash_set_has(&one->firsts, slot)) {
            ink__hash_set_put(&one->firsts, slot, one->all[i].hash);
            *ink__hash_set_value(&one->firsts, slot) = i;
            continue;
        }
        const uint32_t first = (uint32_t)*ink__hash_set_value(&one->firsts, slot);
        one->next[one->last[first]] = i;
        one->last[first] = i;
        compare(one, first, i);
    }
}

static ink_status find_in_partition(void *host, unsigned worker, uint64_t number, ink_error *error)
{
    const ink__near *near = host;
    const uint64_t   count = ink__spill_elements(&near->bands, number);
    partition        one = {.near = near, .firsts = {.valued = 1}};
    uint8_t         *memory;

    (void)worker;
    if (count == 0)
        return INK_OK;
    if (count >= UINT32_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "more than 2^32 bands in a part, expected fewer documents");
    one.firsts.slots = ink__hash_set_slots(count);
    const uint64_t table = ink__hash_set_bytes(one.firsts.slots, 1);
    const uint64_t bytes = table + count * (sizeof *one.all + sizeof *one.next + sizeof *one.last);
    INK__TRY(ink__allocate(&near->allocator, bytes, &memory, error));
    memset(memory, 0, (size_t)table);
    one.firsts.words = (uint64_t *)(void *)memory;
    one.firsts.salt = ink__salt_of(memory);
    one.all = (band_of *)(void *)(memory + table);
    one.next = (uint32_t *)(one.all + count);
    one.last = one.next + count;
    ink_status status = ink__spill_each(&near->bands, number, add_elements, &one, error);
    if (status == INK_OK) {
        sort_elements(&one);
        chain(&one);
    }
    ink__release(&near->allocator, memory, bytes);
    return status;
}

ink_status ink__near_find(ink__near *near, const ink_job *job, uint64_t began, ink_error *error)
{
    near->earlier_bytes = (near->documents + 1) * sizeof *near->earlier;
    INK__TRY(ink__allocate_zeroed(&near->allocator, near->earlier_bytes, &near->earlier, error));
    INK__TRY(ink__spool_map(&near->signatures, error));
    ink__tasks tasks =
        ink__tasks_of(job, began, INK_PHASE_TESTING, PARTITIONS, find_in_partition, near);
    return ink__tasks_run(&tasks, ink__job_threads(job), error);
}
