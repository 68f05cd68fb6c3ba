/* keys.c - see keys.h. */
#include "keys.h"

#include "reply.h"
#include "type.h"

#include <string.h>

static bool fail(RM_Ctx *ctx, open_key *opened, const char *error)
{
    key_close(opened);
    RM_ReplyWithError(ctx, error);
    return false;
}

/* False: it holds something else. */
static bool open_any(RM_Ctx *ctx, RM_String *name, int mode, open_key *opened)
{
    *opened = (open_key){.key = RM_OpenKey(ctx, name, mode), .name = name};
    if (opened->key == NULL)
        return true;
    if (RM_ModuleTypeGetType(opened->key) != type_of_sketches)
        return RM_KeyType(opened->key) == RM_KEY_EMPTY;
    opened->value = RM_ModuleTypeGetValue(opened->key);
    return true;
}

bool key_look(RM_Ctx *ctx, RM_String *name, open_key *opened)
{
    if (open_any(ctx, name, RM_READ, opened))
        return true;
    key_close(opened);
    return false;
}

bool key_open(RM_Ctx *ctx, RM_String *name, access how, open_key *opened)
{
    if (!open_any(ctx, name, how == ACCESS_READ ? RM_READ : RM_READ | RM_WRITE, opened))
        return fail(ctx, opened, REPLY_WRONG_TYPE);
    if (opened->value == NULL)
        return true;
    if (opened->value->kind == NULL && how != ACCESS_ANY)
        return fail(ctx, opened, "ERR the value has not come whole yet");
    if (opened->value->body->readers != 0 && how != ACCESS_READ)
        return fail(ctx, opened, "INKBUSY a thread reads this value: try again");
    if (how == ACCESS_WRITE && opened->value->body->bytes != NULL)
        body_forget(opened->value->body);
    return true;
}

void key_close(open_key *opened)
{
    if (opened->key != NULL)
        RM_CloseKey(opened->key);
    opened->key = NULL;
}

bool key_open_of(RM_Ctx *ctx, RM_String *name, access how, family of, const char *missing,
                 open_key *opened)
{
    if (!key_open(ctx, name, how, opened))
        return false;
    if (opened->value == NULL)
        return missing == NULL || fail(ctx, opened, missing);
    if (opened->value->set.family == of || value_serves(opened->value, of))
        return true;
    return fail(ctx, opened, REPLY_WRONG_TYPE);
}

void key_set(open_key *to, value *v)
{
    RM_ModuleTypeSetValue(to->key, type_of_sketches, v);
    to->value = v;
}

void key_changed(RM_Ctx *ctx, open_key *changed, const char *event)
{
    value_changed(changed->value);
    RM_SignalModifiedKey(ctx, changed->name);
    RM_NotifyKeyspaceEvent(ctx, RM_NOTIFY_MODULE, event, changed->name);
}
