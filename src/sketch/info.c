/* info.c - a sketch as an object of JSON: its label, size, promise and current state.
 * docs/output.md, info, lists the fields. */
#include "base/status.h"
#include "base/text.h"
#include "sketch/kinds/membership.h"
#include "sketch/sketch.h"

#include <string.h>

bool ink_rate_holds(const ink_description *filter, double rate)
{
    ink__filter_size of = {
        .size = filter->bits,
        .hashes = filter->hashes,
        .promise = {.expected_keys = filter->expected_keys, .promised = filter->promised_rate},
    };

    if (ink__kind_find(filter->kind, &of.kind, NULL) != INK_OK || of.kind->filter_rules == NULL)
        return filter->promised_rate == 0 || rate <= 1.1 * filter->promised_rate; /* it grows */
    if (of.kind->block_bytes != 0)
        of.size /= 8 * of.kind->block_bytes;
    return ink__filter_holds(&of, 0, rate);
}

uint64_t ink_nearest_whole(double number)
{
    if (!(number > 0))
        return 0;
    return number < 0x1p64 - 2048 ? (uint64_t)(number + (number < 0x1p52 ? 0.5 : 0)) : UINT64_MAX;
}

/* What is said of a sketch. */
typedef struct facts {
    ink_label       label;
    ink_description is;
    bool            filter; /* so it has a rate ... */
    double          rate;
    bool            counts_distinct; /* ... or an estimate, which a filter has by its fill alone */
    uint64_t        distinct;
    bool            has_digest;
    char            digest[2 * INK_DIGEST_BYTES + 1];
    const char     *origin;
} facts;

/* Counts what there is no room for. */
typedef struct object {
    char  *text;
    size_t room, used;
} object;

static void put(object *out, const char *text)
{
    size_t bytes = strlen(text);

    if (out->used < out->room && bytes < out->room - out->used)
        memcpy(out->text + out->used, text, bytes + 1);
    out->used += bytes;
}

static void put_name(object *out, const char *name)
{
    put(out, out->used == 0 ? "{\"" : ",\"");
    put(out, name);
    put(out, "\":");
}

static void put_text(object *out, const char *name, const void *bytes, size_t count)
{
    put_name(out, name);
    size_t room = out->used < out->room ? out->room - out->used : 0;
    out->used += ink_json_text(bytes, count, out->text + (room == 0 ? 0 : out->used), room);
}

static void put_count(object *out, const char *name, uint64_t count)
{
    char digits[24];

    ink__format(digits, sizeof digits, "%llu", (unsigned long long)count);
    put_name(out, name);
    put(out, digits);
}

/* Fields that are 0 are those of other kinds. */
static void put_count_if(object *out, const char *name, uint64_t count)
{
    if (count != 0)
        put_count(out, name, count);
}

static void put_real(object *out, const char *name, double real)
{
    char text[INK_REAL_BYTES];

    ink_real_text(real, text);
    put_name(out, name);
    put(out, text);
}

static void put_real_if(object *out, const char *name, double real)
{
    if (real != 0)
        put_real(out, name, real);
}

static void put_truth(object *out, const char *name, bool truth)
{
    put_name(out, name);
    put(out, truth ? "true" : "false");
}

/* Bytes that are not UTF-8, in hex. */
static void put_hex(object *out, const char *name, const void *bytes, size_t count)
{
    put_name(out, name);
    put(out, "\"");
    size_t room = out->used < out->room ? out->room - out->used : 0;
    out->used += ink_hex_text(bytes, count, out->text + (room == 0 ? 0 : out->used), room);
    put(out, "\"");
}

static void put_label(object *out, const ink_label *label)
{
    char slot[24];

    if (label->group_kind == INK_GROUP_BYTES && ink_is_utf8(label->group, label->group_bytes))
        put_text(out, "group", label->group, label->group_bytes);
    else if (label->group_kind == INK_GROUP_BYTES)
        put_hex(out, "group_hex", label->group, label->group_bytes);
    if (label->group_kind == INK_GROUP_NULL) {
        put_name(out, "group");
        put(out, "null");
    }
    if (!label->has_slot)
        return;
    ink__format(slot, sizeof slot, "%lld", (long long)label->slot);
    put_name(out, "slot");
    put(out, slot);
}

static size_t put_facts(const facts *all, char *text, size_t room)
{
    const ink_description *d = &all->is;
    object                 out = {.text = text, .room = room};

    put_text(&out, "kind", d->kind, strlen(d->kind));
    put_label(&out, &all->label);
    put_count_if(&out, "keys", d->expected_keys);
    put_count_if(&out, "bits", d->bits);
    put_count_if(&out, "hashes", d->hashes);
    put_count(&out, "bytes", d->bytes);
    put_real_if(&out, "bits_per_key", d->bits_per_key);
    put_real_if(&out, "target_rate", d->target_rate);
    put_real_if(&out, "promised_rate", d->promised_rate);
    if (all->filter)
        put_real(&out, "current_rate", all->rate);
    put_count(&out, "records", d->records);
    put_count_if(&out, "total", d->total);
    put_count_if(&out, "levels", d->levels);
    put_count_if(&out, "width", d->width);
    put_count_if(&out, "depth", d->depth);
    put_count_if(&out, "counter_bits", d->counter_bits);
    put_real_if(&out, "epsilon", d->epsilon);
    put_real_if(&out, "delta", d->delta);
    put_count_if(&out, "capacity", d->capacity);
    put_real_if(&out, "phi", d->phi);
    put_count_if(&out, "precision", d->precision);
    put_real_if(&out, "standard_error", d->standard_error);
    if (all->counts_distinct)
        put_count(&out, "distinct", all->distinct);
    if (all->has_digest)
        put_text(&out, "digest", all->digest, strlen(all->digest));
    if (all->filter && d->promised_rate > 0)
        put_truth(&out, "ok", ink_rate_holds(d, all->rate));
    if (all->origin != NULL)
        put_text(&out, "origin", all->origin, strlen(all->origin));
    put(&out, "}");
    return out.used;
}

static ink_status find_facts(const ink_sketch *sketch, const ink_info_options *options, facts *all,
                             ink_error *error)
{
    uint8_t    digest[INK_DIGEST_BYTES];
    ink_answer answer;

    *all = (facts){.filter = sketch->kind->contains != NULL,
                   .has_digest = options->digest,
                   .origin = options->origin};
    all->counts_distinct = !all->filter && sketch->kind->distinct != NULL;
    if (options->label != NULL)
        all->label = *options->label;
    ink_sketch_describe(sketch, &all->is);
    if (options->has_rate)
        all->rate = options->rate;
    else if (all->filter)
        INK__TRY(ink_sketch_rate(sketch, &all->rate, error));
    if (all->counts_distinct) {
        INK__TRY(ink_sketch_distinct(sketch, 0, &answer, error));
        all->distinct = ink_nearest_whole(answer.estimate);
    }
    if (options->digest)
        INK__TRY(ink_sketch_digest(sketch, digest, error));
    if (options->digest)
        ink_hex_text(digest, sizeof digest, all->digest, sizeof all->digest);
    return INK_OK;
}

ink_status ink_sketch_info_json(const ink_sketch *sketch, const ink_info_options *options,
                                char *text, size_t room, size_t *count, ink_error *error)
{
    const ink_info_options plain = {0};
    facts                  all;
    ink__held              held;

    if (options == NULL)
        options = &plain;
    INK__TRY_ROOM("ink_info_options", options, error);
    INK__TRY(ink__hold(&held, sketch, error));
    ink_status status = find_facts(held.sketch, options, &all, error);
    ink__let_go(&held);
    INK__TRY(status);
    size_t needed = put_facts(&all, text, 0);
    if (needed >= room)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "room for %zu bytes, expected the %zu of the text and a NUL", room,
                         needed);
    *count = put_facts(&all, text, room);
    return INK_OK;
}
