/* inkling_file.h - files of many labelled sketches, one for each group or time slot, and windows
 * that move with time.
 *
 *     ink_file   *file;
 *     ink_sketch *alice;
 *     size_t      index;
 *     ink_label   label = ink_group("alice");
 *
 *     if (ink_file_open(&file, "users.ink", INK_OPEN_CHECKED, NULL, &error) != INK_OK) ...
 *     ink_file_find(file, "bloom", &label, &index, &error);
 *     ink_file_sketch(file, index, &alice, &error);               a view, asked in place
 *
 * The rules of inkling.h hold here too.
 *
 * SPDX-License-Identifier: Apache-2.0 */
#ifndef INKLING_FILE_H
#define INKLING_FILE_H

#include "inkling.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Write ----------------------------------------------- */

typedef enum ink_group_kind { INK_GROUP_NONE = 0, INK_GROUP_NULL, INK_GROUP_BYTES } ink_group_kind;

/* Names a sketch within a file: a group, a time slot, both or neither (all zero). Final. */
typedef struct ink_label {
    ink_group_kind group_kind;
    const void    *group; /* with INK_GROUP_BYTES; may be empty */
    size_t         group_bytes;
    bool           has_slot;
    int64_t        slot; /* its start, in microseconds since 1970 UTC */
} ink_label;

/* The label with this text as its group and no slot; `text` must outlive it. */
INK_API ink_label ink_group(const char *text);

/* Below 0, 0 or above 0 as entries of a kind with these labels stand in a file. */
INK_API int ink_label_compare(const ink_label *a, const ink_label *b);

typedef struct ink_entry {
    ink_label         label;
    const ink_sketch *sketch;
} ink_entry;

/* Sections after the sketches; their contents belong to their writer. A reader keeps a section that
 * it does not know, and refuses the file if the section is critical. */
enum { INK_SECTION_INPUT_SPEC = 1, INK_SECTION_POSITION = 2, INK_SECTION_ORIGIN = 3 };

typedef struct ink_section {
    uint32_t       id; /* 1 to 0xfffffffe, rising through the file */
    bool           critical;
    const uint8_t *data;
    size_t         bytes;
} ink_section;

typedef struct ink_contents {
    const ink_entry     *entries; /* in any order; equal kind and label twice is INK_USAGE */
    size_t               entry_count;
    const ink_section   *sections; /* in order of id */
    size_t               section_count;
    const ink_allocator *allocator;    /* for what is needed meanwhile; NULL means malloc */
    uint64_t             no_overwrite; /* not 0: ink_contents_save replaces no file */
    uint64_t             reserved[3];
} ink_contents;

/* Writes a file whole or not at all: to a temporary file beside `path`, synced, renamed over
 * `path`, the folder synced. An existing file keeps its mode, and its owner and group if that is
 * allowed. With `no_overwrite` a file that exists, or is made meanwhile by others, stays as it is:
 * INK_USAGE. A symbolic link stays, and what it points to is written, also if that does not exist;
 * but INK_IO if the link is another user's in a folder that everyone may write to (mode 01002, as
 * /tmp) and that is not that user's. All sketches need equal key type, hash and seed
 * (INK_MISMATCH); views of lazily opened files are checked first (INK_FORMAT; for many views of one
 * file call ink_file_check before). On failure `path` is as it was and the temporary file is gone,
 * except that INK_IO for the last step, the folder's sync, leaves the new file in place. */
INK_API ink_status ink_contents_save(const char *path, const ink_contents *contents,
                                     ink_error *error);

/* The same bytes in memory; give them back with ink_bytes_free and contents->allocator. */
INK_API ink_status ink_contents_encode(const ink_contents *contents, uint8_t **data, size_t *bytes,
                                       ink_error *error);

/* The same bytes, given to a sink, in order, in pieces of 1 MiB at most. */
INK_API ink_status ink_contents_write(const ink_contents *contents, const ink_sink *sink,
                                      ink_error *error);

/* ---- Read ------------------------------------------------ */

typedef struct ink_file ink_file;

/* Whether these bytes, the first of a file, are those of an .ink file, whole or not. */
INK_API bool ink_is_file(const void *data, size_t bytes);

/* Opens a file for questions. Its sketches are views, asked in place, unless INK_OPEN_COPY makes
 * them copies of their own. A mapped file must not be changed or truncated while open (writers that
 * rename, as ours do, are safe). Errors name the field and the byte offset. */
INK_API ink_status ink_file_open(ink_file **file, const char *path, unsigned flags,
                                 const ink_allocator *allocator, ink_error *error);

/* The same for bytes in memory, which must outlive the file, unless INK_OPEN_COPY copies them. */
INK_API ink_status ink_file_decode(ink_file **file, const void *data, size_t bytes, unsigned flags,
                                   const ink_allocator *allocator, ink_error *error);

/* Closes a file; NULL is allowed. Free the views that came from it before. */
INK_API void ink_file_close(ink_file *file);

/* Checks all payloads of a lazily opened file, their checksums and contents, once; later calls are
 * free. */
INK_API ink_status ink_file_check(ink_file *file, ink_error *error);

/* The number of entries. They stand in order of kind id, group (none, null, then by bytes) and
 * slot (none, then rising). */
INK_API size_t ink_file_count(const ink_file *file);

typedef struct ink_entry_info {
    const char *kind;
    ink_label   label; /* its bytes live as long as the file */
    uint64_t    records;
    uint64_t    bytes; /* of the payload */
    uint64_t    reserved[4];
} ink_entry_info;

/* Describes entry `index`, without touching its payload; INK_NOT_FOUND past the last one. */
INK_API ink_status ink_file_entry(const ink_file *file, size_t index, ink_entry_info *info,
                                  ink_error *error);

/* Finds the entry with this kind and label by binary search. `kind` NULL means the only kind in the
 * file, INK_USAGE if there are several; `label` NULL means no group and no slot. */
INK_API ink_status ink_file_find(const ink_file *file, const char *kind, const ink_label *label,
                                 size_t *index, ink_error *error);

/* Makes a sketch of entry `index`: a read-only view, or a writable copy if the file was opened with
 * INK_OPEN_COPY. The caller owns it. */
INK_API ink_status ink_file_sketch(const ink_file *file, size_t index, ink_sketch **sketch,
                                   ink_error *error);

/* Section number `index`, in order of id; INK_NOT_FOUND past the last one. Its bytes live as long
 * as the file. */
INK_API ink_status ink_file_section(const ink_file *file, size_t index, ink_section *section,
                                    ink_error *error);

/* The digest of the whole file: all bytes before the first section. */
INK_API ink_status ink_file_digest(const ink_file *file, uint8_t digest[INK_DIGEST_BYTES],
                                   ink_error *error);

/* The union of the newest `last` slots (0: of all) of one kind and group, with any gaps between
 * them: an ordinary sketch, which the caller owns. Slots are merged as parts of one set that was
 * planned for the whole window. `kind` NULL means the only kind in the file; of `label` (NULL: no
 * group) only the group is used. INK_NOT_FOUND if the group has no slot. */
INK_API ink_status ink_file_last(const ink_file *file, const char *kind, const ink_label *label,
                                 size_t last, ink_sketch **sketch, ink_error *error);

/* The same for a segment of time: the slots that start at `from` or later and before `until`, in
 * microseconds since 1970 UTC. */
INK_API ink_status ink_file_between(const ink_file *file, const char *kind, const ink_label *label,
                                    int64_t from, int64_t until, ink_sketch **sketch,
                                    ink_error *error);

/* ---- Rings of time slots ------------------------------------------------------------------ */

/* A window that moves with time: the newest `slots` segments of time, each with a sketch of its
 * own, all of one plan. For filters expected_keys are those of the whole window, and every slot has
 * the size for all of them, so that the union keeps the rate; a scalable has false_positive_rate /
 * slots in each slot. examples/window.c shows one. */
typedef struct ink_ring ink_ring;

typedef struct ink_window {
    uint64_t slot_microseconds; /* how long a slot is; slots start at its multiples since 1970 */
    uint32_t slots;             /* how many the ring holds, 1 to 65536 */
    uint64_t slots_ahead;       /* a time more slots than this after the newest is refused, with
                                   INK_USAGE: one wrong clock would empty the ring. 0: any time is
                                   accepted */
    uint64_t reserved[4];
} ink_window;

INK_API ink_status ink_ring_create(ink_ring **ring, const ink_params *params,
                                   const ink_window *window, const ink_allocator *allocator,
                                   ink_error *error);
/* Frees a ring and its sketches; NULL is allowed. */
INK_API void ink_ring_free(ink_ring *ring);

/* The sketch for records of time `when`, in microseconds since 1970 UTC, to add them to, and
 * nothing else; it stays the ring's, and lives until the ring moves past it. A time beyond the
 * newest slot moves the ring: slots that fall out are freed. *sketch becomes NULL if the time lies
 * before the window: such a record is late. */
INK_API ink_status ink_ring_slot(ink_ring *ring, int64_t when, ink_sketch **sketch,
                                 ink_error *error);

/* Moves the ring to `when` without adding anything, so that what is older falls out; never back.
 * The newest slot always has a sketch, if an empty one, so that a saved ring knows how far it was.
 */
INK_API ink_status ink_ring_move(ink_ring *ring, int64_t when, ink_error *error);

/* The union of the newest `last` slots, by time (0: all of the window): an ordinary sketch to ask,
 * which the caller owns. Empty if nothing was added in that time. Time is counted back from the
 * newest slot: a ring without recent records is moved to the current time first. */
INK_API ink_status ink_ring_last(const ink_ring *ring, size_t last, ink_sketch **sketch,
                                 ink_error *error);

/* How many slots hold a sketch, and the entry of number `index` of them, by rising time, labelled
 * with its slot and the group of `label` (NULL: none), for ink_contents_save. The sketch stays the
 * ring's, the label's bytes the caller's. */
INK_API size_t     ink_ring_count(const ink_ring *ring);
INK_API ink_status ink_ring_entry(const ink_ring *ring, size_t index, const ink_label *label,
                                  ink_entry *entry, ink_error *error);
/* The same one after another, in time that does not grow with their number: the first entry from
 * position *at on, which starts at 0 and is then advanced. False after the last, and *entry is then
 * unchanged. */
INK_API bool ink_ring_next(const ink_ring *ring, size_t *at, const ink_label *label,
                           ink_entry *entry);

/* Fills an empty ring with copies of the slots of one group in a file, and moves it to the newest;
 * slots older than the window are left out. INK_MISMATCH if a slot is not of the ring's kind, size
 * and key rule, or does not start at a multiple of its slot length. A group without slots leaves
 * the ring empty. (A file does not state the length of its slots: give the window that they were
 * made with.) */
INK_API ink_status ink_ring_load(ink_ring *ring, const ink_file *file, const ink_label *label,
                                 ink_error *error);

#ifdef __cplusplus
}
#endif

#endif
