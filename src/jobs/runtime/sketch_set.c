/* sketch_set.c - labelled sketches in memory, and unions of such sets. */
#include "jobs/runtime/sketch_set.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "inkling_command.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/overfull.h"
#include "jobs/runtime/sections.h"
#include "jobs/runtime/tasks.h"

#include <stdlib.h>
#include <string.h>

ink_status ink__set_create(ink_set **set, const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    INK__TRY(ink__allocate_zeroed(&memory, sizeof **set, set, error));
    (*set)->allocator = memory;
    (*set)->threads = 1;
    ink__arena_begin(&(*set)->labels, &memory);
    return INK_OK;
}

/* Many sketches are freed in slices, each by the thread that takes it. */
enum { SLICE_ENTRIES = 1 << 12 };

static void free_slice(void *host, uint64_t slice)
{
    const ink_set *set = host;
    uint64_t       at = slice * SLICE_ENTRIES;

    for (uint64_t i = at; i < at + SLICE_ENTRIES && i < set->count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)set->entries[i].sketch);
}

void ink_set_free(ink_set *set)
{
    if (set == NULL)
        return;
    ink_allocator memory = set->allocator;
    uint64_t      slices = set->count / SLICE_ENTRIES + 1;

    /* The job, and with it its account, may be gone. */
    ink__region_each(NULL, NULL, slices < set->threads ? (unsigned)slices : set->threads, slices,
                     free_slice, set);
    for (uint64_t i = 0; i < set->file_count; i++)
        ink_file_close(set->files[i]);
    ink__release(&memory, set->files, set->files_bytes);
    ink__release(&memory, set->entries, set->entries_bytes);
    ink__arena_end(&set->labels);
    ink__release(&memory, set, sizeof *set);
}

ink_status ink__set_reserve(ink_set *set, uint64_t count, ink_error *error)
{
    return ink__make_room(&set->allocator, &set->entries, &set->entries_bytes,
                          set->count * sizeof(ink_entry), count * sizeof(ink_entry), error);
}

static ink_status keep_label(ink__arena *labels, const ink_label *label, ink_label *kept,
                             ink_error *error)
{
    const uint8_t *bytes;

    *kept = *label;
    if (label->group_kind != INK_GROUP_BYTES)
        return INK_OK;
    INK__TRY(ink__arena_keep(labels, label->group, label->group_bytes, &bytes, error));
    kept->group = bytes;
    return INK_OK;
}

ink_status ink__set_add(ink_set *set, const ink_label *label, ink_sketch *sketch, ink_error *error)
{
    ink_label  kept;
    ink_status status = ink__set_reserve(set, 1, error);

    if (status == INK_OK)
        status = keep_label(&set->labels, label, &kept, error);
    if (status != INK_OK) {
        ink_sketch_free(sketch);
        return status;
    }
    set->entries[set->count++] = (ink_entry){.label = kept, .sketch = sketch};
    return INK_OK;
}

/* ---- Many sketches, several threads ------------------------------------------------------- */

enum { BLOCK_ENTRIES = 1 << 10, BLOCK_BYTES = 1 << 20, SAMPLES = 64 };

/* By the mean size of some of them. */
uint64_t ink__set_block(const ink_set *set)
{
    uint64_t        step = set->count / SAMPLES + 1, bytes = 0, samples = 0;
    ink_description description;

    for (uint64_t i = 0; i < set->count; i += step, samples++) {
        ink_sketch_describe(set->entries[i].sketch, &description);
        bytes += description.bytes;
    }
    uint64_t fit = bytes == 0 ? BLOCK_ENTRIES : samples * BLOCK_BYTES / bytes;
    return fit == 0 ? 1 : fit < BLOCK_ENTRIES ? fit : BLOCK_ENTRIES;
}

typedef struct loading {
    ink_set        *set;
    const ink_file *file;
    uint64_t        first, count; /* entries of the file, in the set */
    uint64_t        block;
    ink__arena     *labels; /* of each thread */
} loading;

static ink_status load_entry(const loading *all, ink__arena *labels, uint64_t number,
                             ink_error *error)
{
    ink_entry     *entry = &all->set->entries[all->first + number];
    ink_entry_info info;
    ink_sketch    *sketch;

    INK__TRY(ink_file_entry(all->file, (size_t)number, &info, error));
    INK__TRY(keep_label(labels, &info.label, &entry->label, error));
    INK__TRY(ink_file_sketch(all->file, (size_t)number, &sketch, error));
    entry->sketch = sketch;
    return INK_OK;
}

static ink_status load_block(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const loading *all = host;
    uint64_t       end = (task + 1) * all->block;

    for (uint64_t i = task * all->block; i < end && i < all->count; i++)
        INK__TRY(load_entry(all, &all->labels[worker], i, error));
    return INK_OK;
}

/* A block is one sketch, if they are large: by the mean of some. */
static uint64_t block_of(const ink_file *file, uint64_t count)
{
    uint64_t       step = count / SAMPLES + 1, bytes = 0, samples = 0;
    ink_entry_info info;

    for (uint64_t i = 0; i < count; i += step, samples++)
        if (ink_file_entry(file, (size_t)i, &info, NULL) == INK_OK)
            bytes += info.bytes;
    return bytes / BLOCK_BYTES > samples ? 1 : BLOCK_ENTRIES;
}

ink_status ink__set_load(ink_set *set, const ink_file *file, const ink_job *job, ink_error *error)
{
    const uint64_t count = ink_file_count(file);
    const unsigned threads = ink__job_threads(job);
    const uint64_t bytes = threads * sizeof(ink__arena);
    loading        all = {.set = set, .file = file, .first = set->count, .count = count};

    INK__TRY(ink__set_reserve(set, count, error));
    INK__TRY(ink__allocate(&set->allocator, bytes, &all.labels, error));
    for (unsigned i = 0; i < threads; i++)
        ink__arena_begin(&all.labels[i], &set->allocator);
    if (count > 0)
        memset(set->entries + set->count, 0, (size_t)(count * sizeof *set->entries));
    set->count += count;
    all.block = block_of(file, count);
    ink_status status = ink__tasks_short(job, "filling", (count + all.block - 1) / all.block,
                                         load_block, &all, error);
    for (unsigned i = 0; i < threads; i++)
        ink__arena_join(&set->labels, &all.labels[i]);
    ink__release(&set->allocator, all.labels, bytes);
    return status;
}

static ink_status room_for_files(ink_set *set, uint64_t count, ink_error *error)
{
    return ink__make_room(&set->allocator, &set->files, &set->files_bytes,
                          set->file_count * sizeof *set->files, count * sizeof *set->files, error);
}

static ink_status keep_input_spec(ink_set *set, const uint8_t *bytes, uint64_t count,
                                  ink_error *error)
{
    if (count > 0)
        INK__TRY(ink__arena_keep(&set->labels, bytes, count, &set->input_spec, error));
    set->input_spec_bytes = count;
    return INK_OK;
}

ink_status ink__set_originate(ink_set *set, const uint8_t *origin, uint64_t bytes, ink_error *error)
{
    INK__TRY(ink__arena_keep(&set->labels, origin, bytes, &set->origin, error));
    set->origin_bytes = bytes;
    return INK_OK;
}

ink_status ink__set_own(ink_set *set, ink_file *file, ink_error *error)
{
    const uint8_t *bytes = NULL;
    uint64_t       count;
    ink_section    origin;

    if (room_for_files(set, 1, error) != INK_OK) {
        ink_file_close(file);
        return INK_MEMORY;
    }
    set->files[set->file_count++] = file;
    INK__TRY(ink__input_spec_section(file, &bytes, &count, error));
    INK__TRY(keep_input_spec(set, bytes, count, error));
    if (ink__section_find(file, INK_SECTION_ORIGIN, &origin, NULL) == INK_OK)
        return ink__set_originate(set, origin.data, origin.bytes, error);
    return INK_OK;
}

/* A sketch of the set that may be changed: a view becomes a copy. */
static ink_status make_writable(ink_set *set, uint64_t index, ink_sketch **sketch, ink_error *error)
{
    ink_sketch *copy, *view = (ink_sketch *)(uintptr_t)set->entries[index].sketch;

    *sketch = view;
    if (!ink__sketch_is_view(view))
        return INK_OK;
    INK__TRY(ink_sketch_copy(&copy, view, &set->allocator, error));
    ink_sketch_free(view);
    set->entries[index].sketch = *sketch = copy;
    return INK_OK;
}

/* Closes the files if no sketch is a view: small ones were copied. */
static void close_files(ink_set *set)
{
    bool views = false;

    for (uint64_t i = 0; i < set->file_count; i++)
        views |= ink__file_has_views(set->files[i]);
    for (uint64_t i = 0; views && i < set->count; i++)
        if (ink__sketch_is_view(set->entries[i].sketch))
            return;
    while (set->file_count > 0)
        ink_file_close(set->files[--set->file_count]);
}

/* ---- Unions ------------------------------------------------------------------------------- */

static size_t kind_number(const ink_entry *entry)
{
    const char *kind = ink_sketch_kind(entry->sketch);
    size_t      number = 0;

    while (strcmp(ink_kind_name(number), kind) != 0)
        number++;
    return number;
}

/* Entries of a set that have one kind. */
typedef struct run {
    uint64_t at, end;
    size_t   kind;
} run;

/* Finds the end of those that begin where the last ended. */
static void find_run(const ink_set *set, run *these)
{
    uint64_t low = these->at + 1, high = set->count;

    these->kind = kind_number(&set->entries[these->at]);
    if (kind_number(&set->entries[high - 1]) == these->kind)
        low = high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (kind_number(&set->entries[middle]) == these->kind)
            low = middle + 1;
        else
            high = middle;
    }
    these->end = low;
}

/* The order in a file of the next entries of two sets, one of which has one. */
static int order(const ink_set *set, run *mine, const ink_set *more, run *other)
{
    if (mine->at == set->count || other->at == more->count)
        return mine->at == set->count ? 1 : -1;
    if (mine->at == mine->end)
        find_run(set, mine);
    if (other->at == other->end)
        find_run(more, other);
    if (mine->kind != other->kind)
        return mine->kind < other->kind ? -1 : 1;
    return ink_label_compare(&set->entries[mine->at].label, &more->entries[other->at].label);
}

/* Sets without a common label must have the same key rule too. */
static ink_status check_rules(const ink_set *set, const ink_set *more, ink_error *error)
{
    ink_description a, b;

    if (set->count == 0 || more->count == 0)
        return INK_OK;
    ink_sketch_describe(set->entries[0].sketch, &a);
    ink_sketch_describe(more->entries[0].sketch, &b);
    if (a.secret_check != b.secret_check && a.keyed && b.keyed)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "keyed with another secret, expected that of the first file");
    const char *mine = a.key_type == INK_KEY_INT ? "ints" : "bytes";
    if (a.key_type != b.key_type)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "keys are %s, expected %s, as in the first file; build both with the same "
                         "{key_type}",
                         b.key_type == INK_KEY_INT ? "ints" : "bytes", mine);
    if (strcmp(a.hash, b.hash) == 0 && a.seed == b.seed)
        return INK_OK;
    return ink__fail(
        error, INK_MISMATCH, INK_NOWHERE, 0,
        "keys are %s, hash %s, seed %llu; expected those of the first file: %s, %s, %llu", mine,
        b.hash, (unsigned long long)b.seed, mine, a.hash, (unsigned long long)a.seed);
}

ink_status ink__set_blame(const ink_label *label, ink_status status, ink_error *error)
{
    char group[48];

    if (label->group_kind == INK_GROUP_NONE)
        return status;
    ink__label_show(label, group, sizeof group);
    ink__fail_within(error, "group %s: ", group);
    return status;
}

/* Merge options are about rates, which only filters have. */
static bool is_filter(const ink_entry *entry)
{
    ink_kind_info info;

    return ink_kind_describe(ink_sketch_kind(entry->sketch), &info, NULL) == INK_OK &&
           info.contains;
}

/* Whether the union of a filter of a fixed size is looked at after it was made, so that all that
 * would be above their promise are known. */
static bool is_looked_at(const ink_sketch *into, const ink_merge_options *options)
{
    return (options == NULL || !options->parts) && ink__sketch_is_fixed_filter(into);
}

static void look(ink_sketch *into, const ink_label *label, ink__overfull *overfull)
{
    ink__overfull_look(overfull, label, into);
    ink__sketch_raise_promise(into, overfull->max_rate);
}

/* Merges an entry into the sketch of the same kind and label. */
static ink_status merge_entry(ink_sketch *into, const ink_entry *other,
                              const ink_merge_options *options, ink__overfull *overfull,
                              ink_error *error)
{
    const ink_merge_options parts = {.parts = true};
    bool                    looked_at = is_looked_at(into, options);

    ink_status status = ink_sketch_merge(into, other->sketch,
                                         looked_at          ? &parts
                                         : is_filter(other) ? options
                                                            : NULL,
                                         error);
    if (status != INK_OK)
        return ink__set_blame(&other->label, status, error);
    if (looked_at)
        look(into, &other->label, overfull);
    return INK_OK;
}

/* Two sketches to be merged, by their numbers in the union and in the set that comes to it. */
typedef struct pair {
    uint64_t into, from;
} pair;

typedef struct joining {
    ink_set                 *to;
    const ink_set           *more;
    const ink_merge_options *options;
    const ink_job           *job;
    pair                    *pairs;
    uint64_t                 count, pairs_bytes;
    bool                     few; /* pairs for the threads */
    /* Of a run of pairs: */
    uint64_t       first, end, block;
    ink__overfull *found; /* of each block */
} joining;

/* Moves all sketches to the union, but for those of `more` to be merged with one of them. Both
 * lists are ordered. Labels of `set` stay where they are: its arena becomes part of the union's. */
static ink_status find_pairs(joining *all, ink_set *set, ink_set *more, ink_error *error)
{
    uint64_t most = set->count < more->count ? set->count : more->count;
    run      mine = {0}, other = {0};

    all->pairs_bytes = (most + 1) * sizeof *all->pairs;
    INK__TRY(ink__allocate(&all->to->allocator, all->pairs_bytes, &all->pairs, error));
    INK__TRY(ink__set_reserve(all->to, set->count, error));
    while (mine.at < set->count || other.at < more->count) {
        int after = order(set, &mine, more, &other);
        if (after == 0)
            all->pairs[all->count++] = (pair){all->to->count, other.at++};
        ink_entry *entry = after > 0 ? &more->entries[other.at++] : &set->entries[mine.at++];
        ink_label  label = entry->label;
        INK__TRY(ink__set_reserve(all->to, 1, error));
        if (after > 0)
            INK__TRY(keep_label(&all->to->labels, &entry->label, &label, error));
        all->to->entries[all->to->count++] = (ink_entry){.label = label, .sketch = entry->sketch};
        entry->sketch = NULL;
    }
    return INK_OK;
}

static ink_status merge_block(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const joining *all = host;
    uint64_t       first = all->first + task * all->block, left = all->end - first;

    (void)worker;
    for (uint64_t i = 0; i < all->block && i < left; i++) {
        const pair *these = &all->pairs[first + i];
        ink_sketch *mine;
        INK__TRY(make_writable(all->to, these->into, &mine, error));
        INK__TRY(merge_entry(mine, &all->more->entries[these->from], all->options,
                             &all->found[task], error));
    }
    return INK_OK;
}

/* Blocks of pairs beside each other. What they find is taken in their order. */
static ink_status merge_blocks(joining *all, ink__overfull *overfull, ink_error *error)
{
    uint64_t blocks = (all->end - all->first + all->block - 1) / all->block;
    uint64_t bytes = blocks * sizeof *all->found;

    INK__TRY(ink__allocate_zeroed(&all->to->allocator, bytes, &all->found, error));
    for (uint64_t i = 0; i < blocks; i++)
        all->found[i].max_rate = overfull->max_rate;
    ink_status status = ink__tasks_short(all->job, "merging", blocks, merge_block, all, error);
    for (uint64_t i = 0; i < blocks; i++)
        ink__overfull_join(overfull, &all->found[i]);
    ink__release(&all->to->allocator, all->found, bytes);
    return status;
}

/* ---- Large sketches, in slices ------------------------------------------------------------ */

enum { LARGE_BYTES = 4 << 20, PAIRS_PER_THREAD = 4 };

/* Whether slices of two payloads are merged beside each other. If there are many pairs, threads
 * have enough to do without. */
static bool is_large(const joining *all, uint64_t at)
{
    const ink_sketch *into = all->to->entries[all->pairs[at].into].sketch;
    const ink_sketch *from = all->more->entries[all->pairs[at].from].sketch;
    ink_description   description;
    ink__head         mine, other;

    if (!all->few)
        return false;
    ink_sketch_describe(into, &description);
    if (description.bytes < LARGE_BYTES || !description.order_free || !ink__sketch_has_shares(into))
        return false;
    ink__sketch_head(into, &mine);
    ink__sketch_head(from, &other);
    return ink__head_match(&mine, &other, NULL) == INK_OK;
}

typedef struct slicing {
    ink_sketch       *into;
    const ink_sketch *from[2]; /* the first or NULL */
    unsigned          shares;
} slicing;

static ink_status merge_slice(void *host, unsigned worker, uint64_t task, ink_error *error)
{
    const slicing *of = host;

    (void)worker;
    (void)error;
    for (unsigned i = 0; i < 2; i++)
        if (of->from[i] != NULL)
            ink__sketch_merge_share(of->into, of->from[i], (unsigned)task, of->shares);
    return INK_OK;
}

/* A view is merged into an empty sketch, together with the other one: threads take the pages that
 * they fill. */
static ink_status merge_large(joining *all, ink__overfull *overfull, ink_error *error)
{
    const pair      *these = &all->pairs[all->first];
    const ink_entry *other = &all->more->entries[these->from];
    ink_sketch      *mine = (ink_sketch *)(uintptr_t)all->to->entries[these->into].sketch;
    slicing          of = {.into = mine, .from = {NULL, other->sketch}};
    const bool       view = ink__sketch_is_view(mine);
    ink_description  description;

    if (view) {
        INK__TRY(ink_sketch_create_like(&of.into, mine, &all->to->allocator, error));
        ink__account_made(all->job, of.into);
        of.from[0] = mine;
    }
    ink_sketch_describe(mine, &description);
    of.shares = (unsigned)(description.bytes / BLOCK_BYTES);
    ink_status status = ink__tasks_short(all->job, "merging", of.shares, merge_slice, &of, error);
    for (unsigned i = 0; i < 2 && status == INK_OK; i++)
        if (of.from[i] != NULL)
            ink__sketch_merge_rest(of.into, of.from[i]);
    if (view) {
        ink_sketch_free(mine);
        all->to->entries[these->into].sketch = of.into;
    }
    if (status == INK_OK && is_looked_at(of.into, all->options))
        look(of.into, &other->label, overfull);
    return status;
}

/* In the order of entries: a message does not depend on threads. */
static ink_status merge_pairs(joining *all, ink_error *error)
{
    const unsigned threads = ink__job_threads(all->job);
    ink__overfull  overfull = {.max_rate = all->options == NULL ? 0 : all->options->max_rate};

    all->few = threads > 1 && all->count < (uint64_t)PAIRS_PER_THREAD * threads;
    all->block = ink__set_block(all->to);
    for (all->first = 0; all->first < all->count; all->first = all->end) {
        bool large = is_large(all, all->first);
        for (all->end = all->first + 1; !large && all->end < all->count; all->end++)
            if (is_large(all, all->end))
                break;
        INK__TRY((large ? merge_large : merge_blocks)(all, &overfull, error));
    }
    return ink__overfull_refuse(&overfull, error);
}

static ink_status merge_entries(ink_set *to, ink_set *set, ink_set *more,
                                const ink_merge_options *options, const ink_job *job,
                                ink_error *error)
{
    joining    all = {.to = to, .more = more, .options = options, .job = job};
    ink_status status = find_pairs(&all, set, more, error);

    if (status == INK_OK)
        status = merge_pairs(&all, error);
    ink__release(&to->allocator, all.pairs, all.pairs_bytes);
    return status;
}

/* ---- Sets --------------------------------------------------------------------------------- */

/* The union has views of both sets' files. There is room. */
static void move_files(ink_set *to, ink_set *from)
{
    while (from->file_count > 0)
        to->files[to->file_count++] = from->files[--from->file_count];
}

/* A union of data that was read with and without its bad records needs them skipped. */
static ink_status merge_input_specs(ink_set *to, const ink_set *set, const ink_set *more,
                                    ink_error *error)
{
    const ink_set *longer = set->input_spec_bytes < more->input_spec_bytes ? more : set;

    to->input_spec_dropped = set->input_spec_dropped || more->input_spec_dropped ||
                             !ink__input_spec_same(set->input_spec, set->input_spec_bytes,
                                                   more->input_spec, more->input_spec_bytes);
    if (to->input_spec_dropped)
        return INK_OK;
    return keep_input_spec(to, longer->input_spec, longer->input_spec_bytes, error);
}

/* Of two origins one is left if they are the same. */
static ink_status merge_origins(ink_set *to, const ink_set *set, const ink_set *more,
                                ink_error *error)
{
    if (set->origin == NULL || more->origin == NULL || set->origin_bytes != more->origin_bytes ||
        memcmp(set->origin, more->origin, (size_t)set->origin_bytes) != 0)
        return INK_OK;
    return ink__set_originate(to, set->origin, set->origin_bytes, error);
}

/* Merges `more` into *into. Frees `more`, also on failure. */
static ink_status merge_sets(ink_set **into, ink_set *more, const ink_merge_options *options,
                             const ink_job *job, ink_error *error)
{
    ink_set   *set = *into, *to = NULL;
    ink_status status = ink__set_create(&to, &set->allocator, error);

    if (status == INK_OK)
        status = room_for_files(to, set->file_count + more->file_count, error);
    if (status == INK_OK)
        status = check_rules(set, more, error);
    if (status == INK_OK)
        status = merge_entries(to, set, more, options, job, error);
    if (status == INK_OK)
        status = merge_input_specs(to, set, more, error);
    if (status == INK_OK)
        status = merge_origins(to, set, more, error);
    if (status == INK_OK) {
        ink__arena_join(&to->labels, &set->labels);
        move_files(to, set);
        move_files(to, more);
        to->threads = set->threads;
        *into = to;
        to = set;
        close_files(*into);
    }
    ink_set_free(to); /* now the old set; its files have moved */
    ink_set_free(more);
    return status;
}

ink_status ink__set_merge_loaded(ink_set **into, ink__set_loader *load, void *host,
                                 const ink_merge_options *options, const ink_job *job,
                                 ink_error *error)
{
    ink_set *more;

    INK__TRY(ink__set_create(&more, job->allocator, error));
    more->threads = ink__job_threads(job);
    ink_status status = load(more, host, error);
    if (status != INK_OK) {
        ink_set_free(more);
        return status;
    }
    close_files(more);
    if (*into != NULL)
        return merge_sets(into, more, options, job, error);
    *into = more;
    return INK_OK;
}

bool ink__set_has_filter(const ink_set *set)
{
    for (uint64_t i = 0; i < set->count; i++)
        if (is_filter(&set->entries[i]))
            return true;
    return false;
}

/* ---- The public calls --------------------------------------------------------------------- */

size_t ink_set_count(const ink_set *set)
{
    return (size_t)set->count;
}

ink_status ink_set_entry(const ink_set *set, size_t index, ink_entry *entry, ink_error *error)
{
    if (index >= set->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "entry %zu of a set of %llu, expected a smaller number", index,
                         (unsigned long long)set->count);
    *entry = set->entries[index];
    return INK_OK;
}

bool ink_set_input_spec_dropped(const ink_set *set)
{
    return set->input_spec_dropped;
}

void ink_set_keep(ink_set *set, bool (*wanted)(void *host, const ink_label *label), void *host)
{
    uint64_t kept = 0;

    for (uint64_t i = 0; i < set->count; i++)
        if (wanted(host, &set->entries[i].label))
            set->entries[kept++] = set->entries[i];
        else
            ink_sketch_free((ink_sketch *)(uintptr_t)set->entries[i].sketch);
    set->count = kept;
}

ink_status ink_set_take(ink_set *set, size_t index, ink_sketch **sketch, ink_error *error)
{
    ink_entry entry;

    INK__TRY(ink_set_entry(set, index, &entry, error));
    if (ink__sketch_is_view(entry.sketch))
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "a view of a file that the set has open cannot be taken, expected a copy "
                         "(ink_sketch_copy)");
    *sketch = (ink_sketch *)(uintptr_t)entry.sketch;
    memmove(set->entries + index, set->entries + index + 1,
            (size_t)(set->count - index - 1) * sizeof *set->entries);
    set->count--;
    return INK_OK;
}

static ink_section input_spec_of(const ink_set *set)
{
    return (ink_section){.id = INK_SECTION_INPUT_SPEC,
                         .data = set->input_spec,
                         .bytes = (size_t)set->input_spec_bytes};
}

ink_status ink_set_input_spec(const ink_set *set, ink_section *section, ink_error *error)
{
    if (set->input_spec_bytes == 0)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "the set has no input spec");
    *section = input_spec_of(set);
    return INK_OK;
}

size_t ink_set_key_columns(const ink_set *set)
{
    size_t columns = ink__input_spec_key_columns(set->input_spec, set->input_spec_bytes);

    return columns == 0 && set->input_spec_bytes > 0 ? 1 : columns;
}

bool ink_tuple_next(const uint8_t **key, size_t *key_bytes, const uint8_t **field,
                    size_t *field_bytes)
{
    if (*key_bytes < 4 || ink__load_u32(*key) > *key_bytes - 4)
        return false;
    *field = *key + 4;
    *field_bytes = ink__load_u32(*key);
    *key += 4 + *field_bytes;
    *key_bytes -= 4 + *field_bytes;
    return true;
}

enum { SECTIONS = 2 };

static ink_contents contents_of(const ink_set *set, ink_section sections[SECTIONS])
{
    size_t count = 0;

    if (set->input_spec_bytes > 0)
        sections[count++] = input_spec_of(set);
    if (set->origin != NULL)
        sections[count++] = (ink_section){
            .id = INK_SECTION_ORIGIN, .data = set->origin, .bytes = (size_t)set->origin_bytes};
    return (ink_contents){
        .entries = set->entries,
        .entry_count = (size_t)set->count,
        .sections = sections,
        .section_count = count,
        .allocator = &set->allocator,
    };
}

static ink_status save(const ink_set *set, const char *path, bool overwrite, const ink_job *job,
                       ink_error *error)
{
    ink_section  sections[SECTIONS];
    ink_contents contents = contents_of(set, sections);

    contents.no_overwrite = !overwrite;
    const ink__crew crew = ink__crew_of(job, job == NULL ? set->threads : ink__job_threads(job));
    return ink__contents_save(path, &contents, &crew, error);
}

ink_status ink_job_save(const ink_set *set, const char *path, bool overwrite, ink_job *job,
                        ink_error *error)
{
    INK__TRY_ROOM("ink_job", job, error);
    return save(set, path, overwrite, job, error);
}

ink_status ink_set_save_to(const ink_set *set, const char *path, bool overwrite, ink_error *error)
{
    return save(set, path, overwrite, NULL, error);
}

ink_status ink_set_save(const ink_set *set, const char *path, ink_error *error)
{
    return ink_set_save_to(set, path, true, error);
}

ink_status ink_set_encode(const ink_set *set, uint8_t **bytes, size_t *count, ink_error *error)
{
    ink_section  sections[SECTIONS];
    ink_contents contents = contents_of(set, sections);

    const ink__crew crew = ink__crew_of(NULL, set->threads);
    return ink__contents_encode(&contents, &crew, bytes, count, error);
}
