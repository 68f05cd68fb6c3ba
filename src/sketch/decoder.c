/* decoder.c - a sketch from the bytes of a file that come in pieces of any size, or are read so.
 * The payload of a large sketch goes to the memory of the sketch as it comes; header, directory, a
 * section, and what is small are gathered first. No block of memory is larger than GROWTH times the
 * bytes that have come, whatever the header says.
 *
 * Every check is one of image.h, directory.h, file.h or the kind, as for ink_sketch_decode, which
 * finds failures in the order of `fault`. Bytes come in another order: the first failure in that
 * order is known at the end. */
#include "base/files.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "format/image.h"
#include "sketch/file.h"

#include <string.h>

enum { GROWTH = 16 };

/* What failed, in the order in which ink_sketch_decode checks; before them, refused memory, which
 * ends everything. */
typedef enum fault {
    FAULT_MEMORY,
    FAULT_START,
    FAULT_DIRECTORY,
    FAULT_SECTION,
    FAULT_MEANING,
    FAULT_SUM,
    FAULT_PADDING,
    FAULT_CONTENTS,
    FAULT_SKETCH,
    NO_FAULT,
} fault;

/* What the next byte is of. */
typedef enum stage { IN_HEAD, IN_PAYLOAD, IN_SECTIONS, AFTER_ALL } stage;

struct ink_decoder {
    ink_file     *file; /* its `copy` is header and directory, once they have come */
    ink__entry    entry;
    ink__plan     of;
    ink_sketch   *sketch; /* with the payload so far */
    stage         stage;
    uint64_t      count;          /* bytes that have come */
    uint64_t      payload_taken;  /* bytes of the payload area ... */
    uint64_t      sections_taken; /* ... and of the sections, which are checked */
    ink__sections sections;
    uint8_t      *gathered; /* of what is needed as a whole: `used` bytes of `room` */
    uint64_t      used, room;
    fault         fault;
    ink_error     failure; /* of that */
    bool          finished;
};

/* Bytes of a call that are not used yet. */
typedef struct supply {
    const uint8_t *bytes;
    uint64_t       count;
} supply;

ink_status ink_decoder_create(ink_decoder **decoder, const ink_allocator *allocator,
                              ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);
    ink_decoder  *made;

    INK__TRY(ink__allocate_zeroed(&memory, sizeof *made, &made, error));
    ink_status status = ink__file_new(&made->file, INK_OPEN_COPY, &memory, error);
    if (status != INK_OK) {
        ink__release(&memory, made, sizeof *made);
        return status;
    }
    made->fault = NO_FAULT;
    *decoder = made;
    return INK_OK;
}

/* What is gathered is not needed any more. */
static void drop_gathered(ink_decoder *d)
{
    ink__release(&d->file->allocator, d->gathered, d->room);
    d->gathered = NULL;
    d->used = d->room = 0;
}

void ink_decoder_free(ink_decoder *decoder)
{
    if (decoder == NULL)
        return;
    ink_allocator allocator = decoder->file->allocator;

    drop_gathered(decoder);
    ink_sketch_free(decoder->sketch);
    ink_file_close(decoder->file);
    ink__release(&allocator, decoder, sizeof *decoder);
}

/* ---- Failing and gathering ---------------------------------------------------------------- */

/* Remembers a failure, unless one that counts more is known. The sketch is not needed then. */
static void note(ink_decoder *d, fault found, ink_status status, const ink_error *failure)
{
    if (status == INK_MEMORY)
        found = FAULT_MEMORY;
    if (status == INK_OK || found >= d->fault)
        return;
    d->fault = found;
    d->failure = *failure;
    ink_sketch_free(d->sketch);
    d->sketch = NULL;
}

static uint64_t at_most(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static void skip(ink_decoder *d, supply *in, uint64_t count)
{
    in->bytes += count;
    in->count -= count;
    d->count += count;
}

/* Gathers until there are `needed` bytes; false if there are not yet, or no memory. */
static bool gather(ink_decoder *d, uint64_t needed, supply *in)
{
    uint64_t  part = at_most(needed - d->used, in->count), used = d->used + part;
    ink_error error;

    if (used > d->room) {
        uint64_t   wanted = used > needed / GROWTH ? needed : GROWTH * used;
        ink_status status =
            ink__grow(&d->file->allocator, &d->gathered, &d->room, d->used, wanted, &error);
        note(d, FAULT_MEMORY, status, &error);
        if (status != INK_OK)
            return false;
    }
    if (part > 0)
        memcpy(d->gathered + d->used, in->bytes, (size_t)part);
    d->used = used;
    skip(d, in, part);
    return used == needed;
}

/* ---- Payload ------------------------------------------------------------------------------ */

static uint64_t area_bytes(const ink_decoder *d)
{
    return d->file->image.payload_bytes;
}

/* How much of the payload area is needed before there is a sketch to write it to: all, if the kind
 * does not take parts. */
static uint64_t first_bytes(const ink_decoder *d)
{
    uint64_t all = area_bytes(d), part = all / GROWTH / INK__PIECE_BYTES + 1;

    return d->of.shape.kind->take == NULL ? all : at_most(all, part * INK__PIECE_BYTES);
}

/* Whether what comes of the payload still matters. */
static bool wants_payload(const ink_decoder *d)
{
    return d->fault >= FAULT_SUM;
}

/* The sketch of a payload that has come as a whole. */
static ink_status open_whole(ink_decoder *d, const uint8_t *payload, fault *found, ink_error *error)
{
    *found = FAULT_CONTENTS;
    INK__TRY(ink__file_check_payload(d->file, &d->entry, payload, error));
    *found = FAULT_SKETCH;
    return ink__sketch_open(&d->sketch, &d->of, payload, false, &d->file->allocator, error);
}

/* Writes a part of a payload to the sketch, which is made with the first one. */
static ink_status take_part(ink_decoder *d, const uint8_t *bytes, uint64_t count, fault *found,
                            ink_error *error)
{
    uint64_t at = d->payload_taken;

    *found = FAULT_SKETCH;
    if (at == 0)
        INK__TRY(ink__sketch_open(&d->sketch, &d->of, NULL, false, &d->file->allocator, error));
    *found = FAULT_CONTENTS;
    if (d->sketch == NULL || count == 0)
        return INK_OK;
    ink_status status = d->of.shape.kind->take(d->sketch, &d->of.shape, at, bytes, count, error);
    return status == INK_MEMORY ? status : ink__file_placed(d->file, &d->entry, status, error);
}

/* Takes the next bytes of the payload area: pieces, as a whole. */
static void take_payload(ink_decoder *d, const uint8_t *bytes, uint64_t count)
{
    const ink__image *image = &d->file->image;
    uint64_t          at = d->payload_taken, end = at + count, payload = d->of.shape.payload_bytes;
    uint64_t          contents = at_most(end, payload) - at; /* zeros, fewer than a unit, follow */
    fault             found = FAULT_SUM;
    ink_error         error;
    ink_status        status = INK_OK;

    for (uint64_t start = at; status == INK_OK && start < end; start += INK__PIECE_BYTES)
        status = ink__image_check_piece(image, start, bytes + (start - at), &error);
    note(d, found, status, &error);
    if (d->fault > FAULT_SUM && end == area_bytes(d))
        note(d, FAULT_PADDING, ink__image_check_zero(image, payload, end, bytes + contents, &error),
             &error);
    if (d->fault == NO_FAULT) {
        status = count == area_bytes(d) ? open_whole(d, bytes, &found, &error)
                                        : take_part(d, bytes, contents, &found, &error);
        note(d, found, status, &error);
    }
    d->payload_taken = end;
}

static void take_payloads(ink_decoder *d, supply *in)
{
    uint64_t rest = area_bytes(d) - d->payload_taken, needed;

    if (rest == 0) {
        drop_gathered(d);
        d->stage = IN_SECTIONS;
    } else if (!wants_payload(d)) {
        drop_gathered(d);
        uint64_t part = at_most(rest, in->count);
        d->payload_taken += part;
        skip(d, in, part);
    } else {
        needed = d->payload_taken == 0 ? first_bytes(d) : at_most(rest, INK__PIECE_BYTES);
        if (d->used == 0 && in->count >= needed) {
            take_payload(d, in->bytes, needed); /* no copy */
            skip(d, in, needed);
        } else if (gather(d, needed, in)) {
            take_payload(d, d->gathered, needed);
            d->used = 0;
            if (d->room > INK__PIECE_BYTES)
                drop_gathered(d);
        }
    }
}

/* ---- Header and directory ----------------------------------------------------------------- */

/* Reads what has been gathered, the header and the directory. */
static ink_status read_head(ink_decoder *d, fault *found, ink_error *error)
{
    ink_file *file = d->file;

    file->copy = d->gathered;
    file->bytes = d->room;
    d->gathered = NULL;
    d->used = d->room = 0;
    ink__image_read_header(&file->image, file->copy);
    *found = FAULT_DIRECTORY;
    INK__TRY(ink__directory_parse(&file->image, NULL, error));
    *found = FAULT_MEANING;
    INK__TRY(ink__file_check_meaning(file, NULL, error));
    INK__TRY(ink__file_check_single(file, error));
    ink__image_entry(&file->image, 0, &d->entry);
    d->of = ink__file_plan(file, &d->entry);
    return INK_OK;
}

static void take_head(ink_decoder *d, supply *in)
{
    uint64_t  needed = INK__HEADER_BYTES;
    fault     found = FAULT_START;
    ink_error error;

    if (d->used < INK__HEADER_BYTES) {
        if (!gather(d, INK__HEADER_BYTES, in))
            return;
        note(d, FAULT_START, ink__image_check_start(d->gathered, d->count, &error), &error);
        if (d->fault != NO_FAULT) {
            d->stage = AFTER_ALL;
            return;
        }
    }
    needed = ink__add_saturating(needed, ink__load_u64(d->gathered + INK__HEADER_DIRECTORY));
    if (!gather(d, needed, in))
        return;
    ink_status status = read_head(d, &found, &error);
    note(d, found, status, &error);
    d->stage = status != INK_OK && found == FAULT_DIRECTORY ? AFTER_ALL : IN_PAYLOAD;
    if (status == INK_OK && area_bytes(d) == 0)
        take_payload(d, d->file->copy, 0);
}

/* ---- Sections ----------------------------------------------------------------------------- */

/* The walk over what has been gathered of the sections, and over all bytes after it. */
static ink__sections walk_of(const ink_decoder *d)
{
    ink__sections walk = d->sections;
    uint64_t      start = d->file->image.sections_at + d->sections_taken;

    walk.in = (ink__reader){.bytes = d->gathered, .count = d->count - start, .start = start};
    return walk;
}

/* One section after another is gathered and checked. The end section is kept, with the first bytes
 * after it if there are any: how many there are decides, in the end. */
static void take_section(ink_decoder *d, supply *in)
{
    enum { SEEN_AFTER_END = 8 };
    uint64_t  needed = ink__section_bytes(d->gathered, d->used);
    ink_error error;

    if (d->used < needed) {
        gather(d, needed, in);
        return;
    }
    if (ink__load_u32(d->gathered) == INK__SECTION_END) {
        if (gather(d, needed + SEEN_AFTER_END, in))
            d->stage = AFTER_ALL;
        return;
    }
    d->sections = walk_of(d);
    ink_status status = ink__sections_next(&d->sections, &error);
    note(d, FAULT_SECTION, status, &error);
    d->stage = status == INK_OK ? IN_SECTIONS : AFTER_ALL;
    d->sections_taken += needed;
    d->used = 0;
}

/* ---- The calls ---------------------------------------------------------------------------- */

static ink_status check_open(const ink_decoder *d, ink_error *error)
{
    if (!d->finished)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "a decoder that has given its sketch, expected a new one");
}

/* The failure that is remembered, which there is. */
static ink_status fail_again(const ink_decoder *d, ink_error *error)
{
    if (error != NULL)
        *error = d->failure;
    return d->failure.status;
}

ink_status ink_decoder_write(ink_decoder *decoder, const void *bytes, size_t count,
                             ink_error *error)
{
    supply in = {bytes, count};

    INK__TRY(check_open(decoder, error));
    while (in.count > 0 && decoder->fault != FAULT_MEMORY) {
        switch (decoder->stage) {
        case IN_HEAD:
            take_head(decoder, &in);
            break;
        case IN_PAYLOAD:
            take_payloads(decoder, &in);
            break;
        case IN_SECTIONS:
            take_section(decoder, &in);
            break;
        case AFTER_ALL:
            skip(decoder, &in, in.count);
            break;
        }
    }
    return decoder->fault == NO_FAULT ? INK_OK : fail_again(decoder, error);
}

ink_status ink_decoder_finish(ink_decoder *decoder, ink_sketch **sketch, ink_error *error)
{
    const uint8_t *head = decoder->file->copy;

    INK__TRY(check_open(decoder, error));
    if (decoder->fault == FAULT_MEMORY)
        return fail_again(decoder, error);
    INK__TRY(
        ink__image_check_header(head == NULL ? decoder->gathered : head, decoder->count, error));
    if (decoder->fault > FAULT_SECTION)
        for (ink__sections walk = walk_of(decoder); !walk.ended;)
            INK__TRY(ink__sections_next(&walk, error));
    if (decoder->fault != NO_FAULT)
        return fail_again(decoder, error);
    *sketch = decoder->sketch;
    decoder->sketch = NULL;
    decoder->finished = true;
    return INK_OK;
}

/* ---- From a file -------------------------------------------------------------------------- */

/* Reads all, piece by piece, into `room`; a failure that is not of the file's contents ends it. */
static ink_status read_pieces(ink_decoder *d, ink__input *input, uint8_t *room, uint64_t room_bytes,
                              ink_error *error)
{
    for (uint64_t part; d->count < input->bytes;) {
        part = at_most(room_bytes, input->bytes - d->count);
        INK__TRY(ink__input_read(input, room, part, error));
        if (d->count == 0) /* before the rest is read */
            INK__TRY(ink__image_check_header(room, input->bytes, error));
        (void)ink_decoder_write(d, room, (size_t)part, NULL);
        if (d->fault == FAULT_MEMORY)
            return fail_again(d, error);
    }
    return INK_OK;
}

ink_status ink_sketch_load(ink_sketch **sketch, const char *path, const ink_allocator *allocator,
                           ink_error *error)
{
    ink_decoder *decoder = NULL;
    uint8_t     *room = NULL;
    ink__input   input;

    INK__TRY(ink__input_open(&input, path, error));
    uint64_t   room_bytes = at_most(input.bytes + 1, INK__PIECE_BYTES);
    ink_status status = ink_decoder_create(&decoder, allocator, error);
    if (status == INK_OK)
        status = ink__allocate(&decoder->file->allocator, room_bytes, &room, error);
    if (status == INK_OK)
        status = read_pieces(decoder, &input, room, room_bytes, error);
    if (status == INK_OK)
        status = ink_decoder_finish(decoder, sketch, error);
    if (room != NULL)
        ink__release(&decoder->file->allocator, room, room_bytes);
    ink_decoder_free(decoder);
    ink__input_close(&input);
    return status;
}
