/* ink.c - the command `ink`: signals, and the choice of a command. Folders use only those before
 * them: options (what may be typed), report (what is printed), arguments (what was typed), then
 * help, hadoop, plan and stream, and commands. */
#define _XOPEN_SOURCE 700
#include "arguments/arguments.h"
#include "arguments/inputs.h"
#include "commands/commands.h"
#include "help/help_pages.h"
#include "inkling_command.h"
#include "report/failure.h"
#include "report/output.h"
#include "report/progress.h"
#include "report/stats.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <unistd.h>

/* The first signal cleans up, whichever thread takes it, and then kills. The second is ignored: the
 * program timeout sends two, and the other one must not end the process in the middle of that. The
 * third kills at once. */
static void die(int number)
{
    static atomic_int      signals;
    const int              count = atomic_fetch_add(&signals, 1) + 1;
    const struct sigaction killing = {.sa_handler = SIG_DFL};
    sigset_t               this_one;

    if (count == 2)
        return;
    if (count == 1) {
        ink_end_unfinished();
        progress_clear();
    }
    sigaction(number, &killing, NULL);
    sigemptyset(&this_one);
    sigaddset(&this_one, number);
    raise(number);
    pthread_sigmask(SIG_UNBLOCK, &this_one, NULL);
    raise(SIGKILL); /* sigaction failed */
}

static void print_raw(const char *text, size_t count)
{
    ssize_t ignored = write(STDERR_FILENO, text, count);
    (void)ignored;
}

/* A mapped file was truncated. Only async-signal-safe functions may be called here. */
static void die_of_truncation(int number, siginfo_t *why, void *context)
{
    static const char  begin[] = "ink: ", end[] = ": the file was truncated while it was read\n";
    static atomic_flag dying = ATOMIC_FLAG_INIT;
    const char        *path = ink_mapped_path(why->si_addr);

    (void)number;
    (void)context;
    while (atomic_flag_test_and_set(&dying)) /* another thread reports it */
        pause();
    ink_end_unfinished();
    progress_clear();
    print_raw(begin, sizeof begin - 1);
    for (path = path == NULL ? "an input" : path; *path != '\0'; path++)
        print_raw((unsigned char)*path < 0x20 || *path == 0x7f ? "?" : path, 1);
    print_raw(end, sizeof end - 1);
    _exit(CODE_IO);
}

static void handle_signals(void)
{
    static const int fatal[] = {SIGINT, SIGTERM, SIGHUP};
    static char      stack[1 << 16];
    const stack_t    alternate = {.ss_sp = stack, .ss_size = sizeof stack};
    struct sigaction dying = {.sa_handler = die, .sa_flags = SA_RESTART};
    struct sigaction ignoring = {.sa_handler = SIG_IGN}, before;
    struct sigaction cut = {.sa_sigaction = die_of_truncation, .sa_flags = SA_SIGINFO | SA_ONSTACK};

    for (size_t i = 0; i < sizeof fatal / sizeof *fatal; i++)
        if (sigaction(fatal[i], NULL, &before) == 0 && before.sa_handler != SIG_IGN)
            sigaction(fatal[i], &dying, NULL); /* nohup stays as it is */
    sigaltstack(&alternate, NULL);
    sigaction(SIGBUS, &cut, NULL);
    sigaction(SIGPIPE, &ignoring, NULL);
    sigaction(SIGXFSZ, &ignoring, NULL); /* a write fails with EFBIG instead */
}

/* A closed standard descriptor would be reused by the next file that is opened. Each is replaced by
 * one that fails when it is used. */
static void open_standard_files(void)
{
    static const int modes[] = {O_WRONLY, O_RDONLY, O_WRONLY};

    for (int descriptor = 0; descriptor < 3; descriptor++)
        if (fcntl(descriptor, F_GETFD) < 0 && errno == EBADF &&
            open("/dev/null", modes[descriptor]) != descriptor)
            _exit(CODE_IO);
}

static int run(const cli_command *command, int word_count, char **words)
{
    cli_arguments arguments;
    int           code = options_parse(&arguments, command, word_count, words);

    if (code == 0 && arguments.options[OPTION_HELP].given)
        help_command(all_commands, command);
    else if (code == 0 && (code = standard_input_check(&arguments)) == 0) {
        progress_account(stats_begin(&arguments));
        code = command->run(&arguments);
    }
    options_release(&arguments);
    return code;
}

/* Options that may stand before a command. */
static const char *option_words(size_t index, const char **about)
{
    static const char *const words[] = {"help", "version", NULL};

    (void)about;
    return words[index];
}

static int fail_early_option(const char *word)
{
    const char *meant = nearest_word(word + strspn(word, "-"), option_words);

    if (meant != NULL)
        return fail_usage("no option %s, did you mean --%s", shown(word), meant);
    return fail_usage("%s before a command, expected the command first", shown(word));
}

static int choose(int word_count, char **words)
{
    if (word_count < 2) {
        help_overview(all_commands);
        return CODE_USAGE;
    }
    if (strcmp(words[1], "--help") == 0 || strcmp(words[1], "-h") == 0)
        return run(&command_help, word_count - 2, words + 2);
    if (strcmp(words[1], "--version") == 0)
        return run(&command_version, word_count - 2, words + 2);
    if (words[1][0] == '-')
        return fail_early_option(words[1]);
    const cli_command *command = command_named(words[1]);
    return command == NULL ? CODE_USAGE : run(command, word_count - 2, words + 2);
}

int main(int word_count, char **words)
{
    open_standard_files();
    handle_signals();
    int code = choose(word_count, words);
    progress_clear();
    code = out_finish(code);
    stats_finish();
    return code;
}
