/* generate_log_test.c - a generated log reads as one: fields, times, and what belongs together. */
#define _GNU_SOURCE 1 /* strptime */
#include "base/memory.h"
#include "inkling_command.h"
#include "inkling_job.h"
#include "jobs/generate/generator.h"

#include "accuracy/streams.h"
#include "support/check.h"

#include <stdio.h>
#include <time.h>

enum { FIELDS = 11, CLIENTS = 1000000, FIRST_PAGES = 5 };

enum { HOST, CLIENT, IDENT, USER, DAY, ZONE, METHOD, PAGE, PROTOCOL, STATUS, BYTES };

/* A line cut at its blanks. */
typedef struct line {
    char  text[INK__RECORD_MAX];
    char *fields[FIELDS];
} line;

/* Looks at lines one by one; how many there were. */
typedef struct watch {
    void (*see)(void *host, const line *seen);
    void    *host;
    uint64_t lines;
} watch;

static void cut(const char *text, size_t bytes, line *cut)
{
    size_t count = 0;

    CHECK(bytes < sizeof cut->text);
    memcpy(cut->text, text, bytes);
    cut->text[bytes] = '\0';
    for (char *at = cut->text; at != NULL; count++) {
        char *blank = strchr(at, ' ');
        CHECK(count < FIELDS);
        cut->fields[count] = at;
        if (blank != NULL)
            *blank++ = '\0';
        CHECK(*cut->fields[count] != '\0'); /* two blanks in a row */
        at = blank;
    }
    assert_int_equal(count, FIELDS);
}

static int see_lines(void *host, const void *bytes, size_t count)
{
    watch      *w = host;
    const char *at = bytes, *end = at + count;

    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        line        seen;
        CHECK(line_end != NULL);
        cut(at, (size_t)(line_end - at), &seen);
        w->see(w->host, &seen);
        w->lines++;
        at = line_end + 1;
    }
    return 0;
}

static void watch_log(const ink_generation *generation, void (*see)(void *, const line *),
                      void                 *host)
{
    watch          w = {.see = see, .host = host};
    const ink_sink sink = {see_lines, &w};
    ink_job        job = {0};
    ink_error      error;

    CHECK_OK(ink_generate(generation, &sink, &job, &error));
    CHECK(w.lines == generation->records && job.records == w.lines);
}

/* ---- Fields ------------------------------------------------------------------------------- */

static uint32_t address_of(const char *text)
{
    unsigned parts[3];
    char     again[32];

    CHECK(sscanf(text, "10.%u.%u.%u", &parts[0], &parts[1], &parts[2]) == 3);
    snprintf(again, sizeof again, "10.%u.%u.%u", parts[0], parts[1], parts[2]);
    assert_string_equal(text, again);
    CHECK(parts[0] < 256 && parts[1] < 256 && parts[2] < 256);
    return parts[0] << 16 | parts[1] << 8 | parts[2];
}

static bool is_one_of(const char *text, const char *words)
{
    const char *found = strstr(words, text);

    return found != NULL && found[strlen(text)] == ' ' && (found == words || found[-1] == ' ');
}

static uint64_t bytes_of(const line *seen)
{
    char    *end;
    uint64_t bytes = strtoull(seen->fields[BYTES], &end, 10);

    CHECK(*end == '\0' && (seen->fields[BYTES][0] != '0' || end == seen->fields[BYTES] + 1));
    return bytes;
}

static void check_fields(void *host, const line *seen)
{
    char *const *fields = seen->fields;

    CHECK(strlen(fields[HOST]) > 12 &&
          strcmp(fields[HOST] + strlen(fields[HOST]) - 12, ".example.org") == 0);
    (void)address_of(fields[CLIENT]);
    assert_string_equal(fields[IDENT], "-");
    assert_string_equal(fields[USER], "-");
    assert_int_equal(strlen(fields[DAY]), strlen("[12/Nov/2026:06:25:24"));
    assert_string_equal(fields[ZONE], "+0000]");
    CHECK(is_one_of(fields[METHOD], "\"GET \"POST \"HEAD "));
    CHECK(fields[PAGE][0] == '/');
    CHECK(is_one_of(fields[PROTOCOL], "HTTP/1.0\" HTTP/1.1\" HTTP/2.0\" "));
    CHECK(is_one_of(fields[STATUS], "200 206 301 302 304 401 403 404 500 "));
    CHECK(bytes_of(seen) < 1 << 20);
    if (strcmp(fields[METHOD], "\"HEAD") == 0 || strcmp(fields[STATUS], "304") == 0)
        assert_string_equal(fields[BYTES], "0");
}

TEST(every_line_has_the_eleven_fields_of_a_log)
{
    watch_log(&(ink_generation){.kind = "log", .records = trials_of(300000)}, check_fields, NULL);
    watch_log(&(ink_generation){.kind = "log", .records = 1000, .seed = 1, .skew = 0.2},
              check_fields, NULL);
}

/* ---- Shares ------------------------------------------------------------------------------- */

enum { HOSTS = 12 };

typedef struct shares {
    char     hosts[HOSTS][32];
    uint64_t of_hosts[HOSTS], good, heads, not_found, lines;
} shares;

static void count_shares(void *host, const line *seen)
{
    shares *s = host;
    size_t  number = 0;

    while (number < HOSTS && s->of_hosts[number] > 0 &&
           strcmp(s->hosts[number], seen->fields[HOST]) != 0)
        number++;
    CHECK(number < HOSTS);
    strcpy(s->hosts[number], seen->fields[HOST]);
    s->of_hosts[number]++;
    s->good += strcmp(seen->fields[STATUS], "200") == 0;
    s->not_found += strcmp(seen->fields[STATUS], "404") == 0;
    s->heads += strcmp(seen->fields[METHOD], "\"HEAD") == 0;
    s->lines++;
}

TEST(hosts_answers_and_methods_have_their_shares)
{
    shares s = {.lines = 0};
    double most = 0, least = 1;

    watch_log(&(ink_generation){.kind = "log", .records = trials_of(200000)}, count_shares, &s);
    const double lines = (double)s.lines;
    for (int i = 0; i < HOSTS; i++) {
        most = fmax(most, (double)s.of_hosts[i] / lines);
        least = fmin(least, (double)s.of_hosts[i] / lines);
    }
    CHECK(most > 0.3 && most < 0.34 && least > 0.02 && least < 0.04);
    CHECK((double)s.good / lines > 0.84 && (double)s.good / lines < 0.9);
    CHECK((double)s.not_found / lines > 0.01 && (double)s.not_found / lines < 0.04);
    CHECK((double)s.heads / lines > 0.015 && (double)s.heads / lines < 0.03);
}

/* ---- Clients and pages -------------------------------------------------------------------- */

enum { ADDRESSES = 1 << 24 };

typedef struct clients {
    uint32_t *lines;     /* of each address */
    uint8_t  *forbidden; /* how it was answered: 1 with 403 or 401, 2 with 200 */
} clients;

static void count_clients(void *host, const line *seen)
{
    clients       *c = host;
    const uint32_t address = address_of(seen->fields[CLIENT]);
    const char    *status = seen->fields[STATUS];

    c->lines[address]++;
    c->forbidden[address] |= (uint8_t)(strcmp(status, "403") == 0 || strcmp(status, "401") == 0);
    c->forbidden[address] |= (uint8_t)((strcmp(status, "200") == 0) << 1);
}

static int more_first(const void *a, const void *b)
{
    uint32_t left = *(const uint32_t *)a, right = *(const uint32_t *)b;

    return (left < right) - (left > right);
}

/* How frequent the first rank of a million is. */
static double first_share(double skew)
{
    double sum = 0;

    for (int rank = 1; rank <= CLIENTS; rank++)
        sum += pow(rank, -skew);
    return 1 / sum;
}

TEST(clients_are_ever_rarer_and_only_some_are_forbidden)
{
    const size_t lines = trials_of(400000);
    const double share = first_share(1.1);
    clients      c = {taken(ADDRESSES, sizeof(uint32_t)), taken(ADDRESSES, 1)};
    double       met = 0, offenders = 0;

    watch_log(&(ink_generation){.kind = "log", .records = lines}, count_clients, &c);
    for (size_t i = 0; i < ADDRESSES; i++) {
        met += c.lines[i] > 0;
        offenders += c.forbidden[i] & 1;
        CHECK(c.forbidden[i] != 3); /* clients that get 403 get nothing else */
    }
    qsort(c.lines, ADDRESSES, sizeof *c.lines, more_first);
    for (int rank = 1; rank <= 3; rank++) {
        double expected = share * pow(rank, -1.1);
        row_z("log: lines of a client", (double)lines * expected, c.lines[rank - 1],
              sqrt((double)lines * expected * (1 - expected)));
    }
    CHECK(met > 0.05 * (double)lines && met < 0.5 * (double)lines);
    CHECK(offenders > met / 200 && offenders < met / 50);
    free(c.lines);
    free(c.forbidden);
}

/* The first page is the site's root; of the others the number in the path is the rank. */
static uint32_t page_of(const char *path)
{
    static const char *const first[FIRST_PAGES] = {"/", "/favicon.ico", "/robots.txt", "/login",
                                                   "/search"};

    for (uint32_t i = 0; i < FIRST_PAGES; i++)
        if (strcmp(path, first[i]) == 0)
            return i + 1;
    const char *digits = strpbrk(path, "0123456789");
    if (strncmp(path, "/v1/", 4) == 0)
        digits = strpbrk(path + 4, "0123456789");
    CHECK(digits != NULL);
    return (uint32_t)strtoul(digits, NULL, 10);
}

enum { PAGES = 100000 };

typedef struct pages {
    uint64_t bytes[PAGES + 1], roots;
} pages;

static void check_page(void *host, const line *seen)
{
    pages         *p = host;
    const uint32_t page = page_of(seen->fields[PAGE]);

    CHECK(page >= 1 && page <= PAGES);
    p->roots += page == 1;
    if (strcmp(seen->fields[STATUS], "200") != 0 || strcmp(seen->fields[METHOD], "\"HEAD") == 0)
        return;
    CHECK(p->bytes[page] == 0 || p->bytes[page] == bytes_of(seen));
    p->bytes[page] = bytes_of(seen);
    CHECK(p->bytes[page] >= 128);
}

TEST(a_page_has_one_size_in_the_logs_of_all_seeds)
{
    static pages p;

    memset(&p, 0, sizeof p);
    for (uint64_t seed = 0; seed < 2; seed++)
        watch_log(&(ink_generation){.kind = "log", .records = 50000, .seed = seed}, check_page, &p);
    CHECK(p.roots > 10000 && p.roots < 20000);
}

TEST(ranks_of_small_numbers_are_all_drawn_and_none_beyond)
{
    static const uint32_t sizes[] = {1, 2, 127, 128, 129, 255, 256, 257, 300, 1000};
    const ink_allocator   heap = ink__allocator_or_heap(NULL);

    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        bool        drawn[1001] = {false};
        ink__zipf  *zipf;
        ink__random random;
        ink_error   error;
        CHECK_OK(ink__zipf_make(&zipf, sizes[i], 0.5, &heap, &error));
        ink__random_begin(&random, i, INK__RANDOM_ZIPF);
        /* the rarest of 1000 has a chance of 1/1962: one of all is missed with chance 1e-19 */
        for (int draw = 0; draw < 100000; draw++) {
            uint32_t rank = ink__zipf_draw(zipf, &random);
            CHECK(rank >= 1 && rank <= sizes[i]);
            drawn[rank] = true;
        }
        for (uint32_t rank = 1; rank <= sizes[i]; rank++)
            CHECK(drawn[rank]);
        ink__zipf_free(zipf, &heap);
    }
}

/* ---- Times -------------------------------------------------------------------------------- */

typedef struct times {
    char     last[64]; /* as year, month and so on, so that later ones are greater */
    uint64_t different, lines;
} times;

static void check_order(void *host, const line *seen)
{
    times      *t = host;
    const char *text = seen->fields[DAY];
    char        now[64];
    struct tm   day;

    CHECK(strptime(text, "[%d/%b/%Y:%H:%M:%S", &day) == text + strlen(text));
    strftime(now, sizeof now, "%Y-%m-%d %H:%M:%S", &day);
    int order = strcmp(t->last, now);
    CHECK(order <= 0);
    if (t->lines++ == 0)
        CHECK(strncmp(now, "2026-11-12 00:00:0", 18) == 0);
    t->different += order < 0;
    strcpy(t->last, now);
}

TEST(times_rise_by_about_a_day_in_100_000_lines)
{
    times t = {.lines = 0};

    watch_log(&(ink_generation){.kind = "log", .records = 100000}, check_order, &t);
    /* The sum of 100,000 steps scatters by 158 seconds. */
    CHECK(strcmp(t.last, "2026-11-12 23:45:00") > 0 && strcmp(t.last, "2026-11-13 00:15:00") < 0);
    CHECK(t.different > 50000);
}

TEST(every_day_has_its_date)
{
    for (uint64_t day = 0; day < 400 * 366; day++) {
        const time_t seconds = (time_t)(86400 * day + day * 7919 % 86400);
        struct tm    parts;
        char         expected[64];
        uint8_t      text[64];
        CHECK(gmtime_r(&seconds, &parts) != NULL);
        strftime(expected, sizeof expected, "[%d/%b/%Y:%H:%M:%S +0000]", &parts);
        *ink__put_log_time(text, (uint64_t)seconds) = '\0';
        assert_string_equal((const char *)text, expected);
    }
}

TEST(the_longest_line_has_room)
{
    uint8_t text[INK__RECORD_MAX];

    /* 2^64 lines later; the rest of a line takes less than 100 bytes */
    CHECK(ink__put_log_time(text, UINT64_MAX) - text < INK__RECORD_MAX - 100);
}

RUN_TESTS()
