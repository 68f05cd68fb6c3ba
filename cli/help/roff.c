/* roff.c - escaped text as man(7) roff. */
#include "help/roff.h"

#include "report/output.h"

#include <ctype.h>
#include <string.h>

enum { SOURCE_COLUMNS = 64 }; /* of a line of text, without its escapes */

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

/* A source line ends at a full stop, as roff wants it. */
void roff_text(const char *text)
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

void roff_usage(const char *text)
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

void roff_plain(const char *text)
{
    put_escaped(text, strlen(text));
}

void roff_term(const char *term, const char *about)
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

void roff_capitals(const char *text)
{
    put_upper(text, strlen(text));
}

void roff_section(const char *title)
{
    out_text(".SH ");
    roff_capitals(title);
    out_text("\n");
}

void roff_part(const char *title)
{
    out_text(".SS ");
    put_upper(title, 1);
    out_text("\n");
}

void roff_lines(const char *text)
{
    for (const char *end = text; *end != '\0'; text = end + 1) {
        end = text + strcspn(text, "\n");
        put_word(text, (size_t)(end - text));
        out_text("\n");
    }
}
