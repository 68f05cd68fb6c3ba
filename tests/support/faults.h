/* faults.h - an allocator and an operating system that count, and that fail on request.
 *
 *     faults_memory memory = {.refuse_at = 2};
 *     ink_allocator allocator = faults_allocator(&memory);
 *     ... every call fails cleanly with INK_MEMORY ...
 *     faults_check_no_leak(&memory);
 *
 *     faults_system_begin(&(faults_plan){.call = FAULTS_SYNC, .nth = 1, .os_error = EIO});
 *     ... saving fails with INK_IO ...
 *     faults_system_end();
 *
 * faults_refuse_each and faults_fail_each make every allocation or call fail in turn. */
#ifndef INK_TESTS_FAULTS_H
#define INK_TESTS_FAULTS_H

#include "inkling.h"

/* ---- Memory ------------------------------------------------------------------------------- */

/* Set the first three, all others to zero; read the rest while no other thread allocates. */
typedef struct faults_memory {
    uint64_t refuse_at;    /* refuses the n-th allocation or growth, counted from 1; 0: none ... */
    bool     refuse_after; /* ... and every one after it */
    bool     unfilled;     /* bytes stay as they are, where filling them would take too long */

    uint64_t asked;       /* allocations and growths so far, refused ones included */
    uint64_t refused;     /* of these */
    uint64_t live_blocks; /* given and not yet taken back */
    uint64_t live_bytes;
    uint64_t most_bytes;    /* the most that were ever live */
    uint64_t largest_bytes; /* the largest that was given at once */
} faults_memory;

/* An allocator that counts into `memory`, which must outlive it. Blocks are aligned as malloc's and
 * no better. Fresh bytes are 0xA5, and bytes given back are 0xDD, unless they stay unfilled. Fails
 * the test when a block is given back or resized with another size than it has. */
ink_allocator faults_allocator(faults_memory *memory);

/* Fails the test unless every block was given back. */
void faults_check_no_leak(const faults_memory *memory);

/* Refuses the first allocation, then the second, and so on, until a turn needs no more of them;
 * fails the test if a turn leaks:
 *
 *     for (faults_memory memory = {0}; faults_refuse_next(&memory);) { ... } */
bool faults_refuse_next(faults_memory *memory);

/* The loop that refuses every allocation in turn, until a run meets no refusal. Each run must give
 * back all that it took, and sketches of the block (owned_sketch) are freed before that is checked:
 *
 *     for (faults_refusals run = {0}; faults_refusals_next(&run);) {
 *         owned_sketch *copy = NULL;
 *         faults_check_refused(&run, ink_sketch_copy(&copy, sketch, &run.allocator, &error));
 *     }
 *
 * With `later`, nothing is refused before faults_refuse_now, nor after faults_check_refused. */
typedef struct faults_refusals {
    bool          later;
    faults_memory memory;
    ink_allocator allocator;
    uint64_t      nth;
    bool          refused; /* in this run */
} faults_refusals;

bool faults_refusals_next(faults_refusals *run);
void faults_refuse_now(faults_refusals *run);
/* Fails the test unless the status is INK_MEMORY after a refusal, else INK_OK. Returns whether
 * there was one. */
bool faults_check_refused(faults_refusals *run, ink_status status);

/* ---- The operating system ----------------------------------------------------------------- */

typedef enum faults_call {
    FAULTS_OPEN,
    FAULTS_CLOSE,
    FAULTS_STAT_FILE,
    FAULTS_STAT_PATH,
    FAULTS_STAT_LINK,
    FAULTS_READ_LINK,
    FAULTS_SET_MODE,
    FAULTS_SET_OWNER,
    FAULTS_RESOLVE,
    FAULTS_LOCK,
    FAULTS_TRY_LOCK,
    FAULTS_READ,
    FAULTS_WRITE,
    FAULTS_READ_AT,
    FAULTS_WRITE_AT,
    FAULTS_SYNC,
    FAULTS_RENAME,
    FAULTS_RENAME_NEW,
    FAULTS_LINK,
    FAULTS_UNLINK,
    FAULTS_MAKE_FOLDER,
    FAULTS_REMOVE_FOLDER,
    FAULTS_MAP,
    FAULTS_UNMAP,
    FAULTS_LEAVE,
    FAULTS_ADVISE_HUGE,
    FAULTS_CONNECT,
    FAULTS_CONNECTED,
    FAULTS_WAIT,
    FAULTS_SEND,
    FAULTS_RECEIVE,
    FAULTS_END_SENDING,
    FAULTS_LISTEN,
    FAULTS_LISTEN_PATH,
    FAULTS_PORT,
    FAULTS_ACCEPT,
    FAULTS_FILES_LEFT,
    FAULTS_CONNECT_PATH,
    FAULTS_WAIT_MANY,
    FAULTS_START,
    FAULTS_FINISH,
    FAULTS_HOST_NAME,
    FAULTS_ANY, /* whichever of them it is */
} faults_call;

/* What goes wrong; all zero: nothing, the calls are only counted. */
typedef struct faults_plan {
    /* The n-th call of this kind, counted from 1, fails with this errno without doing anything.
     * (But close closes, as it does on Linux.) nth 0: none. and_after: so does every later one. */
    faults_call call;
    unsigned    nth;
    int         os_error;
    bool        and_after;

    size_t transfer_bytes; /* read, write, send and receive move at most this number of bytes at
                              once; 0: no limit */
    bool interrupt; /* open, lock, read, write, sync, close, accept, wait, send, receive and finish:
                       every other call of each kind, from the first, gives -EINTR (close closes
                       nevertheless) */
    bool      ends_early; /* every read finds the end of the file */
    long long process_id; /* 0: the true one */

    const char *variable; /* an environment variable ... */
    const char *value;    /* ... that has this value; NULL: that is not set */
} faults_plan;

/* Puts the failing table in place, with all counts at zero, until faults_system_end. NULL: nothing
 * goes wrong. One thread only. */
void faults_system_begin(const faults_plan *plan);
void faults_system_end(void);

/* Until faults_system_end: lets so much time pass for the clock that never goes back; lets the time
 * of day jump, also back. */
void faults_pass(uint64_t nanoseconds);
void faults_jump(int64_t microseconds);

/* Since faults_system_begin, and still to be asked after faults_system_end: */
unsigned faults_calls(faults_call call); /* how many calls of a kind, or of all kinds */
bool     faults_struck(void);            /* whether the n-th call came, and failed */
int      faults_open_files(void);        /* opened, also as connections, and not closed */
int      faults_programs(void);          /* started and not finished */
int      faults_maps(void);              /* mapped and not unmapped */

/* The path that was last asked to be opened, cut at 255 characters. */
const char *faults_last_opened(void);

/* ---- Each in turn ------------------------------------------------------------------------- */

/* Runs with an allocator that refuses the first allocation, then the second, and so on, until a run
 * meets no refusal; without a refusal it must give INK_OK, with one INK_MEMORY, and it must leak
 * neither memory nor files. Returns how many were refused. */
uint64_t faults_refuse_each(ink_status (*run)(const ink_allocator *allocator));

/* The same for the calls of the system, of which one fails with EIO, and which transfer at most
 * this number of bytes (0: no limit): INK_IO, or INK_OK if it does not matter. Returns how often it
 * did. `run` is given no allocator. */
unsigned faults_fail_each(ink_status (*run)(const ink_allocator *allocator), size_t transfer_bytes);

/* ---- The scratch folder ------------------------------------------------------------------- */

/* How many names are in the folder that the test runs in; 0 when a test has cleaned up. */
unsigned faults_names_here(void);

#endif
