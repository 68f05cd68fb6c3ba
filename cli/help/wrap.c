/* wrap.c - text that is at most 80 columns wide. */
#include "help/wrap.h"

#include "report/output.h"

#include <string.h>

enum { PAGE_COLUMNS = 80 };

void wrap_text(const char *text, size_t column, size_t indent)
{
    bool begun = false; /* there is a word on this line */

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
