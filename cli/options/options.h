/* options.h - the options of all commands, in one table that parsing, help, manuals and completion
 * read. A command offers some of them.
 *
 * The folder cli/options is the one table of options, the texts about kinds, and numbers as people
 * write them. Everything in cli uses it. */
#ifndef INK_CLI_OPTIONS_OPTIONS_H
#define INK_CLI_OPTIONS_OPTIONS_H

#include "inkling.h"
#include "options/suggestions.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum option_id {
    OPTION_END = 0, /* ends a list of offers */
#define OPTION(id, ...) OPTION_##id,
#include "options/option_list.h"
#undef OPTION
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
    VALUE_FACTOR, /* a number from `low` to `high`, perhaps followed by an x */
    VALUE_TIME,   /* a time from `low` to `high` microseconds */
    VALUE_PACE,   /* such a time, with its unit, or else a whole number from 1 */
} option_value;

typedef struct cli_option {
    const char        *name; /* without its dashes; NULL if it has only a letter */
    const char        *about;
    char               letter; /* 0: none */
    option_value       value;
    const char        *value_name; /* in help */
    const char *const *choices;    /* ends with NULL */
    word_list         *words;      /* the words that its text may be ... */
    bool               begins;     /* ... or begin with */
    uint64_t           low, high;
    bool               repeats; /* may be given more than once */
    bool               empty;   /* its text may be empty */
    bool               reads;   /* its file is read, and - is standard input; without a value:
                                   it reads standard input */
} cli_option;

/* Option `id`; never NULL. */
const cli_option *option_of(option_id id);
/* Its name in messages: "--rate", or "-e". Valid until the second call after this one. */
const char *option_name(option_id id);
/* Word number `index` of those that its value may be; NULL after the last. */
const char  *option_word(const cli_option *option, size_t index);
option_group option_group_of(option_id id);
const char  *option_group_name(option_group group);

/* An option that a command has. */
typedef struct cli_offer {
    option_id   id;
    const char *about;      /* its meaning there; NULL: the option's own */
    bool        bare;       /* its value is optional, and taken only after a = ... */
    option_id   bare_after; /* ... or only if this option was given before */
    bool        foreign;    /* it is about files of other systems alone */
    uint64_t    low;        /* the least number there; 0: the option's own */
    bool        apart;      /* conflicts that it has elsewhere are allowed there */
} cli_offer;

/* The formats of other systems. */
const char *foreign_words(size_t index, const char **about);

/* The help text of an offered option. */
const char *offer_about(const cli_offer *offer);

/* Offers that come together: reading records, their times, hashing keys, sizes of kinds, and forms
 * of a report. */
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
#define OFFERS_RUN                                                                                 \
    OFFER(NO_PROGRESS),                                                                            \
    {                                                                                              \
        .id = OPTION_STATS, .bare = true                                                           \
    }

typedef struct cli_arguments cli_arguments;

typedef struct cli_command {
    const char        *group; /* heading in the list of commands: one word */
    const char        *name;
    const char        *operands;         /* as in the line of usage */
    const char        *summary;          /* a few words, for the list of commands */
    const char        *about;            /* a paragraph of help */
    const cli_offer   *offers;           /* ends with OPTION_END */
    const char *const *examples;         /* ends with NULL */
    const char *const *codes;            /* "0  meaning" for each exit code; ends with NULL */
    word_list         *words;            /* values of its first operand; NULL: a file */
    word_list         *listed;           /* words that help lists; NULL: those */
    const char        *words_title;      /* of their list in help; NULL: not listed there */
    bool               suggestions_join; /* several of them may be joined by commas */
    size_t             data_from; /* operands from this number on, from 1, are data, which is else
                                     standard input; 0: none is */
    bool writes_last;             /* the last operand is an output */
    bool asks_data;               /* with -e all operands are data; else -e takes its place */
    int (*run)(const cli_arguments *arguments);
} cli_command;

typedef struct option_given {
    bool        given;
    const char *text; /* as typed; NULL if there is no value */
    uint64_t    number;
    double      real;
    bool        timed; /* the number is a time, in microseconds */
} option_given;

/* One value of an option that repeats. */
typedef struct option_item {
    option_id   id;
    const char *text;
} option_item;

struct cli_arguments {
    const cli_command *command;
    option_given       options[OPTION_LIMIT_];
    const char       **operands;
    size_t             operand_count;
    option_item       *items; /* in the order of the command line */
    size_t             item_count;
};

/* The offer of an option, or NULL if the command does not have it. */
const cli_offer *command_offer(const cli_command *command, option_id id);
/* Iterates over the offers in the order of option_id: the one after `before` (NULL: the first);
 * NULL after the last. */
const cli_offer *command_offer_next(const cli_command *command, const cli_offer *before);

/* The words that help lists, under words_title; NULL: none. */
word_list *command_listed(const cli_command *command);

/* The text of a failure with options where the library names parameters. */
void options_text(const ink_error *error, char *text, size_t room);

#endif
