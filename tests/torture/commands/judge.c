/* judge.c - what a command may do when something fails.
 *
 * - It never dies of a signal, and always ends.
 * - Either all is right: the exit code, the output and all files are those of an undisturbed run.
 *   After an interruption or a short transfer nothing else is allowed.
 * - Or it is refused: exit code 4 (input and output) or 5 (memory, limits), one line on standard
 *   error that names the file or says what is missing, no bytes printed but the first of the right
 *   ones, and all files as they were before, with no temporary one beside them. Or the line says
 *   that the file is in place, and it is. */
#define _GNU_SOURCE 1
#include "judge.h"

#include <errno.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CODE_IO = 4, CODE_LIMIT = 5, CODE_LOADER = 127 };

/* ---- Preparing ---------------------------------------------------------------------------- */

/* Ports are what the system has free, other ones in each run: their digits become blanks. */
static void hide_ports(outcome *of)
{
    static const char host[] = "127.0.0.1:";

    for (char *at = of->errors; (at = strstr(at, host)) != NULL;) {
        char *digits = at += sizeof host - 1;
        digits += strspn(at, "0123456789");
        memmove(at, digits, strlen(digits) + 1);
    }
    of->error_bytes = strlen(of->errors);
}

static void run(bench *of, const torture_plan *plan, outcome *got, tree *after)
{
    const scenario *what = of->of;

    if (what->peer == 0)
        server_run(of->with, what->words, what->variables, of->folder, what->input, plan, got);
    else {
        peer_report heard;
        peer       *with =
            peer_begin(what->peer, of->folder, server_page(of->with), what->words, what->variables);
        pid_t id = server_order(of->with, peer_words(with), peer_variables(with), of->folder,
                                what->input, plan);
        peer_meet(with, id);
        server_await(of->with, id, got);
        peer_end(with, &heard);
        got->peer = heard;
        hide_ports(got);
    }
    tree_read(after, of->folder);
    tree_restore(&of->before, after, of->folder);
}

static bool same_bytes(const char *a, size_t a_bytes, const char *b, size_t b_bytes)
{
    return a_bytes == b_bytes && (a_bytes == 0 || memcmp(a, b, a_bytes) == 0);
}

/* How many lines: a file whose bytes have the time has as many. */
static bool same_names(const tree *a, const tree *b, char *text, size_t room)
{
    tree bare_a = *a, bare_b = *b;

    bare_a.entries = malloc((a->count + 1) * sizeof *a->entries);
    bare_b.entries = malloc((b->count + 1) * sizeof *b->entries);
    for (size_t i = 0; i < a->count; i++)
        bare_a.entries[i] = (tree_entry){.path = a->entries[i].path, .mode = a->entries[i].mode};
    for (size_t i = 0; i < b->count; i++)
        bare_b.entries[i] = (tree_entry){.path = b->entries[i].path, .mode = b->entries[i].mode};
    bool same = tree_same(&bare_a, &bare_b, text, room);
    free(bare_a.entries);
    free(bare_b.entries);
    return same;
}

/* Whether the files are those of an undisturbed run. */
static bool right_files(const bench *of, const tree *after, char *text, size_t room)
{
    return (of->of->flags & SCENARIO_FILES_TIMED) != 0 ? same_names(&of->after, after, text, room)
                                                       : tree_same(&of->after, after, text, room);
}

static bool right_output(const bench *of, const outcome *got)
{
    return ((of->of->flags & SCENARIO_OUTPUT_TIMED) != 0 ||
            same_bytes(of->right.output, of->right.output_bytes, got->output, got->output_bytes)) &&
           same_bytes(of->right.peer.heard, of->right.peer.bytes, got->peer.heard, got->peer.bytes);
}

/* Whether it ended as an undisturbed run does: streams with connections by the signal of a peer. */
static bool right_end(const bench *of, const outcome *got)
{
    return got->code == of->right.code && got->signal == of->right.signal;
}

/* Takes the sites of the last run in place of the counts of its calls. */
static void take_sites(bench *to)
{
    const torture_page *page = server_page(to->with);

    if (page->site_count == TORTURE_SITES)
        torture_die("ink %s: more than %d sites of calls", to->of->words, TORTURE_SITES - 1);
    to->site_count = page->site_count;
    to->sites = malloc((to->site_count + 1) * sizeof *to->sites);
    if (to->sites == NULL)
        torture_die("not enough memory");
    memcpy(to->sites, page->sites, to->site_count * sizeof *to->sites);
    for (size_t i = 0; i < to->site_count; i++)
        to->counts[to->sites[i].call]++;
}

uint64_t bench_nth(const bench *of, torture_call call, uint64_t nth)
{
    for (size_t i = 0; i < of->site_count; i++)
        if (of->sites[i].call == call && --nth == 0)
            return of->sites[i].first;
    return nth;
}

void bench_open(bench *to, const scenario *of, server *with, const char *stock, const char *folder)
{
    char text[512];
    int  again = (of->flags & SCENARIO_THREADS) != 0 ? 6 : 2;

    *to = (bench){.of = of, .with = with};
    snprintf(to->folder, sizeof to->folder, "%s", folder);
    if (mkdir(folder, 0700) != 0 && errno != EEXIST)
        torture_die("%s: cannot make it: %s", folder, strerror(errno));
    stock_take(of, stock, folder);
    tree_read(&to->before, folder);
    server_page(with)->looks = (of->flags & SCENARIO_SLOW) != 0;
    run(to, NULL, &to->right, &to->after);
    if (server_page(with)->looks)
        take_sites(to);
    else
        memcpy(to->counts, server_page(with)->counts, sizeof to->counts);
    server_page(with)->looks = false;
    for (int i = 1; i < again; i++) {
        outcome got;
        tree    after;
        run(to, NULL, &got, &after);
        if (!right_end(to, &got) || !right_output(to, &got) ||
            !right_files(to, &after, text, sizeof text))
            torture_die("ink %s: does not do the same each time: exit codes %d and %d: %s",
                        of->words, to->right.code, got.code, got.errors);
        for (size_t call = 0; call < TORTURE_CALL_COUNT && to->sites == NULL; call++) {
            uint64_t count = server_page(with)->counts[call];
            to->counts[call] = count > to->counts[call] ? count : to->counts[call];
        }
        outcome_free(&got);
        tree_free(&after);
    }
    if (to->right.signal != ((of->peer & PEER_ENDS) != 0 ? SIGTERM : 0) || to->right.code > 1 ||
        (to->right.code < 0 && to->right.signal == 0) || to->right.peer.left)
        torture_die("ink %s: exit code %d: %s", of->words, to->right.code, to->right.errors);
}

void bench_close(bench *of)
{
    tree_remove(of->folder);
    tree_free(&of->before);
    tree_free(&of->after);
    outcome_free(&of->right);
    free(of->sites);
}

/* Says what is wrong; false. */
__attribute__((format(printf, 3, 4))) static bool wrong(char *text, size_t room, const char *format,
                                                        ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(text, room, format, arguments);
    va_end(arguments);
    return false;
}

/* ---- Judging ------------------------------------------------------------------------------ */

/* Whether a line has one of the words of the scenario that are names of files, or what stands for
 * standard input and output. */
static bool names_a_file(const bench *of, const char *line)
{
    for (size_t i = 0; i < of->before.count; i++)
        if (strstr(line, of->before.entries[i].path) != NULL)
            return true;
    for (size_t i = 0; i < of->after.count; i++)
        if (strstr(line, of->after.entries[i].path) != NULL)
            return true;
    if (of->of->peer != 0 && (strstr(line, "unix:") != NULL || strstr(line, "127.0.0.1:") != NULL ||
                              strstr(line, "tcp://") != NULL || strstr(line, "hdfs://") != NULL ||
                              strstr(line, "--http") != NULL))
        return true;
    return strstr(line, "standard input") != NULL || strstr(line, "standard output") != NULL;
}

/* The name that a line should have for a path: without folders, and without what a temporary name
 * has after it. */
static void reported_name(const char *path, char *name, size_t room)
{
    const char *slash = strrchr(path, '/');

    snprintf(name, room, "%s", slash == NULL ? path : slash + 1);
    char *temporary = strstr(name, ".tmp.");
    if (temporary != NULL)
        *temporary = '\0';
}

static bool is_of_folder(const bench *of, const char *name)
{
    for (size_t i = 0; i < of->before.count; i++)
        if (strcmp(of->before.entries[i].path, name) == 0)
            return true;
    for (size_t i = 0; i < of->after.count; i++)
        if (strcmp(of->after.entries[i].path, name) == 0)
            return true;
    return false;
}

/* Whether a line names what a failing call was for; if that is nothing that users know, any file of
 * theirs. */
static bool names_the_file(const bench *of, const torture_page *page, const char *line, char *text,
                           size_t room)
{
    char name[TORTURE_PATH_BYTES];
    bool any = page->path_count == 0 || page->path_count > TORTURE_PATHS;

    if (((page->struck_standard & 1) != 0 && strstr(line, "standard input") != NULL) ||
        ((page->struck_standard & 2) != 0 && strstr(line, "standard output") != NULL))
        return true;
    for (unsigned i = 0; i < page->path_count && i < TORTURE_PATHS; i++) {
        reported_name(page->struck_paths[i], name, sizeof name);
        if (!is_of_folder(of, name))
            any = true;
        else if (strstr(line, name) != NULL)
            return true;
    }
    if (any && page->struck_standard == 0 &&
        (names_a_file(of, line) || strstr(line, "a temporary file in /") != NULL))
        return true;
    return wrong(text, room, "the line does not name %s",
                 page->path_count > 0 ? name : "standard input or output");
}

/* The one line of a failure. */
static bool judge_line(const bench *of, const torture_page *page, const outcome *got, char *text,
                       size_t room)
{
    const torture_plan *plan = &page->plan;
    const char         *line = got->errors;
    bool                memory = plan->call == TORTURE_ALLOCATION;

    /* Libraries that --http loads have lines of their own for refused memory. */
    if ((of->of->peer & PEER_BROWSES) != 0 && memory && strstr(line, "\nink: ") != NULL)
        line = strstr(line, "\nink: ") + 1;
    const char *end = strchr(line, '\n');

    if ((page->struck_standard & 4) != 0)
        return true; /* it was the line that could not be written */
    if (end == NULL || strncmp(line, "ink: ", 5) != 0)
        return wrong(text, room, "it says nothing");
    /* A stream reports a state that cannot be saved, and goes on. */
    if (end[1] != '\0' && of->right.error_bytes == 0 && (of->of->flags & SCENARIO_STATE) == 0)
        return wrong(text, room, "it says more than one line");
    if ((memory || plan->os_error == ENOMEM || plan->call == TORTURE_pthread_create) &&
        (strstr(got->errors, "memory") != NULL ||
         strstr(got->errors, "a thread cannot be started") != NULL))
        return true;
    if (memory)
        return wrong(text, room, "the line does not name memory");
    return names_the_file(of, page, got->errors, text, room);
}

static bool judge_code(const torture_plan *plan, const outcome *got, char *text, size_t room)
{
    int  code = got->code;
    bool scarce = plan->call == TORTURE_ALLOCATION || plan->os_error == ENOMEM ||
                  plan->os_error == EAGAIN || plan->os_error == EMFILE;

    /* What the loader says where a library that was loaded has no memory for a thread of its own.
     */
    if (plan->call == TORTURE_ALLOCATION && code == CODE_LOADER &&
        strstr(got->errors, "cannot allocate memory for thread-local data") != NULL)
        return true;
    if (code == CODE_LIMIT ? scarce : code == CODE_IO && plan->call != TORTURE_ALLOCATION)
        return true;
    return wrong(text, room, "it exits with %d", code);
}

/* Whether each file is what it was before, or what it is after an undisturbed run. */
static bool each_whole(const bench *of, const tree *after)
{
    for (size_t i = 0; i < after->count; i++)
        if (!tree_has(&of->before, &after->entries[i]) &&
            !tree_has(&of->after, &after->entries[i]) && !is_progress(after->entries[i].path))
            return false;
    return after->count >= of->before.count;
}

/* What `ink info` prints of the sketches of a state; how many batches they came in is not in it. */
static void describe_state(const bench *of, const char *path, outcome *got)
{
    char words[TORTURE_PATH_BYTES];

    snprintf(words, sizeof words, "info --tsv %s", path);
    server_run(of->with, words, NULL, of->folder, NULL, NULL, got);
}

/* Whether the same command comes to the right sketches after a failure. */
static bool goes_on(const bench *of, char *text, size_t room)
{
    outcome got, made, right;
    tree    now;

    server_run(of->with, of->of->words, of->of->variables, of->folder, of->of->input, NULL, &got);
    bool same = got.code == of->right.code;
    if (!same)
        snprintf(text, room, "it does not go on afterwards: %s", got.errors);
    outcome_free(&got);
    for (size_t i = 0; i < of->after.count && same; i++) {
        const char *path = of->after.entries[i].path;
        if (strstr(path, "state.ink") == NULL)
            continue;
        describe_state(of, path, &made);
        tree_read(&now, of->folder);
        tree_restore(&of->after, &now, of->folder);
        tree_free(&now);
        describe_state(of, path, &right);
        same = made.code == 0 &&
               same_bytes(made.output, made.output_bytes, right.output, right.output_bytes);
        if (!same)
            snprintf(text, room, "it goes on to other sketches: %s, expected %s", made.output,
                     right.output);
        outcome_free(&made);
        outcome_free(&right);
    }
    return same;
}

/* How many records `ink info --tsv` prints of the first sketch. */
static uint64_t reported_records(const char *table)
{
    const char *column = strstr(table, "\trecords\t"), *line = strchr(table, '\n');

    for (const char *at = table; line != NULL && at <= column; at++)
        if (*at == '\t')
            line = strchr(line + 1, '\t');
    return line == NULL || column == NULL ? 0 : strtoull(line + 1, NULL, 10);
}

/* Whether a socket may be there afterwards: the command could not see or remove it, or not be
 * notified that it is to end; or it is one that was there before. */
static bool may_leave_socket(const bench *of, torture_call call, const outcome *ended)
{
    return call == TORTURE_stat || call == TORTURE_unlink || call == TORTURE_sigaction ||
           ((of->of->peer & PEER_STALE) != 0 && ended->signal == 0);
}

/* Whether the state of a stream is whole after a failure: no temporary file is there, the state can
 * be read, has what was reported to a peer as saved, and where the data are files the same command
 * comes to the right end. */
static bool judge_state(const bench *of, const outcome *ended, const tree *after, char *text,
                        size_t room)
{
    outcome      got = {0};
    uint64_t     saved = 0;
    torture_call call = server_page(of->with)->plan.call;
    tree         now;
    bool         whole = true;

    tree_read(&now, of->folder);
    tree_restore(after, &now, of->folder);
    tree_free(&now);
    for (size_t i = 0; i < after->count && whole; i++) {
        const char *path = after->entries[i].path;
        if (strstr(path, ".tmp.") != NULL)
            whole = wrong(text, room, "%s is left", path);
        else if (S_ISSOCK(after->entries[i].mode) && !may_leave_socket(of, call, ended))
            whole = wrong(text, room, "the socket %s is left", path);
        else if (strstr(path, "state.ink") != NULL) {
            describe_state(of, path, &got);
            whole = got.code == 0;
            saved = reported_records(got.output);
            if (!whole)
                snprintf(text, room, "%s is damaged: %s", path, got.errors);
            outcome_free(&got);
        }
    }
    if (whole && saved < ended->peer.saved)
        whole = wrong(text, room, "%llu records were said to be saved, the state has %llu",
                      (unsigned long long)ended->peer.saved, (unsigned long long)saved);
    if (whole && (of->of->flags & SCENARIO_RESUMES) != 0)
        whole = goes_on(of, text, room);
    tree_read(&now, of->folder);
    tree_restore(&of->before, &now, of->folder);
    tree_free(&now);
    return whole;
}

static bool judge_refusal(const bench *of, const torture_page *page, const outcome *got,
                          const tree *after, char *text, size_t room)
{
    char why[600];

    if (!judge_code(&page->plan, got, text, room) || !judge_line(of, page, got, text, room))
        return false;
    /* A stream answers from the last complete batch, which may be an earlier one then. */
    if ((of->of->flags & (SCENARIO_OUTPUT_TIMED | SCENARIO_STATE)) == 0 &&
        (got->output_bytes > of->right.output_bytes ||
         memcmp(got->output, of->right.output, got->output_bytes) != 0))
        return wrong(text, room, "it prints what it should not");
    if (got->peer.bytes > 0 && (of->of->peer & PEER_STORES) != 0 && !right_output(of, got))
        return wrong(text, room, "it stores what it should not");
    if (tree_same(&of->before, after, why, sizeof why) && got->peer.saved == 0)
        return true;
    char other[600];
    if (strstr(got->errors, "is in place") != NULL && right_files(of, after, other, sizeof other))
        return true;
    if ((of->of->flags & SCENARIO_STATE) != 0)
        return judge_state(of, got, after, text, room);
    if ((of->of->flags & SCENARIO_TWO_OUTPUTS) != 0 && each_whole(of, after))
        return true;
    /* What cannot be removed stays, and that is reported. */
    if (page->plan.call == TORTURE_unlink && strstr(got->errors, "cannot remove") != NULL)
        return true;
    return wrong(text, room, "%s", why);
}

/* What is printed may be cut short in silence if its reader is gone; ink map and ink reduce report
 * it. */
static bool is_broken_pipe(const bench *of, const torture_page *page, const outcome *got,
                           const tree *after)
{
    char text[600];

    return page->plan.call == TORTURE_write && page->plan.os_error == EPIPE &&
           (page->struck_standard & 2) != 0 && got->code == 0 &&
           (got->error_bytes == of->right.error_bytes || (page->struck_standard & 4) != 0) &&
           strncmp(of->of->words, "map", 3) != 0 && strncmp(of->of->words, "reduce", 6) != 0 &&
           ((of->of->flags & SCENARIO_STATE) != 0 ||
            tree_same(&of->before, after, text, sizeof text) ||
            right_files(of, after, text, sizeof text));
}

static bool is_harmless(const torture_plan *plan)
{
    return plan->os_error == EINTR || plan->os_error == TORTURE_SHORT;
}

static bool judge(const bench *of, const torture_page *page, const outcome *got, const tree *after,
                  char *text, size_t room)
{
    char why[600] = "it prints something else";

    if (got->hung)
        return wrong(text, room, "it does not end");
    bool killed = got->signal == SIGKILL && page->plan.call == TORTURE_sigaction;
    if (got->signal != of->right.signal && got->signal != 0 && !killed)
        return wrong(text, room, "it dies of signal %d", got->signal);
    if (is_broken_pipe(of, page, got, after))
        return true;
    bool right =
        right_end(of, got) && right_output(of, got) && right_files(of, after, why, sizeof why);
    if (right && is_harmless(&page->plan) &&
        !same_bytes(got->errors, got->error_bytes, of->right.errors, of->right.error_bytes))
        return wrong(text, room, "it says something else");
    if (right)
        return true;
    if (is_harmless(&page->plan))
        return wrong(text, room, "the result is not the right one: %s",
                     !right_end(of, got) ? "another exit code" : why);
    /* A peer that gave up has ended a stream that may be without some of its records; what it was
     * reported as saved is there. */
    if (got->signal != 0 && (got->peer.left || right_output(of, got)))
        return judge_state(of, got, after, text, room);
    if (got->code == of->right.code)
        return wrong(text, room, "it seems to succeed, but: %s", why);
    return judge_refusal(of, page, got, after, text, room);
}

static const char *in_one_line(char *text)
{
    for (char *at = text; *at != '\0'; at++)
        if (*at == '\n')
            *at = at[1] == '\0' ? '\0' : '|';
    return text;
}

bool bench_fault(bench *of, const torture_plan *plan, bool *struck, char *text, size_t room)
{
    outcome             got;
    tree                after;
    const torture_page *page = server_page(of->with);
    char                why[700];

    run(of, plan, &got, &after);
    *struck = page->struck > 0;
    bool allowed = judge(of, page, &got, &after, why, sizeof why);
    if (!allowed)
        snprintf(text, room, "%s; exit code %d, standard error \"%s\"", why, got.code,
                 in_one_line(got.errors));
    outcome_free(&got);
    tree_free(&after);
    return allowed;
}
