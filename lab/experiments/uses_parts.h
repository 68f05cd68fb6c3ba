/* uses_parts.h - what the experiments on uses of sketches share: lines and their fields, exact
 * counts to compare with, and the files of sketches that peers send each other. */
#ifndef LAB_EXPERIMENTS_USES_PARTS_H
#define LAB_EXPERIMENTS_USES_PARTS_H

#include "workbench/workbench.h"

/* ---- The parts, in the order of the page --------------------------------------------------- */

void uses_space(lab *bench);    /* bits a key against the rate */
void uses_spelling(lab *bench); /* the spell checker */
void uses_keywords(lab *bench); /* which documents have both words */
void uses_delivery(lab *bench); /* informed content delivery */
void uses_traceback(lab *bench);
void uses_multicast(lab *bench);
void uses_errors(lab *bench);  /* of counts, against their bound */
void uses_heavy(lab *bench);   /* heavy hitters */
void uses_phrases(lab *bench); /* counts of n-grams */

/* ---- Lines -------------------------------------------------------------------------------- */

/* A line without its end, or a part of one; the bytes are the data's. */
typedef struct text_line {
    const char *text;
    size_t      bytes;
} text_line;

/* The next line from byte *at on; false past the last one. */
bool next_line(const lab_data *data, size_t *at, text_line *line);
/* Field number `index`, from 0, of a line that the separator divides; empty if there is none. */
text_line line_field(text_line line, char separator, unsigned index);
/* The number that the digits at its beginning make. */
uint64_t line_number(text_line line);
/* `bytes` bytes of a line from byte `from` on, or as many as there are. */
text_line line_part(text_line line, size_t from, size_t bytes);

/* ---- Exact counts ------------------------------------------------------------------------- */

typedef struct exact_entry {
    text_line key;
    uint64_t  count;
} exact_entry;

/* Each different line of some data, in the order of their first appearance, with its count. */
typedef struct exact {
    exact_entry *entries;
    size_t       count;
    uint32_t    *locations; /* by hash: number of an entry from 1, or 0 */
    size_t       location_mask;
} exact;

/* The data must outlive it. Empty after a failure. */
exact exact_of(lab *bench, const lab_data *lines);
/* How often a line was there. */
uint64_t exact_count(const exact *table, text_line key);
void     exact_free(exact *table);
/* The bytes that keys and counts take, with nothing between them and no pointer: the least that a
 * table of them could do with. */
uint64_t exact_bytes(const exact *table);

/* ---- Files of sketches, as they are sent -------------------------------------------------- */

typedef struct message {
    uint8_t *bytes;
    size_t   count;
} message;

/* The bytes of the file that `ink build` makes of these lines; none after a failure. */
message message_of(lab *bench, const lab_data *lines, const ink_reading *reading,
                   const ink_params *params);
/* What `ink filter`, or if `invert` `ink filter -v`, prints of these lines. */
lab_data message_filter(lab *bench, const message *from, const lab_data *lines, bool invert);
void     message_free(message *m);

/* How often a key was seen, as `ink count` reports. */
ink_answer count_of(lab *bench, const ink_sketch *sketch, text_line key);
/* The different keys of two sets together, as `ink distinct` reports of the files of both. */
double together(lab *bench, const ink_sketch *one, const ink_sketch *other);

#endif
