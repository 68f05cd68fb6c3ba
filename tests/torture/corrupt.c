/* corrupt.c - the suite `corrupt` of `make torture`: every golden file, damaged in every way there
 * is: each bit flipped, cut at each length, with bytes after it; and by a forger who puts the
 * checksums right: each bit, each length, each field and each number of one, two, four or eight
 * bytes at 16 values where something may break. What is damaged is refused; what is forged is
 * refused with a message and a byte, or every call on it works (tests/faults/hostile.h). No block
 * of memory is larger than twice the file and a fixed part, no file takes a second.
 *
 * A case is made from the seed and its number alone. Cases run in a child, so that one which ends
 * it is reported, and the next one tried. */
#define _DEFAULT_SOURCE 1
#include "faults/hostile.h"
#include "support/golden.h"

#include <inttypes.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- Cases -------------------------------------------------------------------------------- */

enum { FILES_MAX = 128, FIELDS_MAX = 4096, VALUES = 16, TAILS = 256, NUMBER_CASES = 30 };

typedef struct golden_bytes {
    const char *name;
    uint8_t    *bytes;
    size_t      count;
    files_field fields[FIELDS_MAX];
    size_t      field_count;
} golden_bytes;

static golden_bytes files[FILES_MAX];
static size_t       file_count;
static uint64_t     seed;

typedef enum damage { FLIP, FORGED_FLIP, CUT, FORGED_CUT, TAIL, FIELD, NUMBER, WAYS } damage;

/* How many cases there are of a file, of each way. */
static uint64_t cases_of(const golden_bytes *file, damage way)
{
    switch (way) {
    case FLIP:
    case FORGED_FLIP:
        return 8 * file->count;
    case CUT:
    case FORGED_CUT:
        return file->count;
    case TAIL:
        return TAILS;
    case FIELD:
        return VALUES * file->field_count;
    default: /* of one, two, four and eight bytes, at places that are multiples of that */
        return NUMBER_CASES * (file->count / 8 * 8);
    }
}

static uint64_t all_cases(void)
{
    uint64_t all = 0;

    for (size_t i = 0; i < file_count; i++)
        for (damage way = FLIP; way < WAYS; way++)
            all += cases_of(&files[i], way);
    return all;
}

static void make_files(void)
{
    const golden_file *golden;
    size_t             largest = 0;

    for (file_count = 0; (golden = golden_at(file_count)) != NULL; file_count++) {
        golden_bytes *file = &files[file_count];
        assert_true(file_count < FILES_MAX);
        file->name = golden->name;
        CHECK_OK(golden_build(golden, &file->bytes, &file->count, &error));
        file->field_count = files_fields(file->bytes, file->count, file->fields, FIELDS_MAX);
        largest = file->count > largest ? file->count : largest;
    }
    files_guard_create(&guard, 2 * largest + TAILS);
}

/* ---- Damage ------------------------------------------------------------------------------- */

/* One of 16 numbers at which a field of this width may break; never the one that it has. */
static uint64_t value_of(unsigned which, unsigned width, uint64_t old)
{
    uint64_t most = UINT64_MAX >> (64 - 8 * width);
    uint64_t values[VALUES] = {
        0,
        1,
        old - 1,
        old + 1,
        old * 2,
        old / 2,
        most,
        most - 1,
        most / 2,
        most / 2 + 1,
        0x80,
        0xff,
        width == 8 ? 0x7ff8000000000000 : 0x7f,         /* not a number */
        width == 8 ? bits_of(1.0) : 10,                 /* a line feed */
        width == 8 ? UINT64_C(1) << 32 : next_random(), /* what 32 bits do not hold */
        next_random(),
    };
    uint64_t value = values[which] & most;

    return value != old ? value : (old ^ (1 + next_random() % 255)) & most;
}

/* Full use takes a while: of payloads, most of whose bytes may be anything, only of some. */
static void try_forged(const uint8_t *bytes, size_t count, bool whole)
{
    if (whole)
        refused_or_used(bytes, count);
    else
        refused_or_read(bytes, count);
}

static void set_and_try(const golden_bytes *file, files_field field, unsigned which, bool whole)
{
    uint8_t *bytes = files_location(&guard, file->bytes, file->count);
    uint64_t value = value_of(which, field.width, files_get(bytes + field.at, field.width));

    files_set(bytes + field.at, field.width, value);
    files_repair(bytes, file->count);
    snprintf(tried, sizeof tried, "%s with 0x%" PRIx64 " in the %u bytes at %" PRIu64, file->name,
             value, field.width, field.at);
    try_forged(bytes, file->count, whole);
}

/* Number `index` of all that start at multiples of their width: 16 values for each byte, then for
 * each two, four and eight. */
static void set_number(const golden_bytes *file, uint64_t index, bool whole)
{
    uint64_t    locations = file->count / 8 * 8;
    files_field field = {.width = 1};

    while (index >= VALUES * (locations / field.width)) {
        index -= VALUES * (locations / field.width);
        field.width *= 2;
    }
    field.at = index / VALUES * field.width;
    set_and_try(file, field, (unsigned)(index % VALUES), whole);
}

static void flip(const golden_bytes *file, uint64_t bit, bool forged, bool whole)
{
    uint8_t *bytes = files_location(&guard, file->bytes, file->count);

    bytes[bit / 8] ^= (uint8_t)(1u << bit % 8);
    snprintf(tried, sizeof tried, "%s with bit %u of byte %" PRIu64 " flipped%s", file->name,
             (unsigned)(bit % 8), bit / 8, forged ? " and its checksums right" : "");
    if (!forged) {
        require_refused(bytes, file->count);
        return;
    }
    files_repair(bytes, file->count);
    try_forged(bytes, file->count, whole);
}

static void cut(const golden_bytes *file, size_t count, bool forged)
{
    uint8_t *bytes = files_location(&guard, file->bytes, count);

    snprintf(tried, sizeof tried, "%s cut to %zu bytes%s", file->name, count,
             forged ? " and its checksums right" : "");
    if (forged)
        files_repair(bytes, count);
    require_refused_every_way(bytes, count);
}

/* 1 to 64 bytes after the file: zeros, ones, its own first ones, and any. */
static void put_tail(const golden_bytes *file, uint64_t index)
{
    static uint8_t longer[1 << 20];
    size_t         more = 1 + (size_t)(index / 4);

    assert_true(file->count + more <= sizeof longer);
    memcpy(longer, file->bytes, file->count);
    for (size_t i = 0; i < more; i++)
        longer[file->count + i] = index % 4 == 0   ? 0
                                  : index % 4 == 1 ? 0xff
                                  : index % 4 == 2 ? file->bytes[i]
                                                   : (uint8_t)next_random();
    uint8_t *bytes = files_location(&guard, longer, file->count + more);
    snprintf(tried, sizeof tried, "%s with %zu bytes after it", file->name, more);
    require_refused_every_way(bytes, file->count + more);
    REQUIRE(strstr(error.message, "after the end") != NULL && error.at == file->count);
    files_repair(bytes, file->count + more);
    require_refused_every_way(bytes, file->count + more);
}

static void try_way(const golden_bytes *file, damage way, uint64_t index, bool whole)
{
    switch (way) {
    case FLIP:
    case FORGED_FLIP:
        flip(file, index, way == FORGED_FLIP, whole);
        break;
    case CUT:
    case FORGED_CUT:
        cut(file, (size_t)index, way == FORGED_CUT);
        break;
    case TAIL:
        put_tail(file, index);
        break;
    case FIELD:
        set_and_try(file, file->fields[index / VALUES], (unsigned)(index % VALUES), true);
        break;
    default:
        set_number(file, index, whole);
        break;
    }
}

static void try_case(uint64_t number)
{
    uint64_t index = number;
    clock_t  start = clock();

    random_state = seed + number * 0x9e3779b97f4a7c15u;
    for (size_t i = 0; i < file_count; i++)
        for (damage way = FLIP; way < WAYS; way++) {
            uint64_t cases = cases_of(&files[i], way);
            if (index < cases) {
                try_way(&files[i], way, index, number % 8 == 0);
                if ((double)(clock() - start) / CLOCKS_PER_SEC > 1)
                    fail_msg("%s: took more than a second", tried);
                return;
            }
            index -= cases;
        }
}

/* ---- Runs --------------------------------------------------------------------------------- */

/* What the child is at, which the parent sees when it has ended. */
static struct shared {
    volatile uint64_t number, done;
    char              reported[sizeof tried + 256];
} * shared;

/* A check that fails says so on standard error and aborts; what was tried stays here. */
static void on_death(int signal_number)
{
    memcpy(shared->reported, tried, sizeof tried);
    signal(signal_number, SIG_DFL);
    raise(signal_number);
}

static double now(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec / 1e9;
}

typedef struct run {
    uint64_t    first, all, step;
    double      seconds; /* 0: until all are done */
    const char *state;
    const char *program;
    unsigned    failures;
} run;

static void in_child(const run *r, double end)
{
    static const int deaths[] = {SIGABRT, SIGSEGV, SIGBUS, SIGFPE, SIGILL};

    for (size_t i = 0; i < sizeof deaths / sizeof deaths[0]; i++)
        signal(deaths[i], on_death);
    for (uint64_t i = shared->done; i < r->all; i += r->step) {
        shared->number = i;
        try_case(i);
        shared->done = i + r->step;
        if (r->seconds > 0 && i % 64 == 0 && now() > end)
            break;
    }
    exit(0);
}

static void write_state(const run *r)
{
    char path[4096];

    if (r->state == NULL)
        return;
    snprintf(path, sizeof path, "%s.new", r->state);
    FILE *to = fopen(path, "w");
    if (to == NULL)
        return;
    fprintf(to, "done %" PRIu64 "\nseed %" PRIu64 "\nof %" PRIu64 "\n", shared->done, seed, r->all);
    if (fclose(to) == 0)
        rename(path, r->state);
}

static uint64_t read_state(const run *r)
{
    uint64_t done = 0, of_seed = 0, of = 0;
    FILE    *from = r->state == NULL ? NULL : fopen(r->state, "r");

    if (from == NULL)
        return 0;
    int found = fscanf(from, "done %" SCNu64 " seed %" SCNu64 " of %" SCNu64, &done, &of_seed, &of);
    fclose(from);
    return found == 3 && of_seed == seed && of == r->all ? done : 0;
}

static void notify(const run *r)
{
    uint64_t done = shared->done < r->all ? shared->done : r->all;

    printf("torture: corrupt cases %" PRIu64 " of %" PRIu64 " faults %" PRIu64 " failures %u\n",
           done, r->all, done, r->failures);
    fflush(stdout);
}

/* Runs children until all is done; each that dies is a failure, after which the next one goes on.
 */
static void run_all(run *r, bool quiet)
{
    enum { FAILURES_MAX = 20 };
    double end = now() + r->seconds, reported = now();

    while (shared->done < r->all && r->failures < FAILURES_MAX &&
           (r->seconds == 0 || now() < end)) {
        int   status;
        pid_t child = fork(), ended;
        assert_true(child >= 0);
        if (child == 0)
            in_child(r, end);
        while ((ended = waitpid(child, &status, WNOHANG)) == 0) {
            usleep(20000);
            if (!quiet && now() - reported > 2) {
                reported = now();
                write_state(r);
                notify(r);
            }
        }
        if (status == 0)
            continue;
        r->failures++;
        printf("torture: corrupt FAILED case %" PRIu64 ": %s; again: %s --seed %" PRIu64
               " --only %" PRIu64 "\n",
               shared->number, shared->reported[0] != '\0' ? shared->reported : "the program ended",
               r->program, seed, shared->number);
        shared->done = shared->number + r->step;
        shared->reported[0] = '\0';
    }
}

/* A small share of the cases, as an ordinary test. */
static int check(run *r)
{
    r->step = 499;
    run_all(r, true);
    printf("%s 1 - every %" PRIu64 "th of %" PRIu64
           " damaged golden files is refused or harmless\n1..1\n",
           r->failures == 0 ? "ok" : "not ok", r->step, r->all);
    return r->failures != 0;
}

static uint64_t number_in(const char *text)
{
    return strtoull(text, NULL, 10);
}

int main(int argc, char **argv)
{
    run         r = {.program = argv[0], .step = 1};
    const char *only = NULL;
    bool        checking = false;

    setenv("CMOCKA_TEST_ABORT", "1", 1);
    for (int i = 1; i < argc; i++) {
        const char *value = i + 1 < argc ? argv[i + 1] : "";
        if (strcmp(argv[i], "--check") == 0) {
            checking = true;
            continue;
        }
        if (strcmp(argv[i], "--seconds") == 0)
            r.seconds = strtod(value, NULL);
        else if (strcmp(argv[i], "--seed") == 0)
            seed = number_in(value);
        else if (strcmp(argv[i], "--state") == 0)
            r.state = value;
        else if (strcmp(argv[i], "--from") == 0)
            r.first = number_in(value);
        else if (strcmp(argv[i], "--only") == 0)
            only = value;
        else {
            fprintf(stderr,
                    "corrupt: found \"%s\", expected --seconds, --seed, --state, --from, "
                    "--only or --check\n",
                    argv[i]);
            return 2;
        }
        i++;
    }
    make_files();
    r.all = all_cases();
    shared = mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    assert_true(shared != MAP_FAILED);
    if (only != NULL) {
        try_case(number_in(only));
        printf("case %s is fine: %s\n", only, tried);
        return 0;
    }
    if (checking)
        return check(&r);
    shared->done = r.first > 0 ? r.first : read_state(&r);
    run_all(&r, false);
    write_state(&r);
    notify(&r);
    return r.failures != 0;
}
