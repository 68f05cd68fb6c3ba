/* status.c - statuses, their names, and the message that goes with a failure. */
#include "base/status.h"

#include "base/system.h"
#include "base/text.h"

#include <stdarg.h>
#include <string.h>

const char *ink_status_name(ink_status status)
{
#define NAME(status) [status] = #status
    static const char *const names[] = {
        NAME(INK_OK),     NAME(INK_USAGE),    NAME(INK_UNSUPPORTED), NAME(INK_READ_ONLY),
        NAME(INK_FORMAT), NAME(INK_MISMATCH), NAME(INK_NOT_FOUND),   NAME(INK_PROMISE),
        NAME(INK_IO),     NAME(INK_MEMORY),   NAME(INK_LIMIT),       NAME(INK_STOPPED),
    };
#undef NAME

    return (size_t)status < sizeof names / sizeof names[0] ? names[status] : "an unknown status";
}

static const char *const parameters[] = {
    [INK_PARAMETER_KIND] = "kind",
    [INK_PARAMETER_EXPECTED_KEYS] = "expected_keys",
    [INK_PARAMETER_FALSE_POSITIVE_RATE] = "false_positive_rate",
    [INK_PARAMETER_BITS] = "bits",
    [INK_PARAMETER_HASHES] = "hashes",
    [INK_PARAMETER_RATIO] = "ratio",
    [INK_PARAMETER_EPSILON] = "epsilon",
    [INK_PARAMETER_DELTA] = "delta",
    [INK_PARAMETER_WIDTH] = "width",
    [INK_PARAMETER_DEPTH] = "depth",
    [INK_PARAMETER_COUNTER_BITS] = "counter_bits",
    [INK_PARAMETER_CONSERVATIVE] = "conservative",
    [INK_PARAMETER_TOP_KEYS] = "top_keys",
    [INK_PARAMETER_PHI] = "phi",
    [INK_PARAMETER_PRECISION] = "precision",
    [INK_PARAMETER_KEY_TYPE] = "key_type",
    [INK_PARAMETER_HASH] = "hash",
    [INK_PARAMETER_SEED] = "seed",
    [INK_PARAMETER_SECRET] = "secret",
    [INK_PARAMETER_MAX_RATE] = "max_rate",
    [INK_PARAMETER_RATE] = "rate",
    [INK_PARAMETER_DIVISOR] = "divisor",
    [INK_PARAMETER_K] = "k",
    [INK_PARAMETER_CONFIDENCE] = "confidence",
    [INK_PARAMETER_ESTIMATOR] = "estimator",
    [INK_PARAMETER_OPEN_COPY] = "INK_OPEN_COPY",
    [INK_PARAMETER_SLOTS] = "slots",
    [INK_PARAMETER_FORM] = "form",
    [INK_PARAMETER_DELIMITER] = "delimiter",
    [INK_PARAMETER_BLANKS] = "blanks",
    [INK_PARAMETER_HEADER] = "header",
    [INK_PARAMETER_MULTILINE] = "multiline",
    [INK_PARAMETER_KEY] = "key",
    [INK_PARAMETER_BY] = "by",
    [INK_PARAMETER_ROUND] = "round",
    [INK_PARAMETER_WEIGHT] = "weight",
    [INK_PARAMETER_TIME] = "time",
    [INK_PARAMETER_TIME_UNIT] = "time_unit",
    [INK_PARAMETER_SKIP_BAD] = "skip_bad",
    [INK_PARAMETER_MEMORY_BYTES] = "memory_bytes",
    [INK_PARAMETER_HEADROOM] = "headroom",
    [INK_PARAMETER_SKEW] = "skew",
    [INK_PARAMETER_ONCE] = "once",
    [INK_PARAMETER_OVERWRITE] = "overwrite",
    [INK_PARAMETER_GROUP_COLUMN] = "group_column",
    [INK_PARAMETER_GROUPS] = "groups",
    [INK_PARAMETER_CONCURRENT] = "concurrent",
};

enum { PARAMETERS = sizeof parameters / sizeof parameters[0] };

const char *ink_parameter_name(size_t parameter)
{
    return parameter < PARAMETERS ? parameters[parameter] : NULL;
}

/* Notes a parameter where the message names it. */
static void note_named(void *host, size_t start, size_t bytes)
{
    ink_error *error = host;

    for (uint16_t i = 0; i < PARAMETERS && error->named_count < INK_NAMED_MAX; i++)
        if (strlen(parameters[i]) == bytes &&
            memcmp(parameters[i], error->message + start, bytes) == 0)
            error->named[error->named_count++] =
                (ink_named){.parameter = i, .start = (uint16_t)start, .bytes = (uint16_t)bytes};
}

ink_status ink__fail(ink_error *error, ink_status status, ink_location location, uint64_t at,
                     const char *format, ...)
{
    va_list arguments;

    if (error == NULL)
        return status;
    error->status = status;
    error->location = location;
    error->at = at;
    error->os_error = 0;
    error->named_count = 0;
    memset(error->reserved, 0, sizeof error->reserved);
    va_start(arguments, format);
    ink__format_message(error->message, sizeof error->message, note_named, error, format,
                        arguments);
    va_end(arguments);
    return status;
}

ink_status ink__fail_io(ink_error *error, int os_error, const char *what)
{
    char reason[128];

    ink__system_reason(os_error, reason, sizeof reason);
    ink__fail(error, INK_IO, INK_NOWHERE, 0, "%s: %s", what, reason);
    if (error != NULL)
        error->os_error = os_error;
    return INK_IO;
}

/* Appends as many of these bytes as find room beside the NUL. */
static size_t append(char *text, size_t text_bytes, size_t used, const char *bytes, size_t count)
{
    if (text_bytes == 0)
        return 0;
    if (count > text_bytes - 1 - used)
        count = text_bytes - 1 - used;
    memcpy(text + used, bytes, count);
    text[used + count] = '\0';
    return used + count;
}

void ink__fail_within(ink_error *error, const char *format, ...)
{
    char    message[INK_MESSAGE_BYTES];
    size_t  used, kept = 0;
    va_list arguments;

    if (error == NULL)
        return;
    memcpy(message, error->message, sizeof message);
    va_start(arguments, format);
    ink__format_list(error->message, sizeof error->message, format, arguments);
    va_end(arguments);
    used = strlen(error->message);
    append(error->message, sizeof error->message, used, message, strlen(message));
    for (uint32_t i = 0; i < error->named_count; i++) {
        ink_named named = error->named[i];
        if (used + named.start + named.bytes >= sizeof message - 1)
            break;
        named.start = (uint16_t)(used + named.start);
        error->named[kept++] = named;
    }
    error->named_count = (uint32_t)kept;
}

void ink__fail_hint(ink_error *error, const char *format, ...)
{
    ink_error hint = {.named_count = 0};
    size_t    used, whole, room, kept = 0;
    va_list   arguments;

    if (error == NULL)
        return;
    va_start(arguments, format);
    ink__format_message(hint.message, sizeof hint.message, note_named, &hint, format, arguments);
    va_end(arguments);
    whole = used = strlen(error->message); /* what stays of the message */
    room = sizeof error->message - 1 - strlen(hint.message);
    if (used > room) {
        used = room < 3 ? 0 : room - 3;
        while (used > 0 && ((uint8_t)error->message[used] & 0xc0) == 0x80)
            used--; /* the start of a character of UTF-8 */
        whole = used;
        used = append(error->message, room + 1, used, "...", 3);
    }
    append(error->message, sizeof error->message, used, hint.message, strlen(hint.message));
    while (kept < error->named_count &&
           (size_t)error->named[kept].start + error->named[kept].bytes <= whole)
        kept++;
    for (uint32_t i = 0; i < hint.named_count && kept < INK_NAMED_MAX; i++) {
        error->named[kept] = hint.named[i];
        error->named[kept++].start = (uint16_t)(used + hint.named[i].start);
    }
    error->named_count = (uint32_t)kept;
}

ink_status ink__fail_rate(double rate, double limit, bool allowed, uint64_t keys, ink_error *error)
{
    static const char *const formats[2][2] = {
        {"the result would have false-positive rate %g, above the %g that is promised; {max_rate} "
         "can allow it",
         "the result would have false-positive rate %g, above the %g that is allowed"},
        {"the result would have false-positive rate %g, above the %g that is promised, expected "
         "{expected_keys} %llu, or {max_rate} to allow it",
         "the result would have false-positive rate %g, above the %g that is allowed, expected "
         "{expected_keys} %llu, or a higher {max_rate}"},
    };

    return ink__fail(error, INK_PROMISE, INK_NOWHERE, 0, formats[keys != 0][allowed], rate, limit,
                     (unsigned long long)keys);
}

ink_status ink__check_room(const uint64_t *room, size_t bytes, const char *name, ink_error *error)
{
    for (size_t i = 0; i < bytes / sizeof *room; i++)
        if (room[i] != 0)
            return ink__fail(error, INK_USAGE, INK_NOWHERE, 0,
                             "%s.reserved is not 0, expected a newer library for what is set there",
                             name);
    return INK_OK;
}

size_t ink_error_text(const ink_error *error, char *text, size_t text_bytes)
{
    return ink_error_text_named(error, NULL, 0, text, text_bytes);
}

size_t ink_error_text_named(const ink_error *error, const char *const *names, size_t name_count,
                            char *text, size_t text_bytes)
{
    static const char *const units[] = {
        [INK_AT_BYTE] = "byte", [INK_AT_LINE] = "line", [INK_AT_KEY] = "key"};
    const char *message = error->message;
    size_t      used = 0;

    if (error->location > INK_NOWHERE && error->location <= INK_AT_KEY)
        used = ink__format(text, text_bytes, "%s %llu: ", units[error->location],
                           (unsigned long long)error->at);
    for (uint32_t i = 0; i < error->named_count; i++) {
        const ink_named *named = &error->named[i];
        if (named->parameter >= name_count || names[named->parameter] == NULL)
            continue;
        const char *name = names[named->parameter], *at = error->message + named->start;
        used = append(text, text_bytes, used, message, (size_t)(at - message));
        used = append(text, text_bytes, used, name, strlen(name));
        message = at + named->bytes;
    }
    return append(text, text_bytes, used, message, strlen(message));
}
