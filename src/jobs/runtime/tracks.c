/* tracks.c - ordered work of many threads. */
#include "jobs/runtime/tracks.h"

#include "base/memory.h"
#include "base/status.h"

typedef struct track {
    uint64_t next; /* number of the chunk whose step is next */
    bool     busy, looked_at;
} track;

/* A chunk on its way. */
typedef struct chunk {
    uint64_t number; /* plus 1, while steps are left; else 0 */
    unsigned owner, left, at_once;
} chunk;

struct ink__tracks {
    ink_allocator     allocator;
    ink__tracks_step *step;
    void             *host;
    uint64_t          bytes;
    unsigned          workers;
    bool              locked;

    ink__mutex        mutex;   /* of all that follows */
    unsigned          count;   /* 0: closed */
    uint64_t          stopped; /* the first chunk that failed */
    ink__tracks_look *look; /* what is left to do in tracks that were not looked at, or NULL ... */
    unsigned          looks_left, looker; /* ... and who waits for it */
    track             tracks[INK__TRACKS_MAX];
    chunk            *chunks;    /* by their numbers modulo the workers, who have no more */
    ink__waiter       waiters[]; /* one for each worker */
};

ink_status ink__tracks_create(ink__tracks **tracks, unsigned workers, ink__tracks_step *step,
                              void *host, const ink_allocator *allocator, ink_error *error)
{
    ink__tracks *made;
    uint64_t     bytes = sizeof *made + workers * (sizeof(ink__waiter) + sizeof(chunk));

    INK__TRY(ink__allocate_zeroed(allocator, bytes, &made, error));
    made->allocator = *allocator;
    made->bytes = bytes;
    made->step = step;
    made->host = host;
    made->workers = workers;
    made->stopped = UINT64_MAX;
    made->chunks = (chunk *)(void *)(made->waiters + workers);
    ink_status status = ink__mutex_open(&made->mutex, error);
    made->locked = status == INK_OK;
    for (unsigned i = 0; i < workers && status == INK_OK; i++)
        status = ink__waiter_open(&made->waiters[i], error);
    if (status == INK_OK)
        *tracks = made;
    else
        ink__tracks_free(made);
    return status;
}

void ink__tracks_free(ink__tracks *tracks)
{
    if (tracks == NULL)
        return;
    const ink_allocator allocator = tracks->allocator;
    for (unsigned i = 0; i < tracks->workers; i++)
        ink__waiter_close(&tracks->waiters[i]);
    if (tracks->locked)
        ink__mutex_close(&tracks->mutex);
    ink__release(&allocator, tracks, tracks->bytes);
}

void ink__tracks_open(ink__tracks *tracks, unsigned count, uint64_t sequence)
{
    ink__mutex_lock(&tracks->mutex);
    tracks->count = count;
    for (unsigned i = 0; i < count; i++)
        tracks->tracks[i].next = sequence;
    ink__mutex_unlock(&tracks->mutex);
}

bool ink__tracks_are_open(ink__tracks *tracks)
{
    ink__mutex_lock(&tracks->mutex);
    bool open = tracks->count > 0;
    ink__mutex_unlock(&tracks->mutex);
    return open;
}

/* ---- Waiting ------------------------------------------------------------------------------ */

/* Wakes one worker that is idle: it wakes the next, if there is more to do. */
static void wake_one(ink__tracks *tracks)
{
    unsigned i = 0;

    while (i < tracks->workers && !tracks->waiters[i].idle)
        i++;
    if (i < tracks->workers)
        ink__waiter_wake(&tracks->waiters[i]);
}

/* ---- Steps -------------------------------------------------------------------------------- */

static chunk *chunk_at(const ink__tracks *tracks, uint64_t sequence)
{
    return &tracks->chunks[sequence % tracks->workers];
}

/* What is to be done in a track now. */
typedef enum work { NOTHING, STEP, LOOK } work;

static work work_in(const ink__tracks *tracks, const track *one)
{
    if (one->busy)
        return NOTHING;
    if (tracks->look != NULL && !one->looked_at)
        return LOOK;
    return one->next <= tracks->stopped && chunk_at(tracks, one->next)->number == one->next + 1
               ? STEP
               : NOTHING;
}

/* The track to work in: one to look at, else that of the earliest chunk; NULL if there is none.
 * *ready: how many there are. */
static track *choose(ink__tracks *tracks, unsigned *ready)
{
    track *best = NULL;
    work   best_work = NOTHING;

    *ready = 0;
    for (unsigned i = 0; i < tracks->count; i++) {
        track     *one = &tracks->tracks[i];
        const work found = work_in(tracks, one);
        *ready += found != NOTHING;
        if (found > best_work ||
            (found == best_work && found != NOTHING && one->next < best->next)) {
            best = one;
            best_work = found;
        }
    }
    return best;
}

/* Takes this track, and of a small chunk others that are ready for it; returns how many. */
static unsigned take(ink__tracks *tracks, track *first, unsigned at_once, track **taken)
{
    unsigned count = 0;

    taken[count++] = first;
    first->busy = true;
    for (unsigned i = 0; i < tracks->count && count < at_once; i++) {
        track *one = &tracks->tracks[i];
        if (one->next != first->next || work_in(tracks, one) != STEP)
            continue;
        taken[count++] = one;
        one->busy = true;
    }
    return count;
}

static void end_look(ink__tracks *tracks, track *mine)
{
    mine->busy = false;
    mine->looked_at = true;
    if (--tracks->looks_left == 0)
        ink__waiter_wake(&tracks->waiters[tracks->looker]);
}

static void end_steps(ink__tracks *tracks, track **taken, unsigned count, chunk *of)
{
    for (unsigned i = 0; i < count; i++) {
        taken[i]->busy = false;
        taken[i]->next++;
    }
    of->left -= count;
    if (of->left > 0)
        return;
    of->number = 0;
    ink__waiter_wake(&tracks->waiters[of->owner]);
}

/* Does some steps or a look; false if none is ready. The tracks are locked, but not while it
 * works. */
static bool work_once(ink__tracks *tracks)
{
    track   *taken[INK__TRACKS_MAX];
    unsigned ready;
    track   *mine = choose(tracks, &ready);

    if (mine == NULL)
        return false;
    const work        what = work_in(tracks, mine);
    ink__tracks_look *look = tracks->look;
    chunk            *of = chunk_at(tracks, mine->next);
    const unsigned    count = take(tracks, mine, what == LOOK ? 1 : of->at_once, taken);
    if (ready > count)
        wake_one(tracks);
    ink__mutex_unlock(&tracks->mutex);
    if (what == LOOK)
        look(tracks->host, (unsigned)(mine - tracks->tracks), mine->next);
    for (unsigned i = 0; i < count && what == STEP; i++)
        tracks->step(tracks->host, of->owner, (unsigned)(taken[i] - tracks->tracks));
    ink__mutex_lock(&tracks->mutex);
    if (what == LOOK)
        end_look(tracks, mine);
    else
        end_steps(tracks, taken, count, of);
    return true;
}

/* Lets others do what is left. */
static void leave(ink__tracks *tracks)
{
    unsigned ready;

    if (choose(tracks, &ready) != NULL)
        wake_one(tracks);
    ink__mutex_unlock(&tracks->mutex);
}

bool ink__tracks_run(ink__tracks *tracks, unsigned worker, uint64_t sequence, unsigned at_once)
{
    chunk *mine = chunk_at(tracks, sequence);

    ink__mutex_lock(&tracks->mutex);
    *mine = (chunk){
        .number = sequence + 1,
        .owner = worker,
        .left = tracks->count,
        .at_once = at_once,
    };
    while (mine->number != 0 && sequence <= tracks->stopped)
        if (!work_once(tracks))
            ink__waiter_wait(&tracks->waiters[worker], &tracks->mutex);
    bool done = mine->number == 0;
    leave(tracks);
    return done;
}

void ink__tracks_look_at_all(ink__tracks *tracks, unsigned worker, ink__tracks_look *look)
{
    ink__mutex_lock(&tracks->mutex);
    tracks->look = look;
    tracks->looker = worker;
    tracks->looks_left = tracks->count;
    for (unsigned i = 0; i < tracks->count; i++)
        tracks->tracks[i].looked_at = false;
    while (tracks->looks_left > 0)
        if (!work_once(tracks))
            ink__waiter_wait(&tracks->waiters[worker], &tracks->mutex);
    tracks->look = NULL;
    leave(tracks);
}

unsigned ink__tracks_owner(const ink__tracks *tracks, uint64_t sequence)
{
    return chunk_at(tracks, sequence)->owner;
}

void ink__tracks_stop(ink__tracks *tracks, uint64_t sequence)
{
    ink__mutex_lock(&tracks->mutex);
    if (sequence < tracks->stopped)
        tracks->stopped = sequence;
    for (unsigned i = 0; i < tracks->workers; i++)
        ink__waiter_wake(&tracks->waiters[i]);
    ink__mutex_unlock(&tracks->mutex);
}
