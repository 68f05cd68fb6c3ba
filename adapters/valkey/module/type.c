/* type.c - the data type: RDB, AOF, DUMP, COPY, memory, digest.
 *
 * In an RDB file a value is strings: the head (value.h), then an .ink file in pieces, or as much of
 * one as has come, then an empty string. */
#include "type.h"

#include "inkling_file.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, PIECE = 1 << 20, EFFORT_BYTES = 4096 };

RM_Type *type_of_sketches;

/* ---- Save --------------------------------------------------------------------------------- */

/* The server has no way to hear that a value cannot be written. A child that ends leaves the old
 * file as it was. */
static void cannot_save(RM_IO *io, const char *why)
{
    RM_Ctx *ctx = RM_GetContextFromIO(io);

    RM_Log(ctx, "warning", "a value cannot be saved: %s", why);
    if ((RM_GetContextFlags(ctx) & RM_FLAG_IS_CHILD) != 0)
        _exit(1);
    abort();
}

static uint8_t *head_of(RM_IO *io, const value *v)
{
    uint8_t *head = RM_TryAlloc(value_head_bytes(v));

    if (head == NULL)
        cannot_save(io, "no memory");
    value_head_write(v, head);
    return head;
}

/* Gives the bytes of a value to a sink, piece by piece. */
static void write_bytes(RM_IO *io, const value *v, const ink_sink *sink)
{
    const body *of = v->body;
    ink_error   error;

    if (of->sketch == NULL) {
        for (size_t at = 0; at < of->arrived; at += PIECE)
            sink->write(sink->host, of->bytes + at,
                        of->arrived - at < PIECE ? of->arrived - at : PIECE);
        return;
    }
    memory_writes_out(true);
    if (ink_sketch_write(of->sketch, sink, &error) != INK_OK)
        cannot_save(io, error.message);
    memory_writes_out(false);
}

static int save_piece(void *host, const void *data, size_t bytes)
{
    if (bytes != 0) /* an empty one ends the value */
        RM_SaveStringBuffer(host, data, bytes);
    return 0;
}

static void rdb_save(RM_IO *io, void *saved)
{
    const value   *v = saved;
    uint8_t       *head = head_of(io, v);
    const ink_sink sink = {.write = save_piece, .host = io};

    RM_SaveStringBuffer(io, (const char *)head, value_head_bytes(v));
    RM_Free(head);
    write_bytes(io, v, &sink);
    RM_SaveStringBuffer(io, "", 0);
}

/* ---- Load --------------------------------------------------------------------------------- */

static void *refuse(RM_IO *io, value *v, const char *why)
{
    const RM_String *key = RM_GetKeyNameFromIO(io);
    size_t           bytes = 0;
    const char      *name = key == NULL ? "?" : RM_StringPtrLen(key, &bytes);

    RM_LogIOError(io, "warning", "key '%.*s': %s", key == NULL ? 1 : (int)bytes, name, why);
    value_free(v);
    return NULL;
}

/* The next string that is not empty, to be freed; NULL at the end, or with *failed. */
static char *next_piece(RM_IO *io, size_t *bytes, bool *failed)
{
    char *piece = RM_LoadStringBuffer(io, bytes);

    *failed = RM_IsIOError(io) || piece == NULL;
    if (*failed || *bytes == 0) {
        RM_Free(piece);
        return NULL;
    }
    return piece;
}

static const char *load_half(RM_IO *io, value *v)
{
    body        *of = v->body;
    const size_t expected = of->arrived;
    size_t       bytes;
    bool         failed;

    of->bytes = memory_zeroed(&of->memory, of->total);
    of->arrived = 0;
    if (of->bytes == NULL)
        return "no memory";
    for (char *piece; (piece = next_piece(io, &bytes, &failed)) != NULL; RM_Free(piece)) {
        if (bytes > expected - of->arrived) {
            RM_Free(piece);
            return "more bytes than its head says";
        }
        memcpy(of->bytes + of->arrived, piece, bytes);
        of->arrived += bytes;
    }
    return failed                   ? "it is cut short"
           : of->arrived < expected ? "fewer bytes than its head says"
                                    : NULL;
}

static const char *load_sketch(RM_IO *io, value *v, ink_error *error)
{
    const ink_allocator memory = memory_of(&v->body->memory);
    ink_decoder        *decoder;
    ink_sketch         *sketch = NULL;
    size_t              bytes;
    bool                failed;
    ink_status          status = ink_decoder_create(&decoder, &memory, error);

    if (status != INK_OK)
        return error->message;
    for (char *piece; (piece = next_piece(io, &bytes, &failed)) != NULL; RM_Free(piece))
        if (status == INK_OK)
            status = ink_decoder_write(decoder, piece, bytes, error);
    if (status == INK_OK && !failed)
        status = ink_decoder_finish(decoder, &sketch, error);
    ink_decoder_free(decoder);
    if (sketch != NULL)
        value_take(v, sketch);
    return failed ? "it is cut short" : status != INK_OK ? error->message : NULL;
}

static bool load_head(RM_IO *io, value *v)
{
    size_t bytes;
    bool   failed, good;
    char  *head = next_piece(io, &bytes, &failed);

    good = head != NULL && value_head_read(v, (const uint8_t *)head, bytes);
    RM_Free(head);
    return good;
}

static void *rdb_load(RM_IO *io, int version)
{
    ink_error   error;
    value      *v;
    const char *why;

    if (version > VERSION) {
        RM_LogIOError(
            io, "warning",
            "a value of encoding version %d, expected at most %d: it needs a newer module", version,
            VERSION);
        return NULL;
    }
    if ((v = value_create(FAMILY_NATIVE)) == NULL)
        return refuse(io, NULL, "no memory");
    if (!load_head(io, v))
        return refuse(io, v, "its head is damaged, or there is no memory for it");
    why = v->body->total != 0 ? load_half(io, v) : load_sketch(io, v, &error);
    if (why == NULL && !value_fits(v))
        why = "its head does not go with its sketch";
    if (why != NULL)
        return refuse(io, v, why);
    return v;
}

/* A key is one sketch, and has no place for a label. */
static ink_status check_single(const void *data, size_t bytes, ink_error *error)
{
    static const char expected[] =
        "%zu sketches or a labelled one, expected one without a label: in Python "
        "inkling.open(FILE)[LABEL].save(NEW) takes one out";
    ink_entry_info entry = {0};
    ink_file      *file;
    ink_status     status = ink_file_decode(&file, data, bytes, INK_OPEN_LAZY, NULL, error);

    if (status != INK_OK)
        return status;
    const size_t count = ink_file_count(file);
    status = count == 0 ? INK_OK : ink_file_entry(file, 0, &entry, error);
    if (status == INK_OK &&
        (count != 1 || entry.label.group_kind != INK_GROUP_NONE || entry.label.has_slot)) {
        *error = (ink_error){.status = status = INK_USAGE};
        snprintf(error->message, sizeof error->message, expected, count);
    }
    ink_file_close(file);
    return status;
}

ink_status type_decode(value *v, const void *data, size_t bytes, ink_error *error)
{
    const ink_allocator memory = memory_of(&v->body->memory);
    ink_sketch         *sketch;
    ink_status          status = check_single(data, bytes, error);

    if (status == INK_OK)
        status = ink_sketch_decode(&sketch, data, bytes, &memory, error);
    if (status == INK_OK)
        value_take(v, sketch);
    return status;
}

ink_status type_complete(value **whole, const value *half, ink_error *error)
{
    value *v = value_create(FAMILY_NATIVE);

    if (v == NULL)
        return value_no_memory(error);
    v->set = half->set;
    ink_status status = type_decode(v, half->body->bytes, half->body->total, error);
    if (status == INK_OK && half->heap != NULL &&
        (v->heap = heap_copy(half->heap, &v->body->memory)) == NULL)
        status = value_no_memory(error);
    if (status == INK_OK && !value_fits(v)) {
        *error = (ink_error){.status = status = INK_FORMAT,
                             .message = "its head does not go with its sketch"};
    }
    if (status != INK_OK)
        value_free(v);
    else
        *whole = v;
    return status;
}

/* ---- AOF ---------------------------------------------------------------------------------- */

typedef struct rewrite {
    RM_IO     *io;
    RM_String *key;
    size_t     at, total;
    bool       begun;
    uint8_t   *head; /* goes with the first piece */
    size_t     head_bytes;
} rewrite;

static int emit_piece(void *host, const void *data, size_t bytes)
{
    rewrite *r = host;

    if (bytes == 0 && r->at != 0)
        return 0;
    if (!r->begun)
        RM_EmitAOF(r->io, "INK.SETCHUNK", "sllbcb", r->key, 0LL, (long long)r->total, data, bytes,
                   "HEAD", r->head, r->head_bytes);
    else
        RM_EmitAOF(r->io, "INK.SETCHUNK", "sllb", r->key, (long long)r->at, (long long)r->total,
                   data, bytes);
    r->begun = true;
    r->at += bytes;
    return 0;
}

static void aof_rewrite(RM_IO *io, RM_String *key, void *written)
{
    const value   *v = written;
    rewrite        r = {.io = io, .key = key, .total = v->body->total};
    const ink_sink sink = {.write = emit_piece, .host = &r};
    ink_error      error;

    memory_writes_out(true);
    if (v->body->sketch != NULL &&
        ink_sketch_encoded_bytes(v->body->sketch, &r.total, &error) != INK_OK)
        cannot_save(io, error.message);
    r.head = head_of(io, v);
    r.head_bytes = value_head_bytes(v);
    write_bytes(io, v, &sink);
    if (!r.begun) /* a half value of which nothing has come but its head */
        emit_piece(&r, "", 0);
    memory_writes_out(false);
    RM_Free(r.head);
}

/* ---- The rest ----------------------------------------------------------------------------- */

static size_t mem_usage(const void *used)
{
    return value_memory(used);
}

static void digest(RM_Digest *to, void *digested)
{
    const value *v = digested;
    uint8_t      of_sketch[INK_DIGEST_BYTES];
    uint8_t     *head = RM_TryAlloc(value_head_bytes(v));

    if (head != NULL) {
        value_head_write(v, head);
        RM_DigestAddStringBuffer(to, (const char *)head, value_head_bytes(v));
        RM_Free(head);
    }
    if (v->body->sketch == NULL)
        RM_DigestAddStringBuffer(to, (const char *)v->body->bytes, v->body->arrived);
    else if (ink_sketch_digest(v->body->sketch, of_sketch, NULL) == INK_OK)
        RM_DigestAddStringBuffer(to, (const char *)of_sketch, sizeof of_sketch);
    RM_DigestEndSequence(to);
}

static void free_value(void *freed)
{
    value_free(freed);
}

static size_t free_effort(RM_String *key, const void *freed)
{
    (void)key;
    return value_memory(freed) / EFFORT_BYTES + 1;
}

static void *copy(RM_String *from, RM_String *to, const void *copied)
{
    ink_error error;
    value    *made;

    (void)from;
    (void)to;
    return value_copy(&made, copied, &error) == INK_OK ? made : NULL;
}

int type_register(RM_Ctx *ctx)
{
    static RM_TypeMethods methods = {
        .version = RM_TYPE_METHODS,
        .rdb_load = rdb_load,
        .rdb_save = rdb_save,
        .aof_rewrite = aof_rewrite,
        .mem_usage = mem_usage,
        .digest = digest,
        .free = free_value,
        .free_effort = free_effort,
        .copy = copy,
    };

    type_of_sketches = RM_CreateDataType(ctx, "inksketch", VERSION, &methods);
    return type_of_sketches != NULL ? RM_OK : RM_ERR;
}
