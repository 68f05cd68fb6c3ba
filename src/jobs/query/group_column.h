/* group_column.h - the groups that a record may be in, written with it: in one more field of
 * records with fields, in one more member of JSON objects, or as text after other records.
 * docs/output.md has the rules. */
#ifndef INK_JOBS_QUERY_GROUP_COLUMN_H
#define INK_JOBS_QUERY_GROUP_COLUMN_H

#include "jobs/groups/matches.h"
#include "jobs/runtime/passing.h"

typedef enum ink__groups_form {
    INK__GROUPS_ABSENT = 0, /* nothing is added */
    INK__GROUPS_AFTER,      /* a tab and the groups follow a record without fields */
    INK__GROUPS_FIELD,
    INK__GROUPS_MEMBER,
} ink__groups_form;

/* Constant while rows are written, so that many threads may use it. */
typedef struct ink__group_column {
    ink__groups_form    form;
    ink_allocator       allocator;
    const ink__members *members;
    const char         *name;
    ink__field_form     fields; /* FIELD: of the records ... */
    uint8_t             delimiter;
    bool                known;    /* ... of which a header is known, ... */
    uint32_t            width;    /* ... the first one with this many columns; 0: none */
    uint8_t             between;  /* groups */
    ink__json_path      paths[2]; /* MEMBER: the name, and that with _hex */
    ink__row_bytes      texts;    /* of each member one after another, each ... */
    uint64_t           *ends;     /* ... up to here; the names of MEMBER come last */
    bool               *special;  /* FIELD: the text needs quotes; MEMBER: it is no UTF-8 */
} ink__group_column;

/* For records that `rule` reads. `name` NULL means ink_group; an empty one no column. The members
 * and the name must outlive it. INK_USAGE for a name or a delimiter that cannot be written.
 * ink__group_column_end releases it, also after a failure. */
ink_status ink__group_column_begin(ink__group_column *column, const ink__row_rule *rule,
                                   const char *name, const ink__members *members,
                                   const ink_allocator *allocator, ink_error *error);
void       ink__group_column_end(ink__group_column *column);

/* Takes the header of an input, without its end. INK_USAGE if it has a column of this name. */
ink_status ink__group_column_see(ink__group_column *column, const uint8_t *header, uint64_t bytes,
                                 ink_error *error);

/* Puts the column's name, and the delimiter before it, after a header. */
ink_status ink__group_column_put_name(const ink__group_column *column, const ink__passing *passing,
                                      ink__passed *passed, ink_error *error);

/* Puts row `row` of `rows` with the groups whose answer in `table` is not 0: INK__ROWS_MAX answers
 * for each member. A failure is at INK_AT_KEY. */
ink_status ink__group_column_put(const ink__group_column *column, const ink__rows *rows, size_t row,
                                 const uint8_t *table, const ink__passing *passing,
                                 ink__passed *passed, ink_error *error);

#endif
