/* head.c - heads: all of a sketch but its payload, in a fixed number of bytes that can be sent
 * anywhere, and payloads in slices that belong to them.
 *
 * A head has what header and directory of a file state: the key rule at the offsets of the header,
 * then kind, position rule and layout as in a table, the records, the size, the fields of the kind,
 * and a checksum. Little-endian. */
#include "base/bits.h"
#include "base/checksum.h"
#include "base/size.h"
#include "base/status.h"
#include "format/layout.h"
#include "kernels/dispatch.h"
#include "sketch/internal.h"
#include "sketch/kinds/shared.h"
#include "sketch/sketch.h"

#include <string.h>

#define MAGIC "\x89INKHEAD"

enum {
    RECORDS_AT = INK__STORED_KIND_AT + 8,
    PAYLOAD_AT = RECORDS_AT + 8,
    FIELDS_AT = PAYLOAD_AT + 8,
    CHECKSUM_AT = FIELDS_AT + 8 * INK__FIELDS_MAX,
    VERSION = 1,
};
_Static_assert(CHECKSUM_AT + 8 == INK__HEAD_BYTES, "the checksum ends the head");

/* ---- Writing ------------------------------------------------------------------------------ */

static void seal(ink__head *head)
{
    ink__store_u64(head->bytes + CHECKSUM_AT, ink__checksum(head->bytes, CHECKSUM_AT));
}

static bool is_sealed(const ink__head *head)
{
    return ink__load_u64(head->bytes + CHECKSUM_AT) == ink__checksum(head->bytes, CHECKSUM_AT);
}

static void write_head(const ink__plan *from, ink__head *head)
{
    uint8_t *bytes = head->bytes;

    memset(head, 0, sizeof *head);
    ink__stored_put(bytes, MAGIC, VERSION, &from->rule, from->shape.kind);
    ink__store_u64(bytes + RECORDS_AT, from->records);
    ink__store_u64(bytes + PAYLOAD_AT, from->shape.payload_bytes);
    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        ink__store_u64(bytes + FIELDS_AT + 8 * i, from->shape.fields[i]);
    seal(head);
}

void ink__sketch_head(const ink_sketch *sketch, ink__head *head)
{
    ink__plan of = {sketch->rule, ink__shape_of(sketch), ink__records_of(sketch)};

    write_head(&of, head);
    ink__rule_wipe(&of.rule);
}

ink_status ink__plan_head(const ink_params *params, uint64_t records, ink__head *head,
                          ink_error *error)
{
    ink__plan planned;

    INK__TRY(ink__sketch_plan(params, &planned, error));
    planned.records = records;
    write_head(&planned, head);
    ink__rule_wipe(&planned.rule);
    return INK_OK;
}

void ink__head_set_records(ink__head *head, uint64_t records)
{
    bool sealed = is_sealed(head);

    ink__store_u64(head->bytes + RECORDS_AT, records);
    if (sealed)
        seal(head);
}

/* ---- Reading ------------------------------------------------------------------------------ */

static ink_status check_frame(const ink__head *head, ink_error *error)
{
    const uint8_t *bytes = head->bytes;

    if (memcmp(bytes, MAGIC, sizeof MAGIC - 1) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                         "other first bytes, expected the head of a sketch");
    if (ink__load_u16(bytes + INK__HEADER_VERSION) != VERSION)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_VERSION,
                         "a head of version %u, expected %d",
                         ink__load_u16(bytes + INK__HEADER_VERSION), VERSION);
    if (!is_sealed(head))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, CHECKSUM_AT,
                         "checksum %llx, expected %llx for these bytes of a head",
                         (unsigned long long)ink__load_u64(bytes + CHECKSUM_AT),
                         (unsigned long long)ink__checksum(bytes, CHECKSUM_AT));
    if (ink__load_u16(bytes + INK__HEADER_FLAGS) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_FLAGS,
                         "flags 0x%x of a head, expected none",
                         ink__load_u16(bytes + INK__HEADER_FLAGS));
    if (ink__load_u16(bytes + INK__STORED_KIND_AT + 6) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__STORED_KIND_AT + 6,
                         "%u after the layout, expected 0",
                         ink__load_u16(bytes + INK__STORED_KIND_AT + 6));
    return INK_OK;
}

static ink_status read_shape(const uint8_t *bytes, ink__plan *to, ink_error *error)
{
    const ink__kind *kind = to->shape.kind;

    to->shape.payload_bytes = ink__load_u64(bytes + PAYLOAD_AT);
    for (unsigned i = 0; i < INK__FIELDS_MAX; i++) {
        to->shape.fields[i] = ink__load_u64(bytes + FIELDS_AT + 8 * i);
        if (i >= kind->field_count && to->shape.fields[i] != 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, FIELDS_AT + 8 * (uint64_t)i,
                             "parameter %u, but %s has only %u", i, kind->name, kind->field_count);
    }
    ink_status status = kind->check(&to->shape, &to->rule, error);
    bool       field = status != INK_OK && error->at < kind->field_count;
    return ink__stored_placed(status, field ? FIELDS_AT + 8 * error->at : PAYLOAD_AT, 0, error);
}

/* As strict as the reader of a directory. The rule has no secret. */
static ink_status read_head(const ink__head *head, ink__plan *to, ink_error *error)
{
    const uint8_t      *bytes = head->bytes;
    ink_error           local;
    const ink__identity keys = {
        ink__load_u16(bytes + INK__HEADER_KEY_TYPE), ink__load_u16(bytes + INK__HEADER_HASH),
        ink__load_u64(bytes + INK__HEADER_SEED), ink__load_u64(bytes + INK__HEADER_CHECK)};
    const ink__stored_kind numbers = ink__stored_numbers(bytes);

    if (error == NULL)
        error = &local; /* to learn which field it was */
    INK__TRY(check_frame(head, error));
    INK__TRY(ink__stored_rule(&keys, &to->rule, error));
    INK__TRY(ink__stored_kind_of(&numbers, INK__STORED_KIND_AT, &to->rule, &to->shape.kind, error));
    to->records = ink__load_u64(bytes + RECORDS_AT);
    return read_shape(bytes, to, error);
}

static uint32_t unit_of(const ink__shape *of)
{
    return of->kind->unit == NULL ? 1 : of->kind->unit(of);
}

ink_status ink__head_describe(const ink__head *head, ink__head_info *info, ink_error *error)
{
    ink__plan of;

    INK__TRY(read_head(head, &of, error));
    *info = (ink__head_info){
        .kind = of.shape.kind->name,
        .payload_bytes = of.shape.payload_bytes,
        .records = of.records,
        .slices = of.shape.kind->merge_slice != NULL,
        .unit = unit_of(&of.shape),
    };
    return INK_OK;
}

/* ---- Two heads ---------------------------------------------------------------------------- */

static bool is_added_up(const ink__kind *kind, unsigned field)
{
    return (kind->added_up >> field & 1) != 0;
}

/* Whether the shapes are the same but for what a merge adds up. */
static bool same_shape(const ink__shape *a, const ink__shape *b)
{
    bool same = a->payload_bytes == b->payload_bytes;

    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        same = same && (is_added_up(a->kind, i) || a->fields[i] == b->fields[i]);
    return same;
}

/* Reads both, and compares them. */
static ink_status match(const ink__head *one, const ink__head *other, ink__plan *a, ink__plan *b,
                        ink_error *error)
{
    ink_description of_a, of_b;

    INK__TRY(read_head(one, a, error));
    INK__TRY(read_head(other, b, error));
    if (a->shape.kind != b->shape.kind)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                         a->shape.kind->name, b->shape.kind->name);
    INK__TRY(ink__rule_match(&a->rule, &b->rule, error));
    if (same_shape(&a->shape, &b->shape))
        return INK_OK;
    ink__describe(&a->rule, &a->shape, &of_a);
    ink__describe(&b->rule, &b->shape, &of_b);
    INK__TRY(ink__same_plan(&of_a, &of_b, " and ", "", error));
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "what two sketches of kind %s hold differs: %llu bytes and %llu bytes",
                     a->shape.kind->name, (unsigned long long)a->shape.payload_bytes,
                     (unsigned long long)b->shape.payload_bytes);
}

ink_status ink__head_match(const ink__head *one, const ink__head *other, ink_error *error)
{
    ink__plan a, b;

    return match(one, other, &a, &b, error);
}

ink_status ink__head_add(ink__head *into, const ink__head *from, ink_error *error)
{
    ink__plan a, b;

    INK__TRY(match(into, from, &a, &b, error));
    a.records = ink__add_saturating(a.records, b.records);
    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        if (is_added_up(a.shape.kind, i))
            a.shape.fields[i] = ink__add_saturating(a.shape.fields[i], b.shape.fields[i]);
    write_head(&a, into);
    return INK_OK;
}

ink_status ink__head_merge_slice(const ink__head *head, uint64_t offset, uint8_t *into,
                                 const uint8_t *from, size_t bytes, ink_error *error)
{
    const ink__kernels *kernels;
    ink__plan           of;

    INK__TRY(read_head(head, &of, error));
    if (of.shape.kind->merge_slice == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot be merged slice by slice, expected whole sketches",
                         of.shape.kind->name);
    uint64_t all = of.shape.payload_bytes;
    uint32_t unit = unit_of(&of.shape);
    if (offset > all || bytes > all - offset || offset % unit != 0 || bytes % unit != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%zu bytes from byte %llu on, expected multiples of %u among the "
                         "payload's %llu",
                         bytes, (unsigned long long)offset, unit, (unsigned long long)all);
    INK__TRY(ink__kernels_choose(&kernels, error));
    of.shape.kind->merge_slice(kernels, &of.shape, into, from, bytes);
    return INK_OK;
}

ink_status ink__head_open(ink_sketch **sketch, const ink__head *head, const uint8_t *payload,
                          const ink_allocator *allocator, ink_error *error)
{
    ink__plan of;

    INK__TRY(read_head(head, &of, error));
    if (of.shape.kind->check_payload != NULL)
        INK__TRY(ink__stored_placed(
            of.shape.kind->check_payload(&of.shape, &of.rule, payload, error), 0, 0, error));
    return ink__sketch_open(sketch, &of, payload, true, allocator, error);
}
