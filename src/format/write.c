/* write.c - writing a file. Three passes over the entries: to plan the columns, to fill them, and
 * to sum the payloads piece by piece, each with several threads if there is a crew; then the bytes
 * are written in order. */
#include "format/write.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "format/directory.h"

#include <string.h>

/* The values of a column in some entries. */
typedef struct spread {
    uint64_t first, largest;
    bool     differ;
} spread;

/* The shape of a column, found by the first pass. */
typedef struct column_plan {
    spread   values;
    uint8_t  form, width;
    uint64_t bytes; /* of its data, padded */
    uint64_t at;    /* of its data in the directory */
} column_plan;

typedef struct table_plan {
    uint16_t    kind, position_rule, layout;
    uint64_t    first, entries;
    column_plan columns[INK__COLUMNS];
    ink__column offsets, sizes; /* of payloads, once they are filled */
} table_plan;

/* Where payloads are. Locations depend on what is before them by one bit: whether they begin on a
 * multiple of the larger unit or not. */
typedef struct locations {
    uint64_t first, last; /* offsets of the first and the last payload */
    uint64_t end;         /* of the last; UINT64_MAX is too large */
} locations;

/* Entries of a table that are planned and filled by one thread. */
typedef struct part {
    unsigned  table;
    uint64_t  first, end;            /* entries of the file */
    spread    columns[INK__COLUMNS]; /* but of group ends and payload offsets */
    uint64_t  first_name, names;     /* bytes of the first group name, and of all */
    locations from[2];               /* payloads that begin at 0, and at INK__PAYLOAD_UNIT */
    uint64_t  group_end, payload_at; /* where its first ones begin */
} part;

enum {
    PART_ENTRIES = 1 << 12,
    CREW_PARTS = 4,        /* that are worth a thread */
    SMALL_BYTES = 1 << 10, /* of a payload, on average */
    WINDOW_PIECES = 64,
    SCRATCH_BYTES = INK__PIECE_BYTES / 8, /* that each piece of a window may have */
};

typedef struct plan {
    const ink__payload_source *source;
    const ink__crew           *crew;
    table_plan                 tables[INK__TABLES_MAX];
    unsigned                   table_count;
    uint64_t                   payload_bytes;
    uint64_t                   directory_bytes;
    uint64_t                   sums_at; /* in the directory */
    uint8_t                   *directory;
    uint64_t                   part_count;
    part                       parts[];
} plan;

static uint64_t padded(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* ---- First pass: plan of the columns ------------------------------------------------------ */

/* The values of an entry, column by column; group ends are running sums within a table. */
static void values_of(const ink__entry *entry, uint64_t group_end, uint64_t values[INK__COLUMNS])
{
    values[INK__COLUMN_GROUP_KIND] = (uint64_t)entry->label.group_kind;
    values[INK__COLUMN_GROUP_END] = group_end;
    values[INK__COLUMN_GROUP_BYTES] = 0;
    values[INK__COLUMN_SLOT_KIND] = entry->label.has_slot;
    values[INK__COLUMN_SLOT] = entry->label.has_slot ? (uint64_t)entry->label.slot : 0;
    values[INK__COLUMN_RECORDS] = entry->records;
    values[INK__COLUMN_PAYLOAD_OFFSET] = entry->payload_offset;
    values[INK__COLUMN_PAYLOAD_BYTES] = entry->payload_bytes;
    memcpy(values + INK__COLUMN_FIELD, entry->fields, sizeof entry->fields);
}

static uint64_t name_bytes(const ink__entry *entry)
{
    return entry->label.group_kind == INK_GROUP_BYTES ? entry->label.group_bytes : 0;
}

static uint16_t kind_at(const plan *p, uint64_t index, ink__entry *entry)
{
    p->source->entry(p->source->host, index, entry);
    return entry->kind;
}

/* The first entry of another kind after `first`. */
static uint64_t table_end(const plan *p, uint64_t first, uint16_t kind)
{
    uint64_t   low = first + 1, high = p->source->entries;
    ink__entry entry;

    if (low == high || kind_at(p, high - 1, &entry) == kind)
        return high;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (kind_at(p, middle, &entry) == kind)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Divides the entries into tables, and these into parts. */
static void divide(plan *p)
{
    for (uint64_t first = 0, end; first < p->source->entries; first = end) {
        table_plan *table = &p->tables[p->table_count];
        ink__entry  entry;
        end = table_end(p, first, kind_at(p, first, &entry));
        *table = (table_plan){.kind = entry.kind,
                              .position_rule = entry.position_rule,
                              .layout = entry.layout,
                              .first = first,
                              .entries = end - first};
        for (uint64_t at = first; at < end; at += PART_ENTRIES)
            p->parts[p->part_count++] =
                (part){.table = p->table_count,
                       .first = at,
                       .end = end - at < PART_ENTRIES ? end : at + PART_ENTRIES};
        p->table_count++;
    }
}

static void locate(locations *all, bool first, uint64_t bytes)
{
    uint64_t offset;

    if (!ink__payload_location(all->end, bytes, &offset))
        offset = UINT64_MAX;
    if (first)
        all->first = offset;
    all->last = offset;
    all->end = ink__add_saturating(offset, bytes);
}

static void plan_part(void *host, uint64_t number)
{
    plan      *p = host;
    part      *these = &p->parts[number];
    uint64_t   values[INK__COLUMNS];
    ink__entry entry = {0};

    these->from[1].end = INK__PAYLOAD_UNIT;
    for (uint64_t i = these->first; i < these->end; i++) {
        const bool first = i == these->first;
        p->source->entry(p->source->host, i, &entry);
        entry.payload_offset = 0;
        values_of(&entry, 0, values);
        for (unsigned c = 0; c < INK__COLUMNS; c++) {
            spread *column = &these->columns[c];
            if (first)
                column->first = values[c];
            column->differ |= values[c] != column->first;
            column->largest = values[c] > column->largest ? values[c] : column->largest;
        }
        these->names += name_bytes(&entry);
        if (first)
            these->first_name = these->names;
        for (unsigned phase = 0; phase < 2; phase++)
            locate(&these->from[phase], first, entry.payload_bytes);
    }
}

static void join_spread(spread *all, bool first, const spread *more)
{
    if (first)
        *all = *more;
    all->differ |= more->differ || more->first != all->first;
    all->largest = more->largest > all->largest ? more->largest : all->largest;
}

/* The columns of tables from those of their parts, which get their beginnings. */
static ink_status join_parts(plan *p, uint64_t *payload_end, ink_error *error)
{
    uint64_t end = 0, names = 0;

    for (uint64_t i = 0; i < p->part_count; i++) {
        part            *these = &p->parts[i];
        table_plan      *table = &p->tables[these->table];
        const bool       first = these->first == table->first;
        const uint64_t   start = padded(end, INK__PAYLOAD_UNIT);
        const uint64_t   phase = start & (INK__LARGE_PAYLOAD_UNIT - 1);
        const uint64_t   base = start - phase;
        const locations *found = &these->from[phase / INK__PAYLOAD_UNIT];

        end = ink__add_saturating(base, found->end);
        if (end > INK__BYTES_MAX - INK__PAYLOAD_UNIT)
            return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                             "the sketches together are larger than a file can be");
        names = first ? 0 : names;
        these->group_end = names;
        these->payload_at = start;
        names += these->names;
        for (unsigned c = 0; c < INK__COLUMNS; c++) {
            spread values = these->columns[c]; /* these two rise, so the last is the largest */
            if (c == INK__COLUMN_GROUP_END)
                values = (spread){these->group_end + these->first_name, names, false};
            else if (c == INK__COLUMN_PAYLOAD_OFFSET)
                values = (spread){base + found->first, base + found->last, false};
            values.differ |= values.largest != values.first;
            join_spread(&table->columns[c].values, first, &values);
        }
    }
    *payload_end = end;
    return INK_OK;
}
_Static_assert(2 * INK__PAYLOAD_UNIT == INK__LARGE_PAYLOAD_UNIT, "one bit decides");

static bool left_out(const column_plan *column)
{
    return column->values.largest == 0;
}

static void shape_columns(table_plan *table)
{
    for (unsigned c = 0; c < INK__COLUMNS; c++) {
        column_plan *column = &table->columns[c];
        if (c == INK__COLUMN_GROUP_BYTES) {
            /* As many bytes as the last group end, which is the largest. */
            column->values.largest = table->columns[INK__COLUMN_GROUP_END].values.largest;
            column->form = INK__FORM_BYTES;
            column->width = 1;
            column->bytes = padded(column->values.largest, 8);
        } else if (!column->values.differ) {
            column->form = INK__FORM_ONE;
            column->width = 8;
            column->bytes = left_out(column) ? 0 : 8;
        } else {
            column->form = INK__FORM_EACH;
            column->width = ink__width_of(column->values.largest);
            column->bytes = padded(table->entries * column->width, 8);
        }
    }
}

static unsigned columns_kept(const table_plan *table)
{
    unsigned kept = 0;

    for (unsigned c = 0; c < INK__COLUMNS; c++)
        kept += !left_out(&table->columns[c]);
    return kept;
}

static ink_status make_plan(plan *p, ink_error *error)
{
    uint64_t end = 0, at = 8;

    p->table_count = 0; /* tables and parts are cleared as they are found */
    p->part_count = 0;
    divide(p);
    ink__crew_each(p->crew, p->part_count, CREW_PARTS, plan_part, p);
    INK__TRY(join_parts(p, &end, error));
    p->payload_bytes = padded(end, INK__PAYLOAD_UNIT);
    for (unsigned t = 0; t < p->table_count; t++) {
        shape_columns(&p->tables[t]);
        at += padded(16 + 4 * columns_kept(&p->tables[t]), 8);
    }
    for (unsigned t = 0; t < p->table_count; t++)
        for (unsigned c = 0; c < INK__COLUMNS; c++) {
            p->tables[t].columns[c].at = at;
            at += p->tables[t].columns[c].bytes;
        }
    p->sums_at = at;
    p->directory_bytes = padded(at + 8 * ink__pieces_in(p->payload_bytes) + 8, INK__DIRECTORY_UNIT);
    return INK_OK;
}

/* ---- Second pass: header and directory ---------------------------------------------------- */

static void write_header(const ink__payload_source *source, const plan *p, uint8_t *header)
{
    memcpy(header, INK__MAGIC, 8);
    ink__store_u16(header + INK__HEADER_VERSION, INK__FORMAT_VERSION);
    ink__store_u16(header + INK__HEADER_FLAGS, 0);
    ink__store_u16(header + INK__HEADER_KEY_TYPE, (uint16_t)source->keys.key_type);
    ink__store_u16(header + INK__HEADER_HASH, (uint16_t)source->keys.hash);
    ink__store_u64(header + INK__HEADER_SEED, source->keys.seed);
    ink__store_u64(header + INK__HEADER_CHECK, source->keys.check);
    ink__store_u64(header + INK__HEADER_ENTRIES, source->entries);
    ink__store_u64(header + INK__HEADER_DIRECTORY, p->directory_bytes);
    ink__store_u64(header + INK__HEADER_PAYLOAD, p->payload_bytes);
    ink__store_u64(header + INK__HEADER_CHECKSUM, ink__checksum(header, INK__HEADER_CHECKSUM));
}

static void write_descriptions(const plan *p, uint8_t *directory)
{
    uint8_t *out = directory + 8;

    ink__store_u32(directory, p->table_count);
    for (unsigned t = 0; t < p->table_count; t++) {
        const table_plan *table = &p->tables[t];
        uint8_t          *start = out;
        ink__store_u16(out, table->kind);
        ink__store_u16(out + 2, table->position_rule);
        ink__store_u16(out + 4, table->layout);
        ink__store_u16(out + 6, (uint16_t)columns_kept(table));
        ink__store_u64(out + 8, table->entries);
        out += 16;
        for (unsigned c = 0; c < INK__COLUMNS; c++) {
            const column_plan *column = &table->columns[c];
            if (left_out(column))
                continue;
            ink__store_u16(out, (uint16_t)ink__column_id(c));
            out[2] = column->form;
            out[3] = column->width;
            out += 4;
        }
        out = start + padded((uint64_t)(out - start), 8);
    }
}

static void fill_entry(const plan *p, const table_plan *table, uint64_t index_in_table,
                       const ink__entry *entry, const uint64_t values[INK__COLUMNS])
{
    for (unsigned c = 0; c < INK__COLUMNS; c++) {
        const column_plan *column = &table->columns[c];
        uint8_t            bytes[8];
        if (column->form == INK__FORM_BYTES) {
            uint64_t count = name_bytes(entry);
            if (count > 0)
                memcpy(p->directory + column->at + values[INK__COLUMN_GROUP_END] - count,
                       entry->label.group, (size_t)count);
        } else if (column->form == INK__FORM_EACH || (index_in_table == 0 && !left_out(column))) {
            ink__store_u64(bytes, values[c]);
            memcpy(p->directory + column->at + index_in_table * column->width, bytes,
                   column->width);
        }
    }
}

static void fill_part(void *host, uint64_t number)
{
    const plan       *p = host;
    const part       *these = &p->parts[number];
    const table_plan *table = &p->tables[these->table];
    uint64_t          end = these->payload_at, group_end = these->group_end, values[INK__COLUMNS];
    ink__entry        entry = {0};

    for (uint64_t i = these->first; i < these->end; i++) {
        p->source->entry(p->source->host, i, &entry);
        group_end += name_bytes(&entry);
        ink__payload_location(end, entry.payload_bytes, &entry.payload_offset);
        end = entry.payload_offset + entry.payload_bytes;
        values_of(&entry, group_end, values);
        fill_entry(p, table, i - table->first, &entry, values);
    }
}

static ink__column filled(const plan *p, const column_plan *column)
{
    return (ink__column){.data = p->directory + column->at,
                         .value = column->values.first,
                         .form = column->form,
                         .width = column->width};
}

/* Fills the tables of the directory, which can then be asked where payloads are. */
static void fill_tables(plan *p)
{
    ink__crew_each(p->crew, p->part_count, CREW_PARTS, fill_part, p);
    for (unsigned t = 0; t < p->table_count; t++) {
        table_plan *table = &p->tables[t];
        table->offsets = filled(p, &table->columns[INK__COLUMN_PAYLOAD_OFFSET]);
        table->sizes = filled(p, &table->columns[INK__COLUMN_PAYLOAD_BYTES]);
    }
}

/* ---- Third pass: payloads, piece by piece ------------------------------------------------- */

typedef struct extent {
    uint64_t from, until;
} extent;

static extent payload_of(const plan *p, uint64_t index)
{
    const table_plan *table = p->tables;

    while (index >= table->first + table->entries)
        table++;
    uint64_t from = ink__column_get(&table->offsets, index - table->first);
    return (extent){from, from + ink__column_get(&table->sizes, index - table->first)};
}

/* The last entry whose payload begins at `offset` or before it. */
static uint64_t entry_at(const plan *p, uint64_t offset)
{
    uint64_t low = 0, high = p->source->entries;

    while (high - low > 1) {
        uint64_t middle = low + (high - low) / 2;
        if (payload_of(p, middle).from <= offset)
            low = middle;
        else
            high = middle;
    }
    return low;
}

/* Room to gather a piece, and after it to encode a payload that is not within the piece. */
typedef struct place {
    uint8_t       *piece, *scratch;
    uint64_t       encoded; /* the entry after the one that is in the scratch */
    const uint8_t *payload; /* of that entry */
    const uint8_t *bytes;   /* of the piece: gathered, or as they stand in a payload */
} place;

/* Some consecutive pieces, one in each place. */
typedef struct window {
    const plan *p;
    place      *places;
    uint64_t    room, first, count;
    uint8_t    *sums; /* of all pieces, or NULL: they are known */
    void       *memory;
    uint64_t    memory_bytes;
} window;

static uint64_t piece_bytes(const plan *p, uint64_t piece)
{
    uint64_t left = p->payload_bytes - piece * INK__PIECE_BYTES;

    return left < INK__PIECE_BYTES ? left : INK__PIECE_BYTES;
}

/* The payload of an entry that is within a piece: the scratch that it may need goes on after it. */
static const uint8_t *payload_within(const plan *p, uint64_t index, uint8_t *to, place *at)
{
    at->encoded = 0;
    return p->source->payload(p->source->host, index, to);
}

/* The payload of an entry that is not. */
static const uint8_t *payload_beside(const plan *p, uint64_t index, place *at)
{
    if (at->encoded != index + 1)
        at->payload = p->source->payload(p->source->host, index, at->scratch);
    at->encoded = index + 1;
    return at->payload;
}

/* What stands where it would be gathered is not copied, nor is a piece of one payload. */
static const uint8_t *gather(const plan *p, extent piece, place *at)
{
    uint64_t filled = piece.from;

    for (uint64_t i = entry_at(p, piece.from); i < p->source->entries; i++) {
        const extent payload = payload_of(p, i);
        if (payload.from >= piece.until)
            break;
        if (payload.until <= piece.from || payload.from == payload.until)
            continue;
        const uint64_t from = payload.from < piece.from ? piece.from : payload.from;
        const uint64_t until = payload.until < piece.until ? payload.until : piece.until;
        uint8_t       *to = at->piece + (from - piece.from);
        const bool     within = from == payload.from && until == payload.until;
        const uint8_t *bytes = within ? payload_within(p, i, to, at)
                                      : payload_beside(p, i, at) + (from - payload.from);
        if (until - from == INK__PIECE_BYTES)
            return bytes;
        memset(at->piece + (filled - piece.from), 0, (size_t)(from - filled));
        if (bytes != to)
            memcpy(to, bytes, (size_t)(until - from));
        filled = until;
    }
    memset(at->piece + (filled - piece.from), 0, (size_t)(piece.until - filled));
    return at->piece;
}

static void gather_step(void *host, uint64_t number)
{
    const window  *of = host;
    const uint64_t piece = of->first + number, bytes = piece_bytes(of->p, piece);
    const uint64_t from = piece * INK__PIECE_BYTES;

    of->places[number].bytes = gather(of->p, (extent){from, from + bytes}, &of->places[number]);
    if (of->sums != NULL)
        ink__store_u64(of->sums + 8 * piece, ink__checksum(of->places[number].bytes, bytes));
}

/* Whether payloads are small on average: a piece of them is worth a thread. */
static bool has_small_payloads(const plan *p)
{
    return p->payload_bytes / SMALL_BYTES < p->source->entries;
}

/* Gathers the pieces from `first` on. */
static void move_window(window *of, uint64_t first)
{
    const uint64_t left = ink__pieces_in(of->p->payload_bytes) - first;

    of->first = first;
    of->count = left < of->room ? left : of->room;
    ink__crew_each(of->p->crew, of->count, has_small_payloads(of->p) ? 1 : INK__CREW_PIECES,
                   gather_step, of);
}

/* Room for several pieces helps threads; with room for all of them small payloads are gathered
 * once. A payload that needs much scratch is encoded once, for one piece after another. */
static ink_status make_window(window *of, const ink_allocator *allocator, ink_error *error)
{
    const plan    *p = of->p;
    const uint64_t scratch = p->source->scratch_bytes, pieces = ink__pieces_in(p->payload_bytes);
    const bool     several =
        ink__crew_for(p->crew, pieces, 1) > 1 || (has_small_payloads(p) && pieces <= WINDOW_PIECES);

    of->room = !several || scratch > SCRATCH_BYTES ? 1 : WINDOW_PIECES;
    of->room = pieces < of->room ? pieces : of->room;
    if (of->room == 0)
        return INK_OK;
    const uint64_t places = padded(of->room * sizeof(place), INK__LARGE_PAYLOAD_UNIT);
    const uint64_t gathered = of->room > 1 ? INK__PIECE_BYTES : piece_bytes(p, 0);
    const uint64_t stride = gathered + padded(scratch, INK__LARGE_PAYLOAD_UNIT);
    of->memory_bytes = places + of->room * stride;
    INK__TRY(ink__allocate(allocator, of->memory_bytes, &of->memory, error));
    of->places = of->memory;
    uint8_t *room = (uint8_t *)of->memory + places;
    for (uint64_t i = 0; i < of->room; i++, room += stride)
        of->places[i] = (place){.piece = room, .scratch = room + gathered};
    return INK_OK;
}

static void sum_payloads(window *of, uint8_t *sums)
{
    of->sums = sums;
    for (uint64_t at = 0; at < ink__pieces_in(of->p->payload_bytes); at += of->room)
        move_window(of, at);
    of->sums = NULL;
}

/* If the window has all pieces, they are still there, as they were summed. Writing is no work for
 * several threads: the system lets one write to a file at a time. */
static ink_status write_payloads(window *of, const ink__sink *sink, ink_error *error)
{
    const uint64_t pieces = ink__pieces_in(of->p->payload_bytes);

    for (uint64_t at = 0; at < pieces; at += of->room) {
        if (pieces > of->room)
            move_window(of, at);
        for (uint64_t i = 0; i < of->count; i++)
            INK__TRY(
                sink->write(sink->host, of->places[i].bytes, piece_bytes(of->p, at + i), error));
    }
    return INK_OK;
}

/* ---- Sections ----------------------------------------------------------------------------- */

static uint64_t section_bytes(uint64_t content)
{
    return 16 + padded(content, 8) + 8;
}

static uint64_t file_bytes(const ink__payload_source *source, const plan *p)
{
    uint64_t bytes = INK__HEADER_BYTES + p->directory_bytes + p->payload_bytes + section_bytes(8);

    for (size_t i = 0; i < source->section_count; i++)
        bytes += section_bytes(source->sections[i].bytes);
    return bytes;
}

static ink_status write_section(const ink_section *section, const ink__sink *sink,
                                const ink_allocator *allocator, ink_error *error)
{
    uint64_t bytes = section_bytes(section->bytes);
    uint8_t *out;

    INK__TRY(ink__allocate_zeroed(allocator, bytes, &out, error));
    ink__store_u32(out, section->id);
    ink__store_u32(out + 4, section->critical ? INK__SECTION_CRITICAL : 0);
    ink__store_u64(out + 8, section->bytes);
    if (section->bytes > 0)
        memcpy(out + 16, section->data, section->bytes);
    ink__store_u64(out + bytes - 8, ink__checksum(out, bytes - 8));
    ink_status status = sink->write(sink->host, out, bytes, error);
    ink__release(allocator, out, bytes);
    return status;
}

static ink_status write_sections(const ink__payload_source *source, const plan *p,
                                 const ink__sink *sink, const ink_allocator *allocator,
                                 ink_error *error)
{
    uint8_t     total[8];
    ink_section end = {
        .id = INK__SECTION_END, .critical = true, .data = total, .bytes = sizeof total};

    for (size_t i = 0; i < source->section_count; i++)
        INK__TRY(write_section(&source->sections[i], sink, allocator, error));
    ink__store_u64(total, file_bytes(source, p));
    return write_section(&end, sink, allocator, error);
}

static ink_status check_sections(const ink__payload_source *source, ink_error *error)
{
    uint32_t last = 0;
    uint64_t together = 0;

    if (source->section_count > INK__SECTIONS_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "%zu sections, expected at most %d",
                         source->section_count, INK__SECTIONS_MAX);
    for (size_t i = 0; i < source->section_count; i++) {
        const ink_section *section = &source->sections[i];
        if (section->id <= last || section->id == INK__SECTION_END)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "section %u after section %u, expected rising ids from 1 to %u",
                             section->id, last, INK__SECTION_END - 1);
        if (section->critical && section->id > INK_SECTION_ORIGIN)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "section %u is critical and unknown: no reader would take it",
                             section->id);
        if (section->bytes > INK__BYTES_MAX / 4 - together)
            return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "section %u has %zu bytes",
                             section->id, section->bytes);
        last = section->id;
        together += section->bytes;
    }
    return INK_OK;
}

/* ---- The whole ---------------------------------------------------------------------------- */

/* Puts header and directory together in `head`, which is all zero. */
static void build_head(plan *p, uint8_t *head, window *payloads)
{
    uint8_t *directory = head + INK__HEADER_BYTES;

    write_header(p->source, p, head);
    write_descriptions(p, directory);
    p->directory = directory;
    fill_tables(p);
    sum_payloads(payloads, directory + p->sums_at);
    ink__store_u64(directory + p->directory_bytes - 8,
                   ink__checksum(directory, p->directory_bytes - 8));
}

/* Writes everything before the sections. */
static ink_status write_identity(plan *p, const ink__sink *sink, const ink_allocator *allocator,
                                 ink_error *error)
{
    ink__block head = {0};
    window     payloads = {.p = p};
    uint64_t   head_bytes = INK__HEADER_BYTES + p->directory_bytes;
    ink_status status = ink__block_create(&head, allocator, head_bytes, error);

    if (status == INK_OK)
        status = make_window(&payloads, allocator, error);
    if (status == INK_OK) {
        build_head(p, head.data, &payloads);
        status = sink->write(sink->host, head.data, head_bytes, error);
    }
    if (status == INK_OK)
        status = write_payloads(&payloads, sink, error);
    ink__release(allocator, payloads.memory, payloads.memory_bytes);
    ink__block_release(&head, allocator);
    return status;
}

/* Writes all, or all but the sections. The plan is too large for every caller's stack. */
static ink_status write_parts(const ink__payload_source *source, bool sections,
                              const ink__sink *sink, const ink__crew *crew,
                              const ink_allocator *allocator, ink_error *error)
{
    const uint64_t tables = source->entries < INK__TABLES_MAX ? source->entries : INK__TABLES_MAX;
    const uint64_t bytes = sizeof(plan) + (source->entries / PART_ENTRIES + tables) * sizeof(part);
    plan          *p;

    INK__TRY(ink__allocate(allocator, bytes, &p, error));
    p->source = source;
    p->crew = crew;
    ink_status status = make_plan(p, error);
    if (status == INK_OK && sink->begin != NULL)
        status = sink->begin(sink->host, file_bytes(source, p), error);
    if (status == INK_OK)
        status = write_identity(p, sink, allocator, error);
    if (status == INK_OK && sections)
        status = write_sections(source, p, sink, allocator, error);
    ink__release(allocator, p, bytes);
    return status;
}

ink_status ink__write(const ink__payload_source *source, const ink__sink *sink,
                      const ink__crew *crew, const ink_allocator *allocator, ink_error *error)
{
    INK__TRY(check_sections(source, error));
    return write_parts(source, true, sink, crew, allocator, error);
}

static ink_status digest_more(void *host, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    (void)error;
    ink__digest_add(host, bytes, count);
    return INK_OK;
}

ink_status ink__write_digest(const ink__payload_source *source, const ink_allocator *allocator,
                             uint8_t digest[INK_DIGEST_BYTES], ink_error *error)
{
    ink__digester digester;
    ink__sink     sink = {.host = &digester, .write = digest_more};

    ink__digest_begin(&digester);
    INK__TRY(write_parts(source, false, &sink, NULL, allocator, error));
    ink__digest_end(&digester, digest);
    return INK_OK;
}
