/* thrift.c - reading Thrift's compact protocol. */
#include "format/foreign/thrift.h"

#include "base/status.h"
#include "format/foreign/formats.h"

/* How deep structs and lists may be in each other. */
enum { DEPTH_MAX = 32 };

/* ---- Bytes and numbers -------------------------------------------------------------------- */

static ink_status take_byte(ink__thrift *from, uint8_t *byte, ink_error *error)
{
    *byte = 0;
    if (from->at >= from->end)
        return INK__FOREIGN_FAIL(error, from->at, "the file ends within a field");
    *byte = from->bytes[from->at++];
    return INK_OK;
}

static ink_status take_bytes(ink__thrift *from, uint64_t bytes, ink_error *error)
{
    if (bytes > from->end - from->at)
        return INK__FOREIGN_FAIL(error, from->at, "%llu bytes of a field, but %llu follow",
                                 (unsigned long long)bytes,
                                 (unsigned long long)(from->end - from->at));
    from->at += bytes;
    return INK_OK;
}

/* Seven bits in each byte, the lowest ones first. */
static ink_status take_varint(ink__thrift *from, uint64_t *number, ink_error *error)
{
    uint8_t byte = 0x80;

    *number = 0;
    for (unsigned shift = 0; byte >= 0x80; shift += 7) {
        INK__TRY(take_byte(from, &byte, error));
        if (shift == 63 && byte > 1)
            return INK__FOREIGN_FAIL(error, from->at - 1, "a number of more than 64 bits");
        *number |= (uint64_t)(byte & 0x7f) << shift;
    }
    return INK_OK;
}

/* The sign is the lowest bit. */
static int64_t signed_of(uint64_t number)
{
    return (int64_t)(number >> 1 ^ (0 - (number & 1)));
}

static ink_status check_type(const ink__thrift *from, ink__thrift_type type, ink_error *error)
{
    if (type > INK__THRIFT_STOP && type <= INK__THRIFT_UUID)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, from->at - 1, "a field of type %u, expected 1 to %d",
                             (unsigned)type, INK__THRIFT_UUID);
}

static ink_status fail_sort(const ink__thrift *from, const ink__thrift_field *field,
                            const char *expected, ink_error *error)
{
    return INK__FOREIGN_FAIL(error, from->at, "field %u is of type %u, expected %s", field->id,
                             (unsigned)field->type, expected);
}

/* ---- Structs and lists -------------------------------------------------------------------- */

ink_status ink__thrift_next(ink__thrift *from, ink__thrift_field *field, ink_error *error)
{
    uint64_t id = field->id;
    uint8_t  byte;

    INK__TRY(take_byte(from, &byte, error));
    field->type = (ink__thrift_type)(byte & 15);
    if (byte == 0)
        return INK_OK;
    INK__TRY(check_type(from, field->type, error));
    if (byte >> 4 != 0)
        id += byte >> 4;
    else {
        INK__TRY(take_varint(from, &id, error));
        id = (uint64_t)signed_of(id);
    }
    if (id > INT16_MAX)
        return INK__FOREIGN_FAIL(error, from->at - 1, "a field whose number is not from 0 to 2^15");
    field->id = (uint32_t)id;
    return INK_OK;
}

ink_status ink__thrift_number(ink__thrift *from, const ink__thrift_field *field, int64_t *number,
                              ink_error *error)
{
    uint64_t value;
    uint8_t  byte;

    if (field->type == INK__THRIFT_I8) {
        INK__TRY(take_byte(from, &byte, error));
        *number = (int8_t)byte;
        return INK_OK;
    }
    if (field->type < INK__THRIFT_I16 || field->type > INK__THRIFT_I64)
        return fail_sort(from, field, "a number", error);
    INK__TRY(take_varint(from, &value, error));
    *number = signed_of(value);
    return INK_OK;
}

ink_status ink__thrift_text(ink__thrift *from, const ink__thrift_field *field, const uint8_t **text,
                            uint64_t *bytes, ink_error *error)
{
    if (field->type != INK__THRIFT_BINARY)
        return fail_sort(from, field, "text", error);
    INK__TRY(take_varint(from, bytes, error));
    *text = from->bytes + from->at;
    return take_bytes(from, *bytes, error);
}

/* Every element has a byte or more. */
static ink_status take_list(ink__thrift *from, ink__thrift_list *list, ink_error *error)
{
    uint8_t byte;

    INK__TRY(take_byte(from, &byte, error));
    list->type = (ink__thrift_type)(byte & 15);
    list->count = byte >> 4;
    if (byte != 0) /* an empty list of no type */
        INK__TRY(check_type(from, list->type, error));
    if (list->count == 15)
        INK__TRY(take_varint(from, &list->count, error));
    if (list->count > from->end - from->at)
        return INK__FOREIGN_FAIL(error, from->at - 1, "a list of %llu, but %llu bytes follow",
                                 (unsigned long long)list->count,
                                 (unsigned long long)(from->end - from->at));
    return INK_OK;
}

ink_status ink__thrift_structs(ink__thrift *from, const ink__thrift_field *field,
                               ink__thrift_list *list, ink_error *error)
{
    if (field->type != INK__THRIFT_LIST)
        return fail_sort(from, field, "a list", error);
    INK__TRY(take_list(from, list, error));
    if (list->count > 0 && list->type != INK__THRIFT_STRUCT)
        return fail_sort(from, field, "a list of structs", error);
    return INK_OK;
}

ink_status ink__thrift_struct(const ink__thrift *from, const ink__thrift_field *field,
                              ink_error *error)
{
    return field->type == INK__THRIFT_STRUCT ? INK_OK : fail_sort(from, field, "a struct", error);
}

/* ---- Skipping ----------------------------------------------------------------------------- */

static ink_status skip(ink__thrift *from, ink__thrift_type type, bool in_list, unsigned depth,
                       ink_error *error);

static ink_status skip_struct(ink__thrift *from, unsigned depth, ink_error *error)
{
    ink__thrift_field field = {0, INK__THRIFT_STOP};

    do {
        INK__TRY(ink__thrift_next(from, &field, error));
        INK__TRY(skip(from, field.type, false, depth, error));
    } while (field.type != INK__THRIFT_STOP);
    return INK_OK;
}

static ink_status skip_elements(ink__thrift *from, const ink__thrift_list *list, unsigned depth,
                                ink_error *error)
{
    for (uint64_t i = 0; i < list->count; i++)
        INK__TRY(skip(from, list->type, true, depth, error));
    return INK_OK;
}

static ink_status skip_map(ink__thrift *from, unsigned depth, ink_error *error)
{
    uint64_t count;
    uint8_t  types = 0;

    INK__TRY(take_varint(from, &count, error));
    if (count > 0)
        INK__TRY(take_byte(from, &types, error));
    for (uint64_t i = 0; i < count; i++) {
        INK__TRY(skip(from, (ink__thrift_type)(types >> 4), true, depth, error));
        INK__TRY(skip(from, (ink__thrift_type)(types & 15), true, depth, error));
    }
    return INK_OK;
}

static ink_status skip(ink__thrift *from, ink__thrift_type type, bool in_list, unsigned depth,
                       ink_error *error)
{
    uint64_t         number;
    ink__thrift_list list;

    if (depth > DEPTH_MAX)
        return INK__FOREIGN_FAIL(error, from->at, "fields in each other, more than %d deep",
                                 DEPTH_MAX);
    switch (type) {
    case INK__THRIFT_STOP:
        return in_list ? check_type(from, type, error) : INK_OK;
    case INK__THRIFT_TRUE:
    case INK__THRIFT_FALSE: /* of a field, the type is the value */
        return take_bytes(from, in_list ? 1 : 0, error);
    case INK__THRIFT_I8:
        return take_bytes(from, 1, error);
    case INK__THRIFT_I16:
    case INK__THRIFT_I32:
    case INK__THRIFT_I64:
        return take_varint(from, &number, error);
    case INK__THRIFT_DOUBLE:
        return take_bytes(from, 8, error);
    case INK__THRIFT_BINARY:
        INK__TRY(take_varint(from, &number, error));
        return take_bytes(from, number, error);
    case INK__THRIFT_LIST:
    case INK__THRIFT_SET:
        INK__TRY(take_list(from, &list, error));
        return skip_elements(from, &list, depth + 1, error);
    case INK__THRIFT_MAP:
        return skip_map(from, depth + 1, error);
    case INK__THRIFT_STRUCT:
        return skip_struct(from, depth + 1, error);
    case INK__THRIFT_UUID:
        return take_bytes(from, 16, error);
    }
    return check_type(from, type, error);
}

ink_status ink__thrift_skip(ink__thrift *from, const ink__thrift_field *field, ink_error *error)
{
    return skip(from, field->type, false, 0, error);
}

ink_status ink__thrift_skip_list(ink__thrift *from, const ink__thrift_list *list, ink_error *error)
{
    return skip_elements(from, list, 1, error);
}
