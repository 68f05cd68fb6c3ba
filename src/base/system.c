/* system.c - the operating system's calls, and nothing else. No loops, no policy: files.c has
 * those. Every call gives a negative errno on failure, so that a replacement need not set errno. */
#define _GNU_SOURCE 1 /* O_TMPFILE, CPU_COUNT, flock, pipe2 */
#define _FILE_OFFSET_BITS 64
#include "base/system.h"

#include "base/text.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h> /* rename */
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef PATH_MAX
_Static_assert(PATH_MAX <= INK__PATH_BYTES, "realpath writes no more");
#endif

static int result_of(int returned)
{
    return returned < 0 ? -errno : returned;
}

/* A file in a folder that nobody else can see: it is gone when it is closed, or with the process.
 */
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
    return named;
}

static int posix_open(const char *path, ink__open_how how, unsigned mode)
{
    switch (how) {
    case INK__OPEN_NEW:
        return result_of(open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, (mode_t)mode));
    case INK__OPEN_HIDDEN:
        return open_hidden(path);
    case INK__OPEN_STREAM:
        return result_of(open(path, O_RDONLY | O_CLOEXEC));
    case INK__OPEN_FOLDER:
        return result_of(open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    case INK__OPEN_UPDATE:
        return result_of(open(path, O_RDWR | O_NONBLOCK | O_CLOEXEC));
    default:
        /* Not blocking: a FIFO must be refused, not waited for. */
        return result_of(open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC));
    }
}

static int posix_close(int file)
{
    return result_of(close(file));
}

static uint64_t nanoseconds_of(const struct timespec *time)
{
    return (uint64_t)time->tv_sec * 1000000000u + (uint64_t)time->tv_nsec;
}

static void translate(const struct stat *from, ink__stat *to)
{
    to->bytes = from->st_size < 0 ? 0 : (uint64_t)from->st_size;
    to->mode = (unsigned)from->st_mode & 07777u;
    to->owner = (unsigned)from->st_uid;
    to->group = (unsigned)from->st_gid;
    to->regular = S_ISREG(from->st_mode);
    to->pipe = S_ISFIFO(from->st_mode);
    to->device = (uint64_t)from->st_dev;
    to->number = (uint64_t)from->st_ino;
    to->modified = nanoseconds_of(&from->st_mtim);
    to->changed = nanoseconds_of(&from->st_ctim);
}

static int posix_stat_file(int file, ink__stat *to)
{
    struct stat from;

    if (fstat(file, &from) != 0)
        return -errno;
    translate(&from, to);
    return 0;
}

static int posix_stat_path(const char *path, ink__stat *to)
{
    struct stat from;

    if (stat(path, &from) != 0)
        return -errno;
    translate(&from, to);
    return 0;
}

static int posix_set_mode(int file, unsigned mode)
{
    return result_of(fchmod(file, (mode_t)mode));
}

static int posix_set_owner(int file, unsigned owner, unsigned group)
{
    return result_of(fchown(file, (uid_t)owner, (gid_t)group));
}

static int posix_resolve(const char *path, char to[INK__PATH_BYTES])
{
    return realpath(path, to) == NULL ? -errno : 0;
}

static int posix_lock(int file)
{
    return result_of(flock(file, LOCK_EX));
}

static long long posix_read(int file, void *to, size_t bytes)
{
    ssize_t count = read(file, to, bytes);

    return count < 0 ? -errno : count;
}

static long long posix_write(int file, const void *from, size_t bytes)
{
    ssize_t count = write(file, from, bytes);

    return count < 0 ? -errno : count;
}

static long long posix_read_at(int file, void *to, size_t bytes, uint64_t offset)
{
    ssize_t count = pread(file, to, bytes, (off_t)offset);

    return count < 0 ? -errno : count;
}

static long long posix_write_at(int file, const void *from, size_t bytes, uint64_t offset)
{
    ssize_t count = pwrite(file, from, bytes, (off_t)offset);

    return count < 0 ? -errno : count;
}

static int posix_sync(int file)
{
    return result_of(fsync(file));
}

static int posix_rename(const char *from, const char *to)
{
    return result_of(rename(from, to));
}

static int posix_unlink(const char *path)
{
    return result_of(unlink(path));
}

static int posix_map(int file, size_t bytes, const uint8_t **at)
{
    void *mapped = mmap(NULL, bytes, PROT_READ, MAP_SHARED, file, 0);

    if (mapped == MAP_FAILED)
        return -errno;
    *at = mapped;
    return 0;
}

static int posix_unmap(const uint8_t *at, size_t bytes)
{
    return result_of(munmap((void *)(uintptr_t)at, bytes));
}

static int posix_advise_huge(void *at, size_t bytes)
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

static int posix_peer(const char *text, ink__peer *peer)
{
    *peer = (ink__peer){0};
    if (inet_pton(AF_INET, text, peer->bytes) == 1)
        return 0;
    peer->six = true;
    return inet_pton(AF_INET6, text, peer->bytes) == 1 ? 0 : -EINVAL;
}

static int begin_connecting(int file, const ink__peer *to)
{
    struct sockaddr_in  four = {.sin_family = AF_INET, .sin_port = htons(to->port)};
    struct sockaddr_in6 six = {.sin6_family = AF_INET6, .sin6_port = htons(to->port)};

    memcpy(&four.sin_addr, to->bytes, sizeof four.sin_addr);
    memcpy(&six.sin6_addr, to->bytes, sizeof six.sin6_addr);
    return to->six ? connect(file, (const struct sockaddr *)&six, sizeof six)
                   : connect(file, (const struct sockaddr *)&four, sizeof four);
}

static int posix_connect(const ink__peer *to)
{
    int type = SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, yes = 1;
    int file = socket(to->six ? AF_INET6 : AF_INET, type, 0);

    if (file < 0)
        return -errno;
    /* What is sent is whole messages; a refusal makes it slower and nothing else. */
    setsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
    if (begin_connecting(file, to) != 0 && errno != EINPROGRESS && errno != EINTR) {
        int os_error = errno;
        close(file);
        return -os_error;
    }
    return file;
}

static int posix_connected(int file)
{
    int       os_error = 0;
    socklen_t bytes = sizeof os_error;

    return getsockopt(file, SOL_SOCKET, SO_ERROR, &os_error, &bytes) != 0 ? -errno : -os_error;
}

static int posix_wait(int file, int what, int milliseconds)
{
    short         wanted = (short)(((what & INK__CAN_READ) != 0 ? POLLIN : 0) |
                           ((what & INK__CAN_WRITE) != 0 ? POLLOUT : 0));
    struct pollfd polled = {.fd = file, .events = wanted};

    int count = poll(&polled, 1, milliseconds);
    if (count <= 0)
        return result_of(count);
    if ((polled.revents & (POLLERR | POLLHUP | POLLNVAL)) != 0)
        return what;
    return ((polled.revents & POLLIN) != 0 ? INK__CAN_READ : 0) |
           ((polled.revents & POLLOUT) != 0 ? INK__CAN_WRITE : 0);
}

static long long posix_send(int file, const void *from, size_t bytes)
{
    ssize_t count = send(file, from, bytes, MSG_NOSIGNAL);

    return count < 0 ? -errno : count;
}

static long long posix_receive(int file, void *to, size_t bytes)
{
    ssize_t count = recv(file, to, bytes, 0);

    return count < 0 ? -errno : count;
}

static int posix_end_sending(int file)
{
    return result_of(shutdown(file, SHUT_WR));
}

/* ---- Programs ----------------------------------------------------------------------------- */

/* Runs a program whose output is `to`; gives an errno. */
static int spawn(const char *const *arguments, int to, pid_t *id)
{
    posix_spawn_file_actions_t actions;
    int                        failed = posix_spawn_file_actions_init(&actions);

    if (failed != 0)
        return failed;
    /* `to` may be one of the first three itself, if these were closed: it is moved first. */
    failed = posix_spawn_file_actions_adddup2(&actions, to, 1);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0);
    if (failed == 0)
        failed = posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0);
    if (failed == 0) /* which changes no argument, though its type does not say so */
        failed = posix_spawnp(id, arguments[0], &actions, NULL, (char *const *)(uintptr_t)arguments,
                              environ);
    posix_spawn_file_actions_destroy(&actions);
    return failed;
}

static long long posix_start(const char *const *arguments, int *output)
{
    int   ends[2];
    pid_t id = 0;

    if (pipe2(ends, O_CLOEXEC) != 0)
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

static int posix_finish(long long id, bool kill_it)
{
    int state;

    if (kill_it)
        kill((pid_t)id, SIGKILL);
    if (waitpid((pid_t)id, &state, 0) < 0)
        return -errno;
    return WIFEXITED(state) ? WEXITSTATUS(state) : 128 + WTERMSIG(state);
}

/* ---- The process -------------------------------------------------------------------------- */

static long long posix_process_id(void)
{
    return getpid();
}

static const char *posix_environment(const char *name)
{
    return getenv(name);
}

static uint64_t posix_nanoseconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return nanoseconds_of(&now);
}

static unsigned posix_cores(void)
{
    cpu_set_t set;
    long      online = sysconf(_SC_NPROCESSORS_ONLN);

    if (sched_getaffinity(0, sizeof set, &set) == 0)
        return (unsigned)CPU_COUNT(&set);
    return online > 0 ? (unsigned)online : 1; /* more cores than the set has room for */
}

const ink__system ink__posix = {
    .open = posix_open,
    .close = posix_close,
    .stat_file = posix_stat_file,
    .stat_path = posix_stat_path,
    .set_mode = posix_set_mode,
    .set_owner = posix_set_owner,
    .resolve = posix_resolve,
    .lock = posix_lock,
    .read = posix_read,
    .write = posix_write,
    .read_at = posix_read_at,
    .write_at = posix_write_at,
    .sync = posix_sync,
    .rename = posix_rename,
    .unlink = posix_unlink,
    .map = posix_map,
    .unmap = posix_unmap,
    .advise_huge = posix_advise_huge,
    .peer = posix_peer,
    .connect = posix_connect,
    .connected = posix_connected,
    .wait = posix_wait,
    .send = posix_send,
    .receive = posix_receive,
    .end_sending = posix_end_sending,
    .start = posix_start,
    .finish = posix_finish,
    .process_id = posix_process_id,
    .environment = posix_environment,
    .nanoseconds = posix_nanoseconds,
    .cores = posix_cores,
};

/* The only writable global below the kernel choice; see ink__system_replace. */
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
#if defined(__GLIBC__) /* with _GNU_SOURCE: the words, which may be elsewhere */
    char words[128];
    ink__format(text, text_bytes, "%s", strerror_r(os_error, words, sizeof words));
#else
    if (strerror_r(os_error, text, text_bytes) != 0)
        ink__format(text, text_bytes, "error %d", os_error);
#endif
}
