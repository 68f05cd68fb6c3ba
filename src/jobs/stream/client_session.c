/* client_session.c - the queries of one client, and their answers, in order. */
#include "jobs/stream/client_session.h"

#include "base/memory.h"
#include "base/status.h"

#include <errno.h>
#include <stdatomic.h>
#include <string.h>

/* What an idle session may keep: there can be thousands. */
enum { KEPT_BYTES = 4096 };

void ink__client_session_release(ink__client_session *session, const ink_allocator *allocator)
{
    ink__release(allocator, session->heard, session->heard_room);
    ink__release(allocator, session->answers, session->answers_room);
    *session = (ink__client_session){0};
}

/* Releases memory that was large for once. */
static void shrink(const ink_allocator *allocator, uint8_t **memory, uint64_t *room)
{
    if (*room <= KEPT_BYTES)
        return;
    ink__release(allocator, *memory, *room);
    *memory = NULL;
    *room = 0;
}

static ink_status append(const ink_allocator *allocator, uint8_t **memory, uint64_t *room,
                         uint64_t *used, const void *bytes, uint64_t count, ink_error *error)
{
    if (count == 0)
        return INK_OK;
    INK__TRY(ink__make_room(allocator, memory, room, *used, count, error));
    memcpy(*memory + *used, bytes, (size_t)count);
    *used += count;
    return INK_OK;
}

typedef struct page {
    ink__client_session *session;
    const ink__answerer *by;
    ink_status           status;
    ink_error           *error;
} page;

static int write_page(void *host, const void *bytes, size_t count)
{
    page                *to = host;
    ink__client_session *session = to->session;

    if (to->status == INK_OK)
        to->status = append(&to->by->allocator, &session->answers, &session->answers_room,
                            &session->answers_bytes, bytes, count, to->error);
    return to->status == INK_OK ? 0 : ENOMEM;
}

/* The message becomes one line. */
static ink_status write_failure(page *to, const ink_error *failure)
{
    char   line[INK_MESSAGE_BYTES + 32] = "ERR ";
    size_t bytes = 4 + ink_error_text(failure, line + 4, sizeof line - 5);

    for (size_t i = 0; i < bytes; i++)
        if ((unsigned char)line[i] < ' ')
            line[i] = ' ';
    line[bytes++] = '\n';
    write_page(to, line, bytes);
    return to->status;
}

static ink_status answer(ink__client_session *session, const ink__answerer *by,
                         const uint8_t *question, uint64_t bytes, ink_error *error)
{
    page      to = {.session = session, .by = by, .status = INK_OK, .error = error};
    ink_sink  sink = {.write = write_page, .host = &to};
    ink_error failure;
    uint64_t  before = session->answers_bytes;

    if (bytes > INK__QUESTION_BYTES) {
        ink__fail(&failure, INK_LIMIT, INK_NOWHERE, 0,
                  "a question of more than %d bytes, expected at most that in a line",
                  INK__QUESTION_BYTES);
        return write_failure(&to, &failure);
    }
    if (by->answer(by->host, question, (size_t)bytes, &sink, &failure) == INK_OK ||
        to.status != INK_OK)
        return to.status;
    session->answers_bytes = before;
    return write_failure(&to, &failure);
}

void ink__client_session_taken(ink__client_session *session, const ink_allocator *allocator,
                               uint64_t bytes)
{
    session->taken += bytes;
    if (session->taken < session->answers_bytes)
        return;
    session->taken = session->answers_bytes = 0;
    shrink(allocator, &session->answers, &session->answers_room);
}

ink_status ink__client_session_hear(ink__client_session *session, const ink__answerer *by,
                                    const uint8_t *bytes, uint64_t count, ink_error *error)
{
    session->more = true;
    return append(&by->allocator, &session->heard, &session->heard_room, &session->heard_bytes,
                  bytes, count, error);
}

/* Finds the next query from *at on, and moves *at after it; false if there is none that is whole,
 * or already too long. */
static bool next_question(ink__client_session *session, uint64_t *at, uint64_t *start,
                          uint64_t *end)
{
    while (*at < session->heard_bytes) {
        uint64_t       from = session->searched > *at ? session->searched : *at;
        const uint8_t *line_end =
            memchr(session->heard + from, '\n', (size_t)(session->heard_bytes - from));
        bool skipped = session->skips;

        *start = *at;
        *end = line_end != NULL ? (uint64_t)(line_end - session->heard) : session->heard_bytes;
        session->searched = *end;
        /* Its end, of two bytes, is still to come. */
        bool too_long = line_end == NULL && *end - *start > INK__QUESTION_BYTES + 1;
        if (line_end == NULL && !session->ended && !too_long && !skipped)
            return false;
        *at = line_end != NULL ? *end + 1 : *end;
        session->skips = line_end == NULL && !session->ended;
        if (skipped)
            continue;
        *end -= *end > *start && session->heard[*end - 1] == '\r';
        return true;
    }
    return false;
}

ink_status ink__client_session_answer(ink__client_session *session, const ink__answerer *by,
                                      uint64_t most, _Atomic uint64_t *answered, ink_error *error)
{
    uint64_t   at = 0, start, end, count = 0;
    ink_status status = INK_OK;

    /* Pending answers move to the front once they are not more than those taken: a byte is moved
     * about once, and the room is at most twice what is needed. */
    if (session->taken > 0 && session->taken >= ink__client_session_pending(session)) {
        session->answers_bytes -= session->taken;
        memmove(session->answers, session->answers + session->taken,
                (size_t)session->answers_bytes);
        session->taken = 0;
    }
    while (status == INK_OK && count < most && ink__client_session_can_go_on(session)) {
        session->more = next_question(session, &at, &start, &end);
        if (!session->more)
            break;
        status = answer(session, by, session->heard + start, end - start, error);
        count++;
        atomic_fetch_add_explicit(answered, 1, memory_order_relaxed); /* the next may be INFO */
    }
    session->heard_bytes -= at; /* these are forgotten */
    session->searched -= session->searched < at ? session->searched : at;
    if (session->heard_bytes == 0)
        shrink(&by->allocator, &session->heard, &session->heard_room);
    else if (at > 0)
        memmove(session->heard, session->heard + at, (size_t)session->heard_bytes);
    return status;
}
