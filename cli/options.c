/* options.c - the options of all commands, in one table, and how a command line is taken apart. */
#include "options.h"

#include "failure.h"
#include "help/kinds.h"
#include "numbers.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const forms[] = {"lines", "csv", "tsv", "nul", "jsonl", "u32", "u64", NULL};
static const char *const key_types[] = {"bytes", "int", NULL};
static const char *const rounds[] = {"half-even", "half-up", NULL};
static const char *const bads[] = {"fail", "skip", NULL};
static const char *const estimators[] = {"default", "seed", NULL};
static const char *const counter_sizes[] = {"32", "64", NULL};

/* Whether keys of a type can be hashed so by what --hash says alone. */
static bool is_hash_for(const char *name, ink_key_type type)
{
    ink_description plan;

    return ink_plan(
               &(ink_params){.kind = "classic", .expected_keys = 1, .hash = name, .key_type = type},
               &plan, NULL) == INK_OK;
}

/* The hashes but for the one that takes a secret, which --secret stands for. */
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

static const cli_option options[OPTION_LIMIT_] = {
    [OPTION_TRUTH] = {.name = "truth",
                      .value = VALUE_PATH,
                      .value_name = "FILE",
                      .repeats = true,
                      .about = "the data that the sketches were built from"},
    [OPTION_ABSENT] = {.name = "absent",
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .repeats = true,
                       .about = "keys that are not in the set, to ask for"},
    [OPTION_INVERT] = {.name = "invert",
                       .letter = 'v',
                       .about = "the records whose key is surely not in the set"},
    [OPTION_COUNT] = {.name = "count",
                      .letter = 'c',
                      .about = "only a report: how many were admitted and rejected"},
    [OPTION_ASK] = {.letter = 'e',
                    .value = VALUE_TEXT,
                    .value_name = "KEY",
                    .repeats = true,
                    .empty = true,
                    .about = "ask for this key, and read no data; may be repeated"},
    [OPTION_KIND] = {.name = "kind",
                     .value = VALUE_TEXT,
                     .value_name = "KIND",
                     .words = kind_words,
                     .about = "which kind to ask, where the file has several"},
    [OPTION_DIGEST] = {.name = "digest", .about = "only the digest of the file"},
    [OPTION_CHECK] = {.name = "check", .about = "only check every byte of the file"},
    [OPTION_GROUPS] = {.name = "groups",
                       .value = VALUE_TEXT,
                       .value_name = "PATTERN",
                       .about = "only groups that match, as 10.* or user-?"},
    [OPTION_SKEW] = {.name = "skew",
                     .value = VALUE_REAL,
                     .value_name = "S",
                     .high = 100,
                     .about = "zipf: the exponent (1.1)"},
    [OPTION_SAMPLE] = {.name = "sample",
                       .value = VALUE_COUNT,
                       .value_name = "M",
                       .low = 1,
                       .high = UINT64_MAX,
                       .about = "names: so many of them also go to --sample-out"},
    [OPTION_SAMPLE_OUT] = {.name = "sample-out",
                           .value = VALUE_PATH,
                           .value_name = "FILE",
                           .about = "where the sample goes"},
    [OPTION_KEYS_FROM] = {.name = "keys-from",
                          .value = VALUE_PATH,
                          .value_name = "KEYS",
                          .about = "count the keys in this file, one a line, in the data"},
    [OPTION_LAST] = {.name = "last",
                     .value = VALUE_COUNT,
                     .value_name = "W",
                     .low = 1,
                     .high = UINT32_MAX,
                     .about = "of time slots only the newest W (all)"},
    [OPTION_CONFIDENCE] = {.name = "confidence",
                           .value = VALUE_SHARE,
                           .value_name = "C",
                           .about = "the chance that low to high holds the truth (0.95)"},
    [OPTION_ESTIMATOR] = {.name = "estimator",
                          .value = VALUE_CHOICE,
                          .value_name = "NAME",
                          .choices = estimators,
                          .about = "fm: default, or seed, the mean of powers of textbooks"},
    [OPTION_ONCE] = {.name = "once", .about = "add only keys that do not seem to be in"},
    [OPTION_MAN] = {.name = "man", .about = "print the manual page, as roff"},

    [OPTION_IN] = {.name = "in",
                   .group = GROUP_INPUT,
                   .value = VALUE_CHOICE,
                   .value_name = "FORM",
                   .choices = forms,
                   .about = "lines, csv, tsv, nul, jsonl, u32 or u64 (by the suffix, else lines)"},
    [OPTION_DELIMITER] = {.name = "delimiter",
                          .letter = 'd',
                          .group = GROUP_INPUT,
                          .value = VALUE_TEXT,
                          .value_name = "C",
                          .about = "what separates fields; \\t is a tab"},
    [OPTION_FIELDS] = {.name = "fields",
                       .group = GROUP_INPUT,
                       .about = "fields are separated by runs of blanks, as in awk"},
    [OPTION_HEADER] = {.name = "header",
                       .group = GROUP_INPUT,
                       .about = "the first record of each file names the columns"},
    [OPTION_KEY] = {.name = "key",
                    .group = GROUP_INPUT,
                    .value = VALUE_TEXT,
                    .value_name = "COL[,COL]",
                    .about = "the key: number from 1, name, or JSON path (the whole record)"},
    [OPTION_KEY_TYPE] = {.name = "key-type",
                         .group = GROUP_INPUT,
                         .value = VALUE_CHOICE,
                         .value_name = "TYPE",
                         .choices = key_types,
                         .about = "bytes or int (bytes; int with u32 and u64)"},
    [OPTION_WEIGHT] = {.name = "weight",
                       .group = GROUP_INPUT,
                       .value = VALUE_TEXT,
                       .value_name = "COL",
                       .about = "the column that tells how often a record counts"},
    [OPTION_BY] = {.name = "by",
                   .group = GROUP_INPUT,
                   .value = VALUE_TEXT,
                   .value_name = "COL",
                   .about = "one sketch for each value of this column"},
    [OPTION_ROUND] = {.name = "round",
                      .group = GROUP_INPUT,
                      .value = VALUE_CHOICE,
                      .value_name = "HOW",
                      .choices = rounds,
                      .about = "groups are numbers, rounded half-even or half-up"},
    [OPTION_BAD] = {.name = "bad",
                    .group = GROUP_INPUT,
                    .value = VALUE_CHOICE,
                    .value_name = "WHAT",
                    .choices = bads,
                    .about = "with records that cannot be read: fail or skip (fail)"},
    [OPTION_CSV_MULTILINE] = {.name = "csv-multiline",
                              .group = GROUP_INPUT,
                              .about = "quoted fields of CSV may hold line ends"},

    [OPTION_HASH] = {.name = "hash",
                     .group = GROUP_HASH,
                     .value = VALUE_TEXT,
                     .value_name = "NAME",
                     .words = hash_words,
                     .about = "xxh3, mmh3, mmh3-signed, xxh64, murmur64a, ... (xxh3)"},
    [OPTION_SEED] = {.name = "seed",
                     .group = GROUP_HASH,
                     .value = VALUE_COUNT,
                     .value_name = "N",
                     .high = UINT64_MAX,
                     .about = "the hash's seed (its default, see docs/keys.md)"},
    [OPTION_SECRET] = {.name = "secret",
                       .group = GROUP_HASH,
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .about = "hash with the secret in FILE: 16 bytes, or 32 hex digits"},

    [OPTION_KEYS] = {.name = "keys",
                     .letter = 'n',
                     .group = GROUP_SIZE,
                     .value = VALUE_COUNT,
                     .value_name = "N",
                     .low = 1,
                     .high = UINT64_MAX,
                     .field = "expected_keys",
                     .about = "different keys to plan for (as many as there are)"},
    [OPTION_RATE] = {.name = "rate",
                     .letter = 'p',
                     .group = GROUP_SIZE,
                     .value = VALUE_SHARE,
                     .value_name = "P",
                     .field = "false_positive_rate",
                     .about = "the false-positive rate of a filter (0.01)"},
    [OPTION_EPS] = {.name = "eps",
                    .group = GROUP_SIZE,
                    .value = VALUE_SHARE,
                    .value_name = "X",
                    .field = "epsilon",
                    .about = "count-min: error as a share of the total (1e-4)"},
    [OPTION_DELTA] = {.name = "delta",
                      .group = GROUP_SIZE,
                      .value = VALUE_SHARE,
                      .value_name = "X",
                      .about = "count-min: the chance of a larger error (0.01)"},
    [OPTION_PHI] = {.name = "phi",
                    .group = GROUP_SIZE,
                    .value = VALUE_SHARE,
                    .value_name = "X",
                    .about = "top: no key above this share of the total is missed"},
    [OPTION_PRECISION] = {.name = "precision",
                          .group = GROUP_SIZE,
                          .value = VALUE_COUNT,
                          .value_name = "N",
                          .low = 4,
                          .high = 18,
                          .about = "hll: 2^N registers, 4 to 18 (14)"},
    [OPTION_BITS] = {.name = "bits",
                     .group = GROUP_SIZE,
                     .value = VALUE_COUNT,
                     .value_name = "M",
                     .low = 1,
                     .high = UINT64_MAX,
                     .about = "the size of a filter, instead of -p"},
    [OPTION_HASHES] = {.name = "hashes",
                       .group = GROUP_SIZE,
                       .value = VALUE_COUNT,
                       .value_name = "K",
                       .low = 1,
                       .high = UINT32_MAX,
                       .about = "classic: hashes of a key, with --bits"},
    [OPTION_WIDTH] = {.name = "width",
                      .group = GROUP_SIZE,
                      .value = VALUE_COUNT,
                      .value_name = "W",
                      .low = 1,
                      .high = UINT64_MAX,
                      .about = "count-min: counters in a row; fm: sub-sketches in a group"},
    [OPTION_DEPTH] = {.name = "depth",
                      .group = GROUP_SIZE,
                      .value = VALUE_COUNT,
                      .value_name = "D",
                      .low = 1,
                      .high = UINT32_MAX,
                      .about = "count-min: rows; fm: groups"},
    [OPTION_COUNTERS] = {.name = "counters",
                         .group = GROUP_SIZE,
                         .value = VALUE_CHOICE,
                         .value_name = "BITS",
                         .choices = counter_sizes,
                         .field = "counter_bits",
                         .about = "count-min: 32 or 64 (32)"},
    [OPTION_CONSERVATIVE] = {.name = "conservative",
                             .group = GROUP_SIZE,
                             .about = "count-min: raise only the counters that must rise"},
    [OPTION_TOP] = {.name = "top",
                    .letter = 'k',
                    .group = GROUP_SIZE,
                    .value = VALUE_COUNT,
                    .value_name = "K",
                    .low = 1,
                    .high = UINT32_MAX,
                    .field = "top_keys",
                    .about = "top: how many keys will be asked for (10)"},
    [OPTION_HEADROOM] = {.name = "headroom",
                         .group = GROUP_SIZE,
                         .value = VALUE_FACTOR,
                         .value_name = "X",
                         .low = 1,
                         .high = 1000000,
                         .about = "plan for so many times as many keys, as 4x"},
    [OPTION_MAX_RATE] = {.name = "max-rate",
                         .group = GROUP_SIZE,
                         .value = VALUE_SHARE,
                         .value_name = "R",
                         .field = "max_rate",
                         .about = "the rate that a union may have (what was promised)"},
    [OPTION_MEMORY] = {.name = "memory",
                       .group = GROUP_SIZE,
                       .value = VALUE_BYTES,
                       .value_name = "SIZE",
                       .low = UINT64_C(1) << 20,
                       .high = UINT64_C(1) << 50,
                       .field = "memory_bytes",
                       .about = "for keys until the size is known, as 64M (1G)"},

    [OPTION_THREADS] = {.name = "threads",
                        .group = GROUP_RUN,
                        .value = VALUE_COUNT,
                        .value_name = "N",
                        .low = 1,
                        .high = 1024,
                        .about = "how many to run (as many as there are cores)"},
    [OPTION_OUTPUT] = {.name = "output",
                       .letter = 'o',
                       .group = GROUP_RUN,
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .about = "where the result goes; - is standard output"},
    [OPTION_FORCE] = {.name = "force",
                      .group = GROUP_RUN,
                      .about = "replace the output file if there is one"},
    [OPTION_TEMP] = {.name = "temp",
                     .group = GROUP_RUN,
                     .value = VALUE_PATH,
                     .value_name = "DIR",
                     .about = "for temporary files (TMPDIR, else /tmp)"},
    [OPTION_NO_PROGRESS] = {.name = "no-progress", .group = GROUP_RUN, .about = "no progress bar"},
    [OPTION_QUIET] = {.name = "quiet", .letter = 'q', .group = GROUP_RUN, .about = "print nothing"},

    [OPTION_JSON] = {.name = "json", .group = GROUP_OUTPUT, .about = "one JSON object a line"},
    [OPTION_TSV] = {.name = "tsv",
                    .group = GROUP_OUTPUT,
                    .about = "fields separated by tabs, under a line with their names"},
    [OPTION_HELP] = {.name = "help",
                     .letter = 'h',
                     .group = GROUP_OUTPUT,
                     .about = "what the command does, and its options"},
};

/* Options that contradict each other. */
static const option_id conflicts[][2] = {
    {OPTION_JSON, OPTION_TSV},         {OPTION_QUIET, OPTION_JSON},   {OPTION_QUIET, OPTION_TSV},
    {OPTION_QUIET, OPTION_COUNT},      {OPTION_QUIET, OPTION_DIGEST}, {OPTION_DIGEST, OPTION_CHECK},
    {OPTION_DIGEST, OPTION_GROUPS},    {OPTION_DIGEST, OPTION_JSON},  {OPTION_DIGEST, OPTION_TSV},
    {OPTION_CHECK, OPTION_GROUPS},     {OPTION_CHECK, OPTION_JSON},   {OPTION_CHECK, OPTION_TSV},
    {OPTION_DELIMITER, OPTION_FIELDS}, {OPTION_SECRET, OPTION_SEED},  {OPTION_SECRET, OPTION_HASH},
};

const cli_option *option_of(option_id id)
{
    return &options[id];
}

const char *option_choice(option_id id, size_t number)
{
    return options[id].choices[number];
}

const char *option_name(option_id id)
{
    static char names[2][32];
    static int  next;
    char       *name = names[next ^= 1];

    if (options[id].name != NULL)
        snprintf(name, sizeof names[0], "--%s", options[id].name);
    else
        snprintf(name, sizeof names[0], "-%c", options[id].letter);
    return name;
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

char command_code(const char *line, const char **about)
{
    *about = line + 1 + strspn(line + 1, " ");
    return *line;
}

/* ---- Words that were perhaps meant -------------------------------------------------------- */

enum { WORD_MAX = 24 };

static size_t smallest(size_t a, size_t b, size_t c)
{
    size_t least = a < b ? a : b;

    return least < c ? least : c;
}

/* How many letters must be put in, left out, changed or swapped with their neighbour. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1];
    size_t a_length = strlen(a), b_length = strlen(b);

    if (a_length > WORD_MAX || b_length > WORD_MAX)
        return WORD_MAX;
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *twice = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = smallest(above[j] + 1, row[j - 1] + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] &&
                twice[j - 2] + 1 < row[j])
                row[j] = twice[j - 2] + 1;
        }
    }
    return rows[a_length % 3][b_length];
}

/* What others call it; such a word is never taken, only understood. */
static const struct other_name {
    const char *typed, *word;
} other_names[] = {
    {"bloomfilter", "bloom"},
    {"bloom-filter", "bloom"},
    {"cuckoo", "counting"},
    {"cms", "count-min"},
    {"count-min-sketch", "count-min"},
    {"heavy", "top"},
    {"hitters", "top"},
    {"heavy-hitters", "top"},
    {"heavyhitters", "top"},
    {"spacesaving", "top"},
    {"space-saving", "top"},
    {"top-k", "top"},
    {"flajolet-martin", "fm"},
    {"hyperloglog", "hll"},
    {"murmur3", "mmh3"},
};

static bool is_other_name(const char *typed, const char *word)
{
    for (size_t i = 0; i < sizeof other_names / sizeof *other_names; i++)
        if (strcmp(other_names[i].typed, typed) == 0 && strcmp(other_names[i].word, word) == 0)
            return true;
    return false;
}

bool nearer(const char *typed, const char *word, size_t *best)
{
    size_t steps = distance(typed, word), length = strlen(word);
    bool   begins = strlen(typed) >= 3 && strncmp(typed, word, strlen(typed)) == 0;

    if (is_other_name(typed, word))
        steps = 0;
    else if (begins)
        steps = 1;
    if (steps > (length < 3 ? 0 : length < 6 ? 1 : 2) || steps >= *best)
        return false;
    *best = steps;
    return true;
}

const char *nearest_word(const char *typed, const char *(*word)(size_t index))
{
    const char *found = NULL;
    size_t      best = WORD_MAX;

    for (size_t i = 0; word(i) != NULL; i++)
        if (nearer(typed, word(i), &best))
            found = word(i);
    return found;
}

static int unknown_option(const cli_command *command, const char *typed)
{
    const char *found = NULL;
    size_t      best = WORD_MAX;

    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++) {
        if (options[id].name == NULL)
            continue;
        if (strcmp(options[id].name, typed) == 0)
            return fail_usage(command->name, "%s has no option --%s", command->name, typed);
        if (command_offer(command, id) != NULL && nearer(typed, options[id].name, &best))
            found = options[id].name;
    }
    if (found != NULL)
        return fail_usage(command->name, "no option --%s, did you mean --%s", shown(typed), found);
    return fail_usage(command->name, "no option --%s", shown(typed));
}

/* ---- Values ------------------------------------------------------------------------------- */

/* A value with blanks in it in quotes, so that they are seen. */
static const char *shown_value(const char *text)
{
    static char quoted[128];

    if (strpbrk(text, " \t") == NULL)
        return shown(text);
    snprintf(quoted, sizeof quoted, "\"%.100s\"", shown(text));
    return quoted;
}

static int wrong_number(const cli_command *command, const cli_option *o, const char *as,
                        const char *text)
{
    const char *found = shown_value(text);

    switch (o->value) {
    case VALUE_SHARE:
        return fail_usage(command->name, "%s %s, expected a number above 0 and below 1", as, found);
    case VALUE_REAL:
        return fail_usage(command->name, "%s %s, expected a number above 0 and up to %" PRIu64, as,
                          found, o->high);
    case VALUE_FACTOR:
        return fail_usage(command->name,
                          "%s %s, expected a number from %" PRIu64 " to %" PRIu64 ", as 4x", as,
                          found, o->low, o->high);
    case VALUE_BYTES:
        return fail_usage(command->name,
                          "%s %s, expected bytes from %" PRIu64 "%s to %" PRIu64 "T, as 64M", as,
                          found, o->low >> 20 == 0 ? o->low : o->low >> 20,
                          o->low >> 20 == 0 ? "" : "M", o->high >> 40);
    default:
        break;
    }
    if (o->high == UINT64_MAX)
        return fail_usage(command->name,
                          "%s %s, expected a whole number from %" PRIu64 " to 2^64 - 1, as 1e6", as,
                          found, o->low);
    return fail_usage(command->name, "%s %s, expected a whole number from %" PRIu64 " to %" PRIu64,
                      as, found, o->low, o->high);
}

static int wrong_choice(const cli_command *command, const cli_option *o, const char *as,
                        const char *text)
{
    char        list[128] = "";
    const char *meant = NULL;
    size_t      used = 0, best = WORD_MAX;

    for (const char *const *choice = o->choices; *choice != NULL; choice++)
        if (nearer(text, *choice, &best))
            meant = *choice;
    if (meant != NULL)
        return fail_usage(command->name, "%s %s, did you mean %s", as, shown_value(text), meant);
    for (const char *const *choice = o->choices; *choice != NULL; choice++)
        used += (size_t)snprintf(list + used, sizeof list - used, "%s%s",
                                 choice == o->choices ? ""
                                 : choice[1] == NULL  ? " or "
                                                      : ", ",
                                 *choice);
    return fail_usage(command->name, "%s %s, expected %s", as, shown_value(text), list);
}

/* The word of the option's list that `text`, which is none of them, was perhaps meant to be; NULL:
 * it is one, or nobody knows, and whoever uses it judges. */
static const char *meant_word(const cli_option *o, const char *text)
{
    const char *word, *meant = NULL;
    size_t      best = WORD_MAX;

    for (size_t i = 0; o->words != NULL && (word = o->words(i, NULL)) != NULL; i++) {
        if (strcmp(word, text) == 0)
            return NULL;
        if (nearer(text, word, &best))
            meant = word;
    }
    return meant;
}

/* Whether `text` is a value of this option; sets its number. */
static bool read_value(const cli_option *o, option_given *given, const char *text)
{
    switch (o->value) {
    case VALUE_NONE:
    case VALUE_TEXT:
    case VALUE_PATH:
        return true;
    case VALUE_CHOICE:
        for (given->number = 0; o->choices[given->number] != NULL; given->number++)
            if (strcmp(o->choices[given->number], text) == 0)
                return true;
        return false;
    case VALUE_COUNT:
        return number_count(text, &given->number) == NUMBER_OK && given->number >= o->low &&
               given->number <= o->high;
    case VALUE_BYTES:
        return number_bytes(text, &given->number) == NUMBER_OK && given->number >= o->low &&
               given->number <= o->high;
    case VALUE_SHARE:
        return number_real(text, &given->real) == NUMBER_OK && given->real > 0 && given->real < 1;
    case VALUE_REAL:
        return number_real(text, &given->real) == NUMBER_OK && given->real > 0 &&
               given->real <= (double)o->high;
    case VALUE_FACTOR:
        return number_factor(text, &given->real) == NUMBER_OK && given->real >= (double)o->low &&
               given->real <= (double)o->high;
    }
    return false;
}

/* Takes option `id` with its value (NULL: none), which was typed as `as`. */
static int take(cli_arguments *arguments, option_id id, const char *as, const char *text)
{
    const cli_offer *offer = command_offer(arguments->command, id);
    cli_option       there = options[id]; /* as this command has it */
    cli_option      *o = &there;
    option_given    *given = &arguments->options[id];

    if (offer->low != 0)
        there.low = offer->low;
    if (given->given && !o->repeats)
        return fail_usage(arguments->command->name, "%s is given twice, expected it once", as);
    if (text != NULL && *text == '\0' && !o->empty)
        return fail_usage(arguments->command->name, "%s with an empty value", as);
    if (text != NULL && !read_value(o, given, text))
        return o->value == VALUE_CHOICE ? wrong_choice(arguments->command, o, as, text)
                                        : wrong_number(arguments->command, o, as, text);
    const char *meant = text == NULL ? NULL : meant_word(o, text);
    if (meant != NULL)
        return fail_usage(arguments->command->name, "%s %s, did you mean %s", as, shown_value(text),
                          meant);
    given->given = true;
    given->text = text;
    if (o->repeats)
        arguments->items[arguments->item_count++] = (option_item){id, text};
    return 0;
}

/* ---- The command line --------------------------------------------------------------------- */

typedef struct typed_words {
    char **words;
    int    count;
    int    next;
} typed_words;

/* The word behind an option that needs a value. One that looks like an option was hardly meant;
 * after = or the letter it may be anything. */
static const char *next_value(typed_words *list, option_id id)
{
    const char *word = list->next < list->count ? list->words[list->next] : NULL;

    if (word == NULL)
        return NULL;
    if (id != OPTION_ASK && word[0] == '-' && word[1] != '\0' &&
        !(word[1] >= '0' && word[1] <= '9') && word[1] != '.')
        return NULL;
    list->next++;
    return word;
}

static int take_long(cli_arguments *arguments, typed_words *list, const char *word)
{
    const cli_command *command = arguments->command;
    const char        *equals = strchr(word, '=');
    size_t             length = equals == NULL ? strlen(word) : (size_t)(equals - word);
    const char        *value = equals == NULL ? NULL : equals + 1;
    char               as[WORD_MAX + 3];
    option_id          id = OPTION_END + 1;

    while (id < OPTION_LIMIT_ &&
           (options[id].name == NULL || strlen(options[id].name) != length ||
            strncmp(options[id].name, word, length) != 0 || command_offer(command, id) == NULL))
        id++;
    if (id == OPTION_LIMIT_) {
        char typed[256];
        snprintf(typed, sizeof typed, "%.*s", (int)(length < 200 ? length : 200), word);
        return unknown_option(command, typed);
    }
    snprintf(as, sizeof as, "--%s", options[id].name);
    if (options[id].value == VALUE_NONE && value != NULL)
        return fail_usage(command->name, "%s=%s, but %s takes no value", as, shown(value), as);
    if (options[id].value != VALUE_NONE && value == NULL && !command_offer(command, id)->bare) {
        value = next_value(list, id);
        if (value == NULL)
            return fail_usage(command->name, "%s without its value %s", as, options[id].value_name);
    }
    return take(arguments, id, as, value);
}

static int take_letters(cli_arguments *arguments, typed_words *list, const char *letters)
{
    const cli_command *command = arguments->command;

    for (; *letters != '\0'; letters++) {
        char      as[] = {'-', *letters, '\0'};
        option_id id = OPTION_END + 1;
        while (id < OPTION_LIMIT_ &&
               (options[id].letter != *letters || command_offer(command, id) == NULL))
            id++;
        if (id == OPTION_LIMIT_)
            return fail_usage(command->name, "no option -%s", shown_bytes(letters, 1));
        if (options[id].value == VALUE_NONE) {
            int code = take(arguments, id, as, NULL);
            if (code != 0)
                return code;
            continue;
        }
        const char *value = letters[1] != '\0' ? letters + 1 : next_value(list, id);
        if (value == NULL)
            return fail_usage(command->name, "%s without its value %s", as, options[id].value_name);
        return take(arguments, id, as, value);
    }
    return 0;
}

static int check_conflicts(const cli_arguments *arguments)
{
    for (size_t i = 0; i < sizeof conflicts / sizeof *conflicts; i++)
        if (arguments->options[conflicts[i][0]].given && arguments->options[conflicts[i][1]].given)
            return fail_usage(arguments->command->name, "%s and %s do not go together",
                              option_name(conflicts[i][0]), option_name(conflicts[i][1]));
    return 0;
}

int options_parse(cli_arguments *arguments, const cli_command *command, int word_count,
                  char **words)
{
    typed_words list = {words, word_count, 0};
    size_t      room = (size_t)word_count + 1;
    int         code = 0;

    memset(arguments, 0, sizeof *arguments);
    arguments->command = command;
    arguments->operands = need_memory(NULL, room * sizeof *arguments->operands);
    /* -eKEY and the like: an item takes a word at least. */
    arguments->items = need_memory(NULL, room * sizeof *arguments->items);
    while (code == 0 && list.next < list.count) {
        const char *word = list.words[list.next++];
        if (*word == '\0')
            code = fail_usage(command->name, "an empty word, expected an option or a file");
        else if (strcmp(word, "--") == 0)
            break;
        else if (strncmp(word, "--", 2) == 0)
            code = take_long(arguments, &list, word + 2);
        else if (word[0] == '-' && word[1] != '\0')
            code = take_letters(arguments, &list, word + 1);
        else
            arguments->operands[arguments->operand_count++] = word;
        if (arguments->options[OPTION_HELP].given)
            return 0; /* whatever else is wrong */
    }
    while (code == 0 && list.next < list.count) {
        const char *word = list.words[list.next++];
        if (*word == '\0')
            code = fail_usage(command->name, "an empty word, expected a file");
        arguments->operands[arguments->operand_count++] = word;
    }
    return code != 0 ? code : check_conflicts(arguments);
}

void options_release(cli_arguments *arguments)
{
    free(arguments->operands);
    free(arguments->items);
}

size_t options_list(const cli_arguments *arguments, option_id id, const char **texts, size_t room)
{
    size_t count = 0;

    for (size_t i = 0; i < arguments->item_count; i++) {
        if (arguments->items[i].id != id)
            continue;
        if (count < room)
            texts[count] = arguments->items[i].text;
        count++;
    }
    return count;
}

void options_speak(char *text, size_t room, const char *sentence)
{
    size_t used = 0;

    while (*sentence != '\0' && used + 1 < room) {
        option_id id = OPTION_END + 1;
        while (id < OPTION_LIMIT_ &&
               (options[id].field == NULL ||
                strncmp(sentence, options[id].field, strlen(options[id].field)) != 0))
            id++;
        if (id == OPTION_LIMIT_) {
            text[used++] = *sentence++;
            continue;
        }
        int wrote = snprintf(text + used, room - used, "%s", option_name(id));
        used += (size_t)wrote < room - used ? (size_t)wrote : room - used - 1;
        sentence += strlen(options[id].field);
    }
    text[used] = '\0';
}
