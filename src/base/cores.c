/* cores.c - how many threads of this process can run at the same time: the affinity mask, and the
 * CPU quota of control groups, version 2 (cpu.max) and version 1 (cpu.cfs_quota_us). */
#include "base/cores.h"

#include "base/system.h"
#include "base/text.h"

#include <string.h>

/* A quota of fewer cores than one still has one thread. What cannot be read limits nothing. */
#define UNLIMITED UINT64_MAX

enum { LINE_BYTES = 64, LIST_BYTES = 4096, PATH_BYTES = 512 };

/* Reads a number of a text, and goes to what follows it. False if there is none, as in "max". */
static bool take_number(const char **text, uint64_t *number)
{
    size_t digits = 0;

    *text += strspn(*text, " ");
    while (ink__is_digit((uint8_t)(*text)[digits]))
        digits++;
    bool found =
        digits > 0 && ink__parse_digits(*text, digits, UINT32_MAX * (uint64_t)1000, number);
    *text += digits;
    return found;
}

/* Reads the first bytes of a file of a group, as text. */
static bool read_line(const char *folder, const char *name, char line[LINE_BYTES])
{
    char path[PATH_BYTES + LINE_BYTES];

    ink__format(path, sizeof path, "%s/%s", folder, name);
    long long got = ink__system_now()->read_start(path, line, LINE_BYTES - 1);
    line[got > 0 ? got : 0] = '\0';
    return got > 0;
}

/* The cores of one group, rounded up: the time of each period over its length. */
static uint64_t group_cores(const char *folder, bool version_2)
{
    char        line[LINE_BYTES];
    const char *text = line;
    uint64_t    quota, period;

    if (!read_line(folder, version_2 ? "cpu.max" : "cpu.cfs_quota_us", line) ||
        !take_number(&text, &quota))
        return UNLIMITED; /* also "max" and -1 */
    if (!version_2 && !read_line(folder, "cpu.cfs_period_us", line))
        return UNLIMITED;
    text = version_2 ? text : line;
    if (!take_number(&text, &period) || period == 0)
        return UNLIMITED;
    return quota / period + (quota % period != 0);
}

/* The least of a group and the groups above it. In a container the path of a group may be that of
 * the host: what is not there limits nothing, and the folder that is mounted is its own group. */
static uint64_t least_cores(const char *mount, const char *group, size_t group_bytes,
                            bool version_2)
{
    char     folder[PATH_BYTES];
    size_t   top = strlen(mount);
    uint64_t least = UNLIMITED;

    if (top + group_bytes >= sizeof folder)
        return UNLIMITED;
    memcpy(folder, mount, top);
    memcpy(folder + top, group, group_bytes);
    for (size_t bytes = top + group_bytes;;) {
        while (bytes > top && folder[bytes - 1] == '/')
            bytes--;
        folder[bytes] = '\0';
        uint64_t cores = group_cores(folder, version_2);
        least = cores < least ? cores : least;
        if (bytes == top)
            return least;
        while (bytes > top && folder[bytes - 1] != '/')
            bytes--;
    }
}

/* Whether a list such as "cpu,cpuacct" has the controller of time. */
static bool lists_cpu(const char *list, size_t bytes)
{
    for (size_t at = 0, end; at < bytes; at = end + 1) {
        for (end = at; end < bytes && list[end] != ',';)
            end++;
        if (end - at == 3 && memcmp(list + at, "cpu", 3) == 0)
            return true;
    }
    return false;
}

/* A line of /proc/self/cgroup: hierarchy:controllers:path. Version 2 is hierarchy 0, without
 * controllers. */
static uint64_t line_cores(const char *line, size_t bytes)
{
    const char *list = memchr(line, ':', bytes);
    const char *path =
        list == NULL ? NULL : memchr(list + 1, ':', bytes - (size_t)(list + 1 - line));
    char   mount[PATH_BYTES] = "/sys/fs/cgroup/";
    size_t top = strlen(mount);

    if (path == NULL)
        return UNLIMITED;
    size_t list_bytes = (size_t)(path - ++list), path_bytes = bytes - (size_t)(++path - line);
    if (list_bytes == 0) {
        uint64_t whole = least_cores("/sys/fs/cgroup", path, path_bytes, true);
        uint64_t mixed = least_cores("/sys/fs/cgroup/unified", path, path_bytes, true);
        return whole < mixed ? whole : mixed;
    }
    if (!lists_cpu(list, list_bytes) || top + list_bytes >= sizeof mount)
        return UNLIMITED;
    memcpy(mount + top, list, list_bytes); /* the rest is zeros */
    return least_cores(mount, path, path_bytes, false);
}

static uint64_t quota_cores(void)
{
    char      text[LIST_BYTES];
    uint64_t  least = UNLIMITED;
    long long got = ink__system_now()->read_start("/proc/self/cgroup", text, sizeof text);

    for (size_t at = 0, end, bytes = got > 0 ? (size_t)got : 0; at < bytes; at = end + 1) {
        for (end = at; end < bytes && text[end] != '\n';)
            end++;
        uint64_t cores = line_cores(text + at, end - at);
        least = cores < least ? cores : least;
    }
    return least;
}

unsigned ink__cores(void)
{
    unsigned cores = ink__system_now()->cores();
    uint64_t quota = quota_cores();

    if (quota >= cores)
        return cores;
    return quota == 0 ? 1 : (unsigned)quota;
}
