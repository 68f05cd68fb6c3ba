/* tree.h - all that is in a folder, in memory: to compare with what is there later, and to put it
 * back. */
#ifndef INK_TORTURE_TREE_H
#define INK_TORTURE_TREE_H

#include <stdbool.h>
#include <stddef.h>

typedef struct tree_entry {
    char    *path; /* below the folder */
    unsigned mode;
    char    *bytes; /* of a file */
    size_t   count;
} tree_entry;

typedef struct tree {
    tree_entry *entries; /* folders before what is in them */
    size_t      count;
} tree;

/* Reads a folder; ends the program if that fails. */
void tree_read(tree *to, const char *folder);
void tree_free(tree *of);

bool is_progress(const char *path);
/* Whether two are the same; if not, `text` names a difference. */
bool tree_same(const tree *before, const tree *after, char *text, size_t room);

/* Whether it has this very entry. */
bool tree_has(const tree *of, const tree_entry *entry);

/* Makes a folder what it was; `now` is what it is. */
void tree_restore(const tree *wanted, const tree *now, const char *folder);

/* Copies what has this name from one folder to another, if it is there. */
bool tree_copy(const char *from, const char *to, const char *name);

/* Removes a folder and all in it. */
void tree_remove(const char *folder);

/* The bytes of a file with a NUL after them, to be freed; count may be NULL. */
char *file_read(const char *path, size_t *count);
void  file_write(const char *path, const void *bytes, size_t count, unsigned mode);

/* Ends the program with a line. */
_Noreturn void torture_die(const char *format, ...) __attribute__((format(printf, 1, 2)));

#endif
