# With --once only keys that are not in are added; a counting filter has each of them once.
$ printf 'ant\nbee\n' > a; printf 'bee\ncat\ncat\n' > b; ink build counting -n 100 -o a.ink a
$ ink add --once a.ink b; ink info --tsv a.ink | cut -f12
records
3
$ ink add --once a.ink b; ink remove -e cat a.ink && ink filter -e cat -e bee a.ink
bee
$ ink build bloom,hll -n 100 -o both.ink a; ink add --once both.ink b
!2 ink: both.ink: the file holds hll, which cannot tell whether a key is new, expected filters to add keys to once
$ printf 'ant\t3\n' > w.tsv; ink build counting -n 100 --key 1 --weight 2 -o w.ink w.tsv && ink add --once w.ink w.tsv; ink add --once --weight 2 w.ink w.tsv
!2 ink: w.ink: weights for keys that are added once or not at all, expected none
