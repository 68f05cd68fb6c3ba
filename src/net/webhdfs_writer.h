/* webhdfs_writer.h - a file that is written into HDFS over WebHDFS, whole or not at all;
 * net/namenodes.h tells what its address is. */
#ifndef INK_NET_WEBHDFS_WRITER_H
#define INK_NET_WEBHDFS_WRITER_H

#include "net/connection.h"

typedef struct ink__webhdfs ink__webhdfs;

/* Asks for a new file beside the one that is meant, with a name that Hadoop takes for hidden,
 * "_ink.PROCESS.TIME", and connects to the DataNode that is to have it. INK_USAGE: the address is
 * malformed or of another kind. INK_IO: nobody can be reached, or the NameNode refuses; the
 * message names host and port. `patience` NULL means the usual one. */
ink_status ink__webhdfs_begin(ink__webhdfs **output, const char *address,
                              const ink__patience *patience, const ink_allocator *allocator,
                              ink_error *error);
/* After a failure only committing, which repeats it, or abandoning is of use. */
ink_status ink__webhdfs_write(ink__webhdfs *output, const uint8_t *bytes, size_t count,
                              ink_error *error);
/* Ends the file, waits until it is stored, and renames it, which replaces what stands at the path.
 * Ends the output whatever comes of it; on failure the new file is removed, if the NameNode can be
 * reached. */
ink_status ink__webhdfs_commit(ink__webhdfs *output, ink_error *error);
/* Removes the new file, if the NameNode can be reached, and ends the output. */
void ink__webhdfs_abandon(ink__webhdfs *output);

#endif
