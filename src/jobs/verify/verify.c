/* verify.c - promises against the ground truth.
 *
 * A filter is queried for every distinct key of the ground truth. It must find all keys of its own
 * group; all others that it finds are false positives: with U the keys of all groups and M those of
 * the group, |found in U| - |found in M|, of |U| - |M| tested.
 *
 * Threads take groups, ranges of the keys of a large group, then ranges of U, then slices of U and
 * a filter. All results are sums: no order of threads changes them. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/groups/matches.h"
#include "jobs/groups/pieces.h"
#include "jobs/runtime/reading.h"
#include "jobs/runtime/statistics.h"
#include "jobs/runtime/tasks.h"
#include "jobs/verify/ground_truth.h"
#include "jobs/verify/key_ranges.h"
#include "jobs/verify/verify_results.h"

#include <stdatomic.h>
#include <string.h>

#define TESTS_MAX ((uint64_t)1 << 30)
#define SLICE_KEYS 8192u
#define RANDOM_KEYS ((uint64_t)1 << 20) /* made at a time */
#define SURE (1 - 1e-6)
#define LARGE_BYTES ((uint64_t)128 << 10) /* of hashes, in a group that several threads share */
enum { KINDS_MAX = 16 };

/* One for each member. */
typedef struct trial {
    atomic_bool          asked;     /* the ground truth has its group */
    atomic_uint_fast64_t denied;    /* keys of its group that it does not find */
    atomic_uint_fast64_t own_asked; /* keys of its group in the sample ... */
    atomic_uint_fast64_t own_found; /* ... that it finds */
    atomic_uint_fast64_t found;     /* of all keys it was queried for */
} trial;

/* One for each thread. */
typedef struct verify_worker {
    ink__gather     own; /* keys of one group */
    ink__table      table;
    ink__spill_walk part; /* of a large group */
} verify_worker;

typedef struct verifying {
    ink_allocator             allocator;
    const ink_verify_options *options;
    ink_job                  *job;
    ink_reading               reading, given; /* completed, and before that */
    const ink_reading        *stored;         /* what the file's input spec says, ... */
    const ink_reading        *remembered;     /* ... if that is followed, or NULL */
    ink__members              members;
    ink__members              kinds[KINDS_MAX]; /* parts of the list, one kind each */
    size_t                    kind_count;
    bool                      grouped;
    uint64_t                  filters;
    uint64_t                  tests_max, began;
    ink__ground_truth         truth;
    verify_worker            *workers;     /* as many as the ground truth has workers */
    ink__key_ranges           chosen;      /* keys of groups, on their way to ... */
    ink__gather              *non_members; /* ... these: distinct ones, by range */
    uint64_t                 *absent_from; /* of each range: the first that is absent */
    unsigned                  range_count;
    uint64_t                  threshold; /* see ink__in_sample */
    trial                    *trials;
    atomic_uint_fast64_t      keys, members_asked, homeless; /* in the groups asked so far */
    atomic_bool               missing;
    ink_verification         *made;
    const ink_pieces_options *mapped; /* pieces are the ground truth; NULL: records */
    uint64_t                  mapped_job;
    uint32_t                  part, parts;

    ink__tasks tasks;              /* queries of non-members */
    uint64_t   random, random_end; /* numbers of random keys */
    uint64_t  *slices;             /* in all ranges before each, and at the end in all */
    uint64_t   asked;              /* non-members so far */
} verifying;

/* Tasks without progress: they are short. */
static ink_status run_tasks(const verifying *all, uint64_t count, ink__task *prepare,
                            ink__task *run, void *host, ink_error *error)
{
    ink__tasks tasks = ink__tasks_of(all->job, all->began, INK_PHASE_TESTING, count, run, host);
    unsigned   workers = all->truth.worker_count;

    if (count == 0)
        return INK_OK;
    tasks.prepare = prepare;
    tasks.total = 0;
    return ink__tasks_run(&tasks, count < workers ? (unsigned)count : workers, error);
}

/* ---- One group: its own keys -------------------------------------------------------------- */

/* Makes a sample of `keys` keys, if all of them would be too many tests. */
static void set_threshold(verifying *all, uint64_t keys)
{
    double tests = (double)keys * (double)all->filters;

    all->threshold = UINT64_MAX;
    if (tests <= (double)all->tests_max)
        return;
    all->made->counted.sampled = true;
    all->threshold = (uint64_t)((double)all->tests_max / tests * 18446744073709549568.0);
}

/* A filter must find every true member. */
static ink_status ask_members(verifying *all, const verify_worker *by, size_t m, ink_error *error)
{
    trial   *mine = &all->trials[m];
    uint8_t  answers[1024];
    uint64_t count = by->own.count, denied = 0, own_asked = 0, own_found = 0;

    for (uint64_t at = 0; at < count; at += sizeof answers) {
        uint64_t  some = count - at < sizeof answers ? count - at : sizeof answers;
        ink_batch batch = ink__ground_truth_batch(&all->truth, &by->own, at, some);
        INK__TRY(ink_sketch_contains_batch(all->members.list[m].sketch, &batch, answers, error));
        for (uint64_t i = 0; i < some; i++) {
            bool asked = ink__in_sample(all->threshold, by->own.hashes[at + i]);
            denied += !answers[i];
            own_asked += asked;
            own_found += asked && answers[i];
        }
    }
    atomic_fetch_add(&all->members_asked, count);
    atomic_fetch_add(&mine->denied, denied);
    atomic_fetch_add(&mine->own_asked, own_asked);
    atomic_fetch_add(&mine->own_found, own_found);
    return INK_OK;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

enum { COUNTS = 64 }; /* at a time: answers are large, and stacks of threads are small */

static ink_status ask_counts(const verifying *all, const ink__gather *own, size_t m,
                             ink_verify_result *row, ink_error *error)
{
    const ink__member *member = &all->members.list[m];
    ink_answer         answers[COUNTS];
    double             total = 0, far = 0; /* counts above the bound */
    bool               keeps = member->info.keeps_keys;

    for (uint64_t i = 0; i < own->count; i++)
        total += (double)own->weights[i];
    row->bound = keeps ? member->description.phi : member->description.epsilon;
    for (uint64_t at = 0; at < own->count; at += COUNTS) {
        uint64_t  some = own->count - at < COUNTS ? own->count - at : COUNTS;
        ink_batch batch = ink__ground_truth_batch(&all->truth, own, at, some);
        INK__TRY(ink_sketch_count_batch(member->sketch, &batch, answers, error));
        for (uint64_t i = 0; i < some; i++) {
            double true_count = (double)own->weights[at + i];
            double off = total > 0 ? distance(answers[i].estimate, true_count) / total : 0;
            row->wrong += !answers[i].saturated &&
                          (answers[i].high < true_count || (keeps && answers[i].low > true_count));
            row->missed += keeps && true_count > row->bound * total && answers[i].low <= 0;
            far += off > row->bound && answers[i].high >= true_count;
            row->error = off > row->error ? off : row->error;
        }
    }
    row->tested = own->count;
    row->ok = row->wrong == 0 && row->missed == 0;
    if (!keeps) { /* a share of the counts may be above the bound */
        double share = member->description.delta, mean = share * (double)row->tested;
        row->ok = row->ok && far <= ink__chance_limit(mean, mean * (1 - share));
        row->wrong += (uint64_t)far;
    }
    return INK_OK;
}

static ink_status ask_distinct(const verifying *all, const ink__gather *own, size_t m,
                               ink_verify_result *row, ink_error *error)
{
    double     true_count = (double)own->count;
    ink_answer answer;

    INK__TRY(ink_sketch_distinct_by(all->members.list[m].sketch, INK_ESTIMATOR_UNLIMITED, SURE,
                                    &answer, error));
    row->tested = own->count;
    row->wrong = answer.low > true_count || answer.high < true_count;
    row->ok = row->wrong == 0;
    if (true_count > 0) {
        row->error = distance(answer.estimate, true_count) / true_count;
        row->bound = distance(answer.high, answer.low) / 2 / true_count;
    }
    return INK_OK;
}

/* Of a group's keys, which are all of them if it is no filter. */
static ink_status ask_own(verifying *all, const verify_worker *by, size_t m, ink_error *error)
{
    const ink__member *member = &all->members.list[m];
    ink_verify_result *row = &all->made->rows[m];

    if (member->info.contains)
        return ask_members(all, by, m, error);
    if (member->info.counts)
        return ask_counts(all, &by->own, m, row, error);
    if (member->info.distinct)
        return ask_distinct(all, &by->own, m, row, error);
    return INK_OK;
}

/* Checks a group's sketches, one of each kind. A kind of filter that lacks it denies its keys. */
static ink_status ask_group(verifying *all, const verify_worker *by, const ink_label *label,
                            ink_error *error)
{
    for (size_t i = 0; i < all->kind_count; i++) {
        const ink__members *kind = &all->kinds[i];
        const ink__member  *member = ink__members_find(kind, label);
        if (member != NULL) {
            size_t m = (size_t)(member - all->members.list);
            atomic_store(&all->trials[m].asked, true);
            INK__TRY(ask_own(all, by, m, error));
        } else if (kind->list[0].info.contains)
            atomic_fetch_add(&all->homeless, by->own.count);
        else
            atomic_store(&all->missing, true);
    }
    return INK_OK;
}

/* ---- All groups --------------------------------------------------------------------------- */

/* What is done with the distinct keys of a group, or of a range of them. */
typedef enum aim { TO_COUNT, TO_ASK, TO_CHOOSE } aim;

/* A walk over the groups of a ground truth. */
typedef struct walk {
    verifying               *all;
    const ink__ground_truth *truth;
    aim                      purpose;
    uint64_t                 each;  /* groups of a task */
    const ink__group        *group; /* a large one: */
    ink__spill_walk          rest;  /* parts of it that no task has */
    ink__key_ranges          ranges;
} walk;

static ink_status use_keys(const walk *now, unsigned worker, const ink__group *group,
                           ink_error *error)
{
    verifying     *all = now->all;
    verify_worker *by = &all->workers[worker];

    atomic_fetch_add(&all->keys, by->own.count);
    if (now->purpose == TO_ASK)
        INK__TRY(ask_group(all, by, &group->label, error));
    if (now->purpose == TO_COUNT || all->chosen.count == 0)
        return INK_OK;
    return ink__key_ranges_put(&all->chosen, worker, &by->own, all->threshold, error);
}

/* A group that several threads share; what is no filter needs all keys at once. */
static bool is_large(const walk *now, const ink__group *group)
{
    const ink__ground_truth *truth = now->truth;
    const verifying         *all = now->all;
    uint64_t                 elements =
        ink__spill_elements(&truth->collector.groups->shards[group->shard].spill, group->partition);
    uint64_t chunk = all->job->chunk_bytes, least = chunk == 0 ? LARGE_BYTES : chunk;

    return all->truth.worker_count > 1 && all->filters == all->members.count &&
           elements > least / 8 && elements / 2 >= truth->elements / 8 / all->truth.worker_count;
}

static ink_status visit_groups(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const walk    *now = host;
    verify_worker *by = &now->all->workers[worker];
    uint64_t       left = now->truth->count - task * now->each;

    for (uint64_t i = 0; i < now->each && i < left; i++) {
        const ink__group *group = now->truth->list[task * now->each + i];
        if (is_large(now, group))
            continue;
        INK__TRY(ink__ground_truth_gather(now->truth, group, &by->own, &by->table, error));
        INK__TRY(use_keys(now, worker, group, error));
    }
    return INK_OK;
}

static ink_status take_part(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    walk *now = host;

    (void)task;
    (void)error;
    now->all->workers[worker].part = ink__spill_walk_next(&now->rest);
    return INK_OK;
}

static ink_status sort_part(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    walk          *now = host;
    verify_worker *by = &now->all->workers[worker];

    (void)task;
    by->own.keep = now->truth->collector.keep;
    by->own.count = by->own.byte_count = 0;
    INK__TRY(ink__spill_visit_part(&by->part, ink__gather_add, &by->own, error));
    INK__TRY(ink__ground_truth_hash(now->truth, &by->own, error));
    return ink__key_ranges_put(&now->ranges, worker, &by->own, UINT64_MAX, error);
}

static ink_status visit_range(void *host, unsigned worker, uint64_t range, ink_error *error)
{
    const walk    *now = host;
    verify_worker *by = &now->all->workers[worker];

    by->own.count = by->own.byte_count = 0;
    by->own.keep = now->truth->collector.keep;
    INK__TRY(ink__key_ranges_gather(&now->ranges, range, &by->own, error));
    INK__TRY(ink__ground_truth_distinct(now->truth, &by->own, &by->table, error));
    return use_keys(now, worker, now->group, error);
}

static ink_status visit_large(walk *now, const ink__group *group, ink_error *error)
{
    ink__groups      *groups = now->truth->collector.groups;
    const ink__spill *spill = &groups->shards[group->shard].spill;

    now->group = group;
    now->rest = ink__spill_walk_of(spill, group->partition);
    unsigned count = ink__key_ranges_for(ink__spill_elements(spill, group->partition));
    INK__TRY(ink__key_ranges_open(&now->ranges, count, now->all->truth.worker_count, groups,
                                  now->all->job, error));
    ink_status status =
        run_tasks(now->all, ink__spill_walk_parts(&now->rest), take_part, sort_part, now, error);
    if (status == INK_OK)
        status = run_tasks(now->all, now->ranges.count, NULL, visit_range, now, error);
    ink__key_ranges_close(&now->ranges);
    return status;
}

static ink_status visit_all(verifying *all, const ink__ground_truth *truth, aim purpose,
                            ink_error *error)
{
    walk now = {.all = all, .truth = truth, .purpose = purpose, .each = 1 + truth->count / 4096};

    for (uint64_t g = 0; g < truth->count; g++)
        if (is_large(&now, truth->list[g]))
            INK__TRY(visit_large(&now, truth->list[g], error));
    return run_tasks(all, (truth->count + now.each - 1) / now.each, NULL, visit_groups, &now,
                     error);
}

/* ---- Non-members ---------------------------------------------------------------------------- */

/* Makes room for keys of groups, by range. */
static ink_status open_ranges(verifying *all, uint64_t keys, ink_error *error)
{
    unsigned count = ink__key_ranges_for(keys);

    INK__TRY(ink__key_ranges_open(&all->chosen, count, all->truth.worker_count,
                                  all->truth.collector.groups, all->job, error));
    INK__TRY(ink__allocate_zeroed(&all->allocator, count * sizeof *all->non_members,
                                  &all->non_members, error));
    all->range_count = count;
    for (unsigned r = 0; r < count; r++)
        all->non_members[r] = (ink__gather){
            .allocator = all->allocator,
            .keep = all->truth.collector.keep == INK__KEEP_KEYS ? INK__KEEP_KEYS : INK__KEEP_HASHES,
        };
    INK__TRY(ink__allocate_zeroed(&all->allocator, count * sizeof *all->absent_from,
                                  &all->absent_from, error));
    return ink__allocate_zeroed(&all->allocator, (count + 1) * sizeof *all->slices, &all->slices,
                                error);
}

static void close_ranges(verifying *all)
{
    ink__key_ranges_close(&all->chosen);
    for (unsigned r = 0; r < all->range_count; r++)
        ink__gather_end(&all->non_members[r]);
    ink__release(&all->allocator, all->non_members, all->range_count * sizeof *all->non_members);
    ink__release(&all->allocator, all->absent_from, all->range_count * sizeof *all->absent_from);
    ink__release(&all->allocator, all->slices, (all->range_count + 1) * sizeof *all->slices);
}

/* Adds the chosen keys of a range to its distinct ones. */
static ink_status add_distinct(void *host, unsigned worker, uint64_t range, ink_error *error)
{
    verifying   *all = host;
    ink__gather *to = &all->non_members[range];

    INK__TRY(ink__key_ranges_gather(&all->chosen, range, to, error));
    return ink__ground_truth_distinct(&all->truth, to, &all->workers[worker].table, error);
}

static ink_status make_distinct(verifying *all, ink_error *error)
{
    ink_status status = run_tasks(all, all->range_count, NULL, add_distinct, all, error);

    ink__key_ranges_close(&all->chosen);
    return status;
}

/* Leaves out the first keys of a range, and those outside the sample. */
static ink_status choose_non_members(void *host, unsigned worker, uint64_t range, ink_error *error)
{
    verifying   *all = host;
    ink__gather *from = &all->non_members[range];
    uint64_t     kept = 0;

    (void)worker;
    (void)error;
    for (uint64_t i = all->absent_from[range]; i < from->count; i++) {
        if (!ink__in_sample(all->threshold, from->hashes[i]))
            continue;
        from->hashes[kept] = from->hashes[i];
        if (from->keep == INK__KEEP_KEYS) {
            from->starts[kept] = from->starts[i];
            from->ends[kept] = from->ends[i];
        }
        kept++;
    }
    from->count = kept;
    ink__ground_truth_close_ranks(&all->truth, from);
    return INK_OK;
}

static ink_status choose_absent(verifying *all, const ink__ground_truth *absent, ink_error *error)
{
    uint64_t keys = 0;

    for (unsigned r = 0; r < all->range_count; r++)
        all->absent_from[r] = all->non_members[r].count;
    INK__TRY(ink__key_ranges_open(&all->chosen, all->range_count, all->truth.worker_count,
                                  absent->collector.groups, all->job, error));
    ink_status status = visit_all(all, absent, TO_CHOOSE, error);
    if (status == INK_OK)
        status = make_distinct(all, error);
    ink__key_ranges_close(&all->chosen); /* before the groups, with which it shares a limit */
    INK__TRY(status);
    for (unsigned r = 0; r < all->range_count; r++)
        keys += all->non_members[r].count - all->absent_from[r];
    set_threshold(all, keys);
    return run_tasks(all, all->range_count, NULL, choose_non_members, all, error);
}

/* Keys of the absent data in no group of the ground truth, whose keys were gathered before. */
static ink_status read_absent(verifying *all, ink_error *error)
{
    ink__ground_truth absent;
    ink_reading       reading = all->given;

    if (all->stored != NULL)
        INK__TRY(ink__reading_follow(&reading, all->stored, false, all->options->absent,
                                     all->options->absent_count, &all->remembered, error));
    reading.keys = all->reading.keys;
    reading.by = NULL;
    reading.round = INK_ROUND_NONE;
    INK__TRY(make_distinct(all, error));
    INK__TRY(ink__ground_truth_read(&absent, all->options->absent, all->options->absent_count,
                                    &reading, all->remembered, &all->members.list[0],
                                    all->truth.collector.keep, all->job, all->began, error));
    ink_status status = choose_absent(all, &absent, error);
    ink__ground_truth_free(&absent);
    return status;
}

/* The random keys that this part tests: all parts together test as many as the rates need. */
static void random_share(verifying *all, uint64_t *first, uint64_t *end)
{
    uint64_t wanted = 0, most = all->tests_max / all->filters;

    for (size_t m = 0; m < all->members.count; m++) {
        double   rate = all->members.list[m].description.promised_rate;
        uint64_t tests = all->members.list[m].info.contains ? ink__chance_tests(rate) : 0;
        if (tests == UINT64_MAX) /* no promise */
            tests = 1000000;
        wanted = tests > wanted ? tests : wanted;
    }
    all->made->counted.random = true;
    all->made->counted.sampled = all->made->counted.sampled || wanted > most;
    wanted = wanted < most ? wanted : most;
    uint64_t each = wanted / all->parts, left = wanted % all->parts;
    *first = each * all->part + (all->part < left ? all->part : left);
    *end = *first + each + (all->part < left);
}

/* Random keys of a range, from number `random` and on: integers, or 16 bytes of which eight are
 * random. */
static ink_status make_random(void *host, unsigned worker, uint64_t range, ink_error *error)
{
    verifying   *all = host;
    ink__gather *to = &all->non_members[range];
    uint64_t     each = RANDOM_KEYS / all->range_count, from = all->random + range * each;
    uint64_t     end = all->random_end - from < each ? all->random_end : from + each;
    uint8_t      key[16] = "a random";

    (void)worker;
    to->keep = INK__KEEP_KEYS;
    to->count = to->byte_count = 0;
    if (from >= all->random_end)
        return INK_OK;
    for (uint64_t i = from; i < end; i++) {
        uint64_t mixed = 0x5eed0f5eed0f5eedu + i * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        mixed ^= mixed >> 31;
        if (all->truth.ints)
            memcpy(key, &mixed, 8);
        else
            ink__store_u64(key + 8, mixed);
        INK__TRY(ink__gather_key(to, key, all->truth.ints ? 8 : sizeof key, 1, error));
    }
    return ink__ground_truth_hash(&all->truth, to, error);
}

/* ---- Queries of non-members ----------------------------------------------------------------- */

/* A task is a filter and a slice of the non-members. */
static ink_status ask_slice(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    verifying         *all = host;
    const uint64_t     each = all->slices[all->range_count], slice = task % each;
    size_t             m = (size_t)(task / each);
    const ink__member *member = &all->members.list[m];
    unsigned           range = 0;
    uint64_t           found = 0;
    uint8_t            answers[SLICE_KEYS];

    (void)worker;
    if (!member->info.contains)
        return INK_OK;
    while (all->slices[range + 1] <= slice)
        range++;
    const ink__gather *from = &all->non_members[range];
    uint64_t  first = (slice - all->slices[range]) * SLICE_KEYS, left = from->count - first;
    ink_batch batch =
        ink__ground_truth_batch(&all->truth, from, first, left < SLICE_KEYS ? left : SLICE_KEYS);
    INK__TRY(ink_sketch_contains_batch(member->sketch, &batch, answers, error));
    for (size_t i = 0; i < batch.count; i++)
        found += answers[i];
    atomic_fetch_add(&all->trials[m].found, found);
    return INK_OK;
}

static ink_status ask_non_members(verifying *all, ink_error *error)
{
    uint64_t slices = 0;

    for (unsigned r = 0; r < all->range_count; r++) {
        all->slices[r] = slices;
        all->asked += all->non_members[r].count;
        slices += (all->non_members[r].count + SLICE_KEYS - 1) / SLICE_KEYS;
    }
    all->slices[all->range_count] = slices;
    if (slices == 0)
        return INK_OK;
    all->tasks.count = all->tasks.total = slices * all->members.count;
    return ink__tasks_run(&all->tasks, all->truth.worker_count, error);
}

/* ---- The job ------------------------------------------------------------------------------ */

/* Takes a sample if every key of every group would be too many tests. */
static ink_status choose_sample(verifying *all, ink_error *error)
{
    all->threshold = UINT64_MAX;
    if (!all->grouped || all->options->absent != NULL ||
        (double)all->truth.elements * (double)all->filters <= (double)all->tests_max)
        return INK_OK;
    INK__TRY(visit_all(all, &all->truth, TO_COUNT, error));
    set_threshold(all, all->keys);
    return INK_OK;
}

/* Checks each sketch by the keys of its own group, and gathers non-members. */
static ink_status ask_groups(verifying *all, ink_error *error)
{
    verify_worker *first = &all->workers[0];

    if (all->filters > 0)
        INK__TRY(open_ranges(all, all->truth.elements, error));
    if (!all->grouped && all->options->absent == NULL)
        ink__key_ranges_close(&all->chosen); /* non-members are random */
    INK__TRY(visit_all(all, &all->truth, TO_ASK, error));
    /* Sketches of groups that the ground truth lacks should be empty. */
    first->own.count = first->own.byte_count = 0;
    first->own.keep = all->truth.collector.keep;
    for (size_t m = 0; m < all->members.count; m++)
        if (!all->trials[m].asked)
            INK__TRY(ask_own(all, first, m, error));
    return INK_OK;
}

static ink_status test_non_members(verifying *all, ink_error *error)
{
    if (all->filters == 0)
        return INK_OK;
    all->tasks = ink__tasks_of(all->job, all->began, INK_PHASE_TESTING, 0, ask_slice, all);
    if (all->options->absent != NULL) {
        INK__TRY(read_absent(all, error));
        return ask_non_members(all, error);
    }
    if (all->grouped) {
        INK__TRY(make_distinct(all, error));
        return ask_non_members(all, error);
    }
    random_share(all, &all->random, &all->random_end);
    for (; all->random < all->random_end; all->random += RANDOM_KEYS) {
        INK__TRY(run_tasks(all, all->range_count, NULL, make_random, all, error));
        INK__TRY(ask_non_members(all, error));
    }
    return INK_OK;
}

static ink_status start(verifying *all, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&all->allocator, (all->members.count + 1) * sizeof *all->trials,
                                  &all->trials, error));
    for (size_t m = 0; m < all->members.count; m++) {
        const ink__member *member = &all->members.list[m];
        if (m == 0 ||
            strcmp(member->description.kind, all->members.list[m - 1].description.kind) != 0) {
            if (all->kind_count == KINDS_MAX)
                return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "more kinds than there are");
            all->kinds[all->kind_count++] = (ink__members){.list = &all->members.list[m]};
        }
        all->kinds[all->kind_count - 1].count++;
        all->filters += member->info.contains;
        all->grouped = all->grouped || member->label.group_kind != INK_GROUP_NONE;
    }
    return INK_OK;
}

/* Counting kinds need weights; some kinds need the keys themselves. */
static ink_status get_truth(verifying *all, const ink_input *inputs, size_t input_count,
                            ink_error *error)
{
    const ink__member *first = &all->members.list[0];
    ink__keep          keep = INK__KEEP_HASHES;

    for (size_t m = 0; m < all->members.count && keep != INK__KEEP_KEYS; m++)
        if (first[m].description.needs_keys)
            keep = INK__KEEP_KEYS;
        else if (first[m].info.counts && !first[m].info.contains)
            keep = INK__KEEP_WEIGHTS;
    if (all->mapped == NULL)
        return ink__ground_truth_read(&all->truth, inputs, input_count, &all->reading,
                                      all->remembered, first, keep, all->job, all->began, error);
    const ink__ground_truth_pieces from = {
        .pieces = inputs,
        .count = input_count,
        .job = all->mapped_job,
        .rule = &all->mapped->build->kinds[0],
        .need_keys = keep == INK__KEEP_KEYS,
        .bucket = all->part,
        .buckets = all->parts,
    };
    return ink__ground_truth_unpack(&all->truth, &from, all->grouped,
                                    all->reading.keys == INK_KEYS_INT, first, all->job, all->began,
                                    error);
}

static ink_status open_workers(verifying *all, ink_error *error)
{
    INK__TRY(ink__allocate_zeroed(&all->allocator, all->truth.worker_count * sizeof *all->workers,
                                  &all->workers, error));
    for (unsigned i = 0; i < all->truth.worker_count; i++)
        all->workers[i].own.allocator = all->allocator;
    return INK_OK;
}

static void close_workers(verifying *all)
{
    for (unsigned i = 0; i < all->truth.worker_count && all->workers != NULL; i++) {
        verify_worker *by = &all->workers[i];
        ink__gather_end(&by->own);
        ink__release(&all->allocator, by->table.slots, by->table.bytes);
    }
    ink__release(&all->allocator, all->workers, all->truth.worker_count * sizeof *all->workers);
}

static ink_status run(verifying *all, const ink_input *inputs, size_t input_count, ink_error *error)
{
    INK__TRY(start(all, error));
    if (all->grouped && all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a file with groups and data without, expected a column ({by})");
    if (!all->grouped) {
        all->reading.by = NULL;
        all->reading.round = INK_ROUND_NONE;
    }
    INK__TRY(ink__members_keys(&all->members, &all->reading, error));
    INK__TRY(get_truth(all, inputs, input_count, error));
    INK__TRY(open_workers(all, error));
    uint64_t records = all->job->records, bad = all->job->bad;
    INK__TRY(choose_sample(all, error));
    INK__TRY(ask_groups(all, error));
    INK__TRY(test_non_members(all, error));
    all->job->records = records;
    all->job->bad = bad;
    all->made->records = records;
    all->made->counted.members = all->members_asked;
    all->made->homeless = all->homeless;
    all->made->missing = all->missing;
    bool others = all->grouped && all->options->absent == NULL;
    for (size_t m = 0; m < all->members.count; m++) {
        const trial       *mine = &all->trials[m];
        ink_verify_result *row = &all->made->rows[m];
        if (!row->membership)
            continue;
        row->denied = mine->denied;
        row->tested = all->asked - (others ? mine->own_asked : 0);
        row->false_positives = mine->found - (others ? mine->own_found : 0);
    }
    return INK_OK;
}

static ink_status with_input_spec(verifying *all, const ink_file *file, const ink_input *inputs,
                                  size_t input_count, ink_error *error)
{
    ink_input_spec *input_spec;
    ink_reading     stored;
    ink_status      status = INK_OK;

    if (all->mapped != NULL) /* before the reading is completed */
        INK__TRY(ink__pieces_job(&all->reading, all->mapped->build, &all->mapped_job, error));
    INK__TRY(ink_input_spec_read(&input_spec, file, &stored, error));
    all->given = all->reading;
    if (input_spec != NULL) {
        all->stored = &stored;
        status =
            ink__reading_follow(&all->reading, &stored, true, inputs,
                                all->mapped == NULL ? input_count : 0, &all->remembered, error);
    }
    if (status == INK_OK)
        status = run(all, inputs, input_count, error);
    ink_input_spec_free(input_spec);
    return status;
}

static ink_status make_verification(verifying *all, const ink_file *file, ink_error *error)
{
    if (all->mapped != NULL)
        INK__TRY(ink__verification_filters_only(&all->members, error));
    INK__TRY(ink__verification_create(&all->made, &all->members, &all->allocator, error));
    if (all->mapped == NULL)
        return INK_OK;
    INK__TRY(ink__verification_part(all->made, file, all->parts, error));
    if (all->part >= all->parts)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "bucket %u of %u, expected a smaller one", all->part, all->parts);
    all->made->added[all->part / 8] |= (uint8_t)(1u << all->part % 8);
    return INK_OK;
}

static ink_status verify(verifying *all, ink_verification **verification, const ink_file *file,
                         const ink_input *inputs, size_t input_count, ink_error *error)
{
    INK__TRY_ROOM("ink_verify_options", all->options, error);
    INK__TRY(ink__members_load(&all->members, file, NULL, 0, all->options->secret, &all->allocator,
                               error));
    ink_status status = make_verification(all, file, error);
    if (status == INK_OK)
        status = with_input_spec(all, file, inputs, input_count, error);
    close_ranges(all); /* before the groups, with which they share a limit */
    close_workers(all);
    ink__ground_truth_free(&all->truth);
    ink__release(&all->allocator, all->trials, (all->members.count + 1) * sizeof *all->trials);
    ink__members_free(&all->members);
    if (status == INK_OK)
        *verification = all->made;
    else
        ink_verification_free(all->made);
    return status;
}

static verifying prepared(const ink_reading *reading, const ink_verify_options *options,
                          ink_job *job)
{
    ink_allocator memory = ink__allocator_or_heap(job->allocator);

    job->failed_path = NULL;
    return (verifying){
        .allocator = memory,
        .options = options,
        .job = job,
        .reading = *reading,
        .tests_max = options->tests_max == 0 ? TESTS_MAX : options->tests_max,
        .began = ink__system_now()->nanoseconds(),
        .parts = 1,
    };
}

ink_status ink_verify(ink_verification **verification, const ink_file *file,
                      const ink_input *inputs, size_t input_count, const ink_reading *reading,
                      const ink_verify_options *options, ink_job *job, ink_error *error)
{
    verifying all = prepared(reading, options, job);

    return verify(&all, verification, file, inputs, input_count, error);
}

ink_status ink_verify_pieces(ink_verification **verification, const ink_file *file,
                             const ink_input *pieces, size_t piece_count,
                             const ink_reading *reading, const ink_pieces_options *mapped,
                             uint32_t bucket, const ink_verify_options *options, ink_job *job,
                             ink_error *error)
{
    verifying all = prepared(reading, options, job);

    if (options->absent != NULL)
        return ink__fail(
            error, INK_UNSUPPORTED, INK_NOWHERE, 0,
            "absent keys for a verification in parts, expected none (a verification over "
            "the records themselves takes them)");
    if (!mapped->ranged)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "pieces that are not of ranges, expected ink_pieces_options.ranged");
    if (mapped->build->kind_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no kind, expected one at least");
    all.mapped = mapped;
    all.part = bucket;
    all.parts = mapped->buckets == 0 ? 1 : mapped->buckets;
    return verify(&all, verification, file, pieces, piece_count, error);
}
