/* tree.c - all that is in a folder, in memory. */
#define _GNU_SOURCE 1
#include "tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { PATH_BYTES = 1024 };

void torture_die(const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    fputs("torture: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(2);
}

static void *grown(void *block, size_t bytes)
{
    void *larger = realloc(block, bytes);

    if (larger == NULL)
        torture_die("not enough memory");
    return larger;
}

char *file_read(const char *path, size_t *count)
{
    struct stat status;
    int         file = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

    if (file < 0 || fstat(file, &status) != 0)
        torture_die("%s: cannot open: %s", path, strerror(errno));
    char   *bytes = grown(NULL, (size_t)status.st_size + 1);
    ssize_t got = read(file, bytes, (size_t)status.st_size);
    if (got != status.st_size)
        torture_die("%s: cannot read: %s", path, strerror(errno));
    close(file);
    bytes[got] = '\0';
    if (count != NULL)
        *count = (size_t)got;
    return bytes;
}

void file_write(const char *path, const void *bytes, size_t count, unsigned mode)
{
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, mode);

    if (file < 0 || write(file, bytes, count) != (ssize_t)count || fchmod(file, mode) != 0)
        torture_die("%s: cannot write: %s", path, strerror(errno));
    close(file);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

static void add(tree *to, const char *folder, const char *path)
{
    char        whole[PATH_BYTES];
    struct stat status;

    snprintf(whole, sizeof whole, "%s/%s", folder, path);
    if (lstat(whole, &status) != 0)
        torture_die("%s: cannot stat: %s", whole, strerror(errno));
    to->entries = grown(to->entries, (to->count + 1) * sizeof *to->entries);
    tree_entry *entry = &to->entries[to->count++];
    *entry = (tree_entry){.path = strdup(path), .mode = (unsigned)status.st_mode};
    if (S_ISREG(status.st_mode))
        entry->bytes = file_read(whole, &entry->count);
}

static void read_below(tree *to, const char *folder, const char *below)
{
    char            whole[PATH_BYTES], path[PATH_BYTES];
    struct dirent **found;

    snprintf(whole, sizeof whole, "%s/%s", folder, below);
    int count = scandir(whole, &found, NULL, by_name);
    if (count < 0)
        torture_die("%s: cannot list: %s", whole, strerror(errno));
    for (int i = 0; i < count; i++) {
        const char *name = found[i]->d_name;
        if (strcmp(name, ".") != 0 && strcmp(name, "..") != 0) {
            snprintf(path, sizeof path, "%s%s%s", below, *below == '\0' ? "" : "/", name);
            add(to, folder, path);
            if (S_ISDIR(to->entries[to->count - 1].mode))
                read_below(to, folder, path);
        }
        free(found[i]);
    }
    free(found);
}

void tree_read(tree *to, const char *folder)
{
    *to = (tree){0};
    read_below(to, folder, "");
}

void tree_free(tree *of)
{
    for (size_t i = 0; i < of->count; i++) {
        free(of->entries[i].path);
        free(of->entries[i].bytes);
    }
    free(of->entries);
    *of = (tree){0};
}

static const tree_entry *entry_of(const tree *in, const char *path)
{
    for (size_t i = 0; i < in->count; i++)
        if (strcmp(in->entries[i].path, path) == 0)
            return &in->entries[i];
    return NULL;
}

/* What a lock says is who held it last, which is no result. */
static bool is_lock(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL && strcmp(slash, "/lock") == 0;
}

static bool same_entry(const tree_entry *a, const tree_entry *b)
{
    if (is_lock(a->path))
        return a->mode == b->mode;
    return a->mode == b->mode && a->count == b->count &&
           (a->count == 0 || memcmp(a->bytes, b->bytes, a->count) == 0);
}

bool tree_has(const tree *of, const tree_entry *entry)
{
    const tree_entry *found = entry_of(of, entry->path);

    return found != NULL && same_entry(found, entry);
}

/* What ink dedup keeps of a run for the next one: of a run that was done it may be missing, and of
 * one that was not it is there. */
bool is_progress(const char *path)
{
    return strstr(path, "/.ink-dedup-progress") != NULL;
}

bool tree_same(const tree *before, const tree *after, char *text, size_t room)
{
    for (size_t i = 0; i < before->count; i++) {
        const tree_entry *was = &before->entries[i], *is = entry_of(after, was->path);
        if (is == NULL && is_progress(was->path))
            continue;
        if (is == NULL) {
            snprintf(text, room, "%s is gone", was->path);
            return false;
        }
        if (!same_entry(was, is)) {
            snprintf(text, room, "%s has changed", was->path);
            return false;
        }
    }
    for (size_t i = 0; i < after->count; i++)
        if (entry_of(before, after->entries[i].path) == NULL) {
            snprintf(text, room, "%s is new", after->entries[i].path);
            return false;
        }
    return true;
}

void tree_remove(const char *folder)
{
    tree now;
    char whole[PATH_BYTES];

    tree_read(&now, folder);
    for (size_t i = now.count; i > 0; i--) {
        snprintf(whole, sizeof whole, "%s/%s", folder, now.entries[i - 1].path);
        remove(whole);
    }
    tree_free(&now);
    rmdir(folder);
}

static void put(const tree_entry *entry, const char *folder)
{
    char whole[PATH_BYTES];

    snprintf(whole, sizeof whole, "%s/%s", folder, entry->path);
    if (S_ISDIR(entry->mode))
        mkdir(whole, entry->mode & 0777u);
    else if (S_ISREG(entry->mode))
        file_write(whole, entry->bytes, entry->count, entry->mode & 0777u);
    else if (S_ISFIFO(entry->mode))
        mkfifo(whole, entry->mode & 0777u);
}

void tree_restore(const tree *wanted, const tree *now, const char *folder)
{
    char whole[PATH_BYTES];

    for (size_t i = now->count; i > 0; i--) {
        const tree_entry *is = &now->entries[i - 1], *was = entry_of(wanted, is->path);
        if (was != NULL && (was->mode & S_IFMT) == (is->mode & S_IFMT))
            continue;
        snprintf(whole, sizeof whole, "%s/%s", folder, is->path);
        remove(whole);
    }
    for (size_t i = 0; i < wanted->count; i++) {
        const tree_entry *was = &wanted->entries[i], *is = entry_of(now, was->path);
        if (is == NULL || !same_entry(was, is))
            put(was, folder);
    }
}

bool tree_copy(const char *from, const char *to, const char *name)
{
    char        whole[PATH_BYTES];
    struct stat status;
    tree        copied = {0}, none = {0};

    snprintf(whole, sizeof whole, "%s/%s", from, name);
    if (*name == '\0' || lstat(whole, &status) != 0)
        return false;
    add(&copied, from, name);
    if (S_ISDIR(status.st_mode))
        read_below(&copied, from, name);
    tree_restore(&copied, &none, to);
    tree_free(&copied);
    return true;
}
