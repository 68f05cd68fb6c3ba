/* arrow_rows.c - the rows of Arrow arrays, many at a time. Values with the layout of a batch are
 * used in place; others are widened, converted or copied here. */
#include "input/arrow/arrow_rows.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/shortest.h"
#include "base/status.h"
#include "base/text.h"
#include "input/arrow/arrow_values.h"

enum {
    WORDS = INK__ROWS_MAX / 64,
    NUMBER_BYTES = 24,
    /* Room for any group that is made here. */
    GROUP_BYTES = INK__SHORTEST_BYTES > NUMBER_BYTES ? INK__SHORTEST_BYTES : NUMBER_BYTES,
};

/* The rows that are being read: `rows` of them from `first` on, of which `count` are chosen; all if
 * `chosen`, counted from `first`, is NULL. */
typedef struct window {
    uint64_t        first;
    size_t          rows, count;
    const uint32_t *chosen;
} window;

struct ink__arrow_reader {
    ink_allocator   allocator;
    ink__arrow_plan plan;
    window          last; /* rows that were read */
    uint32_t        chosen[INK__ROWS_MAX];

    ink__row_bytes keys, groups;
    int64_t        indices[INK__ROWS_MAX]; /* of a dictionary */
    int64_t        key_ints[INK__ROWS_MAX];
    uint64_t       key_starts[INK__ROWS_MAX + 1], key_ends[INK__ROWS_MAX];
    uint64_t       group_starts[INK__ROWS_MAX + 1], group_ends[INK__ROWS_MAX];
    int64_t        weights[INK__ROWS_MAX];
};

static uint64_t row_of(const window *now, size_t i)
{
    return now->first + (now->chosen == NULL ? i : now->chosen[i]);
}

/* The bytes of empty pieces. */
static const uint8_t nothing[1];

/* ---- Life --------------------------------------------------------------------------------- */

ink_status ink__arrow_reader_create(ink__arrow_reader **reader, const ink__arrow_plan *plan,
                                    const ink_allocator *allocator, ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    INK__TRY(ink__allocate(&memory, sizeof **reader, reader, error));
    (*reader)->allocator = memory;
    (*reader)->plan = *plan;
    (*reader)->last = (window){0};
    (*reader)->keys = (*reader)->groups = (ink__row_bytes){0};
    return INK_OK;
}

void ink__arrow_reader_free(ink__arrow_reader *reader)
{
    if (reader == NULL)
        return;
    ink_allocator memory = reader->allocator;

    ink__release(&memory, reader->keys.bytes, reader->keys.room);
    ink__release(&memory, reader->groups.bytes, reader->groups.room);
    ink__release(&memory, reader, sizeof *reader);
}

uint64_t ink__arrow_location(const ink__arrow_reader *reader, size_t row)
{
    return row_of(&reader->last, row);
}

uint64_t ink__arrow_nulls(const ink__arrow_reader *reader)
{
    return reader->last.rows - reader->last.count;
}

/* ---- Which rows are no nulls -------------------------------------------------------------- */

/* The `count` bits from bit `at` on, up to 64; no further byte is read. */
static uint64_t load_bits(const uint8_t *bits, uint64_t at, size_t count)
{
    uint8_t bytes[16] = {0};
    size_t  shift = at % 8;

    memcpy(bytes, bits + at / 8, (shift + count + 7) / 8);
    uint64_t word = ink__load_u64(bytes) >> shift;
    return shift == 0 ? word : word | (uint64_t)bytes[8] << (64 - shift);
}

/* Clears the rows of `valid` whose bit is not set. */
static void keep_valid(const window *now, const uint8_t *bits, uint64_t at, uint64_t valid[WORDS])
{
    for (size_t i = 0; bits != NULL && i * 64 < now->rows; i++) {
        size_t left = now->rows - i * 64;
        valid[i] &= load_bits(bits, at + now->first + i * 64, left < 64 ? left : 64);
    }
}

/* Clears the rows of `valid` that are null in a column. */
static void keep_column(const window *now, const ink__arrow_bound *bound, uint64_t valid[WORDS])
{
    const ink__arrow_values *values = ink__arrow_decoded(bound);

    if (values->type.layout == INK__ARROW_NULLS)
        memset(valid, 0, WORDS * sizeof *valid);
    keep_valid(now, bound->rows.validity, bound->rows.at, valid);
    if (!bound->column->dictionary || values->validity == NULL)
        return;
    for (size_t i = 0; i * 64 < now->rows; i++)
        for (uint64_t left = valid[i]; left != 0; left &= left - 1) {
            uint64_t location, bit = ink__trailing_zeros_64(left);
            if (!ink__arrow_find(bound, now->first + i * 64 + bit, &location))
                valid[i] &= ~(1ull << bit);
        }
}

static bool none_null(const ink__arrow_plan *plan, const ink__arrow_table *table)
{
    bool some =
        table->validity != NULL || (plan->has_weight && ink__arrow_may_have_nulls(&table->weight));

    for (size_t i = 0; i < plan->key_count; i++)
        some = some || ink__arrow_may_have_nulls(&table->keys[i]);
    return !some;
}

static void choose_rows(ink__arrow_reader *reader, const ink__arrow_table *table, window *now)
{
    uint64_t valid[WORDS];

    now->count = now->rows;
    now->chosen = NULL;
    if (none_null(&reader->plan, table))
        return;
    for (size_t i = 0; i * 64 < now->rows; i++)
        valid[i] = now->rows - i * 64 < 64 ? (1ull << (now->rows - i * 64)) - 1 : ~0ull;
    keep_valid(now, table->validity, table->at, valid);
    for (size_t i = 0; i < reader->plan.key_count; i++)
        keep_column(now, &table->keys[i], valid);
    if (reader->plan.has_weight)
        keep_column(now, &table->weight, valid);

    size_t count = 0;
    for (size_t i = 0; i * 64 < now->rows; i++)
        for (uint64_t left = valid[i]; left != 0; left &= left - 1)
            reader->chosen[count++] = (uint32_t)(i * 64 + ink__trailing_zeros_64(left));
    if (count < now->rows) {
        now->count = count;
        now->chosen = reader->chosen;
    }
}

/* ---- Integers ----------------------------------------------------------------------------- */

/* `count` integers from row `first` on, as 64 bits each. */
static void widen(const ink__arrow_values *values, uint64_t first, size_t count,
                  int64_t *restrict to)
{
    const uint8_t *restrict from = values->data + (values->at + first) * values->type.width;

#define WIDEN(type)                                                                                \
    for (size_t i = 0; i < count; i++) {                                                           \
        type value;                                                                                \
        memcpy(&value, from + i * sizeof value, sizeof value);                                     \
        to[i] = (int64_t)value;                                                                    \
    }
    INK__ARROW_WITH_TYPE(&values->type, WIDEN)
}

/* Converts integers to keys, which the check has proved possible. Values of nulls are undefined. */
static void convert(const ink__arrow_type *type, size_t count, int64_t *ints)
{
    ink__arrow_divisor by = ink__arrow_divide_by(type->over);

    if (type->over != 1)
        for (size_t i = 0; i < count; i++)
            ints[i] = ink__arrow_quotient(by, ints[i]);
    else if (type->times != 1)
        for (size_t i = 0; i < count; i++)
            ints[i] = (int64_t)((uint64_t)ints[i] * (uint64_t)type->times);
}

/* Whether 64-bit numbers can be used in place. */
static bool is_aligned(const void *numbers)
{
    return (uintptr_t)numbers % sizeof(uint64_t) == 0;
}

/* The integers in place, if they need no conversion; else NULL. */
static const int64_t *plain_ints(const ink__arrow_values *values, uint64_t first)
{
    const ink__arrow_type *type = &values->type;

    if (type->layout != INK__ARROW_INTS || type->width != sizeof(int64_t) || type->over != 1 ||
        type->times != 1)
        return NULL;
    const uint8_t *from = values->data + (values->at + first) * sizeof(int64_t);
    return is_aligned(from) ? (const int64_t *)(const void *)from : NULL;
}

/* The integers of a column, or its indices, in the chosen rows. */
static void read_chosen(const ink__arrow_bound *bound, const window *now, int64_t *to)
{
    widen(&bound->rows, now->first, now->rows, to);
    if (now->chosen != NULL)
        for (size_t i = 0; i < now->count; i++)
            to[i] = to[now->chosen[i]];
}

/* The keys that the integers of a column stand for. */
static const int64_t *read_ints(const ink__arrow_bound *bound, const window *now, int64_t *to)
{
    if (now->count == 0)
        return to;
    if (!bound->column->dictionary && now->chosen == NULL) {
        const int64_t *plain = plain_ints(&bound->rows, now->first);
        if (plain != NULL)
            return plain;
    }
    read_chosen(bound, now, to);
    for (size_t i = 0; bound->column->dictionary && i < now->count; i++)
        to[i] = ink__arrow_int(&bound->words, (uint64_t)to[i]);
    convert(&ink__arrow_decoded(bound)->type, now->count, to);
    return to;
}

/* ---- Pieces: strings and binary ----------------------------------------------------------- */

/* Where pieces start and end, and of what. */
typedef struct pieces {
    const uint8_t  *bytes;
    const uint64_t *starts, *ends;
} pieces;

/* Room for starts and ends that are not in place: one more start than rows. */
typedef struct bounds {
    uint64_t *starts, *ends;
} bounds;

static pieces read_offsets(const ink__arrow_values *values, const window *now, bounds room)
{
    const uint8_t *from = values->data + (values->at + now->first) * values->type.width;
    pieces found = {values->bytes == NULL ? nothing : values->bytes, room.starts, room.ends};

    if (values->type.layout == INK__ARROW_OFFSETS64 && now->chosen == NULL && is_aligned(from)) {
        found.starts = (const uint64_t *)(const void *)from;
        found.ends = found.starts + 1;
        return found;
    }
    widen(values, now->first, now->rows + 1, (int64_t *)room.starts);
    if (now->chosen == NULL) {
        found.ends = room.starts + 1;
        return found;
    }
    for (size_t i = 0; i < now->count; i++) {
        uint64_t start = room.starts[now->chosen[i]];
        room.ends[i] = room.starts[now->chosen[i] + 1];
        room.starts[i] = start;
    }
    return found;
}

static pieces read_fixed(const ink__arrow_values *values, const window *now, bounds room)
{
    uint64_t width = values->type.width;

    for (size_t i = 0; i < now->count; i++) {
        room.starts[i] = (values->at + row_of(now, i)) * width;
        room.ends[i] = room.starts[i] + width;
    }
    return (pieces){values->data, room.starts, room.ends};
}

/* Scattered pieces, by their addresses (in starts) and lengths (in ends), become offsets from the
 * lowest address, UINTPTR_MAX if all are empty. */
static pieces from_lowest(uintptr_t lowest, size_t count, bounds room)
{
    for (size_t i = 0; i < count; i++) {
        room.starts[i] = room.ends[i] != 0 ? room.starts[i] - lowest : 0;
        room.ends[i] += room.starts[i];
    }
    return (pieces){lowest == UINTPTR_MAX ? nothing : (const uint8_t *)lowest, room.starts,
                    room.ends};
}

/* The lower of two addresses; that of an empty piece does not count. */
static uintptr_t lower(uintptr_t lowest, uintptr_t address, uint64_t count)
{
    uintptr_t other = count == 0 ? UINTPTR_MAX : address;

    return other < lowest ? other : lowest;
}

static pieces read_views(const ink__arrow_values *of, const window *now, bounds room)
{
    const ink__arrow_values values = *of; /* a copy, which no store below can change */
    const uint8_t          *views = values.data + (values.at + now->first) * INK__VIEW_BYTES;
    const uint32_t         *chosen = now->chosen;
    uintptr_t               lowest = UINTPTR_MAX;

    for (size_t i = 0; i < now->count; i++) {
        size_t         row = chosen == NULL ? i : chosen[i];
        const uint8_t *view = views + row * INK__VIEW_BYTES, *bytes = view + 4;
        uint64_t       count = (uint64_t)ink__arrow_u32(view);
        if (ink__arrow_is_null(&values, now->first + row)) /* a group may be */
            count = 0;
        if (count > INK__VIEW_SHORT)
            bytes = ink__arrow_view_bytes(&values, view);
        room.starts[i] = (uint64_t)(uintptr_t)bytes;
        room.ends[i] = count;
        lowest = lower(lowest, (uintptr_t)bytes, count);
    }
    return from_lowest(lowest, now->count, room);
}

static pieces read_words(ink__arrow_reader *reader, const ink__arrow_bound *bound,
                         const window *now, bounds room)
{
    const ink__arrow_values words = bound->words; /* a copy, which no store below can change */
    bool                    may_be_null = bound->rows.validity != NULL || words.validity != NULL;
    uintptr_t               lowest = UINTPTR_MAX;

    read_chosen(bound, now, reader->indices);
    for (size_t i = 0; i < now->count; i++) {
        ink__arrow_piece piece = {0};
        uint64_t         location = (uint64_t)reader->indices[i];
        if (!may_be_null || ink__arrow_find(bound, row_of(now, i), &location))
            piece = ink__arrow_bytes(&words, location);
        room.starts[i] = (uint64_t)(uintptr_t)piece.bytes;
        room.ends[i] = piece.count;
        lowest = lower(lowest, (uintptr_t)piece.bytes, piece.count);
    }
    return from_lowest(lowest, now->count, room);
}

/* The pieces of a column of bytes; undefined for a null among the chosen rows. */
static pieces read_pieces(ink__arrow_reader *reader, const ink__arrow_bound *bound,
                          const window *now, bounds room)
{
    if (now->count == 0)
        return (pieces){nothing, room.starts, room.ends};
    if (bound->column->dictionary)
        return read_words(reader, bound, now, room);
    if (bound->rows.type.layout == INK__ARROW_VIEWS)
        return read_views(&bound->rows, now, room);
    return bound->rows.type.layout == INK__ARROW_FIXED ? read_fixed(&bound->rows, now, room)
                                                       : read_offsets(&bound->rows, now, room);
}

/* ---- Tuples ------------------------------------------------------------------------------- */

/* Writes a whole number as text; returns its length, at most NUMBER_BYTES. */
static uint64_t put_whole(uint8_t *to, int64_t number, bool is_unsigned)
{
    uint8_t *end = is_unsigned ? ink__put_number(to, (uint64_t)number) : ink__put_whole(to, number);

    return (uint64_t)(end - to);
}

/* Writes the key of an integer; an unsigned one stays unsigned. */
static uint64_t put_int(uint8_t *to, const ink__arrow_values *values, uint64_t location)
{
    int64_t key;

    ink__arrow_key(&values->type, ink__arrow_int(values, location), &key);
    return put_whole(to, key, values->type.is_unsigned);
}

/* Adds one part of a tuple: its length, and its bytes or digits. */
static ink_status put_part(ink__arrow_reader *reader, const ink__arrow_bound *bound, uint64_t row,
                           ink_error *error)
{
    const ink__arrow_values *values = ink__arrow_decoded(bound);
    uint8_t                  number[NUMBER_BYTES];
    ink__arrow_piece         piece = {.bytes = number};
    ink__row_bytes          *to = &reader->keys;
    uint64_t                 location;

    ink__arrow_find(bound, row, &location);
    if (values->type.layout == INK__ARROW_INTS)
        piece.count = put_int(number, values, location);
    else
        piece = ink__arrow_bytes(values, location);
    INK__TRY(ink__make_room(&reader->allocator, &to->bytes, &to->room, to->used,
                            INK__TUPLE_LENGTH_BYTES + piece.count, error));
    to->used = (uint64_t)(ink__tuple_put(to->bytes + to->used, piece.bytes, (size_t)piece.count) -
                          to->bytes);
    return INK_OK;
}

static ink_status read_tuples(ink__arrow_reader *reader, const ink__arrow_table *table,
                              const window *now, ink_error *error)
{
    reader->keys.used = 0;
    for (size_t i = 0; i < now->count; i++) {
        reader->key_starts[i] = reader->keys.used;
        for (size_t part = 0; part < reader->plan.key_count; part++)
            INK__TRY(put_part(reader, &table->keys[part], row_of(now, i), error));
        reader->key_ends[i] = reader->keys.used;
    }
    return INK_OK;
}

/* ---- Groups ------------------------------------------------------------------------------- */

/* Rounds a float, which the check has proved to fit, as ink__number_round does text. */
static int64_t round_float(double value, ink__rounding rounding)
{
    bool     minus = value < 0;
    double   size = minus ? -value : value;
    uint64_t whole = (uint64_t)size;
    double   rest = size - (double)whole; /* exact: above 2^53 there is none */

    whole += rest > 0.5 || (rest == 0.5 && ink__tie_goes_away(rounding, minus, whole));
    return (int64_t)(minus ? 0 - whole : whole);
}

/* Writes a value that is not bytes, or is to be rounded, as a group; returns its length. */
static uint64_t put_group(const ink__arrow_plan *plan, const ink__arrow_values *values,
                          uint64_t location, uint8_t *to)
{
    int64_t          whole = 0;
    ink__arrow_piece piece;
    bool             is_true;

    switch (values->type.layout) {
    case INK__ARROW_INTS:
        return put_int(to, values, location);
    case INK__ARROW_FLOATS:
        if (plan->rounded)
            return put_whole(to, round_float(ink__arrow_float(values, location), plan->rounding),
                             false);
        return ink__shortest(ink__arrow_float(values, location), 8 * values->type.width,
                             (char *)to);
    case INK__ARROW_BITS:
        is_true = ink__arrow_bit(values->data, values->at + location);
        memcpy(to, is_true ? "true" : "false", is_true ? 4 : 5);
        return is_true ? 4 : 5;
    default:
        piece = ink__arrow_bytes(values, location);
        ink__number_round(piece.bytes, piece.count, plan->rounding, &whole);
        return put_whole(to, whole, false);
    }
}

static ink_status make_groups(ink__arrow_reader *reader, const ink__arrow_bound *bound,
                              const window *now, ink_error *error)
{
    ink__row_bytes *to = &reader->groups;

    to->used = 0;
    INK__TRY(ink__make_room(&reader->allocator, &to->bytes, &to->room, to->used,
                            INK__ROWS_MAX * GROUP_BYTES, error));
    for (size_t i = 0; i < now->count; i++) {
        uint64_t location;
        bool     null = !ink__arrow_find(bound, row_of(now, i), &location);
        reader->group_starts[i] = reader->group_ends[i] = INK__GROUP_NULL;
        if (null)
            continue;
        reader->group_starts[i] = to->used;
        to->used +=
            put_group(&reader->plan, ink__arrow_decoded(bound), location, to->bytes + to->used);
        reader->group_ends[i] = to->used;
    }
    return INK_OK;
}

/* Copies starts and ends, and marks the groups that are null. */
static void mark_nulls(ink__arrow_reader *reader, const ink__arrow_bound *bound, const window *now,
                       pieces *found)
{
    for (size_t i = 0; i < now->count; i++) {
        uint64_t location;
        bool     null = !ink__arrow_find(bound, row_of(now, i), &location);
        uint64_t end = found->ends[i]; /* which may be the next start in memory */
        reader->group_starts[i] = null ? INK__GROUP_NULL : found->starts[i];
        reader->group_ends[i] = null ? INK__GROUP_NULL : end;
    }
    found->starts = reader->group_starts;
    found->ends = reader->group_ends;
}

static ink_status read_groups(ink__arrow_reader *reader, const ink__arrow_bound *bound,
                              const window *now, ink__rows *rows, ink_error *error)
{
    ink__arrow_layout layout = ink__arrow_decoded(bound)->type.layout;
    bounds            room = {reader->group_starts, reader->group_ends};
    pieces            found = {NULL, room.starts, room.ends};

    if (reader->plan.rounded || !ink__arrow_is_bytes(layout)) {
        INK__TRY(make_groups(reader, bound, now, error));
        found.bytes = reader->groups.bytes;
    } else {
        found = read_pieces(reader, bound, now, room);
        if (ink__arrow_may_have_nulls(bound))
            mark_nulls(reader, bound, now, &found);
    }
    rows->group_bytes = found.bytes;
    rows->group_starts = found.starts;
    rows->group_ends = found.ends;
    return INK_OK;
}

/* ---- Rows --------------------------------------------------------------------------------- */

/* Whether all rows can be used in place. */
static bool needs_no_work(const ink__arrow_plan *plan, const ink__arrow_table *table,
                          uint64_t first)
{
    const ink__arrow_values *values = &table->keys[0].rows;

    if (plan->key_count > 1 || plan->has_group || plan->has_weight || plan->keys[0].dictionary ||
        !none_null(plan, table))
        return false;
    return plain_ints(values, first) != NULL ||
           (values->type.layout == INK__ARROW_OFFSETS64 && is_aligned(values->data));
}

static ink_status read_keys(ink__arrow_reader *reader, const ink__arrow_table *table,
                            const window *now, ink__rows *rows, ink_error *error)
{
    bounds room = {reader->key_starts, reader->key_ends};
    pieces found = {NULL, room.starts, room.ends};

    if (reader->plan.key_type == INK_KEY_INT) {
        rows->key_ints = read_ints(&table->keys[0], now, reader->key_ints);
        return INK_OK;
    }
    if (reader->plan.key_count == 1)
        found = read_pieces(reader, &table->keys[0], now, room);
    else {
        INK__TRY(read_tuples(reader, table, now, error));
        found.bytes = reader->keys.bytes == NULL ? nothing : reader->keys.bytes;
    }
    rows->key_bytes = found.bytes;
    rows->key_starts = found.starts;
    rows->key_ends = found.ends;
    return INK_OK;
}

ink_status ink__arrow_read(ink__arrow_reader *reader, const struct ArrowArray *array,
                           uint64_t first, uint64_t end, uint64_t *next, ink__rows *rows,
                           ink_error *error)
{
    const ink__arrow_plan *plan = &reader->plan;
    ink__arrow_table       table;
    window                 now = {.first = first, .rows = (size_t)(end - first)};

    INK__TRY(ink__arrow_bind(plan, array, &table, error));
    if (now.rows > INK__ROWS_MAX && !needs_no_work(plan, &table, first))
        now.rows = INK__ROWS_MAX;
    choose_rows(reader, &table, &now);
    *rows = (ink__rows){.count = now.count};
    reader->last = now;
    INK__TRY(read_keys(reader, &table, &now, rows, error));
    if (plan->has_group)
        INK__TRY(read_groups(reader, &table.group, &now, rows, error));
    if (plan->has_weight)
        rows->weights = (const uint64_t *)read_ints(&table.weight, &now, reader->weights);
    *next = first + now.rows;
    return INK_OK;
}
