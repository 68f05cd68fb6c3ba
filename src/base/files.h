/* files.h - reading a file whole or mapped, and replacing a file whole or not at all. */
#ifndef INK_BASE_FILES_H
#define INK_BASE_FILES_H

#include "base/system.h"
#include "inkling.h"

typedef struct ink__input {
    int         file;
    const char *path; /* the caller's */
    bool        regular;
    bool        lent;              /* standard input, which is not ours to close */
    bool        ended;             /* no file, and its end was read: a terminal would go on */
    uint64_t    bytes;             /* of a regular file */
    uint64_t    device, number;    /* which file it is, under any name */
    uint64_t    modified, changed; /* as in ink__stat */
} ink__input;

/* Opens a regular file; INK_FORMAT if it is none. */
ink_status ink__input_open(ink__input *input, const char *path, ink_error *error);
/* Opens anything that can be read; "-" is standard input. Waits for the writer of a FIFO. */
ink_status ink__input_open_any(ink__input *input, const char *path, ink_error *error);
void       ink__input_close(ink__input *input);

/* Opens a regular file that is to be replaced, and locks it: another process that opens it in this
 * way waits until it is closed, and then opens its replacement. There is no extra lock file, so the
 * file must be writable. The fields of the input are those under the lock. */
ink_status ink__input_open_locked(ink__input *input, const char *path, ink_error *error);

/* What others, who ignore locks, have done to a file since then. */
typedef enum ink__fate {
    INK__FATE_SAME,
    INK__FATE_CHANGED,  /* written, or cut, or its mode or owner was set */
    INK__FATE_REPLACED, /* its path names another file */
    INK__FATE_GONE,     /* its path names none */
} ink__fate;
ink_status ink__input_fate(const ink__input *input, ink__fate *fate, ink_error *error);
/* Whether the path names a file that the process was given open: standard input under one of its
 * names, or <(...) of a shell. If it is a pipe, it has its writers, and no other will open it. */
bool ink__path_is_given(const char *path);

/* The path after all symbolic links, in INK__PATH_BYTES bytes. */
ink_status ink__path_resolve(const char *path, char *to, ink_error *error);

/* The path of the file that is written when `path` is, in INK__PATH_BYTES bytes: a symbolic link at
 * its end is followed, also to a file that does not exist yet. INK_IO for a link that may have been
 * planted: of another user, in a folder that everyone may write to and where only owners may remove
 * files (mode 01002), unless the folder is that user's. Linux has the same rule for opening files
 * (fs.protected_symlinks), but not for replacing them. */
ink_status ink__path_target(const char *path, char *to, ink_error *error);
/* What is at a path; *there is false if nothing is. INK_IO if that cannot be found out. */
ink_status ink__path_stat(const char *path, ink__stat *stat, bool *there, ink_error *error);

/* Syncs the folder that holds `path`, a file or a folder, so that its name survives a crash. */
ink_status ink__path_sync(const char *path, ink_error *error);
/* Makes a folder, unless it is there, whose name survives a crash. *made is false if it was there:
 * a run that was killed right after it had made it may have left it, so that it is synced too. If
 * another user made it, we may not be allowed to: then that user was to. */
ink_status ink__folder_make(const char *path, bool *made, ink_error *error);

/* Reads the next `bytes` bytes; INK_IO if the file ends before. */
ink_status ink__input_read(ink__input *input, uint8_t *to, uint64_t bytes, ink_error *error);

/* Waits for at least one byte and reads what is there; *count is 0 only at the end, which is final:
 * after one Ctrl-D a terminal is not read again. */
ink_status ink__input_read_once(ink__input *input, uint8_t *to, uint64_t room, uint64_t *count,
                                ink_error *error);

/* Reads *count bytes: `room`, or fewer at the end. */
ink_status ink__input_read_some(ink__input *input, uint8_t *to, uint64_t room, uint64_t *count,
                                ink_error *error);

/* Maps the whole file, which must not be empty. */
ink_status ink__input_map(ink__input *input, const uint8_t **bytes, ink_error *error);
void       ink__unmap(const uint8_t *bytes, uint64_t count);

/* A file that will replace `path` when it is complete. */
typedef struct ink__replacement {
    char         *path; /* of the file itself, as ink__path_target gives it */
    ink_allocator allocator;
    char         *temporary; /* its name until then */
    uint64_t      path_bytes, temporary_bytes;
    int           file;
    bool          fresh;    /* nothing is replaced */
    bool          disowned; /* the old file's owner or group could not be kept */
} ink__replacement;

/* Creates the temporary file beside the file that ink__path_target gives, with the mode of that
 * file, and its owner and group if that is allowed; without one with 0666 under the umask. What
 * `allocator` points to must outlive the replacement. */
ink_status ink__replacement_begin(ink__replacement *replacement, const char *path,
                                  const ink_allocator *allocator, ink_error *error);
/* The same for a file that must not exist: INK_USAGE if it does, and from _commit if it was made
 * meanwhile. */
ink_status ink__replacement_begin_new(ink__replacement *replacement, const char *path,
                                      const ink_allocator *allocator, ink_error *error);
ink_status ink__replacement_write(ink__replacement *replacement, const uint8_t *from,
                                  uint64_t bytes, ink_error *error);
/* Syncs, renames, syncs the folder. Ends the replacement in any case. */
ink_status ink__replacement_commit(ink__replacement *replacement, ink_error *error);
/* Removes the temporary file and ends the replacement. Gives a negative errno if that fails. */
int ink__replacement_abandon(ink__replacement *replacement);

#endif
