/* namenodes.h - an address of WebHDFS, and the NameNodes that it names, which are asked about a
 * file and send whoever wants its bytes, or has them, on to a DataNode. Plain HTTP: neither TLS nor
 * Kerberos.
 *
 *     webhdfs://HOST:PORT[,HOST:PORT...]/PATH[?user.name=USER]
 *
 * names the HTTP addresses of the NameNodes, of which the first that can be reached and is not on
 * standby is asked; PATH and USER as they are, without the escapes of an URL: of several question
 * marks the last one ends the path. */
#ifndef INK_INPUT_NAMENODES_H
#define INK_INPUT_NAMENODES_H

#include "input/http.h"

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

/* The parts of an address. */
typedef struct ink__address {
    const char *nodes, *path, *user; /* user: NULL if none */
    size_t      nodes_bytes, path_bytes;
} ink__address;

/* INK_USAGE: it is malformed, or of another kind. */
ink_status ink__address_split(ink__address *address, const char *text, ink_error *error);

/* Writes bytes as they may stand in the target of a request, three for one at most; gives where
 * they end. */
char *ink__address_escape(char *to, const char *bytes, size_t count);

/* Writes the user as a target has it, "&user.name=...", or nothing, and a NUL; at most
 * INK__USER_BYTES and three for each byte of the user. Gives where the NUL is. */
enum { INK__USER_BYTES = 16 };
char *ink__address_write_user(char *to, const ink__address *address);

typedef struct ink__namenodes {
    ink__patience patience;
    ink__host     nodes[INK__NAMENODES_MAX];
    unsigned      count, last;                     /* the one that answered last */
    const char   *user;                            /* as it stands in requests */
    char          exception[INK__EXCEPTION_BYTES]; /* that the last answer tells; "": none */
    size_t        message_bytes;                   /* of what it says to that, in http.chunk */
    ink__http     http;
} ink__namenodes;

/* Sets the servers of an address up; none is asked yet. `patience` NULL means the usual one. */
ink_status ink__namenodes_set(ink__namenodes *servers, const ink__address *address,
                              const ink__patience *patience, ink_error *error);

/* A question: "METHOD /webhdfs/v1PATH?op=OPERATION". */
typedef struct ink__question {
    const char *method, *path, *operation, *value; /* value: behind the operation */
} ink__question;

/* Asks one NameNode after the other, from the one that answered last on, until one answers, and
 * reads what it says unless it sends us on. Nothing is open after that. INK_IO: nobody answered;
 * the sentence names host and port. */
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
