/* namenodes.h - an address of WebHDFS, and the NameNodes that it names, which are asked about a
 * file and send whoever wants its bytes, or has them, on to a DataNode. Plain HTTP: neither TLS nor
 * Kerberos.
 *
 *     webhdfs://HOST:PORT[,HOST:PORT...]/PATH[?user.name=USER]
 *
 * names the HTTP addresses of the NameNodes, of which the first that can be reached and is not on
 * standby is asked; PATH and USER as they are, without the escapes of an URL: of several question
 * marks the last one ends the path. */
#ifndef INK_NET_NAMENODES_H
#define INK_NET_NAMENODES_H

#include "net/http.h"

enum {
    INK__NAMENODES_MAX = 16,
    INK__EXCEPTION_BYTES = 64,

    /* What the answers of WebHDFS are. */
    INK__HTTP_OK = 200,
    INK__HTTP_CREATED = 201,
    INK__HTTP_REDIRECT = 307,
    INK__HTTP_UNAUTHORIZED = 401,
    INK__HTTP_REFUSED = 400, /* and above */
};

/* Whether a path is an address, of WebHDFS or of something that is not supported, and not the name
 * of a file. */
bool ink__webhdfs_is_address(const char *path);

/* How many bytes of a path, which may be an address, end with the name of the file: all, but for
 * the user of an address. */
size_t ink__webhdfs_path_bytes(const char *path);

typedef struct ink__namenodes {
    ink_allocator allocator;
    uint64_t      bytes; /* of all this */
    ink__patience patience;
    ink__host     nodes[INK__NAMENODES_MAX];
    unsigned      count, last;                     /* the one that answered last */
    char          exception[INK__EXCEPTION_BYTES]; /* that the last answer tells; "": none */
    size_t        message_bytes;                   /* of what it says to that, in http.input */
    ink__http     http;
    const char   *path, *beside, *user; /* as they stand in requests; in text */
    char          text[];
} ink__namenodes;

/* Reads an address, and sets its servers up; none is asked yet. If `beside` is not NULL it is the
 * name of another file in the same folder. `patience` NULL means the usual one. INK_USAGE: the
 * address is malformed, or of another kind. */
ink_status ink__namenodes_open(ink__namenodes **servers, const char *address, const char *beside,
                               const ink__patience *patience, const ink_allocator *allocator,
                               ink_error *error);
void       ink__namenodes_close(ink__namenodes *servers); /* NULL is allowed */

/* A question: "METHOD /webhdfs/v1PATH?op=OPERATION". */
typedef struct ink__question {
    const char *method, *path, *operation, *value; /* value: behind the operation */
} ink__question;

/* Asks one NameNode after the other, from the one that answered last on, until one answers, and
 * reads what it says unless it sends us on. Nothing is open after that. INK_IO: nobody answered;
 * the message names host and port. */
ink_status ink__namenodes_ask(ink__namenodes *servers, const ink__question *asked,
                              const ink__patience *patience, ink__answer *answer, ink_error *error);

/* Goes where the answer of a NameNode, which is a redirection, says, and sends the head of the
 * request there. The connection is open then. */
ink_status ink__namenodes_follow(ink__namenodes *servers, const ink__answer *answer,
                                 const char *method, bool has_body, ink_error *error);

/* Reads what a server says of its refusal, for ink__namenodes_refuse. */
void ink__namenodes_hear(ink__namenodes *servers, ink__answer *answer);

/* Fails with an answer that is not the one that was expected, and that has been heard. */
ink_status ink__namenodes_refuse(const ink__namenodes *servers, const ink__answer *answer,
                                 const char *what, unsigned expected, ink_error *error);

#endif
