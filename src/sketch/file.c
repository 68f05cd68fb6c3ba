/* file.c - the public calls that read files that are open as a whole: opening, entries, and
 * sketches as views or copies. */
#include "sketch/file.h"
#include "base/checksum.h"
#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"
#include "format/image.h"
#include "sketch/internal.h"

#include <string.h>

/* ---- What the header and the tables mean -------------------------------------------------- */

static ink__key_rule rule_of(const ink_file *file, unsigned position_rule)
{
    ink__key_rule rule = file->rule;

    rule.scheme = ink__hash_scheme_of(position_rule);
    return rule;
}

static ink_status check_table(const ink_file *file, const ink__directory_table *table,
                              ink_error *error)
{
    const ink__stored_kind numbers = {table->kind, table->position_rule, table->layout};
    const unsigned         first = file->image.tables[0].position_rule;
    ink__key_rule          rule = file->rule;
    const ink__kind       *kind;

    INK__TRY(ink__stored_kind_of(&numbers, table->described_at, &rule, &kind, error));
    if (rule.scheme != ink__hash_scheme_of(first))
        return ink__fail(error, INK_FORMAT, INK_AT_BYTE, table->described_at + 2,
                         "position rule %u beside %u: these hash keys otherwise",
                         table->position_rule, first);
    for (unsigned i = kind->field_count; i < INK__FIELDS_MAX; i++)
        if (table->columns[INK__COLUMN_FIELD + i].data != NULL)
            return ink__fail(error, INK_FORMAT, INK_AT_BYTE,
                             ink__image_cell(&file->image, table->first, INK__COLUMN_FIELD + i),
                             "parameter %u, but %s has only %u", i, kind->name, kind->field_count);
    return INK_OK;
}

/* The shape of entry `index`, which is of this table. */
static ink__shape shape_of(const ink__directory_table *table, uint64_t index)
{
    const ink__column *columns = table->columns;
    ink__shape         shape = {.kind = ink__kind_of_id(table->kind)};

    index -= table->first;
    shape.payload_bytes = ink__column_get(&columns[INK__COLUMN_PAYLOAD_BYTES], index);
    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        shape.fields[i] = ink__column_get(&columns[INK__COLUMN_FIELD + i], index);
    return shape;
}

/* Whether all entries of a table have one shape, as the many small sketches of a file often do. */
static bool has_one_shape(const ink__directory_table *table)
{
    bool one = table->columns[INK__COLUMN_PAYLOAD_BYTES].form == INK__FORM_ONE;

    for (unsigned i = 0; i < INK__FIELDS_MAX; i++)
        one = one && table->columns[INK__COLUMN_FIELD + i].form == INK__FORM_ONE;
    return one;
}

/* Entries of a table, numbered from 0 there. */
typedef struct checking {
    const ink_file             *file;
    const ink__directory_table *table;
} checking;

static ink_status check_shape(const checking *all, const ink__key_rule *rule, uint64_t index,
                              ink_error *error)
{
    const ink__shape shape = shape_of(all->table, all->table->first + index);

    return shape.kind->check(&shape, rule, error);
}

/* Has the type of ink__crew_check. */
static uint64_t find_shape(const void *host, uint64_t from, uint64_t until)
{
    const checking     *all = host;
    const ink__key_rule rule = rule_of(all->file, all->table->position_rule);
    ink_error           ignored;

    while (from < until && check_shape(all, &rule, from, &ignored) == INK_OK)
        from++;
    return from;
}

static ink_status check_shapes(const ink_file *file, const ink__directory_table *table,
                               const ink__crew *crew, ink_error *error)
{
    const checking      all = {file, table};
    const ink__key_rule rule = rule_of(file, table->position_rule);
    const uint64_t      count = has_one_shape(table) ? 1 : table->entries;
    const uint64_t      refused = ink__crew_first(crew, count, find_shape, &all);

    if (refused == count)
        return INK_OK;
    const unsigned fields = ink__kind_of_id(table->kind)->field_count;
    ink_status     status = check_shape(&all, &rule, refused, error);
    unsigned       column =
        error->at < fields ? INK__COLUMN_FIELD + (unsigned)error->at : INK__COLUMN_PAYLOAD_BYTES;
    return ink__stored_placed(status, ink__image_cell(&file->image, table->first + refused, column),
                              0, error);
}

ink_status ink__file_check_meaning(ink_file *file, const ink__crew *crew, ink_error *error)
{
    const ink__key_rule *rule = &file->rule;
    ink_error            local;

    if (error == NULL)
        error = &local; /* to learn which field it was */
    INK__TRY(ink__stored_rule(&file->image.keys, &file->rule, error));
    /* Without entries there are no keys, so there is one form: the rule that the writer gives. */
    if (file->image.entries == 0 && (rule->type != INK_KEY_BYTES || rule->hash != INK__HASH_XXH3 ||
                                     rule->seed != INK__DEFAULT_SEED))
        return ink__fail(
            error, INK_FORMAT, INK_AT_BYTE, INK__HEADER_KEY_TYPE,
            "a file without entries has a key rule of its own, expected the default one");
    for (unsigned t = 0; t < file->image.table_count; t++) {
        INK__TRY(check_table(file, &file->image.tables[t], error));
        INK__TRY(check_shapes(file, &file->image.tables[t], crew, error));
    }
    return INK_OK;
}

/* ---- Open and close ----------------------------------------------------------------------- */

static ink_status check_flags(unsigned flags, ink_error *error)
{
    if (flags <= (INK_OPEN_LAZY | INK_OPEN_COPY | INK_OPEN_TRUSTED))
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "flags 0x%x, expected those of ink_file_open", flags);
}

ink_status ink__file_new(ink_file **file, unsigned flags, const ink_allocator *allocator,
                         ink_error *error)
{
    ink_allocator memory = ink__allocator_or_heap(allocator);

    INK__TRY(ink__allocate_zeroed(&memory, sizeof **file, file, error));
    (*file)->allocator = memory;
    (*file)->copied = (flags & INK_OPEN_COPY) != 0;
    return INK_OK;
}

static ink_status check_file(ink_file *file, const ink__crew *crew, ink_error *error);

/* Reads what the bytes mean if `status`, of reading them, is INK_OK; on failure the file is
 * closed. */
static ink_status finish_open(ink_file *opened, ink_status status, const uint8_t *bytes,
                              uint64_t count, unsigned flags, const ink__crew *crew,
                              ink_file **file, ink_error *error)
{
    if (status == INK_OK)
        status = ink__image_parse(&opened->image, bytes, count, crew, error);
    if (status == INK_OK)
        status = ink__file_check_meaning(opened, crew, error);
    if ((flags & INK_OPEN_TRUSTED) != 0)
        opened->image.checked = true;
    if (status == INK_OK && (flags & INK_OPEN_LAZY) == 0)
        status = check_file(opened, crew, error);
    if (status != INK_OK) {
        ink_file_close(opened);
        return status;
    }
    *file = opened;
    return INK_OK;
}

/* Checks the header before memory or address space for the rest is taken. */
static ink_status read_input(ink_file *file, ink__input *input, ink_error *error)
{
    uint8_t  header[INK__HEADER_BYTES];
    uint64_t first = input->bytes < INK__HEADER_BYTES ? input->bytes : INK__HEADER_BYTES;

    INK__TRY(ink__input_read(input, header, first, error));
    INK__TRY(ink__image_check_header(header, input->bytes, error));
    file->bytes = input->bytes;
    if (!file->copied)
        return ink__input_map(input, &file->mapped, error);
    INK__TRY(ink__allocate(&file->allocator, file->bytes, &file->copy, error));
    memcpy(file->copy, header, (size_t)first);
    return ink__input_read(input, file->copy + first, input->bytes - first, error);
}

bool ink_is_file(const void *bytes, size_t count)
{
    size_t magic = sizeof INK__MAGIC - 1;

    return count >= magic && memcmp(bytes, INK__MAGIC, magic) == 0;
}

ink_status ink__file_open(ink_file **file, const char *path, unsigned flags, const ink__crew *crew,
                          const ink_allocator *allocator, ink_error *error)
{
    ink__input input;
    ink_file  *opened;

    INK__TRY(check_flags(flags, error));
    INK__TRY(ink__input_open(&input, path, error));
    ink_status status = ink__file_new(&opened, flags, allocator, error);
    if (status == INK_OK) {
        status = read_input(opened, &input, error);
        status = finish_open(opened, status, opened->copied ? opened->copy : opened->mapped,
                             opened->bytes, flags, crew, file, error);
    }
    ink__input_close(&input);
    return status;
}

ink_status ink_file_open(ink_file **file, const char *path, unsigned flags,
                         const ink_allocator *allocator, ink_error *error)
{
    return ink__file_open(file, path, flags, NULL, allocator, error);
}

ink_status ink_file_decode(ink_file **file, const void *data, size_t count, unsigned flags,
                           const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *bytes = data;
    ink_file      *opened;
    ink_status     status = INK_OK;

    INK__TRY(check_flags(flags, error));
    INK__TRY(ink__image_check_header(bytes, count, error));
    INK__TRY(ink__file_new(&opened, flags, allocator, error));
    opened->bytes = count;
    if (opened->copied)
        status = ink__allocate(&opened->allocator, count, &opened->copy, error);
    if (opened->copy != NULL)
        bytes = memcpy(opened->copy, bytes, count);
    return finish_open(opened, status, bytes, count, flags, NULL, file, error);
}

void ink_file_close(ink_file *file)
{
    if (file == NULL)
        return;
    ink_allocator allocator = file->allocator;

    if (file->mapped != NULL)
        ink__unmap(file->mapped, file->bytes);
    ink__release(&allocator, file->copy, file->bytes);
    ink__release(&allocator, file, sizeof *file);
}

/* The shape in an entry that has been read. */
static ink__shape shape_in(const ink__entry *entry)
{
    ink__shape shape = {
        .kind = ink__kind_of_id(entry->kind),
        .payload_bytes = entry->payload_bytes,
    };

    memcpy(shape.fields, entry->fields, sizeof shape.fields);
    return shape;
}

ink__plan ink__file_plan(const ink_file *file, const ink__entry *entry)
{
    return (ink__plan){rule_of(file, entry->position_rule), shape_in(entry), entry->records};
}

ink_status ink__file_placed(const ink_file *file, const ink__entry *entry, ink_status status,
                            ink_error *error)
{
    return ink__stored_placed(status, 0, file->image.payload_at + entry->payload_offset, error);
}

ink_status ink__file_check_payload(const ink_file *file, const ink__entry *entry,
                                   const uint8_t *payload, ink_error *error)
{
    ink__plan        of = ink__file_plan(file, entry);
    const ink__kind *kind = of.shape.kind;

    if (kind->check_payload == NULL)
        return INK_OK;
    return ink__file_placed(file, entry, kind->check_payload(&of.shape, &of.rule, payload, error),
                            error);
}

static ink_status check_payload(const ink_file *file, const ink__entry *entry, ink_error *error)
{
    return ink__file_check_payload(file, entry, ink__image_payload(&file->image, entry), error);
}

/* Has the type of ink__crew_check. */
static uint64_t find_payload(const void *host, uint64_t from, uint64_t until)
{
    const checking *all = host;
    ink_error       ignored;

    for (; from < until; from++) {
        ink__entry entry;
        ink__image_entry(&all->file->image, all->table->first + from, &entry);
        if (check_payload(all->file, &entry, &ignored) != INK_OK)
            break;
    }
    return from;
}

static ink_status check_file(ink_file *file, const ink__crew *crew, ink_error *error)
{
    if (file->image.checked)
        return INK_OK;
    INK__TRY(ink__image_check_payloads(&file->image, crew, error));
    for (unsigned t = 0; t < file->image.table_count; t++) {
        const ink__directory_table *table = &file->image.tables[t];
        if (ink__kind_of_id(table->kind)->check_payload == NULL)
            continue;
        const checking all = {file, table};
        const uint64_t refused = ink__crew_first(crew, table->entries, find_payload, &all);
        if (refused < table->entries) {
            ink__entry entry;
            ink__image_entry(&file->image, table->first + refused, &entry);
            return check_payload(file, &entry, error);
        }
    }
    file->image.checked = true;
    return INK_OK;
}

ink_status ink_file_check(ink_file *file, ink_error *error)
{
    return check_file(file, NULL, error);
}

/* ---- Entries ------------------------------------------------------------------------------ */

size_t ink_file_count(const ink_file *file)
{
    return (size_t)file->image.entries;
}

static ink_status check_index(const ink_file *file, size_t index, ink_error *error)
{
    if (index < file->image.entries)
        return INK_OK;
    return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "entry %zu, but there are %llu", index,
                     (unsigned long long)file->image.entries);
}

ink_status ink_file_entry(const ink_file *file, size_t index, ink_entry_info *info,
                          ink_error *error)
{
    ink__entry entry;

    INK__TRY(check_index(file, index, error));
    ink__image_entry(&file->image, index, &entry);
    *info = (ink_entry_info){
        .kind = ink__kind_of_id(entry.kind)->name,
        .label = entry.label,
        .records = entry.records,
        .bytes = entry.payload_bytes,
    };
    return INK_OK;
}

static ink_status find_table(const ink_file *file, const char *kind,
                             const ink__directory_table **table, ink_error *error)
{
    const ink__image *image = &file->image;
    const ink__kind  *named;

    if (kind == NULL) {
        if (image->table_count > 1)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "the file has %u kinds, %s and %s among them: name one",
                             image->table_count, ink__kind_of_id(image->tables[0].kind)->name,
                             ink__kind_of_id(image->tables[1].kind)->name);
        *table = image->table_count == 0 ? NULL : image->tables;
    } else {
        INK__TRY(ink__kind_find(kind, &named, error));
        *table = NULL;
        for (unsigned t = 0; t < image->table_count; t++)
            if (image->tables[t].kind == named->id)
                *table = &image->tables[t];
    }
    if (*table == NULL)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "the file has no sketch%s%s",
                         kind == NULL ? "" : " of kind ", kind == NULL ? "" : kind);
    return INK_OK;
}

/* There is no entry of this table and group with `what`. */
static ink_status fail_label(const ink__directory_table *table, const ink_label *label,
                             const char *what, ink_error *error)
{
    const char *kind = ink__kind_of_id(table->kind)->name;
    char        name[64];

    if (label->group_kind == INK_GROUP_BYTES) {
        ink__quote(name, sizeof name, label->group, label->group_bytes);
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "no %s of group \"%s\"%s", kind,
                         name, what);
    }
    return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "no %s %s%s", kind,
                     label->group_kind == INK_GROUP_NULL ? "of the null group" : "without a group",
                     what);
}

ink_status ink_file_find(const ink_file *file, const char *kind, const ink_label *label,
                         size_t *index, ink_error *error)
{
    const ink_label             none = {0};
    const ink__directory_table *table;
    uint64_t                    found;

    INK__TRY(find_table(file, kind, &table, error));
    if (label == NULL)
        label = &none;
    INK__TRY(ink__label_check(label, error));
    if (ink__directory_find(table, label, &found)) {
        *index = (size_t)found;
        return INK_OK;
    }
    char slot[40] = " without a slot";
    if (label->has_slot)
        ink__format(slot, sizeof slot, " with slot %lld", (long long)label->slot);
    return fail_label(table, label, slot, error);
}

/* A view of an entry, or a copy. */
static ink_status open_entry(const ink_file *file, size_t index, bool view, ink_sketch **sketch,
                             ink_error *error)
{
    const ink__image *image = &file->image;
    ink__entry        entry;

    INK__TRY(check_index(file, index, error));
    ink__image_entry(image, index, &entry);
    ink__plan of = ink__file_plan(file, &entry);
    if (!view)
        INK__TRY(ink__image_check_pieces(image, entry.payload_offset, entry.payload_bytes, error));
    if (!image->checked)
        INK__TRY(check_payload(file, &entry, error));
    INK__TRY(ink__sketch_open(sketch, &of, ink__image_payload(image, &entry), view,
                              &file->allocator, error));
    (*sketch)->image = view ? image : NULL;
    (*sketch)->image_at = entry.payload_offset;
    return INK_OK;
}

ink_status ink_file_sketch(const ink_file *file, size_t index, ink_sketch **sketch,
                           ink_error *error)
{
    return open_entry(file, index, !file->copied, sketch, error);
}

bool ink__file_has_views(const ink_file *file)
{
    return !file->copied;
}

/* ---- Slots -------------------------------------------------------------------------------- */

/* Entries of one kind and group that have a slot, by rising time. */
typedef struct slots {
    const ink__directory_table *table;
    ink_label                   label; /* only its group counts */
    size_t                      first, count;
} slots;

/* Those that start at `from` to `until`, both included. */
static ink_status find_slots(const ink_file *file, const char *kind, const ink_label *label,
                             int64_t from, int64_t until, slots *found, ink_error *error)
{
    uint64_t begin, end;

    *found = (slots){.label = label == NULL ? (ink_label){0} : *label};
    INK__TRY(find_table(file, kind, &found->table, error));
    found->label.has_slot = true;
    found->label.slot = from;
    INK__TRY(ink__label_check(&found->label, error));
    ink__directory_find(found->table, &found->label, &begin);
    found->label.slot = until;
    end = ink__directory_find(found->table, &found->label, &end) ? end + 1 : end;
    found->first = (size_t)begin;
    found->count = end > begin ? (size_t)(end - begin) : 0;
    return INK_OK;
}

ink_status ink__file_slots(const ink_file *file, const char *kind, const ink_label *label,
                           size_t *first, size_t *count, ink_error *error)
{
    slots      found;
    ink_status status = find_slots(file, kind, label, INT64_MIN, INT64_MAX, &found, error);

    *first = found.first;
    *count = found.count;
    return status;
}

/* The union of `count` entries from `first` on, one at least: a writable sketch. */
static ink_status merge_entries(const ink_file *file, size_t first, size_t count,
                                ink_sketch **sketch, ink_error *error)
{
    const uint64_t bytes = count * sizeof(ink_sketch *);
    ink_sketch    *made = NULL;
    ink_sketch   **views;
    size_t         opened = 0;
    ink_status     status = INK_OK;

    INK__TRY(ink__allocate(&file->allocator, bytes, &views, error));
    for (; opened < count && status == INK_OK; opened += status == INK_OK)
        status = open_entry(file, first + opened, true, &views[opened], error);
    if (status == INK_OK)
        status = ink_sketch_copy(&made, views[0], NULL, error);
    if (status == INK_OK)
        status =
            ink__sketch_merge_all(made, (const ink_sketch *const *)views + 1, count - 1, error);
    while (opened > 0)
        ink_sketch_free(views[--opened]);
    ink__release(&file->allocator, views, bytes);
    if (status == INK_OK)
        *sketch = made;
    else
        ink_sketch_free(made);
    return status;
}

ink_status ink_file_last(const ink_file *file, const char *kind, const ink_label *label,
                         size_t last, ink_sketch **sketch, ink_error *error)
{
    slots found;

    INK__TRY(find_slots(file, kind, label, INT64_MIN, INT64_MAX, &found, error));
    if (found.count == 0)
        return fail_label(found.table, &found.label, " with a slot", error);
    size_t left_out = last == 0 || last > found.count ? 0 : found.count - last;
    return merge_entries(file, found.first + left_out, found.count - left_out, sketch, error);
}

ink_status ink_file_between(const ink_file *file, const char *kind, const ink_label *label,
                            int64_t from, int64_t until, ink_sketch **sketch, ink_error *error)
{
    slots found;

    /* Slots before `until`, which is not the least value if `from` is below it. */
    INK__TRY(find_slots(file, kind, label, from, from < until ? until - 1 : from, &found, error));
    if (from >= until || found.count == 0)
        return fail_label(found.table, &found.label, " with a slot of that time", error);
    return merge_entries(file, found.first, found.count, sketch, error);
}

ink_status ink_file_section(const ink_file *file, size_t index, ink_section *section,
                            ink_error *error)
{
    if (index >= file->image.section_count)
        return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "section %zu, but there are %llu",
                         index, (unsigned long long)file->image.section_count);
    ink__image_section(&file->image, index, section);
    return INK_OK;
}

ink_status ink_file_digest(const ink_file *file, uint8_t digest[INK_DIGEST_BYTES], ink_error *error)
{
    INK__TRY(ink__image_check_pieces(&file->image, 0, file->image.payload_bytes, error));
    ink__digest(file->image.bytes, file->image.sections_at, digest);
    return INK_OK;
}

/* ---- One sketch --------------------------------------------------------------------------- */

ink_status ink__file_check_single(const ink_file *file, ink_error *error)
{
    if (file->image.entries == 1)
        return INK_OK;
    return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                     "%llu sketches, expected one: open it as a file",
                     (unsigned long long)file->image.entries);
}

/* The only sketch of a file whose payloads are still to be checked, if they are. Closes the file,
 * or leaves that to the sketch if it is a view. */
static ink_status only_sketch(ink_file *file, unsigned flags, ink_sketch **sketch, ink_error *error)
{
    ink_status status = ink__file_check_single(file, error);

    if (status == INK_OK && (flags & INK_OPEN_LAZY) == 0)
        status = ink_file_check(file, error);
    if (status == INK_OK)
        status = ink_file_sketch(file, 0, sketch, error);
    if (status != INK_OK || file->copied) {
        ink_file_close(file);
        return status;
    }
    (*sketch)->close = ink_file_close;
    (*sketch)->file = file;
    return INK_OK;
}

ink_status ink_sketch_view(ink_sketch **sketch, const void *data, size_t count, unsigned flags,
                           const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *bytes = data;
    ink_file      *file;

    INK__TRY(check_flags(flags, error));
    INK__TRY(ink_file_decode(&file, bytes, count,
                             (flags & ~(unsigned)INK_OPEN_COPY) | INK_OPEN_LAZY, allocator, error));
    file->copied = (flags & INK_OPEN_COPY) != 0; /* of the sketch alone */
    return only_sketch(file, flags, sketch, error);
}

ink_status ink_sketch_decode(ink_sketch **sketch, const void *data, size_t count,
                             const ink_allocator *allocator, ink_error *error)
{
    const uint8_t *bytes = data;

    return ink_sketch_view(sketch, bytes, count, INK_OPEN_COPY, allocator, error);
}

ink_status ink_identity(const void *data, size_t count, uint8_t identity[INK_DIGEST_BYTES],
                        ink_error *error)
{
    const uint8_t *bytes = data;
    uint64_t       head;

    INK__TRY(ink__image_check_header(bytes, count, error));
    head = INK__HEADER_BYTES + ink__load_u64(bytes + INK__HEADER_DIRECTORY);
    ink__digest(bytes, head, identity);
    return INK_OK;
}
