/* stream_sketches.c - the sketches of a stream. */
#include "jobs/stream/stream_sketches.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/reading.h"

#include <string.h>

/* Rows of one slot, in their order, put together where slots come mixed. */
struct ink__stream_gather {
    int64_t  numbers[INK__ROWS_MAX]; /* the slot of each row ... */
    uint8_t  done[INK__ROWS_MAX];    /* ... that is not to be added, any more */
    uint64_t hashes[INK__ROWS_MAX], starts[INK__ROWS_MAX], ends[INK__ROWS_MAX];
    uint64_t weights[INK__ROWS_MAX];
    int64_t  ints[INK__ROWS_MAX];
};

/* ---- Life --------------------------------------------------------------------------------- */

static ink_status check_size(const ink__stream_kind *kind, ink_error *error)
{
    if (!kind->info.sized_by_keys || kind->params.expected_keys != 0 || kind->params.bits != 0)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "%s without the number of keys, which a stream cannot know before, expected "
                     "keys (-n), or the kind %s, which grows",
                     kind->params.kind, ink__kind_best(INK_ASK_MEMBER, INK__KIND_GROWS));
}

static ink_status create_kind(ink__stream_sketches *all, ink__stream_kind *kind,
                              const ink_params *params, ink_key_type keys, ink_error *error)
{
    kind->params = *params;
    kind->params.key_type = keys;
    INK__TRY(ink_kind_describe(params->kind, &kind->info, error));
    INK__TRY(check_size(kind, error));
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

/* Hashes are made once where several sketches, or sketches of several slots, want them. */
static void make_hasher(ink__stream_sketches *all)
{
    if (!all->windowed && all->count < 2)
        return;
    if (ink__hasher_create(&all->hasher, &all->kinds[0].params, &all->allocator, NULL) != INK_OK)
        all->hasher = NULL; /* a hash that only one kind knows: that takes keys */
}

static ink_status set_window(ink__stream_sketches *all, const ink_stream_options *options,
                             ink_error *error)
{
    uint32_t slots = options->slots == 0 ? 10 : options->slots;
    void    *memory;

    all->windowed = options->window_microseconds != 0;
    if (!all->windowed && options->slots != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "slots without a window, expected both");
    if (!all->windowed)
        return INK_OK;
    if (options->window_microseconds % slots != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a window of %llu microseconds in %u slots, expected slots of equal "
                         "length in whole microseconds",
                         (unsigned long long)options->window_microseconds, slots);
    all->window = (ink_window){
        .slot_microseconds = options->window_microseconds / slots,
        .slots = slots,
    };
    INK__TRY(ink__allocate(&all->allocator, sizeof *all->gather, &memory, error));
    all->gather = memory;
    return INK_OK;
}

ink_status ink__stream_sketches_create(ink__stream_sketches *all, const ink_reading *reading,
                                       const ink_stream_options *options,
                                       const ink_allocator *allocator, ink_error *error)
{
    uint64_t bytes = options->kind_count * sizeof *all->kinds;
    void    *memory;

    *all = (ink__stream_sketches){.allocator = *allocator};
    INK__TRY(check_names(options, error));
    INK__TRY(ink__allocate(allocator, bytes, &memory, error));
    memset(memory, 0, bytes);
    all->kinds = memory;
    all->count = options->kind_count;
    ink_status status = set_window(all, options, error);
    for (size_t i = 0; i < all->count && status == INK_OK; i++)
        status = create_kind(all, &all->kinds[i], &options->kinds[i],
                             ink__reading_key_type(reading), error);
    if (status == INK_OK)
        make_hasher(all);
    else
        ink__stream_sketches_free(all);
    return status;
}

void ink__stream_sketches_free(ink__stream_sketches *all)
{
    for (size_t i = 0; i < all->count; i++) {
        ink_sketch_free(all->kinds[i].sketch);
        ink_ring_free(all->kinds[i].ring);
    }
    ink__hasher_free(all->hasher);
    if (all->gather != NULL)
        ink__release(&all->allocator, all->gather, sizeof *all->gather);
    if (all->kinds != NULL)
        ink__release(&all->allocator, all->kinds, all->count * sizeof *all->kinds);
    *all = (ink__stream_sketches){.allocator = all->allocator};
}

/* How many records it holds, over a window in all slots. */
static uint64_t records_of(const ink__stream_kind *kind)
{
    ink_description d;
    ink_entry       entry;
    uint64_t        records = 0;

    if (kind->ring == NULL) {
        ink_sketch_describe(kind->sketch, &d);
        return d.records;
    }
    for (size_t at = 0; ink_ring_next(kind->ring, &at, NULL, &entry);) {
        ink_sketch_describe(entry.sketch, &d);
        records += d.records;
    }
    return records;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static ink_status differ(const char *kind, const char *what, double there, double here,
                         ink_error *error)
{
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "its %s has %s %g, and %g was asked for, expected the same", kind, what, there,
                     here);
}

/* Whether a sketch was planned as another one; levels that it has grown since do not matter. */
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
        {"key type", a.key_type, b.key_type},
    };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++)
        if (numbers[i].there != numbers[i].here)
            return differ(a.kind, numbers[i].name, numbers[i].there, numbers[i].here, error);
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
    const uint8_t *secret = kind->params.secret;
    ink_sketch    *view, *copy;
    size_t         index;

    if (ink_file_find(file, kind->params.kind, NULL, &index, NULL) != INK_OK)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "it holds no %s, expected the sketches that were asked for",
                         kind->params.kind);
    INK__TRY(ink_file_sketch(file, index, &view, error));
    ink_status status = check_plan(view, kind->sketch, error);
    if (status == INK_OK)
        status = ink_sketch_copy(&copy, view, &all->allocator, error);
    ink_sketch_free(view);
    INK__TRY(status);
    status = secret == NULL ? INK_OK : ink_sketch_unlock(copy, secret, error);
    if (status != INK_OK) {
        ink_sketch_free(copy);
        return status;
    }
    ink_sketch_free(kind->sketch);
    kind->sketch = copy;
    kind->measured = records_of(kind);
    return INK_OK;
}

/* A file with more than was asked for, or with groups, is another stream's. */
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

/* Rounded towards the past, as rings do. */
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

static ink_status add_batch(ink__stream_kind *kind, ink_sketch *sketch, ink_batch batch,
                            ink_error *error)
{
    if (!kind->info.weights)
        batch.weights = NULL;
    return ink_sketch_add_batch(sketch, &batch, error);
}

static ink_status hash_rows(ink__stream_sketches *all, const ink_batch *batch, ink_error *error)
{
    ink_batch keys = *batch;

    if (all->hasher == NULL)
        return INK_OK;
    keys.weights = NULL;
    return ink__hasher_batch(all->hasher, &keys, all->hashes, error);
}

static ink_status add_all(ink__stream_sketches *all, const ink__rows *rows, ink_error *error)
{
    ink_batch batch = ink__rows_batch(rows);

    INK__TRY(hash_rows(all, &batch, error));
    if (all->hasher != NULL)
        batch.hashes = all->hashes;
    for (size_t i = 0; i < all->count; i++)
        INK__TRY(add_batch(&all->kinds[i], all->kinds[i].sketch, batch, error));
    return INK_OK;
}

/* Adds a batch whose rows are all of the slot of `when`, which lies in the window. */
static ink_status add_to_slot(ink__stream_sketches *all, const ink_batch *batch, int64_t when,
                              ink_error *error)
{
    ink_sketch *slot;

    for (size_t i = 0; i < all->count; i++) {
        INK__TRY(ink_ring_slot(all->kinds[i].ring, when, &slot, error));
        if (slot != NULL)
            INK__TRY(add_batch(&all->kinds[i], slot, *batch, error));
    }
    return INK_OK;
}

/* Whether the slot of a time would start before time can be told: a ring takes that as late. */
static bool is_untold(const ink__stream_sketches *all, int64_t when)
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

/* Puts the rows of one slot together, from row `first` on. */
static ink_batch gather_slot(ink__stream_sketches *all, const ink__rows *rows, size_t first)
{
    struct ink__stream_gather *to = all->gather;
    ink_batch                  batch = {.bytes = rows->key_bytes};

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
    if (rows->key_ints != NULL)
        batch.ints = to->ints;
    else {
        batch.offsets = to->starts;
        batch.ends = to->ends;
    }
    if (all->hasher != NULL)
        batch.hashes = to->hashes;
    if (rows->weights != NULL)
        batch.weights = to->weights;
    return batch;
}

/* Whether a row is late is decided in the order of records; then those of each slot go there in
 * their order. What falls out of the window before the last row is left out at once. */
static ink_status add_by_time(ink__stream_sketches *all, const ink__rows *rows, int64_t latest,
                              ink__stream_left *left, ink_error *error)
{
    struct ink__stream_gather *to = all->gather;
    ink_batch                  batch = ink__rows_batch(rows);

    INK__TRY(hash_rows(all, &batch, error));
    for (size_t i = 0; i < rows->count; i++) {
        to->numbers[i] = number_of(all, rows->times[i]);
        bool late = is_past(all, to->numbers[i]) || is_untold(all, rows->times[i]);
        bool ahead = !late && rows->times[i] > latest;
        to->done[i] = late || ahead;
        left->late += late;
        left->ahead += ahead;
        if (!to->done[i])
            see_time(all, rows->times[i]);
    }
    for (size_t i = 0; i < rows->count; i++) {
        if (to->done[i] || is_past(all, to->numbers[i]))
            continue;
        batch = gather_slot(all, rows, i);
        INK__TRY(add_to_slot(all, &batch, rows->times[i], error));
    }
    return INK_OK;
}

static ink_status add_now(ink__stream_sketches *all, const ink__rows *rows, int64_t now,
                          ink_error *error)
{
    ink_batch batch = ink__rows_batch(rows);

    see_time(all, now);
    INK__TRY(hash_rows(all, &batch, error));
    if (all->hasher != NULL)
        batch.hashes = all->hashes;
    return add_to_slot(all, &batch, all->newest_time, error);
}

ink_status ink__stream_sketches_add(ink__stream_sketches *all, const ink__rows *rows, int64_t now,
                                    ink__stream_left *left, ink_error *error)
{
    *left = (ink__stream_left){0};
    if (rows->count == 0)
        return INK_OK;
    if (!all->windowed)
        return add_all(all, rows, error);
    if (rows->times == NULL)
        return add_now(all, rows, now, error);
    return add_by_time(all, rows, ink__stream_latest(all, now), left, error);
}

int64_t ink__stream_latest(const ink__stream_sketches *all, int64_t now)
{
    uint64_t window = all->window.slot_microseconds * all->window.slots;

    return now > 0 && (uint64_t)(INT64_MAX - now) < window ? INT64_MAX : now + (int64_t)window;
}

bool ink__stream_sketches_behind(const ink__stream_sketches *all, int64_t when)
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

/* ---- Entries and copies ------------------------------------------------------------------- */

size_t ink__stream_sketches_entries(const ink__stream_sketches *all)
{
    size_t count = 0;

    for (size_t i = 0; i < all->count; i++)
        count += all->windowed ? ink_ring_count(all->kinds[i].ring) : 1;
    return count;
}

void ink__stream_sketches_entry_all(const ink__stream_sketches *all, ink_entry *entries)
{
    size_t at = 0;

    for (size_t i = 0; i < all->count; i++) {
        const ink__stream_kind *kind = &all->kinds[i];
        if (!all->windowed)
            entries[at++] = (ink_entry){.sketch = kind->sketch};
        else
            for (size_t location = 0; ink_ring_next(kind->ring, &location, NULL, &entries[at]);)
                at++;
    }
}

ink_status ink__stream_sketches_copy(const ink__stream_sketches *all, size_t index,
                                     ink_sketch **sketch, ink_error *error)
{
    const ink__stream_kind *kind = &all->kinds[index];

    return all->windowed ? ink_ring_last(kind->ring, 0, sketch, error)
                         : ink_sketch_copy(sketch, kind->sketch, &all->allocator, error);
}

/* ---- Promises ----------------------------------------------------------------------------- */

/* Numbers of records that differ by less than 1/64 have the same grade, or neighbouring ones. */
static uint64_t grade(uint64_t records)
{
    unsigned shift = 0;

    while (records >> shift >= 128)
        shift++;
    return (uint64_t)shift << 8 | records >> shift;
}

/* A look at the bits is worth it when the rate can have risen by some percent, and not before half
 * of the keys are in. With batches of one size this depends on records alone: whoever goes on after
 * an end looks at the same moments. */
static bool is_due(ink__stream_kind *kind, uint64_t batch)
{
    uint64_t records = records_of(kind), before = kind->measured;

    if (batch != 0) /* of a kind that takes weights a record may count as many */
        before = records < batch || kind->info.weights ? 0 : records - batch;
    kind->measured = records;
    return records >= kind->planned.expected_keys / 2 && grade(records) != grade(before);
}

ink_status ink__stream_sketches_measure(ink__stream_sketches *all, size_t index, uint64_t batch,
                                        bool *passed, double *rate, double *promised,
                                        ink_error *error)
{
    ink__stream_kind *kind = &all->kinds[index];
    ink_sketch       *united = NULL;

    *passed = false;
    *promised = kind->planned.promised_rate;
    if (!kind->info.contains || kind->full || *promised == 0 || !is_due(kind, batch))
        return INK_OK;
    if (all->windowed)
        INK__TRY(ink_ring_last(kind->ring, 0, &united, error));
    ink_status status = ink_sketch_rate(all->windowed ? united : kind->sketch, rate, error);
    ink_sketch_free(united);
    INK__TRY(status);
    *passed = kind->full = *rate > *promised;
    return INK_OK;
}

ink_status ink__stream_sketches_renew(ink__stream_sketches *all, size_t index, ink_error *error)
{
    ink__stream_kind *kind = &all->kinds[index];
    ink_sketch       *empty;

    kind->full = false; /* also if it cannot be: then it is looked at again */
    INK__TRY(ink_sketch_create(&empty, &kind->params, &all->allocator, error));
    ink_sketch_free(kind->sketch);
    kind->sketch = empty;
    kind->measured = 0;
    return INK_OK;
}
