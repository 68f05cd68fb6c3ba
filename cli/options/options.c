/* options.c - the options of all commands, in one table, and what they are called. */
#include "options/options.h"

#include "inkling.h"
#include "options/kind_texts.h"

#include <stdio.h>
#include <string.h>

static const char *const forms[] = {"lines", "csv", "tsv", "nul", "jsonl", "u32", "u64", NULL};
static const char *const key_types[] = {"bytes", "int", NULL};
static const char *const rounds[] = {"half-even", "half-up", NULL};
static const char *const time_units[] = {"s", "ms", "us", "ns", NULL};
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

/* Times that options may have, in microseconds: a millisecond to ten years. */
#define TIME_LEAST UINT64_C(1000)
#define TIME_MOST (3650 * UINT64_C(86400) * 1000000)

static const cli_option options[OPTION_LIMIT_] = {
    [OPTION_TRUTH] = {.name = "truth",
                      .value = VALUE_PATH,
                      .value_name = "FILE",
                      .repeats = true,
                      .about = "the data that the sketches were built from; may be repeated"},
    [OPTION_ABSENT] = {.name = "absent",
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .repeats = true,
                       .about = "records whose keys are not in the set; may be repeated (default: "
                                "the keys of other groups, else random keys)"},
    [OPTION_INVERT] = {.name = "invert",
                       .letter = 'v',
                       .about = "print the records whose key is surely not in the set"},
    [OPTION_COUNT] = {.name = "count",
                      .letter = 'c',
                      .about = "print only how many records were admitted and rejected"},
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
                     .about = "which kind to ask, if the file holds several"},
    [OPTION_DIGEST] = {.name = "digest", .about = "print only the digest of the file"},
    [OPTION_CHECK] = {.name = "check",
                      .about = "only check every byte of the file, and print one line"},
    [OPTION_GROUPS] = {.name = "groups",
                       .value = VALUE_TEXT,
                       .value_name = "PATTERN",
                       .about = "only groups whose name matches PATTERN, such as 10.* or user-?"},
    [OPTION_SKEW] = {.name = "skew",
                     .value = VALUE_REAL,
                     .value_name = "S",
                     .high = 10,
                     .about = "zipf: the exponent (default 1.1)"},
    [OPTION_SAMPLE] = {.name = "sample",
                       .value = VALUE_COUNT,
                       .value_name = "M",
                       .low = 1,
                       .high = UINT64_MAX,
                       .about = "names: write M of them, chosen at random, to --sample-out too"},
    [OPTION_SAMPLE_OUT] = {.name = "sample-out",
                           .value = VALUE_PATH,
                           .value_name = "FILE",
                           .about = "the file for the names of --sample"},
    [OPTION_KEYS_FROM] = {.name = "keys-from",
                          .value = VALUE_PATH,
                          .value_name = "KEYS",
                          .about = "count the keys in this file, one a line, in the data"},
    [OPTION_LAST] = {.name = "last",
                     .value = VALUE_COUNT,
                     .value_name = "W",
                     .low = 1,
                     .high = UINT32_MAX,
                     .about = "ask only the newest W time slots (default: all)"},
    [OPTION_CONFIDENCE] =
        {.name = "confidence",
         .value = VALUE_SHARE,
         .value_name = "C",
         .about = "the chance that the truth lies between low and high (default 0.95)"},
    [OPTION_ESTIMATOR] = {.name = "estimator",
                          .value = VALUE_CHOICE,
                          .value_name = "NAME",
                          .choices = estimators,
                          .about = "fm: how to read it: default, or seed, the mean of powers of "
                                   "two that textbooks have, which is too high"},
    [OPTION_ONCE] = {.name = "once", .about = "add only keys that do not seem to be in already"},
    [OPTION_MAN] = {.name = "man", .about = "print the manual page, as roff"},
    [OPTION_TUNING] = {.name = "tuning",
                       .about = "print also what was chosen for this machine, to be fast on it"},
    [OPTION_PLAN] = {.name = "plan",
                     .about = "read nothing, and print how the job is best run, as a JSON object"},
    [OPTION_BYTES] = {.name = "bytes",
                      .value = VALUE_BYTES,
                      .value_name = "SIZE",
                      .high = UINT64_C(1) << 60,
                      .about = "with --plan: about how much data there is (default: not known)"},
    [OPTION_TASKS] = {.name = "tasks",
                      .value = VALUE_COUNT,
                      .value_name = "N",
                      .low = 1,
                      .high = 65536,
                      .about = "with --plan: how many tasks run at a time (default 1)"},
    [OPTION_VERIFY] = {.name = "verify",
                       .value = VALUE_PATH,
                       .value_name = "SKETCHES",
                       .about = "verify these sketches, instead of building some"},
    [OPTION_FILTER] =
        {.name = "filter",
         .value = VALUE_PATH,
         .value_name = "SKETCHES",
         .about = "print the records whose key may be in these sketches, as ink filter does"},
    [OPTION_ASSEMBLE] =
        {.name = "assemble",
         .about = "put together what the reducers wrote: files of pieces, or of verdicts"},
    [OPTION_BUCKETS] = {.name = "buckets",
                        .value = VALUE_COUNT,
                        .value_name = "N",
                        .low = 1,
                        .high = 4096,
                        .about = "how many reducers there are (default: what Hadoop says, else 1)"},
    [OPTION_BUCKET] =
        {.name = "bucket",
         .value = VALUE_COUNT,
         .value_name = "I",
         .high = 4095,
         .about = "which reducer this is, counted from 0 (default: what Hadoop says, else 0)"},
    [OPTION_RANGED] =
        {.name = "ranged",
         .about =
             "give each reducer a range of the keys of all groups, instead of some whole groups"},
    [OPTION_TRAIN] = {.name = "train",
                      .value = VALUE_PATH,
                      .value_name = "SRC",
                      .repeats = true,
                      .about = "where records come from: a file, a FIFO, - (standard input), or an "
                               "address to listen at, tcp://HOST:PORT or unix:PATH; may be "
                               "repeated, and files are read one after another"},
    [OPTION_QUESTIONS] =
        {.name = "ask",
         .value = VALUE_PATH,
         .value_name = "SRC",
         .about = "where questions come from: a file, a FIFO, - or an address, as for --train. A "
                  "question is a line: KEY, ?KEY, COUNT KEY, TOP n, DISTINCT or INFO"},
    [OPTION_SKETCH] = {.name = "sketch",
                       .value = VALUE_TEXT,
                       .value_name = "KIND[:SIZES]",
                       .words = kind_words,
                       .begins = true,
                       .repeats = true,
                       .about = "a sketch to keep, with its sizes: bloom:n=1e6,p=0.01; may be "
                                "repeated, once for each kind"},
    [OPTION_STATE] =
        {.name = "state",
         .value = VALUE_PATH,
         .value_name = "DIR",
         .about =
             "the folder for state.ink, in which the stream is saved and from which it goes on"},
    [OPTION_EVERY] = {.name = "every",
                      .value = VALUE_PACE,
                      .value_name = "T|N",
                      .low = TIME_LEAST,
                      .high = TIME_MOST,
                      .about = "how long a batch is: a time, such as 500ms, or a number of "
                               "records, such as 50000 (default 1s)"},
    [OPTION_CHECKPOINT] = {.name = "checkpoint",
                           .value = VALUE_COUNT,
                           .value_name = "N",
                           .low = 1,
                           .high = UINT32_MAX,
                           .about = "save the state after every N batches (default 1)"},
    [OPTION_FOLLOW] = {.name = "follow",
                       .about = "go on reading the last file as it grows, as tail -F does"},
    [OPTION_WINDOW] =
        {.name = "window",
         .value = VALUE_TIME,
         .value_name = "T",
         .low = TIME_LEAST,
         .high = TIME_MOST,
         .about = "remember only the last stretch of time, such as 10m (default: everything)"},
    [OPTION_SLOTS] = {.name = "slots",
                      .value = VALUE_COUNT,
                      .value_name = "N",
                      .low = 1,
                      .high = 65536,
                      .about = "divide the window into N slots, of which the oldest is forgotten "
                               "at a time (default 10)"},
    [OPTION_GROW] = {.name = "grow",
                     .about = "make filters scalable, so that they grow as more keys come"},
    [OPTION_RENEW] = {.name = "renew",
                      .about = "empty a filter that is above its promised rate, and begin it anew"},
    [OPTION_SEEN] =
        {.name = "seen",
         .about = "print each asked key that may have been seen, and nothing for the others"},
    [OPTION_HTTP] = {.name = "http",
                     .value = VALUE_TEXT,
                     .value_name = "HOST:PORT",
                     .about =
                         "serve a page at http://HOST:PORT/ that shows how the stream is doing"},
    [OPTION_QUICK] = {.name = "quick",
                      .about = "take less data than was published, and under a minute"},
    [OPTION_ONLY] = {.name = "only",
                     .value = VALUE_TEXT,
                     .value_name = "ID",
                     .about = "run one experiment alone, of the list below"},
    [OPTION_SPARK] = {.name = "spark",
                      .value = VALUE_TEXT,
                      .value_name = "COMMAND",
                      .about =
                          "run the published job on Spark too, with this command; see docs/lab.md"},
    [OPTION_HADOOP] = {.name = "hadoop",
                       .value = VALUE_TEXT,
                       .value_name = "COMMAND",
                       .about = "run it on Hadoop too, with this command; see docs/lab.md"},

    [OPTION_IN] = {.name = "in",
                   .group = GROUP_INPUT,
                   .value = VALUE_CHOICE,
                   .value_name = "FORM",
                   .choices = forms,
                   .about = "the form of records: lines, csv, tsv, nul, jsonl, u32 or u64 "
                            "(default: by the suffix of the file, else lines)"},
    [OPTION_DELIMITER] = {.name = "delimiter",
                          .letter = 'd',
                          .group = GROUP_INPUT,
                          .value = VALUE_TEXT,
                          .value_name = "C",
                          .about = "the character that separates fields; \\t is a tab"},
    [OPTION_FIELDS] = {.name = "fields",
                       .group = GROUP_INPUT,
                       .about = "fields are separated by runs of blanks and tabs, as in awk"},
    [OPTION_HEADER] = {.name = "header",
                       .group = GROUP_INPUT,
                       .about = "the first record of each file names the columns"},
    [OPTION_HEADER_LINE] = {.name = "header-line",
                            .group = GROUP_INPUT,
                            .value = VALUE_TEXT,
                            .value_name = "LINE",
                            .empty = true,
                            .about = "the header line, for a part of a file that may lack it"},
    [OPTION_SPLITS] = {.name = "splits",
                       .group = GROUP_INPUT,
                       .about = "standard input lists parts of files to read: OFFSET, BYTES (0: to "
                                "the end) and PATH, with tabs between"},
    [OPTION_KEY] = {.name = "key",
                    .group = GROUP_INPUT,
                    .value = VALUE_TEXT,
                    .value_name = "COL[,COL]",
                    .about = "the column of the key: a number from 1, a name in the header, or a "
                             "JSON path; several are one key (default: the whole record)"},
    [OPTION_KEY_TYPE] =
        {.name = "key-type",
         .group = GROUP_INPUT,
         .value = VALUE_CHOICE,
         .value_name = "TYPE",
         .choices = key_types,
         .about =
             "what a key is: bytes, or int, a 64-bit integer (default bytes; of u32 and u64 int)"},
    [OPTION_WEIGHT] = {.name = "weight",
                       .group = GROUP_INPUT,
                       .value = VALUE_TEXT,
                       .value_name = "COL",
                       .about = "the column that says how often a record counts (default: once)"},
    [OPTION_TIME] = {.name = "time",
                     .group = GROUP_INPUT,
                     .value = VALUE_TEXT,
                     .value_name = "COL",
                     .about = "the column that says when a record was: as 2026-11-16T14:26:08Z, or "
                              "as a number since 1970 (default: when it arrives)"},
    [OPTION_TIME_UNIT] = {.name = "time-unit",
                          .group = GROUP_INPUT,
                          .value = VALUE_CHOICE,
                          .value_name = "UNIT",
                          .choices = time_units,
                          .about = "the unit of numbers in --time: s, ms, us or ns (default s)"},
    [OPTION_BY] = {.name = "by",
                   .group = GROUP_INPUT,
                   .value = VALUE_TEXT,
                   .value_name = "COL",
                   .about = "make one sketch for each value of this column"},
    [OPTION_ROUND] = {.name = "round",
                      .group = GROUP_INPUT,
                      .value = VALUE_CHOICE,
                      .value_name = "HOW",
                      .choices = rounds,
                      .about = "round the values of --by to whole numbers: half-even or half-up"},
    [OPTION_BAD] = {.name = "bad",
                    .group = GROUP_INPUT,
                    .value = VALUE_CHOICE,
                    .value_name = "WHAT",
                    .choices = bads,
                    .about =
                        "what to do with records that cannot be read: fail or skip (default fail)"},
    [OPTION_CSV_MULTILINE] = {.name = "csv-multiline",
                              .group = GROUP_INPUT,
                              .about = "quoted fields of CSV may contain line ends"},

    [OPTION_HASH] = {.name = "hash",
                     .group = GROUP_HASH,
                     .value = VALUE_TEXT,
                     .value_name = "NAME",
                     .words = hash_words,
                     .about = "how keys are hashed: xxh3, mix64, xxh64, mmh3, mmh3-signed, "
                              "murmur64a or murmur3-128 (default xxh3; of integers mix64)"},
    [OPTION_SEED] = {.name = "seed",
                     .group = GROUP_HASH,
                     .value = VALUE_COUNT,
                     .value_name = "N",
                     .high = UINT64_MAX,
                     .about = "the seed of the hash (default: its own, see man ink)"},
    [OPTION_SECRET] = {.name = "secret",
                       .group = GROUP_HASH,
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .about = "hash with the secret in FILE: 16 bytes, or 32 hex digits"},

    [OPTION_KEYS] =
        {.name = "keys",
         .letter = 'n',
         .group = GROUP_SIZE,
         .value = VALUE_COUNT,
         .value_name = "N",
         .low = 1,
         .high = UINT64_MAX,
         .field = "expected_keys",
         .about =
             "filters: how many different keys to plan for (default: as many as the data has)"},
    [OPTION_RATE] = {.name = "rate",
                     .letter = 'p',
                     .group = GROUP_SIZE,
                     .value = VALUE_SHARE,
                     .value_name = "P",
                     .field = "false_positive_rate",
                     .about = "filters: the false-positive rate (default 0.01)"},
    [OPTION_EPS] = {.name = "eps",
                    .group = GROUP_SIZE,
                    .value = VALUE_SHARE,
                    .value_name = "X",
                    .field = "epsilon",
                    .about = "count-min: the error, as a share of the total (default 1e-4)"},
    [OPTION_DELTA] = {.name = "delta",
                      .group = GROUP_SIZE,
                      .value = VALUE_SHARE,
                      .value_name = "X",
                      .about = "count-min: the chance of a larger error (default 0.01)"},
    [OPTION_PHI] = {.name = "phi",
                    .group = GROUP_SIZE,
                    .value = VALUE_SHARE,
                    .value_name = "X",
                    .about =
                        "top: no key above this share of the total is missed (default 1/1024)"},
    [OPTION_PRECISION] = {.name = "precision",
                          .group = GROUP_SIZE,
                          .value = VALUE_COUNT,
                          .value_name = "N",
                          .low = 4,
                          .high = 18,
                          .about = "hll: 2^N registers, N from 4 to 18 (default 14)"},
    [OPTION_BITS] = {.name = "bits",
                     .group = GROUP_SIZE,
                     .value = VALUE_COUNT,
                     .value_name = "M",
                     .low = 1,
                     .high = UINT64_MAX,
                     .about = "filters: the size in bits, instead of -p"},
    [OPTION_HASHES] = {.name = "hashes",
                       .group = GROUP_SIZE,
                       .value = VALUE_COUNT,
                       .value_name = "K",
                       .low = 1,
                       .high = UINT32_MAX,
                       .about = "classic: how many hashes a key has, with --bits"},
    [OPTION_WIDTH] = {.name = "width",
                      .group = GROUP_SIZE,
                      .value = VALUE_COUNT,
                      .value_name = "W",
                      .low = 1,
                      .high = UINT64_MAX,
                      .about = "count-min: counters in a row, with --depth in place of --eps and "
                               "--delta; fm: sub-sketches in a group (default 16)"},
    [OPTION_DEPTH] = {.name = "depth",
                      .group = GROUP_SIZE,
                      .value = VALUE_COUNT,
                      .value_name = "D",
                      .low = 1,
                      .high = UINT32_MAX,
                      .about = "count-min: rows, with --width; fm: groups (default 9)"},
    [OPTION_COUNTERS] = {.name = "counters",
                         .group = GROUP_SIZE,
                         .value = VALUE_CHOICE,
                         .value_name = "BITS",
                         .choices = counter_sizes,
                         .field = "counter_bits",
                         .about = "count-min: bits of a counter, 32 or 64 (default 32)"},
    [OPTION_CONSERVATIVE] =
        {.name = "conservative",
         .group = GROUP_SIZE,
         .about = "count-min: raise only the counters that must rise, for smaller errors"},
    [OPTION_TOP] = {.name = "top",
                    .letter = 'k',
                    .group = GROUP_SIZE,
                    .value = VALUE_COUNT,
                    .value_name = "K",
                    .low = 1,
                    .high = UINT32_MAX,
                    .field = "top_keys",
                    .about = "top: how many keys will be asked for (default 10)"},
    [OPTION_HEADROOM] = {.name = "headroom",
                         .group = GROUP_SIZE,
                         .value = VALUE_FACTOR,
                         .value_name = "X",
                         .low = 1,
                         .high = 1000000,
                         .about =
                             "filters: plan for X times as many keys as the data has, such as 4x"},
    [OPTION_MAX_RATE] = {.name = "max-rate",
                         .group = GROUP_SIZE,
                         .value = VALUE_SHARE,
                         .value_name = "R",
                         .field = "max_rate",
                         .about =
                             "the highest rate that a union may have (default: the promised one)"},
    [OPTION_MEMORY] = {.name = "memory",
                       .group = GROUP_SIZE,
                       .value = VALUE_BYTES,
                       .value_name = "SIZE",
                       .low = UINT64_C(1) << 20,
                       .high = UINT64_C(1) << 50,
                       .field = "memory_bytes",
                       .about =
                           "memory for keys until the size is known, such as 64M (default 1G)"},

    [OPTION_THREADS] = {.name = "threads",
                        .group = GROUP_RUN,
                        .value = VALUE_COUNT,
                        .value_name = "N",
                        .low = 1,
                        .high = 1024,
                        .about = "how many threads to run (default: one for each core)"},
    [OPTION_OUTPUT] = {.name = "output",
                       .letter = 'o',
                       .group = GROUP_RUN,
                       .value = VALUE_PATH,
                       .value_name = "FILE",
                       .about = "the file to write; - is standard output"},
    [OPTION_FORCE] = {.name = "force",
                      .group = GROUP_RUN,
                      .about = "replace the output file if it exists"},
    [OPTION_TEMP] = {.name = "temp",
                     .group = GROUP_RUN,
                     .value = VALUE_PATH,
                     .value_name = "DIR",
                     .about = "the folder for temporary files (default: $TMPDIR, else /tmp)"},
    [OPTION_NO_PROGRESS] = {.name = "no-progress",
                            .group = GROUP_RUN,
                            .about = "show no progress bar"},
    [OPTION_QUIET] = {.name = "quiet",
                      .letter = 'q',
                      .group = GROUP_RUN,
                      .about = "print nothing but errors"},

    [OPTION_JSON] = {.name = "json",
                     .group = GROUP_OUTPUT,
                     .about = "print JSON, one object a line"},
    [OPTION_TSV] = {.name = "tsv",
                    .group = GROUP_OUTPUT,
                    .about = "print fields with tabs between them, under a line of their names"},
    [OPTION_HELP] = {.name = "help",
                     .letter = 'h',
                     .group = GROUP_OUTPUT,
                     .about = "print what the command does, and its options"},
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

/* ---- Sentences of the library ------------------------------------------------------------- */

/* Whether the library may call an option's parameter as the option is called: it is a number, or
 * one of those that sizes and hashes have. */
static bool is_parameter(const cli_option *o)
{
    if (o->name == NULL || o->field != NULL)
        return false;
    return o->group == GROUP_SIZE || o->group == GROUP_HASH || o->value == VALUE_REAL;
}

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 &&
           (text[length] == '\0' || strchr(" ,:", text[length]) != NULL);
}

/* The option that a message names here, and how long that name is there; `plain`: also by a name
 * that is a word as well. */
static option_id option_named(const char *at, bool plain, size_t *length)
{
    option_id id = OPTION_END + 1;

    for (; id < OPTION_LIMIT_; id++) {
        const cli_option *o = &options[id];
        bool by_field = o->field != NULL && strncmp(at, o->field, strlen(o->field)) == 0;
        if (!by_field && !(plain && is_parameter(o) && begins_with_word(at, o->name)))
            continue;
        *length = strlen(by_field ? o->field : o->name);
        break;
    }
    return id;
}

/* Whether what stands at `at` is joined to what came before it. */
static bool is_joined(const char *message, const char *at)
{
    static const char *const joints[] = {" and ", " without ", " beside "};

    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        size_t length = strlen(joints[i]);
        if ((size_t)(at - message) >= length && strncmp(at - length, joints[i], length) == 0)
            return true;
    }
    return false;
}

void options_speak(char *text, size_t room, const char *message, bool usage)
{
    const char *at = message;
    bool        begun = false; /* with a parameter, so that others may follow */
    size_t      used = 0, length = 0;

    while (*at != '\0' && used + 1 < room) {
        bool      plain = usage && (at == message || (begun && is_joined(message, at)));
        option_id id = option_named(at, plain, &length);
        if (id == OPTION_LIMIT_) {
            text[used++] = *at++;
            continue;
        }
        begun |= at == message;
        int wrote = snprintf(text + used, room - used, "%s", option_name(id));
        used += (size_t)wrote < room - used ? (size_t)wrote : room - used - 1;
        at += length;
    }
    text[used] = '\0';
}
