/* thrift.h - reading Thrift's compact protocol, in which Parquet states what its files hold:
 * structs of numbered fields, in any order, unknown ones skipped. Nothing is read past the end of
 * the given bytes, nothing is allocated, and a byte is looked at once. */
#ifndef INK_FORMAT_FOREIGN_THRIFT_H
#define INK_FORMAT_FOREIGN_THRIFT_H

#include "inkling.h"

typedef struct ink__thrift {
    const uint8_t *bytes; /* of the whole file: errors name their bytes */
    uint64_t       at, end;
} ink__thrift;

typedef enum ink__thrift_type {
    INK__THRIFT_STOP, /* a struct ends */
    INK__THRIFT_TRUE,
    INK__THRIFT_FALSE,
    INK__THRIFT_I8,
    INK__THRIFT_I16,
    INK__THRIFT_I32,
    INK__THRIFT_I64,
    INK__THRIFT_DOUBLE,
    INK__THRIFT_BINARY,
    INK__THRIFT_LIST,
    INK__THRIFT_SET,
    INK__THRIFT_MAP,
    INK__THRIFT_STRUCT,
    INK__THRIFT_UUID,
} ink__thrift_type;

/* A field of a struct; all 0 before the first one. */
typedef struct ink__thrift_field {
    uint32_t         id;
    ink__thrift_type type;
} ink__thrift_field;

/* Elements that follow each other. */
typedef struct ink__thrift_list {
    uint64_t         count;
    ink__thrift_type type;
} ink__thrift_list;

/* Goes on from *field to the next field of a struct, or to its end. */
ink_status ink__thrift_next(ink__thrift *from, ink__thrift_field *field, ink_error *error);

/* The value of a field, which must be of this sort. */
ink_status ink__thrift_number(ink__thrift *from, const ink__thrift_field *field, int64_t *number,
                              ink_error *error);
ink_status ink__thrift_text(ink__thrift *from, const ink__thrift_field *field, const uint8_t **text,
                            uint64_t *bytes, ink_error *error);
ink_status ink__thrift_structs(ink__thrift *from, const ink__thrift_field *field,
                               ink__thrift_list *list, ink_error *error);
ink_status ink__thrift_struct(const ink__thrift *from, const ink__thrift_field *field,
                              ink_error *error);

/* Skips the value of a field; or what is left of a list. */
ink_status ink__thrift_skip(ink__thrift *from, const ink__thrift_field *field, ink_error *error);
ink_status ink__thrift_skip_list(ink__thrift *from, const ink__thrift_list *list, ink_error *error);

#endif
