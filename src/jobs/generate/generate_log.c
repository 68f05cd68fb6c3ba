/* generate_log.c - an access log of several hosts (Apache's vhost_common):
 *
 *     www.example.org 10.82.11.7 - - [12/Nov/2026:00:00:03 +0000] "GET / HTTP/1.1" 200 5316
 *
 * Every line has the same number of fields, one blank between them. Clients and pages have ranks,
 * drawn from a Zipf distribution; the address of a client and the size of a page follow from the
 * rank, so that they are the same in all lines and for all seeds. */
#include "base/status.h"
#include "base/text.h"
#include "jobs/generate/generator.h"

#include <string.h>

enum { CLIENTS = 1000000, PAGES = 100000 };

static uint8_t *put_text(uint8_t *to, const char *text)
{
    size_t bytes = strlen(text);

    memcpy(to, text, bytes);
    return to + bytes;
}

/* ---- Choices by chance -------------------------------------------------------------------- */

enum { ALL = 1 << 16 };

typedef struct choice {
    const char *text;
    uint32_t    share; /* of 2^16; the last one of a list takes the rest */
} choice;

static const choice hosts[] = {
    {"www.example.org", 21000},  {"shop.example.org", 10500}, {"api.example.org", 7000},
    {"img.example.org", 5300},   {"blog.example.org", 4200},  {"docs.example.org", 3500},
    {"news.example.org", 3000},  {"forum.example.org", 2600}, {"wiki.example.org", 2300},
    {"video.example.org", 2100}, {"mail.example.org", 1900},  {"status.example.org", ALL},
};

static const choice methods[] = {{"GET", 60000}, {"POST", 4000}, {"HEAD", ALL}};

static const choice protocols[] = {{"HTTP/1.1", 45000}, {"HTTP/2.0", 19500}, {"HTTP/1.0", ALL}};

/* The number of the choice for 16 random bits. */
static size_t choose(const choice *choices, uint32_t bits)
{
    size_t number = 0;

    while (bits >= choices[number].share)
        bits -= choices[number++].share;
    return number;
}

/* ---- Answers ------------------------------------------------------------------------------ */

enum { OF_THE_PAGE = -1 };

static const choice honest_answers[] = {
    {"200", 57500}, {"304", 4500}, {"404", 1200}, {"301", 1000},
    {"302", 700},   {"206", 400},  {"500", ALL},
};
static const int honest_bytes[] = {OF_THE_PAGE, 0, 196, 231, 218, 65536, 528};

/* One client in 64 requests forbidden pages; only these clients get 403. */
static const choice offender_answers[] = {{"403", 40000}, {"404", 22000}, {"401", ALL}};
static const int    offender_bytes[] = {199, 196, 381};

/* ---- Clients and pages, by rank ----------------------------------------------------------- */

static uint64_t mixed(uint64_t rank)
{
    return ink__random_split(&rank);
}

/* One of 10.0.0.0 to 10.255.255.255: odd factors and shifts keep ranks distinct. */
static uint8_t *put_address(uint8_t *to, uint32_t client)
{
    uint32_t address = client * 0x9e3779u & 0xffffff;

    address = (address ^ address >> 13) * 0x6a09e5u & 0xffffff;
    address ^= address >> 11;
    to = put_text(to, "10");
    for (unsigned shift = 24; shift > 0; shift -= 8) {
        *to++ = '.';
        to = ink__put_number(to, address >> (shift - 8) & 0xff);
    }
    return to;
}

static const char *const first_pages[] = {"/", "/favicon.ico", "/robots.txt", "/login", "/search"};

static const struct {
    const char *before, *after;
} sections[] = {
    {"/docs/", ".html"},    {"/img/", ".png"}, {"/item/", ""},        {"/news/", ".html"},
    {"/static/js/", ".js"}, {"/user/", ""},    {"/v1/tag/", ".json"}, {"/blog/", "/"},
};

static uint8_t *put_page(uint8_t *to, uint32_t page)
{
    const uint32_t first = sizeof first_pages / sizeof *first_pages;
    const size_t   section = page % (sizeof sections / sizeof *sections);

    if (page <= first)
        return put_text(to, first_pages[page - 1]);
    to = put_text(to, sections[section].before);
    to = ink__put_number(to, page);
    return put_text(to, sections[section].after);
}

/* From 128 bytes to a megabyte, with a median of 12 KB. */
static uint64_t page_bytes(uint32_t page)
{
    uint64_t bits = mixed(page), least = 128;

    for (unsigned i = 0; i < 12; i++)
        least <<= bits >> i & 1;
    return least + ((bits >> 32) * least >> 32);
}

/* ---- Time --------------------------------------------------------------------------------- */

enum {
    DAY_SECONDS = 86400,
    FIRST_DAY = 20769,  /* since 1970: 12 November 2026 */
    LINE_MS_MAX = 1728, /* between two lines: 864 on average, which is 100,000 lines a day */
};

/* Years begin in March here, so that a leap day is the last of its year; five months have 153 days
 * [Hinnant 2013]. */
uint8_t *ink__put_log_time(uint8_t *to, uint64_t seconds)
{
    static const char months[] = "MarAprMayJunJulAugSepOctNovDecJanFeb";
    const uint64_t    days = seconds / DAY_SECONDS + 719468;       /* since 1 March of the year 0 */
    const uint64_t    era = days / 146097, of_era = days % 146097; /* of 400 years */
    const uint64_t of_era_years = (of_era - of_era / 1460 + of_era / 36524 - of_era / 146096) / 365;
    const uint64_t of_year = of_era - (365 * of_era_years + of_era_years / 4 - of_era_years / 100);
    const uint64_t month = (5 * of_year + 2) / 153, day = of_year - (153 * month + 2) / 5 + 1;
    const uint64_t second = seconds % DAY_SECONDS;

    *to++ = '[';
    to = ink__put_digits(to, day, 2);
    *to++ = '/';
    memcpy(to, months + 3 * month, 3);
    to[3] = '/';
    to = ink__put_number(to + 4, 400 * era + of_era_years + (month >= 10 ? 1 : 0));
    *to++ = ':';
    to = ink__put_digits(to, second / 3600, 2);
    *to++ = ':';
    to = ink__put_digits(to, second / 60 % 60, 2);
    *to++ = ':';
    to = ink__put_digits(to, second % 60, 2);
    return put_text(to, " +0000]");
}

/* ---- Lines -------------------------------------------------------------------------------- */

/* What is drawn for a line. */
typedef struct drawn {
    uint32_t client, page;
    uint64_t ms, bits;
} drawn;

typedef struct log_line {
    const char *host, *method, *protocol, *status;
    uint64_t    bytes;
} log_line;

static log_line line_of(const drawn *from)
{
    const uint64_t bits = from->bits;
    const bool     offends = mixed(from->client) >> 58 == 0;
    const choice  *answers = offends ? offender_answers : honest_answers;
    const size_t   number = choose(answers, (uint32_t)(bits >> 48));
    const int      bytes = (offends ? offender_bytes : honest_bytes)[number];
    log_line       line = {
              .host = hosts[choose(hosts, bits & 0xffff)].text,
              .method = methods[choose(methods, bits >> 16 & 0xffff)].text,
              .protocol = protocols[choose(protocols, bits >> 32 & 0xffff)].text,
              .status = answers[number].text,
              .bytes = bytes == OF_THE_PAGE ? page_bytes(from->page) : (uint64_t)bytes,
    };

    if (strcmp(line.method, "HEAD") == 0)
        line.bytes = 0;
    return line;
}

static uint8_t *put_line(uint8_t *to, const void *value, const void *host)
{
    const drawn   *from = value;
    const log_line line = line_of(from);

    (void)host;
    to = put_text(to, line.host);
    *to++ = ' ';
    to = put_address(to, from->client);
    to = put_text(to, " - - ");
    to = ink__put_log_time(to, from->ms / 1000);
    to = put_text(to, " \"");
    to = put_text(to, line.method);
    *to++ = ' ';
    to = put_page(to, from->page);
    *to++ = ' ';
    to = put_text(to, line.protocol);
    to = put_text(to, "\" ");
    to = put_text(to, line.status);
    *to++ = ' ';
    return ink__put_number(to, line.bytes);
}

typedef struct log_draws {
    ink__zipf  *clients, *pages;
    ink__random of_clients, of_pages, of_lines;
    uint64_t    ms;
} log_draws;

static ink_status draw_lines(void *host, void *values, uint64_t count, ink_error *error)
{
    log_draws *from = host;

    (void)error;
    for (drawn *to = values; count > 0; count--, to++) {
        to->client = ink__zipf_draw(from->clients, &from->of_clients);
        to->page = ink__zipf_draw(from->pages, &from->of_pages);
        to->ms = from->ms += ink__random_below(&from->of_lines, LINE_MS_MAX + 1);
        to->bits = ink__random_next(&from->of_lines);
    }
    return INK_OK;
}

ink_status ink__generate_log(const ink__generator_run *run, ink_error *error)
{
    log_draws               from = {.ms = (uint64_t)FIRST_DAY * DAY_SECONDS * 1000};
    const ink__record_steps steps = {
        .value_bytes = sizeof(drawn),
        .record_max = INK__RECORD_MAX,
        .host = &from,
        .draw = draw_lines,
        .put = put_line,
    };

    ink__random_begin(&from.of_clients, run->seed, INK__RANDOM_CLIENTS);
    ink__random_begin(&from.of_pages, run->seed, INK__RANDOM_PAGES);
    ink__random_begin(&from.of_lines, run->seed, INK__RANDOM_LINES);
    INK__TRY(ink__zipf_make(&from.clients, CLIENTS, run->skew, &run->allocator, error));
    ink_status status = ink__zipf_make(&from.pages, PAGES, run->skew, &run->allocator, error);
    if (status == INK_OK)
        status = ink__generate_each(run, &steps, error);
    ink__zipf_free(from.pages, &run->allocator);
    ink__zipf_free(from.clients, &run->allocator);
    return status;
}
