/* webhdfs_writer.h - writing a file into HDFS over WebHDFS, whole or not at all; net/namenodes.h
 * describes the address. */
#ifndef INK_NET_WEBHDFS_WRITER_H
#define INK_NET_WEBHDFS_WRITER_H

#include "net/connection.h"

typedef struct ink__webhdfs ink__webhdfs;

/* Creates a file beside the path, "_ink.PROCESS.TIME", which Hadoop takes for hidden, and connects
 * to its DataNode. INK_USAGE: the address is malformed or of another kind. INK_IO: no server can be
 * reached, or the NameNode refuses; the message names host and port. `patience` NULL means the
 * usual one. */
ink_status ink__webhdfs_begin(ink__webhdfs **output, const char *address,
                              const ink__patience *patience, const ink_allocator *allocator,
                              ink_error *error);
/* After a failure only commit, which repeats it, or abandon is useful. */
ink_status ink__webhdfs_write(ink__webhdfs *output, const uint8_t *bytes, size_t count,
                              ink_error *error);
/* Ends the file, waits until it is stored, and renames it, which replaces a file at the path if
 * `overwrite`, else INK_IO with the words of HDFS. Ends the output in any case; on failure the new
 * file is removed, if the NameNode can be reached. */
ink_status ink__webhdfs_commit(ink__webhdfs *output, bool overwrite, ink_error *error);
/* Removes the new file, if the NameNode can be reached, and ends the output. */
void ink__webhdfs_abandon(ink__webhdfs *output);

#endif
