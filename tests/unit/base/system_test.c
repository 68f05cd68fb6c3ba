/* system_test.c - the one seam to the operating system: each call does its work, and gives a
 * negative errno when it cannot. */
#define _GNU_SOURCE 1
#include "base/system.h"

#include "support/check.h"
#include "support/faults.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <sys/file.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { NO_FILE = -1 };

/* Opens what can be opened, and checks that programs that are started do not inherit it. */
static int open_well(const char *path, ink__open_how how, unsigned mode)
{
    int file = ink__posix.open(path, how, mode);

    assert_true(file >= 0);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    return file;
}

/* Closes and removes. */
static void end(int file, const char *path)
{
    assert_int_equal(ink__posix.close(file), 0);
    assert_int_equal(ink__posix.unlink(path), 0);
}

/* Makes a file that holds `text`. */
static void make_file(const char *path, const char *text)
{
    int file = open_well(path, INK__OPEN_NEW, 0600);

    assert_int_equal(ink__posix.write(file, text, strlen(text)), strlen(text));
    assert_int_equal(ink__posix.close(file), 0);
}

TEST(a_new_file_is_written_synced_and_read_again)
{
    char      text[10];
    ink__stat stat;
    int       file = open_well("new", INK__OPEN_NEW, 0600);

    assert_int_equal(ink__posix.write(file, "bees", 4), 4);
    errno = EIO; /* of an earlier call: means nothing unless this one fails */
    assert_int_equal(ink__posix.write(file, "", 0), 0);
    assert_int_equal(ink__posix.sync(file), 0);
    assert_int_equal(ink__posix.close(file), 0);

    file = open_well("new", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_int_equal(stat.bytes, 4);
    assert_true(stat.regular);
    assert_int_equal(ink__posix.read(file, text, sizeof text), 4);
    assert_memory_equal(text, "bees", 4);
    errno = EIO;
    assert_int_equal(ink__posix.read(file, text, sizeof text), 0); /* the end */
    end(file, "new");
}

TEST(a_file_is_opened_for_reading_only_and_not_for_children)
{
    make_file("x", "bees");
    int file = open_well("x", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.write(file, "y", 1), -EBADF);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    ink__posix.close(file);
    file = open_well(".", INK__OPEN_FOLDER, 0);
    assert_int_equal(ink__posix.sync(file), 0);
    ink__posix.close(file);
    file = open_well("y", INK__OPEN_NEW, 0600);
    assert_int_equal(ink__posix.read(file, &file, 1), -EBADF); /* for writing only */
    end(file, "y");
    ink__posix.unlink("x");
}

TEST(opening_refuses_what_it_must)
{
    make_file("there", "");
    assert_int_equal(ink__posix.open("nowhere", INK__OPEN_READ, 0), -ENOENT);
    assert_int_equal(ink__posix.open("there", INK__OPEN_NEW, 0600), -EEXIST);
    assert_int_equal(ink__posix.open("no/such/folder", INK__OPEN_NEW, 0600), -ENOENT);
    assert_int_equal(ink__posix.open("there", INK__OPEN_FOLDER, 0), -ENOTDIR);
    ink__posix.unlink("there");
}

TEST(a_new_file_does_not_follow_a_link)
{
    assert_int_equal(symlink("target", "link"), 0); /* which points nowhere */
    assert_int_equal(ink__posix.open("link", INK__OPEN_NEW, 0600), -EEXIST);
    ink__posix.unlink("link");
}

TEST(opening_a_fifo_does_not_wait_for_a_writer)
{
    ink__stat stat;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    int file = open_well("fifo", INK__OPEN_READ, 0); /* would wait for ever */
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_false(stat.regular);
    end(file, "fifo");
}

TEST(a_stream_of_a_file_is_opened_for_reading_only)
{
    char text[10];

    make_file("x", "bees");
    int file = open_well("x", INK__OPEN_STREAM, 0);
    assert_int_equal(fcntl(file, F_GETFL) & O_NONBLOCK, 0); /* so a FIFO waits for its writer */
    assert_int_equal(ink__posix.write(file, "y", 1), -EBADF);
    assert_int_equal(ink__posix.read(file, text, sizeof text), 4);
    ink__posix.close(file);
    assert_int_equal(ink__posix.open("nowhere", INK__OPEN_STREAM, 0), -ENOENT);
    ink__posix.unlink("x");
}

TEST(a_hidden_file_has_no_name_and_is_read_and_written_anywhere)
{
    char      text[10];
    ink__stat stat;

    int file = open_well(".", INK__OPEN_HIDDEN, 0600);
    assert_int_equal(faults_names_here(), 0);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(ink__posix.write(file, "bees and ants", 13), 13);
    assert_int_equal(ink__posix.read_at(file, text, 4, 9), 4);
    assert_memory_equal(text, "ants", 4);
    assert_int_equal(ink__posix.read_at(file, text, 4, 0), 4);
    assert_memory_equal(text, "bees", 4);
    assert_int_equal(ink__posix.read_at(file, text, 4, 13), 0);
    assert_int_equal(ink__posix.write(file, "!", 1), 1); /* reading did not move the end */
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_int_equal(stat.bytes, 14);
    assert_int_equal(stat.mode, 0600);
    assert_int_equal(ink__posix.write_at(file, "flea", 4, 9), 4);
    assert_int_equal(ink__posix.write_at(file, "far", 3, 100), 3); /* with a hole before it */
    assert_int_equal(ink__posix.read_at(file, text, 10, 9), 10);
    assert_memory_equal(text, "flea!\0\0\0\0\0", 10);
    assert_int_equal(ink__posix.write(file, "?", 1), 1); /* nor did writing elsewhere */
    assert_int_equal(ink__posix.read_at(file, text, 3, 13), 3);
    assert_memory_equal(text, "!?\0", 3);
    assert_int_equal(ink__posix.write_at(-1, "x", 1, 0), -EBADF);
    assert_int_equal(ink__posix.close(file), 0);
    assert_int_equal(ink__posix.open("nowhere", INK__OPEN_HIDDEN, 0600), -ENOENT);
    make_file("x", "");
    assert_int_equal(ink__posix.open("x", INK__OPEN_HIDDEN, 0600), -ENOTDIR);
    ink__posix.unlink("x");
}

TEST(time_goes_on_and_there_is_a_core)
{
    uint64_t before = ink__posix.nanoseconds();

    usleep(2000);
    uint64_t passed = ink__posix.nanoseconds() - before;
    assert_true(passed >= 2000000 && passed < 60000000000u);
    assert_true(ink__posix.cores() >= 1);
    assert_true((long)ink__posix.cores() <= sysconf(_SC_NPROCESSORS_CONF));
}

#ifdef __linux__
TEST(cores_are_those_that_this_process_may_run_on)
{
    cpu_set_t all, one;
    size_t    core = 0;

    assert_int_equal(sched_getaffinity(0, sizeof all, &all), 0);
    assert_int_equal(ink__posix.cores(), CPU_COUNT(&all));
    while (!CPU_ISSET(core, &all))
        core++;
    CPU_ZERO(&one);
    CPU_SET(core, &one);
    assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
    const unsigned cores = ink__posix.cores();
    assert_int_equal(sched_setaffinity(0, sizeof all, &all), 0);
    assert_int_equal(cores, 1);
}
#endif

TEST(the_time_of_day_counts_from_1970)
{
    int64_t         before = (int64_t)time(NULL) * 1000000, wall = ink__posix.wall();
    struct timespec first, last;

    assert_true(wall >= before && wall < before + 60000000);
    clock_gettime(CLOCK_REALTIME, &first);
    wall = ink__posix.wall();
    clock_gettime(CLOCK_REALTIME, &last);
    CHECK(wall >= (int64_t)first.tv_sec * 1000000 + first.tv_nsec / 1000 &&
          wall <= (int64_t)last.tv_sec * 1000000 + last.tv_nsec / 1000);
    faults_system_begin(NULL);
    faults_jump(-3600000000);
    assert_true(ink__system_now()->wall() < before);
    uint64_t clock = ink__system_now()->nanoseconds();
    faults_pass(1000000000000);
    assert_true(ink__system_now()->nanoseconds() >= clock + 1000000000000);
    faults_system_end();
}

TEST(the_host_has_a_name_that_is_cut)
{
    char name[256], expected[256], cut[3];

    assert_int_equal(gethostname(expected, sizeof expected), 0);
    assert_int_equal(ink__posix.host_name(name, sizeof name), 0);
    assert_string_equal(name, expected);
    assert_int_equal(ink__posix.host_name(cut, sizeof cut), 0);
    expected[strlen(expected) < 2 ? strlen(expected) : 2] = '\0';
    assert_string_equal(cut, expected);
}

TEST(stat_reports_size_mode_and_kind)
{
    ink__stat stat;

    make_file("x", "12345");
    assert_int_equal(chmod("x", 0640), 0);
    assert_int_equal(ink__posix.stat_path("x", &stat), 0);
    assert_int_equal(stat.bytes, 5);
    assert_int_equal(stat.mode, 0640);
    assert_true(stat.regular && !stat.folder && !stat.link);
    assert_int_equal(ink__posix.stat_path(".", &stat), 0);
    assert_true(stat.folder && !stat.regular);
    assert_int_equal(symlink("x", "link"), 0);
    assert_int_equal(ink__posix.stat_link("link", &stat), 0);
    assert_true(stat.link && !stat.regular);
    assert_int_equal(ink__posix.stat_path("link", &stat), 0);
    assert_true(stat.regular && !stat.link);
    ink__posix.unlink("link");
    assert_int_equal(ink__posix.stat_path("nowhere", &stat), -ENOENT);
    ink__posix.unlink("x");
}

TEST(the_mode_of_an_open_file_can_be_set)
{
    ink__stat stat;
    int       file = open_well("x", INK__OPEN_NEW, 0600);

    assert_int_equal(ink__posix.set_mode(file, 0666), 0); /* whatever the umask */
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_int_equal(stat.mode, 0666);
    end(file, "x");
}

/* Anybody may give a file to whom it belongs, and root to whomever. */
TEST(the_owner_of_an_open_file_can_be_set)
{
    unsigned  owner = (unsigned)geteuid(), group = (unsigned)getegid();
    ink__stat stat;
    int       file = open_well("x", INK__OPEN_NEW, 0600);

    assert_int_equal(ink__posix.set_owner(file, owner, group), 0);
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_true(stat.owner == owner && stat.group == group);
    if (owner == 0) {
        assert_int_equal(ink__posix.set_owner(file, 1234, 5678), 0);
        assert_int_equal(ink__posix.stat_path("x", &stat), 0);
        assert_true(stat.owner == 1234 && stat.group == 5678);
    } else {
        assert_int_equal(ink__posix.set_owner(file, 0, 0), -EPERM);
    }
    end(file, "x");
}

TEST(a_file_reports_to_the_nanosecond_when_it_was_changed)
{
    const struct timespec times[] = {{.tv_sec = 1}, {.tv_sec = 1234567890, .tv_nsec = 123456789}};
    ink__stat             by_path, by_file;
    struct stat           found;

    make_file("x", "bees");
    assert_int_equal(utimensat(AT_FDCWD, "x", times, 0), 0);
    assert_int_equal(ink__posix.stat_path("x", &by_path), 0);
    assert_true(by_path.modified == 1234567890123456789u);
    assert_int_equal(stat("x", &found), 0);
    assert_true(by_path.changed ==
                (uint64_t)found.st_ctim.tv_sec * 1000000000u + (uint64_t)found.st_ctim.tv_nsec);
    int file = ink__posix.open("x", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.stat_file(file, &by_file), 0);
    assert_true(by_file.modified == by_path.modified && by_file.changed == by_path.changed);
    assert_true(by_file.device == by_path.device && by_file.number == by_path.number);
    end(file, "x");
}

TEST(the_umask_holds_for_new_files)
{
    ink__stat stat;
    mode_t    before = umask(027);
    int       file = ink__posix.open("x", INK__OPEN_NEW, 0666);

    umask(before);
    assert_true(file >= 0);
    assert_int_equal(ink__posix.stat_file(file, &stat), 0);
    assert_int_equal(stat.mode, 0640);
    end(file, "x");
}

TEST(rename_replaces_and_unlink_removes)
{
    ink__stat stat;

    make_file("old", "1");
    make_file("new", "22");
    assert_int_equal(ink__posix.rename("new", "old"), 0);
    assert_int_equal(ink__posix.stat_path("old", &stat), 0);
    assert_int_equal(stat.bytes, 2);
    assert_int_equal(ink__posix.stat_path("new", &stat), -ENOENT);
    assert_int_equal(ink__posix.rename("new", "old"), -ENOENT);
    assert_int_equal(ink__posix.unlink("old"), 0);
    assert_int_equal(ink__posix.unlink("old"), -ENOENT);
}

TEST(a_file_is_mapped_and_unmapped)
{
    const uint8_t *at;

    make_file("x", "mapped bees");
    int file = open_well("x", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.map(file, 11, &at), 0);
    ink__posix.close(file); /* the mapping stays */
    assert_memory_equal(at, "mapped bees", 11);
    assert_int_equal(ink__posix.leave(at, 11), 0); /* no whole page */
    assert_int_equal(ink__posix.leave(at, (size_t)sysconf(_SC_PAGESIZE)), 0);
    assert_memory_equal(at, "mapped bees", 11); /* read again */
    assert_int_equal(ink__posix.unmap(at, 11), 0);
    ink__posix.unlink("x");
}

/* Memory without a file, which what is left of it shows: it is zero again. */
TEST(only_whole_pages_of_a_range_are_left)
{
    const size_t page = (size_t)sysconf(_SC_PAGESIZE);
    uint8_t *at = mmap(NULL, 4 * page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    assert_ptr_not_equal(at, MAP_FAILED);
    memset(at, 7, 4 * page);
    assert_int_equal(ink__posix.leave(at + 1, page - 1), 0);
    assert_int_equal(ink__posix.leave(at + 1, 3 * page), 0);
    for (size_t i = 0; i < 4; i++) {
        const uint8_t expected = i == 1 || i == 2 ? 0 : 7;
        CHECK(at[i * page] == expected && at[(i + 1) * page - 1] == expected);
    }
    munmap(at, 4 * page);
}

/* A thread of its own uses the processor meanwhile, for twenty milliseconds. */
static void *be_busy(void *argument)
{
    const uint64_t begun = ink__posix.thread_nanoseconds();

    while (ink__posix.thread_nanoseconds() - begun < 20000000)
        ;
    return argument;
}

TEST(the_time_and_the_faults_of_a_thread_are_its_own)
{
    enum { BYTES = 16 << 20 };
    const uint64_t time = ink__posix.thread_nanoseconds(), faults = ink__posix.thread_faults();
    pthread_t      thread;

    assert_int_equal(pthread_create(&thread, NULL, be_busy, NULL), 0);
    assert_int_equal(pthread_join(thread, NULL), 0);
    assert_true(ink__posix.thread_nanoseconds() - time < 20000000);

    uint8_t *memory = mmap(NULL, BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_ptr_not_equal(memory, MAP_FAILED);
    memset(memory, 1, BYTES);
    assert_true(ink__posix.thread_faults() - faults >= BYTES >> 21); /* of huge pages at least */
    munmap(memory, BYTES);
}

/* ---- Bus errors --------------------------------------------------------------------------- */

static bool outlive_all(const void *address)
{
    errno = EIO;
    return true;
}

static bool outlive_none(const void *address)
{
    return false;
}

static volatile sig_atomic_t heard_before;

static void hear(int number)
{
    heard_before = 1;
}

static void hear_why(int number, siginfo_t *why, void *context)
{
    heard_before = why->si_signo == number && context != NULL ? 2 : 3;
}

/* Raises a bus error in a process of its own, whose handler is set after these; gives how that
 * ends: what was heard before, or 100 and the signal. */
static int raise_bus_error(const struct sigaction *before, bool (*outlived)(const void *))
{
    int   state;
    pid_t child = fork();

    if (child == 0) {
        sigaction(SIGBUS, before, NULL);
        ink__posix.on_bus_error(outlive_all);
        ink__posix.on_bus_error(outlived); /* which takes the place of the other */
        errno = EDOM;
        raise(SIGBUS);
        _exit(errno == EDOM ? heard_before : 99);
    }
    assert_true(child > 0 && waitpid(child, &state, 0) == child);
    return WIFEXITED(state) ? WEXITSTATUS(state) : 100 + WTERMSIG(state);
}

TEST(a_bus_error_that_is_not_outlived_goes_to_the_handler_before)
{
    const struct sigaction usual = {.sa_handler = SIG_DFL}, ignored = {.sa_handler = SIG_IGN};
    const struct sigaction simple = {.sa_handler = hear};
    const struct sigaction with_reasons = {.sa_sigaction = hear_why, .sa_flags = SA_SIGINFO};

    assert_int_equal(raise_bus_error(&usual, outlive_all), 0);
    assert_int_equal(raise_bus_error(&simple, outlive_all), 0);
    assert_int_equal(raise_bus_error(&simple, outlive_none), 1);
    assert_int_equal(raise_bus_error(&with_reasons, outlive_none), 2);
    assert_int_equal(raise_bus_error(&usual, outlive_none), 100 + SIGBUS);
    assert_int_equal(raise_bus_error(&ignored, outlive_none), 0);
}

TEST(calls_on_no_file_give_their_errno)
{
    ink__stat      stat;
    const uint8_t *at;
    char           byte = 0;

    assert_int_equal(ink__posix.close(NO_FILE), -EBADF);
    assert_int_equal(ink__posix.stat_file(NO_FILE, &stat), -EBADF);
    assert_int_equal(ink__posix.set_mode(NO_FILE, 0600), -EBADF);
    assert_int_equal(ink__posix.set_owner(NO_FILE, 0, 0), -EBADF);
    assert_int_equal(ink__posix.read(NO_FILE, &byte, 1), -EBADF);
    assert_int_equal(ink__posix.write(NO_FILE, &byte, 1), -EBADF);
    assert_int_equal(ink__posix.sync(NO_FILE), -EBADF);
    assert_int_equal(ink__posix.map(NO_FILE, 1, &at), -EBADF);
    /* An address that is not at the start of a page. */
    assert_int_equal(ink__posix.unmap((const uint8_t *)1, 1), -EINVAL);
    assert_true(ink__posix.blank(NULL, SIZE_MAX / 2, NULL) < 0);
    assert_int_equal(ink__posix.advise_huge((uint8_t *)1, 1), -EINVAL);
}

TEST(an_empty_file_cannot_be_mapped)
{
    const uint8_t *at;

    make_file("empty", "");
    int file = open_well("empty", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.map(file, 0, &at), -EINVAL);
    end(file, "empty");
}

/* ---- Connections -------------------------------------------------------------------------- */

TEST(an_address_in_numbers_is_read)
{
    static const uint8_t     four[] = {127, 0, 0, 1}, six[16] = {[0] = 0xfe, [1] = 0x80, [15] = 1};
    static const char *const others[] = {"",      "localhost", "127.0.0.1:1", "[::1]",
                                         "1.2.3", "::g",       "127.0.0.256"};
    ink__peer                peer;

    assert_int_equal(ink__posix.peer("127.0.0.1", &peer), 0);
    CHECK(!peer.six && memcmp(peer.bytes, four, sizeof four) == 0);
    assert_int_equal(ink__posix.peer("fe80::1", &peer), 0);
    CHECK(peer.six && memcmp(peer.bytes, six, sizeof six) == 0);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        assert_int_equal(ink__posix.peer(others[i], &peer), -EINVAL);
}

/* A socket that listens on this machine, at a port of the system's choice. */
static int listen_here(ink__peer *peer)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    socklen_t          bytes = sizeof address;
    int                file = socket(AF_INET, SOCK_STREAM, 0);

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(bind(file, (struct sockaddr *)&address, bytes), 0);
    assert_int_equal(listen(file, 1), 0);
    assert_int_equal(getsockname(file, (struct sockaddr *)&address, &bytes), 0);
    assert_int_equal(ink__posix.peer("127.0.0.1", peer), 0);
    peer->port = ntohs(address.sin_port);
    return file;
}

TEST(bytes_go_through_a_connection_and_no_call_blocks)
{
    static uint8_t many[1 << 20];
    ink__peer      peer;
    char           text[8];
    int            listener = listen_here(&peer), yes = 0;
    socklen_t      yes_bytes = sizeof yes;

    int file = ink__posix.connect(&peer);
    assert_true(file >= 0);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(getsockopt(file, IPPROTO_TCP, TCP_NODELAY, &yes, &yes_bytes), 0);
    assert_int_equal(yes, 1);
    assert_int_equal(ink__posix.wait(file, INK__CAN_WRITE, 10000), INK__CAN_WRITE);
    assert_int_equal(ink__posix.connected(file), 0);
    int other = accept(listener, NULL, NULL);
    assert_int_equal(ink__posix.receive(file, text, sizeof text), -EAGAIN);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ, 0), 0);
    assert_int_equal(send(other, "bees", 4, 0), 4);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ, 10000), INK__CAN_READ);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ | INK__CAN_WRITE, 10000),
                     INK__CAN_READ | INK__CAN_WRITE);
    assert_int_equal(ink__posix.receive(file, text, sizeof text), 4);
    assert_memory_equal(text, "bees", 4);
    assert_int_equal(ink__posix.send(file, "wasp", 4), 4);
    assert_int_equal(recv(other, text, 4, MSG_WAITALL), 4);
    long long sent = 0;
    while (sent >= 0) /* until the system keeps no more for the other side */
        sent = ink__posix.send(file, many, sizeof many);
    assert_int_equal(sent, -EAGAIN);
    assert_int_equal(ink__posix.wait(file, INK__CAN_WRITE, 0), 0);
    close(other);
    close(listener);
    ink__posix.close(file);
}

TEST(a_connection_that_is_gone_raises_no_signal)
{
    ink__peer peer;
    char      text[8];
    int       listener = listen_here(&peer), file = ink__posix.connect(&peer);

    assert_true(ink__posix.wait(file, INK__CAN_WRITE, 10000) > 0);
    int other = accept(listener, NULL, NULL);
    assert_int_equal(ink__posix.end_sending(file), 0);
    assert_int_equal(recv(other, text, 4, 0), 0); /* the other side finds the end ... */
    assert_int_equal(send(other, "bees", 4, 0), 4);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ, 10000), INK__CAN_READ);
    assert_int_equal(ink__posix.receive(file, text, sizeof text), 4); /* ... and we hear it */
    assert_int_equal(ink__posix.send(file, "x", 1), -EPIPE); /* which would end this program */
    close(other);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ | INK__CAN_WRITE, 10000),
                     INK__CAN_READ | INK__CAN_WRITE);
    assert_int_equal(ink__posix.receive(file, text, sizeof text), 0);
    ink__posix.close(file);

    close(listener);
    file = ink__posix.connect(&peer);
    if (file >= 0) {
        assert_true(ink__posix.wait(file, INK__CAN_WRITE, 10000) > 0);
        assert_int_equal(ink__posix.connected(file), -ECONNREFUSED);
        ink__posix.close(file);
    } else {
        assert_int_equal(file, -ECONNREFUSED);
    }
}

/* ---- Listening ---------------------------------------------------------------------------- */

static int option_of(int file, int level, int name)
{
    int       value = -1;
    socklen_t bytes = sizeof value;

    assert_int_equal(getsockopt(file, level, name, &value, &bytes), 0);
    return value;
}

static void check_never_waits_nor_is_inherited(int file)
{
    assert_true(file >= 0);
    assert_int_equal(fcntl(file, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    assert_int_equal(fcntl(file, F_GETFL) & O_NONBLOCK, O_NONBLOCK);
}

TEST(who_listens_takes_connections)
{
    ink__peer peer;
    char      text[8];

    assert_int_equal(ink__posix.peer("127.0.0.1", &peer), 0);
    int listener = ink__posix.listen(&peer);
    check_never_waits_nor_is_inherited(listener);
    assert_int_equal(option_of(listener, SOL_SOCKET, SO_REUSEADDR), 1);
    assert_int_equal(ink__posix.accept(listener), -EAGAIN);
    int port = ink__posix.port(listener);
    assert_in_range(port, 1, 65535);
    peer.port = (uint16_t)port;
    assert_int_equal(ink__posix.listen(&peer), -EADDRINUSE);
    int file = ink__posix.connect(&peer);
    assert_int_equal(ink__posix.wait(listener, INK__CAN_READ, 10000), INK__CAN_READ);
    int other = ink__posix.accept(listener);
    check_never_waits_nor_is_inherited(other);
    assert_int_equal(option_of(other, SOL_SOCKET, SO_KEEPALIVE), 1);
    assert_int_equal(option_of(other, IPPROTO_TCP, TCP_NODELAY), 1);
    /* A peer that is gone is noticed after two minutes. */
    assert_int_equal(option_of(other, IPPROTO_TCP, TCP_KEEPIDLE) +
                         option_of(other, IPPROTO_TCP, TCP_KEEPINTVL) *
                             option_of(other, IPPROTO_TCP, TCP_KEEPCNT),
                     120);
    assert_int_equal(ink__posix.port(other), port);
    assert_int_equal(ink__posix.send(other, "bees", 4), 4);
    assert_int_equal(ink__posix.wait(file, INK__CAN_READ, 10000), INK__CAN_READ);
    assert_int_equal(ink__posix.receive(file, text, sizeof text), 4);
    ink__posix.close(other);
    ink__posix.close(file);
    ink__posix.close(listener);
    assert_int_equal(ink__posix.accept(NO_FILE), -EBADF);
    assert_int_equal(ink__posix.port(NO_FILE), -EBADF);
}

TEST(an_address_of_another_host_cannot_be_listened_at)
{
    ink__peer peer;

    assert_int_equal(ink__posix.peer("192.0.2.1", &peer), 0); /* of nobody, by RFC 5737 */
    assert_int_equal(ink__posix.listen(&peer), -EADDRNOTAVAIL);
}

TEST(a_unix_socket_is_listened_at_and_found_by_its_path)
{
    ink__stat stat;
    char      path[INK__SOCKET_PATH_BYTES + 1];

    int listener = ink__posix.listen_path("s");
    check_never_waits_nor_is_inherited(listener);
    assert_int_equal(ink__posix.stat_path("s", &stat), 0);
    assert_true(stat.socket && !stat.regular && !stat.pipe);
    assert_int_equal(ink__posix.listen_path("s"), -EADDRINUSE);
    int file = ink__posix.connect_path("s");
    check_never_waits_nor_is_inherited(file);
    int other = ink__posix.accept(listener);
    check_never_waits_nor_is_inherited(other);
    ink__posix.close(other);
    ink__posix.close(file);
    ink__posix.close(listener);
    assert_int_equal(ink__posix.connect_path("s"), -ECONNREFUSED);
    ink__posix.unlink("s");
    assert_int_equal(ink__posix.connect_path("s"), -ENOENT);
    assert_int_equal(ink__posix.listen_path(""), -ENOENT);
    memset(path, 'x', sizeof path);
    path[INK__SOCKET_PATH_BYTES] = '\0';
    assert_int_equal(ink__posix.listen_path(path), -ENAMETOOLONG);
    assert_int_equal(ink__posix.connect_path(path), -ENAMETOOLONG);
    path[INK__SOCKET_PATH_BYTES - 1] = '\0';
    listener = ink__posix.listen_path(path);
    assert_true(listener >= 0);
    ink__posix.close(listener);
    assert_int_equal(ink__posix.unlink(path), 0);
}

TEST(many_files_are_waited_for_together)
{
    int  ends[3][2];
    char byte;

    for (int i = 0; i < 3; i++)
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM, 0, ends[i]), 0);
    ink__awaited files[] = {{.file = ends[0][0], .what = INK__CAN_READ},
                            {.file = NO_FILE, .what = INK__CAN_READ | INK__CAN_WRITE},
                            {.file = ends[1][0], .what = INK__CAN_READ},
                            {.file = ends[2][0], .what = INK__CAN_READ}};
    assert_int_equal(ink__posix.wait_many(files, 4, 0), 0);
    assert_int_equal(send(ends[1][1], "x", 1, 0), 1);
    assert_int_equal(ink__posix.wait_many(files, 4, 10000), 1);
    assert_true(files[0].ready == 0 && files[1].ready == 0 && files[3].ready == 0);
    assert_int_equal(files[2].ready, INK__CAN_READ);
    assert_int_equal(recv(ends[1][0], &byte, 1, 0), 1);
    files[0].what = INK__CAN_READ | INK__CAN_WRITE;
    close(ends[2][1]);
    assert_int_equal(ink__posix.wait_many(files, 4, -1), 2); /* one can write, one has lost all */
    assert_int_equal(files[0].ready, INK__CAN_WRITE);
    assert_int_equal(files[2].ready, 0);
    assert_int_equal(files[3].ready, INK__CAN_READ);
    for (int i = 0; i < 4; i++) /* what was asked for stays */
        assert_int_equal(files[i].what, i < 2 ? INK__CAN_READ | INK__CAN_WRITE : INK__CAN_READ);
    close(ends[0][0]);
    assert_int_equal(ink__posix.wait_many(files, 1, 0), 1); /* is no file any more */
    assert_int_equal(files[0].ready, INK__CAN_READ | INK__CAN_WRITE);
    close(ends[0][1]);
    close(ends[1][0]);
    close(ends[1][1]);
    close(ends[2][0]);
}

TEST(files_that_are_left_are_counted)
{
    struct rlimit limit, lower;

    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    int left = ink__posix.files_left(0), file = ink__posix.open(".", INK__OPEN_FOLDER, 0);
    assert_true(file >= 0 && left > 0);
    assert_int_equal(ink__posix.files_left(0), left - 1);
    lower = limit;
    lower.rlim_cur = (rlim_t)file + 1;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
    assert_int_equal(ink__posix.files_left(0), 0);
    lower.rlim_cur = (rlim_t)file + 8;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
    assert_int_equal(ink__posix.files_left(0), 7);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ink__posix.close(file);
    assert_int_equal(ink__posix.files_left(NO_FILE), -EBADF);
}

/* ---- Folders and locks -------------------------------------------------------------------- */

TEST(a_folder_is_made_once)
{
    struct stat found;

    assert_int_equal(ink__posix.make_folder("folder", 0700), 0);
    assert_int_equal(stat("folder", &found), 0);
    assert_true(S_ISDIR(found.st_mode) && (found.st_mode & 07777u) == 0700);
    assert_int_equal(ink__posix.make_folder("folder", 0700), -EEXIST);
    assert_int_equal(ink__posix.make_folder("no/such", 0700), -ENOENT);
    assert_int_equal(rmdir("folder"), 0);
}

TEST(a_lock_is_tried_without_waiting)
{
    char text[8];
    int  file = open_well("lock", INK__OPEN_LOCK, 0640);

    assert_int_equal(ink__posix.try_lock(file), 0);
    assert_int_equal(ink__posix.write_at(file, "bees", 4, 0), 4);
    int other = open_well("lock", INK__OPEN_LOCK, 0640); /* as it is, not emptied */
    assert_int_equal(ink__posix.read_at(other, text, sizeof text, 0), 4);
    assert_int_equal(ink__posix.try_lock(other), -EWOULDBLOCK);
    ink__posix.close(file);
    assert_int_equal(ink__posix.try_lock(other), 0);
    ink__posix.close(other);
    assert_int_equal(ink__posix.try_lock(NO_FILE), -EBADF);
    assert_int_equal(symlink("lock", "link"), 0);
    assert_true(ink__posix.open("link", INK__OPEN_LOCK, 0640) < 0); /* it may be planted */
    ink__posix.unlink("link");
    ink__posix.unlink("lock");
}

/* Collects names, each between two commas, up to a name that starts with 's'. */
static int collect(void *host, const char *name)
{
    strcat(strcat(host, name), ",");
    return name[0] == 's' ? -7 : 0;
}

TEST(the_names_in_a_folder_and_those_that_match_are_listed)
{
    char names[100] = ",";
    int  before = open_well(".", INK__OPEN_FOLDER, 0);

    assert_int_equal(ink__posix.make_folder("folder", 0700), 0);
    assert_int_equal(ink__posix.list_folder("folder", collect, names), 0);
    assert_string_equal(names, ",");
    make_file("folder/a", "");
    make_file("folder/.b", "");
    assert_int_equal(ink__posix.list_folder("folder", collect, names), 0);
    assert_int_equal(strlen(names), 6);
    assert_true(strstr(names, ",a,") != NULL && strstr(names, ",.b,") != NULL);
    make_file("folder/s", "");
    assert_int_equal(ink__posix.list_folder("folder", collect, names), -7);
    assert_int_equal(ink__posix.list_folder("nowhere", collect, names), -ENOENT);
    assert_int_equal(ink__posix.list_folder("folder/a", collect, names), -ENOTDIR);

    names[1] = '\0';
    assert_int_equal(ink__posix.list_matches("folder/x*", collect, names), 0);
    assert_string_equal(names, ",");
    assert_int_equal(ink__posix.list_matches("folder/[ab]", collect, names), 0);
    assert_string_equal(names, ",folder/a,");
    assert_int_equal(chdir("folder"), 0);
    assert_int_equal(ink__posix.list_matches("s*", collect, names), -7);
    assert_int_equal(chdir(".."), 0);
    int after = open_well(".", INK__OPEN_FOLDER, 0);
    assert_int_equal(after, before + 1); /* nothing stays open */
    ink__posix.close(after);
    ink__posix.close(before);
    ink__posix.unlink("folder/a");
    ink__posix.unlink("folder/.b");
    ink__posix.unlink("folder/s");
    assert_int_equal(ink__posix.remove_folder("folder"), 0);
}

/* ---- Programs ----------------------------------------------------------------------------- */

/* Starts a shell, and reads what it prints. */
static long long start_shell(const char *command, char *text, size_t room)
{
    const char *const arguments[] = {"sh", "-c", command, NULL};
    int               output;
    size_t            used = 0;
    long long         id = ink__posix.start(arguments, &output), count = 1;

    assert_true(id > 0);
    assert_int_equal(fcntl(output, F_GETFD) & FD_CLOEXEC, FD_CLOEXEC);
    for (; count > 0 && used < room; used += (size_t)count) {
        assert_int_equal(ink__posix.wait(output, INK__CAN_READ, 10000), INK__CAN_READ);
        count = ink__posix.read(output, text + used, room - used);
        assert_true(count >= 0);
    }
    ink__posix.close(output);
    return id;
}

TEST(a_program_is_started_and_ends)
{
    char      text[100] = "";
    ink__stat stat;
    int       input = dup(0), errors = dup(2);

    /* It has neither our standard input nor our standard error. */
    make_file("input", "not this");
    int given = open_well("input", INK__OPEN_READ, 0);
    int heard = open_well("errors", INK__OPEN_NEW, 0600);
    assert_true(dup2(given, 0) == 0 && dup2(heard, 2) == 2);
    long long id = start_shell("cat; echo heard; echo not >&2; exit 3", text, sizeof text);
    assert_true(dup2(errors, 2) == 2);
    if (input >= 0)
        assert_int_equal(dup2(input, 0), 0);
    else
        ink__posix.close(0);
    assert_int_equal(ink__posix.stat_file(heard, &stat), 0);
    assert_int_equal(stat.bytes, 0);
    ink__posix.close(input);
    ink__posix.close(errors);
    end(given, "input");
    end(heard, "errors");
    assert_string_equal(text, "heard\n");
    assert_int_equal(ink__posix.finish(id, false), 3);
    assert_int_equal(ink__posix.finish(id, false), -ECHILD);
    id = start_shell("kill -9 $$", text, sizeof text);
    assert_int_equal(ink__posix.finish(id, false), 128 + 9);
}

TEST(a_program_can_be_ended)
{
    const char *const arguments[] = {"sleep", "1000", NULL};
    int               output;
    long long         id = ink__posix.start(arguments, &output);

    assert_true(id > 0);
    assert_int_equal(ink__posix.wait(output, INK__CAN_READ, 0), 0);
    assert_int_equal(ink__posix.finish(id, true), 128 + 9);
    assert_int_equal(ink__posix.wait(output, INK__CAN_READ, 10000), INK__CAN_READ);
    ink__posix.close(output);
}

TEST(a_program_that_is_not_there_is_reported)
{
    const char *const arguments[] = {"no such program", NULL};
    int               output = NO_FILE;

    long long id = ink__posix.start(arguments, &output);
    if (id > 0) { /* under valgrind, which makes two processes before it can tell */
        ink__posix.close(output);
        assert_int_equal(ink__posix.finish(id, false), 127);
        return;
    }
    assert_int_equal(id, -ENOENT);
    assert_int_equal(output, NO_FILE);
}

TEST(process_and_environment_are_those_of_this_program)
{
    assert_int_equal(ink__posix.process_id(), getpid());
    assert_int_equal(setenv("INK_SYSTEM_TEST", "yes", 1), 0);
    assert_string_equal(ink__posix.environment("INK_SYSTEM_TEST"), "yes");
    assert_int_equal(unsetenv("INK_SYSTEM_TEST"), 0);
    assert_null(ink__posix.environment("INK_SYSTEM_TEST"));
}

TEST(a_test_can_put_another_table_in_location)
{
    static const ink__system other;

    assert_ptr_equal(ink__system_now(), &ink__posix);
    ink__system_replace(&other);
    assert_ptr_equal(ink__system_now(), &other);
    ink__system_replace(NULL);
    assert_ptr_equal(ink__system_now(), &ink__posix);
}

TEST(an_errno_has_words_and_an_unknown_one_its_number)
{
    char text[100];

    ink__system_reason(ENOENT, text, sizeof text);
    assert_string_equal(text, strerror(ENOENT));
    ink__system_reason(123456, text, sizeof text);
    assert_non_null(strstr(text, "123456"));
}

TEST(words_too_long_for_their_room_are_cut_or_replaced)
{
    char text[12];

    memset(text, '#', sizeof text);
    ink__system_reason(ENOENT, text, 9); /* "No such file or directory" has 25 characters */
    assert_true(memchr(text, '\0', 9) != NULL);
    assert_memory_equal(text + 9, "###", 3);
}

TEST(a_file_is_known_by_its_number_whatever_its_name)
{
    ink__stat first, second, other;

    make_file("x", "bees");
    make_file("y", "bees");
    assert_int_equal(link("x", "z"), 0);
    int file = ink__posix.open("x", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.stat_file(file, &first), 0);
    assert_int_equal(ink__posix.stat_path("z", &second), 0);
    assert_int_equal(ink__posix.stat_path("y", &other), 0);
    assert_true(first.device == second.device && first.number == second.number);
    assert_true(first.number != other.number);
    end(file, "x");
    ink__posix.unlink("y");
    ink__posix.unlink("z");
}

TEST(a_file_that_is_to_be_changed_is_there_and_can_be_written)
{
    assert_int_equal(ink__posix.open("x", INK__OPEN_UPDATE, 0), -ENOENT);
    assert_int_equal(ink__posix.open(".", INK__OPEN_UPDATE, 0), -EISDIR);
    make_file("x", "bees");
    int file = open_well("x", INK__OPEN_UPDATE, 0);
    assert_int_equal(ink__posix.write(file, "ants", 4), 4);
    end(file, "x");
}

TEST(a_lock_shuts_others_out_until_the_file_is_closed)
{
    make_file("x", "bees");
    int file = ink__posix.open("x", INK__OPEN_READ, 0);
    int other = ink__posix.open("x", INK__OPEN_READ, 0);
    assert_int_equal(ink__posix.lock(file), 0);
    assert_int_equal(flock(other, LOCK_EX | LOCK_NB), -1);
    assert_int_equal(errno, EWOULDBLOCK);
    ink__posix.close(file);
    assert_int_equal(ink__posix.lock(other), 0);
    end(other, "x");
    assert_int_equal(ink__posix.lock(NO_FILE), -EBADF);
}

TEST(a_path_leads_through_links_to_a_file)
{
    char path[INK__PATH_BYTES], straight[INK__PATH_BYTES];

    make_file("x", "");
    assert_int_equal(symlink("x", "one"), 0);
    assert_int_equal(symlink("./one", "two"), 0);
    assert_int_equal(ink__posix.resolve("x", straight), 0);
    assert_int_equal(ink__posix.resolve("two", path), 0);
    assert_string_equal(path, straight);
    assert_string_equal(strrchr(path, '/'), "/x");
    ink__posix.unlink("x");
    assert_int_equal(ink__posix.resolve("two", path), -ENOENT);
    ink__posix.unlink("one");
    ink__posix.unlink("two");
}

static int nothing_is_left_behind(void **state)
{
    return faults_names_here() == 0 ? 0 : -1;
}

RUN_TESTS(.begin = nothing_is_left_behind, .end = nothing_is_left_behind)
