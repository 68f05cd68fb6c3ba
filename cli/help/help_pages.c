/* help_pages.c - pages of help as text, at most 80 columns wide, from the tables of commands,
 * options and kinds. */
#include "help/help_pages.h"

#include "arguments/kind_params.h"
#include "options/kind_texts.h"
#include "options/quantities.h"
#include "report/output.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum { PAGE_COLUMNS = 80, SPELLED_BYTES = 64, MESSAGE_BYTES = 256, QUESTION_COLUMNS = 30 };

/* Prints a text in lines of PAGE_COLUMNS. The first line has `column` columns already, the others
 * are indented by `indent`. Blank lines stay, other line ends become blanks. */
static void wrap_text(const char *text, size_t column, size_t indent)
{
    bool begun = false; /* a word is on this line */

    for (;;) {
        size_t blanks = strspn(text, " \n"), length = strcspn(text + blanks, " \n");
        bool   paragraph = blanks >= 2 && memcmp(text, "\n\n", 2) == 0;
        if (length == 0)
            break;
        if (paragraph || (begun && column + 1 + length > PAGE_COLUMNS)) {
            out_format("%s\n%*s", paragraph ? "\n" : "", (int)indent, "");
            column = indent;
            begun = false;
        }
        out_text(begun ? " " : "");
        out_bytes(text + blanks, length);
        column += begun + length;
        begun = true;
        text += blanks + length;
    }
    out_text("\n");
}

/* ---- Options ------------------------------------------------------------------------------ */

/* "-p, --rate P", "    --in FORM", "-e KEY", "    --by[=COL]". */
static void spell(char text[SPELLED_BYTES], const cli_offer *offer)
{
    const cli_option *o = option_of(offer->id);
    char              letter[8] = "    ", value[32] = "";

    if (o->letter != 0)
        snprintf(letter, sizeof letter, "-%c%s", o->letter, o->name == NULL ? "" : ", ");
    if (o->value != VALUE_NONE)
        snprintf(value, sizeof value, offer->bare ? "[=%s]" : " %s", o->value_name);
    snprintf(text, SPELLED_BYTES, "%s%s%s%s", letter, o->name == NULL ? "" : "--",
             o->name == NULL ? "" : o->name, value);
}

static size_t widest(const cli_offer *offers)
{
    size_t width = 0;

    for (const cli_offer *offer = offers; offer->id != OPTION_END; offer++) {
        char text[SPELLED_BYTES];
        spell(text, offer);
        if (strlen(text) > width)
            width = strlen(text);
    }
    return width;
}

/* A term, and its text in a second column. */
static void print_term(const char *term, size_t width, const char *about)
{
    out_format("  %-*s  ", (int)width, term);
    wrap_text(about, width + 4, width + 4);
}

static void print_offer(const cli_offer *offer, size_t width, const char *about)
{
    char text[SPELLED_BYTES];

    spell(text, offer);
    print_term(text, width, about);
}

/* Offers come group by group. */
static void print_offers(const cli_command *command)
{
    size_t       width = widest(command->offers);
    option_group group = GROUP_LIMIT_;

    for (const cli_offer *offer = NULL; (offer = command_offer_next(command, offer)) != NULL;) {
        if (option_group_of(offer->id) != group)
            out_format("\n%s:\n", option_group_name(group = option_group_of(offer->id)));
        print_offer(offer, width, offer_about(offer));
    }
}

/* ---- Other parts of a page ---------------------------------------------------------------- */

static void print_usage(const cli_command *command)
{
    char line[MESSAGE_BYTES];

    snprintf(line, sizeof line, "ink %s %s%s", command->name, command->operands,
             command->offers->id == OPTION_END ? "" : " [options]");
    out_text("usage: ");
    wrap_text(line, strlen("usage: "), strlen("usage: ink "));
}

static void print_words(const cli_command *command)
{
    word_list  *words = command_listed(command);
    const char *word, *about;
    size_t      width = 0;

    if (words == NULL)
        return;
    out_format("\n%s:\n", command->words_title);
    for (size_t i = 0; (word = words(i, NULL)) != NULL; i++)
        if (strlen(word) > width)
            width = strlen(word);
    for (size_t i = 0; (word = words(i, &about)) != NULL; i++)
        print_term(word, width, about);
}

/* Examples are only indented. */
static void print_examples(const char *const *examples)
{
    if (*examples != NULL)
        out_text("\nexamples:\n");
    for (; *examples != NULL; examples++) {
        const char *line = *examples;
        for (const char *end; (end = strchr(line, '\n')) != NULL; line = end + 1)
            out_format("  %.*s\n", (int)(end - line), line);
        out_format("  %s\n", line);
    }
}

static void print_codes(const cli_command *command)
{
    out_text("\nexit codes:\n");
    for (const char *const *code = command->codes; *code != NULL; code++)
        print_term((const char[]){**code, '\0'}, 1, *code + strlen("0  "));
    out_text("  2  usage; 3  bad or incompatible file; 4  input/output; 5  memory or a limit\n");
}

/* The other commands of the same group, and the manual. */
static void print_see_also(const cli_command *const *all, const cli_command *command)
{
    char others[WORDS_BYTES] = "", line[MESSAGE_BYTES + WORDS_BYTES];

    for (; *all != NULL; all++)
        if (*all != command && strcmp((*all)->group, command->group) == 0)
            suggestions_add(others, ", ", (*all)->name);
    snprintf(line, sizeof line, "%s%s%sman ink-%s", *others == '\0' ? "" : "ink help ", others,
             *others == '\0' ? "" : "; ", command->name);
    out_text("\nsee also: ");
    wrap_text(line, strlen("see also: "), 2);
}

/* ---- Options and sizes of kinds ----------------------------------------------------------- */

bool kind_has_option(const char *kind, option_id id)
{
    const ink_kind_info info = kind_info(kind);

    if (id == OPTION_HEADROOM)
        return info.sized_by_keys && !info.made_whole;
    return sizes_kind_has(kind, id) && !(id == OPTION_KEYS && info.made_whole);
}

static void kind_option_about(const char *kind, const cli_offer *offer, char *text, size_t room)
{
    static const char all_filters[] = "filters: ";
    const char       *about = offer_about(offer), *part = about;
    size_t            length = strlen(kind);

    while (part != NULL && (strncmp(part, kind, length) != 0 || part[length] != ':')) {
        part = strstr(part, "; ");
        part = part == NULL ? NULL : part + 2;
    }
    if (part == NULL) { /* it applies to all kinds, or to all filters */
        bool filters = strncmp(about, all_filters, strlen(all_filters)) == 0;
        snprintf(text, room, "%s", about + (filters ? strlen(all_filters) : 0));
        return;
    }
    part += length + strlen(": ");
    const char *end = strchr(part, ';');
    snprintf(text, room, "%.*s", (int)(end == NULL ? strlen(part) : (size_t)(end - part)), part);
}

/* What a size promises, as the end of the text about it. */
static void promise(const ink_description *plan, char *text, size_t room)
{
    *text = '\0';
    if (plan->promised_rate > 0)
        snprintf(text, room, ", at a rate of %.3g", plan->promised_rate);
    else if (plan->epsilon > 0)
        snprintf(text, room,
                 ", %" PRIu32 " rows of %" PRIu64
                 " counters: too high by more than %.3g of the total with a chance of %.2g",
                 plan->depth, plan->width, plan->epsilon, plan->delta);
    else if (plan->phi > 0)
        snprintf(text, room, ", %" PRIu64 " counters: no key above %.3g of the total is missed",
                 plan->capacity, plan->phi);
    else if (plan->standard_error > 0)
        snprintf(text, room, ", a standard error of %.2g %%", 100 * plan->standard_error);
}

void kind_size(const char *kind, char *text, size_t room)
{
    enum { A_MILLION = 1000000 };
    const bool      by_keys = kind_info(kind).sized_by_keys;
    char            size[32], kept[160];
    ink_description plan;
    ink_params      params = {.kind = kind, .expected_keys = by_keys ? A_MILLION : 0};

    *text = '\0';
    if (ink_plan(&params, &plan, NULL) != INK_OK)
        return;
    promise(&plan, kept, sizeof kept);
    format_size(size, sizeof size, plan.bytes_max > 0 ? plan.bytes_max : plan.bytes);
    if (by_keys)
        snprintf(text, room, "%s for a million keys, %.1f bits each%s", size, plan.bits_per_key,
                 kept);
    else if (plan.bytes_max == 0)
        snprintf(text, room, "grows with its keys%s", kept);
    else
        snprintf(text, room, "%s%s%s", size, plan.bytes < plan.bytes_max ? " at most" : "", kept);
}

/* ---- Pages -------------------------------------------------------------------------------- */

void help_command(const cli_command *const *all, const cli_command *command)
{
    print_usage(command);
    out_text("\n");
    wrap_text(command->about, 0, 0);
    print_offers(command);
    print_words(command);
    print_examples(command->examples);
    print_codes(command);
    print_see_also(all, command);
}

void help_kind(const cli_command *build, const char *kind)
{
    const char *command, *question;
    char        size[MESSAGE_BYTES];
    size_t      width = widest(build->offers);

    out_format("%s, a kind of sketch\n\n", kind);
    wrap_text(kind_text_of(kind)->about, 0, 0);
    out_text("\nanswers:\n");
    for (size_t i = 0; (question = kind_question(kind, i, &command)) != NULL; i++)
        out_format("  %-*s  ink %s\n", QUESTION_COLUMNS, question, command);
    out_text("\noptions of ink build:\n");
    for (const cli_offer *offer = NULL; (offer = command_offer_next(build, offer)) != NULL;)
        if (kind_has_option(kind, offer->id)) {
            char about[MESSAGE_BYTES];
            kind_option_about(kind, offer, about, sizeof about);
            print_offer(offer, width, about);
        }
    kind_size(kind, size, sizeof size);
    out_text("\nsize by default: ");
    wrap_text(size, strlen("size by default: "), 2);
    print_examples(kind_text_of(kind)->examples);
}

void help_overview(const cli_command *const *all)
{
    char kinds[WORDS_BYTES] = "", line[MESSAGE_BYTES + WORDS_BYTES];

    for (size_t i = 0; ink_kind_name(i) != NULL; i++)
        suggestions_add(kinds, ", ", ink_kind_name(i));
    out_text("usage: ink COMMAND [options] [FILE...]\n\n");
    wrap_text("Sketches of data too big to keep: have I seen this key, how often, which are the "
              "most frequent, how many different ones; in little memory, with a known error bound.",
              0, 0);
    out_text("\n");
    for (const char *group = ""; *all != NULL; group = (*all++)->group)
        out_format("  %-8s  %-10s  %s\n", strcmp((*all)->group, group) != 0 ? (*all)->group : "",
                   (*all)->name, (*all)->summary);
    out_text("\n");
    snprintf(line, sizeof line,
             "ink help COMMAND explains a command, ink help KIND a kind: %s. See man "
             "ink.",
             kinds);
    wrap_text(line, 0, 0);
}
