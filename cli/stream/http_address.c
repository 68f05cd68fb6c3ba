/* http_address.c - the address of the status page, and the host names that requests may use. */
#define _POSIX_C_SOURCE 200809L
#include "stream/http_address.h"

#include "report/failure.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

enum { BACKLOG = 64 };

static bool read_port(http_address *address, const char *text)
{
    uint32_t port = 0;
    size_t   digits = strspn(text, "0123456789");

    if (digits == 0 || digits > 5 || text[digits] != '\0')
        return false;
    for (size_t i = 0; i < digits; i++)
        port = 10 * port + (uint32_t)(text[i] - '0');
    address->port = (uint16_t)port;
    address->has_port = true;
    return port <= UINT16_MAX;
}

static bool is_host(const char *text, size_t count, bool bracketed)
{
    static const char allowed[] =
        "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_";

    for (size_t i = 0; i < count; i++)
        if (strchr(allowed, text[i]) == NULL && !(bracketed && text[i] == ':'))
            return false;
    return count < HTTP_HOST_BYTES;
}

/* Reads HOST:PORT, HOST, :PORT, or the same with [HOST]; false if it is none of these. */
static bool read_address(http_address *address, const char *text)
{
    bool        bracketed = text[0] == '[';
    const char *begin = text + bracketed;
    size_t      count = strcspn(begin, bracketed ? "]" : ":");
    const char *rest = begin + count + bracketed;

    memset(address, 0, sizeof *address);
    if ((bracketed && (count == 0 || begin[count] != ']')) || !is_host(begin, count, bracketed))
        return false;
    memcpy(address->host, begin, count);
    if (*rest == ':')
        return read_port(address, rest + 1);
    return *rest == '\0' && count > 0;
}

int http_address_option(http_address *address, const char *text)
{
    memset(address, 0, sizeof *address);
    if (read_port(address, text) || (read_address(address, text) && address->has_port))
        return 0;
    return fail_usage("--http %s, expected HOST:PORT, as 127.0.0.1:8080", shown(text));
}

static int fail_listen(int code, const http_address *address, const char *why)
{
    bool is_v6 = strchr(address->host, ':') != NULL;

    return fail(code, "--http %s%s%s:%u: cannot listen: %s", is_v6 ? "[" : "", address->host,
                is_v6 ? "]" : "", (unsigned)address->port, why);
}

static uint16_t port_of(int listener)
{
    struct sockaddr_storage at;
    socklen_t               bytes = sizeof at;

    if (getsockname(listener, (struct sockaddr *)&at, &bytes) != 0)
        return 0;
    return ntohs(at.ss_family == AF_INET6 ? ((struct sockaddr_in6 *)(void *)&at)->sin6_port
                                          : ((struct sockaddr_in *)(void *)&at)->sin_port);
}

static int listen_at(const struct addrinfo *found)
{
    const int yes = 1;
    int       listener = socket(found->ai_family, found->ai_socktype | SOCK_CLOEXEC, 0);

    if (listener < 0)
        return -1;
    /* A port in TIME_WAIT is free. */
    setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof yes);
    if (bind(listener, found->ai_addr, found->ai_addrlen) == 0 && listen(listener, BACKLOG) == 0)
        return listener;
    int why = errno;
    close(listener);
    errno = why;
    return -1;
}

int http_address_listen(const http_address *address, int *listener, uint16_t *bound)
{
    const struct addrinfo wanted = {.ai_socktype = SOCK_STREAM, .ai_flags = AI_NUMERICSERV};
    http_address          shown_at = *address;
    struct addrinfo      *found;
    char                  port[8];

    /* localhost too, without a look at /etc/hosts. */
    if (address->host[0] == '\0' || strcasecmp(address->host, "localhost") == 0)
        strcpy(shown_at.host, "127.0.0.1");
    snprintf(port, sizeof port, "%u", (unsigned)address->port);
    int why = getaddrinfo(shown_at.host, port, &wanted, &found);
    if (why == EAI_MEMORY)
        return fail_listen(CODE_LIMIT, &shown_at, "not enough memory");
    if (why != 0)
        return fail_listen(CODE_IO, &shown_at,
                           why == EAI_SYSTEM ? strerror(errno) : gai_strerror(why));
    *listener = listen_at(found);
    why = errno;
    freeaddrinfo(found);
    if (*listener < 0)
        return fail_listen(CODE_IO, &shown_at, strerror(why));
    *bound = port_of(*listener);
    return 0;
}

static bool is_number(const char *host)
{
    struct in6_addr ignored;

    return inet_pton(AF_INET, host, &ignored) == 1 || inet_pton(AF_INET6, host, &ignored) == 1;
}

bool http_address_accepts(const http_address *address, const char *host)
{
    http_address named;

    if (!read_address(&named, host) || named.host[0] == '\0')
        return false;
    return is_number(named.host) || strcasecmp(named.host, "localhost") == 0 ||
           strcasecmp(named.host, address->host) == 0;
}
