/* server.c - the command `ink` as a server: a run of it for each order. */
#define _GNU_SOURCE 1
#include "server.h"

#include "tree.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

/* No run takes a second; one that does not end in this time never will. */
enum { HUNG_MILLISECONDS = 60000 };

struct server {
    pid_t         id;
    int           orders, reports;
    torture_page *page;
};

server *server_start(const char *folder, const char *scratch)
{
    server *of = calloc(1, sizeof *of);
    char    command[TORTURE_PATH_BYTES], preload[TORTURE_PATH_BYTES];
    int     orders[2], reports[2], file = memfd_create("page", 0);

    if (of == NULL || file < 0 || ftruncate(file, sizeof *of->page) != 0 || pipe(orders) != 0 ||
        pipe(reports) != 0)
        torture_die("cannot start: %s", strerror(errno));
    of->page = mmap(NULL, sizeof *of->page, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    if (of->page == MAP_FAILED)
        torture_die("cannot start: %s", strerror(errno));
    snprintf(command, sizeof command, "%s/ink", folder);
    snprintf(preload, sizeof preload, "%s/tests/torture/interpose.so", folder);
    if (access(command, X_OK) != 0 || access(preload, R_OK) != 0)
        torture_die("%s and %s: expected both to be built", command, preload);
    snprintf(of->page->output, TORTURE_PATH_BYTES, "%s/output", scratch);
    snprintf(of->page->errors, TORTURE_PATH_BYTES, "%s/errors", scratch);
    of->id = fork();
    if (of->id == 0) {
        setenv("LD_PRELOAD", preload, 1);
        setenv("INK_TORTURE_SERVER", "1", 1);
        setenv("TERM", "dumb", 1);
        unsetenv("INK_CPU");
        if (dup2(file, TORTURE_PAGE_FILE) < 0 || dup2(orders[0], TORTURE_ORDERS) < 0 ||
            dup2(reports[1], TORTURE_REPORTS) < 0)
            _exit(99);
        for (int other = 3; other < TORTURE_PAGE_FILE; other++)
            close(other);
        execl(command, "ink", (char *)NULL);
        _exit(99);
    }
    close(file);
    close(orders[0]);
    close(reports[1]);
    of->orders = orders[1];
    of->reports = reports[0];
    fcntl(of->orders, F_SETFD, FD_CLOEXEC);
    fcntl(of->reports, F_SETFD, FD_CLOEXEC);
    return of;
}

void server_stop(server *of)
{
    close(of->orders);
    close(of->reports);
    waitpid(of->id, NULL, 0);
    munmap(of->page, sizeof *of->page);
    free(of);
}

torture_page *server_page(server *of)
{
    return of->page;
}

/* Blanks become NULs; a second NUL ends them. */
static void put_words(char *to, const char *first, const char *words)
{
    size_t used = (size_t)snprintf(to, TORTURE_WORDS_BYTES - 2, "%s%s%s", first,
                                   *first == '\0' ? "" : " ", words == NULL ? "" : words);

    if (used >= TORTURE_WORDS_BYTES - 2)
        torture_die("%s: too many words", words);
    for (size_t i = 0; i < used; i++)
        if (to[i] == ' ')
            to[i] = '\0';
    to[used] = to[used + 1] = '\0';
}

static void read_report(server *of, void *to, size_t bytes)
{
    if (read(of->reports, to, bytes) != (ssize_t)bytes)
        torture_die("the server is gone");
}

pid_t server_order(server *of, const char *words, const char *variables, const char *folder,
                   const char *input, const torture_plan *plan)
{
    torture_page *page = of->page;
    pid_t         id;

    put_words(page->words, "ink", words);
    put_words(page->variables, "", variables);
    snprintf(page->folder, TORTURE_PATH_BYTES, "%s", folder);
    page->input_is_pipe = input != NULL && *input == '|';
    if (input == NULL)
        snprintf(page->input, TORTURE_PATH_BYTES, "/dev/null");
    else
        snprintf(page->input, TORTURE_PATH_BYTES, "%s", input + page->input_is_pipe);
    page->plan = plan == NULL ? (torture_plan){0} : *plan;
    for (size_t i = 0; i < TORTURE_CALL_COUNT; i++)
        page->counts[i] = 0;
    page->struck = 0;
    page->struck_standard = 0;
    page->path_count = 0;
    page->frame_count = 0;
    page->listeners = 0;
    page->catches = false;
    page->site_count = 0;

    if (write(of->orders, "r", 1) != 1)
        torture_die("the server is gone");
    read_report(of, &id, sizeof id);
    return id;
}

void server_await(server *of, pid_t id, outcome *to)
{
    torture_page *page = of->page;
    int           state;
    struct pollfd waited = {.fd = of->reports, .events = POLLIN};

    *to = (outcome){0};
    if (poll(&waited, 1, HUNG_MILLISECONDS) == 0) {
        to->hung = true;
        kill(-id, SIGKILL);
        kill(id, SIGKILL);
    }
    read_report(of, &state, sizeof state);
    to->code = WIFEXITED(state) ? WEXITSTATUS(state) : -1;
    to->signal = WIFSIGNALED(state) ? WTERMSIG(state) : 0;
    if (to->code == 99)
        torture_die("%s: the run could not be prepared", page->folder);
    to->output = file_read(page->output, &to->output_bytes);
    to->errors = file_read(page->errors, &to->error_bytes);
}

void server_run(server *of, const char *words, const char *variables, const char *folder,
                const char *input, const torture_plan *plan, outcome *to)
{
    server_await(of, server_order(of, words, variables, folder, input, plan), to);
}

void outcome_free(outcome *of)
{
    free(of->output);
    free(of->errors);
    free(of->peer.heard);
    *of = (outcome){0};
}
