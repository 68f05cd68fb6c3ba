# Help about what is no command and no kind is an error that suggests what was meant.
$ ink help biuld
!2 ink: no command or kind biuld, did you mean build; see ink help
$ ink help blom
!2 ink: no command or kind blom, did you mean bloom; see ink help
$ ink help xyzzy
!2 ink: no command or kind xyzzy; see ink help
$ ink help ''
!2 ink: an empty word, expected an option or a file; see ink help help
$ ink help -- ''
!2 ink: an empty word, expected a file; see ink help help
$ ink help build filter
!2 ink: 2 commands, expected one; see ink help help
$ ink help --json
!2 ink: help has no option --json; see ink help help
$ ink help hyperloglog
!2 ink: no command or kind hyperloglog, did you mean hll; see ink help
$ ink help cms
!2 ink: no command or kind cms, did you mean count-min; see ink help
$ for name in bloomfilter bloom-filter cuckoo cms count-min-sketch heavy hitters heavy-hitters heavyhitters spacesaving space-saving top-k flajolet-martin hyperloglog create insert delete contains query cardinality unique union inspect list show; do ink help $name 2>&1; done | sed 's/.* kind //; s/;.*//'
bloomfilter, did you mean bloom
bloom-filter, did you mean bloom
cuckoo, did you mean counting
cms, did you mean count-min
count-min-sketch, did you mean count-min
heavy, did you mean top
hitters, did you mean top
heavy-hitters, did you mean top
heavyhitters, did you mean top
spacesaving, did you mean top
space-saving, did you mean top
top-k, did you mean top
flajolet-martin, did you mean fm
hyperloglog, did you mean hll
create, did you mean build
insert, did you mean add
delete, did you mean remove
contains, did you mean filter
query, did you mean filter
cardinality, did you mean distinct
unique, did you mean uniq
union, did you mean merge
inspect, did you mean info
list, did you mean info
show, did you mean info
$ ink help bxixd; ink help fxlxer; ink help ift; ink help il
! ink: no command or kind bxixd; see ink help
! ink: no command or kind fxlxer, did you mean filter; see ink help
! ink: no command or kind ift; see ink help
!2 ink: no command or kind il; see ink help
$ ink build fn -o x.ink
!2 ink: no kind fn, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help build
$ ink build bloom --an-option-that-is-longer-than-any-that-there-is=5 -o x.ink
!2 ink: no option --an-option-that-is-longer-than-any-that-there-is; see ink help build
$ ink help bu
!2 ink: no command or kind bu; see ink help
