/* formats.h - what a foreign format is: a row of the table of list.c, and how its file and a sketch
 * of ours state each other.
 *
 * The folder src/format/foreign holds one file for each format, or for the formats of one system.
 * Read this header, then spark.c. A format knows its bytes, and states a sketch by the parameters
 * that make one; it makes none itself (src/sketch/foreign.c does). guess.c names files in error
 * messages. To add one: its file, and a line in the table. */
#ifndef INK_FORMAT_FOREIGN_FORMATS_H
#define INK_FORMAT_FOREIGN_FORMATS_H

#include "base/status.h"
#include "inkling_foreign.h"

/* A file of a format, as it is read. */
typedef struct ink__foreign_file {
    const uint8_t             *bytes;
    uint64_t                   count;
    const ink_foreign_options *options;
    const ink_allocator       *allocator;
} ink__foreign_file;

/* A sketch as a file states it. */
enum { INK__FOREIGN_FIELDS = 8, INK__FOREIGN_NEXT = 6 };
typedef struct ink__foreign_sketch {
    ink_params params;      /* kind, size, hash and seed; `hash` may be that of the options */
    uint64_t   records;     /* 0: the file does not say it */
    uint64_t   total;       /* of counts */
    double     target_rate; /* of a filter whose `params` state bits; 0: the file does not say it */

    /* All parameters of the kind as docs/format.md lists them, where `params` cannot say them. */
    bool     has_fields;
    uint64_t fields[INK__FOREIGN_FIELDS];

    /* The payload as docs/format.md has it: bytes of the file, or of memory that was allocated, and
     * is released by the caller; words of 8 bytes may be in the opposite order. */
    const uint8_t *payload;
    uint64_t       payload_bytes;
    bool           reversed;
    uint8_t       *made;
    uint64_t       made_bytes;

    char group[32]; /* the name of its group, "" if it has none */
    bool more;      /* another sketch follows ... */
    /* ... and what the format needs to find it: kept from one to the next, 0 before the first. */
    uint64_t next[INK__FOREIGN_NEXT];
} ink__foreign_sketch;

/* A sketch as a file is to state it. */
typedef struct ink__foreign_source {
    ink_description      is;
    const uint8_t       *payload; /* as docs/format.md has it */
    uint64_t             payload_bytes;
    const ink_allocator *allocator;
} ink__foreign_source;

typedef struct ink__foreign_format {
    ink_foreign_info info;
    /* The hashes that its sketches may have, by the names of docs/keys.md, ended by NULL. */
    const char *const *hashes;
    uint64_t           seed; /* the only one that they have, or 0 */
    /* If it is certain: whether bytes begin as its files do, and no text does. Else NULL. */
    bool (*begins)(const uint8_t *bytes, size_t count);

    /* Reads sketch number `index`; all of *sketch is 0 before, but the key type and `next`.
     * INK_FORMAT, at a byte, if this is no file of the format, or damaged; length included, so that
     * bytes fit few formats in full. */
    ink_status (*read)(const ink__foreign_file *file, uint64_t index, ink__foreign_sketch *sketch,
                       ink_error *error);
    /* Writes a sketch whose kind and hash are the format's. NULL: it is only read. */
    ink_status (*write)(const ink__foreign_source *source, const ink_sink *sink, ink_error *error);
    /* Sizes as the system sizes; kind and hash are set, the keys may not be known yet. NULL: as the
     * kind does. */
    ink_status (*size)(ink_params *params, ink_error *error);
    /* What a filter is folded by to have a size of the format; 1: it has one. NULL: all have. */
    uint64_t (*divisor)(const ink_description *is);
} ink__foreign_format;

/* ---- What formats share ------------------------------------------------------------------- */

/* INK_FORMAT at a byte: what was found, what was expected. */
#define INK__FOREIGN_FAIL(error, at, ...) ink__fail(error, INK_FORMAT, INK_AT_BYTE, at, __VA_ARGS__)

/* Numbers with the highest byte first, as Java writes them. */
uint32_t ink__load_u32_high_first(const uint8_t *from);
uint64_t ink__load_u64_high_first(const uint8_t *from);
void     ink__store_u32_high_first(uint8_t *to, uint32_t value);
void     ink__store_u64_high_first(uint8_t *to, uint64_t value);

/* The number of hashes of a key, at a byte of the file. */
ink_status ink__foreign_check_hashes(uint32_t hashes, uint64_t at, ink_error *error);

/* An array of bits as Java programs write it, at a byte of the file: how many words of 8 bytes,
 * then these; it becomes the size and the payload. `narrow`: no position is above 2^31, so that
 * words beyond are left out, if they are 0. */
ink_status ink__foreign_read_bits(const ink__foreign_file *file, uint64_t at, bool narrow,
                                  ink__foreign_sketch *sketch, ink_error *error);
/* Sizes it as these programs do if its bits are given: to whole words, and hashes by the bits that
 * were asked for. */
ink_status ink__foreign_size_bits(ink_params *params, ink_error *error);
/* Writes the `count` bytes of a head, then such an array; INK_MISMATCH if it has no whole words. */
ink_status ink__foreign_write_bits(const ink__foreign_source *source, const uint8_t *head,
                                   uint32_t count, const ink_sink *sink, ink_error *error);

/* Copies words of 8 bytes, each in the opposite order of bytes. */
void ink__reverse_words(uint8_t *to, const uint8_t *from, uint64_t words);

/* Writes bytes to a sink; INK_IO with its errno. */
ink_status ink__foreign_put(const ink_sink *sink, const void *data, uint64_t bytes,
                            ink_error *error);
/* The same of words in the opposite order. */
ink_status ink__foreign_put_reversed(const ink_sink *sink, const uint8_t *from, uint64_t words,
                                     ink_error *error);

/* The payload of an hll with these registers (a byte each, 2^precision of them, at most
 * 65 - precision each), made in memory; and the registers of a payload. */
ink_status ink__registers_pack(const uint8_t *registers, uint32_t precision,
                               ink__foreign_sketch *sketch, const ink_allocator *allocator,
                               ink_error *error);
void       ink__registers_unpack(const uint8_t *payload, uint64_t payload_bytes, uint32_t precision,
                                 uint8_t *registers);
/* Writes registers of six bits, one after another, to bytes that are 0. */
void ink__registers_pack_all(const uint8_t *registers, uint32_t precision, uint8_t *to);
/* The lowest `bits` bits in the opposite order: registers of others by the lowest bits of a hash.
 */
uint32_t ink__reversed_index(uint32_t index, uint32_t bits);
/* Moves the registers of others to where ours are, or back. */
void ink__registers_reverse(uint8_t *registers, uint32_t precision);

#endif
