/* payload_slices.c - payloads that come in slices, assembled in a file. Each payload has a list of
 * the spans that have come: they decide what is merged, and what is missing in the end. */
#include "jobs/distributed/payload_slices.h"

#include "base/memory.h"
#include "base/status.h"
#include "jobs/runtime/sketch_set.h"

#include <string.h>

/* What is read back at a time; a multiple of the unit of every kind. */
#define BUFFER_BYTES ((uint64_t)1 << 20)

void ink__slices_begin(ink__slices *slices, ink__spool *spool, const ink_allocator *allocator)
{
    *slices = (ink__slices){.allocator = *allocator, .spool = spool};
    ink__arena_begin(&slices->labels, allocator);
}

void ink__slices_end(ink__slices *slices)
{
    const ink_allocator *memory = &slices->allocator;

    for (uint64_t i = 0; i < slices->count; i++) {
        ink__release(memory, slices->list[i]->spans, slices->list[i]->spans_bytes);
        ink__release(memory, slices->list[i], sizeof *slices->list[i]);
    }
    ink__release(memory, slices->list, slices->list_bytes);
    ink__release(memory, slices->buffer, slices->buffer == NULL ? 0 : BUFFER_BYTES);
    ink__arena_end(&slices->labels);
    slices->count = 0;
}

/* ---- Finding the sketch ------------------------------------------------------------------- */

/* The number of the sketch in the list, or where it belongs. */
static bool find(const ink__slices *slices, const char *kind, const ink_label *label,
                 uint64_t *index)
{
    uint64_t low = 0, high = slices->count;

    while (low < high) {
        uint64_t           middle = low + (high - low) / 2;
        const ink__sliced *there = slices->list[middle];
        int                order = strcmp(there->kind, kind);
        if (order == 0)
            order = ink_label_compare(&there->label, label);
        if (order == 0) {
            *index = middle;
            return true;
        }
        if (order < 0)
            low = middle + 1;
        else
            high = middle;
    }
    *index = low;
    return false;
}

/* Adds a sketch of which nothing has come, and reserves its payload. */
static ink_status insert(ink__slices *slices, uint64_t index, const ink__head *head,
                         const ink__head_info *info, const ink_label *label, ink_error *error)
{
    uint64_t       each = sizeof *slices->list, at;
    const uint8_t *group = label->group;
    ink__sliced   *made;

    INK__TRY(ink__make_room(&slices->allocator, &slices->list, &slices->list_bytes,
                            slices->count * each, each, error));
    if (label->group_kind == INK_GROUP_BYTES)
        INK__TRY(ink__arena_keep(&slices->labels, label->group, label->group_bytes, &group, error));
    INK__TRY(ink__spool_reserve(slices->spool, info->payload_bytes, &at, error));
    INK__TRY(ink__allocate_zeroed(&slices->allocator, sizeof *made, &made, error));
    *made = (ink__sliced){
        .head = *head, .kind = info->kind, .label = *label, .at = at, .bytes = info->payload_bytes};
    made->label.group = group;
    memmove(slices->list + index + 1, slices->list + index,
            (size_t)((slices->count - index) * each));
    slices->list[index] = made;
    slices->count++;
    return INK_OK;
}

/* ---- Spans -------------------------------------------------------------------------------- */

/* Whether byte `at` has come; up to *end, at most `until`, this holds for all bytes. */
static bool has_come(const ink__sliced *sketch, uint64_t at, uint64_t until, uint64_t *end)
{
    uint64_t index = 0;

    while (index < sketch->span_count && sketch->spans[index].until <= at)
        index++;
    bool come = index < sketch->span_count && sketch->spans[index].from <= at;
    *end = until;
    if (index < sketch->span_count)
        *end = come ? sketch->spans[index].until : sketch->spans[index].from;
    *end = *end < until ? *end : until;
    return come;
}

/* Adds a span, and joins those that it touches. There is room for one more. */
static void note_span(ink__sliced *sketch, ink__span span)
{
    uint64_t first = 0, last;

    while (first < sketch->span_count && sketch->spans[first].until < span.from)
        first++;
    for (last = first; last < sketch->span_count && sketch->spans[last].from <= span.until;
         last++) {
        if (sketch->spans[last].from < span.from)
            span.from = sketch->spans[last].from;
        if (sketch->spans[last].until > span.until)
            span.until = sketch->spans[last].until;
    }
    memmove(sketch->spans + first + 1, sketch->spans + last,
            (size_t)(sketch->span_count - last) * sizeof span);
    sketch->spans[first] = span;
    sketch->span_count = sketch->span_count - (last - first) + 1;
}

/* ---- Slices ------------------------------------------------------------------------------- */

/* Checks that a slice fits its sketch; *head gets the records and totals of a first slice. */
static ink_status check_slice(const ink__sliced *sketch, const ink__slice *from, bool first,
                              ink__head *head, ink_error *error)
{
    uint64_t end;

    *head = sketch->head;
    if (first && sketch->counted)
        INK__TRY(ink__head_add(head, &from->head, error));
    else
        INK__TRY(ink__head_match(head, &from->head, error));
    if (first && !sketch->counted)
        *head = from->head;
    if (from->count == 0 || from->info.slices)
        return INK_OK;
    /* Bytes that cannot be merged come once. */
    if (!has_come(sketch, from->offset, from->offset + from->count, &end) &&
        end == from->offset + from->count)
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "a byte of a %s came twice, expected whole sketches where %s is merged",
                     sketch->kind, sketch->kind);
}

/* Merges bytes with those in the file. */
static ink_status merge(ink__slices *slices, const ink__sliced *sketch, uint64_t from,
                        const uint8_t *bytes, uint64_t count, ink_error *error)
{
    for (uint64_t done = 0, some; done < count; done += some) {
        uint64_t at = sketch->at + from + done;
        some = count - done < BUFFER_BYTES ? count - done : BUFFER_BYTES;
        INK__TRY(ink__spool_read(slices->spool, at, slices->buffer, some, error));
        INK__TRY(ink__head_merge_slice(&sketch->head, from + done, slices->buffer, bytes + done,
                                       (size_t)some, error));
        INK__TRY(ink__spool_write(slices->spool, at, slices->buffer, some, error));
    }
    return INK_OK;
}

static ink_status put(ink__slices *slices, const ink__sliced *sketch, const ink__slice *from,
                      ink_error *error)
{
    uint64_t until = from->offset + from->count;

    for (uint64_t at = from->offset, end; at < until; at = end) {
        const uint8_t *bytes = from->bytes + (at - from->offset);
        if (has_come(sketch, at, until, &end))
            INK__TRY(merge(slices, sketch, at, bytes, end - at, error));
        else
            INK__TRY(ink__spool_write(slices->spool, sketch->at + at, bytes, end - at, error));
    }
    return INK_OK;
}

ink_status ink__slices_add(ink__slices *slices, const ink__item *item, bool *changed,
                           ink_error *error)
{
    ink__slice from;
    ink__head  head;
    uint64_t   index;

    INK__TRY(ink__slice_read(item, &from, error));
    ink__head_set_records(&from.head, item->records);
    if (slices->buffer == NULL)
        INK__TRY(ink__allocate_zeroed(&slices->allocator, BUFFER_BYTES, &slices->buffer, error));
    if (!find(slices, from.info.kind, &item->label, &index)) {
        INK__TRY(insert(slices, index, &from.head, &from.info, &item->label, error));
        *changed = true;
    }
    ink__sliced *sketch = slices->list[index];
    ink_status   status = check_slice(sketch, &from, item->records > 0, &head, error);
    if (status != INK_OK)
        return ink__set_blame(&item->label, status, error);
    INK__TRY(ink__make_room(&slices->allocator, &sketch->spans, &sketch->spans_bytes,
                            sketch->span_count * sizeof *sketch->spans, sizeof *sketch->spans,
                            error));
    *changed = true;
    INK__TRY(put(slices, sketch, &from, error));
    sketch->head = head;
    sketch->counted = sketch->counted || item->records > 0;
    if (from.count > 0)
        note_span(sketch, (ink__span){from.offset, from.offset + from.count});
    return INK_OK;
}

ink_status ink__slices_check(const ink__slices *slices, ink_error *error)
{
    for (uint64_t i = 0; i < slices->count; i++) {
        const ink__sliced *sketch = slices->list[i];
        uint64_t           end;
        if (sketch->bytes == 0 ||
            (has_come(sketch, 0, sketch->bytes, &end) && end == sketch->bytes))
            continue;
        uint64_t   missing = sketch->span_count > 0 && sketch->spans[0].from == 0 ? end : 0;
        ink_status status =
            ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                      "byte %llu of the %llu of a %s did not come, expected all of its slices",
                      (unsigned long long)missing, (unsigned long long)sketch->bytes, sketch->kind);
        return ink__set_blame(&sketch->label, status, error);
    }
    return INK_OK;
}
