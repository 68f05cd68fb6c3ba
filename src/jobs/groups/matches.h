/* matches.h - sketches of a file that answer a question: one of a kind and group, slots merged. */
#ifndef INK_JOBS_GROUPS_MATCHES_H
#define INK_JOBS_GROUPS_MATCHES_H

#include "inkling_job.h"

typedef struct ink__member {
    ink_label       label; /* without a slot; its bytes are the file's */
    ink_sketch     *sketch;
    ink_description description;
    ink_kind_info   info;
    bool            unwanted; /* it is not asked, and holds nothing */
} ink__member;

typedef struct ink__members {
    ink_allocator allocator;
    ink__member  *list; /* in the order of the file: by kind, then by label */
    size_t        count;
    uint64_t      list_bytes;
} ink__members;

/* All of a kind, or of every kind if it is NULL; of a group with time slots the newest `last`, or
 * all if it is 0. A keyed file needs its secret. */
ink_status ink__members_load(ink__members *members, const ink_file *file, const char *kind,
                             size_t last, const uint8_t *secret, const ink_allocator *allocator,
                             ink_error *error);
void       ink__members_free(ink__members *members);

/* The same, group by group: the first entry of this kind from *at on, and its group, or false if
 * there is none; and the sketch of all entries of its group and kind, after which *at is moved. The
 * caller frees member->sketch. `member` NULL: it is moved only. */
bool       ink__group_next(const ink_file *file, const char *kind, size_t *at, ink_label *label);
ink_status ink__group_load(const ink_file *file, size_t *at, size_t last, const uint8_t *secret,
                           ink__member *member, ink_error *error);

/* Gives a sketch of a keyed file its secret; INK_MISMATCH if there is none. */
ink_status ink__member_unlock(ink_sketch *sketch, const uint8_t *secret, ink_error *error);

/* The one filter kind in a file, or `wanted`. INK_USAGE if there are several and `wanted` is NULL,
 * or it is no filter; INK_UNSUPPORTED if the file has none. */
ink_status ink__members_filter_kind(const ink_file *file, const char *wanted, const char **kind,
                                    ink_error *error);

/* The member of one kind's list with this label, or NULL. */
const ink__member *ink__members_find(const ink__members *members, const ink_label *label);

/* Sets the key type to that of the sketches; INK_MISMATCH if the caller chose the other one. */
ink_status ink__members_keys(const ink__members *members, ink_reading *reading, ink_error *error);

#endif
