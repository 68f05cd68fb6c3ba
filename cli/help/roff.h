/* roff.h - text as man(7) roff, in which every character stands for itself. */
#ifndef INK_CLI_ROFF_H
#define INK_CLI_ROFF_H

/* Text within a line; the same in capitals. */
void roff_plain(const char *text);
void roff_capitals(const char *text);

/* Text of paragraphs, with a blank line between them; options in it are bold. Ends the line. */
void roff_text(const char *text);

/* Lines as they stand. */
void roff_lines(const char *text);

/* A line of usage, or a part of one: options are bold, and what stands for a value is italic. */
void roff_usage(const char *text);

/* A term, and what it is about. */
void roff_term(const char *term, const char *about);

/* The title of a section, and that of a part of one. */
void roff_section(const char *title);
void roff_part(const char *title);

#endif
