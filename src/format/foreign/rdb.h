/* rdb.h - what DUMP of Redis and Valkey gives of a value: numbers and strings as in a file of
 * theirs, or the fields of a module, then the version and a checksum. Strings may be compressed
 * with LZF. */
#ifndef INK_FORMAT_FOREIGN_RDB_H
#define INK_FORMAT_FOREIGN_RDB_H

#include "inkling.h"

typedef struct ink__rdb {
    const uint8_t *bytes;
    uint64_t       count, at;
} ink__rdb;

/* The type of a value that is a string, which the first byte states. */
enum { INK__RDB_STRING = 0 };

/* A string as it is stored. */
typedef struct ink__rdb_string {
    const uint8_t *stored;
    uint64_t       stored_bytes, bytes; /* equal, but for one that is compressed */
    uint64_t       at;                  /* of `stored` */
    bool           compressed;
} ink__rdb_string;

/* INK_FORMAT unless the checksum at the end is that of all before it; a line end after it, which
 * redis-cli adds, is left out of the count. */
ink_status ink__rdb_open(ink__rdb *in, const uint8_t *bytes, uint64_t count, ink_error *error);
/* The same at the end of the value, which must have been reached. */
ink_status ink__rdb_end(const ink__rdb *in, ink_error *error);

/* The length of a compressed one is that of what it says in truth. */
ink_status ink__rdb_text(ink__rdb *in, ink__rdb_string *string, ink_error *error);
/* Writes the bytes of a string. */
void ink__rdb_unpack(const ink__rdb_string *string, uint8_t *to);

/* ---- Values of modules -------------------------------------------------------------------- */

/* The number of a module's type: nine letters of six bits, and a version of ten. */
typedef struct ink__rdb_type {
    uint64_t letters;
    unsigned version;
} ink__rdb_type;

/* Whether bytes begin as a value of these letters, of any version. */
bool ink__rdb_is_module(const uint8_t *bytes, uint64_t count, uint64_t letters);
/* Opens a value of this type, up to its first field; INK_FORMAT names what another one is. */
ink_status ink__rdb_open_module(ink__rdb *in, const uint8_t *bytes, uint64_t count,
                                ink__rdb_type type, ink_error *error);
/* Fields, one after another, and their end. */
ink_status ink__rdb_field_number(ink__rdb *in, uint64_t *number, ink_error *error);
ink_status ink__rdb_field_double(ink__rdb *in, double *number, ink_error *error);
ink_status ink__rdb_field_text(ink__rdb *in, ink__rdb_string *string, ink_error *error);
ink_status ink__rdb_end_module(ink__rdb *in, ink_error *error);

#endif
