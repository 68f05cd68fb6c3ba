/* collect_test.c - every row reaches the group that it names once, for all kinds of elements,
 * lengths of keys, numbers of groups and threads, and with little memory. */
#include "jobs/groups/collect.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <stdio.h>

static ink_error error;

/* ---- Rows --------------------------------------------------------------------------------- */

enum { GROUPS = 6000, KEY_BYTES_MAX = 9000 };

/* Some rows, as a reader gives them. */
typedef struct batch {
    ink__rows rows;
    uint8_t   keys[INK__ROWS_MAX * 24 + 3 * KEY_BYTES_MAX], labels[INK__ROWS_MAX * 16];
    uint64_t  key_starts[INK__ROWS_MAX], key_ends[INK__ROWS_MAX];
    int64_t   key_ints[INK__ROWS_MAX];
    uint64_t  group_starts[INK__ROWS_MAX], group_ends[INK__ROWS_MAX];
    uint64_t  weights[INK__ROWS_MAX], hashes[INK__ROWS_MAX];
    unsigned  group[INK__ROWS_MAX];
} batch;

typedef struct shape {
    unsigned groups; /* that rows name; 0: rows name none. Number 0 is a null, 1 is empty */
    bool     ints, weighted;
    bool     long_keys; /* some of them */
} shape;

static void make_rows(batch *to, const shape *how, size_t count, uint64_t *random)
{
    static const uint32_t lengths[] = {2031, 2032, 2033, 2043, 2044, 2045, 4076, KEY_BYTES_MAX};
    uint64_t              key_at = 0, label_at = 0;

    for (size_t i = 0; i < count; i++) {
        uint64_t number = records_random(random) % 50000;
        unsigned length = (unsigned)(number % 21);
        if (how->long_keys && i % 400 == 7)
            length = lengths[number % 8];
        to->key_starts[i] = key_at;
        memset(to->keys + key_at, (int)('a' + number % 26), length);
        key_at += length;
        to->key_ends[i] = key_at;
        to->key_ints[i] = (int64_t)number - 1000;
        to->hashes[i] = number * 0x9e3779b97f4a7c15u;
        to->weights[i] = number % 7;
        to->group[i] = how->groups == 0 ? 0 : (unsigned)(records_random(random) % how->groups);
        to->group_starts[i] = label_at;
        if (to->group[i] > 1)
            label_at += (uint64_t)sprintf((char *)to->labels + label_at, "g%0*u",
                                          (int)(to->group[i] % 11), to->group[i]);
        to->group_ends[i] = label_at;
        if (to->group[i] == 0)
            to->group_starts[i] = to->group_ends[i] = INK__GROUP_NULL;
    }
    to->rows = (ink__rows){.count = count};
    if (how->ints)
        to->rows.key_ints = to->key_ints;
    else {
        to->rows.key_bytes = to->keys;
        to->rows.key_starts = to->key_starts;
        to->rows.key_ends = to->key_ends;
    }
    if (how->groups > 0) {
        to->rows.group_bytes = to->labels;
        to->rows.group_starts = to->group_starts;
        to->rows.group_ends = to->group_ends;
    }
    to->rows.weights = how->weighted ? to->weights : NULL;
}

/* ---- What is expected --------------------------------------------------------------------- */

typedef struct sum {
    uint64_t elements, mixed;
} sum;

static uint64_t mix(uint64_t hash, const void *bytes, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++)
        hash = (hash ^ ((const uint8_t *)bytes)[i]) * 0x100000001b3u;
    return hash;
}

static void add_sum(sum *to, const void *key, uint64_t bytes, uint64_t weight)
{
    to->elements++;
    to->mixed += mix(mix(14695981039346656037u, key, bytes), &weight, 8);
}

/* Adds what must be kept of row i to the sum of its group. */
static void expect_row(sum *sums, const batch *from, size_t i, ink__keep keep)
{
    uint64_t weight = from->rows.weights != NULL ? from->weights[i] : 1;
    sum     *to = &sums[from->group[i]];

    if (keep == INK__KEEP_HASHES)
        add_sum(to, &from->hashes[i], 8, 1);
    else if (keep == INK__KEEP_WEIGHTS)
        add_sum(to, &from->hashes[i], 8, weight);
    else if (from->rows.key_ints != NULL)
        add_sum(to, &from->key_ints[i], 8, weight);
    else
        add_sum(to, from->keys + from->key_starts[i], from->key_ends[i] - from->key_starts[i],
                weight);
}

static void sum_gathered(sum *to, const ink__gather *from)
{
    for (uint64_t i = 0; i < from->count; i++)
        if (from->keep == INK__KEEP_KEYS)
            add_sum(to, from->bytes + from->starts[i], from->ends[i] - from->starts[i],
                    from->weights[i]);
        else
            add_sum(to, &from->hashes[i], 8,
                    from->keep == INK__KEEP_WEIGHTS ? from->weights[i] : 1);
}

static unsigned number_of(const ink_label *label)
{
    char     text[16] = "";
    unsigned number;

    if (label->group_kind != INK_GROUP_BYTES)
        return 0;
    if (label->group_bytes == 0)
        return 1;
    CHECK(label->group_bytes < sizeof text);
    memcpy(text, label->group, label->group_bytes);
    assert_int_equal(sscanf(text, "g%u", &number), 1);
    return number;
}

/* ---- Collecting --------------------------------------------------------------------------- */

/* A collector, and what was drained from it. */
typedef struct collecting {
    ink__collector       collector;
    ink_allocator        allocator;
    ink__group          *whole;
    ink__collect_worker *workers;
    unsigned             worker_count;
    sum                 *drained; /* of each group, or NULL: nothing is drained */
    uint64_t             most_drained;
} collecting;

static ink_status drain(void *host, ink__collect_worker *mine, ink__group *group, ink__spill *spill,
                        ink_error *failure)
{
    collecting *all = host;

    INK__TRY(ink__gather_partition(&mine->gather, spill, group->partition, failure));
    if (mine->gather.count > all->most_drained)
        all->most_drained = mine->gather.count;
    sum_gathered(&all->drained[number_of(&group->label)], &mine->gather);
    ink__spill_empty(spill, group->partition);
    spill->partitions[group->partition].elements = 0;
    return INK_OK;
}

static ink_status begin(collecting *all, ink__keep keep, bool grouped, unsigned workers,
                        uint64_t limit, const ink_allocator *allocator)
{
    const ink_params params = {0};

    all->allocator = *allocator;
    all->collector.keep = keep;
    all->collector.host = all;
    INK__TRY(ink__hasher_create(&all->collector.label_hasher, &params, allocator, &error));
    INK__TRY(ink__groups_create(&all->collector.groups, 0, limit, ".", allocator, &error));
    INK__TRY(
        ink__allocate_zeroed(allocator, workers * sizeof *all->workers, &all->workers, &error));
    all->worker_count = workers;
    for (unsigned i = 0; i < workers; i++)
        all->workers[i].gather = (ink__gather){.allocator = *allocator, .keep = keep};
    if (!grouped)
        return ink__groups_find(all->collector.groups, &(ink_label){0}, 0, &all->whole, &error);
    return INK_OK;
}

static void end(collecting *all)
{
    for (unsigned i = 0; i < all->worker_count; i++)
        ink__gather_end(&all->workers[i].gather);
    ink__release(&all->allocator, all->workers, all->worker_count * sizeof *all->workers);
    ink__groups_free(all->collector.groups, 2);
    ink__hasher_free(all->collector.label_hasher);
}

static ink_status collect(collecting *all, unsigned worker, const batch *from, ink_error *failure)
{
    ink__collect_worker  *mine = &all->workers[worker];
    const ink__collector *to = &all->collector;

    INK__TRY(ink__collect_groups(to, mine, &from->rows, all->whole, failure));
    return ink__collect_rows(to, mine, &from->rows,
                             to->keep == INK__KEEP_KEYS ? NULL : from->hashes, failure);
}

/* Every group has what is expected of it, in its partition or drained from it. */
static ink_status check_groups(collecting *all, const sum *expected, unsigned groups)
{
    ink__group **list;
    uint64_t     count, named = 0;
    ink__gather *gather = &all->workers[0].gather;

    INK__TRY(ink__groups_list(all->collector.groups, NULL, 1, &list, &count, &error));
    ink_status status = INK_OK;
    for (uint64_t i = 0; i < count && status == INK_OK; i++) {
        unsigned number = number_of(&list[i]->label);
        sum      found = all->drained != NULL ? all->drained[number] : (sum){0};
        status = ink__gather_partition(gather, &all->collector.groups->shards[list[i]->shard].spill,
                                       list[i]->partition, &error);
        if (status != INK_OK)
            break;
        sum_gathered(&found, gather);
        assert_int_equal(found.elements, expected[number].elements);
        CHECK(found.mixed == expected[number].mixed);
    }
    ink__release(&all->allocator, list, count * sizeof *list);
    INK__TRY(status);
    for (unsigned i = 0; i < (groups == 0 ? 1 : groups); i++)
        named += expected[i].elements > 0;
    assert_int_equal(count, named);
    return INK_OK;
}

/* Collects some batches with one worker, and checks. */
static ink_status run(const shape *how, ink__keep keep, uint64_t limit, unsigned batches,
                      const ink_allocator *allocator)
{
    static batch rows;
    static sum   expected[GROUPS];
    uint64_t     random = 5;
    collecting   all = {.whole = NULL};
    ink_status   status = begin(&all, keep, how->groups > 0, 1, limit, allocator);

    memset(expected, 0, sizeof expected);
    for (unsigned i = 0; i < batches && status == INK_OK; i++) {
        size_t count = i % 3 == 2 ? 5 : INK__ROWS_MAX;
        make_rows(&rows, how, count, &random);
        for (size_t k = 0; k < count; k++)
            expect_row(expected, &rows, k, keep);
        status = collect(&all, 0, &rows, &error);
    }
    for (int i = 0; i < 2 && status == INK_OK; i++) /* the second time there is nothing left */
        status = ink__collect_flush(&all.collector, &all.workers[0], &error);
    if (status == INK_OK)
        status = check_groups(&all, expected, how->groups);
    end(&all);
    return status;
}

TEST(every_row_comes_to_its_group_once)
{
    static const unsigned groups[] = {0, 1, 2, 40, GROUPS};
    ink_allocator         heap = ink__allocator_or_heap(NULL);

    for (size_t g = 0; g < sizeof groups / sizeof groups[0]; g++)
        for (ink__keep keep = INK__KEEP_HASHES; keep <= INK__KEEP_KEYS; keep++)
            for (int what = 0; what < 4; what++) {
                shape how = {.groups = groups[g],
                             .ints = what % 2 == 1,
                             .weighted = what >= 2,
                             .long_keys = what == 2};
                CHECK_OK(run(&how, keep, UINT64_MAX, 12, &heap));
            }
}

TEST(rows_that_do_not_fit_in_memory_go_to_a_file)
{
    const shape   how = {.groups = 40, .weighted = true, .long_keys = true};
    ink_allocator heap = ink__allocator_or_heap(NULL);

    for (ink__keep keep = INK__KEEP_HASHES; keep <= INK__KEEP_KEYS; keep++) {
        faults_system_begin(NULL);
        CHECK_OK(run(&how, keep, 64 * 500, 12, &heap));
        faults_system_end();
        CHECK(faults_calls(FAULTS_WRITE_AT) > 0);
        assert_int_equal(faults_open_files(), 0);
        assert_int_equal(faults_names_here(), 0);
    }
}

TEST(what_is_drained_is_drained_once)
{
    static batch          rows;
    static sum            expected[GROUPS], drained[GROUPS];
    static const uint64_t memories[] = {1000, 64 * 2000, UINT64_MAX};
    ink_allocator         heap = ink__allocator_or_heap(NULL);

    for (unsigned m = 0; m < 3; m++) {
        uint64_t    random = 9;
        collecting  all = {.drained = drained};
        const shape how = {.groups = m == 2 ? 3 : 300, .weighted = true};
        memset(expected, 0, sizeof expected);
        memset(drained, 0, sizeof drained);
        CHECK_OK(begin(&all, INK__KEEP_WEIGHTS, true, 1, UINT64_MAX, &heap));
        all.collector.drain = drain;
        all.collector.drain_elements = INK__DRAIN_ELEMENTS;
        all.collector.memory = memories[m];
        for (unsigned i = 0; i < 30; i++) {
            make_rows(&rows, &how, INK__ROWS_MAX, &random);
            for (size_t k = 0; k < INK__ROWS_MAX; k++)
                expect_row(expected, &rows, k, INK__KEEP_WEIGHTS);
            CHECK_OK(collect(&all, 0, &rows, &error));
        }
        CHECK_OK(ink__collect_flush(&all.collector, &all.workers[0], &error));
        assert_in_range(all.most_drained, 1, INK__DRAIN_ELEMENTS);
        if (m == 2) /* only when enough came together */
            assert_int_equal(all.most_drained, INK__DRAIN_ELEMENTS);
        CHECK_OK(check_groups(&all, expected, how.groups));
        end(&all);
    }
}

TEST(groups_that_need_too_much_memory_are_refused)
{
    static batch  rows;
    ink_allocator heap = ink__allocator_or_heap(NULL);
    uint64_t      random = 1;
    const shape   how = {.groups = 60};

    for (unsigned fits = 0; fits < 2; fits++) {
        collecting all = {.whole = NULL};
        ink_status status = INK_OK;
        CHECK_OK(begin(&all, INK__KEEP_HASHES, true, 1, UINT64_MAX, &heap));
        all.collector.group_bytes = 1000;
        all.collector.memory = 59999 + fits; /* all of them, just */
        for (int i = 0; i < 10 && status == INK_OK; i++) {
            make_rows(&rows, &how, INK__ROWS_MAX, &random);
            status = collect(&all, 0, &rows, &error);
        }
        if (fits) {
            CHECK_OK(status);
            assert_int_equal(atomic_load(&all.collector.groups->count), 60);
        } else {
            CHECK_FAILS(status, INK_LIMIT,
                        "60 groups and more of 1000 bytes each, expected at most 59999");
            atomic_fetch_add(&all.collector.groups->count, 3); /* of other threads */
            CHECK_FAILS(ink__collect_check_room(&all.collector, &error), INK_LIMIT,
                        "60 groups and more of 1000 bytes each, expected at most 59999");
            atomic_fetch_sub(&all.collector.groups->count, 3);
        }
        end(&all);
    }
}

TEST(refused_memory_is_a_failure_and_no_leak)
{
    const shape how = {.groups = 12, .weighted = true, .long_keys = true};

    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink_status    status = run(&how, INK__KEEP_KEYS, 64 * 3000, 2, &allocator);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

enum { THREADS = 8, BATCHES = 10 };

typedef struct threads {
    collecting  all;
    shape       how;
    atomic_uint failures;
} threads;

static uint64_t seed_of(unsigned worker)
{
    return 100 + worker;
}

static void collect_in_thread(void *host, unsigned worker)
{
    threads  *work = host;
    batch    *rows = malloc(sizeof *rows);
    uint64_t  random = seed_of(worker);
    ink_error failure;

    for (unsigned i = 0; i < BATCHES; i++) {
        make_rows(rows, &work->how, INK__ROWS_MAX, &random);
        if (collect(&work->all, worker, rows, &failure) != INK_OK)
            atomic_fetch_add(&work->failures, 1);
    }
    if (ink__collect_flush(&work->all.collector, &work->all.workers[worker], &failure) != INK_OK)
        atomic_fetch_add(&work->failures, 1);
    free(rows);
}

TEST(many_threads_bring_rows_to_the_same_groups)
{
    static const unsigned groups[] = {0, 3, 500};
    static batch          rows;
    static sum            expected[GROUPS];
    ink_allocator         heap = ink__allocator_or_heap(NULL);

    for (size_t g = 0; g < 3; g++)
        for (ink__keep keep = INK__KEEP_HASHES; keep <= INK__KEEP_KEYS; keep++) {
            threads  work = {.how = {.groups = groups[g], .weighted = true, .long_keys = true}};
            uint64_t limit = g == 1 ? 64 * 20000 : UINT64_MAX; /* some of it through the file */
            CHECK_OK(begin(&work.all, keep, groups[g] > 0, THREADS, limit, &heap));
            ink__threads_run(THREADS, collect_in_thread, &work);
            assert_int_equal(atomic_load(&work.failures), 0);
            memset(expected, 0, sizeof expected);
            for (unsigned worker = 0; worker < THREADS; worker++) {
                uint64_t random = seed_of(worker);
                for (unsigned i = 0; i < BATCHES; i++) {
                    make_rows(&rows, &work.how, INK__ROWS_MAX, &random);
                    for (size_t k = 0; k < INK__ROWS_MAX; k++)
                        expect_row(expected, &rows, k, keep);
                }
            }
            CHECK_OK(check_groups(&work.all, expected, groups[g]));
            end(&work.all);
        }
}

/* A test that fails in the middle must not take the table with it into the next one. */
static int end_faults(void **state)
{
    faults_system_end();
    return 0;
}

RUN_TESTS(.after = end_faults)
