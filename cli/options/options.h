/* options.h - the options of all commands, in one table: parsing, help, and whatever is made of
 * them later. A command offers some of them. */
#ifndef INK_CLI_OPTIONS_OPTIONS_H
#define INK_CLI_OPTIONS_OPTIONS_H

#include "options/suggestions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_id {
    OPTION_END = 0, /* ends a list of offers */
    /* what only some commands have */
    OPTION_TRUTH,
    OPTION_ABSENT,
    OPTION_INVERT,
    OPTION_COUNT,
    OPTION_ASK,
    OPTION_KIND,
    OPTION_DIGEST,
    OPTION_CHECK,
    OPTION_GROUPS,
    OPTION_SKEW,
    OPTION_SAMPLE,
    OPTION_SAMPLE_OUT,
    OPTION_KEYS_FROM,
    OPTION_LAST,
    OPTION_CONFIDENCE,
    OPTION_ESTIMATOR,
    OPTION_ONCE,
    OPTION_MAN,
    OPTION_TUNING,
    OPTION_PLAN,
    OPTION_BYTES,
    OPTION_TASKS,
    OPTION_VERIFY,
    OPTION_FILTER,
    OPTION_ASSEMBLE,
    OPTION_BUCKETS,
    OPTION_BUCKET,
    OPTION_RANGED,
    OPTION_TRAIN,
    OPTION_QUESTIONS,
    OPTION_SKETCH,
    OPTION_STATE,
    OPTION_EVERY,
    OPTION_CHECKPOINT,
    OPTION_FOLLOW,
    OPTION_WINDOW,
    OPTION_SLOTS,
    OPTION_GROW,
    OPTION_RENEW,
    OPTION_SEEN,
    OPTION_HTTP,
    OPTION_QUICK,
    OPTION_ONLY,
    OPTION_SPARK,
    OPTION_HADOOP,
    /* input */
    OPTION_IN,
    OPTION_DELIMITER,
    OPTION_FIELDS,
    OPTION_HEADER,
    OPTION_HEADER_LINE,
    OPTION_SPLITS,
    OPTION_KEY,
    OPTION_KEY_TYPE,
    OPTION_WEIGHT,
    OPTION_TIME,
    OPTION_TIME_UNIT,
    OPTION_BY,
    OPTION_ROUND,
    OPTION_BAD,
    OPTION_CSV_MULTILINE,
    /* hash */
    OPTION_HASH,
    OPTION_SEED,
    OPTION_SECRET,
    /* size */
    OPTION_KEYS,
    OPTION_RATE,
    OPTION_EPS,
    OPTION_DELTA,
    OPTION_PHI,
    OPTION_PRECISION,
    OPTION_BITS,
    OPTION_HASHES,
    OPTION_WIDTH,
    OPTION_DEPTH,
    OPTION_COUNTERS,
    OPTION_CONSERVATIVE,
    OPTION_TOP,
    OPTION_HEADROOM,
    OPTION_MAX_RATE,
    OPTION_MEMORY,
    /* run */
    OPTION_THREADS,
    OPTION_OUTPUT,
    OPTION_FORCE,
    OPTION_TEMP,
    OPTION_NO_PROGRESS,
    OPTION_QUIET,
    /* output */
    OPTION_JSON,
    OPTION_TSV,
    OPTION_HELP,
    OPTION_LIMIT_
} option_id;

typedef enum option_group {
    GROUP_OWN,
    GROUP_INPUT,
    GROUP_HASH,
    GROUP_SIZE,
    GROUP_RUN,
    GROUP_OUTPUT,
    GROUP_LIMIT_
} option_group;

typedef enum option_value {
    VALUE_NONE,
    VALUE_TEXT,
    VALUE_PATH,
    VALUE_CHOICE, /* one of `choices`; its number is the value's */
    VALUE_COUNT,  /* a whole number from `low` to `high` */
    VALUE_BYTES,  /* the same, in bytes */
    VALUE_SHARE,  /* a number above 0 and below 1 */
    VALUE_REAL,   /* a number above 0 and up to `high` */
    VALUE_FACTOR, /* a number from `low` to `high`, perhaps with an x behind it */
    VALUE_TIME,   /* a time from `low` to `high` microseconds */
    VALUE_PACE,   /* such a time, with its unit, or else a whole number from 1 */
} option_value;

typedef struct cli_option {
    const char        *name;   /* without its dashes; NULL if it has only a letter */
    char               letter; /* 0 if it has none */
    option_group       group;
    option_value       value;
    const char        *value_name; /* in help */
    const char        *about;
    const char *const *choices; /* up to a NULL */
    word_list         *words;   /* what its text may be, where that is one of some words ... */
    bool               begins;  /* ... or begins with one of them */
    uint64_t           low, high;
    bool               repeats; /* may be given more than once: a list */
    bool               empty;   /* its text may be empty */
    const char        *field;   /* what the library's messages call it, if that is another name */
} cli_option;

/* Choice number `number` of an option that has some. */
const char *option_choice(option_id id, size_t number);

/* Option `id`; never NULL. */
const cli_option *option_of(option_id id);
/* How it is named in messages: "--rate", or "-e". */
const char *option_name(option_id id);
const char *option_group_name(option_group group);

/* An option that a command has. */
typedef struct cli_offer {
    option_id   id;
    const char *about;       /* what it means there, if that differs from the option's own */
    bool        bare;        /* its value may be left out, and is only taken behind a = ... */
    option_id   bare_behind; /* ... or so if this option stands before it */
    uint64_t    low;         /* the least number there, if that differs from the option's own */
    bool        apart;       /* it goes there with all that it contradicts elsewhere */
} cli_offer;

/* What an offered option is about. */
const char *offer_about(const cli_offer *offer);

/* Offers that come together: how records are read, when they were, and keys hashed, the sizes of
 * kinds, and the forms of a report. */
#define OFFER(option)                                                                              \
    {                                                                                              \
        .id = OPTION_##option                                                                      \
    }
#define OFFERS_RECORDS                                                                             \
    OFFER(IN), OFFER(DELIMITER), OFFER(FIELDS), OFFER(HEADER), OFFER(KEY), OFFER(KEY_TYPE),        \
        OFFER(BAD), OFFER(CSV_MULTILINE)
#define OFFERS_TIMES OFFER(TIME), OFFER(TIME_UNIT)
#define OFFERS_HASH OFFER(HASH), OFFER(SEED), OFFER(SECRET)
#define OFFERS_SIZES                                                                               \
    OFFER(RATE), OFFER(EPS), OFFER(DELTA), OFFER(PHI), OFFER(PRECISION), OFFER(BITS),              \
        OFFER(HASHES), OFFER(WIDTH), OFFER(DEPTH), OFFER(COUNTERS), OFFER(CONSERVATIVE),           \
        OFFER(TOP)
#define OFFERS_FORMS OFFER(JSON), OFFER(TSV)

typedef struct cli_arguments cli_arguments;

/* A command: what it is called, what it takes, what help says, and what it does. */
typedef struct cli_command {
    const char        *group; /* what commands of its sort are for, in a word */
    const char        *name;
    const char        *operands;    /* as in the line of usage */
    const char        *summary;     /* a few words, for the list of commands */
    const char        *about;       /* two messages */
    const cli_offer   *offers;      /* up to OPTION_END */
    const char *const *examples;    /* up to a NULL */
    const char *const *codes;       /* what its exit codes mean, up to a NULL */
    word_list         *words;       /* what its first operand may be; NULL: a file as the others */
    const char        *words_title; /* of their list in help; NULL: they are not listed there */
    bool               suggestions_join; /* several of them may be joined by commas */
    int (*run)(const cli_arguments *arguments);
} cli_command;

typedef struct option_given {
    bool        given;
    const char *text; /* as it stands there; NULL if there is no value */
    uint64_t    number;
    double      real;
    bool        timed; /* the number is a time, in microseconds */
} option_given;

/* One value of an option that may be given more than once. */
typedef struct option_item {
    option_id   id;
    const char *text;
} option_item;

struct cli_arguments {
    const cli_command *command;
    option_given       options[OPTION_LIMIT_];
    const char       **operands;
    size_t             operand_count;
    option_item       *items; /* in the order they came */
    size_t             item_count;
};

/* The offer of an option, or NULL if the command does not have it. */
const cli_offer *command_offer(const cli_command *command, option_id id);
/* The offers one after another, in the order of the table of options, whatever theirs: that behind
 * `before`, the first one for NULL; NULL behind the last. */
const cli_offer *command_offer_next(const cli_command *command, const cli_offer *before);

/* The digit of a line of cli_command.codes, and what follows it. */
char command_code(const char *line, const char **about);

/* A message of the library with its names of parameters put as options; of names that are words as
 * well (bits, width) only those that a message about usage begins with, or joins to that one. */
void options_speak(char *text, size_t room, const char *message, bool usage);

#endif
