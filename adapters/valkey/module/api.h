/* api.h - the part of the module API of Redis 7 and Valkey that is used here: constants, structs,
 * and functions, which the server gives by name when it loads the module. The names are those of
 * its documentation, where RM_ stands for RedisModule_. */
#ifndef INKLING_VALKEY_API_H
#define INKLING_VALKEY_API_H

#include <stdint.h>
#include <stdlib.h>

typedef struct RM_Ctx         RM_Ctx;
typedef struct RM_Key         RM_Key;
typedef struct RM_String      RM_String;
typedef struct RM_IO          RM_IO;
typedef struct RM_Digest      RM_Digest;
typedef struct RM_Type        RM_Type;
typedef struct RM_CommandItem RM_CommandItem;
typedef struct RM_InfoCtx     RM_InfoCtx;
typedef struct RM_Blocked     RM_Blocked;

enum { RM_OK = 0, RM_ERR = 1, RM_API_VERSION = 1, RM_TYPE_METHODS = 3, RM_COMMAND_INFO = 1 };
enum { RM_READ = 1 << 0, RM_WRITE = 1 << 1 };
enum { RM_KEY_EMPTY = 0 };
enum { RM_NOTIFY_MODULE = 1 << 13 };
enum { RM_POSTPONED = -1 };
enum { RM_CONFIG_DEFAULT = 0, RM_CONFIG_MEMORY = 1 << 7 };
enum { RM_HANDLES_IO_ERRORS = 1 << 0, RM_SIGNALS_ITSELF = 1 << 1, RM_HANDLES_ASYNC_LOAD = 1 << 2 };
enum { /* of RM_GetContextFlags */
       RM_FLAG_LUA = 1 << 0,
       RM_FLAG_MULTI = 1 << 1,
       RM_FLAG_REPLICA = 1 << 3,
       RM_FLAG_REPLICATED = 1 << 12,
       RM_FLAG_LOADING = 1 << 13,
       RM_FLAG_IS_CHILD = 1 << 20,
       RM_FLAG_DENY_BLOCKING = 1 << 21,
       RM_FLAG_RESP3 = 1 << 22,
};

/* ---- Server events ------------------------------------------------------------------------ */

typedef struct RM_Event {
    uint64_t id, version;
} RM_Event;

enum { RM_EVENT_ROLE = 0, RM_EVENT_LOADING = 3 };
enum { RM_ROLE_REPLICA = 1 };
enum { RM_LOADING_ENDED = 3 }; /* and above */

typedef void RM_EventCall(RM_Ctx *ctx, RM_Event event, uint64_t what, void *data);

/* ---- The type ----------------------------------------------------------------------------- */

typedef struct RM_TypeMethods {
    uint64_t version;
    void *(*rdb_load)(RM_IO *io, int version);
    void (*rdb_save)(RM_IO *io, void *value);
    void (*aof_rewrite)(RM_IO *io, RM_String *key, void *value);
    size_t (*mem_usage)(const void *value);
    void (*digest)(RM_Digest *digest, void *value);
    void (*free)(void *value);
    int (*aux_load)(RM_IO *io, int version, int when);
    void (*aux_save)(RM_IO *io, int when);
    int aux_save_triggers;
    size_t (*free_effort)(RM_String *key, const void *value);
    void (*unlink)(RM_String *key, const void *value);
    void *(*copy)(RM_String *from, RM_String *to, const void *value);
    int (*defrag)(void *ctx, RM_String *key, void **value);
} RM_TypeMethods;

/* ---- What a command is -------------------------------------------------------------------- */

enum { /* of a key: which access, and what for */
       RM_KEY_READ_ONLY = 1 << 0,
       RM_KEY_READ_WRITE = 1 << 1,
       RM_KEY_OVERWRITE = 1 << 2,
       RM_KEY_ACCESS = 1 << 4,
       RM_KEY_UPDATE = 1 << 5,
       RM_KEY_INSERT = 1 << 6,
       RM_KEY_DELETE = 1 << 7,
};
enum { RM_SEARCH_INDEX = 2 };
enum { RM_FIND_RANGE = 2, RM_FIND_NUMBER = 3 };
enum {
    RM_ARG_STRING = 0,
    RM_ARG_INTEGER,
    RM_ARG_DOUBLE,
    RM_ARG_KEY,
    RM_ARG_TOKEN = 6,
    RM_ARG_BLOCK = 8
};
enum { RM_ARG_OPTIONAL = 1 << 0, RM_ARG_MULTIPLE = 1 << 1 };

typedef struct RM_KeySpec {
    const char *notes;
    uint64_t    flags;
    int         search; /* an enum there, of the size of an int */
    union {
        struct {
            int pos;
        } index;
        struct {
            const char *word;
            int         start;
        } keyword;
    } from;
    int find;
    union {
        struct {
            int last, step, limit;
        } range;
        struct {
            int number, first, step;
        } number;
    } to;
} RM_KeySpec;

typedef struct RM_Argument {
    const char         *name;
    int                 type, key_spec;
    const char         *token, *summary, *since;
    int                 flags;
    const char         *deprecated;
    struct RM_Argument *parts;
    const char         *shown;
} RM_Argument;

typedef struct RM_History {
    const char *since, *changes;
} RM_History;

typedef struct RM_InfoSizes {
    int    version;
    size_t history, key_spec, argument;
} RM_InfoSizes;

typedef struct RM_CommandInfo {
    const RM_InfoSizes *sizes;
    const char         *summary, *complexity, *since;
    RM_History         *history;
    const char         *tips;
    int                 arity;
    RM_KeySpec         *keys;
    RM_Argument        *arguments;
} RM_CommandInfo;

/* ---- Functions ---------------------------------------------------------------------------- */

typedef int       RM_Command(RM_Ctx *ctx, RM_String **argv, int argc);
typedef long long RM_GetNumber(const char *name, void *host);
typedef int       RM_SetNumber(const char *name, long long number, void *host, RM_String **error);
typedef int       RM_Apply(RM_Ctx *ctx, void *host, RM_String **error);
typedef void      RM_Info(RM_InfoCtx *ctx, int for_crash_report);
typedef void      RM_FreeData(RM_Ctx *ctx, void *data);
typedef void      RM_Gone(RM_Ctx *ctx, RM_Blocked *blocked);

/* Result, name, parameters. */
#define RM_FUNCTIONS(X)                                                                            \
    X(void, SetModuleAttribs, (RM_Ctx *, const char *, int, int))                                  \
    X(int, IsModuleNameBusy, (const char *))                                                       \
    X(void, SetModuleOptions, (RM_Ctx *, int))                                                     \
    X(RM_Type *, CreateDataType, (RM_Ctx *, const char *, int, RM_TypeMethods *))                  \
    X(int, CreateCommand, (RM_Ctx *, const char *, RM_Command *, const char *, int, int, int))     \
    X(RM_CommandItem *, GetCommand, (RM_Ctx *, const char *))                                      \
    X(int, SetCommandInfo, (RM_CommandItem *, const RM_CommandInfo *))                             \
    X(int, RegisterInfoFunc, (RM_Ctx *, RM_Info *))                                                \
    X(int, InfoAddSection, (RM_InfoCtx *, const char *))                                           \
    X(int, InfoAddFieldULongLong, (RM_InfoCtx *, const char *, unsigned long long))                \
    X(int, InfoAddFieldCString, (RM_InfoCtx *, const char *, const char *))                        \
    X(int, RegisterNumericConfig,                                                                  \
      (RM_Ctx *, const char *, long long, unsigned, long long, long long, RM_GetNumber *,          \
       RM_SetNumber *, RM_Apply *, void *))                                                        \
    X(int, LoadConfigs, (RM_Ctx *))                                                                \
    X(int, SubscribeToServerEvent, (RM_Ctx *, RM_Event, RM_EventCall *))                           \
    X(int, GetContextFlags, (RM_Ctx *))                                                            \
    X(void, Log, (RM_Ctx *, const char *, const char *, ...))                                      \
    X(int, WrongArity, (RM_Ctx *))                                                                 \
    X(const char *, StringPtrLen, (const RM_String *, size_t *))                                   \
    X(int, StringToLongLong, (const RM_String *, long long *))                                     \
    X(RM_String *, CreateString, (RM_Ctx *, const char *, size_t))                                 \
    X(void, FreeString, (RM_Ctx *, RM_String *))                                                   \
    X(void, RetainString, (RM_Ctx *, RM_String *))                                                 \
    X(RM_Key *, OpenKey, (RM_Ctx *, RM_String *, int))                                             \
    X(void, CloseKey, (RM_Key *))                                                                  \
    X(int, KeyType, (RM_Key *))                                                                    \
    X(RM_Type *, ModuleTypeGetType, (RM_Key *))                                                    \
    X(void *, ModuleTypeGetValue, (RM_Key *))                                                      \
    X(int, ModuleTypeSetValue, (RM_Key *, RM_Type *, void *))                                      \
    X(int, DeleteKey, (RM_Key *))                                                                  \
    X(int, SignalModifiedKey, (RM_Ctx *, RM_String *))                                             \
    X(int, NotifyKeyspaceEvent, (RM_Ctx *, int, const char *, RM_String *))                        \
    X(int, Replicate, (RM_Ctx *, const char *, const char *, ...))                                 \
    X(int, ReplicateVerbatim, (RM_Ctx *))                                                          \
    X(int, ReplyWithError, (RM_Ctx *, const char *))                                               \
    X(int, ReplyWithSimpleString, (RM_Ctx *, const char *))                                        \
    X(int, ReplyWithLongLong, (RM_Ctx *, long long))                                               \
    X(int, ReplyWithDouble, (RM_Ctx *, double))                                                    \
    X(int, ReplyWithBool, (RM_Ctx *, int))                                                         \
    X(int, ReplyWithNull, (RM_Ctx *))                                                              \
    X(int, ReplyWithArray, (RM_Ctx *, long))                                                       \
    X(int, ReplyWithMap, (RM_Ctx *, long))                                                         \
    X(void, ReplySetArrayLength, (RM_Ctx *, long))                                                 \
    X(int, ReplyWithStringBuffer, (RM_Ctx *, const char *, size_t))                                \
    X(void, SaveStringBuffer, (RM_IO *, const char *, size_t))                                     \
    X(char *, LoadStringBuffer, (RM_IO *, size_t *))                                               \
    X(int, IsIOError, (RM_IO *))                                                                   \
    X(void, LogIOError, (RM_IO *, const char *, const char *, ...))                                \
    X(RM_Ctx *, GetContextFromIO, (RM_IO *))                                                       \
    X(const RM_String *, GetKeyNameFromIO, (RM_IO *))                                              \
    X(void, EmitAOF, (RM_IO *, const char *, const char *, ...))                                   \
    X(void, DigestAddStringBuffer, (RM_Digest *, const char *, size_t))                            \
    X(void, DigestEndSequence, (RM_Digest *))                                                      \
    X(RM_Blocked *, BlockClient, (RM_Ctx *, RM_Command *, RM_Command *, RM_FreeData *, long long)) \
    X(int, UnblockClient, (RM_Blocked *, void *))                                                  \
    X(void *, GetBlockedClientPrivateData, (RM_Ctx *))                                             \
    X(RM_Ctx *, GetThreadSafeContext, (RM_Blocked *))                                              \
    X(void, FreeThreadSafeContext, (RM_Ctx *))                                                     \
    X(void, ThreadSafeContextLock, (RM_Ctx *))                                                     \
    X(void, ThreadSafeContextUnlock, (RM_Ctx *))                                                   \
    X(int, GetSelectedDb, (RM_Ctx *))                                                              \
    X(int, SelectDb, (RM_Ctx *, int))                                                              \
    X(long long, Milliseconds, (void))                                                             \
    X(void *, TryAlloc, (size_t))                                                                  \
    X(void *, Calloc, (size_t, size_t))                                                            \
    X(void, Free, (void *))                                                                        \
    X(size_t, MallocSize, (void *))

/* Not in every server: NULL where it is not there. */
#define RM_OPTIONAL_FUNCTIONS(X)                                                                   \
    X(void *, TryCalloc, (size_t, size_t))                                                         \
    X(void *, TryRealloc, (void *, size_t))                                                        \
    X(int, AddACLCategory, (RM_Ctx *, const char *))                                               \
    X(int, SetCommandACLCategories, (RM_CommandItem *, const char *))

#define RM_DECLARE(result, name, parameters) extern result(*RM_##name) parameters;
RM_FUNCTIONS(RM_DECLARE)
RM_OPTIONAL_FUNCTIONS(RM_DECLARE)
#undef RM_DECLARE

/* Fetches all of them; the name of one that the server does not have, or NULL. */
const char *api_fetch(RM_Ctx *ctx);

#endif
