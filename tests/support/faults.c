/* faults.c - an allocator and an operating system that count, and that fail on request. */
#define _DEFAULT_SOURCE 1
#include "support/faults.h"

#include "base/system.h"
#include "support/check.h"
#include "support/records.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
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

static void *resize_counted(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    faults_memory *memory = host;
    uint8_t       *base = block == NULL ? NULL : (uint8_t *)block - HEADER_BYTES;
    uint8_t       *fresh;

    if (base != NULL)
        check_size(base, old_bytes);
    else if (old_bytes != 0)
        fail_msg("no block was given back as one of %zu bytes", old_bytes);
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

static void *counting_resize(void *host, void *block, size_t old_bytes, size_t new_bytes)
{
    static pthread_mutex_t counting = PTHREAD_MUTEX_INITIALIZER;

    pthread_mutex_lock(&counting);
    void *resized = resize_counted(host, block, old_bytes, new_bytes);
    pthread_mutex_unlock(&counting);
    return resized;
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

bool faults_refuse_next(faults_memory *memory)
{
    const uint64_t last = memory->refuse_at;

    faults_check_no_leak(memory);
    if (last > 0 && memory->refused == 0)
        return false;
    *memory = (faults_memory){.refuse_at = last + 1};
    return true;
}

bool faults_refusals_next(faults_refusals *run)
{
    if (run->nth > 0)
        faults_check_no_leak(&run->memory);
    if (run->nth > 0 && !run->refused)
        return false;
    run->nth++;
    run->refused = false;
    run->memory = (faults_memory){.refuse_at = run->later ? 0 : run->nth};
    run->allocator = faults_allocator(&run->memory);
    return true;
}

void faults_refuse_now(faults_refusals *run)
{
    run->memory.refuse_at = run->memory.asked + run->nth;
}

bool faults_check_refused(faults_refusals *run, ink_status status)
{
    bool refused = run->memory.refused > 0;

    assert_int_equal(status, refused ? INK_MEMORY : INK_OK);
    run->memory.refuse_at = run->memory.refused = 0;
    run->refused = run->refused || refused;
    return refused;
}

/* ---- The operating system ----------------------------------------------------------------- */

/* The table has no room for a host pointer, so the state is here. */
static struct {
    faults_plan plan;
    atomic_uint calls[FAULTS_ANY + 1]; /* the last one counts all */
    atomic_bool struck;
    atomic_int  open_files;
    atomic_int  maps;
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

/* A call that fails, or does what the true one does; and one that opens a file besides. */
#define PLAIN(result, name, call, parameters, arguments)                                           \
    static result faulty_##name parameters                                                         \
    {                                                                                              \
        int os_error = fault(FAULTS_##call);                                                       \
                                                                                                   \
        return os_error != 0 ? -os_error : ink__posix.name arguments;                              \
    }

#define OPENING(name, call, parameters, arguments)                                                 \
    static int faulty_##name parameters                                                            \
    {                                                                                              \
        int os_error = fault(FAULTS_##call);                                                       \
        int file = os_error != 0 ? -os_error : ink__posix.name arguments;                          \
                                                                                                   \
        now.open_files += file >= 0;                                                               \
        return file;                                                                               \
    }

PLAIN(int, stat_file, STAT_FILE, (int file, ink__stat *stat), (file, stat))
PLAIN(int, stat_path, STAT_PATH, (const char *path, ink__stat *stat), (path, stat))
PLAIN(int, stat_link, STAT_LINK, (const char *path, ink__stat *stat), (path, stat))
PLAIN(int, read_link, READ_LINK, (const char *path, char *to, size_t bytes), (path, to, bytes))
PLAIN(int, set_mode, SET_MODE, (int file, unsigned mode), (file, mode))
PLAIN(int, set_owner, SET_OWNER, (int file, unsigned owner, unsigned group), (file, owner, group))
PLAIN(int, resolve, RESOLVE, (const char *path, char to[INK__PATH_BYTES]), (path, to))
PLAIN(int, lock, LOCK, (int file), (file))
PLAIN(int, try_lock, TRY_LOCK, (int file), (file))
PLAIN(long long, write, WRITE, (int file, const void *from, size_t bytes),
      (file, from, shortened(bytes)))
PLAIN(long long, write_at, WRITE_AT, (int file, const void *from, size_t bytes, uint64_t offset),
      (file, from, shortened(bytes), offset))
PLAIN(int, sync, SYNC, (int file), (file))
PLAIN(int, rename, RENAME, (const char *from, const char *to), (from, to))
PLAIN(int, rename_new, RENAME_NEW, (const char *from, const char *to), (from, to))
PLAIN(int, link, LINK, (const char *from, const char *to), (from, to))
PLAIN(int, unlink, UNLINK, (const char *path), (path))
PLAIN(int, make_folder, MAKE_FOLDER, (const char *path, unsigned mode), (path, mode))
PLAIN(int, remove_folder, REMOVE_FOLDER, (const char *path), (path))
PLAIN(int, leave, LEAVE, (const uint8_t *at, size_t bytes), (at, bytes))
PLAIN(int, advise_huge, ADVISE_HUGE, (void *at, size_t bytes), (at, bytes))
PLAIN(int, connected, CONNECTED, (int file), (file))
PLAIN(int, wait, WAIT, (int file, int what, int milliseconds), (file, what, milliseconds))
PLAIN(long long, send, SEND, (int file, const void *from, size_t bytes),
      (file, from, shortened(bytes)))
PLAIN(long long, receive, RECEIVE, (int file, void *to, size_t bytes), (file, to, shortened(bytes)))
PLAIN(int, end_sending, END_SENDING, (int file), (file))
PLAIN(int, port, PORT, (int file), (file))
PLAIN(int, files_left, FILES_LEFT, (int file), (file))
PLAIN(int, wait_many, WAIT_MANY, (ink__awaited * files, size_t count, int milliseconds),
      (files, count, milliseconds))
PLAIN(int, host_name, HOST_NAME, (char *to, size_t bytes), (to, bytes))

OPENING(connect, CONNECT, (const ink__peer *to), (to))
OPENING(listen, LISTEN, (const ink__peer *at), (at))
OPENING(listen_path, LISTEN_PATH, (const char *path), (path))
OPENING(accept, ACCEPT, (int listener), (listener))
OPENING(connect_path, CONNECT_PATH, (const char *path), (path))

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

static long long faulty_read(int file, void *to, size_t bytes)
{
    int os_error = fault(FAULTS_READ);

    if (os_error != 0)
        return -os_error;
    return now.plan.ends_early ? 0 : ink__posix.read(file, to, shortened(bytes));
}

static long long faulty_read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    int os_error = fault(FAULTS_READ_AT);

    if (os_error != 0)
        return -os_error;
    return now.plan.ends_early ? 0 : ink__posix.read_at(file, to, shortened(bytes), offset);
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

static long long faulty_process_id(void)
{
    return now.plan.process_id != 0 ? now.plan.process_id : ink__posix.process_id();
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

#define FAULTY(name) faulty.name = faulty_##name

/* What is not here is as it is: what signal handlers call, for one. */
static const ink__system *faulty_system(void)
{
    static ink__system faulty;

    faulty = ink__posix;
    FAULTY(open);
    FAULTY(close);
    FAULTY(stat_file);
    FAULTY(stat_path);
    FAULTY(stat_link);
    FAULTY(read_link);
    FAULTY(set_mode);
    FAULTY(set_owner);
    FAULTY(resolve);
    FAULTY(lock);
    FAULTY(try_lock);
    FAULTY(read);
    FAULTY(write);
    FAULTY(read_at);
    FAULTY(write_at);
    FAULTY(sync);
    FAULTY(rename);
    FAULTY(rename_new);
    FAULTY(link);
    FAULTY(unlink);
    FAULTY(make_folder);
    FAULTY(remove_folder);
    FAULTY(map);
    FAULTY(unmap);
    FAULTY(leave);
    FAULTY(advise_huge);
    FAULTY(connect);
    FAULTY(connected);
    FAULTY(wait);
    FAULTY(send);
    FAULTY(receive);
    FAULTY(end_sending);
    FAULTY(listen);
    FAULTY(listen_path);
    FAULTY(port);
    FAULTY(accept);
    FAULTY(files_left);
    FAULTY(connect_path);
    FAULTY(wait_many);
    FAULTY(start);
    FAULTY(finish);
    FAULTY(process_id);
    FAULTY(host_name);
    FAULTY(environment);
    FAULTY(nanoseconds);
    FAULTY(wall);
    return &faulty;
}

void faults_system_begin(const faults_plan *plan)
{
    memset(&now, 0, sizeof now);
    if (plan != NULL)
        now.plan = *plan;
    ink__system_replace(faulty_system());
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
    return records_names_in(".");
}

/* ---- Each in turn ------------------------------------------------------------------------- */

uint64_t faults_refuse_each(ink_status (*run)(const ink_allocator *allocator))
{
    for (uint64_t nth = 1;; nth++) {
        faults_memory memory = {.refuse_at = nth};
        ink_allocator allocator = faults_allocator(&memory);
        faults_system_begin(NULL);
        ink_status status = run(&allocator);
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        faults_check_no_leak(&memory);
        assert_int_equal(status, memory.refused > 0 ? INK_MEMORY : INK_OK);
        if (memory.refused == 0)
            return nth - 1;
    }
}

unsigned faults_fail_each(ink_status (*run)(const ink_allocator *allocator), size_t transfer_bytes)
{
    unsigned failures = 0;

    for (unsigned nth = 1;; nth++) {
        faults_system_begin(&(faults_plan){
            .call = FAULTS_ANY, .nth = nth, .os_error = EIO, .transfer_bytes = transfer_bytes});
        ink_status status = run(NULL);
        bool       struck = faults_struck();
        faults_system_end();
        assert_int_equal(faults_open_files(), 0);
        assert_true(status == INK_OK || (status == INK_IO && struck));
        failures += status != INK_OK;
        if (!struck)
            return failures;
    }
}
