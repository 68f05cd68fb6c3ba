/* system.c - the operating system's calls, and nothing else. No loops, no policy: files.c has
 * those. Every call gives a negative errno on failure, so that a replacement need not set errno. */
#define _GNU_SOURCE 1 /* O_TMPFILE, CPU_COUNT, RUSAGE_THREAD, flock, pipe2 */
#define _FILE_OFFSET_BITS 64
#include "base/system.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <glob.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdio.h> /* rename, renameat2 */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* ---- What Linux and macOS call differently ------------------------------------------------ */

#ifdef __APPLE__
#define SOCK_CLOEXEC 0 /* socket takes no flags: make_ready sets them */
#define SOCK_NONBLOCK 0
#define TCP_KEEPIDLE TCP_KEEPALIVE
#define modified_of(status) (&(status)->st_mtimespec)
#define changed_of(status) (&(status)->st_ctimespec)
extern char **environ;
int pthread_threadid_np(void *thread, uint64_t *number); /* its header is that of threads */

/* Gives -1 and errno as a call does. */
static int make_ready(int file, bool blocks)
{
    if (file < 0 || (fcntl(file, F_SETFD, FD_CLOEXEC) == 0 &&
                     (blocks || fcntl(file, F_SETFL, O_NONBLOCK) == 0)))
        return file;
    close(file);
    return -1;
}

static int accept_ready(int file)
{
    return make_ready(accept(file, NULL, NULL), false);
}

static int pipe_ready(int ends[2])
{
    return pipe(ends) != 0 || make_ready(ends[0], true) < 0 || make_ready(ends[1], true) < 0 ? -1
                                                                                             : 0;
}

static int rename_unless_there(const char *from, const char *to)
{
    return renamex_np(from, to, RENAME_EXCL);
}

static int64_t thread_number(void)
{
    uint64_t number = 0;

    pthread_threadid_np(NULL, &number);
    return (int64_t)number;
}

/* Of the process: of a thread macOS does not say it. */
#define FAULTS_OF RUSAGE_SELF

static int allowed_cores(void)
{
    return 0;
}

#else
#include <sys/syscall.h>

#define modified_of(status) (&(status)->st_mtim)
#define changed_of(status) (&(status)->st_ctim)

static int make_ready(int file, bool blocks)
{
    (void)blocks;
    return file;
}

static int accept_ready(int file)
{
    return accept4(file, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
}

static int pipe_ready(int ends[2])
{
    return pipe2(ends, O_CLOEXEC);
}

/* By number where a C library may be older than the call: glibc has renameat2 since 2.28 and gettid
 * since 2.30. */
static int rename_unless_there(const char *from, const char *to)
{
    enum { NO_REPLACE = 1 };

    return (int)syscall(SYS_renameat2, AT_FDCWD, from, AT_FDCWD, to, NO_REPLACE);
}

static int64_t thread_number(void)
{
    return syscall(SYS_gettid);
}

#define FAULTS_OF RUSAGE_THREAD

/* Of those online, or 0: they are more than the set holds. */
static int allowed_cores(void)
{
    cpu_set_t set;

    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 0;
}

#endif

/* ---- Files -------------------------------------------------------------------------------- */

#ifdef PATH_MAX
_Static_assert(PATH_MAX <= INK__PATH_BYTES, "realpath writes no more");
#endif

static int result_of(int returned)
{
    return returned < 0 ? -errno : returned;
}

/* A member of the table that is one call of the system. */
#define CALL(name, parameters, call)                                                               \
    static int system_##name parameters                                                            \
    {                                                                                              \
        return result_of(call);                                                                    \
    }

/* The same where the call gives a long long, mostly a number of bytes. */
#define TRANSFER(name, parameters, call)                                                           \
    static long long system_##name parameters                                                      \
    {                                                                                              \
        const long long count = call;                                                              \
        return count < 0 ? -errno : count;                                                         \
    }

CALL(close, (int file), close(file))
CALL(set_mode, (int file, unsigned mode), fchmod(file, (mode_t)mode))
CALL(set_owner, (int file, unsigned owner, unsigned group),
     fchown(file, (uid_t)owner, (gid_t)group))
CALL(lock, (int file), flock(file, LOCK_EX))
CALL(try_lock, (int file), flock(file, LOCK_EX | LOCK_NB))
TRANSFER(read, (int file, void *to, size_t bytes), read(file, to, bytes))
TRANSFER(write, (int file, const void *from, size_t bytes), write(file, from, bytes))
TRANSFER(read_at, (int file, void *to, size_t bytes, uint64_t offset),
         pread(file, to, bytes, (off_t)offset))
TRANSFER(write_at, (int file, const void *from, size_t bytes, uint64_t offset),
         pwrite(file, from, bytes, (off_t)offset))
CALL(sync, (int file), fsync(file))
CALL(rename, (const char *from, const char *to), rename(from, to))
CALL(link, (const char *from, const char *to), link(from, to))
CALL(unlink, (const char *path), unlink(path))
CALL(resolve, (const char *path, char to[INK__PATH_BYTES]), realpath(path, to) == NULL ? -1 : 0)
CALL(make_folder, (const char *path, unsigned mode), mkdir(path, (mode_t)mode))
CALL(remove_folder, (const char *path), rmdir(path))
CALL(unmap, (const uint8_t *at, size_t bytes), munmap((void *)(uintptr_t)at, bytes))
TRANSFER(send, (int file, const void *from, size_t bytes), send(file, from, bytes, MSG_NOSIGNAL))
TRANSFER(receive, (int file, void *to, size_t bytes), recv(file, to, bytes, 0))
CALL(end_sending, (int file), shutdown(file, SHUT_WR))

static int system_list_folder(const char *path, int (*visit)(void *host, const char *name),
                              void       *host)
{
    DIR                 *folder = opendir(path);
    const struct dirent *entry;
    int                  result = folder == NULL ? -errno : 0;

    while (result == 0) {
        errno = 0;
        entry = readdir(folder);
        if (entry == NULL) {
            result = -errno;
            break;
        }
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            result = visit(host, entry->d_name);
    }
    if (folder != NULL)
        closedir(folder);
    return result;
}

static int system_list_matches(const char *pattern, int (*visit)(void *host, const char *name),
                               void       *host)
{
    glob_t found = {0};
    int    result = 0;

    switch (glob(pattern, GLOB_NOSORT, NULL, &found)) {
    case 0:
    case GLOB_NOMATCH:
        break;
    case GLOB_NOSPACE:
        result = -ENOMEM;
        break;
    default:
        result = -EIO;
    }
    for (size_t i = 0; result == 0 && i < found.gl_pathc; i++)
        result = visit(host, found.gl_pathv[i]);
    globfree(&found);
    return result;
}

/* A file without a name, which is gone when it is closed. */
static int open_hidden(const char *folder)
{
    char path[4096];

#ifdef O_TMPFILE
    int file = open(folder, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (file >= 0 || (errno != EOPNOTSUPP && errno != EISDIR && errno != EINVAL))
        return result_of(file);
#endif
    if (ink__format(path, sizeof path, "%s/ink.XXXXXX", folder) >= sizeof path - 1)
        return -ENAMETOOLONG;
    int named = mkstemp(path);
    if (named < 0)
        return -errno;
    unlink(path);
    fcntl(named, F_SETFD, FD_CLOEXEC);
    return named;
}

/* How the system opens a file; INK__OPEN_READ must refuse a FIFO, not wait for its writer. */
static const int open_flags[] = {
    [INK__OPEN_READ] = O_RDONLY | O_NONBLOCK,
    [INK__OPEN_STREAM] = O_RDONLY,
    [INK__OPEN_NEW] = O_WRONLY | O_CREAT | O_EXCL,
    [INK__OPEN_FOLDER] = O_RDONLY | O_DIRECTORY,
    [INK__OPEN_UPDATE] = O_RDWR | O_NONBLOCK,
    [INK__OPEN_LOCK] = O_RDWR | O_CREAT | O_NONBLOCK | O_NOFOLLOW,
};

static int system_open(const char *path, ink__open_how how, unsigned mode)
{
    if (how == INK__OPEN_HIDDEN)
        return open_hidden(path);
    return result_of(open(path, open_flags[how] | O_CLOEXEC, (mode_t)mode));
}

CALL(rename_new, (const char *from, const char *to), rename_unless_there(from, to))

static uint64_t nanoseconds_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

/* `result` is what the call that filled *from gave. */
static int translate(int result, const struct stat *from, ink__stat *to)
{
    if (result != 0)
        return -errno;
    to->bytes = from->st_size < 0 ? 0 : (uint64_t)from->st_size;
    to->mode = (unsigned)from->st_mode & 07777u;
    to->owner = (unsigned)from->st_uid;
    to->group = (unsigned)from->st_gid;
    to->regular = S_ISREG(from->st_mode);
    to->pipe = S_ISFIFO(from->st_mode);
    to->socket = S_ISSOCK(from->st_mode);
    to->folder = S_ISDIR(from->st_mode);
    to->link = S_ISLNK(from->st_mode);
    to->device = (uint64_t)from->st_dev;
    to->number = (uint64_t)from->st_ino;
    to->modified = nanoseconds_of(modified_of(from));
    to->changed = nanoseconds_of(changed_of(from));
    return 0;
}

static int system_stat_file(int file, ink__stat *to)
{
    struct stat from;

    return translate(fstat(file, &from), &from, to);
}

static int system_stat_path(const char *path, ink__stat *to)
{
    struct stat from;

    return translate(stat(path, &from), &from, to);
}

static int system_stat_link(const char *path, ink__stat *to)
{
    struct stat from;

    return translate(lstat(path, &from), &from, to);
}

static int system_read_link(const char *path, char *to, size_t bytes)
{
    return result_of((int)readlink(path, to, bytes));
}

static int system_map(int file, size_t bytes, const uint8_t **at)
{
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);

    if (mapped == MAP_FAILED)
        return -errno;
    *at = mapped;
    return 0;
}

static int system_leave(const uint8_t *at, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)at + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)at + bytes) / page * page;

    return end <= start ? 0 : result_of(madvise((void *)start, end - start, MADV_DONTNEED));
}

static int system_blank(const uint8_t *at, size_t bytes, const void *from)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = (uintptr_t)from / page * page;
    void           *zeros = mmap((void *)start, (uintptr_t)at + bytes - start, PROT_READ,
                                 MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0);

    return zeros == MAP_FAILED ? -errno : 0;
}

/* Our handler of bus errors, and the one before it. */
static bool (*_Atomic outlived_bus_error)(const void *address);
static struct sigaction before_bus_error;

static void handle_bus_error(int number, siginfo_t *why, void *context)
{
    const int kept = errno;

    if (!atomic_load(&outlived_bus_error)(why->si_addr)) {
        if ((before_bus_error.sa_flags & SA_SIGINFO) != 0)
            before_bus_error.sa_sigaction(number, why, context);
        else if (before_bus_error.sa_handler != SIG_DFL && before_bus_error.sa_handler != SIG_IGN)
            before_bus_error.sa_handler(number);
        else {
            sigaction(number, &before_bus_error, NULL); /* it is raised again, now or on return */
            if (why->si_code <= 0)
                raise(number);
        }
    }
    errno = kept;
}

static int system_on_bus_error(bool (*outlived)(const void *address))
{
    const struct sigaction ours = {.sa_sigaction = handle_bus_error,
                                   .sa_flags = SA_SIGINFO | SA_ONSTACK};
    struct sigaction       found = {0};

    sigaction(SIGBUS, NULL, &found);
    atomic_store(&outlived_bus_error, outlived);
    if ((found.sa_flags & SA_SIGINFO) != 0 && found.sa_sigaction == handle_bus_error)
        return 0;
    before_bus_error = found;
    return result_of(sigaction(SIGBUS, &ours, NULL));
}

static int system_advise_huge(void *at, size_t bytes)
{
#ifdef MADV_HUGEPAGE
    return result_of(madvise(at, bytes, MADV_HUGEPAGE));
#else
    (void)at;
    (void)bytes;
    return 0;
#endif
}

/* ---- Connections -------------------------------------------------------------------------- */

static int system_peer(const char *text, ink__peer *peer)
{
    *peer = (ink__peer){0};
    if (inet_pton(AF_INET, text, peer->bytes) == 1)
        return 0;
    peer->six = true;
    return inet_pton(AF_INET6, text, peer->bytes) == 1 ? 0 : -EINVAL;
}

/* A peer or a path as the system has it. */
typedef struct address {
    union {
        struct sockaddr     any;
        struct sockaddr_in  four;
        struct sockaddr_in6 six;
        struct sockaddr_un  path;
    } of;
    socklen_t bytes;
} address;

static address address_of(const ink__peer *peer)
{
    address of = {.bytes = peer->six ? sizeof of.of.six : sizeof of.of.four};

    if (peer->six) {
        of.of.six.sin6_family = AF_INET6;
        of.of.six.sin6_port = htons(peer->port);
        memcpy(&of.of.six.sin6_addr, peer->bytes, sizeof of.of.six.sin6_addr);
    } else {
        of.of.four.sin_family = AF_INET;
        of.of.four.sin_port = htons(peer->port);
        memcpy(&of.of.four.sin_addr, peer->bytes, sizeof of.of.four.sin_addr);
    }
    return of;
}

_Static_assert(sizeof((struct sockaddr_un *)0)->sun_path == INK__SOCKET_PATH_BYTES, "as it says");

static int address_of_path(const char *path, address *of)
{
    size_t bytes = strlen(path) + 1;

    *of = (address){.bytes = sizeof of->of.path};
    of->of.path.sun_family = AF_UNIX;
    if (bytes == 1)
        return -ENOENT; /* which would mean a name that the system chooses */
    if (bytes > sizeof of->of.path.sun_path)
        return -ENAMETOOLONG;
    memcpy(of->of.path.sun_path, path, bytes);
    return 0;
}

/* A socket for an address, on which no call blocks. */
static int open_socket(const address *of)
{
    const int file = socket(of->of.any.sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

    return result_of(make_ready(file, false));
}

/* Closes a file after a failed call, and gives the errno of that. */
static int close_failed(int file)
{
    int os_error = errno;

    close(file);
    return -os_error;
}

static int system_connect(const ink__peer *to)
{
    address of = address_of(to);
    int     file = open_socket(&of), yes = 1;

    if (file < 0)
        return file;
    /* Whole messages are sent. A refusal costs time only. */
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (connect(file, &of.of.any, of.bytes) != 0 && errno != EINPROGRESS && errno != EINTR)
        return close_failed(file);
    return file;
}

static int system_connect_path(const char *path)
{
    address of;
    int     result = address_of_path(path, &of);
    int     file = result < 0 ? result : open_socket(&of);

    if (file < 0)
        return file;
    while ((result = connect(file, &of.of.any, of.bytes)) != 0 && errno == EINTR)
        ;
    if (result != 0 && errno != EISCONN) /* it was interrupted when it was connected */
        return close_failed(file);
    return file;
}

static int system_connected(int file)
{
    int       os_error = 0;
    socklen_t bytes = sizeof os_error;

    return getsockopt(file, SOL_SOCKET, SO_ERROR, &os_error, &bytes) != 0 ? -errno : -os_error;
}

/* Listens with the largest backlog: many clients may connect at once. */
static int listen_at(const address *at)
{
    int file = open_socket(at), yes = 1;

    if (file < 0)
        return file;
    /* Without this the port cannot be used again for a minute. */
    setsockopt(file, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(file, &at->of.any, at->bytes) != 0)
        return close_failed(file);
    if (listen(file, SOMAXCONN) == 0)
        return file;
    int failed = close_failed(file);
    if (at->of.any.sa_family == AF_UNIX) /* bind has created the path */
        unlink(at->of.path.sun_path);
    return failed;
}

static int system_listen(const ink__peer *at)
{
    address of = address_of(at);

    return listen_at(&of);
}

static int system_listen_path(const char *path)
{
    address of;
    int     result = address_of_path(path, &of);

    return result < 0 ? result : listen_at(&of);
}

static int system_port(int file)
{
    address of = {.bytes = sizeof of.of};

    if (getsockname(file, &of.of.any, &of.bytes) != 0)
        return -errno;
    return ntohs(of.of.any.sa_family == AF_INET6 ? of.of.six.sin6_port : of.of.four.sin_port);
}

static int system_accept(int file)
{
    int connection = accept_ready(file);
    int yes = 1, idle = 60, pause = 15, attempts = 4; /* seconds: two minutes in all */

    if (connection < 0)
        return -errno;
    /* A Unix socket needs none of these. */
    setsockopt(connection, SOL_SOCKET, SO_KEEPALIVE, &yes, sizeof yes);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPIDLE, &idle, sizeof idle);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPINTVL, &pause, sizeof pause);
    setsockopt(connection, IPPROTO_TCP, TCP_KEEPCNT, &attempts, sizeof attempts);
    setsockopt(connection, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    return connection;
}

/* New files get the lowest free number. */
static int system_files_left(int file)
{
    struct rlimit limit;
    int           free_number = fcntl(file, F_DUPFD_CLOEXEC, 0);

    if (free_number < 0)
        return errno == EMFILE ? 0 : -errno;
    close(free_number);
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return -errno;
    if (limit.rlim_cur > INT_MAX)
        return INT_MAX;
    return (int)limit.rlim_cur > free_number ? (int)limit.rlim_cur - free_number : 0;
}

static short events_of(int what)
{
    return (short)(((what & INK__CAN_READ) != 0 ? POLLIN : 0) |
                   ((what & INK__CAN_WRITE) != 0 ? POLLOUT : 0));
}

static int ready_of(short events, int what)
{
    if ((events & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        return what;
    return ((events & POLLIN) != 0 ? INK__CAN_READ : 0) |
           ((events & POLLOUT) != 0 ? INK__CAN_WRITE : 0);
}

static int system_wait(int file, int what, int milliseconds)
{
    struct pollfd polled = {.fd = file, .events = events_of(what)};
    int           count = poll(&polled, 1, milliseconds);

    return count <= 0 ? result_of(count) : ready_of(polled.revents, what);
}

/* The files go to the system in place, with its own numbers in them for that time: this layer has
 * no memory for copies. */
_Static_assert(sizeof(ink__awaited) == sizeof(struct pollfd) &&
                   offsetof(ink__awaited, file) == offsetof(struct pollfd, fd) &&
                   offsetof(ink__awaited, what) == offsetof(struct pollfd, events) &&
                   offsetof(ink__awaited, ready) == offsetof(struct pollfd, revents),
               "ours is the system's");

static int system_wait_many(ink__awaited *files, size_t count, int milliseconds)
{
    for (size_t i = 0; i < count; i++) {
        files[i].what = events_of(files[i].what);
        files[i].ready = 0;
    }
    int result = result_of(poll((struct pollfd *)(void *)files, (nfds_t)count, milliseconds));
    for (size_t i = 0; i < count; i++) {
        files[i].what = (short)ready_of(files[i].what, 0);
        files[i].ready = (short)(result < 0 ? 0 : ready_of(files[i].ready, files[i].what));
    }
    return result;
}

/* ---- Programs ----------------------------------------------------------------------------- */

/* Runs a program whose output is `to`; gives an errno. */
static int spawn(const char *const *arguments, int to, pid_t *id)
{
    posix_spawn_file_actions_t actions;
    int                        failed = posix_spawn_file_actions_init(&actions);

    if (failed != 0)
        return failed;
    /* `to` may be 0, 1 or 2 itself, if those were closed: it is moved first. */
    failed = posix_spawn_file_actions_adddup2(&actions, to, 1);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (failed == 0) /* it changes no argument, despite its type */
        failed = posix_spawnp(id, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                              environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static long long system_start(const char *const *arguments, int *output)
{
    int   ends[2];
    pid_t id = 0;

    if (pipe_ready(ends) != 0)
        return -errno;
    int failed = spawn(arguments, ends[1], &id);
    close(ends[1]);
    if (failed != 0) {
        close(ends[0]);
        return -failed;
    }
    *output = ends[0];
    return id;
}

static int system_finish(long long id, bool kill_it)
{
    int state;

    if (kill_it)
        kill((pid_t)id, SIGKILL);
    if (waitpid((pid_t)id, &state, 0) < 0)
        return -errno;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* ---- The process -------------------------------------------------------------------------- */

TRANSFER(process_id, (void), getpid())
TRANSFER(thread_id, (void), thread_number())

static unsigned system_user(void)
{
    return (unsigned)geteuid();
}

static int system_host_name(char *to, size_t bytes)
{
    int result = result_of(gethostname(to, bytes));

    to[bytes - 1] = '\0'; /* left out when truncated */
    return result == -ENAMETOOLONG ? 0 : result;
}

static const char *system_environment(const char *name)
{
    return getenv(name);
}

static uint64_t system_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return nanoseconds_of(&now);
}

static uint64_t system_thread_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
    return nanoseconds_of(&now);
}

static uint64_t system_thread_faults(void)
{
    struct rusage used;

    return getrusage(FAULTS_OF, &used) == 0 ? (uint64_t)(used.ru_minflt + used.ru_majflt) : 0;
}

static int64_t system_wall(void)
{
    struct timespec now;

    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000 + now.tv_nsec / 1000;
}

static unsigned system_cores(void)
{
    const int  allowed = allowed_cores();
    const long online = sysconf(_SC_NPROCESSORS_ONLN);

    return allowed > 0 ? (unsigned)allowed : online > 0 ? (unsigned)online : 1;
}

static long long system_read_start(const char *path, void *to, size_t bytes)
{
    int file = open(path, O_RDONLY | O_CLOEXEC);

    if (file < 0)
        return -errno;
    ssize_t   got = read(file, to, bytes);
    long long result = got < 0 ? -errno : got;
    close(file);
    return result;
}

enum { CACHE_BYTES = 32 };

/* The first line of what Linux says about a cache, without its end; empty if there is none. */
static const char *read_cache(unsigned index, const char *what, char line[CACHE_BYTES])
{
    char path[80];

    ink__format(path, sizeof path, "/sys/devices/system/cpu/cpu0/cache/index%u/%s", index, what);
    long long got = system_read_start(path, line, CACHE_BYTES - 1);
    line[got > 0 ? got : 0] = '\0';
    line[strcspn(line, "\n")] = '\0';
    return line;
}

/* A size as "2048K" or "1M". */
static uint64_t size_of(const char *text)
{
    uint64_t size = 0;

    for (; *text >= '0' && *text <= '9' && size < UINT32_MAX; text++)
        size = 10 * size + (uint64_t)(*text - '0');
    return *text == 'K' ? size << 10 : *text == 'M' ? size << 20 : size;
}

/* Linux lists the caches of a core in folders, in no fixed order. */
static uint64_t listed_cache_bytes(unsigned level)
{
    char line[CACHE_BYTES];

    for (unsigned index = 0; index < 8; index++)
        if (size_of(read_cache(index, "level", line)) == level &&
            strcmp(read_cache(index, "type", line), "Instruction") != 0)
            return size_of(read_cache(index, "size", line));
    return 0;
}

static uint64_t system_cache_bytes(unsigned level)
{
    long bytes = 0;

#if defined(_SC_LEVEL1_DCACHE_SIZE) && defined(_SC_LEVEL2_CACHE_SIZE)
    bytes = sysconf(level == 1 ? _SC_LEVEL1_DCACHE_SIZE : _SC_LEVEL2_CACHE_SIZE);
#endif
    return bytes > 0 ? (uint64_t)bytes : listed_cache_bytes(level);
}

const ink__system ink__posix = {
    .open = system_open,
    .close = system_close,
    .stat_file = system_stat_file,
    .stat_path = system_stat_path,
    .stat_link = system_stat_link,
    .read_link = system_read_link,
    .set_mode = system_set_mode,
    .set_owner = system_set_owner,
    .resolve = system_resolve,
    .lock = system_lock,
    .try_lock = system_try_lock,
    .read = system_read,
    .write = system_write,
    .read_at = system_read_at,
    .write_at = system_write_at,
    .sync = system_sync,
    .rename = system_rename,
    .rename_new = system_rename_new,
    .link = system_link,
    .unlink = system_unlink,
    .make_folder = system_make_folder,
    .remove_folder = system_remove_folder,
    .list_folder = system_list_folder,
    .list_matches = system_list_matches,
    .map = system_map,
    .unmap = system_unmap,
    .leave = system_leave,
    .blank = system_blank,
    .on_bus_error = system_on_bus_error,
    .advise_huge = system_advise_huge,
    .peer = system_peer,
    .connect = system_connect,
    .connected = system_connected,
    .wait = system_wait,
    .send = system_send,
    .receive = system_receive,
    .end_sending = system_end_sending,
    .listen = system_listen,
    .listen_path = system_listen_path,
    .port = system_port,
    .accept = system_accept,
    .files_left = system_files_left,
    .connect_path = system_connect_path,
    .wait_many = system_wait_many,
    .start = system_start,
    .finish = system_finish,
    .process_id = system_process_id,
    .user = system_user,
    .thread_id = system_thread_id,
    .host_name = system_host_name,
    .environment = system_environment,
    .nanoseconds = system_nanoseconds,
    .thread_nanoseconds = system_thread_nanoseconds,
    .thread_faults = system_thread_faults,
    .wall = system_wall,
    .cores = system_cores,
    .read_start = system_read_start,
    .cache_bytes = system_cache_bytes,
};

static const ink__system *current = &ink__posix;

const ink__system *ink__system_now(void)
{
    return current;
}

void ink__system_replace(const ink__system *system)
{
    current = system != NULL ? system : &ink__posix;
}

void ink__system_reason(int os_error, char *text, size_t text_bytes)
{
#if defined(__GLIBC__) /* with _GNU_SOURCE it returns the text, which may be elsewhere */
    char words[128];
    ink__format(text, text_bytes, "%s", strerror_r(os_error, words, sizeof words));
#else
    if (strerror_r(os_error, text, text_bytes) != 0)
        ink__format(text, text_bytes, "error %d", os_error);
#endif
}
