/* network.c - connections without a network. */
#define _DEFAULT_SOURCE 1
#include "support/network.h"

#include "base/system.h"
#include "support/check.h"

#include <errno.h>

enum { LISTENER = 900, FIRST = 1000, PORT = 4711, FILES_LEFT = 4096, EVER = 1 << 20 };

/* This side's view of a peer. */
typedef struct line {
    bool     open, heard_end;
    bool     asked; /* the other side speaks */
    size_t   received;
    uint64_t next_at;  /* when the next piece comes */
    uint64_t takes_at; /* when it takes more */
    uint8_t *sent;
    size_t   sent_count, sent_room;
} line;

static struct {
    network_plan plan;
    line        *lines;
    size_t       made; /* connections */
    bool         listens;
    uint64_t     clock, state;
    unsigned     idle; /* waits in a row in which nothing was ready and no time passed */
} now;

/* A number below `limit`; 0 if nothing is drawn. */
static uint64_t draw(uint64_t limit)
{
    if (now.plan.draws == 0)
        return 0;
    uint64_t x = now.state += 0x9e3779b97f4a7c15u; /* SplitMix64 */
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return (x ^ x >> 31) % limit;
}

/* How many of `bytes` bytes are moved: sometimes one, sometimes a few, sometimes all; of many never
 * so few that it takes ages. */
static size_t cut(size_t bytes)
{
    static const size_t most[] = {1, 7, 100};
    uint64_t            which = draw(4);

    if (now.plan.draws == 0 || which == 3)
        return bytes;
    size_t some = 1 + (size_t)draw(most[which]) + bytes / 64;
    return some < bytes ? some : bytes;
}

static const network_peer *peer_of(int file)
{
    assert_true(file >= FIRST && (size_t)(file - FIRST) < now.made);
    assert_true(now.lines[file - FIRST].open);
    return &now.plan.peers[file - FIRST];
}

static line *line_of(int file)
{
    peer_of(file);
    return &now.lines[file - FIRST];
}

/* ---- What is ready, and when ---------------------------------------------------------------- */

/* When something of `what` will be possible; UINT64_MAX: never. */
static uint64_t ready_at(int file, int what)
{
    uint64_t at = UINT64_MAX;

    if (file == LISTENER)
        return (what & INK__CAN_READ) != 0 && now.made < now.plan.count ? 0 : UINT64_MAX;
    const network_peer *peer = peer_of(file);
    const line         *to = line_of(file);
    bool                more = to->received < peer->count;
    if ((what & INK__CAN_READ) != 0 && to->asked && (more || peer->end != NETWORK_STAYS))
        at = more ? to->next_at : 0;
    if ((what & INK__CAN_WRITE) != 0 && to->takes_at < at)
        at = to->takes_at;
    return at;
}

static int ready_now(int file, int what)
{
    int ready = 0;

    if ((what & INK__CAN_READ) != 0 && ready_at(file, INK__CAN_READ) <= now.clock)
        ready |= INK__CAN_READ;
    if ((what & INK__CAN_WRITE) != 0 && file != LISTENER &&
        ready_at(file, INK__CAN_WRITE) <= now.clock)
        ready |= INK__CAN_WRITE;
    return ready;
}

/* Lets time pass until `at`, or so long. */
static void pass_until(uint64_t at, int milliseconds)
{
    uint64_t end = now.clock + (uint64_t)milliseconds * 1000000;

    if (milliseconds < 0 && at == UINT64_MAX)
        fail_msg("waits for ever for no event");
    if (milliseconds >= 0 && end < at)
        at = end;
    now.idle = at > now.clock ? 0 : now.idle + 1;
    if (now.idle > EVER)
        fail_msg("waits again and again without end, and no time passes");
    if (at > now.clock)
        now.clock = at;
}

static int wait_here(int file, int what, int milliseconds)
{
    if (draw(9) == 1)
        return -EINTR;
    int ready = ready_now(file, what);
    if (ready == 0) {
        pass_until(ready_at(file, what), milliseconds);
        ready = ready_now(file, what);
    } else {
        now.idle = 0;
    }
    return ready;
}

static int wait_many_here(ink__awaited *files, size_t count, int milliseconds)
{
    uint64_t first = UINT64_MAX;
    int      ready = 0;

    if (draw(9) == 1)
        return -EINTR;
    for (size_t i = 0; i < count; i++) {
        uint64_t at = files[i].file < 0 ? UINT64_MAX : ready_at(files[i].file, files[i].what);
        first = at < first ? at : first;
    }
    if (first > now.clock)
        pass_until(first, milliseconds);
    else
        now.idle = 0;
    for (size_t i = 0; i < count; i++) {
        files[i].ready = 0;
        if (files[i].file >= 0 && draw(3) != 1) /* some are late */
            files[i].ready = (short)ready_now(files[i].file, files[i].what);
        ready += files[i].ready != 0;
    }
    return ready;
}

static uint64_t clock_here(void)
{
    return now.clock;
}

/* ---- Connections ---------------------------------------------------------------------------- */

static int make(void)
{
    if (now.made == now.plan.count)
        return -ECONNREFUSED;
    const network_peer *peer = &now.plan.peers[now.made];
    now.lines[now.made] = (line){
        .open = true,
        .asked = peer->until == NULL,
        .next_at = now.clock + peer->pause,
    };
    return FIRST + (int)now.made++;
}

static int connect_here(const ink__peer *to)
{
    (void)to;
    return make();
}

static int connected_here(int file)
{
    peer_of(file);
    return 0;
}

static int listen_here(const ink__peer *at)
{
    (void)at;
    assert_false(now.listens);
    now.listens = true;
    return LISTENER;
}

static int port_here(int file)
{
    assert_int_equal(file, LISTENER);
    return PORT;
}

static int accept_here(int file)
{
    static const int troubles[] = {EAGAIN, EINTR, ECONNABORTED, EMFILE};

    assert_true(file == LISTENER && now.listens);
    if (draw(5) == 1)
        return -troubles[draw(4)];
    return now.made < now.plan.count ? make() : -EAGAIN;
}

static int files_left_here(int file)
{
    (void)file;
    return FILES_LEFT;
}

static int close_here(int file)
{
    if (file == LISTENER) {
        assert_true(now.listens);
        now.listens = false;
        return 0;
    }
    line_of(file)->open = false;
    return 0;
}

static long long receive_here(int file, void *to, size_t bytes)
{
    const network_peer *peer = peer_of(file);
    line               *from = line_of(file);
    size_t              left = peer->count - from->received;

    if (ready_at(file, INK__CAN_READ) > now.clock || draw(7) == 1)
        return draw(2) == 1 ? -EINTR : -EAGAIN;
    if (bytes == 0)
        return 0;
    if (left == 0) {
        from->heard_end = true;
        return peer->end == NETWORK_RESETS ? -ECONNRESET : 0;
    }
    bytes = cut(bytes < left ? bytes : left);
    if (peer->piece > 0 && bytes > peer->piece)
        bytes = peer->piece;
    memcpy(to, (const uint8_t *)peer->bytes + from->received, bytes);
    from->received += bytes;
    from->next_at = now.clock + peer->pause;
    return (long long)bytes;
}

static long long send_here(int file, const void *bytes, size_t count)
{
    const network_peer *peer = peer_of(file);
    line               *to = line_of(file);

    assert_true(count > 0);
    if (to->heard_end && peer->end == NETWORK_RESETS)
        return -EPIPE;
    if (to->takes_at > now.clock || draw(7) == 1)
        return draw(2) == 1 ? -EINTR : -EAGAIN;
    count = cut(count);
    if (peer->takes > 0) {
        count = count < peer->takes ? count : peer->takes;
        to->takes_at = now.clock + peer->pause;
    }
    if (to->sent_count + count > to->sent_room) {
        to->sent_room = 2 * (to->sent_count + count);
        to->sent = realloc(to->sent, to->sent_room);
        assert_non_null(to->sent);
    }
    memcpy(to->sent + to->sent_count, bytes, count);
    to->sent_count += count;
    size_t end = peer->until == NULL ? 0 : strlen(peer->until);
    if (!to->asked && to->sent_count >= end &&
        memcmp(to->sent + to->sent_count - end, peer->until, end) == 0) {
        to->asked = true;
        to->next_at = now.clock + peer->pause;
    }
    return (long long)count;
}

static int end_sending_here(int file)
{
    peer_of(file);
    return 0;
}

static long long start_here(const char *const *arguments, int *output)
{
    (void)arguments;
    (void)output;
    return -ENOENT;
}

/* ---- The table ------------------------------------------------------------------------------ */

static void forget(void)
{
    for (size_t i = 0; i < now.made; i++)
        free(now.lines[i].sent);
    free(now.lines);
    memset(&now, 0, sizeof now);
}

void network_begin(const network_plan *plan)
{
    static ink__system system;

    forget();
    now.plan = *plan;
    now.state = plan->draws;
    now.lines = calloc(plan->count + 1, sizeof *now.lines);
    assert_non_null(now.lines);
    now.clock = 1000000000; /* of some time in the past */
    system = ink__posix;
    system.wait = wait_here;
    system.wait_many = wait_many_here;
    system.nanoseconds = clock_here;
    system.connect = connect_here;
    system.connected = connected_here;
    system.listen = listen_here;
    system.port = port_here;
    system.accept = accept_here;
    system.files_left = files_left_here;
    system.close = close_here;
    system.receive = receive_here;
    system.send = send_here;
    system.end_sending = end_sending_here;
    system.start = start_here;
    ink__system_replace(&system);
}

void network_end(void)
{
    ink__system_replace(NULL);
}

size_t network_connections(void)
{
    return now.made;
}

int network_open(void)
{
    int open = now.listens;

    for (size_t i = 0; i < now.made; i++)
        open += now.lines[i].open;
    return open;
}

uint64_t network_passed(void)
{
    return now.clock - 1000000000;
}

const uint8_t *network_sent(size_t number, size_t *count)
{
    *count = number < now.made ? now.lines[number].sent_count : 0;
    return number < now.made ? now.lines[number].sent : NULL;
}

bool network_left(size_t number)
{
    return number < now.made && !now.lines[number].open;
}
