/* write.c - writing a file. Three passes over the entries: to plan the columns, to fill them, and
 * to sum the payloads piece by piece; then the bytes are written in order. */
#include "format/write.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"

#include <string.h>

/* The shape of a column, found by the first pass. */
typedef struct column_plan {
    uint64_t first, largest;
    bool     differ;
    uint8_t  form, width;
    uint64_t bytes; /* of its data, padded */
    uint64_t at;    /* of its data in the directory */
} column_plan;

typedef struct table_plan {
    uint16_t    kind, position_rule, layout;
    uint64_t    entries;
    column_plan columns[INK__COLUMNS];
} table_plan;

typedef struct plan {
    table_plan tables[INK__TABLES_MAX];
    unsigned   table_count;
    uint64_t   payload_bytes;
    uint64_t   directory_bytes;
    uint64_t   sums_at; /* in the directory */
    uint8_t   *directory;
} plan;

static uint64_t padded(uint64_t bytes, uint64_t unit)
{
    return (bytes + unit - 1) & ~(unit - 1);
}

/* A piece is never larger than all payloads. */
static uint64_t piece_room(const plan *p)
{
    return p->payload_bytes < INK__PIECE_BYTES ? p->payload_bytes : INK__PIECE_BYTES;
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

/* Walks over all entries with their columns' values, in order; `each` gets the table's number. */
typedef void visit(void *host, unsigned table, uint64_t index_in_table, const ink__entry *entry,
                   const uint64_t values[INK__COLUMNS]);

static ink_status walk(const ink__payload_source *source, uint64_t *payload_end, visit *each,
                       void *host, ink_error *error)
{
    uint64_t   end = 0, group_end = 0, index_in_table = 0, values[INK__COLUMNS];
    unsigned   table = 0;
    ink__entry entry = {0}, before = {0};

    for (uint64_t i = 0; i < source->entries; i++, index_in_table++) {
        source->entry(source->host, i, &entry);
        if (i > 0 && entry.kind != before.kind) {
            table++;
            group_end = index_in_table = 0;
        }
        group_end += name_bytes(&entry);
        if (!ink__payload_location(end, entry.payload_bytes, &entry.payload_offset) ||
            !ink__add_u64(entry.payload_offset, entry.payload_bytes, &end) ||
            end > INK__BYTES_MAX - INK__PAYLOAD_UNIT)
            return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                             "the sketches together are larger than a file can be");
        values_of(&entry, group_end, values);
        each(host, table, index_in_table, &entry, values);
        before = entry;
    }
    *payload_end = end;
    return INK_OK;
}

static void plan_entry(void *host, unsigned table, uint64_t index_in_table, const ink__entry *entry,
                       const uint64_t values[INK__COLUMNS])
{
    plan       *p = host;
    table_plan *t = &p->tables[table];

    if (index_in_table == 0) {
        p->table_count = table + 1;
        *t = (table_plan){
            .kind = entry->kind, .position_rule = entry->position_rule, .layout = entry->layout};
    }
    t->entries = index_in_table + 1;
    for (unsigned c = 0; c < INK__COLUMNS; c++) {
        column_plan *column = &t->columns[c];
        if (index_in_table == 0)
            column->first = values[c];
        column->differ |= values[c] != column->first;
        column->largest = values[c] > column->largest ? values[c] : column->largest;
    }
}

static bool left_out(const column_plan *column)
{
    return column->largest == 0;
}

static void shape_columns(table_plan *table)
{
    for (unsigned c = 0; c < INK__COLUMNS; c++) {
        column_plan *column = &table->columns[c];
        if (c == INK__COLUMN_GROUP_BYTES) {
            /* As many bytes as the last group end, which is the largest. */
            column->largest = table->columns[INK__COLUMN_GROUP_END].largest;
            column->form = INK__FORM_BYTES;
            column->width = 1;
            column->bytes = padded(column->largest, 8);
        } else if (!column->differ) {
            column->form = INK__FORM_ONE;
            column->width = 8;
            column->bytes = left_out(column) ? 0 : 8;
        } else {
            column->form = INK__FORM_EACH;
            column->width = ink__width_of(column->largest);
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

static ink_status make_plan(const ink__payload_source *source, plan *p, ink_error *error)
{
    uint64_t end = 0, at = 8;

    p->table_count = 0; /* a table is cleared by its first entry */
    INK__TRY(walk(source, &end, plan_entry, p, error));
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

static void fill_entry(void *host, unsigned table, uint64_t index_in_table, const ink__entry *entry,
                       const uint64_t values[INK__COLUMNS])
{
    const plan       *p = host;
    const table_plan *t = &p->tables[table];

    for (unsigned c = 0; c < INK__COLUMNS; c++) {
        const column_plan *column = &t->columns[c];
        uint8_t            bytes[8];
        if (column->form == INK__FORM_BYTES) {
            uint64_t count = name_bytes(entry);
            if (count > 0)
                memcpy(p->directory + column->at + values[INK__COLUMN_GROUP_END] - count,
                       entry->label.group, count);
        } else if (column->form == INK__FORM_EACH || (index_in_table == 0 && !left_out(column))) {
            ink__store_u64(bytes, values[c]);
            memcpy(p->directory + column->at + index_in_table * column->width, bytes,
                   column->width);
        }
    }
}

/* ---- Third pass: payloads, piece by piece ------------------------------------------------- */

typedef ink_status take_piece(void *host, const uint8_t *bytes, uint64_t count, ink_error *error);

/* Gathers what is given to it into pieces. */
typedef struct gatherer {
    uint8_t    *piece; /* room for one */
    uint64_t    filled;
    take_piece *take;
    void       *host;
} gatherer;

/* `bytes` NULL means zeros. What stands where it would be gathered is not copied. */
static ink_status gather(gatherer *g, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    for (uint64_t part, done = 0; done < count; done += part) {
        uint64_t room = INK__PIECE_BYTES - g->filled;
        part = count - done < room ? count - done : room;
        if (bytes != NULL && part == INK__PIECE_BYTES) {
            INK__TRY(g->take(g->host, bytes + done, part, error)); /* no copy */
            continue;
        }
        uint8_t *to = g->piece + g->filled;
        if (bytes == NULL)
            memset(to, 0, part);
        else if (bytes + done != to)
            memcpy(to, bytes + done, part);
        g->filled += part;
        if (g->filled == INK__PIECE_BYTES) {
            INK__TRY(g->take(g->host, g->piece, g->filled, error));
            g->filled = 0;
        }
    }
    return INK_OK;
}

static ink_status take_payloads(const ink__payload_source *source, const plan *p, uint8_t *room,
                                take_piece *take, void *host, ink_error *error)
{
    gatherer   g = {.piece = room, .take = take, .host = host};
    uint8_t   *scratch = room == NULL ? NULL : room + piece_room(p);
    uint64_t   end = 0;
    ink__entry entry = {0};

    for (uint64_t i = 0; i < source->entries; i++) {
        source->entry(source->host, i, &entry);
        ink__payload_location(end, entry.payload_bytes, &entry.payload_offset);
        INK__TRY(gather(&g, NULL, entry.payload_offset - end, error));
        /* Encoded within its piece, if that has room: the scratch comes after all of it. */
        bool fits = entry.payload_bytes <= INK__PIECE_BYTES - g.filled;
        if (entry.payload_bytes > 0)
            INK__TRY(gather(&g,
                            source->payload(source->host, i, fits ? g.piece + g.filled : scratch),
                            entry.payload_bytes, error));
        end = entry.payload_offset + entry.payload_bytes;
    }
    INK__TRY(gather(&g, NULL, p->payload_bytes - end, error));
    return g.filled > 0 ? take(host, g.piece, g.filled, error) : INK_OK;
}

/* The sums of all pieces. Those that stand in a payload may be computed later, by a crew; those in
 * the room are overwritten by the next. Writing is no work for several threads: the system lets one
 * write to a file at a time. */
typedef struct summing {
    uint8_t        *sums;
    uint64_t        count;
    const uint8_t **standing; /* of each piece that waits for the crew, else NULL; or no array */
    const uint8_t  *room;
    uint64_t        room_bytes;
} summing;

static ink_status sum_piece(void *host, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    summing   *all = host;
    const bool gathered = (uintptr_t)bytes - (uintptr_t)all->room < all->room_bytes;

    (void)error;
    if (all->standing != NULL && !gathered)
        all->standing[all->count] = bytes;
    else
        ink__store_u64(all->sums + 8 * all->count, ink__checksum(bytes, count));
    all->count++;
    return INK_OK;
}

/* What stands in a payload is a whole piece. */
static void sum_standing(void *host, uint64_t number)
{
    const summing *all = host;

    if (all->standing[number] != NULL)
        ink__store_u64(all->sums + 8 * number,
                       ink__checksum(all->standing[number], INK__PIECE_BYTES));
}

static ink_status sum_payloads(const ink__payload_source *source, const plan *p, uint8_t *sums,
                               uint8_t *room, uint64_t room_bytes, const ink__crew *crew,
                               const ink_allocator *allocator, ink_error *error)
{
    summing        all = {.sums = sums, .room = room, .room_bytes = room_bytes};
    const uint64_t pieces = ink__pieces_in(p->payload_bytes), bytes = pieces * sizeof(uint8_t *);
    const unsigned threads = ink__crew_for(crew, pieces, INK__CREW_PIECES);

    if (threads > 1)
        INK__TRY(ink__allocate_zeroed(allocator, bytes, &all.standing, error));
    ink_status status = take_payloads(source, p, room, sum_piece, &all, error);
    if (status == INK_OK && threads > 1)
        crew->each(crew->lender, threads, pieces, sum_standing, &all);
    ink__release(allocator, all.standing, threads > 1 ? bytes : 0);
    return status;
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
static ink_status build_head(const ink__payload_source *source, plan *p, uint8_t *head,
                             uint8_t *room, uint64_t room_bytes, const ink__crew *crew,
                             const ink_allocator *allocator, ink_error *error)
{
    uint8_t *directory = head + INK__HEADER_BYTES;
    uint64_t end;

    write_header(source, p, head);
    write_descriptions(p, directory);
    p->directory = directory;
    INK__TRY(walk(source, &end, fill_entry, p, error));
    INK__TRY(
        sum_payloads(source, p, directory + p->sums_at, room, room_bytes, crew, allocator, error));
    ink__store_u64(directory + p->directory_bytes - 8,
                   ink__checksum(directory, p->directory_bytes - 8));
    return INK_OK;
}

/* Writes everything before the sections. */
static ink_status write_identity(const ink__payload_source *source, plan *p, const ink__sink *sink,
                                 const ink__crew *crew, const ink_allocator *allocator,
                                 ink_error *error)
{
    ink__block head = {0};
    void      *room = NULL;
    uint64_t   head_bytes = INK__HEADER_BYTES + p->directory_bytes;
    /* To gather a piece, and after it to encode a payload. */
    uint64_t   room_bytes = piece_room(p) + source->scratch_bytes;
    ink_status status = ink__block_create(&head, allocator, head_bytes, error);

    if (status == INK_OK && room_bytes > 0)
        status = ink__allocate(allocator, room_bytes, &room, error);
    if (status == INK_OK)
        status = build_head(source, p, head.data, room, room_bytes, crew, allocator, error);
    if (status == INK_OK)
        status = sink->write(sink->host, head.data, head_bytes, error);
    /* Less than a piece still stands in the room, as it was summed. */
    const bool summed = p->payload_bytes > 0 && p->payload_bytes < INK__PIECE_BYTES;
    if (status == INK_OK && summed)
        status = sink->write(sink->host, room, p->payload_bytes, error);
    else if (status == INK_OK)
        status = take_payloads(source, p, room, sink->write, sink->host, error);
    ink__release(allocator, room, room_bytes);
    ink__block_release(&head, allocator);
    return status;
}

/* Writes all, or all but the sections. The plan is too large for every caller's stack. */
static ink_status write_parts(const ink__payload_source *source, bool sections,
                              const ink__sink *sink, const ink__crew *crew,
                              const ink_allocator *allocator, ink_error *error)
{
    plan *p;

    INK__TRY(ink__allocate(allocator, sizeof *p, &p, error));
    ink_status status = make_plan(source, p, error);
    if (status == INK_OK && sink->begin != NULL)
        status = sink->begin(sink->host, file_bytes(source, p), error);
    if (status == INK_OK)
        status = write_identity(source, p, sink, crew, allocator, error);
    if (status == INK_OK && sections)
        status = write_sections(source, p, sink, allocator, error);
    ink__release(allocator, p, sizeof *p);
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
