/* hdfs.h - a NameNode and a DataNode in a thread, on a port of this machine. They take one
 * connection after the other and do with one file what HDFS does, but for those connections with
 * which a test wants them to be strange.
 *
 *     hdfs_server server;
 *
 *     hdfs_begin(&server, &(hdfs_strange){.at = 2, .answer = "HTTP/1.1 500 No\r\n\r\n"});
 *     hdfs_address(&server, address, sizeof address);
 *     ... the bytes are refused ...
 *     hdfs_end(&server);
 *     assert_false(server.file.there);
 *     hdfs_free(&server); */
#ifndef INK_TESTS_HDFS_H
#define INK_TESTS_HDFS_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum hdfs_reads {
    HDFS_READS_ALL = 0, /* head and body */
    HDFS_READS_HEAD,
    HDFS_READS_NOTHING,
} hdfs_reads;

typedef enum hdfs_leaves {
    HDFS_CLOSES = 0,
    HDFS_RESETS, /* closes in a way that the other side sees as an error */
    HDFS_STAYS,  /* says nothing more, and waits until the other side closes */
} hdfs_leaves;

/* What is done with the connections from number `at` on, counted from 1; 0: with none. */
typedef struct hdfs_strange {
    unsigned    at, count; /* count 0: with one */
    hdfs_reads  reads;     /* before it answers */
    const char *answer;    /* NULL: the usual one; PORT in it stands for the server's */
    size_t      bytes;     /* of the answer, 0: up to its NUL; of the usual one: a limit */
    unsigned    times;     /* so often, 0: once */
    bool        before;    /* ... and then does what is usual */
    hdfs_leaves leaves;
} hdfs_strange;

/* How the bytes of a file are sent. */
typedef enum hdfs_body {
    HDFS_SIZED = 0,
    HDFS_CHUNKED, /* in chunks of many sizes */
    HDFS_UNSIZED, /* up to the end of the connection */
} hdfs_body;

typedef struct hdfs_file {
    bool     there;
    uint8_t *bytes;
    size_t   count;
} hdfs_file;

/* To be read when it has ended, but for the first two. */
typedef struct hdfs_server {
    uint16_t     port;
    atomic_bool  silent; /* it stays, and has said everything */
    unsigned     connections;
    hdfs_file    temporary, file;
    hdfs_body    body;                  /* of answers that are bytes of the file */
    char         temporary_target[512]; /* of the requests for it, up to the '?' */
    char         log[1 << 16];          /* the heads of all requests */
    size_t       log_bytes;
    size_t       largest_chunk, chunks; /* of the bodies */
    hdfs_strange strange;
    int          listener, stop[2];
    pthread_t    thread;
} hdfs_server;

/* `strange` NULL: nothing is. The file is not there. */
void hdfs_begin(hdfs_server *server, const hdfs_strange *strange);
/* The same with a file that is there, and is read. */
void hdfs_offer(hdfs_server *server, const hdfs_strange *strange, const void *bytes, size_t count,
                hdfs_body body);
/* Waits until the connection that is served, if any, has ended, and ends the thread. */
void hdfs_end(hdfs_server *server);
void hdfs_free(hdfs_server *server);

/* "webhdfs://127.0.0.1:PORT/dir/file?user.name=me". */
void hdfs_address(const hdfs_server *server, char *address, size_t room);

/* Fails the test unless a request has this text in its head. */
void hdfs_check_logged(const hdfs_server *server, const char *text);

/* A system table whose time passes as soon as the server has fallen silent, and not before. Until
 * ink__system_replace(NULL). */
void hdfs_await_silence(const hdfs_server *server);

/* For each case: an alarm ends what waits for ever, and the system is as it was. */
int hdfs_set_alarm(void **state);
int hdfs_clear_alarm(void **state);

/* What HDFS answers: the body of a refusal, and a redirect. */
#define HDFS_EXCEPTION(name, message)                                                              \
    "{\"RemoteException\":{\"exception\":\"" name "\",\"javaClassName\":\"x." name                 \
    "\",\"message\":\"" message "\"}}"
#define HDFS_TO(location) "HTTP/1.1 307 Temporary Redirect\r\nLocation: " location "\r\n\r\n"

/* Whether the file is there and holds these bytes. */
bool hdfs_holds(const hdfs_file *file, const void *bytes, size_t count);

#endif
