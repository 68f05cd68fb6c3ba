/* records.c - where records end; where line ends may stand in quotes, 64 bytes at a time. */
#include "input/records/records.h"

#include "base/status.h"
#include "base/text.h"
#include "kernels/dispatch.h"
#include "kernels/masks.h"
#include "net/namenodes.h"

#include <string.h>

/* ---- Quotes ------------------------------------------------------------------------------- */

/* The ends of records among the next 64 bytes. A byte is inside quotes if an odd number of them
 * stands before it: doubled quotes change nothing. *inside is all ones if the bytes start inside
 * quotes, else 0, and becomes the same for the bytes after them. */
static inline uint64_t ends_at(const uint8_t *bytes, uint64_t at, uint64_t count, uint64_t *inside)
{
    uint64_t quoted = ink__mask_at(bytes, at, count, '"');

    /* Bit i becomes the parity of the quotes up to bit i. */
    quoted ^= quoted << 1;
    quoted ^= quoted << 2;
    quoted ^= quoted << 4;
    quoted ^= quoted << 8;
    quoted ^= quoted << 16;
    quoted ^= quoted << 32;
    quoted ^= *inside;
    *inside = 0 - (quoted >> 63);
    return ink__mask_at(bytes, at, count, '\n') & ~quoted;
}

static uint64_t count_quotes(const uint8_t *bytes, uint64_t count)
{
    uint64_t found = 0;

    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES)
        found += ink__ones_64(ink__mask_at(bytes, at, count, '"'));
    return found;
}

/* The byte after the first end of a record, where *inside is false; `count` if there is no end.
 * *inside: the first byte is inside quotes; updated for the byte after those that were read. */
static uint64_t first_quoted_end(const uint8_t *bytes, uint64_t count, bool *inside)
{
    uint64_t quoted = 0 - (uint64_t)*inside;

    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = ends_at(bytes, at, count, &quoted);
        if (mask != 0) {
            *inside = false;
            return at + ink__trailing_zeros_64(mask) + 1;
        }
    }
    *inside = quoted != 0;
    return count;
}

/* The byte after the last end of a record; 0 if there is none. Reads all bytes. */
static uint64_t last_quoted_end(const uint8_t *bytes, uint64_t count, bool *inside)
{
    uint64_t quoted = 0 - (uint64_t)*inside, last = 0;

    /* Forward, as only the quotes before a byte decide whether it is inside. */
    for (uint64_t at = 0; at < count; at += INK__MASK_BYTES) {
        uint64_t mask = ends_at(bytes, at, count, &quoted);
        if (mask != 0)
            last = at + (64 - ink__leading_zeros_64(mask));
    }
    *inside = quoted != 0;
    return last;
}

static size_t cut_quoted(const uint8_t *bytes, uint64_t count, uint64_t *starts, uint64_t *ends,
                         size_t room, uint64_t *used)
{
    uint64_t start = 0, quoted = 0;
    size_t   found = 0;

    for (uint64_t at = 0; at < count && found < room; at += INK__MASK_BYTES)
        for (uint64_t mask = ends_at(bytes, at, count, &quoted); mask != 0 && found < room;
             mask &= mask - 1) {
            starts[found] = start;
            ends[found] = at + ink__trailing_zeros_64(mask);
            start = ends[found++] + 1;
        }
    *used = start;
    return found;
}

/* ---- All forms ---------------------------------------------------------------------------- */

ink_status ink__records_choose_loop(ink__record_rule *rule, ink_error *error)
{
    const ink__kernels *kernels = NULL;

    INK__TRY(ink__kernels_choose(&kernels, error));
    rule->lines_cut = kernels->lines_cut;
    return INK_OK;
}

bool ink__records_named_compressed(const char *path)
{
    size_t bytes = ink__webhdfs_path_bytes(path);

    return ink__ends_with(path, bytes, ".gz") || ink__ends_with(path, bytes, ".zst");
}

bool ink__records_may_be_compressed(const ink__record_rule *rule, const char *path)
{
    return rule->form != INK__RECORDS_FIXED || ink__records_named_compressed(path);
}

bool ink__records_start(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                        uint64_t at, uint64_t *location)
{
    *location = 0;
    if (at == 0)
        return true;
    if (rule->form == INK__RECORDS_FIXED) {
        uint64_t over = at % rule->width;
        *location = over == 0 ? at : at + rule->width - over;
        if (*location <= count)
            return true;
        *location = count;
        return false;
    }
    if (rule->form == INK__RECORDS_QUOTED) {
        bool inside = count_quotes(bytes, at - 1) % 2 != 0;
        *location = at - 1 + first_quoted_end(bytes + at - 1, count - at + 1, &inside);
        return *location < count || (!inside && bytes[count - 1] == '\n');
    }
    *location = at - 1 + ink__lines_after_first(bytes + at - 1, count - at + 1, rule->end);
    return *location < count || bytes[count - 1] == rule->end;
}

uint64_t ink__records_last_after(const ink__record_rule *rule, uint64_t before,
                                 const uint8_t *bytes, uint64_t count, bool *inside)
{
    if (rule->form == INK__RECORDS_FIXED) {
        uint64_t over = (before + count) % rule->width;
        return over < count ? count - over : 0;
    }
    return rule->form == INK__RECORDS_QUOTED ? last_quoted_end(bytes, count, inside)
                                             : ink__lines_after_last(bytes, count, rule->end);
}

uint64_t ink__records_last(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    bool inside = false;

    return ink__records_last_after(rule, 0, bytes, count, &inside);
}

static size_t cut_fixed(uint32_t width, uint64_t count, uint64_t *starts, uint64_t *ends,
                        size_t room, uint64_t *used)
{
    uint64_t records = count / width < room ? count / width : room;

    /* By additions: vectors of 64 bits have no product everywhere. */
    for (uint64_t i = 0, at = 0; i < records; i++, at += width) {
        starts[i] = at;
        ends[i] = at + width;
    }
    *used = records * width;
    return (size_t)records;
}

size_t ink__records_cut(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                        uint64_t *starts, uint64_t *ends, size_t room, uint64_t *used)
{
    ink__lines_cut *cut = rule->lines_cut;
    size_t          records;
    bool            cr = true;

    if (rule->form == INK__RECORDS_FIXED)
        return cut_fixed(rule->width, count, starts, ends, room, used);
    if (rule->form == INK__RECORDS_QUOTED)
        records = cut_quoted(bytes, count, starts, ends, room, used);
    else
        records = (cut != NULL ? cut : ink__kernels_fastest()->lines_cut)(
            bytes, count, rule->end, starts, ends, room, used, &cr);
    if (rule->end == '\n' && cr)
        ink__lines_without_cr(bytes, starts, ends, records);
    return records;
}

uint64_t ink__records_first(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                            uint64_t *used)
{
    uint64_t start, end;

    if (ink__records_cut(rule, bytes, count, &start, &end, 1, used) == 1)
        return end;
    return *used = count;
}

uint64_t ink__records_count(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    return rule->form == INK__RECORDS_FIXED ? count / rule->width
                                            : ink__lines_count(bytes, count, rule->end);
}

/* ---- The start of an input ---------------------------------------------------------------- */

static bool has_mark(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                     const char *mark, uint64_t mark_bytes)
{
    return rule->form != INK__RECORDS_FIXED && rule->end == '\n' && count >= mark_bytes &&
           memcmp(bytes, mark, (size_t)mark_bytes) == 0;
}

uint64_t ink__records_mark(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    return has_mark(rule, bytes, count, "\xef\xbb\xbf", INK__MARK_BYTES) ? INK__MARK_BYTES : 0;
}

ink_status ink__records_check_mark(const ink__record_rule *rule, const uint8_t *bytes,
                                   uint64_t count, ink_error *error)
{
    static const struct {
        const char *name, *mark;
        uint64_t    bytes;
    } marks[] = {
        {"UTF-32", "\xff\xfe\0\0", 4}, /* before UTF-16, whose mark it begins with */
        {"UTF-32", "\0\0\xfe\xff", 4},
        {"UTF-16", "\xff\xfe", 2},
        {"UTF-16", "\xfe\xff", 2},
    };

    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (has_mark(rule, bytes, count, marks[i].mark, marks[i].bytes))
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                             "%s text, expected records in UTF-8 (iconv -f %s -t UTF-8)",
                             marks[i].name, marks[i].name);
    return INK_OK;
}

ink_status ink__records_fail_long(ink_error *error, uint64_t record)
{
    return ink__fail(error, INK_LIMIT, INK_AT_LINE, record, "a record of 2^31 bytes or more");
}
