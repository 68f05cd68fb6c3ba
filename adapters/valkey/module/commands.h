/* commands.h - the tables of commands, one for each family, and how the server hears of them. */
#ifndef INKLING_VALKEY_COMMANDS_H
#define INKLING_VALKEY_COMMANDS_H

#include "api.h"

#include <stdbool.h>

/* Where the keys of a command stand. */
typedef enum key_positions {
    KEYS_FIRST,       /* the first word */
    KEYS_ALL,         /* all words */
    KEYS_TO_AND_FROM, /* the first is written, all others are read */
    KEYS_NUMBERED,    /* the first is written; the second word says how many follow */
} key_positions;

typedef struct command {
    const char   *name; /* in lower case: the server shows it so */
    RM_Command   *run;
    int           arity;  /* with the name; negative: at least */
    char          access; /* of its first key: 'r'ead, 'i'nsert, 'u'pdate, 'd'elete, 'o'verwrite */
    key_positions keys;
    const char   *arguments; /* of COMMAND DOCS: words, [optional], item..., NAME for a token */
    const char   *summary;
    const char   *complexity;
} command;

/* Each ends with a command without a name. */
extern const command native_commands[], bloom_commands[], counts_commands[], top_commands[],
    cuckoo_commands[];

/* COMMANDS_TAKEN, and nothing is registered, if another module has the first one. */
enum { COMMANDS_TAKEN = -1 };
int commands_register(RM_Ctx *ctx, const command *table);

/* Before any of them, where the server has categories of modules. */
int commands_categories(RM_Ctx *ctx);

#endif
