/* caller.c - a program as others compiled it: it fills, or is given, every struct of the headers
 * that may get a field, and checks what it finds. caller-x86_64.o is this file as compiled against
 * the headers of version 0.2, and is kept: check_growth.py runs it with later libraries. It uses no
 * name that later headers may change, and nothing but the C library besides. */
#include <inkling_arrow.h>
#include <inkling_pieces.h>
#include <inkling_stream.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static unsigned  checks;
static ink_error error;

static void check(bool holds, int line, const char *what)
{
    checks++;
    if (holds)
        return;
    fprintf(stderr, "caller.c:%d: %s (%s)\n", line, what, error.message);
    exit(1);
}

#define CHECK(what) check(what, __LINE__, #what)
#define OK(call) CHECK((call) == INK_OK)

/* A struct that the library fills, and bytes after it that it must leave alone. */
#define FILLED(type, name)                                                                         \
    struct {                                                                                       \
        type    is;                                                                                \
        uint8_t after[256];                                                                        \
    } name;                                                                                        \
    memset(&name, 0x5a, sizeof name)
#define CHECK_AFTER(name) CHECK(is_untouched(name.after, sizeof name.after))

static bool is_untouched(const uint8_t *bytes, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (bytes[i] != 0x5a)
            return false;
    return true;
}

/* What a struct has in its last word of room needs another library. */
#define CHECK_REFUSED(object, call)                                                                \
    do {                                                                                           \
        (object).reserved[sizeof(object).reserved / sizeof(object).reserved[0] - 1] = 1;           \
        CHECK((call) == INK_USAGE);                                                                \
        CHECK(strstr(error.message, "reserved") != NULL);                                          \
        (object).reserved[sizeof(object).reserved / sizeof(object).reserved[0] - 1] = 0;           \
    } while (0)

static const char text[] = "a\nb\nc\na\n";

static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    *(uint64_t *)host += new_bytes - old_bytes;
    if (new_bytes > 0)
        return realloc(block, new_bytes);
    free(block);
    return NULL;
}

static void check_sketch(void)
{
    uint64_t            taken = 0;
    const ink_allocator allocator = {.resize = resize, .host = &taken};
    ink_params          params = {.kind = "bloom", .expected_keys = 100};
    ink_sketch         *bloom, *other;
    char                json[INK_INFO_BYTES];
    size_t              count;
    const ink_key       keys[] = {{"a", 1}, {"b", 1}};
    ink_batch           batch = {.count = 2, .keys = keys};
    ink_merge_options   merge = {.parts = true};
    ink_info_options    info = {.digest = true};
    FILLED(ink_error, failure);
    FILLED(ink_description, description);
    FILLED(ink_kind_info, kind);
    FILLED(ink_tuning, tuning);

    OK(ink_sketch_create(&bloom, &params, &allocator, &error));
    OK(ink_sketch_create_like(&other, bloom, NULL, &error));
    OK(ink_sketch_add_batch(bloom, &batch, &error));
    OK(ink_sketch_add(other, "c", 1, &error));
    OK(ink_sketch_merge(bloom, other, &merge, &error));
    CHECK(ink_sketch_maybe(bloom, "a", 1) == 1 && ink_sketch_maybe(bloom, "c", 1) == 1);
    CHECK(taken == ink_sketch_memory(bloom) + ink_sketch_memory(other));

    ink_sketch_describe(bloom, &description.is);
    CHECK_AFTER(description);
    CHECK(strcmp(description.is.kind, "bloom") == 0 && description.is.records == 3);
    OK(ink_kind_describe("bloom", &kind.is, &error));
    CHECK_AFTER(kind);
    CHECK(kind.is.contains && kind.is.ranks[INK_ASK_MEMBER] > 0);
    OK(ink_tuning_chosen(&tuning.is, &error));
    CHECK_AFTER(tuning);
    CHECK(tuning.is.l1_bytes > 0);
    OK(ink_sketch_info_json(bloom, &info, json, sizeof json, &count, &error));
    CHECK(strstr(json, "\"kind\":\"bloom\"") != NULL);

    params.false_positive_rate = 2;
    CHECK(ink_sketch_create(&other, &params, NULL, &failure.is) == INK_USAGE);
    CHECK_AFTER(failure);
    CHECK(failure.is.named_count == 1 &&
          failure.is.named[0].parameter == INK_PARAMETER_FALSE_POSITIVE_RATE);
    params.false_positive_rate = 0;
    CHECK_REFUSED(params, ink_plan(&params, &description.is, &error));
    CHECK_REFUSED(batch, ink_sketch_add_batch(bloom, &batch, &error));
    CHECK_REFUSED(merge, ink_sketch_merge(bloom, other, &merge, &error));
    CHECK_REFUSED(info, ink_sketch_info_json(bloom, &info, json, sizeof json, &count, &error));
    ink_sketch_free(other);
    ink_sketch_free(bloom);
    CHECK(taken == 0);
}

static void check_file(const char *path)
{
    ink_window   window = {.slot_microseconds = 1000000, .slots = 4};
    ink_params   params = {.kind = "hll"};
    ink_ring    *ring;
    ink_sketch  *slot;
    ink_entry    entry;
    ink_file    *file;
    ink_contents contents = {.entries = &entry, .entry_count = 1};
    FILLED(ink_entry_info, info);

    OK(ink_ring_create(&ring, &params, &window, NULL, &error));
    OK(ink_ring_slot(ring, 5000000, &slot, &error));
    OK(ink_sketch_add(slot, "a", 1, &error));
    OK(ink_ring_entry(ring, 0, NULL, &entry, &error));
    OK(ink_contents_save(path, &contents, &error));
    CHECK_REFUSED(contents, ink_contents_save(path, &contents, &error));
    CHECK_REFUSED(window, ink_ring_create(&ring, &params, &window, NULL, &error));
    ink_ring_free(ring);
    OK(ink_file_open(&file, path, INK_OPEN_CHECKED, NULL, &error));
    OK(ink_file_entry(file, 0, &info.is, &error));
    CHECK_AFTER(info);
    CHECK(strcmp(info.is.kind, "hll") == 0 && info.is.label.slot == 5000000);
    ink_file_close(file);
}

static bool note_progress(void *host, const ink_progress *progress)
{
    *(uint64_t *)host += progress->records > 0 || progress->done > 0;
    return true;
}

static int add_count(void *host, const ink_count_row *row)
{
    *(double *)host += row->count.estimate;
    return 0;
}

static void check_jobs(const char *path)
{
    uint64_t             reports = 0;
    double               counted = 0;
    ink_job              job = {.threads = 2, .progress = note_progress, .host = &reports};
    ink_input            input = {.memory = (const uint8_t *)text, .memory_bytes = sizeof text - 1};
    ink_reading          reading = {.form = INK_FORM_LINES};
    const ink_params     kinds[] = {{.kind = "counting"}, {.kind = "hll"}};
    ink_build_options    build = {.kinds = kinds, .kind_count = 2, .headroom = 2};
    ink_filter_options   filter = {.invert = false};
    ink_verify_options   verify = {.tests_max = 1000};
    ink_union_options    ask = {.question = INK_ASK_COUNT, .kind = "counting"};
    ink_uniq_options     uniq = {.expected_keys = 100};
    ink_update_options   update = {.max_rate = 0.5};
    const ink_input      saved = {.path = path};
    const ink_count_sink sink = {.row = add_count, .host = &counted};
    ink_set             *set;
    ink_file            *file;
    ink_verification    *verification;
    FILLED(ink_filter_report, filtered);
    FILLED(ink_verify_result, row);
    FILLED(ink_verification_summary, summary);
    FILLED(ink_uniq_report, first);
    FILLED(ink_update_report, updated);

    OK(ink_build(&set, &input, 1, &reading, &build, &job, &error));
    CHECK(job.records == 4 && ink_set_count(set) == 2);
    OK(ink_set_save(set, path, &error));
    ink_set_free(set);
    OK(ink_file_open(&file, path, INK_OPEN_COPY, NULL, &error));
    OK(ink_filter(file, &input, 1, &reading, &filter, NULL, &filtered.is, &job, &error));
    CHECK_AFTER(filtered);
    CHECK(filtered.is.admitted == 4);
    OK(ink_verify(&verification, file, &input, 1, &reading, &verify, &job, &error));
    OK(ink_verification_row(verification, 0, &row.is, &error));
    CHECK_AFTER(row);
    CHECK(row.is.denied == 0);
    ink_verification_summarise(verification, &summary.is);
    CHECK_AFTER(summary);
    ink_verification_free(verification);
    OK(ink_union_files(&set, &saved, 1, &ask, &job, &error));
    OK(ink_count_keys(set, &input, 1, &reading, &sink, &job, &error));
    CHECK(counted == 6); /* a twice, twice; b and c once */
    ink_set_free(set);
    OK(ink_uniq(&input, 1, &reading, &uniq, NULL, &first.is, &job, &error));
    CHECK_AFTER(first);
    CHECK(first.is.first == 3);
    OK(ink_update(path, &input, 1, &reading, &update, &updated.is, &job, &error));
    CHECK_AFTER(updated);
    CHECK(updated.is.changed == 4);

    CHECK_REFUSED(job, ink_build(&set, &input, 1, &reading, &build, &job, &error));
    CHECK_REFUSED(input, ink_build(&set, &input, 1, &reading, &build, &job, &error));
    CHECK_REFUSED(reading, ink_build(&set, &input, 1, &reading, &build, &job, &error));
    CHECK_REFUSED(build, ink_build(&set, &input, 1, &reading, &build, &job, &error));
    CHECK_REFUSED(filter,
                  ink_filter(file, &input, 1, &reading, &filter, NULL, &filtered.is, &job, &error));
    CHECK_REFUSED(verify,
                  ink_verify(&verification, file, &input, 1, &reading, &verify, &job, &error));
    CHECK_REFUSED(ask, ink_union_files(&set, &saved, 1, &ask, &job, &error));
    CHECK_REFUSED(uniq, ink_uniq(&input, 1, &reading, &uniq, NULL, &first.is, &job, &error));
    CHECK_REFUSED(update,
                  ink_update(path, &input, 1, &reading, &update, &updated.is, &job, &error));
    ink_file_close(file);
}

/* The Arrow C data interface, as its specification has it. */
struct ArrowSchema {
    const char          *format, *name, *metadata;
    int64_t              flags, n_children;
    struct ArrowSchema **children, *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};
struct ArrowArray {
    int64_t             length, null_count, offset, n_buffers, n_children;
    const void        **buffers;
    struct ArrowArray **children, *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

static void release_schema(struct ArrowSchema *schema)
{
    schema->release = NULL;
}

static void release_array(struct ArrowArray *array)
{
    array->release = NULL;
}

static void check_arrow(void)
{
    const int64_t            values[] = {1, 2, 2};
    const void              *buffers[] = {NULL, values};
    const struct ArrowSchema schema = {.format = "l", .name = "", .release = release_schema};
    const struct ArrowArray  array = {
         .length = 3, .n_buffers = 2, .buffers = buffers, .release = release_array};
    const ink_params params = {.kind = "hll", .key_type = INK_KEY_INT};
    ink_sketch      *sketch;
    FILLED(ink_arrow_report, report);

    OK(ink_sketch_create(&sketch, &params, NULL, &error));
    OK(ink_arrow_add(sketch, &schema, &array, NULL, &report.is, &error));
    CHECK_AFTER(report);
    CHECK(report.is.rows == 3 && report.is.nulls == 0);
    ink_sketch_free(sketch);
}

static int count_piece(void *host, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    *(size_t *)host += bytes != NULL && bucket == 0 ? count : 0;
    return 0;
}

static void check_pieces(void)
{
    size_t                  bytes = 0;
    ink_job                 job = {.threads = 1};
    const ink_input         input = {.memory = (const uint8_t *)text, .memory_bytes = 8};
    const ink_reading       reading = {.form = INK_FORM_LINES};
    const ink_params        kinds[] = {{.kind = "hll"}};
    const ink_build_options build = {.kinds = kinds, .kind_count = 1};
    ink_pieces_options      options = {.build = &build, .buckets = 1};
    const ink_piece_sink    sink = {.take = count_piece, .host = &bytes};
    FILLED(ink_pieces_plan, plan);

    OK(ink_pieces_plan_for(&reading, &build, 1000, 4, 0, &plan.is, &error));
    CHECK_AFTER(plan);
    OK(ink_map(&input, 1, &reading, &options, &sink, &job, &error));
    CHECK(bytes > 0);
    CHECK_REFUSED(options, ink_map(&input, 1, &reading, &options, &sink, &job, &error));
}

static int keep_line(void *host, const void *bytes, size_t count)
{
    memcpy(host, bytes, count < 32 ? count : 32);
    return 0;
}

static ink_status write_answer(void *host, const ink_query_answer *answer, const ink_sink *to,
                               ink_error *failure)
{
    (void)host;
    (void)failure;
    return to->write(to->host, answer->seen ? "seen" : "no", 4) == 0 ? INK_OK : INK_IO;
}

static void check_stream(const char *data, const char *folder)
{
    char               line[33] = "";
    const char *const  train[] = {data};
    const ink_params   kinds[] = {{.kind = "bloom", .expected_keys = 100}};
    ink_stream_options options = {.train = train,
                                  .train_count = 1,
                                  .folder = folder,
                                  .kinds = kinds,
                                  .kind_count = 1,
                                  .views = true};
    ink_query_options  query = {.write = write_answer};
    const ink_reading  reading = {.form = INK_FORM_LINES};
    const ink_sink     sink = {.write = keep_line, .host = line};
    ink_job            job = {.threads = 1};
    ink_stream        *stream;
    FILLED(ink_stream_report, now);

    CHECK_REFUSED(options, ink_stream_open(&stream, &reading, &options, &job, &error));
    OK(ink_stream_open(&stream, &reading, &options, &job, &error));
    OK(ink_stream_run(stream, &error));
    ink_stream_now(stream, &now.is);
    CHECK_AFTER(now);
    CHECK(now.is.records == 4 && now.is.ended);
    const ink_stream_view *view = ink_stream_view_take(stream);
    OK(ink_query_line(&query, view, (const uint8_t *)"?b", 2, &sink, &error));
    CHECK(strcmp(line, "seen") == 0);
    CHECK_REFUSED(query, ink_query_line(&query, view, (const uint8_t *)"?b", 2, &sink, &error));
    ink_stream_view_release(view);
    ink_stream_close(stream);
}

/* The sizes of all structs, which are the same for ever. */
static int print_sizes(void)
{
#define SIZE(type) printf("%s %zu\n", #type, sizeof(type))
    SIZE(ink_named);
    SIZE(ink_error);
    SIZE(ink_params);
    SIZE(ink_answer);
    SIZE(ink_item);
    SIZE(ink_key);
    SIZE(ink_batch);
    SIZE(ink_merge_options);
    SIZE(ink_description);
    SIZE(ink_info_options);
    SIZE(ink_kind_info);
    SIZE(ink_allocator);
    SIZE(ink_tuning);
    SIZE(ink_label);
    SIZE(ink_entry);
    SIZE(ink_section);
    SIZE(ink_contents);
    SIZE(ink_entry_info);
    SIZE(ink_window);
    SIZE(ink_progress);
    SIZE(ink_job);
    SIZE(ink_input);
    SIZE(ink_reading);
    SIZE(ink_build_options);
    SIZE(ink_sink);
    SIZE(ink_filter_options);
    SIZE(ink_filter_report);
    SIZE(ink_union_options);
    SIZE(ink_count_row);
    SIZE(ink_count_sink);
    SIZE(ink_uniq_options);
    SIZE(ink_uniq_report);
    SIZE(ink_update_options);
    SIZE(ink_absent_key);
    SIZE(ink_update_report);
    SIZE(ink_verify_options);
    SIZE(ink_verify_result);
    SIZE(ink_verification_summary);
    SIZE(ink_arrow_report);
    SIZE(ink_pieces_options);
    SIZE(ink_piece_sink);
    SIZE(ink_pieces_plan);
    SIZE(ink_stream_report);
    SIZE(ink_stream_options);
    SIZE(ink_query_answer);
    SIZE(ink_query_options);
    return 0;
}

int main(int count, char **words)
{
    if (count > 1 && strcmp(words[1], "sizes") == 0)
        return print_sizes();
    FILE *data = fopen("text", "w");

    CHECK(data != NULL && fputs(text, data) >= 0 && fclose(data) == 0);
    check_sketch();
    check_file("file.ink");
    check_jobs("jobs.ink");
    check_arrow();
    check_pieces();
    check_stream("text", "state");
    printf("%u checks\n", checks);
    return 0;
}
