/* map.c - the map of a distributed build: records in, pieces out; and the plan of such a build. */
#include "base/status.h"
#include "jobs/distributed/emit.h"
#include "jobs/distributed/measured_sizes.h"
#include "jobs/runtime/reading.h"

/* In units of slice_bytes of input: from MUCH on one reducer should not have all; with groups,
 * which are then counted first by a second reading, from MUCH_OF_GROUPS on. ENOUGH is enough for
 * one reducer. */
enum { MUCH = 8, MUCH_OF_GROUPS = 64, ENOUGH = 2 };
enum { MANY_BUCKETS = 256 };
#define SMALL_CHUNK_BYTES ((uint64_t)128 << 10)

/* ---- The plan ----------------------------------------------------------------------------- */

ink_status ink_pieces_plan_for(const ink_reading *reading, const ink_build_options *build,
                               uint64_t input_bytes, uint32_t tasks, uint64_t slice_bytes,
                               ink_pieces_plan *plan, ink_error *error)
{
    bool local = false;  /* some kind can be made range by range ... */
    bool large = false;  /* ... and must be, as it has a known size */
    bool sized = false;  /* some kind is sized by its keys ... */
    bool counts = false; /* ... by the number of records */
    bool sliced = false; /* some kind goes in slices for another reason */
    bool whole = false;  /* some kind is made of all keys at once: nothing is cut into ranges */

    if (build->kind_count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no kind, expected one or more");
    tasks += tasks == 0;
    slice_bytes = slice_bytes == 0 ? INK__SLICE_BYTES_DEFAULT : slice_bytes;
    for (size_t i = 0; i < build->kind_count; i++) {
        ink_params      params = build->kinds[i];
        ink__build_kind kind = {0};
        params.key_type = ink__reading_key_type(reading);
        INK__TRY(ink__build_plan_kind(&kind, &params, true, error));
        bool by_keys = kind.mode == INK__BUILD_SIZED && !kind.planned;
        bool cut = !by_keys && kind.description.bytes > slice_bytes;
        local = local || kind.info.local;
        large = large || (cut && kind.info.local);
        sized = sized || by_keys;
        counts = counts || (by_keys && kind.description.needs_keys);
        sliced = sliced || (cut && !kind.info.local);
        whole = whole || kind.info.made_whole != 0;
    }
    sliced = sliced || (large && whole);
    large = large && !whole;
    uint64_t times = reading->by == NULL ? MUCH : MUCH_OF_GROUPS;
    bool     much = input_bytes != UINT64_MAX && input_bytes / times >= slice_bytes;
    *plan = (ink_pieces_plan){.buckets = 1, .count = counts, .ranged = large};
    if (!counts && sized && much && local && !whole) {
        plan->measure = plan->ranged = true;
        plan->count = reading->by != NULL;
    }
    if (plan->ranged) {
        uint64_t enough = input_bytes == UINT64_MAX ? 0 : input_bytes / ENOUGH / slice_bytes;
        while (plan->buckets < MANY_BUCKETS && (plan->buckets < tasks || plan->buckets < enough))
            plan->buckets *= 2;
    } else if (reading->by != NULL || sliced)
        plan->buckets = tasks < MANY_BUCKETS ? tasks : MANY_BUCKETS;
    return INK_OK;
}

/* ---- The job ------------------------------------------------------------------------------ */

typedef struct mapping {
    ink__build_plan           plan;
    ink__build_state          all; /* what was read since the last flush */
    const ink_pieces_options *options;
    const ink_piece_sink     *sink;
    uint64_t                  job;
} mapping;

static ink_status emit_all(mapping *map, ink_error *error)
{
    ink__emission out;

    INK__TRY(ink__build_settle(&map->all, error));
    INK__TRY(ink__emit_begin(&out, &map->all, map->options, map->job, map->sink, error));
    ink_status status =
        map->plan.use.counting ? ink__emit_measures(&out, error) : ink__emit_kept(&out, error);
    ink__emit_end(&out);
    return status;
}

/* Emits what was read so far, and starts again, as if another map read the rest. */
static ink_status flush(void *host, ink_error *error)
{
    mapping *map = host;
    uint64_t segment = map->all.ordered.segment;

    INK__TRY(emit_all(map, error));
    ink__build_end(&map->all);
    return ink__build_begin(&map->all, &map->plan, segment, error);
}

static ink_status map_all(mapping *map, const ink_input *inputs, size_t input_count,
                          ink_error *error)
{
    const ink__build_plan *plan = &map->plan;
    ink_job               *job = plan->job;
    uint64_t               chunk = job->chunk_bytes;

    INK__TRY(ink__build_begin(&map->all, plan, 0, error));
    INK__TRY(ink__pieces_job(&plan->reading, map->options->build, &map->job, error));
    INK__TRY(ink__sizes_match(map->options, map->job, error));
    if (chunk == 0 && plan->reading.by != NULL)
        job->chunk_bytes = SMALL_CHUNK_BYTES; /* memory is checked between chunks, and each
                                                 record may be a group */
    ink_status status = ink__build_read(&map->all, inputs, input_count, error);
    job->chunk_bytes = chunk;
    return status == INK_OK ? emit_all(map, error) : status;
}

static ink_status map(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                      const ink_pieces_options *options, const ink_piece_sink *sink, bool counting,
                      ink_job *job, ink_error *error)
{
    mapping              map = {.options = options, .sink = sink};
    const ink__build_use use = {
        .pieces = true,
        .counting = counting,
        .workers = counting ? 1 : 0,
        .flush = flush,
        .flush_host = &map,
        .measured = counting ? NULL : ink__sizes_measured,
        .measured_host = options,
    };
    ink_status status = ink__build_plan_make(&map.plan, inputs, input_count, reading,
                                             options->build, &use, job, error);

    if (status == INK_OK)
        status = map_all(&map, inputs, input_count, error);
    ink__build_end(&map.all);
    ink__build_plan_end(&map.plan);
    return status;
}

ink_status ink_map(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                   const ink_pieces_options *options, const ink_piece_sink *sink, ink_job *job,
                   ink_error *error)
{
    return map(inputs, input_count, reading, options, sink, false, job, error);
}

ink_status ink_map_count(const ink_input *inputs, size_t input_count, const ink_reading *reading,
                         const ink_pieces_options *options, const ink_piece_sink *sink,
                         ink_job *job, ink_error *error)
{
    return map(inputs, input_count, reading, options, sink, true, job, error);
}
