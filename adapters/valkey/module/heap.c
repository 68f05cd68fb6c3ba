/* heap.c - see heap.h. */
#include "heap.h"

#include "words.h"

#include <stdlib.h>
#include <string.h>

struct heap {
    uint64_t   room, changes;
    uint64_t  *hashes; /* of the keys, to find one quickly; 0: empty */
    heap_slot *slots;
};

static uint64_t hash_of(const char *key, size_t bytes)
{
    uint64_t hash = 0xcbf29ce484222325u ^ bytes;

    for (; bytes >= 8; key += 8, bytes -= 8) {
        uint64_t word;
        memcpy(&word, key, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 29;
    }
    for (; bytes != 0; bytes--)
        hash = (hash ^ (uint8_t)*key++) * 0x100000001b3u;
    return hash | 1;
}

heap *heap_create(uint64_t room, account *memory)
{
    const size_t each = sizeof(heap_slot) + sizeof(uint64_t);

    if (room > SIZE_MAX / 2 / each)
        return NULL;
    heap *made = memory_zeroed(memory, sizeof *made + room * each);
    if (made == NULL)
        return NULL;
    made->room = room;
    made->slots = (heap_slot *)(made + 1);
    made->hashes = (uint64_t *)(made->slots + room);
    return made;
}

void heap_free(heap *of, account *memory)
{
    if (of == NULL)
        return;
    for (uint64_t i = 0; i < of->room; i++)
        heap_give(&of->slots[i], memory);
    memory_give(memory, of);
}

void heap_give(heap_slot *slot, account *memory)
{
    if (slot->bytes > HEAP_NEAR)
        memory_give(memory, slot->key.far);
}

static bool is_empty(const heap *of, uint64_t at)
{
    return of->hashes[at] == 0;
}

/* Puts a key with this hash into a slot, whose old one the caller has. */
static bool put(heap *to, uint64_t at, uint64_t hash, const char *key, size_t bytes,
                account *memory)
{
    heap_slot slot = {.bytes = bytes};

    if (bytes > HEAP_NEAR && (slot.key.far = memory_take(memory, bytes)) == NULL)
        return false;
    memcpy(bytes <= HEAP_NEAR ? slot.key.near : slot.key.far, key, bytes);
    to->slots[at] = slot;
    to->hashes[at] = hash;
    return true;
}

heap *heap_copy(const heap *from, account *memory)
{
    heap *made = heap_create(from->room, memory);

    if (made == NULL)
        return NULL;
    made->changes = from->changes;
    for (uint64_t i = 0; i < from->room; i++) {
        const heap_slot *slot = &from->slots[i];
        if (is_empty(from, i))
            continue;
        if (!put(made, i, from->hashes[i], heap_key(slot), slot->bytes, memory)) {
            heap_free(made, memory);
            return NULL;
        }
        made->slots[i].count = slot->count;
        made->slots[i].since = slot->since;
    }
    return made;
}

uint64_t heap_room(const heap *of)
{
    return of->room;
}

/* The slot of a key, or the room. */
static uint64_t find(const heap *of, uint64_t hash, const char *key, size_t bytes)
{
    for (uint64_t i = 0; i < of->room; i++)
        if (of->hashes[i] == hash && of->slots[i].bytes == bytes &&
            memcmp(heap_key(&of->slots[i]), key, bytes) == 0)
            return i;
    return of->room;
}

bool heap_has(const heap *of, const char *key, size_t bytes)
{
    return find(of, hash_of(key, bytes), key, bytes) != of->room;
}

static void swap(heap *of, uint64_t a, uint64_t b)
{
    const heap_slot slot = of->slots[a];
    const uint64_t  hash = of->hashes[a];

    of->slots[a] = of->slots[b];
    of->hashes[a] = of->hashes[b];
    of->slots[b] = slot;
    of->hashes[b] = hash;
}

/* The smaller child goes up, of equal ones the left one, also if it is equal to its parent. */
static void sift_down(heap *of, uint64_t at)
{
    for (uint64_t child; (child = 2 * at + 1) < of->room; at = child) {
        if (child + 1 < of->room && of->slots[child + 1].count < of->slots[child].count)
            child++;
        if (of->slots[child].count > of->slots[at].count)
            return;
        swap(of, child, at);
    }
}

heap_result heap_offer(heap *of, const char *key, size_t bytes, uint64_t count, account *memory,
                       heap_slot *expelled)
{
    const uint64_t hash = hash_of(key, bytes);
    uint64_t       at = find(of, hash, key, bytes);
    heap_result    result = HEAP_TAKEN;

    if (at == of->room) {
        if (count < of->slots[0].count)
            return HEAP_TAKEN;
        *expelled = of->slots[0];
        result = is_empty(of, 0) ? HEAP_TAKEN : HEAP_EXPELLED;
        if (!put(of, at = 0, hash, key, bytes, memory))
            return HEAP_NO_MEMORY;
    }
    of->slots[at].count = count;
    of->slots[at].since = ++of->changes;
    sift_down(of, at);
    return result;
}

static int before(const void *left, const void *right)
{
    const heap_slot *a = *(const heap_slot *const *)left, *b = *(const heap_slot *const *)right;

    if (a->count != b->count)
        return a->count < b->count ? 1 : -1;
    return a->since < b->since ? -1 : 1;
}

uint64_t heap_list(const heap *of, const heap_slot **slots)
{
    uint64_t count = 0;

    for (uint64_t i = 0; i < of->room; i++)
        if (!is_empty(of, i))
            slots[count++] = &of->slots[i];
    qsort(slots, count, sizeof *slots, before);
    return count;
}

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Numbers of eight bytes: room, changes; of each slot 1 + the length or 0 for an empty one, count,
 * since, and the key. */
size_t heap_bytes(const heap *of)
{
    size_t bytes = of == NULL ? 0 : 2 * WORD;

    for (uint64_t i = 0; of != NULL && i < of->room; i++)
        bytes += WORD + (is_empty(of, i) ? 0 : 2 * WORD + of->slots[i].bytes);
    return bytes;
}

void heap_write(const heap *of, uint8_t *to)
{
    if (of == NULL)
        return;
    put_word(&to, of->room);
    put_word(&to, of->changes);
    for (uint64_t i = 0; i < of->room; i++) {
        const heap_slot *slot = &of->slots[i];
        put_word(&to, is_empty(of, i) ? 0 : slot->bytes + 1);
        if (is_empty(of, i))
            continue;
        put_word(&to, slot->count);
        put_word(&to, slot->since);
        memcpy(to, heap_key(slot), slot->bytes);
        to += slot->bytes;
    }
}

static bool read_slot(heap *of, uint64_t at, const uint8_t **from, const uint8_t *end,
                      account *memory)
{
    uint64_t length, count, since;

    if (!get_word(from, end, &length))
        return false;
    if (length == 0)
        return true;
    if (!get_word(from, end, &count) || !get_word(from, end, &since) ||
        length - 1 > (uint64_t)(end - *from) || since > of->changes ||
        !put(of, at, hash_of((const char *)*from, length - 1), (const char *)*from, length - 1,
             memory))
        return false;
    of->slots[at].count = count;
    of->slots[at].since = since;
    *from += length - 1;
    return true;
}

bool heap_read(heap **made, const uint8_t *bytes, size_t count, account *memory)
{
    const uint8_t *from = bytes, *end = bytes + count;
    uint64_t       room, changes;
    bool           good = true;

    *made = NULL;
    if (count == 0)
        return true;
    if (!get_word(&from, end, &room) || !get_word(&from, end, &changes) || room == 0 ||
        room > count / WORD)
        return false;
    heap *of = heap_create(room, memory);
    if (of == NULL)
        return false;
    of->changes = changes;
    for (uint64_t i = 0; good && i < room; i++)
        good = read_slot(of, i, &from, end, memory);
    for (uint64_t i = 1; good && i < room; i++)
        good = of->slots[i].count >= of->slots[(i - 1) / 2].count;
    if (!good) {
        heap_free(of, memory);
        return false;
    }
    *made = of;
    return true;
}
