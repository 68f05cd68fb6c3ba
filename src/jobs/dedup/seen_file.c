/* seen_file.c - what was seen, as a file of sketches. */
#include "jobs/dedup/seen_file.h"

#include "base/files.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/text.h"

#include <errno.h>
#include <string.h>

void ink__seen_name(ink_dedup_level level, const ink__ngram_rule *ngrams,
                    char name[INK__SEEN_NAME_BYTES])
{
    if (level != INK_DEDUP_NGRAMS)
        ink__format(name, INK__SEEN_NAME_BYTES, "%s", ink_dedup_level_name(level));
    else
        ink__format(name, INK__SEEN_NAME_BYTES, "%s-%u%s%s%s", ink_dedup_level_name(level),
                    ngrams->words, ngrams->bytes ? "-bytes" : "", ngrams->lower ? "-lower" : "",
                    ngrams->strip_punctuation ? "-strip" : "");
}

ink_status ink__seen_file_open(ink__seen_file *from, const char *path, bool *exists,
                               const ink_allocator *allocator, ink_error *error)
{
    ink__stat stat;

    *from = (ink__seen_file){.allocator = *allocator};
    INK__TRY(ink__path_stat(path, &stat, exists, error));
    if (!*exists)
        return INK_OK;
    INK__TRY(ink_file_open(&from->file, path, INK_OPEN_COPY, allocator, error));
    const uint64_t count = ink_file_count(from->file);
    INK__TRY(
        ink__allocate_zeroed(allocator, (count + 1) * sizeof(ink_sketch *), &from->others, error));
    from->count = count;
    for (uint64_t i = 0; i < count; i++)
        INK__TRY(ink_file_sketch(from->file, (size_t)i, &from->others[i], error));
    return INK_OK;
}

void ink__seen_file_end(ink__seen_file *from)
{
    for (uint64_t i = 0; i < from->count; i++)
        ink_sketch_free(from->others[i]);
    if (from->others != NULL)
        ink__release(&from->allocator, from->others, (from->count + 1) * sizeof(ink_sketch *));
    ink_file_close(from->file);
    *from = (ink__seen_file){0};
}

static ink_status fail_level(const ink__seen_file *from, const char *name, ink_error *error)
{
    char           found[128] = "", quoted[INK__SEEN_NAME_BYTES];
    ink_entry_info info;

    for (uint64_t i = 0; i < from->count && i < 4; i++) {
        if (ink_file_entry(from->file, (size_t)i, &info, NULL) != INK_OK)
            continue;
        const size_t used = strlen(found);
        ink__quote(quoted, sizeof quoted, info.label.group, info.label.group_bytes);
        ink__format(found + used, sizeof found - used, "%s%s", used == 0 ? "" : ", ",
                    info.label.group_kind == INK_GROUP_BYTES ? quoted : "no group");
    }
    return ink__fail(error, INK_NOT_FOUND, INK_NOWHERE, 0, "no filter \"%s\", found %s", name,
                     found[0] == '\0' ? "nothing" : found);
}

ink_status ink__seen_file_take(ink__seen_file *from, const char *name, ink_sketch **filter,
                               ink_error *error)
{
    const ink_label label = ink_group(name);
    ink_entry_info  info;

    for (uint64_t i = 0; i < from->count; i++) {
        INK__TRY(ink_file_entry(from->file, (size_t)i, &info, error));
        if (ink_label_compare(&info.label, &label) == 0 && from->others[i] != NULL) {
            *filter = from->others[i];
            from->others[i] = NULL;
            return INK_OK;
        }
    }
    return fail_level(from, name, error);
}

ink_status ink__seen_file_save(const ink__seen_file *from, const char *path,
                               const ink_sketch *const filters[INK__SEEN_LEVELS],
                               const ink__ngram_rule *ngrams, ink_error *error)
{
    char           names[INK__SEEN_LEVELS][INK__SEEN_NAME_BYTES];
    ink_entry      few[2 * INK__SEEN_LEVELS], *entries = few;
    uint64_t       bytes = (from->count + INK__SEEN_LEVELS) * sizeof *entries;
    ink_entry_info info;
    size_t         count = 0;
    ink_status     status = INK_OK;

    if (bytes > sizeof few)
        INK__TRY(ink__allocate(&from->allocator, bytes, &entries, error));
    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (filters[level] != NULL) {
            ink__seen_name((ink_dedup_level)level, ngrams, names[level]);
            entries[count++] = (ink_entry){ink_group(names[level]), filters[level]};
        }
    for (uint64_t i = 0; i < from->count && status == INK_OK; i++)
        if (from->others[i] != NULL) {
            status = ink_file_entry(from->file, (size_t)i, &info, error);
            entries[count++] = (ink_entry){info.label, from->others[i]};
        }
    if (status == INK_OK)
        status = ink_contents_save(path,
                                   &(ink_contents){.entries = entries,
                                                   .entry_count = count,
                                                   .allocator = &from->allocator},
                                   error);
    if (entries != few)
        ink__release(&from->allocator, entries, bytes);
    return status;
}

/* ---- All levels --------------------------------------------------------------------------- */

ink_status ink__seen_file_take_all(ink__seen_file *from, const ink_dedup_options *options,
                                   const bool used[INK_DEDUP_LEVELS], const ink__ngram_rule *ngrams,
                                   unsigned ranges, ink__seen seen[INK__SEEN_LEVELS], bool *exists,
                                   const ink_allocator *allocator, ink_error *error)
{
    const char *path = options->against != NULL ? options->against : options->seen;
    char        name[INK__SEEN_NAME_BYTES];
    ink_sketch *filter;

    INK__TRY(ink__seen_file_open(from, path, exists, allocator, error));
    if (!*exists && options->against != NULL)
        return ink__fail_io(error, ENOENT, "cannot read");
    if (!*exists && options->expected_keys == 0)
        return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                         "does not exist yet, expected {expected_keys}, the same for all files "
                         "that are to be merged");
    for (int level = 0; *exists && level < INK__SEEN_LEVELS; level++) {
        if (!used[level])
            continue;
        ink__seen_name((ink_dedup_level)level, ngrams, name);
        INK__TRY(ink__seen_file_take(from, name, &filter, error));
        INK__TRY(ink__seen_open_filter(&seen[level], ranges, filter, options->against != NULL,
                                       allocator, error));
    }
    return INK_OK;
}

ink_status ink__seen_file_save_all(const ink__seen_file *from, const char *path,
                                   const ink__seen         seen[INK__SEEN_LEVELS],
                                   const ink_dedup_report *report, const ink__ngram_rule *ngrams,
                                   ink_error *error)
{
    const ink_sketch *filters[INK__SEEN_LEVELS] = {NULL};

    for (int level = 0; level < INK__SEEN_LEVELS; level++)
        if (seen[level].filter != NULL) {
            filters[level] = seen[level].filter;
            ink__count_records(seen[level].filter, report->levels[level].texts);
        }
    return ink__seen_file_save(from, path, filters, ngrams, error);
}
