/* counts.c - how often keys were seen: keys in, counts by a set of sketches out, in order; of
 * several kinds the best answer for each key. */
#include "base/memory.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/groups/matches.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/sketch_set.h"

#include <stdlib.h>

/* Answers in memory at a time, at least one for each sketch; and those that a thread keeps of its
 * chunk: 2.5 MiB. */
enum { ANSWERS_MAX = 4096, AHEAD_MAX = 1 << 16 };

/* The keys of a chunk, until its ordered commit. */
typedef struct asking {
    uint64_t          hashes[INK__ROWS_MAX];
    ink__pending_rows keys;
    ink__gather       groups; /* of keys that name one; the null group has weight 1 */
    ink_answer       *ahead;  /* of the first `asked` keys: for each sketch all->ahead of them */
    uint64_t          asked;
} asking;

typedef struct counting {
    ink_allocator         allocator;
    const ink_set        *set;
    const ink_entry     **entries; /* of the set, by label; room for as many */
    const ink_entry     **sorted;  /* the same, or their room */
    uint64_t              count;   /* of these that are asked */
    bool                  several; /* kinds: a label may be there more than once */
    const ink_count_sink *sink;
    ink_reading           reading;
    ink_description       description; /* of the sketches */
    asking               *workers;
    unsigned              worker_count;
    uint64_t              ahead; /* keys of a chunk that are asked before its commit; 0: none */
    /* Of a commit: */
    ink_answer *answers;
    size_t      block; /* keys in a query */
} counting;

/* ---- Asking ------------------------------------------------------------------------------- */

static ink_status give(const counting *all, const asking *mine, uint64_t key,
                       const ink_label *label, const char *kind, const ink_answer *answer,
                       ink_error *error)
{
    char          digits[INK__DIGITS_BYTES];
    ink_count_row row = {.kind = kind, .label = *label, .count = *answer};

    row.key = ink__pending_rows_key(&mine->keys, key, digits, &row.key_bytes);
    int result = all->sink->row(all->sink->host, &row);
    return result == 0 ? INK_OK : ink__fail_io(error, result, "cannot write");
}

static int compare_entries(const void *a, const void *b)
{
    return ink_label_compare(&((const ink_entry *)a)->label, &((const ink_entry *)b)->label);
}

/* Whether entry number `at` has the label of that before it. */
static bool is_same(const counting *all, uint64_t at)
{
    return all->several && at > 0 && at < all->count &&
           compare_entries(all->sorted[at - 1], all->sorted[at]) == 0;
}

/* Gives the rows of `count` keys from `first` on, whose answers for each sketch are `step` apart.
 */
static ink_status give_all(const counting *all, const asking *mine, uint64_t first, size_t count,
                           const ink_answer *answers, uint64_t step, ink_error *error)
{
    uint64_t best;

    for (size_t i = 0; i < count; i++, answers++)
        for (uint64_t e = 0; e < all->count; e++) {
            for (best = e; is_same(all, e + 1); e++)
                if (ink_answer_is_better(&answers[(e + 1) * step], &answers[best * step]))
                    best = e + 1;
            const ink_entry *entry = all->sorted[best];
            INK__TRY(give(all, mine, first + i, &entry->label, ink_sketch_kind(entry->sketch),
                          &answers[best * step], error));
        }
    return INK_OK;
}

static ink_status ask_all(const counting *all, const asking *mine, uint64_t first, size_t count,
                          ink_answer *answers, uint64_t step, ink_error *error)
{
    const ink_batch batch = ink__pending_rows_batch(&mine->keys, first, first + count);

    for (uint64_t e = 0; e < all->count; e++)
        INK__TRY(ink_sketch_count_batch(all->sorted[e]->sketch, &batch, answers + e * step, error));
    return INK_OK;
}

static int compare_label(const void *label, const void *at)
{
    return ink_label_compare(label, &(*(const ink_entry *const *)at)->label);
}

static ink_label own_label(const asking *mine, uint64_t key)
{
    return (ink_label){
        .group_kind = mine->groups.weights[key] != 0 ? INK_GROUP_NULL : INK_GROUP_BYTES,
        .group = mine->groups.bytes + mine->groups.starts[key],
        .group_bytes = (size_t)(mine->groups.ends[key] - mine->groups.starts[key]),
    };
}

static ink_status ask_own(const counting *all, const asking *mine, uint64_t key, ink_answer *best,
                          const char **kind, ink_error *error)
{
    const ink_label   label = own_label(mine, key);
    const ink_entry **found =
        bsearch(&label, all->sorted, (size_t)all->count, sizeof *all->sorted, compare_label);
    const ink_batch batch = ink__pending_rows_batch(&mine->keys, key, key + 1);
    ink_answer      answer;

    *best = (ink_answer){.confidence = 1}; /* an unknown group has seen nothing */
    *kind = all->description.kind;
    if (found == NULL)
        return INK_OK;
    uint64_t e = (uint64_t)(found - all->sorted), first;
    while (is_same(all, e))
        e--;
    first = e;
    do {
        const ink_sketch *sketch = all->sorted[e]->sketch;
        INK__TRY(ink_sketch_count_batch(sketch, &batch, &answer, error));
        if (e == first || ink_answer_is_better(&answer, best)) {
            *best = answer;
            *kind = ink_sketch_kind(sketch);
        }
    } while (is_same(all, ++e));
    return INK_OK;
}

static ink_status answer_own(const counting *all, const asking *mine, uint64_t key,
                             ink_error *error)
{
    const char *kind = all->description.kind; /* the only one, if it was asked before */
    ink_answer  best;
    ink_label   label = own_label(mine, key);

    if (key < mine->asked)
        best = mine->ahead[key];
    else
        INK__TRY(ask_own(all, mine, key, &best, &kind, error));
    return give(all, mine, key, &label, kind, &best, error);
}

/* Asks for the keys from `first` on while other threads do so for theirs. */
static ink_status ask_ahead(const counting *all, asking *mine, uint64_t first, ink_error *error)
{
    uint64_t    end = mine->keys.count;
    const char *kind;

    if (end > all->ahead)
        return INK_OK; /* the rest is asked in the commit */
    if (mine->ahead == NULL)
        INK__TRY(ink__allocate_zeroed(&all->allocator, AHEAD_MAX * sizeof *mine->ahead,
                                      &mine->ahead, error));
    if (all->reading.by == NULL)
        INK__TRY(ask_all(all, mine, first, (size_t)(end - first), mine->ahead + first, all->ahead,
                         error));
    for (uint64_t key = first; key < end && all->reading.by != NULL; key++)
        INK__TRY(ask_own(all, mine, key, &mine->ahead[key], &kind, error));
    mine->asked = end;
    return INK_OK;
}

static ink_status commit(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    counting *all = host;
    asking   *mine = &all->workers[worker];
    uint64_t  first = all->reading.by != NULL ? 0 : mine->asked, end = mine->keys.count;
    int       result = 0;

    (void)feed;
    for (uint64_t key = 0; key < end && all->reading.by != NULL; key++)
        INK__TRY(answer_own(all, mine, key, error));
    if (first > 0)
        INK__TRY(give_all(all, mine, 0, (size_t)first, mine->ahead, all->ahead, error));
    for (; first < end && all->reading.by == NULL; first += all->block) {
        size_t count = end - first < all->block ? (size_t)(end - first) : all->block;
        INK__TRY(ask_all(all, mine, first, count, all->answers, all->block, error));
        INK__TRY(give_all(all, mine, first, count, all->answers, all->block, error));
    }
    ink__pending_rows_clear(&mine->keys);
    mine->groups.count = mine->groups.byte_count = mine->asked = 0;
    if (all->sink->end != NULL)
        result = all->sink->end(all->sink->host);
    return result == 0 ? INK_OK : ink__fail_io(error, result, "cannot write");
}

static ink_status take(void *host, unsigned worker, const ink__feed_rows *feed, ink_error *error)
{
    counting             *all = host;
    asking               *mine = &all->workers[worker];
    const ink__rows      *rows = feed->rows;
    ink_batch             batch = ink__rows_batch(rows);
    ink__pending_rows_for what = {.keys = true};
    uint64_t              first = mine->keys.count;

    if (!all->description.needs_keys) {
        INK__TRY(ink_sketch_hash_batch(all->set->entries[0].sketch, &batch, mine->hashes, error));
        what.hashes = mine->hashes;
    }
    INK__TRY(ink__pending_rows_add(&mine->keys, rows, &what, error));
    for (size_t i = 0; i < rows->count && rows->group_starts != NULL; i++) {
        ink_label label = ink__rows_label(rows, i);
        bool      null = label.group_kind == INK_GROUP_NULL;
        INK__TRY(ink__gather_key(&mine->groups, null ? rows->group_bytes : label.group,
                                 label.group_bytes, null, error));
    }
    return ask_ahead(all, mine, first, error);
}

/* ---- The job ------------------------------------------------------------------------------ */

static ink_status check(counting *all, ink_error *error)
{
    size_t             columns = ink_set_key_columns(all->set);
    ink__member        first = {.description = all->description};
    const ink__members members = {.list = &first, .count = 1};

    if (columns > 1 && all->reading.key_count != columns)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "keys of the sketches are tuples of %zu columns, expected as many ({key})",
                         columns);
    if (columns == 1 && all->reading.key_count > 1)
        return ink__fail(
            error, INK_USAGE, INK_NOWHERE, 0,
            "%zu columns, but keys of the sketches are no tuples, expected one ({key})",
            all->reading.key_count);
    all->reading.weight = NULL;
    return ink__members_keys(&members, &all->reading, error);
}

static uint64_t total_of(const ink_entry *entry)
{
    ink_description description;

    ink_sketch_describe(entry->sketch, &description);
    return description.total;
}

/* Sorts the entries by label. Of several kinds those with the total of the first are about the same
 * data; others, as merged files may have them, are left out. */
static ink_status sort_entries(counting *all, ink_error *error)
{
    uint64_t count = all->set->count, first = 0;

    INK__TRY(ink__allocate_zeroed(&all->allocator, 2 * count * sizeof *all->entries, &all->entries,
                                  error));
    for (uint64_t e = 0; e < count; e++) {
        all->entries[e] = &all->set->entries[e];
        all->several = all->several ||
                       strcmp(ink_sketch_kind(all->entries[e]->sketch), all->description.kind) != 0;
    }
    all->sorted =
        (const ink_entry **)ink__sort((const void **)all->entries, (size_t)count, compare_entries);
    all->count = count;
    if (!all->several)
        return INK_OK;
    all->count = 0;
    for (uint64_t e = 0; e < count; e++) {
        const ink_entry *entry = all->sorted[e];
        bool             same = all->count > 0 && compare_entries(all->sorted[first], entry) == 0;
        if (same && total_of(entry) != total_of(all->sorted[first]))
            continue;
        first = same ? first : all->count;
        all->sorted[all->count++] = entry;
    }
    return INK_OK;
}

static ink_status make_room(counting *all, ink_error *error)
{
    uint64_t groups = all->set->count;

    INK__TRY(sort_entries(all, error));
    all->block = groups >= ANSWERS_MAX ? 1 : (size_t)(ANSWERS_MAX / groups);
    uint64_t each = all->reading.by == NULL ? all->count : 1; /* answers of a key */
    if (each * INK__ROWS_MAX <= AHEAD_MAX && !(all->several && all->reading.by != NULL))
        all->ahead = AHEAD_MAX / each;
    INK__TRY(ink__allocate_zeroed(&all->allocator, groups * all->block * sizeof *all->answers,
                                  &all->answers, error));
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->worker_count * sizeof *all->workers,
                                  &all->workers, error));
    for (unsigned i = 0; i < all->worker_count; i++)
        all->workers[i].keys.keys = all->workers[i].groups =
            (ink__gather){.allocator = all->allocator, .keep = INK__KEEP_KEYS};
    return INK_OK;
}

static ink_status run(counting *all, const ink_input *keys, size_t key_count, ink_job *job,
                      ink_error *error)
{
    ink__feed feed = {
        .inputs = keys,
        .input_count = key_count,
        .reading = &all->reading,
        .host = all,
        .take = take,
        .commit = commit,
    };

    INK__TRY(check(all, error));
    all->worker_count = feed.workers = ink__feed_workers(&feed, job);
    ink_status status = make_room(all, error);
    if (status == INK_OK)
        status = ink__feed_run(&feed, job, ink__system_now()->nanoseconds(), error);
    for (unsigned i = 0; i < all->worker_count && all->workers != NULL; i++) {
        ink__pending_rows_end(&all->workers[i].keys);
        ink__gather_end(&all->workers[i].groups);
        ink__release(&all->allocator, all->workers[i].ahead, AHEAD_MAX * sizeof(ink_answer));
    }
    ink__release(&all->allocator, all->workers, all->worker_count * sizeof *all->workers);
    ink__release(&all->allocator, all->answers,
                 all->set->count * all->block * sizeof *all->answers);
    ink__release(&all->allocator, all->entries, 2 * all->set->count * sizeof *all->entries);
    return status;
}

ink_status ink_count_keys(const ink_set *set, const ink_input *keys, size_t key_count,
                          const ink_reading *reading, const ink_count_sink *sink, ink_job *job,
                          ink_error *error)
{
    counting all = {
        .allocator = ink__allocator_or_heap(job->allocator),
        .set = set,
        .sink = sink,
        .reading = *reading,
    };

    job->failed_path = NULL;
    job->records = job->bad = job->nulls = 0;
    if (set->count == 0)
        return INK_OK;
    ink_sketch_describe(set->entries[0].sketch, &all.description);
    return run(&all, keys, key_count, job, error);
}
