/* arrow_plan.c - which columns of an Arrow schema are wanted, and which types these may have. */
#include "input/arrow/arrow_plan.h"

#include "base/status.h"
#include "base/text.h"

#include <string.h>

enum { NAMES_BYTES = 120, MICROSECONDS = 1000000, DAY_MILLISECONDS = 86400000 };

void ink__arrow_name(const ink__arrow_column *column, char text[INK__ARROW_NAME_BYTES])
{
    char quoted[48];

    ink__quote(quoted, sizeof quoted, column->name, strlen(column->name));
    if (quoted[0] != '\0')
        ink__format(text, INK__ARROW_NAME_BYTES, "column \"%s\"", quoted);
    else if (column->child >= 0)
        ink__format(text, INK__ARROW_NAME_BYTES, "column %lld", (long long)column->child + 1);
    else
        ink__format(text, INK__ARROW_NAME_BYTES, "the array");
}

/* ---- Types -------------------------------------------------------------------------------- */

/* What a column can be used as. */
enum { KEY = 1, GROUP = 2, ROUNDED = 4, WEIGHT = 8 };

/* A type by its format, or, if that ends with a colon or has no use, by the start of its format. */
typedef struct known_type {
    const char     *format;
    const char     *words;
    unsigned        uses;
    ink__arrow_type type;
} known_type;

#define INTS(bytes, is_unsigned, times, over)                                                      \
    {                                                                                              \
        INK__ARROW_INTS, bytes, is_unsigned, times, over                                           \
    }
#define PLAIN(layout, bytes)                                                                       \
    {                                                                                              \
        layout, bytes, false, 1, 1                                                                 \
    }

static const known_type known_types[] = {
    {"n", "nulls", KEY | GROUP | ROUNDED | WEIGHT, PLAIN(INK__ARROW_NULLS, 0)},
    {"b", "booleans", GROUP, PLAIN(INK__ARROW_BITS, 0)},
    {"c", "integers (int8)", KEY | GROUP | ROUNDED | WEIGHT, INTS(1, false, 1, 1)},
    {"C", "integers (uint8)", KEY | GROUP | ROUNDED | WEIGHT, INTS(1, true, 1, 1)},
    {"s", "integers (int16)", KEY | GROUP | ROUNDED | WEIGHT, INTS(2, false, 1, 1)},
    {"S", "integers (uint16)", KEY | GROUP | ROUNDED | WEIGHT, INTS(2, true, 1, 1)},
    {"i", "integers (int32)", KEY | GROUP | ROUNDED | WEIGHT, INTS(4, false, 1, 1)},
    {"I", "integers (uint32)", KEY | GROUP | ROUNDED | WEIGHT, INTS(4, true, 1, 1)},
    {"l", "integers (int64)", KEY | GROUP | ROUNDED | WEIGHT, INTS(8, false, 1, 1)},
    {"L", "integers (uint64)", KEY | GROUP | ROUNDED | WEIGHT, INTS(8, true, 1, 1)},
    {"e", "floats (half)", GROUP | ROUNDED, PLAIN(INK__ARROW_FLOATS, 2)},
    {"f", "floats (single)", GROUP | ROUNDED, PLAIN(INK__ARROW_FLOATS, 4)},
    {"g", "floats (double)", GROUP | ROUNDED, PLAIN(INK__ARROW_FLOATS, 8)},
    {"z", "binary", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_OFFSETS32, 4)},
    {"u", "strings", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_OFFSETS32, 4)},
    {"Z", "binary (large)", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_OFFSETS64, 8)},
    {"U", "strings (large)", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_OFFSETS64, 8)},
    {"vz", "binary (views)", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_VIEWS, INK__VIEW_BYTES)},
    {"vu", "strings (views)", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_VIEWS, INK__VIEW_BYTES)},
    {"w:", "binary (fixed-size)", KEY | GROUP | ROUNDED, PLAIN(INK__ARROW_FIXED, 0)},
    {"tdD", "dates (date32)", KEY | GROUP | ROUNDED, INTS(4, false, 1, 1)},
    {"tdm", "dates (date64)", KEY | GROUP | ROUNDED, INTS(8, false, 1, DAY_MILLISECONDS)},
    {"tss:", "timestamps (s)", KEY | GROUP | ROUNDED, INTS(8, false, MICROSECONDS, 1)},
    {"tsm:", "timestamps (ms)", KEY | GROUP | ROUNDED, INTS(8, false, MICROSECONDS / 1000, 1)},
    {"tsu:", "timestamps (us)", KEY | GROUP | ROUNDED, INTS(8, false, 1, 1)},
    {"tsn:", "timestamps (ns)", KEY | GROUP | ROUNDED, INTS(8, false, 1, 1000)},
    {"d:", "decimals", 0, {0}},
    {"tt", "times of day", 0, {0}},
    {"tD", "durations", 0, {0}},
    {"ti", "intervals", 0, {0}},
    {"+s", "structs", 0, {0}},
    {"+l", "lists", 0, {0}},
    {"+L", "lists (large)", 0, {0}},
    {"+vl", "lists (views)", 0, {0}},
    {"+vL", "lists (large views)", 0, {0}},
    {"+w:", "lists (fixed-size)", 0, {0}},
    {"+m", "maps", 0, {0}},
    {"+u", "unions", 0, {0}},
    {"+r", "runs (run-end encoded)", 0, {0}},
    {"_pli128", "128-bit integers", 0, {0}}, /* of polars */
    {"_plu128", "128-bit integers", 0, {0}},
};

static const known_type *find_type(const char *format)
{
    for (size_t i = 0; i < sizeof known_types / sizeof *known_types; i++) {
        const char *known = known_types[i].format;
        bool        begins = known_types[i].uses == 0 || known[strlen(known) - 1] == ':';
        if (begins ? ink__starts_with(format, known) : strcmp(format, known) == 0)
            return &known_types[i];
    }
    return NULL;
}

static ink_status refuse_type(const ink__arrow_column *column, const char *format, unsigned use,
                              ink_error *error)
{
    const known_type *known = find_type(format);
    char              name[INK__ARROW_NAME_BYTES], words[80], quoted[32];

    ink__arrow_name(column, name);
    ink__quote(quoted, sizeof quoted, format, strlen(format));
    ink__format(words, sizeof words, "values of the unknown format \"%s\"", quoted);
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s holds %s, expected %s", name,
                     known != NULL ? known->words : words,
                     use == KEY ? "integers, strings, binary, dates or timestamps"
                     : use == GROUP
                         ? "strings, binary, integers, floats, booleans, dates or timestamps"
                     : use == ROUNDED ? "numbers, or strings of them, to round to groups"
                                      : "integers as weights");
}

static ink_status read_type(const ink__arrow_column *column, const struct ArrowSchema *schema,
                            unsigned use, ink__arrow_type *type, ink_error *error)
{
    const known_type *known = find_type(schema->format);
    uint64_t          width;
    char              name[INK__ARROW_NAME_BYTES], quoted[32];

    if (known == NULL || (known->uses & use) == 0)
        return refuse_type(column, schema->format, use, error);
    *type = known->type;
    if (type->layout != INK__ARROW_FIXED)
        return INK_OK;
    const char *digits = schema->format + strlen("w:");
    if (ink__parse_digits(digits, strlen(digits), INT32_MAX, &width)) {
        type->width = (uint32_t)width;
        return INK_OK;
    }
    ink__arrow_name(column, name);
    ink__quote(quoted, sizeof quoted, schema->format, strlen(schema->format));
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "%s has the format \"%s\", expected w: and a number of bytes", name, quoted);
}

static ink_status check_schema(const struct ArrowSchema *schema, const char *what, ink_error *error)
{
    if (schema == NULL)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "%s is NULL, expected a schema", what);
    if (schema->release == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s was released, expected one that is not", what);
    if (schema->format == NULL)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0, "%s has no format, expected one", what);
    return INK_OK;
}

/* Reads the types of a column: of its values, and of its indices if it has a dictionary. */
static ink_status read_column(const struct ArrowSchema *schema, unsigned use,
                              ink__arrow_column *column, ink_error *error)
{
    const known_type *index = find_type(schema->format);
    char              name[INK__ARROW_NAME_BYTES];

    column->dictionary = schema->dictionary != NULL;
    if (!column->dictionary)
        return read_type(column, schema, use, &column->type, error);
    ink__arrow_name(column, name);
    /* Dates and timestamps are integers too, but no indices. */
    if (index == NULL || index->type.layout != INK__ARROW_INTS || (index->uses & WEIGHT) == 0)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "%s has a dictionary, expected integers as its indices", name);
    column->index = index->type;
    INK__TRY(check_schema(schema->dictionary, "the dictionary of a schema", error));
    if (schema->dictionary->dictionary != NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s holds a dictionary of dictionaries, expected one of values", name);
    return read_type(column, schema->dictionary, use, &column->type, error);
}

/* ---- Finding columns ---------------------------------------------------------------------- */

/* All columns: the children of a struct, or the array alone. */
typedef struct listing {
    const struct ArrowSchema *schema;
    bool                      is_struct;
    int64_t                   count;
} listing;

static const struct ArrowSchema *schema_of(const listing *list, int64_t number)
{
    return list->is_struct ? list->schema->children[number] : list->schema;
}

static const char *name_of(const listing *list, int64_t number)
{
    const char *name = schema_of(list, number)->name;

    return name == NULL ? "" : name;
}

static ink_status list_columns(const struct ArrowSchema *schema, listing *list, ink_error *error)
{
    INK__TRY(check_schema(schema, "the schema", error));
    list->schema = schema;
    list->is_struct = strcmp(schema->format, "+s") == 0 && schema->dictionary == NULL;
    list->count = list->is_struct ? schema->n_children : 1;
    if (list->count < 0 || (list->is_struct && list->count > 0 && schema->children == NULL))
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "a struct of %lld columns that are not there", (long long)list->count);
    for (int64_t i = 0; list->is_struct && i < list->count; i++)
        INK__TRY(check_schema(schema->children[i], "a column of the schema", error));
    return INK_OK;
}

/* The names of the first few columns. */
static void list_names(const listing *list, char names[NAMES_BYTES])
{
    size_t used = 0;
    char   name[32];

    names[0] = '\0';
    for (int64_t i = 0; i < list->count; i++) {
        ink__quote(name, sizeof name, name_of(list, i), strlen(name_of(list, i)));
        if (used + strlen(name) + strlen(", \"\", ...") >= NAMES_BYTES) {
            ink__format(names + used, NAMES_BYTES - used, ", ...");
            return;
        }
        used += ink__format(names + used, NAMES_BYTES - used, "%s\"%s\"", i == 0 ? "" : ", ", name);
    }
}

static ink_status find_name(const listing *list, const char *text, int64_t *number, bool *found,
                            ink_error *error)
{
    char quoted[48];

    *found = false;
    for (int64_t i = 0; i < list->count; i++) {
        if (strcmp(name_of(list, i), text) != 0)
            continue;
        ink__quote(quoted, sizeof quoted, text, strlen(text));
        if (*found)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "columns %lld and %lld are both named \"%s\": give a number",
                             (long long)*number + 1, (long long)i + 1, quoted);
        *number = i;
        *found = true;
    }
    return INK_OK;
}

static ink_status find_column(const listing *list, const char *text, unsigned use,
                              ink__arrow_column *column, ink_error *error)
{
    int64_t  number;
    uint64_t digits;
    bool     found;
    char     names[NAMES_BYTES], quoted[48];

    INK__TRY(find_name(list, text, &number, &found, error));
    if (!found && ink__number_weight((const uint8_t *)text, strlen(text), &digits) && digits > 0 &&
        digits <= (uint64_t)list->count) {
        number = (int64_t)digits - 1;
        found = true;
    }
    if (!found) {
        ink__quote(quoted, sizeof quoted, text, strlen(text));
        if (!list->is_struct)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "no column \"%s\": the array is a column itself, expected a table",
                             quoted);
        list_names(list, names);
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "no column \"%s\", expected one of %s, or a number up to %lld", quoted,
                         names, (long long)list->count);
    }
    *column = (ink__arrow_column){
        .child = list->is_struct ? number : -1,
        .name = name_of(list, number),
    };
    return read_column(schema_of(list, number), use, column, error);
}

/* ---- The plan ----------------------------------------------------------------------------- */

static ink_status find_keys(ink__arrow_plan *plan, const listing *list,
                            const ink__arrow_wanted *wanted, ink_error *error)
{
    static const char *const only[] = {"1"};
    const char *const       *names = wanted->key_count > 0 ? wanted->key : only;
    char                     there[NAMES_BYTES];

    plan->key_count = wanted->key_count > 0 ? wanted->key_count : 1;
    if (plan->key_count > INK__KEY_COLUMNS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%zu key columns, expected at most %d",
                         plan->key_count, INK__KEY_COLUMNS_MAX);
    if (list->count == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "an array without columns, expected one that is the key");
    if (wanted->key_count == 0 && list->count != 1) {
        list_names(list, there);
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%lld columns and none named as the key, expected one of %s",
                         (long long)list->count, there);
    }
    for (size_t i = 0; i < plan->key_count; i++)
        INK__TRY(find_column(list, names[i], KEY, &plan->keys[i], error));
    plan->key_type = plan->key_count == 1 && plan->keys[0].type.layout == INK__ARROW_INTS
                         ? INK_KEY_INT
                         : INK_KEY_BYTES;
    return INK_OK;
}

ink_status ink__arrow_plan_make(ink__arrow_plan *plan, const struct ArrowSchema *schema,
                                const ink__arrow_wanted *wanted, ink_error *error)
{
    listing         list;
    ink__arrow_plan made = {
        .has_group = wanted->by != NULL,
        .rounded = wanted->by != NULL && wanted->rounded,
        .rounding = wanted->rounding,
        .has_weight = wanted->weight != NULL,
        .refuse_nulls = wanted->refuse_nulls,
    };

    INK__TRY(list_columns(schema, &list, error));
    made.is_struct = list.is_struct;
    made.child_count = list.is_struct ? list.count : 0;
    INK__TRY(find_keys(&made, &list, wanted, error));
    if (made.has_group)
        INK__TRY(
            find_column(&list, wanted->by, made.rounded ? ROUNDED : GROUP, &made.group, error));
    if (made.has_weight)
        INK__TRY(find_column(&list, wanted->weight, WEIGHT, &made.weight, error));
    *plan = made;
    return INK_OK;
}

ink_status ink__arrow_plan_keys(ink__arrow_plan *plan, ink_key_type type, ink_error *error)
{
    if (plan->key_count == 1 && plan->keys[0].type.layout == INK__ARROW_NULLS)
        plan->key_type = type;
    if (plan->key_type == type)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     type == INK_KEY_INT
                         ? "keys in columns that are bytes, expected ints ({key_type})"
                         : "keys in a column that are ints, expected bytes ({key_type})");
}
