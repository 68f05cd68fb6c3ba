/* spread.c - the plan of a job on a cluster: the number of reducers, and the memory of tasks. */
#define _POSIX_C_SOURCE 200809L
#include "plan/spread.h"

#include "hadoop/task.h"
#include "report/failure.h"
#include "report/report.h"

#include <sys/stat.h>

/* The program and its buffers. */
#define FIXED_BYTES (UINT64_C(64) << 20)
/* Data, or bytes of sketches, of one reducer; or bytes of keys of one that verifies. */
#define ENOUGH_BYTES (UINT64_C(256) << 20)
/* A low estimate of the average key, with its separator. */
enum { RECORD_BYTES = 8, HASH_BYTES = 8, RANGES_MAX = 256, TASKS_MAX = 4096 };
/* Bytes of memory for each byte of a key in a reducer that verifies: pieces, the keys of each group
 * in them, and all keys once more, in arrays that double. */
enum { KEY_TIMES = 6 };

typedef struct spread {
    bool     ranged;
    uint64_t reducers;
    uint64_t map_memory, reduce_memory;
} spread;

/* clang-format off */
#define COLUMNS(X)                                                                                 \
    X("ranged", "", OK, cell_ok(found.ranged, ""))                                                 \
    X("reducers", "", COUNT, cell_count(found.reducers))                                           \
    X("memory", "", COUNT, cell_count(most))                                                       \
    X("map_memory", "", COUNT, cell_count(found.map_memory))                                       \
    X("reduce_memory", "", COUNT, cell_count_if(found.reduce_memory))                              \
    X("header", "", OK, cell_ok(how->header, ""))                                                  \
    X("in", "", TEXT, cell_text(option_of(OPTION_IN)->choices[how->form - INK_FORM_LINES]))
/* clang-format on */

/* The bytes of one group's sketches; if their keys are not given, estimated from the data. */
static uint64_t sketch_bytes(const cli_stage *stage, uint64_t data_bytes)
{
    ink_description described = {0};
    uint64_t        sum = 0;

    for (size_t i = 0; i < stage->build.kind_count; i++) {
        ink_params params = stage->kinds[i];
        if (kind_info(params.kind).sized_by_keys && params.expected_keys == 0 && params.bits == 0)
            params.expected_keys = data_bytes / RECORD_BYTES + 1;
        params.key_type = stage->data.how.keys == INK_KEYS_INT ? INK_KEY_INT : INK_KEY_BYTES;
        while (ink_plan(&params, &described, NULL) != INK_OK && params.expected_keys > 1)
            params.expected_keys /= 2; /* too many for any filter */
        sum += described.bytes;
    }
    return sum;
}

static int plan_build(const cli_stage *stage, uint64_t data_bytes, uint32_t tasks, uint64_t memory,
                      spread *to)
{
    ink_pieces_plan plan;
    ink_error       error;

    if (ink_pieces_plan_for(&stage->data.how, &stage->build, data_bytes, tasks, 0, &plan, &error) !=
        INK_OK)
        return fail_error(NULL, &error);
    uint64_t sketches = sketch_bytes(stage, data_bytes == UINT64_MAX ? 0 : data_bytes);
    /* Sizes that are not known follow from the keys of a whole group, in one reducer. */
    to->ranged = plan.ranged && !plan.measure;
    to->reducers = 1;
    while (to->ranged && to->reducers < plan.buckets &&
           (2 * to->reducers <= tasks || to->reducers * ENOUGH_BYTES < sketches))
        to->reducers *= 2;
    if (!to->ranged && stage->data.how.by != NULL) {
        uint64_t wanted = data_bytes / ENOUGH_BYTES + 1;
        to->reducers = data_bytes == UINT64_MAX || wanted > tasks ? tasks : wanted;
        to->reducers = to->reducers < TASKS_MAX ? to->reducers : TASKS_MAX;
    }
    to->map_memory = memory + FIXED_BYTES;
    to->reduce_memory = memory + FIXED_BYTES + sketches / to->reducers;
    return 0;
}

static uint64_t file_bytes(const cli_stage *stage)
{
    struct stat status;

    return stat(stage->sketches, &status) == 0 ? (uint64_t)status.st_size : 0;
}

/* The bytes that maps send for all keys: hashes, or the keys where there is no hash of 64 bits. */
static uint64_t key_bytes(const cli_stage *stage, uint64_t data_bytes)
{
    ink_description described;
    ink_entry_info  entry;
    uint64_t        records = 0;

    for (size_t i = 0; ink_file_entry(stage->file, i, &entry, NULL) == INK_OK; i++)
        records += entry.records;
    ink_params params = stage->kinds[0];
    params.expected_keys = 1;
    if (ink_plan(&params, &described, NULL) == INK_OK && described.needs_keys &&
        data_bytes != UINT64_MAX)
        return data_bytes;
    return HASH_BYTES * records;
}

static void plan_verify(const cli_stage *stage, uint64_t data_bytes, uint64_t memory, spread *to)
{
    uint64_t bytes = key_bytes(stage, data_bytes);

    to->ranged = true;
    for (to->reducers = 1; to->reducers < RANGES_MAX && bytes / to->reducers > ENOUGH_BYTES;)
        to->reducers *= 2;
    to->map_memory = memory + FIXED_BYTES;
    to->reduce_memory =
        memory + FIXED_BYTES + file_bytes(stage) + KEY_TIMES * (bytes / to->reducers);
}

int spread_print(const cli_stage *stage, const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    uint64_t bytes = options[OPTION_BYTES].given ? options[OPTION_BYTES].number : UINT64_MAX;
    uint32_t tasks = options[OPTION_TASKS].given ? (uint32_t)options[OPTION_TASKS].number : 1;
    uint64_t memory = task_job(arguments).memory_bytes;
    spread   found = {0};
    const ink_reading *how = &stage->data.how;

    if (stage->work == STAGE_BUILDS)
        TRY(plan_build(stage, bytes, tasks, memory, &found));
    else if (stage->work == STAGE_VERIFIES)
        plan_verify(stage, bytes, memory, &found);
    else
        found.map_memory = file_bytes(stage) + FIXED_BYTES;
    uint64_t most = found.map_memory > found.reduce_memory ? found.map_memory : found.reduce_memory;
    static const cli_column columns[] = {COLUMNS(COLUMN_IS)};
    const cli_cell          cells[] = {COLUMNS(COLUMN_CELL)};
    report_single(REPORT_JSON, columns, COUNT_OF(columns), cells);
    return 0;
}
