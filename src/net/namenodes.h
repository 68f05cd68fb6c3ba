/* namenodes.h - an address of WebHDFS, and requests to its NameNodes, which redirect reads and
 * writes to a DataNode. Plain HTTP: neither TLS nor Kerberos.
 *
 *     webhdfs://HOST:PORT[,HOST:PORT...]/PATH[?user.name=USER]
 *
 * has the HTTP addresses of the NameNodes, of which the first that can be reached and is not on
 * standby is used; while others are on standby they are asked again for about a minute. PATH and
 * USER are not URL-escaped: of several question marks the last one ends the path. */
#ifndef INK_NET_NAMENODES_H
#define INK_NET_NAMENODES_H

#include "base/json.h"
#include "net/http.h"

enum {
    INK__NAMENODES_MAX = 16,
    INK__EXCEPTION_BYTES = 64,
    INK__AVOIDED_BYTES = 48,

    /* Status codes of WebHDFS. */
    INK__HTTP_OK = 200,
    INK__HTTP_CREATED = 201,
    INK__HTTP_REDIRECT = 307,
    INK__HTTP_UNAUTHORIZED = 401,
    INK__HTTP_REFUSED = 400, /* and above */
};

/* Whether a path is an address, of WebHDFS or of a scheme that is not supported. */
bool ink__webhdfs_is_address(const char *path);

/* The length of a path or address without the user of an address. */
size_t ink__webhdfs_path_bytes(const char *path);

typedef struct ink__namenodes {
    ink_allocator allocator;
    uint64_t      bytes; /* of all this */
    ink__patience patience;
    ink__host     nodes[INK__NAMENODES_MAX];
    unsigned      count, last;                     /* the one that answered last */
    ink__peer     datanode;                        /* to which it redirected; port 0: to none yet */
    char          avoided[INK__AVOIDED_BYTES];     /* for requests: the one that is not wanted */
    bool          takeover;                        /* one said that it is not active, or not yet */
    unsigned      pauses;                          /* for that, since one answered */
    char          exception[INK__EXCEPTION_BYTES]; /* of the last answer; "": none */
    size_t        message_bytes;                   /* of its message, in http.input */
    ink__http     http;
    const char   *path, *beside, *user; /* escaped for requests; in text */
    char          text[];
} ink__namenodes;

/* Parses an address; sends no request. If `beside` is not NULL it is the name of another file in
 * the same folder. `patience` NULL means the usual one. INK_USAGE: the address is malformed, or of
 * another kind. */
ink_status ink__namenodes_open(ink__namenodes **servers, const char *address, const char *beside,
                               const ink__patience *patience, const ink_allocator *allocator,
                               ink_error *error);
void       ink__namenodes_close(ink__namenodes *servers); /* NULL is allowed */

/* A request: "METHOD /webhdfs/v1PATH?op=OPERATIONVALUE". */
typedef struct ink__question {
    const char *method, *path, *operation, *value; /* value: appended to the operation */
    bool        redirects;                         /* to a DataNode */
} ink__question;

/* Sends a request to one NameNode after the other, from the one that answered last on, until one
 * answers, and reads the body unless it redirects. Nothing is open after that. Of several one may
 * just take over from another: they are asked again, in pauses, if one is on standby. INK_IO: none
 * answered; the message names host and port. */
ink_status ink__namenodes_ask(ink__namenodes *servers, const ink__question *asked,
                              const ink__patience *patience, ink__answer *answer, ink_error *error);

/* Sends a request that a NameNode redirects, connects to the DataNode, and sends it the head. The
 * connection is open then. *refused: the NameNode answered otherwise, and would again. */
ink_status ink__namenodes_redirect(ink__namenodes *servers, const ink__question *asked,
                                   bool has_body, ink__answer *answer, bool *refused,
                                   ink_error *error);
/* After a failure: the DataNode is left out from the next redirection on, if there is another. A
 * NameNode takes minutes to notice that one is lost. */
void ink__namenodes_avoid(ink__namenodes *servers);

/* Finds two values in the JSON that an answer has as its body; false: it has none. */
bool ink__answer_find(const ink__answer *answer, const char *const names[2],
                      ink__json_value values[2]);

/* Reads why a server refuses, for ink__namenodes_refuse. */
void ink__namenodes_hear(ink__namenodes *servers, ink__answer *answer);

/* Fails for an unexpected answer that ink__namenodes_hear has read. */
ink_status ink__namenodes_refuse(const ink__namenodes *servers, const ink__answer *answer,
                                 const char *what, unsigned expected, ink_error *error);

#endif
