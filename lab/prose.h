/* prose.h - text of findings as HTML: what can be typed as code, powers raised, and the digits of
 * large whole numbers in groups. */
#ifndef LAB_PROSE_H
#define LAB_PROSE_H

#include "writer.h"

/* Digits with thin spaces between thousands: 1260817 is hard to read. */
void write_digits(writer *to, const char *digits, size_t count);
/* A paragraph, a title or a name, as HTML. */
void write_prose(writer *to, const char *text);
/* The same within SVG, which has other means. */
void write_prose_svg(writer *to, const char *text);

#endif
