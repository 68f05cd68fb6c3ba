/* options.c - the options of all commands, in one table, and what they are called. */
#include "options.h"

#include "kinds.h"

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
    [OPTION_PLAN] = {.name = "plan",
                     .about = "only tell how the job is best done, as a JSON object"},
    [OPTION_BYTES] = {.name = "bytes",
                      .value = VALUE_BYTES,
                      .value_name = "SIZE",
                      .high = UINT64_C(1) << 60,
                      .about = "with --plan: about so much data (nobody knows)"},
    [OPTION_TASKS] = {.name = "tasks",
                      .value = VALUE_COUNT,
                      .value_name = "N",
                      .low = 1,
                      .high = 65536,
                      .about = "with --plan: so many tasks run at a time (1)"},
    [OPTION_VERIFY] = {.name = "verify",
                       .value = VALUE_PATH,
                       .value_name = "SKETCHES",
                       .about = "verify these, instead of building some"},
    [OPTION_FILTER] = {.name = "filter",
                       .value = VALUE_PATH,
                       .value_name = "SKETCHES",
                       .about = "print the records that may be in these, as ink filter does"},
    [OPTION_ASSEMBLE] = {.name = "assemble",
                         .about = "put what reducers wrote together: files of pieces, or of "
                                  "verdicts"},
    [OPTION_BUCKETS] = {.name = "buckets",
                        .value = VALUE_COUNT,
                        .value_name = "N",
                        .low = 1,
                        .high = 4096,
                        .about = "how many reducers there are (as Hadoop says, else 1)"},
    [OPTION_BUCKET] = {.name = "bucket",
                       .value = VALUE_COUNT,
                       .value_name = "I",
                       .high = 4095,
                       .about = "which of them this is, from 0 (as Hadoop says, else 0)"},
    [OPTION_RANGED] = {.name = "ranged",
                       .about = "a reducer has a range of all keys, instead of some groups"},
    [OPTION_TRAIN] = {.name = "train",
                      .value = VALUE_PATH,
                      .value_name = "SRC",
                      .repeats = true,
                      .about = "where records come from: a file, a FIFO, - (standard input),\n"
                               "tcp://HOST:PORT or unix:PATH (whoever connects); several\n"
                               "files are read one after another"},
    [OPTION_QUESTIONS] = {.name = "ask",
                          .value = VALUE_PATH,
                          .value_name = "SRC",
                          .about = "where questions come from, a line each: KEY, ?KEY,\n"
                                   "COUNT KEY, TOP n, DISTINCT or INFO"},
    [OPTION_SKETCH] = {.name = "sketch",
                       .value = VALUE_TEXT,
                       .value_name = "KIND[:SIZES]",
                       .words = kind_words,
                       .begins = true,
                       .repeats = true,
                       .about = "what records go to, as bloom:n=1e6,p=0.01; may be repeated"},
    [OPTION_STATE] = {.name = "state",
                      .value = VALUE_PATH,
                      .value_name = "DIR",
                      .about = "the folder of state.ink, which the stream goes on from"},
    [OPTION_EVERY] = {.name = "every",
                      .value = VALUE_PACE,
                      .value_name = "T|N",
                      .low = TIME_LEAST,
                      .high = TIME_MOST,
                      .about = "a batch is so long, as 500ms, or so many records (1s)"},
    [OPTION_CHECKPOINT] = {.name = "checkpoint",
                           .value = VALUE_COUNT,
                           .value_name = "N",
                           .low = 1,
                           .high = UINT32_MAX,
                           .about = "save the state after every N batches (each)"},
    [OPTION_FOLLOW] = {.name = "follow", .about = "read the last file on as it grows"},
    [OPTION_WINDOW] = {.name = "window",
                       .value = VALUE_TIME,
                       .value_name = "T",
                       .low = TIME_LEAST,
                       .high = TIME_MOST,
                       .about = "know only the last stretch of time, as 10m"},
    [OPTION_SLOTS] = {.name = "slots",
                      .value = VALUE_COUNT,
                      .value_name = "N",
                      .low = 1,
                      .high = 65536,
                      .about = "the window moves on in so many steps (10)"},
    [OPTION_GROW] = {.name = "grow", .about = "filters are scalable: they grow as more keys come"},
    [OPTION_RENEW] = {.name = "renew",
                      .about = "a filter above its promised rate is emptied and begun anew"},
    [OPTION_SEEN] = {.name = "seen",
                     .about = "of keys that are asked print those that may have been seen"},
    [OPTION_HTTP] = {.name = "http",
                     .value = VALUE_TEXT,
                     .value_name = "HOST:PORT",
                     .about = "show how the stream is doing at http://HOST:PORT/"},
    [OPTION_QUICK] = {.name = "quick", .about = "less data than was published, in under a minute"},
    [OPTION_ONLY] = {.name = "only",
                     .value = VALUE_TEXT,
                     .value_name = "ID",
                     .about = "one experiment alone"},
    [OPTION_SPARK] = {.name = "spark",
                      .value = VALUE_TEXT,
                      .value_name = "COMMAND",
                      .about = "a command that runs a published job on Spark; see docs/lab.md"},
    [OPTION_HADOOP] = {.name = "hadoop",
                       .value = VALUE_TEXT,
                       .value_name = "COMMAND",
                       .about = "the same on Hadoop"},

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
    [OPTION_HEADER_LINE] = {.name = "header-line",
                            .group = GROUP_INPUT,
                            .value = VALUE_TEXT,
                            .value_name = "LINE",
                            .empty = true,
                            .about = "the header, for a part of a file that may lack it"},
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
    [OPTION_TIME] = {.name = "time",
                     .group = GROUP_INPUT,
                     .value = VALUE_TEXT,
                     .value_name = "COL",
                     .about = "the column that tells when, as 2026-11-16T14:26:08Z, or as a\n"
                              "number since 1970 (a record is when it arrives)"},
    [OPTION_TIME_UNIT] = {.name = "time-unit",
                          .group = GROUP_INPUT,
                          .value = VALUE_CHOICE,
                          .value_name = "UNIT",
                          .choices = time_units,
                          .about = "of such numbers: s, ms, us or ns (s)"},
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
                     .about = "another seed than the hash's own (see man ink)"},
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

/* The option that a sentence names here, and how long that name is there; `plain`: also by a name
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
static bool is_joined(const char *sentence, const char *at)
{
    static const char *const joints[] = {" and ", " without ", " beside "};

    for (size_t i = 0; i < sizeof joints / sizeof *joints; i++) {
        size_t length = strlen(joints[i]);
        if ((size_t)(at - sentence) >= length && strncmp(at - length, joints[i], length) == 0)
            return true;
    }
    return false;
}

void options_speak(char *text, size_t room, const char *sentence, bool usage)
{
    const char *at = sentence;
    bool        begun = false; /* with a parameter, so that others may follow */
    size_t      used = 0, length = 0;

    while (*at != '\0' && used + 1 < room) {
        bool      plain = usage && (at == sentence || (begun && is_joined(sentence, at)));
        option_id id = option_named(at, plain, &length);
        if (id == OPTION_LIMIT_) {
            text[used++] = *at++;
            continue;
        }
        begun |= at == sentence;
        int wrote = snprintf(text + used, room - used, "%s", option_name(id));
        used += (size_t)wrote < room - used ? (size_t)wrote : room - used - 1;
        at += length;
    }
    text[used] = '\0';
}
