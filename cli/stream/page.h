/* page.h - the page of the live view: page.html as scripts/embed_page.sh puts it into the program.
 */
#ifndef INK_CLI_STREAM_PAGE_H
#define INK_CLI_STREAM_PAGE_H

#include <stddef.h>

extern const unsigned char page_html[];
extern const size_t        page_html_bytes;
/* The Content-Security-Policy that lets its own style and script work, by their hashes, and nothing
 * else. */
extern const char page_policy[];

#endif
