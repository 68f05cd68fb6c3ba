/* files.c - reading a file whole or mapped, and replacing a file whole or not at all.
 * After a failed sync the data may be gone although a second sync succeeds; so nothing is retried
 * but interrupted calls, and a replacement that met a failure is abandoned. */
#include "base/files.h"

#include "base/cleanup.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

/* Linux moves at most 2 GiB at a time; 1 GiB is a multiple of every page size. */
#define TRANSFER_BYTES_MAX ((uint64_t)1 << 30)
#define TEMPORARY_TRIES (1 << 20)
#define NAME_KEPT 200
/* More than there are processes that change one file. */
#define LOCK_ROUNDS 1000
/* As many as Linux follows in one path. */
#define LINKS_MAX 40

static int open_patiently(const char *path, ink__open_how how, unsigned mode)
{
    int file;

    INK__UNINTERRUPTED(file, ink__system_now()->open(path, how, mode));
    return file;
}

static ink_status look_at_input(ink__input *input, ink_error *error)
{
    ink__stat stat;
    int       result = ink__system_now()->stat_file(input->file, &stat);

    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat");
    input->regular = stat.regular;
    input->bytes = stat.bytes;
    input->device = stat.device;
    input->number = stat.number;
    input->modified = stat.modified;
    input->changed = stat.changed;
    return INK_OK;
}

static ink_status start_input(ink__input *input, int file, const char *path, bool lent,
                              ink_error *error)
{
    if (file < 0)
        return ink__fail_io(error, -file, "cannot open");
    *input = (ink__input){.file = file, .path = path, .lent = lent};
    ink_status status = look_at_input(input, error);
    if (status != INK_OK)
        ink__input_close(input);
    return status;
}

static ink_status start_regular(ink__input *input, int file, const char *path, ink_error *error)
{
    INK__TRY(start_input(input, file, path, false, error));
    if (input->regular)
        return INK_OK;
    ink__input_close(input);
    return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                     "not a regular file, expected an .ink file");
}

ink_status ink__input_open_any(ink__input *input, const char *path, ink_error *error)
{
    bool lent = strcmp(path, "-") == 0;

    return start_input(input, lent ? 0 : open_patiently(path, INK__OPEN_STREAM, 0), path, lent,
                       error);
}

ink_status ink__input_open(ink__input *input, const char *path, ink_error *error)
{
    return start_regular(input, open_patiently(path, INK__OPEN_READ, 0), path, error);
}

void ink__input_close(ink__input *input)
{
    if (!input->lent)
        ink__system_now()->close(input->file); /* was only read: nothing can be lost */
    input->file = -1;
}

ink_status ink__input_read_once(ink__input *input, uint8_t *to, uint64_t room, uint64_t *count,
                                ink_error *error)
{
    size_t    some = (size_t)(room < TRANSFER_BYTES_MAX ? room : TRANSFER_BYTES_MAX);
    long long more;

    *count = 0;
    if (input->ended)
        return INK_OK;
    INK__UNINTERRUPTED(more, ink__system_now()->read(input->file, to, some));
    *count = more < 0 ? 0 : (uint64_t)more;
    input->ended = more == 0 && some > 0 && !input->regular;
    return more < 0 ? ink__fail_io(error, (int)-more, "cannot read") : INK_OK;
}

ink_status ink__input_read_some(ink__input *input, uint8_t *to, uint64_t room, uint64_t *count,
                                ink_error *error)
{
    uint64_t more = 1;

    for (*count = 0; *count < room && more > 0; *count += more)
        INK__TRY(ink__input_read_once(input, to + *count, room - *count, &more, error));
    return INK_OK;
}

ink_status ink__input_read(ink__input *input, uint8_t *to, uint64_t bytes, ink_error *error)
{
    uint64_t count;

    INK__TRY(ink__input_read_some(input, to, bytes, &count, error));
    if (count < bytes)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "the file became shorter while it was read");
    return INK_OK;
}

ink_status ink__input_map(ink__input *input, const uint8_t **bytes, ink_error *error)
{
    if (input->bytes > INK__BYTES_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "a file of %llu bytes is too large to map here",
                         (unsigned long long)input->bytes);
    int result = ink__system_now()->map(input->file, (size_t)input->bytes, bytes);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot map");
    ink__cleanup_map(*bytes, input->bytes, input->path);
    return INK_OK;
}

void ink__unmap(const uint8_t *bytes, uint64_t count)
{
    ink__cleanup_unmap(bytes);
    ink__system_now()->unmap(bytes, (size_t)count);
}

/* ---- Locking ------------------------------------------------------------------------------ */

bool ink__path_is_given(const char *path)
{
    return strcmp(path, "-") == 0 || strcmp(path, "/dev/stdin") == 0 ||
           ink__starts_with(path, "/dev/fd/") || ink__starts_with(path, "/proc/self/fd/");
}

ink_status ink__path_resolve(const char *path, char *to, ink_error *error)
{
    int result = ink__system_now()->resolve(path, to);

    return result < 0 ? ink__fail_io(error, -result, "cannot open") : INK_OK;
}

/* The bytes of the folder of a path, with its slash; 0: the current folder. */
static size_t folder_bytes(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash == NULL ? 0 : (size_t)(slash - path) + 1;
}

/* Whether a link may have been planted for us by another user. */
static int is_planted(const char *path, const ink__stat *link, bool *planted)
{
    char      folder[INK__PATH_BYTES] = ".";
    size_t    bytes = folder_bytes(path);
    ink__stat stat;

    if (bytes > 0) {
        memcpy(folder, path, bytes);
        folder[bytes] = '\0';
    }
    int result = ink__system_now()->stat_path(folder, &stat);
    *planted = result == 0 && (stat.mode & 01002u) == 01002u && link->owner != stat.owner &&
               link->owner != ink__system_now()->user();
    return result;
}

/* Replaces a path that is a symbolic link by what this points to. */
static ink_status follow_link(char *path, const ink__stat *link, ink_error *error)
{
    char to[INK__PATH_BYTES];
    bool planted;
    int  result = is_planted(path, link, &planted);

    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat its folder");
    if (planted)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "a symbolic link of another user in a folder that everyone may write to, "
                         "expected a file, or a link of your own");
    result = ink__system_now()->read_link(path, to, sizeof to);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot read the symbolic link");
    size_t kept = result > 0 && to[0] == '/' ? 0 : folder_bytes(path);
    if (kept + (size_t)result >= INK__PATH_BYTES)
        return ink__fail_io(error, ENAMETOOLONG, "cannot follow the symbolic link");
    memcpy(path + kept, to, (size_t)result);
    path[kept + (size_t)result] = '\0';
    return INK_OK;
}

ink_status ink__path_target(const char *path, char *to, ink_error *error)
{
    size_t bytes = strlen(path) + 1;

    if (bytes > INK__PATH_BYTES)
        return ink__fail_io(error, ENAMETOOLONG, "cannot open");
    memcpy(to, path, bytes);
    for (int i = 0; i <= LINKS_MAX; i++) { /* and looks at what the last one names */
        ink__stat stat;
        int       result = ink__system_now()->stat_link(to, &stat);
        if (result < 0 && result != -ENOENT)
            return ink__fail_io(error, -result, "cannot stat");
        if (result < 0 || !stat.link)
            return INK_OK;
        INK__TRY(follow_link(to, &stat, error));
    }
    return ink__fail_io(error, ELOOP, "cannot follow the symbolic link");
}

ink_status ink__path_stat(const char *path, ink__stat *stat, bool *there, ink_error *error)
{
    const int result = ink__system_now()->stat_path(path, stat);

    *there = result == 0;
    return *there || result == -ENOENT ? INK_OK : ink__fail_io(error, -result, "cannot stat");
}

ink_status ink__input_fate(const ink__input *input, ink__fate *fate, ink_error *error)
{
    ink__stat now;
    bool      there;

    INK__TRY(ink__path_stat(input->path, &now, &there, error));
    if (!there)
        *fate = INK__FATE_GONE;
    else if (now.device != input->device || now.number != input->number)
        *fate = INK__FATE_REPLACED;
    else if (now.bytes != input->bytes || now.modified != input->modified ||
             now.changed != input->changed)
        *fate = INK__FATE_CHANGED;
    else
        *fate = INK__FATE_SAME;
    return INK_OK;
}

/* For writing: some file systems, as NFS, lock nothing else, and a file that is not writable must
 * not be replaced, even if its folder allows it. */
static ink_status open_to_lock(ink__input *input, const char *path, ink_error *error)
{
    int file = open_patiently(path, INK__OPEN_UPDATE, 0);

    if (file == -EISDIR) /* it has a message of its own */
        file = open_patiently(path, INK__OPEN_READ, 0);
    if (file < 0)
        return ink__fail_io(error, -file, "cannot open for writing");
    return start_regular(input, file, path, error);
}

/* Waits for the lock. The file may have changed by then, so its fields are read again. */
static ink_status lock_input(ink__input *input, ink__fate *fate, ink_error *error)
{
    int result;

    INK__UNINTERRUPTED(result, ink__system_now()->lock(input->file));
    if (result < 0)
        return ink__fail_io(error, -result, "cannot lock");
    INK__TRY(look_at_input(input, error));
    return ink__input_fate(input, fate, error);
}

ink_status ink__input_open_locked(ink__input *input, const char *path, ink_error *error)
{
    /* The process that held the lock may have replaced the file. */
    for (int i = 0; i < LOCK_ROUNDS; i++) {
        ink__fate fate = INK__FATE_GONE;
        INK__TRY(open_to_lock(input, path, error));
        ink_status status = lock_input(input, &fate, error);
        if (status == INK_OK && fate <= INK__FATE_CHANGED)
            return INK_OK;
        ink__input_close(input);
        INK__TRY(status);
    }
    return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                     "cannot lock the file: after %d tries its path still names another "
                     "one than was opened",
                     LOCK_ROUNDS);
}

/* ---- Names that last ---------------------------------------------------------------------- */

static int sync_folder_of(const char *path)
{
    char   folder[INK__PATH_BYTES];
    size_t bytes = strlen(path);

    while (bytes > 1 && path[bytes - 1] == '/') /* after the name of a folder */
        bytes--;
    while (bytes > 0 && path[bytes - 1] != '/')
        bytes--;
    if (bytes >= sizeof folder)
        return -ENAMETOOLONG;
    memcpy(folder, path, bytes);
    ink__format(folder + bytes, sizeof folder - bytes, "%s", bytes == 0 ? "." : "");

    int result, file = open_patiently(folder, INK__OPEN_FOLDER, 0);
    if (file < 0)
        return file;
    INK__UNINTERRUPTED(result, ink__system_now()->sync(file));
    ink__system_now()->close(file);
    /* Some file systems cannot sync folders. */
    return result == -EINVAL || result == -ENOTSUP ? 0 : result;
}

ink_status ink__path_sync(const char *path, ink_error *error)
{
    int result = sync_folder_of(path);

    return result < 0 ? ink__fail_io(error, -result, "cannot sync the folder that it is in")
                      : INK_OK;
}

ink_status ink__folder_make(const char *path, bool *made, ink_error *error)
{
    const int result = ink__system_now()->make_folder(path, 0777);
    ink_error why;

    *made = result == 0;
    if (result < 0 && result != -EEXIST)
        return ink__fail_io(error, -result, "cannot make the folder");
    ink_status status = ink__path_sync(path, &why);
    if (status == INK_OK || (!*made && why.os_error == EACCES))
        return INK_OK;
    if (error != NULL)
        *error = why;
    return status;
}

/* ---- Replacing ---------------------------------------------------------------------------- */

static void release_names(ink__replacement *replacement)
{
    ink__release(&replacement->allocator, replacement->path, replacement->path_bytes);
    ink__release(&replacement->allocator, replacement->temporary, replacement->temporary_bytes);
    replacement->path = replacement->temporary = NULL;
}

static ink_status allocate_names(ink__replacement *replacement, const char *path, ink_error *error)
{
    replacement->path_bytes = strlen(path) + 1;
    replacement->temporary_bytes = replacement->path_bytes + 40;
    INK__TRY(
        ink__allocate(&replacement->allocator, replacement->path_bytes, &replacement->path, error));
    memcpy(replacement->path, path, (size_t)replacement->path_bytes);
    ink_status status = ink__allocate(&replacement->allocator, replacement->temporary_bytes,
                                      &replacement->temporary, error);
    if (status != INK_OK)
        release_names(replacement);
    return status;
}

/* Opens a new file "PATH.tmp.PID.N", with the first free N: a killed process may have left some. */
static int open_temporary(ink__replacement *replacement, unsigned mode)
{
    long long id = ink__system_now()->process_id();
    size_t    folder = folder_bytes(replacement->path);
    size_t    kept = strlen(replacement->path);
    int       file = -EEXIST;

    if (kept > folder + NAME_KEPT) /* a name has 255 bytes at most, with its suffix */
        kept = folder + NAME_KEPT;
    memcpy(replacement->temporary, replacement->path, kept);
    for (int i = 0; i < TEMPORARY_TRIES && file == -EEXIST; i++) {
        ink__format(replacement->temporary + kept, (size_t)replacement->temporary_bytes - kept,
                    ".tmp.%lld.%d", id, i);
        /* Registered before it exists: a signal may come as soon as it does. */
        ink__cleanup_making(replacement->temporary);
        file = open_patiently(replacement->temporary, INK__OPEN_NEW, mode);
        if (file < 0)
            ink__cleanup_finished(replacement->temporary);
        else
            ink__cleanup_unfinished(replacement->temporary);
    }
    return file;
}

/* Sets owner, if we may, and mode of the old file, while the new one is empty. The umask may have
 * cleared bits of the mode. */
static ink_status keep_attributes(ink__replacement *replacement, const ink__stat *old,
                                  ink_error *error)
{
    ink__stat own;
    int       result = ink__system_now()->stat_file(replacement->file, &own);

    if (result >= 0 && (own.owner != old->owner || own.group != old->group)) {
        INK__UNINTERRUPTED(result,
                           ink__system_now()->set_owner(replacement->file, old->owner, old->group));
        /* We, or this file system, cannot, or this user namespace does not know them (EINVAL). */
        replacement->disowned = result == -EPERM || result == -EACCES || result == -EINVAL ||
                                result == -ENOSYS || result == -EOPNOTSUPP;
    }
    if (result < 0 && !replacement->disowned)
        return ink__fail_io(error, -result, "cannot set the owner of the temporary file");
    INK__UNINTERRUPTED(result, ink__system_now()->set_mode(replacement->file, old->mode & 0777u));
    if (result < 0)
        return ink__fail_io(error, -result, "cannot set the mode of the temporary file");
    return INK_OK;
}

static ink_status fail_existing(ink_error *error)
{
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "already exists, expected a new name or {overwrite}");
}

static ink_status begin(ink__replacement *replacement, const char *given, bool fresh,
                        const ink_allocator *allocator, ink_error *error)
{
    char      path[INK__PATH_BYTES];
    ink__stat stat;
    bool      there;

    if (given[0] == '\0')
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "an empty path, expected a file name");
    INK__TRY(ink__path_target(given, path, error));
    INK__TRY(ink__path_stat(path, &stat, &there, error));
    if (there && !stat.regular)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "not a regular file, expected a file to replace or a new name");
    if (there && fresh)
        return fail_existing(error);

    *replacement = (ink__replacement){.allocator = *allocator, .file = -1, .fresh = fresh};
    INK__TRY(allocate_names(replacement, path, error));
    int file = open_temporary(replacement, there ? stat.mode & 0777u : 0666u);
    if (file < 0) {
        release_names(replacement);
        return ink__fail_io(error, -file, "cannot make a temporary file in its folder");
    }
    replacement->file = file;
    ink_status status = there ? keep_attributes(replacement, &stat, error) : INK_OK;
    if (status != INK_OK)
        ink__replacement_abandon(replacement);
    return status;
}

ink_status ink__replacement_begin(ink__replacement *replacement, const char *path,
                                  const ink_allocator *allocator, ink_error *error)
{
    return begin(replacement, path, false, allocator, error);
}

ink_status ink__replacement_begin_new(ink__replacement *replacement, const char *path,
                                      const ink_allocator *allocator, ink_error *error)
{
    return begin(replacement, path, true, allocator, error);
}

ink_status ink__replacement_write(ink__replacement *replacement, const uint8_t *from,
                                  uint64_t bytes, ink_error *error)
{
    long long count;

    for (uint64_t done = 0; done < bytes; done += (uint64_t)count) {
        uint64_t rest = bytes - done;
        size_t   some = (size_t)(rest < TRANSFER_BYTES_MAX ? rest : TRANSFER_BYTES_MAX);
        INK__UNINTERRUPTED(count, ink__system_now()->write(replacement->file, from + done, some));
        if (count <= 0) /* 0: nothing was written and nothing failed; do not try forever */
            return ink__fail_io(error, count < 0 ? (int)-count : EIO, "cannot write");
    }
    return INK_OK;
}

/* Whether a file system lacks a call. */
static bool is_lacking(int result)
{
    return result == -EINVAL || result == -ENOSYS || result == -EPERM || result == -EOPNOTSUPP;
}

/* Gives the temporary file its name: -EEXIST if that is taken. File systems that can neither rename
 * so nor have a second name for a file are looked at first, which others can outrun. */
static int rename_new(const char *from, const char *to)
{
    const ink__system *system = ink__system_now();
    ink__stat          stat;
    int                result = system->rename_new(from, to);

    if (!is_lacking(result))
        return result;
    result = system->link(from, to);
    if (result == 0) {
        result = system->unlink(from);
        if (result < 0)
            system->unlink(to); /* as it was */
        return result;
    }
    if (!is_lacking(result))
        return result;
    result = system->stat_path(to, &stat);
    return result == -ENOENT ? system->rename(from, to) : result == 0 ? -EEXIST : result;
}

/* Everything up to the rename; *what names the step that failed. */
static int complete(ink__replacement *replacement, const char **what)
{
    int result;

    INK__UNINTERRUPTED(result, ink__system_now()->sync(replacement->file));
    *what = "cannot sync";
    if (result < 0)
        return result;
    *what = "cannot close";
    result = ink__system_now()->close(replacement->file);
    replacement->file = -1;
    if (result < 0 && result != -EINTR)
        return result;
    *what = "cannot rename the temporary file";
    return replacement->fresh
               ? rename_new(replacement->temporary, replacement->path)
               : ink__system_now()->rename(replacement->temporary, replacement->path);
}

ink_status ink__replacement_commit(ink__replacement *replacement, ink_error *error)
{
    const char *what;
    int         result = complete(replacement, &what);

    if (result < 0) {
        const bool taken = replacement->fresh && replacement->file < 0 && result == -EEXIST;
        ink__replacement_abandon(replacement);
        return taken ? fail_existing(error) : ink__fail_io(error, -result, what);
    }
    ink__cleanup_finished(replacement->temporary);
    result = sync_folder_of(replacement->path);
    release_names(replacement);
    if (result < 0)
        return ink__fail_io(error, -result,
                            "the file is in place, but its folder cannot be synced");
    return INK_OK;
}

int ink__replacement_abandon(ink__replacement *replacement)
{
    if (replacement->file >= 0)
        ink__system_now()->close(replacement->file);
    int result = ink__system_now()->unlink(replacement->temporary);
    ink__cleanup_finished(replacement->temporary);
    release_names(replacement);
    return result;
}
