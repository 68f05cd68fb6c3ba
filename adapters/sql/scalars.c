/* scalars.c - functions of one row: questions about a sketch, two sketches, and what they are.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"
#include "opened.h"

#include <stdio.h>
#include <string.h>

/* A call: the function, its arguments, and where its result goes. */
typedef struct call {
    const inksql_function *function;
    const inksql_value    *arguments;
    size_t                 count;
    const ink_allocator   *allocator;
    const inksql_output   *output;
    inksql_value          *result;
    inksql_error          *error;
} call;

static ink_status fail_as(const call *c, const ink_error *from)
{
    return inksql_fail_as(c->error, c->function, from);
}

static ink_status no_room(const call *c, size_t bytes)
{
    return inksql_fail(c->error, c->function, INK_MEMORY, "no memory for %zu bytes", bytes);
}

static ink_status give_text(const call *c, const char *text, size_t bytes)
{
    char *to = c->output->room(c->output->host, bytes);

    if (to == NULL)
        return no_room(c, bytes);
    memcpy(to, text, bytes);
    *c->result = (inksql_value){.type = INKSQL_TEXT, .data = to, .bytes = bytes};
    return INK_OK;
}

static ink_status give_sketch(const call *c, const ink_sketch *sketch)
{
    ink_error failed;
    size_t    bytes;

    if (ink_sketch_encoded_bytes(sketch, &bytes, &failed) != INK_OK)
        return fail_as(c, &failed);
    void *to = c->output->room(c->output->host, bytes);
    if (to == NULL)
        return no_room(c, bytes);
    if (ink_sketch_encode_to(sketch, to, bytes, &bytes, &failed) != INK_OK)
        return fail_as(c, &failed);
    *c->result = (inksql_value){.type = INKSQL_BYTES, .data = to, .bytes = bytes};
    return INK_OK;
}

static ink_status give_real(const call *c, double real)
{
    *c->result = (inksql_value){.type = INKSQL_REAL, .real = real};
    return INK_OK;
}

static ink_status give_whole(const call *c, int64_t whole)
{
    *c->result = (inksql_value){.type = INKSQL_INT, .whole = whole};
    return INK_OK;
}

/* ---- One sketch -------------------------------------------------------------------------- */

static ink_status give_distinct(const call *c, const ink_sketch *sketch)
{
    ink_answer   answer;
    ink_error    failed;
    inksql_bound bound = c->function->id == INKSQL_DISTINCT_LOW    ? INKSQL_LOW
                         : c->function->id == INKSQL_DISTINCT_HIGH ? INKSQL_HIGH
                                                                   : INKSQL_ESTIMATE;

    if (ink_sketch_distinct(sketch, 0, &answer, &failed) != INK_OK)
        return fail_as(c, &failed);
    return give_whole(c, inksql_whole(&answer, bound));
}

static ink_status give_rate(const call *c, const ink_sketch *sketch)
{
    ink_error failed;
    double    rate;

    if (ink_sketch_rate(sketch, &rate, &failed) != INK_OK)
        return fail_as(c, &failed);
    return give_real(c, rate);
}

static ink_status give_info(const call *c, const ink_sketch *sketch)
{
    const ink_info_options options = {.digest = true};
    char                   text[INK_INFO_BYTES];
    ink_error              failed;
    size_t                 bytes;

    if (ink_sketch_info_json(sketch, &options, text, sizeof text, &bytes, &failed) != INK_OK)
        return fail_as(c, &failed);
    return give_text(c, text, bytes);
}

static ink_status give_folded(const call *c)
{
    const double rate =
        c->arguments[1].type == INKSQL_REAL ? c->arguments[1].real : (double)c->arguments[1].whole;
    ink_sketch *sketch;
    ink_error   failed;
    ink_status  status;

    if (!(rate > 0 && rate < 1))
        return inksql_fail(c->error, c->function, INK_USAGE,
                           "rate %g, expected one between 0 and 1", rate);
    if (ink_sketch_decode(&sketch, c->arguments[0].data, c->arguments[0].bytes, c->allocator,
                          &failed) != INK_OK)
        return fail_as(c, &failed);
    status = ink_sketch_fold_to_rate(sketch, rate, NULL, &failed) == INK_OK ? give_sketch(c, sketch)
                                                                            : fail_as(c, &failed);
    ink_sketch_free(sketch);
    return status;
}

/* That of the file which the bytes are: it may have several sketches. */
static ink_status give_digest(const call *c)
{
    uint8_t   digest[INK_DIGEST_BYTES];
    char      text[2 * INK_DIGEST_BYTES + 1];
    ink_file *file;
    ink_error failed;

    if (ink_file_decode(&file, c->arguments[0].data, c->arguments[0].bytes, INK_OPEN_CHECKED,
                        c->allocator, &failed) != INK_OK)
        return fail_as(c, &failed);
    ink_status status = ink_file_digest(file, digest, &failed);
    ink_file_close(file);
    if (status != INK_OK)
        return fail_as(c, &failed);
    return give_text(c, text, ink_hex_text(digest, sizeof digest, text, sizeof text));
}

static ink_status call_on_one(const call *c)
{
    ink_sketch *view;
    ink_error   failed;
    ink_status  status;

    if (ink_sketch_view(&view, c->arguments[0].data, c->arguments[0].bytes, INK_OPEN_CHECKED,
                        c->allocator, &failed) != INK_OK)
        return fail_as(c, &failed);
    switch (c->function->id) {
    case INKSQL_RATE:
        status = give_rate(c, view);
        break;
    case INKSQL_INFO:
        status = give_info(c, view);
        break;
    default:
        status = give_distinct(c, view);
    }
    ink_sketch_free(view);
    return status;
}

/* ---- Two sketches ------------------------------------------------------------------------ */

/* What an overlap answers, as in the JSON of ink overlap (docs/output.md). */
#define NUMBERS(X)                                                                                 \
    X("in_a", a)                                                                                   \
    X("in_b", b)                                                                                   \
    X("union", in_union) X("intersection", intersection) X("only_a", only_a) X("only_b", only_b)
#define SHARES(X) X("jaccard", jaccard) X("a_in_b", a_in_b) X("b_in_a", b_in_a)

enum { OVERLAP_BYTES = 2048 };

typedef struct json {
    char   text[OVERLAP_BYTES];
    size_t used;
} json;

static void put_whole(json *to, const char *name, const char *suffix, int64_t whole)
{
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, ",\"%s%s\":%lld",
                                 name, suffix, (long long)whole);
}

static void put_real(json *to, const char *name, const char *suffix, double real)
{
    char text[INK_REAL_BYTES];

    ink_real_text(real, text);
    to->used += (size_t)snprintf(to->text + to->used, sizeof to->text - to->used, ",\"%s%s\":%s",
                                 name, suffix, text);
}

static ink_status give_overlap(const call *c, const char *kind, const ink_overlap *o)
{
    json   to = {.used = 0};
    double least = 1;

#define LEAST(name, member) least = o->member.confidence < least ? o->member.confidence : least;
#define PUT_WHOLE(name, member)                                                                    \
    put_whole(&to, name, "", inksql_whole(&o->member, INKSQL_ESTIMATE));                           \
    put_whole(&to, name, "_low", inksql_whole(&o->member, INKSQL_LOW));                            \
    put_whole(&to, name, "_high", inksql_whole(&o->member, INKSQL_HIGH));
#define PUT_REAL(name, member)                                                                     \
    put_real(&to, name, "", o->member.estimate);                                                   \
    put_real(&to, name, "_low", o->member.low);                                                    \
    put_real(&to, name, "_high", o->member.high);
    NUMBERS(LEAST)
    SHARES(LEAST)
    to.used = (size_t)snprintf(to.text, sizeof to.text, "{\"kind\":\"%s\",\"method\":\"%s\"", kind,
                               o->method);
    put_real(&to, "confidence", "", least);
    NUMBERS(PUT_WHOLE)
    SHARES(PUT_REAL)
    to.text[to.used++] = '}';
    return give_text(c, to.text, to.used);
}

static ink_status compare(const call *c, const ink_sketch *a, const ink_sketch *b)
{
    ink_overlap overlap;
    ink_error   failed;

    if (ink_sketch_overlap(a, b, 0, &overlap, &failed) != INK_OK)
        return fail_as(c, &failed);
    return c->function->id == INKSQL_JACCARD ? give_real(c, overlap.jaccard.estimate)
                                             : give_overlap(c, ink_sketch_kind(a), &overlap);
}

static ink_status combine(const call *c, ink_sketch *into, const ink_sketch *from)
{
    ink_error  failed;
    ink_status status;

    switch (c->function->id) {
    case INKSQL_UNION:
        status = ink_sketch_merge(into, from, NULL, &failed);
        break;
    case INKSQL_INTERSECT:
        status = ink_sketch_intersect(into, from, &failed);
        break;
    default:
        status = ink_sketch_subtract(into, from, &failed);
    }
    return status == INK_OK ? give_sketch(c, into) : fail_as(c, &failed);
}

/* The first is a copy where it is changed. */
static ink_status call_on_two(const call *c)
{
    const bool          changes = c->function->gives == INKSQL_GIVES_SKETCH;
    const inksql_value *values = c->arguments;
    ink_sketch         *a, *b;
    ink_error           failed;

    if (ink_sketch_view(&a, values[0].data, values[0].bytes,
                        changes ? INK_OPEN_COPY : INK_OPEN_CHECKED, c->allocator,
                        &failed) != INK_OK)
        return fail_as(c, &failed);
    if (ink_sketch_view(&b, values[1].data, values[1].bytes, INK_OPEN_CHECKED, c->allocator,
                        &failed) != INK_OK) {
        ink_sketch_free(a);
        return fail_as(c, &failed);
    }
    ink_status status = changes ? combine(c, a, b) : compare(c, a, b);
    ink_sketch_free(a);
    ink_sketch_free(b);
    return status;
}

/* ---- Any --------------------------------------------------------------------------------- */

static ink_status ask(const call *c, inksql_cache *cache)
{
    const inksql_value *of = c->arguments;
    inksql_opened      *opened;
    ink_status          status;

    status = c->function->opens_files
                 ? inksql_cache_file(cache, c->function, of->data, of->bytes, &opened, c->error)
                 : inksql_cache_value(cache, c->function, of->data, of->bytes, &opened, c->error);
    if (status != INK_OK)
        return status;
    status = inksql_ask(c->function, opened, c->arguments + 1, c->result, c->error);
    inksql_release(opened);
    return status;
}

static bool fits(const inksql_value *value, char letter)
{
    switch (letter) {
    case 'S':
        return value->type == INKSQL_BYTES || value->type == INKSQL_OPENED;
    case 'P':
        return value->type == INKSQL_TEXT || value->type == INKSQL_OPENED;
    case 'R':
        return value->type == INKSQL_REAL || value->type == INKSQL_INT;
    default:
        return true;
    }
}

/* SQLite's types are those of values: what is no sketch is refused here. */
static ink_status check_arguments(const call *c, bool *null)
{
    static const char *const expected[] = {
        ['S'] = "bytes of a sketch", ['P'] = "text", ['R'] = "a number"};
    size_t      letters;
    bool        any;
    const char *form = inksql_form(c->function, 0, &letters, &any);

    *null = false;
    for (size_t i = 0; i < c->count; i++)
        *null = *null || c->arguments[i].type == INKSQL_NULL;
    for (size_t i = 0; i < letters && i < c->count && !*null; i++)
        if (!fits(&c->arguments[i], form[i]))
            return inksql_fail(c->error, c->function, INK_USAGE,
                               "argument %zu (%s) of another type, expected %s", i + 1,
                               inksql_argument_name(form[i]), expected[(unsigned char)form[i]]);
    return INK_OK;
}

ink_status inksql_call(const inksql_function *function, inksql_cache *cache,
                       const inksql_value *arguments, size_t count, const ink_allocator *allocator,
                       const inksql_output *output, inksql_value *result, inksql_error *error)
{
    const call c = {function, arguments, count, allocator, output, result, error};
    bool       null;

    if (count == 2 && arguments[0].type == INKSQL_OPENED && arguments[1].type != INKSQL_NULL)
        return inksql_ask(function, arguments[0].opened, &arguments[1], result, error);
    ink_status status = check_arguments(&c, &null);
    *result = (inksql_value){0};
    if (status != INK_OK || null)
        return status;
    switch (function->id) {
    case INKSQL_CONTAINS:
    case INKSQL_CONTAINS_FILE:
    case INKSQL_COUNT:
    case INKSQL_COUNT_LOW:
    case INKSQL_COUNT_HIGH:
        return ask(&c, cache);
    case INKSQL_UNION:
    case INKSQL_INTERSECT:
    case INKSQL_DIFFERENCE:
    case INKSQL_JACCARD:
    case INKSQL_OVERLAP:
        return call_on_two(&c);
    case INKSQL_FOLD:
        return give_folded(&c);
    case INKSQL_DIGEST:
        return give_digest(&c);
    case INKSQL_TUPLE:
        return inksql_tuple(function, arguments, count, output, result, error);
    case INKSQL_VERSION:
        return give_text(&c, ink_version(), strlen(ink_version()));
    default:
        return call_on_one(&c);
    }
}
