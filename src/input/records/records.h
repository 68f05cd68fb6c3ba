/* records.h - where records end: at a byte, at a line end outside quotes, or after a fixed width.
 *
 * The folder src/input/records knows the text formats: where records end (records), how they are
 * cut (fields), numbers and times in text, and decompression. Read records.h,
 * row.h and fields.h. src/input calls it. */
#ifndef INK_INPUT_RECORDS_RECORDS_H
#define INK_INPUT_RECORDS_RECORDS_H

#include "inkling.h"
#include "kernels/lines.h"

/* A record has fewer bytes than this. */
#define INK__RECORD_BYTES_MAX ((uint64_t)1 << 31)

typedef enum ink__record_form {
    INK__RECORDS_ENDED,  /* each by the byte `end` */
    INK__RECORDS_QUOTED, /* each by a line end, but not by one within quotes */
    INK__RECORDS_FIXED,  /* each has `width` bytes, and nothing is between them */
} ink__record_form;

typedef struct ink__record_rule {
    ink__record_form form;
    uint8_t          end;       /* ENDED, QUOTED: '\n' takes a '\r' before it along */
    uint32_t         width;     /* FIXED */
    ink__lines_cut  *lines_cut; /* ENDED: as INK_CPU says; NULL: the fastest one */
} ink__record_rule;

/* Sets the loop that INK_CPU names; INK_USAGE if this machine lacks it. */
ink_status ink__records_choose_loop(ink__record_rule *rule, ink_error *error);

/* Whether a path ends as those of gzip and zstd do. */
bool ink__records_named_compressed(const char *path);

/* Whether the first bytes of this file may show that it is compressed. Integers may begin with any
 * bytes: there only its name shows it. */
bool ink__records_may_be_compressed(const ink__record_rule *rule, const char *path);

/* The first start of a record at `at` or later, in bytes that start with one. False if it is not in
 * these bytes: *location is then `count`, where the last record may or may not end. */
bool ink__records_start(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                        uint64_t at, uint64_t *location);

/* Where the last whole record ends, in bytes that start with one; 0 if there is none. */
uint64_t ink__records_last(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count);

/* The same in bytes that follow `before` bytes of a record without its end. *inside: the first of
 * them is inside quotes; it is updated for the byte after them. */
uint64_t ink__records_last_after(const ink__record_rule *rule, uint64_t before,
                                 const uint8_t *bytes, uint64_t count, bool *inside);

/* Cuts the first records off, at most `room`: record i goes from starts[i] up to ends[i], without
 * its end. Returns how many; *used is the number of bytes that they take, their ends included. 0
 * records of some bytes: one without its end. */
size_t ink__records_cut(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                        uint64_t *starts, uint64_t *ends, size_t room, uint64_t *used);

/* How many bytes the first record has, without its end, which may be missing; *used with it. */
uint64_t ink__records_first(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count,
                            uint64_t *used);

/* The bytes of a byte-order mark of UTF-8 that an input of lines begins with, 0 or INK__MARK_BYTES:
 * it is no part of the first one. Records that end otherwise are any bytes, and have none. */
enum { INK__MARK_BYTES = 3 };
uint64_t ink__records_mark(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count);

/* INK_FORMAT if an input of lines begins with a byte-order mark of UTF-16 or UTF-32, whose line
 * ends are others. */
ink_status ink__records_check_mark(const ink__record_rule *rule, const uint8_t *bytes,
                                   uint64_t count, ink_error *error);

/* INK_LIMIT, for record number `record`: it has INK__RECORD_BYTES_MAX bytes or more. */
ink_status ink__records_fail_long(ink_error *error, uint64_t record);

/* How many ends of records are in these bytes; of quoted records how many lines, as a person would
 * count. */
uint64_t ink__records_count(const ink__record_rule *rule, const uint8_t *bytes, uint64_t count);

#endif
