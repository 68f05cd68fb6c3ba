/* opened.c - sketches that were opened for questions: checked copies, found again by what
 * identifies their bytes, or their file.
 *
 * Bytes are never asked where they stand, since those of the next row may be others at the same
 * place: they lead to a copy that was checked as a whole.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "opened.h"

#include "keys.h"
#include "memory.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>

/* The last ones are kept, and of those after the first as many as have no more memory than this. */
enum { KEPT = 4, KEPT_BYTES = 64 << 20 };

enum { PATH_BYTES = 4096, AT_ONCE = 256 };

/* What a file is as long as it does not change. */
typedef struct file_state {
    uint64_t device, inode, size;
    int64_t  changed[4]; /* its content and its inode: seconds, nanoseconds */
} file_state;

struct inksql_opened {
    atomic_uint   references;
    ink_allocator allocator;
    bool          has_allocator;
    ink_sketch   *sketch;
    ink_key_type  key_type;
    bool          keyed;
    bool          of_file;
    uint8_t       identity[INK_DIGEST_BYTES]; /* of bytes ... */
    file_state    file;                       /* ... or of a file, which has a path */
    size_t        bytes;                      /* of the value, or of the path */
    char          path[];
};

struct inksql_cache {
    const ink_allocator *allocator;
    inksql_opened       *kept[KEPT]; /* the last one that was asked first */
};

const ink_sketch *inksql_sketch(const inksql_opened *opened)
{
    return opened->sketch;
}

static size_t size_of(const inksql_opened *opened)
{
    return sizeof *opened + (opened->of_file ? opened->bytes : 0);
}

void inksql_retain(inksql_opened *opened)
{
    atomic_fetch_add(&opened->references, 1);
}

void inksql_release(inksql_opened *opened)
{
    if (opened == NULL || atomic_fetch_sub(&opened->references, 1) != 1)
        return;
    const ink_allocator allocator = opened->allocator;
    const bool          has_allocator = opened->has_allocator;
    ink_sketch_free(opened->sketch);
    inksql_give_back(has_allocator ? &allocator : NULL, opened, size_of(opened));
}

inksql_cache *inksql_cache_create(const ink_allocator *allocator)
{
    inksql_cache *cache = inksql_resize(allocator, NULL, 0, sizeof *cache);

    if (cache != NULL)
        *cache = (inksql_cache){.allocator = allocator};
    return cache;
}

void inksql_cache_free(inksql_cache *cache)
{
    if (cache == NULL)
        return;
    for (size_t i = 0; i < KEPT; i++)
        inksql_release(cache->kept[i]);
    inksql_give_back(cache->allocator, cache, sizeof *cache);
}

/* Puts one that is kept, or new in place of the last one, before the others. */
static void keep_first(inksql_cache *cache, size_t from, inksql_opened *opened)
{
    memmove(cache->kept + 1, cache->kept, from * sizeof *cache->kept);
    cache->kept[0] = opened;
}

static void keep_new(inksql_cache *cache, inksql_opened *opened)
{
    uint64_t bytes = 0;

    inksql_retain(opened);
    inksql_release(cache->kept[KEPT - 1]);
    keep_first(cache, KEPT - 1, opened);
    for (size_t i = 1; i < KEPT && cache->kept[i] != NULL; i++) {
        bytes += ink_sketch_memory(cache->kept[i]->sketch);
        if (bytes <= KEPT_BYTES)
            continue;
        for (; i < KEPT; i++) {
            inksql_release(cache->kept[i]);
            cache->kept[i] = NULL;
        }
    }
}

static inksql_opened *take_kept(inksql_cache *cache, size_t at)
{
    inksql_opened *found = cache->kept[at];

    inksql_retain(found);
    keep_first(cache, at, found);
    return found;
}

/* Takes the sketch over, also on failure, which there is for want of memory alone. */
static ink_status make_opened(const inksql_cache *cache, const inksql_function *function,
                              ink_sketch *sketch, const char *path, size_t bytes,
                              inksql_opened **opened, inksql_error *error)
{
    const size_t    room = sizeof **opened + (path == NULL ? 0 : bytes);
    inksql_opened  *made = inksql_resize(cache->allocator, NULL, 0, room);
    ink_description described;

    if (made == NULL) {
        ink_sketch_free(sketch);
        return inksql_fail(error, function, INK_MEMORY, "no memory for %zu bytes", room);
    }
    ink_sketch_describe(sketch, &described);
    memset(made, 0, sizeof *made);
    made->sketch = sketch;
    made->key_type = described.key_type;
    made->keyed = described.keyed;
    made->bytes = bytes;
    made->of_file = path != NULL;
    made->has_allocator = cache->allocator != NULL;
    if (made->has_allocator)
        made->allocator = *cache->allocator;
    if (path != NULL)
        memcpy(made->path, path, bytes);
    atomic_init(&made->references, 1);
    *opened = made;
    return INK_OK;
}

ink_status inksql_cache_value(inksql_cache *cache, const inksql_function *function,
                              const void *data, size_t bytes, inksql_opened **opened,
                              inksql_error *error)
{
    uint8_t     identity[INK_DIGEST_BYTES];
    ink_error   failed;
    ink_sketch *sketch;

    if (ink_identity(data, bytes, identity, &failed) != INK_OK)
        return inksql_fail_as(error, function, &failed);
    for (size_t i = 0; i < KEPT && cache->kept[i] != NULL; i++) {
        const inksql_opened *kept = cache->kept[i];
        if (!kept->of_file && kept->bytes == bytes &&
            memcmp(kept->identity, identity, sizeof identity) == 0) {
            *opened = take_kept(cache, i);
            return INK_OK;
        }
    }
    if (ink_sketch_decode(&sketch, data, bytes, cache->allocator, &failed) != INK_OK)
        return inksql_fail_as(error, function, &failed);
    ink_status status = make_opened(cache, function, sketch, NULL, bytes, opened, error);
    if (status != INK_OK)
        return status;
    memcpy((*opened)->identity, identity, sizeof identity);
    keep_new(cache, *opened);
    return INK_OK;
}

static ink_status look_at_file(const inksql_function *function, const char *path, file_state *file,
                               inksql_error *error)
{
    struct stat status;

    if (stat(path, &status) != 0)
        return inksql_fail(error, function, INK_IO, "%s: %s", path, strerror(errno));
    *file = (file_state){.device = (uint64_t)status.st_dev,
                         .inode = (uint64_t)status.st_ino,
                         .size = (uint64_t)status.st_size,
                         .changed = {status.st_mtim.tv_sec, status.st_mtim.tv_nsec,
                                     status.st_ctim.tv_sec, status.st_ctim.tv_nsec}};
    return INK_OK;
}

/* Loads a file; `path` ends with a NUL. Its state was looked at before, so that a change meanwhile
 * is seen by the next lookup. */
static ink_status open_file(inksql_cache *cache, const inksql_function *function, const char *path,
                            const file_state *file, inksql_opened **opened, inksql_error *error)
{
    ink_sketch  *sketch;
    ink_error    failed;
    inksql_error described;

    if (ink_sketch_load(&sketch, path, cache->allocator, &failed) != INK_OK) {
        inksql_fail_as(&described, function, &failed);
        return inksql_fail_in_file(error, function, path, strlen(path), &described);
    }
    ink_status status = make_opened(cache, function, sketch, path, strlen(path), opened, error);
    if (status != INK_OK)
        return status;
    (*opened)->file = *file;
    keep_new(cache, *opened);
    return INK_OK;
}

ink_status inksql_cache_file(inksql_cache *cache, const inksql_function *function, const char *path,
                             size_t bytes, inksql_opened **opened, inksql_error *error)
{
    char       named[PATH_BYTES];
    file_state file;

    if (bytes == 0 || bytes >= sizeof named || memchr(path, '\0', bytes) != NULL)
        return inksql_fail(error, function, INK_USAGE,
                           "a path of %zu bytes, expected 1 to %d, and no NUL", bytes,
                           PATH_BYTES - 1);
    memcpy(named, path, bytes);
    named[bytes] = '\0';
    ink_status status = look_at_file(function, named, &file, error);
    if (status != INK_OK)
        return status;
    for (size_t i = 0; i < KEPT && cache->kept[i] != NULL; i++) {
        const inksql_opened *kept = cache->kept[i];
        if (kept->of_file && kept->bytes == bytes && memcmp(kept->path, path, bytes) == 0 &&
            memcmp(&kept->file, &file, sizeof file) == 0) {
            *opened = take_kept(cache, i);
            return INK_OK;
        }
    }
    return open_file(cache, function, named, &file, opened, error);
}

/* ---- Ask --------------------------------------------------------------------------------- */

static ink_status check_ask(const inksql_function *function, const inksql_opened *opened,
                            ink_key_type type, inksql_error *error)
{
    if (opened->keyed)
        return inksql_fail(error, function, INK_UNSUPPORTED,
                           "a keyed sketch, which SQL does not ask, since its secret would stand "
                           "in logs; ask it with ink or in a program");
    if (opened->key_type != type)
        return inksql_mixed_types(function, opened->key_type, error);
    return INK_OK;
}

ink_status inksql_contains_each(const inksql_function *function, const inksql_opened *opened,
                                const ink_batch *batch, uint8_t *answers, inksql_error *error)
{
    const ink_key_type type = batch->ints != NULL ? INK_KEY_INT : INK_KEY_BYTES;
    ink_error          failed;
    ink_status         status = INK_OK;

    if (batch->count > 0)
        status = check_ask(function, opened, type, error);
    if (status == INK_OK &&
        ink_sketch_contains_batch(opened->sketch, batch, answers, &failed) != INK_OK)
        status = inksql_fail_as(error, function, &failed);
    return status;
}

/* Numbers are never negative. */
int64_t inksql_whole(const ink_answer *answer, inksql_bound bound)
{
    uint64_t whole = ink_nearest_whole(answer->estimate);

    if (bound != INKSQL_ESTIMATE) {
        const double real = bound == INKSQL_LOW ? answer->low : answer->high;
        whole = real < 0x1p63 ? (uint64_t)real : UINT64_MAX;
        whole += bound == INKSQL_HIGH && real < 0x1p53 && (double)whole < real;
    }
    return whole > INT64_MAX ? INT64_MAX : (int64_t)whole;
}

static inksql_bound bound_of(const inksql_function *function)
{
    return function->id == INKSQL_COUNT_LOW    ? INKSQL_LOW
           : function->id == INKSQL_COUNT_HIGH ? INKSQL_HIGH
                                               : INKSQL_ESTIMATE;
}

static ink_batch part_of(const ink_batch *batch, size_t from)
{
    ink_batch part = *batch;

    part.count = batch->count - from < AT_ONCE ? batch->count - from : AT_ONCE;
    part.ints = batch->ints == NULL ? NULL : batch->ints + from;
    part.keys = batch->keys == NULL ? NULL : batch->keys + from;
    part.offsets = batch->offsets == NULL ? NULL : batch->offsets + from;
    part.ends = batch->ends == NULL ? NULL : batch->ends + from;
    return part;
}

ink_status inksql_count_each(const inksql_function *function, const inksql_opened *opened,
                             const ink_batch *batch, int64_t *numbers, inksql_error *error)
{
    const ink_key_type type = batch->ints != NULL ? INK_KEY_INT : INK_KEY_BYTES;
    const inksql_bound bound = bound_of(function);
    ink_answer         answers[AT_ONCE];
    ink_error          failed;
    ink_status         status = INK_OK;

    if (batch->count > 0)
        status = check_ask(function, opened, type, error);
    for (size_t from = 0; from < batch->count && status == INK_OK; from += AT_ONCE) {
        const ink_batch part = part_of(batch, from);
        if (ink_sketch_count_batch(opened->sketch, &part, answers, &failed) != INK_OK)
            return inksql_fail_as(error, function, &failed);
        for (size_t i = 0; i < part.count; i++)
            numbers[from + i] = inksql_whole(&answers[i], bound);
    }
    return status;
}

ink_status inksql_ask(const inksql_function *function, const inksql_opened *opened,
                      const inksql_value *key, inksql_value *result, inksql_error *error)
{
    const bool      is_int = inksql_is_int(key);
    const ink_key   bytes = {key->data, key->bytes};
    const ink_batch one = {
        .count = 1, .ints = is_int ? &key->whole : NULL, .keys = is_int ? NULL : &bytes};
    uint8_t    answer;
    ink_status status = inksql_check_key(function, key, error);

    if (status != INK_OK)
        return status;
    if (function->gives == INKSQL_GIVES_WHOLE) {
        *result = (inksql_value){.type = INKSQL_INT};
        return inksql_count_each(function, opened, &one, &result->whole, error);
    }
    *result = (inksql_value){.type = INKSQL_BOOLEAN};
    if (!opened->keyed && (opened->key_type == INK_KEY_INT) == is_int) {
        int maybe = is_int ? ink_sketch_maybe_int(opened->sketch, key->whole)
                           : ink_sketch_maybe(opened->sketch, key->data, key->bytes);
        if (maybe >= 0) {
            result->whole = maybe;
            return INK_OK;
        }
    }
    status = inksql_contains_each(function, opened, &one, &answer, error);
    if (status == INK_OK)
        result->whole = answer;
    return status;
}
