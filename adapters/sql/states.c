/* states.c - what an aggregate holds: a sketch, or the draft of one that has no size yet, and keys
 * that came one by one and wait to be added as a batch.
 *
 * Encoded, a state is a byte that says what follows: a file, or the draft's options and bytes.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "keys.h"
#include "memory.h"

#include <string.h>

/* ---- Keys that wait ---------------------------------------------------------------------- */

/* How many: few at first, as most groups of a query may have few keys; many where the sketch is
 * large beside them, so that a batch meets each of its cache lines more than once. */
enum { WAIT_FEW = 8, WAIT_SOME = 56, WAIT_MANY = 504, WAIT_KEY_BYTES = 32 };

/* Words of the head of such a block: with it, and some of an allocator, blocks have a power of two
 * of bytes. */
enum { HEAD_WORDS = 8 };

/* What waits: integer keys, hashes of byte keys, or byte keys, where nothing has hashed them yet.
 * The next one goes to state->next, up to state->end, so that adding one touches the state and that
 * place alone. */
typedef enum key_form { INTS, HASHES, BYTES } key_form;

typedef struct inksql_pending {
    uint32_t  room;
    key_form  form;
    bool      final;    /* it grows no more */
    bool      weighted; /* some weight is not 1 */
    uint64_t *weights;  /* of functions that take some, otherwise NULL */
    uint64_t *words;    /* integers, hashes, or room + 1 offsets of byte keys ... */
    uint8_t  *data;     /* ... in here: WAIT_KEY_BYTES for each in the mean */
} inksql_pending;

static bool takes_weights(const inksql_function *function)
{
    return strchr(function->forms, 'W') != NULL;
}

static size_t pending_bytes(const inksql_function *function, size_t room, key_form form)
{
    const size_t words = takes_weights(function) ? 2 * room : room;

    return sizeof(inksql_pending) + words * sizeof(uint64_t) +
           (form == BYTES ? sizeof(uint64_t) + room * WAIT_KEY_BYTES : 0);
}

static uint64_t memory_of_pending(const inksql_state *state)
{
    const inksql_pending *pending = state->pending;

    return pending == NULL ? 0 : pending_bytes(state->function, pending->room, pending->form);
}

static void free_pending(inksql_state *state)
{
    inksql_give_back(state->allocator, state->pending, memory_of_pending(state));
    state->pending = NULL;
    state->next = state->end = NULL;
}

/* How many keys wait. */
static size_t pending_count(const inksql_state *state)
{
    return state->pending == NULL ? 0 : (size_t)(state->next - state->pending->words);
}

/* Without memory there is none, and keys are added one by one. */
static void make_pending(inksql_state *state, uint32_t room, key_form form)
{
    free_pending(state);
    inksql_pending *made =
        inksql_resize(state->allocator, NULL, 0, pending_bytes(state->function, room, form));
    state->pending = made;
    if (made == NULL)
        return;
    *made = (inksql_pending){.room = room, .form = form};
    made->words = (uint64_t *)(void *)(made + 1);
    made->words[0] = 0; /* where the first of byte keys begins */
    uint64_t *after = made->words + room + (form == BYTES ? 1 : 0);
    if (takes_weights(state->function)) {
        made->weights = after;
        after += room;
    }
    made->data = (uint8_t *)after;
    state->next = made->words;
    state->end = made->words + room;
    state->bytes_wait = form == BYTES;
}

/* ---- Begin and end ----------------------------------------------------------------------- */

/* A filter that is sized by its keys. The options make another like it. */
typedef struct inksql_draft {
    ink_draft *draft;
    double     headroom;
    uint64_t   limit_bytes;
    size_t     text_bytes;
    char       text[INKSQL_OPTIONS_BYTES];
} inksql_draft;

/* A sketch and its label, for ink_file. */
typedef struct entry {
    ink_sketch    *sketch;
    ink_group_kind group_kind;
    size_t         group_bytes;
    uint8_t       *group;
} entry;

typedef struct inksql_entries {
    entry *list;
    size_t count, room;
} inksql_entries;

void inksql_state_start(inksql_state *state, const inksql_function *function,
                        const ink_allocator *allocator)
{
    *state = (inksql_state){.function = function, .allocator = allocator};
}

static void free_entries(inksql_state *state)
{
    inksql_entries *entries = state->entries;

    for (size_t i = 0; i < entries->count; i++) {
        ink_sketch_free(entries->list[i].sketch);
        inksql_give_back(state->allocator, entries->list[i].group, entries->list[i].group_bytes);
    }
    inksql_give_back(state->allocator, entries->list, entries->room * sizeof(entry));
    inksql_give_back(state->allocator, entries, sizeof *entries);
}

void inksql_state_free(inksql_state *state)
{
    free_pending(state);
    ink_sketch_free(state->sketch);
    if (state->draft != NULL) {
        ink_draft_free(state->draft->draft);
        inksql_give_back(state->allocator, state->draft, sizeof *state->draft);
    }
    if (state->entries != NULL)
        free_entries(state);
    inksql_state_start(state, state->function, state->allocator);
}

bool inksql_state_is_empty(const inksql_state *state)
{
    return state->sketch == NULL && state->draft == NULL && state->entries == NULL;
}

uint64_t inksql_state_memory(const inksql_state *state)
{
    uint64_t bytes = memory_of_pending(state);

    if (state->sketch != NULL)
        bytes += ink_sketch_memory(state->sketch);
    if (state->draft != NULL)
        bytes += sizeof *state->draft + ink_draft_memory(state->draft->draft);
    for (size_t i = 0; state->entries != NULL && i < state->entries->count; i++)
        bytes += sizeof(entry) + ink_sketch_memory(state->entries->list[i].sketch) +
                 state->entries->list[i].group_bytes;
    return bytes;
}

static ink_status no_memory(const inksql_state *state, size_t bytes, inksql_error *error)
{
    return inksql_fail(error, state->function, INK_MEMORY, "no memory for %zu bytes", bytes);
}

/* What a draft fails with, with what to do about a limit. */
static ink_status draft_failed(const inksql_state *state, const ink_error *from,
                               inksql_error *error)
{
    if (from->status != INK_LIMIT)
        return inksql_fail_as(error, state->function, from);
    return inksql_fail(error, state->function, INK_LIMIT,
                       "different keys of more than %llu bytes in one state (memory), expected %s, "
                       "or a larger memory=",
                       (unsigned long long)state->draft->limit_bytes,
                       state->function->id == INKSQL_FUSE
                           ? "a bloom, whose n= says how many there are"
                           : "n=, how many different keys there are");
}

static ink_status begin_draft(inksql_state *state, const inksql_plan *plan,
                              const ink_params *params, inksql_error *error)
{
    ink_error     failed;
    inksql_draft *made = inksql_resize(state->allocator, NULL, 0, sizeof *made);

    if (made == NULL)
        return no_memory(state, sizeof *made, error);
    *made = (inksql_draft){.headroom = plan->headroom,
                           .limit_bytes = plan->limit_bytes,
                           .text_bytes = plan->text_bytes};
    memcpy(made->text, plan->text, plan->text_bytes);
    if (ink_draft_create(&made->draft, params, plan->limit_bytes, state->allocator, &failed) !=
        INK_OK) {
        state->draft = made;
        draft_failed(state, &failed, error);
        state->draft = NULL;
        inksql_give_back(state->allocator, made, sizeof *made);
        return failed.status;
    }
    state->draft = made;
    return INK_OK;
}

/* Whether keys of this type and these options are what it has. */
static inline bool has_begun(const inksql_state *state, const inksql_plan *plan, ink_key_type type)
{
    return (state->sketch != NULL || state->draft != NULL) && state->options == plan->hash &&
           state->key_type == type;
}

/* Makes what keys of this type are added to, with the first one. */
static ink_status begin(inksql_state *state, const inksql_plan *plan, ink_key_type type,
                        inksql_error *error)
{
    ink_params params;
    ink_error  failed;

    if (has_begun(state, plan, type))
        return INK_OK;
    if (!inksql_state_is_empty(state)) {
        if (state->options != plan->hash)
            return inksql_fail(error, state->function, INK_USAGE,
                               "other options than in the row before, expected a constant text");
        return inksql_mixed_types(state->function, state->key_type, error);
    }
    params = plan->params;
    params.key_type = type;
    state->key_type = type;
    state->options = plan->hash;
    if (plan->drafts)
        return begin_draft(state, plan, &params, error);
    if (ink_sketch_create(&state->sketch, &params, state->allocator, &failed) != INK_OK) {
        state->sketch = NULL;
        return inksql_fail_as(error, state->function, &failed);
    }
    return INK_OK;
}

/* ---- Add --------------------------------------------------------------------------------- */

static ink_status add_batch(inksql_state *state, const ink_batch *batch, inksql_error *error)
{
    ink_error failed;

    if (state->draft != NULL)
        return ink_draft_add_batch(state->draft->draft, batch, &failed) == INK_OK
                   ? INK_OK
                   : draft_failed(state, &failed, error);
    return ink_sketch_add_batch(state->sketch, batch, &failed) == INK_OK
               ? INK_OK
               : inksql_fail_as(error, state->function, &failed);
}

/* Adds the keys that wait: what the state holds does not change by it. */
static ink_status add_pending(const inksql_state *of, inksql_error *error)
{
    inksql_state   *state = (inksql_state *)(uintptr_t)of;
    inksql_pending *pending = state->pending;

    if (pending_count(state) == 0)
        return INK_OK;
    ink_batch batch = {.count = pending_count(state),
                       .weights = pending->weighted ? pending->weights : NULL};
    if (pending->form == INTS)
        batch.ints = (const int64_t *)(const void *)pending->words;
    else if (pending->form == HASHES)
        batch.hashes = pending->words;
    else {
        batch.data = pending->data;
        batch.offsets = pending->words;
    }
    ink_status status = add_batch(state, &batch, error);
    if (status == INK_OK) {
        state->next = pending->words;
        pending->weighted = false;
    }
    return status;
}

/* Whether what the state holds is, or may become, large beside this much more. */
static bool is_large_beside(const inksql_state *state, size_t bytes)
{
    ink_description described;

    if (state->draft != NULL)
        return ink_draft_memory(state->draft->draft) / 2 >= bytes;
    ink_sketch_describe(state->sketch, &described);
    return (described.bytes_max > 0 ? described.bytes_max : described.bytes) / 2 >= bytes;
}

/* More and more keys wait, as they come. */
static void grow_pending(inksql_state *state, key_form form)
{
    const inksql_pending *pending = state->pending;
    const uint32_t        room = pending == NULL ? 0 : pending->room;

    if (pending == NULL || pending->form != form)
        make_pending(state, room < WAIT_SOME ? WAIT_FEW : WAIT_SOME, form);
    else if (room < WAIT_SOME)
        make_pending(state, WAIT_SOME, form);
    else if (room == WAIT_MANY || pending->final)
        return;
    else if (is_large_beside(state, 2 * memory_of_pending(state)))
        make_pending(state, 2 * room + HEAD_WORDS, form);
    else
        state->pending->final = state->draft == NULL;
}

static ink_status make_place(inksql_state *state, key_form form, inksql_error *error)
{
    ink_status status = add_pending(state, error);

    if (status == INK_OK)
        grow_pending(state, form);
    return status;
}

static inline bool has_place(const inksql_state *state, key_form form)
{
    return state->next != state->end && state->bytes_wait == (form == BYTES);
}

static inline void wait_with(const inksql_state *state, uint64_t weight)
{
    inksql_pending *pending = state->pending;

    pending->weights[pending_count(state)] = weight;
    pending->weighted |= weight != 1;
}

/* An integer, or the hash of a byte key, for a plan that weighs or not. */
static inline ink_status add_word(inksql_state *state, bool weighs, key_form form, uint64_t word,
                                  uint64_t weight, inksql_error *error)
{
    if (!has_place(state, form)) {
        ink_status status = make_place(state, form, error);
        if (status != INK_OK)
            return status;
    }
    if (state->pending == NULL) {
        const int64_t   whole = (int64_t)word;
        const ink_batch one = {.count = 1,
                               .ints = form == INTS ? &whole : NULL,
                               .hashes = form == INTS ? NULL : &word,
                               .weights = weight != 1 ? &weight : NULL};
        return add_batch(state, &one, error);
    }
    if (weighs)
        wait_with(state, weight);
    *state->next++ = word;
    return INK_OK;
}

/* There is a place for it. */
static inline void keep_bytes(inksql_state *state, const void *data, size_t bytes)
{
    const uint64_t at = *state->next;

    if (bytes > 0)
        memcpy(state->pending->data + at, data, bytes);
    *++state->next = at + bytes;
}

static ink_status add_bytes(inksql_state *state, bool weighs, const void *data, size_t bytes,
                            uint64_t weight, inksql_error *error)
{
    if (!has_place(state, BYTES) || bytes > state->pending->room * WAIT_KEY_BYTES - *state->next) {
        ink_status status = make_place(state, BYTES, error);
        if (status != INK_OK)
            return status;
    }
    if (state->pending == NULL || bytes > state->pending->room * WAIT_KEY_BYTES) {
        const ink_key   key = {data, bytes};
        const ink_batch one = {.count = 1, .keys = &key, .weights = weight != 1 ? &weight : NULL};
        return add_batch(state, &one, error);
    }
    if (weighs)
        wait_with(state, weight);
    keep_bytes(state, data, bytes);
    return INK_OK;
}

bool inksql_wait_bytes(inksql_state *state, const inksql_plan *plan, const void *data, size_t bytes)
{
    if (!has_place(state, BYTES) || plan->weighs || state->options != plan->hash ||
        bytes > state->pending->room * WAIT_KEY_BYTES - *state->next)
        return false;
    keep_bytes(state, data, bytes);
    return true;
}

static ink_status read_weight(const inksql_function *function, const inksql_value *weight,
                              uint64_t *value, inksql_error *error)
{
    if (weight->type != INKSQL_INT && weight->type != INKSQL_UINT)
        return inksql_fail(error, function, INK_USAGE, "a weight that is no integer, expected one");
    if (weight->type == INKSQL_INT && weight->whole < 0)
        return inksql_fail(error, function, INK_USAGE, "weight %lld, expected 0 or more",
                           (long long)weight->whole);
    *value = (uint64_t)weight->whole;
    return INK_OK;
}

static bool is_text(const inksql_value *value)
{
    return value->type == INKSQL_TEXT || value->type == INKSQL_BYTES;
}

/* The weight and the options of a row (key [, weight] [, options]), or NULL: an argument after the
 * key that is no text is a weight where the function takes some. */
static ink_status find_arguments(const inksql_function *function, const inksql_value *arguments,
                                 size_t count, const inksql_value **weight,
                                 const inksql_value **options, inksql_error *error)
{
    *weight = *options = NULL;
    if (count == 3 ||
        (count == 2 && strchr(function->forms, 'W') != NULL && !is_text(&arguments[1])))
        *weight = &arguments[1];
    if (count == 3 || (count == 2 && *weight == NULL))
        *options = &arguments[count - 1];
    if (*options == NULL || is_text(*options))
        return INK_OK;
    if ((*options)->type != INKSQL_NULL)
        return inksql_fail(error, function, INK_USAGE,
                           "options that are no text, expected one such as 'p=0.001, n=1e6'");
    *options = NULL;
    return INK_OK;
}

/* Adds a key, which is not NULL, to a state of this plan. */
static inline ink_status add_key(inksql_state *state, const inksql_plan *plan,
                                 const inksql_value *key, uint64_t weight, inksql_error *error)
{
    const ink_key_type type = inksql_is_int(key) ? INK_KEY_INT : INK_KEY_BYTES;
    ink_status         status = INK_OK;

    if (!inksql_is_int(key) && !is_text(key))
        return inksql_check_key(state->function, key, error);
    if (!has_begun(state, plan, type))
        status = begin(state, plan, type, error);
    if (status != INK_OK)
        return status;
    return type == INK_KEY_INT
               ? add_word(state, plan->weighs, INTS, (uint64_t)key->whole, weight, error)
               : add_bytes(state, plan->weighs, key->data, key->bytes, weight, error);
}

static ink_status step_key(inksql_state *state, inksql_plan *plan, const inksql_value *arguments,
                           size_t count, inksql_error *error)
{
    const inksql_function *function = state->function;
    const inksql_value    *weight, *options;
    uint64_t               times = 1;

    if (count == 1 && plan->function == function && plan->text_bytes == 0)
        return arguments[0].type == INKSQL_NULL ? INK_OK
                                                : add_key(state, plan, arguments, 1, error);
    ink_status status = find_arguments(function, arguments, count, &weight, &options, error);
    if (status == INK_OK)
        status = inksql_plan_read(plan, function, options == NULL ? NULL : options->data,
                                  options == NULL ? 0 : options->bytes, error);
    if (status != INK_OK || arguments[0].type == INKSQL_NULL ||
        (weight != NULL && weight->type == INKSQL_NULL))
        return status;
    if (weight != NULL)
        status = read_weight(function, weight, &times, error);
    return status != INK_OK ? status : add_key(state, plan, arguments, times, error);
}

/* ---- Sketches of sketches ---------------------------------------------------------------- */

/* Whether the rate of a union is looked at once, of the whole: those of parts need not be. */
static bool is_judged_whole(const ink_sketch *sketch)
{
    ink_kind_info info;

    return ink_kind_describe(ink_sketch_kind(sketch), &info, NULL) == INK_OK &&
           info.sized_by_keys && !info.made_whole;
}

static ink_status merge_sketch(inksql_state *state, const ink_sketch *from, inksql_error *error)
{
    const ink_merge_options options = {.parts = is_judged_whole(from)};
    ink_error               failed;

    if (ink_sketch_merge(state->sketch, from, &options, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    return INK_OK;
}

/* INK_PROMISE if a union has a rate above what its filters promise. */
static ink_status judge_union(const inksql_state *state, inksql_error *error)
{
    ink_description described;
    ink_error       failed;
    double          rate;

    if (state->function->id != INKSQL_MERGE || !is_judged_whole(state->sketch))
        return INK_OK;
    if (ink_sketch_rate(state->sketch, &rate, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    ink_sketch_describe(state->sketch, &described);
    if (ink_rate_holds(&described, rate))
        return INK_OK;
    return inksql_fail(error, state->function, INK_PROMISE,
                       "the union has a rate of %.3g, expected at most the %.3g that its filters "
                       "promise; build each with the n= of all keys",
                       rate, described.promised_rate);
}

static ink_status step_merge(inksql_state *state, const inksql_value *sketch, inksql_error *error)
{
    ink_error   failed;
    ink_sketch *view;

    if (state->sketch == NULL) {
        if (ink_sketch_decode(&state->sketch, sketch->data, sketch->bytes, state->allocator,
                              &failed) == INK_OK)
            return INK_OK;
        state->sketch = NULL;
        return inksql_fail_as(error, state->function, &failed);
    }
    if (ink_sketch_view(&view, sketch->data, sketch->bytes, INK_OPEN_CHECKED, state->allocator,
                        &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    ink_status status = merge_sketch(state, view, error);
    ink_sketch_free(view);
    return status;
}

static ink_status need_entry(inksql_state *state, entry **next, inksql_error *error)
{
    inksql_entries *entries = state->entries;

    if (entries == NULL) {
        entries = inksql_resize(state->allocator, NULL, 0, sizeof *entries);
        if (entries == NULL)
            return no_memory(state, sizeof *entries, error);
        *entries = (inksql_entries){0};
        state->entries = entries;
    }
    if (entries->count == entries->room) {
        const size_t room = 2 * entries->room + 4;
        entry *list = inksql_resize(state->allocator, entries->list, entries->room * sizeof(entry),
                                    room * sizeof(entry));
        if (list == NULL)
            return no_memory(state, room * sizeof(entry), error);
        entries->list = list;
        entries->room = room;
    }
    *next = &entries->list[entries->count];
    return INK_OK;
}

/* Takes over the sketch, also on failure. */
static ink_status add_entry(inksql_state *state, ink_sketch *sketch, const ink_label *label,
                            inksql_error *error)
{
    entry     *next = NULL;
    ink_status status = need_entry(state, &next, error);

    if (status == INK_OK) {
        *next = (entry){.sketch = sketch, .group_kind = label->group_kind};
        next->group_bytes = label->group_bytes;
        if (label->group_bytes > 0) {
            next->group = inksql_resize(state->allocator, NULL, 0, label->group_bytes);
            if (next->group == NULL)
                status = no_memory(state, label->group_bytes, error);
            else
                memcpy(next->group, label->group, label->group_bytes);
        }
    }
    if (status == INK_OK)
        state->entries->count++;
    else
        ink_sketch_free(sketch);
    return status;
}

static ink_status step_file(inksql_state *state, const inksql_value *arguments, inksql_error *error)
{
    const inksql_value *value = &arguments[1];
    ink_label           label = {.group_kind = INK_GROUP_NULL};
    char                digits[INKSQL_DIGITS_BYTES];
    ink_sketch         *sketch;
    ink_error           failed;

    if (value->type != INKSQL_NULL) {
        ink_status status = inksql_check_key(state->function, value, error);
        if (status != INK_OK)
            return status;
        label.group_kind = INK_GROUP_BYTES;
        label.group = inksql_key_text(value, digits, &label.group_bytes);
    }
    if (ink_sketch_decode(&sketch, arguments[0].data, arguments[0].bytes, state->allocator,
                          &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    return add_entry(state, sketch, &label, error);
}

ink_status inksql_step(inksql_state *state, inksql_plan *plan, const inksql_value *arguments,
                       size_t count, inksql_error *error)
{
    if (state->function->kind != NULL)
        return step_key(state, plan, arguments, count, error);
    if (arguments[0].type == INKSQL_NULL)
        return INK_OK;
    if (arguments[0].type != INKSQL_BYTES)
        return inksql_fail(error, state->function, INK_USAGE,
                           "a sketch that is no bytes, expected what an aggregate made");
    return state->function->id == INKSQL_MERGE ? step_merge(state, arguments, error)
                                               : step_file(state, arguments, error);
}

/* ---- Vectors ----------------------------------------------------------------------------- */

/* Keys of one state that come together are added at once if there are RUN_LONG; others wait. */
enum { VECTOR = 2048, RUN_LONG = 128, AHEAD = 24 };

static ink_batch slice_of(const ink_batch *batch, size_t from, size_t count)
{
    ink_batch slice = *batch;

    slice.count = count;
    if (slice.ints != NULL)
        slice.ints += from;
    if (slice.keys != NULL)
        slice.keys += from;
    if (slice.offsets != NULL)
        slice.offsets += from;
    if (slice.ends != NULL)
        slice.ends += from;
    if (slice.weights != NULL)
        slice.weights += from;
    return slice;
}

/* Whether all are one state, as without groups: each is then the same as the next. */
static bool is_one_state(inksql_state *const *states, size_t count)
{
    return memcmp(states, states + 1, (count - 1) * sizeof *states) == 0;
}

static size_t run_of(inksql_state *const *states, size_t from, size_t count)
{
    size_t end = from + 1;

    while (end < count && states[end] == states[from])
        end++;
    return end - from;
}

/* Keys of many states: as they are, and as words if they are integers or were hashed. */
typedef struct scattered {
    const ink_batch *batch;
    bool             weighs;
    key_form         form;
    const uint64_t  *words; /* or NULL */
} scattered;

/* Key i of a batch of byte keys. */
static ink_key bytes_at(const ink_batch *batch, size_t i)
{
    if (batch->keys != NULL)
        return batch->keys[i];
    const uint64_t start = batch->offsets[i];
    const uint64_t end = batch->ends != NULL ? batch->ends[i] : batch->offsets[i + 1];
    return (ink_key){batch->data + start, (size_t)(end - start)};
}

static inline ink_status add_one(inksql_state *state, const scattered *keys, size_t i,
                                 inksql_error *error)
{
    const uint64_t weight = keys->batch->weights == NULL ? 1 : keys->batch->weights[i];

    if (keys->words != NULL)
        return add_word(state, keys->weighs, keys->form, keys->words[i], weight, error);
    const ink_key key = bytes_at(keys->batch, i);
    return add_bytes(state, keys->weighs, key.data, key.bytes, weight, error);
}

/* Adds keys of one state, which was begun: at once, or so that they wait. */
static ink_status add_run(inksql_state *state, const scattered *keys, size_t from, size_t count,
                          inksql_error *error)
{
    ink_status status = INK_OK;

    if (count < RUN_LONG) {
        for (size_t i = from; i < from + count && status == INK_OK; i++)
            status = add_one(state, keys, i, error);
        return status;
    }
    ink_batch slice = slice_of(keys->batch, from, count);
    if (keys->form == HASHES)
        slice = (ink_batch){.count = count, .hashes = keys->words + from, .weights = slice.weights};
    status = add_pending(state, error);
    return status == INK_OK ? add_batch(state, &slice, error) : status;
}

/* What the next keys touch is fetched: their state, and what waits in it. */
static void fetch_ahead(inksql_state *const *states, size_t i, size_t count)
{
    if (i + 2 * AHEAD < count)
        __builtin_prefetch(&states[i + 2 * AHEAD]->next, 1, 3);
    if (i + AHEAD < count)
        __builtin_prefetch(states[i + AHEAD]->next, 1, 3);
}

/* Hashes byte keys all at once, if hashes are all that a sketch needs. */
static ink_status hash_all(const inksql_state *state, const ink_batch *batch,
                           uint64_t words[VECTOR], scattered *keys, inksql_error *error)
{
    ink_description described;
    ink_error       failed;

    if (state->sketch == NULL)
        return INK_OK;
    ink_sketch_describe(state->sketch, &described);
    if (described.needs_keys)
        return INK_OK;
    if (ink_sketch_hash_batch(state->sketch, batch, words, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    keys->form = HASHES;
    keys->words = words;
    return INK_OK;
}

/* At most VECTOR keys, of several states. */
static ink_status add_scattered(inksql_state *const *states, const inksql_plan *plan,
                                const ink_batch *batch, inksql_error *error)
{
    const ink_key_type type = batch->ints != NULL ? INK_KEY_INT : INK_KEY_BYTES;
    uint64_t           words[VECTOR];
    scattered          keys = {batch, plan->weighs, BYTES, NULL};
    ink_status         status = begin(states[0], plan, type, error);

    if (batch->ints != NULL) {
        keys.form = INTS;
        keys.words = (const uint64_t *)(const void *)batch->ints;
    } else if (status == INK_OK)
        status = hash_all(states[0], batch, words, &keys, error);
    for (size_t i = 0, run; i < batch->count && status == INK_OK; i += run) {
        fetch_ahead(states, i, batch->count);
        run = run_of(states, i, batch->count);
        if (run == 1 && keys.words != NULL &&
            inksql_wait_word(states[i], plan, type, keys.words[i]))
            continue;
        if (!has_begun(states[i], plan, type))
            status = begin(states[i], plan, type, error);
        if (status == INK_OK)
            status = add_run(states[i], &keys, i, run, error);
    }
    return status;
}

ink_status inksql_add_each(inksql_state *const *states, const inksql_plan *plan,
                           const ink_batch *batch, inksql_error *error)
{
    const ink_key_type type = batch->ints != NULL ? INK_KEY_INT : INK_KEY_BYTES;
    const scattered    whole = {batch, plan->weighs, BYTES, NULL};
    ink_status         status = INK_OK;

    if (batch->count >= RUN_LONG && is_one_state(states, batch->count)) {
        status = begin(states[0], plan, type, error);
        return status == INK_OK ? add_run(states[0], &whole, 0, batch->count, error) : status;
    }
    for (size_t i = 0, some; i < batch->count && status == INK_OK; i += some) {
        some = batch->count - i < VECTOR ? batch->count - i : VECTOR;
        const ink_batch slice = slice_of(batch, i, some);
        status = add_scattered(states + i, plan, &slice, error);
    }
    return status;
}

/* ---- Merge ------------------------------------------------------------------------------- */

static ink_status merge_drafts(inksql_state *into, const inksql_state *from, inksql_error *error)
{
    inksql_plan plan = {0};
    ink_error   failed;
    ink_status  status = INK_OK;

    if (into->draft == NULL) {
        status = inksql_plan_read(&plan, from->function, from->draft->text, from->draft->text_bytes,
                                  error);
        if (status == INK_OK)
            status = begin(into, &plan, from->key_type, error);
    }
    if (status == INK_OK &&
        ink_draft_merge(into->draft->draft, from->draft->draft, &failed) != INK_OK)
        status = draft_failed(into, &failed, error);
    return status;
}

static ink_status copy_sketch(inksql_state *into, const ink_sketch *sketch, ink_sketch **copy,
                              inksql_error *error)
{
    ink_error failed;

    if (ink_sketch_copy(copy, sketch, into->allocator, &failed) != INK_OK)
        return inksql_fail_as(error, into->function, &failed);
    return INK_OK;
}

static ink_status merge_entries(inksql_state *into, const inksql_entries *from, inksql_error *error)
{
    ink_status status = INK_OK;

    for (size_t i = 0; i < from->count && status == INK_OK; i++) {
        const entry    *e = &from->list[i];
        const ink_label label = {
            .group_kind = e->group_kind, .group = e->group, .group_bytes = e->group_bytes};
        ink_sketch *copy;
        status = copy_sketch(into, e->sketch, &copy, error);
        if (status == INK_OK)
            status = add_entry(into, copy, &label, error);
    }
    return status;
}

static ink_status merge_sketches(inksql_state *into, const inksql_state *from, inksql_error *error)
{
    const ink_merge_options options = {.parts = is_judged_whole(from->sketch)};
    ink_error               failed;

    if (into->sketch == NULL) {
        ink_status status = copy_sketch(into, from->sketch, &into->sketch, error);
        if (status != INK_OK)
            into->sketch = NULL;
        return status;
    }
    if (ink_sketch_merge(into->sketch, from->sketch, &options, &failed) != INK_OK)
        return inksql_fail_as(error, into->function, &failed);
    return INK_OK;
}

ink_status inksql_state_merge(inksql_state *into, const inksql_state *from, inksql_error *error)
{
    const bool empty = inksql_state_is_empty(into);

    if (inksql_state_is_empty(from))
        return INK_OK;
    if (!empty && into->function->kind != NULL && into->options != from->options)
        return inksql_fail(error, into->function, INK_USAGE,
                           "other options than in the row before, expected a constant text");
    if (!empty && into->function->kind != NULL && into->key_type != from->key_type)
        return inksql_mixed_types(into->function, into->key_type, error);
    ink_status status = add_pending(from, error);
    if (status == INK_OK)
        status = add_pending(into, error);
    if (status != INK_OK)
        return status;
    if (empty) {
        into->options = from->options;
        into->key_type = from->key_type;
    }
    if (from->entries != NULL)
        return merge_entries(into, from->entries, error);
    return from->draft != NULL ? merge_drafts(into, from, error)
                               : merge_sketches(into, from, error);
}

/* ---- Finish ------------------------------------------------------------------------------ */

static ink_status give_room(const inksql_state *state, const inksql_output *output, size_t bytes,
                            inksql_value *result, inksql_error *error)
{
    void *room = output->room(output->host, bytes);

    if (room == NULL)
        return no_memory(state, bytes, error);
    *result = (inksql_value){.type = INKSQL_BYTES, .data = room, .bytes = bytes};
    return INK_OK;
}

/* The bytes of a sketch after `before` bytes of something else. */
static ink_status put_sketch(const inksql_state *state, const ink_sketch *sketch, size_t before,
                             const inksql_output *output, inksql_value *result, inksql_error *error)
{
    ink_error failed;
    size_t    bytes;

    if (ink_sketch_encoded_bytes(sketch, &bytes, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    ink_status status = give_room(state, output, before + bytes, result, error);
    if (status != INK_OK)
        return status;
    if (ink_sketch_encode_to(sketch, (uint8_t *)(uintptr_t)result->data + before, bytes, &bytes,
                             &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    return INK_OK;
}

static ink_status put_entries(const inksql_state *state, size_t before, const inksql_output *output,
                              inksql_value *result, inksql_error *error)
{
    const inksql_entries *from = state->entries;
    const size_t          list_bytes = from->count * sizeof(ink_entry);
    ink_entry            *list = inksql_resize(state->allocator, NULL, 0, list_bytes);
    ink_contents          contents = {
                 .entries = list, .entry_count = from->count, .allocator = state->allocator};
    ink_error failed;
    uint8_t  *data;
    size_t    bytes;

    if (list == NULL)
        return no_memory(state, list_bytes, error);
    for (size_t i = 0; i < from->count; i++)
        list[i] = (ink_entry){.label = {.group_kind = from->list[i].group_kind,
                                        .group = from->list[i].group,
                                        .group_bytes = from->list[i].group_bytes},
                              .sketch = from->list[i].sketch};
    ink_status status = ink_contents_encode(&contents, &data, &bytes, &failed);
    inksql_give_back(state->allocator, list, list_bytes);
    if (status != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    status = give_room(state, output, before + bytes, result, error);
    if (status == INK_OK)
        memcpy((uint8_t *)(uintptr_t)result->data + before, data, bytes);
    ink_bytes_free(data, bytes, state->allocator);
    return status;
}

static ink_status put_draft(const inksql_state *state, const inksql_output *output,
                            inksql_value *result, inksql_error *error)
{
    ink_sketch *sketch;
    ink_error   failed;

    if (ink_draft_finish(&sketch, state->draft->draft, state->draft->headroom, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    ink_status status = put_sketch(state, sketch, 0, output, result, error);
    ink_sketch_free(sketch);
    return status;
}

static ink_status put_number(const inksql_state *state, inksql_value *result, inksql_error *error)
{
    ink_answer answer = {0};
    ink_error  failed;

    if (state->sketch != NULL && ink_sketch_distinct(state->sketch, 0, &answer, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    *result =
        (inksql_value){.type = INKSQL_INT, .whole = (int64_t)ink_nearest_whole(answer.estimate)};
    return INK_OK;
}

ink_status inksql_finish(const inksql_state *state, const inksql_output *output,
                         inksql_value *result, inksql_error *error)
{
    ink_status status = add_pending(state, error);

    *result = (inksql_value){0};
    if (status != INK_OK)
        return status;
    if (state->function->gives == INKSQL_GIVES_WHOLE)
        return put_number(state, result, error);
    if (inksql_state_is_empty(state))
        return INK_OK;
    if (state->entries != NULL)
        return put_entries(state, 0, output, result, error);
    if (state->draft != NULL)
        return put_draft(state, output, result, error);
    status = judge_union(state, error);
    return status != INK_OK ? status : put_sketch(state, state->sketch, 0, output, result, error);
}

/* ---- States of other processes ------------------------------------------------------------ */

/* What follows the first byte. */
enum { HOLDS_NOTHING, HOLDS_SKETCH, HOLDS_DRAFT, HOLDS_ENTRIES };

/* A state of keys: what it holds, the type of its keys, and the bytes of its options, and these. */
enum { HEAD_BYTES = 4 };

static ink_status encode_draft(const inksql_state *state, const inksql_output *output,
                               inksql_value *result, inksql_error *error)
{
    const inksql_draft *draft = state->draft;
    const size_t        before = HEAD_BYTES + draft->text_bytes;
    ink_error           failed;
    size_t              bytes;

    if (ink_draft_encoded_bytes(draft->draft, &bytes, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    ink_status status = give_room(state, output, before + bytes, result, error);
    if (status != INK_OK)
        return status;
    uint8_t *to = (uint8_t *)(uintptr_t)result->data;
    memcpy(to + HEAD_BYTES, draft->text, draft->text_bytes);
    if (ink_draft_encode_to(draft->draft, to + before, bytes, &bytes, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    result->bytes = before + bytes;
    return INK_OK;
}

ink_status inksql_state_encode(const inksql_state *state, const inksql_output *output,
                               inksql_value *result, inksql_error *error)
{
    const size_t text_bytes = state->draft == NULL ? 0 : state->draft->text_bytes;
    uint8_t      holds = HOLDS_NOTHING;
    ink_status   status = add_pending(state, error);

    if (status != INK_OK)
        return status;
    if (state->draft != NULL) {
        holds = HOLDS_DRAFT;
        status = encode_draft(state, output, result, error);
    } else if (state->entries != NULL) {
        holds = HOLDS_ENTRIES;
        status = put_entries(state, HEAD_BYTES + sizeof state->options, output, result, error);
    } else if (state->sketch != NULL) {
        holds = HOLDS_SKETCH;
        status = put_sketch(state, state->sketch, HEAD_BYTES + sizeof state->options, output,
                            result, error);
    } else
        status = give_room(state, output, HEAD_BYTES, result, error);
    if (status != INK_OK)
        return status;
    uint8_t *to = (uint8_t *)(uintptr_t)result->data;
    to[0] = holds;
    to[1] = (uint8_t)state->key_type;
    to[2] = (uint8_t)text_bytes;
    to[3] = (uint8_t)(text_bytes >> 8);
    if (holds == HOLDS_SKETCH || holds == HOLDS_ENTRIES)
        memcpy(to + HEAD_BYTES, &state->options, sizeof state->options);
    return INK_OK;
}

/* Takes the entries of a file. */
static ink_status decode_entries(inksql_state *state, const void *data, size_t bytes,
                                 inksql_error *error)
{
    ink_file  *file;
    ink_error  failed;
    ink_status status = INK_OK;

    if (ink_file_decode(&file, data, bytes, INK_OPEN_COPY, state->allocator, &failed) != INK_OK)
        return inksql_fail_as(error, state->function, &failed);
    for (size_t i = 0; i < ink_file_count(file) && status == INK_OK; i++) {
        ink_entry_info info;
        ink_sketch    *sketch;
        if (ink_file_entry(file, i, &info, &failed) != INK_OK ||
            ink_file_sketch(file, i, &sketch, &failed) != INK_OK)
            status = inksql_fail_as(error, state->function, &failed);
        else
            status = add_entry(state, sketch, &info.label, error);
    }
    ink_file_close(file);
    return status;
}

/* Begins a draft of these options, and puts the decoded one into it. */
static ink_status decode_draft(inksql_state *state, const char *text, size_t text_bytes,
                               const void *data, size_t bytes, inksql_error *error)
{
    inksql_plan plan = {0};
    ink_draft  *draft;
    ink_error   failed;
    ink_status  status = inksql_plan_read(&plan, state->function, text, text_bytes, error);

    if (status == INK_OK && !plan.drafts)
        status = inksql_fail(error, state->function, INK_FORMAT, "a state of other options");
    if (status == INK_OK)
        status = begin(state, &plan, state->key_type, error);
    if (status != INK_OK)
        return status;
    if (ink_draft_decode(&draft, data, bytes, plan.limit_bytes, state->allocator, &failed) !=
        INK_OK)
        return draft_failed(state, &failed, error);
    /* Checks that both are of one kind and rule. */
    if (ink_draft_merge(draft, state->draft->draft, &failed) != INK_OK) {
        ink_draft_free(draft);
        return draft_failed(state, &failed, error);
    }
    ink_draft_free(state->draft->draft);
    state->draft->draft = draft;
    return INK_OK;
}

static ink_status decode_sketch(inksql_state *state, const void *data, size_t bytes,
                                inksql_error *error)
{
    const char *kind = state->function->kind;
    ink_error   failed;

    if (ink_sketch_decode(&state->sketch, data, bytes, state->allocator, &failed) != INK_OK) {
        state->sketch = NULL;
        return inksql_fail_as(error, state->function, &failed);
    }
    if (kind != NULL && strcmp(ink_sketch_kind(state->sketch), kind) != 0)
        return inksql_fail(error, state->function, INK_FORMAT, "a state of kind %s",
                           ink_sketch_kind(state->sketch));
    return INK_OK;
}

static ink_status decode(inksql_state *state, const uint8_t *data, size_t bytes,
                         inksql_error *error)
{
    const size_t text_bytes = bytes < HEAD_BYTES ? 0 : data[2] + (size_t)data[3] * 256;
    const size_t before = HEAD_BYTES + sizeof state->options;
    const bool   of_keys = state->function->kind != NULL;

    if (bytes < HEAD_BYTES || data[1] > INK_KEY_INT)
        return inksql_fail(error, state->function, INK_FORMAT, "a state of %zu bytes", bytes);
    if (data[0] == HOLDS_NOTHING && bytes == HEAD_BYTES)
        return INK_OK;
    state->key_type = (ink_key_type)data[1];
    if (data[0] == HOLDS_DRAFT && of_keys && text_bytes <= bytes - HEAD_BYTES)
        return decode_draft(state, (const char *)data + HEAD_BYTES, text_bytes,
                            data + HEAD_BYTES + text_bytes, bytes - HEAD_BYTES - text_bytes, error);
    if (bytes >= before && text_bytes == 0) {
        memcpy(&state->options, data + HEAD_BYTES, sizeof state->options);
        if (data[0] == HOLDS_SKETCH && state->function->id != INKSQL_FILE)
            return decode_sketch(state, data + before, bytes - before, error);
        if (data[0] == HOLDS_ENTRIES && state->function->id == INKSQL_FILE)
            return decode_entries(state, data + before, bytes - before, error);
    }
    return inksql_fail(error, state->function, INK_FORMAT, "a state that is none of this function");
}

ink_status inksql_state_decode(inksql_state *state, const void *data, size_t bytes,
                               inksql_error *error)
{
    ink_status status = decode(state, data, bytes, error);

    if (status != INK_OK)
        inksql_state_free(state);
    return status;
}
