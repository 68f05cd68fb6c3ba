/* shell.c - what the extension keeps for a database: the memory of its states, and sketches that
 * were opened.
 *
 * DuckDB's own limit does not see this memory, so it has one of its own.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#include "shell.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- Memory ------------------------------------------------------------------------------ */

static void *resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    duck_shell *shell = host;

    if (new_bytes > old_bytes) {
        const size_t more = new_bytes - old_bytes;
        const size_t before = atomic_fetch_add(&shell->memory, more);
        void        *made = before > shell->memory_limit || more > shell->memory_limit - before
                                ? NULL
                                : realloc(block, new_bytes);
        if (made == NULL)
            atomic_fetch_sub(&shell->memory, more);
        return made;
    }
    void *made = NULL;
    if (new_bytes == 0)
        free(block);
    else if ((made = realloc(block, new_bytes)) == NULL)
        return NULL;
    atomic_fetch_sub(&shell->memory, old_bytes - new_bytes);
    return made;
}

duck_shell *duck_shell_create(size_t memory_limit)
{
    duck_shell *shell = calloc(1, sizeof *shell);

    if (shell == NULL)
        return NULL;
    atomic_init(&shell->references, 1);
    shell->memory_limit = memory_limit;
    shell->allocator = (ink_allocator){.resize = resize, .host = shell};
    pthread_mutex_init(&shell->lock, NULL);
    for (size_t i = 0; i < DUCK_LOCKS; i++)
        pthread_mutex_init(&shell->sources[i], NULL);
    shell->cache = inksql_cache_create(&shell->allocator);
    if (shell->cache == NULL) {
        duck_shell_release(shell);
        return NULL;
    }
    return shell;
}

void duck_shell_release(duck_shell *shell)
{
    if (atomic_fetch_sub(&shell->references, 1) != 1)
        return;
    for (size_t i = 0; i < DUCK_FILES; i++)
        inksql_release(shell->files[i].opened);
    inksql_cache_free(shell->cache);
    for (size_t i = 0; i < DUCK_LOCKS; i++)
        pthread_mutex_destroy(&shell->sources[i]);
    pthread_mutex_destroy(&shell->lock);
    free(shell);
}

duck_registered *duck_register(duck_shell *shell, const inksql_function *function)
{
    duck_registered *registered = malloc(sizeof *registered);

    if (registered == NULL)
        return NULL;
    *registered = (duck_registered){function, shell};
    atomic_fetch_add(&shell->references, 1);
    return registered;
}

void duck_forget(void *of)
{
    duck_registered *registered = of;

    duck_shell_release(registered->shell);
    free(registered);
}

const char *duck_error_text(const duck_shell *shell, const inksql_error *error)
{
    static _Thread_local char text[INKSQL_ERROR_BYTES + 256];

    if (error->status != INK_MEMORY)
        return error->text;
    snprintf(text, sizeof text,
             "%s; states and opened sketches have %zu bytes, expected at most %zu, half of what "
             "memory_limit was when the extension was loaded",
             error->text, atomic_load(&shell->memory), shell->memory_limit);
    return text;
}

/* ---- Opened sketches --------------------------------------------------------------------- */

ink_status duck_open(duck_shell *shell, const inksql_function *function, const void *data,
                     size_t bytes, inksql_opened **opened, inksql_error *error)
{
    pthread_mutex_lock(&shell->lock);
    ink_status status = inksql_cache_value(shell->cache, function, data, bytes, opened, error);
    pthread_mutex_unlock(&shell->lock);
    return status;
}

static void put_first(duck_shell *shell, size_t at, duck_file file)
{
    memmove(shell->files + 1, shell->files, at * sizeof *shell->files);
    shell->files[0] = file;
}

/* With the lock: where the file of this number, or of this sketch, is; DUCK_FILES: nowhere. */
static size_t find_file(const duck_shell *shell, uint64_t number, const inksql_opened *opened)
{
    size_t at = 0;

    while (at < DUCK_FILES && (shell->files[at].number == 0 || (shell->files[at].number != number &&
                                                                shell->files[at].opened != opened)))
        at++;
    return at;
}

ink_status duck_file_keep(duck_shell *shell, const inksql_function *function, inksql_opened *opened,
                          uint64_t *number, inksql_error *error)
{
    duck_file file = {.opened = opened};

    /* By number: glibc has the call since 2.25. */
    if (syscall(SYS_getrandom, &file.number, sizeof file.number, 0) != (long)sizeof file.number)
        return inksql_fail(error, function, INK_IO, "the system gives no random number");
    file.number |= 1;
    pthread_mutex_lock(&shell->lock);
    size_t at = find_file(shell, 0, opened);
    if (at < DUCK_FILES) {
        file = shell->files[at];
    } else {
        inksql_retain(opened);
        at = DUCK_FILES - 1;
        inksql_release(shell->files[at].opened);
    }
    put_first(shell, at, file);
    pthread_mutex_unlock(&shell->lock);
    *number = file.number;
    return INK_OK;
}

inksql_opened *duck_file_numbered(duck_shell *shell, uint64_t number)
{
    inksql_opened *opened = NULL;

    pthread_mutex_lock(&shell->lock);
    const size_t at = find_file(shell, number, NULL);
    if (at < DUCK_FILES) {
        opened = shell->files[at].opened;
        inksql_retain(opened);
        put_first(shell, at, shell->files[at]);
    }
    pthread_mutex_unlock(&shell->lock);
    return opened;
}
