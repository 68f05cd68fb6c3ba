/* interpose.c - comes between `ink` and libc (LD_PRELOAD): counts the calls of calls.h from main
 * on, and makes the one fail that a suite has named. It also makes the command a server: everything
 * up to main is done once, and each run is a fork of that, some thousand a second.
 *
 * It is made for glibc, which has its allocator under second names. */
#define _GNU_SOURCE 1
#undef _FORTIFY_SOURCE
#include "page.h"

#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <execinfo.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <link.h>
#include <netdb.h>
#include <netinet/in.h>
#include <poll.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#pragma GCC visibility push(default)

static torture_page *page;
static bool          armed; /* in a run, from main on */

/* ---- Whether a call fails ----------------------------------------------------------------- */

/* Notes what a failing call was about. No call of libc here may be one of ours. */
static void note(int file, const char *path)
{
    char name[64];

    if (path == NULL && file >= 0 && file <= 2) {
        atomic_fetch_or(&page->struck_standard, 1u << file);
        return;
    }
    unsigned index = atomic_fetch_add(&page->path_count, 1);
    if (index >= TORTURE_PATHS)
        return;
    char *to = page->struck_paths[index];
    long  count = 0;
    if (path != NULL) {
        count = (long)strnlen(path, TORTURE_PATH_BYTES - 1);
        memcpy(to, path, (size_t)count);
    } else if (file >= 0) {
        snprintf(name, sizeof name, "/proc/self/fd/%d", file);
        count = syscall(SYS_readlinkat, AT_FDCWD, name, to, TORTURE_PATH_BYTES - 1);
    }
    to[count < 0 ? 0 : count] = '\0';
}

/* Notes where it failed, for a person who looks at one case. */
static void note_frames(void)
{
    armed = false; /* it may allocate */
    page->frame_count = backtrace(page->frames, TORTURE_FRAMES);
    armed = true;
}

/* This library, from its first byte to its last. */
extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

/* Notes the site of a call, unless it is known. Not for several threads. */
static void note_site(torture_call call, uint64_t number)
{
    enum { FRAMES = 10, OF_SITE = 2 };
    void    *frames[FRAMES];
    uint64_t hash = 14695981039346656037u + call;
    unsigned i = 0;

    armed = false;
    int count = backtrace(frames, FRAMES), at = 0;
    armed = true;
    while (at < count && (uintptr_t)frames[at] >= (uintptr_t)__ehdr_start &&
           (uintptr_t)frames[at] < (uintptr_t)_end)
        at++;
    for (int end = at + OF_SITE; at < count && at < end; at++)
        hash = (hash ^ (uintptr_t)frames[at]) * 1099511628211u;
    while (i < page->site_count && page->sites[i].hash != hash)
        i++;
    if (i < page->site_count || i == TORTURE_SITES)
        return;
    page->sites[i] = (torture_site){.hash = hash, .call = call, .first = number};
    page->site_count++;
}

/* Whether libmicrohttpd calls, which rightly takes some things for granted: that a socket which
 * gives less than it is asked for has no more, and that a listener can be shut down. */
static bool page_is_loaded;

static bool is_of_page(const void *caller)
{
    Dl_info of;

    return page_is_loaded && dladdr(caller, &of) != 0 && of.dli_fname != NULL &&
           strstr(of.dli_fname, "libmicrohttpd") != NULL;
}

/* Counts a call; gives the errno that it is to fail with, TORTURE_SHORT, or 0. */
static int fault_from(const void *caller, torture_call call, int file, const char *path)
{
    if (!armed || (call != TORTURE_ALLOCATION && is_of_page(caller)))
        return 0;
    uint64_t            number = atomic_fetch_add(&page->counts[call], 1) + 1;
    const torture_plan *plan = &page->plan;
    if (page->looks)
        note_site(call, number);
    if (plan->nth == 0 || plan->call != call || number < plan->nth)
        return 0;
    if (number > plan->nth && !plan->and_after)
        return 0;
    if (plan->os_error == EPIPE && call == TORTURE_write && file != STDOUT_FILENO)
        return 0; /* nothing else is a pipe here */
    if (plan->alternate && (number - plan->nth) % 2 != 0)
        return 0;
    int before = errno;
    if (atomic_fetch_add(&page->struck, 1) == 0 && page->trace)
        note_frames();
    note(file, path);
    errno = before;
    return plan->os_error;
}

#define fault(call, file, path) fault_from(__builtin_return_address(0), call, file, path)

/* Where a function of libc is. */
static void *real(const char *name)
{
    return dlsym(RTLD_NEXT, name);
}

#define REAL(name)                                                                                 \
    static __typeof__(name) *next;                                                                 \
    if (next == NULL)                                                                              \
    next = (__typeof__(name) *)real(#name)

#define FAIL_IF(call, file, path, result)                                                          \
    do {                                                                                           \
        int os_error = fault(TORTURE_##call, file, path);                                          \
        if (os_error > 0) {                                                                        \
            errno = os_error;                                                                      \
            return result;                                                                         \
        }                                                                                          \
    } while (0)

/* For those that move bytes: a fault may be that they move one. */
#define FAIL_OR_CUT(call, file, bytes)                                                             \
    do {                                                                                           \
        int os_error = fault(TORTURE_##call, file, NULL);                                          \
        if (os_error > 0) {                                                                        \
            errno = os_error;                                                                      \
            return -1;                                                                             \
        }                                                                                          \
        if (os_error == TORTURE_SHORT && (bytes) > 1)                                              \
            (bytes) = 1;                                                                           \
    } while (0)

/* A call that fails with `failure`, or does what libc's does; one that moves bytes; and one that
 * gives its errno as result. */
#define WRAP(result, name, parameters, arguments, file, path, failure)                             \
    result name parameters                                                                         \
    {                                                                                              \
        REAL(name);                                                                                \
        FAIL_IF(name, file, path, failure);                                                        \
        return next arguments;                                                                     \
    }

#define MOVES(name, parameters, arguments)                                                         \
    ssize_t name parameters                                                                        \
    {                                                                                              \
        REAL(name);                                                                                \
        FAIL_OR_CUT(name, file, bytes);                                                            \
        return next arguments;                                                                     \
    }

#define GIVES(name, parameters, arguments, path)                                                   \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        int os_error = fault(TORTURE_##name, -1, path);                                            \
                                                                                                   \
        return os_error > 0 ? os_error : next arguments;                                           \
    }

/* A call that is done although it fails. */
#define DONE(name, parameters, arguments, file, path, failure)                                     \
    int name parameters                                                                            \
    {                                                                                              \
        REAL(name);                                                                                \
        int os_error = fault(TORTURE_##name, file, path);                                          \
        int done = next arguments;                                                                 \
                                                                                                   \
        if (os_error <= 0)                                                                         \
            return done;                                                                           \
        errno = os_error;                                                                          \
        return failure;                                                                            \
    }

/* ---- Memory ------------------------------------------------------------------------------- */

extern void *__libc_malloc(size_t bytes);
extern void *__libc_calloc(size_t count, size_t bytes);
extern void *__libc_realloc(void *block, size_t bytes);
extern void *__libc_memalign(size_t alignment, size_t bytes);

static bool refused(void)
{
    if (fault(TORTURE_ALLOCATION, -1, "") == 0)
        return false;
    errno = ENOMEM;
    return true;
}

void *malloc(size_t bytes)
{
    return refused() ? NULL : __libc_malloc(bytes);
}

void *calloc(size_t count, size_t bytes)
{
    return refused() ? NULL : __libc_calloc(count, bytes);
}

void *realloc(void *block, size_t bytes)
{
    return refused() ? NULL : __libc_realloc(block, bytes);
}

void *reallocarray(void *block, size_t count, size_t bytes)
{
    if (refused() || (bytes != 0 && count > SIZE_MAX / bytes))
        return NULL;
    return __libc_realloc(block, count * bytes);
}

void *memalign(size_t alignment, size_t bytes)
{
    return refused() ? NULL : __libc_memalign(alignment, bytes);
}

void *aligned_alloc(size_t alignment, size_t bytes)
{
    return refused() ? NULL : __libc_memalign(alignment, bytes);
}

int posix_memalign(void **block, size_t alignment, size_t bytes)
{
    if (refused())
        return ENOMEM;
    *block = __libc_memalign(alignment, bytes);
    return *block == NULL ? ENOMEM : 0;
}

/* ---- Files -------------------------------------------------------------------------------- */

int open(const char *path, int flags, ...)
{
    va_list arguments;
    REAL(open);

    va_start(arguments, flags);
    mode_t mode = va_arg(arguments, mode_t); /* not there without O_CREAT, and not used then */
    va_end(arguments);
    FAIL_IF(open, -1, path, -1);
    return next(path, flags, mode);
}

int __open_2(const char *path, int flags);
int __open_2(const char *path, int flags)
{
    return open(path, flags, 0);
}

/* Linux closes in any case. */
DONE(close, (int file), (file), file, NULL, -1)

MOVES(read, (int file, void *to, size_t bytes), (file, to, bytes))
MOVES(write, (int file, const void *from, size_t bytes), (file, from, bytes))
MOVES(pread, (int file, void *to, size_t bytes, off_t at), (file, to, bytes, at))
MOVES(pwrite, (int file, const void *from, size_t bytes, off_t at), (file, from, bytes, at))
WRAP(int, fsync, (int file), (file), file, NULL, -1)
WRAP(int, rename, (const char *from, const char *to), (from, to), -1, to, -1)
WRAP(int, link, (const char *from, const char *to), (from, to), -1, to, -1)
WRAP(int, uname, (struct utsname * to), (to), -1, NULL, -1)
WRAP(int, unlink, (const char *path), (path), -1, path, -1)
WRAP(int, mkdir, (const char *path, mode_t mode), (path, mode), -1, path, -1)
WRAP(int, rmdir, (const char *path), (path), -1, path, -1)
WRAP(int, stat, (const char *path, struct stat *to), (path, to), -1, path, -1)
WRAP(int, lstat, (const char *path, struct stat *to), (path, to), -1, path, -1)
WRAP(ssize_t, readlink, (const char *path, char *to, size_t bytes), (path, to, bytes), -1, path, -1)
WRAP(int, fstat, (int file, struct stat *to), (file, to), file, NULL, -1)
WRAP(int, access, (const char *path, int how), (path, how), -1, path, -1)
WRAP(char *, realpath, (const char *path, char *to), (path, to), -1, path, NULL)
WRAP(int, fchmod, (int file, mode_t mode), (file, mode), file, NULL, -1)
WRAP(int, fchown, (int file, uid_t owner, gid_t group), (file, owner, group), file, NULL, -1)

/* Calls by number: renameat2, and some that report what cannot fail. */
long syscall(long number, ...)
{
    va_list arguments;
    long    given[6];
    REAL(syscall);

    va_start(arguments, number);
    for (int i = 0; i < 6; i++)
        given[i] = va_arg(arguments, long); /* those that are not there are not used */
    va_end(arguments);
    if (number == SYS_renameat2)
        FAIL_IF(renameat2, -1, (const char *)given[3], -1);
    return next(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}

int fcntl(int file, int what, ...)
{
    va_list arguments;
    REAL(fcntl);

    va_start(arguments, what);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    FAIL_IF(fcntl, file, NULL, -1);
    return next(file, what, argument);
}

int ioctl(int file, unsigned long what, ...)
{
    va_list arguments;
    REAL(ioctl);

    va_start(arguments, what);
    void *argument = va_arg(arguments, void *);
    va_end(arguments);
    FAIL_IF(ioctl, file, NULL, -1);
    return next(file, what, argument);
}

WRAP(int, isatty, (int file), (file), file, NULL, 0)
WRAP(int, flock, (int file, int how), (file, how), file, NULL, -1)
WRAP(void *, mmap, (void *at, size_t bytes, int may, int flags, int file, off_t offset),
     (at, bytes, may, flags, file, offset), file, NULL, MAP_FAILED)
WRAP(int, munmap, (void *at, size_t bytes), (at, bytes), -1, NULL, -1)
WRAP(int, madvise, (void *at, size_t bytes, int advice), (at, bytes, advice), -1, NULL, -1)
WRAP(int, mkstemp, (char *path), (path), -1, path, -1)
WRAP(char *, mkdtemp, (char *path), (path), -1, path, NULL)

/* The same on machines of 64 bits. */
_Static_assert(sizeof(off_t) == 8 && sizeof(long) == 8, "a machine of 64 bits");
#define SAME(name, as, ...) __typeof__(name) as __attribute__((alias(#name)))
extern SAME(open, open64);
extern SAME(pread, pread64);
extern SAME(pwrite, pwrite64);
extern SAME(fcntl, fcntl64);
extern SAME(mkstemp, mkstemp64);
extern SAME(__open_2, __open64_2);

int stat64(const char *path, struct stat64 *to)
{
    return stat(path, (struct stat *)to);
}

int fstat64(int file, struct stat64 *to)
{
    return fstat(file, (struct stat *)to);
}

void *mmap64(void *at, size_t bytes, int may, int flags, int file, off64_t offset)
{
    return mmap(at, bytes, may, flags, file, offset);
}

/* ---- Folders ------------------------------------------------------------------------------ */

WRAP(DIR *, opendir, (const char *path), (path), -1, path, NULL)
WRAP(struct dirent *, readdir, (DIR * folder), (folder), dirfd(folder), NULL, NULL)

struct dirent64 *readdir64(DIR *folder)
{
    return (struct dirent64 *)(void *)readdir(folder);
}

WRAP(int, glob, (const char *pattern, int flags, int (*bad)(const char *, int), glob_t *found),
     (pattern, flags, bad, found), -1, pattern, GLOB_ABORTED)

int glob64(const char *pattern, int flags, int (*bad)(const char *, int), glob64_t *found)
{
    return glob(pattern, flags, bad, (glob_t *)(void *)found);
}

/* ---- Streams of libc ---------------------------------------------------------------------- */

WRAP(FILE *, fopen, (const char *path, const char *how), (path, how), -1, path, NULL)

FILE *fopen64(const char *path, const char *how)
{
    return fopen(path, how);
}

DONE(fclose, (FILE * file), (file), fileno(file), NULL, EOF)

WRAP(size_t, fwrite, (const void *from, size_t bytes, size_t count, FILE *file),
     (from, bytes, count, file), fileno(file), NULL, 0)
WRAP(char *, fgets, (char *to, int room, FILE *file), (to, room, file), fileno(file), NULL, NULL)
WRAP(FILE *, popen, (const char *command, const char *how), (command, how), -1, "", NULL)

DONE(pclose, (FILE * file), (file), -1, "", -1)

/* ---- Processes and threads ---------------------------------------------------------------- */

WRAP(int, pipe2, (int ends[2], int flags), (ends, flags), -1, "", -1)
GIVES(posix_spawnp,
      (pid_t * id, const char *file, const posix_spawn_file_actions_t *actions,
       const posix_spawnattr_t *attributes, char *const words[], char *const variables[]),
      (id, file, actions, attributes, words, variables), file)
WRAP(pid_t, waitpid, (pid_t id, int *state, int flags), (id, state, flags), -1, "", -1)
WRAP(int, kill, (pid_t id, int number), (id, number), -1, "", -1)
GIVES(pthread_create,
      (pthread_t * thread, const pthread_attr_t *attributes, void *(*run)(void *), void *host),
      (thread, attributes, run, host), "")
GIVES(pthread_mutex_init, (pthread_mutex_t * mutex, const pthread_mutexattr_t *attributes),
      (mutex, attributes), "")
GIVES(pthread_cond_init, (pthread_cond_t * condition, const pthread_condattr_t *attributes),
      (condition, attributes), "")
WRAP(int, gethostname, (char *to, size_t bytes), (to, bytes), -1, "", -1)
WRAP(int, getrlimit, (__rlimit_resource_t what, struct rlimit *to), (what, to), -1, "", -1)

int getrlimit64(__rlimit_resource_t what, struct rlimit64 *to)
{
    return getrlimit(what, (struct rlimit *)to);
}

WRAP(int, setrlimit, (__rlimit_resource_t what, const struct rlimit *to), (what, to), -1, "", -1)

int setrlimit64(__rlimit_resource_t what, const struct rlimit64 *to)
{
    return setrlimit(what, (const struct rlimit *)to);
}

WRAP(int, sched_getaffinity, (pid_t id, size_t bytes, cpu_set_t *set), (id, bytes, set), -1, "", -1)
WRAP(long, sysconf, (int name), (name), -1, "", -1)

int sigaction(int number, const struct sigaction *now, struct sigaction *before)
{
    REAL(sigaction);
    int os_error = fault(TORTURE_sigaction, -1, "");
    int result = os_error > 0 ? -1 : next(number, now, before);

    if (armed && number == SIGTERM && now != NULL && now->sa_handler != SIG_DFL)
        page->catches = true;
    if (os_error > 0)
        errno = os_error;
    return result;
}

WRAP(int, sigaltstack, (const stack_t *now, stack_t *before), (now, before), -1, "", -1)

void *dlopen(const char *path, int flags)
{
    REAL(dlopen);
    FAIL_IF(dlopen, -1, path == NULL ? "" : path, NULL);
    void *library = next(path, flags);
    page_is_loaded = page_is_loaded || library != NULL;
    return library;
}

/* ---- Sockets ------------------------------------------------------------------------------ */

WRAP(int, socket, (int family, int type, int protocol), (family, type, protocol), -1, "", -1)
WRAP(int, bind, (int file, const struct sockaddr *address, socklen_t bytes), (file, address, bytes),
     file, NULL, -1)

/* Lets a peer know where the command listens. */
static void note_listener(int file)
{
    struct sockaddr_storage at = {0};
    socklen_t               bytes = sizeof at;
    unsigned                index = page->listeners;

    syscall(SYS_getsockname, file, &at, &bytes);
    if (index >= TORTURE_LISTENERS)
        return;
    page->ports[index] = at.ss_family == AF_INET ? ntohs(((struct sockaddr_in *)&at)->sin_port) : 0;
    page->listeners = index + 1;
}

int listen(int file, int backlog)
{
    REAL(listen);
    FAIL_IF(listen, file, NULL, -1);
    int result = next(file, backlog);
    if (armed && result == 0)
        note_listener(file);
    return result;
}

WRAP(int, accept4, (int file, struct sockaddr *address, socklen_t *bytes, int flags),
     (file, address, bytes, flags), file, NULL, -1)

int connect(int file, const struct sockaddr *address, socklen_t bytes)
{
    REAL(connect);
    int os_error = fault(TORTURE_connect, file, NULL);

    if (os_error == EINTR)
        next(file, address, bytes); /* it goes on by itself, says POSIX */
    if (os_error <= 0)
        return next(file, address, bytes);
    errno = os_error;
    return -1;
}

WRAP(int, getsockname, (int file, struct sockaddr *address, socklen_t *bytes),
     (file, address, bytes), file, NULL, -1)
WRAP(int, getsockopt, (int file, int level, int name, void *value, socklen_t *bytes),
     (file, level, name, value, bytes), file, NULL, -1)
WRAP(int, setsockopt, (int file, int level, int name, const void *value, socklen_t bytes),
     (file, level, name, value, bytes), file, NULL, -1)
WRAP(int, shutdown, (int file, int how), (file, how), file, NULL, -1)
MOVES(send, (int file, const void *from, size_t bytes, int flags), (file, from, bytes, flags))
MOVES(recv, (int file, void *to, size_t bytes, int flags), (file, to, bytes, flags))

enum { WAIT_MILLISECONDS = 2, LONG_MILLISECONDS = 1000 };

int poll(struct pollfd *files, nfds_t count, int milliseconds)
{
    REAL(poll);
    FAIL_IF(poll, count == 1 ? files[0].fd : -1, NULL, -1);
    /* A wait of less than a second, or for no descriptor, looks at the clock, and waits again: a
     * run need not take that long. A longer wait for a peer is a limit, whose end is a failure.
     */
    bool is_pause = milliseconds > WAIT_MILLISECONDS &&
                    (milliseconds <= LONG_MILLISECONDS || (count == 1 && files[0].fd < 0));
    return next(files, count, armed && is_pause ? WAIT_MILLISECONDS : milliseconds);
}

int getaddrinfo(const char *host, const char *port, const struct addrinfo *wanted,
                struct addrinfo **found)
{
    REAL(getaddrinfo);
    int os_error = fault(TORTURE_getaddrinfo, -1, host == NULL ? "" : host);

    if (os_error <= 0)
        return next(host, port, wanted, found);
    errno = os_error;
    return EAI_SYSTEM;
}

/* ---- Clocks ------------------------------------------------------------------------------- */

/* Results may have the time of day, or how long something took: in a run the former stands still.
 */
enum { NOW_SECONDS = 1800000000 };

int clock_gettime(clockid_t clock, struct timespec *now)
{
    REAL(clock_gettime);

    if (armed && clock == CLOCK_REALTIME) {
        *now = (struct timespec){.tv_sec = NOW_SECONDS};
        return 0;
    }
    return next(clock, now);
}

time_t time(time_t *now)
{
    REAL(time);

    time_t result = armed ? NOW_SECONDS : next(NULL);
    if (now != NULL)
        *now = result;
    return result;
}

/* The holder of a state is known by its number, which is another one in each run. */
enum { PROCESS = 4242 };

pid_t getpid(void)
{
    REAL(getpid);
    return armed ? PROCESS : next();
}

/* ---- The server --------------------------------------------------------------------------- */

static int (*command_main)(int, char **, char **);

static void location(const char *path, int flags, int descriptor)
{
    int file = open(path, flags | O_CLOEXEC, 0600);

    if (file < 0 || dup2(file, descriptor) != descriptor)
        _exit(99);
    close(file);
}

/* What the input is goes through a pipe, whose buffer is large enough for it. */
static void location_pipe(const char *path)
{
    static char bytes[1 << 16];
    int         ends[2], file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t     count = file < 0 ? -1 : read(file, bytes, sizeof bytes);

    if (count < 0 || pipe2(ends, O_CLOEXEC) != 0 || write(ends[1], bytes, (size_t)count) != count ||
        dup2(ends[0], 0) != 0)
        _exit(99);
    close(file);
    close(ends[0]);
    close(ends[1]);
}

/* The child: becomes the run that the page describes. */
static int run(void)
{
    static char *words[256];
    int          count = 0;

    setpgid(0, 0);
    if (chdir(page->folder) != 0)
        _exit(99);
    for (char *at = page->variables; *at != '\0'; at += strlen(at) + 1)
        putenv(at);
    for (char *at = page->words; *at != '\0' && count < 255; at += strlen(at) + 1)
        words[count++] = at;
    if (page->input_is_pipe)
        location_pipe(page->input);
    else
        location(page->input, O_RDONLY, 0);
    location(page->output, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 1);
    location(page->errors, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND, 2);
    close(TORTURE_ORDERS);
    close(TORTURE_REPORTS);
    close(TORTURE_PAGE_FILE);
    struct rlimit seconds = {60, 60}, none = {0, 0};
    setrlimit(RLIMIT_CPU, &seconds);
    setrlimit(RLIMIT_CORE, &none);
    armed = true;
    return command_main(count, words, environ);
}

/* Writes the first byte of the command in memory, so that frames can be looked up. */
static int find_command(struct dl_phdr_info *info, size_t bytes, void *host)
{
    (void)bytes;
    (void)host;
    page->command_start = (void *)info->dlpi_addr;
    return 1;
}

static int serve(int count, char **words, char **variables)
{
    char order;

    if (getenv("INK_TORTURE_SERVER") == NULL)
        return command_main(count, words, variables);
    page = mmap(NULL, sizeof *page, PROT_READ | PROT_WRITE, MAP_SHARED, TORTURE_PAGE_FILE, 0);
    if (page == MAP_FAILED)
        _exit(99);
    dl_iterate_phdr(find_command, NULL);
    backtrace(page->frames, 1); /* loads what it needs */
    unsetenv("INK_TORTURE_SERVER");
    unsetenv("LD_PRELOAD");
    while (read(TORTURE_ORDERS, &order, 1) == 1) {
        pid_t id = fork();
        int   state = 0;
        if (id == 0)
            return run();
        if (id < 0 || write(TORTURE_REPORTS, &id, sizeof id) != sizeof id ||
            waitpid(id, &state, 0) != id ||
            write(TORTURE_REPORTS, &state, sizeof state) != sizeof state)
            _exit(99);
    }
    _exit(0);
}

int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*begin)(void), void (*end)(void), void (*loader_end)(void),
                      void *stack_end);
int __libc_start_main(int (*main)(int, char **, char **), int count, char **words,
                      void (*begin)(void), void (*end)(void), void (*loader_end)(void),
                      void *stack_end)
{
    static __typeof__(__libc_start_main) *next;

    next = (__typeof__(__libc_start_main) *)real("__libc_start_main");
    command_main = main;
    return next(serve, count, words, begin, end, loader_end, stack_end);
}
