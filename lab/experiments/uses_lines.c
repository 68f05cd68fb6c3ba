/* uses_lines.c - lines of generated data, their fields, and how often each different line is there:
 * the truth that sketches are compared with. */
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
    table.locations = calloc(locations, sizeof *table.locations);
    table.entries = malloc((records + 1) * sizeof *table.entries);
    if (table.locations == NULL || table.entries == NULL) {
        lab_fail_memory(bench,
                        locations * sizeof *table.locations + records * sizeof *table.entries);
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
