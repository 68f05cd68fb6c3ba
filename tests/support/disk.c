/* disk.c - a disk in memory that knows what was synced. Files are numbered; each has the bytes that
 * processes see and the bytes that are safe, and so do folders with their names; between the two
 * stand the changes that were not synced, in the order in which they were made. */
#define _DEFAULT_SOURCE 1
#include "support/disk.h"

#include "base/system.h"
#include "support/check.h"
#include "support/records.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>

enum { NAME_BYTES = 64, NAMES_MAX = 64, FILES_MAX = 64, HANDLES_MAX = 64, FIRST_HANDLE = 1000 };
enum { ROOT = 1 };

/* ---- Bytes -------------------------------------------------------------------------------- */

/* Bytes that several disks share. */
typedef struct blob {
    unsigned users;
    size_t   count, room;
    uint8_t  bytes[];
} blob;

static blob *blob_make(const void *bytes, size_t count, size_t room)
{
    blob *made = malloc(sizeof *made + room);

    assert_non_null(made);
    *made = (blob){.users = 1, .count = count, .room = room};
    if (bytes != NULL && count > 0)
        memcpy(made->bytes, bytes, count);
    return made;
}

static blob *blob_share(blob *shared)
{
    shared->users++;
    return shared;
}

static void blob_leave(blob *left)
{
    if (--left->users == 0)
        free(left);
}

/* Writes into bytes that may be shared; what lies between is zero. */
static void blob_write(blob **to, size_t at, const void *bytes, size_t count)
{
    size_t end = at + count;

    if ((*to)->users > 1 || end > (*to)->room) {
        blob *own =
            blob_make((*to)->bytes, (*to)->count, 2 * (end > (*to)->count ? end : (*to)->count));
        blob_leave(*to);
        *to = own;
    }
    if (at > (*to)->count)
        memset((*to)->bytes + (*to)->count, 0, at - (*to)->count);
    if (count > 0)
        memcpy((*to)->bytes + at, bytes, count);
    if (end > (*to)->count)
        (*to)->count = end;
}

/* ---- The disk ----------------------------------------------------------------------------- */

typedef struct name {
    char     text[NAME_BYTES];
    unsigned file; /* 0: none */
} name;

typedef struct folder {
    name     names[NAMES_MAX];
    unsigned count;
} folder;

typedef struct inode {
    blob    *seen, *safe;             /* of a file */
    folder  *seen_names, *safe_names; /* of a folder, else NULL */
    unsigned mode;
    uint64_t modified;
} inode;

/* A name of a folder that came to lead elsewhere. */
typedef struct renaming {
    unsigned folder;
    name     now;
} renaming;

typedef struct writing {
    unsigned file;
    size_t   at;
    blob    *bytes;
} writing;

struct disk {
    inode     files[FILES_MAX]; /* from ROOT on */
    unsigned  file_count;
    renaming *renamings;
    unsigned  renaming_count;
    writing  *writings;
    unsigned  writing_count;
    uint64_t  clock;
};

static unsigned add_inode(disk *on, bool is_folder, unsigned mode)
{
    unsigned number = on->file_count++;

    assert_true(number < FILES_MAX);
    inode *made = &on->files[number];
    *made = (inode){.mode = mode, .modified = ++on->clock};
    made->seen = blob_make(NULL, 0, 0);
    made->safe = blob_share(made->seen);
    if (is_folder) {
        made->seen_names = calloc(1, sizeof(folder));
        made->safe_names = calloc(1, sizeof(folder));
        assert_non_null(made->seen_names);
        assert_non_null(made->safe_names);
    }
    return number;
}

disk *disk_make(void)
{
    disk *made = calloc(1, sizeof *made);

    assert_non_null(made);
    made->file_count = ROOT;
    add_inode(made, true, 0777);
    return made;
}

static void *duplicate(const void *from, size_t bytes)
{
    void *copy = malloc(bytes + 1);

    assert_non_null(copy);
    if (bytes > 0)
        memcpy(copy, from, bytes);
    return copy;
}

disk *disk_copy(const disk *from)
{
    disk *made = duplicate(from, sizeof *from);

    made->renamings = duplicate(from->renamings, from->renaming_count * sizeof *from->renamings);
    made->writings = duplicate(from->writings, from->writing_count * sizeof *from->writings);
    for (unsigned i = 0; i < made->writing_count; i++)
        blob_share(made->writings[i].bytes);
    for (unsigned i = ROOT; i < made->file_count; i++) {
        inode *file = &made->files[i];
        blob_share(file->seen);
        blob_share(file->safe);
        if (file->seen_names != NULL) {
            file->seen_names = duplicate(file->seen_names, sizeof(folder));
            file->safe_names = duplicate(file->safe_names, sizeof(folder));
        }
    }
    return made;
}

void disk_free(disk *on)
{
    if (on == NULL)
        return;
    for (unsigned i = 0; i < on->writing_count; i++)
        blob_leave(on->writings[i].bytes);
    for (unsigned i = ROOT; i < on->file_count; i++) {
        blob_leave(on->files[i].seen);
        blob_leave(on->files[i].safe);
        free(on->files[i].seen_names);
        free(on->files[i].safe_names);
    }
    free(on->renamings);
    free(on->writings);
    free(on);
}

/* ---- Names -------------------------------------------------------------------------------- */

static unsigned look_up(const folder *in, const char *text)
{
    for (unsigned i = 0; i < in->count; i++)
        if (strcmp(in->names[i].text, text) == 0)
            return in->names[i].file;
    return 0;
}

/* Lets a name lead to a file, or to none. */
static void set_name(folder *in, const name *now)
{
    unsigned i = 0;

    while (i < in->count && strcmp(in->names[i].text, now->text) != 0)
        i++;
    if (now->file == 0 && i < in->count)
        in->names[i] = in->names[--in->count];
    else if (now->file != 0) {
        assert_true(i < NAMES_MAX);
        in->names[i] = *now;
        in->count += i == in->count;
    }
}

/* Finds the folder of a path and the last part of it, which is empty if the path is a folder's. */
static int find_folder(const disk *on, const char *path, unsigned *at, char last[NAME_BYTES])
{
    *at = ROOT;
    for (;;) {
        path += strspn(path, "/");
        size_t length = strcspn(path, "/");
        if (length >= NAME_BYTES)
            return -ENAMETOOLONG;
        memcpy(last, path, length);
        last[length] = '\0';
        if (strcmp(last, ".") == 0)
            last[0] = '\0';
        path += length;
        if (*path == '\0')
            return 0;
        if (last[0] == '\0')
            continue;
        unsigned next = look_up(on->files[*at].seen_names, last);
        if (next == 0)
            return -ENOENT;
        if (on->files[next].seen_names == NULL)
            return -ENOTDIR;
        *at = next;
    }
}

/* The file or folder at a path; 0 and an errno if there is none. */
static unsigned find(const disk *on, const char *path, int *result)
{
    char     last[NAME_BYTES];
    unsigned at, found;

    *result = find_folder(on, path, &at, last);
    if (*result < 0)
        return 0;
    found = last[0] == '\0' ? at : look_up(on->files[at].seen_names, last);
    *result = found == 0 ? -ENOENT : 0;
    return found;
}

static void change_name(disk *on, unsigned in, const char *text, unsigned file)
{
    renaming change = {.folder = in, .now = {.file = file}};

    snprintf(change.now.text, NAME_BYTES, "%s", text);
    set_name(on->files[in].seen_names, &change.now);
    on->renamings = realloc(on->renamings, (on->renaming_count + 1) * sizeof *on->renamings);
    assert_non_null(on->renamings);
    on->renamings[on->renaming_count++] = change;
}

void disk_put(disk *on, const char *path, const void *bytes, size_t count)
{
    name   now = {.file = add_inode(on, false, 0644)};
    inode *file = &on->files[now.file];

    snprintf(now.text, sizeof now.text, "%s", path);
    blob_write(&file->seen, 0, bytes, count);
    blob_leave(file->safe);
    file->safe = blob_share(file->seen);
    set_name(on->files[ROOT].seen_names, &now);
    set_name(on->files[ROOT].safe_names, &now);
}

bool disk_find(const disk *on, const char *path, const uint8_t **bytes, size_t *count)
{
    int      result;
    unsigned found = find(on, path, &result);

    if (found == 0 || on->files[found].seen_names != NULL)
        return false;
    *bytes = on->files[found].seen->bytes;
    *count = on->files[found].seen->count;
    return true;
}

/* ---- Comparing ---------------------------------------------------------------------------- */

static uint64_t mix(uint64_t hash, const void *bytes, size_t count)
{
    const uint8_t *at = bytes;

    for (; count >= 8; count -= 8, at += 8) {
        uint64_t word;
        memcpy(&word, at, 8);
        hash = (hash ^ word) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    for (; count > 0; count--, at++)
        hash = (hash ^ *at) * 0x100000001b3u;
    return hash ^ (hash >> 29);
}

/* Names are added up, as their order says nothing. */
static uint64_t hash_folder(const disk *on, const folder *in)
{
    uint64_t sum = 0;

    for (unsigned i = 0; i < in->count; i++) {
        const inode *file = &on->files[in->names[i].file];
        uint64_t     hash = mix(in->count + 1, in->names[i].text, strlen(in->names[i].text));
        uint64_t     in_it = file->seen_names != NULL
                                 ? hash_folder(on, file->seen_names) + 1
                                 : mix(file->seen->count + 2, file->seen->bytes, file->seen->count);
        sum += mix(hash, &in_it, sizeof in_it) * 0x2545f4914f6cdd1du;
    }
    return sum;
}

uint64_t disk_hash(const disk *on)
{
    return hash_folder(on, on->files[ROOT].seen_names);
}

/* ---- The process that uses it -------------------------------------------------------------- */

typedef struct handle {
    unsigned file; /* 0: not open */
    uint64_t at;
} handle;

static struct {
    disk     *disk;
    long long process_id;
    void (*changed)(void *host, const char *call);
    void           *host;
    handle          handles[HANDLES_MAX];
    pthread_mutex_t mutex;
    ink__system     system;
} now = {.mutex = PTHREAD_MUTEX_INITIALIZER};

static void enter(void)
{
    pthread_mutex_lock(&now.mutex);
}

static long long leave(long long result)
{
    pthread_mutex_unlock(&now.mutex);
    return result;
}

/* The same after a change, which is reported. */
static int leave_changed(const char *call)
{
    if (now.changed != NULL)
        now.changed(now.host, call);
    return (int)leave(0);
}

static handle *handle_of(int file)
{
    int number = file - FIRST_HANDLE;

    if (number < 0 || number >= HANDLES_MAX || now.handles[number].file == 0)
        return NULL;
    return &now.handles[number];
}

static int new_handle(unsigned file)
{
    for (int i = 0; i < HANDLES_MAX; i++)
        if (now.handles[i].file == 0) {
            now.handles[i] = (handle){.file = file};
            return FIRST_HANDLE + i;
        }
    return -EMFILE;
}

unsigned disk_open_files(void)
{
    unsigned count = 0;

    for (int i = 0; i < HANDLES_MAX; i++)
        count += now.handles[i].file != 0;
    return count;
}

/* Makes a file with a name. */
static int make_file(const char *path, unsigned mode, bool is_folder)
{
    char     last[NAME_BYTES];
    unsigned in;
    int      result = find_folder(now.disk, path, &in, last);

    if (result < 0)
        return result;
    if (last[0] == '\0' || look_up(now.disk->files[in].seen_names, last) != 0)
        return -EEXIST;
    unsigned made = add_inode(now.disk, is_folder, mode);
    change_name(now.disk, in, last, made);
    return (int)made;
}

/* Opens what is there. */
static int open_found(const char *path, ink__open_how how)
{
    int      result;
    unsigned found = find(now.disk, path, &result);

    if (found == 0)
        return result;
    bool is_folder = now.disk->files[found].seen_names != NULL;
    if (is_folder && (how == INK__OPEN_UPDATE || how == INK__OPEN_LOCK))
        return -EISDIR;
    if (!is_folder && how == INK__OPEN_FOLDER)
        return -ENOTDIR;
    return new_handle(found);
}

static int disk_open(const char *path, ink__open_how how, unsigned mode)
{
    enter();
    if (how == INK__OPEN_HIDDEN)
        return (int)leave(new_handle(add_inode(now.disk, false, mode)));
    int opened = how == INK__OPEN_NEW ? -ENOENT : open_found(path, how);
    if (opened != -ENOENT || (how != INK__OPEN_NEW && how != INK__OPEN_LOCK))
        return (int)leave(opened);
    int made = make_file(path, mode, false);
    if (made < 0)
        return (int)leave(made);
    opened = new_handle((unsigned)made);
    leave_changed("open");
    return opened;
}

static int disk_close(int file)
{
    enter();
    handle *of = handle_of(file);
    if (of == NULL)
        return (int)leave(-EBADF);
    of->file = 0;
    return (int)leave(0);
}

static void report_stat(unsigned number, ink__stat *stat)
{
    const inode *file = &now.disk->files[number];

    *stat = (ink__stat){
        .bytes = file->seen->count,
        .mode = file->mode,
        .regular = file->seen_names == NULL,
        .folder = file->seen_names != NULL,
        .device = 1,
        .number = number,
        .modified = file->modified,
        .changed = file->modified,
    };
}

static int disk_stat_file(int file, ink__stat *stat)
{
    enter();
    const handle *of = handle_of(file);
    if (of == NULL)
        return (int)leave(-EBADF);
    report_stat(of->file, stat);
    return (int)leave(0);
}

static int disk_stat_path(const char *path, ink__stat *stat)
{
    int result;

    enter();
    unsigned found = find(now.disk, path, &result);
    if (found != 0)
        report_stat(found, stat);
    return (int)leave(result);
}

static int disk_set_mode(int file, unsigned mode)
{
    enter();
    const handle *of = handle_of(file);
    if (of == NULL)
        return (int)leave(-EBADF);
    now.disk->files[of->file].mode = mode;
    return (int)leave(0);
}

static int disk_set_owner(int file, unsigned owner, unsigned group)
{
    (void)file;
    (void)owner;
    (void)group;
    return 0;
}

static int disk_resolve(const char *path, char to[INK__PATH_BYTES])
{
    int result;

    enter();
    if (find(now.disk, path, &result) != 0)
        snprintf(to, INK__PATH_BYTES, "%s", path);
    return (int)leave(result);
}

/* No other process is there. */
static int disk_lock(int file)
{
    (void)file;
    return 0;
}

static long long disk_read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    enter();
    const handle *of = handle_of(file);
    if (of == NULL)
        return leave(-EBADF);
    const blob *from = now.disk->files[of->file].seen;
    if (offset >= from->count)
        return leave(0);
    size_t there = from->count - (size_t)offset;
    bytes = bytes < there ? bytes : there;
    memcpy(to, from->bytes + offset, bytes);
    return leave((long long)bytes);
}

static long long disk_read(int file, void *to, size_t bytes)
{
    enter();
    const handle *of = handle_of(file);
    uint64_t      at = of == NULL ? 0 : of->at;
    leave(0);
    long long count = disk_read_at(file, to, bytes, at);
    enter();
    handle *again = handle_of(file);
    if (count > 0 && again != NULL)
        again->at += (uint64_t)count;
    return leave(count);
}

static void write_bytes(unsigned number, size_t at, const void *from, size_t bytes)
{
    disk  *on = now.disk;
    inode *file = &on->files[number];

    blob_write(&file->seen, at, from, bytes);
    file->modified = ++on->clock;
    on->writings = realloc(on->writings, (on->writing_count + 1) * sizeof *on->writings);
    assert_non_null(on->writings);
    on->writings[on->writing_count++] =
        (writing){.file = number, .at = at, .bytes = blob_make(from, bytes, bytes)};
}

static long long disk_write(int file, const void *from, size_t bytes)
{
    enter();
    handle *of = handle_of(file);
    if (of == NULL)
        return leave(-EBADF);
    write_bytes(of->file, (size_t)of->at, from, bytes);
    of->at += bytes;
    leave_changed("write");
    return (long long)bytes;
}

static long long disk_write_at(int file, const void *from, size_t bytes, uint64_t offset)
{
    enter();
    const handle *of = handle_of(file);
    if (of == NULL)
        return leave(-EBADF);
    write_bytes(of->file, (size_t)offset, from, bytes);
    leave_changed("write_at");
    return (long long)bytes;
}

static void sync_names(disk *on, unsigned number)
{
    unsigned kept = 0;

    *on->files[number].safe_names = *on->files[number].seen_names;
    for (unsigned i = 0; i < on->renaming_count; i++)
        if (on->renamings[i].folder != number)
            on->renamings[kept++] = on->renamings[i];
    on->renaming_count = kept;
}

static void sync_bytes(disk *on, unsigned number)
{
    inode   *file = &on->files[number];
    unsigned kept = 0;

    blob_leave(file->safe);
    file->safe = blob_share(file->seen);
    for (unsigned i = 0; i < on->writing_count; i++)
        if (on->writings[i].file != number)
            on->writings[kept++] = on->writings[i];
        else
            blob_leave(on->writings[i].bytes);
    on->writing_count = kept;
}

static int disk_sync(int file)
{
    enter();
    const handle *of = handle_of(file);
    if (of == NULL)
        return (int)leave(-EBADF);
    if (now.disk->files[of->file].seen_names != NULL)
        sync_names(now.disk, of->file);
    else
        sync_bytes(now.disk, of->file);
    return leave_changed("sync");
}

static int rename_with(const char *from, const char *to, bool replaces)
{
    char     last[NAME_BYTES], new_last[NAME_BYTES];
    unsigned in, new_in;

    enter();
    int result = find_folder(now.disk, from, &in, last);
    if (result == 0)
        result = find_folder(now.disk, to, &new_in, new_last);
    if (result == 0 && !replaces && look_up(now.disk->files[new_in].seen_names, new_last) != 0)
        result = -EEXIST;
    unsigned moved = result < 0 ? 0 : look_up(now.disk->files[in].seen_names, last);
    if (moved == 0)
        return (int)leave(result < 0 ? result : -ENOENT);
    change_name(now.disk, new_in, new_last, moved);
    change_name(now.disk, in, last, 0);
    return leave_changed("rename");
}

static int disk_rename(const char *from, const char *to)
{
    return rename_with(from, to, true);
}

static int disk_rename_new(const char *from, const char *to)
{
    return rename_with(from, to, false);
}

static int disk_unlink(const char *path)
{
    char     last[NAME_BYTES];
    unsigned in;

    enter();
    int result = find_folder(now.disk, path, &in, last);
    if (result == 0 && look_up(now.disk->files[in].seen_names, last) == 0)
        result = -ENOENT;
    if (result < 0)
        return (int)leave(result);
    change_name(now.disk, in, last, 0);
    return leave_changed("unlink");
}

static int disk_make_folder(const char *path, unsigned mode)
{
    enter();
    int made = make_file(path, mode, true);
    return made < 0 ? (int)leave(made) : leave_changed("make_folder");
}

/* A copy: no call writes into a file that is mapped. */
static int disk_map(int file, size_t bytes, const uint8_t **at)
{
    void *memory;

    enter();
    const handle *of = handle_of(file);
    if (of == NULL || posix_memalign(&memory, 4096, bytes + 1) != 0)
        return (int)leave(of == NULL ? -EBADF : -ENOMEM);
    memset(memory, 0, bytes);
    const blob *from = now.disk->files[of->file].seen;
    memcpy(memory, from->bytes, bytes < from->count ? bytes : from->count);
    *at = memory;
    return (int)leave(0);
}

static int disk_unmap(const uint8_t *at, size_t bytes)
{
    (void)bytes;
    free((void *)(uintptr_t)at);
    return 0;
}

/* Without a file its bytes would be lost. */
static int disk_leave(const uint8_t *at, size_t bytes)
{
    (void)at;
    (void)bytes;
    return 0;
}

static long long disk_process_id(void)
{
    return now.process_id;
}

void disk_use(disk *on, long long process_id, void (*changed)(void *host, const char *call),
              void *host)
{
    memset(now.handles, 0, sizeof now.handles);
    now.disk = on;
    now.process_id = process_id;
    now.changed = changed;
    now.host = host;
    now.system = ink__posix;
    now.system.open = disk_open;
    now.system.close = disk_close;
    now.system.stat_file = disk_stat_file;
    now.system.stat_path = disk_stat_path;
    now.system.stat_link = disk_stat_path; /* it has no links */
    now.system.set_mode = disk_set_mode;
    now.system.set_owner = disk_set_owner;
    now.system.resolve = disk_resolve;
    now.system.lock = disk_lock;
    now.system.try_lock = disk_lock;
    now.system.read = disk_read;
    now.system.write = disk_write;
    now.system.read_at = disk_read_at;
    now.system.write_at = disk_write_at;
    now.system.sync = disk_sync;
    now.system.rename = disk_rename;
    now.system.rename_new = disk_rename_new;
    now.system.unlink = disk_unlink;
    now.system.make_folder = disk_make_folder;
    now.system.map = disk_map;
    now.system.unmap = disk_unmap;
    now.system.leave = disk_leave;
    now.system.process_id = disk_process_id;
    ink__system_replace(on == NULL ? NULL : &now.system);
}

/* ---- Losing power ------------------------------------------------------------------------- */

unsigned disk_unsynced_names(const disk *on)
{
    return on->renaming_count;
}

unsigned disk_unsynced_writes(const disk *on)
{
    return on->writing_count;
}

size_t disk_unsynced_bytes(const disk *on, unsigned number)
{
    return on->writings[number].bytes->count;
}

/* How many bytes of a write have arrived, where they arrive from the first one on. */
static size_t arrived(const disk_loss *loss, unsigned number, size_t bytes)
{
    switch (loss->data) {
    case DISK_FIRST:
        return number < loss->write   ? bytes
               : number > loss->write ? 0
               : loss->cut < bytes    ? loss->cut
                                      : bytes;
    case DISK_WITHOUT:
        return number == loss->write ? 0 : bytes;
    case DISK_ONLY:
        return number == loss->write ? bytes : 0;
    default:
        return 0;
    }
}

/* Makes a file as long as it was to become. */
static void extend(blob **bytes, size_t count, bool stale, uint64_t *chance)
{
    while ((*bytes)->count < count) {
        uint64_t word = stale ? records_random(chance) : 0;
        size_t   left = count - (*bytes)->count;
        blob_write(bytes, (*bytes)->count, &word, left < sizeof word ? left : sizeof word);
    }
}

/* Some sectors of one write. */
static void write_sectors(blob **bytes, const writing *from, uint64_t odds, uint64_t *chance)
{
    for (size_t done = 0; done < from->bytes->count;) {
        size_t at = from->at + done, left = from->bytes->count - done;
        size_t some = DISK_SECTOR - at % DISK_SECTOR;
        some = some < left ? some : left;
        if (records_below(chance, 8) < odds)
            blob_write(bytes, at, from->bytes->bytes + done, some);
        done += some;
    }
}

/* The bytes of one file after sectors came as they liked. */
static void scatter(const disk *from, unsigned number, blob **bytes, uint64_t *chance)
{
    unsigned *order = duplicate(NULL, 0), count = 0;
    uint64_t  odds = 1 + records_below(chance, 7);

    for (unsigned i = 0; i < from->writing_count; i++)
        if (from->writings[i].file == number) {
            order = realloc(order, (count + 1) * sizeof *order);
            assert_non_null(order);
            unsigned other = (unsigned)records_below(chance, count + 1);
            order[count] = other < count ? order[other] : i;
            order[other] = i;
            count++;
        }
    if (records_below(chance, 2) == 0)
        extend(bytes, from->files[number].seen->count, records_below(chance, 2) == 0, chance);
    for (unsigned i = 0; i < count; i++)
        write_sectors(bytes, &from->writings[order[i]], odds, chance);
    free(order);
}

/* The bytes of one file that were not synced. */
static void lose_bytes(const disk *from, unsigned number, const disk_loss *loss, blob **bytes)
{
    uint64_t chance = loss->seed + number;

    if (loss->data == DISK_SIZES || loss->data == DISK_STALE)
        extend(bytes, from->files[number].seen->count, loss->data == DISK_STALE, &chance);
    else if (loss->data == DISK_SECTORS)
        scatter(from, number, bytes, &chance);
    for (unsigned i = 0; i < from->writing_count; i++) {
        const writing *write = &from->writings[i];
        size_t         count = arrived(loss, i, write->bytes->count);
        if (write->file == number && count > 0)
            blob_write(bytes, write->at, write->bytes->bytes, count);
    }
}

disk *disk_lose(const disk *from, const disk_loss *loss)
{
    disk *made = disk_copy(from);

    for (unsigned i = 0; i < from->renaming_count; i++)
        if ((loss->names >> (i % 64) & 1) != 0)
            set_name(made->files[from->renamings[i].folder].safe_names, &from->renamings[i].now);
    for (unsigned i = ROOT; i < made->file_count; i++) {
        inode *file = &made->files[i];
        if (file->safe_names != NULL)
            *file->seen_names = *file->safe_names;
        else
            lose_bytes(from, i, loss, &file->safe);
        blob_leave(file->seen);
        file->seen = blob_share(file->safe);
    }
    for (unsigned i = 0; i < made->writing_count; i++)
        blob_leave(made->writings[i].bytes);
    made->renaming_count = made->writing_count = 0;
    return made;
}
