/* cores.h - how many threads of this process can run at the same time. */
#ifndef INK_BASE_CORES_H
#define INK_BASE_CORES_H

/* The cores that the process may run on, or fewer if a quota of its control groups (cgroup, as of a
 * container) gives it less time; 1 or more. */
unsigned ink__cores(void);

#endif
