/* progress.c - a progress bar on standard error, and a clock. The bar appears after a second, is
 * redrawn ten times a second, and is erased at the end. */
#define _POSIX_C_SOURCE 200809L
#include "report/progress.h"

#include "options/quantities.h"

#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <time.h>
#include <unistd.h>

enum { BAR_COLUMNS = 14, LINE_COLUMNS = 80, LINE_BYTES = 256 };

static volatile sig_atomic_t drawn; /* a bar is on the line */

void progress_clear(void)
{
    static const char clear[] = "\r\033[K";

    if (drawn) {
        ssize_t ignored = write(STDERR_FILENO, clear, sizeof clear - 1);
        (void)ignored;
        drawn = 0;
    }
}

static void add(char line[LINE_BYTES], const char *format, ...)
{
    size_t  used = strlen(line);
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(line + used, LINE_BYTES - used, format, arguments);
    va_end(arguments);
}

static void add_bar(char line[LINE_BYTES], double share)
{
    char bar[BAR_COLUMNS + 1] = "";
    int  full = (int)(share * BAR_COLUMNS);

    for (int i = 0; i < BAR_COLUMNS; i++)
        bar[i] = i < full ? '=' : i == full ? '>' : ' ';
    add(line, "  [%s] %3d %%", bar, (int)(share * 100));
}

static void add_records(char line[LINE_BYTES], const ink_progress *p)
{
    char count[32], rate[32];

    format_short(count, sizeof count, (double)p->records);
    format_short(rate, sizeof rate, (double)p->records / p->seconds);
    add(line, "  %s records, %s/s", count, rate);
}

static void put_line(char line[LINE_BYTES])
{
    struct winsize size;
    bool           known = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0;
    size_t         columns = known ? size.ws_col : LINE_COLUMNS;

    if (strlen(line) >= columns)
        line[columns - 1] = '\0';
    drawn = 1;
    fprintf(stderr, "\r%s\033[K", line);
    fflush(stderr);
}

static void draw(const ink_progress *p)
{
    static const char *const phases[] = {
        [INK_PHASE_READING] = "reading",
        [INK_PHASE_FILLING] = "filling",
        [INK_PHASE_TESTING] = "testing",
    };
    char   line[LINE_BYTES] = "", done[32];
    double share = p->total == 0 ? 0 : (double)p->done / (double)p->total;

    add(line, "%s", phases[p->phase]);
    if (p->total != 0)
        add_bar(line, share < 1 ? share : 1);
    if (p->phase == INK_PHASE_READING) {
        format_size(done, sizeof done, p->done);
        add(line, "  %s", done);
    }
    if (p->records > 0)
        add_records(line, p);
    /* The start of a later phase is not known. */
    if (p->phase == INK_PHASE_READING && share > 0.01 && share < 1) {
        double        seconds = p->seconds * (1 - share) / share;
        unsigned long left = seconds < 1e8 ? (unsigned long)(seconds + 0.5) : 100000000;
        add(line, "  %lu:%02lu left", left / 60, left % 60);
    }
    put_line(line);
}

static bool show(void *host, const ink_progress *progress)
{
    static double last;

    (void)host;
    if (progress->seconds >= 1 && (progress->seconds - last >= 0.1 || progress->seconds < last)) {
        last = progress->seconds;
        draw(progress);
    }
    return true;
}

void progress_share(const cli_arguments *arguments, const char *what, double share)
{
    char line[LINE_BYTES] = "";

    if (!is_interactive(arguments) || arguments->options[OPTION_NO_PROGRESS].given)
        return;
    add_bar(line, share < 1 ? share : 1);
    add(line, "  %s", what);
    put_line(line);
}

bool is_interactive(const cli_arguments *arguments)
{
    return isatty(STDERR_FILENO) && !arguments->options[OPTION_QUIET].given;
}

double seconds_now(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static ink_account *account;

void progress_account(ink_account *of_jobs)
{
    account = of_jobs;
}

ink_job progress_job(const cli_arguments *arguments)
{
    const option_given *options = arguments->options;
    ink_job             job = {
                    .threads = (unsigned)options[OPTION_THREADS].number,
                    .memory_bytes = options[OPTION_MEMORY].number,
                    .temp_folder = options[OPTION_TEMP].text,
    };

    if (is_interactive(arguments) && !options[OPTION_NO_PROGRESS].given)
        job.progress = show;
    job.account = account;
    return job;
}
