/* generate_numbers.c - keys that are numbers: IPv4 addresses without dots, and 64-bit integers. */
#include "base/text.h"
#include "jobs/generate/generator.h"

/* Four times three digits: without dots and zeros, 1.11.1.1 and 11.1.1.1 would be the same. */
static uint8_t *put_address(uint8_t *to, ink__random *random, const void *host)
{
    uint32_t address = (uint32_t)(ink__random_next(random) >> 32);

    (void)host;
    for (unsigned shift = 32; shift > 0; shift -= 8)
        to = ink__put_digits(to, address >> (shift - 8) & 0xff, 3);
    return to;
}

ink_status ink__generate_ip(const ink__generator_run *run, ink_error *error)
{
    return ink__generate_each(run, INK__RANDOM_IP, put_address, NULL, error);
}

static uint8_t *put_u64(uint8_t *to, ink__random *random, const void *host)
{
    (void)host;
    return ink__put_number(to, ink__random_next(random));
}

ink_status ink__generate_u64(const ink__generator_run *run, ink_error *error)
{
    return ink__generate_each(run, INK__RANDOM_U64, put_u64, NULL, error);
}
