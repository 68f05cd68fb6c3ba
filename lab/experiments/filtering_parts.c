/* filtering_parts.c - what the parts of document 003 find of a filter: its rate by a formula, its
 * digest, and what it admits. */
#include "experiments/filtering_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

double filtering_rate(double n, double m, double k)
{
    return pow(1 - pow(1 - 1 / n, k * m), k);
}

digest filtering_digest(lab *bench, const ink_sketch *sketch)
{
    uint8_t bytes[INK_DIGEST_BYTES] = {0};
    digest  made;

    if (bench->status == INK_OK && sketch != NULL)
        lab_ok(bench, ink_sketch_digest(sketch, bytes, &bench->error));
    for (size_t i = 0; i < INK_DIGEST_BYTES; i++)
        snprintf(made.text + 2 * i, 3, "%02x", bytes[i]);
    return made;
}

bool filtering_same(const digest *one, const digest *other)
{
    return strcmp(one->text, other->text) == 0;
}

measured filtering_measure(lab *bench, const ink_sketch *filter, const lab_data *non_members)
{
    measured made = {.digest = filtering_digest(bench, filter)};
    uint64_t asked = lab_lines(non_members);

    made.admitted = lab_admitted(bench, filter, non_members);
    made.measured = asked == 0 ? 0 : (double)made.admitted / (double)asked;
    made.current = lab_rate(bench, filter);
    made.bytes = lab_bytes(filter);
    return made;
}
