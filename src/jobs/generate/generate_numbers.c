/* generate_numbers.c - keys that are numbers: IPv4 addresses without dots, and 64-bit integers. */
#include "base/status.h"
#include "base/text.h"
#include "jobs/generate/generator.h"

/* ---- IPv4 --------------------------------------------------------------------------------- */

/* An address is four times three digits, with zeros in front: without dots a shorter form would
 * make one key of 1.11.1.1 and 11.1.1.1. */
static uint8_t *put_address(uint8_t *to, uint32_t address)
{
    for (unsigned shift = 32; shift > 0; shift -= 8)
        to = ink__put_digits(to, address >> (shift - 8) & 0xff, 3);
    return to;
}

static ink_status run_ip(const ink__generator_run *run, ink_error *error)
{
    ink__record_buffer *records = run->records;
    ink__random         random;

    ink__random_begin(&random, run->seed, INK__RANDOM_IP);
    while (records->count < records->total) {
        uint32_t address = (uint32_t)(ink__random_next(&random) >> 32);
        INK__TRY(ink__record_buffer_end(
            records, put_address(ink__record_buffer_room(records), address), error));
    }
    return INK_OK;
}

const ink__generator ink__generate_ip = {
    .name = "ip",
    .about = "random IPv4 addresses without dots, as 147056003121",
    .records = 1000000,
    .run = run_ip,
};

/* ---- Integers ----------------------------------------------------------------------------- */

static ink_status run_u64(const ink__generator_run *run, ink_error *error)
{
    ink__record_buffer *records = run->records;
    ink__random         random;

    ink__random_begin(&random, run->seed, INK__RANDOM_U64);
    while (records->count < records->total) {
        uint64_t number = ink__random_next(&random);
        INK__TRY(ink__record_buffer_end(
            records, ink__put_number(ink__record_buffer_room(records), number), error));
    }
    return INK_OK;
}

const ink__generator ink__generate_u64 = {
    .name = "u64",
    .about = "random integers of 64 bits, in decimal",
    .records = 1000000,
    .run = run_u64,
};
