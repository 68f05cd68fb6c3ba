/* sketch.c - the public calls on one sketch: check the arguments, match the rules, hash the keys,
 * and go through the kind. Encoding and files are in save.c and file.c. */
#include "base/real.h"
#include "base/size.h"
#include "base/text.h"
#include "sketch/kind.h"

#include <string.h>

#define INK__TEXT(x) #x
#define INK__VERSION_TEXT(major, minor, patch)                                                     \
    INK__TEXT(major) "." INK__TEXT(minor) "." INK__TEXT(patch)

const char *ink_version(void)
{
    return INK__VERSION_TEXT(INK_VERSION_MAJOR, INK_VERSION_MINOR, INK_VERSION_PATCH);
}

/* ---- Create ------------------------------------------------------------------------------- */

static ink_status check_taken(const ink__kind *kind, const ink_params *params, ink_error *error)
{
    const struct {
        unsigned    taken;
        bool        given;
        const char *name;
    } fields[] = {
        {INK__TAKES_KEYS, params->expected_keys != 0, "expected_keys"},
        {INK__TAKES_RATE, params->false_positive_rate != 0, "false_positive_rate"},
        {INK__TAKES_BITS, params->bits != 0, "bits"},
        {INK__TAKES_HASHES, params->hashes != 0, "hashes"},
        {INK__TAKES_PRECISION, params->precision != 0, "precision"},
    };

    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++)
        if (fields[i].given && (kind->takes & fields[i].taken) == 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "%s has no %s", kind->name,
                             fields[i].name);
    return INK_OK;
}

static ink_status find_kind(const char *name, const ink__kind **kind, ink_error *error)
{
    char   names[128];
    size_t used = 0;

    *kind = name == NULL ? NULL : ink__kind_named(name);
    if (*kind != NULL)
        return INK_OK;
    for (size_t i = 0; ink__kinds[i] != NULL; i++)
        used += ink__format(names + used, sizeof names - used, "%s%s", i == 0 ? "" : ", ",
                            ink__kinds[i]->name);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "kind \"%s\", expected one of %s",
                     name == NULL ? "" : name, names);
}

/* Everything about a new sketch that can be known before memory is taken. */
static ink_status plan(const ink_params *params, const ink__kind **kind, ink__key_rule *rule,
                       ink__shape *shape, ink_error *error)
{
    INK__TRY(find_kind(params->kind, kind, error));
    INK__TRY(check_taken(*kind, params, error));
    INK__TRY(ink__rule_create(rule, params, error));
    if ((*kind)->position_rule(rule) == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%s needs a 64-bit hash, and %s has none; classic takes it", (*kind)->name,
                         ink__rule_hash_name(rule));
    memset(shape, 0, sizeof *shape);
    return (*kind)->plan(params, rule, shape, error);
}

/* An object of this kind whose first member is filled and whose rest is zero. */
static ink_status new_object(ink_sketch **sketch, const ink__kind *kind, const ink__key_rule *rule,
                             const ink_allocator *allocator, ink_error *error)
{
    ink_allocator       memory = ink__allocator_or_heap(allocator);
    const ink__kernels *kernels = NULL;
    void               *object;

    INK__TRY(ink__kernels_choose(&kernels, error));
    INK__TRY(ink__allocate(&memory, kind->object_bytes, &object, error));
    memset(object, 0, kind->object_bytes);
    *sketch = object;
    (*sketch)->kind = kind;
    (*sketch)->kernels = kernels;
    (*sketch)->allocator = memory;
    (*sketch)->rule = *rule;
    return INK_OK;
}

void ink_sketch_free(ink_sketch *sketch)
{
    if (sketch == NULL)
        return;
    ink_allocator allocator = sketch->allocator;
    size_t        bytes = sketch->kind->object_bytes;

    sketch->kind->release(sketch);
    ink__rule_wipe(&sketch->rule);
    ink__release(&allocator, sketch, bytes);
}

ink_status ink_sketch_create(ink_sketch **sketch, const ink_params *params,
                             const ink_allocator *allocator, ink_error *error)
{
    const ink__kind *kind;
    ink__key_rule    rule;
    ink__shape       shape;
    ink_sketch      *made;

    INK__TRY(plan(params, &kind, &rule, &shape, error));
    ink_status status = new_object(&made, kind, &rule, allocator, error);
    ink__rule_wipe(&rule);
    INK__TRY(status);
    status = kind->create(made, &shape, error);
    if (status != INK_OK) {
        ink_sketch_free(made);
        return status;
    }
    *sketch = made;
    return INK_OK;
}

ink_status ink__sketch_open(ink_sketch **sketch, const ink__kind *kind, const ink__key_rule *rule,
                            const ink__shape *shape, uint64_t records, const uint8_t *payload,
                            bool view, const ink_allocator *allocator, ink_error *error)
{
    ink_sketch *made;

    INK__TRY(new_object(&made, kind, rule, allocator, error));
    made->records = records;
    made->read_only = view;
    ink_status status = kind->load(made, shape, payload, error);
    if (status != INK_OK) {
        ink_sketch_free(made);
        return status;
    }
    *sketch = made;
    return INK_OK;
}

ink_status ink__sketch_verify(const ink_sketch *sketch, ink_error *error)
{
    ink__shape shape = {0};

    if (sketch->image == NULL)
        return INK_OK;
    sketch->kind->shape(sketch, &shape);
    return ink__image_check_pieces(sketch->image, sketch->image_at, shape.payload_bytes, error);
}

/* ---- Add and ask -------------------------------------------------------------------------- */

static ink_status check_writable(const ink_sketch *sketch, ink_error *error)
{
    if (!sketch->read_only)
        return INK_OK;
    return ink__fail(error, INK_READ_ONLY, INK_NOWHERE, 0,
                     "this %s is a view of a file: open the file with INK_OPEN_COPY, or copy the "
                     "sketch",
                     sketch->kind->name);
}

static ink_status check_answers_membership(const ink_sketch *sketch, ink_error *error)
{
    if (sketch->kind->contains != NULL)
        return INK_OK;
    return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                     "%s cannot tell whether a key was added", sketch->kind->name);
}

static ink_status check_offsets(const ink_batch *batch, ink_error *error)
{
    for (size_t i = 0; i < batch->count; i++)
        if (batch->offsets[i + 1] < batch->offsets[i])
            return ink__fail(
                error, INK_USAGE, INK_NOWHERE, 0,
                "key %zu goes from offset %llu to %llu, expected offsets that never fall", i,
                (unsigned long long)batch->offsets[i], (unsigned long long)batch->offsets[i + 1]);
    /* Keys that are all empty need no bytes: an array of empty strings often has none. */
    if (batch->bytes == NULL && batch->offsets[batch->count] != batch->offsets[0])
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "keys of %llu bytes together, but no bytes (NULL)",
                         (unsigned long long)(batch->offsets[batch->count] - batch->offsets[0]));
    return INK_OK;
}

/* Whether the batch says exactly one thing. */
static ink_status check_forms(const ink_batch *batch, ink_error *error)
{
    bool bytes = batch->offsets != NULL;

    if ((batch->ints != NULL && (bytes || batch->hashes != NULL)) ||
        (batch->bytes != NULL && !bytes) ||
        (batch->count > 0 && !bytes && batch->ints == NULL && batch->hashes == NULL))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a batch of %zu keys, expected hashes, ints, or bytes and offsets",
                         batch->count);
    return bytes ? check_offsets(batch, error) : INK_OK;
}

/* Whether this sketch can take such a batch. */
static ink_status check_batch(const ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    const ink__key_rule *rule = &sketch->rule;
    bool                 keys = batch->offsets != NULL || batch->ints != NULL;

    INK__TRY(check_forms(batch, error));
    if (batch->weights != NULL && !sketch->kind->counts)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s does not count: it takes no weights", sketch->kind->name);
    if (batch->ints != NULL && rule->type != INK_KEY_INT)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "int keys for a sketch of bytes keys (key_type)");
    if (batch->offsets != NULL && rule->type != INK_KEY_BYTES)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "bytes keys for a sketch of int keys (key_type)");
    if (!keys && batch->count > 0 && sketch->kind->keeps_keys)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s keeps keys: hashes alone do not suffice", sketch->kind->name);
    /* Hashes do without the secret; keys need a rule that can hash them, or that takes them whole.
     */
    if (batch->hashes != NULL ? rule->draw != INK__DRAW_HASH64 && !keys
                              : rule->draw == INK__DRAW_HASH64)
        return ink__rule_can_hash(rule, error);
    return INK_OK;
}

/* The whole batch as a kind sees it; hashes only if it has them. */
static ink__keys keys_of(const ink_batch *batch)
{
    static const uint8_t nothing[1];

    return (ink__keys){
        .count = batch->count,
        .hashes = batch->hashes,
        .ints = batch->ints,
        .bytes = batch->bytes != NULL || batch->offsets == NULL ? batch->bytes : nothing,
        .offsets = batch->offsets,
        .weights = batch->weights,
    };
}

/* Part `first` to `first + count` of a batch, hashed into `hashes` unless it is already. */
static ink__keys take_part(const ink_sketch *sketch, const ink_batch *batch, size_t first,
                           size_t count, uint64_t *hashes)
{
    const ink__key_rule *rule = &sketch->rule;
    ink__keys            keys = keys_of(batch);

    keys.count = count;
    keys.hashes = keys.hashes == NULL ? hashes : keys.hashes + first;
    keys.ints = keys.ints == NULL ? NULL : keys.ints + first;
    keys.offsets = keys.offsets == NULL ? NULL : keys.offsets + first;
    keys.weights = keys.weights == NULL ? NULL : keys.weights + first;
    if (batch->hashes == NULL && rule->draw == INK__DRAW_HASH64) {
        if (keys.ints != NULL)
            ink__rule_hash_int_batch(rule, keys.ints, count, hashes);
        else
            ink__rule_hash_bytes_batch(rule, keys.bytes, keys.offsets, count, hashes);
    }
    return keys;
}

/* How many keys to take at once: all if they need no hashing. */
static size_t part_size(const ink_batch *batch, size_t first)
{
    size_t rest = batch->count - first;

    return batch->hashes != NULL || rest < INK__HASH_BATCH ? rest : INK__HASH_BATCH;
}

ink_status ink_sketch_add_batch(ink_sketch *sketch, const ink_batch *batch, ink_error *error)
{
    uint64_t  hashes[INK__HASH_BATCH];
    ink__keys keys = keys_of(batch);

    INK__TRY(check_writable(sketch, error));
    INK__TRY(check_batch(sketch, batch, error));
    if (sketch->kind->reserve != NULL)
        INK__TRY(sketch->kind->reserve(sketch, &keys, error));
    for (size_t first = 0; first < batch->count; first += keys.count) {
        keys = take_part(sketch, batch, first, part_size(batch, first), hashes);
        sketch->kind->add(sketch, &keys);
    }
    sketch->records = ink__add_saturating(sketch->records, batch->count);
    return INK_OK;
}

ink_status ink_sketch_contains_batch(const ink_sketch *sketch, const ink_batch *batch,
                                     uint8_t *answers, ink_error *error)
{
    uint64_t  hashes[INK__HASH_BATCH];
    ink__keys keys;

    INK__TRY(check_answers_membership(sketch, error));
    INK__TRY(check_batch(sketch, batch, error));
    for (size_t first = 0; first < batch->count; first += keys.count) {
        keys = take_part(sketch, batch, first, part_size(batch, first), hashes);
        sketch->kind->contains(sketch, &keys, answers + first);
    }
    return INK_OK;
}

ink_status ink_hash_batch(const ink_sketch *sketch, const ink_batch *batch, uint64_t *hashes,
                          ink_error *error)
{
    ink__keys keys;

    INK__TRY(check_batch(sketch, batch, error));
    INK__TRY(ink__rule_can_hash(&sketch->rule, error));
    if (batch->hashes != NULL) {
        memmove(hashes, batch->hashes, batch->count * sizeof *hashes);
        return INK_OK;
    }
    for (size_t first = 0; first < batch->count; first += keys.count)
        keys = take_part(sketch, batch, first, part_size(batch, first), hashes + first);
    return INK_OK;
}

/* One key is a batch of one; `offsets` are its 0 and its length. */
static ink_batch batch_of_bytes(const void *key, const uint64_t offsets[2])
{
    return (ink_batch){.count = 1, .bytes = key, .offsets = offsets};
}

ink_status ink_sketch_add(ink_sketch *sketch, const void *key, size_t bytes, ink_error *error)
{
    const uint64_t  offsets[2] = {0, bytes};
    const ink_batch batch = batch_of_bytes(key, offsets);

    return ink_sketch_add_batch(sketch, &batch, error);
}

ink_status ink_sketch_add_int(ink_sketch *sketch, int64_t key, ink_error *error)
{
    const ink_batch batch = {.count = 1, .ints = &key};

    return ink_sketch_add_batch(sketch, &batch, error);
}

static ink_status contains_one(const ink_sketch *sketch, const ink_batch *batch, bool *maybe,
                               ink_error *error)
{
    uint8_t answer = 0;

    INK__TRY(ink_sketch_contains_batch(sketch, batch, &answer, error));
    *maybe = answer != 0;
    return INK_OK;
}

ink_status ink_sketch_contains(const ink_sketch *sketch, const void *key, size_t bytes, bool *maybe,
                               ink_error *error)
{
    const uint64_t  offsets[2] = {0, bytes};
    const ink_batch batch = batch_of_bytes(key, offsets);

    return contains_one(sketch, &batch, maybe, error);
}

ink_status ink_sketch_contains_int(const ink_sketch *sketch, int64_t key, bool *maybe,
                                   ink_error *error)
{
    const ink_batch batch = {.count = 1, .ints = &key};

    return contains_one(sketch, &batch, maybe, error);
}

ink_status ink_sketch_distinct(const ink_sketch *sketch, double confidence, ink_answer *answer,
                               ink_error *error)
{
    if (confidence == 0)
        confidence = 0.95;
    if (!(confidence > 0 && confidence < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "confidence %g, expected above 0 and below 1", confidence);
    if (sketch->kind->distinct == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s cannot tell how many different keys there are", sketch->kind->name);
    *answer = (ink_answer){.confidence = confidence};
    sketch->kind->distinct(sketch, ink__normal_z(confidence), answer);
    if (answer->low < 0)
        answer->low = 0;
    return INK_OK;
}

ink_status ink_sketch_rate(const ink_sketch *sketch, double *rate, ink_error *error)
{
    if (sketch->kind->rate == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "%s is no filter: it has no false-positive rate", sketch->kind->name);
    *rate = sketch->kind->rate(sketch);
    return INK_OK;
}

/* ---- Combine ------------------------------------------------------------------------------ */

static ink_status check_pair(const ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    INK__TRY(check_writable(into, error));
    if (into == from)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "a sketch with itself, expected two");
    if (into->kind != from->kind)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0, "kinds differ: %s and %s",
                         into->kind->name, from->kind->name);
    INK__TRY(ink__rule_match(&into->rule, &from->rule, error));
    return ink__sketch_verify(from, error);
}

ink_status ink_sketch_merge(ink_sketch *into, const ink_sketch *from,
                            const ink_merge_options *options, ink_error *error)
{
    const ink_merge_options plain = {0};

    if (options == NULL)
        options = &plain;
    if (!(options->max_rate >= 0 && options->max_rate <= 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "max_rate %g, expected 0 to 1",
                         options->max_rate);
    INK__TRY(check_pair(into, from, error));
    INK__TRY(into->kind->merge(into, from, options, error));
    into->records = ink__add_saturating(into->records, from->records);
    return INK_OK;
}

ink_status ink_sketch_intersect(ink_sketch *into, const ink_sketch *from, ink_error *error)
{
    INK__TRY(check_pair(into, from, error));
    if (into->kind->intersect == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s cannot be intersected",
                         into->kind->name);
    INK__TRY(into->kind->intersect(into, from, error));
    if (from->records < into->records)
        into->records = from->records;
    return INK_OK;
}

static ink_status fold(ink_sketch *sketch, uint64_t divisor, double rate, uint64_t *divided,
                       ink_error *error)
{
    INK__TRY(check_writable(sketch, error));
    if (sketch->kind->fold == NULL)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0, "%s cannot be folded",
                         sketch->kind->name);
    return sketch->kind->fold(sketch, divisor, rate, divided, error);
}

ink_status ink_sketch_fold(ink_sketch *sketch, uint64_t divisor, ink_error *error)
{
    uint64_t divided;

    if (divisor == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "divisor 0, expected 1 or more");
    return fold(sketch, divisor, 0, &divided, error);
}

ink_status ink_sketch_fold_to_rate(ink_sketch *sketch, double rate, uint64_t *divisor,
                                   ink_error *error)
{
    uint64_t divided = 1;

    if (!(rate > 0 && rate < 1))
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "rate %g, expected above 0 and below 1",
                         rate);
    INK__TRY(fold(sketch, 0, rate, &divided, error));
    if (divisor != NULL)
        *divisor = divided;
    return INK_OK;
}

/* ---- Describe ----------------------------------------------------------------------------- */

static void describe(const ink__kind *kind, const ink__key_rule *rule, const ink__shape *shape,
                     ink_description *description)
{
    *description = (ink_description){
        .kind = kind->name,
        .hash = ink__rule_hash_name(rule),
        .key_type = rule->type,
        .keyed = rule->hash == INK__HASH_SIPHASH,
        .seed = rule->seed,
        .bytes = shape->payload_bytes,
        .bytes_max = shape->payload_bytes,
        .order_free = kind->order_free,
    };
    kind->describe(shape, description);
    if (description->expected_keys != 0)
        description->bits_per_key = (double)description->bits / (double)description->expected_keys;
}

void ink_sketch_describe(const ink_sketch *sketch, ink_description *description)
{
    ink__shape shape = {0};

    sketch->kind->shape(sketch, &shape);
    describe(sketch->kind, &sketch->rule, &shape, description);
    description->records = sketch->records;
    description->read_only = sketch->read_only;
}

ink_status ink_plan(const ink_params *params, ink_description *description, ink_error *error)
{
    const ink__kind *kind;
    ink__key_rule    rule;
    ink__shape       shape;

    INK__TRY(plan(params, &kind, &rule, &shape, error));
    describe(kind, &rule, &shape, description);
    ink__rule_wipe(&rule);
    return INK_OK;
}

ink_status ink_sketch_unlock(ink_sketch *sketch, const uint8_t *secret, ink_error *error)
{
    return ink__rule_unlock(&sketch->rule, secret, error);
}

/* ---- Copy --------------------------------------------------------------------------------- */

/* Hands the payload over in one piece, put together in memory of its own where it must be. */
static ink_status with_payload(const ink_sketch *from, const ink_allocator *allocator,
                               ink__block *scratch, const uint8_t **payload, ink_error *error)
{
    INK__TRY(ink__sketch_verify(from, error));
    INK__TRY(ink__block_create(scratch, allocator, from->kind->scratch_bytes(from), error));
    *payload = from->kind->payload(from, scratch->data);
    return INK_OK;
}

ink_status ink_sketch_copy(ink_sketch **sketch, const ink_sketch *from,
                           const ink_allocator *allocator, ink_error *error)
{
    ink_allocator  memory = allocator != NULL ? *allocator : from->allocator;
    ink__block     scratch;
    ink__shape     shape = {0};
    const uint8_t *payload;

    INK__TRY(with_payload(from, &memory, &scratch, &payload, error));
    from->kind->shape(from, &shape);
    ink_status status = ink__sketch_open(sketch, from->kind, &from->rule, &shape, from->records,
                                         payload, false, &memory, error);
    ink__block_release(&scratch, &memory);
    return status;
}

ink_status ink_sketch_payload(const ink_sketch *sketch, uint8_t *payload, size_t payload_bytes,
                              ink_error *error)
{
    ink__block     scratch;
    ink__shape     shape = {0};
    const uint8_t *bytes;

    sketch->kind->shape(sketch, &shape);
    if (payload_bytes < shape.payload_bytes)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "room for %zu bytes, expected %llu, as the description tells",
                         payload_bytes, (unsigned long long)shape.payload_bytes);
    INK__TRY(with_payload(sketch, &sketch->allocator, &scratch, &bytes, error));
    if (shape.payload_bytes > 0)
        memcpy(payload, bytes, (size_t)shape.payload_bytes);
    ink__block_release(&scratch, &sketch->allocator);
    return INK_OK;
}
