/* system.h - the one seam to the operating system: a table of calls that a test can replace, so
 * that each of them can be made to fail. Only system.c includes <unistd.h>, <fcntl.h> and the like;
 * scripts/check_layers.py checks it. */
#ifndef INK_BASE_SYSTEM_H
#define INK_BASE_SYSTEM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef enum ink__open_how {
    INK__OPEN_READ,   /* never waits */
    INK__OPEN_STREAM, /* for reading; of a FIFO: waits for a writer */
    INK__OPEN_NEW,    /* for writing; must not exist yet */
    INK__OPEN_HIDDEN, /* for writing and reading: a new file without a name, in the folder `path` */
    INK__OPEN_FOLDER, /* only to sync it */
    INK__OPEN_UPDATE, /* for reading and writing an existing file; never waits */
    INK__OPEN_LOCK,   /* as UPDATE; created if it does not exist; -ELOOP for a symbolic link */
} ink__open_how;

typedef struct ink__stat {
    uint64_t bytes;
    unsigned mode; /* permission bits */
    unsigned owner, group;
    bool     regular, pipe, socket, folder, link;
    uint64_t device, number;    /* which file it is, under any name */
    uint64_t modified, changed; /* mtime and ctime in nanoseconds */
} ink__stat;

/* An IP address and a port. */
typedef struct ink__peer {
    bool     six;       /* IPv6: 16 bytes, else 4 */
    uint8_t  bytes[16]; /* in network order */
    uint16_t port;
} ink__peer;

/* What to wait for on a connection or pipe. */
enum { INK__CAN_READ = 1, INK__CAN_WRITE = 2 };

/* One of several files that are polled together. */
typedef struct ink__awaited {
    int   file;  /* negative: never ready */
    short what;  /* INK__CAN_... */
    short ready; /* which of it is possible, as `wait` gives it */
} ink__awaited;

/* The most bytes, with the NUL, of a path that `resolve` gives, and of a Unix socket's path. */
enum { INK__PATH_BYTES = 4096 };
#ifdef __APPLE__
enum { INK__SOCKET_PATH_BYTES = 104 };
#else
enum { INK__SOCKET_PATH_BYTES = 108 };
#endif

/* Calls that return int or long long give a negative errno on failure. */
typedef struct ink__system {
    int (*open)(const char *path, ink__open_how how, unsigned mode);
    int (*close)(int file);
    int (*stat_file)(int file, ink__stat *stat);
    int (*stat_path)(const char *path, ink__stat *stat);
    int (*stat_link)(const char *path, ink__stat *stat); /* of a symbolic link itself */
    /* What a symbolic link points to, truncated, without a NUL; gives its bytes. */
    int (*read_link)(const char *path, char *to, size_t bytes);
    int (*set_mode)(int file, unsigned mode);
    int (*set_owner)(int file, unsigned owner, unsigned group);
    /* The path after all symbolic links. */
    int (*resolve)(const char *path, char to[INK__PATH_BYTES]);
    /* Waits for an exclusive lock, which ends when the file is closed. */
    int (*lock)(int file);
    int (*try_lock)(int file); /* -EWOULDBLOCK instead of waiting */
    long long (*read)(int file, void *to, size_t bytes);
    long long (*write)(int file, const void *from, size_t bytes);
    long long (*read_at)(int file, void *to, size_t bytes, uint64_t offset);
    long long (*write_at)(int file, const void *from, size_t bytes, uint64_t offset);
    int (*sync)(int file);
    int (*rename)(const char *from, const char *to);
    /* -EEXIST if there is something at `to`; -EINVAL, -ENOSYS: this file system has no such call */
    int (*rename_new)(const char *from, const char *to);
    int (*link)(const char *from, const char *to); /* a second name; -EEXIST as above */
    int (*unlink)(const char *path);
    int (*make_folder)(const char *path, unsigned mode);
    int (*remove_folder)(const char *path); /* which is empty */
    /* Calls visit(host, name) for each name in a folder but `.` and `..`, or for each path that a
     * pattern of a shell matches, in any order; ends with what `visit` gives if that is not 0. */
    int (*list_folder)(const char *path, int (*visit)(void *host, const char *name), void *host);
    int (*list_matches)(const char *pattern, int (*visit)(void *host, const char *name),
                        void       *host);
    int (*map)(int file, size_t bytes, const uint8_t **at); /* read-only, shared */
    int (*unmap)(const uint8_t *at, size_t bytes);
    /* Gives back the memory of the whole pages of a map in this range; they are read again if they
     * are needed. */
    int (*leave)(const uint8_t *at, size_t bytes);
    /* Replaces a map by zeros, from the page of `from` to its end. Safe in a signal handler. */
    int (*blank)(const uint8_t *at, size_t bytes, const void *from);
    /* Installs a handler of SIGBUS; where it gives false the handler before it is called. */
    int (*on_bus_error)(bool (*outlived)(const void *address));
    int (*advise_huge)(void *at, size_t bytes);
    /* Parses a numeric address, as "127.0.0.1" or "::1"; -EINVAL for any other text. */
    int (*peer)(const char *text, ink__peer *peer);
    /* Begins a connection and gives its file, which never blocks. When it can be written,
     * `connected` says whether there is a connection. */
    int (*connect)(const ink__peer *to);
    int (*connected)(int file);
    /* Waits until one of `what` is possible or the time is over; gives which are, 0 for none. All
     * are when the connection has failed or the pipe has ended: the next call reports it. */
    int (*wait)(int file, int what, int milliseconds);
    long long (*send)(int file, const void *from, size_t bytes); /* raises no signal */
    long long (*receive)(int file, void *to, size_t bytes);
    int (*end_sending)(int file); /* the peer reads the end; we can still receive */
    /* Listens at an address of this host (port 0: any free one, which `port` gives), or as a Unix
     * socket, which is created at `path`. Gives the file, readable when a peer connects. */
    int (*listen)(const ink__peer *at);
    int (*listen_path)(const char *path);
    int (*port)(int file);
    /* Takes a connection, which never blocks; -EAGAIN if there is none. With keep-alive: the system
     * notices within a few minutes that the peer has vanished. */
    int (*accept)(int file);
    /* About how many more files this process may open, when `file` is open. */
    int (*files_left)(int file);
    /* Connects to a Unix socket, at once or not at all; -ECONNREFUSED without a listener. */
    int (*connect_path)(const char *path);
    /* Waits until some are ready or the time is over (negative: never); gives how many are. */
    int (*wait_many)(ink__awaited *files, size_t count, int milliseconds);
    /* Starts a program of PATH with /dev/null as standard input and error, and gives its id;
     * *output reads what it prints. `arguments` end with NULL. */
    long long (*start)(const char *const *arguments, int *output);
    /* Waits for the end of a program, after killing it with `kill`; gives its exit code. */
    int (*finish)(long long id, bool kill);
    long long (*process_id)(void);
    unsigned (*user)(void);                       /* whose rights this process has */
    long long (*thread_id)(void);                 /* unique in this process; never 0 */
    int (*host_name)(char *to, size_t bytes);     /* with its NUL, truncated */
    const char *(*environment)(const char *name); /* NULL if not set */
    uint64_t (*nanoseconds)(void);                /* monotonic */
    uint64_t (*thread_nanoseconds)(void);         /* CPU time of the calling thread */
    uint64_t (*thread_faults)(void);              /* page faults of the calling thread */
    int64_t (*wall)(void);                        /* microseconds since 1970 UTC; may jump */
    unsigned (*cores)(void);                      /* that this process may run on; 1 or more */
    /* Reads the first bytes of a small file of the system, as those of /proc. */
    long long (*read_start)(const char *path, void *to, size_t bytes);
    /* The size of a core's data cache of this level, 1 or 2; 0 if it is not known. */
    uint64_t (*cache_bytes)(unsigned level);
} ink__system;

/* The calls of this host. */
extern const ink__system ink__posix;

/* The table in use: ink__posix unless a test has replaced it (NULL: back to ink__posix), while no
 * other thread was using it. */
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
