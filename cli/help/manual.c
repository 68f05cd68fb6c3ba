/* manual.c - manual pages, as man(7) roff, from the tables of commands, options and kinds. */
#include "help/help_pages.h"

#include "options/kind_texts.h"
#include "report/output.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* Pages have the date of the version, not of the build, so that builds are reproducible. */
#define VERSION_DAY "2026-11-16"

enum { MESSAGE_BYTES = 256, SOURCE_COLUMNS = 64 /* of a line, without its escapes */ };

typedef struct manual_term {
    const char *term;
    const char *about;
} manual_term;

/* ---- What holds for all commands ---------------------------------------------------------- */

static const char description[] =
    "ink builds sketches of data too big to keep, and queries them: have I seen this key, how "
    "often, which are the most frequent, how many different ones are there. A sketch takes as much "
    "memory as you choose, and its error bound is known before any data is read.\n\n"
    "Records come from files and pipes; each has a key, perhaps also a group and a weight. A "
    "sketch file contains one sketch, or one for each group and kind. Its bytes do not depend on "
    "the number of threads, and for most kinds not on the order of the keys (all but top, scalable "
    "and a conservative count-min), so merging the sketches of parts gives the sketch of the "
    "whole.";

static const manual_term number_terms[] = {
    {"1e6, 1.5e6, 1000000", "Counts are whole numbers, also with an exponent."},
    {"64M", "Bytes may end with K, M, G or T: powers of 1024."},
    {"0.01, 1e-4", "Rates and shares lie between 0 and 1."},
    {"4x", "A factor."},
    {NULL, NULL},
};

static const manual_term record_terms[] = {
    {"lines, csv, tsv, nul, jsonl, u32, u64",
     "--in sets the record format: by default lines, or "
     "the format of the file name for .csv, .tsv, "
     ".jsonl, .ndjson and .json. Records of nul end with a "
     "NUL byte; u32 and u64 are little-endian integers."},
    {"fields",
     "-d C separates the fields of lines, --fields takes runs of blanks and tabs, as awk does; CSV "
     "and TSV have theirs."},
    {"columns",
     "--key, --by and --weight name a column: a number from 1, a name in the header (with "
     "--header), or the path of a JSON value, such as user.id or tags[0]. Without --key the whole "
     "record is the key; several columns, separated by commas, are one key. A name that contains a "
     "comma or begins with a quote stands in quotes, as in CSV: --key '\"last, first\",year'."},
    {"groups",
     "With --by there is one sketch for each value of a column; --round makes groups of decimal "
     "numbers."},
    {"integers",
     "--key-type int takes keys as numbers: 1, 01 and +1 are one key. As bytes, the default, they "
     "are three."},
    {"input spec",
     "The sketch file stores how its records were read; filter, verify, add and remove read "
     "records in the same way. Options on the command line take precedence, then the suffix of the "
     "data file: columns by name are found there, columns by number are refused in another "
     "format."},
    {"bad records", "A record that cannot be read is an error, with its file and line, and nothing "
                    "is written; --bad skip skips such records and reports how many there were. "
                    "The input spec stores it."},
    {NULL, NULL},
};

static const manual_term file_terms[] = {
    {"-", "Standard input, the default without a file; with -o standard output."},
    {"FILE.gz, FILE.zst", "gzip and zstd are decompressed, whatever the file name (for integers: "
                          "by the name). A zstd frame with a window above 8 MiB is refused."},
    {"FILE.ink",
     "A sketch file; the name is free. It is replaced atomically: written to a temporary file "
     "beside it and renamed. An existing file, or one that appears meanwhile, is replaced only "
     "with "
     "--force; add and remove change theirs, one after the other if several run at once. A "
     "symbolic "
     "link is followed."},
    {NULL, NULL},
};

static const manual_term code_terms[] = {
    {"0", "Yes, or done."},
    {"1", "No, none, or a promise that is broken."},
    {"2", "The command line is wrong."},
    {"3", "A file is bad or incompatible."},
    {"4", "The operating system refused to read or write."},
    {"5", "Memory, or another limit."},
    {NULL, NULL},
};

static const manual_term environment_terms[] = {
    {"TMPDIR", "The folder for temporary files, unless --temp names one; else /tmp."},
    {"NO_COLOR", "If it is set and not empty, nothing has colours on a terminal."},
    {"TERM", "If it is not set, or dumb, nothing has colours either."},
    {"LC_ALL, LC_CTYPE, LANG", "If the first of them that is set and not empty names UTF-8, ink "
                               "plan prints its bars with blocks, else with #."},
    {"INK_CPU",
     "The instruction set to use: scalar, avx2, avx512bw, avx512 or neon; by default the best "
     "there is, which ink version --tuning prints."},
    {"mapreduce_task_attempt_id",
     "If it is set, ink map and ink reduce are tasks of Hadoop Streaming: they report counters and "
     "progress on standard error, and write error lines to the job's folder."},
    {"mapreduce_map_input_file, mapreduce_map_input_start",
     "The file that ink map reads on standard input, whose suffix sets its format, and the byte "
     "where its split starts."},
    {"mapreduce_job_reduces, mapreduce_task_partition",
     "How many reducers there are, and which of them this is, unless --buckets and --bucket are "
     "given."},
    {"mapreduce_task_ismap, mapreduce_map_cpu_vcores, mapreduce_reduce_cpu_vcores",
     "How many threads a task runs, unless --threads is given; 1 if they are not set."},
    {"mapreduce_task_output_dir, mapreduce_output_fileoutputformat_outputdir",
     "The folder for the task's result, unless -o names a file, and that of the job, where error "
     "lines go, to _errors."},
    {"INK_WEBHDFS, dfs_namenode_http_address",
     "Where the NameNodes of these folders listen: HOST:PORT, several with commas between."},
    {"INK_HDFS_USER, HADOOP_USER_NAME, USER", "Who writes there: the first of them that is set."},
    {NULL, NULL},
};

static const char *const overview_examples[] = {
    "ink plan bloom -n 1e6              # how large will it be?",
    "ink build bloom -o seen.ink words.txt",
    "ink filter -v seen.ink more.txt    # lines that are surely new",
    "ink build top,hll --fields --key 1 -o hosts.ink access.log",
    "ink top hosts.ink                  # who comes most often?",
    "ink distinct hosts.ink             # how many different ones?",
    NULL,
};

/* ---- Escaped text ------------------------------------------------------------------------- */

static void put_escaped(const char *text, size_t length)
{
    static const struct {
        char        plain;
        const char *escape;
    } escapes[] = {{'\\', "\\e"},  {'-', "\\-"},   {'\'', "\\(aq"},
                   {'`', "\\(ga"}, {'^', "\\(ha"}, {'~', "\\(ti"}};

    for (size_t i = 0; i < length; i++) {
        const char *escape = NULL;
        for (size_t e = 0; e < sizeof escapes / sizeof *escapes; e++)
            if (escapes[e].plain == text[i])
                escape = escapes[e].escape;
        if (escape != NULL)
            out_text(escape);
        else
            out_bytes(text + i, 1);
    }
}

/* A line that begins with a dot would be a request. */
static void put_word(const char *word, size_t length)
{
    if (length > 0 && *word == '.')
        out_text("\\&");
    put_escaped(word, length);
}

/* The length of the option name that a word begins with; 0: none. */
static size_t option_length(const char *word, size_t length)
{
    size_t dashes = strspn(word, "-"), end = dashes;

    if (dashes == 0 || dashes > 2 || !isalpha((unsigned char)word[dashes]))
        return 0;
    while (end < length && (isalnum((unsigned char)word[end]) || word[end] == '-'))
        end++;
    return end;
}

/* One word of a text; an option is bold. */
static void put_text_word(const char *word, size_t length)
{
    size_t bold = option_length(word, length);

    if (bold > 0) {
        out_text("\\fB");
        put_escaped(word, bold);
        out_text("\\fR");
    }
    put_word(word + bold, length - bold);
}

/* Paragraphs, with a blank line between them; ends the line. A source line ends at a full stop, as
 * roff wants it. */
static void roff_text(const char *text)
{
    size_t column = 0;
    bool   ended = false; /* by a full stop */

    for (;;) {
        size_t blanks = strspn(text, " \n"), length = strcspn(text + blanks, " \n");
        bool   paragraph = column > 0 && blanks >= 2 && memcmp(text, "\n\n", 2) == 0;
        bool   begins = ended && isupper((unsigned char)text[blanks]);
        bool   new_line = paragraph || begins || column + length > SOURCE_COLUMNS;
        if (length == 0)
            break;
        if (column > 0)
            out_text(paragraph ? "\n.PP\n" : new_line ? "\n" : " ");
        put_text_word(text + blanks, length);
        column = new_line ? length : column + length + 1;
        text += blanks + length;
        ended = text[-1] == '.' || text[-1] == '?';
    }
    if (column > 0)
        out_text("\n");
}

/* A usage line, or a part of one: options are bold, values are italic. */
static void roff_usage(const char *text)
{
    while (*text != '\0') {
        size_t      length = 0;
        const char *font = "";
        while (isupper((unsigned char)text[length]))
            length++;
        if (length > 0)
            font = "\\fI";
        else if ((length = option_length(text, strlen(text))) > 0)
            font = "\\fB";
        else
            length = 1;
        out_text(font);
        put_escaped(text, length);
        out_text(*font == '\0' ? "" : "\\fR");
        text += length;
    }
}

static void roff_plain(const char *text)
{
    put_escaped(text, strlen(text));
}

static void roff_term(const char *term, const char *about)
{
    out_text(".TP\n\\fB");
    roff_plain(term);
    out_text("\\fR\n");
    roff_text(about);
}

/* Text with its first `count` letters in upper case. */
static void put_upper(const char *text, size_t count)
{
    for (size_t i = 0; text[i] != '\0'; i++)
        put_escaped(&(char){(char)(i < count ? toupper((unsigned char)text[i]) : text[i])}, 1);
}

static void roff_section(const char *title)
{
    out_text(".SH ");
    put_upper(title, SIZE_MAX);
    out_text("\n");
}

static void roff_part(const char *title)
{
    out_text(".SS ");
    put_upper(title, 1);
    out_text("\n");
}

/* Unfilled lines. */
static void roff_lines(const char *text)
{
    for (const char *end = text; *end != '\0'; text = end + 1) {
        end = text + strcspn(text, "\n");
        put_word(text, (size_t)(end - text));
        out_text("\n");
    }
}

/* ---- Parts of a page ---------------------------------------------------------------------- */

/* Paragraphs, and terms up to one that is NULL. */
static void put_section(const char *title, const char *about, const manual_term *terms)
{
    roff_section(title);
    roff_text(about);
    for (; terms->term != NULL; terms++)
        roff_term(terms->term, terms->about);
}

static void put_examples(const char *const *examples)
{
    if (*examples == NULL)
        return;
    roff_section("examples");
    out_text(".EX\n");
    for (; *examples != NULL; examples++)
        roff_lines(*examples);
    out_text(".EE\n");
}

static void put_title(const char *name, const char *summary)
{
    out_text(".\\\" Made by \"ink help --man\"; changes belong into the tables of the command.\n"
             ".TH ");
    put_upper(name, SIZE_MAX);
    out_format(" 1 \"" VERSION_DAY "\" \"Inkling %s\" \"Inkling\"\n.SH NAME\n", ink_version());
    roff_plain(name);
    out_text(" \\- ");
    roff_plain(summary);
    out_text("\n.SH SYNOPSIS\n");
}

/* ---- A command ---------------------------------------------------------------------------- */

/* "-p P, --rate P", as the term of a paragraph. */
static void put_option(const cli_offer *offer)
{
    const cli_option *o = option_of(offer->id);

    out_text(".TP\n");
    if (o->letter != 0)
        out_format("\\fB\\-%c\\fR", o->letter);
    if (o->letter != 0 && o->name != NULL)
        out_text(", ");
    if (o->name != NULL) {
        out_text("\\fB\\-\\-");
        roff_plain(o->name);
        out_text("\\fR");
    }
    if (o->value != VALUE_NONE) {
        out_text(offer->bare ? "[=" : " ");
        roff_usage(o->value_name);
        out_text(offer->bare ? "]" : "");
    }
    out_text("\n");
    roff_text(offer_about(offer));
}

/* Offers come group by group; a command's own have no title. */
static void put_options(const cli_command *command)
{
    option_group group = GROUP_OWN;

    if (command->offers->id != OPTION_END)
        roff_section("options");
    for (const cli_offer *offer = NULL; (offer = command_offer_next(command, offer)) != NULL;) {
        if (option_group_of(offer->id) != group)
            roff_part(option_group_name(group = option_group_of(offer->id)));
        put_option(offer);
    }
}

static void put_words(const cli_command *command)
{
    word_list  *words = command_listed(command);
    const char *word, *about;

    if (words == NULL)
        return;
    roff_section(command->words_title);
    for (size_t i = 0; (word = words(i, &about)) != NULL; i++)
        roff_term(word, about);
}

static void put_codes(const cli_command *command)
{
    roff_section("exit status");
    for (const char *const *code = command->codes; *code != NULL; code++)
        roff_term((const char[]){**code, '\0'}, *code + strlen("0  "));
    out_text(".PP\n");
    roff_text("A status above 1 is an error, see ink(1).");
}

/* The other commands of a group, or all commands; each but the last has a comma. */
static void put_references(const cli_command *const *all, const cli_command *but)
{
    const char *before = but == NULL ? "" : ".BR ink (1)";

    roff_section("see also");
    for (; *all != NULL; all++) {
        if (but != NULL && (*all == but || strcmp((*all)->group, but->group) != 0))
            continue;
        out_format("%s%s.BR ink\\-", before, *before == '\0' ? "" : " ,\n");
        roff_plain((*all)->name);
        before = " (1)";
    }
    out_format("%s\n", before);
}

void manual_command(const cli_command *const *all, const cli_command *command)
{
    char name[MESSAGE_BYTES];

    snprintf(name, sizeof name, "ink-%s", command->name);
    put_title(name, command->summary);
    out_format("\\fBink %s\\fR%s", command->name, *command->operands == '\0' ? "" : " ");
    roff_usage(command->operands);
    out_text(command->offers->id == OPTION_END ? "\n" : " [\\fIoptions\\fR]\n");
    roff_section("description");
    roff_text(command->about);
    put_options(command);
    put_words(command);
    put_examples(command->examples);
    put_codes(command);
    put_references(all, command);
}

/* ---- The page about all of them ----------------------------------------------------------- */

static void put_commands(const cli_command *const *all)
{
    roff_section("commands");
    for (const char *group = ""; *all != NULL; group = (*all++)->group) {
        if (strcmp((*all)->group, group) != 0)
            roff_part((*all)->group);
        roff_term((*all)->name, (*all)->summary);
    }
}

static void put_kind(const cli_command *build, const char *kind)
{
    const char *question, *command;
    char        text[MESSAGE_BYTES];

    roff_term(kind, kind_text_of(kind)->about);
    for (size_t i = 0; (question = kind_question(kind, i, &command)) != NULL; i++) {
        out_text(".br\n\\fBink ");
        roff_plain(command);
        out_format("\\fR: %s\n", question);
    }
    out_text(".br\nOptions of ink build:\n");
    for (const cli_offer *offer = NULL; (offer = command_offer_next(build, offer)) != NULL;)
        if (kind_has_option(kind, offer->id))
            roff_text(option_name(offer->id));
    kind_size(kind, text, sizeof text);
    out_text(".br\nSize by default:\n");
    roff_text(text);
}

/* How keys are hashed; the library gives the defaults. */
static void put_hashing(void)
{
    const ink_params params = {.kind = "hll"};
    ink_description  plan = {0};
    char             text[4 * MESSAGE_BYTES];

    ink_plan(&params, &plan, NULL);
    snprintf(text, sizeof text,
             "--hash names how keys are hashed: with %s, and integers with mix64, by default. The "
             "seed of both is %" PRIu64 ", that of other hashes 0, unless --seed names "
             "one; mmh3 takes this and the next ones, one for each of its hashes. Sketches can be "
             "merged or multiplied only if all of these are equal. A seed is no secret; with "
             "--secret, keys that collide cannot be chosen without knowing the secret.",
             plan.hash, plan.seed);
    roff_term("hash and seed", text);
}

void manual_overview(const cli_command *const *all, const cli_command *build)
{
    put_title("ink", "sketches of data too big to keep");
    out_text("\\fBink\\fR \\fICOMMAND\\fR [\\fIoptions\\fR] [\\fIFILE\\fR...]\n");
    roff_section("description");
    roff_text(description);
    put_commands(all);
    roff_section("kinds of sketches");
    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        put_kind(build, ink_kind_name(i));
    put_section("records and keys",
                "Options may stand anywhere after the command; -- ends them. These set how records "
                "are read.",
                record_terms);
    put_hashing();
    put_section("numbers", "", number_terms);
    put_section("files", "", file_terms);
    put_section("exit status",
                "As with grep, a status above 1 is an error; then there is one line on standard "
                "error.",
                code_terms);
    put_section("environment", "", environment_terms);
    roff_section("signals");
    roff_text(
        "SIGINT, SIGTERM and SIGHUP stop ink: temporary and unfinished files are removed, "
        "existing files stay. A second signal meanwhile changes nothing, a third ends ink at once. "
        "If standard output is closed, ink stops with exit status 0; "
        "map and reduce, whose partial output is worthless, with 4.");
    put_examples(overview_examples);
    put_references(all, NULL);
}
