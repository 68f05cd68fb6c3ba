/* loopback.c - a program that would listen on all addresses of the machine listens on the loopback
 * address.
 *
 * Hadoop has no setting for two of its listeners: the shuffle of the NodeManager, and the one to
 * which the tasks of a job report. This is loaded into them before everything else (LD_PRELOAD) and
 * stands in front of bind(2). */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <netinet/in.h>
#include <string.h>
#include <sys/socket.h>

typedef int (*bind_function)(int, const struct sockaddr *, socklen_t);

static bind_function next_bind(void)
{
    bind_function found;
    void         *symbol = dlsym(RTLD_NEXT, "bind");
    memcpy(&found, &symbol, sizeof found);
    return found;
}

/* A socket for both families reaches the loopback address of the older one by its mapped form,
 * ::ffff:127.0.0.1. */
static const struct in6_addr mapped_loopback = {
    {{0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 127, 0, 0, 1}}};

__attribute__((visibility("default"))) int bind(int socket, const struct sockaddr *address,
                                                socklen_t bytes)
{
    bind_function bind_there = next_bind();
    if (bind_there == NULL) {
        errno = ENOSYS;
        return -1;
    }
    struct sockaddr_in  four;
    struct sockaddr_in6 six;
    if (address != NULL && address->sa_family == AF_INET && bytes >= sizeof four) {
        memcpy(&four, address, sizeof four);
        if (four.sin_addr.s_addr == htonl(INADDR_ANY)) {
            four.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
            return bind_there(socket, (const struct sockaddr *)&four, sizeof four);
        }
    }
    if (address != NULL && address->sa_family == AF_INET6 && bytes >= sizeof six) {
        memcpy(&six, address, sizeof six);
        if (IN6_IS_ADDR_UNSPECIFIED(&six.sin6_addr)) {
            six.sin6_addr = mapped_loopback;
            return bind_there(socket, (const struct sockaddr *)&six, sizeof six);
        }
    }
    return bind_there(socket, address, bytes);
}
