/* pieces.c - the bytes that the parts of a distributed job send each other.
 *
 * A piece is a header, items, and a checksum of all before it. An item is an item_header, the label
 * and the bytes, each padded with zeros to a multiple of 8. Numbers have the byte order of the
 * host; a host with another one refuses the piece. */
#include "jobs/groups/pieces.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "jobs/runtime/reading.h"

#include <string.h>

enum { HEADER_BYTES = 32, ITEM_BYTES = 32, CHECKSUM_BYTES = 8, UNIT = 8 };
/* All pieces are given to the sink before they have more bytes than this. */
#define PENDING_BYTES_MAX ((uint64_t)64 << 20)
#define ORDER_MARK 0x01020304u

static const char magic[8] = "INKPIECE";

typedef struct header {
    char     magic[8];
    uint32_t order_and_version;
    uint32_t items;
    uint64_t job;
    uint64_t bytes;
} header;
_Static_assert(sizeof(header) == HEADER_BYTES, "no padding");

typedef struct item_header {
    uint8_t  type, group_kind;
    uint16_t zero;
    uint32_t group_bytes;
    uint64_t records, number, count;
} item_header;
_Static_assert(sizeof(item_header) == ITEM_BYTES, "no padding");

static uint64_t padded(uint64_t bytes)
{
    return (bytes + UNIT - 1) / UNIT * UNIT;
}

static uint32_t order_and_version(void)
{
    return ORDER_MARK ^
           (uint32_t)(INK_VERSION_MAJOR << 20 | INK_VERSION_MINOR << 12 | INK_VERSION_PATCH << 4);
}

/* ---- Which job ---------------------------------------------------------------------------- */

static unsigned long long bits_of(double number)
{
    uint64_t bits;

    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* All parameters of the kinds and of their key rules that change the result. */
ink_status ink__pieces_job(const ink_reading *reading, const ink_build_options *build,
                           uint64_t *job, ink_error *error)
{
    char   text[4096]; /* enough for every kind once */
    size_t used = ink__format(text, sizeof text, "keys=%d by=%d weight=%d headroom=%llx;",
                              (int)ink__reading_key_type(reading), reading->by != NULL,
                              reading->weight != NULL, bits_of(build->headroom));

    for (size_t i = 0; i < build->kind_count; i++) {
        const ink_params *kind = &build->kinds[i], secret = {.secret = kind->secret};
        ink_description rule; /* its check value, as in files: no hash shows which secret it has */
        INK__TRY(ink__describe_rule(&secret, &rule, error));
        used += ink__format(text + used, sizeof text - used,
                            "%s n=%llu p=%llx a=%llx m=%llu k=%u r=%llx e=%llx d=%llx w=%llu x=%u "
                            "b=%u c=%d t=%u f=%llx "
                            "q=%u h=%s s=%llu,%d,%llx;",
                            kind->kind, (unsigned long long)kind->expected_keys,
                            bits_of(kind->false_positive_rate), bits_of(kind->max_rate),
                            (unsigned long long)kind->bits, kind->hashes, bits_of(kind->ratio),
                            bits_of(kind->epsilon), bits_of(kind->delta),
                            (unsigned long long)kind->width, kind->depth, kind->counter_bits,
                            kind->conservative, kind->top_keys, bits_of(kind->phi), kind->precision,
                            kind->hash == NULL ? "" : kind->hash, (unsigned long long)kind->seed,
                            kind->has_seed, (unsigned long long)rule.secret_check);
    }
    *job = ink__hash_label(text, used);
    *job |= *job == 0; /* 0 is any job */
    return INK_OK;
}

/* ---- Writing ------------------------------------------------------------------------------ */

ink_status ink__pieces_begin(ink__pieces *pieces, uint32_t buckets, uint64_t piece_bytes,
                             uint64_t job, const ink_piece_sink *sink,
                             const ink_allocator *allocator, ink_error *error)
{
    *pieces = (ink__pieces){
        .allocator = *allocator,
        .sink = sink,
        .job = job,
        .limit = piece_bytes,
        .buckets = buckets,
    };
    return ink__allocate_zeroed(allocator, buckets * sizeof *pieces->list, &pieces->list, error);
}

void ink__pieces_end(ink__pieces *pieces)
{
    if (pieces->list == NULL)
        return;
    for (uint32_t i = 0; i < pieces->buckets; i++)
        ink__release(&pieces->allocator, pieces->list[i].bytes, pieces->list[i].room);
    ink__release(&pieces->allocator, pieces->list, pieces->buckets * sizeof *pieces->list);
    pieces->list = NULL;
}

/* Gives a piece to the sink, and empties it. There is room for the checksum. The memory is kept for
 * the next piece, unless all together have much. */
static ink_status give(ink__pieces *pieces, uint32_t bucket, ink_error *error)
{
    ink__piece *piece = &pieces->list[bucket];
    uint64_t    used = piece->used;
    header      head = {
             .order_and_version = order_and_version(),
             .items = (uint32_t)piece->items,
             .job = pieces->job,
             .bytes = used + CHECKSUM_BYTES,
    };

    if (piece->items == 0 && !pieces->always)
        return INK_OK;
    memcpy(head.magic, magic, sizeof magic);
    memcpy(piece->bytes, &head, sizeof head);
    uint64_t checksum = ink__hash_label(piece->bytes, (size_t)used);
    memcpy(piece->bytes + used, &checksum, CHECKSUM_BYTES);
    int os_error =
        pieces->sink->take(pieces->sink->host, bucket, piece->bytes, (size_t)used + CHECKSUM_BYTES);
    pieces->pending_bytes -= used;
    piece->used = piece->items = 0;
    if (pieces->rooms > PENDING_BYTES_MAX / 2) {
        ink__release(&pieces->allocator, piece->bytes, piece->room);
        pieces->rooms -= piece->room;
        *piece = (ink__piece){0};
    }
    return os_error == 0 ? INK_OK : ink__fail_io(error, os_error, "cannot write a piece");
}

/* Appends bytes and padding. There is room. */
static void append(ink__piece *piece, const void *bytes, uint64_t count)
{
    uint64_t all = padded(count);

    if (count > 0)
        memcpy(piece->bytes + piece->used, bytes, (size_t)count);
    memset(piece->bytes + piece->used + count, 0, (size_t)(all - count));
    piece->used += all;
}

/* Makes room in the piece of a bucket, which may be given to the sink first: by doubling, but not
 * beyond the limit of pieces if that is enough. */
static ink_status make_room(ink__pieces *pieces, uint32_t bucket, uint64_t more, ink_error *error)
{
    ink__piece *piece = &pieces->list[bucket];

    if (piece->items > 0 && piece->used + more + CHECKSUM_BYTES > pieces->limit)
        INK__TRY(give(pieces, bucket, error));
    if (pieces->pending_bytes > PENDING_BYTES_MAX && pieces->buckets > 1)
        INK__TRY(ink__pieces_flush(pieces, error));
    more += (piece->items == 0 ? (uint64_t)HEADER_BYTES : 0) + CHECKSUM_BYTES;
    uint64_t all = piece->used + more, before = piece->room;
    INK__TRY(all > pieces->limit / 2 && all > piece->room
                 ? ink__grow(&pieces->allocator, &piece->bytes, &piece->room, piece->used,
                             all > pieces->limit ? all : pieces->limit, error)
                 : ink__make_room(&pieces->allocator, &piece->bytes, &piece->room, piece->used,
                                  more, error));
    pieces->rooms += piece->room - before;
    if (piece->items == 0) {
        piece->used = HEADER_BYTES;
        pieces->pending_bytes += HEADER_BYTES;
    }
    return INK_OK;
}

ink_status ink__pieces_flush(ink__pieces *pieces, ink_error *error)
{
    for (uint32_t i = 0; i < pieces->buckets; i++) {
        if (pieces->always && pieces->list[i].items == 0)
            INK__TRY(make_room(pieces, i, 0, error));
        INK__TRY(give(pieces, i, error));
    }
    return INK_OK;
}

ink_status ink__pieces_put(ink__pieces *pieces, uint32_t bucket, const ink__item *item,
                           const ink__head *head, ink_error *error)
{
    ink__piece *piece = &pieces->list[bucket];
    uint64_t    in_front = head == NULL ? 0 : sizeof *head;
    bool        labelled = item->label.group_kind == INK_GROUP_BYTES;
    item_header what = {
        .type = (uint8_t)item->type,
        .group_kind = (uint8_t)item->label.group_kind,
        .group_bytes = labelled ? (uint32_t)item->label.group_bytes : 0,
        .records = item->records,
        .number = item->number,
        .count = in_front + item->count,
    };
    uint64_t bytes = ITEM_BYTES + padded(what.group_bytes) + in_front + padded(item->count);

    INK__TRY(make_room(pieces, bucket, bytes, error));
    append(piece, &what, sizeof what);
    if (labelled)
        append(piece, item->label.group, item->label.group_bytes);
    if (head != NULL)
        append(piece, head, sizeof *head);
    append(piece, item->bytes, item->count);
    piece->items++;
    pieces->pending_bytes += bytes;
    return INK_OK;
}

ink_status ink__pieces_put_measure(ink__pieces *pieces, const ink_label *label, uint64_t records,
                                   uint64_t keys, const ink_sketch *counter, ink_error *error)
{
    ink__item item = {
        .type = INK__ITEM_MEASURE, .label = *label, .records = records, .number = keys};
    uint8_t *bytes = NULL;
    size_t   count = 0;

    if (counter != NULL)
        INK__TRY(ink_sketch_encode(counter, &bytes, &count, error));
    item.bytes = bytes;
    item.count = count;
    ink_status status = ink__pieces_put(pieces, 0, &item, NULL, error);
    ink_bytes_free(bytes, count, &pieces->allocator);
    return status;
}

uint64_t ink__pieces_room(const ink__pieces *pieces, const ink_label *label)
{
    uint64_t taken = HEADER_BYTES + ITEM_BYTES + INK__HEAD_BYTES + CHECKSUM_BYTES + UNIT +
                     (label->group_kind == INK_GROUP_BYTES ? padded(label->group_bytes) : 0);

    /* At least some, even with a small limit; elements have at most 16 bytes. */
    return pieces->limit < taken + 1024 ? 1024 : (pieces->limit - taken) / 16 * 16;
}

/* ---- Reading ------------------------------------------------------------------------------ */

static ink_status fail_form(uint64_t at, const char *found, ink_error *error)
{
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                     "%s, expected a complete piece of a build, unchanged", found);
}

static ink_status check_header(const uint8_t *piece, uint64_t count, uint64_t *job, header *head,
                               ink_error *error)
{
    if (count < HEADER_BYTES + CHECKSUM_BYTES)
        return fail_form(0, "too few bytes", error);
    memcpy(head, piece, sizeof *head);
    if (memcmp(head->magic, magic, sizeof magic) != 0)
        return fail_form(0, "other first bytes", error);
    if (head->order_and_version != order_and_version())
        return ink__fail(error, INK_MISMATCH, INK_AT_BYTE, 8,
                         "a piece of another version of the library, or of a machine with another "
                         "order of bytes, expected those of version %s here",
                         ink_version());
    if (head->bytes != count)
        return fail_form(24, "another number of bytes", error);
    bool any = head->job == 0 && head->items == 0;
    if (head->job == 0 && !any)
        return fail_form(16, "items of no job", error);
    if (*job != 0 && head->job != *job && !any)
        return ink__fail(
            error, INK_MISMATCH, INK_AT_BYTE, 16,
            "a piece of another job, expected one with the same kinds, sizes, keys and "
            "secret");
    *job = any ? *job : head->job;
    return INK_OK;
}

/* Reads the item at *at, which is advanced to its end. */
static ink_status next_item(const uint8_t *piece, uint64_t end, uint64_t *at, ink__item *item,
                            ink_error *error)
{
    item_header what;

    if (end - *at < ITEM_BYTES)
        return fail_form(*at, "an item that is cut", error);
    memcpy(&what, piece + *at, sizeof what);
    uint64_t left = end - *at - ITEM_BYTES;
    uint64_t each = what.type == INK__ITEM_HASHES ? 8 : what.type == INK__ITEM_COUNTED ? 16 : 1;
    if (what.type < INK__ITEM_HASHES || what.type > INK__ITEM_MEASURE ||
        what.group_kind > INK_GROUP_BYTES || what.zero != 0 || what.count % each != 0 ||
        (what.group_kind != INK_GROUP_BYTES && what.group_bytes != 0))
        return fail_form(*at, "an item of no known type", error);
    if (what.group_bytes > left || padded(what.group_bytes) > left ||
        what.count > left - padded(what.group_bytes) ||
        padded(what.count) > left - padded(what.group_bytes))
        return fail_form(*at, "an item that is cut", error);
    const uint8_t *label = piece + *at + ITEM_BYTES;
    *item = (ink__item){
        .type = (ink__item_type)what.type,
        .label = {.group_kind = (ink_group_kind)what.group_kind},
        .records = what.records,
        .number = what.number,
        .bytes = label + padded(what.group_bytes),
        .count = what.count,
    };
    if (what.group_kind == INK_GROUP_BYTES) {
        item->label.group = label;
        item->label.group_bytes = what.group_bytes;
    }
    *at += ITEM_BYTES + padded(what.group_bytes) + padded(what.count);
    return INK_OK;
}

ink_status ink__piece_read(const uint8_t *piece, uint64_t count, uint64_t *job,
                           ink__item_visit *visit, void *host, ink_error *error)
{
    header    head;
    ink__item item;
    uint64_t  at = HEADER_BYTES, end = count - CHECKSUM_BYTES, wanted = *job, checksum;

    INK__TRY(check_header(piece, count, &wanted, &head, error));
    memcpy(&checksum, piece + end, CHECKSUM_BYTES);
    if (checksum != ink__hash_label(piece, (size_t)end))
        return fail_form(end, "another checksum", error);
    *job = wanted;
    for (uint32_t i = 0; i < head.items; i++) {
        INK__TRY(next_item(piece, end, &at, &item, error));
        INK__TRY(visit(host, &item, error));
    }
    return at == end ? INK_OK : fail_form(at, "bytes after the last item", error);
}

ink_status ink__piece_entry(const ink_file *file, size_t index, ink_entry_info *info,
                            ink_error *error)
{
    INK__TRY(ink_file_entry(file, index, info, error));
    if (!info->label.has_slot)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "a piece with a sketch of a time slot, expected groups alone");
}

ink_status ink__slice_read(const ink__item *item, ink__slice *slice, ink_error *error)
{
    if (item->count < sizeof slice->head)
        return fail_form(0, "a slice without its head", error);
    memcpy(&slice->head, item->bytes, sizeof slice->head);
    INK__TRY(ink__head_describe(&slice->head, &slice->info, error));
    slice->bytes = item->bytes + sizeof slice->head;
    slice->count = item->count - sizeof slice->head;
    slice->offset = item->number;
    uint64_t all = slice->info.payload_bytes;
    uint32_t unit = slice->info.unit;
    if (slice->offset > all || slice->count > all - slice->offset || slice->offset % unit != 0 ||
        slice->count % unit != 0)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "a slice of %llu bytes from byte %llu on, expected multiples of %u among "
                         "the %llu of a %s",
                         (unsigned long long)slice->count, (unsigned long long)slice->offset, unit,
                         (unsigned long long)all, slice->info.kind);
    return INK_OK;
}
