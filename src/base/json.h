/* json.h - values found by their paths in a JSON text [RFC 8259], without a tree and without
 * memory: a line of JSONL, or the answer of a server.
 *
 *     ink__json_path paths[2];
 *
 *     INK__TRY(ink__json_path_create(&paths[0], "user.id", error));
 *     INK__TRY(ink__json_path_create(&paths[1], "tags[0]", error));
 *     ...
 *     INK__TRY(ink__json_find(bytes, start, end, paths, 2, values, error)); */
#ifndef INK_BASE_JSON_H
#define INK_BASE_JSON_H

#include "inkling.h"

enum {
    INK__JSON_PATHS_MAX = 32,        /* that are looked for at once */
    INK__JSON_STEPS_MAX = 16,        /* of a path */
    INK__JSON_NAMES_BYTES_MAX = 512, /* of the names in a path, together */
    INK__JSON_DEPTH_MAX = 1024,      /* of containers in containers */
};

/* One step down: to the member of this name, or to the element of this index. */
typedef struct ink__json_step {
    bool     is_index;
    uint16_t name_at, name_bytes; /* in the names of the path */
    uint64_t index;               /* from 0 */
} ink__json_step;

/* A path, such as `id`, `user.id`, `tags[0]` or `a.b[2].c`. A name that holds dots, brackets or
 * quotes, or nothing, stands in brackets and quotes, with the escapes of JSON: `["odd.key"].x`. An
 * index has at most 18 digits. Refers to nothing outside of itself: it may be copied. */
typedef struct ink__json_path {
    size_t         step_count;
    ink__json_step steps[INK__JSON_STEPS_MAX];
    uint8_t        names[INK__JSON_NAMES_BYTES_MAX];
} ink__json_path;

/* INK_USAGE, at the byte of `text` where it shows, for what is no path or is beyond the limits. */
ink_status ink__json_path_create(ink__json_path *path, const char *text, ink_error *error);

typedef enum ink__json_kind {
    INK__JSON_MISSING = 0, /* the text has nothing there */
    INK__JSON_NULL,
    INK__JSON_STRING,
    INK__JSON_NUMBER,
    INK__JSON_TRUE,
    INK__JSON_FALSE,
    INK__JSON_CONTAINER, /* an object or an array */
} ink__json_kind;

typedef struct ink__json_value {
    ink__json_kind kind;
    uint64_t       start, end; /* of its text; of a string without its quotes */
    bool           escaped;    /* there are escapes in the string still: see ink__json_unescape */
} ink__json_value;

/* Finds the values at `count` paths, at most INK__JSON_PATHS_MAX, in the text from `start` up to
 * `end`. All of it is read, whatever is wanted of it. INK_FORMAT, at the byte of the text where it
 * shows, unless it is one JSON object, or array if one of the paths starts with an index,
 * with nothing but blanks around it; the values mean nothing then.
 * Of members with the same name the last one counts, as in Python and JavaScript. Names are
 * compared as they are with their escapes undone. Bytes from 0x80 on pass as they are, UTF-8 or
 * not, as keys are bytes everywhere; an escape that is half of a surrogate pair is refused, as no
 * bytes say it. */
ink_status ink__json_find(const uint8_t *bytes, uint64_t start, uint64_t end,
                          const ink__json_path *paths, size_t count, ink__json_value *values,
                          ink_error *error);

/* Copies a string that was found, with its escapes undone to UTF-8; returns its length, which is at
 * most value->end - value->start. */
uint64_t ink__json_unescape(const uint8_t *bytes, const ink__json_value *value, uint8_t *copy);

#endif
