/* dedup_test.c - hostile progress of a run of dedup: cut at every byte and with any bit flipped it
 * is refused; with every number at the values where it may break, and its checksums right, the run
 * refuses it by its name or comes to an end, and takes no memory by a claim. */
#define _DEFAULT_SOURCE 1
#include "jobs/dedup/progress_file.h"

#include "faults/hostile.h"

#include <stdlib.h>
#include <unistd.h>

enum { SHARDS = 3, TEXTS = 40, ROOM = 1 << 17, BLOCK_MAX = 8 << 20 };

static char        folder[64], out[80], inputs[SHARDS][96], progress_path[128];
static uint8_t     whole[ROOM], changed[ROOM];
static size_t      whole_bytes;
static const char *paths[SHARDS], *seen_path;

/* ---- Runs --------------------------------------------------------------------------------- */

static void put_file(const char *path, const void *bytes, size_t count)
{
    FILE *file = fopen(path, "wb");

    assert_non_null(file);
    assert_int_equal(fwrite(bytes, 1, count, file), count);
    assert_int_equal(fclose(file), 0);
}

static ink_status run(bool overwrite)
{
    static ink_dedup_report report;
    faults_memory           memory = {0};
    const ink_allocator     allocator = faults_allocator(&memory);
    const ink_dedup_options options = {.exact = true,
                                       .paragraphs = true,
                                       .expected_keys = 1000,
                                       .folder = out,
                                       .seen = seen_path,
                                       .overwrite = overwrite};
    const ink_reading       reading = {0};
    ink_job                 job = {.threads = 1, .allocator = &allocator};

    forget_error();
    const ink_status status = ink_dedup(paths, SHARDS, &reading, &options, &report, &job, &error);
    faults_check_no_leak(&memory);
    REQUIRE(memory.largest_bytes <= BLOCK_MAX);
    return status;
}

/* A file of progress with tables of these levels: that of a run which was killed after its first
 * shard, if there are two. */
static void make_progress(int levels)
{
    ink__seen     seen[INK__SEEN_LEVELS] = {{.ranges = 0}};
    ink__progress progress;
    ink_section   section;
    ink_file     *file;

    REQUIRE_OK(run(true));
    REQUIRE_OK(ink_file_open(&file, progress_path, INK_OPEN_COPY, NULL, &error));
    REQUIRE_OK(ink_file_section(file, 0, &section, &error));
    assert_int_equal(section.bytes, sizeof progress);
    memcpy(&progress, section.data, sizeof progress);
    ink_file_close(file);
    progress.done = false;
    progress.shards = 1;
    for (int level = 0; level < levels; level++) {
        ink__seen_part part = {0};
        ink__seen_open_table(&seen[level], 2, 1 << 16, false, &metered);
        REQUIRE_OK(ink__seen_part_room(&part, TEXTS, &metered, &error));
        for (; part.count < TEXTS; part.count++)
            part.hashes[part.count] = next_random();
        REQUIRE_OK(ink__seen_sort(&seen[level], &part, NULL, &error));
        for (unsigned range = 0; range < 2; range++)
            ink__seen_step(&seen[level], &part, range);
        ink__seen_part_end(&part, &metered);
    }
    REQUIRE_OK(ink__progress_save(&progress, seen, out, &metered, &error));
    for (int level = 0; level < levels; level++)
        ink__seen_end(&seen[level]);
}

static void make_whole(void)
{
    make_progress(2);
    FILE *made = fopen(progress_path, "rb");
    assert_non_null(made);
    whole_bytes = fread(whole, 1, sizeof whole, made);
    fclose(made);
}

static int begin(void **state)
{
    char texts[TEXTS * 16];

    (void)state;
    allow(1 << 20, true);
    snprintf(folder, sizeof folder, "%s/inkXXXXXX",
             access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp");
    assert_non_null(mkdtemp(folder));
    snprintf(out, sizeof out, "%s/out", folder);
    snprintf(progress_path, sizeof progress_path, "%s/" INK__PROGRESS_NAME, out);
    for (int i = 0; i < SHARDS; i++) {
        size_t used = 0;
        for (int text = 0; text < TEXTS; text++)
            used +=
                (size_t)snprintf(texts + used, sizeof texts - used, "text %d\n", text * (i + 1));
        snprintf(inputs[i], sizeof inputs[i], "%s/%d.txt", folder, i);
        put_file(inputs[i], texts, used);
        paths[i] = inputs[i];
    }
    make_whole();
    return 0;
}

static int end(void **state)
{
    char command[128];

    (void)state;
    snprintf(command, sizeof command, "rm -r %s", folder);
    return system(command);
}

/* ---- What is tried ------------------------------------------------------------------------ */

static unsigned tries;

/* A refusal names the file, or says what starts over. */
static void try_run(const uint8_t *bytes, size_t count, bool must_fail)
{
    tries++;
    put_file(progress_path, bytes, count);
    const ink_status status = run(false);
    REQUIRE(!must_fail || status == INK_FORMAT);
    if (status != INK_OK)
        REQUIRE((status == INK_FORMAT || status == INK_USAGE || status == INK_LIMIT ||
                 status == INK_MISMATCH) &&
                error.message[0] != '\0' && (error.location != INK_NOWHERE || error.at == 0));
    if (status == INK_FORMAT)
        REQUIRE(strstr(error.message, INK__PROGRESS_NAME) != NULL);
}

TEST(a_level_that_is_not_in_it_is_named)
{
    char seen[96];

    snprintf(seen, sizeof seen, "%s/seen.ink", folder);
    for (int kept = 0; kept < 2; kept++) { /* in the progress alone, and for the next crawl */
        seen_path = kept ? seen : NULL;
        make_progress(1);
        CHECK_FAILS(run(false), INK_FORMAT,
                    ".ink-dedup-progress: nothing of level paragraphs, expected what was seen");
    }
    seen_path = NULL;
    make_whole();
}

TEST(the_run_goes_on_from_it)
{
    put_file(progress_path, whole, whole_bytes);
    CHECK_OK(run(false));
}

TEST(every_cut_is_refused)
{
    for (size_t count = 0; count < whole_bytes; count += light() ? 997 : 29) {
        snprintf(tried, sizeof tried, "progress cut to %zu bytes", count);
        try_run(whole, count, true);
    }
}

TEST(a_flipped_bit_is_refused)
{
    for (size_t bit = 0; bit < 8 * whole_bytes; bit += light() ? 9973 : 211) {
        snprintf(tried, sizeof tried, "progress with bit %zu flipped", bit);
        memcpy(changed, whole, whole_bytes);
        changed[bit / 8] ^= (uint8_t)(1 << bit % 8);
        try_run(changed, whole_bytes, true);
    }
}

/* Numbers of the sections that are not 0, and every eighth of those that are: mostly they stand for
 * ranges that there are not. */
TEST(every_number_at_its_limits_is_refused_or_harmless)
{
    uint64_t    limits[LIMITS_MAX];
    ink_section section;
    ink_file   *file;

    memcpy(changed, whole, whole_bytes);
    REQUIRE_OK(ink_file_decode(&file, changed, whole_bytes, INK_OPEN_LAZY, NULL, &error));
    for (size_t i = 0; ink_file_section(file, i, &section, NULL) == INK_OK; i++)
        for (size_t at = 0; at + 8 <= section.bytes; at += 8) {
            const size_t   where = (size_t)(section.data - changed) + at;
            const uint64_t old = files_get(whole + where, 8);
            if (old == 0 && at % 64 != 0)
                continue;
            const size_t count = limits_around(old, 8, limits);
            for (size_t l = at / 8 % 4; l < count; l += light() ? 16 : 4) {
                snprintf(tried, sizeof tried, "section 0x%x with 0x%llx at %zu", section.id,
                         (unsigned long long)limits[l], at);
                memcpy(changed, whole, whole_bytes);
                files_set(changed + where, 8, limits[l]);
                files_repair(changed, whole_bytes);
                try_run(changed, whole_bytes, false);
            }
        }
    ink_file_close(file);
    CHECK(tries > 100);
    printf("# %u files\n", tries);
}

RUN_TESTS(.begin = begin, .end = end)
