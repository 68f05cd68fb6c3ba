/* module.c - loads the module: its arguments, limits, type and commands, and a section of INFO. */
#include "commands.h"
#include "memory.h"
#include "pages.h"
#include "type.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum {
    MODULE_VERSION = 200,
    BLOOM_VERSION = 20400
}; /* clients that look ask for `bf` from 2.4 on */
#define KEY_BYTES (128LL << 20)

/* `commands`: which families are there. */
typedef enum chosen { CHOSEN_AUTO, CHOSEN_ALL, CHOSEN_NATIVE } chosen;

static const char *const chosen_names[] = {"auto", "all", "native"};

typedef struct arguments {
    char   name[32];
    chosen commands;
} arguments;

static const char *compatible = "no";

/* ---- Arguments ---------------------------------------------------------------------------- */

static bool read_bytes(const char *text, long long *bytes)
{
    static const struct {
        const char *unit;
        int         shift;
    } units[] = {{"", 0}, {"b", 0}, {"kb", 10}, {"mb", 20}, {"gb", 30}, {"tb", 40}};
    char     *end;
    long long number = strtoll(text, &end, 10);

    for (size_t i = 0; end != text && number >= 0 && i < sizeof units / sizeof *units; i++)
        if (strcasecmp(end, units[i].unit) == 0 && number <= INT64_MAX >> units[i].shift) {
            *bytes = number << units[i].shift;
            return true;
        }
    return false;
}

static bool read_commands(const char *text, chosen *commands)
{
    for (int i = 0; i < 3; i++)
        if (strcasecmp(text, chosen_names[i]) == 0) {
            *commands = (chosen)i;
            return true;
        }
    return false;
}

static bool read_argument(const char *name, const char *text, arguments *to)
{
    if (strcasecmp(name, "max-bytes") == 0)
        return read_bytes(text, &memory_limits.key_bytes);
    if (strcasecmp(name, "total-bytes") == 0)
        return read_bytes(text, &memory_limits.total_bytes);
    if (strcasecmp(name, "commands") == 0)
        return read_commands(text, &to->commands);
    if (strcasecmp(name, "name") != 0 || strlen(text) >= sizeof to->name || *text == 0)
        return false;
    strcpy(to->name, text);
    return true;
}

static bool read_arguments(RM_Ctx *ctx, RM_String **argv, int argc, arguments *to)
{
    size_t bytes;

    for (int i = 0; i < argc; i += 2) {
        const char *name = RM_StringPtrLen(argv[i], &bytes);
        const char *text = i + 1 < argc ? RM_StringPtrLen(argv[i + 1], &bytes) : "";
        if (!read_argument(name, text, to)) {
            RM_Log(ctx, "warning",
                   "argument %s: found '%s', expected max-bytes BYTES, total-bytes BYTES, commands "
                   "auto|all|native or name NAME",
                   name, text);
            return false;
        }
    }
    return true;
}

/* ---- Limits that are set at run time ------------------------------------------------------ */

static long long get_limit(const char *name, void *host)
{
    (void)name;
    return *(long long *)host;
}

static int set_limit(const char *name, long long number, void *host, RM_String **error)
{
    (void)name;
    (void)error;
    *(long long *)host = number;
    return RM_OK;
}

static int offer_limit(RM_Ctx *ctx, const char *name, long long *limit)
{
    return RM_RegisterNumericConfig(ctx, name, *limit, RM_CONFIG_MEMORY, 0, INT64_MAX, get_limit,
                                    set_limit, NULL, limit);
}

static void role_changed(RM_Ctx *ctx, RM_Event event, uint64_t what, void *data)
{
    (void)ctx;
    (void)event;
    (void)data;
    memory_trust(MEMORY_REPLICA, what == RM_ROLE_REPLICA);
}

static void loading_changed(RM_Ctx *ctx, RM_Event event, uint64_t what, void *data)
{
    (void)ctx;
    (void)event;
    (void)data;
    memory_trust(MEMORY_LOADING, what < RM_LOADING_ENDED);
}

static int offer_limits(RM_Ctx *ctx)
{
    const int flags = RM_GetContextFlags(ctx);

    memory_trust(MEMORY_REPLICA, (flags & RM_FLAG_REPLICA) != 0);
    if (RM_SubscribeToServerEvent(ctx, (RM_Event){RM_EVENT_ROLE, 1}, role_changed) != RM_OK ||
        RM_SubscribeToServerEvent(ctx, (RM_Event){RM_EVENT_LOADING, 1}, loading_changed) != RM_OK ||
        offer_limit(ctx, "max-bytes", &memory_limits.key_bytes) != RM_OK ||
        offer_limit(ctx, "total-bytes", &memory_limits.total_bytes) != RM_OK)
        return RM_ERR;
    return RM_LoadConfigs(ctx);
}

/* ---- INFO --------------------------------------------------------------------------------- */

static void info(RM_InfoCtx *ctx, int for_crash_report)
{
    (void)for_crash_report;
    RM_InfoAddSection(ctx, "sketches");
    RM_InfoAddFieldCString(ctx, "version", ink_version());
    RM_InfoAddFieldCString(ctx, "compatible_commands", compatible);
    RM_InfoAddFieldULongLong(ctx, "memory_bytes", memory_total());
    RM_InfoAddFieldULongLong(ctx, "max_bytes", (unsigned long long)memory_limits.key_bytes);
    RM_InfoAddFieldULongLong(ctx, "total_bytes", (unsigned long long)memory_limits.total_bytes);
}

/* ---- Commands ----------------------------------------------------------------------------- */

static int register_compatible(RM_Ctx *ctx, chosen commands)
{
    static const command *const tables[] = {bloom_commands, counts_commands, top_commands,
                                            cuckoo_commands};

    if (commands == CHOSEN_NATIVE)
        return RM_OK;
    for (size_t i = 0; i < sizeof tables / sizeof *tables; i++) {
        const int done = commands_register(ctx, tables[i]);
        if (done == COMMANDS_TAKEN && i == 0 && commands == CHOSEN_AUTO) {
            RM_Log(ctx, "notice",
                   "another module has bf.add: BF.*, CMS.*, TOPK.* and CF.* are left to it");
            return RM_OK;
        }
        if (done != RM_OK)
            return RM_ERR;
    }
    compatible = "yes";
    return RM_OK;
}

static int fail(RM_Ctx *ctx, const char *what)
{
    RM_Log(ctx, "warning", "the server refused %s", what);
    return RM_ERR;
}

__attribute__((visibility("default"))) int RedisModule_OnLoad(RM_Ctx *ctx, RM_String **argv,
                                                              int argc);

int RedisModule_OnLoad(RM_Ctx *ctx, RM_String **argv, int argc)
{
    arguments   given = {.name = "inkling"};
    const char *missing = api_fetch(ctx);

    if (missing != NULL) /* not even a log line can be written */
        return RM_ERR;
    memory_limits.key_bytes = KEY_BYTES;
    if (!read_arguments(ctx, argv, argc, &given) || RM_IsModuleNameBusy(given.name))
        return RM_ERR;
    RM_SetModuleAttribs(ctx, given.name,
                        strcmp(given.name, "bf") == 0 ? BLOOM_VERSION : MODULE_VERSION,
                        RM_API_VERSION);
    RM_SetModuleOptions(ctx, RM_HANDLES_IO_ERRORS | RM_SIGNALS_ITSELF | RM_HANDLES_ASYNC_LOAD);
    value_kinds();
    pages_start();
    if (type_register(ctx) != RM_OK)
        return fail(ctx, "the type inksketch");
    if (offer_limits(ctx) != RM_OK)
        return fail(ctx, "a limit");
    if (commands_categories(ctx) != RM_OK || commands_register(ctx, native_commands) != RM_OK ||
        register_compatible(ctx, given.commands) != RM_OK)
        return fail(ctx, "a command");
    RM_RegisterInfoFunc(ctx, info);
    return RM_OK;
}
