/* build_plan.c - what a build makes, and how. */
#include "jobs/build/build_plan.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "jobs/groups/pending_rows.h"
#include "jobs/runtime/accounting.h"
#include "jobs/runtime/feed.h"
#include "jobs/runtime/kind_choice.h"
#include "jobs/runtime/reading.h"
#include "sketch/internal.h"

#include <string.h>

/* ---- Kinds -------------------------------------------------------------------------------- */

ink_status ink__build_plan_kind(ink__build_kind *kind, const ink_params *params, bool pieces,
                                ink_error *error)
{
    INK__TRY(ink_kind_describe(params->kind, &kind->info, error));
    INK__TRY(ink__check_one_writer(params, error));
    kind->params = *params;
    bool sized = kind->info.sized_by_keys && params->expected_keys == 0 && params->bits == 0;
    if (kind->info.made_whole && !sized)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "{expected_keys} %llu for %s, whose size follows from its keys: leave it "
                         "out",
                         (unsigned long long)params->expected_keys, params->kind);
    if (sized)
        kind->params.expected_keys = 1; /* to check the other parameters */
    INK__TRY(ink_plan(&kind->params, &kind->description, error));
    kind->mode = sized                          ? INK__BUILD_SIZED
                 : kind->description.order_free ? INK__BUILD_DIRECT
                                                : INK__BUILD_ORDERED;
    if (!pieces || !kind->info.contains)
        return INK_OK;
    /* Elements of filters are kept: the reducer that gets all of them knows the size. */
    if (!kind->description.order_free)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s has one writer and cannot be built in parts, expected %s",
                         kind->description.kind, ink__kind_best(INK_ASK_MEMBER, INK__KIND_SIZED));
    kind->mode = INK__BUILD_SIZED;
    kind->planned = !sized;
    return INK_OK;
}

/* All kinds of a build are for one file, which has one key rule. */
static ink_status check_rule(const ink__build_kind *a, const ink__build_kind *b, ink_error *error)
{
    const char *what = NULL;

    if (a->description.seed != b->description.seed)
        what = "seed";
    if (strcmp(a->description.hash, b->description.hash) != 0)
        what = "hash";
    if (a->description.keyed != b->description.keyed ||
        (a->params.secret != NULL && b->params.secret != NULL &&
         memcmp(a->params.secret, b->params.secret, INK_SECRET_BYTES) != 0))
        what = "secret";
    if (what == NULL)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "%s and %s differ in the {%s}, expected one for all", a->description.kind,
                     b->description.kind, what);
}

static void note_kind(ink__build_plan *plan, const ink__build_kind *kind)
{
    bool counts = kind->info.removes || kind->info.counts;

    plan->any[kind->mode] = true;
    if (kind->mode == INK__BUILD_SIZED && kind->info.made_whole)
        plan->made_whole = true;
    else if (kind->mode == INK__BUILD_SIZED) {
        plan->filled = true;
        plan->unsized = plan->unsized || !kind->planned;
    }
    plan->repeats_matter = plan->repeats_matter || counts;
    plan->counted = plan->counted ||
                    (counts && (kind->mode == INK__BUILD_SIZED ||
                                (kind->mode == INK__BUILD_DIRECT && plan->reading.by != NULL)));
    if (kind->info.fixed_size)
        plan->group_bytes += kind->description.bytes_max;
}

static ink_status plan_kinds(ink__build_plan *plan, const ink_build_options *options,
                             ink_error *error)
{
    bool takes_weights = false;

    for (size_t i = 0; i < options->kind_count; i++) {
        ink__build_kind *kind = &plan->kinds[i];
        ink_params       params = options->kinds[i];
        params.key_type = ink__reading_key_type(&plan->reading);
        params.expected_keys = ink__with_headroom(params.expected_keys, plan->headroom);
        if (plan->format != NULL)
            INK__TRY(ink_foreign_params(plan->format, &params, error));
        INK__TRY(ink__build_plan_kind(kind, &params, plan->use.pieces, error));
        INK__TRY(check_rule(&plan->kinds[0], kind, error));
        if (kind->info.made_whole)
            INK__TRY(ink__check_no_headroom(params.kind, plan->headroom, error));
        for (size_t j = 0; j < i; j++)
            if (strcmp(plan->kinds[j].description.kind, kind->description.kind) == 0)
                return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                 "the kind %s twice, expected each once", kind->description.kind);
        note_kind(plan, kind);
        takes_weights = takes_weights || kind->info.weights;
    }
    if (plan->reading.weight != NULL && !takes_weights)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "weights for %s, expected a kind that counts", options->kinds[0].kind);
    return INK_OK;
}

/* ---- The plan ----------------------------------------------------------------------------- */

static ink_status plan_build(ink__build_plan *plan, const ink_build_options *options,
                             ink_error *error)
{
    uint64_t bytes = options->kind_count * sizeof *plan->kinds, keys;

    INK__TRY_ROOM("ink_build_options", options, error);
    if (options->only != NULL && plan->use.pieces)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "pieces of some keys only, expected pieces of all");
    if (options->kind_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no kind, expected one or more");
    INK__TRY(ink__allocate_zeroed(&plan->allocator, bytes, &plan->kinds, error));
    plan->kind_count = options->kind_count;
    INK__TRY(plan_kinds(plan, options, error));
    INK__TRY(ink__hasher_create(&plan->label_hasher, &(ink_params){0}, &plan->allocator, error));
    const ink__build_kind *first = &plan->kinds[0];
    bool keys_only = first->description.needs_keys && !first->info.keeps_keys; /* no 64-bit hash */
    if (!keys_only)
        INK__TRY(ink__hasher_create(&plan->hasher, &first->params, &plan->allocator, error));
    bool weights = plan->reading.weight != NULL || (plan->use.pieces && plan->counted);
    plan->keep = keys_only ? INK__KEEP_KEYS : weights ? INK__KEEP_WEIGHTS : INK__KEEP_HASHES;
    plan->estimated = plan->any[INK__BUILD_SIZED] && (plan->use.taking || !plan->use.pieces) &&
                      plan->keep != INK__KEEP_KEYS &&
                      !ink__build_known(plan, &(ink_label){0}, &keys);
    return INK_OK;
}

/* A file may also be standard input. */
static bool is_pipe(const ink_input *input)
{
    const bool standard = strcmp(input->path, "-") == 0;
    ink__stat  stat;

    const int result = standard ? ink__system_now()->stat_file(0, &stat)
                                : ink__system_now()->stat_path(input->path, &stat);
    return result == 0 ? !stat.regular : standard;
}

static bool has_pipe(const ink_input *inputs, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (inputs[i].arrow == NULL && !ink__reading_in_memory(&inputs[i]) && is_pipe(&inputs[i]))
            return true;
    return false;
}

ink_status ink__build_plan_make(ink__build_plan *plan, const ink_input *inputs, size_t input_count,
                                const ink_reading *reading, const ink_build_options *options,
                                const ink__build_use *use, ink_job *job, ink_error *error)
{
    const ink__feed feed = {.inputs = inputs, .input_count = input_count};

    *plan = (ink__build_plan){
        .allocator = ink__allocator_or_heap(job->allocator),
        .job = job,
        .reading = *reading,
        .use = *use,
        .headroom = options->headroom,
        .only = options->only,
        .format = options->format,
        .began = ink__system_now()->nanoseconds(),
        .memory = ink__job_memory(job),
        .folder = ink__job_folder(job),
        .endless = has_pipe(inputs, input_count),
    };
    job->failed_path = NULL;
    INK__TRY(ink__check_headroom(&plan->headroom, error));
    ink_status status = ink__reading_arrow_keys(&plan->reading, inputs, input_count, error);
    if (status != INK_OK) {
        job->failed_path = inputs[0].path;
        return status;
    }
    plan->workers = use->workers > 0 ? use->workers : ink__feed_workers(&feed, job);
    return plan_build(plan, options, error);
}

void ink__build_plan_end(ink__build_plan *plan)
{
    ink__hasher_free(plan->hasher);
    ink__hasher_free(plan->label_hasher);
    ink__release(&plan->allocator, plan->kinds, plan->kind_count * sizeof *plan->kinds);
}

/* ---- Sketches by the plan ----------------------------------------------------------------- */

ink_status ink__build_merge(ink_sketch **whole, ink_sketch **part, ink_error *error)
{
    const ink_merge_options parts = {.parts = true};

    if (*part == NULL)
        return INK_OK;
    if (*whole == NULL)
        *whole = *part;
    else {
        INK__TRY(ink_sketch_merge(*whole, *part, &parts, error));
        ink_sketch_free(*part);
    }
    *part = NULL;
    return INK_OK;
}

/* A batch without what a kind does not take. */
static ink_batch batch_for(const ink__build_kind *kind, ink_batch batch)
{
    batch = ink__batch_for(&kind->info, batch);
    if (kind->info.removes && batch.weights != NULL)
        batch.records = 0; /* weights are counts of records */
    return batch;
}

ink_status ink__build_add(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                          ink_error *error)
{
    batch = batch_for(kind, batch);
    return ink_sketch_add_batch(sketch, &batch, error);
}

ink_status ink__build_add_in_range(const ink__build_kind *kind, ink_sketch *sketch, ink_batch batch,
                                   uint64_t *records, ink_error *error)
{
    batch = batch_for(kind, batch);
    return ink__sketch_add_in_range(sketch, &batch, records, error);
}

ink_params ink__build_params(const ink__build_plan *plan, size_t kind, uint64_t keys)
{
    ink_params params = plan->kinds[kind].params;

    if (plan->kinds[kind].mode == INK__BUILD_SIZED && !plan->kinds[kind].planned)
        params.expected_keys = ink__with_headroom(keys == 0 ? 1 : keys, plan->headroom);
    return params;
}

ink_status ink__build_make(const ink__build_plan *plan, size_t kind, uint64_t keys,
                           ink_sketch **sketch, ink_error *error)
{
    ink_params params = ink__build_params(plan, kind, keys);

    if (plan->format != NULL)
        INK__TRY(ink_foreign_params(plan->format, &params, error));
    if (plan->kinds[kind].info.made_whole) {
        ink__whole_room *room;
        INK__TRY(ink__whole_room_create(&room, &plan->allocator, error));
        ink_status status = ink__whole_make(sketch, &params, NULL, 0, 0, room, error);
        ink__whole_room_free(room);
        INK__TRY(status);
    } else
        INK__TRY(ink_sketch_create(sketch, &params, &plan->allocator, error));
    ink__account_made(plan->job, *sketch);
    return INK_OK;
}

bool ink__build_known(const ink__build_plan *plan, const ink_label *label, uint64_t *keys)
{
    const ink__build_use *use = &plan->use;

    *keys = 0;
    return (use->measured != NULL &&
            use->measured(use->measured_host, plan->keep == INK__KEEP_KEYS, label, keys)) ||
           !plan->unsized;
}

/* Hashes count as they stand: it has no part in the key rule, which may be one of filters alone. */
ink_status ink__build_counter(const ink__build_plan *plan, ink_sketch **counter, ink_error *error)
{
    const ink_params params = {.kind = ink__kind_best(INK_ASK_DISTINCT, INK__KIND_ANY),
                               .precision = INK__COUNTER_PRECISION};

    return ink_sketch_create(counter, &params, &plan->allocator, error);
}
