/* cleanup.c - the cleanup registry: fixed slots with atomic states, so that a handler can read them
 * at any time. A forked process finds the slots of its parent: it neither waits for a
 * thread that it does not have, nor removes files that are not its own. */
#include "base/cleanup.h"

#include "base/system.h"
#include "base/text.h"

#include <stdatomic.h>
#include <stdbool.h>
#include <string.h>

/* MAKING: a thread is creating the file. */
enum { FREE = 0, MAKING, SET };
/* How long to wait for a thread that creates a file: forever if the file system hangs. */
enum { MAKING_MILLISECONDS = 2000 };
enum { UNFINISHED_MAX = 16, MAPS_MAX = 64, NAME_BYTES = 4096, PATH_BYTES = 1024 };

static struct {
    atomic_int   state;
    atomic_llong process; /* that owns the file */
    atomic_llong thread;  /* that is creating it */
    char         name[NAME_BYTES];
} unfinished[UNFINISHED_MAX];

static struct {
    atomic_int  state;
    atomic_bool watched, cut;
    const void *at;
    uint64_t    bytes;
    char        path[PATH_BYTES];
} maps[MAPS_MAX];

static atomic_llong changing; /* a lock of all slots: 0, or the process of the thread that has it */
static atomic_llong ending;   /* 0, or the process that creates no more files */

static long long this_process(void)
{
    return ink__system_now()->process_id();
}

static void begin_change(long long mine)
{
    long long found = 0;

    /* A thread of the parent that had the lock at the fork will never release it. */
    while (!atomic_compare_exchange_weak(&changing, &found, mine))
        if (found == mine)
            found = 0;
}

static void end_change(void)
{
    atomic_store(&changing, 0);
}

/* Whether a slot has a file of this process. */
static bool is_set(size_t slot, long long mine)
{
    return atomic_load(&unfinished[slot].state) != FREE &&
           atomic_load(&unfinished[slot].process) == mine;
}

static void set_slot(const char *name, int state)
{
    const long long mine = this_process(), thread = ink__system_now()->thread_id();
    size_t          bytes = strlen(name) + 1;

    if (bytes > NAME_BYTES)
        return;
    begin_change(mine);
    for (size_t i = 0; i < UNFINISHED_MAX; i++)
        if (!is_set(i, mine)) {
            atomic_store(&unfinished[i].state, FREE);
            memcpy(unfinished[i].name, name, bytes);
            atomic_store(&unfinished[i].process, mine);
            atomic_store(&unfinished[i].thread, thread);
            atomic_store(&unfinished[i].state, state);
            break;
        }
    end_change();
}

/* Either the thread that ends the process finds this name and waits, or this thread finds that the
 * process ends and creates nothing: both write first, then read. */
void ink__cleanup_making(const char *name)
{
    set_slot(name, MAKING);
    if (atomic_load(&ending) != this_process())
        return;
    ink__cleanup_finished(name);
    for (;;)
        ink__system_now()->wait(-1, 0, MAKING_MILLISECONDS);
}

/* The slot of the file with this name that this thread is creating, or UNFINISHED_MAX. */
static size_t slot_making(const char *name, long long mine)
{
    const long long thread = ink__system_now()->thread_id();
    size_t          i = 0;

    while (i < UNFINISHED_MAX &&
           !(is_set(i, mine) && atomic_load(&unfinished[i].state) == MAKING &&
             atomic_load(&unfinished[i].thread) == thread && strcmp(unfinished[i].name, name) == 0))
        i++;
    return i;
}

void ink__cleanup_unfinished(const char *name)
{
    const long long mine = this_process();

    begin_change(mine);
    const size_t slot = slot_making(name, mine);
    if (slot < UNFINISHED_MAX)
        atomic_store(&unfinished[slot].state, SET);
    end_change();
    if (slot == UNFINISHED_MAX)
        set_slot(name, SET);
}

/* Where this thread was to create a file that another one has, that one's stays. */
void ink__cleanup_finished(const char *name)
{
    const long long mine = this_process();

    begin_change(mine);
    size_t slot = slot_making(name, mine);
    for (size_t i = 0; slot == UNFINISHED_MAX && i < UNFINISHED_MAX; i++)
        if (is_set(i, mine) && strcmp(unfinished[i].name, name) == 0)
            slot = i;
    if (slot < UNFINISHED_MAX)
        atomic_store(&unfinished[slot].state, FREE);
    end_change();
}

void ink__cleanup_map(const void *at, uint64_t bytes, const char *path)
{
    begin_change(this_process());
    for (size_t i = 0; i < MAPS_MAX; i++)
        if (atomic_load(&maps[i].state) == FREE) {
            maps[i].at = at;
            maps[i].bytes = bytes;
            ink__format(maps[i].path, PATH_BYTES, "%s", path);
            atomic_store(&maps[i].watched, false);
            atomic_store(&maps[i].cut, false);
            atomic_store(&maps[i].state, SET);
            break;
        }
    end_change();
}

void ink__cleanup_unmap(const void *at)
{
    begin_change(this_process());
    for (size_t i = 0; i < MAPS_MAX; i++)
        if (atomic_load(&maps[i].state) == SET && maps[i].at == at) {
            atomic_store(&maps[i].state, FREE);
            break;
        }
    end_change();
}

void ink__cleanup_remove(void)
{
    const long long mine = this_process();

    for (size_t i = 0; i < UNFINISHED_MAX; i++)
        if (is_set(i, mine))
            ink__system_now()->unlink(unfinished[i].name);
}

void ink__cleanup_end(void)
{
    const long long mine = this_process(), thread = ink__system_now()->thread_id();

    atomic_store(&ending, mine);
    /* For other threads: this one was interrupted by the handler, and will not go on. */
    for (size_t i = 0, waited = 0; i < UNFINISHED_MAX; i++)
        while (is_set(i, mine) && atomic_load(&unfinished[i].state) == MAKING &&
               atomic_load(&unfinished[i].thread) != thread && waited++ < MAKING_MILLISECONDS)
            ink__system_now()->wait(-1, 0, 1);
    ink__cleanup_remove();
}

/* The slot of the map that holds an address, or MAPS_MAX. */
static size_t map_of(const void *address)
{
    size_t i = 0;

    while (i < MAPS_MAX && (atomic_load(&maps[i].state) != SET ||
                            (uintptr_t)address - (uintptr_t)maps[i].at >= maps[i].bytes))
        i++;
    return i;
}

const char *ink__cleanup_path(const void *address)
{
    size_t map = map_of(address);

    return map < MAPS_MAX ? maps[map].path : NULL;
}

void ink__cleanup_watch(const void *at)
{
    size_t map = map_of(at);

    if (map < MAPS_MAX)
        atomic_store(&maps[map].watched, true);
}

bool ink__cleanup_was_cut(const void *at)
{
    size_t map = map_of(at);

    return map < MAPS_MAX && atomic_load(&maps[map].cut);
}

bool ink__cleanup_outlive(const void *address)
{
    size_t map = map_of(address);

    if (map == MAPS_MAX || !atomic_load(&maps[map].watched))
        return false;
    atomic_store(&maps[map].cut, true);
    return ink__system_now()->blank(maps[map].at, (size_t)maps[map].bytes, address) == 0;
}
