/* kinds.h - the list of kinds. */
#ifndef INK_SKETCH_KINDS_KINDS_H
#define INK_SKETCH_KINDS_KINDS_H

#include "sketch/kinds/kind.h"

/* Every kind, in order of id; ends with NULL. */
extern const ink__kind *const ink__kinds[];

const ink__kind *ink__kind_named(const char *name);
/* INK_USAGE, naming all kinds, if there is no such one. */
ink_status       ink__kind_find(const char *name, const ink__kind **kind, ink_error *error);
const ink__kind *ink__kind_of_id(unsigned id);

#endif
