/* machine.c - when and where the lab was run. */
#define _POSIX_C_SOURCE 200809L
#include "machine.h"

#include "inkling.h"
#include "workbench/workbench.h"

#include <stdio.h>
#include <string.h>
#include <sys/utsname.h>
#include <time.h>

/* What Linux says of its first processor; other systems, and some processors, have no such line. */
static void find_processor(char *processor, size_t room)
{
    char  line[2 * MACHINE_BYTES];
    FILE *file = fopen("/proc/cpuinfo", "r");

    if (file == NULL)
        return;
    while (fgets(line, sizeof line, file) != NULL) {
        const char *name = strncmp(line, "model name", 10) == 0 ? strchr(line, ':') : NULL;
        if (name == NULL)
            continue;
        name += 1 + strspn(name + 1, " ");
        snprintf(processor, room, "%.*s", (int)strcspn(name, "\n"), name);
        break;
    }
    fclose(file);
}

void machine_describe(lab_machine *machine)
{
    struct utsname system;
    struct tm      utc;
    time_t         now = time(NULL);
    ink_tuning     tuning;
    ink_error      error;

    *machine = (lab_machine){
#ifdef __clang__
        .compiler = "clang " __clang_version__,
#else
        .compiler = "gcc " __VERSION__,
#endif
        .instructions = "unknown instructions",
        .cores = lab_cores(),
    };
    if (gmtime_r(&now, &utc) != NULL)
        strftime(machine->date, sizeof machine->date, "%Y-%m-%d %H:%M UTC", &utc);
    if (uname(&system) == 0) {
        snprintf(machine->system, sizeof machine->system, "%.40s %.60s %.20s", system.sysname,
                 system.release, system.machine);
        snprintf(machine->processor, sizeof machine->processor, "%.60s", system.machine);
    }
    find_processor(machine->processor, sizeof machine->processor);
    if (ink_tuning_chosen(&tuning, &error) == INK_OK)
        machine->instructions = tuning.instructions;
}
