/* uses_parts.c - what the experiments on uses of sketches share: lines and exact counts of them,
 * files of sketches as peers send them to each other, and what the receiver does with one. */
#include "experiments/uses_parts.h"

#include <stdlib.h>
#include <string.h>

bool next_line(const lab_data *data, size_t *at, text_line *line)
{
    if (*at >= data->count)
        return false;
    const uint8_t *start = data->bytes + *at;
    const uint8_t *end = memchr(start, '\n', data->count - *at);
    line->text = (const char *)start;
    line->bytes = end == NULL ? data->count - *at : (size_t)(end - start);
    *at += line->bytes + 1;
    return true;
}

text_line line_field(text_line line, char separator, unsigned index)
{
    for (;; index--) {
        const char *end = line.bytes == 0 ? NULL : memchr(line.text, separator, line.bytes);
        size_t      bytes = end == NULL ? line.bytes : (size_t)(end - line.text);
        if (index == 0)
            return (text_line){line.text, bytes};
        if (end == NULL)
            return (text_line){line.text + line.bytes, 0};
        line = (text_line){end + 1, line.bytes - bytes - 1};
    }
}

uint64_t line_number(text_line line)
{
    uint64_t number = 0;

    for (size_t i = 0; i < line.bytes && line.text[i] >= '0' && line.text[i] <= '9'; i++)
        number = 10 * number + (uint64_t)(line.text[i] - '0');
    return number;
}

text_line line_part(text_line line, size_t from, size_t bytes)
{
    from = from < line.bytes ? from : line.bytes;
    return (text_line){line.text + from, bytes < line.bytes - from ? bytes : line.bytes - from};
}

/* ---- Exact counts ------------------------------------------------------------------------- */

/* FNV-1a, stirred: no adversary chooses these keys. */
static uint64_t hash_of(text_line key)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t i = 0; i < key.bytes; i++)
        hash = (hash ^ (uint8_t)key.text[i]) * 0x100000001b3u;
    return hash ^ hash >> 29;
}

/* The place of the key, or the free one where it would be. */
static uint32_t *location_of(const exact *table, text_line key)
{
    size_t at = (size_t)hash_of(key) & table->location_mask;

    for (; table->locations[at] != 0; at = (at + 1) & table->location_mask) {
        const text_line *other = &table->entries[table->locations[at] - 1].key;
        if (other->bytes == key.bytes && memcmp(other->text, key.text, key.bytes) == 0)
            break;
    }
    return &table->locations[at];
}

exact exact_of(lab *bench, const lab_data *lines)
{
    uint64_t  records = lab_lines(lines);
    exact     table = {0};
    text_line line;
    size_t    locations = 16;

    while (locations < 2 * records)
        locations *= 2;
    table.location_mask = locations - 1;
    table.locations = calloc((size_t)locations, sizeof *table.locations);
    table.entries = malloc((size_t)(records + 1) * sizeof *table.entries);
    if (table.locations == NULL || table.entries == NULL) {
        lab_fail_memory(
            bench, (size_t)(locations * sizeof *table.locations + records * sizeof *table.entries));
        exact_free(&table);
        return table;
    }
    for (size_t at = 0; next_line(lines, &at, &line);) {
        uint32_t *location = location_of(&table, line);
        if (*location == 0) {
            table.entries[table.count++] = (exact_entry){.key = line};
            *location = (uint32_t)table.count;
        }
        table.entries[*location - 1].count++;
    }
    return table;
}

uint64_t exact_count(const exact *table, text_line key)
{
    uint32_t location = table->locations == NULL ? 0 : *location_of(table, key);

    return location == 0 ? 0 : table->entries[location - 1].count;
}

uint64_t exact_bytes(const exact *table)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < table->count; i++)
        bytes += table->entries[i].key.bytes + sizeof(uint32_t);
    return bytes;
}

void exact_free(exact *table)
{
    free(table->entries);
    free(table->locations);
    *table = (exact){0};
}

/* ---- Files of sketches, as they are sent -------------------------------------------------- */

message message_of(lab *bench, const lab_data *lines, const ink_reading *reading,
                   const ink_params *params)
{
    ink_set *set = lab_build_set(bench, lines, reading, params);
    message  made = {0};

    if (set == NULL)
        return made;
    if (!lab_ok(bench, ink_set_encode(set, &made.bytes, &made.count, &bench->error)))
        made = (message){0};
    ink_set_free(set);
    return made;
}

lab_data message_filter(lab *bench, const message *from, const lab_data *lines, bool invert)
{
    const ink_input          input = lab_input(lines);
    const ink_filter_options options = {.invert = invert};
    ink_filter_report        report;
    ink_job                  job = {.threads = bench->threads};
    lab_data                 passed = {0};
    ink_sink                 sink = lab_sink(&passed);
    ink_file                *file;

    if (bench->status != INK_OK ||
        !lab_ok(bench, ink_file_decode(&file, from->bytes, from->count, INK_OPEN_CHECKED, NULL,
                                       &bench->error)))
        return passed;
    lab_ok(bench, ink_filter(file, &input, 1, &(ink_reading){0}, &options, &sink, &report, &job,
                             &bench->error));
    ink_file_close(file);
    return passed;
}

void message_free(message *m)
{
    ink_bytes_free(m->bytes, m->count, NULL);
    *m = (message){0};
}

ink_answer count_of(lab *bench, const ink_sketch *sketch, text_line key)
{
    ink_answer answer = {0};

    if (bench->status == INK_OK)
        lab_ok(bench, ink_sketch_count(sketch, key.text, key.bytes, &answer, &bench->error));
    return answer;
}

double together(lab *bench, const ink_sketch *one, const ink_sketch *other)
{
    ink_sketch *both = NULL;
    ink_answer  answer = {0};

    if (bench->status != INK_OK || !lab_ok(bench, ink_sketch_copy(&both, one, NULL, &bench->error)))
        return 0;
    if (one == other || lab_ok(bench, ink_sketch_merge(both, other, NULL, &bench->error)))
        lab_ok(bench, ink_sketch_distinct(both, 0, &answer, &bench->error));
    ink_sketch_free(both);
    return answer.estimate;
}
