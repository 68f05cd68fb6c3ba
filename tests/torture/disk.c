/* disk.c - a suite of torture: power is lost at every moment of everything that writes a file, and
 * the disk (tests/support/disk.h) has dropped, reordered and torn whatever was not synced. What is
 * found then is the old file or the new one, whole; the new one for sure if the call had said so.
 * What was left behind is in no one's way: the work is done again, with the bytes that it would
 * have had, and power may be lost once more meanwhile.
 *
 * A case is one operation with sketches drawn by seed and number. All losses of a moment are tried
 * where they are few, some of each sort where they are many; two that leave the same disk are one.
 */
#include "support/disk.h"
#include "base/status.h"
#include "base/system.h"
#include "inkling_job.h"
#include "inkling_stream.h"
#include "support/check.h"
#include "support/files.h"
#include "support/records.h"
#include "support/torture.h"

#include <errno.h>
#include <stdio.h>

/* Together 140,800 disks; in one of eight of them power is lost again while the work is done anew.
 */
enum {
    CASES = 220,
    DISKS = 640,    /* different ones that are made of a case, at least */
    NAMES_ALL = 5,  /* up to this number, changes of names come in all ways */
    CUTS = 6,       /* of each write */
    SCATTERED = 24, /* ways in which sectors arrive */
    VERSIONS_MAX = 40,
    SKETCHES_MAX = 48,
};

static ink_error error;

/* ---- Scenes ------------------------------------------------------------------------------- */

/* What a file may hold; without bytes: there is none. */
typedef struct version {
    uint8_t *bytes;
    size_t   count;
} version;

struct operation;

/* What an operation works on, and what may come of it. */
typedef struct scene {
    const struct operation *of;
    uint64_t                chance;
    disk                   *start;
    const char             *path; /* of the file that is written */
    ink_params              params;
    unsigned                keys;
    ink_sketch             *sketches[SKETCHES_MAX];
    unsigned                sketch_count;
    version  versions[VERSIONS_MAX]; /* the old file, and what each step makes of it */
    unsigned version_count;
} scene;

/* A moment at which power may be lost. */
typedef struct moment {
    disk       *at;
    const char *call;        /* that was the last one */
    unsigned    old, coming; /* versions: the last one that was acknowledged, and the next one */
} moment;

/* A run of an operation on a disk. */
typedef struct recording {
    const scene *scene;
    disk        *disk;
    bool         keeps; /* the moments */
    moment      *moments;
    unsigned     moment_count, old, coming;
    ink_status   status;
} recording;

/* How an operation is done. Each step is begun, and ended when it was acknowledged. */
typedef struct operation {
    const char *name;
    void (*prepare)(scene *scene);
    ink_status (*run)(const scene *scene, recording *record, ink_error *error);
    bool once; /* is not done again where it is done already, as it would then do more */
} operation;

static unsigned below(scene *of, unsigned limit)
{
    return (unsigned)records_below(&of->chance, limit);
}

static unsigned last_of(const scene *of)
{
    return of->version_count - 1;
}

/* Takes over the bytes. */
static void add_version(scene *to, uint8_t *bytes, size_t count)
{
    assert_true(to->version_count < VERSIONS_MAX);
    to->versions[to->version_count++] = (version){.bytes = bytes, .count = count};
}

static uint8_t *copy_of(const uint8_t *bytes, size_t count)
{
    uint8_t *copy = malloc(count);

    assert_non_null(copy);
    memcpy(copy, bytes, count);
    return copy;
}

static void add_encoded(scene *to, const ink_contents *contents)
{
    uint8_t *bytes;
    size_t   count;

    CHECK_OK(ink_contents_encode(contents, &bytes, &count, &error));
    add_version(to, bytes, count);
}

static void add_sketch_version(scene *to, const ink_sketch *sketch)
{
    const ink_entry entry = {.sketch = sketch};

    add_encoded(to, &(ink_contents){.entries = &entry, .entry_count = 1});
}

static bool is_version(const version *of, const uint8_t *bytes, size_t count)
{
    return of->bytes != NULL && of->count == count && memcmp(of->bytes, bytes, count) == 0;
}

/* Which version a disk has; the number of versions if none. Of two that are equal `first` is
 * preferred. */
static unsigned version_on(const scene *of, const disk *on, unsigned first)
{
    const uint8_t *bytes = NULL;
    size_t         count = 0;
    bool           there = disk_find(on, of->path, &bytes, &count);

    for (unsigned i = 0; i <= of->version_count; i++) {
        unsigned       number = i == 0 ? first : i - 1;
        const version *known = &of->versions[number];
        if (there ? is_version(known, bytes, count) : known->bytes == NULL)
            return number;
    }
    return of->version_count;
}

/* ---- Recording ---------------------------------------------------------------------------- */

static void keep_moment(recording *record, const char *call)
{
    if (!record->keeps)
        return;
    record->moments =
        realloc(record->moments, (record->moment_count + 1) * sizeof *record->moments);
    assert_non_null(record->moments);
    record->moments[record->moment_count++] = (moment){
        .at = disk_copy(record->disk), .call = call, .old = record->old, .coming = record->coming};
}

static void changed(void *host, const char *call)
{
    keep_moment(host, call);
}

/* The next step makes this version. */
static void begin_step(recording *record, unsigned coming)
{
    record->coming = coming;
}

/* It has said that it did. */
static void end_step(recording *record)
{
    record->old = record->coming;
    keep_moment(record, "end");
}

/* Runs the operation on a copy of a disk. */
static recording record_on(const scene *of, const disk *start, bool keeps, long long process_id)
{
    recording record = {.scene = of, .disk = disk_copy(start), .keeps = keeps};

    record.old = record.coming = version_on(of, start, 0);
    disk_use(record.disk, process_id, changed, &record);
    if (!of->of->once || record.old != last_of(of))
        record.status = of->of->run(of, &record, &error);
    if (record.status == INK_OK && disk_open_files() != 0)
        record.status = ink__fail(&error, INK_IO, INK_NOWHERE, 0, "a file was left open");
    disk_use(NULL, 0, NULL, NULL);
    return record;
}

static void free_recording(recording *record)
{
    for (unsigned i = 0; i < record->moment_count; i++)
        disk_free(record->moments[i].at);
    free(record->moments);
    disk_free(record->disk);
}

/* ---- Saving sketches ---------------------------------------------------------------------- */

static const ink_params kinds[] = {
    {.kind = "bloom", .expected_keys = 900},
    {.kind = "classic", .expected_keys = 300},
    {.kind = "counting", .expected_keys = 200},
    {.kind = "scalable", .expected_keys = 60},
    {.kind = "count-min", .width = 100, .depth = 3},
    {.kind = "top", .phi = 0.05},
    {.kind = "fm"},
    {.kind = "hll", .precision = 11},
    {.kind = "bloom", .expected_keys = 40000}, /* many pages */
};
enum { KINDS = sizeof kinds / sizeof kinds[0], MERGED = 0 };

static void draw_sketch(scene *of)
{
    of->params = kinds[below(of, KINDS)];
    of->keys = 20 + below(of, 40);
    of->path = "x.ink";
}

static const ink_sketch *make_sketch(scene *of, const ink_params *params, unsigned first,
                                     unsigned count)
{
    assert_true(of->sketch_count < SKETCHES_MAX);
    return of->sketches[of->sketch_count++] = files_sketch(params, first, count, NULL);
}

/* The old file: of another sketch, or of none. */
static void put_old(scene *of)
{
    ink_params other = kinds[below(of, KINDS)];

    add_sketch_version(of, make_sketch(of, &other, 100000, 5 + below(of, 20)));
    disk_put(of->start, of->path, of->versions[0].bytes, of->versions[0].count);
}

static void prepare_steps(scene *of, unsigned steps, bool over)
{
    draw_sketch(of);
    if (over)
        put_old(of);
    else
        add_version(of, NULL, 0);
    for (unsigned i = 0; i < steps; i++)
        add_sketch_version(of, make_sketch(of, &of->params, 0, of->keys + 7 * i));
}

static void prepare_new(scene *of)
{
    prepare_steps(of, 1, false);
}

static void prepare_over(scene *of)
{
    prepare_steps(of, 1, true);
}

/* An old file and a new one with more keys. */
static void prepare_grown(scene *of, const ink_params *params)
{
    draw_sketch(of);
    of->params = *params;
    add_sketch_version(of, make_sketch(of, params, 0, of->keys));
    add_sketch_version(of, make_sketch(of, params, 0, of->keys + 9));
    disk_put(of->start, of->path, of->versions[0].bytes, of->versions[0].count);
}

/* Of the same size. */
static void prepare_alike(scene *of)
{
    prepare_grown(of, &kinds[0]);
}

static void prepare_three(scene *of)
{
    prepare_steps(of, 3, below(of, 2) == 0);
}

/* Saves one sketch for each version, in order; the last ones that were made. */
static ink_status save_steps(const scene *of, recording *record, ink_error *why)
{
    unsigned steps = last_of(of);

    for (unsigned i = 1; i <= steps; i++) {
        begin_step(record, i);
        INK__TRY(ink_sketch_save(of->sketches[of->sketch_count - steps + i - 1], of->path, why));
        end_step(record);
    }
    return INK_OK;
}

/* ---- Many sketches with sections ---------------------------------------------------------- */

enum { GROUPS = 30 };
static const uint8_t note[] = "a section that is kept";

typedef struct many {
    ink_entry    entries[GROUPS];
    char         names[GROUPS][8];
    ink_section  section;
    ink_contents contents;
} many;

static void list_many(const scene *of, many *list)
{
    for (unsigned i = 0; i < GROUPS; i++) {
        snprintf(list->names[i], sizeof list->names[i], "g%u", i);
        list->entries[i] = (ink_entry){.label = ink_group(list->names[i]),
                                       .sketch = of->sketches[of->sketch_count - GROUPS + i]};
    }
    list->section = (ink_section){.id = 1000, .data = note, .bytes = sizeof note};
    list->contents = (ink_contents){
        .entries = list->entries,
        .entry_count = GROUPS,
        .sections = &list->section,
        .section_count = 1,
    };
}

static void prepare_many(scene *of)
{
    many list;

    draw_sketch(of);
    of->params = kinds[below(of, KINDS - 1)];
    put_old(of);
    for (unsigned i = 0; i < GROUPS; i++)
        make_sketch(of, &of->params, i, 10 + i);
    list_many(of, &list);
    add_encoded(of, &list.contents);
}

static ink_status save_many(const scene *of, recording *record, ink_error *why)
{
    many list;

    list_many(of, &list);
    begin_step(record, 1);
    INK__TRY(ink_contents_save(of->path, &list.contents, why));
    end_step(record);
    return INK_OK;
}

/* ---- Jobs --------------------------------------------------------------------------------- */

static void put_keys(scene *of, const char *path, unsigned first, unsigned count)
{
    records_bytes text = {0};

    for (unsigned i = first; i < first + count; i++)
        records_say(&text, "key %u\n", i);
    disk_put(of->start, path, text.bytes, text.count);
    records_bytes_free(&text);
}

static void put_sketch(scene *of, const char *path, const ink_sketch *sketch)
{
    uint8_t *bytes;
    size_t   count;

    CHECK_OK(ink_sketch_encode(sketch, &bytes, &count, &error));
    disk_put(of->start, path, bytes, count);
    ink_bytes_free(bytes, count, NULL);
}

/* Keys that are added to a file. */
static void prepare_update(scene *of)
{
    prepare_grown(of, &kinds[below(of, KINDS)]);
    put_keys(of, "keys.txt", of->keys, 9);
}

static ink_status update(const scene *of, recording *record, ink_error *why)
{
    const ink_input          input = {.path = "keys.txt"};
    const ink_reading        reading = {.form = INK_FORM_LINES};
    const ink_update_options options = {0};
    ink_job                  job = {.threads = 1};
    ink_update_report        report;

    begin_step(record, 1);
    INK__TRY(ink_update(of->path, &input, 1, &reading, &options, &report, &job, why));
    end_step(record);
    return INK_OK;
}

/* Two files that become one, over a third. */
static void prepare_merge(scene *of)
{
    draw_sketch(of);
    of->params = kinds[below(of, 3)];
    const ink_sketch *a = make_sketch(of, &of->params, 0, of->keys);
    const ink_sketch *b = make_sketch(of, &of->params, of->keys, 11);
    put_sketch(of, "a.ink", a);
    put_sketch(of, "b.ink", b);
    put_old(of);
    add_sketch_version(of, make_sketch(of, &of->params, 0, of->keys + 11));
}

static ink_status save_set(const scene *of, recording *record, ink_set *set, ink_error *why)
{
    begin_step(record, 1);
    ink_status status = ink_set_save(set, of->path, why);
    ink_set_free(set);
    INK__TRY(status);
    end_step(record);
    return INK_OK;
}

static ink_status merge(const scene *of, recording *record, ink_error *why)
{
    static const char *const paths[] = {"a.ink", "b.ink"};
    const ink_merge_options  options = {0};
    ink_job                  job = {.threads = 1};
    ink_set                 *set;

    INK__TRY(ink_merge_files(&set, paths, 2, &options, &job, why));
    return save_set(of, record, set, why);
}

/* A filter that is folded in its place. */
static void prepare_fold(scene *of)
{
    draw_sketch(of);
    of->params = (ink_params){.kind = "bloom", .bits = 1u << (11 + below(of, 6))};
    ink_sketch *folded = files_sketch(&of->params, 0, of->keys, NULL);
    add_sketch_version(of, folded);
    disk_put(of->start, of->path, of->versions[0].bytes, of->versions[0].count);
    CHECK_OK(ink_sketch_fold(folded, 4, &error));
    add_sketch_version(of, folded);
    ink_sketch_free(folded);
}

static ink_status fold(const scene *of, recording *record, ink_error *why)
{
    ink_job  job = {.threads = 1};
    ink_set *set;

    INK__TRY(ink_fold_file(&set, of->path, 0, 4, &job, why));
    return save_set(of, record, set, why);
}

/* A build over an old file, whose hashes do not fit into memory and wait in files without names. */
static ink_status build_set(const scene *of, const ink_input *input, ink_set **set, ink_error *why)
{
    ink_params              kind = {.kind = "bloom"};
    ink_job                 job = {.threads = 1, .memory_bytes = 64u << 10, .temp_folder = "."};
    const ink_build_options options = {.kinds = &kind, .kind_count = 1};
    const ink_reading       reading = {.form = INK_FORM_LINES};

    (void)of;
    return ink_build(set, input, 1, &reading, &options, &job, why);
}

static void prepare_build(scene *of)
{
    ink_set       *set;
    uint8_t       *bytes;
    size_t         count;
    const uint8_t *keys = NULL;
    size_t         key_bytes = 0;

    draw_sketch(of);
    put_old(of);
    put_keys(of, "keys.txt", below(of, 1000), 2000 + below(of, 9000));
    CHECK(disk_find(of->start, "keys.txt", &keys, &key_bytes));
    CHECK_OK(build_set(of, &(ink_input){.memory = keys, .memory_bytes = key_bytes}, &set, &error));
    CHECK_OK(ink_set_encode(set, &bytes, &count, &error));
    ink_set_free(set);
    add_version(of, bytes, count);
}

static ink_status build(const scene *of, recording *record, ink_error *why)
{
    ink_set *set;

    INK__TRY(build_set(of, &(ink_input){.path = "keys.txt"}, &set, why));
    return save_set(of, record, set, why);
}

/* ---- Streams ------------------------------------------------------------------------------ */

#define STATE "state/state.ink"

static void reported(void *host, ink_stream_event event, const ink_stream_report *report,
                     const char *text)
{
    recording *record = host;

    (void)report;
    (void)text;
    if (event != INK_STREAM_SAVED)
        return;
    end_step(record);
    begin_step(record,
               record->coming < last_of(record->scene) ? record->coming + 1 : record->coming);
}

static ink_status run_stream(const scene *of, recording *record, ink_error *why)
{
    static const char *const train[] = {"keys.txt"};
    const ink_reading        reading = {.form = INK_FORM_LINES};
    const ink_stream_options options = {
        .train = train,
        .train_count = 1,
        .folder = "state",
        .kinds = &of->params,
        .kind_count = 1,
        .every_records = 40,
        .checkpoint_batches = of->keys % 2 + 1,
        .notify = reported,
        .host = record,
    };
    ink_job     job = {.chunk_bytes = 512};
    ink_stream *stream;

    begin_step(record, record->old < last_of(of) ? record->old + 1 : record->old);
    INK__TRY(ink_stream_open(&stream, &reading, &options, &job, why));
    ink_status status = ink_stream_run(stream, why);
    ink_stream_close(stream);
    return status;
}

/* Its versions are what a run leaves step by step that nothing happens to; the last one holds what
 * a build of the same records does. */
static void collect_versions(void *host, const char *call)
{
    recording     *record = host;
    scene         *of = (scene *)(uintptr_t)record->scene;
    const uint8_t *bytes = NULL;
    size_t         count = 0;

    if (strcmp(call, "rename") != 0)
        return;
    CHECK(disk_find(record->disk, STATE, &bytes, &count));
    add_version(of, copy_of(bytes, count), count);
}

static void check_last_version(scene *of)
{
    const version *last = &of->versions[last_of(of)];
    ink_file      *file;
    ink_sketch    *saved;
    uint8_t        digest[INK_DIGEST_BYTES], expected[INK_DIGEST_BYTES];

    CHECK_OK(ink_file_decode(&file, last->bytes, last->count, INK_OPEN_CHECKED, NULL, &error));
    CHECK_OK(ink_file_sketch(file, 0, &saved, &error));
    CHECK_OK(ink_sketch_digest(saved, digest, &error));
    CHECK_OK(ink_sketch_digest(of->sketches[0], expected, &error));
    assert_memory_equal(digest, expected, INK_DIGEST_BYTES);
    ink_sketch_free(saved);
    ink_file_close(file);
}

static void prepare_stream(scene *of)
{
    draw_sketch(of);
    of->params = kinds[below(of, KINDS - 1)];
    of->path = STATE;
    unsigned records = 150 + below(of, 140);
    put_keys(of, "keys.txt", 0, records);
    make_sketch(of, &of->params, 0, records);
    add_version(of, NULL, 0);
    recording record = {.scene = of, .disk = disk_copy(of->start)};
    disk_use(record.disk, 1, collect_versions, &record);
    CHECK_OK(run_stream(of, &record, &error));
    disk_use(NULL, 0, NULL, NULL);
    disk_free(record.disk);
    check_last_version(of);
}

/* ---- Bytes that are no sketch -------------------------------------------------------------- */

static void prepare_output(scene *of)
{
    draw_sketch(of);
    of->path = "x.txt";
    put_old(of);
    size_t   count = 1 + below(of, 9000);
    uint8_t *bytes = malloc(count);
    assert_non_null(bytes);
    for (size_t i = 0; i < count; i++)
        bytes[i] = (uint8_t)records_random(&of->chance);
    add_version(of, bytes, count);
}

static ink_status write_parts(const version *from, ink_output *output, ink_error *why)
{
    for (size_t done = 0; done < from->count;) {
        size_t some = from->count - done < 1500 ? from->count - done : 1500;
        INK__TRY(ink_output_write(output, from->bytes + done, some, why));
        done += some;
    }
    return INK_OK;
}

static ink_status output(const scene *of, recording *record, ink_error *why)
{
    ink_output *made;

    begin_step(record, 1);
    INK__TRY(ink_output_begin(&made, of->path, why));
    ink_status status = write_parts(&of->versions[1], made, why);
    if (status != INK_OK) {
        ink_output_abandon(made);
        return status;
    }
    INK__TRY(ink_output_commit(made, why));
    end_step(record);
    return INK_OK;
}

/* ---- A corpus without repeats ---------------------------------------------------------------- */

enum { SHARDS = 3 };
static const char *const shards[SHARDS] = {"a.txt", "b.txt", "c.txt"};

/* What a run makes: files in a folder that it makes too, and a file of what was seen. */
static const char *const cleaned[] = {"new/out/a.txt", "new/out/b.txt", "new/out/c.txt",
                                      "seen.ink"};
enum { CLEANED = sizeof cleaned / sizeof cleaned[0] };

static ink_status clean(const scene *of, recording *record, ink_error *why)
{
    const ink_reading       reading = {.form = INK_FORM_LINES};
    const ink_dedup_options options = {
        .exact = true,
        .expected_keys = 300,
        .folder = "new/out",
        .seen = "seen.ink",
        .every = of->keys % 2, /* 1: progress is saved after each file */
    };
    ink_job          job = {.threads = 1, .temp_folder = "."};
    ink_dedup_report report;

    begin_step(record, 1);
    INK__TRY(ink_dedup(shards, SHARDS, &reading, &options, &report, &job, why));
    end_step(record);
    return INK_OK;
}

/* One of the files is looked at, and has the bytes of a run that nothing happens to. */
static void prepare_clean(scene *of)
{
    const uint8_t *bytes = NULL;
    size_t         count = 0;

    draw_sketch(of);
    of->path = cleaned[below(of, CLEANED)];
    for (unsigned i = 0; i < SHARDS; i++) /* a third of a file stood in the one before it */
        put_keys(of, shards[i], 60 * i, 90 + below(of, 20));
    add_version(of, NULL, 0);
    recording record = {.scene = of, .disk = disk_copy(of->start)};
    disk_use(record.disk, 1, NULL, NULL);
    CHECK_OK(clean(of, &record, &error));
    disk_use(NULL, 0, NULL, NULL);
    CHECK(disk_find(record.disk, of->path, &bytes, &count));
    add_version(of, copy_of(bytes, count), count);
    disk_free(record.disk);
}

static const operation operations[] = {
    {"a new file", prepare_new, save_steps, false},
    {"a file over an old one", prepare_over, save_steps, false},
    {"three files, one over the other", prepare_three, save_steps, false},
    {"many sketches and a section", prepare_many, save_many, false},
    {"keys added to a file", prepare_update, update, true},
    {"a merge", prepare_merge, merge, false},
    {"a fold in place", prepare_fold, fold, true},
    {"a build", prepare_build, build, false},
    {"a stream with checkpoints", prepare_stream, run_stream, false},
    {"an output", prepare_output, output, false},
    {"a corpus without repeats", prepare_clean, clean, false},
};
enum { OPERATIONS = sizeof operations / sizeof operations[0] };

/* ---- Losses ------------------------------------------------------------------------------- */

/* In how many ways the writes of a moment may come. */
static unsigned data_ways(const moment *at)
{
    unsigned writes = disk_unsynced_writes(at->at);

    return writes == 0 ? 1 : 3 + writes * (3 + CUTS) + SCATTERED;
}

static void choose_data(const moment *at, unsigned way, uint64_t *chance, disk_loss *loss)
{
    unsigned writes = disk_unsynced_writes(at->at);

    loss->data = DISK_FIRST;
    loss->write = 0;
    loss->cut = 0;
    loss->seed = records_random(chance);
    if (way < 3) /* nothing, or only sizes */
        loss->data = way == 0 ? DISK_FIRST : way == 1 ? DISK_SIZES : DISK_STALE;
    else if ((way -= 3) < writes)
        loss->write = way + 1;
    else if ((way -= writes) < 2 * writes) {
        loss->data = way % 2 == 0 ? DISK_WITHOUT : DISK_ONLY;
        loss->write = way / 2;
    } else if ((way -= 2 * writes) < writes * CUTS) {
        size_t bytes = disk_unsynced_bytes(at->at, loss->write = way / CUTS);
        loss->cut = (size_t)records_below(chance, bytes + 1);
        if (way % 2 == 0) /* where a sector ends */
            loss->cut -= loss->cut % DISK_SECTOR;
    } else
        loss->data = DISK_SECTORS;
}

static unsigned name_ways(const moment *at)
{
    unsigned names = disk_unsynced_names(at->at);

    return 1u << (names < NAMES_ALL ? names : NAMES_ALL);
}

static void choose_names(const moment *at, unsigned way, uint64_t *chance, disk_loss *loss)
{
    loss->names = disk_unsynced_names(at->at) <= NAMES_ALL ? way : records_random(chance);
}

static disk_loss draw_loss(const moment *at, uint64_t *chance)
{
    disk_loss loss;

    choose_names(at, (unsigned)records_below(chance, name_ways(at)), chance, &loss);
    choose_data(at, (unsigned)records_below(chance, data_ways(at)), chance, &loss);
    return loss;
}

/* ---- Trying ------------------------------------------------------------------------------- */

/* Disks that were seen. */
typedef struct seen {
    uint64_t *hashes;
    size_t    count, room; /* a power of two */
} seen;

static bool is_new(seen *all, uint64_t hash)
{
    if (2 * all->count >= all->room) {
        seen larger = {.room = all->room == 0 ? 1024 : 2 * all->room};
        larger.hashes = calloc(larger.room, sizeof *larger.hashes);
        assert_non_null(larger.hashes);
        for (size_t i = 0; i < all->room; i++)
            if (all->hashes[i] != 0)
                is_new(&larger, all->hashes[i]);
        free(all->hashes);
        *all = larger;
    }
    hash += hash == 0;
    size_t at = (size_t)hash & (all->room - 1);
    for (; all->hashes[at] != 0; at = (at + 1) & (all->room - 1))
        if (all->hashes[at] == hash)
            return false;
    all->hashes[at] = hash;
    all->count++;
    return true;
}

typedef struct trial {
    torture_case *of;
    scene         scene;
    seen          seen;
    uint64_t      compound; /* losses in the work that comes after one */
} trial;

/* "power lost after call 7 (rename), names 3, data 1/0/0". */
static void report_loss(trial *all, const recording *record, const moment *at,
                        const disk_loss *loss, const char *found)
{
    torture_fail(all->of,
                 "%s: power is lost after change %u (%s); names %llx of %u, data %d, write %u of "
                 "%u, cut %zu, seed %llu: %s, expected version %u or %u of %s",
                 all->scene.of->name, (unsigned)(at - record->moments), at->call,
                 (unsigned long long)loss->names, disk_unsynced_names(at->at), (int)loss->data,
                 loss->write, disk_unsynced_writes(at->at), loss->cut,
                 (unsigned long long)loss->seed, found, at->old, at->coming, all->scene.path);
}

/* Opens the file as the next program would. */
static bool opens(const scene *of, disk *found)
{
    ink_file *file;

    if (strcmp(of->path + strlen(of->path) - strlen(".ink"), ".ink") != 0)
        return true; /* bytes that are no sketch */
    disk_use(found, 2, NULL, NULL);
    ink_status status = ink_file_open(&file, of->path, INK_OPEN_CHECKED, NULL, &error);
    if (status == INK_OK)
        ink_file_close(file);
    disk_use(NULL, 0, NULL, NULL);
    return status == INK_OK;
}

static const char *report_version(const scene *of, unsigned number)
{
    static char text[32];

    if (number == of->version_count)
        return "a torn file";
    snprintf(text, sizeof text, "version %u", number);
    return text;
}

/* Whether the old file or the new one is there, whole. */
static bool check_found(trial *all, const recording *record, const moment *at,
                        const disk_loss *loss, disk *found)
{
    const scene *of = &all->scene;
    unsigned     number = version_on(of, found, at->old);
    char         text[160];

    if (number != at->old && number != at->coming) {
        report_loss(all, record, at, loss, report_version(of, number));
        return false;
    }
    if (of->versions[number].bytes != NULL && !opens(of, found)) {
        snprintf(text, sizeof text, "cannot be opened: %.120s", error.message);
        report_loss(all, record, at, loss, text);
        return false;
    }
    return true;
}

/* Does the work again on what was found; what it then says is done is there, whatever else is lost.
 */
static bool recover(trial *all, const disk *found, recording *again, bool keeps)
{
    const scene    *of = &all->scene;
    long long       process = (long long)records_below(&all->scene.chance, 3) + 1;
    const disk_loss everything = {0};

    *again = record_on(of, found, keeps, process);
    if (again->status != INK_OK) {
        torture_fail(all->of, "%s: after power was lost it fails: %s", of->of->name, error.message);
        return false;
    }
    disk    *after = disk_lose(again->disk, &everything);
    unsigned number = version_on(of, after, last_of(of));
    disk_free(after);
    if (number != last_of(of))
        torture_fail(
            all->of,
            "%s: done again after power was lost, and power lost then: %s, expected version %u",
            of->of->name, report_version(of, number), last_of(of));
    return number == last_of(of);
}

/* Power is lost again in the work that comes after a loss. */
static void lose_again(trial *all, const recording *again)
{
    if (again->moment_count == 0)
        return;
    const moment *at = &again->moments[records_below(&all->scene.chance, again->moment_count)];
    disk_loss     loss = draw_loss(at, &all->scene.chance);
    disk         *found = disk_lose(at->at, &loss);

    all->compound++;
    if (check_found(all, again, at, &loss, found)) {
        recording last = {0};
        recover(all, found, &last, false);
        free_recording(&last);
    }
    disk_free(found);
}

static void try_loss(trial *all, const recording *record, const moment *at, const disk_loss *loss)
{
    disk *found = disk_lose(at->at, loss);

    if (is_new(&all->seen, disk_hash(found) * 31 + at->old)) {
        all->of->faults++;
        if (check_found(all, record, at, loss, found)) {
            bool      twice = records_below(&all->scene.chance, 8) == 0;
            recording again = {0};
            if (recover(all, found, &again, twice) && twice)
                lose_again(all, &again);
            free_recording(&again);
        }
    }
    disk_free(found);
}

/* All losses of a moment, or if there are too many, some of them. */
static void try_moment(trial *all, const recording *record, const moment *at, unsigned most)
{
    unsigned names = name_ways(at), data = data_ways(at), ways = names * data;

    for (unsigned i = 0; i < ways && i < most && all->of->why[0] == '\0'; i++) {
        disk_loss loss = draw_loss(at, &all->scene.chance);
        if (ways <= most) {
            choose_names(at, i % names, &all->scene.chance, &loss);
            choose_data(at, i / names, &all->scene.chance, &loss);
        }
        try_loss(all, record, at, &loss);
    }
}

/* Losses of every moment, and then of any, until `disks` different disks were found. */
static void try_moments(trial *all, const recording *record, uint64_t disks)
{
    unsigned most = 1 + (unsigned)disks / (record->moment_count + 1);

    for (unsigned i = 0; i < record->moment_count; i++)
        try_moment(all, record, &record->moments[i], most);
    for (uint64_t left = 100 * disks; all->seen.count < disks && all->of->why[0] == '\0'; left--) {
        const moment *at =
            &record->moments[records_below(&all->scene.chance, record->moment_count)];
        disk_loss loss = draw_loss(at, &all->scene.chance);
        try_loss(all, record, at, &loss);
        if (left == 0)
            torture_fail(all->of, "%s: only %zu different disks, expected %llu",
                         all->scene.of->name, all->seen.count, (unsigned long long)disks);
    }
}

static void free_scene(scene *of)
{
    for (unsigned i = 0; i < of->version_count; i++)
        free(of->versions[i].bytes);
    for (unsigned i = 0; i < of->sketch_count; i++)
        ink_sketch_free(of->sketches[i]);
    disk_free(of->start);
}

/* At least this number of disks that a loss of power may make of one operation; how often it was
 * lost again in the work that came after. */
static uint64_t try_operation(torture_case *of, const operation *what, uint64_t disks)
{
    trial all = {.of = of,
                 .scene = {.of = what, .chance = torture_chance(of), .start = disk_make()}};

    what->prepare(&all.scene);
    recording record = record_on(&all.scene, all.scene.start, true, 1);
    if (record.status != INK_OK ||
        version_on(&all.scene, record.disk, last_of(&all.scene)) != last_of(&all.scene))
        torture_fail(of, "%s: fails, or gives other bytes, without any loss: %s", what->name,
                     record.status == INK_OK ? "other bytes" : error.message);
    if (of->why[0] == '\0')
        try_moments(&all, &record, disks);
    free_recording(&record);
    free(all.seen.hashes);
    free_scene(&all.scene);
    return all.compound;
}

static void run(torture_case *of)
{
    if (try_operation(of, &operations[of->number % OPERATIONS], DISKS) < DISKS / 50)
        torture_fail(of, "hardly any losses in the work that came after one");
}

/* ---- The suite tested --------------------------------------------------------------------- */

typedef enum fault { NO_FAULT, NO_SYNC, SYNC_TOO_LATE, NO_FOLDER_SYNC, IN_LOCATION } fault;

static int sync_and_close(int file)
{
    int result = ink__system_now()->sync(file), closed = ink__system_now()->close(file);

    return result < 0 ? result : closed;
}

/* Saves as one should, or as one should not. */
static int save_badly(const version *new, const char *path, fault how)
{
    const ink__system *system = ink__system_now();
    int                file = how == IN_LOCATION ? system->open(path, INK__OPEN_LOCK, 0666)
                                                 : system->open("x.new", INK__OPEN_NEW, 0666);

    if (file == -EEXIST && system->unlink("x.new") == 0)
        file = system->open("x.new", INK__OPEN_NEW, 0666);
    for (size_t done = 0; done < new->count;) {
        size_t some = new->count - done < 700 ? new->count - done : 700;
        system->write_at(file, new->bytes + done, some, done);
        done += some;
    }
    if (how == NO_SYNC || how == SYNC_TOO_LATE)
        system->close(file);
    else
        sync_and_close(file);
    if (how != IN_LOCATION)
        system->rename("x.new", path);
    if (how == SYNC_TOO_LATE)
        sync_and_close(system->open(path, INK__OPEN_UPDATE, 0));
    return how == NO_FOLDER_SYNC ? 0 : sync_and_close(system->open(".", INK__OPEN_FOLDER, 0));
}

#define BAD_SAVE(name, how)                                                                        \
    static ink_status name(const scene *of, recording *record, ink_error *why)                     \
    {                                                                                              \
        begin_step(record, 1);                                                                     \
        int result = save_badly(&of->versions[1], of->path, how);                                  \
        if (result < 0)                                                                            \
            return ink__fail_io(why, -result, "cannot save");                                      \
        end_step(record);                                                                          \
        return INK_OK;                                                                             \
    }
BAD_SAVE(save_well, NO_FAULT)
BAD_SAVE(save_without_sync, NO_SYNC)
BAD_SAVE(save_with_late_sync, SYNC_TOO_LATE)
BAD_SAVE(save_without_folder_sync, NO_FOLDER_SYNC)
BAD_SAVE(save_in_location, IN_LOCATION)

static void expect(torture_case *of, ink_status (*save)(const scene *, recording *, ink_error *),
                   const char   *found)
{
    void (*const prepares[])(scene *) = {prepare_new, prepare_alike};

    for (unsigned i = 0; i < 2; i++) {
        const operation own_save = {"a save of the suite's own", prepares[i], save, false};
        torture_case    own = {.seed = of->seed, .number = i};
        try_operation(&own, &own_save, DISKS);
        if (found == NULL ? own.why[0] != '\0' : strstr(own.why, found) == NULL)
            torture_fail(of, "found: \"%.300s\", expected: \"%s\"", own.why,
                         found == NULL ? "" : found);
    }
}

static void all_steps(torture_case *of)
{
    expect(of, save_well, NULL);
}

static void no_sync(torture_case *of)
{
    expect(of, save_without_sync, "a torn file");
}

static void late_sync(torture_case *of)
{
    expect(of, save_with_late_sync, "a torn file");
}

static void no_folder_sync(torture_case *of)
{
    expect(of, save_without_folder_sync, "version 0");
}

static void in_place(torture_case *of)
{
    expect(of, save_in_location, "a torn file");
}

/* A small share of each operation. */
static void share(torture_case *of)
{
    uint64_t compound = 0;

    for (of->number = 0; of->number < OPERATIONS && of->why[0] == '\0'; of->number++)
        compound += try_operation(of, &operations[of->number], 100);
    if (of->why[0] == '\0' && (of->faults < 1000 || compound < 10))
        torture_fail(of, "%llu disks and %llu of two losses, expected 1000 and 10",
                     (unsigned long long)of->faults, (unsigned long long)compound);
}

static const torture_check checks[] = {
    {"a save with all its steps survives every loss of power", all_steps},
    {"a save that does not sync its bytes is found out", no_sync},
    {"a save that syncs its bytes after it renames is found out", late_sync},
    {"a save that does not sync its folder is found out", no_folder_sync},
    {"a save in place is found out", in_place},
    {"whatever a loss of power leaves of each operation is the old file or the new one", share},
};

int main(int argc, char **argv)
{
    const torture_suite suite = {
        .name = "disk",
        .cases = CASES,
        .run = run,
        .checks = checks,
        .check_count = sizeof checks / sizeof checks[0],
    };

    return torture_main(argc, argv, &suite);
}
