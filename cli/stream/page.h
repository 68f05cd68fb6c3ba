/* page.h - the status page: page.html, embedded by scripts/embed_page.sh. */
#ifndef INK_CLI_STREAM_PAGE_H
#define INK_CLI_STREAM_PAGE_H

#include <stddef.h>

extern const unsigned char page_html[];
extern const size_t        page_html_bytes;
/* The Content-Security-Policy: its own style and script, by their hashes, and nothing else. */
extern const char page_policy[];

#endif
