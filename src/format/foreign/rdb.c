/* rdb.c - numbers, strings, the fields of modules and the checksum of a DUMP. */
#include "format/foreign/rdb.h"

#include "base/bits.h"
#include "base/status.h"
#include "format/foreign/formats.h"

#include <string.h>

enum { FOOTER = 10 }; /* the version and the checksum */

/* CRC-64 with the polynomial of Jones, both reflected, from 0 on. */
static uint64_t checksum(const uint8_t *bytes, uint64_t count)
{
    const uint64_t polynomial = 0x95ac9329ac4bc9b5u;
    uint64_t       table[256], sum = 0;

    for (unsigned i = 0; i < 256; i++) {
        table[i] = i;
        for (unsigned bit = 0; bit < 8; bit++)
            table[i] = table[i] >> 1 ^ ((table[i] & 1) != 0 ? polynomial : 0);
    }
    for (uint64_t i = 0; i < count; i++)
        sum = table[(sum ^ bytes[i]) & 255] ^ sum >> 8;
    return sum;
}

ink_status ink__rdb_open(ink__rdb *in, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    *in = (ink__rdb){bytes, 0, 0};
    if (count <= FOOTER)
        return INK__FOREIGN_FAIL(error, count, "%llu bytes, expected a value and its checksum",
                                 (unsigned long long)count);
    for (uint64_t cut = 0; cut <= (bytes[count - 1] == '\n'); cut++) {
        const uint64_t end = count - cut - 8;
        if (checksum(bytes, end) != ink__load_u64(bytes + end))
            continue;
        in->count = end - 2;
        return INK_OK;
    }
    return INK__FOREIGN_FAIL(error, count - 8,
                             "a checksum of other bytes, expected that of a DUMP");
}

ink_status ink__rdb_end(const ink__rdb *in, ink_error *error)
{
    if (in->at == in->count)
        return INK_OK;
    return INK__FOREIGN_FAIL(error, in->at, "%llu bytes after the value, expected its version",
                             (unsigned long long)(in->count - in->at));
}

/* ---- Numbers ------------------------------------------------------------------------------ */

static ink_status take(ink__rdb *in, uint64_t bytes, const uint8_t **taken, ink_error *error)
{
    if (bytes > in->count - in->at)
        return INK__FOREIGN_FAIL(error, in->count, "the value ends, expected %llu bytes more",
                                 (unsigned long long)(bytes - (in->count - in->at)));
    *taken = in->bytes + in->at;
    in->at += bytes;
    return INK_OK;
}

/* The first byte of a length says how many follow, or what other form a string has. */
enum { BITS_14 = 0x40, BITS_32 = 0x80, BITS_64 = 0x81, OTHER = 0xc0, LZF = 0xc3 };

/* A length, or the byte of another form. */
static ink_status take_length(ink__rdb *in, uint64_t *length, unsigned *form, ink_error *error)
{
    const uint64_t start = in->at;
    const uint8_t *at = NULL;

    INK__TRY(take(in, 1, &at, error));
    *form = at[0] < BITS_32 ? at[0] & BITS_14 : at[0];
    *length = at[0] & 0x3f;
    if (*form == BITS_14) {
        INK__TRY(take(in, 1, &at, error));
        *length = *length << 8 | at[0];
    } else if (*form == BITS_32) {
        INK__TRY(take(in, 4, &at, error));
        *length = ink__load_u32_high_first(at);
    } else if (*form == BITS_64) {
        INK__TRY(take(in, 8, &at, error));
        *length = ink__load_u64_high_first(at);
    } else if (*form > BITS_64 && *form < OTHER)
        return INK__FOREIGN_FAIL(error, start, "a length of form 0x%x, expected 0x80 or 0x81",
                                 *form);
    return INK_OK;
}

static ink_status take_number(ink__rdb *in, uint64_t *number, ink_error *error)
{
    const uint64_t start = in->at;
    unsigned       form;

    INK__TRY(take_length(in, number, &form, error));
    if (form >= OTHER)
        return INK__FOREIGN_FAIL(error, start, "form 0x%x, expected a number", form);
    return INK_OK;
}

/* ---- Strings ------------------------------------------------------------------------------ */

/* What a step of LZF does: copies bytes that follow it, or some that were written before. */
typedef struct step {
    uint64_t step_bytes, copied, back; /* back is 0: they follow */
} step;

/* The step at a byte; of no bytes if it is cut. */
static step next_step(const uint8_t *from, uint64_t left)
{
    const unsigned first = from[0], longer = first >> 5 == 7;
    const step     cut = {0, 0, 0};

    if (first < 32)
        return left < first + 2u ? cut : (step){first + 2u, first + 1u, 0};
    if (left < 2 + longer)
        return cut;
    return (step){
        .step_bytes = 2 + longer,
        .copied = (first >> 5) + 2u + (longer ? from[1] : 0u),
        .back = ((first & 31u) << 8 | from[1 + longer]) + 1u,
    };
}

/* Whether steps make this many bytes, none of them from before the first. */
static bool makes(const uint8_t *from, uint64_t stored, uint64_t bytes)
{
    uint64_t made = 0;

    for (uint64_t at = 0; at < stored;) {
        const step next = next_step(from + at, stored - at);
        if (next.step_bytes == 0 || next.back > made || next.copied > bytes - made)
            return false;
        made += next.copied;
        at += next.step_bytes;
    }
    return made == bytes;
}

ink_status ink__rdb_text(ink__rdb *in, ink__rdb_string *string, ink_error *error)
{
    const uint64_t start = in->at;
    unsigned       form;

    *string = (ink__rdb_string){.compressed = false};
    INK__TRY(take_length(in, &string->bytes, &form, error));
    string->stored_bytes = string->bytes;
    if (form >= OTHER && form != LZF)
        return INK__FOREIGN_FAIL(error, start, "a string of form 0x%x, expected bytes", form);
    if (form == LZF) {
        string->compressed = true;
        INK__TRY(take_number(in, &string->stored_bytes, error));
        INK__TRY(take_number(in, &string->bytes, error));
    }
    string->at = in->at;
    INK__TRY(take(in, string->stored_bytes, &string->stored, error));
    if (string->compressed && !makes(string->stored, string->stored_bytes, string->bytes))
        return INK__FOREIGN_FAIL(error, string->at, "a compressed string that is not %llu bytes",
                                 (unsigned long long)string->bytes);
    return INK_OK;
}

void ink__rdb_unpack(const ink__rdb_string *string, uint8_t *to)
{
    if (!string->compressed) {
        memcpy(to, string->stored, (size_t)string->bytes);
        return;
    }
    for (uint64_t at = 0; at < string->stored_bytes;) {
        const uint8_t *from = string->stored + at;
        const step     next = next_step(from, string->stored_bytes - at);
        for (uint64_t i = 0; i < next.copied; i++, to++) /* what it copies may overlap */
            *to = next.back == 0 ? from[1 + i] : *(to - next.back);
        at += next.step_bytes;
    }
}

/* ---- Values of modules -------------------------------------------------------------------- */

enum { MODULE = 7, AT_TYPE = 2, TYPE_BYTES = 8, VERSION_BITS = 10, LETTERS = 9, LETTER_BITS = 6 };

/* What comes next in such a value. */
enum { END = 0, NUMBER = 2, DOUBLE = 4, TEXT = 5 };

bool ink__rdb_is_module(const uint8_t *bytes, uint64_t count, uint64_t letters)
{
    return count >= AT_TYPE + TYPE_BYTES && bytes[0] == MODULE && bytes[1] == BITS_64 &&
           ink__load_u64_high_first(bytes + AT_TYPE) >> VERSION_BITS == letters;
}

static void put_letters(uint64_t letters, char text[LETTERS + 1])
{
    static const char alphabet[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

    for (unsigned i = LETTERS; i-- > 0; letters >>= LETTER_BITS)
        text[i] = alphabet[letters % (1 << LETTER_BITS)];
    text[LETTERS] = '\0';
}

ink_status ink__rdb_open_module(ink__rdb *in, const uint8_t *bytes, uint64_t count,
                                ink__rdb_type type, ink_error *error)
{
    char     found[LETTERS + 1], expected[LETTERS + 1];
    uint64_t number;

    INK__TRY(ink__rdb_open(in, bytes, count, error));
    if (bytes[0] != MODULE)
        return INK__FOREIGN_FAIL(error, 0, "a value of type %u, expected %d, that of a module",
                                 bytes[0], MODULE);
    in->at = 1;
    INK__TRY(take_number(in, &number, error));
    put_letters(number >> VERSION_BITS, found);
    put_letters(type.letters, expected);
    if (number >> VERSION_BITS != type.letters)
        return INK__FOREIGN_FAIL(error, 1, "a value of the module type %s, expected %s", found,
                                 expected);
    if (number % (1 << VERSION_BITS) != type.version)
        return INK__FOREIGN_FAIL(error, 1, "version %u of %s, expected %u",
                                 (unsigned)(number % (1 << VERSION_BITS)), found, type.version);
    return INK_OK;
}

static ink_status expect(ink__rdb *in, uint64_t what, ink_error *error)
{
    const uint64_t at = in->at;
    uint64_t       found;

    INK__TRY(take_number(in, &found, error));
    if (found != what)
        return INK__FOREIGN_FAIL(error, at, "a field of type %llu, expected %llu",
                                 (unsigned long long)found, (unsigned long long)what);
    return INK_OK;
}

ink_status ink__rdb_field_number(ink__rdb *in, uint64_t *number, ink_error *error)
{
    INK__TRY(expect(in, NUMBER, error));
    return take_number(in, number, error);
}

ink_status ink__rdb_field_double(ink__rdb *in, double *number, ink_error *error)
{
    const uint8_t *at = NULL;

    INK__TRY(expect(in, DOUBLE, error));
    INK__TRY(take(in, sizeof *number, &at, error));
    *number = ink__double_of_bits(ink__load_u64(at));
    return INK_OK;
}

ink_status ink__rdb_field_text(ink__rdb *in, ink__rdb_string *string, ink_error *error)
{
    INK__TRY(expect(in, TEXT, error));
    return ink__rdb_text(in, string, error);
}

ink_status ink__rdb_end_module(ink__rdb *in, ink_error *error)
{
    INK__TRY(expect(in, END, error));
    return ink__rdb_end(in, error);
}
