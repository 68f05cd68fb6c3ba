/* roff.h - escaped text as man(7) roff. */
#ifndef INK_CLI_ROFF_H
#define INK_CLI_ROFF_H

/* Text within a line; the same in capitals. */
void roff_plain(const char *text);
void roff_capitals(const char *text);

/* Paragraphs, with a blank line between them; options are bold. Ends the line. */
void roff_text(const char *text);

/* Unfilled lines. */
void roff_lines(const char *text);

/* A usage line, or a part of one: options are bold, values are italic. */
void roff_usage(const char *text);

/* A term and its text. */
void roff_term(const char *term, const char *about);

/* The title of a section, and that of a part of one. */
void roff_section(const char *title);
void roff_part(const char *title);

#endif
