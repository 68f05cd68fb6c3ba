/* keys.h - keys of the server as the commands here open, make and change them. */
#ifndef INKLING_VALKEY_KEYS_H
#define INKLING_VALKEY_KEYS_H

#include "value.h"

typedef struct open_key {
    RM_Key    *key;
    RM_String *name;
    value     *value; /* NULL: there is none */
} open_key;

/* What a command does with a key: it asks, it changes what is there, or it also takes a value that
 * is not whole. */
typedef enum access { ACCESS_READ, ACCESS_WRITE, ACCESS_ANY } access;

/* Opens a key. Replies with an error and is false if it holds something else, a value that is not
 * whole, or one that a thread reads while the command would change it. */
bool key_open(RM_Ctx *ctx, RM_String *name, access how, open_key *opened);
void key_close(open_key *opened);

/* Opens a key to see what is there, without a reply. False: it holds something else. */
bool key_look(RM_Ctx *ctx, RM_String *name, open_key *opened);

/* key_open, and a value of these kinds of commands; of native ones, a kind that the family has. A
 * missing key is reported as `missing`, unless that is NULL. */
bool key_open_of(RM_Ctx *ctx, RM_String *name, access how, family of, const char *missing,
                 open_key *opened);

/* Puts a value there, without expiry; it is the key's then. */
void key_set(open_key *to, value *v);

/* After a change: watchers, keyspace events (the name of the command), the generation. The caller
 * replicates. */
void key_changed(RM_Ctx *ctx, open_key *changed, const char *event);

#endif
