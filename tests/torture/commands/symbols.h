/* symbols.h - whether the suites are whole: every call of the command, every command. */
#ifndef INK_TORTURE_SYMBOLS_H
#define INK_TORTURE_SYMBOLS_H

#include "server.h"

/* Whether everything that FOLDER/ink takes from libc is either made to fail (calls.h) or known to
 * need nothing that can; if not, `text` names what is neither. */
bool symbols_all_known(const char *folder, char *text, size_t room);

/* Whether every command that `ink help` lists has a scenario, and so has every kind of data or
 * sketch and every option with a path or an address that its help lists; if not, `text` names it.
 */
bool commands_all_there(server *with, const char *folder, char *text, size_t room);

#endif
