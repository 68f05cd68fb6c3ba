/* writer.h - text on its way to a sink, with what HTML and JSON need escaped. The first failure
 * stays, and is reported at the end. */
#ifndef LAB_WRITER_H
#define LAB_WRITER_H

#include "inkling.h"
#include "workbench/findings.h"

typedef struct writer {
    const ink_sink *sink;
    int             os_error; /* the first failure; 0: none */
    size_t          used;
    char            buffer[8192];
} writer;

void write_bytes(writer *to, const char *bytes, size_t count);
void write_text(writer *to, const char *text);
void write_format(writer *to, const char *format, ...) LAB_PRINTF(2, 3);
/* Text as it stands in HTML, also within quotes; and as a string of JSON, with its quotes. */
void write_html(writer *to, const char *text);
void write_html_bytes(writer *to, const char *text, size_t count);
void write_json(writer *to, const char *text);
/* A number as JSON has it: the shortest that is read as the same; null if there is none. */
void write_json_number(writer *to, double number);
/* What waits goes to the sink; returns the first failure. */
ink_status write_end(writer *to, ink_error *error);

#endif
