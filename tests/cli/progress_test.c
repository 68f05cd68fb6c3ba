/* progress_test.c - the progress bar: what it shows of a job, when, and how wide. */
#include "../../cli/report/progress.c"
#include "support/check.h"

static int drawing, standard; /* a file, and standard error */

static int begin_drawing(void **state)
{
    FILE *file = tmpfile();

    (void)state;
    drawing = file == NULL ? -1 : fileno(file);
    return (standard = dup(STDERR_FILENO)) < 0 || drawing < 0;
}

/* From here to drawn_now standard error is the file, which says no width. */
static void begin(void)
{
    fflush(stderr);
    dup2(drawing, STDERR_FILENO);
    if (ftruncate(drawing, 0) != 0 || lseek(drawing, 0, SEEK_SET) != 0)
        abort();
}

static const char *drawn_now(void)
{
    static char text[1024];

    fflush(stderr);
    dup2(standard, STDERR_FILENO);
    ssize_t count = pread(drawing, text, sizeof text - 1, 0);
    text[count < 0 ? 0 : count] = '\0';
    return text;
}

TEST(a_bar_shows_share_bytes_records_and_the_time_left)
{
    static const struct {
        ink_progress progress;
        const char  *line;
    } cases[] = {
        {{INK_PHASE_READING, 0, 0, 0, 1, {0}}, "reading  0 B"},
        {{INK_PHASE_READING, 2500000, 0, 30000, 2, {0}},
         "reading  2.5 MB  30.0 k records, 15.0 k/s"},
        {{INK_PHASE_READING, 250, 1000, 10, 30, {0}},
         "reading  [===>          ]  25 %  250 B  10 records, 0/s  1:30 left"},
        {{INK_PHASE_READING, 10, 1000, 0, 1, {0}}, "reading  [>             ]   1 %  10 B"},
        {{INK_PHASE_READING, 999, 1000, 0, 1000, {0}},
         "reading  [=============>]  99 %  999 B  0:01 left"},
        {{INK_PHASE_READING, 2000, 1000, 0, 9, {0}}, "reading  [==============] 100 %  2.0 kB"},
        {{INK_PHASE_FILLING, 500, 1000, 0, 10, {0}}, "filling  [=======>      ]  50 %"},
        {{INK_PHASE_TESTING, 500, 1000, 4000, 10, {0}},
         "testing  [=======>      ]  50 %  4.0 k records, 400/s"},
        {{INK_PHASE_READING, 1000000000, 9000000000, 100000000, 100, {0}},
         "reading  [=>            ]  11 %  1.0 GB  100 M records, 1.0 M/s  13:20 left"},
    };
    char line[256];

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        draw(&cases[i].progress);
        snprintf(line, sizeof line, "\r%s\033[K", cases[i].line);
        assert_string_equal(drawn_now(), line);
    }
}

TEST(a_line_ends_before_the_last_column)
{
    char line[LINE_BYTES], expected[LINE_BYTES];

    for (int columns = 78; columns <= 82; columns++) {
        snprintf(line, sizeof line, "%0*d", columns, 7);
        snprintf(expected, sizeof expected, "\r%0*d\033[K", columns < 79 ? columns : 79,
                 columns < 80 ? 7 : 0); /* a character in the last column begins a new line */
        begin();
        put_line(line);
        assert_string_equal(drawn_now(), expected);
    }
}

TEST(a_bar_comes_after_a_second_and_ten_times_a_second)
{
    static const struct {
        double seconds;
        bool   drawn;
    } cases[] = {
        {0.5, false}, {0.99, false}, {1.0, true},   {1.05, false},
        {1.11, true}, {2.0, true},   {2.05, false}, {1.5, true}, /* another job began */
        {0.2, false}, {1.55, false}, {1.61, true},
    };

    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        begin();
        bool goes_on = show(NULL, &(ink_progress){.seconds = cases[i].seconds});
        assert_int_equal(*drawn_now() != '\0', cases[i].drawn);
        CHECK(goes_on);
    }
}

TEST(what_was_drawn_is_erased_once)
{
    begin();
    put_line((char[LINE_BYTES]){"a bar"});
    progress_clear();
    progress_clear();
    assert_string_equal(drawn_now(), "\ra bar\033[K\r\033[K");
}

RUN_TESTS(.begin = begin_drawing)
