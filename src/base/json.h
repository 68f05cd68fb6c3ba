/* json.h - values found by their paths in a JSON text [RFC 8259], without a tree and without
 * memory: a line of JSONL, or the answer of a server. */
#ifndef INK_BASE_JSON_H
#define INK_BASE_JSON_H

#include "inkling.h"

enum {
    INK__JSON_PATHS_MAX = 32,        /* that are looked for at once */
    INK__JSON_STEPS_MAX = 16,        /* of a path */
    INK__JSON_NAMES_BYTES_MAX = 512, /* of the names in a path, together */
    INK__JSON_DEPTH_MAX = 1024,      /* of nested containers */
};

/* One step down: to the member of this name, or to the element of this index. */
typedef struct ink__json_step {
    bool     is_index;
    uint16_t name_at, name_bytes; /* in the names of the path */
    uint64_t index;               /* from 0 */
} ink__json_step;

/* A path, such as `id`, `user.id`, `tags[0]` or `a.b[2].c`. A name that is empty or has dots,
 * brackets or quotes is written in brackets and quotes, with the escapes of JSON: `["odd.key"].x`.
 * An index has at most 18 digits. Has no pointers: it may be copied. */
typedef struct ink__json_path {
    size_t         step_count;
    ink__json_step steps[INK__JSON_STEPS_MAX];
    uint8_t        names[INK__JSON_NAMES_BYTES_MAX];
} ink__json_path;

/* INK_USAGE, at a byte of `text`, if it is no path or exceeds a limit. */
ink_status ink__json_path_create(ink__json_path *path, const char *text, ink_error *error);

typedef enum ink__json_kind {
    INK__JSON_MISSING = 0, /* nothing at the path */
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
    bool           escaped;    /* the string has escapes: see ink__json_unescape */
} ink__json_value;

/* Finds the values at `count` paths, at most INK__JSON_PATHS_MAX, in the text from `start` up to
 * `end`. All of the text is checked. INK_FORMAT, at a byte of the text, unless it is one JSON
 * object, or array if one of the paths starts with an index, with only blanks around it; the values
 * are undefined then.
 * Of members with the same name the last one counts, as in Python and JavaScript. Names are
 * compared unescaped. Bytes from 0x80 on are copied, UTF-8 or not, since keys are bytes; an escape
 * that is a lone surrogate is refused, since it has no bytes. */
ink_status ink__json_find(const uint8_t *bytes, uint64_t start, uint64_t end,
                          const ink__json_path *paths, size_t count, ink__json_value *values,
                          ink_error *error);

/* Goes through the elements of an array that was found, without its text being checked again: *at
 * is array->start before the first one. False after the last. */
bool ink__json_next(const uint8_t *bytes, const ink__json_value *array, uint64_t *at,
                    ink__json_value *element);

/* The path of the same value in hex: of `key`, `group`, `key[0]` ... `key_hex`, `group_hex`,
 * `key_hex[0]`, since our own JSON has such members for text that is not UTF-8 (docs/output.md).
 * False if the path does not start with one of these names, or has another name after it. */
bool ink__json_hex_path(const ink__json_path *path, ink__json_path *hex);

/* Copies a found string, unescaped to UTF-8; returns its length, no more than its text has. */
uint64_t ink__json_unescape(const uint8_t *bytes, const ink__json_value *value, uint8_t *copy);

/* The same for a string of hexadecimal digits, two for each byte; ink__json_is_hex is true. */
uint64_t ink__json_unhex(const uint8_t *bytes, const ink__json_value *value, uint8_t *copy);

/* Whether a value is a string of such digits. */
bool ink__json_is_hex(const uint8_t *bytes, const ink__json_value *value);

#endif
