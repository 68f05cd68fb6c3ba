/* calls.h - every call of libc with which `ink` and what it loads enter the kernel, and how each
 * can fail. The interposing library (interpose.c) counts and fails these; the suite fails when the
 * command calls something that is neither here nor known to stay in the process (symbols.c).
 *
 * CALL(name, faults): faults are letters, each one way to fail. */
#ifndef INK_TORTURE_CALLS_H
#define INK_TORTURE_CALLS_H

/* i EIO, s ENOSPC, q EDQUOT, m ENOMEM, f EMFILE, a EACCES, g EAGAIN, p EPIPE, r ECONNRESET,
 * b ENOBUFS, u EADDRINUSE, c ECONNREFUSED, k ECONNABORTED;
 * t EINTR and 1 (a transfer of one byte) are no failures: the result must be the right one. */
#define TORTURE_CALLS(CALL)                                                                        \
    CALL(open, "isqmfat")                                                                          \
    CALL(close, "isqt")                                                                            \
    CALL(read, "imt1")                                                                             \
    CALL(write, "isqpt1")                                                                          \
    CALL(pread, "imt1")                                                                            \
    CALL(pwrite, "isqt1")                                                                          \
    CALL(fsync, "isqt")                                                                            \
    CALL(rename, "isqma")                                                                          \
    CALL(renameat2, "isqma")                                                                       \
    CALL(link, "isqma")                                                                            \
    CALL(unlink, "ia")                                                                             \
    CALL(uname, "i")                                                                               \
    CALL(mkdir, "isqa")                                                                            \
    CALL(rmdir, "i")                                                                               \
    CALL(stat, "ima")                                                                              \
    CALL(lstat, "ia")                                                                              \
    CALL(readlink, "ia")                                                                           \
    CALL(fstat, "im")                                                                              \
    CALL(access, "ia")                                                                             \
    CALL(realpath, "ima")                                                                          \
    CALL(fchmod, "iat")                                                                            \
    CALL(fchown, "iat")                                                                            \
    CALL(fcntl, "if")                                                                              \
    CALL(flock, "imt")                                                                             \
    CALL(mmap, "img")                                                                              \
    CALL(munmap, "m")                                                                              \
    CALL(madvise, "im")                                                                            \
    CALL(mkstemp, "isf")                                                                           \
    CALL(mkdtemp, "isa")                                                                           \
    CALL(opendir, "fma")                                                                           \
    CALL(readdir, "i")                                                                             \
    CALL(glob, "i")                                                                                \
    CALL(fopen, "isfm")                                                                            \
    CALL(fclose, "isq")                                                                            \
    CALL(fwrite, "isq")                                                                            \
    CALL(fgets, "i")                                                                               \
    CALL(popen, "fm")                                                                              \
    CALL(pclose, "i")                                                                              \
    CALL(pipe2, "f")                                                                               \
    CALL(posix_spawnp, "imga")                                                                     \
    CALL(waitpid, "t")                                                                             \
    CALL(kill, "a")                                                                                \
    CALL(pthread_create, "g")                                                                      \
    CALL(pthread_mutex_init, "m")                                                                  \
    CALL(pthread_cond_init, "m")                                                                   \
    CALL(socket, "fmb")                                                                            \
    CALL(bind, "iamu")                                                                             \
    CALL(listen, "iu")                                                                             \
    CALL(accept4, "fmbktri")                                                                       \
    CALL(connect, "iatrbc")                                                                        \
    CALL(getsockname, "mb")                                                                        \
    CALL(getsockopt, "mb")                                                                         \
    CALL(setsockopt, "mb")                                                                         \
    CALL(shutdown, "r")                                                                            \
    CALL(send, "imrpbt1")                                                                          \
    CALL(recv, "imrt1")                                                                            \
    CALL(poll, "mt")                                                                               \
    CALL(getaddrinfo, "i")                                                                         \
    CALL(dlopen, "i")                                                                              \
    CALL(gethostname, "i")                                                                         \
    CALL(getrlimit, "i")                                                                           \
    CALL(setrlimit, "i")                                                                           \
    CALL(ioctl, "i")                                                                               \
    CALL(isatty, "i")                                                                              \
    CALL(sched_getaffinity, "i")                                                                   \
    CALL(sysconf, "i")                                                                             \
    CALL(sigaction, "m")                                                                           \
    CALL(sigaltstack, "m")

typedef enum torture_call {
#define TORTURE_ENUM(name, faults) TORTURE_##name,
    TORTURE_CALLS(TORTURE_ENUM)
#undef TORTURE_ENUM
        TORTURE_ALLOCATION, /* malloc and its relatives, together */
    TORTURE_CALL_COUNT,
} torture_call;

#endif
