/* background.c - see background.h. */
#include "background.h"

#include "reply.h"

#include <pthread.h>
#include <string.h>

/* Values from here on take longer than an event loop should stand still. */
enum { LARGE_BYTES = 16 << 20, TASKS_MAX = 4, STACK_BYTES = 1 << 20 };

static int under_way; /* changed with the server to itself */

task *task_create(size_t bytes, size_t read_count)
{
    const size_t start = (bytes + 15) / 16 * 16;
    task        *t = RM_TryAlloc(start + read_count * sizeof(body *));

    if (t == NULL)
        return NULL;
    memset(t, 0, start + read_count * sizeof(body *));
    t->read = (body **)((char *)t + start);
    t->read_count = read_count;
    return t;
}

void task_free(task *t)
{
    for (size_t i = 0; i < t->read_count; i++)
        body_release(t->read[i]);
    for (int i = 0; t->blocked != NULL && i < t->word_count; i++)
        RM_FreeString(NULL, t->words[i]);
    if (t->blocked != NULL)
        RM_Free(t->words);
    RM_Free(t);
}

/* In transactions and scripts, on replicas and while data is loaded, commands are done when they
 * return. */
static bool may_wait(RM_Ctx *ctx)
{
    const int at_once = RM_FLAG_LUA | RM_FLAG_MULTI | RM_FLAG_REPLICA | RM_FLAG_REPLICATED |
                        RM_FLAG_LOADING | RM_FLAG_DENY_BLOCKING;

    return (RM_GetContextFlags(ctx) & at_once) == 0;
}

static bool is_large(const task *t)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < t->read_count; i++)
        bytes += t->read[i] == NULL ? 0 : atomic_load(&t->read[i]->memory.bytes);
    return bytes > LARGE_BYTES;
}

static void mark(task *t, bool more)
{
    for (size_t i = 0; i < t->read_count; i++)
        if (t->read[i] != NULL)
            t->read[i]->readers += more ? 1 : -1;
}

static void *go(void *given)
{
    task       *t = given;
    RM_Blocked *blocked = t->blocked;

    t->run(t);
    RM_Ctx *ctx = RM_GetThreadSafeContext(blocked);
    RM_ThreadSafeContextLock(ctx);
    under_way--;
    mark(t, false);
    t->finish(ctx, t);
    RM_ThreadSafeContextUnlock(ctx);
    RM_FreeThreadSafeContext(ctx);
    RM_UnblockClient(blocked, NULL);
    return NULL;
}

/* The words of a command live as long as the command. */
static bool copy_words(task *t)
{
    RM_String **copies = RM_TryAlloc((size_t)t->word_count * sizeof *copies);
    size_t      bytes;

    if (copies == NULL)
        return false;
    for (int i = 0; i < t->word_count; i++) {
        const char *text = RM_StringPtrLen(t->words[i], &bytes);
        copies[i] = RM_CreateString(NULL, text, bytes);
    }
    t->words = copies;
    return true;
}

static bool start_thread(task *t)
{
    pthread_attr_t how;
    pthread_t      thread;

    if (pthread_attr_init(&how) != 0)
        return false;
    pthread_attr_setdetachstate(&how, PTHREAD_CREATE_DETACHED);
    pthread_attr_setstacksize(&how, STACK_BYTES);
    const bool started = pthread_create(&thread, &how, go, t) == 0;
    pthread_attr_destroy(&how);
    return started;
}

static void run_now(RM_Ctx *ctx, task *t)
{
    t->run(t);
    t->finish(ctx, t);
}

int task_start(RM_Ctx *ctx, task *t, RM_String **argv, int argc)
{
    t->words = argv;
    t->word_count = argc;
    if (!is_large(t) || !may_wait(ctx)) {
        run_now(ctx, t);
        return RM_OK;
    }
    if (under_way == TASKS_MAX || !copy_words(t)) {
        task_free(t);
        return RM_ReplyWithError(ctx, "INKBUSY too many large values are worked on: try again");
    }
    t->blocked = RM_BlockClient(ctx, NULL, NULL, NULL, 0);
    under_way++;
    mark(t, true);
    if (start_thread(t))
        return RM_OK;
    under_way--;
    mark(t, false);
    RM_Blocked *blocked = t->blocked;
    RM_Ctx     *own = RM_GetThreadSafeContext(blocked);
    run_now(own, t);
    RM_FreeThreadSafeContext(own);
    RM_UnblockClient(blocked, NULL);
    return RM_OK;
}
