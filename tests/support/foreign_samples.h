/* foreign_samples.h - files of other systems in memory, one or more of each format: written from
 * sketches of ours where the format is written, else from bytes that the other system gave. */
#ifndef INK_TESTS_FOREIGN_SAMPLES_H
#define INK_TESTS_FOREIGN_SAMPLES_H

#include "inkling_foreign.h"
#include "support/owned.h"

/* Of a format whose files do not say how many hashes a key has. */
enum { FOREIGN_HASHES = 3 };

typedef struct foreign_sample {
    ink_foreign_options options; /* that read it */
    uint8_t            *bytes;
    size_t              count;
    bool                written; /* by us, so that it is written again with the same bytes */
} foreign_sample;

/* Makes sample number `index`; false if there is none. Fails the test if it cannot. */
bool foreign_sample_make(foreign_sample *sample, unsigned index);
void foreign_sample_free(foreign_sample *sample);

/* Gives a DUMP of Redis that was changed the checksum that it has now; other files stay. */
void foreign_mend(const char *format, uint8_t *bytes, size_t count);

/* The only sketch of a file, or the first one. */
ink_status foreign_read_first(ink_sketch **sketch, const uint8_t *bytes, size_t count,
                              const ink_foreign_options *options, const ink_allocator *allocator,
                              ink_error *error);

/* Writes a sketch to `to`, at most `room` bytes; *count is how many there were. */
ink_status foreign_write_to(const ink_sketch *sketch, const char *format, uint8_t *to, size_t room,
                            size_t *count, ink_error *error);

#endif
