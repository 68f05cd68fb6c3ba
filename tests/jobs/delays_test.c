/* delays_test.c - every job gives the bytes of one thread, for 1 to 64 threads, chunks of a few
 * bytes, and threads that are held up at random points: this program is linked with the calls below
 * in front of those of pthread (see Makefile). A lost order, a lost row or a result that depends on
 * who comes first shows as other bytes. */
#define _DEFAULT_SOURCE 1
#include "inkling_command.h"
#include "inkling_job.h"
#include "inkling_pieces.h"

#include "support/check.h"
#include "support/files.h"
#include "support/records.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

/* ---- Delays ------------------------------------------------------------------------------- */

static atomic_bool          delaying;
static atomic_uint_fast64_t delays_seed;

/* One point in sixteen: the thread gives way; one in 128: it sleeps for up to 60 us. */
static void delay(void)
{
    static _Thread_local uint64_t state;

    if (!atomic_load_explicit(&delaying, memory_order_relaxed))
        return;
    if (state == 0)
        state = 1 + atomic_fetch_add(&delays_seed, 0x9e3779b97f4a7c15u);
    uint64_t bits = records_random(&state);
    if (bits % 16 == 0)
        sched_yield();
    if (bits % 128 == 1) {
        const struct timespec wait = {.tv_nsec = (long)(bits >> 32) % 60000};
        nanosleep(&wait, NULL);
    }
}

int __real_pthread_mutex_lock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex);
int __real_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex);
int __real_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);
int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex);

int __wrap_pthread_mutex_lock(pthread_mutex_t *mutex)
{
    delay();
    return __real_pthread_mutex_lock(mutex);
}

int __wrap_pthread_mutex_unlock(pthread_mutex_t *mutex)
{
    int result = __real_pthread_mutex_unlock(mutex);

    delay();
    return result;
}

int __wrap_pthread_cond_wait(pthread_cond_t *condition, pthread_mutex_t *mutex)
{
    int result = __real_pthread_cond_wait(condition, mutex);

    delay();
    return result;
}

/* ---- Data --------------------------------------------------------------------------------- */

enum { RECORDS = 800, KEYS = 350 };

static records_bytes text; /* key, group, weight */
static size_t        half; /* bytes of whole records, of about half of it */
static records_file  sketches;
static const char    sketches_path[] = "delays.ink", other_path[] = "delays_other.ink",
                  updated_path[] = "delays_updated.ink", many_path[] = "delays_many.ink",
                  narrow_path[] = "delays_narrow.ink", packed_path[] = "delays.zst",
                  cut_path[] = "delays_cut.zst";
static const char *const key_column[] = {"1"};

static ink_reading reading(bool by, bool weight)
{
    return (ink_reading){.form = INK_FORM_TSV,
                         .key = key_column,
                         .key_count = 1,
                         .by = by ? "2" : NULL,
                         .weight = weight ? "3" : NULL};
}

static const ink_params saved_kinds[] = {
    {.kind = "bloom", .expected_keys = 1000},
    {.kind = "count-min", .width = 512, .depth = 3},
    {.kind = "hll", .precision = 10},
};

/* More groups than one thread takes at once: of all, and of half of them a smaller count-min. */
static void build_many(void)
{
    enum { MANY = 4000 };
    const ink_reading by = reading(true, false);
    const ink_params  wide[] = {{.kind = "bloom", .expected_keys = 40},
                                {.kind = "count-min", .width = 16, .depth = 2}};
    const ink_params  narrow[] = {{.kind = "count-min", .width = 8, .depth = 2}};
    records_bytes     groups = {0};
    size_t            middle = 0;

    for (unsigned i = 0; i < MANY; i++) {
        middle = i == MANY / 2 ? groups.count : middle;
        records_say(&groups, "key%u\tgroup%u\t1\nkey%u\tgroup%u\t1\n", i, i, 2 * i, i);
    }
    records_build_file(many_path, groups.bytes, groups.count, &by, wide, 2);
    records_build_file(narrow_path, groups.bytes + middle, groups.count - middle, &by, narrow, 1);
    records_bytes_free(&groups);
}

/* The text as many frames of zstd, and the same cut within one of the last. */
static void pack_text(void)
{
    records_bytes all = {0};
    size_t        cut = 0;

    for (size_t at = 0; at < text.count; at += 137) {
        const size_t left = text.count - at;
        cut = at < text.count / 8 * 7 ? all.count + 20 : cut;
        records_zstd(packed_path, text.bytes + at, left < 137 ? left : 137);
        records_bytes frame = records_read(packed_path);
        records_put(&all, frame.bytes, frame.count);
        records_bytes_free(&frame);
    }
    records_write(packed_path, all.bytes, all.count);
    records_write(cut_path, all.bytes, cut);
    records_bytes_free(&all);
}

static int begin(void **state)
{
    const ink_reading by = reading(true, false);
    uint64_t          random = 1;

    (void)state;
    for (unsigned i = 0; i < RECORDS; i++) {
        uint64_t bits = records_random(&random), few = bits % KEYS, fewer = (bits >> 20) % KEYS;
        uint64_t key = few < fewer ? few : fewer; /* small ones are more frequent */
        records_say(&text, "key%llu\tg%llu\t%llu\n", (unsigned long long)key,
                    (unsigned long long)(key % 3 == 0 ? 0 : key % 7),
                    (unsigned long long)(1 + (bits >> 40) % 9));
    }
    pack_text();
    half = text.count / 2;
    while (text.bytes[half - 1] != '\n')
        half--;
    records_build_file(sketches_path, text.bytes, half, &by, saved_kinds, 3);
    records_build_file(other_path, text.bytes, text.count, &by, saved_kinds, 3);
    ink_set *set = records_build(text.bytes, text.count, &by, saved_kinds, 3);
    sketches = records_encode(set);
    ink_set_free(set);
    build_many();
    return 0;
}

static int end(void **state)
{
    (void)state;
    records_file_close(&sketches);
    records_bytes_free(&text);
    UNLINK(sketches_path, other_path, updated_path, many_path, narrow_path, packed_path, cut_path);
    return 0;
}

/* ---- Jobs: what they give, as bytes ------------------------------------------------------- */

typedef struct job_case {
    const char *what;
    void (*run)(const struct job_case *now, ink_job *job, records_bytes *out);
    ink_params kinds[3];
    bool       by, weight, invert, bad, packed, overfull;
    uint64_t   memory, tests_max;
} job_case;

static ink_input all_text(void)
{
    return (ink_input){.path = "text", .memory = text.bytes, .memory_bytes = text.count};
}

static void put_set(ink_set *set, records_bytes *out)
{
    records_file file = records_encode(set);

    records_put(out, file.bytes, file.count);
    records_file_close(&file);
    ink_set_free(set);
}

/* Half of the data, then some that has a record without a column, then the rest; or the data
 * compressed, cut short if it is bad. */
static size_t inputs_of(const job_case *now, ink_input inputs[3])
{
    static const uint8_t damage[] = "key1\tg1\t1\nonly a key\nkey2\tg2\t2\n";

    inputs[0] = now->packed ? (ink_input){.path = now->bad ? cut_path : packed_path} : all_text();
    if (!now->bad || now->packed)
        return 1;
    inputs[1] = (ink_input){.path = "bad", .memory = damage, .memory_bytes = sizeof damage - 1};
    inputs[2] = all_text();
    return 3;
}

static void run_build(const job_case *now, ink_job *job, records_bytes *out)
{
    ink_input         inputs[3];
    size_t            input_count = inputs_of(now, inputs), count = 0;
    const ink_reading how = reading(now->by, now->weight);
    ink_set          *set = NULL;
    ink_error         error;

    while (count < 3 && now->kinds[count].kind != NULL)
        count++;
    const ink_build_options options = {.kinds = now->kinds, .kind_count = count};
    ink_status status = ink_build(&set, inputs, input_count, &how, &options, job, &error);
    if (now->bad || now->overfull) {
        assert_int_equal(status, now->bad ? INK_FORMAT : INK_PROMISE);
        records_say(out, "%s %llu %s", now->bad ? job->failed_path : "",
                    (unsigned long long)error.at, error.message);
        return;
    }
    CHECK_OK(status);
    records_say(out, "%llu ", (unsigned long long)job->records);
    put_set(set, out);
}

static void run_uniq(const job_case *now, ink_job *job, records_bytes *out)
{
    ink_input              inputs[3];
    size_t                 count = inputs_of(now, inputs);
    const ink_reading      how = reading(false, false);
    const ink_uniq_options options = {.invert = now->invert,
                                      .expected_keys = now->memory != 0 ? 0 : 500};
    const ink_sink         sink = records_sink(out);
    ink_uniq_report        report = {0};
    ink_error              error;

    CHECK_OK(ink_uniq(inputs, count, &how, &options, &sink, &report, job, &error));
    records_say(out, "%llu %llu %a %llu %llu %llu %a", (unsigned long long)report.records,
                (unsigned long long)report.first, report.lost, (unsigned long long)report.lost_high,
                (unsigned long long)report.expected_keys, (unsigned long long)report.bytes,
                report.rate);
}

static void run_filter(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input          input = all_text();
    const ink_reading        how = reading(now->by, false);
    const ink_filter_options options = {
        .kind = "bloom", .invert = now->invert, .by = now->by, .plain = true};
    const ink_sink    sink = records_sink(out);
    ink_filter_report report;
    ink_error         error;
    ink_file         *file;

    CHECK_OK(ink_file_open_any(&file, sketches_path, NULL, &error));
    CHECK_OK(ink_filter(file, &input, 1, &how, &options, &sink, &report, job, &error));
    ink_file_close(file);
    records_say(out, "%llu %llu %llu", (unsigned long long)report.analysed,
                (unsigned long long)report.admitted, (unsigned long long)report.rejected);
}

static int take_count(void *host, const ink_count_row *row)
{
    records_bytes *out = host;

    records_put(out, row->label.group, row->label.group_bytes);
    records_put(out, row->key, row->key_bytes);
    records_put(out, &row->count.estimate, sizeof row->count.estimate);
    return 0;
}

static void run_count(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input         input = all_text();
    const ink_reading       how = reading(now->by, false);
    const ink_reading       grouped = reading(true, false);
    const ink_count_sink    sink = {.row = take_count, .host = out};
    const ink_build_options options = {.kinds = &saved_kinds[1], .kind_count = 1};
    ink_job                 alone = {.threads = 1};
    ink_set                *set;
    ink_error               error;

    CHECK_OK(ink_build(&set, &input, 1, &grouped, &options, &alone, &error));
    CHECK_OK(ink_count_keys(set, &input, 1, &how, &sink, job, &error));
    ink_set_free(set);
}

/* Of the sketches above, or of filters of one kind and half of the data; `invert`: absent keys are
 * given. */
static void run_verify(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input          input = all_text();
    const ink_reading        how = reading(now->kinds[0].kind == NULL || now->by, false);
    const ink_verify_options options = {.absent = now->invert ? &input : NULL,
                                        .absent_count = now->invert,
                                        .tests_max = now->tests_max};
    ink_input                truth = input;
    records_file             made = {0};
    ink_verification        *found;
    ink_verification_summary sum;
    ink_error                error;

    if (now->kinds[0].kind != NULL) {
        ink_set *set = records_build(text.bytes, half, &how, now->kinds, 1);
        made = records_encode(set);
        ink_set_free(set);
    }
    if (now->invert)
        truth.memory_bytes = half;
    CHECK_OK(ink_verify(&found, made.file != NULL ? made.file : sketches.file, &truth, 1, &how,
                        &options, job, &error));
    ink_verification_summarise(found, &sum);
    records_say(out, "%llu %llu %llu %d %d\n", (unsigned long long)sum.members,
                (unsigned long long)sum.tested, (unsigned long long)sum.denied, sum.sampled,
                sum.ok);
    for (size_t i = 0; i < ink_verification_count(found); i++) {
        ink_verify_result row;
        CHECK_OK(ink_verification_row(found, i, &row, &error));
        records_put(out, row.label.group, row.label.group_bytes);
        records_say(out, " %s %d %llu %llu %llu %a %llu %llu %a\n", row.kind, row.ok,
                    (unsigned long long)row.tested, (unsigned long long)row.false_positives,
                    (unsigned long long)row.denied, row.rate, (unsigned long long)row.wrong,
                    (unsigned long long)row.missed, row.error);
    }
    ink_verification_free(found);
    if (made.file != NULL)
        records_file_close(&made);
}

/* Of the two files, of such with other kinds, or (`by`) of many groups; `bad`: half of them do not
 * fit, and the first of these in the order of labels is named. */
static void run_merge(const job_case *now, ink_job *job, records_bytes *out)
{
    const char *const       all_paths[][3] = {{"delays.ink", "delays_other.ink", "delays.ink"},
                                              {many_path, many_path, many_path},
                                              {updated_path, updated_path, updated_path},
                                              {many_path, narrow_path, many_path}};
    const char *const      *paths = all_paths[now->bad                     ? 3
                                              : now->by                    ? 1
                                              : now->kinds[0].kind != NULL ? 2
                                                                           : 0];
    const ink_merge_options options = {.max_rate = now->tests_max == 1 ? 1e-30 : 0.5};
    const ink_reading       how = reading(false, false);
    ink_set                *set;
    ink_error               error;

    if (now->kinds[0].kind != NULL)
        records_build_file(updated_path, text.bytes, text.count, &how, now->kinds, 2);
    ink_status status = ink_merge_files(&set, paths, 3, &options, job, &error);
    if (now->bad || now->tests_max == 1) {
        assert_int_equal(status, now->bad ? INK_MISMATCH : INK_PROMISE);
        records_say(out, "%s %s", job->failed_path, error.message);
        return;
    }
    CHECK_OK(status);
    put_set(set, out);
}

static void run_fold(const job_case *now, ink_job *job, records_bytes *out)
{
    ink_set  *set;
    ink_error error;

    if (now->bad) {
        assert_int_equal(ink_fold_file(&set, many_path, 1e-30, 0, job, &error), INK_PROMISE);
        records_say(out, "%s %s", job->failed_path, error.message);
        return;
    }
    CHECK_OK(ink_fold_file(&set, now->by ? many_path : other_path, 0.2, 0, job, &error));
    put_set(set, out);
}

/* To the sketches of groups, or to those of one kind without. */
static void run_add(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input          input = all_text();
    const bool               alone = now->kinds[0].kind != NULL;
    const ink_reading        how = reading(!alone, now->weight);
    const ink_update_options options = {.once = now->invert,
                                        .max_rate = now->weight || now->tests_max == 2 ? 0 : 0.9};
    ink_update_report        report;
    ink_error                error;

    records_build_file(updated_path, text.bytes, half, &how, alone ? now->kinds : saved_kinds,
                       now->invert || alone ? 1 : 3);
    CHECK_OK(ink_update(updated_path, &input, 1, &how, &options, &report, job, &error));
    records_bytes after = records_read(updated_path);
    records_put(out, after.bytes, after.count);
    records_bytes_free(&after);
    records_say(out, "%llu %llu", (unsigned long long)report.changed,
                (unsigned long long)report.sketches);
}

/* What was added, or (`bad`) keys that were not: the first of them is named. */
static void run_remove(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_params         counting = {.kind = "counting", .expected_keys = 4000};
    const ink_input          input = {.path = "text", .memory = text.bytes, .memory_bytes = half};
    const ink_reading        how = reading(now->by, false);
    const ink_update_options options = {.remove = true};
    ink_update_report        report;
    ink_error                error;

    records_build_file(updated_path, text.bytes, now->bad ? half / 2 : text.count, &how, &counting,
                       1);
    ink_status status = ink_update(updated_path, &input, 1, &how, &options, &report, job, &error);
    assert_int_equal(status, now->bad ? INK_NOT_FOUND : INK_OK);
    records_bytes after = records_read(updated_path);
    records_put(out, after.bytes, after.count);
    records_bytes_free(&after);
    records_say(out, "%llu %llu %s", (unsigned long long)report.changed,
                (unsigned long long)report.absent, now->bad ? error.message : "");
}

/* A file of nine pieces of which two are damaged: the first is reported. */
static void run_open(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_params params = {.kind = "bloom", .bits = (uint64_t)9 << 23};
    ink_sketch      *sketch = files_sketch(&params, 0, 10, NULL);
    ink_file        *file;
    ink_error        error;
    uint8_t         *bytes;
    size_t           count;

    (void)now;
    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    bytes[count - (3 << 20)] ^= 1;
    bytes[count - (7 << 20)] ^= 1;
    records_write(updated_path, bytes, count);
    assert_int_equal(ink_job_open(&file, updated_path, job, &error), INK_FORMAT);
    records_say(out, "%llu %s\n", (unsigned long long)error.at, error.message);
    ink_bytes_free(bytes, count, NULL);
    ink_sketch_free(sketch);
}

/* Of two files by group, as dot and the other questions make it. */
static void run_union(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input         inputs[] = {{.path = now->by ? many_path : sketches_path},
                                        {.path = now->by ? many_path : other_path}};
    const ink_union_options options = {.question = INK_ASK_DOT};
    ink_set                *set;
    ink_entry               entry;
    ink_answer              answer;
    ink_error               error;

    CHECK_OK(ink_union_files(&set, inputs, 2, &options, job, &error));
    for (size_t i = 0; i < ink_set_count(set); i++) {
        CHECK_OK(ink_set_entry(set, i, &entry, &error));
        CHECK_OK(ink_sketch_dot(entry.sketch, entry.sketch, &answer, &error));
        records_say(out, "%a ", answer.estimate);
    }
    put_set(set, out);
}

/* Of hll, or (`bad`) of an estimator that they do not have. */
static void run_distinct(const job_case *now, ink_job *job, records_bytes *out)
{
    enum { MOST = 5000 };
    static ink_entry  entries[MOST];
    static ink_answer answers[MOST];
    const ink_reading by = {.form = INK_FORM_TSV, .key = key_column, .key_count = 1, .by = "1"};
    const ink_params  hll = {.kind = "hll", .precision = 4};
    ink_set          *set = records_build(text.bytes, text.count, &by, &hll, 1);
    size_t            count = 0, groups = ink_set_count(set);
    ink_error         error;

    for (; count < MOST; count++) /* the same ones several times */
        CHECK_OK(ink_set_entry(set, count % groups, &entries[count], &error));
    ink_status status = ink_distinct_entries(
        entries, count, now->bad ? INK_ESTIMATOR_MEAN_OF_POWERS : INK_ESTIMATOR_DEFAULT, 0.95,
        answers, job, &error);
    CHECK(now->bad == (status != INK_OK));
    for (size_t i = 0; i < count && !now->bad; i++)
        records_say(out, "%a %a %a\n", answers[i].estimate, answers[i].low, answers[i].high);
    if (now->bad)
        records_say(out, "%d %s", status, error.message);
    ink_set_free(set);
}

static int take_piece(void *host, uint32_t bucket, const uint8_t *data, size_t bytes)
{
    ink_error error;

    (void)bucket;
    CHECK_OK(ink_reducer_add(host, data, bytes, &error));
    return 0;
}

static int put_piece(void *host, uint32_t bucket, const uint8_t *data, size_t bytes)
{
    (void)bucket;
    records_put(host, data, bytes);
    return 0;
}

/* Pieces go to one reducer as they come; out comes what it finishes. */
static void run_map(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_input          input = all_text();
    const ink_reading        how = reading(now->by, now->weight);
    const ink_build_options  build = {.kinds = now->kinds,
                                      .kind_count = now->kinds[1].kind == NULL ? 1 : 2};
    const ink_pieces_options options = {.build = &build};
    const ink_piece_sink     finished = {.take = put_piece, .host = out};
    ink_reducer             *reducer;
    ink_error                error;

    CHECK_OK(ink_reducer_create(&reducer, &how, &options, job, &error));
    const ink_piece_sink pieces = {.take = take_piece, .host = reducer};
    CHECK_OK(ink_map(&input, 1, &how, &options, &pieces, job, &error));
    CHECK_OK(ink_reducer_finish(reducer, &finished, &error));
    ink_reducer_free(reducer);
}

static void run_generate(const job_case *now, ink_job *job, records_bytes *out)
{
    const ink_generation what = {.kind = "log", .records = 6000};
    const ink_sink       sink = records_sink(out);
    ink_error            error;

    (void)now;
    CHECK_OK(ink_generate(&what, &sink, job, &error));
}

#define TINY ((uint64_t)1 << 12)
#define LARGE_BITS ((uint64_t)5 << 23) /* merged in slices */

static const job_case cases[] = {
    {.what = "bloom -n", .run = run_build, .kinds = {{.kind = "bloom", .expected_keys = 2000}}},
    {.what = "bloom", .run = run_build, .kinds = {{.kind = "bloom"}}},
    {.what = "bloom of many pieces",
     .run = run_build,
     .kinds = {{.kind = "bloom", .bits = (uint64_t)9 << 23}}},
    {.what = "bloom in little memory",
     .run = run_build,
     .kinds = {{.kind = "bloom"}},
     .memory = TINY},
    {.what = "classic -n", .run = run_build, .kinds = {{.kind = "classic", .expected_keys = 2000}}},
    {.what = "classic", .run = run_build, .kinds = {{.kind = "classic"}}},
    {.what = "classic, keys", .run = run_build, .kinds = {{.kind = "classic", .hash = "mmh3"}}},
    {.what = "counting", .run = run_build, .kinds = {{.kind = "counting"}}},
    {.what = "counting -n",
     .run = run_build,
     .kinds = {{.kind = "counting", .expected_keys = 4000}}},
    {.what = "scalable", .run = run_build, .kinds = {{.kind = "scalable", .expected_keys = 100}}},
    {.what = "count-min",
     .run = run_build,
     .kinds = {{.kind = "count-min", .width = 512, .depth = 3}},
     .weight = true},
    {.what = "conservative",
     .run = run_build,
     .kinds = {{.kind = "count-min", .width = 64, .depth = 3, .conservative = true}}},
    {.what = "conservative, weights",
     .run = run_build,
     .kinds = {{.kind = "count-min", .width = 64, .depth = 3, .conservative = true}},
     .weight = true},
    {.what = "top", .run = run_build, .kinds = {{.kind = "top", .phi = 0.05}}},
    {.what = "top, weights",
     .run = run_build,
     .kinds = {{.kind = "top", .phi = 0.05}},
     .weight = true},
    {.what = "hll", .run = run_build, .kinds = {{.kind = "hll", .precision = 8}}},
    {.what = "fuse", .run = run_build, .kinds = {{.kind = "fuse"}}},
    {.what = "fuse in little memory",
     .run = run_build,
     .kinds = {{.kind = "fuse"}},
     .memory = TINY},
    {.what = "fm", .run = run_build, .kinds = {{.kind = "fm"}}},
    {.what = "three kinds",
     .run = run_build,
     .kinds = {{.kind = "bloom"}, {.kind = "top", .phi = 0.1}, {.kind = "hll"}}},
    {.what = "bloom by", .run = run_build, .kinds = {{.kind = "bloom"}}, .by = true},
    {.what = "bloom by, -n",
     .run = run_build,
     .kinds = {{.kind = "bloom", .expected_keys = 2000}},
     .by = true},
    {.what = "bloom by in little memory",
     .run = run_build,
     .kinds = {{.kind = "bloom"}},
     .by = true,
     .memory = TINY},
    {.what = "count-min by",
     .run = run_build,
     .kinds = {{.kind = "count-min", .width = 64, .depth = 3}},
     .by = true,
     .weight = true},
    {.what = "top by", .run = run_build, .kinds = {{.kind = "top", .phi = 0.05}}, .by = true},
    {.what = "scalable by",
     .run = run_build,
     .kinds = {{.kind = "scalable", .expected_keys = 20}},
     .by = true},
    {.what = "hll by", .run = run_build, .kinds = {{.kind = "hll", .precision = 8}}, .by = true},
    {.what = "fuse by", .run = run_build, .kinds = {{.kind = "fuse"}}, .by = true},
    {.what = "fuse by in little memory",
     .run = run_build,
     .kinds = {{.kind = "fuse"}},
     .by = true,
     .memory = TINY},
    {.what = "three kinds by",
     .run = run_build,
     .kinds = {{.kind = "counting"}, {.kind = "top", .phi = 0.1}, {.kind = "fm"}},
     .by = true},
    {.what = "a bad record", .run = run_build, .kinds = {{.kind = "hll"}}, .by = true, .bad = true},
    {.what = "a bad record, in order",
     .run = run_build,
     .kinds = {{.kind = "top"}},
     .by = true,
     .bad = true},
    {.what = "overfull by",
     .run = run_build,
     .kinds = {{.kind = "bloom", .expected_keys = 20}},
     .by = true,
     .overfull = true},
    {.what = "hll of frames", .run = run_build, .kinds = {{.kind = "hll"}}, .packed = true},
    {.what = "top of frames", .run = run_build, .kinds = {{.kind = "top"}}, .packed = true},
    {.what = "frames that are cut",
     .run = run_build,
     .kinds = {{.kind = "hll"}},
     .bad = true,
     .packed = true},
    {.what = "uniq of frames", .run = run_uniq, .packed = true},
    {.what = "uniq", .run = run_uniq},
    {.what = "uniq, repeats", .run = run_uniq, .invert = true},
    {.what = "uniq in little memory", .run = run_uniq, .memory = 512},
    {.what = "uniq of several", .run = run_uniq, .bad = true},
    {.what = "filter", .run = run_filter},
    {.what = "filter, others", .run = run_filter, .invert = true},
    {.what = "filter by", .run = run_filter, .by = true},
    {.what = "count", .run = run_count},
    {.what = "count by", .run = run_count, .by = true},
    {.what = "verify", .run = run_verify},
    {.what = "verify by", .run = run_verify, .kinds = {{.kind = "bloom"}}, .by = true},
    {.what = "verify of a fuse by", .run = run_verify, .kinds = {{.kind = "fuse"}}, .by = true},
    {.what = "verify by, a sample",
     .run = run_verify,
     .kinds = {{.kind = "bloom"}},
     .by = true,
     .tests_max = 1000},
    {.what = "verify by, keys",
     .run = run_verify,
     .kinds = {{.kind = "classic", .hash = "mmh3"}},
     .by = true},
    {.what = "verify by in little memory",
     .run = run_verify,
     .kinds = {{.kind = "bloom"}},
     .by = true,
     .memory = TINY},
    {.what = "verify, random keys",
     .run = run_verify,
     .kinds = {{.kind = "bloom"}},
     .tests_max = 3000},
    {.what = "verify, absent keys",
     .run = run_verify,
     .kinds = {{.kind = "classic", .hash = "mmh3"}},
     .invert = true},
    {.what = "verify by, absent keys",
     .run = run_verify,
     .kinds = {{.kind = "bloom"}},
     .by = true,
     .invert = true,
     .memory = TINY},
    {.what = "merge", .run = run_merge},
    {.what = "merge of many groups", .run = run_merge, .by = true},
    {.what = "merge of groups that do not fit", .run = run_merge, .bad = true},
    {.what = "merge of groups above a rate", .run = run_merge, .by = true, .tests_max = 1},
    {.what = "merge of large filters",
     .run = run_merge,
     .kinds = {{.kind = "bloom", .bits = LARGE_BITS}, {.kind = "counting", .bits = LARGE_BITS}}},
    {.what = "merge of large counters",
     .run = run_merge,
     .kinds = {{.kind = "classic", .expected_keys = LARGE_BITS / 8, .false_positive_rate = 0.01},
               {.kind = "count-min", .width = LARGE_BITS / 64, .depth = 3}}},
    {.what = "fold", .run = run_fold},
    {.what = "fold of many groups", .run = run_fold, .by = true},
    {.what = "fold of groups above a rate", .run = run_fold, .bad = true},
    {.what = "add", .run = run_add},
    {.what = "add once", .run = run_add, .invert = true},
    {.what = "add to a bloom", .run = run_add, .kinds = {{.kind = "bloom", .expected_keys = 2000}}},
    {.what = "add to a large bloom",
     .run = run_add,
     .kinds = {{.kind = "bloom", .bits = LARGE_BITS}}},
    {.what = "add to a count-min",
     .run = run_add,
     .kinds = {{.kind = "count-min", .width = 512, .depth = 3}},
     .weight = true},
    {.what = "add to a conservative count-min",
     .run = run_add,
     .kinds = {{.kind = "count-min", .width = 64, .depth = 3, .conservative = true}},
     .weight = true},
    {.what = "add to an hll",
     .run = run_add,
     .kinds = {{.kind = "hll", .precision = 8}},
     .tests_max = 2},
    {.what = "remove", .run = run_remove},
    {.what = "remove by", .run = run_remove, .by = true},
    {.what = "remove of absent keys", .run = run_remove, .bad = true},
    {.what = "open", .run = run_open},
    {.what = "distinct of groups", .run = run_distinct},
    {.what = "distinct of groups that fails", .run = run_distinct, .bad = true},
    {.what = "union", .run = run_union},
    {.what = "union of many groups", .run = run_union, .by = true},
    {.what = "map and reduce",
     .run = run_map,
     .kinds = {{.kind = "bloom"}, {.kind = "hll", .precision = 8}}},
    {.what = "map and reduce by",
     .run = run_map,
     .kinds = {{.kind = "bloom"}, {.kind = "count-min", .width = 64, .depth = 3}},
     .by = true,
     .weight = true},
    {.what = "map and reduce in little memory",
     .run = run_map,
     .kinds = {{.kind = "counting"}},
     .by = true,
     .memory = TINY},
    {.what = "map and reduce of a fuse by",
     .run = run_map,
     .kinds = {{.kind = "fuse"}, {.kind = "hll", .precision = 8}},
     .by = true},
    {.what = "gen", .run = run_generate},
};

/* ---- Any number of threads ---------------------------------------------------------------- */

static records_bytes result_of(const job_case *now, unsigned threads, uint64_t chunk)
{
    ink_job       job = {.threads = threads, .chunk_bytes = chunk, .memory_bytes = now->memory};
    records_bytes out = {0};

    now->run(now, &job, &out);
    return out;
}

TEST(every_job_gives_the_bytes_of_one_thread)
{
    static const struct {
        unsigned threads;
        uint64_t chunk;
    } ways[] = {{1, 1}, {2, 1}, {3, 64}, {5, 3000}, {16, 200}, {33, 50}, {64, 400}};
    const size_t step = records_light() ? 3 : 1;

    for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
        records_bytes expected = result_of(&cases[c], 1, 0);
        CHECK(expected.count > 0);
        for (size_t w = 0; w < sizeof ways / sizeof *ways; w += step) {
            atomic_store(&delays_seed, 1000 * c + w);
            atomic_store(&delaying, true);
            records_bytes found = result_of(&cases[c], ways[w].threads, ways[w].chunk);
            atomic_store(&delaying, false);
            if (found.count != expected.count ||
                memcmp(found.bytes, expected.bytes, found.count) != 0)
                fail_msg("%s: %u threads, chunks of %llu bytes: other bytes than one thread",
                         cases[c].what, ways[w].threads, (unsigned long long)ways[w].chunk);
            records_bytes_free(&found);
        }
        records_bytes_free(&expected);
    }
}

RUN_TESTS(.begin = begin, .end = end)
