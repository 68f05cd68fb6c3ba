/* listener_test.c - addresses to listen at are understood or refused with one clear line, what is
 * in the way at a path is replaced only if it is a socket that nobody listens at, and nothing that
 * a peer or the system does to a connection ends a listener. */
#define _DEFAULT_SOURCE 1
#include "net/listener.h"

#include "base/cleanup.h"
#include "support/check.h"
#include "support/faults.h"
#include "support/records.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

static ink_error     error;
static ink__listener listener; /* of the case that runs */

#define MILLISECOND ((uint64_t)1000000)

/* ---- Addresses ---------------------------------------------------------------------------- */

TEST(an_address_is_reported_from_a_path)
{
    static const char *const others[] = {"",        "-",      "keys.txt", "tcp:/x",
                                         "TCP://x", "unix",   "/unix:x",  "./tcp://:0",
                                         "tcp:x:1", "Unix:x", "udp://"};

    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        assert_false(ink__listener_named(others[i]));
        CHECK_FAILS(ink__listener_open(&listener, others[i], &error), INK_USAGE,
                    "expected tcp://HOST:PORT or unix:PATH");
    }
    assert_true(ink__listener_named("tcp://"));
    assert_true(ink__listener_named("unix:"));
}

TEST(an_address_that_is_none_is_refused)
{
    static const struct {
        const char *address, *message;
    } cases[] = {
        {"tcp://", "an address without a port, expected tcp://HOST:PORT"},
        {"tcp://127.0.0.1", "without a port"},
        {"tcp://localhost", "without a port"},
        {"tcp://[::1]", "without a port"},
        {"tcp://[::1", "\"[:\" is not a host"},
        {"tcp://:", "\"\" is not a port, expected a number from 0 (any free one) to 65535"},
        {"tcp://127.0.0.1:", "\"\" is not a port"},
        {"tcp://127.0.0.1:x", "\"x\" is not a port"},
        {"tcp://127.0.0.1:-1", "\"-1\" is not a port"},
        {"tcp://127.0.0.1:+1", "\"+1\" is not a port"},
        {"tcp://127.0.0.1: 1", "\" 1\" is not a port"},
        {"tcp://127.0.0.1:1 ", "\"1 \" is not a port"},
        {"tcp://127.0.0.1:80/", "\"80/\" is not a port"},
        {"tcp://127.0.0.1:65536", "\"65536\" is not a port"},
        {"tcp://127.0.0.1:4294967296", "\"4294967296\" is not a port"},
        {"tcp://127.0.0.1:18446744073709551617", "\"18446744073709551617\" is not a port"},
        {"tcp://127.0.0.1:1\n", "\"1\\x0a\" is not a port"},
        {"tcp://example.org:1", "\"example.org\" is not a host to listen at, expected a numeric"},
        {"tcp://LOCALHOST:1", "\"LOCALHOST\" is not a host"},
        {"tcp://localhosts:1", "\"localhosts\" is not a host"},
        {"tcp://127.0.0.256:1", "\"127.0.0.256\" is not a host"},
        {"tcp://127.1:1", "\"127.1\" is not a host"},
        {"tcp://*:1", "\"*\" is not a host"},
        {"tcp://[]:1", "\"[]\" is not a host"},
        {"tcp://[:1", "\"[\" is not a host"},
        {"tcp://]:1", "\"]\" is not a host"},
        {"tcp://[127.0.0.1]:1", "\"[127.0.0.1]\" is not a host"},
        {"tcp://[localhost]:1", "\"[localhost]\" is not a host"},
        {"tcp://::1:1", "\"::1\" is not a host to listen at, expected a numeric address, as "
                        "127.0.0.1 or [::1]"},
        {"tcp://me@127.0.0.1:1", "\"me@127.0.0.1\" is not a host"},
        {"tcp://\xff:1", "\"\\xff\" is not a host"},
        {"tcp://0000000000000000000000000000000000000000000000000000000000000127.0.0.1:1",
         "000...\" is not a host"},
        {"tcp://0000000000000000000000000000000000000000000000000000000127.0.0.1:1", /* 64 bytes */
         "127.0...\" is not a host"},
        {"unix:", "an address without a path, expected unix:PATH"},
    };

    faults_system_begin(NULL);
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        ink_status status = ink__listener_open(&listener, cases[i].address, &error);
        if (status != INK_USAGE || strstr(error.message, "expected") == NULL ||
            strstr(error.message, cases[i].message) == NULL)
            fail_msg("%s: %s: %s", cases[i].address, ink_status_name(status), error.message);
        assert_int_equal(listener.file, -1);
    }
    faults_system_end();
    assert_int_equal(faults_calls(FAULTS_ANY), 0); /* nothing was tried */
}

TEST(a_path_of_a_socket_has_less_than_108_bytes)
{
    char address[5 + INK__SOCKET_PATH_BYTES + 1] = "unix:";

    memset(address + 5, 'p', INK__SOCKET_PATH_BYTES);
    CHECK_FAILS(ink__listener_open(&listener, address, &error), INK_USAGE,
                "a path of 108 bytes, expected at most 107 for a socket");
    address[5 + INK__SOCKET_PATH_BYTES - 1] = '\0';
    CHECK_OK(ink__listener_open(&listener, address, &error));
    assert_string_equal(listener.address, address);
    ink__listener_close(&listener);
}

/* ---- TCP ---------------------------------------------------------------------------------- */

static int connect_to(unsigned port)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    int                file = socket(AF_INET, SOCK_STREAM, 0);

    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    assert_int_equal(connect(file, (struct sockaddr *)&to, sizeof to), 0);
    return file;
}

static unsigned port_of(void)
{
    return (unsigned)atoi(strrchr(listener.address, ':') + 1);
}

/* Gives -1 if the listener does. */
static int take(void)
{
    int file;

    CHECK_OK(ink__listener_accept(&listener, &file, &error));
    return file;
}

/* Connects to a port, and waits until the listener can know of it. */
static int knock(void)
{
    int client = connect_to(port_of());

    assert_int_equal(ink__posix.wait(listener.file, INK__CAN_READ, 10000), INK__CAN_READ);
    return client;
}

TEST(on_loopback_it_listens_unless_reported_otherwise)
{
    static const char *const addresses[] = {"tcp://127.0.0.1:0", "tcp://:0", "tcp://localhost:0",
                                            "tcp://:00000000000"};

    for (size_t i = 0; i < sizeof addresses / sizeof addresses[0]; i++) {
        struct sockaddr_in at;
        socklen_t          bytes = sizeof at;
        char               expected[64];

        CHECK_OK(ink__listener_open(&listener, addresses[i], &error));
        assert_int_equal(getsockname(listener.file, (struct sockaddr *)&at, &bytes), 0);
        assert_int_equal(ntohl(at.sin_addr.s_addr), INADDR_LOOPBACK);
        snprintf(expected, sizeof expected, "tcp://127.0.0.1:%u", (unsigned)ntohs(at.sin_port));
        assert_string_equal(listener.address, expected);
        assert_int_equal(take(), -1);
        int client = knock(), file = take();
        assert_true(file >= 0);
        close(file);
        close(client);
        ink__listener_close(&listener);
        ink__listener_close(&listener);
        assert_int_equal(listener.file, -1);
    }
    CHECK_OK(ink__listener_open(&listener, "tcp://0.0.0.0:0", &error));
    close(connect_to(port_of()));
    ink__listener_close(&listener);
}

TEST(an_address_of_six_is_written_in_brackets)
{
    ink_status status = ink__listener_open(&listener, "tcp://[::1]:0", &error);
    if (status == INK_IO && (error.os_error == EADDRNOTAVAIL || error.os_error == EAFNOSUPPORT))
        return; /* this host has no IPv6 */
    CHECK_OK(status);
    assert_true(strncmp(listener.address, "tcp://[::1]:", 12) == 0 && port_of() > 0);
    ink__listener_close(&listener);
}

TEST(a_port_that_is_in_use_is_one_line)
{
    ink__listener second;

    CHECK_OK(ink__listener_open(&listener, "tcp://:0", &error));
    CHECK_FAILS(ink__listener_open(&second, listener.address, &error), INK_IO,
                "cannot listen: Address already in use");
    assert_int_equal(error.os_error, EADDRINUSE);
    assert_int_equal(second.file, -1);
    ink__listener_close(&listener);
    CHECK_FAILS(ink__listener_open(&second, "tcp://192.0.2.1:0", &error), INK_IO, "cannot listen");
}

/* The connection that we closed first is remembered by the system for a minute. */
TEST(a_port_can_be_used_again_at_once)
{
    char address[INK__ADDRESS_BYTES];

    CHECK_OK(ink__listener_open(&listener, "tcp://:0", &error));
    snprintf(address, sizeof address, "%s", listener.address);
    int client = knock(), file = take();
    close(file);
    close(client);
    ink__listener_close(&listener);
    CHECK_OK(ink__listener_open(&listener, address, &error));
    ink__listener_close(&listener);
}

/* ---- Unix sockets ------------------------------------------------------------------------- */

static int bind_path(const char *path)
{
    struct sockaddr_un at = {.sun_family = AF_UNIX};
    int                file = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(at.sun_path, sizeof at.sun_path, "%s", path);
    assert_int_equal(bind(file, (struct sockaddr *)&at, sizeof at), 0);
    return file;
}

static int connect_path(const char *path)
{
    struct sockaddr_un to = {.sun_family = AF_UNIX};
    int                file = socket(AF_UNIX, SOCK_STREAM, 0);

    snprintf(to.sun_path, sizeof to.sun_path, "%s", path);
    assert_int_equal(connect(file, (struct sockaddr *)&to, sizeof to), 0);
    return file;
}

TEST(a_socket_is_there_while_it_is_listened_at)
{
    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    assert_string_equal(listener.address, "unix:s");
    int client = connect_path("s"), file = take();
    assert_true(file >= 0);
    assert_int_equal(take(), -1);
    close(file);
    close(client);
    ink__listener_close(&listener);
    assert_int_equal(faults_names_here(), 0);
    CHECK_FAILS(ink__listener_open(&listener, "unix:no/such", &error), INK_IO,
                "cannot listen: No such file or directory");
}

TEST(a_socket_without_a_listener_is_replaced)
{
    close(bind_path("s"));
    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    close(connect_path("s"));
    ink__listener_close(&listener);
    assert_int_equal(faults_names_here(), 0);
}

/* It is gone when we look, connect, or remove it; and then another listens there again. */
TEST(a_socket_that_another_process_removes_first_is_no_failure)
{
    static const faults_call calls[] = {FAULTS_STAT_PATH, FAULTS_CONNECT_PATH, FAULTS_UNLINK};

    close(bind_path("s"));
    for (size_t i = 0; i < sizeof calls / sizeof calls[0]; i++) {
        faults_system_begin(&(faults_plan){.call = calls[i], .nth = 1, .os_error = ENOENT});
        CHECK_FAILS(ink__listener_open(&listener, "unix:s", &error), INK_IO,
                    "cannot listen: Address already in use");
        assert_true(faults_struck());
        faults_system_end();
    }
    unlink("s");
}

TEST(a_socket_that_cannot_be_looked_at_is_removed_again)
{
    faults_system_begin(&(faults_plan){.call = FAULTS_STAT_PATH, .nth = 1, .os_error = EIO});
    CHECK_FAILS(ink__listener_open(&listener, "unix:s", &error), INK_IO, "cannot listen: ");
    faults_system_end();
    assert_int_equal(faults_names_here(), 0);
}

TEST(a_socket_that_somebody_listens_at_is_left_to_them)
{
    ink__listener second;

    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    CHECK_FAILS(ink__listener_open(&second, "unix:s", &error), INK_IO,
                "another process already listens there, expected a free path");
    ink__listener_close(&second);
    int file = take(); /* by which it was found out */
    assert_true(file >= 0);
    close(file);
    close(connect_path("s"));
    faults_system_begin(&(faults_plan){.call = FAULTS_CONNECT_PATH, .nth = 1, .os_error = EAGAIN});
    CHECK_FAILS(ink__listener_open(&second, "unix:s", &error), INK_IO,
                "another process already listens there");
    faults_system_end();
    ink__listener_close(&listener);
    assert_int_equal(faults_names_here(), 0);
}

TEST(what_is_no_socket_is_left_as_it_is)
{
    records_write("file", "bees", 4);
    CHECK_FAILS(ink__listener_open(&listener, "unix:file", &error), INK_IO,
                "a file that is no socket already exists there, expected a free path");
    CHECK(records_file_is("file", "bees"));
    unlink("file");
    assert_int_equal(mkfifo("fifo", 0600), 0);
    CHECK_FAILS(ink__listener_open(&listener, "unix:fifo", &error), INK_IO, "no socket");
    unlink("fifo");
    CHECK_FAILS(ink__listener_open(&listener, "unix:.", &error), INK_IO, "no socket");
    assert_int_equal(symlink("nowhere", "link"), 0);
    CHECK_FAILS(ink__listener_open(&listener, "unix:link", &error), INK_IO,
                "cannot listen: Address already in use");
    unlink("link");
}

TEST(a_socket_goes_with_a_process_that_is_ended)
{
    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    ink__cleanup_remove(); /* as the handler of a signal does */
    assert_int_equal(faults_names_here(), 0);
    ink__listener_close(&listener);

    int other = bind_path("s"); /* it is nobody's concern any more */
    ink__cleanup_remove();
    assert_int_equal(faults_names_here(), 1);
    close(other);
    unlink("s");
}

TEST(a_socket_that_others_have_put_there_is_not_removed)
{
    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    unlink("s");
    int other = bind_path("s");
    ink__listener_close(&listener);
    assert_int_equal(faults_names_here(), 1);
    close(other);
    unlink("s");
}

static int stat_on_another_device(const char *path, ink__stat *stat)
{
    int result = ink__posix.stat_path(path, stat);

    stat->device++;
    return result;
}

TEST(a_socket_of_the_same_number_on_another_device_is_not_removed)
{
    ink__system system = ink__posix;

    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    system.stat_path = stat_on_another_device;
    ink__system_replace(&system);
    ink__listener_close(&listener);
    ink__system_replace(NULL);
    assert_int_equal(faults_names_here(), 1);
    unlink("s");
}

/* ---- Connections -------------------------------------------------------------------------- */

TEST(what_happens_to_a_connection_ends_no_listener)
{
    static const int errors[] = {EAGAIN,   EINTR,       ECONNABORTED, EPROTO,       EPERM,
                                 ENETDOWN, ENETUNREACH, EHOSTDOWN,    EHOSTUNREACH, ETIMEDOUT};

    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    int client = connect_path("s");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        ink__awaited awaited;
        int          milliseconds = 1000;

        faults_system_begin(&(faults_plan){.call = FAULTS_ACCEPT, .nth = 1, .os_error = errors[i]});
        assert_int_equal(take(), -1);
        ink__listener_await(&listener, &awaited, &milliseconds);
        assert_int_equal(awaited.file, listener.file);
        assert_int_equal(milliseconds, 1000);
        faults_system_end();
    }
    faults_system_begin(&(faults_plan){.call = FAULTS_ACCEPT, .nth = 1, .os_error = EBADF});
    int file;
    CHECK_FAILS(ink__listener_accept(&listener, &file, &error), INK_IO,
                "cannot take a connection: Bad file descriptor");
    assert_int_equal(file, -1);
    faults_system_end();
    file = take();
    assert_true(file >= 0);
    close(file);
    close(client);
    ink__listener_close(&listener);
}

/* The listener is not waited for, and what is waited for meanwhile is not waited for too long. */
static void check_rests(void)
{
    static const int given[] = {1000, -1, 50};
    ink__awaited     awaited;

    for (size_t i = 0; i < sizeof given / sizeof given[0]; i++) {
        int milliseconds = given[i];
        ink__listener_await(&listener, &awaited, &milliseconds);
        assert_int_equal(awaited.file, -1);
        assert_in_range(milliseconds, 0, given[i] == 50 ? 50 : 100);
        assert_true(given[i] == 50 || milliseconds > 50);
    }
}

static void check_awaits(void)
{
    ink__awaited awaited;
    int          milliseconds = 1000;

    ink__listener_await(&listener, &awaited, &milliseconds);
    assert_int_equal(awaited.file, listener.file);
    assert_int_equal(awaited.what, INK__CAN_READ);
    assert_int_equal(milliseconds, 1000);
}

TEST(when_too_many_files_are_open_it_rests)
{
    static const int errors[] = {EMFILE, ENFILE, ENOBUFS, ENOMEM};

    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    int client = connect_path("s");
    for (size_t i = 0; i < sizeof errors / sizeof errors[0]; i++) {
        faults_system_begin(&(faults_plan){.call = FAULTS_ACCEPT, .nth = 1, .os_error = errors[i]});
        assert_int_equal(take(), -1);
        check_rests();
        faults_pass(100 * MILLISECOND);
        check_awaits();
        faults_system_end();
    }
    int file = take();
    assert_true(file >= 0);
    close(file);
    close(client);
    ink__listener_close(&listener);
}

TEST(some_files_are_left_for_others)
{
    struct rlimit limit, lower;

    CHECK_OK(ink__listener_open(&listener, "unix:s", &error));
    int client = connect_path("s");
    assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
    lower = limit;
    lower.rlim_cur = (rlim_t)client + 1 + 31;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
    faults_system_begin(NULL);
    assert_int_equal(take(), -1);
    assert_int_equal(faults_calls(FAULTS_ACCEPT), 0);
    check_rests();
    faults_system_end();
    lower.rlim_cur++;
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &lower), 0);
    int file = take();
    assert_true(file >= 0);
    assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
    close(file);
    close(client);
    ink__listener_close(&listener);
}

/* ---- Every call that fails ---------------------------------------------------------------- */

/* Listens, is connected to if it can be, takes the connection, closes. */
static ink_status live(const char *address)
{
    int        file = -1, client = -1;
    ink_status status = ink__listener_open(&listener, address, &error);

    if (status == INK_OK) {
        client = listener.path[0] != '\0' ? connect_path("s") : knock();
        status = ink__listener_accept(&listener, &file, &error);
    }
    if (file >= 0)
        ink__system_now()->close(file);
    if (client >= 0)
        close(client);
    ink__listener_close(&listener);
    return status;
}

TEST(nothing_stays_open_whichever_call_fails)
{
    static const char *const addresses[] = {"tcp://:0", "unix:s"};

    for (size_t i = 0; i < 2; i++) {
        bool struck = true;
        for (unsigned nth = 1; struck; nth++) {
            close(bind_path("s")); /* is to be replaced */
            faults_system_begin(&(faults_plan){.call = FAULTS_ANY, .nth = nth, .os_error = EIO});
            ink_status status = live(addresses[i]);
            struck = faults_struck();
            faults_system_end();
            assert_int_equal(faults_open_files(), 0);
            CHECK(status == INK_OK || (struck && status == INK_IO));
            assert_true(unlink("s") == 0 || errno == ENOENT);
            assert_true(struck || nth > 5);
        }
    }
}

/* ---- Senders ------------------------------------------------------------------------------ */

TEST(a_request_of_http_is_known_by_its_first_line_in_any_pieces)
{
    static const struct {
        const char *text;
        ink__sender sender;
    } cases[] = {
        {"POST / HTTP/1.1\r\n", INK__SENDER_HTTP},
        {"GET /a?b=c HTTP/1.0\n", INK__SENDER_HTTP},
        {"OPTIONS * HTTP/", INK__SENDER_HTTP},
        {"PRI * HTTP/2.0\r\n", INK__SENDER_HTTP},
        {"VERSION-CONTROL http://x/ HTTP/1.1", INK__SENDER_HTTP},
        {"Host: localhost:7000\r\n", INK__SENDER_HTTP},
        {"hOST:", INK__SENDER_HTTP},
        {"", INK__SENDER_UNKNOWN},
        {"POST", INK__SENDER_UNKNOWN},
        {"POST /", INK__SENDER_UNKNOWN},
        {"POST / HTTP", INK__SENDER_UNKNOWN},
        {"Host", INK__SENDER_UNKNOWN},
        {"ant\nPOST / HTTP/1.1\r\n", INK__SENDER_OTHER},
        {"\nPOST / HTTP/1.1\r\n", INK__SENDER_OTHER},
        {"POST /\n", INK__SENDER_OTHER},
        {"POST  / HTTP/1.1", INK__SENDER_OTHER},
        {"POST  HTTP/1.1", INK__SENDER_OTHER}, /* without a target */
        {"POST / / HTTP/1.1", INK__SENDER_OTHER},
        {"POST / http/1.1", INK__SENDER_OTHER},
        {" POST / HTTP/1.1", INK__SENDER_OTHER},
        {" / HTTP/1.1", INK__SENDER_OTHER},
        {"POST1 / HTTP/1.1", INK__SENDER_OTHER},
        {"POST /\x7f HTTP/1.1", INK__SENDER_OTHER},
        {"Hosts:", INK__SENDER_OTHER},
        {"Hose:", INK__SENDER_OTHER},
        {"Hos:", INK__SENDER_OTHER},
        {"DISTINCT\n", INK__SENDER_OTHER},
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", INK__SENDER_UNKNOWN}, /* 32 letters, and one more */
        {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", INK__SENDER_OTHER},
        {"{\"a\": 1}", INK__SENDER_OTHER},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
        for (size_t piece = 1; piece < 4; piece++) {
            size_t        bytes = strlen(cases[i].text);
            ink__greeting greeting = ink__listener_greeting(&(ink__listener){.path = ""});
            for (size_t at = 0; at < bytes; at += piece)
                ink__greeting_take(&greeting, (const uint8_t *)cases[i].text + at,
                                   bytes - at < piece ? bytes - at : piece);
            if (greeting.sender != cases[i].sender)
                fail_msg("\"%s\" in pieces of %zu: %d, expected %d", cases[i].text, piece,
                         (int)greeting.sender, (int)cases[i].sender);
        }
    assert_int_equal(ink__listener_greeting(&(ink__listener){.path = "s"}).sender,
                     INK__SENDER_OTHER); /* no browser reaches a Unix socket */
}

RUN_TESTS()
