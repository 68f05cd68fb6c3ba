/* records.c - where records end. */
#include "input/records/records.h"

#include "base/status.h"
#include "base/text.h"
#include "input/records/quotes.h"
#include "kernels/dispatch.h"
#include "net/namenodes.h"

ink_status ink__records_choose_loop(ink__record_rule *rule, ink_error *error)
{
    const ink__kernels *kernels = NULL;

    INK__TRY(ink__kernels_choose(&kernels, error));
    rule->lines_cut = kernels->lines_cut;
    return INK_OK;
}

bool ink__records_may_be_compressed(const ink__record_rule *rule, const char *path)
{
    size_t bytes = ink__webhdfs_path_bytes(path);

    return rule->form != INK__RECORDS_FIXED || ink__ends_with(path, bytes, ".gz") ||
           ink__ends_with(path, bytes, ".zst");
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
        bool inside = ink__quotes_count(bytes, at - 1) % 2 != 0;
        *location = at - 1 + ink__quoted_after_first(bytes + at - 1, count - at + 1, &inside);
        return *location < count || (!inside && bytes[count - 1] == '\n');
    }
    *location = at - 1 + ink__lines_after_first(bytes + at - 1, count - at + 1, rule->end);
    return *location < count || bytes[count - 1] == rule->end;
}

uint64_t ink__records_last(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count)
{
    bool inside = false;

    if (rule->form == INK__RECORDS_FIXED)
        return count - count % rule->width;
    if (rule->form == INK__RECORDS_QUOTED)
        return ink__quoted_after_last(bytes, count, &inside);
    return ink__lines_after_last(bytes, count, rule->end);
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

static ink__lines_cut *loop_of(const ink__record_rule *rule)
{
    return rule->lines_cut != NULL ? rule->lines_cut : ink__kernels_fastest()->lines_cut;
}

size_t ink__records_cut(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                        uint64_t *starts, uint64_t *ends, size_t room, uint64_t *used)
{
    size_t records;
    bool   cr = true;

    if (rule->form == INK__RECORDS_FIXED)
        return cut_fixed(rule->width, count, starts, ends, room, used);
    if (rule->form == INK__RECORDS_QUOTED)
        records = ink__quoted_cut(bytes, count, starts, ends, room, used);
    else
        records = loop_of(rule)(bytes, count, rule->end, starts, ends, room, used, &cr);
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

ink_status ink__records_fail_long(ink_error *error, uint64_t record)
{
    return ink__fail(error, INK_LIMIT, INK_AT_LINE, record, "a record of 2^31 bytes or more");
}
