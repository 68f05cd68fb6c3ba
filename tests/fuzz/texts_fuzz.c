/* texts_fuzz.c - texts that people or other programs write, and that stand neither in data nor in
 * files of sketches: times, numbers with units, sketches as a stream names them, paths in JSON,
 * addresses, secrets, and what Hadoop hands to a task, lists of splits and frames. Whatever a text
 * is, it is read or refused with a line, no byte after it is looked at, and what was read says the
 * same when it is written again. The first byte of an input says which of them it is. */
#define _GNU_SOURCE 1
#include "fuzz/fuzz.h"

#include "arguments/arguments.h"
#include "arguments/inputs.h"
#include "base/json.h"
#include "commands/commands.h"
#include "hadoop/frames.h"
#include "hadoop/map_reduce.h"
#include "input/records/times.h"
#include "net/connection.h"
#include "net/listener.h"
#include "net/namenodes.h"
#include "options/options.h"
#include "options/quantities.h"
#include "report/failure.h"
#include "stream/specs.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/network.h"

#include <fcntl.h>
#include <float.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { MOST_BYTES = 4096 };

static ink_error error;

typedef enum sort {
    TIMES,
    NUMBERS,
    SPECS,
    PATHS,
    ADDRESSES,
    SECRETS,
    SPLITS,
    FRAMES,
    SORTS,
} sort;

static const char *const variants[] = {"times",   "numbers", "specs",  "paths", "addresses",
                                       "secrets", "splits",  "frames", NULL};

/* Standard input and what commands print on standard error are ours. */
static int  standard_error, nowhere, file;
static char file_path[32];

static void begin(void)
{
    standard_error = dup(STDERR_FILENO);
    nowhere = open("/dev/null", O_WRONLY);
    file = memfd_create("fuzz", 0);
    assert_true(standard_error >= 0 && nowhere >= 0 && file >= 0);
    assert_true(dup2(file, STDIN_FILENO) == STDIN_FILENO);
    snprintf(file_path, sizeof file_path, "/proc/self/fd/%d", file);
    setenv("mapreduce_job_hdfs-servers", "hdfs://name", 1);
}

/* ---- Where it begins ---------------------------------------------------------------------- */

#define KEY "\0\0\0\3abc"

static const struct {
    sort        of;
    const char *text;
    size_t      bytes; /* 0: up to its NUL */
} texts[] = {
    {TIMES, "2026-11-16T14:26:08.123456789+01:00", 0},
    {TIMES, "[16/Nov/2026:14:26:08 +0100]", 0},
    {TIMES, "1794839168.25", 0},
    {TIMES, "9999-12-31 23:59:60Z", 0},
    {TIMES, "0001-01-01", 0},
    {TIMES, "-9223372036854775808", 0},
    {NUMBERS, "1e6", 0},
    {NUMBERS, "1.5e3", 0},
    {NUMBERS, "64M", 0},
    {NUMBERS, "250ms", 0},
    {NUMBERS, "4x", 0},
    {NUMBERS, "18446744073709551615", 0},
    {NUMBERS, "0.0000000000000000000000001e25", 0},
    {SPECS, "bloom:n=1e6,p=0.01", 0},
    {SPECS, "count-min:eps=1e-4,delta=0.01", 0},
    {SPECS, "top:k=10", 0},
    {SPECS, "hll:precision=18", 0},
    {SPECS, "theta:precision=26", 0},
    {PATHS, "user.id", 0},
    {PATHS, "a[0].b[\"odd.key\"].c", 0},
    {PATHS, "[\"\\u00e9\\n\"][999999999999999999]", 0},
    {ADDRESSES, "webhdfs://a:1,[::1]:2/dir/file?user.name=me", 0},
    {ADDRESSES, "tcp://127.0.0.1:80", 0},
    {ADDRESSES, "tcp://[::1]:0", 0},
    {ADDRESSES, "tcp://localhost:65536", 0},
    {ADDRESSES, "hdfs://name/path", 0},
    {SECRETS, "000102030405060708090a0b0c0d0e0f\n", 0},
    {SECRETS, "0123456789abcdef", 0},
    {SPLITS, "0\t134217728\tdata.txt\n134217728\t0\tdata.txt\n", 0},
    {SPLITS, "0\t0\thdfs://name:9870/a b\n", 0},
    {SPLITS, "9223372036854775807\t1\tx", 0},
    {FRAMES, KEY "\0\0\0\2xy" KEY "\0\0\0\0", 24},
    {FRAMES, KEY "\x7f\xff\xff\xff....", 15},
    {FRAMES, KEY "\0\2\x49\xf1\xfe", 12},            /* all that comes */
    {FRAMES, KEY "\0\0\0\0" KEY "\0\2\0\0\xfe", 23}, /* and some that is none */
    {FRAMES, KEY "\xff\xff\xff\xff....", 15},
};
enum { TEXTS = sizeof texts / sizeof texts[0] };

static size_t seed(unsigned index, uint8_t *to, size_t room)
{
    unsigned number = 0;

    for (unsigned i = 0; i < TEXTS; i++) {
        if ((fuzz_variant >= 0 && (int)texts[i].of != fuzz_variant) || number++ != index)
            continue;
        return fuzz_put(to, room, &(uint8_t){(uint8_t)texts[i].of}, texts[i].text,
                        texts[i].bytes > 0 ? texts[i].bytes : strlen(texts[i].text));
    }
    return SIZE_MAX;
}

/* ---- Changes ------------------------------------------------------------------------------ */

/* A frame before all others, whose lengths are mostly right. */
static size_t put_frame(uint8_t *bytes, size_t count, size_t room)
{
    uint8_t frame[20] = KEY;
    size_t  value = fuzz_draw(9), size = 11 + value;

    frame[10] = (uint8_t)(fuzz_draw(8) == 0 ? fuzz_draw(20) : value);
    if (fuzz_draw(4) == 0)
        frame[fuzz_draw(2) * 7 + fuzz_draw(4)] = (uint8_t)(1u << fuzz_draw(8));
    return fuzz_insert(bytes, count, room, 1, frame, size);
}

static size_t change(uint8_t *bytes, size_t count, size_t room)
{
    static const char words[] =
        "0|9|00000000000000000000|18446744073709551616|9223372036854775808|-|+|.|,|:|/|e|E|e-|e308|"
        "e-400|1e400|x|K|T|ms|d|Z|T| |\t|\n|\r|[|]|\"|\\|\\u|\\ud800\\udc00|=|?|@|#|%|\xff|"
        "\xc3\xa9|2024-02-29|23:59:60|24:00|+23:59|-00:00|n=|p=|k=|bloom|hll|top|counting|"
        "scalable:|tcp://|unix:|webhdfs://|hdfs://|user.name=|::1|127.0.0.1|localhost|:65535|:0|"
        "nan|inf|0x1|1%";

    if (fuzz_draw(2) == 0)
        return 1 + fuzz_scramble(bytes + 1, count - 1, room - 1);
    if ((fuzz_variant >= 0 ? fuzz_variant : bytes[0] % SORTS) == FRAMES)
        return put_frame(bytes, count, room);
    return 1 + fuzz_insert_word(bytes + 1, count - 1, room - 1, words);
}

/* ---- Times, numbers, paths ---------------------------------------------------------------- */

static void try_time(const uint8_t *text, size_t bytes)
{
    for (int unit = INK_TIME_SECONDS; unit <= INK_TIME_NANOSECONDS; unit++) {
        uint64_t    used = 0, again = 0;
        int64_t     time = 0, same = 0;
        const char *wrong = ink__time_read(text, bytes, (ink_time_unit)unit, &used, &time);
        if (wrong != NULL) {
            assert_true(strlen(wrong) > 5);
            continue;
        }
        assert_true(used > 0 && used <= bytes);
        /* What comes after it does not matter. */
        uint8_t *copy = malloc((size_t)used);
        assert_non_null(copy);
        memcpy(copy, text, (size_t)used);
        assert_null(ink__time_read(copy, used, (ink_time_unit)unit, &again, &same));
        free(copy);
        assert_true(again == used && same == time);
    }
}

static void try_number(const char *text)
{
    uint64_t      count = 0, bytes = 0, time = 0, again = 0;
    double        real = 0, factor = 0;
    char          written[32];
    number_status is = number_count(text, &count);

    if (is == NUMBER_OK) {
        snprintf(written, sizeof written, "%llu", (unsigned long long)count);
        assert_int_equal(number_count(written, &again), NUMBER_OK);
        assert_true(again == count);
        assert_int_equal(number_real(text, &real), NUMBER_OK);
        /* The nearest that a double has. */
        assert_true(real >= (double)count * (1 - 1e-15) && real <= (double)count * (1 + 1e-15));
    }
    if (number_bytes(text, &bytes) == NUMBER_OK && is == NUMBER_OK)
        assert_true(bytes == count);
    if (number_real(text, &real) == NUMBER_OK)
        assert_true(real >= 0 && real <= DBL_MAX);
    if (number_factor(text, &factor) == NUMBER_OK)
        assert_true(factor >= 0 && factor <= DBL_MAX);
    if (number_time(text, &time) == NUMBER_OK && is == NUMBER_OK)
        assert_true(time == count * 1000000);
}

static void try_path(const char *text)
{
    static const char record[] =
        "{\"user\":{\"id\":7},\"a\":[{\"b\":{\"odd.key\":1}},2],\"\":null}";
    ink__json_path  path;
    ink__json_value value;

    if (ink__json_path_create(&path, text, &error) != INK_OK) {
        assert_true(error.status == INK_USAGE && error.at <= strlen(text));
        assert_true(strlen(error.message) > 10);
        return;
    }
    assert_true(path.step_count <= INK__JSON_STEPS_MAX);
    if (ink__json_find((const uint8_t *)record, 0, sizeof record - 1, &path, 1, &value, &error) ==
        INK_OK)
        assert_true(value.start <= value.end && value.end < sizeof record);
}

/* ---- Addresses ---------------------------------------------------------------------------- */

static void try_address(const char *text)
{
    faults_memory       memory = {.unfilled = true};
    const ink_allocator allocator = faults_allocator(&memory);
    ink__namenodes     *servers;
    ink__listener       listener;
    ink__host           host;

    if (ink__host_parse(&host, text, strlen(text), 80)) {
        assert_true(host.name[0] != '-' && strpbrk(host.name, "\r\n /") == NULL);
        assert_true(host.port > 0);
    }
    if (ink__webhdfs_is_address(text)) {
        assert_true(ink__webhdfs_path_bytes(text) <= strlen(text));
        ink_status status = ink__namenodes_open(&servers, text, "_x", NULL, &allocator, &error);
        if (status == INK_OK) {
            const char *const written[] = {servers->path, servers->beside, servers->user};
            assert_true(servers->count >= 1 && servers->count <= INK__NAMENODES_MAX);
            for (size_t i = 0; i < 3; i++)
                for (const char *at = written[i]; *at != '\0'; at++)
                    assert_true(*at > ' ' && *at < 0x7f);
        } else {
            assert_true(status == INK_USAGE && strlen(error.message) > 10);
        }
        ink__namenodes_close(servers);
        faults_check_no_leak(&memory);
    }
    if (strncmp(text, "unix:", 5) == 0) /* which would be made */
        return;
    network_begin(&(network_plan){.count = 0});
    if (ink__listener_open(&listener, text, &error) == INK_OK)
        assert_true(ink__listener_named(text) && strlen(listener.address) > 6);
    else
        assert_true(error.status == INK_USAGE && strlen(error.message) > 10);
    ink__listener_close(&listener);
    network_end();
    assert_int_equal(network_open(), 0);
}

/* ---- What the command reads --------------------------------------------------------------- */

/* A failure was reported with one line. */
static bool went_well(int code)
{
    if (code == 0)
        return true;
    const char *line = failure_reported();
    assert_true(code == CODE_USAGE || code == CODE_FILE || code == CODE_LIMIT);
    assert_true(line != NULL && strlen(line) > 10);
    assert_true(strchr(line, '\n') == line + strlen(line) - 1);
    return false;
}

static void try_specs(char *text)
{
    static char   option[] = "--sketch";
    char         *words[] = {option, text};
    ink_params    kinds[KINDS_MAX];
    size_t        count = 0;
    cli_arguments arguments;

    int code = options_parse(&arguments, &command_stream, 2, words);
    if (went_well(code) && went_well(specs_read(&arguments, kinds, &count)))
        assert_true(count >= 1 && count <= KINDS_MAX);
    options_release(&arguments);
}

static void try_secret(void)
{
    static char    option[] = "--secret";
    char          *words[] = {option, file_path};
    const uint8_t *secret;
    cli_arguments  arguments;

    assert_int_equal(options_parse(&arguments, &command_build, 2, words), 0);
    if (went_well(secret_read(&arguments, &secret)))
        assert_non_null(secret);
    options_release(&arguments);
}

static void put_file(const void *bytes, size_t count)
{
    assert_true(ftruncate(file, 0) == 0);
    assert_true(pwrite(file, bytes, count, 0) == (ssize_t)count);
    assert_true(lseek(file, 0, SEEK_SET) == 0);
}

/* A list that was read is written again, and read. */
static void try_splits(void)
{
    static char written[4 * MOST_BYTES];
    cli_splits  splits, again;
    ink_input  *inputs, *same;
    size_t      count, more, used = 0;

    if (!went_well(splits_read(&splits, &inputs, &count)))
        return;
    assert_true(count >= 1);
    for (size_t i = 0; i < count; i++) {
        int bytes = snprintf(written + used, sizeof written - used, "%llu\t%llu\t%s\n",
                             (unsigned long long)inputs[i].offset,
                             (unsigned long long)inputs[i].bytes, splits.names[i]);
        assert_true(bytes > 0 && (size_t)bytes < sizeof written - used);
        used += (size_t)bytes;
        assert_true(splits_name(&splits, inputs, inputs[i].path) != NULL);
    }
    put_file(written, used);
    assert_int_equal(splits_read(&again, &same, &more), 0);
    assert_int_equal(count, more);
    for (size_t i = 0; i < count; i++) {
        assert_true(inputs[i].offset == same[i].offset && inputs[i].bytes == same[i].bytes);
        assert_string_equal(inputs[i].path, same[i].path);
    }
    free(inputs);
    free(same);
    splits_end(&splits);
    splits_end(&again);
}

/* What a reader must find in frames: values, and after the last one the end, or what is wrong and
 * at which byte. */
typedef struct expected_frame {
    bool     more, wrong;
    uint64_t at; /* of the value, or of what is wrong */
    size_t   bytes;
} expected_frame;

static int64_t length_at(const uint8_t *at)
{
    return (int32_t)((uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3]);
}

static expected_frame expect_frame(const uint8_t *bytes, size_t count, size_t at)
{
    enum { LENGTH = 4, KEY_BYTES = 3 };
    const expected_frame cut = {.wrong = true, .at = count};

    if (at == count)
        return (expected_frame){.more = false};
    if (count - at < LENGTH)
        return cut;
    if (length_at(bytes + at) != KEY_BYTES)
        return (expected_frame){.wrong = true, .at = at};
    at += LENGTH;
    if (count - at < KEY_BYTES + LENGTH)
        return cut;
    at += KEY_BYTES;
    int64_t length = length_at(bytes + at);
    if (length < 0)
        return (expected_frame){.wrong = true, .at = at};
    at += LENGTH;
    if ((uint64_t)length > count - at)
        return cut;
    return (expected_frame){.more = true, .at = at, .bytes = (size_t)length};
}

/* The line that was reported names this byte. */
static void check_location(uint64_t at)
{
    char location[40];

    snprintf(location, sizeof location, ": byte %llu: ", (unsigned long long)at);
    if (strstr(failure_reported(), location) == NULL)
        fail_msg("\"%s\", expected byte %llu", failure_reported(), (unsigned long long)at);
}

static void try_frames(const uint8_t *bytes, size_t count)
{
    frame_reader reader;
    size_t       at = 0, frames = 0;
    bool         more = true;

    if (!went_well(frames_open(&reader, file_path)))
        return;
    while (more) {
        expected_frame next = expect_frame(bytes, count, at);
        bool           well = went_well(frames_next(&reader, &more));
        assert_int_equal(well, !next.wrong);
        if (!well) {
            check_location(next.at);
            break;
        }
        assert_int_equal(more, next.more);
        if (more) {
            assert_int_equal(reader.count, ++frames);
            assert_int_equal(reader.value_bytes, next.bytes);
            if (next.bytes > 0)
                assert_memory_equal(reader.value, bytes + next.at, next.bytes);
            at = (size_t)next.at + next.bytes;
            assert_int_equal(reader.taken, at);
        }
    }
    assert_true(reader.taken <= count);
    assert_true(reader.room <= 1 << 20); /* whatever a length says */
    frames_close(&reader);
}

/* ---- Trial -------------------------------------------------------------------------------- */

/* Frames that end with 0xfe go on with many of it, so that values can be longer than a buffer. */
static size_t add_more(uint8_t **frames, const char *text, size_t bytes)
{
    enum { MORE = 150000 };
    size_t more = bytes > 0 && (uint8_t)text[bytes - 1] == 0xfe ? MORE : 0;

    *frames = malloc(bytes + more + 1);
    assert_non_null(*frames);
    memcpy(*frames, text, bytes);
    memset(*frames + bytes, 0xfe, more);
    return bytes + more;
}

static void try_command(sort of, char *text, size_t bytes)
{
    uint8_t *frames = NULL;

    if (of == FRAMES) {
        bytes = add_more(&frames, text, bytes);
        put_file(frames, bytes);
    } else {
        put_file(text, bytes);
    }
    dup2(nowhere, STDERR_FILENO);
    if (of == SPECS)
        try_specs(text);
    else if (of == SECRETS)
        try_secret();
    else if (of == SPLITS)
        try_splits();
    else
        try_frames(frames, bytes);
    dup2(standard_error, STDERR_FILENO);
    free(frames);
}

static void attempt(const uint8_t *bytes, size_t count)
{
    sort  of = fuzz_variant >= 0 ? (sort)fuzz_variant : (sort)(bytes[0] % SORTS);
    char *text = malloc(count); /* with its NUL */
    assert_non_null(text);
    memcpy(text, bytes + 1, count - 1);
    text[count - 1] = '\0';
    if (of == TIMES)
        try_time(bytes + 1, count - 1);
    else if (of == NUMBERS)
        try_number(text);
    else if (of == PATHS)
        try_path(text);
    else if (of == ADDRESSES)
        try_address(text);
    else
        try_command(of, text, count - 1);
    free(text);
}

const fuzz_target fuzz_here = {
    .name = "texts",
    .most_bytes = MOST_BYTES,
    .head_bytes = 1,
    .rounds = 20000,
    .weight = 4,
    .variants = variants,
    .begin = begin,
    .seed = seed,
    .change = change,
    .attempt = attempt,
};
