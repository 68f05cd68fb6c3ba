/* rdb.h - what DUMP of Redis and Valkey gives of a value: numbers and strings as in a file of
 * theirs, then the version and a checksum. Strings may be compressed with LZF. */
#ifndef INK_FORMAT_FOREIGN_RDB_H
#define INK_FORMAT_FOREIGN_RDB_H

#include "inkling.h"

typedef struct ink__rdb {
    const uint8_t *bytes;
    uint64_t       count, at;
} ink__rdb;

/* The types of values, which is what the first byte states. */
enum { INK__RDB_STRING = 0, INK__RDB_MODULE = 7 };

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

ink_status ink__rdb_number(ink__rdb *in, uint64_t *number, ink_error *error);
/* The eight bytes that come next. */
ink_status ink__rdb_word(ink__rdb *in, uint64_t *word, ink_error *error);
/* The length of a compressed one is that of what it says in truth. */
ink_status ink__rdb_text(ink__rdb *in, ink__rdb_string *string, ink_error *error);
/* Writes the bytes of a string. */
void ink__rdb_unpack(const ink__rdb_string *string, uint8_t *to);

#endif
