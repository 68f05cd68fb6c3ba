/* stream_sketches.c - the sketches of a stream. */
#include "jobs/stream/stream_sketches.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/reading.h"
#include "sketch/internal.h"

#include <string.h>

/* Rows of one slot in their order, gathered from rows of several slots. */
struct ink__stream_gather {
    int64_t  numbers[INK__ROWS_MAX]; /* the slot of each row ... */
    uint8_t  done[INK__ROWS_MAX];    /* ... which was added or left out */
    uint64_t hashes[INK__ROWS_MAX], starts[INK__ROWS_MAX], ends[INK__ROWS_MAX];
    uint64_t weights[INK__ROWS_MAX];
    int64_t  ints[INK__ROWS_MAX];
};

static ink_status create_kind(ink__stream_sketches *all, ink__stream_kind *kind,
                              const ink_params *params, ink_key_type keys, ink_error *error)
{
    kind->params = *params;
    kind->params.key_type = keys;
    INK__TRY(ink_kind_describe(params->kind, &kind->info, error));
    INK__TRY(ink__check_one_writer(params, error));
    if (kind->info.made_whole)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a stream of %s, which never changes, expected %s, which takes keys as "
                         "they come",
                         params->kind, ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED));
    if (kind->info.sized_by_keys && params->expected_keys == 0 && params->bits == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s without the number of keys, which a stream cannot know before, "
                         "expected keys ({expected_keys}), or the kind %s, which grows",
                         params->kind, ink__kind_best(INK_ASK_MEMBER, INK__KIND_GROWS));
    if (all->windowed)
        INK__TRY(ink_ring_create(&kind->ring, &kind->params, &all->window, &all->allocator, error));
    else
        INK__TRY(ink_sketch_create(&kind->sketch, &kind->params, &all->allocator, error));
    return ink_plan(&kind->params, &kind->planned, error);
}

static ink_status check_names(const ink_stream_options *options, ink_error *error)
{
    for (size_t i = 0; i < options->kind_count; i++)
        for (size_t j = 0; j < i; j++)
            if (strcmp(options->kinds[i].kind, options->kinds[j].kind) == 0)
                return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                 "two sketches of kind %s, expected one of each kind",
                                 options->kinds[i].kind);
    if (options->kind_count > 0)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no sketch, expected at least one");
}

static ink_status set_window(ink__stream_sketches *all, const ink_stream_options *options,
                             ink_error *error)
{
    uint32_t slots = options->slots == 0 ? 10 : options->slots;

    all->windowed = options->window_microseconds != 0;
    if (!all->windowed && options->slots == 0)
        return INK_OK;
    if (!all->windowed)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{slots} without a window, expected both");
    if (options->window_microseconds % slots != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a window of %llu microseconds in %u slots, expected slots of equal "
                         "length in whole microseconds",
                         (unsigned long long)options->window_microseconds, slots);
    all->window = (ink_window){
        .slot_microseconds = options->window_microseconds / slots,
        .slots = slots,
    };
    return ink__allocate_zeroed(&all->allocator, sizeof *all->gather, &all->gather, error);
}

ink_status ink__stream_sketches_create(ink__stream_sketches *all, const ink_reading *reading,
                                       const ink_stream_options *options,
                                       const ink_allocator *allocator, ink_error *error)
{
    *all = (ink__stream_sketches){.allocator = *allocator};
    INK__TRY(check_names(options, error));
    INK__TRY(ink__allocate_zeroed(allocator, options->kind_count * sizeof *all->kinds, &all->kinds,
                                  error));
    all->count = options->kind_count;
    ink_status status = set_window(all, options, error);
    for (size_t i = 0; i < all->count && status == INK_OK; i++)
        status = create_kind(all, &all->kinds[i], &options->kinds[i],
                             ink__reading_key_type(reading), error);
    if (status != INK_OK)
        ink__stream_sketches_free(all);
    /* Several sketches, or the slots of a window, share hashes. */
    else if ((all->windowed || all->count > 1) &&
             ink__hasher_create(&all->hasher, &all->kinds[0].params, allocator, NULL) != INK_OK)
        all->hasher = NULL; /* no 64-bit hash: the one kind takes keys */
    return status;
}

void ink__stream_sketches_free(ink__stream_sketches *all)
{
    for (size_t i = 0; i < all->count; i++) {
        ink_sketch_free(all->kinds[i].sketch);
        ink_ring_free(all->kinds[i].ring);
    }
    ink__hasher_free(all->hasher);
    ink__release(&all->allocator, all->gather, sizeof *all->gather);
    ink__release(&all->allocator, all->kinds, all->count * sizeof *all->kinds);
    *all = (ink__stream_sketches){.allocator = all->allocator};
}

/* The entry number *at of a kind: of its slots, or the one sketch without a window. */
static bool next_entry(const ink__stream_kind *kind, size_t *at, ink_entry *entry)
{
    if (kind->ring != NULL)
        return ink_ring_next(kind->ring, at, NULL, entry);
    *entry = (ink_entry){.sketch = kind->sketch};
    return (*at)++ == 0;
}

static uint64_t records_of(const ink__stream_kind *kind)
{
    ink_description d;
    ink_entry       entry;
    uint64_t        records = 0;

    for (size_t at = 0; next_entry(kind, &at, &entry);) {
        ink_sketch_describe(entry.sketch, &d);
        records += d.records;
    }
    return records;
}

/* ---- Loading ------------------------------------------------------------------------------ */

/* Checks that a sketch was planned as another one; levels that it has grown do not matter. */
static ink_status check_plan(const ink_sketch *there, const ink_sketch *here, ink_error *error)
{
    ink_description a, b;

    ink_sketch_describe(there, &a);
    ink_sketch_describe(here, &b);
    const struct {
        const char *name;
        double      there, here;
    } numbers[] = {
        {"keys planned for", (double)a.expected_keys, (double)b.expected_keys},
        {"target rate", a.target_rate, b.target_rate},
        {"ratio", a.ratio, b.ratio},
        {"bits", a.levels > 0 ? 0 : (double)a.bits, b.levels > 0 ? 0 : (double)b.bits},
        {"hashes", a.levels > 0 ? 0 : a.hashes, b.levels > 0 ? 0 : b.hashes},
        {"width", (double)a.width, (double)b.width},
        {"depth", a.depth, b.depth},
        {"counter bits", a.counter_bits, b.counter_bits},
        {"conservative updates", a.conservative, b.conservative},
        {"capacity", (double)a.capacity, (double)b.capacity},
        {"precision", a.precision, b.precision},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].there != numbers[i].here)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "its %s has %s %g, and %g was asked for, expected the same", a.kind,
                             numbers[i].name, numbers[i].there, numbers[i].here);
    if (a.key_type != b.key_type)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "its %s has keys that are %s, expected %s; use the same {key_type}",
                         a.kind, a.key_type == INK_KEY_INT ? "ints" : "bytes",
                         b.key_type == INK_KEY_INT ? "ints" : "bytes");
    if (strcmp(a.hash, b.hash) != 0 || a.seed != b.seed)
        return ink__fail(
            error, INK_MISMATCH, INK_NOWHERE, 0,
            "its keys are hashed by %s with seed %llu, and %s with seed %llu was asked "
            "for, expected the same",
            a.hash, (unsigned long long)a.seed, b.hash, (unsigned long long)b.seed);
    if (a.keyed != b.keyed || a.secret_check != b.secret_check)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "its keys are hashed with another secret or none, expected the same");
    return INK_OK;
}

static ink_status load_plain(ink__stream_sketches *all, ink__stream_kind *kind,
                             const ink_file *file, ink_error *error)
{
    ink_sketch *view, *copy;
    size_t      index;

    INK__TRY(ink_file_find(file, kind->params.kind, NULL, &index, error));
    INK__TRY(ink_file_sketch(file, index, &view, error));
    ink_status status = check_plan(view, kind->sketch, error);
    if (status == INK_OK && kind->params.secret != NULL)
        status = ink_sketch_unlock(view, kind->params.secret, error);
    if (status == INK_OK)
        status = ink_sketch_copy(&copy, view, &all->allocator, error);
    ink_sketch_free(view);
    INK__TRY(status);
    ink_sketch_free(kind->sketch);
    kind->sketch = copy;
    kind->measured = records_of(kind);
    return INK_OK;
}

/* Every kind must be there; a window in which nothing was seen has no slots of any. */
static ink_status check_kind(const ink__stream_sketches *all, const char *kind,
                             const ink_file *file, ink_error *error)
{
    bool           held = all->windowed && ink_file_count(file) == 0;
    ink_entry_info entry;

    for (size_t i = 0; i < ink_file_count(file) && !held; i++) {
        INK__TRY(ink_file_entry(file, i, &entry, error));
        held = strcmp(entry.kind, kind) == 0;
    }
    return held ? INK_OK
                : ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                            "it holds no %s, expected the sketches that were asked for", kind);
}

/* A file with other kinds or with groups is of another stream. */
static ink_status check_entries(const ink__stream_sketches *all, const ink_file *file,
                                ink_error *error)
{
    ink_entry_info entry;

    for (size_t i = 0; i < ink_file_count(file); i++) {
        bool known = false;
        INK__TRY(ink_file_entry(file, i, &entry, error));
        for (size_t k = 0; k < all->count; k++)
            known = known || strcmp(entry.kind, all->kinds[k].params.kind) == 0;
        if (!known)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "it holds a %s, which was not asked for, expected the same sketches",
                             entry.kind);
        if (entry.label.group_kind != INK_GROUP_NONE)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "it holds sketches of groups, expected those of a stream");
        if (entry.label.has_slot != all->windowed)
            return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                             "it holds sketches %s a window, expected what was asked for",
                             entry.label.has_slot ? "of" : "without");
    }
    return INK_OK;
}

/* The number of a slot, rounded down as in rings. */
static int64_t number_of(const ink__stream_sketches *all, int64_t when)
{
    int64_t length = (int64_t)all->window.slot_microseconds;

    return when / length - (when % length < 0);
}

ink_status ink__stream_sketches_load(ink__stream_sketches *all, const ink_file *file,
                                     int64_t newest, ink_error *error)
{
    INK__TRY(check_entries(all, file, error));
    for (size_t i = 0; i < all->count; i++) {
        ink__stream_kind *kind = &all->kinds[i];
        INK__TRY(check_kind(all, kind->params.kind, file, error));
        INK__TRY(all->windowed ? ink_ring_load(kind->ring, file, NULL, error)
                               : load_plain(all, kind, file, error));
    }
    if (!all->windowed || ink_file_count(file) == 0)
        return INK_OK;
    all->started = true;
    all->newest_time = newest;
    all->newest = number_of(all, newest);
    return INK_OK;
}

/* ---- Adding ------------------------------------------------------------------------------- */

/* The rows as a batch, with hashes where these are shared. */
static ink_status hash_rows(ink__stream_sketches *all, const ink__rows *rows, ink_batch *batch,
                            ink_error *error)
{
    *batch = ink__rows_batch(rows);
    if (all->hasher == NULL)
        return INK_OK;
    ink_batch keys = *batch;
    keys.weights = NULL;
    batch->hashes = all->hashes;
    return ink__hasher_batch(all->hasher, &keys, all->hashes, error);
}

/* Adds rows to all kinds, with a window to the slot of `when`, which is in it. */
static ink_status add_batch(ink__stream_sketches *all, const ink_batch *batch, int64_t when,
                            ink_error *error)
{
    for (size_t i = 0; i < all->count; i++) {
        const ink__stream_kind *kind = &all->kinds[i];
        ink_batch               rows = ink__batch_for(&kind->info, *batch);
        ink_sketch             *sketch = kind->sketch;
        if (all->windowed)
            INK__TRY(ink_ring_slot(kind->ring, when, &sketch, error));
        if (sketch != NULL)
            INK__TRY(ink_sketch_add_batch(sketch, &rows, error));
    }
    return INK_OK;
}

/* Whether the slot of a time starts before INT64_MIN: a ring takes that as late. */
static bool is_before_time(const ink__stream_sketches *all, int64_t when)
{
    int64_t length = (int64_t)all->window.slot_microseconds, past = when % length;

    return past < 0 && when - past < INT64_MIN + length;
}

static bool is_past(const ink__stream_sketches *all, int64_t number)
{
    return all->started && number <= all->newest &&
           (uint64_t)all->newest - (uint64_t)number >= all->window.slots;
}

static void see_time(ink__stream_sketches *all, int64_t when)
{
    int64_t number = number_of(all, when);

    if (!all->started || number > all->newest)
        all->newest = number;
    if (!all->started || when > all->newest_time)
        all->newest_time = when;
    all->started = true;
}

/* Gathers the rows of one slot, from row `first` on. */
static ink_batch gather_slot(ink__stream_sketches *all, const ink__rows *rows, size_t first)
{
    struct ink__stream_gather *to = all->gather;
    ink_batch                  batch = {.data = rows->key_bytes, .one_array = rows->one_array};

    for (size_t i = first; i < rows->count; i++) {
        if (to->done[i] || to->numbers[i] != to->numbers[first])
            continue;
        size_t at = batch.count++;
        to->hashes[at] = all->hashes[i];
        if (rows->key_ints != NULL)
            to->ints[at] = rows->key_ints[i];
        else {
            to->starts[at] = rows->key_starts[i];
            to->ends[at] = rows->key_ends[i];
        }
        to->weights[at] = rows->weights == NULL ? 1 : rows->weights[i];
        to->done[i] = true;
    }
    batch.ints = rows->key_ints == NULL ? NULL : to->ints;
    batch.offsets = rows->key_ints == NULL ? to->starts : NULL;
    batch.ends = rows->key_ints == NULL ? to->ends : NULL;
    batch.hashes = all->hasher == NULL ? NULL : to->hashes;
    batch.weights = rows->weights == NULL ? NULL : to->weights;
    return batch;
}

/* Which rows are late is decided in the order of records; then each slot gets its rows in order.
 * Rows that drop out of the window before the last row are not added at all. */
static ink_status add_by_time(ink__stream_sketches *all, const ink__rows *rows, int64_t latest,
                              ink__stream_left *left, ink_error *error)
{
    struct ink__stream_gather *to = all->gather;
    ink_batch                  batch;

    INK__TRY(hash_rows(all, rows, &batch, error));
    for (size_t i = 0; i < rows->count; i++) {
        to->numbers[i] = number_of(all, rows->times[i]);
        bool late = is_past(all, to->numbers[i]) || is_before_time(all, rows->times[i]);
        bool future = !late && rows->times[i] > latest;
        to->done[i] = late || future;
        left->late += late;
        left->future += future;
        if (!to->done[i])
            see_time(all, rows->times[i]);
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (to->done[i] || is_past(all, to->numbers[i]))
            continue;
        batch = gather_slot(all, rows, i);
        INK__TRY(add_batch(all, &batch, rows->times[i], error));
    }
    return INK_OK;
}

ink_status ink__stream_sketches_add(ink__stream_sketches *all, const ink__rows *rows, int64_t now,
                                    ink__stream_left *left, ink_error *error)
{
    ink_batch batch;

    *left = (ink__stream_left){0};
    if (rows->count == 0)
        return INK_OK;
    if (all->windowed && rows->times != NULL)
        return add_by_time(all, rows, ink__stream_latest(all, now), left, error);
    if (all->windowed)
        see_time(all, now);
    INK__TRY(hash_rows(all, rows, &batch, error));
    return add_batch(all, &batch, all->newest_time, error);
}

int64_t ink__stream_latest(const ink__stream_sketches *all, int64_t now)
{
    uint64_t window = all->window.slot_microseconds * all->window.slots;

    return now > 0 && (uint64_t)(INT64_MAX - now) < window ? INT64_MAX : now + (int64_t)window;
}

bool ink__stream_sketches_late(const ink__stream_sketches *all, int64_t when)
{
    return all->windowed && (!all->started || number_of(all, when) > all->newest);
}

ink_status ink__stream_sketches_move(ink__stream_sketches *all, int64_t when, ink_error *error)
{
    for (size_t i = 0; i < all->count; i++)
        INK__TRY(ink_ring_move(all->kinds[i].ring, when, error));
    see_time(all, when);
    return INK_OK;
}

size_t ink__stream_sketches_entries(const ink__stream_sketches *all, ink_entry *entries)
{
    ink_entry entry;
    size_t    count = 0;

    for (size_t i = 0; i < all->count; i++)
        for (size_t at = 0; next_entry(&all->kinds[i], &at, &entry); count++)
            if (entries != NULL)
                entries[count] = entry;
    return count;
}

ink_status ink__stream_sketches_copy(const ink__stream_sketches *all, size_t index,
                                     ink_sketch **sketch, ink_error *error)
{
    const ink__stream_kind *kind = &all->kinds[index];

    return all->windowed ? ink_ring_last(kind->ring, 0, sketch, error)
                         : ink_sketch_copy(sketch, kind->sketch, &all->allocator, error);
}

/* ---- Promises ----------------------------------------------------------------------------- */

/* Numbers that differ by less than 1/64 have the same grade, or neighbouring ones. */
static uint64_t grade(uint64_t records)
{
    unsigned shift = 0;

    while (records >> shift >= 128)
        shift++;
    return (uint64_t)shift << 8 | records >> shift;
}

/* The rate is measured when it can have risen by some percent, and not before half of the keys are
 * in. With batches of one size this depends on records alone: a resumed stream measures at the same
 * moments. */
static bool is_due(ink__stream_kind *kind, uint64_t batch)
{
    uint64_t records = records_of(kind), before = kind->measured;

    if (batch != 0) /* with weights a record may count as many */
        before = records < batch || kind->info.weights ? 0 : records - batch;
    kind->measured = records;
    return records >= kind->planned.expected_keys / 2 && grade(records) != grade(before);
}

ink_status ink__stream_sketches_measure(ink__stream_sketches *all, size_t index, uint64_t batch,
                                        bool *passed, double *rate, double *promised,
                                        ink_error *error)
{
    ink__stream_kind *kind = &all->kinds[index];
    ink_sketch       *merged = NULL;

    *passed = false;
    *promised = kind->planned.promised_rate;
    if (!kind->info.contains || kind->full || *promised == 0 || !is_due(kind, batch))
        return INK_OK;
    if (all->windowed)
        INK__TRY(ink_ring_last(kind->ring, 0, &merged, error));
    ink_status status = ink_sketch_rate(all->windowed ? merged : kind->sketch, rate, error);
    ink_sketch_free(merged);
    INK__TRY(status);
    *passed = kind->full = !ink_rate_holds(&kind->planned, *rate);
    return INK_OK;
}

ink_status ink__stream_sketches_renew(ink__stream_sketches *all, size_t index, ink_error *error)
{
    ink__stream_kind *kind = &all->kinds[index];
    ink_sketch       *empty;

    kind->full = false; /* after a failure it is measured again */
    INK__TRY(ink_sketch_create(&empty, &kind->params, &all->allocator, error));
    ink_sketch_free(kind->sketch);
    kind->sketch = empty;
    kind->measured = 0;
    return INK_OK;
}
