/* demo.c - what `make demo-library` shows: a filter of a million keys built, saved, mapped and
 * measured; counts and the most frequent keys of a skewed stream; a distinct count in 12 kB; and
 * one filter per group in one file. Takes an optional folder to work in. */
#include <inkling_file.h>

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { KEYS = 1000000, BATCH = 1000 };

static ink_error error;

static void must(ink_status status)
{
    char text[300];

    if (status == INK_OK)
        return;
    ink_error_text(&error, text, sizeof text);
    fprintf(stderr, "demo: %s\n", text);
    exit(1);
}

static double seconds(void)
{
    struct timespec now;

    timespec_get(&now, TIME_UTC);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Keys such as "user-0000123": numbers `first` to `first + BATCH - 1`, back to back. */
static ink_batch make_batch(uint64_t first, uint8_t *bytes, uint64_t *offsets)
{
    offsets[0] = 0;
    for (int i = 0; i < BATCH; i++) {
        int length = sprintf((char *)bytes + offsets[i], "user-%07" PRIu64, first + (uint64_t)i);
        offsets[i + 1] = offsets[i] + (uint64_t)length;
    }
    return (ink_batch){.count = BATCH, .data = bytes, .offsets = offsets};
}

static void add_keys(ink_sketch *sketch, uint64_t first, uint64_t count)
{
    static uint8_t  bytes[BATCH * 24];
    static uint64_t offsets[BATCH + 1];

    for (uint64_t done = 0; done < count; done += BATCH) {
        ink_batch batch = make_batch(first + done, bytes, offsets);
        if (count - done < BATCH)
            batch.count = (size_t)(count - done);
        must(ink_sketch_add_batch(sketch, &batch, &error));
    }
}

static uint64_t count_found(const ink_sketch *sketch, uint64_t first, uint64_t count)
{
    static uint8_t  bytes[BATCH * 24], answers[BATCH];
    static uint64_t offsets[BATCH + 1];
    uint64_t        found = 0;

    for (uint64_t done = 0; done < count; done += BATCH) {
        ink_batch batch = make_batch(first + done, bytes, offsets);
        must(ink_sketch_contains_batch(sketch, &batch, answers, &error));
        for (int i = 0; i < BATCH; i++)
            found += answers[i];
    }
    return found;
}

static void show_filter(const char *path)
{
    const ink_params params = {.kind = "bloom", .expected_keys = KEYS, .false_positive_rate = 0.01};
    ink_sketch      *filter, *view;
    ink_file        *file;
    ink_description  d;
    double           rate, start = seconds();

    must(ink_sketch_create(&filter, &params, NULL, &error));
    add_keys(filter, 0, KEYS);
    ink_sketch_describe(filter, &d);
    printf("have I seen this key?   bloom, %d keys, %" PRIu64
           " bytes, %.2f bits a key, built in %.0f ms\n",
           KEYS, d.bytes, d.bits_per_key, 1e3 * (seconds() - start));
    must(ink_sketch_save(filter, path, &error));
    ink_sketch_free(filter);

    must(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
    must(ink_file_sketch(file, 0, &view, &error));
    must(ink_sketch_rate(view, &rate, &error));
    uint64_t found = count_found(view, 0, KEYS), wrong = count_found(view, KEYS, KEYS);
    printf("  saved, mapped, asked: %" PRIu64 " of %d members found, %" PRIu64
           " of %d non-members let in\n",
           found, KEYS, wrong, KEYS);
    printf("  false-positive rate: asked %.4f, from the bits %.4f, measured %.4f\n", d.target_rate,
           rate, (double)wrong / KEYS);
    ink_sketch_free(view);
    ink_file_close(file);
    if (found != KEYS || wrong > KEYS / 100 * 11 / 10) {
        fprintf(stderr, "demo: the promise is broken\n");
        exit(1);
    }
}

/* User u comes KEYS / (u + 1) times, for the first users: a Zipf distribution. */
static void show_counts(void)
{
    const ink_params as_counts = {.kind = "count-min"}, as_top = {.kind = "top"};
    enum { USERS = 1000 };
    ink_sketch     *counts, *top;
    ink_description d;
    ink_answer      answer;
    ink_item        items[3];
    size_t          found;
    uint64_t        weights[BATCH], offsets[BATCH + 1];
    static uint8_t  bytes[BATCH * 24];
    ink_batch       batch = make_batch(0, bytes, offsets);

    must(ink_sketch_create(&counts, &as_counts, NULL, &error));
    must(ink_sketch_create(&top, &as_top, NULL, &error));
    for (unsigned user = 0; user < USERS; user++)
        weights[user] = KEYS / (user + 1);
    batch.count = USERS;
    batch.weights = weights;
    must(ink_sketch_add_batch(counts, &batch, &error));
    must(ink_sketch_add_batch(top, &batch, &error));
    add_keys(counts, KEYS, KEYS); /* and a million more that come once */
    add_keys(top, KEYS, KEYS);
    ink_sketch_describe(counts, &d);
    must(ink_sketch_count(counts, "user-0000099", 12, &answer, &error));
    printf("how often?              count-min, %" PRIu64 " in all, %" PRIu64
           " bytes: user-0000099 %.0f to %.0f times, truly %d\n",
           d.total, d.bytes, answer.low, answer.high, KEYS / 100);
    must(ink_sketch_top(top, items, 3, &found, &error));
    printf("which most?             top:");
    for (size_t i = 0; i < found; i++)
        printf("%s %.*s %.0f", i == 0 ? "" : ",", (int)items[i].key_bytes,
               (const char *)items[i].key, items[i].count.estimate);
    printf("; truly %d, %d, %d\n", KEYS, KEYS / 2, KEYS / 3);
    ink_sketch_free(top);
    ink_sketch_free(counts);
}

static void show_distinct(void)
{
    const ink_params params = {.kind = "hll"};
    ink_sketch      *counter;
    ink_description  d;
    ink_answer       answer;

    must(ink_sketch_create(&counter, &params, NULL, &error));
    add_keys(counter, 0, KEYS);
    add_keys(counter, 0, KEYS / 2); /* seen before: nothing new */
    must(ink_sketch_distinct(counter, 0.95, &answer, &error));
    ink_sketch_describe(counter, &d);
    printf("how many different?     hll, %" PRIu64 " records in %" PRIu64
           " bytes: %.0f (95 %%: %.0f to %.0f), truly %d\n",
           d.records, d.bytes, answer.estimate, answer.low, answer.high, KEYS);
    ink_sketch_free(counter);
}

enum { GROUPS = 10 };

static void show_groups(const char *path)
{
    ink_entry   entries[GROUPS];
    ink_sketch *groups[GROUPS], *one;
    char        names[GROUPS][4];
    ink_file   *file;
    ink_label   eight = ink_group("8");
    size_t      index;

    for (int i = 0; i < GROUPS; i++) {
        const ink_params params = {.kind = "bloom", .expected_keys = 1000u * (unsigned)(i + 1)};
        must(ink_sketch_create(&groups[i], &params, NULL, &error));
        add_keys(groups[i], (uint64_t)i * 100000, 1000u * (unsigned)(i + 1));
        snprintf(names[i], sizeof names[i], "%d", i + 1);
        entries[i] = (ink_entry){.label = ink_group(names[i]), .sketch = groups[i]};
    }
    must(ink_contents_save(path, &(ink_contents){.entries = entries, .entry_count = GROUPS},
                           &error));
    for (int i = 0; i < GROUPS; i++)
        ink_sketch_free(groups[i]);

    must(ink_file_open(&file, path, INK_OPEN_LAZY, NULL, &error));
    must(ink_file_find(file, "bloom", &eight, &index, &error));
    must(ink_file_sketch(file, index, &one, &error));
    printf("one filter per group:   %d groups in one file; group 8 holds %" PRIu64
           " of its 8000 keys\n",
           GROUPS, count_found(one, 700000, 8000));
    ink_sketch_free(one);
    ink_file_close(file);
}

int main(int argc, char **argv)
{
    char        path[512];
    const char *folder = argc > 1 ? argv[1] : getenv("TMPDIR") != NULL ? getenv("TMPDIR") : "/tmp";

    snprintf(path, sizeof path, "%s/inkling-demo.ink", folder);
    show_filter(path);
    show_counts();
    show_distinct();
    show_groups(path);
    remove(path);
    return 0;
}
