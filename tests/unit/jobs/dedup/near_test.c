/* near_test.c - the first earlier document that is alike is that of a model which goes through each
 * band in order, with any number of threads and from disk; what signatures say of bins. */
#include "jobs/dedup/near.h"

#include "base/memory.h"
#include "jobs/runtime/feed.h"
#include "support/check.h"
#include "support/records.h"

static ink_error error;

static uint64_t chance = 5;

enum { SIGNATURE = INK__NEAR_BINS, COMPARED = 64 };

#define SIMILARITY 0.9

/* ---- Documents ---------------------------------------------------------------------------- */

typedef struct documents {
    ink__near near;
    size_t    count;
    uint8_t  *signatures;
    uint64_t *hashes; /* 0: a band that they have not */
} documents;

static void make_room(documents *of, size_t count)
{
    const ink__near_shape shape = ink__near_shape_of(SIMILARITY);

    *of = (documents){.count = count, .near.shape = shape};
    of->signatures = calloc(count, SIGNATURE);
    of->hashes = calloc(count * shape.bands, sizeof *of->hashes);
    CHECK(of->signatures != NULL && of->hashes != NULL);
}

static void draw_signature(documents *of, size_t document)
{
    for (size_t bin = 0; bin < SIGNATURE; bin++)
        of->signatures[document * SIGNATURE + bin] = (uint8_t)(records_random(&chance) % 255);
}

/* As another one, but for `bins` bins from `first` on. */
static void copy_signature(documents *of, size_t document, size_t other, size_t first, size_t bins)
{
    uint8_t *to = of->signatures + document * SIGNATURE;

    memcpy(to, of->signatures + other * SIGNATURE, SIGNATURE);
    for (size_t i = 0; i < bins; i++)
        to[(first + i) % SIGNATURE] ^= 1;
}

static void set_band(documents *of, size_t document, size_t band, uint64_t hash)
{
    of->hashes[document * of->near.shape.bands + band] = hash;
}

/* Puts them in parts of this many, and finds. */
static void find(documents *of, uint64_t memory, unsigned threads, size_t at_once)
{
    const ink_allocator heap = ink__allocator_or_heap(NULL);
    const ink_job       job = {.threads = threads};

    CHECK_OK(ink__near_begin(&of->near, SIMILARITY, memory, ink__job_folder(&job), &heap, &error));
    for (size_t at = 0; at < of->count; at += at_once) {
        const size_t some = of->count - at < at_once ? of->count - at : at_once;
        CHECK_OK(ink__near_put(&of->near, of->signatures + at * SIGNATURE,
                               of->hashes + at * of->near.shape.bands, some, &error));
    }
    CHECK_OK(ink__near_find(&of->near, &job, 0, &error));
}

static void release(documents *of)
{
    ink__near_end(&of->near);
    free(of->signatures);
    free(of->hashes);
}

/* ---- The model ---------------------------------------------------------------------------- */

/* Signatures without an empty bin. */
static bool is_alike(const documents *of, size_t one, size_t other)
{
    size_t equal = 0;

    for (size_t bin = 0; bin < SIGNATURE; bin++)
        equal += of->signatures[one * SIGNATURE + bin] == of->signatures[other * SIGNATURE + bin];
    return (double)equal >= of->near.shape.share * SIGNATURE;
}

static bool has_hash(const documents *of, size_t document, uint64_t hash)
{
    const unsigned bands = of->near.shape.bands;

    for (size_t band = 0; band < bands; band++)
        if (of->hashes[document * bands + band] == hash)
            return true;
    return false;
}

/* The first one that is alike, of the first 64 with this hash; or `count`. */
static size_t first_with(const documents *of, size_t document, uint64_t hash)
{
    unsigned compared = 0;

    for (size_t other = 0; other < document && compared < COMPARED; other++) {
        if (!has_hash(of, other, hash))
            continue;
        compared++;
        if (is_alike(of, other, document))
            return other;
    }
    return of->count;
}

static uint64_t expected(const documents *of, size_t document)
{
    const unsigned bands = of->near.shape.bands;
    size_t         first = of->count;

    for (size_t band = 0; band < bands; band++) {
        const uint64_t hash = of->hashes[document * bands + band];
        const size_t   found = hash == 0 ? of->count : first_with(of, document, hash);
        first = found < first ? found : first;
    }
    return first == of->count ? 0 : first + 1;
}

/* ---- Tests -------------------------------------------------------------------------------- */

enum { FAMILIES = 12, DOCUMENTS = 300, SHARED = 6 };

/* Families of documents that differ by about as many bins as may differ; each has some bands of its
 * family, whose hashes are in partitions all over. */
static void draw_families(documents *of)
{
    make_room(of, DOCUMENTS);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        const uint64_t drawn = records_random(&chance), family = drawn % FAMILIES;
        if (i < FAMILIES)
            draw_signature(of, i);
        else
            copy_signature(of, i, (size_t)family, (size_t)(drawn >> 8) % SIGNATURE,
                           (size_t)(drawn >> 32) % (SIGNATURE / 7));
        for (size_t band = 0; band < SHARED; band++)
            if (records_random(&chance) % 2 == 0)
                set_band(of, i, band, ((family + 1) * SHARED + band) * 0x9e3779b97f4a7c15u);
    }
}

TEST(each_document_has_the_first_one_that_is_alike_with_any_number_of_threads)
{
    uint64_t  model[DOCUMENTS];
    documents of;
    size_t    like = 0;

    draw_families(&of);
    for (size_t i = 0; i < DOCUMENTS; i++) {
        model[i] = expected(&of, i);
        like += model[i] != 0;
    }
    CHECK(like > DOCUMENTS / 3 && like < DOCUMENTS - DOCUMENTS / 6);
    for (unsigned way = 0; way < 6; way++) {
        ink_dedup_count level = {0};
        find(&of, way % 2 == 0 ? 1 << 24 : 0, way / 2 == 0 ? 1 : 2 * way, 1 + 37 * way);
        for (size_t i = 0; i < DOCUMENTS; i++)
            if (of.near.earlier[i] != model[i])
                fail_msg("way %u, document %zu: %llu, expected %llu", way, i,
                         (unsigned long long)of.near.earlier[i], (unsigned long long)model[i]);
        ink__near_report(&of.near, DOCUMENTS, &level);
        CHECK(level.used && level.texts == DOCUMENTS && level.first == DOCUMENTS - like);
        ink__near_end(&of.near);
        of.near.shape = ink__near_shape_of(SIMILARITY);
    }
    release(&of);
}

/* Of a hundred with one band the last one is like number `twin` alone. */
TEST(a_document_is_compared_with_the_first_64_of_a_band)
{
    for (size_t twin = COMPARED - 1; twin <= COMPARED; twin++) {
        documents of;
        make_room(&of, 100);
        for (size_t i = 0; i < 100; i++) {
            draw_signature(&of, i);
            set_band(&of, i, 3, 7);
        }
        copy_signature(&of, 99, twin, 0, 0);
        find(&of, 0, 1, 100);
        assert_int_equal(of.near.earlier[99], twin < COMPARED ? twin + 1 : 0);
        release(&of);
    }
}

/* At 0.9 as many as 204 of 2048 would differ, were none equal by chance: of that comes one less. */
TEST(so_many_bins_differ_and_no_more)
{
    for (size_t differ = 202; differ <= 204; differ++) {
        documents of;
        make_room(&of, 2);
        draw_signature(&of, 0);
        copy_signature(&of, 1, 0, 1000, differ);
        set_band(&of, 0, 0, 1);
        set_band(&of, 1, 0, 1);
        find(&of, 1 << 20, 1, 2);
        assert_int_equal(of.near.earlier[1], differ <= 203);
        const ink__likeness found = ink__near_compare(&of.near, 0, 1);
        CHECK(found.bins == SIGNATURE && found.equal == SIGNATURE - differ);
        release(&of);
    }
}

/* An n-gram whose last byte is 0xff takes 0xfe: 0xff is an empty bin. */
TEST(empty_bins_of_both_do_not_count)
{
    static uint32_t       bins[2][INK__NEAR_BINS];
    const ink__near_shape shape = ink__near_shape_of(SIMILARITY);
    documents             of;

    make_room(&of, 2);
    for (size_t i = 0; i < 2; i++) {
        ink__near_start(bins[i]);
        for (uint64_t bin = i; bin < 100; bin++)
            ink__near_add(bins[i], bin << (64 - INK__NEAR_BIN_BITS) | 0x1ff);
        ink__near_add(bins[i], UINT64_C(50) << (64 - INK__NEAR_BIN_BITS) | 0x300); /* is larger */
        ink__near_finish(&shape, bins[i], of.signatures + i * SIGNATURE,
                         of.hashes + i * shape.bands);
    }
    CHECK(of.signatures[0] == 0xfe && of.signatures[50] == 0xfe && of.signatures[100] == 0xff);
    CHECK(of.signatures[SIGNATURE] == 0xff);
    find(&of, 1 << 20, 1, 2);
    const ink__likeness found = ink__near_compare(&of.near, 0, 1);
    CHECK(found.bins == 100 && found.equal == 99);
    assert_int_equal(of.near.earlier[1], 1);
    release(&of);
}

TEST(documents_without_ngrams_are_like_no_other)
{
    static uint32_t       bins[INK__NEAR_BINS];
    const ink__near_shape shape = ink__near_shape_of(SIMILARITY);
    documents             of;

    make_room(&of, 3);
    ink__near_start(bins);
    for (size_t i = 0; i < 3; i++) {
        ink__near_finish(&shape, bins, of.signatures + i * SIGNATURE, of.hashes + i * shape.bands);
        for (size_t band = 0; band < shape.bands; band++)
            assert_int_equal(of.hashes[i * shape.bands + band], 0);
    }
    find(&of, 0, 2, 1);
    CHECK(of.near.earlier[1] == 0 && of.near.earlier[2] == 0);
    release(&of);
}

RUN_TESTS()
