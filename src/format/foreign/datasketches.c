/* datasketches.c - the families of sketches of Apache DataSketches: those that are read have a file
 * each (datasketches_theta.c, datasketches_hll.c, datasketches_bloom.c), the others are refused. */
#include "format/foreign/datasketches.h"

/* ---- Families ----------------------------------------------------------------------------- */

static const struct {
    unsigned    number;
    const char *name;
    const char *why_not; /* NULL: read, as the format of that name */
} families[] = {
    {1, "theta sketch that takes keys", "only its compact form is read: write compact()"},
    {2, "theta sketch that takes keys", "only its compact form is read: write compact()"},
    {INK__FAMILY_THETA, "theta sketch, datasketches-theta", NULL},
    {4, "union of theta sketches", "only compact sketches are read: write its result"},
    {5, "intersection of theta sketches", "only compact sketches are read: write its result"},
    {INK__FAMILY_HLL, "HLL sketch, datasketches-hll", NULL},
    {8, "quantiles sketch", "no kind of ours ranks numbers"},
    {9, "tuple sketch", "no kind of ours keeps values beside keys"},
    {10, "frequent items sketch", "the file does not say what type its items have"},
    {11, "reservoir of items", "no kind of ours keeps a sample of items"},
    {12, "union of reservoirs", "no kind of ours keeps a sample of items"},
    {13, "VarOpt sample", "no kind of ours keeps a sample of items"},
    {14, "union of VarOpt samples", "no kind of ours keeps a sample of items"},
    {15, "KLL sketch", "no kind of ours ranks numbers"},
    {16, "CPC sketch", "its registers are compressed with tables of their library"},
    {17, "REQ sketch", "no kind of ours ranks numbers"},
    {18, "CountMin sketch",
     "the file does not say the seeds of its rows, which each library draws in its own way"},
    {19, "EBPPS sample", "no kind of ours keeps a sample of items"},
    {20, "t-digest", "no kind of ours ranks numbers"},
    {INK__FAMILY_BLOOM, "Bloom filter, datasketches-bloom", NULL},
};
enum { FAMILIES = sizeof families / sizeof families[0], NONE = FAMILIES };

static size_t family_of(unsigned number)
{
    size_t found = 0;

    while (found < FAMILIES && families[found].number != number)
        found++;
    return found;
}

ink_status ink__datasketches_is(const ink__foreign_file *file, unsigned family, ink_error *error)
{
    if (file->count < 8)
        return INK__FOREIGN_FAIL(error, file->count, "the file ends in the first 8 bytes");
    const size_t found = family_of(file->bytes[2]);
    if (file->bytes[2] == family)
        return INK_OK;
    if (found == NONE)
        return INK__FOREIGN_FAIL(error, 2, "family %u, expected %u", file->bytes[2], family);
    return INK__FOREIGN_FAIL(error, 2, "family %u, a %s, expected %u%s%s", file->bytes[2],
                             families[found].name, family,
                             families[found].why_not == NULL ? "" : "; ",
                             families[found].why_not == NULL ? "" : families[found].why_not);
}

bool ink__datasketches_is_refused(const uint8_t *bytes, uint64_t count, const char **name,
                                  const char **why)
{
    enum { PREAMBLE = 0x3f, PREAMBLE_MAX = 10, VERSION_MAX = 4 };
    const size_t found = count < 8 ? NONE : family_of(bytes[2]);

    if (found == NONE || families[found].why_not == NULL || (bytes[0] & PREAMBLE) == 0 ||
        (bytes[0] & PREAMBLE) > PREAMBLE_MAX || bytes[1] == 0 || bytes[1] > VERSION_MAX)
        return false;
    *name = families[found].name;
    *why = families[found].why_not;
    return true;
}
