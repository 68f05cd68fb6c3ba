/* cmd_build.c - ink build: records in, sketches out. */
#define _POSIX_C_SOURCE 200809L
#include "commands.h"
#include "failure.h"
#include "inputs.h"
#include "output.h"
#include "progress.h"
#include "report.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

enum { KINDS_MAX = 16 };

/* ---- Sizes: which options go to which kind ------------------------------------------------ */

/* An option that is a parameter of some kinds, and a value that is fine for each of them: a plan
 * with it fails only for kinds that do not have the parameter. */
typedef struct size_option {
    option_id id;
    uint64_t  number;
    double    real;
} size_option;

static const size_option size_options[] = {
    {OPTION_KEYS, 1000, 0},    {OPTION_RATE, 0, 0.01},  {OPTION_EPS, 0, 0.001},
    {OPTION_DELTA, 0, 0.01},   {OPTION_PHI, 0, 0.001},  {OPTION_PRECISION, 14, 0},
    {OPTION_BITS, 1 << 20, 0}, {OPTION_HASHES, 7, 0},   {OPTION_WIDTH, 16, 0},
    {OPTION_DEPTH, 9, 0},      {OPTION_COUNTERS, 1, 0}, {OPTION_CONSERVATIVE, 0, 0},
    {OPTION_TOP, 10, 0},
};

enum { SIZE_OPTIONS = sizeof size_options / sizeof *size_options };

static void set_size(ink_params *params, option_id id, uint64_t number, double real)
{
    switch (id) {
    case OPTION_KEYS:
        params->expected_keys = number;
        break;
    case OPTION_RATE:
        params->false_positive_rate = real;
        break;
    case OPTION_EPS:
        params->epsilon = real;
        break;
    case OPTION_DELTA:
        params->delta = real;
        break;
    case OPTION_PHI:
        params->phi = real;
        break;
    case OPTION_PRECISION:
        params->precision = (uint32_t)number;
        break;
    case OPTION_BITS:
        params->bits = number;
        break;
    case OPTION_HASHES:
        params->hashes = (uint32_t)number;
        break;
    case OPTION_WIDTH:
        params->width = number;
        break;
    case OPTION_DEPTH:
        params->depth = (uint32_t)number;
        break;
    case OPTION_COUNTERS:
        params->counter_bits = number == 0 ? 32 : 64;
        break;
    case OPTION_CONSERVATIVE:
        params->conservative = true;
        break;
    case OPTION_TOP:
        params->top_keys = (uint32_t)number;
        break;
    default:
        break;
    }
}

/* What a parameter cannot stand without. */
static void set_companions(ink_params *params, option_id id, bool sized_by_keys)
{
    if (id == OPTION_HASHES)
        params->bits = 1 << 20;
    else if (id == OPTION_WIDTH)
        params->depth = 9;
    else if (id == OPTION_DEPTH)
        params->width = 16;
    else if (sized_by_keys && id != OPTION_KEYS)
        params->expected_keys = 1000;
}

static bool kind_has(const char *kind, const size_option *size)
{
    ink_params      params = {.kind = kind};
    ink_kind_info   info;
    ink_description plan;
    ink_error       error;

    if (ink_kind_describe(kind, &info, &error) != INK_OK)
        return false;
    set_companions(&params, size->id, info.sized_by_keys);
    set_size(&params, size->id, size->number, size->real);
    return ink_plan(&params, &plan, &error) == INK_OK;
}

static int nobody_has(const cli_arguments *arguments, option_id id)
{
    const char *kinds = arguments->operands[0];

    if (strchr(kinds, ',') != NULL)
        return fail_usage("build", "%s is for none of %s", option_name(id), shown(kinds));
    return fail_usage("build", "%s is not for %s", option_name(id), shown(kinds));
}

static int set_sizes(const cli_arguments *arguments, ink_params *kinds, size_t kind_count)
{
    for (size_t i = 0; i < SIZE_OPTIONS; i++) {
        const option_given *given = &arguments->options[size_options[i].id];
        bool                taken = false;
        if (!given->given)
            continue;
        for (size_t k = 0; k < kind_count; k++) {
            if (!kind_has(kinds[k].kind, &size_options[i]))
                continue;
            set_size(&kinds[k], size_options[i].id, given->number, given->real);
            taken = true;
        }
        if (!taken)
            return nobody_has(arguments, size_options[i].id);
    }
    return 0;
}

/* ---- Kinds -------------------------------------------------------------------------------- */

static const char *kind_word(size_t index)
{
    return ink_kind_name(index);
}

static int unknown_kind(const char *name)
{
    const char *meant = nearest_word(name, kind_word);
    char        list[160] = "";
    size_t      used = 0;

    if (meant != NULL)
        return fail_usage("build", "no kind %s, did you mean %s", shown(name), meant);
    for (size_t i = 0; ink_kind_name(i) != NULL && used < sizeof list; i++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s", i == 0 ? "" : ", ",
                                 ink_kind_name(i));
    return fail_usage("build", "no kind %s, expected %s", shown(name), list);
}

/* Splits "bloom,hll" in place. */
static int read_kinds(char *text, ink_params kinds[KINDS_MAX], size_t *kind_count)
{
    for (char *at = text; at != NULL;) {
        ink_kind_info info;
        char         *comma = strchr(at, ',');
        if (comma != NULL)
            *comma++ = '\0';
        if (ink_kind_describe(at, &info, NULL) != INK_OK)
            return unknown_kind(at);
        for (size_t i = 0; i < *kind_count; i++)
            if (strcmp(kinds[i].kind, at) == 0)
                return fail_usage("build", "kind %s is given twice", at);
        if (*kind_count == KINDS_MAX)
            return fail_usage("build", "more than %d kinds", KINDS_MAX);
        kinds[(*kind_count)++] = (ink_params){.kind = at};
        at = comma;
    }
    return 0;
}

static int check_headroom(const cli_arguments *arguments, const ink_params *kinds,
                          size_t kind_count)
{
    ink_kind_info info;

    if (!arguments->options[OPTION_HEADROOM].given)
        return 0;
    for (size_t i = 0; i < kind_count; i++)
        if (ink_kind_describe(kinds[i].kind, &info, NULL) == INK_OK && info.sized_by_keys)
            return 0;
    return nobody_has(arguments, OPTION_HEADROOM);
}

static void set_hash(const cli_arguments *arguments, const uint8_t *secret, ink_params *kinds,
                     size_t kind_count)
{
    const option_given *options = arguments->options;

    for (size_t i = 0; i < kind_count; i++) {
        kinds[i].hash = options[OPTION_HASH].text;
        kinds[i].seed = options[OPTION_SEED].number;
        kinds[i].explicit_seed = options[OPTION_SEED].given;
        kinds[i].secret = secret;
    }
}

/* ---- The command -------------------------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* A line for whoever sits there; nothing in a script. */
static void tell(const cli_arguments *arguments, const ink_set *set, const ink_job *job,
                 double started)
{
    const char *path = arguments->options[OPTION_OUTPUT].text;
    size_t      count = ink_set_count(set);
    struct stat status;
    char        size[32];

    if (!isatty(STDERR_FILENO) || arguments->options[OPTION_QUIET].given ||
        strcmp(path, "-") == 0 || stat(path, &status) != 0)
        return;
    format_size(size, sizeof size, (uint64_t)status.st_size);
    say("%s: %zu sketch%s of %" PRIu64 " record%s, %s, in %.2f s", shown(path), count,
        count == 1 ? "" : "es", job->records, job->records == 1 ? "" : "s", size,
        seconds() - started);
}

/* Says so if filters hold more than they were planned for: -n was too small. */
static void tell_overfull(const char *path, const ink_set *set)
{
    ink_description d, worst = {0};
    double          rate, worst_rate = 0;
    size_t          overfull = 0;
    ink_entry       entry;
    ink_kind_info   kind;
    ink_error       error;

    for (size_t i = 0; i < ink_set_count(set); i++) {
        if (ink_set_entry(set, i, &entry, &error) != INK_OK)
            return;
        ink_sketch_describe(entry.sketch, &d);
        if (d.promised_rate <= 0 || ink_kind_describe(d.kind, &kind, &error) != INK_OK ||
            !kind.contains || ink_sketch_rate(entry.sketch, &rate, &error) != INK_OK ||
            !is_above(rate, d.promised_rate))
            continue;
        overfull++;
        if (rate > worst_rate) {
            worst = d;
            worst_rate = rate;
        }
    }
    if (overfull > 0)
        say("%s: %zu filter%s above the promised rate: planned for %" PRIu64
            " keys, the present rate is %.3g, promised %.3g; expected a larger -n",
            shown_path(path), overfull, overfull == 1 ? " is" : "s are", worst.expected_keys,
            worst_rate, worst.promised_rate);
}

static int build(const cli_arguments *arguments, const ink_params *kinds, size_t kind_count,
                 const ink_input *inputs, size_t input_count, const ink_reading *how)
{
    const ink_build_options options = {
        .kinds = kinds,
        .kind_count = kind_count,
        .headroom = arguments->options[OPTION_HEADROOM].real,
    };
    double    started = seconds();
    ink_job   job = progress_job(arguments);
    ink_set  *set;
    ink_error error;

    if (ink_build(&set, inputs, input_count, how, &options, &job, &error) != INK_OK)
        return fail_error(job.failed_path, &error);
    progress_clear();
    job_tells_skipped(&job);
    int code = target_save(arguments, set);
    if (code == 0) {
        tell_overfull(arguments->options[OPTION_OUTPUT].text, set);
        tell(arguments, set, &job, started);
    }
    ink_set_free(set);
    return code;
}

static int build_kinds(const cli_arguments *arguments, ink_params *kinds, size_t kind_count)
{
    const char *const *paths = arguments->operands + 1;
    size_t             path_count = arguments->operand_count - 1, input_count;
    ink_input         *inputs;
    cli_reading        reading;
    uint8_t            secret_room[INK_SECRET_BYTES];
    const uint8_t     *secret;

    int code = set_sizes(arguments, kinds, kind_count);
    if (code == 0)
        code = check_headroom(arguments, kinds, kind_count);
    if (code == 0)
        code = target_check(arguments, arguments->options[OPTION_OUTPUT].text, paths, path_count,
                            false);
    if (code == 0)
        code = temp_check(arguments);
    if (code == 0)
        code = secret_read(arguments, secret_room, &secret);
    if (code == 0)
        code = inputs_of(arguments, paths, path_count, &inputs, &input_count);
    if (code != 0)
        return code;
    set_hash(arguments, secret, kinds, kind_count);
    code = reading_begin(&reading, arguments);
    if (code == 0) {
        code = build(arguments, kinds, kind_count, inputs, input_count, &reading.how);
        reading_end(&reading);
    }
    free(inputs);
    return code;
}

static int run(const cli_arguments *arguments)
{
    ink_params kinds[KINDS_MAX];
    size_t     kind_count = 0;

    if (arguments->operand_count == 0)
        return fail_usage("build", "build without a kind, expected one such as bloom");
    char *names = need_memory(NULL, strlen(arguments->operands[0]) + 1);
    strcpy(names, arguments->operands[0]);
    int code = read_kinds(names, kinds, &kind_count);
    if (code == 0 && !arguments->options[OPTION_OUTPUT].given)
        code = fail_usage("build", "build without -o, expected -o FILE for the sketches");
    if (code == 0)
        code = build_kinds(arguments, kinds, kind_count);
    free(names);
    return code;
}

static void print_kinds(void)
{
    static const char *const questions[] = {
        "have I seen this key?",
        "which are the most frequent?",
        "how often did I see it?",
        "how many different keys?",
    };

    out_text("\nkinds:\n");
    for (size_t i = 0; ink_kind_name(i) != NULL; i++) {
        ink_kind_info info;
        if (ink_kind_describe(ink_kind_name(i), &info, NULL) != INK_OK)
            continue;
        out_format("  %-12s  %s%s\n", ink_kind_name(i),
                   questions[info.contains     ? 0
                             : info.keeps_keys ? 1
                             : info.counts     ? 2
                                               : 3],
                   info.removes ? " (keys can be removed)" : "");
    }
}

static const cli_offer offers[] = {
    {.id = OPTION_IN},
    {.id = OPTION_DELIMITER},
    {.id = OPTION_FIELDS},
    {.id = OPTION_HEADER},
    {.id = OPTION_KEY},
    {.id = OPTION_KEY_TYPE},
    {.id = OPTION_WEIGHT},
    {.id = OPTION_BY},
    {.id = OPTION_ROUND},
    {.id = OPTION_BAD},
    {.id = OPTION_CSV_MULTILINE},
    {.id = OPTION_HASH},
    {.id = OPTION_SEED},
    {.id = OPTION_SECRET},
    {.id = OPTION_KEYS},
    {.id = OPTION_RATE},
    {.id = OPTION_EPS},
    {.id = OPTION_DELTA},
    {.id = OPTION_PHI},
    {.id = OPTION_PRECISION},
    {.id = OPTION_BITS},
    {.id = OPTION_HASHES},
    {.id = OPTION_WIDTH},
    {.id = OPTION_DEPTH},
    {.id = OPTION_COUNTERS},
    {.id = OPTION_CONSERVATIVE},
    {.id = OPTION_TOP},
    {.id = OPTION_HEADROOM},
    {.id = OPTION_MEMORY},
    {.id = OPTION_THREADS},
    {.id = OPTION_OUTPUT},
    {.id = OPTION_FORCE},
    {.id = OPTION_TEMP},
    {.id = OPTION_NO_PROGRESS},
    {.id = OPTION_QUIET},
    {.id = OPTION_END},
};

static const char *const examples[] = {
    "ink build bloom -o words.ink words.txt",
    "ink build bloom -p 0.001 --header --key tconst --by averageRating --round half-even \\\n"
    "      -o ratings.ink ratings.tsv",
    "ink build bloom,hll,count-min --key user.id -o all.ink events.jsonl.gz",
    "zcat log.gz | ink build top -k 100 --fields --key 1 -o hosts.ink",
    NULL,
};

static const char *const codes[] = {
    "0  the sketches are written",
    NULL,
};

const cli_command command_build = {
    .name = "build",
    .operands = "KIND[,KIND...] -o SKETCHES [FILE...]",
    .summary = "records in, sketches out",
    .about =
        "Reads records, takes a key from each, and writes a sketch of each kind; with --by one\n"
        "for each group. Filters are sized by the different keys unless -n tells how many.",
    .offers = offers,
    .examples = examples,
    .codes = codes,
    .more = print_kinds,
    .run = run,
};
