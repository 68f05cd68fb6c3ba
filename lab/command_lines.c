/* command_lines.c - a long command line of the shell, in lines that can be read: one for each
 * command between semicolons, what stands in a loop two blanks further in, and what is still too
 * long goes on after a backslash. What is quoted or in parentheses is never broken; of a command
 * that has lines already, those that are too long are. */
#include "command_lines.h"

#include <string.h>

enum { SHORT_ENOUGH = 84, FURTHER_IN = 2, GOES_ON = 4, LONG_WORD = 56, WORD_MOST = 2048 };

typedef struct lines {
    writer     *to;
    const char *at;      /* what is still to be written */
    size_t      margin;  /* blanks before all lines */
    size_t      depth;   /* of loops */
    size_t      column;  /* of the line that is being written; 0: nothing is in it yet */
    bool        goes_on; /* the next line goes on with the command of this one */
} lines;

/* How long the word is that begins here: up to a blank that is not in quotes or parentheses. */
static size_t word_length(const char *text)
{
    char   quote = '\0';
    size_t open = 0, i = 0;

    for (; text[i] != '\0'; i++) {
        char c = text[i];
        if (c == '\\' && quote != '\'' && text[i + 1] != '\0')
            i++;
        else if (quote != '\0')
            quote = c == quote ? '\0' : quote;
        else if (c == '\'' || c == '"')
            quote = c;
        else if (c == '(')
            open++;
        else if (c == ')' && open > 0)
            open--;
        else if (c == ' ' && open == 0)
            break;
    }
    return i;
}

static bool is_word(const char *text, size_t length, const char *word)
{
    return length == strlen(word) && strncmp(text, word, length) == 0;
}

static bool joins(const char *text, size_t length)
{
    return is_word(text, length, "|") || is_word(text, length, "&&");
}

static bool opens(const char *text, size_t length)
{
    return is_word(text, length, "do") || is_word(text, length, "then");
}

static bool closes(const char *text, size_t length)
{
    if (length > 0 && text[length - 1] == ';')
        length--;
    return is_word(text, length, "done") || is_word(text, length, "fi");
}

/* The length of what comes up to the next end of a command, or join of two. */
static size_t command_length(const char *text)
{
    size_t length = 0;

    while (text[length] != '\0') {
        size_t word = word_length(text + length);
        if (joins(text + length, word))
            break;
        length += word;
        if (word > 0 && text[length - 1] == ';')
            break;
        length += text[length] == ' ';
    }
    return length;
}

static void end_line(lines *all, const char *how, bool goes_on)
{
    write_text(all->to, how);
    write_text(all->to, "\n");
    all->column = 0;
    all->goes_on = goes_on;
}

static void put_word(lines *all, size_t length)
{
    char   word[WORD_MOST];
    size_t indent = all->margin + FURTHER_IN * all->depth + (all->goes_on ? GOES_ON : 0);

    if (all->column == 0)
        for (; all->column < indent; all->column++)
            write_text(all->to, " ");
    else {
        write_text(all->to, " ");
        all->column++;
    }
    memcpy(word, all->at, length);
    word[length] = '\0';
    write_html(all->to, word);
    all->column += length > 0 ? length : 1;
}

/* Whether a word goes to the next line: it has no room in this one, an option none with its value
 * after it. A word that has no room anywhere stays. */
static bool wants_next_line(const lines *all, size_t length)
{
    const char *next = all->at + length + (all->at[length] == ' ');
    bool        needs_next = strchr("-<>", all->at[0]) != NULL && next[0] != '-';
    size_t      with = needs_next ? 1 + word_length(next) : 0;

    return all->column > 0 && all->column + 1 + length + with > SHORT_ENOUGH &&
           length + with <= LONG_WORD && !joins(all->at, length);
}

/* Writes a word, and ends the line after it where a command ends. */
static void take_word(lines *all)
{
    size_t      length = word_length(all->at);
    const char *next = all->at + length + (all->at[length] == ' ');
    size_t      next_length = word_length(next);
    bool        ends = length > 0 && all->at[length - 1] == ';';

    if (all->column == 0 && closes(all->at, length) && all->depth > 0)
        all->depth--;
    if (wants_next_line(all, length))
        end_line(all, " \\", true);
    put_word(all, ends && !opens(next, next_length) ? length - 1 : length);
    if (opens(all->at, length) && *next != '\0') {
        end_line(all, "", false);
        all->depth++;
    } else if (joins(all->at, length) && all->column + 1 + command_length(next) > SHORT_ENOUGH)
        end_line(all, "", true);
    else if (ends && !opens(next, next_length) && *next != '\0')
        end_line(all, "", false);
    all->at = next;
}

/* One line of the shell. */
static void write_one(writer *to, const char *command)
{
    size_t margin = strspn(command, " ");
    lines  all = {.to = to, .at = command + margin, .margin = margin};

    if (strlen(command) <= SHORT_ENOUGH) {
        write_html(to, command);
        return;
    }
    while (*all.at != '\0')
        take_word(&all);
}

/* The quote that is open after some text, if `quote` was before it; 0: none. */
static char quote_after(const char *text, size_t length, char quote)
{
    for (size_t i = 0; i < length; i++)
        if (text[i] == '\\' && quote != '\'')
            i++;
        else if (quote != '\0')
            quote = text[i] == quote ? '\0' : quote;
        else if (text[i] == '\'' || text[i] == '"')
            quote = text[i];
    return quote;
}

/* What is quoted over several lines stays as it is, and so does a here-document. */
void write_command_lines(writer *to, const char *command)
{
    char line[WORD_MOST], quote = '\0';
    bool kept = strstr(command, "<<") != NULL;

    while (*command != '\0') {
        size_t length = strcspn(command, "\n");
        char   open = quote_after(command, length, quote);
        if (kept || quote != '\0' || open != '\0' || length >= sizeof line)
            write_html_bytes(to, command, length);
        else {
            memcpy(line, command, length);
            line[length] = '\0';
            write_one(to, line);
        }
        quote = open;
        command += length;
        if (*command == '\n') {
            write_text(to, "\n");
            command++;
        }
    }
}
