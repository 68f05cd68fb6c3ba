/* verify.c - promises against the ground truth.
 *
 * A filter is queried for every distinct key of the ground truth. It must find all keys of its own
 * group; all others that it finds are false positives: with U the keys of all groups and M those of
 * the group, |found in U| - |found in M|, of |U| - |M| tested. */
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
#include "jobs/verify/verify_results.h"

#include <stdatomic.h>
#include <string.h>

#define TESTS_MAX ((uint64_t)1 << 30)
#define SLICE_KEYS 8192u
#define RANDOM_KEYS ((uint64_t)1 << 20) /* made at a time */
#define SURE (1 - 1e-6)
enum { KINDS_MAX = 16 };

/* One for each member. */
typedef struct trial {
    bool                 asked;     /* the ground truth has its group */
    uint64_t             own_asked; /* keys of its group in the sample ... */
    uint64_t             own_found; /* ... that it finds */
    atomic_uint_fast64_t found;     /* of all keys it was queried for */
} trial;

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
    ink__gather               own; /* the keys of one group */
    ink__gather               non_members;
    uint64_t                  threshold; /* a key is in the sample if its mixed hash is below */
    ink__table                table;
    trial                    *trials;
    ink_verification         *made;
    const ink_pieces_options *mapped; /* pieces are the ground truth; NULL: records */
    uint64_t                  mapped_job;
    uint32_t                  part, parts;

    ink__tasks tasks; /* queries of non-members */
    uint64_t   slices;
    uint64_t   asked; /* non-members so far */
} verifying;

/* ---- One group: its own keys -------------------------------------------------------------- */

static bool in_sample(const verifying *all, uint64_t hash)
{
    uint64_t mixed = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;

    return all->threshold == UINT64_MAX || (mixed ^ mixed >> 32) < all->threshold;
}

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
static ink_status ask_members(verifying *all, size_t m, ink_verify_result *row, ink_error *error)
{
    trial   *mine = &all->trials[m];
    uint8_t  answers[1024];
    uint64_t count = all->own.count;

    all->made->counted.members += count;
    for (uint64_t at = 0; at < count; at += sizeof answers) {
        uint64_t  some = count - at < sizeof answers ? count - at : sizeof answers;
        ink_batch batch = ink__ground_truth_batch(&all->truth, &all->own, at, some);
        INK__TRY(ink_sketch_contains_batch(all->members.list[m].sketch, &batch, answers, error));
        for (uint64_t i = 0; i < some; i++) {
            bool asked = in_sample(all, all->own.hashes[at + i]);
            row->denied += !answers[i];
            mine->own_asked += asked;
            mine->own_found += asked && answers[i];
        }
    }
    return INK_OK;
}

static double distance(double a, double b)
{
    return a < b ? b - a : a - b;
}

enum { COUNTS = 64 }; /* at a time: answers are large, and stacks of threads are small */

static ink_status ask_counts(verifying *all, size_t m, ink_verify_result *row, ink_error *error)
{
    const ink__member *member = &all->members.list[m];
    ink_answer         answers[COUNTS];
    double             total = 0, far = 0; /* counts above the bound */
    bool               keeps = member->info.keeps_keys;

    for (uint64_t i = 0; i < all->own.count; i++)
        total += (double)all->own.weights[i];
    row->bound = keeps ? member->description.phi : member->description.epsilon;
    for (uint64_t at = 0; at < all->own.count; at += COUNTS) {
        uint64_t  some = all->own.count - at < COUNTS ? all->own.count - at : COUNTS;
        ink_batch batch = ink__ground_truth_batch(&all->truth, &all->own, at, some);
        INK__TRY(ink_sketch_count_batch(member->sketch, &batch, answers, error));
        for (uint64_t i = 0; i < some; i++) {
            double true_count = (double)all->own.weights[at + i];
            double off = total > 0 ? distance(answers[i].estimate, true_count) / total : 0;
            row->wrong += !answers[i].saturated &&
                          (answers[i].high < true_count || (keeps && answers[i].low > true_count));
            row->missed += keeps && true_count > row->bound * total && answers[i].low <= 0;
            far += off > row->bound && answers[i].high >= true_count;
            row->error = off > row->error ? off : row->error;
        }
    }
    row->tested = all->own.count;
    row->ok = row->wrong == 0 && row->missed == 0;
    if (!keeps) { /* a share of the counts may be above the bound */
        double share = member->description.delta, mean = share * (double)row->tested;
        row->ok = row->ok && far <= ink__chance_limit(mean, mean * (1 - share));
        row->wrong += (uint64_t)far;
    }
    return INK_OK;
}

static ink_status ask_distinct(verifying *all, size_t m, ink_verify_result *row, ink_error *error)
{
    double     true_count = (double)all->own.count;
    ink_answer answer;

    INK__TRY(ink_sketch_distinct_by(all->members.list[m].sketch, INK_ESTIMATOR_UNLIMITED, SURE,
                                    &answer, error));
    row->tested = all->own.count;
    row->wrong = answer.low > true_count || answer.high < true_count;
    row->ok = row->wrong == 0;
    if (true_count > 0) {
        row->error = distance(answer.estimate, true_count) / true_count;
        row->bound = distance(answer.high, answer.low) / 2 / true_count;
    }
    return INK_OK;
}

static ink_status ask_own(verifying *all, size_t m, ink_error *error)
{
    const ink__member *member = &all->members.list[m];
    ink_verify_result *row = &all->made->rows[m];

    if (member->info.contains)
        return ask_members(all, m, row, error);
    if (member->info.counts)
        return ask_counts(all, m, row, error);
    if (member->info.distinct)
        return ask_distinct(all, m, row, error);
    return INK_OK;
}

/* ---- Non-members ---------------------------------------------------------------------------- */

static ink_status add_non_members(verifying *all, const ink__gather *from, ink_error *error)
{
    all->non_members.keep = from->keep == INK__KEEP_KEYS ? INK__KEEP_KEYS : INK__KEEP_HASHES;
    for (uint64_t i = 0; i < from->count; i++) {
        if (!in_sample(all, from->hashes[i]))
            continue;
        if (from->keep == INK__KEEP_KEYS)
            INK__TRY(ink__gather_key(&all->non_members, from->bytes + from->starts[i],
                                     from->ends[i] - from->starts[i], 1, error));
        else
            INK__TRY(
                ink__gather_add(&all->non_members, (const uint8_t *)&from->hashes[i], 8, error));
    }
    return INK_OK;
}

/* Leaves out the first keys, and those outside the sample. */
static void choose_non_members(verifying *all, uint64_t first)
{
    ink__gather *from = &all->non_members;
    uint64_t     kept = 0;

    for (uint64_t i = first; i < from->count; i++) {
        if (!in_sample(all, from->hashes[i]))
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
}

static ink_status make_distinct(verifying *all, ink_error *error)
{
    INK__TRY(ink__ground_truth_hash(&all->truth, &all->non_members, error));
    return ink__gather_distinct(&all->non_members, &all->table, error);
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
    uint64_t members = all->non_members.count;
    INK__TRY(ink__ground_truth_read(&absent, all->options->absent, all->options->absent_count,
                                    &reading, all->remembered, &all->members.list[0],
                                    all->truth.collector.keep, all->job, all->began, error));
    ink_status status =
        ink__ground_truth_gather(&absent, absent.whole, &all->own, &all->table, error);
    if (status == INK_OK)
        status = add_non_members(all, &all->own, error);
    ink__ground_truth_free(&absent);
    INK__TRY(status);
    INK__TRY(make_distinct(all, error));
    set_threshold(all, all->non_members.count - members);
    choose_non_members(all, members);
    return INK_OK;
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

/* Random keys, number `from` and on: integers, or 16 bytes of which eight are random. */
static ink_status make_random(verifying *all, uint64_t from, uint64_t count, ink_error *error)
{
    uint8_t key[16] = "a random";

    all->non_members.keep = INK__KEEP_KEYS;
    all->non_members.count = all->non_members.byte_count = 0;
    for (uint64_t i = from; i < from + count; i++) {
        uint64_t mixed = 0x5eed0f5eed0f5eedu + i * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        mixed ^= mixed >> 31;
        if (all->truth.ints)
            memcpy(key, &mixed, 8);
        else
            ink__store_u64(key + 8, mixed);
        INK__TRY(
            ink__gather_key(&all->non_members, key, all->truth.ints ? 8 : sizeof key, 1, error));
    }
    return ink__ground_truth_hash(&all->truth, &all->non_members, error);
}

/* ---- Queries of non-members ----------------------------------------------------------------- */

/* A task is a filter and a slice of the non-members. */
static ink_status ask_slice(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    verifying         *all = host;
    size_t             m = (size_t)(task / all->slices);
    const ink__member *member = &all->members.list[m];
    uint64_t           first = task % all->slices * SLICE_KEYS, found = 0;
    uint64_t           left = all->non_members.count - first;
    uint8_t            answers[SLICE_KEYS];

    (void)worker;
    if (!member->info.contains)
        return INK_OK;
    ink_batch batch = ink__ground_truth_batch(&all->truth, &all->non_members, first,
                                              left < SLICE_KEYS ? left : SLICE_KEYS);
    INK__TRY(ink_sketch_contains_batch(member->sketch, &batch, answers, error));
    for (size_t i = 0; i < batch.count; i++)
        found += answers[i];
    atomic_fetch_add(&all->trials[m].found, found);
    return INK_OK;
}

static ink_status ask_non_members(verifying *all, ink_error *error)
{
    all->asked += all->non_members.count;
    all->slices = (all->non_members.count + SLICE_KEYS - 1) / SLICE_KEYS;
    if (all->slices == 0)
        return INK_OK;
    all->tasks.count = all->tasks.total = all->slices * all->members.count;
    return ink__tasks_run(&all->tasks, all->truth.worker_count, error);
}

/* ---- The job ------------------------------------------------------------------------------ */

/* Takes a sample if every key of every group would be too many tests. */
static ink_status choose_sample(verifying *all, ink_error *error)
{
    uint64_t keys = 0;

    all->threshold = UINT64_MAX;
    if (!all->grouped || all->options->absent != NULL ||
        (double)all->truth.elements * (double)all->filters <= (double)all->tests_max)
        return INK_OK;
    for (uint64_t g = 0; g < all->truth.count; g++) {
        INK__TRY(ink__ground_truth_gather(&all->truth, all->truth.list[g], &all->own, &all->table,
                                          error));
        keys += all->own.count;
    }
    set_threshold(all, keys);
    return INK_OK;
}

/* Checks a group's sketches, one of each kind. A kind of filter that lacks it denies its keys. */
static ink_status ask_group(verifying *all, const ink_label *label, ink_error *error)
{
    for (size_t i = 0; i < all->kind_count; i++) {
        const ink__members *kind = &all->kinds[i];
        const ink__member  *member = ink__members_find(kind, label);
        if (member != NULL) {
            size_t m = (size_t)(member - all->members.list);
            all->trials[m].asked = true;
            INK__TRY(ask_own(all, m, error));
        } else if (kind->list[0].info.contains)
            all->made->homeless += all->own.count;
        else
            all->made->missing = true;
    }
    return INK_OK;
}

/* Checks each sketch by the keys of its own group, and gathers non-members. */
static ink_status ask_groups(verifying *all, ink_error *error)
{
    for (uint64_t g = 0; g < all->truth.count; g++) {
        const ink__group *group = all->truth.list[g];
        INK__TRY(ink__ground_truth_gather(&all->truth, group, &all->own, &all->table, error));
        INK__TRY(ask_group(all, &group->label, error));
        if (all->filters > 0 && (all->grouped || all->options->absent != NULL))
            INK__TRY(add_non_members(all, &all->own, error));
    }
    /* Sketches of groups that the ground truth lacks should be empty. */
    all->own.count = all->own.byte_count = 0;
    all->own.keep = all->truth.collector.keep;
    for (size_t m = 0; m < all->members.count; m++)
        if (!all->trials[m].asked)
            INK__TRY(ask_own(all, m, error));
    return INK_OK;
}

static ink_status test_non_members(verifying *all, ink_error *error)
{
    uint64_t first, end;

    if (all->filters == 0)
        return INK_OK;
    all->tasks = ink__tasks_of(all->job, all->began, INK_PHASE_TESTING, 0, ask_slice, all);
    if (all->options->absent != NULL) {
        INK__TRY(read_absent(all, error));
        return ask_non_members(all, error);
    }
    if (all->grouped) {
        INK__TRY(make_distinct(all, error));
        ink__ground_truth_close_ranks(&all->truth, &all->non_members);
        return ask_non_members(all, error);
    }
    random_share(all, &first, &end);
    for (; first < end; first += RANDOM_KEYS) {
        INK__TRY(
            make_random(all, first, end - first < RANDOM_KEYS ? end - first : RANDOM_KEYS, error));
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
    uint64_t records = all->job->records, bad = all->job->bad;
    INK__TRY(choose_sample(all, error));
    INK__TRY(ask_groups(all, error));
    INK__TRY(test_non_members(all, error));
    all->job->records = records;
    all->job->bad = bad;
    all->made->records = records;
    bool others = all->grouped && all->options->absent == NULL;
    for (size_t m = 0; m < all->members.count; m++) {
        const trial       *mine = &all->trials[m];
        ink_verify_result *row = &all->made->rows[m];
        if (!row->membership)
            continue;
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
    ink__ground_truth_free(&all->truth);
    ink__gather_end(&all->own);
    ink__gather_end(&all->non_members);
    ink__release(&all->allocator, all->table.slots, all->table.bytes);
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
        .own = {.allocator = memory},
        .non_members = {.allocator = memory},
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
