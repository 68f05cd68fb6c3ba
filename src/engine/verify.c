/* verify.c - what was promised, measured against the true data.
 *
 * A filter is asked every different key of the truth. Those of its own group must all be found;
 * what it finds besides are its false positives: with U the keys of all groups and M those of the
 * group, |found in U| - |found in M|, of |U| - |M| tested. */
#include "base/bits.h"
#include "base/memory.h"
#include "base/system.h"
#include "engine/chance.h"
#include "engine/members.h"
#include "engine/reading.h"
#include "engine/truth.h"

#include <string.h>

#define TESTS_MAX ((uint64_t)1 << 30)
#define SLICE_KEYS 65536u
#define RANDOM_KEYS ((uint64_t)1 << 20) /* made at a time */
#define SURE (1 - 1e-6)
enum { KINDS_MAX = 16 };

struct ink_verification {
    ink_allocator            allocator;
    ink__arena               labels;
    ink_verdict             *rows;
    size_t                   count;
    ink_verification_summary summary;
};

/* One for each member. */
typedef struct trial {
    bool     asked;     /* the truth has its group */
    uint64_t own_asked; /* keys of its group that are among the strangers that it is asked ... */
    uint64_t own_found; /* ... and found */
    uint64_t found;     /* of all that it was asked */
} trial;

typedef struct verifying {
    ink_allocator             allocator;
    const ink_verify_options *options;
    ink_job                  *job;
    ink_reading               reading;
    ink__members              members;
    ink__members              kinds[KINDS_MAX]; /* parts of them: one kind each */
    size_t                    kind_count;
    bool                      any_filter, grouped;
    bool                      missing; /* a group of the truth, of other kinds than filters */
    uint64_t                  filters;
    uint64_t                  tests_max, began;
    const char               *folder;
    ink__truth                truth;
    ink__gather               own; /* keys of a group, at a time */
    ink__gather               strangers;
    uint64_t                  threshold; /* a key is in the sample if its mixed hash is below */
    ink__table                table;
    trial                    *trials;
    ink_verification         *made;

    /* Asking strangers: */
    ink__gate gate;
    uint64_t  next; /* task */
    uint64_t  slices;
    uint64_t  asked; /* strangers, so far */
    uint64_t  told;
    bool      failed;
    ink_error failure;
} verifying;

/* ---- One group: its own keys -------------------------------------------------------------- */

static bool in_sample(const verifying *all, uint64_t hash)
{
    uint64_t mixed = (hash ^ hash >> 29) * 0xbf58476d1ce4e5b9u;

    return all->threshold == UINT64_MAX || (mixed ^ mixed >> 32) < all->threshold;
}

/* So many keys would be asked of each filter. */
static void set_threshold(verifying *all, uint64_t keys)
{
    double tests = (double)keys * (double)all->filters;

    all->threshold = UINT64_MAX;
    if (tests <= (double)all->tests_max)
        return;
    all->made->summary.sampled = true;
    all->threshold = (uint64_t)((double)all->tests_max / tests * 18446744073709549568.0);
}

/* Every true member must be found. */
static ink_status ask_members(verifying *all, size_t m, ink_verdict *row, ink_error *error)
{
    trial   *mine = &all->trials[m];
    uint8_t  answers[1024];
    uint64_t count = all->own.count;

    all->made->summary.members += count;
    for (uint64_t at = 0; at < count; at += sizeof answers) {
        uint64_t  some = count - at < sizeof answers ? count - at : sizeof answers;
        ink_batch batch = ink__truth_batch(&all->truth, &all->own, at, some);
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

/* Counts are asked of every key of the group. */
static ink_status ask_counts(verifying *all, size_t m, ink_verdict *row, ink_error *error)
{
    const ink__member *member = &all->members.list[m];
    ink_answer         answers[256];
    double             total = 0, far = 0;
    bool               keeps = member->info.keeps_keys;

    for (uint64_t i = 0; i < all->own.count; i++)
        total += (double)all->own.weights[i];
    row->bound = keeps ? member->description.phi : member->description.epsilon;
    for (uint64_t at = 0; at < all->own.count; at += 256) {
        uint64_t  some = all->own.count - at < 256 ? all->own.count - at : 256;
        ink_batch batch = ink__truth_batch(&all->truth, &all->own, at, some);
        INK__TRY(ink_sketch_count_batch(member->sketch, &batch, answers, error));
        for (uint64_t i = 0; i < some; i++) {
            double true_count = (double)all->own.weights[at + i];
            double off = total > 0 ? distance(answers[i].estimate, true_count) / total : 0;
            row->wrong += !answers[i].saturated &&
                          (answers[i].high < true_count || (keeps && answers[i].low > true_count));
            row->missed += keeps && true_count > row->bound * total && answers[i].low <= 0;
            far += off > row->bound;
            row->error = off > row->error ? off : row->error;
        }
    }
    row->tested = all->own.count;
    row->ok = row->wrong == 0 && row->missed == 0;
    if (!keeps) { /* a share of them may be off by more */
        double share = member->description.delta, mean = share * (double)row->tested;
        row->ok = row->ok && far <= ink__chance_limit(mean, mean * (1 - share));
    }
    return INK_OK;
}

static ink_status ask_distinct(verifying *all, size_t m, ink_verdict *row, ink_error *error)
{
    double     true_count = (double)all->own.count;
    ink_answer answer;

    INK__TRY(ink_sketch_distinct(all->members.list[m].sketch, SURE, &answer, error));
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
    ink_verdict       *row = &all->made->rows[m];

    if (member->info.contains)
        return ask_members(all, m, row, error);
    if (member->info.counts)
        return ask_counts(all, m, row, error);
    if (member->info.distinct)
        return ask_distinct(all, m, row, error);
    return INK_OK;
}

/* ---- Strangers ---------------------------------------------------------------------------- */

/* Adds the keys of a group that are in the sample. */
static ink_status add_strangers(verifying *all, const ink__gather *from, uint64_t first,
                                ink_error *error)
{
    all->strangers.keep = from->keep == INK__KEEP_KEYS ? INK__KEEP_KEYS : INK__KEEP_HASHES;
    for (uint64_t i = first; i < from->count; i++) {
        if (!in_sample(all, from->hashes[i]))
            continue;
        if (from->keep == INK__KEEP_KEYS)
            INK__TRY(ink__gather_key(&all->strangers, from->bytes + from->starts[i],
                                     from->ends[i] - from->starts[i], 1, error));
        else
            INK__TRY(ink__gather_add(&all->strangers, (const uint8_t *)&from->hashes[i], 8, error));
    }
    return INK_OK;
}

/* Leaves out the first keys, and those that are not in the sample. */
static void choose_strangers(verifying *all, uint64_t first)
{
    ink__gather *from = &all->strangers;
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
    ink__truth_close_ranks(&all->truth, from);
}

/* The keys of a file that are in no group of the truth; these have been gathered already. */
static ink_status read_absent(verifying *all, ink_error *error)
{
    ink__truth  absent;
    ink_reading reading = all->reading;

    reading.by = NULL;
    reading.round = INK_ROUND_NONE;
    INK__TRY(ink__truth_hash(&all->truth, &all->strangers, error));
    INK__TRY(ink__gather_distinct(&all->strangers, &all->table, error));
    uint64_t members = all->strangers.count;
    INK__TRY(ink__truth_read(&absent, all->options->absent, all->options->absent_count, &reading,
                             all->truth.hasher, all->truth.collector.keep, all->folder, all->job,
                             all->began, error));
    ink_status status = ink__truth_gather(&absent, absent.whole, &all->own, &all->table, error);
    if (status == INK_OK)
        status = add_strangers(all, &all->own, 0, error);
    ink__truth_free(&absent);
    if (status == INK_OK)
        status = ink__truth_hash(&all->truth, &all->strangers, error);
    if (status == INK_OK)
        status = ink__gather_distinct(&all->strangers, &all->table, error);
    INK__TRY(status);
    set_threshold(all, all->strangers.count - members);
    choose_strangers(all, members);
    return INK_OK;
}

/* How many random keys the rates need. */
static uint64_t random_keys(verifying *all)
{
    uint64_t wanted = 0;

    for (size_t m = 0; m < all->members.count; m++) {
        double   rate = all->members.list[m].description.promised_rate;
        uint64_t tests = all->members.list[m].info.contains ? ink__chance_tests(rate) : 0;
        if (tests == UINT64_MAX) /* nothing is promised */
            tests = 1000000;
        wanted = tests > wanted ? tests : wanted;
    }
    all->made->summary.random = true;
    if (wanted <= all->tests_max / all->filters)
        return wanted;
    all->made->summary.sampled = true;
    return all->tests_max / all->filters;
}

/* Random keys, number `from` and on: integers, or 16 bytes of which eight are random. */
static ink_status make_random(verifying *all, uint64_t from, uint64_t count, ink_error *error)
{
    uint8_t key[16] = "a random";

    all->strangers.keep = INK__KEEP_KEYS;
    all->strangers.count = all->strangers.byte_count = 0;
    for (uint64_t i = from; i < from + count; i++) {
        uint64_t mixed = 0x5eed0f5eed0f5eedu + i * 0x9e3779b97f4a7c15u;
        mixed = (mixed ^ mixed >> 30) * 0xbf58476d1ce4e5b9u;
        mixed = (mixed ^ mixed >> 27) * 0x94d049bb133111ebu;
        mixed ^= mixed >> 31;
        if (all->truth.ints) {
            memcpy(key, &mixed, 8);
            INK__TRY(ink__gather_key(&all->strangers, key, 8, 1, error));
        } else {
            ink__store_u64(key + 8, mixed);
            INK__TRY(ink__gather_key(&all->strangers, key, sizeof key, 1, error));
        }
    }
    return ink__truth_hash(&all->truth, &all->strangers, error);
}

/* ---- Asking strangers --------------------------------------------------------------------- */

/* Takes the next pair of a filter and a slice of the strangers. */
static bool next_task(verifying *all, size_t *member, uint64_t *slice)
{
    ink_progress progress = {
        .phase = INK_PHASE_TESTING,
        .total = all->slices * all->members.count,
        .records = all->job->records,
    };

    ink__gate_enter(&all->gate);
    progress.done = all->next;
    if (!all->failed &&
        ink__feed_tell(all->job, &progress, all->began, &all->told, &all->failure) != INK_OK)
        all->failed = true;
    bool more = !all->failed && all->next < progress.total;
    *member = more ? (size_t)(all->next / all->slices) : 0;
    *slice = more ? all->next % all->slices : 0;
    all->next += more;
    ink__gate_leave(&all->gate);
    return more;
}

static void ask_slices(void *host, unsigned worker)
{
    verifying *all = host;
    uint8_t    answers[SLICE_KEYS];
    size_t     m;
    uint64_t   slice;

    (void)worker;
    while (next_task(all, &m, &slice)) {
        uint64_t  first = slice * SLICE_KEYS, found = 0;
        uint64_t  left = all->strangers.count - first;
        ink_error failure;
        if (!all->members.list[m].info.contains)
            continue;
        ink_batch  batch = ink__truth_batch(&all->truth, &all->strangers, first,
                                           left < SLICE_KEYS ? left : SLICE_KEYS);
        ink_status status =
            ink_sketch_contains_batch(all->members.list[m].sketch, &batch, answers, &failure);
        for (size_t i = 0; i < batch.count && status == INK_OK; i++)
            found += answers[i];
        ink__gate_enter(&all->gate);
        all->trials[m].found += found;
        if (status != INK_OK) {
            all->failed = true;
            all->failure = failure;
        }
        ink__gate_leave(&all->gate);
    }
}

static ink_status ask_strangers(verifying *all, ink_error *error)
{
    all->next = 0;
    all->asked += all->strangers.count;
    all->slices = (all->strangers.count + SLICE_KEYS - 1) / SLICE_KEYS;
    if (all->slices == 0)
        return INK_OK;
    INK__TRY(ink__gate_open(&all->gate, error));
    ink__threads_run(all->truth.worker_count, ask_slices, all);
    ink__gate_close(&all->gate);
    if (!all->failed)
        return INK_OK;
    if (error != NULL)
        *error = all->failure;
    return all->failure.status;
}

/* ---- The verdict -------------------------------------------------------------------------- */

static ink_status judge_filter(verifying *all, size_t m, ink_error *error)
{
    const ink__member        *member = &all->members.list[m];
    const trial              *mine = &all->trials[m];
    ink_verdict              *row = &all->made->rows[m];
    ink_verification_summary *sum = &all->made->summary;
    bool                      others = all->grouped && all->options->absent == NULL;

    row->tested = all->asked - (others ? mine->own_asked : 0);
    row->false_positives = mine->found - (others ? mine->own_found : 0);
    row->rate = row->tested == 0 ? 0 : (double)row->false_positives / (double)row->tested;
    ink__chance_interval(row->false_positives, row->tested, &row->low, &row->high);
    row->asked = member->description.asked_rate;
    row->promised = member->description.promised_rate;
    INK__TRY(ink_sketch_rate(member->sketch, &row->present, error));
    double mean = (double)row->tested * row->promised;
    row->ok = row->denied == 0 &&
              (row->promised <= 0 ||
               (double)row->false_positives <= ink__chance_limit(mean, mean * (1 - row->promised)));
    sum->denied += row->denied;
    if (row->promised <= 0)
        return INK_OK;
    sum->tested += row->tested;
    sum->false_positives += row->false_positives;
    sum->expected += mean;
    return INK_OK;
}

static ink_status judge(verifying *all, ink_error *error)
{
    ink_verification_summary *sum = &all->made->summary;
    double                    variance = 0, worse = 0;
    bool                      others_ok = !all->missing;

    for (size_t m = 0; m < all->members.count; m++) {
        ink_verdict *row = &all->made->rows[m];
        if (all->members.list[m].info.contains)
            INK__TRY(judge_filter(all, m, error));
        else
            others_ok = others_ok && row->ok;
        variance += (double)row->tested * row->promised * (1 - row->promised);
        worse += (double)row->tested * 1.1 * row->promised * (1 - 1.1 * row->promised);
    }
    sum->limit = ink__chance_limit(sum->expected, variance);
    sum->power = ink__chance_above(1.1 * sum->expected, worse, sum->limit);
    sum->ok = others_ok && sum->denied == 0 && (double)sum->false_positives <= sum->limit;
    return INK_OK;
}

/* ---- The job ------------------------------------------------------------------------------ */

/* A sample, if every key of every group would be too many tests. */
static ink_status choose_sample(verifying *all, ink_error *error)
{
    uint64_t keys = 0;

    all->threshold = UINT64_MAX;
    if (!all->grouped || all->options->absent != NULL ||
        (double)all->job->records * (double)all->filters <= (double)all->tests_max)
        return INK_OK;
    for (uint64_t g = 0; g < all->truth.count; g++) {
        INK__TRY(ink__truth_gather(&all->truth, all->truth.list[g], &all->own, &all->table, error));
        keys += all->own.count;
    }
    set_threshold(all, keys);
    return INK_OK;
}

/* Asks the sketches of one group, one of each kind. A group that a kind of filter lacks is denied
 * by it. */
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
            all->made->summary.denied += all->own.count;
        else
            all->missing = true;
    }
    return INK_OK;
}

/* Sketches of groups that the truth does not have should be empty. */
static ink_status ask_rest(verifying *all, ink_error *error)
{
    all->own.count = all->own.byte_count = 0;
    all->own.keep = all->truth.collector.keep;
    for (size_t m = 0; m < all->members.count; m++)
        if (!all->trials[m].asked)
            INK__TRY(ask_own(all, m, error));
    return INK_OK;
}

/* Asks each sketch the keys of its own group, and gathers strangers. */
static ink_status ask_groups(verifying *all, ink_error *error)
{
    for (uint64_t g = 0; g < all->truth.count; g++) {
        const ink__group *group = all->truth.list[g];
        INK__TRY(ink__truth_gather(&all->truth, group, &all->own, &all->table, error));
        INK__TRY(ask_group(all, &group->label, error));
        if (all->any_filter && (all->grouped || all->options->absent != NULL))
            INK__TRY(add_strangers(all, &all->own, 0, error));
    }
    return ask_rest(all, error);
}

static ink_status meet_strangers(verifying *all, ink_error *error)
{
    uint64_t wanted;

    all->told = all->began;
    if (!all->any_filter)
        return INK_OK;
    if (all->options->absent != NULL) {
        INK__TRY(read_absent(all, error));
        return ask_strangers(all, error);
    }
    if (all->grouped) {
        INK__TRY(ink__truth_hash(&all->truth, &all->strangers, error));
        INK__TRY(ink__gather_distinct(&all->strangers, &all->table, error));
        ink__truth_close_ranks(&all->truth, &all->strangers);
        return ask_strangers(all, error);
    }
    wanted = random_keys(all);
    for (uint64_t done = 0; done < wanted; done += RANDOM_KEYS) {
        INK__TRY(make_random(all, done, wanted - done < RANDOM_KEYS ? wanted - done : RANDOM_KEYS,
                             error));
        INK__TRY(ask_strangers(all, error));
    }
    return INK_OK;
}

static ink_status start(verifying *all, ink_error *error)
{
    void *memory;

    INK__TRY(ink__allocate(&all->allocator, (all->members.count + 1) * sizeof *all->trials, &memory,
                           error));
    all->trials = memory;
    memset(memory, 0, (all->members.count + 1) * sizeof *all->trials);
    INK__TRY(ink__allocate(&all->allocator, (all->members.count + 1) * sizeof(ink_verdict), &memory,
                           error));
    all->made->rows = memory;
    all->made->count = all->members.count;
    memset(memory, 0, (all->members.count + 1) * sizeof(ink_verdict));
    for (size_t m = 0; m < all->members.count; m++) {
        const ink__member *member = &all->members.list[m];
        ink_verdict       *row = &all->made->rows[m];
        const uint8_t     *kept = NULL;
        if (member->label.group_kind == INK_GROUP_BYTES)
            INK__TRY(ink__arena_keep(&all->made->labels, member->label.group,
                                     member->label.group_bytes, &kept, error));
        if (m == 0 ||
            strcmp(member->description.kind, all->members.list[m - 1].description.kind) != 0) {
            if (all->kind_count == KINDS_MAX)
                return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "more kinds than there are");
            all->kinds[all->kind_count++] = (ink__members){.list = &all->members.list[m]};
        }
        all->kinds[all->kind_count - 1].count++;
        row->kind = member->description.kind;
        row->label = member->label;
        row->label.group = kept;
        row->membership = member->info.contains;
        all->any_filter = all->any_filter || member->info.contains;
        all->filters += member->info.contains;
        all->made->summary.filters = all->filters;
        all->grouped = all->grouped || member->label.group_kind != INK_GROUP_NONE;
    }
    return INK_OK;
}

/* Only counts need to know how often a key came; some kinds need the keys themselves. */
static ink__keep what_to_keep(const ink__members *members)
{
    ink__keep keep = INK__KEEP_HASHES;

    for (size_t m = 0; m < members->count; m++) {
        const ink__member *member = &members->list[m];
        if (member->description.needs_keys)
            return INK__KEEP_KEYS;
        if (member->info.counts && !member->info.contains)
            keep = INK__KEEP_WEIGHTS;
    }
    return keep;
}

static ink_status run(verifying *all, const ink_input *inputs, size_t input_count, ink_error *error)
{
    INK__TRY(start(all, error));
    ink__keep keep = what_to_keep(&all->members);
    if (all->grouped && all->reading.by == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a file with groups and data without, expected a column (--by)");
    if (!all->grouped) {
        all->reading.by = NULL;
        all->reading.round = INK_ROUND_NONE;
    }
    INK__TRY(ink__members_keys(&all->members, &all->reading, error));
    INK__TRY(ink__truth_read(&all->truth, inputs, input_count, &all->reading,
                             all->members.list[0].sketch, keep, all->folder, all->job, all->began,
                             error));
    uint64_t records = all->job->records, bad = all->job->bad;
    INK__TRY(choose_sample(all, error));
    INK__TRY(ask_groups(all, error));
    INK__TRY(meet_strangers(all, error));
    all->job->records = records;
    all->job->bad = bad;
    return judge(all, error);
}

static ink_status with_recipe(verifying *all, const ink_file *file, const ink_input *inputs,
                              size_t input_count, ink_error *error)
{
    ink_recipe *recipe;
    ink_reading stored;

    INK__TRY(ink_recipe_read(&recipe, file, &stored, error));
    if (recipe != NULL)
        ink__reading_complete(&all->reading, &stored, true);
    ink_status status = run(all, inputs, input_count, error);
    ink_recipe_free(recipe);
    return status;
}

static ink_status make_verification(ink_verification **made, const ink_allocator *allocator,
                                    ink_error *error)
{
    void *memory;

    INK__TRY(ink__allocate(allocator, sizeof **made, &memory, error));
    *made = memory;
    **made = (ink_verification){.allocator = *allocator};
    ink__arena_begin(&(*made)->labels, allocator);
    return INK_OK;
}

ink_status ink_verify(ink_verification **verification, const ink_file *file,
                      const ink_input *inputs, size_t input_count, const ink_reading *reading,
                      const ink_verify_options *options, ink_job *job, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(job->allocator);
    verifying     all = {
            .allocator = memory,
            .options = options,
            .job = job,
            .reading = *reading,
            .tests_max = options->tests_max == 0 ? TESTS_MAX : options->tests_max,
            .began = ink__system_now()->nanoseconds(),
            .folder = ink__job_folder(job),
            .own = {.allocator = memory},
            .strangers = {.allocator = memory},
    };

    job->failed_path = NULL;
    if (ink_file_count(file) == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "an empty file, expected sketches");
    INK__TRY(ink__members_load(&all.members, file, NULL, 0, options->secret, &memory, error));
    ink_status status = make_verification(&all.made, &memory, error);
    if (status == INK_OK)
        status = with_recipe(&all, file, inputs, input_count, error);
    if (all.truth.workers != NULL)
        ink__truth_free(&all.truth);
    ink__gather_end(&all.own);
    ink__gather_end(&all.strangers);
    ink__release(&memory, all.table.slots, all.table.bytes);
    ink__release(&memory, all.trials, (all.members.count + 1) * sizeof *all.trials);
    ink__members_free(&all.members);
    if (status != INK_OK) {
        ink_verification_free(all.made);
        return status;
    }
    *verification = all.made;
    return INK_OK;
}

void ink_verification_free(ink_verification *verification)
{
    if (verification == NULL)
        return;
    ink_allocator memory = verification->allocator;

    ink__release(&memory, verification->rows, (verification->count + 1) * sizeof(ink_verdict));
    ink__arena_end(&verification->labels);
    ink__release(&memory, verification, sizeof *verification);
}

size_t ink_verification_count(const ink_verification *verification)
{
    return verification->count;
}

ink_status ink_verification_row(const ink_verification *verification, size_t index,
                                ink_verdict *verdict, ink_error *error)
{
    if (index >= verification->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "row %zu of %zu, expected a smaller number", index, verification->count);
    *verdict = verification->rows[index];
    return INK_OK;
}

void ink_verification_summarise(const ink_verification   *verification,
                                ink_verification_summary *summary)
{
    *summary = verification->summary;
}
