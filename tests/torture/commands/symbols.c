/* symbols.c - whether the suites are whole: every call of the command, every command. */
#define _GNU_SOURCE 1
#include "symbols.h"

#include "options/options.h"
#include "scenarios.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

/* Names of calls.h under which libc offers the same. */
static const char *const same[] = {
    "open64 open",
    "__open_2 open",
    "__open64_2 open",
    "fcntl64 fcntl",
    "stat64 stat",
    "lstat64 lstat",
    "fstat64 fstat",
    "mmap64 mmap",
    "pread64 pread",
    "pwrite64 pwrite",
    "mkstemp64 mkstemp",
    "getrlimit64 getrlimit",
    "setrlimit64 setrlimit",
    "fopen64 fopen",
    "readdir64 readdir",
    "glob64 glob",
    "__realpath_chk realpath",
    "__read_chk read",
    "__pread64_chk pread",
    "__poll_chk poll",
    "__recv_chk recv",
    "__gethostname_chk gethostname",
};

/* What allocates: all of it comes to malloc and its relatives, which fail together. */
static const char *const allocating =
    " malloc calloc realloc posix_memalign aligned_alloc memalign reallocarray strdup vasprintf "
    "asprintf qsort setenv unsetenv free freeaddrinfo globfree64 globfree closedir ";

/* What stays in the process, or reports nothing that could fail: text, numbers, locks that are held
 * by threads of this process, signals to itself, clocks. */
static const char *const harmless =
    " ctype_b_loc ctype_toupper_loc ctype_tolower_loc environ errno_location fprintf snprintf "
    "vsnprintf "
    "vfprintf stack_chk_fail libc_start_main cxa_finalize gmon_start sched_cpucount memcpy memmove "
    "memset memchr memcmp bcmp strcasecmp strncasecmp strcat strchr strcmp strcpy strcspn strlen "
    "strncmp "
    "strpbrk strrchr strspn strstr strtod strtol strtoul strtoull strerror strerror_r strftime "
    "isoc23_strtol isoc23_strtoul isoc23_strtoull exp exp2 expm1 log log10 log2 pow sqrt fmax fmin "
    "frexp "
    "lround floor ceil ldexp fmod expf ZSTD_trace_decompress_begin ZSTD_trace_decompress_end "
    "ZSTD_trace_compress_begin ZSTD_trace_compress_end "
    "ITM_deregisterTMCloneTable ITM_registerTMCloneTable dlerror dlsym gai_strerror gmtime_r "
    "inet_pton "
    "fnmatch getenv getpid gettid syscall geteuid raise pause exit _exit abort fflush stderr "
    "stdout "
    "posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen "
    "posix_spawn_file_actions_destroy posix_spawn_file_actions_init pthread_cond_broadcast "
    "pthread_cond_destroy pthread_cond_signal pthread_cond_timedwait pthread_cond_wait "
    "pthread_attr_init pthread_attr_destroy pthread_attr_getstacksize pthread_attr_setstacksize "
    "pthread_condattr_destroy pthread_condattr_init pthread_condattr_setclock pthread_join "
    "pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock pthread_sigmask sigaddset "
    "sigemptyset clock_gettime getrusage time ";

static bool is_word_of(const char *words, const char *name)
{
    char word[96];

    snprintf(word, sizeof word, " %s ", name);
    return strstr(words, word) != NULL;
}

/* A name of the linker without what fortification and versions put around it. */
static void bare_name(const char *symbol, char *name, size_t room)
{
    snprintf(name, room, "%s", symbol + strspn(symbol, "_"));
    name[strcspn(name, "@\n")] = '\0';
    size_t length = strlen(name);
    if (length > 4 && strcmp(name + length - 4, "_chk") == 0)
        name[length - 4] = '\0';
    length = strlen(name);
    while (length > 0 && name[length - 1] == '_')
        name[--length] = '\0';
}

static bool is_interposed(const char *symbol)
{
    static const char *const calls[] = {
#define TORTURE_NAME(name, faults) #name,
        TORTURE_CALLS(TORTURE_NAME)
#undef TORTURE_NAME
    };
    char both[384];

    for (size_t i = 0; i < sizeof calls / sizeof *calls; i++) {
        if (strcmp(calls[i], symbol) == 0)
            return true;
        snprintf(both, sizeof both, "%s %s", symbol, calls[i]);
        for (size_t j = 0; j < sizeof same / sizeof *same; j++)
            if (strcmp(same[j], both) == 0)
                return true;
    }
    return false;
}

/* Sanitizers have calls of their own. */
static bool is_of_sanitizer(const char *symbol)
{
    return strncmp(symbol, "__ubsan_", 8) == 0;
}

bool symbols_all_known(const char *folder, char *text, size_t room)
{
    char   line[512], symbol[256], name[256];
    int    seen = 0;
    size_t used = 0;

    snprintf(line, sizeof line, "nm -D --undefined-only '%s/ink'", folder);
    FILE *listed = popen(line, "r");
    if (listed == NULL) {
        snprintf(text, room, "nm cannot be run");
        return false;
    }
    while (fgets(line, sizeof line, listed) != NULL) {
        if (sscanf(line, " %*s %255s", symbol) != 1)
            continue;
        seen++;
        symbol[strcspn(symbol, "@")] = '\0';
        bare_name(symbol, name, sizeof name);
        if (!is_interposed(symbol) && !is_word_of(allocating, name) &&
            !is_word_of(harmless, name) && !is_of_sanitizer(symbol))
            used += (size_t)snprintf(
                text + used, used < room ? room - used : 0, "%s%s",
                used == 0 ? "neither made to fail nor known to be harmless: " : ", ", symbol);
    }
    pclose(listed);
    if (seen < 50) {
        snprintf(text, room, "nm lists %d names, expected those of the command", seen);
        return false;
    }
    return used == 0;
}

/* ---- Commands ----------------------------------------------------------------------------- */

/* Whether a scenario of a command has `word` among its words, or among those that commas join;
 * NULL: whether there is one. */
static bool has_scenario(const char *command, const char *word)
{
    size_t length = strlen(command), word_bytes = word == NULL ? 0 : strlen(word);

    for (size_t i = 0; i < scenario_count; i++) {
        const char *at = scenarios[i].words;
        if (strncmp(at, command, length) != 0 || (at[length] != ' ' && at[length] != '\0'))
            continue;
        if (word == NULL)
            return true;
        for (at += length; (at = strstr(at + 1, word)) != NULL;)
            if (strchr(" ,", at[-1]) != NULL && strchr(" ,", at[word_bytes]) != NULL)
                return true;
    }
    return false;
}

/* Whether an option of this name, without its dashes, opens what its value names. */
static bool opens_something(const char *name, char letter[3])
{
    for (option_id id = OPTION_END + 1; id < OPTION_LIMIT_; id++) {
        const cli_option *option = option_of(id);
        if (option->name == NULL || strcmp(option->name, name) != 0)
            continue;
        snprintf(letter, 3, "-%c", option->letter);
        return option->value == VALUE_PATH || id == OPTION_HTTP;
    }
    return false;
}

/* What a line of a command's help names that has to be in a scenario: an option that opens
 * something, or a word of the list that its first operand is from. */
static bool line_has_scenario(const char *command, const char *line, bool listed, char *text,
                              size_t room)
{
    char        word[64] = "--", letter[3] = "", first[64];
    const char *dashes = strncmp(line, "  ", 2) == 0 ? line + strcspn(line, "-\n") : line;

    if (listed && strncmp(line, "  ", 2) == 0 && sscanf(line, "  %63[a-z0-9-]  ", first) == 1 &&
        line[2] != ' ')
        snprintf(word, sizeof word, "%s", first);
    else if (sscanf(dashes[1] == '-' ? dashes : dashes + strcspn(dashes, " \n"), " --%61[a-z-]",
                    word + 2) != 1 ||
             strspn(line, " ") + 4 < (size_t)(dashes - line) || !opens_something(word + 2, letter))
        return true;
    if (has_scenario(command, word) || (letter[0] != '\0' && has_scenario(command, letter)))
        return true;
    snprintf(text, room, "ink %s %s: no scenario of faults has it", command, word);
    return false;
}

/* Reads the help of a command; counts what it looked for. */
static bool all_of_command(server *with, const char *folder, const char *command, char *text,
                           size_t room)
{
    outcome got;
    char    words[80];
    bool    all = true, listed = false;

    snprintf(words, sizeof words, "help %s", command);
    server_run(with, words, NULL, folder, NULL, NULL, &got);
    for (char *line = got.output; all && *line != '\0'; line += strcspn(line, "\n")) {
        line += *line == '\n';
        if (*line != ' ')
            listed = strncmp(line, "kinds:", 6) == 0 || strncmp(line, "shells:", 7) == 0;
        all = line_has_scenario(command, line, listed, text, room);
    }
    outcome_free(&got);
    return all;
}

bool commands_all_there(server *with, const char *folder, char *text, size_t room)
{
    enum { GROUP_COLUMNS = 12 }; /* a line is its group, or blanks, then a command */
    outcome got;
    char    command[64];
    int     seen = 0;
    bool    all = true;

    server_run(with, "help", NULL, folder, NULL, NULL, &got);
    for (char *line = got.output; *line != '\0'; line += strcspn(line, "\n") + 1) {
        if (strncmp(line, "  ", 2) != 0 || strcspn(line, "\n") < GROUP_COLUMNS + 2 ||
            line[GROUP_COLUMNS - 1] != ' ' || !islower((unsigned char)line[GROUP_COLUMNS]))
            continue;
        sscanf(line + GROUP_COLUMNS, "%63s", command);
        seen++;
        if (!has_scenario(command, NULL)) {
            snprintf(text, room, "ink %s: no scenario of faults has it", command);
            all = false;
        } else
            all = all_of_command(with, folder, command, text, room) && all;
        if (strchr(line, '\n') == NULL)
            break;
    }
    outcome_free(&got);
    if (seen < 20) {
        snprintf(text, room, "ink help lists %d commands, expected all", seen);
        return false;
    }
    return all;
}
