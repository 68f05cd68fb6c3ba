/* pages.c - see pages.h. */
#include "pages.h"

#include "api.h"

#include <pthread.h>
#include <stdint.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef MADV_POPULATE_WRITE
#define MADV_POPULATE_WRITE 23 /* Linux 5.14 */
#endif

/* A slice is done in half a millisecond: a block that is to be freed waits as long. */
enum { PREPARED_FROM = 1 << 20, FREED_FROM = 8 << 20, SLICE = 256 << 10, WAITING_MAX = 64 };

typedef struct block {
    uint8_t *at;
    size_t   bytes, done;
    bool     freed;
} block;

static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER; /* for all that follows */
static pthread_cond_t  changed = PTHREAD_COND_INITIALIZER;
static block           waiting[WAITING_MAX], now; /* now: worked on, with the mutex free */
static size_t          count;
static bool            running, stopped; /* the thread; what it works on */
static pid_t           process;

void pages_start(void)
{
    process = getpid();
}

/* A child has no such thread, and may have the mutex locked for ever. */
static bool is_for_thread(size_t bytes)
{
    return bytes >= PREPARED_FROM && getpid() == process;
}

/* What is freed goes first. */
static void take(void)
{
    size_t at = 0;

    for (size_t i = 0; i < count && !waiting[at].freed; i++)
        if (waiting[i].freed)
            at = i;
    now = waiting[at];
    waiting[at] = waiting[--count];
}

/* False: the system cannot. */
static bool touch(uint8_t *from, size_t bytes)
{
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    const uintptr_t start = ((uintptr_t)from + page - 1) / page * page;
    const uintptr_t end = ((uintptr_t)from + bytes) / page * page;

    return start >= end || madvise((void *)start, end - start, MADV_POPULATE_WRITE) == 0;
}

/* Touches a slice, or frees the block; whether there is more to do. */
static bool work_on(block *of)
{
    const size_t rest = of->bytes - of->done, some = rest < SLICE ? rest : SLICE;

    if (of->freed) {
        RM_Free(of->at);
        return false;
    }
    const bool touched = touch(of->at + of->done, some);
    of->done += some;
    return touched && some < rest;
}

static void *work(void *none)
{
    (void)none;
    pthread_mutex_lock(&mutex);
    for (;;) {
        while (count == 0)
            pthread_cond_wait(&changed, &mutex);
        take();
        block slice = now;
        pthread_mutex_unlock(&mutex);
        const bool more = work_on(&slice);
        pthread_mutex_lock(&mutex);
        if (more && !stopped && count < WAITING_MAX)
            waiting[count++] = slice;
        now = (block){0};
        stopped = false;
        pthread_cond_broadcast(&changed);
    }
    return NULL;
}

static bool is_running(void)
{
    pthread_t thread;

    if (!running && pthread_create(&thread, NULL, work, NULL) == 0) {
        pthread_detach(thread);
        running = true;
    }
    return running;
}

static bool add(const block *added)
{
    if (count == WAITING_MAX || !is_running())
        return false;
    waiting[count++] = *added;
    pthread_cond_broadcast(&changed);
    return true;
}

void pages_prepare(void *at, size_t bytes)
{
    if (!is_for_thread(bytes))
        return;
    pthread_mutex_lock(&mutex);
    add(&(block){.at = at, .bytes = bytes});
    pthread_mutex_unlock(&mutex);
}

/* No thread touches this block from here on. */
static void forget(const uint8_t *at)
{
    if (now.at == at) {
        stopped = true;
        while (now.at == at)
            pthread_cond_wait(&changed, &mutex);
    }
    for (size_t i = 0; i < count; i++)
        if (waiting[i].at == at) {
            waiting[i] = waiting[--count];
            return;
        }
}

bool pages_free(void *at, size_t bytes)
{
    bool taken = false;

    if (!is_for_thread(bytes))
        return false;
    pthread_mutex_lock(&mutex);
    forget(at);
    if (bytes >= FREED_FROM)
        taken = add(&(block){.at = at, .bytes = bytes, .freed = true});
    pthread_mutex_unlock(&mutex);
    return taken;
}
