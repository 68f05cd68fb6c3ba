/* query_protocol.c - the query protocol: parses a line, chooses the sketch of a view that answers,
 * and reads the key as those of records are read. The caller formats the answer. */
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "input/records/parse_number.h"
#include "input/records/row.h"
#include "jobs/runtime/kind_choice.h"

#include "inkling_job.h"
#include "inkling_stream.h"

enum {
    TOP_BY_DEFAULT = 10,
    TOP_MOST = 10000,
    NUMBER_BYTES = 19, /* these digits fit 64 bits */
    INT_KEY_BYTES = 31,
    SHOWN_BYTES = 64,
};

typedef struct query {
    const ink_query_options *options;
    const ink_stream_view   *view;
    const ink_sink          *to;
    ink_error               *error;
} query;

static ink_status write_answer(const query *q, const ink_query_answer *answer)
{
    return q->options->write(q->options->host, answer, q->to, q->error);
}

static void show(const query *q, char text[SHOWN_BYTES], const uint8_t *bytes, size_t count)
{
    if (q->options->show != NULL)
        q->options->show(q->options->host, text, SHOWN_BYTES, bytes, count);
    else
        ink__quote(text, SHOWN_BYTES, bytes, count);
}

/* ---- Which sketch answers ----------------------------------------------------------------- */

/* Finds the sketch that answers best, the first of equals; sketch NULL: none does. */
static void choose(const query *q, ink_question question, ink_query_answer *answer)
{
    ink__kind_choice  best = {.question = question};
    const ink_sketch *sketch;
    ink_description   d;

    *answer = (ink_query_answer){.question = question, .view = q->view};
    for (size_t i = 0; ink_stream_view_sketch(q->view, i, &sketch, NULL) == INK_OK; i++) {
        ink_sketch_describe(sketch, &d);
        if (!ink__kind_choice_offer(&best, d.kind))
            continue;
        answer->sketch = sketch;
        answer->index = i;
        answer->description = d;
    }
}

static ink_status fail_unanswered(const query *q, const char *asked, const char *expected)
{
    char              kinds[INK__KINDS_BYTES] = "";
    size_t            used = 0;
    const ink_sketch *sketch;
    ink_description   d;

    for (size_t i = 0; ink_stream_view_sketch(q->view, i, &sketch, NULL) == INK_OK; i++) {
        ink_sketch_describe(sketch, &d);
        used +=
            ink__format(kinds + used, sizeof kinds - used, "%s%s", used == 0 ? "" : ", ", d.kind);
    }
    return ink__fail(q->error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "%s, but this stream has %s, expected %s", asked, kinds, expected);
}

/* As `choose`; fails if no sketch answers. */
static ink_status need(const query *q, ink_question question, const char *asked,
                       ink_query_answer *answer)
{
    char expected[INK__KINDS_BYTES];

    choose(q, question, answer);
    if (answer->sketch != NULL)
        return INK_OK;
    ink__kinds_expected(question, expected);
    return fail_unanswered(q, asked, expected);
}

/* ---- Keys --------------------------------------------------------------------------------- */

/* Asks for the key of the answer, which may be a number: the sketch that was chosen, or, for a
 * count, all that are asked together, and sets the one whose answer is the best. */
static ink_status ask_sketches(const query *q, ink_query_answer *answer, const int64_t *number)
{
    const ink_sketch *chosen = answer->sketch, *sketch;
    ink_answer        count;
    bool              first = true;

    if (answer->question == INK_ASK_MEMBER)
        return number == NULL ? ink_sketch_contains(chosen, answer->key, answer->key_bytes,
                                                    &answer->seen, q->error)
                              : ink_sketch_contains_int(chosen, *number, &answer->seen, q->error);
    for (size_t i = 0; ink_stream_view_sketch(q->view, i, &sketch, NULL) == INK_OK; i++) {
        if (sketch != chosen && !ink__kind_joins(ink_sketch_kind(sketch), INK_ASK_COUNT))
            continue;
        INK__TRY(number == NULL
                     ? ink_sketch_count(sketch, answer->key, answer->key_bytes, &count, q->error)
                     : ink_sketch_count_int(sketch, *number, &count, q->error));
        if (!first && !ink_answer_is_better(&count, &answer->number))
            continue;
        first = false;
        answer->sketch = sketch;
        answer->index = i;
        answer->number = count;
        ink_sketch_describe(sketch, &answer->description);
    }
    return INK_OK;
}

static ink_status ask_int(const query *q, ink_query_answer *answer)
{
    char    digits[24], found[SHOWN_BYTES];
    int64_t key;

    if (answer->query_bytes > INT_KEY_BYTES ||
        !ink__number_key(answer->query, answer->query_bytes, &key)) {
        show(q, found, answer->query, answer->query_bytes);
        return ink__fail(q->error, INK_USAGE, INK_NOWHERE, 0,
                         "key %s, expected an integer of 64 bits",
                         answer->query_bytes == 0 ? "\"\"" : found);
    }
    answer->key = (const uint8_t *)digits;
    answer->key_bytes = ink__format(digits, sizeof digits, "%lld", (long long)key);
    INK__TRY(ask_sketches(q, answer, &key));
    return write_answer(q, answer);
}

static ink_status ask_bytes(const query *q, ink_query_answer *answer, const uint8_t *key,
                            size_t count)
{
    answer->key = key;
    answer->key_bytes = count;
    INK__TRY(ask_sketches(q, answer, NULL));
    return write_answer(q, answer);
}

static ink_status ask_tuple(const query *q, ink_query_answer *answer)
{
    ink_allocator allocator = ink__allocator_or_heap(q->options->allocator);
    size_t        fields = 1, columns = q->options->key_columns;
    uint8_t      *tuple;

    for (size_t i = 0; i < answer->query_bytes; i++)
        fields += answer->query[i] == '\t';
    if (fields != columns)
        return ink__fail(q->error, INK_USAGE, INK_NOWHERE, 0,
                         "a key of %zu field%s, expected %zu, with tabs between them", fields,
                         fields == 1 ? "" : "s", columns);
    size_t bytes = answer->query_bytes - (fields - 1) + fields * INK__TUPLE_LENGTH_BYTES;
    INK__TRY(ink__allocate_zeroed(&allocator, bytes, &tuple, q->error));
    const uint8_t *from = answer->query, *end = from + answer->query_bytes;
    for (uint8_t *to = tuple; fields > 0; fields--) {
        const uint8_t *tab = memchr(from, '\t', (size_t)(end - from));
        to = ink__tuple_put(to, from, (size_t)((tab == NULL ? end : tab) - from));
        from = tab == NULL ? end : tab + 1;
    }
    ink_status status = ask_bytes(q, answer, tuple, bytes);
    ink__release(&allocator, tuple, bytes);
    return status;
}

static ink_status ask_key(const query *q, ink_query_answer *answer, const uint8_t *key,
                          size_t count)
{
    answer->query = key;
    answer->query_bytes = count;
    if (answer->description.key_type == INK_KEY_INT)
        return ask_int(q, answer);
    return q->options->key_columns > 1 ? ask_tuple(q, answer) : ask_bytes(q, answer, key, count);
}

/* ---- Questions ---------------------------------------------------------------------------- */

/* A key alone: whether it was seen, or its count if there is no filter. */
static ink_status take_key(const query *q, const uint8_t *key, size_t count)
{
    ink_query_answer answer;

    choose(q, INK_ASK_MEMBER, &answer);
    if (answer.sketch == NULL)
        choose(q, INK_ASK_COUNT, &answer);
    if (answer.sketch == NULL)
        return fail_unanswered(q, "a key", "a question such as DISTINCT or INFO");
    return ask_key(q, &answer, key, count);
}

/* A whole number from 1 to TOP_MOST, also such as 1e3 or 1.5e2. */
static bool read_wanted(const uint8_t *text, size_t bytes, uint64_t *wanted)
{
    size_t   at = 0;
    bool     point = false, minus;
    int64_t  shift = 0; /* the remaining power of ten */
    uint64_t power;

    if (bytes > NUMBER_BYTES)
        return false;
    for (*wanted = 0; at < bytes && (ink__is_digit(text[at]) || (text[at] == '.' && !point));
         at++) {
        if (ink__is_digit(text[at]))
            *wanted = 10 * *wanted + (uint64_t)(text[at] - '0');
        shift -= point;
        point = point || text[at] == '.';
    }
    if (at == 0 || text[0] == '.' || text[at - 1] == '.')
        return false;
    if (at < bytes) {
        if (text[at] != 'e' && text[at] != 'E')
            return false;
        minus = ++at < bytes && text[at] == '-';
        at += minus || (at < bytes && text[at] == '+');
        if (!ink__number_weight(text + at, bytes - at, &power) || power > NUMBER_BYTES)
            return false;
        shift += minus ? -(int64_t)power : (int64_t)power;
    }
    for (; shift < 0 && *wanted % 10 == 0; shift++)
        *wanted /= 10;
    for (; shift > 0 && *wanted <= TOP_MOST; shift--)
        *wanted *= 10;
    return shift == 0 && *wanted >= 1 && *wanted <= TOP_MOST;
}

/* TOP, and a number of keys if there is one. The sketch has at most twice its capacity. */
static ink_status take_top(const query *q, const uint8_t *number, size_t count)
{
    ink_allocator    allocator = ink__allocator_or_heap(q->options->allocator);
    char             found[SHOWN_BYTES];
    uint64_t         wanted = TOP_BY_DEFAULT;
    ink_query_answer answer;
    ink_item        *items;

    if (number != NULL && !read_wanted(number, count, &wanted)) {
        show(q, found, number, count);
        return ink__fail(q->error, INK_USAGE, INK_NOWHERE, 0,
                         "TOP %s, expected a whole number from 1 to %d, or ? before a key", found,
                         TOP_MOST);
    }
    INK__TRY(need(q, INK_ASK_TOP, "TOP", &answer));
    uint64_t kept = 2 * answer.description.capacity, limit = wanted < kept ? wanted : kept;
    INK__TRY(ink__allocate_zeroed(&allocator, limit * sizeof *items, &items, q->error));
    answer.wanted = (size_t)wanted;
    answer.items = items;
    ink_status status =
        ink_sketch_top(answer.sketch, items, (size_t)limit, &answer.item_count, q->error);
    if (status == INK_OK)
        status = write_answer(q, &answer);
    ink__release(&allocator, items, limit * sizeof *items);
    return status;
}

/* Whether a line begins with this word; *rest and *left are then what follows. */
static bool begins(const uint8_t *line, size_t bytes, const char *word, const uint8_t **rest,
                   size_t *left)
{
    size_t length = strlen(word);

    if (bytes < length || memcmp(line, word, length) != 0)
        return false;
    *rest = line + length;
    *left = bytes - length;
    return true;
}

ink_status ink_query_line(const ink_query_options *options, const ink_stream_view *view,
                          const uint8_t *line, size_t bytes, const ink_sink *to, ink_error *error)
{
    const query      q = {.options = options, .view = view, .to = to, .error = error};
    const uint8_t   *rest;
    size_t           left;
    ink_query_answer answer;

    INK__TRY_ROOM("ink_query_options", options, error);
    if (begins(line, bytes, "?", &rest, &left))
        return take_key(&q, rest, left);
    if (begins(line, bytes, "COUNT ", &rest, &left)) {
        INK__TRY(need(&q, INK_ASK_COUNT, "COUNT", &answer));
        return ask_key(&q, &answer, rest, left);
    }
    if (begins(line, bytes, "TOP ", &rest, &left))
        return take_top(&q, rest, left);
    if (begins(line, bytes, "TOP", &rest, &left) && left == 0)
        return take_top(&q, NULL, 0);
    if (begins(line, bytes, "DISTINCT", &rest, &left) && left == 0) {
        INK__TRY(need(&q, INK_ASK_DISTINCT, "DISTINCT", &answer));
        INK__TRY(ink_sketch_distinct(answer.sketch, 0, &answer.number, error));
        return write_answer(&q, &answer);
    }
    if (begins(line, bytes, "INFO", &rest, &left) && left == 0)
        return write_answer(&q, &(ink_query_answer){.view = view});
    return take_key(&q, line, bytes);
}
