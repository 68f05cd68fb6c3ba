/* options.c - the options of all commands, in one table, and their names in messages. */
#include "options/options.h"

#include "inkling_foreign.h"

#include "inkling.h"
#include "options/kind_texts.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {"lines", "csv", "tsv", "nul", "jsonl", "u32", "u64", NULL};
static const char *const key_types[] = {"bytes", "int", NULL};
static const char *const rounds[] = {"half-even", "half-up", "half-away", NULL};
static const char *const time_units[] = {"s", "ms", "us", "ns", NULL};
static const char *const bads[] = {"fail", "skip", NULL};
static const char *const text_bads[] = {"fail", "skip", "keep", NULL};
static const char *const estimators[] = {"default", "seed", "unlimited", NULL};
static const char *const funnels[] = {"utf8", "chars", "long", "int", NULL};
static const char *const stats_words[] = {"tasks", NULL};
static const char *const matrix_words[] = {"jaccard", "intersection", NULL};
static const char *const counter_sizes[] = {"32", "64", NULL};

/* Whether a hash needs no secret for keys of this type, in some kind. */
static bool is_hash_for(const char *name, ink_key_type type)
{
    ink_params      params = {.expected_keys = 1, .hash = name, .key_type = type};
    ink_description plan;

    for (size_t i = 0; (params.kind = ink_kind_name(i)) != NULL; i++)
        if (ink_plan(&params, &plan, NULL) == INK_OK)
            return true;
    return false;
}

/* The hashes, without the one that takes a secret: --secret selects it. */
static const char *hash_words(size_t index, const char **about)
{
    const char *name;

    if (about != NULL)
        *about = "";
    for (size_t i = 0; (name = ink_hash_name(i)) != NULL; i++)
        if ((is_hash_for(name, INK_KEY_BYTES) || is_hash_for(name, INK_KEY_INT)) && index-- == 0)
            break;
    return name;
}

const char *foreign_words(size_t index, const char **about)
{
    const ink_foreign_info *info = ink_foreign(index);

    if (about != NULL)
        *about = info == NULL ? "" : info->about;
    return info == NULL ? NULL : info->name;
}

/* The same after a word of our own. */
static const char *after_own(const char *own, const char *own_about, size_t index,
                             const char **about)
{
    if (index > 0)
        return foreign_words(index - 1, about);
    if (about != NULL)
        *about = own_about;
    return own;
}

static const char *from_words(size_t index, const char **about)
{
    return after_own("auto", "the only one that the file fits in full", index, about);
}

static const char *to_words(size_t index, const char **about)
{
    return after_own("ink", "the file of this program", index, about);
}

/* Range of times, in microseconds: a millisecond to ten years. */
#define TIME_LEAST UINT64_C(1000)
#define TIME_MOST (3650 * UINT64_C(86400) * 1000000)

/* The value of an option, and its name in help. */
#define FLAG .value = VALUE_NONE
#define VALUE(type, shown) .value = VALUE_##type, .value_name = shown
#define RANGE(type, shown, least, most) VALUE(type, shown), .low = least, .high = most
#define CHOICE(shown, list) VALUE(CHOICE, shown), .choices = list
#define KIND_WORDS .words = kind_words

static const cli_option options[OPTION_LIMIT_] = {
#define OPTION(id, ...) [OPTION_##id] = {__VA_ARGS__},
#include "options/option_list.h"
#undef OPTION
};

const cli_option *option_of(option_id id)
{
    return &options[id];
}

static void put_name(option_id id, char *name, size_t room)
{
    if (options[id].name != NULL)
        snprintf(name, room, "--%s", options[id].name);
    else
        snprintf(name, room, "-%c", options[id].letter);
}

const char *option_name(option_id id)
{
    static char names[2][32];
    static int  next;
    char       *name = names[next ^= 1];

    put_name(id, name, sizeof names[0]);
    return name;
}

const char *option_word(const cli_option *option, size_t index)
{
    if (option->choices != NULL)
        return option->choices[index];
    return option->words == NULL ? NULL : option->words(index, NULL);
}

option_group option_group_of(option_id id)
{
    static const option_id nexts[GROUP_OUTPUT] = {OPTION_IN, OPTION_HASH, OPTION_KEYS,
                                                  OPTION_THREADS, OPTION_JSON};
    option_group           group = GROUP_OWN;

    while (group < GROUP_OUTPUT && id >= nexts[group])
        group++;
    return group;
}

const char *option_group_name(option_group group)
{
    static const char *const names[GROUP_LIMIT_] = {
        [GROUP_OWN] = "options", [GROUP_INPUT] = "input", [GROUP_HASH] = "hash",
        [GROUP_SIZE] = "size",   [GROUP_RUN] = "run",     [GROUP_OUTPUT] = "output",
    };

    return names[group];
}

const char *offer_about(const cli_offer *offer)
{
    return offer->about != NULL ? offer->about : options[offer->id].about;
}

const cli_offer *command_offer(const cli_command *command, option_id id)
{
    static const cli_offer help = {.id = OPTION_HELP};

    for (const cli_offer *o = command->offers; o->id != OPTION_END; o++)
        if (o->id == id)
            return o;
    return id == OPTION_HELP ? &help : NULL;
}

const cli_offer *command_offer_next(const cli_command *command, const cli_offer *before)
{
    const cli_offer *next = NULL;

    for (const cli_offer *o = command->offers; o->id != OPTION_END; o++)
        if ((before == NULL || o->id > before->id) && (next == NULL || o->id < next->id))
            next = o;
    return next;
}

word_list *command_listed(const cli_command *command)
{
    if (command->words_title == NULL)
        return NULL;
    return command->listed != NULL ? command->listed : command->words;
}

void options_text(const ink_error *error, char *text, size_t room)
{
    static const option_id ids[] = {
        [INK_PARAMETER_KIND] = OPTION_KIND,
        [INK_PARAMETER_EXPECTED_KEYS] = OPTION_KEYS,
        [INK_PARAMETER_FALSE_POSITIVE_RATE] = OPTION_RATE,
        [INK_PARAMETER_BITS] = OPTION_BITS,
        [INK_PARAMETER_HASHES] = OPTION_HASHES,
        [INK_PARAMETER_EPSILON] = OPTION_EPS,
        [INK_PARAMETER_DELTA] = OPTION_DELTA,
        [INK_PARAMETER_WIDTH] = OPTION_WIDTH,
        [INK_PARAMETER_DEPTH] = OPTION_DEPTH,
        [INK_PARAMETER_COUNTER_BITS] = OPTION_COUNTERS,
        [INK_PARAMETER_CONSERVATIVE] = OPTION_CONSERVATIVE,
        [INK_PARAMETER_TOP_KEYS] = OPTION_TOP,
        [INK_PARAMETER_PHI] = OPTION_PHI,
        [INK_PARAMETER_PRECISION] = OPTION_PRECISION,
        [INK_PARAMETER_KEY_TYPE] = OPTION_KEY_TYPE,
        [INK_PARAMETER_HASH] = OPTION_HASH,
        [INK_PARAMETER_SEED] = OPTION_SEED,
        [INK_PARAMETER_SECRET] = OPTION_SECRET,
        [INK_PARAMETER_MAX_RATE] = OPTION_MAX_RATE,
        [INK_PARAMETER_RATE] = OPTION_RATE,
        [INK_PARAMETER_CONFIDENCE] = OPTION_CONFIDENCE,
        [INK_PARAMETER_ESTIMATOR] = OPTION_ESTIMATOR,
        [INK_PARAMETER_SLOTS] = OPTION_SLOTS,
        [INK_PARAMETER_FORM] = OPTION_IN,
        [INK_PARAMETER_DELIMITER] = OPTION_DELIMITER,
        [INK_PARAMETER_BLANKS] = OPTION_FIELDS,
        [INK_PARAMETER_HEADER] = OPTION_HEADER,
        [INK_PARAMETER_MULTILINE] = OPTION_CSV_MULTILINE,
        [INK_PARAMETER_KEY] = OPTION_KEY,
        [INK_PARAMETER_BY] = OPTION_BY,
        [INK_PARAMETER_ROUND] = OPTION_ROUND,
        [INK_PARAMETER_WEIGHT] = OPTION_WEIGHT,
        [INK_PARAMETER_TIME] = OPTION_TIME,
        [INK_PARAMETER_TIME_UNIT] = OPTION_TIME_UNIT,
        [INK_PARAMETER_SKIP_BAD] = OPTION_BAD,
        [INK_PARAMETER_MEMORY_BYTES] = OPTION_MEMORY,
        [INK_PARAMETER_HEADROOM] = OPTION_HEADROOM,
        [INK_PARAMETER_SKEW] = OPTION_SKEW,
        [INK_PARAMETER_ONCE] = OPTION_ONCE,
        [INK_PARAMETER_OVERWRITE] = OPTION_FORCE,
        [INK_PARAMETER_GROUP_COLUMN] = OPTION_GROUP_COLUMN,
        [INK_PARAMETER_GROUPS] = OPTION_GROUPS,
    };
    enum { IDS = sizeof ids / sizeof ids[0] };
    char        shown[IDS][32];
    const char *names[IDS] = {NULL};

    for (uint32_t i = 0; i < error->named_count; i++) {
        size_t parameter = error->named[i].parameter;
        if (parameter >= IDS || ids[parameter] == OPTION_END)
            continue;
        put_name(ids[parameter], shown[parameter], sizeof shown[0]);
        if (parameter == INK_PARAMETER_SKIP_BAD) /* a flag there, a choice here */
            strcat(strcat(shown[parameter], " "), bads[1]);
        names[parameter] = shown[parameter];
    }
    ink_error_text_named(error, names, IDS, text, room);
}
