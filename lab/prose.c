/* prose.c - text of findings as HTML. Marks are those of findings.h: `...` and ^. */
#include "prose.h"

#include <ctype.h>
#include <string.h>

/* From this number of digits on a whole number in text is grouped; tables group from four. */
enum { DIGITS_GROUPED = 5 };

/* What stands around code, and around a power. */
typedef struct marks {
    const char *code, *code_end, *power, *power_end;
} marks;

static const marks html_marks = {"<code>", "</code>", "<sup>", "</sup>"};
static const marks svg_marks = {"", "", "<tspan dy=\"-.45em\" font-size=\"75%\">",
                                "</tspan><tspan dy=\".34em\">\u200b</tspan>"};

void write_digits(writer *to, const char *digits, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        write_bytes(to, digits + i, 1);
        if ((count - i) % 3 == 1 && i + 1 < count)
            write_text(to, "\u202f");
    }
}

/* Up to the closing `; how many bytes that took. */
static size_t write_code(writer *to, const char *text, const marks *how)
{
    size_t length = strcspn(text + 1, "`");

    write_text(to, how->code);
    write_html_bytes(to, text + 1, length);
    write_text(to, how->code_end);
    return length + (text[1 + length] == '`' ? 2 : 1);
}

/* What is raised: what is in parentheses after ^, or letters and digits. */
static size_t write_power(writer *to, const char *text, const marks *how)
{
    bool   enclosed = text[1] == '(';
    size_t from = enclosed ? 2 : 1, length = 0;

    while (text[from + length] != '\0' &&
           (enclosed ? text[from + length] != ')' : isalnum((unsigned char)text[from + length])))
        length++;
    write_text(to, how->power);
    write_html_bytes(to, text + from, length);
    write_text(to, how->power_end);
    return from + length + (enclosed && text[from + length] == ')' ? 1 : 0);
}

/* Large whole numbers are grouped; digits of names and of fractions stay as they are. */
static size_t write_other(writer *to, const char *text, char before)
{
    size_t digits = strspn(text, "0123456789");

    if (digits >= DIGITS_GROUPED && strchr(" (\n", before) != NULL &&
        !isalpha((unsigned char)text[digits])) {
        write_digits(to, text, digits);
        return digits;
    }
    write_html_bytes(to, text, 1);
    return 1;
}

static void write_marked(writer *to, const char *text, const marks *how)
{
    char before = ' ';

    while (*text != '\0') {
        size_t taken = *text == '`'   ? write_code(to, text, how)
                       : *text == '^' ? write_power(to, text, how)
                                      : write_other(to, text, before);
        before = text[taken - 1];
        text += taken;
    }
}

void write_prose(writer *to, const char *text)
{
    write_marked(to, text, &html_marks);
}

void write_prose_svg(writer *to, const char *text)
{
    write_marked(to, text, &svg_marks);
}
