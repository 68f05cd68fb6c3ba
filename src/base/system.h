/* system.h - the one seam to the operating system: a table of calls that a test can replace, so
 * that each of them can be made to fail. Only system.c includes <unistd.h>, <fcntl.h> and the like;
 * scripts/check_layers.py holds everybody to it. */
#ifndef INK_BASE_SYSTEM_H
#define INK_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ink__open_how {
    INK__OPEN_READ,   /* without waiting for anybody */
    INK__OPEN_STREAM, /* for reading; of a FIFO: waits until somebody writes */
    INK__OPEN_NEW,    /* for writing; must not exist yet */
    INK__OPEN_HIDDEN, /* for writing and reading: a new file without a name, in the folder `path` */
    INK__OPEN_FOLDER, /* only to sync it */
    INK__OPEN_UPDATE, /* for reading and writing, of a file that is there; without waiting */
    INK__OPEN_LOCK,   /* for reading and writing; made if it is not there */
} ink__open_how;

typedef struct ink__stat {
    uint64_t bytes;
    unsigned mode; /* permission bits */
    unsigned owner, group;
    bool     regular, pipe, socket, folder;
    uint64_t device, number;    /* which file it is, whatever its name */
    uint64_t modified, changed; /* when its bytes were, and anything about it, in nanoseconds */
} ink__stat;

/* Where a connection can be made to: an address of the internet in numbers, and a port. */
typedef struct ink__peer {
    bool     six;       /* IPv6: 16 bytes, else 4 */
    uint8_t  bytes[16]; /* the first one first */
    uint16_t port;
} ink__peer;

/* What a connection, or the end of a pipe, is waited for to allow. */
enum { INK__CAN_READ = 1, INK__CAN_WRITE = 2 };

/* One of many files that are waited for together. */
typedef struct ink__awaited {
    int   file;  /* negative: none, which is never ready */
    short what;  /* INK__CAN_... */
    short ready; /* what of it is possible, as `wait` gives it */
} ink__awaited;

/* A path with its NUL, as `resolve` gives it, has no more bytes than this. */
enum { INK__PATH_BYTES = 4096 };
/* The path of a Unix socket with its NUL neither than this. */
enum { INK__SOCKET_PATH_BYTES = 108 };

/* Calls that return int or long long give a negative errno on failure. */
typedef struct ink__system {
    int (*open)(const char *path, ink__open_how how, unsigned mode);
    int (*close)(int file);
    int (*stat_file)(int file, ink__stat *stat);
    int (*stat_path)(const char *path, ink__stat *stat);
    int (*set_mode)(int file, unsigned mode);
    int (*set_owner)(int file, unsigned owner, unsigned group);
    /* The path that a path leads to through all symbolic links. */
    int (*resolve)(const char *path, char to[INK__PATH_BYTES]);
    /* Waits until nobody else has a lock on the file; ours ends when the file is closed. */
    int (*lock)(int file);
    int (*try_lock)(int file); /* -EWOULDBLOCK instead of waiting */
    long long (*read)(int file, void *to, size_t bytes);
    long long (*write)(int file, const void *from, size_t bytes);
    long long (*read_at)(int file, void *to, size_t bytes, uint64_t offset);
    long long (*write_at)(int file, const void *from, size_t bytes, uint64_t offset);
    int (*sync)(int file);
    int (*rename)(const char *from, const char *to);
    int (*unlink)(const char *path);
    int (*make_folder)(const char *path, unsigned mode);
    int (*map)(int file, size_t bytes, const uint8_t **at); /* read-only, shared */
    int (*unmap)(const uint8_t *at, size_t bytes);
    /* Puts zeros in place of a map, from the page of `from` to its end. Safe in a signal handler.
     */
    int (*blank)(const uint8_t *at, size_t bytes, const void *from);
    /* From now on calls this for SIGBUS; where it gives false, whoever handled it before. */
    int (*on_bus_error)(bool (*outlived)(const void *address));
    int (*advise_huge)(void *at, size_t bytes);
    /* Reads an address in numbers, as "127.0.0.1" or "::1"; -EINVAL for any other text. */
    int (*peer)(const char *text, ink__peer *peer);
    /* Begins a connection and gives its file, which never waits for anybody. When it can be
     * written, `connected` tells whether there is a connection. */
    int (*connect)(const ink__peer *to);
    int (*connected)(int file);
    /* Waits until at least one of `what` is possible, or so long; gives what is, 0 if nothing. All
     * of it is, when the connection has failed or the pipe has ended: the next call tells. */
    int (*wait)(int file, int what, int milliseconds);
    long long (*send)(int file, const void *from, size_t bytes); /* raises no signal */
    long long (*receive)(int file, void *to, size_t bytes);
    int (*end_sending)(int file); /* the other side finds the end; we can still receive */
    /* Listens at an address of this host (port 0: at any that is free, which `port` tells), or as
     * a Unix socket, which is made at `path`. Gives the file, which can be read when somebody wants
     * to connect. */
    int (*listen)(const ink__peer *at);
    int (*listen_path)(const char *path);
    int (*port)(int file);
    /* Takes a connection, which never waits for anybody; -EAGAIN if nobody wants one. The system
     * notices within a few minutes when the other side has vanished. */
    int (*accept)(int file);
    /* About how many more files this process may open, when `file` is open. */
    int (*files_left)(int file);
    /* Connects to a Unix socket, at once or not at all; -ECONNREFUSED if nobody listens. */
    int (*connect_path)(const char *path);
    /* Waits until one of the files is ready, or so long (negative: for ever); gives how many are.
     */
    int (*wait_many)(ink__awaited *files, size_t count, int milliseconds);
    /* Starts a program that is looked for in PATH, with nothing to read and nowhere to complain,
     * and gives its id; *output is for reading what it prints. `arguments` end with NULL. */
    long long (*start)(const char *const *arguments, int *output);
    /* Waits until a program has ended, which `kill` brings about; gives its exit code. */
    int (*finish)(long long id, bool kill);
    long long (*process_id)(void);
    long long (*thread_id)(void); /* which no other thread of this process has; never 0 */
    int (*host_name)(char *to, size_t bytes);     /* with its NUL, cut where room ends */
    const char *(*environment)(const char *name); /* NULL if not set */
    uint64_t (*nanoseconds)(void);                /* since some time in the past; never back */
    int64_t (*wall)(void);                        /* microseconds since 1970 UTC; may jump */
    unsigned (*cores)(void);                      /* that this process may run on; 1 or more */
    /* The size of a core's data cache of this level, 1 or 2; 0 if the system does not tell. */
    uint64_t (*cache_bytes)(unsigned level);
} ink__system;

/* The calls of this host. */
extern const ink__system ink__posix;

/* The table in use: ink__posix unless a test has put another one in its place with
 * ink__system_replace (NULL: back to ink__posix), which no other thread may be using meanwhile. */
const ink__system *ink__system_now(void);
void               ink__system_replace(const ink__system *system);

/* Makes a call, which gives an int or a long long, until no signal interrupts it. */
#define INK__UNINTERRUPTED(result, call)                                                           \
    do                                                                                             \
        (result) = (call);                                                                         \
    while ((result) == -EINTR)

/* Writes the system's words for `os_error`. */
void ink__system_reason(int os_error, char *text, size_t text_bytes);

#endif
