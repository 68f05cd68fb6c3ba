/* command_lines.h - a long command line of the shell, in lines that can be read. */
#ifndef LAB_COMMAND_LINES_H
#define LAB_COMMAND_LINES_H

#include "writer.h"

/* Writes a command as HTML: as it stands if it is short, otherwise a line for each of its commands,
 * loops indented. It does the same when it is typed. */
void write_command_lines(writer *to, const char *command);

#endif
