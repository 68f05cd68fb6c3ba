/* value.c - see value.h. */
#include "value.h"

#include "words.h"

#include <string.h>

enum { KINDS_MAX = 16, HALF_WORDS = 3 };

static kind     kinds[KINDS_MAX];
static uint64_t generation;

void value_kinds(void)
{
    for (size_t i = 0; i < KINDS_MAX && ink_kind_name(i) != NULL; i++) {
        kinds[i].name = ink_kind_name(i);
        if (ink_kind_describe(kinds[i].name, &kinds[i].can, NULL) != INK_OK)
            kinds[i].name = NULL;
    }
}

static const kind *kind_of(const ink_sketch *sketch)
{
    const char *name = ink_sketch_kind(sketch);

    for (size_t i = 0; i < KINDS_MAX; i++)
        if (kinds[i].name != NULL && strcmp(kinds[i].name, name) == 0)
            return &kinds[i];
    return NULL;
}

/* ---- Bodies ------------------------------------------------------------------------------- */

body *body_create(void)
{
    body *made = RM_TryAlloc(sizeof *made);

    if (made != NULL)
        *made = (body){.users = 1};
    return made;
}

body *body_hold(body *held)
{
    atomic_fetch_add(&held->users, 1);
    return held;
}

void body_forget(body *of)
{
    memory_give(&of->memory, of->bytes);
    of->bytes = NULL;
    of->total = of->arrived = 0;
}

void body_release(body *held)
{
    if (held == NULL || atomic_fetch_sub(&held->users, 1) != 1)
        return;
    ink_sketch_free(held->sketch);
    body_forget(held);
    RM_Free(held);
}

/* ---- Values ------------------------------------------------------------------------------- */

value *value_create(family of)
{
    value *made = RM_TryAlloc(sizeof *made);

    if (made == NULL)
        return NULL;
    *made = (value){.body = body_create(), .set = {.family = of}};
    if (made->body == NULL) {
        RM_Free(made);
        return NULL;
    }
    value_changed(made);
    return made;
}

void value_free(value *v)
{
    if (v == NULL)
        return;
    heap_free(v->heap, &v->body->memory);
    body_release(v->body);
    RM_Free(v);
}

void value_take(value *v, ink_sketch *sketch)
{
    ink_description is;

    ink_sketch_describe(sketch, &is);
    v->body->sketch = sketch;
    v->kind = kind_of(sketch);
    v->ints = is.key_type == INK_KEY_INT;
    v->items = is.records;
}

void value_recount(value *v)
{
    ink_description is;

    ink_sketch_describe(v->body->sketch, &is);
    v->items = is.records;
}

ink_status value_no_memory(ink_error *error)
{
    *error = (ink_error){.status = INK_MEMORY, .message = "no memory"};
    return INK_MEMORY;
}

ink_status value_make(value **made, family of, const ink_params *params, ink_error *error)
{
    value      *v = value_create(of);
    ink_sketch *sketch;

    if (v == NULL)
        return value_no_memory(error);
    const ink_allocator memory = memory_of(&v->body->memory);
    const ink_status    status = ink_sketch_create(&sketch, params, &memory, error);
    if (status != INK_OK) {
        value_free(v);
        return status;
    }
    value_take(v, sketch);
    *made = v;
    return INK_OK;
}

static ink_status copy_half(value *v, const body *from, ink_error *error)
{
    body *to = v->body;

    to->bytes = memory_zeroed(&to->memory, from->total);
    if (to->bytes == NULL)
        return value_no_memory(error);
    memcpy(to->bytes, from->bytes, from->arrived);
    to->total = from->total;
    to->arrived = from->arrived;
    to->foreign = from->foreign;
    return INK_OK;
}

static ink_status copy_parts(value *v, const value *from, ink_error *error)
{
    const ink_allocator memory = memory_of(&v->body->memory);
    ink_sketch         *sketch;

    if (from->heap != NULL && (v->heap = heap_copy(from->heap, &v->body->memory)) == NULL)
        return value_no_memory(error);
    if (from->body->sketch == NULL)
        return copy_half(v, from->body, error);
    const ink_status status = ink_sketch_copy(&sketch, from->body->sketch, &memory, error);
    if (status != INK_OK)
        return status;
    value_take(v, sketch);
    v->items = from->items;
    return INK_OK;
}

ink_status value_copy(value **made, const value *from, ink_error *error)
{
    value *v = value_create(FAMILY_NATIVE);

    if (v == NULL)
        return value_no_memory(error);
    v->set = from->set;
    const ink_status status = copy_parts(v, from, error);
    if (status != INK_OK) {
        value_free(v);
        return status;
    }
    *made = v;
    return INK_OK;
}

void value_swap(value *a, value *b)
{
    const value was = *a;

    *a = *b;
    *b = was;
    value_changed(a);
}

/* Milliseconds make generations of one run and of the next differ. */
void value_changed(value *v)
{
    if (generation == 0)
        generation = (uint64_t)RM_Milliseconds() << 12;
    v->generation = ++generation;
    if (v->body->bytes != NULL && v->body->sketch != NULL)
        body_forget(v->body);
}

size_t value_memory(const value *v)
{
    /* MallocSize reads the block's size and changes nothing. */
    return RM_MallocSize((void *)(uintptr_t)v) + RM_MallocSize(v->body) +
           atomic_load(&v->body->memory.bytes);
}

/* ---- The head ----------------------------------------------------------------------------- */

/* Words: how many bytes; settings; how many bytes of a half value, have come, and whether they are
 * foreign; heap. */
size_t value_head_bytes(const value *v)
{
    return 8 * (1 + SETTINGS_WORDS + HALF_WORDS) + heap_bytes(v->heap);
}

void value_head_write(const value *v, uint8_t *to)
{
    const bool half = v->body->sketch == NULL;
    uint64_t   words[SETTINGS_WORDS];

    memcpy(words, &v->set, sizeof words);
    put_word(&to, value_head_bytes(v));
    for (int i = 0; i < SETTINGS_WORDS; i++)
        put_word(&to, words[i]);
    put_word(&to, half ? v->body->total : 0);
    put_word(&to, half ? v->body->arrived : 0);
    put_word(&to, half && v->body->foreign);
    heap_write(v->heap, to);
}

bool value_head_read(value *v, const uint8_t *bytes, size_t count)
{
    const uint8_t *from = bytes, *end = bytes + count;
    uint64_t       length, words[SETTINGS_WORDS], half[HALF_WORDS];

    if (!get_word(&from, end, &length) || length > count)
        return false;
    end = bytes + length;
    for (int i = 0; i < SETTINGS_WORDS; i++)
        if (!get_word(&from, end, &words[i]))
            return false;
    for (int i = 0; i < HALF_WORDS; i++)
        if (!get_word(&from, end, &half[i]))
            return false;
    memcpy(&v->set, words, sizeof words);
    v->body->total = half[0];
    v->body->arrived = half[1];
    v->body->foreign = half[2] != 0;
    return v->set.family < FAMILIES && half[1] <= half[0] &&
           heap_read(&v->heap, from, (size_t)(end - from), &v->body->memory);
}

_Static_assert(sizeof(settings) == 8 * SETTINGS_WORDS, "settings are words");

static const char *const family_kinds[FAMILIES][4] = {
    [FAMILY_BLOOM] = {"bloom", "classic", "scalable"},
    [FAMILY_COUNTS] = {"count-min"},
    [FAMILY_TOP] = {"top"},
    [FAMILY_CUCKOO] = {"counting"},
};

static bool has_kind(const value *v, family of)
{
    for (int i = 0; family_kinds[of][i] != NULL; i++)
        if (strcmp(family_kinds[of][i], v->kind->name) == 0)
            return !v->ints;
    return of == FAMILY_NATIVE;
}

bool value_serves(const value *v, family of)
{
    return v->kind != NULL && of != FAMILY_TOP && has_kind(v, of) &&
           (v->set.family == FAMILY_NATIVE || of == FAMILY_NATIVE);
}

bool value_fits(const value *v)
{
    const bool heaped = v->set.family == FAMILY_TOP;

    if (v->body->sketch == NULL)
        return true; /* looked at again when it is whole */
    return v->kind != NULL && has_kind(v, (family)v->set.family) && (v->heap != NULL) == heaped &&
           (!heaped || heap_room(v->heap) == v->set.k);
}

ink_status body_encode(const body *of, uint8_t **bytes, size_t *count, ink_error *error)
{
    memory_writes_out(true);
    const ink_status status = ink_sketch_encode(of->sketch, bytes, count, error);
    memory_writes_out(false);
    return status;
}
