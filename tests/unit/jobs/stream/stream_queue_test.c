/* stream_queue_test.c - what one thread receives another takes in, all of it, in order, chunk by
 * chunk; senders are slowed down while no chunk is taken; silence is noticed; and closing the
 * queue does not wait. */
#define _GNU_SOURCE 1
#include "jobs/stream/stream_queue.h"

#include "support/check.h"
#include "support/records.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

static ink_error error;

static const ink__record_rule by_lines = {.form = INK__RECORDS_ENDED, .end = '\n'};

static const char *const one[] = {"one"}, *const fifo[] = {"fifo"};

/* ---- Arrivals ----------------------------------------------------------------------------- */

static atomic_bool stopped;

static bool is_stopped(void *host)
{
    (void)host;
    return atomic_load(&stopped);
}

static ink__live_source *arrivals_of(const char *const *addresses, size_t count,
                                     uint64_t chunk_bytes)
{
    const ink__live_rule rule = {
        .addresses = addresses,
        .count = count,
        .records = by_lines,
        .chunk_bytes = chunk_bytes,
        .stop = is_stopped,
    };
    ink__live_source *live;

    atomic_store(&stopped, false);
    CHECK_OK(ink__live_source_open(&live, &rule, NULL, NULL, &error));
    return live;
}

/* A source and its queue, which are closed at the end of their block. */
typedef struct received {
    ink__live_source *live;
    ink__stream_queue queue;
} received;

#define RECEIVED OWNED(end_received) received

static void begin(received *from, const char *const *addresses, size_t count, uint64_t chunk_bytes)
{
    from->live = arrivals_of(addresses, count, chunk_bytes);
    CHECK_OK(ink__stream_queue_open(&from->queue, from->live, &error));
}

static void end_received(received *from)
{
    ink__stream_queue_close(&from->queue);
    ink__live_source_close(from->live);
}

/* A file of `count` lines, all different. */
static records_bytes make_lines(const char *path, unsigned first, unsigned count)
{
    records_bytes bytes = {0};

    for (unsigned i = 0; i < count; i++)
        records_say(&bytes, "line %u%.*s\n", first + i, (int)(i % 30),
                    " of thirty and more characters");
    records_write(path, bytes.bytes, bytes.count);
    return bytes;
}

/* The next chunk; NULL at the end. Moments without data are passed over. */
static const ink__live_chunk *next_chunk(ink__stream_queue *queue)
{
    bool ended = false;

    while (!ended) {
        const ink__live_chunk *arrival = ink__stream_queue_next(queue, &ended);
        if (arrival != NULL)
            return arrival;
    }
    return NULL;
}

/* ---- Files -------------------------------------------------------------------------------- */

TEST(all_that_arrives_is_given_in_order)
{
    static const char *const paths[] = {"one", "two", "three"};

    for (uint64_t chunk = 50; chunk < 100000; chunk *= 7) {
        owned_bytes sent = make_lines("one", 0, 3000), more = make_lines("three", 3000, 50);
        owned_bytes got = {0};
        records_write("two", "", 0);
        records_put(&sent, more.bytes, more.count);
        const ink__live_chunk *arrival;
        size_t                 input = 0;
        RECEIVED               from;
        begin(&from, paths, 3, chunk);
        while ((arrival = next_chunk(&from.queue)) != NULL) {
            CHECK(arrival->chunk.input >= input);
            input = arrival->chunk.input;
            records_put(&got, arrival->chunk.bytes, (size_t)arrival->chunk.count);
            CHECK(arrival->chunk.count == 0 || got.bytes[got.count - 1] == '\n');
            ink__stream_queue_done(&from.queue);
        }
        CHECK(from.queue.status == INK_OK && got.count == sent.count);
        assert_memory_equal(got.bytes, sent.bytes, sent.count);
    }
    UNLINK("one", "two", "three");
}

TEST(a_chunk_stays_as_it_is_until_it_is_done)
{
    owned_bytes            sent = make_lines("one", 0, 5000);
    const ink__live_chunk *arrival;
    size_t                 at = 0;
    RECEIVED               from;

    begin(&from, one, 1, 500);
    while ((arrival = next_chunk(&from.queue)) != NULL) {
        size_t count = (size_t)arrival->chunk.count;
        for (unsigned i = 0; i < 3; i++) { /* while the other thread goes on */
            CHECK(at + count <= sent.count);
            assert_memory_equal(arrival->chunk.bytes, sent.bytes + at, count);
            assert_ptr_equal(next_chunk(&from.queue), arrival);
        }
        at += count;
        ink__stream_queue_done(&from.queue);
    }
    assert_int_equal(at, sent.count);
    unlink("one");
}

TEST(a_queue_is_closed_with_chunks_in_it)
{
    owned_bytes sent = make_lines("one", 0, 1000);

    CHECK(sent.count > 300 * INK__QUEUE_CHUNKS);
    for (unsigned taken = 0; taken < 20; taken++) {
        RECEIVED from;
        begin(&from, one, 1, 300);
        for (unsigned i = 0; i < taken; i++) {
            assert_non_null(next_chunk(&from.queue));
            if (i + 1 < taken) /* the last one is still in hand */
                ink__stream_queue_done(&from.queue);
        }
    }
    unlink("one");
}

TEST(a_stop_ends_it_and_what_was_received_is_given)
{
    owned_bytes            sent = make_lines("one", 0, 20000), got = {0};
    const ink__live_chunk *arrival;
    RECEIVED               from;

    begin(&from, one, 1, 300);
    for (unsigned i = 0; (arrival = next_chunk(&from.queue)) != NULL; i++) {
        if (i == 10)
            atomic_store(&stopped, true);
        records_put(&got, arrival->chunk.bytes, (size_t)arrival->chunk.count);
        ink__stream_queue_done(&from.queue);
    }
    CHECK(got.count > 0 && got.count < sent.count && got.bytes[got.count - 1] == '\n');
    assert_memory_equal(got.bytes, sent.bytes, got.count);
    unlink("one");
}

TEST(a_failure_comes_after_the_data_before_it)
{
    static const char *const paths[] = {"one", "two.gz"};
    owned_bytes              sent = make_lines("one", 0, 500);
    const ink__live_chunk   *arrival;
    uint64_t                 count = 0;

    records_gzip("two.gz", sent.bytes, sent.count);
    assert_int_equal(truncate("two.gz", 100), 0);
    RECEIVED from;
    begin(&from, paths, 2, 300);
    while ((arrival = next_chunk(&from.queue)) != NULL) {
        count += arrival->chunk.input == 0 ? arrival->chunk.count : 0;
        ink__stream_queue_done(&from.queue);
    }
    assert_int_equal(count, sent.count);
    CHECK(from.queue.status == INK_FORMAT && from.queue.address == 1);
    CHECK(from.queue.failure.message[0] != '\0');
    UNLINK("one", "two.gz");
}

/* ---- Pipes and connections ---------------------------------------------------------------- */

TEST(silence_is_noticed_while_nothing_arrives)
{
    bool ended = false;

    assert_int_equal(mkfifo("fifo", 0600), 0);
    RECEIVED from;
    begin(&from, fifo, 1, 300);
    int writer = open("fifo", O_WRONLY);
    CHECK(writer >= 0);
    for (unsigned silences = 0; silences < 3; silences++)
        CHECK(ink__stream_queue_next(&from.queue, &ended) == NULL && !ended);
    assert_int_equal(write(writer, "a\nhalf", 6), 6);
    const ink__live_chunk *arrival = next_chunk(&from.queue);
    CHECK(arrival != NULL && arrival->chunk.count == 2);
    ink__stream_queue_done(&from.queue);
    close(writer);
    arrival = next_chunk(&from.queue);
    CHECK(arrival != NULL && arrival->chunk.count == 4); /* the end of a pipe is one of records */
    ink__stream_queue_done(&from.queue);
    assert_null(next_chunk(&from.queue));
    unlink("fifo");
}

static void send_text(int file, const char *text)
{
    assert_int_equal(send(file, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

static unsigned waiting_in(ink__stream_queue *queue)
{
    ink__mutex_lock(&queue->mutex);
    unsigned count = queue->count;
    ink__mutex_unlock(&queue->mutex);
    return count;
}

/* Of what it sent, some waits in the queue when it is refused, in this many chunks. */
static void check_refused(unsigned lines, unsigned chunks)
{
    static const char *const address[] = {"tcp://127.0.0.1:0"};
    RECEIVED                 from = {.live = arrivals_of(address, 1, 64)};
    const ink__live_chunk   *arrival;
    uint64_t                 good_bytes = 0;
    char                     end;

    int bad = records_connect(ink__live_source_address(from.live));
    for (unsigned i = 0; i < lines; i++)
        send_text(bad, "a bad line\n");
    CHECK_OK(ink__stream_queue_open(&from.queue, from.live, &error));
    arrival = next_chunk(&from.queue);
    assert_non_null(arrival);
    for (unsigned tries = 0; waiting_in(&from.queue) < chunks && tries < 1000; tries++)
        usleep(10000);
    assert_int_equal(waiting_in(&from.queue), chunks);
    uint64_t refused = arrival->connection;
    int      good = records_connect(ink__live_source_address(from.live));
    ink__stream_queue_refuse(&from.queue, refused);
    ink__stream_queue_done(&from.queue);
    for (unsigned i = 0; i < 100; i++)
        send_text(good, "good\n");
    assert_int_equal(shutdown(good, SHUT_WR), 0);
    for (bool last = false; !last;) {
        arrival = next_chunk(&from.queue);
        assert_non_null(arrival);
        if (arrival->connection == refused)
            assert_int_equal(arrival->chunk.count, 0);
        else {
            good_bytes += arrival->chunk.count;
            last = arrival->last;
        }
        ink__stream_queue_done(&from.queue);
    }
    assert_int_equal(good_bytes, 500);
    CHECK(recv(bad, &end, 1, 0) <= 0); /* it was closed */
    close(good);
    close(bad);
}

TEST(a_refused_connection_gives_nothing_more_and_others_go_on)
{
    check_refused(10, 2);
    check_refused(100, INK__QUEUE_CHUNKS);
}

TEST(senders_are_slowed_down_while_no_chunk_is_taken)
{
    static char line[4096];
    bool        idle = false;
    size_t      sent = 0, got = 0;

    memset(line, 'x', sizeof line);
    line[sizeof line - 1] = '\n';
    assert_int_equal(mkfifo("fifo", 0600), 0);
    RECEIVED from;
    begin(&from, fifo, 1, 4096);
    int writer = open("fifo", O_WRONLY | O_NONBLOCK);
    CHECK(writer >= 0);
    while (waiting_in(&from.queue) < INK__QUEUE_CHUNKS ||
           !idle) { /* until nothing more fits anywhere */
        ssize_t count = write(writer, line, sizeof line);
        sent += count > 0 ? (size_t)count : 0;
        idle = count <= 0;
        CHECK(sent < (size_t)1 << 24);
    }
    /* a pipe of 64 KiB, or another size, and the chunks of the queue */
    CHECK(sent <= (size_t)fcntl(writer, F_GETPIPE_SZ) + (INK__QUEUE_CHUNKS + 2) * 2 * sizeof line);
    close(writer);
    for (const ink__live_chunk *arrival; (arrival = next_chunk(&from.queue)) != NULL;) {
        got += (size_t)arrival->chunk.count;
        ink__stream_queue_done(&from.queue);
    }
    assert_int_equal(got, sent);
    unlink("fifo");
}

RUN_TESTS()
