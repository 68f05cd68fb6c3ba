/* commands.h - all commands. A new one is a file commands/X.c and its name in the list here.
 *
 * The folder cli/commands has one file for each command; list.c has them all. Read filter.c as an
 * example. */
#ifndef INK_CLI_COMMANDS_COMMANDS_H
#define INK_CLI_COMMANDS_COMMANDS_H

#include "inkling_job.h"
#include "options/options.h"

/* clang-format off */
/* In the order of help, those of a group together. */
#define COMMANDS(X)                                                                                \
    X(plan) X(build) X(add) X(remove) X(filter) X(count) X(top) X(distinct) X(uniq) X(dedup) X(dot) X(overlap) \
    X(info) X(verify) X(merge) X(fold) X(convert) X(stream) X(map) X(reduce) X(gen) X(lab) X(completion) X(help)      \
    X(version)

#define DECLARE_COMMAND(name) extern const cli_command command_##name;
COMMANDS(DECLARE_COMMAND)

/* All of them, up to a NULL. */
extern const cli_command *const all_commands[];

/* NULL if there is none of this name; then a line has been printed. */
const cli_command *command_named(const char *name);

/* Prints verification results (verify.c): a row for each sketch, and in text a summary, unless
 * --quiet is given. Returns CODE_YES if all promises were kept, CODE_NO if not, or the code of an
 * error. */
int verify_print(const cli_arguments *arguments, const ink_verification *verification);

/* The lists of a command's definition, each with its end. */
#define OFFER_AS(option, text) {.id = OPTION_##option, .about = text}
/* Records for sketches that are built already. */
#define OFFERS_MORE_RECORDS                                                                        \
    OFFERS_RECORDS, OFFER(WEIGHT), OFFER_AS(BY, "the column that names the group of a record"),    \
        OFFER(ROUND), OFFER_AS(SECRET, "the secret that the sketches were built with")
/* A file of sketches may be one of another system: where records are read too, and where not. */
#define OFFER_FOREIGN(option, text) {.id = OPTION_##option, .about = text, .foreign = true}
#define OFFERS_FOREIGN OFFER(FROM), OFFER_FOREIGN(FUNNEL, NULL)
#define OFFERS_FOREIGN_BESIDE                                                                      \
    OFFERS_FOREIGN,                                                                                \
        OFFER_FOREIGN(HASH, "with --from: the hash of keys, of a format that has several"),        \
        OFFER_FOREIGN(BITS, "with --from index-list: the size of the filter"),                     \
        OFFER_FOREIGN(HASHES, "with --from index-list: hashes of a key")
#define OFFER_FOREIGN_PRECISION                                                                    \
    OFFER_FOREIGN(PRECISION, "with --from datasketches-theta or puffin: at most 2^N values (default 12)")
#define OFFERS_FOREIGN_ALONE                                                                       \
    OFFERS_FOREIGN_BESIDE, OFFER_FOREIGN_PRECISION,                                                \
        OFFER_FOREIGN(KEY, "parquet: the column of the filters; puffin: the field id of a column"),                                  \
        OFFER_FOREIGN(KEY_TYPE, "with --from: the type of keys, where the file does not say it: "  \
                                "bytes (the default) or int")
#define OFFERS(...) (const cli_offer[]){__VA_ARGS__, {.id = OPTION_END}}
#define LINES(...) (const char *const[]){__VA_ARGS__, NULL}
/* clang-format on */

#endif
