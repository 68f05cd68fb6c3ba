/* background.h - work on large values in threads: the client waits, and the server goes on. Until
 * it is done the values are read by the thread, and commands that would change them are refused
 * with INKBUSY. */
#ifndef INKLING_VALKEY_BACKGROUND_H
#define INKLING_VALKEY_BACKGROUND_H

#include "value.h"

typedef struct task task;

struct task {
    void (*run)(task *t); /* in a thread, which may read bodies */
    void (*finish)(RM_Ctx *ctx,
                   task   *t); /* with the server to itself: replies, and frees the task */
    RM_Blocked *blocked;
    RM_String **words; /* of the command, copied where it goes on in a thread */
    int         word_count;
    body      **read; /* what it reads, held by the task; NULL where a key has none */
    size_t      read_count;
};

/* Room for a task of this size and the bodies of read_count keys; NULL: no memory. */
task *task_create(size_t bytes, size_t read_count);
void  task_free(task *t);

/* Runs and finishes it: in a thread if what it reads is large and the client can wait, else at
 * once. */
int task_start(RM_Ctx *ctx, task *t, RM_String **argv, int argc);

#endif
