/* shapes.h - shapes from a file that a kind must refuse, each at the field that is wrong. */
#ifndef INK_TESTS_SHAPES_H
#define INK_TESTS_SHAPES_H

#include "sketch/kinds/kind.h"

typedef struct wrong_shape {
    ink__shape  shape;
    const char *words; /* that the message contains */
    unsigned    field; /* or the number of fields, for the payload's size */
} wrong_shape;

/* Fails the test unless the kind refuses all of them so. */
void shapes_check_refused(const ink__kind *kind, const ink__key_rule *rule,
                          const wrong_shape *wrong, size_t count);

#endif
