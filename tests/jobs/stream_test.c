/* stream_test.c - whole streams over files and pipes: their state has the bytes of a build of the
 * same records, for any batches; every record is counted once, whenever a stream was stopped
 * or failed; and a disk that is full, a clock that jumps and a record that is bad do no harm. */
#define _GNU_SOURCE 1
#include "inkling_job.h"
#include "inkling_stream.h"

#include "base/system.h"
#include "support/check.h"
#include "support/records.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;

#define STATE "state/state.ink"

/* ---- The system --------------------------------------------------------------------------- */

/* One that does not wait for the disk, whose clocks a test sets, and which fails on demand, in
 * whichever thread. */
static atomic_int_fast64_t  wall_ahead; /* microseconds that the time of day is set ahead */
static atomic_uint_fast64_t passed;     /* nanoseconds that have passed in no time ... */
static atomic_uint_fast64_t passing;    /* ... and pass whenever somebody looks */
static atomic_uint          looks;      /* at this clock */
static atomic_bool          disk_full;  /* nothing can be written */
static atomic_uint          calls;      /* that can fail, so far */
static atomic_uint          failing;    /* the number of the call that fails; 0: none */
static atomic_bool          closed;     /* the folder above that of the state cannot be opened */

static bool strikes(void)
{
    return atomic_fetch_add(&calls, 1) + 1 == atomic_load(&failing);
}

static int64_t jumping_wall(void)
{
    return ink__posix.wall() + atomic_load(&wall_ahead);
}

static uint64_t passing_nanoseconds(void)
{
    atomic_fetch_add(&looks, 1);
    atomic_fetch_add(&passed, atomic_load(&passing));
    return ink__posix.nanoseconds() + atomic_load(&passed);
}

static long long full_write(int file, const void *from, size_t bytes)
{
    if (atomic_load(&disk_full))
        return -ENOSPC;
    return strikes() ? -EIO : ink__posix.write(file, from, bytes);
}

static int no_sync(int file)
{
    (void)file;
    return strikes() ? -EIO : 0;
}

static int failing_open(const char *path, ink__open_how how, unsigned mode)
{
    if (atomic_load(&closed) && how == INK__OPEN_FOLDER && strcmp(path, ".") == 0)
        return -EACCES;
    return strikes() ? -EIO : ink__posix.open(path, how, mode);
}

#define FAILING(type, name, parameters, ...)                                                       \
    static type failing_##name parameters                                                          \
    {                                                                                              \
        return strikes() ? -EIO : ink__posix.name(__VA_ARGS__);                                    \
    }

FAILING(int, stat_file, (int file, ink__stat *stat), file, stat)
FAILING(int, stat_path, (const char *path, ink__stat *stat), path, stat)
FAILING(long long, read, (int file, void *to, size_t bytes), file, to, bytes)
FAILING(long long, read_at, (int file, void *to, size_t bytes, uint64_t at), file, to, bytes, at)
FAILING(int, rename, (const char *from, const char *to), from, to)

static int replace_system(void **state)
{
    static ink__system system;

    (void)state;
    system = ink__posix;
    system.wall = jumping_wall;
    system.nanoseconds = passing_nanoseconds;
    system.write = full_write;
    system.sync = no_sync;
    system.open = failing_open;
    system.stat_file = failing_stat_file;
    system.stat_path = failing_stat_path;
    system.read = failing_read;
    system.read_at = failing_read_at;
    system.rename = failing_rename;
    ink__system_replace(&system);
    return 0;
}

static int restore_system(void **state)
{
    (void)state;
    ink__system_replace(NULL);
    return 0;
}

/* ---- Memory ------------------------------------------------------------------------------- */

/* An allocator for several threads that refuses once, and knows what was not given back. */
typedef struct scarce {
    atomic_uint  asked;
    unsigned     refuse_at; /* 0: never */
    atomic_bool  refused;
    atomic_llong live;
} scarce;

static void *scarce_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    scarce *memory = host;

    if (new_bytes != 0 && atomic_fetch_add(&memory->asked, 1) + 1 == memory->refuse_at) {
        atomic_store(&memory->refused, true);
        return NULL;
    }
    atomic_fetch_add(&memory->live, (long long)new_bytes - (long long)old_bytes);
    if (new_bytes != 0)
        return realloc(block, new_bytes);
    free(block);
    return NULL;
}

/* ---- A run -------------------------------------------------------------------------------- */

enum { EVENTS = INK_STREAM_RESUMED + 1 };

typedef struct run {
    ink_reading        reading;
    ink_stream_options options;
    ink_job            job;
    ink_stream        *stream;
    unsigned           stop_after; /* this many batches; 0: never */
    unsigned           events[EVENTS];
    ink_stream_report  last;
    char               text[EVENTS][512];                  /* the last one of each event */
    void (*then)(struct run *run, ink_stream_event event); /* what else a test does meanwhile */
    bool               uncounted; /* records in the state are not to be compared, as of windows */
    const char *const *made;      /* the data */
    size_t             made_count;
} run;

/* How many records the sketches of the state hold. */
static uint64_t records_in_state(void)
{
    ink_error      why;
    ink_file      *file;
    ink_entry_info info;

    if (ink_file_open(&file, STATE, INK_OPEN_CHECKED, NULL, &why) != INK_OK ||
        ink_file_entry(file, 0, &info, &why) != INK_OK)
        fail_msg("%s: %s", STATE, why.message);
    ink_file_close(file);
    return info.records;
}

static void reported(void *host, ink_stream_event event, const ink_stream_report *report,
                     const char *text)
{
    run *all = host;

    all->events[event]++;
    all->last = *report;
    snprintf(all->text[event], sizeof all->text[event], "%s", text == NULL ? "" : text);
    CHECK(report->saved_records <= report->records && report->saved_batches <= report->batches);
    if (event == INK_STREAM_SAVED && !all->uncounted) /* sketches and position belong together */
        assert_int_equal(records_in_state(), report->saved_records);
    if (event == INK_STREAM_BATCH && all->stop_after != 0 &&
        all->events[INK_STREAM_BATCH] == all->stop_after)
        ink_stream_stop(all->stream);
    if (all->then != NULL)
        all->then(all, event);
}

static run run_of(const char *const *paths, size_t count, const ink_params *kinds,
                  size_t kind_count)
{
    return (run){
        .options = {.train = paths,
                    .train_count = count,
                    .folder = "state",
                    .kinds = kinds,
                    .kind_count = kind_count,
                    .every_records = 100},
        .job = {.chunk_bytes = 512}, /* so that there are many, and a stop comes soon */
        .made = paths,
        .made_count = count,
    };
}

static ink_status open_run(run *all)
{
    all->options.notify = reported;
    all->options.host = all;
    memset(all->events, 0, sizeof all->events);
    memset(&all->last, 0, sizeof all->last);
    return ink_stream_open(&all->stream, &all->reading, &all->options, &all->job, &error);
}

static ink_status finish_run(run *all)
{
    ink_status status = ink_stream_run(all->stream, &error);

    ink_stream_now(all->stream, &all->last);
    ink_stream_close(all->stream);
    all->stream = NULL;
    return status;
}

static ink_status go(run *all)
{
    ink_status status = open_run(all);

    return status == INK_OK ? finish_run(all) : status;
}

static void remove_state(void)
{
    UNLINK(STATE, "state/lock");
    assert_int_equal(rmdir("state"), 0); /* nothing else is there */
}

/* At the end of a block: no state, no data, and the time of day as it was. */
#define RUN OWNED(end_run) run

static void end_run(const run *all)
{
    UNLINK(STATE, "state/lock", "keys.txt", "questions", "other.ink");
    assert_true(rmdir("state") == 0 || errno == ENOENT);
    for (size_t i = 0; i < all->made_count; i++)
        unlink(all->made[i]);
    atomic_store(&wall_ahead, 0);
}

static records_digest state_digest(void)
{
    ink_file *file;

    CHECK_OK(ink_file_open(&file, STATE, INK_OPEN_CHECKED, NULL, &error));
    records_digest digest = records_digest_of(file);
    ink_file_close(file);
    return digest;
}

static bool state_is(const records_digest *expected)
{
    records_digest now = state_digest();

    return records_same(&now, expected);
}

/* The digest of a run to the end, whose state is removed. */
static records_digest undisturbed(run *all)
{
    CHECK_OK(go(all));
    records_digest digest = state_digest();
    remove_state();
    return digest;
}

/* The digest of a build of the same files. */
static records_digest built(const run *as)
{
    ink_input         inputs[4] = {{.path = NULL}};
    ink_build_options options = {.kinds = as->options.kinds, .kind_count = as->options.kind_count};
    ink_job           job = {.threads = 1};
    ink_set          *set;

    for (size_t i = 0; i < as->options.train_count; i++)
        inputs[i].path = as->options.train[i];
    CHECK_OK(
        ink_build(&set, inputs, as->options.train_count, &as->reading, &options, &job, &error));
    records_file   file = records_encode(set);
    records_digest digest = records_digest_of(file.file);
    records_file_close(&file);
    ink_set_free(set);
    return digest;
}

/* ---- Data --------------------------------------------------------------------------------- */

enum { RECORDS = 2500 };

/* Records `first` to `first + count` in a form; times, where they have any, mostly rise. */
static records_bytes make_records(ink_form form, bool header, unsigned first, unsigned count)
{
    records_bytes bytes = {0};

    if (header)
        records_say(&bytes, form == INK_FORM_CSV ? "\"weight\",key,when\n" : "weight\tkey\twhen\n");
    for (unsigned i = first; i < first + count; i++) {
        unsigned key = i * 7919u % 1499u, weight = i % 5;
        unsigned when = 1600000000u + i - (i % 13 == 0 ? i % 300 : 0);
        uint64_t number = key * (uint64_t)0x123456789abcdef;
        if (form == INK_FORM_CSV)
            records_say(&bytes, "%u,\"key \"\"%u\"\"\",%u\r\n", weight, key, when);
        else if (form == INK_FORM_TSV)
            records_say(&bytes, "%u\tkey %u\t%u\n", weight, key, when);
        else if (form == INK_FORM_JSONL)
            records_say(&bytes, "{\"key\":\"k\\u0065y %u\",\"weight\":%u,\"when\":%u}\n", key,
                        weight, when);
        else if (form == INK_FORM_U64)
            records_put(&bytes, &number, 8);
        else if (form == INK_FORM_NUL)
            records_say(&bytes, "key\n%u%c", key, 0);
        else
            records_say(&bytes, "key %u\n", key);
    }
    return bytes;
}

static void write_records(const char *path, ink_form form, bool header, unsigned first,
                          unsigned count)
{
    records_bytes bytes = make_records(form, header, first, count);
    size_t        length = strlen(path);

    if (length > 3 && strcmp(path + length - 3, ".gz") == 0)
        records_gzip(path, bytes.bytes, bytes.count);
    else if (length > 4 && strcmp(path + length - 4, ".zst") == 0)
        records_zstd(path, bytes.bytes, bytes.count);
    else
        records_write(path, bytes.bytes, bytes.count);
    records_bytes_free(&bytes);
}

static void append(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "ab");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static void append_records(const char *path, ink_form form, unsigned first, unsigned count)
{
    records_bytes bytes = make_records(form, false, first, count);

    append(path, bytes.bytes, bytes.count);
    records_bytes_free(&bytes);
}

static const ink_params order_free[] = {
    {.kind = "bloom", .expected_keys = 2000},
    {.kind = "classic", .expected_keys = 2000},
    {.kind = "counting", .expected_keys = 2000},
    {.kind = "count-min", .width = 128, .depth = 3},
    {.kind = "fm"},
    {.kind = "hll", .precision = 8},
};
enum { ORDER_FREE = sizeof order_free / sizeof order_free[0] };

static const ink_params ordered[] = {
    {.kind = "bloom", .expected_keys = 300}, /* which is soon full */
    {.kind = "counting", .expected_keys = 200, .false_positive_rate = 0.05},
    {.kind = "scalable", .expected_keys = 64},
    {.kind = "count-min", .width = 64, .depth = 3, .conservative = true},
    {.kind = "top", .phi = 0.02},
};
enum { ORDERED = sizeof ordered / sizeof ordered[0] };

static const char *const lines_path[] = {"keys.txt"};
static const char *const standard_input[] = {"-"};
static const char *const key_column[] = {"key"};

/* Over `count` lines of keys.txt. */
static run run_of_lines(const ink_params *kinds, size_t kind_count, unsigned count)
{
    write_records("keys.txt", INK_FORM_LINES, false, 0, count);
    return run_of(lines_path, 1, kinds, kind_count);
}

/* ---- The same as a build ------------------------------------------------------------------ */

typedef struct data {
    const char       *paths[3]; /* of which each has a third of the records */
    size_t            count;
    ink_form          form;
    const ink_reading reading;
} data;

#define KEYED .key = key_column, .key_count = 1

static const data kinds_of_data[] = {
    {{"keys.txt"}, 1, INK_FORM_LINES, {.form = INK_FORM_DEFAULT}},
    {{"a.txt", "b.txt", "c.txt"}, 3, INK_FORM_LINES, {.form = INK_FORM_DEFAULT}},
    {{"a.txt.gz", "b.txt", "c.txt.zst"}, 3, INK_FORM_LINES, {.form = INK_FORM_DEFAULT}},
    {{"a.tsv", "b.tsv.gz"}, 2, INK_FORM_TSV, {KEYED, .header = true, .weight = "weight"}},
    {{"a.csv", "b.csv", "c.csv"}, 3, INK_FORM_CSV, {KEYED, .header = true, .weight = "1"}},
    {{"a.csv"}, 1, INK_FORM_CSV, {KEYED, .header = true, .multiline = true}},
    {{"a.jsonl", "b.jsonl.zst"}, 2, INK_FORM_JSONL, {KEYED, .weight = "weight"}},
    {{"a.bin", "b.bin"}, 2, INK_FORM_NUL, {.form = INK_FORM_NUL}},
    {{"a.bin"}, 1, INK_FORM_U64, {.form = INK_FORM_U64}},
};
enum { KINDS_OF_DATA = sizeof kinds_of_data / sizeof kinds_of_data[0] };

/* A run over such data, which are written. */
static run run_over(const data *of, const ink_params *kinds, size_t count)
{
    run      all = run_of(of->paths, of->count, kinds, count);
    unsigned each = RECORDS / (unsigned)of->count;

    for (unsigned i = 0; i < of->count; i++)
        write_records(of->paths[i], of->form, of->reading.header, i * RECORDS / (unsigned)of->count,
                      each);
    all.reading = of->reading;
    all.uncounted = of->reading.weight != NULL; /* of which counting counts the sum */
    return all;
}

TEST(a_stream_has_the_bytes_of_a_build_for_any_batches)
{
    static const uint64_t batches[] = {1, 7, 1000, UINT64_MAX, 0};

    for (size_t i = 0; i < KINDS_OF_DATA; i++) {
        const data    *of = &kinds_of_data[i];
        RUN            all = run_over(of, order_free, ORDER_FREE);
        records_digest expected = built(&all);
        for (size_t b = records_light() ? 1 : 0; b < 5; b++) {
            all.options.every_records = batches[b];
            all.options.checkpoint_batches = batches[b] < 10 ? 500 : 0;
            all.job.chunk_bytes = b % 2 == 0 ? 0 : 300;
            CHECK_OK(go(&all));
            CHECK(state_is(&expected) && all.last.ended && all.last.bad == 0);
            CHECK(all.last.records == RECORDS / of->count * of->count);
            CHECK(all.last.saved_records == all.last.records);
            if (batches[b] != 0)
                CHECK(all.last.batches == (all.last.records - 1) / batches[b] + 1);
            assert_int_equal(all.events[INK_STREAM_BATCH], all.last.batches);
            remove_state();
        }
    }
}

TEST(one_sketch_alone_has_them_too_and_standard_input_serves)
{
    owned_bytes bytes = make_records(INK_FORM_LINES, false, 0, RECORDS);

    for (size_t i = 0; i < ORDER_FREE; i++) {
        RUN            all = run_of_lines(&order_free[i], 1, RECORDS);
        records_digest expected = built(&all), alone = undisturbed(&all);
        CHECK(records_same(&alone, &expected));
        all.options.train = standard_input;
        records_pipe *pipe = records_pipe_begin(NULL, bytes.bytes, bytes.count);
        CHECK_OK(go(&all));
        records_pipe_end(pipe);
        CHECK(state_is(&expected));
    }
}

/* Runs with keys.txt as standard input. */
static void go_redirected(run *all)
{
    int saved = dup(0), file = open("keys.txt", O_RDONLY);

    all->options.train = standard_input;
    CHECK(saved >= 0 && file >= 0 && dup2(file, 0) == 0);
    CHECK_OK(go(all));
    CHECK(dup2(saved, 0) == 0);
    close(saved);
    close(file);
}

/* Standard input that is a file is read like a pipe: a second run counts it again. */
TEST(a_file_as_standard_input_is_taken_in_each_time)
{
    RUN all = run_of_lines(order_free, 1, RECORDS);

    for (unsigned i = 1; i < 3; i++) {
        go_redirected(&all);
        assert_int_equal(all.last.records, i * RECORDS);
    }
}

/* ---- Again, and more ---------------------------------------------------------------------- */

TEST(a_second_run_adds_nothing)
{
    for (size_t i = 0; i < KINDS_OF_DATA; i++) {
        RUN all = run_over(&kinds_of_data[i], order_free, ORDER_FREE);
        CHECK_OK(go(&all));
        CHECK(all.events[INK_STREAM_RESUMED] == 0);
        owned_bytes before = records_read(STATE);
        CHECK_OK(go(&all));
        CHECK(all.events[INK_STREAM_RESUMED] == 1 && all.events[INK_STREAM_BATCH] == 0);
        CHECK(all.last.run_records == 0 && all.last.records > 0);
        CHECK(records_unchanged(STATE, &before));
    }
}

TEST(an_empty_state_is_gone_on_with_and_what_did_not_run_took_no_time)
{
    RUN all = run_of(lines_path, 1, order_free, 1);

    records_write("keys.txt", "", 0);
    for (unsigned runs = 0; runs < 2; runs++) {
        CHECK_OK(open_run(&all));
        ink_stream_now(all.stream, &all.last);
        CHECK(all.last.seconds == 0);
        CHECK_OK(finish_run(&all));
        assert_int_equal(all.events[INK_STREAM_RESUMED], runs);
    }
}

TEST(a_batch_may_last_longer_than_nanoseconds_can_say)
{
    RUN all = run_of_lines(order_free, 1, 5000);

    all.options.every_records = 0;
    all.options.every_microseconds = UINT64_MAX / 1000 + 2;
    CHECK_OK(go(&all));
    CHECK(all.last.records == 5000 && all.last.batches == 1);
}

TEST(batches_of_so_many_records_heed_no_clock)
{
    RUN all = run_of_lines(order_free, 1, 1000);

    atomic_store(&passing, 700000000);
    CHECK_OK(go(&all));
    atomic_store(&passing, 0);
    CHECK(all.last.records == 1000 && all.last.batches == 10);
}

TEST(what_a_file_has_grown_by_is_read_on)
{
    static const size_t grow[] = {0, 3, 5, 0}; /* lines; CSV; CSV over several lines */

    for (size_t i = 0; i < 4; i++) {
        const data *of = &kinds_of_data[grow[i]];
        RUN         all = run_over(of, ordered, ORDERED);
        all.options.renew = i == 3; /* where a batch ends, and not where a run did */
        all.uncounted = all.uncounted || all.options.renew;
        const char *path = of->paths[0];
        all.options.train = &path;
        all.options.train_count = 1;
        write_records(path, of->form, of->reading.header, 0, RECORDS);
        records_digest expected = undisturbed(&all);
        unlink(path);
        write_records(path, of->form, of->reading.header, 0, 0);
        unsigned done = 0;
        for (unsigned more = 1; done < RECORDS; more = more * 3 % 631) {
            more = more > RECORDS - done ? RECORDS - done : more;
            append_records(path, of->form, done, more);
            done += more;
            CHECK_OK(go(&all));
            assert_int_equal(all.last.records, done);
            assert_int_equal(all.last.run_records, more);
        }
        CHECK(state_is(&expected));
    }
}

TEST(files_that_are_added_to_the_list_are_read_and_others_are_remembered)
{
    static const char *const paths[] = {"a", "b", "c"};
    RUN                      all = run_of(paths, 3, ordered, ORDERED);

    for (unsigned i = 0; i < 3; i++)
        write_records(paths[i], INK_FORM_LINES, false, 800 * i, 800);
    records_digest expected = undisturbed(&all);
    for (unsigned i = 0; i < 3; i++) { /* each alone, in order, and again */
        all.options.train = paths + i;
        all.options.train_count = 1;
        CHECK_OK(go(&all));
    }
    CHECK(state_is(&expected));
    all.options.train = paths;
    all.options.train_count = 3;
    CHECK_OK(go(&all));
    CHECK(state_is(&expected) && all.last.run_records == 0);
}

TEST(a_file_that_is_not_what_it_was_is_refused_by_name)
{
    RUN all = run_of_lines(order_free, 1, 1000);

    CHECK_OK(go(&all));
    records_digest before = state_digest();
    assert_int_equal(truncate("keys.txt", 100), 0);
    CHECK_FAILS(go(&all), INK_MISMATCH, "expected");
    assert_string_equal(all.job.failed_path, "keys.txt");
    write_records("keys.txt", INK_FORM_LINES, false, 1, 1000); /* as long, but other keys */
    CHECK_FAILS(go(&all), INK_MISMATCH, "expected");
    unlink("keys.txt");
    CHECK_FAILS(go(&all), INK_IO, "cannot open");
    assert_string_equal(all.job.failed_path, "keys.txt");
    assert_null(all.job.failed_file);
    write_records("keys.txt", INK_FORM_LINES, false, 0, 1000);
    CHECK_OK(go(&all));
    CHECK(state_is(&before));
}

TEST(a_last_record_without_its_end_is_counted_once)
{
    RUN all = run_of(lines_path, 1, order_free, ORDER_FREE);

    records_write("keys.txt", "a\nb\nc", 5);
    CHECK_OK(go(&all));
    assert_int_equal(all.last.records, 3);
    append("keys.txt", "\nd\n", 3);
    records_digest expected = built(&all);
    CHECK_OK(go(&all));
    CHECK(all.last.records == 4 && state_is(&expected));
    remove_state();
    records_write("keys.txt", "a\nb\nc", 5);
    CHECK_OK(go(&all));
    append("keys.txt", "ow\n", 3); /* it was another record */
    CHECK_FAILS(go(&all), INK_MISMATCH, "expected");
}

/* ---- Stopped and gone on ------------------------------------------------------------------ */

/* A stream that is stopped after batch `stop` of each run, or only of the first, and goes on. */
static unsigned run_in_parts(run *all, unsigned stop, bool each)
{
    unsigned runs = 0;

    all->stop_after = stop;
    do {
        CHECK_OK(go(all));
        if (!each)
            all->stop_after = 0;
        CHECK(++runs < 1000 && all->last.saved_records == all->last.records);
    } while (all->last.run_records > 0);
    all->stop_after = 0;
    return runs;
}

/* After whichever batch it is stopped, the state has the bytes of a run to the end. */
static void check_parts(run all, const char *what)
{
    CHECK_OK(go(&all));
    records_digest    expected = state_digest();
    ink_stream_report whole = all.last;
    remove_state();
    uint64_t most = whole.batches < 4 || !records_light() ? whole.batches : 4;
    for (unsigned stop = 1; stop <= most; stop++)
        for (unsigned each = 0; each < 2; each++) {
            unsigned runs = run_in_parts(&all, stop, each);
            if (!state_is(&expected))
                fail_msg("%s: stopped after batch %u%s", what, stop, each ? " of each run" : "");
            CHECK(all.last.records == whole.records && all.last.late == whole.late);
            CHECK(all.last.bad == whole.bad && all.last.newest == whole.newest);
            if (stop == 1 && each)
                CHECK(runs > 2);
            remove_state();
        }
}

TEST(a_stream_that_is_stopped_and_goes_on_equals_one_that_never_was)
{
    RUN all = run_of_lines(ordered, ORDERED, 1200);

    all.job.chunk_bytes = 200;
    check_parts(all, "plain");
    all.options.renew = true;
    all.uncounted = true;
    check_parts(all, "renew");
    all.options.every_records = 37; /* chunks and batches end at different records */
    all.options.checkpoint_batches = 3;
    check_parts(all, "renew, one in three batches saved");
}

/* What was received of a file waits for the next run; what came by a pipe is taken in, and saved
 * once. */
TEST(a_stop_comes_soon)
{
    RUN all = run_of_lines(ordered, ORDERED, RECORDS);

    all.job.chunk_bytes = 0; /* all is received at once */
    all.stop_after = 1;
    CHECK_OK(go(&all));
    CHECK(all.last.records == 100 && all.last.saved_records == 100);
    assert_int_equal(all.events[INK_STREAM_SAVED], 1);
    remove_state();
    go_redirected(&all);
    CHECK(all.last.records == RECORDS && all.last.saved_records == RECORDS);
    assert_int_equal(all.events[INK_STREAM_SAVED], 1);
}

TEST(so_do_windows_by_the_times_of_records)
{
    static const char *const paths[] = {"a.tsv", "b.tsv"};
    RUN                      all = run_of(paths, 2, ordered, ORDERED);

    write_records("a.tsv", INK_FORM_TSV, true, 0, 700);
    write_records("b.tsv", INK_FORM_TSV, true, 700, 600);
    all.reading = (ink_reading){
        .header = true, .key = key_column, .key_count = 1, .weight = "weight", .time = "when"};
    all.options.window_microseconds = 200 * 1000000;
    all.options.slots = 5;
    all.uncounted = true;
    all.job.chunk_bytes = 200;
    check_parts(all, "window");
    CHECK_OK(go(&all));
    CHECK(all.last.late > 0 && all.last.records > 0 && all.last.timed);
    CHECK(all.last.records + all.last.late == 1300);
    assert_int_equal(all.last.batches, 13); /* the late ones fill them, too */
    assert_int_equal(all.last.newest, (1600000000 + 1299) * (int64_t)1000000);
}

/* The rate that the message about a full filter names. */
static double rate_in(const char *text)
{
    const char *rate = strstr(text, "rate ");

    CHECK(rate != NULL);
    return strtod(rate + strlen("rate "), NULL);
}

TEST(a_full_filter_is_reported_once_or_begun_anew_each_time)
{
    RUN all = run_of_lines(ordered, 1, RECORDS);

    CHECK_OK(go(&all));
    CHECK(all.events[INK_STREAM_FULL] == 1 && all.events[INK_STREAM_RENEWED] == 0);
    CHECK(strstr(all.text[INK_STREAM_FULL], "bloom") != NULL);
    CHECK(fabs(all.last.passed_rate - rate_in(all.text[INK_STREAM_FULL])) < 1e-6);
    remove_state();
    all.options.renew = true;
    all.uncounted = true;
    CHECK_OK(go(&all));
    CHECK(all.events[INK_STREAM_FULL] == 0 && all.events[INK_STREAM_RENEWED] > 1);
    CHECK(records_in_state() < RECORDS && all.last.records == RECORDS);
    CHECK(fabs(all.last.passed_rate - rate_in(all.text[INK_STREAM_RENEWED])) < 1e-6);
}

/* ---- Bad records -------------------------------------------------------------------------- */

/* Where a bad record stands: line and byte, both of them found by reading the file. */
static void check_bad(unsigned good, uint64_t every, uint64_t chunk)
{
    static const char *const path[] = {"bad.tsv"};
    RUN                      all = run_of(path, 1, order_free, ORDER_FREE);
    owned_bytes              bytes = make_records(INK_FORM_TSV, false, 0, good);
    size_t                   before = bytes.count;

    all.reading = (ink_reading){.key = (const char *const[]){"2"}, .key_count = 1, .weight = "1"};
    all.uncounted = true;
    all.options.every_records = every;
    all.options.checkpoint_batches = every == 1 ? 500 : 0;
    all.job.chunk_bytes = chunk;
    records_write("bad.tsv", bytes.bytes, bytes.count);
    records_digest expected = built(&all);
    records_say(&bytes, "many\tkey\n5\tmore\n");
    records_write("bad.tsv", bytes.bytes, bytes.count);
    CHECK_FAILS(go(&all), INK_FORMAT, "\"many\", expected a weight");
    CHECK(error.location == INK_AT_LINE && error.at == good + 1);
    CHECK(all.job.failed_byte == before && strcmp(all.job.failed_path, "bad.tsv") == 0);
    assert_int_equal(all.last.saved_records, good);
    CHECK(state_is(&expected));
    CHECK_FAILS(go(&all), INK_FORMAT, "\"many\"");
    CHECK(all.job.failed_byte == before && all.last.saved_records == good);
    CHECK(error.location == INK_AT_BYTE && error.at == before); /* nobody counts those before */
    all.reading.skip_bad = true;
    CHECK_OK(go(&all));
    CHECK(all.last.bad == 1 && all.last.records == good + 1);
}

TEST(what_came_before_a_bad_record_is_saved_and_its_location_is_reported)
{
    static const unsigned good[] = {1, 99, 100, 101, 1023, 1024, 1025, 2200};

    for (size_t i = 0; i < 8; i += records_light() ? 3 : 1) {
        check_bad(good[i], 100, 0);
        check_bad(good[i], 1000000, 512);
        check_bad(good[i], 1, 100000);
    }
}

/* Batches end at multiples of their size among all records, the bad ones included. */
TEST(bad_records_fill_batches_too_wherever_runs_ended)
{
    static const char *const path[] = {"bad.tsv"};
    RUN                      all = run_of(path, 1, &(ink_params){.kind = "count-min"}, 1);
    owned_bytes              bytes = {0};

    all.reading = (ink_reading){.key = (const char *const[]){"2"}, .key_count = 1, .weight = "1"};
    all.reading.skip_bad = true;
    all.options.every_records = 10;
    all.uncounted = true;
    for (unsigned i = 0; i < 1000; i++)
        records_say(&bytes, "%s\tk%u\n", i % 3 == 0 ? "bad" : "1", i);
    records_write("bad.tsv", bytes.bytes, bytes.count);
    all.stop_after = 7;
    CHECK_OK(go(&all));
    CHECK(all.last.batches == 7 && all.last.records + all.last.bad == 70);
    all.stop_after = 0;
    CHECK_OK(go(&all));
    CHECK(all.last.batches == 100 && all.last.records == 666 && all.last.bad == 334);
    append("bad.tsv", "bad\tk\nbad\tl\n", 12); /* a batch of nothing else */
    CHECK_OK(go(&all));
    CHECK(all.last.batches == 101 && all.last.records == 666 && all.last.bad == 336);
    CHECK_OK(go(&all));
    CHECK(all.last.batches == 101 && all.last.bad == 336);
}

TEST(the_file_of_a_bad_record_is_named)
{
    static const char *const paths[] = {"a.tsv", "b.tsv", "c.tsv"};
    RUN                      all = run_of(paths, 3, order_free, 1);

    all.reading = (ink_reading){.keys = INK_KEYS_INT};
    for (size_t bad = 0; bad < 3; bad++) {
        for (size_t i = 0; i < 3; i++)
            records_write(paths[i], i == bad ? "1\n2\nthree\n" : "1\n2\n3\n", i == bad ? 10 : 6);
        CHECK_FAILS(go(&all), INK_FORMAT, "\"three\", expected an integer");
        CHECK(strcmp(all.job.failed_path, paths[bad]) == 0 && error.at == 3);
        remove_state();
    }
}

TEST(a_time_too_far_in_the_future_is_a_bad_record)
{
    static const char *const path[] = {"a.tsv"};
    RUN                      all = run_of(path, 1, order_free, 1);
    owned_bytes              bytes = {0};
    long long                now = ink__posix.wall() / 1000000;

    all.reading = (ink_reading){
        .key = (const char *const[]){"1"}, .key_count = 1, .time = "2", .time_unit = 0};
    all.options.window_microseconds = 60000000;
    all.uncounted = true;
    for (unsigned i = 0; i < 20; i++)
        records_say(&bytes, "a\t%lld\n", now + i);
    for (unsigned i = 1; i < 100; i++) /* each is less than a window ahead of the one before */
        records_say(&bytes, "a\t%lld\n", now + 30 * i);
    records_write("a.tsv", bytes.bytes, bytes.count);
    for (unsigned at_once = 0; at_once < 2; at_once++) {
        all.job.chunk_bytes = at_once ? 0 : 40; /* in chunks the clock is looked at again */
        CHECK_FAILS(go(&all), INK_FORMAT, "ahead of the clock, expected");
        CHECK(error.location == INK_AT_LINE && error.at >= 22 && error.at <= 24);
        assert_int_equal(all.last.saved_records, error.at - 1);
        remove_state();
    }
    all.job.chunk_bytes = 40;
    all.reading.skip_bad = true;
    CHECK_OK(go(&all));
    CHECK(all.last.bad + all.last.records == 119 && all.last.bad >= 119 - 24);
}

/* ---- Clocks ------------------------------------------------------------------------------- */

#define HOUR ((int64_t)3600 * 1000000) /* in microseconds */

/* The slots in the state, by the hour in which each starts, and their records. */
static struct {
    size_t   count;
    int64_t  hours[16];
    uint64_t records[16];
} slots;

/* Runs, and finds the slots. */
static void go_and_look(run *all)
{
    ink_entry_info info;
    ink_file      *file;

    CHECK_OK(go(all));
    CHECK_OK(ink_file_open(&file, STATE, INK_OPEN_CHECKED, NULL, &error));
    slots.count = ink_file_count(file);
    for (size_t i = 0; i < slots.count; i++) {
        CHECK_OK(ink_file_entry(file, i, &info, &error));
        CHECK(info.label.has_slot && info.label.slot % HOUR == 0);
        slots.hours[i] = info.label.slot / HOUR;
        slots.records[i] = info.records;
    }
    ink_file_close(file);
}

/* Over lines, in a window of so many hours. */
static run run_of_hours(unsigned hours, unsigned count)
{
    run all = run_of_lines(order_free + 5, 1, count);

    all.options.window_microseconds = hours * (uint64_t)HOUR;
    all.options.slots = hours;
    all.uncounted = true;
    return all;
}

/* At each batch the time of day is set, forth or back. */
static void set_clock(run *all, ink_stream_event event)
{
    if (event == INK_STREAM_BATCH)
        atomic_fetch_add(&wall_ahead, all->events[event] % 2 == 0 ? -5 * HOUR : 7 * HOUR);
}

TEST(a_clock_that_jumps_changes_nothing_while_a_stream_runs)
{
    RUN all = run_of_hours(10, 1000);

    all.then = set_clock;
    int64_t now = jumping_wall() / HOUR;
    go_and_look(&all);
    CHECK(slots.count == 1 && slots.records[0] == 1000);
    CHECK(slots.hours[0] == now || slots.hours[0] == now + 1);
    assert_int_equal(all.events[INK_STREAM_BATCH], 10);
}

/* At each batch half an hour passes. */
static void pass_time(run *all, ink_stream_event event)
{
    (void)all;
    if (event == INK_STREAM_BATCH)
        atomic_fetch_add(&passed, (uint64_t)HOUR / 2 * 1000);
}

TEST(time_that_passes_moves_the_window)
{
    RUN all = run_of_hours(3, 1000);

    all.then = pass_time;
    go_and_look(&all);
    CHECK(slots.count == 3 && slots.hours[1] == slots.hours[0] + 1 &&
          slots.hours[2] == slots.hours[1] + 1);
    uint64_t sum = slots.records[0] + slots.records[1] + slots.records[2];
    CHECK(sum >= 500 && sum <= 600); /* the last five or six batches */
}

/* Runs once more, over 100 more lines, with the clock this many hours ahead. */
static void go_ahead(run *all, int64_t hours)
{
    atomic_store(&wall_ahead, hours * HOUR);
    append_records("keys.txt", INK_FORM_LINES, (unsigned)all->last.records, 100);
    go_and_look(all);
}

TEST(between_runs_the_window_never_goes_back)
{
    RUN all = run_of_hours(4, 100);

    go_and_look(&all);
    int64_t first = slots.hours[0];
    assert_int_equal(slots.count, 1);
    go_ahead(&all, -100); /* set back: the newest slot goes on */
    CHECK(slots.count == 1 && slots.hours[0] == first && slots.records[0] == 200);
    go_ahead(&all, 2); /* and ahead: a gap is a gap */
    CHECK(slots.count == 2 && slots.hours[0] == first && slots.hours[1] >= first + 2);
    assert_int_equal(slots.records[1], 100);
    go_ahead(&all, 100); /* far ahead: all before has fallen out */
    CHECK(slots.count == 1 && slots.hours[0] >= first + 100 && slots.records[0] == 100);
}

/* ---- The disk ----------------------------------------------------------------------------- */

/* The disk is full from the third batch on, until saving has failed twice. */
static uint64_t failed_batches[2];

static void fill_disk(run *all, ink_stream_event event)
{
    if (event == INK_STREAM_NOT_SAVED && all->events[event] <= 2)
        failed_batches[all->events[event] - 1] = all->last.batches;
    if (event == INK_STREAM_BATCH && all->events[event] == 3)
        atomic_store(&disk_full, true);
    if (event == INK_STREAM_NOT_SAVED && all->events[event] == 2)
        atomic_store(&disk_full, false);
    if (event == INK_STREAM_NOT_SAVED && all->last.saved_batches > 0) /* which stays whole */
        assert_int_equal(records_in_state(), all->last.saved_records);
}

TEST(a_stream_goes_on_while_the_disk_is_full_and_saves_when_it_can)
{
    RUN all = run_of_lines(order_free, ORDER_FREE, 1000);

    records_digest expected = built(&all);
    all.then = fill_disk;
    for (uint64_t checkpoint = 0; checkpoint < 6; checkpoint++) {
        all.options.checkpoint_batches = checkpoint;
        CHECK_OK(go(&all));
        CHECK(all.events[INK_STREAM_NOT_SAVED] == 2 && all.events[INK_STREAM_BATCH] == 10);
        CHECK(strstr(all.text[INK_STREAM_NOT_SAVED], "No space left") != NULL);
        CHECK(state_is(&expected) && all.last.saved_records == 1000);
        CHECK(failed_batches[1] <= failed_batches[0] + 1); /* with the next one */
        remove_state();
    }
}

TEST(a_disk_that_stays_full_is_a_failure_in_the_end_and_nothing_is_lost)
{
    RUN all = run_of_lines(order_free, ORDER_FREE, 1000);

    records_digest expected = built(&all);
    all.stop_after = 2;
    all.job.chunk_bytes = 200;
    CHECK_OK(go(&all));
    all.stop_after = 0;
    owned_bytes before = records_read(STATE);
    atomic_store(&disk_full, true);
    CHECK_FAILS(go(&all), INK_IO, "No space left");
    CHECK(error.os_error == ENOSPC && strcmp(all.job.failed_path, "state") == 0);
    CHECK(all.last.records == 1000 && all.last.saved_records < 1000);
    atomic_store(&disk_full, false);
    CHECK(records_unchanged(STATE, &before));
    assert_int_equal(records_names_in("state"), 2);
    CHECK_OK(go(&all));
    CHECK(state_is(&expected));
}

/* The first batch cannot be saved, and the second is half in when the disk has room again, time has
 * passed, and nothing arrives; then comes the rest. */
typedef struct train_and_ask {
    run           run;
    int           pipe; /* to the FIFO */
    records_bytes rest;
} train_and_ask;

static void give(int pipe, const records_bytes *bytes)
{
    assert_int_equal(write(pipe, bytes->bytes, bytes->count), (ssize_t)bytes->count);
}

/* Waits until the first half is in, and the stream has looked at the clock many times since. */
static void *give_rest(void *host)
{
    train_and_ask    *both = host;
    ink_stream_report now;

    do
        ink_stream_now(both->run.stream, &now);
    while (now.run_records < 150);
    unsigned since = atomic_load(&looks);
    while (atomic_load(&looks) - since < 60)
        usleep(1000);
    give(both->pipe, &both->rest);
    close(both->pipe);
    return NULL;
}

static void make_room(run *all, ink_stream_event event)
{
    (void)all;
    if (event == INK_STREAM_NOT_SAVED) {
        atomic_store(&disk_full, false);
        atomic_fetch_add(&passed, 5 * (uint64_t)1000000000);
    }
}

TEST(a_save_that_is_tried_again_never_has_half_a_batch)
{
    static const char *const path[] = {"fifo"};
    train_and_ask            both = {.run = run_of(path, 1, order_free, 1)};
    run                     *all = &both.run;
    pthread_t                giving;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    both.pipe = open("fifo", O_RDWR); /* so that opening does not wait */
    both.rest = make_records(INK_FORM_LINES, false, 150, 75);
    owned_bytes first = make_records(INK_FORM_LINES, false, 0, 150);
    all->then = make_room;
    give(both.pipe, &first);
    CHECK_OK(open_run(all));
    atomic_store(&disk_full, true);
    assert_int_equal(pthread_create(&giving, NULL, give_rest, &both), 0);
    CHECK_OK(finish_run(all));
    pthread_join(giving, NULL);
    CHECK(all->events[INK_STREAM_NOT_SAVED] == 1 && all->last.saved_records == 225);
    records_bytes_free(&both.rest);
    end_run(all);
}

/* ---- Failures ----------------------------------------------------------------------------- */

/* Goes on after a failure, meets another one, at call `second` of that run, and goes on again until
 * all is in: each record was counted once. Gives whether the second fault came. */
static bool check_recovery(run *all, const records_digest *expected, unsigned second)
{
    all->job.allocator = NULL;
    atomic_store(&calls, 0);
    atomic_store(&failing, second);
    ink_status status = go(all);
    bool       struck = atomic_load(&calls) >= second;
    CHECK(status == INK_OK || (struck && status == INK_IO && error.os_error == EIO));
    atomic_store(&failing, 0);
    CHECK_OK(go(all));
    CHECK(state_is(expected));
    remove_state();
    return struck;
}

/* Has each allocation fail in turn, or each call of the system. */
static void check_failures(run *all, bool of_memory)
{
    records_digest expected = undisturbed(all);
    unsigned       step = !records_light() ? 1 : of_memory ? 7 : 5, twice = 0;
    bool           struck = true;

    for (unsigned nth = 1; struck; nth += step) {
        scarce        memory = {.refuse_at = of_memory ? nth : 0};
        ink_allocator allocator = {.resize = scarce_resize, .host = &memory};
        all->job.allocator = &allocator;
        atomic_store(&calls, 0);
        atomic_store(&failing, of_memory ? 0 : nth);
        ink_status status = go(all);
        struck = of_memory ? atomic_load(&memory.refused) : atomic_load(&calls) >= nth;
        CHECK(status == INK_OK || (struck && status == (of_memory ? INK_MEMORY : INK_IO)));
        CHECK(status != INK_IO || (error.os_error == EIO && all->job.failed_path != NULL));
        CHECK(atomic_load(&memory.live) == 0 && nth < 5000);
        twice += check_recovery(all, &expected, 1 + nth * 37 % 89);
    }
    CHECK(twice >= (records_light() ? 3 : 20)); /* less where only some calls fail */
}

TEST(whatever_allocation_fails_each_record_is_counted_once)
{
    static const char *const path[] = {"a.csv"};
    RUN                      all = run_of(path, 1, ordered, ORDERED);

    write_records("a.csv", INK_FORM_CSV, true, 0, 350);
    all.reading = (ink_reading){KEYED, .header = true};
    all.options.views = true;
    all.options.renew = true;
    all.uncounted = true;
    check_failures(&all, true);
}

TEST(whatever_call_of_the_system_fails_each_record_is_counted_once)
{
    static const char *const paths[] = {"a.txt", "b.txt.gz"};
    RUN                      all = run_of(paths, 2, ordered, ORDERED);

    write_records("a.txt", INK_FORM_LINES, false, 0, 250);
    write_records("b.txt.gz", INK_FORM_LINES, false, 250, 200);
    all.uncounted = true; /* whose look at the state would fail, too */
    check_failures(&all, false);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* Answers how many records the view has. */
static ink_status answer(void *host, const ink_stream_view *view, const uint8_t *question,
                         size_t bytes, const ink_sink *to, ink_error *why)
{
    const ink_sketch *sketch;
    ink_description   d;
    char              line[200];

    (void)host;
    if (ink_stream_view_sketch(view, 0, &sketch, why) != INK_OK)
        return why->status;
    ink_sketch_describe(sketch, &d);
    int count = snprintf(line, sizeof line, "%.*s %llu %llu\n", (int)bytes, (const char *)question,
                         (unsigned long long)d.records,
                         (unsigned long long)ink_stream_view_report(view)->records);
    return to->write(to->host, line, (size_t)count) == 0 ? INK_OK : INK_IO;
}

static records_bytes answers; /* to questions, which are asked after the data */

static run run_asked(size_t kind_count, const char *questions)
{
    static ink_sink sink;
    run             all = run_of_lines(order_free, kind_count, 1234);

    sink = records_sink(&answers);
    answers.count = 0;
    records_write("questions", questions, strlen(questions));
    all.options.ask = "questions";
    all.options.answer = answer;
    all.options.answers = &sink;
    return all;
}

/* Who asks could come in between. */
static void linger(run *all, ink_stream_event event)
{
    if (event == INK_STREAM_BATCH && all->events[event] == 1)
        usleep(250000);
}

TEST(questions_from_a_file_are_answered_when_the_data_have_ended)
{
    RUN all = run_asked(2, "a\nb\n\nlast");

    all.then = linger;
    for (unsigned i = 0; i < 2; i++) { /* a second time nothing is added, and all is answered */
        answers.count = 0;
        CHECK_OK(go(&all));
        CHECK(records_are(&answers, "a 1234 1234\nb 1234 1234\n 1234 1234\nlast 1234 1234\n"));
        assert_int_equal(all.last.questions, 4);
    }
    records_bytes_free(&answers);
}

/* There is room on the disk again when the first question has come. */
static ink_status answer_and_make_room(void *host, const ink_stream_view *view,
                                       const uint8_t *question, size_t bytes, const ink_sink *to,
                                       ink_error *why)
{
    atomic_store(&disk_full, false);
    return answer(host, view, question, bytes, to, why);
}

TEST(questions_are_answered_while_the_last_batch_cannot_be_saved)
{
    RUN            all = run_asked(ORDER_FREE, "a\n");
    records_digest expected = built(&all);

    all.options.answer = answer_and_make_room;
    atomic_store(&disk_full, true);
    CHECK_OK(go(&all));
    CHECK(records_are(&answers, "a 1234 1234\n") && all.events[INK_STREAM_NOT_SAVED] >= 13);
    CHECK(state_is(&expected) && all.last.saved_records == 1234);
    records_bytes_free(&answers);
}

/* Views are of complete batches. */
static void look_at_view(run *all, ink_stream_event event)
{
    const ink_stream_view *view = ink_stream_view_take(all->stream);
    const ink_sketch      *sketch;
    ink_description        d;

    assert_non_null(view);
    CHECK_OK(ink_stream_view_sketch(view, 0, &sketch, &error));
    ink_sketch_describe(sketch, &d);
    assert_int_equal(d.records, ink_stream_view_report(view)->records);
    if (event == INK_STREAM_BATCH)
        assert_int_equal(d.records, all->last.records);
    ink_stream_view_release(view);
}

TEST(views_are_of_complete_batches_and_only_there_if_wanted)
{
    RUN all = run_of_lines(order_free, 1, 1234);

    all.options.views = true;
    all.then = look_at_view;
    CHECK_OK(go(&all));
    assert_int_equal(all.events[INK_STREAM_BATCH], 13);
    all.options.views = false;
    CHECK_OK(open_run(&all));
    assert_null(ink_stream_view_take(all.stream));
    ink_stream_close(all.stream);
}

/* ---- Connections -------------------------------------------------------------------------- */

/* A client of a stream that trains with connections, one record a batch, and has sent this. */
static int send_to(const run *all, const char *text)
{
    int file = records_connect(ink_stream_train_address(all->stream));

    assert_int_equal(send(file, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
    return file;
}

/* Stops when so many records are in, and one connection was refused. */
static unsigned stop_at;

static void stop_at_end(run *all, ink_stream_event event)
{
    (void)event;
    if (all->last.records >= stop_at && all->events[INK_STREAM_REFUSED] == 1)
        ink_stream_stop(all->stream);
}

static run run_connected(unsigned records, ink_reading reading)
{
    static const char *const address[] = {"tcp://127.0.0.1:0"};
    run                      all = run_of(address, 1, order_free, 1);

    stop_at = records;
    all.reading = reading;
    all.options.every_records = 1;
    all.then = stop_at_end;
    return all;
}

/* The sketch of the state. */
static ink_sketch *sketch_of_state(void)
{
    ink_sketch *view, *copy;
    ink_file   *file;

    CHECK_OK(ink_file_open(&file, STATE, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &view, &error));
    CHECK_OK(ink_sketch_copy(&copy, view, NULL, &error));
    ink_sketch_free(view);
    ink_file_close(file);
    return copy;
}

TEST(a_connection_that_breaks_in_its_header_spoils_nothing)
{
    const struct linger at_once = {.l_onoff = 1, .l_linger = 0};
    RUN all = run_connected(3, (ink_reading){KEYED, .form = INK_FORM_CSV, .header = true});

    CHECK_OK(open_run(&all));
    int broken = send_to(&all, "key,ot");
    int wrong = send_to(&all, "nothing,here\n1,2\n3,4\n");
    setsockopt(broken, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(broken);
    int good = send_to(&all, "other,key\nx,ant\nx,bee\nx,cow\n");
    shutdown(good, SHUT_WR);
    CHECK_OK(finish_run(&all));
    close(good);
    close(wrong);
    CHECK(all.last.records == 3 && all.last.bad == 0);
    owned_sketch *seen = sketch_of_state();
    CHECK(ink_sketch_maybe(seen, "ant", 3) == 1 && ink_sketch_maybe(seen, "cow", 3) == 1);
    CHECK(ink_sketch_maybe(seen, "x", 1) == 0);
}

TEST(a_bad_record_ends_its_connection_and_no_other)
{
    RUN  all = run_connected(4, (ink_reading){.form = INK_FORM_LINES, .keys = INK_KEYS_INT});
    char end;

    CHECK_OK(open_run(&all));
    int bad = send_to(&all, "1\n2\nseven\n");
    int good = send_to(&all, "10\n11\n");
    CHECK_OK(finish_run(&all));
    CHECK(recv(bad, &end, 1, 0) <= 0);
    close(good);
    close(bad);
    CHECK(all.last.records == 4 && all.last.bad == 1);
    CHECK(strstr(all.text[INK_STREAM_REFUSED], "connection 1 closed") != NULL);
    CHECK(strstr(all.text[INK_STREAM_REFUSED], "line 3: \"seven\", expected an integer key") !=
          NULL);
    owned_sketch *seen = sketch_of_state();
    CHECK(ink_sketch_maybe_int(seen, 1) == 1 && ink_sketch_maybe_int(seen, 2) == 1);
    CHECK(ink_sketch_maybe_int(seen, 10) == 1 && ink_sketch_maybe_int(seen, 11) == 1);
}

/* Stops when so many records are in, and one was bad. */
static void stop_when_skipped(run *all, ink_stream_event event)
{
    (void)event;
    if (all->last.records >= stop_at && all->last.bad == 1)
        ink_stream_stop(all->stream);
}

TEST(a_bad_record_that_may_be_skipped_ends_no_connection)
{
    RUN all = run_connected(
        4, (ink_reading){.form = INK_FORM_LINES, .keys = INK_KEYS_INT, .skip_bad = true});

    all.then = stop_when_skipped;
    CHECK_OK(open_run(&all));
    int file = send_to(&all, "1\n2\nseven\n3\n4\n");
    CHECK_OK(finish_run(&all));
    close(file);
    CHECK(all.last.records == 4 && all.last.bad == 1 && all.events[INK_STREAM_REFUSED] == 0);
}

static int refuse_bytes(void *host, const void *bytes, size_t count)
{
    (void)host;
    (void)bytes;
    (void)count;
    return ENOSPC;
}

/* The data would go on for ever. */
TEST(answers_that_cannot_be_written_end_a_stream)
{
    const ink_sink full = {.write = refuse_bytes};
    RUN            all = run_connected(UINT32_MAX, (ink_reading){.form = INK_FORM_LINES});

    all.options.ask = "questions";
    all.options.answer = answer;
    all.options.answers = &full;
    CHECK_FAILS(open_run(&all), INK_IO, "cannot open");
    assert_string_equal(all.job.failed_path, "questions");
    records_write("questions", "a\n", 2);
    CHECK_OK(open_run(&all));
    int file = send_to(&all, "ant\n");
    CHECK_FAILS(finish_run(&all), INK_IO, "cannot write");
    close(file);
    assert_string_equal(all.job.failed_path, "questions");
    CHECK(all.last.records == 1 && all.last.saved_records == 1);
}

/* Others would ask for ever. */
TEST(a_stream_that_fails_waits_for_no_questions)
{
    const ink_sink none = {0};
    RUN            all = run_of_lines(order_free, 1, 10);

    all.reading = (ink_reading){.keys = INK_KEYS_INT};
    all.options.ask = "unix:ask";
    all.options.answer = answer;
    all.options.answers = &none;
    CHECK_FAILS(go(&all), INK_FORMAT, "expected an integer key");
    assert_string_equal(all.job.failed_path, "keys.txt");
}

/* ---- What is refused ---------------------------------------------------------------------- */

TEST(options_that_do_not_go_together_are_refused)
{
    static const char *const twice[] = {"keys.txt", "./keys.txt"};
    const ink_sink           none = {0};
    const run                plain = run_of(lines_path, 1, order_free, 1);
    RUN                      all = plain;
    run                      tries[] = {plain, plain, plain, plain, plain, plain, plain};
    static const char *const texts[] = {"no data to train with",
                                        "group",
                                        "times without a window",
                                        "renewed over a window",
                                        "without a way to answer",
                                        "no folder",
                                        "standard input for data and for questions"};

    records_write("keys.txt", "a\n", 2);
    tries[0].options.train_count = 0;
    tries[1].reading.by = "1";
    tries[2].reading.time = "1";
    tries[3].options.renew = true;
    tries[3].options.window_microseconds = 10;
    tries[4].options.ask = "questions";
    tries[5].options.folder = NULL;
    tries[6].options.train = standard_input;
    tries[6].options.ask = "-";
    tries[6].options.answer = answer;
    tries[6].options.answers = &none;
    for (size_t i = 0; i < 7; i++) {
        tries[i].job.failed_path = tries[i].job.failed_file = "stale";
        tries[i].job.failed_byte = 7;
        CHECK_FAILS(go(&tries[i]), INK_USAGE, texts[i]);
        CHECK(tries[i].job.failed_file == NULL && tries[i].job.failed_byte == 0);
        CHECK(tries[i].job.failed_path == NULL);
    }
    CHECK(records_names_in(".") == 1); /* no folder was made */
    all.options.train = twice;
    all.options.train_count = 2;
    CHECK_FAILS(go(&all), INK_USAGE, "the same file twice");
    CHECK(records_names_in(".") == 1); /* the folder is removed again */
    assert_string_equal(all.job.failed_path, "./keys.txt");
}

TEST(a_second_stream_on_a_folder_is_refused_while_the_first_has_it)
{
    RUN  first = run_of_lines(order_free, 1, 1);
    run  second = first;
    char name[64];

    CHECK_OK(open_run(&first));
    snprintf(name, sizeof name, "process %ld on ", (long)getpid());
    CHECK_FAILS(go(&second), INK_IO, name);
    assert_string_equal(second.job.failed_path, "state");
    ink_stream_close(first.stream);
    CHECK_OK(go(&second));
}

/* A folder that is made here must outlive a crash with what is saved in it; one that another user
 * made, below a folder that is closed to us, is theirs. */
TEST(a_folder_whose_name_cannot_be_synced_is_only_taken_from_others)
{
    RUN all = run_of_lines(order_free, 1, 1);

    atomic_store(&closed, true);
    CHECK_FAILS(go(&all), INK_IO, "the folder that it is in");
    assert_int_equal(error.os_error, EACCES);
    assert_int_equal(mkdir("state", 0700), 0); /* ours is gone; this one is of others */
    CHECK_OK(go(&all));
    atomic_store(&closed, false);
}

TEST(what_is_no_data_is_refused_by_name)
{
    static const char *const state_file[] = {"other.ink"};
    RUN                      all = run_of_lines(order_free, 1, 1);

    CHECK_OK(go(&all));
    assert_int_equal(rename(STATE, "other.ink"), 0);
    all.options.train = state_file;
    CHECK_FAILS(go(&all), INK_FORMAT, "an .ink file");
    assert_string_equal(all.job.failed_path, "other.ink");
}

RUN_TESTS(.begin = replace_system, .end = restore_system)
