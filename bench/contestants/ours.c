/* ours.c - the contestant that is measured: the library, called as a program calls it that has many
 * keys, in one batch each; and as threads of a server call it, key by key, into one filter. Names
 * are those of kinds. */
#include "contest.h"
#include "inkling_job.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

static ink_error error;

static void must(ink_status status)
{
    if (status != INK_OK)
        contest_fail(error.message);
}

/* A sketch and the memory for its answers, which is made with it, outside of the clock. */
typedef struct subject {
    ink_sketch     *sketch;
    uint8_t        *maybe;
    ink_answer     *counts;
    pthread_mutex_t mutex; /* of bloom-mutex */
} subject;

/* Keys asked for their counts at a time: their answers, 40 bytes each, stay in the first cache. */
enum { COUNTED = 512 };

static ink_batch batch_of(const keys *all, int series, size_t from, size_t count)
{
    if (all->ints[series] != NULL)
        return (ink_batch){.count = count, .ints = (const int64_t *)all->ints[series] + from};
    return (ink_batch){.count = count, .data = all->bytes[series], .offsets = all->offsets + from};
}

static subject *make(const question *asked, ink_params params)
{
    subject *made = contest_memory(sizeof *made);

    params.key_type = strcmp(asked->form, "u64") == 0 ? INK_KEY_INT : INK_KEY_BYTES;
    *made = (subject){0};
    must(ink_sketch_create(&made->sketch, &params, NULL, &error));
    return made;
}

static void *make_filter(const question *asked)
{
    /* The first level of a scalable that does not know how many will come. */
    const bool  grows = strcmp(asked->name, "scalable") == 0;
    const char *hash = strchr(asked->name, '-');
    subject    *made = make(asked, (ink_params){.kind = hash == NULL ? asked->name : "classic",
                                                .hash = hash == NULL ? NULL : hash + 1,
                                                .expected_keys = grows ? 0 : asked->count,
                                                .false_positive_rate = 0.01});

    made->maybe = contest_memory(asked->count);
    memset(made->maybe, 0, asked->count);
    return made;
}

static void *make_counters(const question *asked)
{
    const uint64_t width = strcmp(asked->workload, "count16") == 0 ? 1 << 16 : 1 << 22;
    subject       *made = make(
              asked, (ink_params){.kind = "count-min",
                                  .width = width,
                                  .depth = 4,
                                  .conservative = strcmp(asked->name, "count-min-conservative") == 0});

    made->counts = contest_memory(COUNTED * sizeof *made->counts);
    return made;
}

static void *make_plain(const question *asked)
{
    return make(asked, (ink_params){.kind = asked->name});
}

static void drop(void *sketch)
{
    subject *one = sketch;

    ink_sketch_free(one->sketch);
    free(one->maybe);
    free(one->counts);
    free(one);
}

/* A filter that is made of all keys at once, from the bytes of an array; or of a draft, which has
 * them when the clock starts. */
static const ink_params static_params = {
    .kind = "fuse", .false_positive_rate = 1.0 / 256, .key_type = INK_KEY_INT};

typedef struct maker {
    subject    one;
    ink_draft *draft;
} maker;

static void *make_static(const question *asked)
{
    maker *made = contest_memory(sizeof *made);

    *made = (maker){.one.maybe = contest_memory(asked->count)};
    memset(made->one.maybe, 0, asked->count);
    return made;
}

static void *make_draft(const question *asked)
{
    const ink_batch batch = batch_of(&asked->keys, ADDED, 0, asked->count);
    maker          *made = make_static(asked);

    must(ink_draft_create(&made->draft, &static_params, 0, NULL, &error));
    must(ink_draft_add_batch(made->draft, &batch, &error));
    return made;
}

static void build_static(void *sketch, const question *asked)
{
    const ink_input         input = {.memory = (const uint8_t *)asked->keys.ints[ADDED],
                                     .memory_bytes = asked->count * sizeof(uint64_t)};
    const ink_reading       reading = {.form = INK_FORM_U64, .keys = INK_KEYS_INT};
    const ink_build_options options = {.kinds = &static_params, .kind_count = 1};
    ink_job                 job = {.threads = asked->threads, .memory_bytes = UINT64_C(1) << 36};
    ink_set                *set;

    must(ink_build(&set, &input, 1, &reading, &options, &job, &error));
    must(ink_set_take(set, 0, &((maker *)sketch)->one.sketch, &error));
    ink_set_free(set);
}

static void finish_draft(void *sketch, const question *asked)
{
    maker *of = sketch;

    (void)asked;
    must(ink_draft_finish(&of->one.sketch, of->draft, 0, &error));
}

static void drop_static(void *sketch)
{
    ink_draft_free(((maker *)sketch)->draft);
    drop(sketch);
}

/* One filter for all threads, without a lock or with one around each call. */
static bool is_locked(const question *asked)
{
    return strcmp(asked->name, "bloom-mutex") == 0;
}

static void *make_shared(const question *asked)
{
    subject *made = make(asked, (ink_params){.kind = "bloom",
                                             .expected_keys = asked->count,
                                             .false_positive_rate = 0.01,
                                             .concurrent = !is_locked(asked)});

    pthread_mutex_init(&made->mutex, NULL);
    return made;
}

static void add(void *sketch, const question *asked)
{
    const ink_batch batch = batch_of(&asked->keys, ADDED, 0, asked->count);
    ink_job         job = {.threads = asked->threads};

    if (asked->threads == 1)
        must(ink_sketch_add_batch(((subject *)sketch)->sketch, &batch, &error));
    else
        must(ink_job_add_batch(((subject *)sketch)->sketch, &batch, &job, &error));
}

/* Some of the keys, asked by one thread. */
typedef struct session {
    pthread_t       thread;
    subject        *one;
    const question *asked;
    int             series;
    bool            adds;
    size_t          from, count;
    uint64_t        found;
} session;

/* How many of these bytes, each 0 or 1, are 1; eight at a time, to take little of the clock. */
static uint64_t ones(const uint8_t *bytes, size_t count)
{
    uint64_t sum = 0, word;
    size_t   i = 0;

    for (; i + 8 <= count; i += 8) {
        memcpy(&word, bytes + i, 8);
        sum += word * 0x0101010101010101u >> 56;
    }
    for (; i < count; i++)
        sum += bytes[i];
    return sum;
}

static void *ask_some(void *context)
{
    session        *some = context;
    const ink_batch batch = batch_of(&some->asked->keys, some->series, some->from, some->count);
    uint8_t        *maybe = some->one->maybe + some->from;
    ink_error       failure;

    if (ink_sketch_contains_batch(some->one->sketch, &batch, maybe, &failure) != INK_OK)
        contest_fail(failure.message);
    some->found = ones(maybe, some->count);
    return NULL;
}

/* Adds one key, or asks for it. */
static uint64_t take_key(session *some, size_t i)
{
    const keys    *all = &some->asked->keys;
    ink_sketch    *sketch = some->one->sketch;
    const uint8_t *text = all->bytes[some->series];
    const int64_t *ints = (const int64_t *)all->ints[some->series];

    if (!some->adds)
        return (uint64_t)(ints != NULL
                              ? ink_sketch_maybe_int(sketch, ints[i])
                              : ink_sketch_maybe(sketch, text + STRING_BYTES * i, STRING_BYTES));
    must(ints != NULL ? ink_sketch_add_int(sketch, ints[i], NULL)
                      : ink_sketch_add(sketch, text + STRING_BYTES * i, STRING_BYTES, NULL));
    return 0;
}

/* Keys that a thread has collected. */
enum { FEW = 64 };

static uint64_t take_few(session *some, size_t from, size_t count)
{
    const ink_batch batch = batch_of(&some->asked->keys, some->series, from, count);
    uint8_t         maybe[FEW];

    if (some->adds) {
        must(ink_sketch_add_batch(some->one->sketch, &batch, NULL));
        return 0;
    }
    must(ink_sketch_contains_batch(some->one->sketch, &batch, maybe, NULL));
    return ones(maybe, count);
}

static void *take_keys(void *context)
{
    session     *some = context;
    const bool   locked = is_locked(some->asked);
    const size_t end = some->from + some->count;
    const size_t few = strcmp(some->asked->name, "bloom-concurrent-64") == 0 ? FEW : 1;
    uint64_t     found = 0;

    for (size_t i = some->from; i < end; i += few) {
        if (locked)
            pthread_mutex_lock(&some->one->mutex);
        found += few == 1 ? take_key(some, i) : take_few(some, i, end - i < few ? end - i : few);
        if (locked)
            pthread_mutex_unlock(&some->one->mutex);
    }
    some->found = found;
    return NULL;
}

/* The keys are shared out evenly. */
static uint64_t share_out(subject *one, const question *asked, int series, bool adds,
                          void *(*work)(void *))
{
    enum { THREADS_MAX = 64 };
    const size_t threads = asked->threads < THREADS_MAX ? asked->threads : THREADS_MAX;
    session      sessions[THREADS_MAX];
    uint64_t     found = 0;

    for (size_t i = 0; i < threads; i++) {
        const size_t from = asked->count * i / threads;
        sessions[i] = (session){.one = one,
                                .asked = asked,
                                .adds = adds,
                                .series = series,
                                .from = from,
                                .count = asked->count * (i + 1) / threads - from};
        if (i > 0 && pthread_create(&sessions[i].thread, NULL, work, &sessions[i]) != 0)
            contest_fail("a thread cannot be started");
    }
    work(&sessions[0]);
    for (size_t i = 1; i < threads; i++)
        pthread_join(sessions[i].thread, NULL);
    for (size_t i = 0; i < threads; i++)
        found += sessions[i].found;
    return found;
}

/* Any number of threads may ask. */
static uint64_t ask_filter(void *sketch, const question *asked, int series)
{
    return share_out(sketch, asked, series, false, ask_some);
}

static uint64_t ask_shared(void *sketch, const question *asked, int series)
{
    return share_out(sketch, asked, series, false, take_keys);
}

static void add_shared(void *sketch, const question *asked)
{
    share_out(sketch, asked, ADDED, true, take_keys);
}

/* Four sums in turn, to take little of the clock: each addition waits for the one before. */
static double sum_of(const ink_answer *counts, size_t count)
{
    double sums[4] = {0};
    size_t i = 0;

    for (; i + 4 <= count; i += 4)
        for (size_t j = 0; j < 4; j++)
            sums[j] += counts[i + j].estimate;
    for (; i < count; i++)
        sums[0] += counts[i].estimate;
    return sums[0] + sums[1] + sums[2] + sums[3];
}

static uint64_t ask_counters(void *sketch, const question *asked, int series)
{
    const subject *one = sketch;
    double         sum = 0;

    for (size_t from = 0; from < asked->count; from += COUNTED) {
        const size_t    count = asked->count - from < COUNTED ? asked->count - from : COUNTED;
        const ink_batch batch = batch_of(&asked->keys, series, from, count);
        must(ink_sketch_count_batch(one->sketch, &batch, one->counts, &error));
        sum += sum_of(one->counts, count);
    }
    return (uint64_t)sum;
}

static double distinct(void *sketch, const question *asked)
{
    ink_answer answer;

    (void)asked;
    must(ink_sketch_distinct(((subject *)sketch)->sketch, 0, &answer, &error));
    return answer.estimate;
}

static void *make_with_their_hash(const question *asked)
{
    return make(asked, (ink_params){.kind = "theta", .hash = "murmur3-128", .seed = 9001});
}

/* A window of many slots, whose union is what the clock runs for; or of as many equal ones. */
typedef struct window {
    ink_file   *file;
    uint8_t    *data;
    size_t      bytes;
    ink_sketch *all;
} window;

static void *make_window(const question *asked)
{
    enum { SLOTS = 1000 };
    const bool   equal = strcmp(asked->workload, "union-equal") == 0;
    const size_t each = asked->count / SLOTS;
    ink_entry   *entries = contest_memory(SLOTS * sizeof *entries);
    subject     *slots[SLOTS];
    window      *made = contest_memory(sizeof *made);

    for (size_t i = 0; i < SLOTS; i++) {
        const ink_batch batch = batch_of(&asked->keys, ADDED, equal ? 0 : i * each, each);
        slots[i] = make(asked, (ink_params){.kind = asked->name});
        must(ink_sketch_add_batch(slots[i]->sketch, &batch, &error));
        entries[i] = (ink_entry){.label = {.has_slot = true, .slot = (int64_t)i},
                                 .sketch = slots[i]->sketch};
    }
    *made = (window){0};
    must(ink_contents_encode(&(ink_contents){.entries = entries, .entry_count = SLOTS}, &made->data,
                             &made->bytes, &error));
    must(ink_file_decode(&made->file, made->data, made->bytes, INK_OPEN_CHECKED, NULL, &error));
    for (size_t i = 0; i < SLOTS; i++)
        drop(slots[i]);
    free(entries);
    return made;
}

static void merge_window(void *sketch, const question *asked)
{
    window *one = sketch;

    (void)asked;
    must(ink_file_last(one->file, NULL, NULL, 0, &one->all, &error));
}

static double distinct_in_window(void *sketch, const question *asked)
{
    return distinct(&(subject){.sketch = ((window *)sketch)->all}, asked);
}

static uint64_t window_bytes(const void *sketch)
{
    return ((const window *)sketch)->bytes;
}

static void drop_window(void *sketch)
{
    window *one = sketch;

    ink_sketch_free(one->all);
    ink_file_close(one->file);
    ink_bytes_free(one->data, one->bytes, NULL);
    free(one);
}

static double heaviest(void *sketch, const question *asked)
{
    ink_item item;
    size_t   found;

    (void)asked;
    must(ink_sketch_top(((subject *)sketch)->sketch, &item, 1, &found, &error));
    return found == 1 ? item.count.estimate : 0;
}

static uint64_t bytes(const void *sketch)
{
    ink_description d;

    ink_sketch_describe(((const subject *)sketch)->sketch, &d);
    return d.bytes;
}

#define FILTER(NAME, THREADS)                                                                      \
    {                                                                                              \
        .name = NAME, .workload = "filter", .forms = "u64,str16", .most = UINT32_MAX,              \
        .threads = THREADS,                                                                        \
        .how = "ink_sketch_add_batch, ink_sketch_contains_batch; ink_job_add_batch",               \
        .make = make_filter, .add = add, .ask = ask_filter, .bytes = bytes, .drop = drop           \
    }
/* Under the hash of another system. */
#define FOREIGN(NAME)                                                                              \
    {                                                                                              \
        .name = NAME, .workload = "filter", .forms = "u64", .most = 10000000, .threads = "1",      \
        .how = "ink_sketch_add_batch, ink_sketch_contains_batch", .make = make_filter, .add = add, \
        .ask = ask_filter, .bytes = bytes, .drop = drop                                            \
    }
#define SHARED(NAME, HOW)                                                                          \
    {                                                                                              \
        .name = NAME, .workload = "filter", .forms = "u64,str16", .most = 10000000,                \
        .threads = "1,2", .how = HOW, .make = make_shared, .add = add_shared, .ask = ask_shared,   \
        .bytes = bytes, .drop = drop                                                               \
    }
#define COUNTERS(NAME, WORKLOAD)                                                                   \
    {                                                                                              \
        .name = NAME, .workload = WORKLOAD, .forms = "u64,str16", .most = UINT32_MAX,              \
        .threads = "1", .how = "ink_sketch_add_batch, ink_sketch_count_batch",                     \
        .make = make_counters, .add = add, .ask = ask_counters, .bytes = bytes, .drop = drop       \
    }
#define PLAIN(NAME, WORKLOAD, THREADS, ANSWER)                                                     \
    {                                                                                              \
        .name = NAME, .workload = WORKLOAD, .forms = "u64,str16", .most = UINT32_MAX,              \
        .threads = THREADS, .how = "ink_sketch_add_batch; ink_job_add_batch", .make = make_plain,  \
        .add = add, .answer = ANSWER, .bytes = bytes, .drop = drop                                 \
    }
#define WITH_THEIR_HASH(NAME)                                                                      \
    {                                                                                              \
        .name = NAME, .workload = "distinct", .forms = "u64", .most = UINT32_MAX, .threads = "1",  \
        .how = "the same with the hash murmur3-128", .make = make_with_their_hash, .add = add,     \
        .answer = distinct, .bytes = bytes, .drop = drop                                           \
    }
#define STATIC(NAME, THREADS, HOW, MAKE, ADD)                                                      \
    {                                                                                              \
        .name = NAME, .workload = "static", .forms = "u64", .most = UINT32_MAX,                    \
        .threads = THREADS, .how = HOW, .make = MAKE, .add = ADD, .ask = ask_filter,               \
        .bytes = bytes, .drop = drop_static                                                        \
    }
#define UNION(WORKLOAD)                                                                            \
    {                                                                                              \
        .name = "theta", .workload = WORKLOAD, .forms = "u64", .most = UINT32_MAX, .threads = "1", \
        .how = "ink_file_last of 1,000 slots", .make = make_window, .add = merge_window,           \
        .answer = distinct_in_window, .bytes = window_bytes, .drop = drop_window                   \
    }

/* INK_CPU may name instructions that this machine has not: said before anything is offered. */
static void try_one(void)
{
    ink_sketch *sketch;

    must(ink_sketch_create(&sketch, &(ink_params){.kind = "bloom", .expected_keys = 1}, NULL,
                           &error));
    ink_sketch_free(sketch);
}

int main(void)
{
    static const way ways[] = {
        FILTER("bloom", "1,2"),
        FILTER("classic", "1,2"),
        FOREIGN("classic-spark-v1"),
        FOREIGN("classic-guava"),
        FILTER("counting", "1,2"),
        FILTER("scalable", "1"),
        SHARED("bloom-concurrent", "a concurrent bloom: ink_sketch_add, ink_sketch_maybe"),
        SHARED("bloom-concurrent-64", "the same in batches of 64 keys"),
        SHARED("bloom-mutex", "a plain bloom, key by key, with a lock around each call"),
        COUNTERS("count-min", "count16"),
        COUNTERS("count-min", "count22"),
        COUNTERS("count-min-conservative", "count16"),
        PLAIN("hll", "distinct", "1,2", distinct),
        PLAIN("fm", "distinct", "1,2", distinct),
        PLAIN("theta", "distinct", "1,2", distinct),
        WITH_THEIR_HASH("theta-murmur3"),
        STATIC("fuse", "1,2", "ink_build of an array", make_static, build_static),
        STATIC("fuse-draft", "1", "ink_draft_finish", make_draft, finish_draft),
        UNION("union"),
        UNION("union-equal"),
        PLAIN("top", "frequent", "1", heaviest),
    };

    try_one();
    contest_serve(ways, sizeof ways / sizeof ways[0]);
    return 0;
}
