/* webhdfs_writer.c - writing a file over WebHDFS. A NameNode redirects to a DataNode (CREATE, 307),
 * which takes the bytes (PUT, 201); the NameNode then renames the file (RENAME, 200). It has a
 * hidden name before, since a DataNode takes a broken connection for the end of a file. */
#include "net/webhdfs_writer.h"

#include "base/json.h"
#include "base/memory.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"
#include "net/namenodes.h"

enum {
    TEMPORARY_BYTES = 64, /* of the last part of its name */
    TRIES = 3,            /* to reach a DataNode */
    /* Limits for removing a file after a failure. */
    REMOVE_CONNECT_MILLISECONDS = 5000,
    REMOVE_SILENCE_MILLISECONDS = 10000,
};

struct ink__webhdfs {
    ink_allocator   allocator;
    bool            begun;  /* a file may exist */
    ink_status      status; /* of the first failure */
    ink_error       failure;
    ink__namenodes *servers; /* of the path, and of the new file beside it */
};

static ink_status create(ink__webhdfs *to, ink_error *error)
{
    const ink__question asked = {"PUT", to->servers->beside, "CREATE", "&overwrite=true", true};
    ink__namenodes     *servers = to->servers;
    ink__answer         answer = {0};
    bool                refused = false;
    unsigned            tries = 0;
    ink_status          status;

    do {
        ink__namenodes_avoid(servers); /* one that cannot be reached */
        status = ink__namenodes_redirect(servers, &asked, true, &answer, &refused, error);
        to->begun = refused ? answer.status == INK__HTTP_CREATED  /* unexpected, before any bytes */
                            : servers->http.connection.file >= 0; /* even if the request failed */
    } while (status == INK_IO && !to->begun && servers->datanode.port != 0 && ++tries < TRIES);
    return status;
}

/* Checks the DataNode's answer after all bytes, or before. */
static ink_status hear(ink__webhdfs *to, bool complete, ink_error *error)
{
    ink__answer answer;

    INK__TRY(ink__http_answer(&to->servers->http, &answer, error));
    if (answer.status == INK__HTTP_CREATED && complete)
        return INK_OK;
    if (answer.status == INK__HTTP_CREATED)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s answered 201 before it had all bytes, expected it after them",
                         to->servers->http.connection.named);
    ink__namenodes_hear(to->servers, &answer);
    return ink__namenodes_refuse(to->servers, &answer, "the bytes", INK__HTTP_CREATED, error);
}

static ink_status put_in_place(ink__webhdfs *to, bool overwrite, ink_error *error)
{
    const ink__question asked = {"PUT", to->servers->beside,
                                 overwrite ? "RENAME&renameoptions=OVERWRITE&destination="
                                           : "RENAME&renameoptions=NONE&destination=",
                                 to->servers->path, false};
    ink__answer         answer;
    ink__json_path      path;
    ink__json_value     done = {0};

    INK__TRY(ink__namenodes_ask(to->servers, &asked, &to->servers->patience, &answer, error));
    if (answer.status != INK__HTTP_OK)
        return ink__namenodes_refuse(to->servers, &answer, "RENAME", INK__HTTP_OK, error);
    /* A gateway that knows no options says {"boolean": false} where a file is in the way. */
    if (ink__json_path_create(&path, "boolean", NULL) == INK_OK &&
        ink__json_find(answer.body, 0, answer.body_bytes, &path, 1, &done, NULL) == INK_OK &&
        done.kind == INK__JSON_FALSE)
        return ink__fail(error, INK_IO, INK_NOWHERE, 0,
                         "%s did not rename the file, expected a path where nothing is",
                         to->servers->http.connection.named);
    return INK_OK;
}

/* Removes what was begun, as far as that is possible. */
static void remove_begun(ink__webhdfs *to)
{
    const ink__question asked = {"DELETE", to->servers->beside, "DELETE", "", false};
    ink__patience       patience = to->servers->patience;
    ink__answer         answer;

    if (patience.connect > REMOVE_CONNECT_MILLISECONDS)
        patience.connect = REMOVE_CONNECT_MILLISECONDS;
    if (patience.silence > REMOVE_SILENCE_MILLISECONDS)
        patience.silence = REMOVE_SILENCE_MILLISECONDS;
    patience.pause = 0;
    /* A file that is removed before the DataNode has made it would come back. */
    ink__http_break_off(&to->servers->http, patience.connect);
    ink__disconnect(&to->servers->http.connection);
    if (to->begun)
        ink__namenodes_ask(to->servers, &asked, &patience, &answer, NULL);
}

static void release(ink__webhdfs *to)
{
    ink_allocator allocator = to->allocator;

    ink__namenodes_close(to->servers);
    ink__release(&allocator, to, sizeof *to);
}

ink_status ink__webhdfs_begin(ink__webhdfs **output, const char *address,
                              const ink__patience *patience, const ink_allocator *allocator,
                              ink_error *error)
{
    char          temporary[TEMPORARY_BYTES];
    ink__webhdfs *to;

    ink__format(temporary, sizeof temporary, "_ink.%lld.%llx", ink__system_now()->process_id(),
                (unsigned long long)ink__system_now()->nanoseconds());
    INK__TRY(ink__allocate_zeroed(allocator, sizeof *to, &to, error));
    to->allocator = *allocator;
    ink_status status =
        ink__namenodes_open(&to->servers, address, temporary, patience, allocator, error);
    if (status == INK_OK) {
        status = create(to, error);
        if (status != INK_OK)
            remove_begun(to);
    }
    if (status == INK_OK)
        *output = to;
    else
        release(to);
    return status;
}

/* Keeps a failure, and reports it. */
static ink_status conclude(ink__webhdfs *to, ink_status status, ink_error *error)
{
    to->status = status;
    if (status != INK_OK && error != NULL)
        *error = to->failure;
    return status;
}

ink_status ink__webhdfs_write(ink__webhdfs *output, const uint8_t *bytes, size_t count,
                              ink_error *error)
{
    ink_status status = output->status;

    if (status == INK_OK) {
        ink__http_put(&output->servers->http, bytes, count);
        if (output->servers->http.stopped)
            status = hear(output, false, &output->failure);
    }
    return conclude(output, status, error);
}

ink_status ink__webhdfs_commit(ink__webhdfs *output, bool overwrite, ink_error *error)
{
    ink_status status = output->status;

    if (status == INK_OK) {
        ink__http_end(&output->servers->http);
        status = hear(output, !output->servers->http.stopped, &output->failure);
        ink__disconnect(&output->servers->http.connection);
        if (status == INK_OK)
            status = put_in_place(output, overwrite, &output->failure);
    }
    conclude(output, status, error);
    if (status != INK_OK)
        remove_begun(output);
    release(output);
    return status;
}

void ink__webhdfs_abandon(ink__webhdfs *output)
{
    remove_begun(output);
    release(output);
}
