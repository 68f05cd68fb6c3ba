/* dedup_plan.c - ink plan dedup: sizes, rates and memory of each level, and the curve of chances of
 * level near. */
#include "plan/dedup_plan.h"

#include "arguments/dedup_options.h"
#include "arguments/inputs.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/report.h"

#include <string.h>

/* A row: a level, what is beside levels, all, or a point of the curve. */
typedef struct plan_row {
    const char                 *name;
    const ink_dedup_level_plan *level; /* NULL: none */
    const ink_dedup_plan       *near;  /* level near, and its curve */
    uint64_t                    bytes;
    uint64_t                    files, input_bytes; /* of all */
    double                      similarity;         /* of a point; else 0 */
} plan_row;

/* clang-format off */
#define OF_LEVEL(cell) (one->level == NULL ? NO_CELL : (cell))
#define OF_NEAR(cell) (one->near == NULL || one->similarity > 0 ? NO_CELL : (cell))
#define OF_POINT(cell) (one->similarity > 0 ? (cell) : NO_CELL)
#define COLUMNS(X)                                                                                 \
    X("level", "level", TEXT, cell_text(one->name))                                                \
    X("keys", "texts", COUNT, OF_LEVEL(cell_count(one->level->keys)))                              \
    X("table", NULL, OK, one->level == NULL || one->near != NULL ? NO_CELL : cell_ok(one->level->table, "")) \
    X("rate", "rate", RATE, OF_LEVEL(cell_real_if(one->level->rate)))                              \
    X("memory", "memory", SIZE, cell_count_if(one->bytes))                                         \
    X("passes", "passes", COUNT, OF_LEVEL(cell_count_if(one->level->passes)))                      \
    X("disk", "on disk", SIZE, OF_LEVEL(cell_count_if(one->level->disk_bytes)))                    \
    X("files", NULL, COUNT, cell_count_if(one->files))                                             \
    X("bytes", NULL, COUNT, cell_count_if(one->input_bytes))                                       \
    X("permutations", "permutations", COUNT, OF_NEAR(cell_count(one->near->permutations)))                 \
    X("bands", "bands", COUNT, OF_NEAR(cell_count(one->near->bands)))                              \
    X("rows", "rows", COUNT, OF_NEAR(cell_count(one->near->rows)))                                 \
    X("similarity", "similarity", RATIO, OF_POINT(cell_real(one->similarity)))                     \
    X("compared", "compared", RATIO, OF_POINT(cell_real(ink_dedup_chance_compared(one->near, one->similarity)))) \
    X("removed", "removed", RATIO, OF_POINT(cell_real(ink_dedup_chance_removed(one->near, one->similarity))))
/* clang-format on */
static const cli_column columns[] = {COLUMNS(COLUMN_IS)};

/* Points of the curve. */
static const double points[] = {0.5, 0.6, 0.65, 0.7, 0.75, 0.78, 0.8, 0.82, 0.85, 0.9, 0.95, 1};

static void put(cli_report *report, const plan_row *one)
{
    const cli_cell cells[] = {COLUMNS(COLUMN_CELL)};

    report_row(report, cells);
}

static void put_levels(cli_report *report, const ink_dedup_plan *plan)
{
    for (int level = 0; level < INK_DEDUP_LEVELS; level++) {
        const ink_dedup_level_plan *one = &plan->levels[level];
        if (one->used)
            put(report, &(plan_row){.name = ink_dedup_level_name((ink_dedup_level)level),
                                    .level = one,
                                    .near = level == INK_DEDUP_NEAR ? plan : NULL,
                                    .bytes = one->bytes});
    }
    put(report, &(plan_row){.name = "work", .bytes = plan->work_bytes});
    put(report, &(plan_row){.name = "all",
                            .bytes = plan->memory_bytes,
                            .files = plan->files,
                            .input_bytes = plan->bytes});
}

static void put_curve(cli_report *report, const ink_dedup_plan *plan)
{
    for (size_t i = 0; plan->levels[INK_DEDUP_NEAR].used && i < COUNT_OF(points); i++)
        put(report, &(plan_row){.name = ink_dedup_level_name(INK_DEDUP_NEAR),
                                .near = plan,
                                .similarity = points[i]});
}

static void print(const cli_arguments *arguments, const ink_dedup_plan *plan)
{
    const report_form form = report_form_of(arguments);
    cli_report        report;

    report_begin(&report, form, columns, COUNT_OF(columns));
    put_levels(&report, plan);
    if (form == REPORT_TEXT) { /* two tables */
        report_end(&report);
        if (!plan->levels[INK_DEDUP_NEAR].used)
            return;
        out_text("\n");
        report_begin(&report, form, columns, COUNT_OF(columns));
    }
    put_curve(&report, plan);
    report_end(&report);
}

/* ---- The command -------------------------------------------------------------------------- */

bool plan_is_dedup(const cli_arguments *arguments)
{
    return arguments->operand_count > 0 && strcmp(arguments->operands[0], "dedup") == 0;
}

static const option_id of_levels[] = {OPTION_EXACT,       OPTION_PARAGRAPHS, OPTION_NGRAMS,
                                      OPTION_NGRAM_BYTES, OPTION_NEAR,       OPTION_TEXT,
                                      OPTION_IN,          OPTION_THREADS};

int plan_refuse_levels(const cli_arguments *arguments)
{
    for (size_t i = 0; i < COUNT_OF(of_levels); i++)
        if (arguments->options[of_levels[i]].given)
            return fail_usage("%s is for ink plan dedup", option_name(of_levels[i]));
    return 0;
}

static int refuse_sizes(const cli_arguments *arguments)
{
    for (const cli_offer *offer = arguments->command->offers; offer->id != OPTION_END; offer++)
        if (arguments->options[offer->id].given && option_group_of(offer->id) == GROUP_SIZE &&
            offer->id != OPTION_KEYS && offer->id != OPTION_RATE && offer->id != OPTION_MEMORY)
            return fail_usage("%s is for kinds, and not for ink plan dedup",
                              option_name(offer->id));
    return 0;
}

int plan_dedup(const cli_arguments *arguments)
{
    const ink_dedup_options wanted = dedup_options(arguments);
    const ink_reading       reading = dedup_reading(arguments);
    ink_job                 job = progress_job(arguments);
    ink_dedup_plan          plan;
    ink_error               error;

    TRY(refuse_sizes(arguments));
    TRY(dedup_check_levels(arguments));
    if (arguments->operand_count == 1 && !arguments->options[OPTION_KEYS].given)
        return fail_usage("nothing to plan for, expected files or folders, or -n");
    if (ink_plan_dedup(arguments->operands + 1, arguments->operand_count - 1, &reading, &wanted,
                       &plan, &job, &error) != INK_OK)
        return job_fails(&job, NULL, &error);
    print(arguments, &plan);
    return 0;
}
