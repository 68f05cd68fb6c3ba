/* byte_reader.c - the bounded little-endian reader. */
#include "base/byte_reader.h"

#include "base/bits.h"
#include "base/status.h"

const uint8_t *ink__read_bytes(ink__reader *in, uint64_t count)
{
    if (in->ran_out || count > in->count - in->offset) {
        in->ran_out = true;
        return NULL;
    }
    const uint8_t *bytes = in->bytes + in->offset;
    in->offset += count;
    return bytes;
}

#define READ_FIELD(declaration, count, load)                                                       \
    declaration                                                                                    \
    {                                                                                              \
        const uint8_t *bytes = ink__read_bytes(in, count);                                         \
                                                                                                   \
        return bytes == NULL ? 0 : load(bytes);                                                    \
    }
READ_FIELD(uint16_t ink__read_u16(ink__reader *in), 2, ink__load_u16)
READ_FIELD(uint32_t ink__read_u32(ink__reader *in), 4, ink__load_u32)
READ_FIELD(uint64_t ink__read_u64(ink__reader *in), 8, ink__load_u64)

ink_status ink__read_padding(ink__reader *in, uint64_t unit, ink_error *error)
{
    uint64_t       at = ink__reader_location(in);
    uint64_t       count = (unit - in->offset % unit) % unit;
    const uint8_t *bytes = ink__read_bytes(in, count);

    INK__TRY(ink__reader_check(in, "padding", error));
    for (uint64_t i = 0; i < count; i++)
        if (bytes[i] != 0)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at + i,
                             "padding byte 0x%x, expected 0", bytes[i]);
    return INK_OK;
}

ink_status ink__reader_check(const ink__reader *in, const char *what, ink_error *error)
{
    if (!in->ran_out)
        return INK_OK;
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, in->start + in->count,
                     "%s is cut short: its part of the file ends here", what);
}

uint64_t ink__reader_location(const ink__reader *in)
{
    return in->start + in->offset;
}
