/* webhdfs_reader.h - reading a file in HDFS, or a part of it, over WebHDFS, with retries after
 * broken connections. net/namenodes.h describes the address. */
#ifndef INK_NET_WEBHDFS_READER_H
#define INK_NET_WEBHDFS_READER_H

#include "net/connection.h"

/* How many bytes after `until` are requested at once, for the rest of a record. */
enum { INK__WEBHDFS_BEYOND_BYTES = 64 << 10 };

typedef struct ink__webhdfs_reader ink__webhdfs_reader;

/* Asks a NameNode for the length of the file. It is read from byte `from` on; those before `until`
 * will be wanted, and maybe some after it. INK_USAGE: the address is malformed, or of another kind.
 * INK_IO: no server can be reached, there is no such file, it may not be read, or `from` is after
 * its end; the message names host and port. `patience` NULL means the usual one. */
ink_status ink__webhdfs_open(ink__webhdfs_reader **reader, const char *address, uint64_t from,
                             uint64_t until, const ink__patience *patience,
                             const ink_allocator *allocator, ink_error *error);
void       ink__webhdfs_close(ink__webhdfs_reader *reader); /* NULL is allowed */

/* How many bytes the file had when it was opened; more are not read. */
uint64_t ink__webhdfs_length(const ink__webhdfs_reader *reader);

/* Reads the next `room` bytes; *count is less only at the end of the file. A broken connection is
 * replaced, from the byte that was reached, a few times in a row. INK_IO, at a byte of the file:
 * none of them gave more, or a server sends other bytes than were requested. After a failure a
 * reader can only be closed. */
ink_status ink__webhdfs_read(ink__webhdfs_reader *reader, uint8_t *to, uint64_t room,
                             uint64_t *count, ink_error *error);

#endif
