/* foreign.c - sketches of other systems: made of what a foreign file states, and stated for one.
 * src/format/foreign knows the bytes; what is made of them goes through the kind, as from a file of
 * ours. */
#include "format/foreign/list.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/status.h"
#include "format/foreign/datasketches.h"
#include "sketch/kinds/promise.h"
#include "sketch/sketch.h"

#include <string.h>

/* ---- Formats ------------------------------------------------------------------------------ */

const ink_foreign_info *ink_foreign(size_t index)
{
    size_t number = 0;

    while (number < index && ink__foreign_formats[number] != NULL)
        number++;
    return ink__foreign_formats[number] == NULL ? NULL : &ink__foreign_formats[number]->info;
}

const ink_foreign_info *ink_foreign_certain(const void *data, size_t bytes)
{
    for (const ink__foreign_format *const *at = ink__foreign_formats; *at != NULL; at++)
        if ((*at)->begins != NULL && (*at)->begins(data, bytes))
            return &(*at)->info;
    return NULL;
}

/* ---- Hashes ------------------------------------------------------------------------------- */

static bool has_hash(const ink__foreign_format *format, const char *hash)
{
    for (const char *const *name = format->hashes; *name != NULL; name++)
        if (strcmp(*name, hash) == 0)
            return true;
    return false;
}

/* Sets the hash, if there is none, to the first of the format that takes the keys. */
static ink_status choose_hash(const ink__foreign_format *format, ink_params *params,
                              ink_error *error)
{
    ink__key_rule rule;
    ink_status    status = INK_OK;

    if (params->hash != NULL && !has_hash(format, params->hash))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s, expected %s for %s",
                         params->hash, format->hashes[0], format->info.name);
    if (params->hash != NULL)
        return INK_OK;
    for (const char *const *name = format->hashes; *name != NULL; name++) {
        params->hash = *name;
        status = ink__rule_create(&rule, params, error);
        if (status == INK_OK)
            break;
    }
    return status;
}

/* Sets the seed, if the format has only one. */
static ink_status choose_seed(const ink__foreign_format *format, ink_params *params,
                              ink_error *error)
{
    if (format->seed == 0)
        return INK_OK;
    if ((params->has_seed || params->seed != 0) && params->seed != format->seed)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{seed} %llu, expected %llu for %s",
                         (unsigned long long)params->seed, (unsigned long long)format->seed,
                         format->info.name);
    params->has_seed = true;
    params->seed = format->seed;
    return INK_OK;
}

ink_status ink_foreign_params(const char *format_name, ink_params *params, ink_error *error)
{
    const ink__foreign_format *format;
    ink_params                 made = *params;

    INK__TRY_ROOM("ink_params", params, error);
    INK__TRY(ink__foreign_find(format_name, &format, error));
    if (!format->info.writes)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s is read, not written",
                         format->info.name);
    if (made.kind != NULL && strcmp(made.kind, format->info.kind) != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "kind %s, expected %s for %s", made.kind,
                         format->info.kind, format->info.name);
    made.kind = format->info.kind;
    INK__TRY(choose_hash(format, &made, error));
    INK__TRY(choose_seed(format, &made, error));
    if (format->size != NULL)
        INK__TRY(format->size(&made, error));
    *params = made;
    return INK_OK;
}

/* ---- Reading ------------------------------------------------------------------------------ */

/* Writes words in the opposite order to an empty sketch, part by part. */
static ink_status take_reversed(const ink__foreign_sketch *from, ink_sketch *sketch,
                                const ink__shape *shape, const ink_allocator *allocator,
                                ink_error *error)
{
    uint8_t   *part;
    ink_status status = INK_OK;

    INK__TRY(ink__allocate(allocator, INK__PIECE_BYTES, &part, error));
    for (uint64_t at = 0, some; status == INK_OK && at < from->payload_bytes; at += some) {
        some = from->payload_bytes - at;
        some = some < INK__PIECE_BYTES ? some : INK__PIECE_BYTES;
        ink__reverse_words(part, from->payload + at, some / 8);
        status = sketch->kind->take(sketch, shape, at, part, some, error);
    }
    ink__release(allocator, part, INK__PIECE_BYTES);
    return status;
}

_Static_assert((int)INK__FOREIGN_FIELDS == (int)INK__FIELDS_MAX, "a file states all fields");

/* Fields that follow from contents, or that parameters cannot state. */
static void set_contents(const ink__foreign_sketch *from, ink__shape *shape)
{
    if (from->target_rate != 0) {
        ink__promise promise = ink__promise_of(shape);
        promise.target = from->target_rate;
        ink__promise_store(&promise, shape);
    }
    shape->payload_bytes = from->payload_bytes;
    if (from->has_fields)
        memcpy(shape->fields, from->fields, sizeof shape->fields);
    if (shape->kind->totals && shape->kind->added_up != 0) /* one field, the total */
        shape->fields[ink__trailing_zeros_64(shape->kind->added_up)] = from->total;
}

/* Makes the sketch that a file states; the payload was not checked. */
static ink_status make_sketch(const ink__foreign_file *file, const ink__foreign_sketch *from,
                              ink_sketch **sketch, ink_error *error)
{
    const bool in_file = from->payload >= file->bytes && from->payload < file->bytes + file->count;
    const uint64_t   at = in_file ? (uint64_t)(from->payload - file->bytes) : 0;
    ink__plan        of;
    ink_error        failure;
    const ink__kind *kind;

    INK__TRY(ink__sketch_plan(&from->params, &of, error));
    kind = of.shape.kind;
    of.records = from->records;
    set_contents(from, &of.shape);
    ink_status status = kind->check(&of.shape, &of.rule, &failure);
    if (status == INK_OK && !from->reversed && kind->check_payload != NULL)
        status = kind->check_payload(&of.shape, &of.rule, from->payload, &failure);
    if (status == INK_OK)
        status = ink__sketch_open(sketch, &of, from->reversed ? NULL : from->payload, false,
                                  file->allocator, &failure);
    if (status == INK_OK && from->reversed) {
        status = take_reversed(from, *sketch, &of.shape, file->allocator, &failure);
        if (status != INK_OK)
            ink_sketch_free(*sketch);
    }
    if (status != INK_OK && error != NULL)
        *error = failure;
    return status == INK_FORMAT ? ink__stored_placed(status, 0, at, error) : status;
}

/* As new, but for what the format needs to go on. */
static void restart(const ink__foreign_file *file, ink__foreign_sketch *stated)
{
    ink__foreign_sketch fresh = {.params.key_type = file->options->key_type};

    memcpy(fresh.next, stated->next, sizeof fresh.next);
    *stated = fresh;
}

/* Reads sketch number `index` as the format states it. */
static ink_status read_one(const ink__foreign_format *format, const ink__foreign_file *file,
                           uint64_t index, ink__foreign_sketch *stated, ink_error *error)
{
    const char *hash = file->options->hash;

    restart(file, stated);
    INK__TRY(format->read(file, index, stated, error));
    if (stated->params.hash == NULL)
        stated->params.hash = hash;
    else if (hash != NULL && strcmp(stated->params.hash, hash) != 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "{hash} %s, but the file has %s", hash,
                         stated->params.hash);
    INK__TRY(choose_seed(format, &stated->params, error));
    return choose_hash(format, &stated->params, error);
}

static void drop(const ink__foreign_file *file, ink__foreign_sketch *stated)
{
    ink__release(file->allocator, stated->made, stated->made_bytes);
}

static ink_status read_all(const ink__foreign_format *format, const ink__foreign_file *file,
                           ink_foreign_take *take, void *host, ink_error *error)
{
    ink__foreign_sketch stated = {.more = true};
    ink_sketch         *sketch;

    for (uint64_t index = 0; stated.more; index++) {
        ink_status status = read_one(format, file, index, &stated, error);
        if (status == INK_OK)
            status = make_sketch(file, &stated, &sketch, error);
        ink_label label = {0};
        if (stated.group[0] != '\0')
            label = ink_group(stated.group);
        drop(file, &stated);
        if (status == INK_OK)
            status = take(host, &label, sketch, error);
        if (status != INK_OK)
            return status;
    }
    return INK_OK;
}

static bool fits(const ink__foreign_format *format, const ink__foreign_file *file)
{
    ink__foreign_sketch stated = {.more = true};
    bool                fit = true;

    for (uint64_t index = 0; fit && stated.more; index++) {
        restart(file, &stated);
        fit = format->read(file, index, &stated, NULL) == INK_OK;
        drop(file, &stated);
    }
    return fit;
}

/* The format that a file begins as, or else the only one that fits in full. */
static ink_status find_format(const ink__foreign_file *file, const ink__foreign_format **format,
                              ink_error *error)
{
    const ink_foreign_info *certain = ink_foreign_certain(file->bytes, (size_t)file->count);
    const char             *name, *why;
    char                    list[160] = "";
    size_t                  used = 0, found = 0;

    if (certain != NULL)
        return ink__foreign_find(certain->name, format, error);
    for (const ink__foreign_format *const *at = ink__foreign_formats; *at != NULL; at++) {
        const size_t bytes = strlen((*at)->info.name);
        if (!fits(*at, file))
            continue;
        *format = *at;
        if (used + bytes + 3 < sizeof list) {
            used += found == 0 ? 0 : 2;
            memcpy(list + used - (found == 0 ? 0 : 2), found == 0 ? "" : ", ", found == 0 ? 0 : 2);
            memcpy(list + used, (*at)->info.name, bytes + 1);
            used += bytes;
        }
        found++;
    }
    if (found == 1)
        return INK_OK;
    if (found == 0 && ink__datasketches_is_refused(file->bytes, file->count, &name, &why))
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "fits no format: a %s of DataSketches: %s", name, why);
    if (found == 0)
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "fits no format, expected a whole file of one that docs/formats.md lists");
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "fits several formats: %s; name one", list);
}

ink_status ink_foreign_read(const void *data, size_t bytes, const ink_foreign_options *options,
                            ink_foreign_take *take, void *host, const ink_foreign_info **found,
                            const ink_allocator *allocator, ink_error *error)
{
    const ink_allocator        memory = ink__allocator_or_heap(allocator);
    const ink_foreign_options  none = {0};
    const ink__foreign_format *format;
    const ink__foreign_file    file = {data, bytes, options == NULL ? &none : options, &memory};

    INK__TRY_ROOM("ink_foreign_options", file.options, error);
    if (file.options->format != NULL)
        INK__TRY(ink__foreign_find(file.options->format, &format, error));
    else
        INK__TRY(find_format(&file, &format, error));
    if (found != NULL)
        *found = &format->info;
    return read_all(format, &file, take, host, error);
}

/* ---- Writing ------------------------------------------------------------------------------ */

static ink_status check_source(const ink__foreign_format *format, const ink_description *is,
                               ink_error *error)
{
    if (format->write == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s is read, not written",
                         format->info.name);
    if (strcmp(is->kind, format->info.kind) != 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "a %s, expected a %s for %s",
                         is->kind, format->info.kind, format->info.name);
    if (format->seed != 0 && (!has_hash(format, is->hash) || is->seed != format->seed))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "keys are hashed with %s and seed %llu, expected {hash} %s and {seed} "
                         "%llu for %s: build it anew for this format",
                         is->hash, (unsigned long long)is->seed, format->hashes[0],
                         (unsigned long long)format->seed, format->info.name);
    if (!has_hash(format, is->hash))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "keys are hashed with %s, expected {hash} %s for %s: build it anew for "
                         "this format",
                         is->hash, format->hashes[0], format->info.name);
    return INK_OK;
}

static ink_status write_still(const ink__foreign_format *format, const ink_sketch *sketch,
                              const ink_sink *sink, ink_error *error)
{
    const ink_allocator *allocator = &sketch->allocator;
    const uint64_t       scratch_bytes = ink__scratch_bytes(sketch);
    ink__foreign_source  source = {.allocator = allocator};
    uint8_t             *scratch = NULL;

    ink_sketch_describe(sketch, &source.is);
    if (scratch_bytes > 0)
        INK__TRY(ink__allocate(allocator, scratch_bytes, &scratch, error));
    source.payload = sketch->kind->payload(sketch, scratch);
    source.payload_bytes = source.is.bytes;
    ink_status status = format->write(&source, sink, error);
    ink__release(allocator, scratch, scratch_bytes);
    return status;
}

/* Writes a copy that is folded to a size of the format, if it keeps its promise. */
static ink_status write_folded(const ink__foreign_format *format, const ink_sketch *sketch,
                               const ink_description *is, uint64_t divisor, const ink_sink *sink,
                               ink_error *error)
{
    const unsigned long long bits = is->bits, by = divisor;
    ink_sketch              *folded;

    if (is->promised_rate == 0)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "%llu bits, and no promise that it keeps if %s folds it by %llu: build it "
                         "anew for this format",
                         bits, format->info.name, by);
    INK__TRY(ink_sketch_copy(&folded, sketch, NULL, error));
    ink_status status = ink_sketch_fold(folded, divisor, error);
    if (status == INK_PROMISE)
        ink__fail_within(error, "%llu bits, folded by %llu for %s: ", bits, by, format->info.name);
    if (status == INK_OK)
        status = write_still(format, folded, sink, error);
    ink_sketch_free(folded);
    return status;
}

static ink_status write_fitting(const ink__foreign_format *format, const ink_sketch *sketch,
                                const ink_sink *sink, ink_error *error)
{
    ink_description is;

    ink_sketch_describe(sketch, &is);
    INK__TRY(check_source(format, &is, error));
    INK__TRY(ink__sketch_check_view(sketch, error));
    const uint64_t divisor = format->divisor == NULL ? 1 : format->divisor(&is);
    return divisor == 1 ? write_still(format, sketch, sink, error)
                        : write_folded(format, sketch, &is, divisor, sink, error);
}

ink_status ink_foreign_write(const ink_sketch *sketch, const char *format_name,
                             const ink_sink *sink, ink_error *error)
{
    const ink__foreign_format *format;
    ink__held                  held;

    INK__TRY(ink__foreign_find(format_name, &format, error));
    INK__TRY(ink__hold(&held, sketch, error));
    ink_status status = write_fitting(format, held.sketch, sink, error);
    ink__let_go(&held);
    return status;
}
