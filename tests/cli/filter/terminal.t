# What a terminal would interpret is escaped in text, in lists of groups and in every message; records and TSV are data.
$ printf '{"k":"a\\u001b[2J","g":"x\\u001b\\u0007\\u009b, \\\\x"}\n' > d.jsonl; ink build bloom,top -p 1e-5 --key k --by g -o d.ink d.jsonl
$ ink filter --kind bloom -e "$(printf 'a\033[2J')" d.ink | cat -v
a^[[2J	"x\x1b\x07\xc2\x9b, \x5cx"
$ printf 'k,x\na\033[2J,\007\n' | ink filter --kind bloom --in csv --header --key k d.ink | cat -v
k,x,ink_group
a^[[2J,^G,x\x1b\x07\xc2\x9b\x2c \x5cx
$ ink filter --kind bloom d.ink d.jsonl
{"k":"a\u001b[2J","g":"x\u001b\u0007\u009b, \\x","ink_group":["x\u001b\u0007\u009b, \\x"]}
$ ink top d.ink; ink top --tsv d.ink | cut -f 2,4 | cat -v
estimate  low  high  share  group                     key
       1    1     1   1.00  x\x1b\x07\xc2\x9b, \x5cx  a\x1b[2J
group	key
x^[^GM-BM-^[, \\x	a^[[2J
$ ink lab --only "$(printf '\033[31m\302\233')"
!2 ink: experiment "\x1b[31m\xc2\x9b", expected one of 000, 001, 002, 003, 004; see ink help lab
$ ink info "$(printf 'no\033[31m.ink')"
!4 ink: no\x1b[31m.ink: cannot open: No such file or directory
