/* disk.h - a disk in memory that takes the place of the operating system's, and knows of every
 * write and every name whether it was synced: so that a loss of power can be played at any moment,
 * in all the ways that a disk has of forgetting, reordering and tearing what it was not asked to
 * keep.
 *
 *     disk *d = disk_make();
 *     disk_put(d, "x.ink", bytes, count);              a file that is safely there
 *     disk_use(d, 1, changed, host);                   the library sees this disk and no other
 *     ink_sketch_save(sketch, "x.ink", &error);        `changed` may disk_copy it after each call
 *     disk_use(NULL, 0, NULL, NULL);
 *     disk *after = disk_lose(copy, &(disk_loss){...});  what is found when power is back
 *
 * What the model promises is what POSIX does and no more: the bytes of a file are safe when the
 * file was synced, a name when its folder was, and neither says anything of the other. A name leads
 * to one file or to another, never to a mix; all else may come in part and in any order. */
#ifndef INK_TESTS_DISK_H
#define INK_TESTS_DISK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct disk disk;

disk *disk_make(void);
disk *disk_copy(const disk *from);
void  disk_free(disk *on); /* NULL is allowed */

/* A file in the root that is there, whole and synced. */
void disk_put(disk *on, const char *path, const void *bytes, size_t count);

/* What a process would find at a path; false if there is no file. The bytes stay the disk's. */
bool disk_find(const disk *on, const char *path, const uint8_t **bytes, size_t *count);

/* Whether two disks hold the same, in the eyes of a reader of all of it, is known by this number.
 */
uint64_t disk_hash(const disk *on);

/* Lets the library work on this disk (NULL: on the true one), as a process with this number.
 * `changed`, if not NULL, is called after each call that changed something, by one thread at a
 * time, with the name of that call. It may copy the disk and nothing else. Files that are open are
 * closed as the process ends: with the next disk_use. */
void disk_use(disk *on, long long process_id, void (*changed)(void *host, const char *call),
              void *host);

/* How many files the process has open. */
unsigned disk_open_files(void);

/* ---- Losing power ------------------------------------------------------------------------- */

/* How many changes of names wait to be synced: one for each file or folder made or removed, two for
 * a rename (the new name, the old one); and how many writes, in the order in which they were made.
 */
unsigned disk_unsynced_names(const disk *on);
unsigned disk_unsynced_writes(const disk *on);
size_t   disk_unsynced_bytes(const disk *on, unsigned number); /* of one of these writes */

enum { DISK_SECTOR = 512 };

typedef enum disk_data {
    DISK_FIRST,   /* the first `write` writes have arrived, and `cut` bytes of the next one */
    DISK_WITHOUT, /* all have but number `write` */
    DISK_ONLY,    /* only number `write` */
    DISK_SIZES,   /* the sizes have, and zeros where the bytes should be */
    DISK_STALE,   /* the sizes have, and what the blocks held before */
    DISK_SECTORS, /* some sectors of some writes, in any order, drawn by `seed` */
} disk_data;

typedef struct disk_loss {
    uint64_t  names; /* bit i: change number i of names has arrived */
    disk_data data;
    unsigned  write;
    size_t    cut;
    uint64_t  seed;
} disk_loss;

/* What is on the disk when power is back. */
disk *disk_lose(const disk *on, const disk_loss *loss);

#endif
