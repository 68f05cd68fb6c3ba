/* shards.c - the files of a corpus, found and written. */
#include "jobs/dedup/shards.h"

#include "base/memory.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/system.h"
#include "input/records/compress.h"

#include <errno.h>
#include <string.h>

/* ---- Finding files ------------------------------------------------------------------------ */

enum { LEAST_SHARDS = 16, SHOWN_FIRST = 4 };

/* What a walk through folders needs. */
typedef struct finding {
    ink__shards *shards;
    const char  *folder;  /* that is listed; NULL: paths are whole */
    uint64_t     name_at; /* of the files below it; 0: the last part of a path */
    char        *failed;
    ink_error   *error;
    ink_status   status;
} finding;

static void set_failed(char *failed, const char *path)
{
    ink__format(failed, INK__PATH_BYTES, "%s", path);
}

/* The first bytes show the compression. */
static ink_status look(ink__shard *shard, ink_error *error)
{
    ink__input file;
    uint8_t    first[SHOWN_FIRST];
    uint64_t   count;

    INK__TRY(ink__input_open(&file, shard->path, error));
    ink_status status = ink__input_read_some(&file, first, sizeof first, &count, error);
    shard->form = ink__compression_of(first, status == INK_OK ? count : 0);
    shard->size = file.bytes;
    shard->device = file.device;
    shard->number = file.number;
    shard->modified = file.modified;
    ink__input_close(&file);
    return status;
}

static ink_status add_file(finding *find, const char *path)
{
    ink__shards *shards = find->shards;
    const char  *slash = strrchr(path, '/');
    uint64_t     bytes = shards->room * sizeof *shards->all;

    if (shards->count == shards->room) {
        const uint64_t room = shards->room == 0 ? LEAST_SHARDS : 2 * shards->room;
        INK__TRY(ink__grow(&shards->allocator, &shards->all, &bytes,
                           shards->count * sizeof *shards->all, room * sizeof *shards->all,
                           find->error));
        shards->room = room;
    }
    ink__shard shard = {
        .path_bytes = strlen(path) + 1,
        .name_at = find->name_at != 0 ? find->name_at
                   : slash == NULL    ? 0
                                      : (uint64_t)(slash + 1 - path),
    };
    INK__TRY(ink__allocate(&shards->allocator, shard.path_bytes, &shard.path, find->error));
    memcpy(shard.path, path, (size_t)shard.path_bytes);
    shards->all[shards->count++] = shard;
    return look(&shards->all[shards->count - 1], find->error);
}

static ink_status add_path(finding *find, const char *path);

static ink_status fail_listing(const finding *find, int os_error, const char *path)
{
    set_failed(find->failed, path);
    return ink__fail_io(find->error, os_error, "cannot list the folder");
}

/* Takes a name of a folder, or a path that a pattern matches. Not 0: it failed. */
static int take_name(void *host, const char *name)
{
    finding *find = host;
    char     path[INK__PATH_BYTES];

    if (find->folder != NULL && name[0] == '.')
        return 0;
    size_t bytes = find->folder == NULL ? strlen(name) : strlen(find->folder) + 1 + strlen(name);
    if (bytes >= sizeof path)
        return -ENAMETOOLONG;
    if (find->folder == NULL)
        memcpy(path, name, bytes + 1);
    else
        ink__format(path, sizeof path, "%s/%s", find->folder, name);
    find->status = add_path(find, path);
    return find->status == INK_OK ? 0 : -ECANCELED;
}

static ink_status list(finding *find, const char *path,
                       int (*call)(const char *path, int (*visit)(void *host, const char *name),
                                   void       *host))
{
    find->status = INK_OK;
    int result = call(path, take_name, find);
    if (find->status != INK_OK || result >= 0)
        return find->status;
    return fail_listing(find, -result, path);
}

/* Refuses results below a folder of inputs, which the next run would read: the folder of results,
 * or the first one above it that exists, and all above that are compared with it. */
static ink_status check_outside(const finding *find, const char *path, const ink__stat *input)
{
    char      above[INK__PATH_BYTES];
    ink__stat stat = {0}, last = {0};
    size_t    bytes = find->shards->folder == NULL ? 0 : strlen(find->shards->folder);

    if (bytes == 0 || bytes + 4 > sizeof above)
        return INK_OK;
    memcpy(above, find->shards->folder, bytes + 1);
    while (ink__system_now()->stat_path(above, &stat) < 0) {
        char *slash = strrchr(above, '/');
        if (slash == NULL || slash == above)
            memcpy(above, slash == NULL ? "." : "/", 2);
        else
            *slash = '\0';
    }
    while (stat.device != last.device || stat.number != last.number) {
        if (stat.device == input->device && stat.number == input->number) {
            set_failed(find->failed, path);
            return ink__fail(find->error, INK_USAGE, INK_NOWHERE, 0,
                             "is an input, and has the folder of results, expected that outside");
        }
        last = stat;
        bytes = strlen(above);
        if (bytes + 4 > sizeof above)
            return INK_OK;
        memcpy(above + bytes, "/..", 4);
        if (ink__system_now()->stat_path(above, &stat) < 0)
            return INK_OK;
    }
    return INK_OK;
}

/* A file, or all below a folder. */
static ink_status add_path(finding *find, const char *path)
{
    ink__stat   stat;
    const char *folder = find->folder;
    uint64_t    name_at = find->name_at;
    int         result = ink__system_now()->stat_path(path, &stat);

    if (result < 0 || !stat.folder) {
        set_failed(find->failed, path);
        if (result < 0)
            return ink__fail_io(find->error, -result, "cannot read");
        return add_file(find, path);
    }
    if (name_at == 0) {
        INK__TRY(check_outside(find, path, &stat));
        find->name_at = strlen(path) + 1;
    }
    find->folder = path;
    ink_status status = list(find, path, ink__system_now()->list_folder);
    find->folder = folder;
    find->name_at = name_at;
    return status;
}

static int compare_paths(const void *a, const void *b)
{
    return strcmp(((const ink__shard *)a)->path, ((const ink__shard *)b)->path);
}

static int compare_names(const void *a, const void *b)
{
    const ink__shard *one = a, *other = b;

    return strcmp(one->path + one->name_at, other->path + other->name_at);
}

/* Pointers to the shards from `first` on, in order; in memory of *bytes. */
static ink_status sorted_shards(const ink__shards *shards, uint64_t                       first,
                                int (*compare)(const void *, const void *), const void ***memory,
                                uint64_t *bytes, const void ***sorted, ink_error *error)
{
    const uint64_t count = shards->count - first;

    *bytes = (2 * count + 1) * sizeof **memory;
    INK__TRY(ink__allocate(&shards->allocator, *bytes, memory, error));
    for (uint64_t i = 0; i < count; i++)
        (*memory)[i] = &shards->all[first + i];
    *sorted = ink__sort(*memory, (size_t)count, compare);
    return INK_OK;
}

/* Sorts the shards from `first` on by their paths. */
static ink_status sort_paths(ink__shards *shards, uint64_t first, ink_error *error)
{
    const uint64_t count = shards->count - first;
    const void   **memory, **sorted;
    ink__shard    *copy;
    uint64_t       bytes;

    if (count < 2)
        return INK_OK;
    INK__TRY(sorted_shards(shards, first, compare_paths, &memory, &bytes, &sorted, error));
    ink_status status = ink__allocate(&shards->allocator, count * sizeof *copy, &copy, error);
    for (uint64_t i = 0; status == INK_OK && i < count; i++)
        copy[i] = *(const ink__shard *)sorted[i];
    if (status == INK_OK) {
        memcpy(shards->all + first, copy, (size_t)(count * sizeof *copy));
        ink__release(&shards->allocator, copy, count * sizeof *copy);
    }
    ink__release(&shards->allocator, memory, bytes);
    return status;
}

static ink_status find_path(finding *find, const char *given)
{
    ink__shards *shards = find->shards;
    uint64_t     first = shards->count;
    char         path[INK__PATH_BYTES];
    ink__stat    stat;
    size_t       bytes = strlen(given);

    set_failed(find->failed, given);
    if (bytes >= sizeof path)
        return ink__fail_io(find->error, ENAMETOOLONG, "cannot read");
    memcpy(path, given, bytes + 1);
    while (bytes > 1 && path[bytes - 1] == '/')
        path[--bytes] = '\0';
    find->folder = NULL;
    find->name_at = 0;
    if (ink__system_now()->stat_path(path, &stat) == -ENOENT && strpbrk(path, "*?[") != NULL) {
        INK__TRY(list(find, path, ink__system_now()->list_matches));
        if (shards->count == first)
            return ink__fail(find->error, INK_USAGE, INK_NOWHERE, 0, "no file matches");
    } else
        INK__TRY(add_path(find, path));
    if (shards->count == first)
        return ink__fail(find->error, INK_USAGE, INK_NOWHERE, 0, "a folder without files");
    return sort_paths(shards, first, find->error);
}

/* ---- Names of results --------------------------------------------------------------------- */

static ink_status check_names(const ink__shards *shards, char *failed, ink_error *error)
{
    const void **memory, **sorted;
    uint64_t     bytes;
    ink_status   status = INK_OK;

    INK__TRY(sorted_shards(shards, 0, compare_names, &memory, &bytes, &sorted, error));
    for (uint64_t i = 1; i < shards->count && status == INK_OK; i++)
        if (compare_names(sorted[i - 1], sorted[i]) == 0) {
            const ink__shard *one = sorted[i - 1], *other = sorted[i];
            set_failed(failed, other->path);
            status = ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                               "has the same name in the folder of results as %s, expected one "
                               "file of a name",
                               one->path);
        }
    ink__release(&shards->allocator, memory, bytes);
    return status;
}

/* The path of a result. */
static ink_status result_path(ink__shards *shards, const ink__shard *shard, ink_error *error)
{
    const char  *name = shard->path + shard->name_at;
    const size_t bytes = strlen(shards->folder) + strlen(name) + 2;

    INK__TRY(ink__make_room(&shards->allocator, &shards->output_path, &shards->output_room, 0,
                            bytes, error));
    ink__format(shards->output_path, bytes, "%s/%s", shards->folder, name);
    return INK_OK;
}

ink_status ink__shards_check(ink__shards *shards, char *failed, ink_error *error)
{
    ink__stat stat;
    bool      there;

    for (uint64_t i = 0; i < shards->count; i++) {
        INK__TRY(result_path(shards, &shards->all[i], error));
        set_failed(failed, shards->output_path);
        INK__TRY(ink__path_stat(shards->output_path, &stat, &there, error));
        if (!there) {
            failed[0] = '\0';
            continue;
        }
        if (stat.folder)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "is a folder, expected a file");
        for (uint64_t j = 0; j < shards->count; j++)
            if (shards->all[j].device == stat.device && shards->all[j].number == stat.number)
                return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                                 "is an input, expected another folder of results");
        if (!shards->overwrite)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "exists already; {overwrite} replaces it");
    }
    failed[0] = '\0';
    return INK_OK;
}

bool ink__shards_exist(ink__shards *shards)
{
    ink__stat stat;

    for (uint64_t i = 0; i < shards->count; i++)
        if (result_path(shards, &shards->all[i], NULL) != INK_OK ||
            ink__system_now()->stat_path(shards->output_path, &stat) < 0)
            return false;
    return true;
}

ink_status ink__shards_find(ink__shards *shards, const char *const *paths, size_t path_count,
                            char *failed, ink_error *error)
{
    finding find = {.shards = shards, .failed = failed, .error = error};

    for (size_t i = 0; i < path_count; i++)
        INK__TRY(find_path(&find, paths[i]));
    failed[0] = '\0';
    return shards->folder == NULL ? INK_OK : check_names(shards, failed, error);
}

void ink__shards_end(ink__shards *shards)
{
    if (shards->open)
        ink__replacement_abandon(&shards->output);
    for (uint64_t i = 0; i < shards->count; i++)
        ink__release(&shards->allocator, shards->all[i].path, shards->all[i].path_bytes);
    ink__release(&shards->allocator, shards->all, shards->room * sizeof *shards->all);
    ink__release(&shards->allocator, shards->output_path, shards->output_room);
}

/* ---- Writing ------------------------------------------------------------------------------ */

ink_status ink__shards_make_folders(char *path, ink_error *error)
{
    bool made;

    for (char *slash = strchr(path + 1, '/'); slash != NULL; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        ink_status status = ink__folder_make(path, &made, error);
        *slash = '/';
        INK__TRY(status);
    }
    return INK_OK;
}

/* Whether the names of two results lead to the same folder. */
static bool in_one_folder(const ink__shard *one, const ink__shard *other)
{
    const char *a = one->path + one->name_at, *b = other->path + other->name_at;
    const char *slash = strrchr(a, '/');
    size_t      bytes = slash == NULL ? 0 : (size_t)(slash - a) + 1;

    return strncmp(a, b, bytes) == 0 && strchr(b + bytes, '/') == NULL;
}

static ink_status begin(ink__shards *shards, ink_error *error)
{
    const ink__shard *shard = &shards->all[shards->next];
    ink_status        status = INK_OK;

    INK__TRY(result_path(shards, shard, error));
    if (shards->last == NULL || !in_one_folder(shards->last, shard))
        status = ink__shards_make_folders(shards->output_path, error);
    shards->last = shard;
    if (status == INK_OK)
        status = shards->overwrite
                     ? ink__replacement_begin(&shards->output, shards->output_path,
                                              &shards->allocator, error)
                     : ink__replacement_begin_new(&shards->output, shards->output_path,
                                                  &shards->allocator, error);
    shards->open = status == INK_OK;
    return status;
}

/* An empty file of gzip or zstd has a member or frame, which is empty. */
static ink_status write_nothing(ink__shards *shards, ink_error *error)
{
    const ink__shard *shard = &shards->all[shards->next];
    ink__compressor   compressor = {.allocator = shards->allocator};
    uint8_t           bytes[8192] = {0};
    uint64_t          count;

    if (shard->form == INK__COMPRESSION_NONE)
        return INK_OK;
    ink_status status =
        ink__compress(&compressor, shard->form, bytes, 0, bytes, sizeof bytes, &count, error);
    ink__compressor_end(&compressor);
    INK__TRY(status);
    return ink__replacement_write(&shards->output, bytes, count, error);
}

static ink_status finish_one(ink__shards *shards, ink_error *error)
{
    if (!shards->open) {
        INK__TRY(begin(shards, error));
        INK__TRY(write_nothing(shards, error));
    }
    shards->open = false;
    INK__TRY(ink__replacement_commit(&shards->output, error));
    shards->next++;
    return INK_OK;
}

/* Failures name the result. */
static ink_status explained(const ink__shards *shards, ink_status status, ink_error *error)
{
    if (status != INK_OK && shards->output_path != NULL)
        ink__fail_within(error, "%s: ", shards->output_path);
    return status;
}

ink_status ink__shards_finish(ink__shards *shards, uint64_t number, ink_error *error)
{
    while (shards->folder != NULL && shards->next < number)
        INK__TRY(explained(shards, finish_one(shards, error), error));
    return INK_OK;
}

ink_status ink__shards_write(ink__shards *shards, uint64_t number, const uint8_t *bytes,
                             uint64_t count, ink_error *error)
{
    if (shards->folder == NULL)
        return INK_OK;
    INK__TRY(ink__shards_finish(shards, number, error));
    if (count == 0)
        return INK_OK;
    if (!shards->open)
        INK__TRY(explained(shards, begin(shards, error), error));
    return explained(shards, ink__replacement_write(&shards->output, bytes, count, error), error);
}
