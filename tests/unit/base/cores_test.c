/* cores_test.c - the number of threads that can run at once, for masks and quotas of every shape.
 */
#include "base/cores.h"

#include "base/system.h"
#include "support/check.h"

#include <errno.h>
#include <string.h>

typedef struct named {
    const char *path, *text;
} named;

typedef struct quota_case {
    const char *what;
    unsigned    mask, expected;
    named       files[6];
} quota_case;

#define V2 "/sys/fs/cgroup"
#define V1 "/sys/fs/cgroup/cpu,cpuacct"

static const quota_case cases[] = {
    {"nothing can be read", 8, 8, {{0}}},
    {"an empty list", 8, 8, {{"/proc/self/cgroup", ""}}},
    {"no limit", 8, 8, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "max 100000\n"}}},
    {"two cores", 8, 2, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "200000 100000\n"}}},
    {"long numbers",
     8,
     3,
     {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "3000000000000 1000000000000\n"}}},
    {"one and a half", 8, 2, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "150000 100000\n"}}},
    {"a tenth", 8, 1, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "10000 100000\n"}}},
    {"no time at all", 8, 1, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "0 100000\n"}}},
    {"more than the mask", 2, 2, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "9 1\n"}}},
    {"a period of zero", 8, 8, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "200000 0\n"}}},
    {"no period", 8, 8, {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "200000\n"}}},
    {"too many digits",
     8,
     8,
     {{"/proc/self/cgroup", "0::/\n"}, {V2 "/cpu.max", "99999999999999999999999 1\n"}}},
    {"the group itself",
     8,
     3,
     {{"/proc/self/cgroup", "0::/a/b\n"}, {V2 "/a/b/cpu.max", "300000 100000"}}},
    {"a group above it",
     8,
     2,
     {{"/proc/self/cgroup", "0::/a/b\n"},
      {V2 "/a/b/cpu.max", "500000 100000\n"},
      {V2 "/a/cpu.max", "200000 100000\n"}}},
    {"the folder that a container sees",
     8,
     2,
     {{"/proc/self/cgroup", "0::/host/of/it\n"}, {V2 "/cpu.max", "200000 100000\n"}}},
    {"version 1",
     8,
     4,
     {{"/proc/self/cgroup", "4:memory:/m\n3:cpu,cpuacct:/x\n"},
      {V1 "/x/cpu.cfs_quota_us", "400000\n"},
      {V1 "/x/cpu.cfs_period_us", "100000\n"}}},
    {"version 1, no limit",
     8,
     8,
     {{"/proc/self/cgroup", "3:cpu,cpuacct:/\n"},
      {V1 "/cpu.cfs_quota_us", "-1\n"},
      {V1 "/cpu.cfs_period_us", "100000\n"}}},
    {"version 1 without a period",
     8,
     8,
     {{"/proc/self/cgroup", "3:cpu,cpuacct:/\n"}, {V1 "/cpu.cfs_quota_us", "100000\n"}}},
    {"other controllers have no quota of time",
     8,
     8,
     {{"/proc/self/cgroup", "3:cpuacct,cpuset:/\n"},
      {"/sys/fs/cgroup/cpuacct,cpuset/cpu.cfs_quota_us", "100000\n"},
      {"/sys/fs/cgroup/cpuacct,cpuset/cpu.cfs_period_us", "100000\n"}}},
    {"both versions, the smaller one",
     8,
     2,
     {{"/proc/self/cgroup", "1:cpu:/\n0::/\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_quota_us", "300000\n"},
      {"/sys/fs/cgroup/cpu/cpu.cfs_period_us", "100000\n"},
      {V2 "/unified/cpu.max", "200000 100000\n"}}},
    {"lines that are none", 8, 8, {{"/proc/self/cgroup", "what\n:\n::\n\n1:cpu\n"}}},
};

static const quota_case *now;

static unsigned mask_cores(void)
{
    return now->mask;
}

static long long read_named(const char *path, void *to, size_t bytes)
{
    for (size_t i = 0; i < sizeof now->files / sizeof *now->files; i++)
        if (now->files[i].path != NULL && strcmp(now->files[i].path, path) == 0) {
            size_t all = strlen(now->files[i].text), some = all < bytes ? all : bytes;
            memcpy(to, now->files[i].text, some);
            return (long long)some;
        }
    return -ENOENT;
}

TEST(a_quota_of_time_limits_the_number_of_threads)
{
    ink__system system = ink__posix;

    system.cores = mask_cores;
    system.read_start = read_named;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        now = &cases[i];
        ink__system_replace(&system);
        unsigned found = ink__cores();
        ink__system_replace(NULL);
        if (found != now->expected)
            fail_msg("%s: %u threads, expected %u", now->what, found, now->expected);
    }
}

TEST(a_long_path_of_a_group_is_left_alone)
{
    char        list[2000] = "0::/";
    quota_case  long_path = {"long", 8, 8, {{"/proc/self/cgroup", list}}};
    ink__system system = ink__posix;

    memset(list + 4, 'a', sizeof list - 5);
    now = &long_path;
    system.cores = mask_cores;
    system.read_start = read_named;
    ink__system_replace(&system);
    unsigned found = ink__cores();
    ink__system_replace(NULL);
    assert_int_equal(found, 8);
}

TEST(this_machine_has_a_core)
{
    assert_in_range(ink__cores(), 1, ink__posix.cores());
}

RUN_TESTS()
