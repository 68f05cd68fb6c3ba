/* symbols.c - whether the suites are whole: every call of the command, every command. */
#define _GNU_SOURCE 1
#include "symbols.h"

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
    "fstat64 fstat",
    "mmap64 mmap",
    "pread64 pread",
    "pwrite64 pwrite",
    "mkstemp64 mkstemp",
    "getrlimit64 getrlimit",
    "setrlimit64 setrlimit",
    "fopen64 fopen",
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
    "asprintf qsort setenv unsetenv free freeaddrinfo ";

/* What stays in the process, or tells nothing that could fail: text, numbers, locks that are held
 * by threads of this process, signals to itself, clocks. */
static const char *const harmless =
    " ctype_b_loc ctype_toupper_loc ctype_tolower_loc environ errno_location fprintf snprintf "
    "vsnprintf "
    "vfprintf stack_chk_fail libc_start_main cxa_finalize gmon_start sched_cpucount memcpy memmove "
    "memset memchr memcmp bcmp strcasecmp strncasecmp strcat strchr strcmp strcpy strcspn strlen "
    "strncmp "
    "strpbrk strrchr strspn strstr strtod strtol strtoul strtoull strerror strerror_r strftime "
    "isoc23_strtol isoc23_strtoul isoc23_strtoull exp exp2 log log10 log2 pow sqrt fmax fmin frexp "
    "lround floor ceil ldexp fmod expf ZSTD_trace_decompress_begin ZSTD_trace_decompress_end "
    "ITM_deregisterTMCloneTable ITM_registerTMCloneTable dlerror dlsym gai_strerror gmtime_r "
    "inet_pton "
    "fnmatch getenv getpid gettid raise pause exit _exit abort fflush stderr stdout "
    "posix_spawn_file_actions_adddup2 posix_spawn_file_actions_addopen "
    "posix_spawn_file_actions_destroy posix_spawn_file_actions_init pthread_cond_broadcast "
    "pthread_cond_destroy pthread_cond_signal pthread_cond_timedwait pthread_cond_wait "
    "pthread_attr_init pthread_attr_destroy pthread_attr_getstacksize pthread_attr_setstacksize "
    "pthread_condattr_destroy pthread_condattr_init pthread_condattr_setclock pthread_join "
    "pthread_mutex_destroy pthread_mutex_lock pthread_mutex_unlock pthread_sigmask sigaddset "
    "sigemptyset clock_gettime time ";

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

static bool has_scenario(const char *command)
{
    size_t length = strlen(command);

    for (size_t i = 0; i < scenario_count; i++)
        if (strncmp(scenarios[i].words, command, length) == 0 &&
            (scenarios[i].words[length] == ' ' || scenarios[i].words[length] == '\0'))
            return true;
    return false;
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
        if (!has_scenario(command)) {
            snprintf(text, room, "ink %s: no scenario of faults has it", command);
            all = false;
        }
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
