/* spool.c - an unnamed temporary file, which the system deletes when it is closed or the process
 * ends. */
#include "jobs/runtime/spool.h"

#include "base/size.h"
#include "base/status.h"
#include "base/system.h"
#include "base/text.h"

#include <errno.h>

enum { UNIT = 64 };
/* Linux moves at most 2 GiB at a time. */
#define TRANSFER_BYTES_MAX ((uint64_t)1 << 30)

void ink__spool_begin(ink__spool *spool, const char *folder)
{
    *spool = (ink__spool){.folder = folder, .file = -1};
}

void ink__spool_end(ink__spool *spool)
{
    ink__spool_unmap(spool);
    if (spool->file >= 0)
        ink__system_now()->close(spool->file);
    spool->file = -1;
}

static ink_status fail_spool(const ink__spool *spool, int os_error, const char *what,
                             ink_error *error)
{
    char text[160];

    ink__format(text, sizeof text, "cannot %s a temporary file in %s", what, spool->folder);
    return ink__fail_io(error, os_error, text);
}

ink_status ink__spool_reserve(ink__spool *spool, uint64_t bytes, uint64_t *at, ink_error *error)
{
    uint64_t start, end;
    int      file = spool->file;

    if (!ink__align_u64(spool->bytes, UNIT, &start) || !ink__add_u64(start, bytes, &end) ||
        end > INK__BYTES_MAX)
        return ink__fail(error, INK_LIMIT, INK_NOWHERE, 0,
                         "%llu bytes after %llu others, expected no more than a file can have",
                         (unsigned long long)bytes, (unsigned long long)spool->bytes);
    if (file < 0)
        INK__UNINTERRUPTED(file, ink__system_now()->open(spool->folder, INK__OPEN_HIDDEN, 0600));
    if (file < 0)
        return fail_spool(spool, -file, "make", error);
    spool->file = file;
    spool->bytes = end;
    *at = start;
    return INK_OK;
}

/* Reads into `to`, or, if that is NULL, writes. */
static ink_status transfer(const ink__spool *spool, uint64_t at, uint8_t *to, const uint8_t *from,
                           uint64_t bytes, ink_error *error)
{
    for (uint64_t done = 0; done < bytes;) {
        uint64_t  left = bytes - done;
        size_t    some = (size_t)(left < TRANSFER_BYTES_MAX ? left : TRANSFER_BYTES_MAX);
        long long count =
            to != NULL ? ink__system_now()->read_at(spool->file, to + done, some, at + done)
                       : ink__system_now()->write_at(spool->file, from + done, some, at + done);
        if (count == -EINTR)
            continue;
        if (count <= 0)
            return fail_spool(spool, count == 0 ? EIO : (int)-count,
                              to != NULL ? "read" : "write to", error);
        done += (uint64_t)count;
    }
    return INK_OK;
}

ink_status ink__spool_write(const ink__spool *spool, uint64_t at, const uint8_t *from,
                            uint64_t bytes, ink_error *error)
{
    return transfer(spool, at, NULL, from, bytes, error);
}

ink_status ink__spool_read(const ink__spool *spool, uint64_t at, uint8_t *to, uint64_t bytes,
                           ink_error *error)
{
    return transfer(spool, at, to, NULL, bytes, error);
}

ink_status ink__spool_map(ink__spool *spool, ink_error *error)
{
    if (spool->bytes == 0)
        return INK_OK;
    int result = ink__system_now()->map(spool->file, (size_t)spool->bytes, &spool->mapped);
    if (result < 0)
        return fail_spool(spool, -result, "map", error);
    spool->mapped_bytes = spool->bytes;
    return INK_OK;
}

void ink__spool_unmap(ink__spool *spool)
{
    if (spool->mapped_bytes > 0)
        ink__system_now()->unmap(spool->mapped, (size_t)spool->mapped_bytes);
    spool->mapped_bytes = 0;
}

const uint8_t *ink__spool_at(const ink__spool *spool, uint64_t at)
{
    static const uint8_t nothing[1]; /* for payloads without bytes, which are not mapped */

    return spool->mapped_bytes == 0 ? nothing : spool->mapped + at;
}
