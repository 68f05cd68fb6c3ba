/* options.c - the options of all commands, in one table, and their names in messages. */
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

/* Whether a hash needs no secret for keys of this type. */
static bool is_hash_for(const char *name, ink_key_type type)
{
    ink_description plan;

    return ink_plan(
               &(ink_params){.kind = "classic", .expected_keys = 1, .hash = name, .key_type = type},
               &plan, NULL) == INK_OK;
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

/* Range of times, in microseconds: a millisecond to ten years. */
#define TIME_LEAST UINT64_C(1000)
#define TIME_MOST (3650 * UINT64_C(86400) * 1000000)

/* The value of an option, and its name in help. */
#define FLAG .value = VALUE_NONE
#define VALUE(type, shown) .value = VALUE_##type, .value_name = shown
#define RANGE(type, shown, least, most) VALUE(type, shown), .low = least, .high = most
#define CHOICE(shown, list) VALUE(CHOICE, shown), .choices = list

static const cli_option options[OPTION_LIMIT_] = {
    [OPTION_TRUTH] = {"truth", "the data that the sketches were built from; may be repeated",
                      VALUE(PATH, "FILE"), .repeats = true},
    [OPTION_ABSENT] = {"absent",
                       "records with keys that are not in the set; may be repeated (default: the "
                       "keys of other groups, else random keys)",
                       VALUE(PATH, "FILE"), .repeats = true},
    [OPTION_INVERT] = {"invert", "print the records whose key is definitely not in the set",
                       .letter = 'v'},
    [OPTION_COUNT] = {"count", "print only how many records were admitted and rejected",
                      .letter = 'c'},
    [OPTION_ASK] = {NULL, "query this key, and read no data; may be repeated", .letter = 'e',
                    VALUE(TEXT, "KEY"), .repeats = true, .empty = true},
    [OPTION_KIND] = {"kind", "which kind to query, if the file has several", VALUE(TEXT, "KIND"),
                     .words = kind_words},
    [OPTION_DIGEST] = {"digest", "print only the digest of the file", FLAG},
    [OPTION_CHECK] = {"check", "only check every byte of the file, and print one line", FLAG},
    [OPTION_GROUPS] = {"groups", "only groups whose name matches PATTERN, such as 10.* or user-?",
                       VALUE(TEXT, "PATTERN")},
    [OPTION_SKEW] = {"skew", "zipf: the exponent (default 1.1)", RANGE(REAL, "S", 0, 10)},
    [OPTION_SAMPLE] = {"sample", "names: also write M of them, chosen at random, to --sample-out",
                       RANGE(COUNT, "M", 1, UINT64_MAX)},
    [OPTION_SAMPLE_OUT] = {"sample-out", "the file for the names of --sample", VALUE(PATH, "FILE")},
    [OPTION_KEYS_FROM] = {"keys-from", "count the keys in this file, one a line, in the data",
                          VALUE(PATH, "KEYS")},
    [OPTION_LAST] = {"last", "query only the newest W time slots (default: all)",
                     RANGE(COUNT, "W", 1, UINT32_MAX)},
    [OPTION_CONFIDENCE] =
        {"confidence", "the probability that the true value is between low and high (default 0.95)",
         VALUE(SHARE, "C")},
    [OPTION_ESTIMATOR] = {"estimator",
                          "fm: the estimator: default, or seed, the mean of powers of two of the "
                          "textbooks, which is too high",
                          CHOICE("NAME", estimators)},
    [OPTION_ONCE] = {"once",
                     "add only keys that are not yet in the sketch (false positives are left out)",
                     FLAG},
    [OPTION_MAN] = {"man", "print the manual page, as roff", FLAG},
    [OPTION_TUNING] = {"tuning", "also print the settings chosen for this machine", FLAG},
    [OPTION_PLAN] = {"plan", "read nothing, and print a plan of the job, as a JSON object", FLAG},
    [OPTION_BYTES] = {"bytes", "with --plan: the approximate size of the data (default: unknown)",
                      RANGE(BYTES, "SIZE", 0, UINT64_C(1) << 60)},
    [OPTION_TASKS] = {"tasks", "with --plan: the number of tasks that run at a time (default 1)",
                      RANGE(COUNT, "N", 1, 65536)},
    [OPTION_VERIFY] = {"verify", "verify these sketches, instead of building",
                       VALUE(PATH, "SKETCHES")},
    [OPTION_FILTER] = {"filter",
                       "print the records whose key may be in these sketches, as ink filter does",
                       VALUE(PATH, "SKETCHES")},
    [OPTION_ASSEMBLE] =
        {"assemble",
         "assemble the output of the reducers: files of pieces, or of verification results", FLAG},
    [OPTION_BUCKETS] = {"buckets", "the number of reducers (default: from Hadoop, else 1)",
                        RANGE(COUNT, "N", 1, 4096)},
    [OPTION_BUCKET] = {"bucket",
                       "the number of this reducer, from 0 (default: from Hadoop, else 0)",
                       RANGE(COUNT, "I", 0, 4095)},
    [OPTION_RANGED] =
        {"ranged", "give each reducer a range of the keys of all groups, instead of whole groups",
         FLAG},
    [OPTION_TRAIN] =
        {"train",
         "where records come from: a file, a FIFO, - (standard input), or an address to listen on, "
         "tcp://HOST:PORT or unix:PATH; may be repeated, and files are read one after another",
         VALUE(PATH, "SRC"), .repeats = true},
    [OPTION_QUESTIONS] =
        {"ask",
         "where questions come from: a file, a FIFO, - or an address, as for --train. A question "
         "is a line: KEY, ?KEY, COUNT KEY, TOP n, DISTINCT or INFO",
         VALUE(PATH, "SRC")},
    [OPTION_SKETCH] = {"sketch",
                       "a sketch to keep, with its sizes: bloom:n=1e6,p=0.01; may be repeated, "
                       "once for each kind",
                       VALUE(TEXT, "KIND[:SIZES]"), .words = kind_words, .begins = true,
                       .repeats = true},
    [OPTION_STATE] =
        {"state", "the folder of state.ink, to which the stream is saved and from which it resumes",
         VALUE(PATH, "DIR")},
    [OPTION_EVERY] = {"every",
                      "the length of a batch: a time, such as 500ms, or a number of records, such "
                      "as 50000 (default 1s)",
                      RANGE(PACE, "T|N", TIME_LEAST, TIME_MOST)},
    [OPTION_CHECKPOINT] = {"checkpoint", "save the state after every N batches (default 1)",
                           RANGE(COUNT, "N", 1, UINT32_MAX)},
    [OPTION_FOLLOW] = {"follow", "keep reading the last file as it grows, as tail -F does", FLAG},
    [OPTION_WINDOW] = {"window", "keep only the records of the last T, such as 10m (default: all)",
                       RANGE(TIME, "T", TIME_LEAST, TIME_MOST)},
    [OPTION_SLOTS] =
        {"slots",
         "divide the window into N slots; the oldest is dropped as a new one begins (default 10)",
         RANGE(COUNT, "N", 1, 65536)},
    [OPTION_GROW] = {"grow", "make filters scalable, so that they grow as more keys come", FLAG},
    [OPTION_RENEW] = {"renew", "empty a filter that is above its promised rate, and start again",
                      FLAG},
    [OPTION_SEEN] = {"seen",
                     "print each queried key that may have been seen, and nothing for the others",
                     FLAG},
    [OPTION_HTTP] = {"http", "serve a status page at http://HOST:PORT/", VALUE(TEXT, "HOST:PORT")},
    [OPTION_QUICK] = {"quick", "use less data than the published runs; takes under a minute", FLAG},
    [OPTION_ONLY] = {"only", "run only this experiment of the list below", VALUE(TEXT, "ID")},
    [OPTION_SPARK] = {"spark",
                      "run the published job on Spark too, with this command; see docs/lab.md",
                      VALUE(TEXT, "COMMAND")},
    [OPTION_HADOOP] = {"hadoop", "run it on Hadoop too, with this command; see docs/lab.md",
                       VALUE(TEXT, "COMMAND")},

    [OPTION_IN] = {"in",
                   "the format of records: lines, csv, tsv, nul, jsonl, u32 or u64 (default: by "
                   "the suffix of the file, else lines)",
                   CHOICE("FORM", forms)},
    [OPTION_DELIMITER] = {"delimiter", "the character that separates fields; \\t is a tab",
                          .letter = 'd', VALUE(TEXT, "C")},
    [OPTION_FIELDS] = {"fields", "fields are separated by runs of blanks and tabs, as in awk",
                       FLAG},
    [OPTION_HEADER] = {"header", "the first record of each file names the columns", FLAG},
    [OPTION_HEADER_LINE] = {"header-line", "the header line, for a part of a file that may lack it",
                            VALUE(TEXT, "LINE"), .empty = true},
    [OPTION_SPLITS] = {"splits",
                       "standard input lists parts of files to read: OFFSET, BYTES (0: to the end) "
                       "and PATH, separated by tabs",
                       FLAG},
    [OPTION_KEY] = {"key",
                    "the column of the key: a number from 1, a name in the header, or a JSON path; "
                    "several columns form one key (default: the whole record)",
                    VALUE(TEXT, "COL[,COL]")},
    [OPTION_KEY_TYPE] =
        {"key-type",
         "the type of keys: bytes, or int, a 64-bit integer (default bytes; for u32 and u64 int)",
         CHOICE("TYPE", key_types)},
    [OPTION_WEIGHT] = {"weight", "the column with the weight of a record (default: 1)",
                       VALUE(TEXT, "COL")},
    [OPTION_TIME] = {"time",
                     "the column with the time of a record: as 2026-11-16T14:26:08Z, or as a "
                     "number since 1970 (default: when it arrives)",
                     VALUE(TEXT, "COL")},
    [OPTION_TIME_UNIT] = {"time-unit", "the unit of numbers in --time: s, ms, us or ns (default s)",
                          CHOICE("UNIT", time_units)},
    [OPTION_BY] = {"by", "build one sketch for each value of this column", VALUE(TEXT, "COL")},
    [OPTION_ROUND] = {"round", "round the values of --by to whole numbers: half-even or half-up",
                      CHOICE("HOW", rounds)},
    [OPTION_BAD] = {"bad", "records that cannot be read: fail or skip (default fail)",
                    CHOICE("WHAT", bads)},
    [OPTION_CSV_MULTILINE] = {"csv-multiline", "quoted fields of CSV may contain line ends", FLAG},

    [OPTION_HASH] = {"hash",
                     "the hash of keys: xxh3, mix64, xxh64, mmh3, mmh3-signed, murmur64a or "
                     "murmur3-128 (default xxh3; for integers mix64)",
                     VALUE(TEXT, "NAME"), .words = hash_words},
    [OPTION_SEED] = {"seed", "the seed of the hash (default: its own, see man ink)",
                     RANGE(COUNT, "N", 0, UINT64_MAX)},
    [OPTION_SECRET] = {"secret", "hash with the secret in FILE: 16 bytes, or 32 hex digits",
                       VALUE(PATH, "FILE")},

    [OPTION_KEYS] = {"keys",
                     "filters: the number of distinct keys to plan for (default: that of the data)",
                     .letter = 'n', RANGE(COUNT, "N", 1, UINT64_MAX), .field = "expected_keys"},
    [OPTION_RATE] = {"rate", "filters: the false-positive rate (default 0.01)", .letter = 'p',
                     VALUE(SHARE, "P"), .field = "false_positive_rate"},
    [OPTION_EPS] = {"eps", "count-min: the error, as a share of the total (default 1e-4)",
                    VALUE(SHARE, "X"), .field = "epsilon"},
    [OPTION_DELTA] = {"delta", "count-min: the chance of a larger error (default 0.01)",
                      VALUE(SHARE, "X")},
    [OPTION_PHI] = {"phi", "top: no key above this share of the total is missed (default 1/1024)",
                    VALUE(SHARE, "X")},
    [OPTION_PRECISION] = {"precision", "hll: 2^N registers, N from 4 to 18 (default 14)",
                          RANGE(COUNT, "N", 4, 18)},
    [OPTION_BITS] = {"bits", "filters: the size in bits, instead of -p",
                     RANGE(COUNT, "M", 1, UINT64_MAX)},
    [OPTION_HASHES] = {"hashes", "classic: hashes of a key, with --bits",
                       RANGE(COUNT, "K", 1, UINT32_MAX)},
    [OPTION_WIDTH] = {"width",
                      "count-min: counters in a row, with --depth instead of --eps and --delta; "
                      "fm: sub-sketches in a group (default 16)",
                      RANGE(COUNT, "W", 1, UINT64_MAX)},
    [OPTION_DEPTH] = {"depth", "count-min: rows, with --width; fm: groups (default 9)",
                      RANGE(COUNT, "D", 1, UINT32_MAX)},
    [OPTION_COUNTERS] = {"counters", "count-min: bits of a counter, 32 or 64 (default 32)",
                         CHOICE("BITS", counter_sizes), .field = "counter_bits"},
    [OPTION_CONSERVATIVE] = {"conservative",
                             "count-min: raise only the lowest counters, for smaller errors", FLAG},
    [OPTION_TOP] = {"top", "top: the number of keys to report (default 10)", .letter = 'k',
                    RANGE(COUNT, "K", 1, UINT32_MAX), .field = "top_keys"},
    [OPTION_HEADROOM] = {"headroom",
                         "filters: plan for X times as many keys as the data has, such as 4x",
                         RANGE(FACTOR, "X", 1, 1000000)},
    [OPTION_MAX_RATE] = {"max-rate",
                         "the highest rate allowed for a union (default: the promised rate)",
                         VALUE(SHARE, "R"), .field = "max_rate"},
    [OPTION_MEMORY] = {"memory",
                       "memory for keys until the size is known, such as 64M (default 1G)",
                       RANGE(BYTES, "SIZE", UINT64_C(1) << 20, UINT64_C(1) << 50),
                       .field = "memory_bytes"},

    [OPTION_THREADS] = {"threads", "the number of threads (default: one for each core)",
                        RANGE(COUNT, "N", 1, 1024)},
    [OPTION_OUTPUT] = {"output", "the file to write; - is standard output", .letter = 'o',
                       VALUE(PATH, "FILE")},
    [OPTION_FORCE] = {"force", "replace the output file if it exists", FLAG},
    [OPTION_TEMP] = {"temp", "the folder for temporary files (default: $TMPDIR, else /tmp)",
                     VALUE(PATH, "DIR")},
    [OPTION_NO_PROGRESS] = {"no-progress", "show no progress bar", FLAG},
    [OPTION_QUIET] = {"quiet", "print nothing but errors", .letter = 'q'},

    [OPTION_JSON] = {"json", "print JSON, one object a line", FLAG},
    [OPTION_TSV] = {"tsv", "print tab-separated fields, after a line of their names", FLAG},
    [OPTION_HELP] = {"help", "print help for the command and its options", .letter = 'h'},
};

const cli_option *option_of(option_id id)
{
    return &options[id];
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

char command_code(const char *line, const char **about)
{
    *about = line + 1 + strspn(line + 1, " ");
    return *line;
}

/* ---- Messages of the library -------------------------------------------------------------- */

/* Whether the library's messages may use an option's own name for its parameter. */
static bool is_parameter(option_id id)
{
    const cli_option *o = &options[id];
    option_group      group = option_group_of(id);

    return o->name != NULL && o->field == NULL &&
           (group == GROUP_SIZE || group == GROUP_HASH || o->value == VALUE_REAL);
}

static bool begins_with_word(const char *text, const char *word)
{
    size_t length = strlen(word);

    return strncmp(text, word, length) == 0 &&
           (text[length] == '\0' || strchr(" ,:", text[length]) != NULL);
}

/* The option that is named at `at`, and the length of that name; OPTION_LIMIT_: none. `plain`:
 * names that are also plain words count. */
static option_id option_named(const char *at, bool plain, size_t *length)
{
    option_id id = OPTION_END + 1;

    for (; id < OPTION_LIMIT_; id++) {
        const cli_option *o = &options[id];
        bool by_field = o->field != NULL && strncmp(at, o->field, strlen(o->field)) == 0;
        if (!by_field && !(plain && is_parameter(id) && begins_with_word(at, o->name)))
            continue;
        *length = strlen(by_field ? o->field : o->name);
        break;
    }
    return id;
}

/* Whether a joining word stands before `at`. */
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
    bool        begun = false; /* the message begins with a parameter */
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
