/* records.c - what tests of whole jobs share. */
#define _DEFAULT_SOURCE 1
#include "support/records.h"

#include "base/system.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/sketches.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <netinet/in.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

bool records_light(void)
{
    return getenv("INK_TEST_LIGHT") != NULL;
}

/* ---- Chance ------------------------------------------------------------------------------- */

uint64_t records_random(uint64_t *state)
{
    uint64_t x = *state += 0x9e3779b97f4a7c15u;

    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t records_below(uint64_t *state, uint64_t limit)
{
    return records_random(state) % limit;
}

/* ---- Time --------------------------------------------------------------------------------- */

static atomic_uint_fast64_t looks;
static ink__system          slow;

static uint64_t slow_clock(void)
{
    return atomic_fetch_add(&looks, 1) * 1000000000u;
}

void records_slow_clock_begin(void)
{
    slow = ink__posix;
    slow.nanoseconds = slow_clock;
    ink__system_replace(&slow);
}

void records_slow_clock_end(void)
{
    ink__system_replace(NULL);
}

/* ---- Bytes -------------------------------------------------------------------------------- */

static void make_room(records_bytes *to, size_t more)
{
    if (to->room - to->count >= more)
        return;
    to->room = 2 * (to->room + more);
    to->bytes = realloc(to->bytes, to->room);
    assert_non_null(to->bytes);
}

void records_put(records_bytes *to, const void *bytes, size_t count)
{
    make_room(to, count + 1);
    if (count > 0)
        memcpy(to->bytes + to->count, bytes, count);
    to->count += count;
}

void records_say(records_bytes *to, const char *format, ...)
{
    va_list values;
    char    text[4096];

    va_start(values, format);
    int bytes = vsnprintf(text, sizeof text, format, values);
    va_end(values);
    assert_true(bytes >= 0 && (size_t)bytes < sizeof text);
    records_put(to, text, (size_t)bytes);
}

void records_bytes_free(records_bytes *bytes)
{
    free(bytes->bytes);
    *bytes = (records_bytes){0};
}

bool records_are(const records_bytes *bytes, const char *text)
{
    return bytes->count == strlen(text) &&
           (bytes->count == 0 || memcmp(bytes->bytes, text, bytes->count) == 0);
}

static int keep(void *host, const void *bytes, size_t count)
{
    records_put(host, bytes, count);
    return 0;
}

ink_sink records_sink(records_bytes *to)
{
    return (ink_sink){.write = keep, .host = to};
}

int records_fail_later(void *bad_sink, const void *bytes, size_t count)
{
    records_bad_sink *mine = bad_sink;

    (void)bytes;
    (void)count;
    return ++mine->calls == mine->fail_at ? mine->os_error : 0;
}

int records_take_piece(void *pieces, uint32_t bucket, const uint8_t *bytes, size_t count)
{
    records_pieces *to = pieces;

    assert_true(to->count < RECORDS_PIECES);
    to->buckets[to->count] = bucket;
    records_put(&to->list[to->count++], bytes, count);
    return 0;
}

void records_pieces_free(records_pieces *pieces)
{
    for (size_t i = 0; i < pieces->count; i++)
        records_bytes_free(&pieces->list[i]);
    pieces->count = 0;
}

/* ---- Files and pipes ---------------------------------------------------------------------- */

void records_write(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(count == 0 ? 0 : fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

size_t records_gzip_to(uint8_t *to, size_t room, const void *from, size_t count)
{
    z_stream z = {.next_in = (Bytef *)(uintptr_t)from, .avail_in = (uInt)count};

    z.next_out = to;
    z.avail_out = (uInt)room;
    assert_int_equal(deflateInit2(&z, 6, Z_DEFLATED, 15 + 16, 8, Z_DEFAULT_STRATEGY), Z_OK);
    assert_int_equal(deflate(&z, Z_FINISH), Z_STREAM_END);
    deflateEnd(&z);
    return z.total_out;
}

void records_gzip(const char *path, const void *bytes, size_t count)
{
    gzFile file = gzopen(path, "wb1");

    assert_non_null(file);
    assert_int_equal(count == 0 ? 0 : gzwrite(file, bytes, (unsigned)count), count);
    assert_int_equal(gzclose(file), Z_OK);
}

void records_zstd(const char *path, const void *bytes, size_t count)
{
    size_t room = ZSTD_compressBound(count);
    void  *packed = malloc(room);

    assert_non_null(packed);
    size_t written = ZSTD_compress(packed, room, bytes, count, 1);
    assert_false(ZSTD_isError(written));
    records_write(path, packed, written);
    free(packed);
}

void records_unlink(const char *const *paths)
{
    for (; *paths != NULL; paths++)
        unlink(*paths);
}

records_bytes records_read(const char *path)
{
    records_bytes all = {0};
    uint8_t       piece[4096];
    FILE         *file = fopen(path, "rb");

    assert_non_null(file);
    for (size_t count; (count = fread(piece, 1, sizeof piece, file)) > 0;)
        records_put(&all, piece, count);
    assert_int_equal(fclose(file), 0);
    return all;
}

bool records_file_holds(const char *path, const void *bytes, size_t count)
{
    if (access(path, F_OK) != 0)
        return false;
    records_bytes all = records_read(path);
    bool          same = all.count == count && (count == 0 || memcmp(all.bytes, bytes, count) == 0);
    records_bytes_free(&all);
    return same;
}

bool records_unchanged(const char *path, const records_bytes *bytes)
{
    return records_file_holds(path, bytes->bytes, bytes->count);
}

bool records_file_is(const char *path, const char *text)
{
    return records_file_holds(path, text, strlen(text));
}

unsigned records_names_in(const char *folder)
{
    DIR           *open = opendir(folder);
    struct dirent *entry;
    unsigned       names = 0;

    assert_non_null(open);
    while ((entry = readdir(open)) != NULL)
        names += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(open);
    return names;
}

static char folder[32];

int records_folder_begin(void **state)
{
    snprintf(folder, sizeof folder, "%s/records-XXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    return mkdtemp(folder) == NULL || chdir(folder) != 0;
}

int records_folder_end(void **state)
{
    return chdir("/") != 0 || rmdir(folder) != 0;
}

struct records_pipe {
    const char    *path;
    const uint8_t *bytes;
    size_t         count;
    int            to, saved;
    pthread_t      thread;
};

/* A reader that goes away early is not this thread's business. */
static void *pour(void *argument)
{
    records_pipe *pipe = argument;
    int           to = pipe->path == NULL ? pipe->to : open(pipe->path, O_WRONLY);
    size_t        done = 0;

    while (done < pipe->count) {
        ssize_t more = write(to, pipe->bytes + done, pipe->count - done);
        if (more <= 0)
            break;
        done += (size_t)more;
    }
    close(to);
    return NULL;
}

records_pipe *records_pipe_begin(const char *path, const void *bytes, size_t count)
{
    records_pipe *made = malloc(sizeof *made);
    int           ends[2];

    assert_non_null(made);
    *made = (records_pipe){.path = path, .bytes = bytes, .count = count, .to = -1, .saved = -1};
    signal(SIGPIPE, SIG_IGN);
    if (path != NULL)
        assert_int_equal(mkfifo(path, 0600), 0);
    else {
        assert_int_equal(pipe(ends), 0);
        made->saved = dup(0);
        made->to = ends[1];
        assert_int_equal(dup2(ends[0], 0), 0);
        close(ends[0]);
    }
    assert_int_equal(pthread_create(&made->thread, NULL, pour, made), 0);
    return made;
}

void records_pipe_end(records_pipe *pipe)
{
    if (pipe == NULL)
        return;
    if (pipe->path == NULL) {
        assert_true(dup2(pipe->saved, 0) == 0 || pipe->saved < 0);
        close(pipe->saved);
    }
    pthread_join(pipe->thread, NULL);
    if (pipe->path != NULL)
        assert_int_equal(unlink(pipe->path), 0);
    free(pipe);
}

int records_connect(const char *address)
{
    struct sockaddr_un path = {.sun_family = AF_UNIX};
    struct sockaddr_in port = {.sin_family = AF_INET};
    bool               tcp = strncmp(address, "tcp://127.0.0.1:", 16) == 0;
    int                file = socket(tcp ? AF_INET : AF_UNIX, SOCK_STREAM, 0);

    assert_true(file >= 0);
    port.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    port.sin_port = htons((uint16_t)(tcp ? atoi(address + 16) : 0));
    snprintf(path.sun_path, sizeof path.sun_path, "%s", address + 5);
    if ((tcp ? connect(file, (struct sockaddr *)&port, sizeof port)
             : connect(file, (struct sockaddr *)&path, sizeof path)) != 0)
        fail_msg("%s: %s", address, strerror(errno));
    return file;
}

/* ---- Rows --------------------------------------------------------------------------------- */

static records_row *new_row(records_rows *rows)
{
    if (rows->count == rows->room) {
        rows->room = 2 * rows->room + 64;
        rows->rows = realloc(rows->rows, rows->room * sizeof *rows->rows);
        assert_non_null(rows->rows);
    }
    rows->rows[rows->count] = (records_row){.weight = 1};
    return &rows->rows[rows->count++];
}

void records_add(records_rows *rows, const void *key, size_t key_bytes, const void *group,
                 size_t group_bytes, uint64_t weight)
{
    records_row *row = new_row(rows);

    row->key = rows->bytes.count;
    row->key_bytes = key_bytes;
    records_put(&rows->bytes, key, key_bytes);
    row->null_group = group == NULL;
    row->group = rows->bytes.count;
    row->group_bytes = group == NULL ? 0 : group_bytes;
    records_put(&rows->bytes, group, row->group_bytes);
    row->weight = weight;
}

void records_add_text(records_rows *rows, const char *key, const char *group, uint64_t weight)
{
    records_add(rows, key, strlen(key), group, group == NULL ? 0 : strlen(group), weight);
}

void records_add_int(records_rows *rows, int64_t key, const char *group, uint64_t weight)
{
    records_add(rows, NULL, 0, group, group == NULL ? 0 : strlen(group), weight);
    rows->rows[rows->count - 1].number = key;
}

void records_rows_free(records_rows *rows)
{
    free(rows->rows);
    records_bytes_free(&rows->bytes);
    *rows = (records_rows){0};
}

void records_data_free(records_data *data)
{
    records_bytes_free(&data->text);
    records_rows_free(&data->rows);
}

void records_data_put(records_data *to, const char *key, const char *group, uint64_t weight)
{
    const ink_reading *reading = &to->reading;

    if (reading->form == INK_FORM_JSONL && group == NULL)
        records_say(&to->text, "{\"k\":\"%s\",\"g\":null}\n", key);
    else if (reading->form == INK_FORM_JSONL)
        records_say(&to->text, "{\"k\":\"%s\",\"g\":\"%s\"}\n", key, group);
    else if (reading->form == INK_FORM_TSV)
        records_say(&to->text, "%s\t%s\t%llu\n", key, group, (unsigned long long)weight);
    else
        records_say(&to->text, "%s\n", key);
    to->rows.grouped = reading->by != NULL;
    to->rows.weighted = reading->weight != NULL;
    to->rows.ints = reading->keys == INK_KEYS_INT;
    if (to->rows.ints)
        records_add_int(&to->rows, strtoll(key, NULL, 10), group, weight);
    else
        records_add_text(&to->rows, key, group, weight);
}

ink_label records_group(const records_rows *rows, const records_row *row)
{
    if (!rows->grouped)
        return (ink_label){0};
    if (row->null_group)
        return (ink_label){.group_kind = INK_GROUP_NULL};
    return (ink_label){.group_kind = INK_GROUP_BYTES,
                       .group = rows->bytes.bytes + row->group,
                       .group_bytes = row->group_bytes};
}

/* ---- By hand ------------------------------------------------------------------------------ */

void records_file_close(records_file *file)
{
    ink_file_close(file->file);
    ink_bytes_free(file->bytes, file->count, NULL);
    *file = (records_file){0};
}

ink_set *records_build(const void *bytes, size_t count, const ink_reading *reading,
                       const ink_params *kinds, size_t kind_count)
{
    const ink_input         input = {.memory = bytes, .memory_bytes = count};
    const ink_build_options options = {.kinds = kinds, .kind_count = kind_count};
    ink_job                 job = {.threads = 1};
    ink_error               error;
    ink_set                *set;

    CHECK_OK(ink_build(&set, &input, 1, reading, &options, &job, &error));
    return set;
}

void records_build_file(const char *path, const void *bytes, size_t count,
                        const ink_reading *reading, const ink_params *kinds, size_t kind_count)
{
    owned_set *set = records_build(bytes, count, reading, kinds, kind_count);
    ink_error  error;

    CHECK_OK(ink_set_save(set, path, &error));
}

records_file records_entries(const ink_entry *entries, size_t count)
{
    const ink_contents contents = {.entries = entries, .entry_count = count};
    records_file       file;
    ink_error          error;

    CHECK_OK(ink_contents_encode(&contents, &file.bytes, &file.count, &error));
    CHECK_OK(ink_file_decode(&file.file, file.bytes, file.count, INK_OPEN_CHECKED, NULL, &error));
    for (size_t i = 0; i < count; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    return file;
}

void records_save_entries(const char *path, const ink_entry *entries, size_t count)
{
    owned_file file = records_entries(entries, count);

    records_write(path, file.bytes, file.count);
}

records_file records_encode(const ink_set *set)
{
    records_file file;
    ink_error    error;

    CHECK_OK(ink_set_encode(set, &file.bytes, &file.count, &error));
    CHECK_OK(ink_file_decode(&file.file, file.bytes, file.count, INK_OPEN_CHECKED, NULL, &error));
    return file;
}

records_digest records_digest_of(const ink_file *file)
{
    records_digest digest;
    ink_error      error;

    CHECK_OK(ink_file_digest(file, digest.bytes, &error));
    return digest;
}

records_digest records_digest_of_set(const ink_set *set)
{
    owned_file file = records_encode(set);

    return records_digest_of(file.file);
}

records_digest records_digest_of_counted(ink_set *set, const ink_allocator *allocator)
{
    records_file   file = records_encode(set);
    records_digest digest = records_digest_of(file.file);

    ink_file_close(file.file);
    ink_bytes_free(file.bytes, file.count, allocator);
    ink_set_free(set);
    faults_check_no_leak(allocator->host);
    return digest;
}

records_digest records_digest_by_hand(const records_rows *rows, const ink_build_options *options)
{
    owned_file file = records_by_hand(rows, options);

    return records_digest_of(file.file);
}

bool records_same(const records_digest *a, const records_digest *b)
{
    return memcmp(a->bytes, b->bytes, sizeof a->bytes) == 0;
}

ink_sketch *records_sketch(const ink_params *params, unsigned first, unsigned count)
{
    ink_sketch *sketch;
    char        key[32];
    ink_error   error;

    CHECK_OK(ink_sketch_create(&sketch, params, NULL, &error));
    for (unsigned i = first; i < first + count; i++) {
        int bytes = snprintf(key, sizeof key, "key %u", i * i % 9973);
        if (params->key_type == INK_KEY_INT)
            CHECK_OK(ink_sketch_add_int(sketch, i, &error));
        else
            CHECK_OK(ink_sketch_add(sketch, key, (size_t)bytes, &error));
    }
    return sketch;
}

void records_add_row(ink_sketch *sketch, const records_rows *rows, const records_row *row)
{
    const uint64_t  ends[] = {row->key, row->key + row->key_bytes};
    ink_description description;
    ink_kind_info   info;
    ink_error       error;
    const ink_batch batch = {.count = 1,
                             .ints = rows->ints ? &row->number : NULL,
                             .data = rows->ints ? NULL : rows->bytes.bytes,
                             .offsets = rows->ints ? NULL : ends,
                             .weights = &row->weight};

    ink_sketch_describe(sketch, &description);
    CHECK_OK(ink_kind_describe(description.kind, &info, &error));
    if (rows->weighted && info.weights)
        CHECK_OK(ink_sketch_add_batch(sketch, &batch, &error));
    else if (rows->ints)
        CHECK_OK(ink_sketch_add_int(sketch, row->number, &error));
    else
        CHECK_OK(ink_sketch_add(sketch, rows->bytes.bytes + row->key, row->key_bytes, &error));
}

/* Orders rows by group, then as `by_key` says by key or by their numbers. */
static const records_rows *ordered;
static bool                by_key;

static int compare_keys(const records_row *a, const records_row *b)
{
    size_t less = a->key_bytes < b->key_bytes ? a->key_bytes : b->key_bytes;

    if (ordered->ints)
        return a->number < b->number ? -1 : a->number > b->number;
    int order =
        less == 0 ? 0 : memcmp(ordered->bytes.bytes + a->key, ordered->bytes.bytes + b->key, less);
    if (order != 0 || a->key_bytes == b->key_bytes)
        return order;
    return a->key_bytes < b->key_bytes ? -1 : 1;
}

static int compare_rows(const void *first, const void *second)
{
    const records_row *a = *(const records_row *const *)first;
    const records_row *b = *(const records_row *const *)second;
    const ink_label    left = records_group(ordered, a), right = records_group(ordered, b);
    int                order = ink_label_compare(&left, &right);

    if (order == 0 && by_key)
        order = compare_keys(a, b);
    return order != 0 ? order : a < b ? -1 : a > b;
}

static const records_row **sort_rows(const records_rows *rows, bool keys)
{
    const records_row **list = malloc((rows->count + 1) * sizeof *list);

    assert_non_null(list);
    for (size_t i = 0; i < rows->count; i++)
        list[i] = &rows->rows[i];
    ordered = rows;
    by_key = keys;
    qsort(list, rows->count, sizeof *list, compare_rows);
    return list;
}

uint64_t records_planned(uint64_t different, const ink_sketch *hll)
{
    ink_answer answer;
    ink_error  error;

    if (different <= 1 << 20)
        return different;
    CHECK_OK(ink_sketch_distinct(hll, 0, &answer, &error));
    return (uint64_t)ceil(1.007 * answer.estimate);
}

/* Some rows of one group, in the order of the input and in that of their keys. */
typedef struct some_rows {
    const records_row **by_location, **by_key;
    size_t              count;
} some_rows;

static uint64_t planned_keys(const records_rows *rows, const some_rows *some,
                             const ink_params *params)
{
    ink_params  counter = {.kind = "hll",
                           .precision = 18,
                           .key_type = params->key_type,
                           .hash = params->hash,
                           .seed = params->seed,
                           .has_seed = params->has_seed,
                           .secret = params->secret};
    uint64_t    different = some->count > 0;
    ink_sketch *hll;
    ink_error   error;

    if (sketches_need_keys(params))
        return some->count;
    ordered = rows;
    for (size_t i = 1; i < some->count; i++)
        different += compare_keys(some->by_key[i - 1], some->by_key[i]) != 0;
    if (different <= 1 << 20)
        return different;
    CHECK_OK(ink_sketch_create(&hll, &counter, NULL, &error));
    for (size_t i = 0; i < some->count; i++)
        records_add_row(hll, rows, some->by_location[i]);
    different = records_planned(different, hll);
    ink_sketch_free(hll);
    return different;
}

static ink_sketch *make_sketch(const records_rows *rows, const some_rows *some, ink_params params,
                               double headroom)
{
    ink_sketch   *sketch;
    ink_kind_info info;
    ink_error     error;

    params.key_type = rows->ints ? INK_KEY_INT : INK_KEY_BYTES;
    CHECK_OK(ink_kind_describe(params.kind, &info, &error));
    if (info.sized_by_keys && params.expected_keys == 0 && params.bits == 0) {
        params.expected_keys = planned_keys(rows, some, &params);
        if (params.expected_keys == 0)
            params.expected_keys = 1;
    }
    if (headroom > 1)
        params.expected_keys = (uint64_t)ceil(headroom * (double)params.expected_keys);
    CHECK_OK(ink_sketch_create(&sketch, &params, NULL, &error));
    for (size_t i = 0; i < some->count; i++)
        records_add_row(sketch, rows, some->by_location[i]);
    return sketch;
}

records_file records_by_hand(const records_rows *rows, const ink_build_options *options)
{
    const records_row **by_location = sort_rows(rows, false), **by_keys = sort_rows(rows, true);
    size_t              groups = 0;
    records_file        made;
    ink_error           error;
    ink_entry          *entries = malloc((rows->count + 1) * options->kind_count * sizeof *entries);

    assert_non_null(entries);
    for (size_t first = 0, end; first < rows->count || (first == 0 && !rows->grouped);
         first = end + (end == 0)) {
        ink_label label = {0}, other;
        if (rows->count > 0)
            label = records_group(rows, by_location[first]);
        for (end = first; end < rows->count; end++) {
            other = records_group(rows, by_location[end]);
            if (ink_label_compare(&label, &other) != 0)
                break;
        }
        const some_rows some = {by_location + first, by_keys + first, end - first};
        for (size_t k = 0; k < options->kind_count; k++)
            entries[groups++] =
                (ink_entry){label, make_sketch(rows, &some, options->kinds[k], options->headroom)};
    }
    const ink_contents contents = {.entries = entries, .entry_count = groups};
    CHECK_OK(ink_contents_encode(&contents, &made.bytes, &made.count, &error));
    CHECK_OK(ink_file_decode(&made.file, made.bytes, made.count, INK_OPEN_CHECKED, NULL, &error));
    for (size_t i = 0; i < groups; i++)
        ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    free(entries);
    free(by_location);
    free(by_keys);
    return made;
}
