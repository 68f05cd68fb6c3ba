/* kill_at.c - runs a program and kills it (SIGKILL) right before the n-th of those system calls
 * that can change a file or a name, so that it dies at every point there is, one after the other.
 *
 *     kill_at N PROGRAM [ARGUMENT...]     N 0: nothing is killed, the calls are counted
 *     kill_at                             what it promises, as TAP
 *
 * The last line on standard output is "killed before CALL", or "ended CODE after N calls"; exits
 * with 0 in both cases, with 2 if it cannot do its work. Threads count together. Used by
 * tests/torture/kill.py.
 */
#define _GNU_SOURCE 1
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

/* What came of a program. */
typedef struct outcome {
    const char *killed; /* before this call; NULL: it ended */
    int         code;
    unsigned    calls;
} outcome;

static const char *name_of(long long call)
{
    static const struct {
        long        number;
        const char *name;
    } changing[] = {
        {SYS_openat, "openat"},
        {SYS_write, "write"},
        {SYS_writev, "writev"},
        {SYS_pwrite64, "pwrite64"},
        {SYS_fsync, "fsync"},
        {SYS_fdatasync, "fdatasync"},
        {SYS_ftruncate, "ftruncate"},
        {SYS_fallocate, "fallocate"},
        {SYS_renameat, "renameat"},
        {SYS_renameat2, "renameat2"},
        {SYS_unlinkat, "unlinkat"},
        {SYS_linkat, "linkat"},
        {SYS_symlinkat, "symlinkat"},
        {SYS_mkdirat, "mkdirat"},
        {SYS_fchmod, "fchmod"},
        {SYS_fchown, "fchown"},
        {SYS_flock, "flock"},
        {SYS_close, "close"},
        {SYS_exit_group, "exit_group"},
#ifdef SYS_open
        {SYS_open, "open"},
        {SYS_rename, "rename"},
        {SYS_unlink, "unlink"},
        {SYS_link, "link"},
        {SYS_mkdir, "mkdir"},
#endif
    };

    for (size_t i = 0; i < sizeof changing / sizeof changing[0]; i++)
        if (changing[i].number == call)
            return changing[i].name;
    return NULL;
}

static void fail(const char *what)
{
    fprintf(stderr, "kill_at: %s: %s\n", what, strerror(errno));
    exit(2);
}

/* The program, stopped before its first own step. */
static pid_t start(char **words)
{
    pid_t process = fork();
    int   state;

    if (process < 0)
        fail("cannot fork");
    if (process == 0) {
        if (ptrace(PTRACE_TRACEME, 0, NULL, NULL) != 0)
            fail("cannot be traced");
        raise(SIGSTOP);
        execv(words[0], words);
        fail(words[0]);
    }
    if (waitpid(process, &state, 0) < 0 || !WIFSTOPPED(state))
        fail("cannot trace");
    if (ptrace(PTRACE_SETOPTIONS, process, NULL,
               (void *)(PTRACE_O_EXITKILL | PTRACE_O_TRACESYSGOOD | PTRACE_O_TRACECLONE |
                        PTRACE_O_TRACEEXEC)) != 0 ||
        ptrace(PTRACE_SYSCALL, process, NULL, NULL) != 0)
        fail("cannot trace");
    return process;
}

/* The call that a thread is about to make, if it can change something. */
static const char *changing_call(pid_t thread)
{
    struct __ptrace_syscall_info call;

    if (ptrace(PTRACE_GET_SYSCALL_INFO, thread, (void *)sizeof call, &call) <= 0 ||
        call.op != PTRACE_SYSCALL_INFO_ENTRY)
        return NULL;
    return name_of((long long)call.entry.nr);
}

/* Waits until all of it is gone; its own exit code, or minus the signal it died of. */
static int reap(pid_t process)
{
    int   state, code = 0;
    pid_t thread;

    while ((thread = waitpid(-1, &state, __WALL)) > 0)
        if (thread == process && !WIFSTOPPED(state))
            code = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
    return code;
}

static outcome run(unsigned nth, char **words)
{
    pid_t   process = start(words), thread;
    outcome of = {0};
    bool    begun = false; /* the program runs, no longer we */
    int     state;

    while ((thread = waitpid(-1, &state, __WALL)) > 0) {
        int signal_to_give = 0;
        if (!WIFSTOPPED(state)) {
            if (thread == process) {
                of.code = WIFEXITED(state) ? WEXITSTATUS(state) : -WTERMSIG(state);
                break;
            }
            continue;
        }
        if (state >> 8 == (SIGTRAP | PTRACE_EVENT_EXEC << 8))
            begun = true;
        else if (WSTOPSIG(state) == (SIGTRAP | 0x80)) {
            const char *call = begun ? changing_call(thread) : NULL;
            of.calls += call != NULL;
            if (call != NULL && of.calls == nth) {
                of.killed = call;
                kill(process, SIGKILL);
                of.code = reap(process);
                return of;
            }
        } else if (WSTOPSIG(state) != SIGTRAP && WSTOPSIG(state) != SIGSTOP)
            signal_to_give = WSTOPSIG(state);
        ptrace(PTRACE_SYSCALL, thread, NULL, (void *)(long)signal_to_give);
    }
    reap(process);
    return of;
}

/* ---- Itself ------------------------------------------------------------------------------- */

static bool notify(int number, bool good, const char *message)
{
    printf("%s %d - %s\n", good ? "ok" : "not ok", number, message);
    return !good;
}

/* A program that makes a file "x", then a folder "y". */
static int check(void)
{
    char    *words[] = {(char[]){"/bin/sh"}, (char[]){"-c"}, (char[]){"echo > x; mkdir y"}, NULL};
    outcome  whole = run(0, words);
    bool     both = access("x", F_OK) == 0 && access("y", F_OK) == 0;
    int      failed = 0;
    unsigned points = 0;
    bool     between = false, died = true;

    for (unsigned nth = 1;; nth++) {
        unlink("x");
        rmdir("y");
        outcome of = run(nth, words);
        if (of.killed == NULL)
            break;
        points++;
        died = died && of.calls == nth && of.code == -SIGKILL;
        between = between || (access("x", F_OK) == 0 && access("y", F_OK) != 0);
    }
    printf("1..4\n");
    failed += notify(1, whole.code == 0 && both, "a program that is not killed does its work");
    failed += notify(2, whole.calls > 5 && whole.calls == points,
                     "it is killed before each call, as often as there are calls");
    failed += notify(3, died, "it dies, and of that");
    failed += notify(4, between, "what it had done before is done, and nothing after it");
    unlink("x");
    rmdir("y");
    return failed;
}

int main(int argc, char **argv)
{
    if (argc == 1)
        return check();
    if (argc == 2) {
        fprintf(stderr, "usage: kill_at N PROGRAM [ARGUMENT...]\n");
        return 2;
    }
    outcome of = run((unsigned)strtoul(argv[1], NULL, 10), argv + 2);
    if (of.killed != NULL)
        printf("killed before %s\n", of.killed);
    else
        printf("ended %d after %u calls\n", of.code, of.calls);
    return 0;
}
