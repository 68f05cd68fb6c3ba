/* document.c - a record as a document. */
#include "jobs/dedup/document.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <string.h>

void ink__document_end(ink__document *document)
{
    ink__release(&document->allocator, document->paragraphs, document->paragraph_room);
    ink__release(&document->allocator, document->unescaped, document->unescaped_room);
    document->paragraphs = NULL;
    document->unescaped = NULL;
    document->paragraph_room = document->unescaped_room = 0;
}

/* ---- Paragraphs --------------------------------------------------------------------------- */

static ink_status add_paragraph(ink__document *document, const ink__paragraph *paragraph,
                                ink_error *error)
{
    const uint64_t used = document->paragraph_count * sizeof *paragraph;

    if (used + sizeof *paragraph > document->paragraph_room)
        INK__TRY(ink__make_room(&document->allocator, &document->paragraphs,
                                &document->paragraph_room, used, sizeof *paragraph, error));
    document->paragraphs[document->paragraph_count++] = *paragraph;
    return INK_OK;
}

/* Of a text that stands in the record as it is. */
static ink_status split_plain(ink__document *document, const uint8_t *record, ink_error *error)
{
    const uint8_t *text = document->text, *end = text + document->bytes, *newline;
    const uint32_t before = (uint32_t)(text - record);

    for (const uint8_t *at = text;; at = newline + 1) {
        newline = memchr(at, '\n', (size_t)(end - at));
        const uint32_t until = (uint32_t)((newline == NULL ? end : newline) - text);
        INK__TRY(add_paragraph(document,
                               &(ink__paragraph){.start = before + (uint32_t)(at - text),
                                                 .end = before + until,
                                                 .text_start = (uint32_t)(at - text),
                                                 .text_end = until},
                               error));
        if (newline == NULL)
            return INK_OK;
    }
}

/* The bytes of the escape at `at`, which is valid: a surrogate pair is one. */
static uint64_t escape_bytes(const uint8_t *record, uint64_t at)
{
    if (record[at + 1] != 'u')
        return 2;
    const bool pair = ink__hex_digit(record[at + 2]) == 0xd && ink__hex_digit(record[at + 3]) >= 8;
    return pair ? 12 : 6;
}

/* Unescapes a string, and splits it where it has an escape of a newline. */
static ink_status unescape(ink__document *document, const uint8_t *record,
                           const ink__json_value *value, bool paragraphs, ink_error *error)
{
    ink__paragraph now = {.start = (uint32_t)value->start};
    uint64_t       used = 0, at = value->start;

    INK__TRY(ink__make_room(&document->allocator, &document->unescaped, &document->unescaped_room,
                            0, value->end - value->start, error));
    uint8_t *to = document->unescaped;
    while (at < value->end) {
        const uint8_t *found = memchr(record + at, '\\', (size_t)(value->end - at));
        const uint64_t stop = found == NULL ? value->end : (uint64_t)(found - record);
        memcpy(to + used, record + at, (size_t)(stop - at));
        used += stop - at;
        at = stop;
        if (found == NULL)
            break;
        const ink__json_value escape = {.start = at, .end = at + escape_bytes(record, at)};
        const uint64_t        bytes = ink__json_unescape(record, &escape, to + used);
        if (paragraphs && to[used] == '\n') {
            now.end = (uint32_t)at;
            now.text_end = (uint32_t)used;
            INK__TRY(add_paragraph(document, &now, error));
            now.start = (uint32_t)escape.end;
            now.text_start = (uint32_t)(used + 1);
        }
        used += bytes;
        at = escape.end;
    }
    document->text = to;
    document->bytes = used;
    now.end = (uint32_t)value->end;
    now.text_end = (uint32_t)used;
    return paragraphs ? add_paragraph(document, &now, error) : INK_OK;
}

bool ink__paragraph_counts(const ink__document *document, const ink__paragraph *paragraph)
{
    for (uint64_t at = paragraph->text_start; at < paragraph->text_end; at++) {
        const uint8_t byte = document->text[at];
        if (byte != ' ' && (byte < '\t' || byte > '\r'))
            return true;
    }
    return false;
}

/* ---- Records ------------------------------------------------------------------------------ */

static const char *kind_name(ink__json_kind kind)
{
    static const char *const names[] = {[INK__JSON_MISSING] = "nothing",
                                        [INK__JSON_NULL] = "null",
                                        [INK__JSON_STRING] = "a string",
                                        [INK__JSON_NUMBER] = "a number",
                                        [INK__JSON_TRUE] = "true",
                                        [INK__JSON_FALSE] = "false",
                                        [INK__JSON_CONTAINER] = "a container"};

    return names[kind];
}

/* Finds the text in an object, and the name of the document. */
static ink_status find_text(ink__document *document, const ink__document_rule *rule,
                            const uint8_t *record, uint64_t bytes, ink__json_value *text,
                            ink_error *error)
{
    const ink__json_path paths[] = {rule->text, rule->id};
    ink__json_value      found[2] = {{0}};

    INK__TRY(ink__json_find(record, 0, bytes, paths, rule->has_id ? 2 : 1, found, error));
    *text = found[0];
    if (found[0].kind != INK__JSON_STRING)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0, "%s at \"%s\", expected a string",
                         kind_name(found[0].kind), rule->name);
    document->id = found[1];
    return INK_OK;
}

ink_status ink__document_read(ink__document *document, const ink__document_rule *rule,
                              const uint8_t *record, uint64_t bytes, ink_error *error)
{
    ink__json_value value = {.end = bytes};

    document->paragraph_count = 0;
    document->id = (ink__json_value){0};
    if (rule->json)
        INK__TRY(find_text(document, rule, record, bytes, &value, error));
    if (value.escaped)
        INK__TRY(unescape(document, record, &value, rule->paragraphs, error));
    else {
        document->text = record + value.start;
        document->bytes = value.end - value.start;
    }
    const uint64_t good = ink__utf8_bytes(document->text, document->bytes);
    if (good < document->bytes)
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, 0,
                         "byte %llu of the text is not UTF-8 (0x%x)", (unsigned long long)good + 1,
                         document->text[good]);
    if (rule->paragraphs && !value.escaped)
        INK__TRY(split_plain(document, record, error));
    return INK_OK;
}
