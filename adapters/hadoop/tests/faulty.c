/* faulty.c - ink as tests send it to the nodes: the attempts that the setting ink.test.faults of a
 * job names end badly, or are slow; all others, and any other caller, get ink itself.
 *
 *     ink.test.faults=m0=exit;m1=segv;r0=parent      the first attempt of maps, the second, ...
 *     ink.test.faults=m0@2=slow                      the first attempt of map number 2
 */
#define _GNU_SOURCE
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#ifndef INK
#error "INK: the path of the real program, as a string"
#endif

enum { SOME_BYTES = 1000, SLOW_SECONDS = 1, PARTS = 300 };

/* What follows `key` in the list, or NULL. */
static const char *value_of(const char *faults, const char *key)
{
    static char found[32];
    const char *at = strstr(faults, key);

    if (at == NULL)
        return NULL;
    at += strlen(key);
    snprintf(found, sizeof found, "%.*s", (int)strcspn(at, ";"), at);
    return found;
}

/* What this attempt is to do, or NULL. Its name is attempt_TIME_JOB_m_TASK_ATTEMPT. */
static const char *fault_of(const char *attempt, const char *faults)
{
    char kind, any[64], own[64];
    int  task, number;

    if (sscanf(attempt, "attempt_%*[^_]_%*[^_]_%c_%d_%d", &kind, &task, &number) != 3)
        return NULL;
    snprintf(any, sizeof any, "%c%d=", kind, number);
    snprintf(own, sizeof own, "%c%d@%d=", kind, number, task);
    const char *fault = value_of(faults, own);
    return fault != NULL ? fault : value_of(faults, any);
}

/* Dies when it has seen some of its input, as one that has begun to work. */
static void die(const char *how)
{
    char bytes[SOME_BYTES];

    if (read(STDIN_FILENO, bytes, sizeof bytes) < 0)
        exit(9);
    if (strcmp(how, "exit") == 0)
        exit(1);
    if (strcmp(how, "parent") == 0)
        kill(getppid(), SIGKILL);
    else
        kill(getpid(), strcmp(how, "segv") == 0 ? SIGSEGV : SIGKILL);
    for (;;)
        pause();
}

/* ink as a child; with `slow` its input, the list of what it is to read, comes byte by byte, with a
 * pause after each of PARTS parts. */
static int run_child(char **words, int slow)
{
    int           pipes[2], status;
    struct rusage used;

    if (pipe(pipes) != 0)
        return 9;
    pid_t child = fork();
    if (child == 0) {
        if (slow)
            dup2(pipes[0], STDIN_FILENO);
        close(pipes[0]);
        close(pipes[1]);
        execv(INK, words);
        _exit(9);
    }
    close(pipes[0]);
    for (int part = 0; slow; part++) {
        char    bytes[SOME_BYTES];
        ssize_t count = read(STDIN_FILENO, bytes, part < PARTS ? 1 : sizeof bytes);
        if (count <= 0 || write(pipes[1], bytes, (size_t)count) != count)
            break;
        if (part < PARTS)
            sleep(SLOW_SECONDS);
    }
    close(pipes[1]);
    if (wait4(child, &status, 0, &used) != child || !WIFEXITED(status))
        return 9;
    fprintf(stderr, "reporter:counter:Test,Peak kB,%ld\n", used.ru_maxrss);
    return WEXITSTATUS(status);
}

int main(int count, char **words)
{
    const char *attempt = getenv("mapreduce_task_attempt_id");
    const char *faults = getenv("ink_test_faults");
    const char *fault = attempt == NULL || faults == NULL ? NULL : fault_of(attempt, faults);

    (void)count;
    if (fault != NULL && strcmp(fault, "slow") != 0 && strcmp(fault, "peak") != 0)
        die(fault);
    if (fault != NULL)
        return run_child(words, strcmp(fault, "slow") == 0);
    execv(INK, words);
    return 9;
}
