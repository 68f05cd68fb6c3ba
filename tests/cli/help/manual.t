# With --man the manual page is printed, as roff.
$ ink help --man version
.\" Made by "ink help --man"; changes belong into the tables of the command.
.TH INK\-VERSION 1 "2026-11-16" "Inkling 0.2.0" "Inkling"
.SH NAME
ink\-version \- the version of the library that runs
.SH SYNOPSIS
\\fBink version\fR [\fIoptions\fR]
.SH DESCRIPTION
Prints the version of the library that runs.
With \fB\-\-tuning\fR it also prints the settings for this machine: the
instruction set, which INK_CPU overrides, and size thresholds,
which follow from the caches of a core.
These settings affect speed, not results.
.SH OPTIONS
.TP
\\fB\-\-tuning\fR
also print the settings chosen for this machine
.SS Output
.TP
\\fB\-\-json\fR
print one JSON object
.TP
\\fB\-\-tsv\fR
print tab\-separated fields, after a line of their names
.SH EXAMPLES
.EX
ink version
ink version \-\-tuning                 # which instruction set, which sizes
INK_CPU=scalar ink version \-\-tuning \-\-json
.EE
.SH EXIT STATUS
.TP
\\fB0\fR
done
.PP
A status above 1 is an error, see ink(1).
.SH SEE ALSO
.BR ink (1) ,
.BR ink\-completion (1) ,
.BR ink\-help (1)
$ ink help version --man | head -n 2
.\" Made by "ink help --man"; changes belong into the tables of the command.
.TH INK\-VERSION 1 "2026-11-16" "Inkling 0.2.0" "Inkling"
$ ink help --man | sed -n '2,4p'
.TH INK 1 "2026-11-16" "Inkling 0.2.0" "Inkling"
.SH NAME
ink \- sketches of data too big to keep
$ ink help --man bloom
!2 ink: no manual of kind bloom alone, expected a command, or none; see ink help help
$ ink help --man biuld
!2 ink: no command or kind biuld, did you mean build; see ink help
$ ink help --man | grep -c '\\&\.csv'; ink help --man | grep -o '1 / 2[^ .]*'; ink help --man filter | grep -F '[=\fICOL'
1
1 / 2\(habits
\\fB\-\-by\fR[=\fICOL\fR]
