/* stream_state.c - the folder of a stream. */
#include "jobs/stream/stream_state.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "jobs/runtime/input_spec.h"
#include "jobs/runtime/sections.h"

#include <errno.h>
#include <string.h>

enum { HOLDER_BYTES = 128, TEMPORARY_FILES = 4 };

/* ---- The lock ----------------------------------------------------------------------------- */

/* The text of the lock: "process NUMBER on HOST\n", by the last process that had it. */
static void read_holder(int lock, char text[HOLDER_BYTES])
{
    long long count;

    INK__UNINTERRUPTED(count, ink__system_now()->read_at(lock, text, HOLDER_BYTES - 1, 0));
    text[count < 0 ? 0 : count] = '\0';
    text[strcspn(text, "\n")] = '\0';
}

/* Removes the temporary files of the process that the lock names, which was killed. */
static void remove_temporary(const ink__stream_state *state, const char *holder)
{
    static const char before[] = "process ";
    char              name[sizeof state->path + 48], number[21] = "";

    if (!ink__starts_with(holder, before))
        return;
    holder += strlen(before);
    size_t digits = strspn(holder, "0123456789");
    if (digits == 0 || digits >= sizeof number)
        return;
    memcpy(number, holder, digits);
    for (int i = 0; i < TEMPORARY_FILES; i++) {
        ink__format(name, sizeof name, "%s.tmp.%s.%d", state->path, number, i);
        ink__system_now()->unlink(name);
    }
}

static ink_status write_holder(const ink__stream_state *state, ink_error *error)
{
    const ink__system *system = ink__system_now();
    char               host[64], text[HOLDER_BYTES];
    long long          count;

    if (system->host_name(host, sizeof host) < 0)
        host[0] = '\0';
    size_t used = ink__format(text, sizeof text - 1, "process %lld on %s", system->process_id(),
                              host[0] == '\0' ? "this host" : host);
    memset(text + used, ' ', sizeof text - used); /* over the text before */
    text[used] = '\n';
    text[sizeof text - 1] = '\n';
    for (size_t done = 0; done < sizeof text; done += (size_t)count) {
        INK__UNINTERRUPTED(count,
                           system->write_at(state->lock, text + done, sizeof text - done, done));
        if (count <= 0)
            return ink__fail_io(error, count < 0 ? (int)-count : EIO, "cannot write its lock");
    }
    return INK_OK;
}

/* The path of the lock ("/lock"), or of the folder itself (""). */
static void write_path(const ink__stream_state *state, const char *name,
                       char path[sizeof state->path])
{
    size_t folder = strlen(state->path) - strlen("/" INK__STATE_FILE);

    memcpy(path, state->path, folder);
    ink__format(path + folder, sizeof state->path - folder, "%s", name);
}

static ink_status refuse_lock(const char *found, ink_error *error)
{
    return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                     "its lock is %s, expected a regular file of this user or of the owner of the "
                     "folder",
                     found);
}

/* Another user may have put something there to be overwritten. */
static ink_status open_lock(ink__stream_state *state, ink_error *error)
{
    char      path[sizeof state->path], folder[sizeof state->path];
    ink__stat stat, around;

    write_path(state, "/lock", path);
    write_path(state, "", folder);
    INK__UNINTERRUPTED(state->lock, ink__system_now()->open(path, INK__OPEN_LOCK, 0666));
    if (state->lock == -ELOOP)
        return refuse_lock("a symbolic link", error);
    if (state->lock < 0)
        return ink__fail_io(error, -state->lock, "cannot open its lock");
    int result = ink__system_now()->stat_file(state->lock, &stat);
    if (result == 0)
        result = ink__system_now()->stat_path(folder, &around);
    if (result < 0)
        return ink__fail_io(error, -result, "cannot stat its lock");
    if (!stat.regular)
        return refuse_lock("not a regular file", error);
    if (stat.owner != ink__system_now()->user() && stat.owner != around.owner)
        return refuse_lock("another user's", error);
    return INK_OK;
}

/* A stream that did not run may have removed the lock between our opening and locking it: others
 * would then lock another file. */
static ink_status check_lock(const ink__stream_state *state, ink_error *error)
{
    char      path[sizeof state->path];
    ink__stat mine, there;

    write_path(state, "/lock", path);
    int result = ink__system_now()->stat_file(state->lock, &mine);
    if (result == 0)
        result = ink__system_now()->stat_path(path, &there);
    if (result < 0 && result != -ENOENT)
        return ink__fail_io(error, -result, "cannot stat its lock");
    if (result == 0 && mine.device == there.device && mine.number == there.number)
        return INK_OK;
    return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                     "another stream removed its lock at this moment, expected one at a time");
}

static ink_status take_lock(ink__stream_state *state, ink_error *error)
{
    char holder[HOLDER_BYTES], shown[HOLDER_BYTES];
    int  result;

    INK__TRY(open_lock(state, error));
    INK__UNINTERRUPTED(result, ink__system_now()->try_lock(state->lock));
    if (result < 0 && result != -EWOULDBLOCK)
        return ink__fail_io(error, -result, "cannot lock it");
    read_holder(state->lock, holder);
    if (result < 0) {
        state->made = false; /* it is the folder of that stream now */
        ink__quote(shown, sizeof shown, holder, strlen(holder));
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "another stream has this state: %s, expected one at a time",
                         holder[0] == '\0' ? "a process that did not say who it is" : shown);
    }
    INK__TRY(check_lock(state, error));
    remove_temporary(state, holder);
    return write_holder(state, error);
}

/* ---- The folder --------------------------------------------------------------------------- */

/* A saved state survives a crash only if its folder does, which is synced once: where there is a
 * state, that was done before. */
static ink_status make_folder(ink__stream_state *state, const char *folder, ink_error *error)
{
    ink__stat stat;

    if (ink__system_now()->stat_path(state->path, &stat) == 0)
        return INK_OK;
    return ink__folder_make(folder, &state->made, error);
}

ink_status ink__stream_state_open(ink__stream_state *state, const char *folder,
                                  const ink_allocator *allocator, ink_error *error)
{
    *state = (ink__stream_state){.allocator = *allocator, .lock = -1};
    ink__arena_begin(&state->arena, allocator);
    if (folder == NULL || folder[0] == '\0')
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "no folder for the state, expected one");
    ink__format(state->path, sizeof state->path, "%s/%s", folder, INK__STATE_FILE);
    ink_status status = make_folder(state, folder, error);
    if (status == INK_OK)
        status = take_lock(state, error);
    if (status != INK_OK) {
        ink__stream_state_discard(state);
        ink__stream_state_close(state);
    }
    return status;
}

void ink__stream_state_discard(ink__stream_state *state)
{
    char path[sizeof state->path];

    if (!state->made)
        return;
    write_path(state, "/lock", path);
    ink__system_now()->unlink(path);
    write_path(state, "", path);
    ink__system_now()->remove_folder(path); /* fails if there is anything else in it */
    state->made = false;
}

void ink__stream_state_close(ink__stream_state *state)
{
    if (state->lock >= 0)
        ink__system_now()->close(state->lock);
    state->lock = -1;
    ink__stream_position_free(&state->position, &state->allocator);
    ink__arena_end(&state->arena);
}

/* ---- Loading ------------------------------------------------------------------------------ */

/* "a window of 10 slots of 60 s", or "no window". */
static void write_window(char *text, size_t bytes, uint64_t slots, uint64_t microseconds)
{
    if (slots == 0)
        ink__format(text, bytes, "no window");
    else
        ink__format(text, bytes, "a window of %llu slots of %g s", (unsigned long long)slots,
                    (double)microseconds / 1e6);
}

static ink_status check_window(const ink__stream_position *position, const ink_window *window,
                               ink_error *error)
{
    char there[80], here[80];

    if (position->slot_microseconds == window->slot_microseconds &&
        position->slots == window->slots)
        return INK_OK;
    write_window(there, sizeof there, position->slots, position->slot_microseconds);
    write_window(here, sizeof here, window->slots, window->slot_microseconds);
    return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                     "it has %s, and %s was asked for, expected the same", there, here);
}

static ink_status load_file(ink__stream_state *state, const ink_file *file,
                            ink__stream_sketches *sketches, ink_error *error)
{
    const uint8_t *spec = NULL;
    uint64_t       bytes;
    ink_section    section;
    ink_status     status = ink__section_find(file, INK_SECTION_POSITION, &section, error);

    if (status == INK_NOT_FOUND)
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "it does not say how far a stream was read, expected the state of one");
    INK__TRY(status);
    INK__TRY(ink__stream_position_read(&state->position, section.data, section.bytes, &state->arena,
                                       error));
    INK__TRY(ink__input_spec_section(file, &spec, &bytes, error));
    if (!ink__input_spec_same(spec, bytes, state->input_spec, state->input_spec_bytes))
        return ink__fail(error, INK_MISMATCH, INK_NOWHERE, 0,
                         "its records were read in another way (form, header or columns), expected "
                         "the same options");
    INK__TRY(check_window(&state->position, &sketches->window, error));
    return ink__stream_sketches_load(sketches, file, state->position.newest, error);
}

ink_status ink__stream_state_load(ink__stream_state *state, ink__stream_sketches *sketches,
                                  const ink_reading *reading, ink_form form, ink_error *error)
{
    ink__stat stat;
    ink_file *file;
    bool      there;

    INK__TRY(ink__input_spec_write(reading, form, &state->arena, &state->input_spec,
                                   &state->input_spec_bytes, error));
    INK__TRY(ink__path_stat(state->path, &stat, &there, error));
    if (!there) {
        state->position.slot_microseconds = sketches->window.slot_microseconds;
        state->position.slots = sketches->window.slots;
        return INK_OK;
    }
    if (!stat.regular) /* a FIFO would be waited for */
        return ink__fail(error, INK_FORMAT, INK_NOWHERE, 0,
                         "not a regular file, expected an .ink file");
    state->found = true;
    ink_status status = ink_file_open_any(&file, state->path, &state->allocator, error);
    if (status == INK_OK) {
        status = load_file(state, file, sketches, error);
        ink_file_close(file);
    }
    return status;
}

ink_status ink__stream_state_save(ink__stream_state *state, const ink__stream_sketches *sketches,
                                  ink_error *error)
{
    uint64_t   count, room, entry_count = ink__stream_sketches_entries(sketches, NULL);
    uint64_t   bytes = (entry_count + 1) * sizeof(ink_entry);
    uint8_t   *position;
    ink_entry *entries;

    INK__TRY(ink__stream_position_write(&state->position, &state->allocator, &position, &count,
                                        &room, error));
    ink_status status = ink__allocate_zeroed(&state->allocator, bytes, &entries, error);
    if (status == INK_OK) {
        const ink_section sections[] = {
            {.id = INK_SECTION_INPUT_SPEC,
             .data = state->input_spec,
             .bytes = (size_t)state->input_spec_bytes},
            {.id = INK_SECTION_POSITION, .data = position, .bytes = (size_t)count},
        };
        const ink_contents contents = {
            .entries = entries,
            .entry_count = ink__stream_sketches_entries(sketches, entries),
            .sections = sections,
            .section_count = 2,
            .allocator = &state->allocator,
        };
        status = ink_contents_save(state->path, &contents, error);
        ink__release(&state->allocator, entries, bytes);
    }
    ink__release(&state->allocator, position, room);
    return status;
}
