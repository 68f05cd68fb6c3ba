/* generate_names.c - pronounceable strings of 30 letters, and a sample of them. Consonants and
 * vowels alternate; their frequencies are invented. */
#include "base/memory.h"
#include "base/status.h"
#include "jobs/generate/generator.h"

#include <string.h>

enum { NAME_LETTERS = 30, PIECE_LETTERS_MAX = 3, PIECES_MAX = 96, TICKETS_MAX = 512 };

/* ---- Pieces of names ---------------------------------------------------------------------- */

/* Each piece is followed by its weight; shorter ones come first. */
static const char first_pieces[] =
    "b6 c7 d6 f5 g5 h5 j3 k3 l6 m9 n6 p7 r7 s9 t7 v4 w4 z1 "
    "bl2 br3 ch4 cl2 cr3 dr2 fl2 fr3 gl1 gr3 ph1 pl2 pr4 qu1 sc2 sh3 sl1 sm1 sp2 st4 sw1 th4 tr4 "
    "wh2 scr1 spr1 str2 thr1";
static const char vowel_pieces[] =
    "a44 e56 i40 o34 u18 y4 ai4 au2 ea6 ee3 ia5 ie4 io7 oa2 oi2 oo3 ou5 ua1 ue1";
static const char middle_pieces[] =
    "b8 c12 d14 f5 g7 h3 j1 k5 l20 m15 n24 p9 r24 s16 t22 v8 w3 x1 z2 "
    "bb1 bl2 br2 ch4 ck3 ct4 dr2 ff1 fr1 ft1 gl1 gn1 gr2 lb1 ld2 lf1 ll6 lm1 lt2 lv1 mb3 mm2 mp3 "
    "nc4 nd7 nf1 ng5 nk2 nn3 ns4 nt8 ph2 pl2 pp2 pr2 pt2 rb1 rc1 rd3 rg1 rk2 rl1 rm2 rn3 rr3 rs3 "
    "rt4 rv1 sc1 sh4 sk1 sl1 sm1 sp2 ss5 st9 th5 tl1 tr4 tt4 wn1 "
    "mbl1 mpl1 nch1 ndr1 nst1 ntr2 rch1 str3 tch1";
static const char last_pieces[] =
    "d5 k2 l7 m5 n12 p2 r9 s10 t7 x1 y2 "
    "ck2 ct1 ds1 ld1 ll2 ly4 na4 nd3 ne6 ng5 ns3 nt4 ra4 re6 rd1 rk1 rn1 ro2 rs2 rt1 sh2 ss2 st4 "
    "ta3 te5 th2 ty3 la4 le6 lo2 ma3 me2 mo1 no2 to2 va1 ve2 da2 de3 do1";

typedef struct piece {
    uint8_t letters[4]; /* copied as a whole */
    uint8_t count;
} piece;

/* A random ticket selects a piece, which has as many tickets as its weight. */
typedef struct piece_table {
    piece    pieces[PIECES_MAX];
    uint8_t  tickets[TICKETS_MAX];
    uint32_t within[PIECE_LETTERS_MAX + 1]; /* tickets of pieces up to this many letters */
} piece_table;

static void table_make(piece_table *table, const char *text)
{
    unsigned pieces = 0, tickets = 0;

    memset(table, 0, sizeof *table);
    while (*text != '\0') {
        piece   *made = &table->pieces[pieces];
        unsigned weight = 0;
        for (; *text >= 'a'; text++)
            made->letters[made->count++] = (uint8_t)*text;
        for (; *text >= '0'; text++)
            weight = weight * 10 + (unsigned)(*text - '0');
        for (; weight > 0; weight--)
            table->tickets[tickets++] = (uint8_t)pieces;
        for (unsigned letters = made->count; letters <= PIECE_LETTERS_MAX; letters++)
            table->within[letters] = tickets;
        pieces++;
        text += *text == ' ';
    }
}

/* ---- Names -------------------------------------------------------------------------------- */

/* Random numbers of 16 bits. */
typedef struct draws {
    ink__random random;
    uint64_t    bits;
    unsigned    left; /* numbers in `bits` */
} draws;

static uint32_t next_16(draws *from)
{
    if (from->left == 0) {
        from->bits = ink__random_next(&from->random);
        from->left = 4;
    }
    uint32_t next = from->bits & 0xffff;
    from->bits >>= 16;
    from->left--;
    return next;
}

/* Puts a piece of `least` to `most` letters; writes up to 4 bytes. */
static uint8_t *put_piece(uint8_t *to, const piece_table *table, unsigned least, unsigned most,
                          draws *from)
{
    uint32_t     start = table->within[least - 1], tickets = table->within[most] - start;
    const piece *chosen = &table->pieces[table->tickets[start + (next_16(from) * tickets >> 16)]];

    memcpy(to, chosen->letters, sizeof chosen->letters);
    return to + chosen->count;
}

typedef struct name_tables {
    piece_table first, vowel, middle, last;
} name_tables;

static uint8_t *put_name(uint8_t *to, const name_tables *tables, draws *from)
{
    const uint8_t *end = to + NAME_LETTERS;

    to = put_piece(to, &tables->first, 1, 3, from);
    to = put_piece(to, &tables->vowel, 1, 2, from);
    while (end - to >= 5) { /* any two pieces fit; a loop of its own is three times as fast */
        to = put_piece(to, &tables->middle, 1, 3, from);
        to = put_piece(to, &tables->vowel, 1, 2, from);
    }
    while (end - to > 2) { /* a vowel needs room after the consonants */
        to = put_piece(to, &tables->middle, 1, end - to > 3 ? 3 : 2, from);
        to = put_piece(to, &tables->vowel, 1, end - to > 1 ? 2 : 1, from);
    }
    if (end > to) {
        unsigned room = (unsigned)(end - to);
        to = put_piece(to, &tables->last, room, room, from);
    }
    return to;
}

/* ---- The sample --------------------------------------------------------------------------- */

/* The names are divided into as many parts as the sample has, as evenly as possible, and one is
 * chosen from each: like a random stride, but with exactly the number of names wanted. */
typedef struct stride {
    ink__random random;
    uint64_t    part, part_rest, parts; /* records = part * parts + part_rest */
    uint64_t    rest;                   /* of the parts so far */
    uint64_t    end;                    /* of the last part */
    uint64_t    next;                   /* number of the next name of the sample */
} stride;

static void stride_next(stride *s)
{
    uint64_t start = s->end;

    s->end += s->part;
    if (s->rest >= s->parts - s->part_rest) {
        s->rest -= s->parts - s->part_rest;
        s->end++;
    } else {
        s->rest += s->part_rest;
    }
    s->next = start + ink__random_below(&s->random, s->end - start);
}

enum {
    SAMPLE_BYTES = 1 << 16,
    VALUE_BYTES = NAME_LETTERS + 4, /* pieces are put four bytes at a time */
};

typedef struct naming {
    name_tables     tables;
    draws           from;
    stride          taken;
    uint64_t        count; /* of names so far */
    const ink_sink *sink;  /* of the sample */
    uint64_t        sampled, used;
    uint8_t         bytes[SAMPLE_BYTES + NAME_LETTERS + 1]; /* of the sample, whole names */
} naming;

static ink_status flush_sample(naming *all, ink_error *error)
{
    uint64_t used = all->used;

    all->used = 0;
    return ink__sink_put(all->sink, all->bytes, used, error);
}

static ink_status put_sampled(naming *all, const uint8_t *name, ink_error *error)
{
    memcpy(all->bytes + all->used, name, NAME_LETTERS);
    all->bytes[all->used + NAME_LETTERS] = '\n';
    all->used += NAME_LETTERS + 1;
    if (++all->sampled < all->taken.parts)
        stride_next(&all->taken);
    return all->used < SAMPLE_BYTES ? INK_OK : flush_sample(all, error);
}

/* The pieces of a name depend on each other, so that drawing them is all the work. */
static ink_status draw_names(void *host, void *values, uint64_t count, ink_error *error)
{
    naming *all = host;

    for (uint8_t *name = values; count > 0; count--, name += VALUE_BYTES) {
        put_name(name, &all->tables, &all->from);
        if (all->count++ == all->taken.next)
            INK__TRY(put_sampled(all, name, error));
    }
    return INK_OK;
}

static uint8_t *put_drawn(uint8_t *to, const void *name, const void *host)
{
    (void)host;
    memcpy(to, name, NAME_LETTERS);
    return to + NAME_LETTERS;
}

static ink_status write_names(naming *all, const ink__generator_run *run, ink_error *error)
{
    const ink__record_steps steps = {
        .value_bytes = VALUE_BYTES,
        .record_max = NAME_LETTERS + 1,
        .host = all,
        .draw = draw_names,
        .put = put_drawn,
    };

    table_make(&all->tables.first, first_pieces);
    table_make(&all->tables.vowel, vowel_pieces);
    table_make(&all->tables.middle, middle_pieces);
    table_make(&all->tables.last, last_pieces);
    ink__random_begin(&all->from.random, run->seed, INK__RANDOM_NAMES);
    all->sink = run->sample_sink;
    all->taken = (stride){.parts = run->sample, .next = UINT64_MAX}; /* no name has this */
    if (run->sample > 0) {
        all->taken.part = run->records / run->sample;
        all->taken.part_rest = run->records % run->sample;
        ink__random_begin(&all->taken.random, run->seed, INK__RANDOM_SAMPLE);
        stride_next(&all->taken);
    }
    INK__TRY(ink__generate_each(run, &steps, error));
    return flush_sample(all, error);
}

ink_status ink__generate_names(const ink__generator_run *run, ink_error *error)
{
    naming *all;

    INK__TRY(ink__allocate_zeroed(&run->allocator, sizeof *all, &all, error));
    ink_status status = write_names(all, run, error);
    ink__release(&run->allocator, all, sizeof *all);
    return status;
}
