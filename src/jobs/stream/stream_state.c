/* stream_state.c - the folder of a stream. */
#include "jobs/stream/stream_state.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/open_sketches.h"

#include <errno.h>
#include <string.h>

static const char state_name[] = "state.ink", lock_name[] = "lock";
enum { HOLDER_BYTES = 128, LEFT_BEHIND = 4 };

/* A failure that is about state.ink, of a caller who knows the folder. */
static ink_status blame_file(ink_status status, ink_error *error)
{
    char text[INK_MESSAGE_BYTES];
    int  os_error;

    if (status == INK_OK || error == NULL)
        return status;
    memcpy(text, error->message, sizeof text);
    os_error = error->os_error;
    ink__fail(error, status, error->location, error->at, "%s: %s", state_name, text);
    error->os_error = os_error;
    return status;
}

/* ---- The lock ----------------------------------------------------------------------------- */

/* The text of the lock: "process NUMBER on HOST\n", as whoever had it last wrote it. */
static void read_holder(int lock, char text[HOLDER_BYTES])
{
    long long count;

    do
        count = ink__system_now()->read_at(lock, text, HOLDER_BYTES - 1, 0);
    while (count == -EINTR);
    text[count < 0 ? 0 : count] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

static ink_status fail_held(int lock, ink_error *error)
{
    char holder[HOLDER_BYTES], shown[HOLDER_BYTES];

    read_holder(lock, holder);
    ink__quote(shown, sizeof shown, holder, strlen(holder));
    return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                     "another stream has this state: %s, expected one at a time",
                     holder[0] == '\0' ? "a process that did not say who it is" : shown);
}

/* Removes what a process left behind that was killed while it saved: the lock tells its number. */
static void remove_left(const ink__stream_state *state, const char *holder, ink_error *error)
{
    static const char before[] = "process ";
    size_t            length = strlen(state->path) + 48, digits;
    void             *name;

    if (strncmp(holder, before, sizeof before - 1) != 0)
        return;
    holder += sizeof before - 1;
    digits = strspn(holder, "0123456789");
    if (digits == 0 || digits > 20 ||
        ink__allocate(&state->allocator, length, &name, error) != INK_OK)
        return;
    for (int i = 0; i < LEFT_BEHIND; i++) {
        size_t at = ink__format(name, length, "%s.tmp.", state->path);
        memcpy((char *)name + at, holder, digits);
        ink__format((char *)name + at + digits, length - at - digits, ".%d", i);
        ink__system_now()->unlink(name);
    }
    ink__release(&state->allocator, name, length);
}

static ink_status write_text(int lock, const char *text, size_t bytes, ink_error *error)
{
    for (size_t done = 0; done < bytes;) {
        long long count = ink__system_now()->write_at(lock, text + done, bytes - done, done);
        if (count == -EINTR)
            continue;
        if (count <= 0)
            return ink__fail_io(error, count < 0 ? (int)-count : EIO, "cannot write its lock");
        done += (size_t)count;
    }
    return INK_OK;
}

static ink_status write_holder(const ink__stream_state *state, ink_error *error)
{
    const ink__system *system = ink__system_now();
    char               host[64], text[HOLDER_BYTES];

    if (system->host_name(host, sizeof host) < 0)
        host[0] = '\0';
    size_t used = ink__format(text, sizeof text - 1, "process %lld on %s", system->process_id(),
                              host[0] == '\0' ? "this host" : host);
    memset(text + used, ' ', sizeof text - used); /* over whoever was there before */
    text[used] = '\n';
    text[sizeof text - 1] = '\n';
    return write_text(state->lock, text, sizeof text, error);
}

/* -EWOULDBLOCK if another has it. */
static int try_lock(int lock)
{
    int result;

    do
        result = ink__system_now()->try_lock(lock);
    while (result == -EINTR);
    return result;
}

static ink_status take_lock(ink__stream_state *state, const char *path, ink_error *error)
{
    char holder[HOLDER_BYTES];

    do
        state->lock = ink__system_now()->open(path, INK__OPEN_LOCK, 0666);
    while (state->lock == -EINTR);
    if (state->lock < 0)
        return ink__fail_io(error, -state->lock, "cannot open its lock");
    int result = try_lock(state->lock);
    if (result == -EWOULDBLOCK)
        return fail_held(state->lock, error);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot lock it");
    read_holder(state->lock, holder);
    remove_left(state, holder, error);
    return write_holder(state, error);
}

/* ---- The folder --------------------------------------------------------------------------- */

static ink_status make_folder(const char *folder, bool *made, ink_error *error)
{
    int result = ink__system_now()->make_folder(folder, 0777);

    *made = result == 0;
    if (result == 0 || result == -EEXIST)
        return INK_OK;
    return ink__fail_io(error, -result, "cannot make the folder");
}

/* A state that is saved is there after a crash only if its folder is. Where there is a state that
 * was seen to before; else the folder may be ours, or of a run that was killed as soon as it had
 * made it. Whoever else made it may not let us into the one above: then it was theirs to sync. */
static ink_status keep_folder(const ink__stream_state *state, const char *folder, bool made,
                              ink_error *error)
{
    ink__stat  stat;
    ink_error  why;
    ink_status status;

    if (!made && ink__system_now()->stat_path(state->path, &stat) == 0)
        return INK_OK;
    status = ink__path_sync(folder, &why);
    if (status == INK_OK || (!made && why.os_error == EACCES))
        return INK_OK;
    if (error != NULL)
        *error = why;
    return status;
}

static ink_status name_files(ink__stream_state *state, const char *folder, char **lock,
                             uint64_t *lock_bytes, ink_error *error)
{
    size_t length = strlen(folder);
    void  *memory;

    state->path_bytes = length + sizeof state_name + 1;
    INK__TRY(ink__allocate(&state->allocator, state->path_bytes, &memory, error));
    state->path = memory;
    ink__format(state->path, (size_t)state->path_bytes, "%s/%s", folder, state_name);
    *lock_bytes = length + sizeof lock_name + 1;
    INK__TRY(ink__allocate(&state->allocator, *lock_bytes, &memory, error));
    *lock = memory;
    ink__format(*lock, (size_t)*lock_bytes, "%s/%s", folder, lock_name);
    return INK_OK;
}

ink_status ink__stream_state_open(ink__stream_state *state, const char *folder,
                                  const ink_allocator *allocator, ink_error *error)
{
    char    *lock = NULL;
    uint64_t lock_bytes = 0;
    bool     made = false;

    *state = (ink__stream_state){.allocator = *allocator, .lock = -1};
    ink__arena_begin(&state->arena, allocator);
    ink_status status =
        folder == NULL || folder[0] == '\0'
            ? ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no folder for the state, expected one")
            : make_folder(folder, &made, error);
    if (status == INK_OK)
        status = name_files(state, folder, &lock, &lock_bytes, error);
    if (status == INK_OK)
        status = keep_folder(state, folder, made, error);
    if (status == INK_OK)
        status = take_lock(state, lock, error);
    if (lock != NULL)
        ink__release(allocator, lock, lock_bytes);
    if (status != INK_OK)
        ink__stream_state_close(state);
    return status;
}

void ink__stream_state_close(ink__stream_state *state)
{
    if (state->lock >= 0)
        ink__system_now()->close(state->lock);
    state->lock = -1;
    ink__stream_position_free(&state->position, &state->allocator);
    ink__arena_end(&state->arena);
    if (state->path != NULL)
        ink__release(&state->allocator, state->path, state->path_bytes);
    state->path = NULL;
}

/* ---- Loading ------------------------------------------------------------------------------ */

static ink_status check_input_spec(const ink__stream_state *state, const ink_file *file,
                                   ink_error *error)
{
    const uint8_t *there = NULL;
    uint64_t       count;

    INK__TRY(ink__input_spec_section(file, &there, &count, error));
    if (count == state->input_spec_bytes && memcmp(there, state->input_spec, (size_t)count) == 0)
        return INK_OK;
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "its records were read in another way (form, header or columns), expected the "
                     "same options");
}

/* "10 slots of 60 s", or "no window". */
static void report_window(char *text, size_t bytes, uint64_t slots, uint64_t microseconds)
{
    if (slots == 0)
        ink__format(text, bytes, "no window");
    else
        ink__format(text, bytes, "a window of %llu slots of %g s", (unsigned long long)slots,
                    (double)microseconds / 1e6);
}

static ink_status check_window(const ink__stream_position *position,
                               const ink__stream_sketches *sketches, ink_error *error)
{
    uint64_t length = sketches->windowed ? sketches->window.slot_microseconds : 0;
    uint64_t slots = sketches->windowed ? sketches->window.slots : 0;
    char     there[80], here[80];

    if (position->slot_microseconds == length && position->slots == slots)
        return INK_OK;
    report_window(there, sizeof there, position->slots, position->slot_microseconds);
    report_window(here, sizeof here, slots, length);
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "it has %s, and %s was asked for, expected the same", there, here);
}

static ink_status load_file(ink__stream_state *state, const ink_file *file,
                            ink__stream_sketches *sketches, ink_error *error)
{
    ink_section section;
    ink_status  status = ink__sketches_section(file, INK_SECTION_POSITION, &section, error);

    if (status == INK_NOT_FOUND)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "it does not say how far a stream was read, expected the state of one");
    INK__TRY(status);
    INK__TRY(ink__stream_position_read(&state->position, section.bytes, section.count,
                                       &state->arena, error));
    INK__TRY(check_input_spec(state, file, error));
    INK__TRY(check_window(&state->position, sketches, error));
    return ink__stream_sketches_load(sketches, file, state->position.newest, error);
}

ink_status ink__stream_state_load(ink__stream_state *state, ink__stream_sketches *sketches,
                                  const ink_reading *reading, ink_form form, ink_error *error)
{
    ink__stat stat;
    ink_file *file;

    INK__TRY(ink__input_spec_write(reading, form, &state->arena, &state->input_spec,
                                   &state->input_spec_bytes, error));
    int found = ink__system_now()->stat_path(state->path, &stat);
    if (found == -ENOENT) {
        state->position.slot_microseconds =
            sketches->windowed ? sketches->window.slot_microseconds : 0;
        state->position.slots = sketches->windowed ? sketches->window.slots : 0;
        return INK_OK;
    }
    if (found < 0)
        return ink__fail_io(error, -found, "cannot stat");
    state->found = true;
    ink_status status = ink_sketches_open(&file, state->path, &state->allocator, error);
    if (status == INK_OK) {
        status = load_file(state, file, sketches, error);
        ink_file_close(file);
    }
    return blame_file(status, error);
}

/* ---- Saving ------------------------------------------------------------------------------- */

static ink_status save_with_position(const ink__stream_state    *state,
                                     const ink__stream_sketches *sketches, const uint8_t *position,
                                     uint64_t position_bytes, ink_error *error)
{
    const ink_section sections[] = {
        {.id = INK_SECTION_INPUT_SPEC,
         .bytes = state->input_spec,
         .count = (size_t)state->input_spec_bytes},
        {.id = INK_SECTION_POSITION, .bytes = position, .count = (size_t)position_bytes},
    };
    ink_contents contents = {
        .entry_count = ink__stream_sketches_entries(sketches),
        .sections = sections,
        .section_count = 2,
        .allocator = &state->allocator,
    };
    uint64_t bytes = (contents.entry_count + 1) * sizeof(ink_entry);
    void    *memory;

    INK__TRY(ink__allocate(&state->allocator, bytes, &memory, error));
    contents.entries = memory;
    ink__stream_sketches_entry_all(sketches, memory);
    ink_status status = ink_save(state->path, &contents, error);
    ink__release(&state->allocator, memory, bytes);
    return status;
}

ink_status ink__stream_state_save(ink__stream_state *state, const ink__stream_sketches *sketches,
                                  ink_error *error)
{
    uint8_t *position;
    uint64_t count, room;

    INK__TRY(ink__stream_position_write(&state->position, &state->allocator, &position, &count,
                                        &room, error));
    ink_status status = save_with_position(state, sketches, position, count, error);
    ink__release(&state->allocator, position, room);
    return blame_file(status, error);
}
