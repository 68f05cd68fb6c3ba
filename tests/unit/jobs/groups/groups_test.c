/* groups_test.c - a label has one group, whichever thread makes it and however many there are, and
 * all memory of groups is released. */
#include "jobs/groups/groups.h"

#include "base/memory.h"
#include "support/check.h"
#include "support/faults.h"

#include <stdio.h>
#include <time.h>

static ink_error error;

/* Spreads over all shards, but not over many hashes: labels must be compared. */
static uint64_t hash_of(unsigned number)
{
    return (uint64_t)(number % 64) << 58 | number % 17;
}

TEST(one_label_is_one_group)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__groups  *groups;
    ink__group   *first, *second, *other, *null, *none, *same_hash, *empty;
    char          text[] = "abc";
    ink_label     label = ink_group(text);

    CHECK_OK(ink__groups_create(&groups, 2, UINT64_MAX, ".", &heap, &error));
    CHECK_OK(ink__groups_find(groups, &label, 5, &first, &error));
    text[0] = 'x'; /* the group has a copy */
    label = ink_group("abc");
    CHECK_OK(ink__groups_find(groups, &label, 5, &second, &error));
    CHECK(first == second && ink_label_compare(&first->label, &label) == 0);
    CHECK(first->label.group != label.group && first->hash == 5);
    CHECK(first->sketches[0] == NULL && first->sketches[1] == NULL);
    CHECK(first->parts[0] == NULL && first->parts[1] == NULL);
    label = ink_group("abd"); /* with the same hash */
    CHECK_OK(ink__groups_find(groups, &label, 5, &same_hash, &error));
    CHECK(same_hash != first && same_hash->partition != first->partition);
    label = ink_group("abc"); /* another hash is another group: the same label has but one */
    CHECK_OK(ink__groups_find(groups, &label, (uint64_t)63 << 58, &other, &error));
    CHECK(other != first && other->shard == 63);
    CHECK_OK(
        ink__groups_find(groups, &(ink_label){.group_kind = INK_GROUP_NULL}, 5, &null, &error));
    CHECK_OK(ink__groups_find(groups, &(ink_label){0}, 5, &none, &error));
    label = ink_group("");
    CHECK_OK(ink__groups_find(groups, &label, 5, &empty, &error));
    CHECK(null != none && empty != null && empty != none && null != first);
    CHECK(empty->label.group_kind == INK_GROUP_BYTES && empty->label.group_bytes == 0);
    assert_int_equal(atomic_load(&groups->count), 6);
    ink__groups_free(groups, 2);
    ink__groups_free(NULL, 2);
}

TEST(a_group_that_is_not_there_is_not_found_however_full_its_shard_is)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__groups  *groups;
    ink__group   *found;
    ink_label     absent = ink_group("absent");
    char          text[32];

    CHECK_OK(ink__groups_create(&groups, 1, UINT64_MAX, ".", &heap, &error));
    assert_null(ink__groups_look(groups, &absent, 7));
    for (unsigned i = 0; i < 100; i++) { /* of one shard */
        snprintf(text, sizeof text, "group %02u", i);
        ink_label label = ink_group(text);
        CHECK_OK(ink__groups_find(groups, &label, i, &found, &error));
        CHECK(ink__groups_look(groups, &label, i) == found);
        assert_null(ink__groups_look(groups, &absent, 7));
        assert_null(ink__groups_look(groups, &label, i + 1));
    }
    CHECK_OK(ink__groups_find(groups, &(ink_label){0}, 0, &found, &error));
    assert_int_equal(atomic_load(&groups->label_bytes), 100 * strlen("group 00"));
    ink__groups_free(groups, 1);
}

enum { MANY = 6000 };

TEST(many_groups_are_all_found_again)
{
    faults_memory memory = {0};
    ink_allocator allocator = faults_allocator(&memory);
    ink__groups  *groups;
    ink__group  **list, *found, *made[MANY];
    uint64_t      count;
    char          text[32];

    CHECK_OK(ink__groups_create(&groups, 0, UINT64_MAX, ".", &allocator, &error));
    CHECK_OK(ink__groups_list(groups, NULL, 1, &list, &count, &error));
    CHECK(list == NULL && count == 0);
    for (int round = 0; round < 2; round++)
        for (unsigned i = 0; i < MANY; i++) {
            snprintf(text, sizeof text, "group %u", i);
            ink_label label = ink_group(text);
            CHECK_OK(ink__groups_find(groups, &label, hash_of(i), &found, &error));
            CHECK(round == 0 || found == made[i]);
            made[i] = found;
            CHECK(found->shard == hash_of(i) >> 58);
            CHECK(groups->shards[found->shard].groups[found->partition] == found);
        }
    CHECK_OK(ink__groups_list(groups, NULL, 1, &list, &count, &error));
    assert_int_equal(count, MANY);
    for (uint64_t i = 0; i < count; i++) {
        unsigned number = MANY; /* each once: that of its label */
        assert_int_equal(sscanf(list[i]->label.group, "group %u", &number), 1);
        assert_in_range(number, 0, MANY - 1);
        assert_ptr_equal(list[i], made[number]);
        made[number] = NULL;
    }
    ink__release(&allocator, list, count * sizeof *list);
    ink__groups_free(groups, 2);
    faults_check_no_leak(&memory);
}

/* Counts the regions of an account by their first letter. */
static void see_region(void *host, const ink_region *region)
{
    ((unsigned *)host)[(uint8_t)region->name[0]]++;
    CHECK(region->workers >= 1 && region->task_count == region->workers);
}

TEST(threads_list_all_groups_in_order_and_are_accounted_for)
{
    unsigned    seen[256] = {0};
    ink_account account = {.region = see_region, .host = seen};
    ink_job     job = {.account = &account};
    enum { LISTED = 40000 };
    static const unsigned threads[] = {1, 2, 7, 64};
    ink_allocator         heap = ink__allocator_or_heap(NULL);
    ink__groups          *groups;
    ink__group          **list, *found;
    uint64_t              count;
    char                  text[32];

    CHECK_OK(ink__groups_create(&groups, 0, UINT64_MAX, ".", &heap, &error));
    for (unsigned i = 0; i < LISTED; i++) { /* most have long common prefixes */
        snprintf(text, sizeof text, "%s%u", i % 5 == 0 ? "" : "a common prefix ", i * 2654435761u);
        ink_label label = ink_group(text);
        /* Few shards have most of the groups; hashes are different. */
        uint64_t hash = (uint64_t)(i % 3 == 0 ? i % 64 : 5) << 58 | i;
        CHECK_OK(ink__groups_find(groups, &label, hash, &found, &error));
        found->keys = i;
    }
    groups->job = &job;
    for (size_t t = 0; t < sizeof threads / sizeof threads[0]; t++) {
        uint64_t sum = 0;
        CHECK_OK(ink__groups_list(groups, ink__groups_by_label, threads[t], &list, &count, &error));
        assert_int_equal(count, LISTED);
        for (uint64_t i = 0; i < count; i++) {
            sum += list[i]->keys;
            CHECK(i == 0 || ink_label_compare(&list[i - 1]->label, &list[i]->label) < 0);
        }
        assert_int_equal(sum, (uint64_t)LISTED * (LISTED - 1) / 2);
        ink__release(&heap, list, count * sizeof *list);
    }
    ink__groups_free(groups, 64);
    assert_int_equal(seen['s'], 3 * 3); /* sorting, in three steps; not by one thread */
    assert_int_equal(seen['f'], 1);
}

TEST(the_sketches_of_groups_are_freed_with_them)
{
    faults_memory    memory = {0};
    ink_allocator    allocator = faults_allocator(&memory);
    const ink_params params = {.kind = "hll"};
    ink__groups     *groups;
    ink__group      *group;

    CHECK_OK(ink__groups_create(&groups, 3, UINT64_MAX, ".", &allocator, &error));
    for (unsigned i = 0; i < 5; i++) {
        CHECK_OK(ink__groups_find(groups, &(ink_label){0}, hash_of(i), &group, &error));
        CHECK_OK(ink_sketch_create(&group->sketches[i % 3], &params, &allocator, &error));
        CHECK_OK(ink_sketch_create(&group->parts[(i + 1) % 3], &params, &allocator, &error));
    }
    ink__groups_free(groups, 2);
    faults_check_no_leak(&memory);
}

TEST(the_limit_is_shared_by_the_shards)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    ink__groups  *groups;
    ink__group   *group;
    uint64_t      word = 1, kept = 0;

    CHECK_OK(ink__groups_create(&groups, 0, 6400, "folder", &heap, &error));
    for (unsigned i = 0; i < INK__GROUP_SHARDS; i++) {
        ink__spill *spill = &groups->shards[i].spill;
        CHECK(spill->limit == 6400 && spill->shared == &groups->kept_bytes);
        assert_string_equal(spill->spool.folder, "folder");
        CHECK_OK(ink__groups_find(groups, &(ink_label){0}, hash_of(i), &group, &error));
        if (i % 9 == 0)
            CHECK_OK(ink__spill_put(spill, group->partition, &word, 8, &error));
        kept += spill->kept_bytes;
    }
    CHECK(kept > 0);
    assert_int_equal(atomic_load(&groups->kept_bytes), kept);
    ink__groups_free(groups, 2);
}

TEST(refused_memory_leaves_no_half_made_group)
{
    for (faults_memory memory = {0}; faults_refuse_next(&memory);) {
        ink_allocator allocator = faults_allocator(&memory);
        ink__groups  *groups = NULL;
        ink__group   *group;
        ink_status    status = ink__groups_create(&groups, 1, 1 << 20, ".", &allocator, &error);
        if (status != INK_OK) {
            assert_int_equal(status, INK_MEMORY);
            continue;
        }
        uint64_t made = 0;
        char     text[16];
        for (unsigned i = 0; i < 40; i++) { /* in one shard, so that its tables grow */
            snprintf(text, sizeof text, "%u", i);
            ink_label label = ink_group(text);
            status = ink__groups_find(groups, &label, i, &group, &error);
            made += status == INK_OK;
            CHECK(status == INK_OK || status == INK_MEMORY);
            assert_int_equal(atomic_load(&groups->count), made);
            if (status != INK_OK) { /* the next try makes it */
                CHECK_OK(ink__groups_find(groups, &label, i, &group, &error));
                made++;
            }
            CHECK(ink_label_compare(&group->label, &label) == 0 && group->partition == i);
        }
        ink__groups_free(groups, 2);
    }
}

/* ---- Threads ------------------------------------------------------------------------------ */

enum { THREADS = 8 };

typedef struct finding {
    ink__groups *groups;
    ink__group  *found[THREADS][MANY];
    atomic_uint  failures;
} finding;

static void find_all(void *host, unsigned number)
{
    finding  *all = host;
    char      text[32];
    ink_error failure;

    for (unsigned i = 0; i < MANY; i++) {
        unsigned which = (i * 7 + number * 1000) % MANY; /* each in another order */
        snprintf(text, sizeof text, "group %u", which);
        ink_label label = ink_group(text);
        if (ink__groups_find(all->groups, &label, hash_of(which), &all->found[number][which],
                             &failure) != INK_OK)
            atomic_fetch_add(&all->failures, 1);
    }
}

TEST(threads_find_the_same_groups)
{
    static finding all;
    ink_allocator  heap = ink__allocator_or_heap(NULL);

    CHECK_OK(ink__groups_create(&all.groups, 1, UINT64_MAX, ".", &heap, &error));
    ink__threads_run(THREADS, find_all, &all);
    assert_int_equal(atomic_load(&all.failures), 0);
    assert_int_equal(atomic_load(&all.groups->count), MANY);
    for (unsigned t = 1; t < THREADS; t++)
        for (unsigned i = 0; i < MANY; i++)
            CHECK(all.found[t][i] == all.found[0][i] && all.found[0][i] != NULL);
    ink__groups_free(all.groups, 2);
}

/* The processor seconds that `count` groups of one shard take to be made and found again; their
 * hashes are the multiples of `step`, or any. */
static double seconds_for_groups(uint64_t step, unsigned count)
{
    ink_allocator heap = ink__allocator_or_heap(NULL);
    uint64_t      any = 1;
    ink__groups  *groups;
    clock_t       began = clock();

    CHECK_OK(ink__groups_create(&groups, 1, UINT64_MAX, ".", &heap, &error));
    for (int again = 0; again < 2; again++)
        for (unsigned i = 0; i < count; i++) {
            char text[16];
            snprintf(text, sizeof text, "%u", i);
            const ink_label label = ink_group(text);
            ink__group     *group = NULL;
            any = (i == 0 ? 1 : any) * 6364136223846793005u + 1442695040888963407u;
            uint64_t hash = step == 0 ? any >> 6 : i * step;
            if (again == 0)
                CHECK_OK(ink__groups_find(groups, &label, hash, &group, &error));
            else
                group = ink__groups_look(groups, &label, hash);
            CHECK(group != NULL && group->partition == i);
        }
    ink__groups_free(groups, 2);
    return (double)(clock() - began) / CLOCKS_PER_SEC;
}

/* As of keys in elements_test.c: an attacker who names groups knows the hash of their names. */
TEST(groups_whose_names_were_chosen_take_no_longer_than_others)
{
    enum { COUNT = 50000 };
    static const uint64_t steps[] = {(uint64_t)1 << 20, 1};
    double                others = seconds_for_groups(0, COUNT);

    for (size_t i = 0; i < sizeof steps / sizeof steps[0]; i++) {
        double took = seconds_for_groups(steps[i], COUNT);
        if (took > 20 * others + 0.5)
            fail_msg("step %llx: %g s, others %g s", (unsigned long long)steps[i], took, others);
    }
}

RUN_TESTS()
