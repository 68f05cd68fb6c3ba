/* machine.h - when and where the lab was run: the date, the machine, and what the library was made
 * by. */
#ifndef LAB_MACHINE_H
#define LAB_MACHINE_H

enum { MACHINE_BYTES = 128 };

typedef struct lab_machine {
    char        date[MACHINE_BYTES];      /* "2026-11-18 10:37 UTC" */
    char        processor[MACHINE_BYTES]; /* as the system names it, or else its architecture */
    char        system[MACHINE_BYTES];    /* "Linux 6.1.0 x86_64" */
    const char *compiler;                 /* of this program */
    const char *instructions;             /* of the inner loops, such as "avx2" */
    unsigned    cores;
} lab_machine;

void machine_describe(lab_machine *machine);

#endif
