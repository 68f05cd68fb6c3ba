/* questions.c - the question protocol: what a line asks, which sketch answers it, and how. */
#include "stream/questions.h"

#include "options/quantities.h"
#include "options/suggestions.h"
#include "report/answers.h"
#include "report/description.h"
#include "report/numbers.h"
#include "report/utf8.h"
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { TOP_BY_DEFAULT = 10, TOP_MOST = 10000, SHOWN_BYTES = 64, LENGTH_BYTES = 4 };

/* What is asked, and by whom it is answered. */
typedef struct asking {
    questions             *q;
    const ink_stream_view *view;
    const uint8_t         *question;
    size_t                 question_bytes;
    ink_error             *error;
} asking;

/* A sketch of the view, and what it is. */
typedef struct answerer {
    size_t            index;
    const ink_sketch *sketch;
    ink_description   d;
} answerer;

static ink_status refuse(const asking *a, ink_status status, const char *format, ...)
    PRINTF_LIKE(3, 4);

static ink_status refuse(const asking *a, ink_status status, const char *format, ...)
{
    va_list arguments;

    *a->error = (ink_error){.status = status};
    va_start(arguments, format);
    vsnprintf(a->error->sentence, sizeof a->error->sentence, format, arguments);
    va_end(arguments);
    return status;
}

/* ---- Which sketch answers ----------------------------------------------------------------- */

typedef enum ask { ASK_SEEN, ASK_COUNT, ASK_TOP, ASK_DISTINCT } ask;

/* Which kinds answer, the best one first, as in the other commands; and whether any filter does, if
 * none of them is there. */
typedef struct ask_kinds {
    const char *kinds[3];
    bool        filters;
    const char *asked, *expected; /* for whom none answers */
} ask_kinds;

static const ask_kinds answered_by[] = {
    [ASK_SEEN] = {{NULL}, true, NULL, NULL},
    [ASK_COUNT] = {{"count-min", "top", "counting"}, false, "COUNT", "count-min, top or counting"},
    [ASK_TOP] = {{"top"}, false, "TOP", "top"},
    [ASK_DISTINCT] = {{"hll", "fm"}, true, "DISTINCT", "hll, fm or a filter"},
};

/* How well a kind answers, from 1; 0: not at all. */
static size_t suits(const ask_kinds *by, const char *kind)
{
    enum { KINDS = sizeof by->kinds / sizeof *by->kinds };
    ink_kind_info info;

    for (size_t i = 0; i < KINDS && by->kinds[i] != NULL; i++)
        if (strcmp(by->kinds[i], kind) == 0)
            return KINDS + 1 - i;
    return by->filters && ink_kind_describe(kind, &info, NULL) == INK_OK && info.contains;
}

/* Finds the sketch that answers best, of those that are equal the first; sketch NULL: none does. */
static ink_status choose(const asking *a, ask what, answerer *chosen)
{
    size_t best = 0;

    chosen->sketch = NULL;
    for (size_t i = 0; i < ink_stream_view_count(a->view); i++) {
        answerer   one = {.index = i};
        ink_status status = ink_stream_view_sketch(a->view, i, &one.sketch, a->error);
        if (status != INK_OK)
            return status;
        ink_sketch_describe(one.sketch, &one.d);
        size_t how = suits(&answered_by[what], one.d.kind);
        if (how > best) {
            best = how;
            *chosen = one;
        }
    }
    return INK_OK;
}

/* Says what was asked for and what sketches there are. */
static ink_status nobody_answers(const asking *a, const char *asked, const char *expected)
{
    char              list[WORDS_BYTES] = "";
    const ink_sketch *sketch;
    ink_description   d;
    ink_error         error;

    for (size_t i = 0; i < ink_stream_view_count(a->view); i++) {
        if (ink_stream_view_sketch(a->view, i, &sketch, &error) != INK_OK)
            continue;
        ink_sketch_describe(sketch, &d);
        words_add(list, sizeof list, ", ", d.kind);
    }
    return refuse(a, INK_UNSUPPORTED, "%s, but this stream has %s, expected %s", asked, list,
                  expected);
}

/* The same, and an error if there is none. */
static ink_status need(const asking *a, ask what, answerer *chosen)
{
    ink_status status = choose(a, what, chosen);

    if (status == INK_OK && chosen->sketch == NULL)
        return nobody_answers(a, answered_by[what].asked, answered_by[what].expected);
    return status;
}

/* ---- Keys --------------------------------------------------------------------------------- */

typedef struct asked_key {
    const uint8_t *asked; /* as it stands in the question ... */
    size_t         asked_bytes;
    const uint8_t *bytes; /* ... and as sketches have it */
    size_t         count;
    int64_t        number; /* of a sketch of ints */
    char           digits[24];
    cli_cell       cell; /* as it is answered */
} asked_key;

/* A whole number from -2^63 to 2^64 - 1, perhaps with a sign, as records have it. */
static ink_status read_int(const asking *a, asked_key *key)
{
    char     text[32], found[SHOWN_BYTES];
    uint64_t value = 0;
    bool     minus = key->count > 0 && key->bytes[0] == '-';
    bool     sign = minus || (key->count > 0 && key->bytes[0] == '+');
    size_t   digits = key->count - sign;
    bool     plain = digits > 0 && digits < sizeof text;

    for (size_t i = sign; plain && i < key->count; i++)
        plain = key->bytes[i] >= '0' && key->bytes[i] <= '9';
    if (plain) {
        memcpy(text, key->bytes + sign, digits);
        text[digits] = '\0';
        plain =
            number_count(text, &value) == NUMBER_OK && !(minus && value > (uint64_t)INT64_MAX + 1);
    }
    if (!plain) {
        utf8_show(found, sizeof found, key->bytes, key->count);
        return refuse(a, INK_USAGE, "key %s, expected an integer of 64 bits",
                      key->count == 0 ? "\"\"" : found);
    }
    key->number = (int64_t)(minus ? 0 - value : value);
    snprintf(key->digits, sizeof key->digits, "%" PRId64, key->number);
    key->cell = cell_text(key->digits);
    return INK_OK;
}

/* Puts a length as it stands before each column of a tuple (docs/keys.md). */
static void put_length(cli_text *to, size_t count)
{
    uint8_t length[LENGTH_BYTES];

    for (size_t i = 0; i < LENGTH_BYTES; i++)
        length[i] = (uint8_t)(count >> 8 * i);
    text_bytes(to, length, sizeof length);
}

/* Fields with tabs between them, as a tuple. */
static ink_status read_tuple(const asking *a, asked_key *key)
{
    const uint8_t *at = key->bytes, *end = at + key->count;
    cli_text      *tuple = &a->q->key;
    size_t         fields = 0;

    text_clear(tuple);
    for (;; at++) {
        const uint8_t *tab = at == end ? NULL : memchr(at, '\t', (size_t)(end - at));
        size_t         count = (size_t)((tab == NULL ? end : tab) - at);
        put_length(tuple, count);
        text_bytes(tuple, at, count);
        fields++;
        if (tab == NULL)
            break;
        at = tab;
    }
    if (fields != a->q->key_columns)
        return refuse(a, INK_USAGE, "a key of %zu field%s, expected %zu, with tabs between them",
                      fields, fields == 1 ? "" : "s", a->q->key_columns);
    key->bytes = (const uint8_t *)tuple->bytes;
    key->count = tuple->count;
    key->cell = cell_key(key->bytes, key->count, false, fields);
    return INK_OK;
}

static ink_status read_key(const asking *a, const answerer *of, const uint8_t *bytes, size_t count,
                           asked_key *key)
{
    *key = (asked_key){.asked = bytes, .asked_bytes = count, .bytes = bytes, .count = count};
    if (of->d.key_type == INK_KEY_INT)
        return read_int(a, key);
    if (a->q->key_columns > 1)
        return read_tuple(a, key);
    key->cell = cell_key(bytes, count, false, 1);
    return INK_OK;
}

/* ---- Answers about keys ------------------------------------------------------------------- */

enum { SEEN_KIND, SEEN_KEY, SEEN_SEEN, SEEN_RATE, SEEN_COLUMNS };

static const cli_column seen_columns[SEEN_COLUMNS] = {
    [SEEN_KIND] = {"kind", NULL, COLUMN_TEXT},
    [SEEN_KEY] = {"key", NULL, COLUMN_TEXT},
    [SEEN_SEEN] = {"seen", NULL, COLUMN_OK},
    [SEEN_RATE] = {"rate", NULL, COLUMN_RATE},
};

/* Writes "KEY yes RATE" or "KEY no", or the object. */
static void write_seen(const asking *a, const answerer *of, const asked_key *key, bool maybe,
                       double rate)
{
    cli_text      *line = &a->q->line;
    char           text[32];
    const cli_cell cells[SEEN_COLUMNS] = {
        [SEEN_KIND] = cell_text(of->d.kind),
        [SEEN_KEY] = key->cell,
        [SEEN_SEEN] = cell_ok(maybe, ""),
        [SEEN_RATE] = maybe ? cell_real(rate) : (cli_cell){0},
    };

    if (a->q->json) {
        json_object(line, seen_columns, SEEN_COLUMNS, cells);
        return;
    }
    tsv_field(line, &seen_columns[SEEN_KEY], &key->cell);
    format_rate(text, sizeof text, rate);
    text_format(line, maybe ? "\tyes\t%s" : "\tno", text);
}

static ink_status answer_seen(const asking *a, const answerer *of, const asked_key *key)
{
    double     rate = 0;
    bool       maybe;
    ink_status status =
        of->d.key_type == INK_KEY_INT
            ? ink_sketch_contains_int(of->sketch, key->number, &maybe, a->error)
            : ink_sketch_contains(of->sketch, key->bytes, key->count, &maybe, a->error);

    if (status != INK_OK)
        return status;
    if (a->q->seen) {
        text_bytes(&a->q->line, key->asked, key->asked_bytes);
        a->q->silent = !maybe;
        return INK_OK;
    }
    if (maybe)
        status = ink_stream_view_rate(a->view, of->index, &rate, a->error);
    if (status == INK_OK)
        write_seen(a, of, key, maybe, rate);
    return status;
}

static void write_answer(const asking *a, const cli_answer *answer)
{
    if (a->q->json)
        answer_object(&a->q->line, answer);
    else
        answer_fields(&a->q->line, answer);
}

static ink_status answer_count(const asking *a, const answerer *of, const asked_key *key)
{
    cli_answer answer = {
        .kind = of->d.kind, .key = key->cell, .most = answer_most(&of->d, INK_ASK_COUNT)};
    ink_status status =
        of->d.key_type == INK_KEY_INT
            ? ink_sketch_count_int(of->sketch, key->number, &answer.number, a->error)
            : ink_sketch_count(of->sketch, key->bytes, key->count, &answer.number, a->error);

    if (!answer.number.saturated)
        answer.most = 0; /* as ink count has it: what is counted is not above the total */
    if (status == INK_OK)
        write_answer(a, &answer);
    return status;
}

/* COUNT KEY. */
static ink_status ask_count(const asking *a, const uint8_t *bytes, size_t count)
{
    answerer   of;
    asked_key  key;
    ink_status status = need(a, ASK_COUNT, &of);

    if (status == INK_OK)
        status = read_key(a, &of, bytes, count, &key);
    return status != INK_OK ? status : answer_count(a, &of, &key);
}

/* A key alone: whether it was seen, or how often, if there is no filter. */
static ink_status ask_key(const asking *a, const uint8_t *bytes, size_t count)
{
    answerer   of;
    asked_key  key;
    ink_status status = choose(a, ASK_SEEN, &of);
    bool       seen = status == INK_OK && of.sketch != NULL;

    if (status == INK_OK && !seen)
        status = choose(a, ASK_COUNT, &of);
    if (status == INK_OK && of.sketch == NULL)
        return nobody_answers(a, "a key", "a question such as DISTINCT or INFO");
    if (status == INK_OK)
        status = read_key(a, &of, bytes, count, &key);
    if (status != INK_OK)
        return status;
    return seen ? answer_seen(a, &of, &key) : answer_count(a, &of, &key);
}

/* ---- TOP and DISTINCT --------------------------------------------------------------------- */

static void write_item(const asking *a, const answerer *of, const ink_item *item)
{
    char       digits[24];
    cli_answer answer = {
        .kind = of->d.kind,
        .number = item->count,
        .most = answer_most(&of->d, INK_ASK_TOP),
        .share = cell_real(item->count.estimate / (double)of->d.total),
        .cut = item->cut,
    };

    if (of->d.key_type == INK_KEY_INT) {
        snprintf(digits, sizeof digits, "%" PRId64, item->key_int);
        answer.key = cell_text(digits);
    } else {
        answer.key = cell_key(item->key, item->key_bytes, item->cut, a->q->key_columns);
    }
    write_answer(a, &answer);
}

static void write_items(const asking *a, const answerer *of, size_t wanted, size_t found)
{
    cli_text *line = &a->q->line;

    if (a->q->json)
        text_format(line, "{\"question\":\"TOP %zu\",\"answers\":[", wanted);
    else
        text_put(line, "TOP");
    for (size_t i = 0; i < found; i++) {
        if (a->q->json && i > 0)
            text_put(line, ",");
        write_item(a, of, &a->q->items[i]);
    }
    if (a->q->json)
        text_put(line, "]}");
}

/* Reads the number behind TOP. */
static ink_status read_wanted(const asking *a, const uint8_t *bytes, size_t count, size_t *wanted)
{
    char     text[24] = "", found[SHOWN_BYTES];
    uint64_t number = 0;

    if (count < sizeof text)
        memcpy(text, bytes, count);
    if (count >= sizeof text || strlen(text) != count || number_count(text, &number) != NUMBER_OK ||
        number < 1 || number > TOP_MOST) {
        utf8_show(found, sizeof found, bytes, count);
        return refuse(a, INK_USAGE,
                      "TOP %s, expected a whole number from 1 to %d, or ? before a key", found,
                      TOP_MOST);
    }
    *wanted = (size_t)number;
    return INK_OK;
}

static ink_status ask_top(const asking *a, const uint8_t *bytes, size_t count)
{
    size_t     wanted = TOP_BY_DEFAULT, found;
    answerer   of;
    ink_status status = bytes == NULL ? INK_OK : read_wanted(a, bytes, count, &wanted);

    if (status == INK_OK)
        status = need(a, ASK_TOP, &of);
    if (status != INK_OK)
        return status;
    size_t room = 2 * (size_t)of.d.capacity; /* it keeps no more */
    if (room > a->q->item_room) {
        a->q->items = need_memory(a->q->items, room * sizeof *a->q->items);
        a->q->item_room = room;
    }
    status =
        ink_sketch_top(of.sketch, a->q->items, wanted < room ? wanted : room, &found, a->error);
    if (status == INK_OK)
        write_items(a, &of, wanted, found);
    return status;
}

static ink_status ask_distinct(const asking *a)
{
    answerer   of;
    cli_answer answer = {0};
    ink_status status = need(a, ASK_DISTINCT, &of);

    if (status == INK_OK)
        status = ink_sketch_distinct(of.sketch, 0, &answer.number, a->error);
    if (status != INK_OK)
        return status;
    answer.kind = of.d.kind;
    answer.most = answer_most(&of.d, INK_ASK_DISTINCT);
    if (!a->q->json)
        text_put(&a->q->line, "DISTINCT");
    write_answer(a, &answer);
    return INK_OK;
}

/* ---- INFO --------------------------------------------------------------------------------- */

enum {
    INFO_BATCHES,
    INFO_RECORDS,
    INFO_BAD,
    INFO_LATE,
    INFO_CUT,
    INFO_SAVED_BATCHES,
    INFO_SAVED_RECORDS,
    INFO_QUESTIONS,
    INFO_TRAIN_CONNECTIONS,
    INFO_ASK_CONNECTIONS,
    INFO_ENDED,
    INFO_NEWEST,
    INFO_SECONDS,
    INFO_COLUMNS
};

static const cli_column info_columns[INFO_COLUMNS] = {
    [INFO_BATCHES] = {"batches", NULL, COLUMN_COUNT},
    [INFO_RECORDS] = {"records", NULL, COLUMN_COUNT},
    [INFO_BAD] = {"bad", NULL, COLUMN_COUNT},
    [INFO_LATE] = {"late", NULL, COLUMN_COUNT},
    [INFO_CUT] = {"cut", NULL, COLUMN_COUNT},
    [INFO_SAVED_BATCHES] = {"saved_batches", NULL, COLUMN_COUNT},
    [INFO_SAVED_RECORDS] = {"saved_records", NULL, COLUMN_COUNT},
    [INFO_QUESTIONS] = {"questions", NULL, COLUMN_COUNT},
    [INFO_TRAIN_CONNECTIONS] = {"train_connections", NULL, COLUMN_COUNT},
    [INFO_ASK_CONNECTIONS] = {"ask_connections", NULL, COLUMN_COUNT},
    [INFO_ENDED] = {"ended", NULL, COLUMN_OK},
    [INFO_NEWEST] = {"newest", NULL, COLUMN_SLOT},
    [INFO_SECONDS] = {"seconds", NULL, COLUMN_SECONDS},
};

/* What the batch holds, and how the stream is doing by now. */
static void stream_cells(const asking *a, cli_cell cells[INFO_COLUMNS])
{
    const ink_stream_report *then = ink_stream_view_report(a->view);
    ink_stream_report        now = *then;

    if (a->q->stream != NULL)
        ink_stream_now(a->q->stream, &now);
    const cli_cell found[INFO_COLUMNS] = {
        [INFO_BATCHES] = cell_count(then->batches),
        [INFO_RECORDS] = cell_count(then->records),
        [INFO_BAD] = cell_count(then->bad),
        [INFO_LATE] = cell_count(then->late),
        [INFO_CUT] = cell_count(then->cut),
        [INFO_SAVED_BATCHES] = cell_count(now.saved_batches),
        [INFO_SAVED_RECORDS] = cell_count(now.saved_records),
        [INFO_QUESTIONS] = cell_count(now.questions),
        [INFO_TRAIN_CONNECTIONS] = cell_count(now.train_connections),
        [INFO_ASK_CONNECTIONS] = cell_count(now.ask_connections),
        [INFO_ENDED] = cell_ok(now.ended, ""),
        [INFO_NEWEST] =
            then->timed ? (cli_cell){.state = CELL_PRESENT, .slot = then->newest} : (cli_cell){0},
        [INFO_SECONDS] = cell_real((double)(uint64_t)(1e3 * now.seconds + 0.5) / 1e3),
    };

    memcpy(cells, found, sizeof found);
}

/* Puts "\tNAME=VALUE" for each cell that is there, `of` and a point before the names. */
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

static ink_status write_sketch(const asking *a, size_t index)
{
    static const ink_label none = {0};
    const ink_sketch      *sketch;
    ink_description        d;
    double                 rate = 0;
    cli_cell               cells[DESCRIBED_COLUMNS];
    ink_status             status = ink_stream_view_sketch(a->view, index, &sketch, a->error);

    if (status == INK_OK && described_is_filter(sketch))
        status = ink_stream_view_rate(a->view, index, &rate, a->error);
    if (status == INK_OK)
        status = described(cells, &none, sketch, rate, a->error);
    if (status != INK_OK)
        return status;
    if (a->q->json) {
        text_put(&a->q->line, index == 0 ? "" : ",");
        json_object(&a->q->line, described_columns, DESCRIBED_COLUMNS, cells);
        return INK_OK;
    }
    ink_sketch_describe(sketch, &d);
    cells[DESCRIBED_KIND] = (cli_cell){0};
    put_named(&a->q->line, d.kind, described_columns, DESCRIBED_COLUMNS, cells);
    return INK_OK;
}

static ink_status ask_info(const asking *a)
{
    cli_text  *line = &a->q->line;
    cli_cell   cells[INFO_COLUMNS];
    ink_status status = INK_OK;

    stream_cells(a, cells);
    if (a->q->json) {
        json_object(line, info_columns, INFO_COLUMNS, cells);
        line->count--; /* the object goes on */
        text_put(line, ",\"sketches\":[");
    } else {
        text_put(line, "INFO");
        put_named(line, "", info_columns, INFO_COLUMNS, cells);
    }
    for (size_t i = 0; status == INK_OK && i < ink_stream_view_count(a->view); i++)
        status = write_sketch(a, i);
    if (a->q->json)
        text_put(line, "]}");
    return status;
}

/* ---- The protocol ------------------------------------------------------------------------- */

/* Whether the question begins with this word; *rest and *left are then what stands behind it. */
static bool begins(const asking *a, const char *word, const uint8_t **rest, size_t *left)
{
    size_t length = strlen(word);

    if (a->question_bytes < length || memcmp(a->question, word, length) != 0)
        return false;
    *rest = a->question + length;
    *left = a->question_bytes - length;
    return true;
}

static bool is_exactly(const asking *a, const char *word)
{
    const uint8_t *rest;
    size_t         left;

    return begins(a, word, &rest, &left) && left == 0;
}

static ink_status make_answer(const asking *a)
{
    const uint8_t *rest;
    size_t         left;

    if (begins(a, "?", &rest, &left))
        return ask_key(a, rest, left);
    if (begins(a, "COUNT ", &rest, &left))
        return ask_count(a, rest, left);
    if (begins(a, "TOP ", &rest, &left))
        return ask_top(a, rest, left);
    if (is_exactly(a, "TOP"))
        return ask_top(a, NULL, 0);
    if (is_exactly(a, "DISTINCT"))
        return ask_distinct(a);
    if (is_exactly(a, "INFO"))
        return ask_info(a);
    return ask_key(a, a->question, a->question_bytes);
}

ink_status questions_answer(void *host, const ink_stream_view *view, const uint8_t *question,
                            size_t bytes, const ink_sink *to, ink_error *error)
{
    questions   *q = host;
    ink_error    own;
    const asking a = {
        .q = q,
        .view = view,
        .question = question,
        .question_bytes = bytes,
        .error = error == NULL ? &own : error,
    };

    text_clear(&q->line);
    q->silent = false;
    ink_status status = make_answer(&a);
    if (status != INK_OK || q->silent)
        return status;
    text_put(&q->line, "\n");
    int os_error = to->write(to->host, q->line.bytes, q->line.count);
    if (os_error == 0)
        return INK_OK;
    status = refuse(&a, INK_IO, "cannot write an answer: error %d", os_error);
    a.error->os_error = os_error;
    return status;
}

void questions_end(questions *q)
{
    text_free(&q->line);
    text_free(&q->key);
    free(q->items);
    q->items = NULL;
    q->item_room = 0;
}
