/* answer_lines.c - answers of the query protocol as lines. */
#include "stream/answer_lines.h"

#include "options/quantities.h"
#include "report/answers.h"
#include "report/description.h"
#include "report/utf8.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static cli_cell key_cell(const answer_lines *lines, const ink_query_answer *from)
{
    return cell_key(from->key, from->key_bytes, false, lines->key_columns);
}

/* clang-format off */
#define SEEN(X)                                                                                    \
    X(SEEN_KIND, "kind", NULL, TEXT, cell_text(from->description.kind))                            \
    X(SEEN_KEY, "key", NULL, TEXT, key_cell(lines, from))                                          \
    X(SEEN_SEEN, "seen", NULL, OK, cell_ok(from->seen, ""))                                        \
    X(SEEN_RATE, "rate", NULL, RATE, from->seen ? cell_real(rate) : NO_CELL)
/* clang-format on */
enum { SEEN(COLUMN_ID) SEEN_COLUMNS };

/* "KEY yes RATE" or "KEY no", or the object. */
static ink_status member_line(answer_lines *lines, const ink_query_answer *from, ink_error *error)
{
    static const cli_column columns[] = {SEEN(COLUMN_ID_IS)};
    cli_text               *line = &lines->line;
    double                  rate = 0;
    char                    text[32];

    if (lines->seen) {
        text_bytes(line, from->query, from->query_bytes);
        return INK_OK;
    }
    if (from->seen)
        TRY(ink_stream_view_rate(from->view, from->index, &rate, error));
    const cli_cell cells[] = {SEEN(COLUMN_ID_CELL)};
    if (lines->json) {
        json_object(line, columns, SEEN_COLUMNS, cells);
        return INK_OK;
    }
    tsv_field(line, &columns[SEEN_KEY], &cells[SEEN_KEY]);
    format_rate(text, sizeof text, rate);
    text_format(line, from->seen ? "\tyes\t%s" : "\tno", text);
    return INK_OK;
}

static void put_answer(answer_lines *lines, const cli_answer *answer)
{
    if (lines->json)
        answer_object(&lines->line, answer);
    else
        answer_fields(&lines->line, answer);
}

static void number_line(answer_lines *lines, const ink_query_answer *from)
{
    bool       count = from->question == INK_ASK_COUNT;
    cli_answer answer = {.kind = from->description.kind, .number = from->number};

    if (count)
        answer.key = key_cell(lines, from);
    else if (!lines->json)
        text_put(&lines->line, "DISTINCT");
    put_answer(lines, &answer);
}

static void put_item(answer_lines *lines, const ink_query_answer *from, const ink_item *item)
{
    char       digits[24];
    cli_answer answer = {
        .kind = from->description.kind,
        .number = item->count,
        .share = cell_real(item->count.estimate / (double)from->description.total),
        .cut = item->cut,
    };

    if (from->description.key_type == INK_KEY_INT) {
        snprintf(digits, sizeof digits, "%" PRId64, item->key_int);
        answer.key = cell_text(digits);
    } else {
        answer.key = cell_key(item->key, item->key_bytes, item->cut, lines->key_columns);
    }
    put_answer(lines, &answer);
}

static void top_line(answer_lines *lines, const ink_query_answer *from)
{
    cli_text *line = &lines->line;

    if (lines->json)
        text_format(line, "{\"question\":\"TOP %zu\",\"answers\":[", from->wanted);
    else
        text_put(line, "TOP");
    for (size_t i = 0; i < from->item_count; i++) {
        if (lines->json && i > 0)
            text_put(line, ",");
        put_item(lines, from, &from->items[i]);
    }
    if (lines->json)
        text_put(line, "]}");
}

/* The contents of the view, and the present state of the stream. */
/* clang-format off */
#define INFO(X)                                                                                    \
    X("batches", NULL, COUNT, cell_count(then->batches))                                           \
    X("records", NULL, COUNT, cell_count(then->records))                                           \
    X("bad", NULL, COUNT, cell_count(then->bad))                                                   \
    X("late", NULL, COUNT, cell_count(then->late))                                                 \
    X("cut", NULL, COUNT, cell_count(then->cut))                                                   \
    X("saved_batches", NULL, COUNT, cell_count(now.saved_batches))                                 \
    X("saved_records", NULL, COUNT, cell_count(now.saved_records))                                 \
    X("questions", NULL, COUNT, cell_count(now.questions))                                         \
    X("train_connections", NULL, COUNT, cell_count(now.train_connections))                         \
    X("ask_connections", NULL, COUNT, cell_count(now.ask_connections))                             \
    X("ended", NULL, OK, cell_ok(now.ended, ""))                                                   \
    X("newest", NULL, SLOT, cell_slot(&newest))                                                    \
    X("seconds", NULL, SECONDS,                                                                    \
      cell_real((double)(uint64_t)(1e3 * now.seconds + 0.5) / 1e3))
/* clang-format on */

/* "\tNAME=VALUE", or "\tOF.NAME=VALUE", for each cell that is present. */
static void put_named(cli_text *line, const char *of, const cli_column *columns, size_t count,
                      const cli_cell *cells)
{
    for (size_t i = 0; i < count; i++) {
        if (cells[i].state == CELL_ABSENT)
            continue;
        text_format(line, "\t%s%s%s=", of, *of == '\0' ? "" : ".", columns[i].name);
        tsv_field(line, &columns[i], &cells[i]);
    }
}

static ink_status put_sketch(answer_lines *lines, const ink_stream_view *view, size_t index,
                             ink_error *error)
{
    static const ink_label none = {0};
    const ink_sketch      *sketch;
    ink_description        d;
    double                 rate = 0;
    cli_cell               cells[DESCRIBED_COLUMNS];

    TRY(ink_stream_view_sketch(view, index, &sketch, error));
    if (described_is_filter(sketch))
        TRY(ink_stream_view_rate(view, index, &rate, error));
    if (lines->json) {
        text_put(&lines->line, index == 0 ? "" : ",");
        return described_json(&lines->line, sketch,
                              &(ink_info_options){.label = &none, .has_rate = true, .rate = rate},
                              error);
    }
    TRY(described(cells, &none, sketch, rate, error));
    ink_sketch_describe(sketch, &d);
    cells[DESCRIBED_KIND] = (cli_cell){0};
    put_named(&lines->line, d.kind, described_columns, DESCRIBED_COLUMNS, cells);
    return INK_OK;
}

static ink_status info_line(answer_lines *lines, const ink_stream_view *view, ink_error *error)
{
    static const cli_column  columns[] = {INFO(COLUMN_IS)};
    const ink_stream_report *then = ink_stream_view_report(view);
    ink_stream_report        now = *then;
    cli_text                *line = &lines->line;
    ink_status               status = INK_OK;

    if (lines->stream != NULL)
        ink_stream_now(lines->stream, &now);
    const ink_label newest = {.has_slot = then->timed, .slot = then->newest};
    const cli_cell  cells[] = {INFO(COLUMN_CELL)};
    if (lines->json) {
        json_object(line, columns, COUNT_OF(columns), cells);
        line->count--; /* the object goes on */
        text_put(line, ",\"sketches\":[");
    } else {
        text_put(line, "INFO");
        put_named(line, "", columns, COUNT_OF(columns), cells);
    }
    for (size_t i = 0; status == INK_OK && i < ink_stream_view_count(view); i++)
        status = put_sketch(lines, view, i, error);
    if (lines->json)
        text_put(line, "]}");
    return status;
}

static ink_status make_line(answer_lines *lines, const ink_query_answer *from, ink_error *error)
{
    if (from->sketch == NULL)
        return info_line(lines, from->view, error);
    if (from->question == INK_ASK_MEMBER)
        return member_line(lines, from, error);
    if (from->question == INK_ASK_TOP)
        top_line(lines, from);
    else
        number_line(lines, from);
    return INK_OK;
}

static ink_status write_line(void *host, const ink_query_answer *from, const ink_sink *to,
                             ink_error *error)
{
    answer_lines *lines = host;

    if (lines->seen && from->sketch != NULL && from->question == INK_ASK_MEMBER && !from->seen)
        return INK_OK;
    lines->line.count = 0;
    TRY(make_line(lines, from, error));
    text_put(&lines->line, "\n");
    int os_error = to->write(to->host, lines->line.bytes, lines->line.count);
    if (os_error == 0)
        return INK_OK;
    *error = (ink_error){.status = INK_IO, .os_error = os_error};
    snprintf(error->message, sizeof error->message, "cannot write an answer: %s",
             strerror(os_error));
    return INK_IO;
}

static size_t show(void *host, char *text, size_t room, const void *bytes, size_t count)
{
    (void)host;
    return utf8_show(text, room, bytes, count);
}

ink_status answer_lines_answer(void *host, const ink_stream_view *view, const uint8_t *question,
                               size_t bytes, const ink_sink *to, ink_error *error)
{
    answer_lines           *lines = host;
    const ink_query_options options = {
        .key_columns = lines->key_columns,
        .write = write_line,
        .show = show,
        .host = lines,
    };

    return ink_query_line(&options, view, question, bytes, to, error);
}

void answer_lines_end(answer_lines *lines)
{
    text_free(&lines->line);
}
