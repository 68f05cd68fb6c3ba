/* verify_results.c - the counts of a verification, the results that follow, and the counts of
 * parts, encoded and added up. */
#include "jobs/verify/verify_results.h"

#include "base/bits.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/status.h"
#include "inkling_pieces.h"
#include "jobs/runtime/statistics.h"
#include "sketch/internal.h"

#include <string.h>

/* ---- The life of a verification ----------------------------------------------------------- */

static ink_status start_row(ink_verification *verification, size_t m, const ink__member *member,
                            ink_error *error)
{
    ink_verify_result *row = &verification->rows[m];
    const uint8_t     *kept = NULL;

    if (member->label.group_kind == INK_GROUP_BYTES)
        INK__TRY(ink__arena_keep(&verification->labels, member->label.group,
                                 member->label.group_bytes, &kept, error));
    row->kind = member->description.kind;
    row->label = member->label;
    row->label.group = kept;
    row->membership = member->info.contains;
    if (!row->membership)
        return INK_OK;
    verification->counted.filters++;
    row->target = member->description.target_rate;
    row->promised = member->description.promised_rate;
    return ink_sketch_rate(member->sketch, &row->current, error);
}

ink_status ink__verification_create(ink_verification **verification, const ink__members *members,
                                    const ink_allocator *allocator, ink_error *error)
{
    ink_verification *made;

    if (members->count == 0)
        return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                         "an empty file, expected sketches");
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *made, &made, error));
    made->allocator = *allocator;
    ink__arena_begin(&made->labels, allocator);
    ink_status status = ink__allocate_zeroed(allocator, (members->count + 1) * sizeof *made->rows,
                                             &made->rows, error);
    made->count = status == INK_OK ? members->count : 0;
    for (size_t m = 0; m < made->count && status == INK_OK; m++)
        status = start_row(made, m, &members->list[m], error);
    if (status == INK_OK)
        *verification = made;
    else
        ink_verification_free(made);
    return status;
}

void ink_verification_free(ink_verification *verification)
{
    if (verification == NULL)
        return;
    ink_allocator memory = verification->allocator;

    ink__release(&memory, verification->rows,
                 (verification->count + 1) * sizeof(ink_verify_result));
    ink__arena_end(&verification->labels);
    ink__release(&memory, verification, sizeof *verification);
}

size_t ink_verification_count(const ink_verification *verification)
{
    return verification->count;
}

uint64_t ink_verification_records(const ink_verification *verification)
{
    return verification->records;
}

/* ---- Parts -------------------------------------------------------------------------------- */

static bool has_part(const uint8_t *added, uint32_t part)
{
    return (added[part / 8] >> part % 8 & 1) != 0;
}

bool ink_verification_lacks(const ink_verification *verification, uint32_t *bucket)
{
    for (*bucket = 0; *bucket < verification->parts; ++*bucket)
        if (!has_part(verification->added, *bucket))
            return true;
    return false;
}

ink_status ink__verification_filters_only(const ink__members *members, ink_error *error)
{
    for (size_t m = 0; m < members->count; m++)
        if (!members->list[m].info.contains)
            return ink__fail(error, INK_UNSUPPORTED, INK_NOWHERE, 0,
                             "a verification of %s in parts, expected filters (a verification over "
                             "the records themselves takes every kind)",
                             members->list[m].description.kind);
    return INK_OK;
}

ink_status ink__verification_part(ink_verification *verification, const ink_file *file,
                                  uint32_t parts, ink_error *error)
{
    parts = parts == 0 ? 1 : parts;
    if (!ink__is_power_of_two(parts) || parts > INK__PARTS_MAX)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "%u buckets, expected a power of two, at most %d", parts, INK__PARTS_MAX);
    INK__TRY(ink_file_digest(file, verification->file, error));
    verification->parts = parts;
    return INK_OK;
}

ink_status ink_verification_create(ink_verification **verification, const ink_file *file,
                                   uint32_t buckets, const uint8_t *secret,
                                   const ink_allocator *allocator, ink_error *error)
{
    ink_allocator     memory = ink__allocator_or_heap(allocator);
    ink_verification *made = NULL;
    ink__members      members;

    INK__TRY(ink__members_load(&members, file, NULL, 0, secret, &memory, error));
    ink_status status = ink__verification_filters_only(&members, error);
    if (status == INK_OK)
        status = ink__verification_create(&made, &members, &memory, error);
    if (status == INK_OK)
        status = ink__verification_part(made, file, buckets, error);
    ink__members_free(&members);
    if (status == INK_OK)
        *verification = made;
    else
        ink_verification_free(made);
    return status;
}

/* ---- The result -------------------------------------------------------------------------- */

/* Results are computed on request, not with every count: a limit takes microseconds, and there may
 * be many rows and parts. */
ink_status ink_verification_row(const ink_verification *verification, size_t index,
                                ink_verify_result *row, ink_error *error)
{
    if (index >= verification->count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0,
                         "row %zu of %zu, expected a smaller number", index, verification->count);
    *row = verification->rows[index];
    if (!row->membership)
        return INK_OK;
    double mean = (double)row->tested * row->promised;
    row->rate = row->tested == 0 ? 0 : (double)row->false_positives / (double)row->tested;
    ink__chance_interval(row->false_positives, row->tested, &row->low, &row->high);
    row->ok = row->denied == 0 &&
              (row->promised <= 0 ||
               (double)row->false_positives <= ink__chance_limit(mean, mean * (1 - row->promised)));
    return INK_OK;
}

void ink_verification_summarise(const ink_verification   *verification,
                                ink_verification_summary *summary)
{
    double   variance = 0, worse = 0;
    bool     others_ok = !verification->missing;
    uint32_t part;

    *summary = verification->counted;
    summary->denied = verification->homeless;
    for (size_t m = 0; m < verification->count; m++) {
        const ink_verify_result *row = &verification->rows[m];
        others_ok = others_ok && (row->membership || row->ok);
        summary->denied = ink__add_saturating(summary->denied, row->denied);
        if (row->promised <= 0)
            continue;
        summary->tested = ink__add_saturating(summary->tested, row->tested);
        summary->false_positives =
            ink__add_saturating(summary->false_positives, row->false_positives);
        summary->expected += (double)row->tested * row->promised;
        variance += (double)row->tested * row->promised * (1 - row->promised);
        worse += (double)row->tested * 1.1 * row->promised * (1 - 1.1 * row->promised);
    }
    summary->limit = ink__chance_limit(summary->expected, variance);
    summary->power = ink__chance_above(1.1 * summary->expected, worse, summary->limit);
    summary->ok = others_ok && summary->denied == 0 &&
                  (double)summary->false_positives <= summary->limit &&
                  !ink_verification_lacks(verification, &part);
}

/* ---- Encoded counts ----------------------------------------------------------------------- */

/* Only counts are encoded: labels and promises are in the file, which the reader has, too.
 * Little-endian: a header, three counts for each row, a checksum. */

static const char magic[8] = "INKFOUND";

enum {
    AT_VERSION = 8,
    AT_PARTS = 12,
    AT_FILE = 16,
    AT_ADDED = AT_FILE + INK_DIGEST_BYTES,
    AT_FLAGS = AT_ADDED + INK__PARTS_MAX / 8,
    AT_RECORDS = AT_FLAGS + 8,
    AT_MEMBERS = AT_RECORDS + 8,
    AT_HOMELESS = AT_MEMBERS + 8,
    AT_ROWS = AT_HOMELESS + 8,
    HEADER_BYTES = AT_ROWS + 8,
    ROW_BYTES = 24,
    CHECKSUM_BYTES = 8,
    FLAG_SAMPLED = 1,
    FLAG_RANDOM = 2,
};

static uint32_t library_version(void)
{
    return (uint32_t)(INK_VERSION_MAJOR << 20 | INK_VERSION_MINOR << 10 | INK_VERSION_PATCH);
}

ink_status ink_verification_encode(const ink_verification *verification, uint8_t **bytes,
                                   size_t *count, ink_error *error)
{
    const ink_verification_summary *sum = &verification->counted;
    uint64_t                        all = HEADER_BYTES + verification->count * ROW_BYTES;
    uint8_t                        *to;

    if (verification->parts == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a verification over records, expected one over pieces");
    INK__TRY(ink__allocate_zeroed(&verification->allocator, all + CHECKSUM_BYTES, &to, error));
    memcpy(to, magic, sizeof magic);
    ink__store_u32(to + AT_VERSION, library_version());
    ink__store_u32(to + AT_PARTS, verification->parts);
    memcpy(to + AT_FILE, verification->file, sizeof verification->file);
    memcpy(to + AT_ADDED, verification->added, sizeof verification->added);
    ink__store_u64(to + AT_FLAGS,
                   (sum->sampled ? FLAG_SAMPLED : 0u) | (sum->random ? FLAG_RANDOM : 0u));
    ink__store_u64(to + AT_RECORDS, verification->records);
    ink__store_u64(to + AT_MEMBERS, sum->members);
    ink__store_u64(to + AT_HOMELESS, verification->homeless);
    ink__store_u64(to + AT_ROWS, verification->count);
    for (size_t m = 0; m < verification->count; m++) {
        const ink_verify_result *row = &verification->rows[m];
        uint8_t                 *counts = to + HEADER_BYTES + m * ROW_BYTES;
        ink__store_u64(counts, row->tested);
        ink__store_u64(counts + 8, row->false_positives);
        ink__store_u64(counts + 16, row->denied);
    }
    ink__store_u64(to + all, ink__hash_label(to, (size_t)all));
    *bytes = to;
    *count = (size_t)(all + CHECKSUM_BYTES);
    return INK_OK;
}

static ink_status fail_form(uint64_t at, const char *found, ink_error *error)
{
    return ink__fail(error, INK_FORMAT, INK_AT_BYTE, at,
                     "%s, expected a whole part of a verification, as it was encoded", found);
}

static ink_status check_form(const uint8_t *bytes, uint64_t count, ink_error *error)
{
    if (count < HEADER_BYTES + CHECKSUM_BYTES)
        return fail_form(0, "too few bytes", error);
    if (memcmp(bytes, magic, sizeof magic) != 0)
        return fail_form(0, "other first bytes", error);
    if (ink__load_u32(bytes + AT_VERSION) != library_version())
        return ink__fail(error, INK_MISMATCH, INK_AT_BYTE, AT_VERSION,
                         "a part of a verification by another version of the library, expected "
                         "version %s",
                         ink_version());
    uint64_t rows = (count - HEADER_BYTES - CHECKSUM_BYTES) / ROW_BYTES;
    if (rows != ink__load_u64(bytes + AT_ROWS) ||
        count != HEADER_BYTES + rows * ROW_BYTES + CHECKSUM_BYTES)
        return fail_form(AT_ROWS, "another number of bytes", error);
    if (ink__load_u64(bytes + count - CHECKSUM_BYTES) !=
        ink__hash_label(bytes, (size_t)count - CHECKSUM_BYTES))
        return fail_form(count - CHECKSUM_BYTES, "another checksum", error);
    return INK_OK;
}

/* Checks that it is of the same verification, and has no part that was added already. */
static ink_status check_parts(const ink_verification *verification, const uint8_t *bytes,
                              ink_error *error)
{
    uint32_t parts = ink__load_u32(bytes + AT_PARTS);

    if (memcmp(bytes + AT_FILE, verification->file, sizeof verification->file) != 0 ||
        ink__load_u64(bytes + AT_ROWS) != verification->count)
        return ink__fail(error, INK_MISMATCH, INK_AT_BYTE, AT_FILE,
                         "a part of a verification of another file, expected one of this file");
    if (parts != verification->parts)
        return ink__fail(error, INK_MISMATCH, INK_AT_BYTE, AT_PARTS,
                         "a part of a verification in %u parts, expected %u", parts,
                         verification->parts);
    for (uint32_t part = 0; part < INK__PARTS_MAX; part++) {
        if (!has_part(bytes + AT_ADDED, part))
            continue;
        if (part >= parts)
            return fail_form(AT_ADDED, "a part that does not exist", error);
        if (has_part(verification->added, part))
            return ink__fail(error, INK_USAGE, INK_AT_BYTE, AT_ADDED,
                             "part %u of a verification again, expected each once", part);
    }
    return INK_OK;
}

static void add_to(uint64_t *sum, const uint8_t *more)
{
    *sum = ink__add_saturating(*sum, ink__load_u64(more));
}

ink_status ink_verification_add(ink_verification *verification, const void *data, size_t count,
                                ink_error *error)
{
    const uint8_t *bytes = data;

    if (verification->parts == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "a verification over records, expected one over pieces");
    INK__TRY(check_form(bytes, count, error));
    INK__TRY(check_parts(verification, bytes, error));
    uint64_t flags = ink__load_u64(bytes + AT_FLAGS);
    verification->counted.sampled |= (flags & FLAG_SAMPLED) != 0;
    verification->counted.random |= (flags & FLAG_RANDOM) != 0;
    for (size_t i = 0; i < sizeof verification->added; i++)
        verification->added[i] |= bytes[AT_ADDED + i];
    add_to(&verification->records, bytes + AT_RECORDS);
    add_to(&verification->counted.members, bytes + AT_MEMBERS);
    add_to(&verification->homeless, bytes + AT_HOMELESS);
    for (size_t m = 0; m < verification->count; m++) {
        ink_verify_result *row = &verification->rows[m];
        const uint8_t     *counts = bytes + HEADER_BYTES + m * ROW_BYTES;
        add_to(&row->tested, counts);
        add_to(&row->false_positives, counts + 8);
        add_to(&row->denied, counts + 16);
    }
    return INK_OK;
}
