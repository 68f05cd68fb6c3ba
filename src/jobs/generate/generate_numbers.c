/* generate_numbers.c - keys that are numbers: IPv4 addresses without dots, and 64-bit integers. */
#include "base/text.h"
#include "jobs/generate/generator.h"

static ink_status draw(void *random, void *values, uint64_t count, ink_error *error)
{
    ink__random from = *(ink__random *)random; /* in registers */

    (void)error;
    for (uint64_t i = 0, *to = values; i < count; i++)
        to[i] = ink__random_next(&from);
    *(ink__random *)random = from;
    return INK_OK;
}

static ink_status generate(const ink__generator_run *run, ink__random_use use, size_t digits_max,
                           uint8_t *(*put)(uint8_t *to, const void *value, const void *host),
                           ink_error *error)
{
    ink__random             random;
    const ink__record_steps steps = {
        .value_bytes = sizeof(uint64_t),
        .record_max = digits_max + 1,
        .host = &random,
        .draw = draw,
        .put = put,
    };

    ink__random_begin(&random, run->seed, use);
    return ink__generate_each(run, &steps, error);
}

/* Four times three digits: without dots and zeros, 1.11.1.1 and 11.1.1.1 would be the same. */
static uint8_t *put_address(uint8_t *to, const void *value, const void *host)
{
    uint32_t address = (uint32_t)(*(const uint64_t *)value >> 32);

    (void)host;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        to = ink__put_digits(to, address >> (shift - 8) & 0xff, 3);
    return to;
}

ink_status ink__generate_ip(const ink__generator_run *run, ink_error *error)
{
    return generate(run, INK__RANDOM_IP, 12, put_address, error);
}

static uint8_t *put_u64(uint8_t *to, const void *value, const void *host)
{
    (void)host;
    return ink__put_number(to, *(const uint64_t *)value);
}

ink_status ink__generate_u64(const ink__generator_run *run, ink_error *error)
{
    return generate(run, INK__RANDOM_U64, 20, put_u64, error);
}
