# The records that may be in the set are printed, with -v those that are surely not; like grep.
$ printf 'ant\nbee\ncat\n' > set; ink build bloom -p 0.00001 -o set.ink set
$ printf 'bee\ndog\nant\nelk\nbee\n' > text
$ ink filter set.ink text
bee
ant
bee
$ ink filter -v set.ink text
dog
elk
$ ink filter set.ink < text | tail -1; ink filter set.ink - text < text | wc -l
bee
6
$ printf 'dog\n' | ink filter set.ink
? 1
$ printf 'ant\n' | ink filter -v set.ink
? 1
$ printf 'ant' | ink filter set.ink
ant
$ yes ant | ink filter -q set.ink
$ ink filter -q set.ink text; ink filter -qv set.ink set
? 1
$ ink filter -o out set.ink text && cat out; ink filter -o out set.ink text; ink filter --force -v -o out set.ink text && cat out
bee
ant
bee
dog
elk
! ink: out: already exists; use --force to replace it; see ink help filter
$ ink filter --force -o text set.ink text
!2 ink: text: is an input too; see ink help filter
$ ink filter -o new set.ink none.txt; ls -A
out
set
set.ink
text
! ink: none.txt: cannot open: No such file or directory
$ ink filter --force -o text set.ink < text
!2 ink: text: is an input too; see ink help filter
$ ink filter -o - set.ink < text > out; ink filter --force -o out set.ink - < text
