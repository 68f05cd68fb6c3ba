/* workbench.c - what experiments work with. */
#define _POSIX_C_SOURCE 200809L
#include "workbench/workbench.h"

#include "inkling_command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

bool lab_ok(lab *bench, ink_status status)
{
    if (bench->status == INK_OK)
        bench->status = status;
    return bench->status == INK_OK;
}

void lab_fail_memory(lab *bench, size_t bytes)
{
    if (bench->status != INK_OK)
        return;
    bench->status = bench->error.status = INK_MEMORY;
    snprintf(bench->error.message, sizeof bench->error.message, "no memory for %zu bytes", bytes);
}

/* What the C library says of a path. */
static void fail_path(lab *bench, const char *path)
{
    int why = errno;

    if (bench->status != INK_OK)
        return;
    bench->status = bench->error.status = INK_IO;
    bench->error.os_error = why;
    snprintf(bench->error.message, sizeof bench->error.message, "%.100s: %s", path, strerror(why));
}

bool lab_step(lab *bench, double share, const char *what)
{
    double                   at = bench->from + (bench->until - bench->from) * share;
    const lab_options *const options = bench->options;

    if (bench->status != INK_OK)
        return false;
    if (options->progress == NULL || options->progress(options->host, what, at))
        return true;
    bench->status = bench->error.status = INK_STOPPED;
    snprintf(bench->error.message, sizeof bench->error.message, "stopped");
    return false;
}

double lab_clock(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

unsigned lab_cores(void)
{
    long cores = sysconf(_SC_NPROCESSORS_ONLN);

    return cores < 1 ? 1 : (unsigned)cores;
}

uint64_t lab_size(const lab *bench, uint64_t whole, uint64_t quick)
{
    return bench->options->quick ? quick : whole;
}

/* ---- Data --------------------------------------------------------------------------------- */

static bool make_room(lab_data *data, size_t more)
{
    size_t   wanted = data->room == 0 ? 1 << 16 : data->room;
    uint8_t *moved;

    while (wanted - data->count < more)
        wanted *= 2;
    if (wanted == data->room)
        return true;
    moved = realloc(data->bytes, wanted);
    if (moved == NULL)
        return false;
    data->bytes = moved;
    data->room = wanted;
    return true;
}

static int take_bytes(void *host, const void *bytes, size_t count)
{
    lab_data *data = host;

    if (!make_room(data, count))
        return ENOMEM;
    memcpy(data->bytes + data->count, bytes, count);
    data->count += count;
    return 0;
}

ink_sink lab_sink(lab_data *data)
{
    return (ink_sink){.write = take_bytes, .host = data};
}

lab_data lab_generate_sample(lab *bench, const char *kind, uint64_t records, uint64_t seed,
                             uint64_t sample, lab_data *chosen)
{
    lab_data             data = {0};
    const ink_sink       sink = {.write = take_bytes, .host = &data};
    const ink_sink       sample_sink = {.write = take_bytes, .host = chosen};
    const ink_generation what = {.kind = kind,
                                 .records = records,
                                 .seed = seed,
                                 .sample = sample,
                                 .sample_sink = chosen == NULL ? NULL : &sample_sink};
    ink_job              job = {.threads = bench->threads};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_generate(&what, &sink, &job, &bench->error));
    return data;
}

lab_data lab_generate(lab *bench, const char *kind, uint64_t records, uint64_t seed)
{
    return lab_generate_sample(bench, kind, records, seed, 0, NULL);
}

void lab_add_line(lab *bench, lab_data *data, const char *format, ...)
{
    char    line[512];
    va_list arguments;

    va_start(arguments, format);
    int length = vsnprintf(line, sizeof line - 1, format, arguments);
    va_end(arguments);
    size_t count = length < (int)sizeof line - 1 ? (size_t)length : sizeof line - 2;
    line[count++] = '\n';
    if (take_bytes(data, line, count) != 0)
        lab_fail_memory(bench, data->room);
}

void lab_data_free(lab_data *data)
{
    free(data->bytes);
    *data = (lab_data){0};
}

static size_t end_of_lines(const lab_data *data, uint64_t lines)
{
    size_t at = 0;

    for (; lines > 0 && at < data->count; lines--) {
        const uint8_t *end = memchr(data->bytes + at, '\n', data->count - at);
        at = end == NULL ? data->count : (size_t)(end - data->bytes) + 1;
    }
    return at;
}

lab_data lab_head(const lab_data *data, uint64_t lines)
{
    return (lab_data){.bytes = data->bytes, .count = end_of_lines(data, lines)};
}

lab_data lab_tail(const lab_data *data, uint64_t lines)
{
    size_t at = end_of_lines(data, lines);

    return (lab_data){.bytes = data->bytes + at, .count = data->count - at};
}

uint64_t lab_lines(const lab_data *data)
{
    uint64_t lines = 0;

    for (size_t at = 0; at < data->count; lines++) {
        const uint8_t *end = memchr(data->bytes + at, '\n', data->count - at);
        at = end == NULL ? data->count : (size_t)(end - data->bytes) + 1;
    }
    return lines;
}

bool lab_make_folder(lab *bench, char folder[LAB_PATH])
{
    const char *above = getenv("TMPDIR");

    if (bench->status != INK_OK)
        return false;
    snprintf(folder, LAB_PATH, "%.400s/ink-lab.XXXXXX",
             above == NULL || above[0] == '\0' ? "/tmp" : above);
    if (mkdtemp(folder) == NULL)
        fail_path(bench, folder);
    return bench->status == INK_OK;
}

void lab_write_file(lab *bench, const char *path, const lab_data *data)
{
    FILE *file;

    if (bench->status != INK_OK)
        return;
    file = fopen(path, "wb");
    if (file == NULL) {
        fail_path(bench, path);
        return;
    }
    bool whole = fwrite(data->bytes, 1, data->count, file) == data->count;
    if (fclose(file) != 0 || !whole)
        fail_path(bench, path);
}

/* ---- Jobs --------------------------------------------------------------------------------- */

ink_input lab_input(const lab_data *data)
{
    return (ink_input){.memory = data->bytes == NULL ? (const uint8_t *)"" : data->bytes,
                       .memory_bytes = data->count};
}

ink_set *lab_build_set(lab *bench, const lab_data *data, const ink_reading *reading,
                       const ink_params *params)
{
    const ink_input         input = lab_input(data);
    const ink_build_options options = {.kinds = params, .kind_count = 1};
    ink_job                 job = {.threads = bench->threads};
    ink_set                *set = NULL;

    if (bench->status == INK_OK)
        lab_ok(bench, ink_build(&set, &input, 1, reading, &options, &job, &bench->error));
    return bench->status == INK_OK ? set : NULL;
}

ink_sketch *lab_build(lab *bench, const lab_data *data, const ink_params *params)
{
    ink_set    *set = lab_build_set(bench, data, &(ink_reading){0}, params);
    ink_sketch *sketch = NULL;

    if (set == NULL)
        return NULL;
    lab_ok(bench, ink_set_take(set, 0, &sketch, &bench->error));
    ink_set_free(set);
    return sketch;
}

ink_filter_report lab_filter(lab *bench, const ink_sketch *sketch, const lab_data *lines,
                             ink_job *job)
{
    const ink_input   input = lab_input(lines);
    ink_filter_report report = {0};
    ink_file         *file;
    uint8_t          *bytes;
    size_t            count;

    if (bench->status != INK_OK || sketch == NULL ||
        !lab_ok(bench, ink_sketch_encode(sketch, &bytes, &count, &bench->error)))
        return report;
    if (lab_ok(bench,
               ink_file_decode(&file, bytes, count, INK_OPEN_CHECKED, NULL, &bench->error))) {
        lab_ok(bench, ink_filter(file, &input, 1, &(ink_reading){0}, &(ink_filter_options){0}, NULL,
                                 &report, job, &bench->error));
        ink_file_close(file);
    }
    ink_allocator allocator;

    ink_sketch_allocator(sketch, &allocator);
    ink_bytes_free(bytes, count, &allocator);
    return report;
}

uint64_t lab_admitted(lab *bench, const ink_sketch *sketch, const lab_data *lines)
{
    ink_job job = {.threads = bench->threads};

    return lab_filter(bench, sketch, lines, &job).admitted;
}

double lab_rate(lab *bench, const ink_sketch *sketch)
{
    double rate = 0;

    if (bench->status == INK_OK && sketch != NULL)
        lab_ok(bench, ink_sketch_rate(sketch, &rate, &bench->error));
    return rate;
}

uint64_t lab_bytes(const ink_sketch *sketch)
{
    ink_description d = {0};

    if (sketch != NULL)
        ink_sketch_describe(sketch, &d);
    return d.bytes;
}
