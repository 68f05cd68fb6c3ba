# Where memory or disk does not suffice it is reported in one line, and nothing is left behind.
# Not with sanitizers.
$ (ulimit -v 2000000; ink build bloom -n 1e10 -o x.ink --threads 1 < /dev/null)
!5 ink: no memory for 13256097791 bytes
$ ls -A
