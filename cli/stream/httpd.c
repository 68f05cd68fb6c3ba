/* httpd.c - libmicrohttpd, loaded on demand. */
#include "stream/httpd.h"

#include "report/failure.h"

#include <dlfcn.h>
#include <errno.h>
#include <string.h>

/* memcpy, as C has no cast from an object pointer to a function pointer. */
#define LOAD(name)                                                                                 \
    call = dlsym(library, "MHD_" #name);                                                           \
    if (call == NULL)                                                                              \
        return fail(CODE_IO, "--http: %s has no MHD_%s, expected version 0.9.75 or later",         \
                    INK_HTTP_LIBRARY, #name);                                                      \
    memcpy(&calls->name, &call, sizeof call);

int httpd_load(httpd_calls *calls)
{
    void *call;

    errno = 0;
    void *library = dlopen(INK_HTTP_LIBRARY, RTLD_NOW | RTLD_LOCAL);
    if (library == NULL && errno == ENOMEM)
        return fail(CODE_LIMIT, "--http: not enough memory for %s", INK_HTTP_LIBRARY);
    if (library == NULL)
        return fail(CODE_IO, "--http: %s, expected it to be installed", dlerror());
    HTTPD_CALLS(LOAD)
    return 0;
}
