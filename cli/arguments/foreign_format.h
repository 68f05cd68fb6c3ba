/* foreign_format.h - formats of other systems that a command line names: --from, --to, --as,
 * --funnel. */
#ifndef INK_CLI_ARGUMENTS_FOREIGN_FORMAT_H
#define INK_CLI_ARGUMENTS_FOREIGN_FORMAT_H

#include "inkling_foreign.h"
#include "inkling_job.h"
#include "options/options.h"

/* How a file of sketches is read, from --from and the options that go with it; *options becomes
 * NULL without --from, unless --key may name a column of its filters. `beside_data`: --key names a
 * column of data, too. The pointer lives as long as the program. */
int foreign_read(const cli_arguments *arguments, bool beside_data,
                 const ink_foreign_options **options);

/* Gives that to the inputs of a job that are files of sketches, if they are no data. */
int foreign_inputs(const cli_arguments *arguments, bool beside_data, ink_input *inputs,
                   size_t input_count);

/* Whether an option describes the file of another system, where it is else about data: by the
 * format of --from, or --key, if the first operand surely is one. */
bool foreign_takes(const cli_arguments *arguments, option_id id);

/* Sets hash and keys by --funnel of --as `format` (NULL: there is none). */
int foreign_funnel(const cli_arguments *arguments, const char *format, ink_params *params,
                   ink_keys *keys);

/* Writes a sketch to the path (or to standard output) as the format of --to or --as has it. A
 * sketch that the format does not have is of the file `from`; NULL: it was made for the path. */
int foreign_save(const cli_arguments *arguments, const char *path, const char *format,
                 const ink_sketch *sketch, const char *from);

/* Refuses a name of no format, or with `write` of one that is only read. */
int foreign_check(option_id id, const char *format, bool write);

/* The kind of sketch that a format holds. */
const char *foreign_kind(const char *format);

/* What a file of a format does not say of a sketch; NULL: it says all. */
const char *foreign_unsaid(const char *format);

#endif
