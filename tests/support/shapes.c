/* shapes.c - shapes from a file that a kind must refuse. */
#include "support/shapes.h"
#include "base/status.h"

#include "support/check.h"

void shapes_check_refused(const ink__kind *kind, const ink__key_rule *rule,
                          const wrong_shape *wrong, size_t count)
{
    ink_error error;

    for (size_t i = 0; i < count; i++) {
        ink__shape shape = wrong[i].shape;
        shape.kind = kind;
        CHECK_FAILS(kind->check(&shape, rule, &error), INK_FORMAT, wrong[i].words);
        CHECK(error.location == INK__AT_FIELD && error.at == wrong[i].field);
    }
}
