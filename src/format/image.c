/* image.c - reading a file in place: header, sections, payload pieces, and the whole. The directory
 * has a file of its own, directory.c. */
#include "format/image.h"

#include "base/bits.h"
#include "base/checksum.h"
#include "base/size.h"
#include "base/status.h"
#include "format/foreign/guess.h"

#include <stdatomic.h>
#include <string.h>

static ink_status check_units(const uint8_t *header, ink_error *error)
{
    uint64_t directory = ink__load_u64(header + INK__HEADER_DIRECTORY);
    uint64_t payload = ink__load_u64(header + INK__HEADER_PAYLOAD);

    if (directory < INK__DIRECTORY_UNIT || directory % INK__DIRECTORY_UNIT != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_DIRECTORY,
                         "directory of %llu bytes, expected a multiple of %d",
                         (unsigned long long)directory, INK__DIRECTORY_UNIT);
    if (payload % INK__PAYLOAD_UNIT != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_PAYLOAD,
                         "payloads of %llu bytes, expected a multiple of %d",
                         (unsigned long long)payload, INK__PAYLOAD_UNIT);
    return INK_OK;
}

static ink_status check_room(const uint8_t *header, uint64_t count, ink_error *error)
{
    uint64_t directory = ink__load_u64(header + INK__HEADER_DIRECTORY);
    uint64_t payload = ink__load_u64(header + INK__HEADER_PAYLOAD);
    uint64_t room = count - INK__HEADER_BYTES;

    if (directory > room || payload > room - directory)
        return ink__fail(
            error, INK_FORMAT, INK_AT_BYTE,
            directory > room ? INK__HEADER_DIRECTORY : INK__HEADER_PAYLOAD,
            "the file is cut short: it has %llu bytes, its header declares a directory "
            "of %llu and payloads of %llu",
            (unsigned long long)count, (unsigned long long)directory, (unsigned long long)payload);
    return INK_OK;
}

ink_status ink__image_check_start(const uint8_t *header, uint64_t count, ink_error *error)
{
    uint64_t present = count < INK__HEADER_BYTES ? count : INK__HEADER_BYTES;
    size_t   compared = present < 8 ? (size_t)present : 8;

    if (count > 0 && memcmp(header, INK__MAGIC, compared) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0, "not an .ink file, but %s",
                         ink__foreign_kind(header, present, count));
    if (count < INK__HEADER_BYTES)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, count,
                         "too short: %llu bytes, the header alone needs %d",
                         (unsigned long long)count, INK__HEADER_BYTES);
    unsigned version = ink__load_u16(header + INK__HEADER_VERSION);
    if (version == 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_VERSION,
                         "format version 0, a draft: build the file anew, expected version %d",
                         INK__FORMAT_VERSION);
    if (version != INK__FORMAT_VERSION)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_VERSION,
                         "format version %u: made by a newer library, this one reads version %d",
                         version, INK__FORMAT_VERSION);
    if (ink__load_u64(header + INK__HEADER_CHECKSUM) != ink__checksum(header, INK__HEADER_CHECKSUM))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_CHECKSUM,
                         "the header's checksum is wrong: the file is damaged");
    unsigned flags = ink__load_u16(header + INK__HEADER_FLAGS);
    if (flags != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_FLAGS,
                         "flags 0x%x, expected 0", flags);
    return check_units(header, error);
}

ink_status ink__image_check_header(const uint8_t *header, uint64_t count, ink_error *error)
{
    INK__TRY(ink__image_check_start(header, count, error));
    return check_room(header, count, error);
}

void ink__image_read_header(ink__image *image, const uint8_t *header)
{
    memset(image, 0, sizeof *image);
    image->bytes = header;
    image->keys = (ink__identity){
        .key_type = ink__load_u16(header + INK__HEADER_KEY_TYPE),
        .hash = ink__load_u16(header + INK__HEADER_HASH),
        .seed = ink__load_u64(header + INK__HEADER_SEED),
        .check = ink__load_u64(header + INK__HEADER_CHECK),
    };
    image->entries = ink__load_u64(header + INK__HEADER_ENTRIES);
    image->payload_at = INK__HEADER_BYTES + ink__load_u64(header + INK__HEADER_DIRECTORY);
    image->payload_bytes = ink__load_u64(header + INK__HEADER_PAYLOAD);
    image->sections_at = image->payload_at + image->payload_bytes;
}

static ink_status parse_section(ink__reader *in, ink_section *section, ink_error *error)
{
    uint64_t start = in->offset, at = ink__reader_location(in);

    section->id = ink__read_u32(in);
    uint32_t flags = ink__read_u32(in);
    uint64_t count = ink__read_u64(in);
    section->data = ink__read_bytes(in, count);
    INK__TRY(ink__reader_check(in, "a section", error));
    section->bytes = (size_t)count;
    section->critical = (flags & INK__SECTION_CRITICAL) != 0;
    INK__TRY(ink__read_padding(in, 8, error));

    uint64_t summed = in->offset - start;
    uint64_t sum_at = ink__reader_location(in);
    uint64_t sum = ink__read_u64(in);
    INK__TRY(ink__reader_check(in, "a section's checksum", error));
    if (sum != ink__checksum(in->bytes + start, summed)) {
        if (section->id == INK__SECTION_END)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, sum_at,
                             "the checksum of the end section is wrong: the file is damaged");
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, sum_at,
                         "the checksum of section %u is wrong: the file is damaged", section->id);
    }
    if ((flags & ~INK__SECTION_CRITICAL) != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + 4,
                         "flags 0x%x of section %u, expected 0 or 1", flags, section->id);
    return INK_OK;
}

static ink_status check_end(const ink_section *end, const ink__reader *in, ink_error *error)
{
    if (!end->critical || end->bytes != 8)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(in),
                         "an end section of %zu bytes, expected a critical one of 8", end->bytes);
    uint64_t rest = in->count - in->offset;
    if (rest >= 8 && memcmp(in->bytes + in->offset, INK__MAGIC, 8) == 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(in),
                         "another .ink file begins after the end of this one, expected one file: "
                         "use a merge to combine files");
    if (rest != 0)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(in),
                         "%llu bytes after the end of the file's contents",
                         (unsigned long long)rest);
    uint64_t declared = ink__load_u64(end->data), count = in->start + in->count;
    if (declared != count)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, ink__reader_location(in) - 16,
                         "the file says it has %llu bytes, but it has %llu",
                         (unsigned long long)declared, (unsigned long long)count);
    return INK_OK;
}

static ink__reader sections_reader(const ink__image *image)
{
    return (ink__reader){
        .bytes = image->bytes + image->sections_at,
        .count = image->count - image->sections_at,
        .start = image->sections_at,
    };
}

uint64_t ink__section_bytes(const uint8_t *bytes, uint64_t count)
{
    uint64_t whole;

    if (count < INK__SECTION_START_BYTES)
        return INK__SECTION_START_BYTES;
    /* One that would not fit never comes to an end. */
    if (!ink__align_u64(ink__load_u64(bytes + 8), 8, &whole) ||
        !ink__add_u64(whole, INK__SECTION_START_BYTES + 8, &whole))
        return UINT64_MAX;
    return whole;
}

ink_status ink__sections_next(ink__sections *walk, ink_error *error)
{
    ink_section section = {0};
    uint64_t    at = ink__reader_location(&walk->in);

    INK__TRY(parse_section(&walk->in, &section, error));
    if (section.id <= walk->last)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "section %u after section %u, expected rising ids", section.id,
                         walk->last);
    walk->ended = section.id == INK__SECTION_END;
    if (walk->ended)
        return check_end(&section, &walk->in, error);
    if (section.critical && section.id > INK_SECTION_ORIGIN)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "section %u is critical and unknown: a newer library is needed",
                         section.id);
    if (walk->count == INK__SECTIONS_MAX)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                         "more than %d sections before the end section", INK__SECTIONS_MAX);
    walk->last = section.id;
    walk->count++;
    return INK_OK;
}

static ink_status parse_sections(ink__image *image, ink_error *error)
{
    ink__sections walk = {.in = sections_reader(image)};

    while (!walk.ended)
        INK__TRY(ink__sections_next(&walk, error));
    image->section_count = walk.count;
    return INK_OK;
}

void ink__image_section(const ink__image *image, uint64_t index, ink_section *section)
{
    ink__reader in = sections_reader(image);

    *section = (ink_section){0};
    for (uint64_t i = 0; i <= index; i++)
        (void)parse_section(&in, section, NULL); /* they were checked */
}

ink_status ink__image_parse(ink__image *image, const uint8_t *bytes, uint64_t count,
                            const ink__crew *crew, ink_error *error)
{
    INK__TRY(ink__image_check_header(bytes, count, error));
    ink__image_read_header(image, bytes);
    image->count = count;
    INK__TRY(ink__directory_parse(image, crew, error));
    return parse_sections(image, error);
}

ink_status ink__image_check_piece(const ink__image *image, uint64_t start, const uint8_t *bytes,
                                  ink_error *error)
{
    uint64_t count = ink__piece_bytes(image, start);

    if (ink__checksum(bytes, count) == ink__load_u64(image->sums + 8 * (start / INK__PIECE_BYTES)))
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, image->payload_at + start,
                     "the checksum of the %llu payload bytes from here is wrong: the file "
                     "is damaged",
                     (unsigned long long)count);
}

ink_status ink__image_check_pieces(const ink__image *image, uint64_t from, uint64_t count,
                                   ink_error *error)
{
    const uint8_t *area = image->bytes + image->payload_at;

    if (image->checked || count == 0)
        return INK_OK;
    for (uint64_t start = from - from % INK__PIECE_BYTES; start < from + count;
         start += INK__PIECE_BYTES)
        INK__TRY(ink__image_check_piece(image, start, area + start, error));
    return INK_OK;
}

ink_status ink__image_check_zero(const ink__image *image, uint64_t from, uint64_t until,
                                 const uint8_t *bytes, ink_error *error)
{
    for (uint64_t i = from; i < until; i++, bytes++)
        if (*bytes != 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, image->payload_at + i,
                             "byte 0x%x between payloads, expected 0", *bytes);
    return INK_OK;
}

/* All pieces, of which the first that is damaged is reported. */
typedef struct checking {
    const ink__image *image;
    _Atomic uint64_t  damaged; /* where it starts */
} checking;

static void check_step(void *host, uint64_t number)
{
    checking      *all = host;
    const uint64_t start = number * INK__PIECE_BYTES;
    const uint8_t *bytes = all->image->bytes + all->image->payload_at + start;
    uint64_t       damaged = atomic_load(&all->damaged);

    if (start > damaged || ink__image_check_piece(all->image, start, bytes, NULL) == INK_OK)
        return;
    while (start < damaged && !atomic_compare_exchange_weak(&all->damaged, &damaged, start))
        ;
}

static ink_status check_all_pieces(const ink__image *image, const ink__crew *crew, ink_error *error)
{
    checking       all = {image, UINT64_MAX};
    const uint64_t pieces = ink__pieces_in(image->payload_bytes);
    const unsigned threads = ink__crew_for(crew, pieces, INK__CREW_PIECES);

    if (threads == 1 || image->checked)
        return ink__image_check_pieces(image, 0, image->payload_bytes, error);
    crew->each(crew->lender, threads, pieces, check_step, &all);
    const uint64_t damaged = atomic_load(&all.damaged);
    return damaged == UINT64_MAX ? INK_OK : ink__image_check_pieces(image, damaged, 1, error);
}

ink_status ink__image_check_payloads(const ink__image *image, const ink__crew *crew,
                                     ink_error *error)
{
    const uint8_t *area = image->bytes + image->payload_at;
    uint64_t       end = 0;

    INK__TRY(check_all_pieces(image, crew, error));
    for (unsigned t = 0; t < image->table_count; t++) {
        const ink__directory_table *table = &image->tables[t];
        for (uint64_t i = 0; i < table->entries; i++) {
            uint64_t offset = ink__column_get(&table->columns[INK__COLUMN_PAYLOAD_OFFSET], i);
            INK__TRY(ink__image_check_zero(image, end, offset, area + end, error));
            end = offset + ink__column_get(&table->columns[INK__COLUMN_PAYLOAD_BYTES], i);
        }
    }
    return ink__image_check_zero(image, end, image->payload_bytes, area + end, error);
}
