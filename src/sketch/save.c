/* save.c - the public calls that write: sketches in order of kind and label, to memory, to a
 * function, or to a file that is replaced as a whole. */
#include "base/files.h"
#include "base/memory.h"
#include "base/size.h"
#include "base/sort.h"
#include "base/status.h"
#include "base/text.h"
#include "format/directory.h"
#include "format/image.h"
#include "format/write.h"
#include "sketch/internal.h"
#include "sketch/sketch.h"

#include <stdatomic.h>
#include <string.h>

ink_label ink_group(const char *text)
{
    return (ink_label){.group_kind = INK_GROUP_BYTES, .group = text, .group_bytes = strlen(text)};
}

static int compare(const void *one, const void *other)
{
    const ink_entry *a = one, *b = other;

    if (a->sketch->kind->id != b->sketch->kind->id)
        return a->sketch->kind->id < b->sketch->kind->id ? -1 : 1;
    return ink_label_compare(&a->label, &b->label);
}

static ink_status fail_twice(const ink_entry *entry, ink_error *error)
{
    char name[64];

    if (entry->label.group_kind != INK_GROUP_BYTES)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "two sketches of kind %s with the same label (%s group)",
                         entry->sketch->kind->name,
                         entry->label.group_kind == INK_GROUP_NULL ? "null" : "no");
    ink__quote(name, sizeof name, entry->label.group, entry->label.group_bytes);
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "two sketches of kind %s with the same label (group \"%s\")",
                     entry->sketch->kind->name, name);
}

/* ---- What goes into a file ---------------------------------------------------------------- */

static ink_status check_entry(const ink_contents *contents, size_t index, ink_error *error)
{
    const ink_entry *entry = &contents->entries[index];

    INK__TRY(ink__label_check(&entry->label, error));
    if (entry->sketch == NULL)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0, "entry %zu has no sketch", index);
    return ink__rule_match(&contents->entries[0].sketch->rule, &entry->sketch->rule, error);
}

enum { LOOK_ENTRIES = 1 << 12, LOOKS_PER_THREAD = 4, AHEAD = 8 };

/* What is to be known of all entries before the first is written. */
typedef struct look {
    const ink_contents  *contents;
    atomic_size_t        refused;                       /* the first entry that is, or SIZE_MAX */
    atomic_bool          concurrent, views, disordered; /* of one entry at least */
    atomic_uint_fast64_t scratch_bytes;                 /* the most */
} look;

static void set_flag(atomic_bool *flag, bool found)
{
    if (found)
        atomic_store_explicit(flag, true, memory_order_relaxed);
}

/* Sketches are anywhere in memory: those that come soon are fetched. */
static void fetch_sketch(const ink_sketch *sketch)
{
    for (unsigned line = 0; line < 3; line++)
        __builtin_prefetch((const void *)((uintptr_t)sketch + line * INK__LINE_BYTES));
}

/* Looks at some entries, and at the order of each and the one before it. */
static void look_at(void *host, uint64_t number)
{
    look               *all = host;
    const ink_contents *contents = all->contents;
    const ink_entry    *entries = contents->entries;
    const size_t        first = (size_t)number * LOOK_ENTRIES, left = contents->entry_count - first;
    const size_t        end = first + (left < LOOK_ENTRIES ? left : LOOK_ENTRIES);
    bool                concurrent = false, views = false, disordered = false;
    uint64_t            scratch = 0;
    size_t              i = first == 0 ? 0 : first - 1;

    for (; i < end && check_entry(contents, i, NULL) == INK_OK; i++) {
        const ink_sketch *sketch = entries[i].sketch;
        uint64_t          bytes = ink__scratch_bytes(sketch);
        if (end - i > AHEAD)
            fetch_sketch(entries[i + AHEAD].sketch);
        concurrent |= sketch->concurrent;
        views |= !sketch->concurrent && sketch->image != NULL;
        disordered |= i > 0 && i >= first && compare(&entries[i - 1], &entries[i]) >= 0;
        scratch = bytes > scratch ? bytes : scratch;
    }
    for (size_t least = atomic_load(&all->refused);
         i < end && i < least && !atomic_compare_exchange_weak(&all->refused, &least, i);)
        ;
    set_flag(&all->concurrent, concurrent);
    set_flag(&all->views, views);
    set_flag(&all->disordered, disordered);
    for (uint_fast64_t most = atomic_load(&all->scratch_bytes);
         scratch > most && !atomic_compare_exchange_weak(&all->scratch_bytes, &most, scratch);)
        ;
}

/* Checks all entries as well. */
static ink_status look_at_contents(const ink_contents *contents, const ink__crew *crew, look *all,
                                   ink_error *error)
{
    const size_t count = contents->entry_count;

    INK__TRY_ROOM("ink_contents", contents, error);
    *all = (look){.contents = contents, .refused = SIZE_MAX};
    if (count > 0)
        INK__TRY(check_entry(contents, 0, error)); /* others are compared with it */
    ink__crew_each(crew, count / LOOK_ENTRIES + (count % LOOK_ENTRIES != 0), LOOKS_PER_THREAD,
                   look_at, all);
    size_t refused = atomic_load(&all->refused);
    return refused == SIZE_MAX ? INK_OK : check_entry(contents, refused, error);
}

/* Ends what hold_contents began, also where it failed half-way. */
static void let_contents_go(const ink_contents *contents, ink_contents *still,
                            const ink_allocator *allocator)
{
    ink_entry *entries = (ink_entry *)(uintptr_t)still->entries;

    for (size_t i = 0; i < still->entry_count; i++)
        if (entries[i].sketch != contents->entries[i].sketch)
            ink_sketch_free((ink_sketch *)(uintptr_t)entries[i].sketch);
    ink__release(allocator, entries, contents->entry_count * sizeof *entries);
}

/* The same contents, with copies of concurrent sketches. */
static ink_status hold_contents(const ink_contents *contents, ink_contents *still,
                                const ink_allocator *allocator, ink_error *error)
{
    const size_t count = contents->entry_count;
    ink_status   status = INK_OK;
    ink_entry   *entries;

    *still = *contents;
    INK__TRY(ink__allocate(allocator, count * sizeof *entries, &entries, error));
    still->entries = entries;
    for (still->entry_count = 0; still->entry_count < count; still->entry_count++) {
        ink_entry  *entry = &entries[still->entry_count];
        ink_sketch *copy;
        *entry = contents->entries[still->entry_count];
        if (!entry->sketch->concurrent)
            continue;
        status = ink__snapshot(&copy, entry->sketch, allocator, error);
        if (status != INK_OK)
            break;
        entry->sketch = copy;
    }
    if (status != INK_OK)
        let_contents_go(contents, still, allocator);
    return status;
}

/* The entries in the order of the file. The memory is to be released, after a failure too. */
typedef struct ordered {
    const ink_entry *given; /* in order already, or ... */
    const void     **sorted;
    void            *memory;
    uint64_t         memory_bytes;
    size_t           count;
} ordered;

static const ink_entry *entry_of(const ordered *order, uint64_t index)
{
    return order->sorted == NULL ? &order->given[index] : order->sorted[index];
}

static ink_status put_in_order(const look *all, const ink_allocator *allocator, ordered *order,
                               ink_error *error)
{
    size_t count = all->contents->entry_count;

    *order = (ordered){.given = all->contents->entries, .count = count};
    if (!atomic_load(&all->disordered))
        return INK_OK;
    if (!ink__mul_u64(2 * sizeof *order->sorted, count, &order->memory_bytes))
        order->memory_bytes = UINT64_MAX;
    INK__TRY(ink__allocate(allocator, order->memory_bytes, &order->memory, error));
    const void **entries = order->memory;
    for (size_t i = 0; i < count; i++)
        entries[i] = &order->given[i];
    order->sorted = ink__sort(entries, count, compare);
    for (size_t i = 1; i < count; i++)
        if (compare(order->sorted[i - 1], order->sorted[i]) == 0)
            return fail_twice(order->sorted[i], error);
    return INK_OK;
}

/* Checks the views of lazily opened files. Small neighbours share a piece of the payload area: a
 * view that begins in the last piece checked is checked from the next piece on. */
static ink_status check_views(const ordered *order, ink_error *error)
{
    const ink__image *image = NULL;
    uint64_t          piece = 0; /* the last one of `image` that was checked */

    for (size_t i = 0; i < order->count; i++) {
        const ink_sketch *sketch = entry_of(order, i)->sketch;
        if (sketch->image == NULL)
            continue;
        uint64_t from = sketch->image_at, end = from + ink__shape_of(sketch).payload_bytes;
        if (sketch->image == image && from / INK__PIECE_BYTES == piece)
            from = (piece + 1) * INK__PIECE_BYTES;
        if (from >= end)
            continue;
        INK__TRY(ink__image_check_pieces(sketch->image, from, end - from, error));
        image = sketch->image;
        piece = (end - 1) / INK__PIECE_BYTES;
    }
    return INK_OK;
}

static void source_entry(const void *host, uint64_t index, ink__entry *out)
{
    const ordered    *order = host;
    const ink_entry  *entry = entry_of(order, index);
    const ink_sketch *sketch = entry->sketch;
    const ink__shape  shape = ink__shape_of(sketch);

    if (order->count - index > AHEAD)
        fetch_sketch(entry_of(order, index + AHEAD)->sketch);
    *out = (ink__entry){
        .kind = sketch->kind->id,
        .position_rule = sketch->kind->position_rules[sketch->rule.scheme],
        .layout = sketch->kind->layout,
        .label = entry->label,
        .records = sketch->records,
        .payload_bytes = shape.payload_bytes,
    };
    memcpy(out->fields, shape.fields, sizeof out->fields);
}

static const uint8_t *source_payload(const void *host, uint64_t index, uint8_t *scratch)
{
    const ordered    *order = host;
    const ink_sketch *sketch = entry_of(order, index)->sketch;

    if (order->count - index > AHEAD)
        fetch_sketch(entry_of(order, index + AHEAD)->sketch);
    return sketch->kind->payload(sketch, scratch);
}

/* Of contents that stand still. */
static ink_status make_source(const look *all, const ink_allocator *allocator, ordered *order,
                              ink__payload_source *source, ink_error *error)
{
    /* A file without entries still has a key rule: the default one. */
    static const ink__key_rule none = {.hash = INK__HASH_XXH3, .seed = INK__DEFAULT_SEED};
    const ink_contents        *contents = all->contents;
    const ink__key_rule       *rule =
        contents->entry_count > 0 ? &contents->entries[0].sketch->rule : &none;

    INK__TRY(put_in_order(all, allocator, order, error));
    if (atomic_load(&all->views))
        INK__TRY(check_views(order, error));
    *source = (ink__payload_source){
        .host = order,
        .keys = {(uint64_t)rule->type, (uint64_t)rule->hash, rule->seed, rule->check},
        .entries = contents->entry_count,
        .entry = source_entry,
        .payload = source_payload,
        .scratch_bytes = atomic_load(&all->scratch_bytes),
        .sections = contents->sections,
        .section_count = contents->section_count,
    };
    return INK_OK;
}

/* Sorts the entries and writes to the sink. */
static ink_status write_still(const look *all, const ink_allocator *allocator,
                              const ink__crew *crew, const ink__sink *sink, ink_error *error)
{
    ordered             order;
    ink__payload_source source;
    ink_status          status = make_source(all, allocator, &order, &source, error);

    if (status == INK_OK)
        status = ink__write(&source, sink, crew, allocator, error);
    ink__release(allocator, order.memory, order.memory_bytes);
    return status;
}

/* The same of contents that need not stand still. */
static ink_status write_contents(const look *all, const ink_allocator *allocator,
                                 const ink__crew *crew, const ink__sink *sink, ink_error *error)
{
    ink_contents still;
    look         at_still;

    if (!atomic_load(&all->concurrent))
        return write_still(all, allocator, crew, sink, error);
    INK__TRY(hold_contents(all->contents, &still, allocator, error));
    ink_status status = look_at_contents(&still, crew, &at_still, error);
    if (status == INK_OK)
        status = write_still(&at_still, allocator, crew, sink, error);
    let_contents_go(all->contents, &still, allocator);
    return status;
}

/* ---- To memory ---------------------------------------------------------------------------- */

typedef struct memory_sink {
    const ink_allocator *allocator; /* NULL: `count` bytes are there ... */
    bool                 counts;    /* ... or the size alone is wanted */
    uint8_t             *bytes;
    uint64_t             count, written;
} memory_sink;

static ink_status memory_begin(void *host, uint64_t bytes, ink_error *error)
{
    memory_sink *sink = host;

    if (sink->allocator == NULL && bytes > sink->count && !sink->counts)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "room for %llu bytes, expected the %llu of the encoding",
                         (unsigned long long)sink->count, (unsigned long long)bytes);
    sink->count = bytes;
    if (sink->allocator == NULL)
        return sink->counts ? INK_STOPPED : INK_OK;
    return ink__allocate(sink->allocator, bytes, &sink->bytes, error);
}

static ink_status memory_write(void *host, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    memory_sink *sink = host;

    (void)error;
    memcpy(sink->bytes + sink->written, bytes, (size_t)count);
    sink->written += count;
    return INK_OK;
}

ink_status ink__contents_encode(const ink_contents *contents, const ink__crew *crew,
                                uint8_t **bytes, size_t *count, ink_error *error)
{
    ink_allocator allocator = ink__allocator_or_heap(contents->allocator);
    memory_sink   memory = {.allocator = &allocator};
    ink__sink     sink = {.host = &memory, .begin = memory_begin, .write = memory_write};
    look          all;

    INK__TRY(look_at_contents(contents, crew, &all, error));
    ink_status status = write_contents(&all, &allocator, crew, &sink, error);
    if (status != INK_OK) {
        ink__release(&allocator, memory.bytes, memory.count);
        return status;
    }
    *bytes = memory.bytes;
    *count = (size_t)memory.count;
    return INK_OK;
}

ink_status ink_contents_encode(const ink_contents *contents, uint8_t **bytes, size_t *count,
                               ink_error *error)
{
    return ink__contents_encode(contents, NULL, bytes, count, error);
}

void ink_bytes_free(void *data, size_t count, const ink_allocator *allocator)
{
    uint8_t      *bytes = data;
    ink_allocator memory = ink__allocator_or_heap(allocator);

    ink__release(&memory, bytes, count);
}

/* ---- To a file ---------------------------------------------------------------------------- */

static ink_status file_write(void *host, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    return ink__replacement_write(host, bytes, count, error);
}

ink_status ink__contents_save(const char *path, const ink_contents *contents, const ink__crew *crew,
                              ink_error *error)
{
    ink_allocator    allocator = ink__allocator_or_heap(contents->allocator);
    ink__replacement replacement;
    ink__sink        sink = {.host = &replacement, .write = file_write};
    look             all;

    INK__TRY(look_at_contents(contents, crew, &all, error)); /* before there is a temporary file */
    INK__TRY(contents->no_overwrite != 0
                 ? ink__replacement_begin_new(&replacement, path, &allocator, error)
                 : ink__replacement_begin(&replacement, path, &allocator, error));
    ink_status status = write_contents(&all, &allocator, crew, &sink, error);
    if (status != INK_OK) {
        ink__replacement_abandon(&replacement);
        return status;
    }
    return ink__replacement_commit(&replacement, error);
}

ink_status ink_contents_save(const char *path, const ink_contents *contents, ink_error *error)
{
    return ink__contents_save(path, contents, NULL, error);
}

static ink_status given_write(void *host, const uint8_t *bytes, uint64_t count, ink_error *error)
{
    const ink_sink *to = host;
    int             os_error = to->write(to->host, bytes, (size_t)count);

    return os_error == 0 ? INK_OK : ink__fail_io(error, os_error, "cannot write");
}

ink_status ink_contents_write(const ink_contents *contents, const ink_sink *sink, ink_error *error)
{
    ink_allocator allocator = ink__allocator_or_heap(contents->allocator);
    ink_sink      to = *sink;
    ink__sink     given = {.host = &to, .write = given_write};
    look          all;

    INK__TRY(look_at_contents(contents, NULL, &all, error));
    return write_contents(&all, &allocator, NULL, &given, error);
}

/* ---- One sketch --------------------------------------------------------------------------- */

#define CONTENTS_OF(one)                                                                           \
    (&(ink_contents){.entries = &(ink_entry){.sketch = (one)},                                     \
                     .entry_count = 1,                                                             \
                     .allocator = &(one)->allocator})

ink_status ink_sketch_encode(const ink_sketch *sketch, uint8_t **bytes, size_t *count,
                             ink_error *error)
{
    return ink_contents_encode(CONTENTS_OF(sketch), bytes, count, error);
}

/* Encodes to a sink in memory of the caller. */
static ink_status encode_to(const ink_sketch *sketch, memory_sink *memory, ink_error *error)
{
    const ink__sink     sink = {.host = memory, .begin = memory_begin, .write = memory_write};
    const ink_contents *contents = CONTENTS_OF(sketch);
    look                all;

    INK__TRY(look_at_contents(contents, NULL, &all, error));
    return write_contents(&all, &sketch->allocator, NULL, &sink, error);
}

ink_status ink_sketch_encoded_bytes(const ink_sketch *sketch, size_t *count, ink_error *error)
{
    memory_sink memory = {.counts = true};
    ink_status  status = encode_to(sketch, &memory, error);

    if (status != INK_STOPPED)
        return status;
    *count = (size_t)memory.count;
    return INK_OK;
}

ink_status ink_sketch_encode_to(const ink_sketch *sketch, void *buffer, size_t room, size_t *count,
                                ink_error *error)
{
    memory_sink memory = {.bytes = buffer, .count = room};

    INK__TRY(encode_to(sketch, &memory, error));
    *count = (size_t)memory.count;
    return INK_OK;
}

ink_status ink_sketch_write(const ink_sketch *sketch, const ink_sink *sink, ink_error *error)
{
    return ink_contents_write(CONTENTS_OF(sketch), sink, error);
}

ink_status ink_sketch_save(const ink_sketch *sketch, const char *path, ink_error *error)
{
    return ink_contents_save(path, CONTENTS_OF(sketch), error);
}

ink_status ink_sketch_digest(const ink_sketch *sketch, uint8_t digest[INK_DIGEST_BYTES],
                             ink_error *error)
{
    const ink_allocator *allocator = &sketch->allocator;
    ordered              order;
    ink__payload_source  source;
    ink__held            held;
    look                 all;

    INK__TRY(ink__hold(&held, sketch, error));
    ink_status status = look_at_contents(CONTENTS_OF(held.sketch), NULL, &all, error);
    if (status == INK_OK)
        status = make_source(&all, allocator, &order, &source, error);
    if (status == INK_OK)
        status = ink__write_digest(&source, allocator, digest, error);
    ink__let_go(&held);
    return status;
}
