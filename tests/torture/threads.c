/* threads.c - the suite `threads`: whatever number of workers adds keys, none is lost and none
 * counted twice. Of every eight cases three add ten million keys with 2, 3 or 8 workers, to copies
 * that are merged or to ranges of one sketch: 10^9 for each number and way. Every key is asked for
 * afterwards, counts are exact, and the bytes are those of one thread. The other five, 1,000 in
 * all, choose kinds, threads, chunks, memory and the form of the input by chance, and compare with
 * sketches that were filled one key at a time. */
#define _GNU_SOURCE 1
#include "support/torture.h"

#include "base/status.h"
#include "base/system.h"
#include "base/tuning.h"
#include "inkling_job.h"
#include "support/arrow.h"
#include "support/records.h"
#include "support/sanitizer.h"

#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

enum { INSERTS = 10 * 1000 * 1000 }; /* of a case that counts them */
enum { WAYS = 2, WORKERS = 3, COUNTED = 100 * WAYS * WORKERS, CHOICES = 1000 };
/* How they alternate, so that a run that is cut short has some of each. */
enum { ROUND = 8, COUNTED_IN_ROUND = 3 };

static const unsigned workers_of[WORKERS] = {2, 3, 8};

/* ---- Threads that were started ------------------------------------------------------------ */

/* A job that quietly does without threads would prove nothing here: all are counted. */
static atomic_uint started;

#if !THREAD_SANITIZER
int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*work)(void *),
                   void *argument)
{
    int (*create)(pthread_t *, const pthread_attr_t *, void *(*)(void *), void *);
    void *found = dlsym(RTLD_NEXT, "pthread_create");

    memcpy(&create, &found, sizeof create);
    atomic_fetch_add(&started, 1);
    return create(thread, attributes, work, argument);
}
#endif

/* ---- Many keys for one sketch ------------------------------------------------------------- */

/* Adds a batch to a sketch with `workers` workers: ink_job_add_batch, or one that is known to be
 * wrong.
 */
typedef ink_status inserter(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                            ink_error *error);

static ink_status insert_by_job(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                                ink_error *error)
{
    ink_job job = {.threads = workers};

    INK__TRY(ink_job_add_batch(sketch, batch, &job, error));
    if (job.records != batch->count)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0, "the job reports %llu records",
                         (unsigned long long)job.records);
    return INK_OK;
}

/* A sketch, the number of keys, and how often each comes. */
typedef struct load {
    ink_params params;
    size_t     keys;
    unsigned   times;
} load;

/* What is filled in copies: 10 bits for a key, or enough that eight copies are worth their memory,
 * of which a missing key still leaves some unset three times out of four. */
static load load_of_copies(uint64_t commit, unsigned workers)
{
    static const load loads[] = {
        {{.kind = "bloom"}, 1000000, 1},
        {{.kind = "count-min", .width = 100003, .depth = 4}, 1000000, 10},
        {{.kind = "classic", .hashes = 4}, 1000000, 1},
        {{.kind = "counting"}, 1000000, 4},
        {{.kind = "hll", .precision = 18}, 1000000, 2},
        {{.kind = "fm", .width = 64, .depth = 3}, 1000000, 1},
    };
    load     of = loads[commit % (sizeof loads / sizeof loads[0])];
    uint64_t most = ink__tuning_now().private_to_bytes, room = of.keys * 4 / (workers - 1) - 1024;
    bool     counting = strcmp(of.params.kind, "counting") == 0;

    room = room < most ? room : most;
    if (of.params.depth == 4 && of.params.width > room / 16)
        of.params.width = room / 16;
    if (of.params.width == 0 && of.params.precision == 0) {
        uint64_t wanted = of.keys * 10; /* of counting, four counters of 4 bits in place of them */
        of.params.bits = (wanted < room * 8 ? wanted : room * 8) / 1024 * 1024;
        of.params.bits = counting && wanted > room * 4 ? room * 4 / 1024 * 1024 : of.params.bits;
    }
    return of;
}

/* What is filled in ranges is larger than that. */
static load load_of_ranges(uint64_t commit, size_t keys)
{
    bool     counts = commit % 2 == 1;
    load     of = {.keys = keys, .times = counts ? 5 : 1};
    uint64_t large = ink__tuning_now().private_to_bytes * 8 / 1024 * 1024 + 64 * 1024;
    uint64_t wanted = keys / of.times * (counts ? 40 : 10) / 1024 * 1024;

    of.params = (ink_params){.kind = counts ? "counting" : "bloom",
                             .bits = wanted > large ? wanted : large};
    return of;
}

/* Key number i: one of keys / times different ones, in an order that knows no blocks. */
static int64_t key_at(uint64_t first, const load *of, size_t i)
{
    uint64_t x = first + i % (of->keys / of->times);

    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    x = (x ^ (x >> 32)) * UINT64_C(0xd6e8feb86659fd93);
    return (int64_t)(x ^ (x >> 32));
}

typedef struct trial {
    torture_case *of;
    load          load;
    unsigned      workers;
    bool          ranges;
    inserter     *insert;
    int64_t      *keys;
    uint8_t      *found;
    ink_answer   *counts;
} trial;

#define TRIED "%s of %zu keys by %u workers in %s"
#define TRIED_OF(t)                                                                                \
    (t)->load.params.kind, (t)->load.keys, (t)->workers, (t)->ranges ? "ranges" : "copies"

/* Whether ink_job_add_batch goes the way that the trial is about. */
static bool goes_its_way(const trial *of, const ink_sketch *sketch)
{
    ink_description is;
    ink_kind_info   kind;

    ink_sketch_describe(sketch, &is);
    bool large = ink_kind_describe(is.kind, &kind, NULL) == INK_OK && kind.local &&
                 is.bytes > ink__tuning_now().private_to_bytes;
    return large == of->ranges;
}

/* Every key is in, with the count that it has at least. */
static void check_all_in(const trial *of, const ink_sketch *sketch)
{
    const ink_batch batch = {.count = of->load.keys, .ints = of->keys};
    size_t          missing = 0;
    ink_kind_info   kind;
    ink_error       error;

    ink_status status = ink_kind_describe(of->load.params.kind, &kind, &error);
    if (status == INK_OK && kind.contains) {
        status = ink_sketch_contains_batch(sketch, &batch, of->found, &error);
        for (size_t i = 0; i < batch.count && status == INK_OK; i++)
            missing += !of->found[i];
    } else if (status == INK_OK && kind.counts) {
        status = ink_sketch_count_batch(sketch, &batch, of->counts, &error);
        for (size_t i = 0; i < batch.count && status == INK_OK; i++)
            missing += of->counts[i].high < of->load.times;
    }
    if (status != INK_OK)
        torture_fail(of->of, TRIED ": %s", TRIED_OF(of), error.message);
    if (missing > 0)
        torture_fail(of->of, TRIED ": %zu keys are missing", TRIED_OF(of), missing);
}

/* Both are the same, and have counted every key once. */
static void check_alike(const trial *of, const ink_sketch *many, const ink_sketch *one)
{
    ink_description is, expected;
    uint8_t         digests[2][INK_DIGEST_BYTES];
    ink_error       error;

    ink_sketch_describe(many, &is);
    ink_sketch_describe(one, &expected);
    if (is.records != of->load.keys || is.total != expected.total)
        torture_fail(of->of, TRIED ": %llu records of total %llu, expected %zu of %llu",
                     TRIED_OF(of), (unsigned long long)is.records, (unsigned long long)is.total,
                     of->load.keys, (unsigned long long)expected.total);
    if (ink_sketch_digest(many, digests[0], &error) != INK_OK ||
        ink_sketch_digest(one, digests[1], &error) != INK_OK)
        torture_fail(of->of, TRIED ": %s", TRIED_OF(of), error.message);
    else if (memcmp(digests[0], digests[1], INK_DIGEST_BYTES) != 0)
        torture_fail(of->of, TRIED ": other bytes than those of one thread", TRIED_OF(of));
}

/* The keys of the trial, from number `first` on, by its workers and by one thread. */
static void try_keys(const trial *of, uint64_t first)
{
    const ink_batch batch = {.count = of->load.keys, .ints = of->keys};
    ink_params      params = of->load.params;
    ink_sketch     *many = NULL, *one = NULL;
    ink_error       error;
    unsigned        before = atomic_load(&started);

    params.key_type = INK_KEY_INT;
    for (size_t i = 0; i < batch.count; i++)
        of->keys[i] = key_at(first, &of->load, i);
    if (ink_sketch_create(&many, &params, NULL, &error) != INK_OK ||
        ink_sketch_create(&one, &params, NULL, &error) != INK_OK ||
        of->insert(many, &batch, of->workers, &error) != INK_OK ||
        ink_sketch_add_batch(one, &batch, &error) != INK_OK)
        torture_fail(of->of, TRIED ": %s", TRIED_OF(of), error.message);
    else {
        if (!goes_its_way(of, many))
            torture_fail(of->of, TRIED ": goes another way", TRIED_OF(of));
        if (!THREAD_SANITIZER && of->insert == insert_by_job &&
            atomic_load(&started) - before < of->workers / 2) /* fewer, if keys are worth no more */
            torture_fail(of->of, TRIED ": %u threads were started", TRIED_OF(of),
                         atomic_load(&started) - before);
        check_all_in(of, many);
        check_alike(of, many, one);
    }
    ink_sketch_free(many);
    ink_sketch_free(one);
}

/* The number of inserts in all. */
static void try_load(torture_case *of, load wanted, unsigned workers, bool ranges, inserter *insert,
                     size_t inserts)
{
    bool  counts = wanted.params.width != 0;
    trial now = {of, wanted, workers, ranges, insert, NULL, NULL, NULL};

    now.keys = malloc(wanted.keys * sizeof *now.keys);
    now.found = malloc(wanted.keys * sizeof *now.found);
    now.counts = malloc((counts ? wanted.keys : 1) * sizeof *now.counts);
    if (now.keys == NULL || now.found == NULL || now.counts == NULL)
        torture_fail(of, "no memory for %zu keys", wanted.keys);
    for (size_t done = 0; done < inserts && of->why[0] == '\0'; done += wanted.keys)
        try_keys(&now, torture_chance(of) + done);
    free(now.keys);
    free(now.found);
    free(now.counts);
}

static void run_counted(torture_case *of, uint64_t number)
{
    unsigned workers = workers_of[number % WORKERS];
    uint64_t commit = number / (WORKERS * WAYS);
    bool     ranges = number / WORKERS % WAYS == 1;

    try_load(of, ranges ? load_of_ranges(commit, INSERTS) : load_of_copies(commit, workers),
             workers, ranges, insert_by_job, INSERTS);
}

/* ---- Kinds, threads, chunks and forms by chance -------------------------------------------- */

typedef enum form { LINES, GROUPS, NUMBERS, ARROW_NUMBERS, ARROW_TEXTS, BATCH, FORMS } form;

static const char *const form_names[FORMS] = {
    "lines",          "columns with groups", "integers of 64 bits",
    "Arrow integers", "Arrow texts",         "a batch",
};

#define SMALL_COUNT_MIN .kind = "count-min", .width = 300, .depth = 3

/* Some are sized by their keys. */
static const ink_params kinds[] = {
    {.kind = "bloom"},
    {.kind = "bloom", .expected_keys = 20000},
    {.kind = "bloom", .bits = (uint64_t)256 * 150001},
    {.kind = "classic"},
    {.kind = "classic", .expected_keys = 9000},
    {.kind = "counting"},
    {.kind = "counting", .expected_keys = 2000},
    {.kind = "counting", .bits = (uint64_t)1024 * 37001},
    {.kind = "scalable", .expected_keys = 500},
    {SMALL_COUNT_MIN},
    {SMALL_COUNT_MIN, .counter_bits = 64},
    {SMALL_COUNT_MIN, .conservative = true},
    {.kind = "top", .phi = 0.01},
    {.kind = "fm", .width = 4, .depth = 3},
    {.kind = "hll", .precision = 10},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* One choice, and the rows that it is about. */
typedef struct choice {
    torture_case *of;
    uint64_t      chance;
    form          form;
    ink_params    params;
    size_t        rows;
    ink_job       job;
    int64_t      *numbers;
    records_rows  known;
    records_bytes text;
} choice;

#define CHOSEN "%s from %zu rows as %s by %u threads, chunks of %llu, memory %llu"
#define CHOSEN_OF(c)                                                                               \
    (c)->params.kind, (c)->rows, form_names[(c)->form], (c)->job.threads,                          \
        (unsigned long long)(c)->job.chunk_bytes, (unsigned long long)(c)->job.memory_bytes

/* Small numbers as often as large ones, from 1 to 2^bits. */
static uint64_t some_size(uint64_t *chance, unsigned bits)
{
    uint64_t most = UINT64_C(1) << (1 + records_below(chance, bits));

    return 1 + records_below(chance, most);
}

static choice choose(torture_case *of)
{
    choice this = {.of = of, .chance = torture_chance(of) | 1};

    this.form = (form)records_below(&this.chance, FORMS);
    this.params = kinds[records_below(&this.chance, KINDS)];
    this.job.threads = (unsigned)some_size(&this.chance, 4);
    this.job.chunk_bytes = some_size(&this.chance, 17);
    if (this.form != GROUPS && records_below(&this.chance, 3) == 0)
        this.job.memory_bytes = some_size(&this.chance, 20);
    this.rows = some_size(&this.chance, this.form == BATCH ? 18 : 15);
    if (this.form == BATCH && this.params.expected_keys == 0 && this.params.bits == 0 &&
        this.params.width == 0 && this.params.precision == 0 && this.params.phi == 0)
        this.params.expected_keys = 30000; /* a batch sizes nothing */
    return this;
}

static bool of_texts(const choice *this)
{
    return this->form == LINES || this->form == GROUPS || this->form == ARROW_TEXTS;
}

/* Rows as the test knows them, and as bytes where the form has any. */
static void make_rows(choice *this)
{
    uint64_t different = some_size(&this->chance, 17);
    char     key[32], group[8];

    this->known = (records_rows){.ints = !of_texts(this), .grouped = this->form == GROUPS};
    this->numbers = malloc(this->rows * sizeof *this->numbers);
    if (this->numbers == NULL) {
        torture_fail(this->of, "no memory for %zu rows", this->rows);
        this->rows = 0;
    }
    for (size_t i = 0; i < this->rows; i++) {
        int64_t number = (int64_t)(records_below(&this->chance, different) * 7919);
        int     bytes = snprintf(key, sizeof key, "key %lld", (long long)number);
        this->numbers[i] = number;
        snprintf(group, sizeof group, "%d", (int)records_below(&this->chance, 5));
        if (of_texts(this))
            records_add_text(&this->known, key, group, 1);
        else
            records_add_int(&this->known, number, group, 1);
        if (this->form == LINES)
            records_say(&this->text, "%s\n", key);
        else if (this->form == GROUPS)
            records_say(&this->text, "%.*s\t%s\n", bytes, key, group);
        for (unsigned byte = 0; byte < 8 && this->form == NUMBERS; byte++)
            records_put(&this->text, &(uint8_t){(uint8_t)((uint64_t)number >> 8 * byte)}, 1);
    }
}

static ink_reading reading_of(const choice *this)
{
    static const char *const first[] = {"1"}, *const named[] = {"key"};

    switch (this->form) {
    case NUMBERS:
        return (ink_reading){.form = INK_FORM_U64, .keys = INK_KEYS_INT};
    case GROUPS:
        return (ink_reading){.form = INK_FORM_TSV, .key = first, .key_count = 1, .by = "2"};
    case ARROW_NUMBERS:
    case ARROW_TEXTS:
        return (ink_reading){.key = named, .key_count = 1};
    default:
        return (ink_reading){.form = INK_FORM_LINES};
    }
}

/* Rows `first` to `end` as a table of one column. */
static arrow_data array_of(choice *this, size_t first, size_t end)
{
    size_t       count = end - first;
    const char **texts = malloc((count + 1) * sizeof *texts);
    char(*keys)[32] = malloc((count + 1) * sizeof *keys);
    arrow_data column;

    for (size_t i = 0; i < count && texts != NULL && keys != NULL; i++) {
        snprintf(keys[i], sizeof keys[i], "key %lld", (long long)this->numbers[first + i]);
        texts[i] = keys[i];
    }
    if (this->form == ARROW_TEXTS)
        column = arrow_texts("key", "u", texts, count, first % 3);
    else
        column = arrow_ints("key", "l", this->numbers + first, NULL, count, first % 5);
    free(texts);
    free(keys);
    return arrow_struct(&column, 1, NULL, count, 0);
}

enum { ARRAYS_MAX = 16 };

static struct ArrowArrayStream arrow_of(choice *this)
{
    arrow_data arrays[ARRAYS_MAX];
    size_t     count = (size_t)some_size(&this->chance, 4), first = 0;

    for (size_t i = 0; i < count; i++) {
        size_t end = i + 1 == count
                         ? this->rows
                         : first + (size_t)records_below(&this->chance, this->rows - first + 1);
        arrays[i] = array_of(this, first, end);
        first = end;
    }
    return arrow_stream(arrays, count, SIZE_MAX);
}

/* What a build with these threads and chunks makes, and what one key at a time does. */
static void try_build(choice *this)
{
    const bool              arrow = this->form == ARROW_NUMBERS || this->form == ARROW_TEXTS;
    const ink_build_options options = {.kinds = &this->params, .kind_count = 1};
    const ink_reading       reading = reading_of(this);
    struct ArrowArrayStream stream;
    ink_input               input = {.memory = this->text.bytes, .memory_bytes = this->text.count};
    ink_set                *set;
    ink_error               error;

    if (arrow) {
        stream = arrow_of(this);
        input = (ink_input){.path = "a table", .arrow = &stream};
    }
    if (ink_build(&set, &input, 1, &reading, &options, &this->job, &error) != INK_OK)
        torture_fail(this->of, CHOSEN ": %s", CHOSEN_OF(this), error.message);
    else {
        records_file got = records_encode(set), expected = records_by_hand(&this->known, &options);
        records_digest of_got = records_digest_of(got.file);
        records_digest of_expected = records_digest_of(expected.file);
        if (this->job.records != this->rows)
            torture_fail(this->of, CHOSEN ": %llu records", CHOSEN_OF(this),
                         (unsigned long long)this->job.records);
        if (!records_same(&of_got, &of_expected))
            torture_fail(this->of, CHOSEN ": other bytes than one key at a time", CHOSEN_OF(this));
        records_file_close(&got);
        records_file_close(&expected);
        ink_set_free(set);
    }
    if (arrow)
        stream.release(&stream);
}

static void try_batch(choice *this)
{
    const ink_batch batch = {.count = this->rows, .ints = this->numbers};
    ink_sketch     *many = NULL, *one = NULL;
    uint8_t         digests[2][INK_DIGEST_BYTES];
    ink_error       error;
    ink_status      status;

    this->params.key_type = INK_KEY_INT;
    status = ink_sketch_create(&many, &this->params, NULL, &error);
    if (status == INK_OK)
        status = ink_sketch_create(&one, &this->params, NULL, &error);
    if (status == INK_OK)
        status = ink_job_add_batch(many, &batch, &this->job, &error);
    for (size_t i = 0; i < this->rows && status == INK_OK; i++)
        records_add_row(one, &this->known, &this->known.rows[i]);
    if (status == INK_OK)
        status = ink_sketch_digest(many, digests[0], &error);
    if (status == INK_OK)
        status = ink_sketch_digest(one, digests[1], &error);
    if (status != INK_OK)
        torture_fail(this->of, CHOSEN ": %s", CHOSEN_OF(this), error.message);
    else if (memcmp(digests[0], digests[1], INK_DIGEST_BYTES) != 0)
        torture_fail(this->of, CHOSEN ": other bytes than one key at a time", CHOSEN_OF(this));
    ink_sketch_free(many);
    ink_sketch_free(one);
}

static void run_choice(torture_case *of)
{
    choice this = choose(of);

    make_rows(&this);
    if (this.rows == 0)
        return;
    if (this.form == BATCH)
        try_batch(&this);
    else
        try_build(&this);
    free(this.numbers);
    records_bytes_free(&this.text);
    records_rows_free(&this.known);
}

static void run(torture_case *of)
{
    uint64_t round = of->number / ROUND, location = of->number % ROUND;

    if (!THREAD_SANITIZER && location < COUNTED_IN_ROUND)
        run_counted(of, round * COUNTED_IN_ROUND + location);
    else
        run_choice(of);
}

/* ---- Checks of make check ----------------------------------------------------------------- */

static void few_keys_in_copies(torture_case *of)
{
    for (unsigned i = 0; i < WORKERS; i++)
        for (uint64_t commit = 0; commit < (THREAD_SANITIZER ? 2 : 6); commit++)
            try_load(of, load_of_copies(commit + (THREAD_SANITIZER ? 2 * i : 0), workers_of[i]),
                     workers_of[i], false, insert_by_job, 1);
}

static void few_keys_in_ranges(torture_case *of)
{
    for (unsigned i = 0; i < WORKERS; i++)
        try_load(of, load_of_ranges(i, 1000000), workers_of[i], true, insert_by_job, 1);
}

static void some_choices(torture_case *of)
{
    for (of->number = 0; of->number < 20 * ROUND; of->number++)
        if (of->number % ROUND >= COUNTED_IN_ROUND)
            run_choice(of);
}

/* ---- Inserters that are wrong -------------------------------------------------------------- */

/* Two workers, of which the second one begins `after` keys after the middle; those that are taken
 * twice or never count once nevertheless. */
static ink_status insert_halves(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                                int after, ink_error *error)
{
    ink_batch some = *batch;

    some.count = batch->count / 2;
    INK__TRY(insert_by_job(sketch, &some, workers, error));
    some.ints += (ptrdiff_t)some.count + after;
    some.records = batch->count - some.count;
    some.count = (size_t)((ptrdiff_t)some.records - after);
    return insert_by_job(sketch, &some, workers, error);
}

static ink_status insert_but_one(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                                 ink_error *error)
{
    return insert_halves(sketch, batch, workers, 1, error);
}

static ink_status insert_one_twice(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                                   ink_error *error)
{
    return insert_halves(sketch, batch, workers, -1, error);
}

/* Two threads that add to one sketch as if each were alone. */
typedef struct racer {
    pthread_t          thread;
    ink_sketch        *sketch;
    ink_batch          batch;
    pthread_barrier_t *start;
} racer;

static void *race(void *argument)
{
    const racer *now = argument;

    pthread_barrier_wait(now->start);
    for (size_t i = 0; i < now->batch.count; i++)
        (void)ink_sketch_add_int(now->sketch, now->batch.ints[i], NULL);
    return NULL;
}

static ink_status insert_in_a_race(ink_sketch *sketch, const ink_batch *batch, unsigned workers,
                                   ink_error *error)
{
    racer             racers[2];
    pthread_barrier_t start;

    (void)workers;
    (void)error;
    pthread_barrier_init(&start, NULL, 2);
    for (size_t i = 0; i < 2; i++) {
        racers[i] = (racer){.sketch = sketch, .batch = *batch, .start = &start};
        racers[i].batch.count = batch->count / 2;
        racers[i].batch.ints += i * (batch->count / 2);
        if (pthread_create(&racers[i].thread, NULL, race, &racers[i]) != 0)
            abort();
    }
    for (size_t i = 0; i < 2; i++)
        pthread_join(racers[i].thread, NULL);
    pthread_barrier_destroy(&start);
    return INK_OK;
}

/* The message that a trial must end with, in at most this number of turns. */
static void expect_caught(torture_case *of, load wanted, unsigned workers, bool ranges,
                          inserter *insert, unsigned turns)
{
    torture_case caught = {.seed = of->seed};

    for (unsigned commit = 0; commit < turns && caught.why[0] == '\0'; commit++) {
        caught.number = commit;
        try_load(&caught, wanted, workers, ranges, insert, 1);
    }
    if (caught.why[0] == '\0')
        torture_fail(of, TRIED ": nothing was found wrong", wanted.params.kind, wanted.keys,
                     workers, ranges ? "ranges" : "copies");
    else if (strstr(caught.why, "missing") == NULL && strstr(caught.why, "other bytes") == NULL &&
             strstr(caught.why, "records of total") == NULL)
        torture_fail(of, "found wrong for another reason: %.300s", caught.why);
}

static void lost_key(torture_case *of)
{
    expect_caught(of, load_of_copies(0, 3), 3, false, insert_but_one, 1);
    expect_caught(of, load_of_copies(1, 3), 3, false, insert_but_one, 1);
    expect_caught(of, load_of_ranges(0, 1000000), 2, true, insert_but_one, 1);
}

static void doubled_key(torture_case *of)
{
    expect_caught(of, load_of_copies(1, 3), 3, false, insert_one_twice, 1);
    expect_caught(of, load_of_ranges(1, 1000000), 2, true, insert_one_twice, 1);
}

#if THREAD_SANITIZER
/* The sanitizer reports it, in a process that ends so. */
enum { SANITIZER_EXIT = 66 };

static void race_of_two(torture_case *of)
{
    char    program[4096] = "", command[4200];
    ssize_t length = readlink("/proc/self/exe", program, sizeof program - 1);

    snprintf(command, sizeof command, "TSAN_OPTIONS=halt_on_error=1 '%.*s' --race 2>/dev/null",
             (int)length, program);
    int status = system(command);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != SANITIZER_EXIT)
        torture_fail(of, "the sanitizer has nothing to report: status %d", status);
}
#else
/* Whether two threads meet is chance, so there are many turns; one core has no race to show. */
static void race_of_two(torture_case *of)
{
    if (ink__system_now()->cores() < 2)
        return;
    expect_caught(of, load_of_copies(0, 2), 2, false, insert_in_a_race, 100);
    expect_caught(of, load_of_copies(1, 2), 2, false, insert_in_a_race, 100);
}
#endif

static const torture_check checks[] = {
    {"two, three and eight workers lose no key in copies", few_keys_in_copies},
    {"two, three and eight workers lose no key in ranges", few_keys_in_ranges},
    {"a hundred choices of kind, form, threads and chunks give the bytes of one key at a time",
     some_choices},
    {"a worker that loses one key is found out", lost_key},
    {"a key that two workers count is found out", doubled_key},
    {"two threads that add to one sketch without a lock are found out", race_of_two},
};

/* With --race the one thing that must not be done, for the sanitizer to see. */
static int make_a_race(void)
{
    torture_case ignored = {0};

    try_load(&ignored, load_of_copies(1, 2), 2, false, insert_in_a_race, 1);
    return 0;
}

int main(int argc, char **argv)
{
    const torture_suite suite = {
        .name = THREAD_SANITIZER ? "races" : "threads",
        .cases = THREAD_SANITIZER ? CHOICES : COUNTED + CHOICES,
        .run = run,
        .checks = checks,
        .check_count = sizeof checks / sizeof checks[0],
    };

    if (argc == 2 && strcmp(argv[1], "--race") == 0)
        return make_a_race();
    return torture_main(argc, argv, &suite);
}
