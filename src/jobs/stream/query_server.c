/* query_server.c - questions from a file to a sink, or to and fro on many connections. Whatever can
 * happen to a connection ends no other. */
#include "jobs/stream/query_server.h"

#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

enum {
    /* What one connection gets in a round, so that the others do not wait for it. */
    ROUND_BYTES = 64 << 10,
    ROUND_QUESTIONS = 256,
    ROUND_CONNECTIONS = 64, /* that are taken in a round */
};

#define NANOSECONDS 1000000u                 /* of a millisecond */
#define PATIENCE ((uint64_t)60 * 1000000000) /* for one who takes no answers */

/* Somebody who has connected. */
typedef struct client {
    int        file; /* -1: gone */
    ink__asker asker;
    uint64_t   taken_at; /* when answers were last taken, or none waited */
} client;

struct ink__conversation {
    ink__conversation_rule rule;
    ink__answerer          by;

    ink__listener listener;
    client       *clients;
    uint64_t      clients_room; /* in bytes, as below */
    size_t        count;
    ink__awaited *awaited; /* one for each client, and the listener's */
    uint64_t      awaited_room;

    int        file; /* or this one is read */
    bool       fifo, ended;
    ink__asker asker;

    _Atomic uint64_t connections, answered;
    uint8_t          heard[ROUND_BYTES];
};

static bool is_standard(const ink__conversation *conversation)
{
    return strcmp(conversation->rule.address, "-") == 0;
}

/* ---- Opening and closing ------------------------------------------------------------------ */

static void close_file(ink__conversation *conversation)
{
    if (conversation->file >= 0 && !is_standard(conversation))
        ink__system_now()->close(conversation->file); /* was only read: nothing can be lost */
    conversation->file = -1;
}

/* Without waiting for somebody who writes to a FIFO. */
static ink_status open_file(ink__conversation *to, ink_error *error)
{
    ink__stat stat;
    int       file;

    if (is_standard(to)) {
        to->file = 0;
        return INK_OK;
    }
    do
        file = ink__system_now()->open(to->rule.address, INK__OPEN_READ, 0);
    while (file == -EINTR);
    if (file < 0)
        return ink__fail_io(error, -file, "cannot open");
    close_file(to); /* the one before, of a FIFO: last, so that no writer finds nobody there */
    to->file = file;
    int result = ink__system_now()->stat_file(to->file, &stat);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat");
    if (stat.folder)
        return ink__fail_io(error, EISDIR, "cannot read");
    to->fifo = stat.pipe;
    return INK_OK;
}

ink_status ink__conversation_open(ink__conversation           **conversation,
                                  const ink__conversation_rule *rule,
                                  const ink_allocator *allocator, ink_error *error)
{
    ink_allocator heap = ink__allocator_or_heap(allocator);
    void         *memory;

    *conversation = NULL;
    INK__TRY(ink__allocate(&heap, sizeof **conversation, &memory, error));
    memset(memory, 0, sizeof **conversation);
    ink__conversation *made = memory;
    made->rule = *rule;
    made->by = (ink__answerer){.answer = rule->answer, .host = rule->host, .allocator = heap};
    made->listener.file = made->file = -1;
    ink_status status = ink__listener_named(rule->address)
                            ? ink__listener_open(&made->listener, rule->address, error)
                            : open_file(made, error);
    if (status != INK_OK) {
        ink__conversation_close(made);
        return status;
    }
    *conversation = made;
    return INK_OK;
}

static void leave(ink__conversation *conversation, client *who)
{
    ink__system_now()->close(who->file);
    who->file = -1;
    ink__asker_release(&who->asker, &conversation->by.allocator);
    atomic_fetch_sub(&conversation->connections, 1);
}

void ink__conversation_close(ink__conversation *conversation)
{
    if (conversation == NULL)
        return;
    ink_allocator allocator = conversation->by.allocator;
    for (size_t i = 0; i < conversation->count; i++)
        leave(conversation, &conversation->clients[i]);
    ink__listener_close(&conversation->listener);
    close_file(conversation);
    ink__asker_release(&conversation->asker, &allocator);
    ink__release(&allocator, conversation->clients, conversation->clients_room);
    ink__release(&allocator, conversation->awaited, conversation->awaited_room);
    ink__release(&allocator, conversation, sizeof *conversation);
}

/* ---- What it is --------------------------------------------------------------------------- */

bool ink__conversation_listens(const ink__conversation *conversation)
{
    return conversation->listener.file >= 0;
}

bool ink__conversation_fifo(const ink__conversation *conversation)
{
    return conversation->fifo;
}

const char *ink__conversation_address(const ink__conversation *conversation)
{
    return ink__conversation_listens(conversation) ? conversation->listener.address
                                                   : conversation->rule.address;
}

uint64_t ink__conversation_connections(const ink__conversation *conversation)
{
    return atomic_load(&((ink__conversation *)(uintptr_t)conversation)->connections);
}

uint64_t ink__conversation_answered(const ink__conversation *conversation)
{
    return atomic_load(&((ink__conversation *)(uintptr_t)conversation)->answered);
}

static ink_status answer(ink__conversation *conversation, ink__asker *asker, uint64_t most,
                         ink_error *error)
{
    uint64_t   answered = 0;
    ink_status status = ink__asker_answer(asker, &conversation->by, most, &answered, error);

    atomic_fetch_add(&conversation->answered, answered);
    return status;
}

/* ---- A file ------------------------------------------------------------------------------- */

static ink_status write_answers(ink__conversation *conversation, ink_error *error)
{
    ink__asker     *asker = &conversation->asker;
    const ink_sink *sink = conversation->rule.sink;
    uint64_t        waiting = ink__asker_waiting(asker);

    if (waiting == 0)
        return INK_OK;
    int os_error = sink->write(sink->host, asker->answers + asker->taken, (size_t)waiting);
    if (os_error != 0)
        return ink__fail_io(error, os_error, "cannot write");
    ink__asker_taken(asker, &conversation->by.allocator, waiting);
    return INK_OK;
}

/* What can be read of a file without waiting more than so long; *count is 0 if nothing, also at the
 * end, which is noted. */
static ink_status read_file(ink__conversation *from, int milliseconds, uint64_t *count,
                            ink_error *error)
{
    *count = 0;
    long long result = ink__system_now()->wait(from->file, INK__CAN_READ, milliseconds);
    if (result > 0) {
        result = ink__system_now()->read(from->file, from->heard, sizeof from->heard);
        from->asker.ended = result == 0;
    }
    if (result == -EINTR || result == -EAGAIN)
        return INK_OK;
    if (result < 0)
        return ink__fail_io(error, (int)-result, "cannot read");
    *count = (uint64_t)result;
    return INK_OK;
}

static ink_status serve_file(ink__conversation *conversation, int milliseconds, ink_error *error)
{
    ink__asker *asker = &conversation->asker;
    uint64_t    count;

    INK__TRY(read_file(conversation, milliseconds, &count, error));
    INK__TRY(ink__asker_hear(asker, &conversation->by, conversation->heard, count, error));
    do {
        INK__TRY(answer(conversation, asker, UINT64_MAX, error));
        INK__TRY(write_answers(conversation, error));
    } while (asker->more);
    if (asker->ended && conversation->fifo && conversation->rule.again) {
        asker->ended = false;
        return open_file(conversation, error);
    }
    conversation->ended = asker->ended;
    if (conversation->ended)
        close_file(conversation);
    return INK_OK;
}

/* ---- Connections -------------------------------------------------------------------------- */

/* What a client has to be waited for, and at most for how long. Nothing more is read of it before
 * all that was read is answered, which waits until the answers before are taken. */
static ink__awaited await(const client *who, uint64_t now, int *milliseconds)
{
    uint64_t waiting = ink__asker_waiting(&who->asker);
    bool     listens = !who->asker.more && !who->asker.ended;
    int      what = (listens ? INK__CAN_READ : 0) | (waiting > 0 ? INK__CAN_WRITE : 0);

    if (ink__asker_can_go_on(&who->asker))
        *milliseconds = 0;
    if (waiting > 0) {
        uint64_t passed = now - who->taken_at;
        uint64_t left = passed < PATIENCE ? (PATIENCE - passed) / NANOSECONDS + 1 : 0;
        if (*milliseconds < 0 || (uint64_t)*milliseconds > left)
            *milliseconds = (int)left;
    }
    return (ink__awaited){.file = what != 0 ? who->file : -1, .what = (short)what};
}

/* Waits until somebody has something for us, or takes something, or so long. */
static int wait_for_any(ink__conversation *conversation, int milliseconds)
{
    uint64_t      now = ink__system_now()->nanoseconds();
    size_t        count = conversation->count;
    ink__awaited *awaited = conversation->awaited;

    for (size_t i = 0; i < count; i++)
        awaited[i] = await(&conversation->clients[i], now, &milliseconds);
    awaited[count] = (ink__awaited){.file = -1};
    if (count < INK__ASKERS_MAX)
        ink__listener_await(&conversation->listener, &awaited[count], &milliseconds);
    return ink__system_now()->wait_many(awaited, count + 1, milliseconds);
}

/* Hears what a client has to say; *gone becomes true if its connection has failed. */
static ink_status hear(ink__conversation *conversation, client *who, bool *gone, ink_error *error)
{
    long long count =
        ink__system_now()->receive(who->file, conversation->heard, sizeof conversation->heard);

    if (count < 0) {
        *gone = count != -EAGAIN && count != -EINTR;
        return INK_OK;
    }
    who->asker.ended = count == 0;
    return ink__asker_hear(&who->asker, &conversation->by, conversation->heard, (uint64_t)count,
                           error);
}

/* Gives a client what it takes of its answers; *gone as above. */
static void tell(ink__conversation *conversation, client *who, uint64_t now, bool *gone)
{
    long long count = ink__system_now()->send(who->file, who->asker.answers + who->asker.taken,
                                              (size_t)ink__asker_waiting(&who->asker));

    if (count <= 0) {
        *gone = count != -EAGAIN && count != -EINTR;
        return;
    }
    ink__asker_taken(&who->asker, &conversation->by.allocator, (uint64_t)count);
    who->taken_at = now;
}

static ink_status serve_client(ink__conversation *conversation, client *who, int ready,
                               uint64_t now, ink_error *error)
{
    ink__asker *asker = &who->asker;
    bool        gone = false, waited = ink__asker_waiting(asker) > 0;

    if (!waited)
        who->taken_at = now;
    if ((ready & INK__CAN_READ) != 0)
        INK__TRY(hear(conversation, who, &gone, error));
    if (ink__asker_can_go_on(asker))
        INK__TRY(answer(conversation, asker, ROUND_QUESTIONS, error));
    /* One that would take no answer before takes none now, unless the system says so. */
    if (!gone && ink__asker_waiting(asker) > 0 && (!waited || (ready & INK__CAN_WRITE) != 0))
        tell(conversation, who, now, &gone);
    bool waits = ink__asker_waiting(asker) > 0;
    if (gone || (waits && now - who->taken_at >= PATIENCE) ||
        (!waits && asker->ended && !asker->more))
        leave(conversation, who);
    return INK_OK;
}

/* Closes the gaps of those who have left. */
static void close_ranks(ink__conversation *conversation)
{
    size_t kept = 0;

    for (size_t i = 0; i < conversation->count; i++)
        if (conversation->clients[i].file >= 0)
            conversation->clients[kept++] = conversation->clients[i];
    conversation->count = kept;
}

/* Makes room for one more client before it is taken. */
static ink_status make_locations(ink__conversation *in, ink_error *error)
{
    const ink_allocator *allocator = &in->by.allocator;

    INK__TRY(ink__make_room(allocator, &in->clients, &in->clients_room, in->count * sizeof(client),
                            sizeof(client), error));
    /* Those are filled anew in every round. */
    return ink__make_room(allocator, &in->awaited, &in->awaited_room, 0,
                          (in->count + 2) * sizeof(ink__awaited), error);
}

static ink_status take_clients(ink__conversation *conversation, ink_error *error)
{
    for (int i = 0; i < ROUND_CONNECTIONS && conversation->count < INK__ASKERS_MAX; i++) {
        int file;

        INK__TRY(make_locations(conversation, error));
        INK__TRY(ink__listener_accept(&conversation->listener, &file, error));
        if (file < 0)
            return INK_OK;
        conversation->clients[conversation->count++] = (client){.file = file};
        atomic_fetch_add(&conversation->connections, 1);
    }
    return INK_OK;
}

static ink_status serve_clients(ink__conversation *conversation, int milliseconds, ink_error *error)
{
    size_t     count = conversation->count;
    ink_status status = count > 0 ? INK_OK : make_locations(conversation, error);

    if (status != INK_OK)
        return status;
    int result = wait_for_any(conversation, milliseconds);
    if (result < 0)
        return result == -EINTR ? INK_OK
                                : ink__fail_io(error, -result, "cannot wait for connections");
    uint64_t now = ink__system_now()->nanoseconds();
    bool     knocks = conversation->awaited[count].ready != 0;
    for (size_t i = 0; i < count && status == INK_OK; i++)
        status = serve_client(conversation, &conversation->clients[i],
                              conversation->awaited[i].ready, now, error);
    close_ranks(conversation);
    return status == INK_OK && knocks ? take_clients(conversation, error) : status;
}

ink_status ink__conversation_serve(ink__conversation *conversation, int milliseconds, bool *ended,
                                   ink_error *error)
{
    ink_status status = INK_OK;

    if (ink__conversation_listens(conversation))
        status = serve_clients(conversation, milliseconds, error);
    else if (!conversation->ended)
        status = serve_file(conversation, milliseconds, error);
    *ended = conversation->ended;
    return status;
}
