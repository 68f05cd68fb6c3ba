/* faults.c - an allocator and an operating system that count, and that fail on request. */
#define _DEFAULT_SOURCE 1
#include "support/faults.h"

#include "base/system.h"
#include "support/check.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>

/* ---- Memory ------------------------------------------------------------------------------- */

/* Before every block stands its size; 16 bytes keep the alignment of malloc. */
enum { HEADER_BYTES = 16 };
_Static_assert(HEADER_BYTES % _Alignof(max_align_t) == 0, "blocks are aligned as malloc's");

static void check_size(const uint8_t *base, size_t bytes)
{
    size_t given;

    memcpy(&given, base, sizeof given);
    if (given != bytes)
        fail_msg("a block of %zu bytes was given back as one of %zu", given, bytes);
}

static void *counting_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    faults_memory *memory = host;
    uint8_t       *base = block == NULL ? NULL : (uint8_t *)block - HEADER_BYTES;
    uint8_t       *fresh;

    if (base != NULL)
        check_size(base, old_bytes);
    if (new_bytes != 0) {
        memory->asked++;
        if (memory->refuse_at != 0 &&
            (memory->asked == memory->refuse_at ||
             (memory->refuse_after && memory->asked > memory->refuse_at))) {
            memory->refused++;
            return NULL;
        }
        if (new_bytes > SIZE_MAX - HEADER_BYTES ||
            (fresh = malloc(HEADER_BYTES + new_bytes)) == NULL) {
            memory->refused++;
            return NULL;
        }
        if (!memory->unfilled)
            memset(fresh, 0xa5, HEADER_BYTES + new_bytes);
        memcpy(fresh, &new_bytes, sizeof new_bytes);
        if (base != NULL)
            memcpy(fresh + HEADER_BYTES, block, old_bytes < new_bytes ? old_bytes : new_bytes);
        memory->live_blocks++;
        memory->live_bytes += new_bytes;
        if (memory->live_bytes > memory->most_bytes)
            memory->most_bytes = memory->live_bytes;
        if (new_bytes > memory->largest_bytes)
            memory->largest_bytes = new_bytes;
    } else {
        fresh = NULL;
    }
    if (base != NULL) {
        if (!memory->unfilled)
            memset(base, 0xdd, HEADER_BYTES + old_bytes);
        free(base);
        memory->live_blocks--;
        memory->live_bytes -= old_bytes;
    }
    return fresh == NULL ? NULL : fresh + HEADER_BYTES;
}

ink_allocator faults_allocator(faults_memory *memory)
{
    return (ink_allocator){.resize = counting_resize, .host = memory};
}

void faults_check_no_leak(const faults_memory *memory)
{
    if (memory->live_blocks != 0 || memory->live_bytes != 0)
        fail_msg("%llu blocks of %llu bytes together were never given back",
                 (unsigned long long)memory->live_blocks, (unsigned long long)memory->live_bytes);
}

/* ---- The operating system ----------------------------------------------------------------- */

/* The table has no room for a host pointer, so the state is here. */
static struct {
    faults_plan plan;
    unsigned    calls[FAULTS_ANY + 1]; /* the last one counts all */
    bool        struck;
    int         open_files;
    int         maps;
    int         programs;
    uint64_t    passed; /* nanoseconds that the clock is ahead */
    int64_t     jumped; /* microseconds that the time of day is ahead */
    char        last_opened[256];
} now;

/* Counts a call, and returns with which errno it is to fail; 0: not at all. */
static int fault(faults_call call)
{
    bool interruptible = call == FAULTS_OPEN || call == FAULTS_READ || call == FAULTS_READ_AT ||
                         call == FAULTS_LOCK || call == FAULTS_WRITE || call == FAULTS_WRITE_AT ||
                         call == FAULTS_SYNC || call == FAULTS_CLOSE || call == FAULTS_WAIT ||
                         call == FAULTS_SEND || call == FAULTS_RECEIVE || call == FAULTS_FINISH ||
                         call == FAULTS_TRY_LOCK || call == FAULTS_ACCEPT ||
                         call == FAULTS_WAIT_MANY;
    unsigned nth = ++now.calls[call], any = ++now.calls[FAULTS_ANY];

    if (now.plan.nth != 0 && (now.plan.call == call || now.plan.call == FAULTS_ANY)) {
        unsigned count = now.plan.call == FAULTS_ANY ? any : nth;
        if (count == now.plan.nth || (now.plan.and_after && count > now.plan.nth)) {
            now.struck = true;
            return now.plan.os_error;
        }
    }
    return now.plan.interrupt && interruptible && nth % 2 == 1 ? EINTR : 0;
}

static size_t shortened(size_t bytes)
{
    return now.plan.transfer_bytes != 0 && bytes > now.plan.transfer_bytes ? now.plan.transfer_bytes
                                                                           : bytes;
}

static int faulty_open(const char *path, ink__open_how how, unsigned mode)
{
    int os_error = fault(FAULTS_OPEN);
    int file = os_error != 0 ? -os_error : ink__posix.open(path, how, mode);

    snprintf(now.last_opened, sizeof now.last_opened, "%s", path);
    if (file >= 0)
        now.open_files++;
    return file;
}

static int faulty_close(int file)
{
    int os_error = fault(FAULTS_CLOSE);
    int result = ink__posix.close(file);

    if (result == 0)
        now.open_files--;
    return os_error != 0 ? -os_error : result;
}

static int faulty_stat_file(int file, ink__stat *stat)
{
    int os_error = fault(FAULTS_STAT_FILE);

    return os_error != 0 ? -os_error : ink__posix.stat_file(file, stat);
}

static int faulty_stat_path(const char *path, ink__stat *stat)
{
    int os_error = fault(FAULTS_STAT_PATH);

    return os_error != 0 ? -os_error : ink__posix.stat_path(path, stat);
}

static int faulty_set_mode(int file, unsigned mode)
{
    int os_error = fault(FAULTS_SET_MODE);

    return os_error != 0 ? -os_error : ink__posix.set_mode(file, mode);
}

static int faulty_set_owner(int file, unsigned owner, unsigned group)
{
    int os_error = fault(FAULTS_SET_OWNER);

    return os_error != 0 ? -os_error : ink__posix.set_owner(file, owner, group);
}

static int faulty_resolve(const char *path, char to[INK__PATH_BYTES])
{
    int os_error = fault(FAULTS_RESOLVE);

    return os_error != 0 ? -os_error : ink__posix.resolve(path, to);
}

static int faulty_lock(int file)
{
    int os_error = fault(FAULTS_LOCK);

    return os_error != 0 ? -os_error : ink__posix.lock(file);
}

static int faulty_try_lock(int file)
{
    int os_error = fault(FAULTS_TRY_LOCK);

    return os_error != 0 ? -os_error : ink__posix.try_lock(file);
}

static long long faulty_read(int file, void *to, size_t bytes)
{
    int os_error = fault(FAULTS_READ);

    if (os_error != 0)
        return -os_error;
    return now.plan.ends_early ? 0 : ink__posix.read(file, to, shortened(bytes));
}

static long long faulty_write(int file, const void *from, size_t bytes)
{
    int os_error = fault(FAULTS_WRITE);

    return os_error != 0 ? -os_error : ink__posix.write(file, from, shortened(bytes));
}

static long long faulty_read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    int os_error = fault(FAULTS_READ_AT);

    if (os_error != 0)
        return -os_error;
    return now.plan.ends_early ? 0 : ink__posix.read_at(file, to, shortened(bytes), offset);
}

static long long faulty_write_at(int file, const void *from, size_t bytes, uint64_t offset)
{
    int os_error = fault(FAULTS_WRITE_AT);

    return os_error != 0 ? -os_error : ink__posix.write_at(file, from, shortened(bytes), offset);
}

static int faulty_sync(int file)
{
    int os_error = fault(FAULTS_SYNC);

    return os_error != 0 ? -os_error : ink__posix.sync(file);
}

static int faulty_rename(const char *from, const char *to)
{
    int os_error = fault(FAULTS_RENAME);

    return os_error != 0 ? -os_error : ink__posix.rename(from, to);
}

static int faulty_unlink(const char *path)
{
    int os_error = fault(FAULTS_UNLINK);

    return os_error != 0 ? -os_error : ink__posix.unlink(path);
}

static int faulty_make_folder(const char *path, unsigned mode)
{
    int os_error = fault(FAULTS_MAKE_FOLDER);

    return os_error != 0 ? -os_error : ink__posix.make_folder(path, mode);
}

static int faulty_map(int file, size_t bytes, const uint8_t **at)
{
    int os_error = fault(FAULTS_MAP);
    int result = os_error != 0 ? -os_error : ink__posix.map(file, bytes, at);

    if (result == 0)
        now.maps++;
    return result;
}

static int faulty_unmap(const uint8_t *at, size_t bytes)
{
    int os_error = fault(FAULTS_UNMAP);
    int result = os_error != 0 ? -os_error : ink__posix.unmap(at, bytes);

    if (result == 0)
        now.maps--;
    return result;
}

/* For signal handlers: as it is. */
static int faulty_blank(const uint8_t *at, size_t bytes, const void *from)
{
    return ink__posix.blank(at, bytes, from);
}

static int faulty_on_bus_error(bool (*outlived)(const void *address))
{
    return ink__posix.on_bus_error(outlived);
}

static int faulty_advise_huge(void *at, size_t bytes)
{
    int os_error = fault(FAULTS_ADVISE_HUGE);

    return os_error != 0 ? -os_error : ink__posix.advise_huge(at, bytes);
}

static int faulty_peer(const char *text, ink__peer *peer)
{
    return ink__posix.peer(text, peer);
}

static int faulty_connect(const ink__peer *to)
{
    int os_error = fault(FAULTS_CONNECT);
    int file = os_error != 0 ? -os_error : ink__posix.connect(to);

    if (file >= 0)
        now.open_files++;
    return file;
}

static int faulty_connected(int file)
{
    int os_error = fault(FAULTS_CONNECTED);

    return os_error != 0 ? -os_error : ink__posix.connected(file);
}

static int faulty_wait(int file, int what, int milliseconds)
{
    int os_error = fault(FAULTS_WAIT);

    return os_error != 0 ? -os_error : ink__posix.wait(file, what, milliseconds);
}

static long long faulty_send(int file, const void *from, size_t bytes)
{
    int os_error = fault(FAULTS_SEND);

    return os_error != 0 ? -os_error : ink__posix.send(file, from, shortened(bytes));
}

static long long faulty_receive(int file, void *to, size_t bytes)
{
    int os_error = fault(FAULTS_RECEIVE);

    return os_error != 0 ? -os_error : ink__posix.receive(file, to, shortened(bytes));
}

static int faulty_end_sending(int file)
{
    int os_error = fault(FAULTS_END_SENDING);

    return os_error != 0 ? -os_error : ink__posix.end_sending(file);
}

static int faulty_listen(const ink__peer *at)
{
    int os_error = fault(FAULTS_LISTEN);
    int file = os_error != 0 ? -os_error : ink__posix.listen(at);

    if (file >= 0)
        now.open_files++;
    return file;
}

static int faulty_listen_path(const char *path)
{
    int os_error = fault(FAULTS_LISTEN_PATH);
    int file = os_error != 0 ? -os_error : ink__posix.listen_path(path);

    if (file >= 0)
        now.open_files++;
    return file;
}

static int faulty_port(int file)
{
    int os_error = fault(FAULTS_PORT);

    return os_error != 0 ? -os_error : ink__posix.port(file);
}

static int faulty_accept(int file)
{
    int os_error = fault(FAULTS_ACCEPT);
    int connection = os_error != 0 ? -os_error : ink__posix.accept(file);

    if (connection >= 0)
        now.open_files++;
    return connection;
}

static int faulty_files_left(int file)
{
    int os_error = fault(FAULTS_FILES_LEFT);

    return os_error != 0 ? -os_error : ink__posix.files_left(file);
}

static int faulty_connect_path(const char *path)
{
    int os_error = fault(FAULTS_CONNECT_PATH);
    int file = os_error != 0 ? -os_error : ink__posix.connect_path(path);

    if (file >= 0)
        now.open_files++;
    return file;
}

static int faulty_wait_many(ink__awaited *files, size_t count, int milliseconds)
{
    int os_error = fault(FAULTS_WAIT_MANY);

    return os_error != 0 ? -os_error : ink__posix.wait_many(files, count, milliseconds);
}

static long long faulty_start(const char *const *arguments, int *output)
{
    int       os_error = fault(FAULTS_START);
    long long id = os_error != 0 ? -os_error : ink__posix.start(arguments, output);

    if (id >= 0) {
        now.open_files++;
        now.programs++;
    }
    return id;
}

static int faulty_finish(long long id, bool kill)
{
    int os_error = fault(FAULTS_FINISH);
    int result = os_error != 0 ? -os_error : ink__posix.finish(id, kill);

    if (result >= 0)
        now.programs--;
    return result;
}

static long long faulty_thread_id(void)
{
    return ink__posix.thread_id();
}

static long long faulty_process_id(void)
{
    return now.plan.process_id != 0 ? now.plan.process_id : ink__posix.process_id();
}

static int faulty_host_name(char *to, size_t bytes)
{
    int os_error = fault(FAULTS_HOST_NAME);

    return os_error != 0 ? -os_error : ink__posix.host_name(to, bytes);
}

static const char *faulty_environment(const char *name)
{
    if (now.plan.variable != NULL && strcmp(name, now.plan.variable) == 0)
        return now.plan.value;
    return ink__posix.environment(name);
}

static uint64_t faulty_nanoseconds(void)
{
    return ink__posix.nanoseconds() + now.passed;
}

static int64_t faulty_wall(void)
{
    return ink__posix.wall() + now.jumped;
}

static unsigned faulty_cores(void)
{
    return ink__posix.cores();
}

static uint64_t faulty_cache_bytes(unsigned level)
{
    return ink__posix.cache_bytes(level);
}

static const ink__system faulty = {
    .open = faulty_open,
    .close = faulty_close,
    .stat_file = faulty_stat_file,
    .stat_path = faulty_stat_path,
    .set_mode = faulty_set_mode,
    .set_owner = faulty_set_owner,
    .resolve = faulty_resolve,
    .lock = faulty_lock,
    .try_lock = faulty_try_lock,
    .read = faulty_read,
    .write = faulty_write,
    .read_at = faulty_read_at,
    .write_at = faulty_write_at,
    .sync = faulty_sync,
    .rename = faulty_rename,
    .unlink = faulty_unlink,
    .make_folder = faulty_make_folder,
    .map = faulty_map,
    .unmap = faulty_unmap,
    .blank = faulty_blank,
    .on_bus_error = faulty_on_bus_error,
    .advise_huge = faulty_advise_huge,
    .peer = faulty_peer,
    .connect = faulty_connect,
    .connected = faulty_connected,
    .wait = faulty_wait,
    .send = faulty_send,
    .receive = faulty_receive,
    .end_sending = faulty_end_sending,
    .listen = faulty_listen,
    .listen_path = faulty_listen_path,
    .port = faulty_port,
    .accept = faulty_accept,
    .files_left = faulty_files_left,
    .connect_path = faulty_connect_path,
    .wait_many = faulty_wait_many,
    .start = faulty_start,
    .finish = faulty_finish,
    .process_id = faulty_process_id,
    .thread_id = faulty_thread_id,
    .host_name = faulty_host_name,
    .environment = faulty_environment,
    .nanoseconds = faulty_nanoseconds,
    .wall = faulty_wall,
    .cores = faulty_cores,
    .cache_bytes = faulty_cache_bytes,
};

void faults_system_begin(const faults_plan *plan)
{
    memset(&now, 0, sizeof now);
    if (plan != NULL)
        now.plan = *plan;
    ink__system_replace(&faulty);
}

void faults_system_end(void)
{
    ink__system_replace(NULL);
}

unsigned faults_calls(faults_call call)
{
    return now.calls[call];
}

bool faults_struck(void)
{
    return now.struck;
}

int faults_open_files(void)
{
    return now.open_files;
}

int faults_programs(void)
{
    return now.programs;
}

int faults_maps(void)
{
    return now.maps;
}

const char *faults_last_opened(void)
{
    return now.last_opened;
}

void faults_pass(uint64_t nanoseconds)
{
    now.passed += nanoseconds;
}

void faults_jump(int64_t microseconds)
{
    now.jumped += microseconds;
}

/* ---- The scratch folder ------------------------------------------------------------------- */

unsigned faults_names_here(void)
{
    DIR           *folder = opendir(".");
    struct dirent *entry;
    unsigned       names = 0;

    assert_non_null(folder);
    while ((entry = readdir(folder)) != NULL)
        names += strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0;
    closedir(folder);
    return names;
}
