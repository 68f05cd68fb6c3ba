/* kinds.h - the kinds there are. */
#ifndef INK_SKETCH_KINDS_KINDS_H
#define INK_SKETCH_KINDS_KINDS_H

#include "sketch/kinds/kind.h"

extern const ink__kind ink__bloom;
extern const ink__kind ink__classic;
extern const ink__kind ink__counting;
extern const ink__kind ink__scalable;
extern const ink__kind ink__count_min;
extern const ink__kind ink__top;
extern const ink__kind ink__fm;
extern const ink__kind ink__hll;

#endif
