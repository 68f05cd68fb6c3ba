# What others make of the file while data is read stays, and nothing is added.
$ seq 10 > words.txt; ink build bloom -n 100 -o other.ink words.txt; ink build hll -o words.ink words.txt; cp words.ink old.ink; mkfifo in
$ ink add words.ink in & exec 3> in; echo x >&3; cp other.ink words.ink; exec 3>&-; wait $!
!4 ink: words.ink: another process has changed it meanwhile; it is left as it is
$ cmp words.ink other.ink; cp old.ink words.ink; ink add words.ink in & exec 3> in; echo x >&3; cp other.ink new.ink; mv new.ink words.ink; exec 3>&-; wait $!
!4 ink: words.ink: another process has replaced it meanwhile; it is left as it is
$ cmp words.ink other.ink; ink add words.ink in & exec 3> in; echo x >&3; rm words.ink; exec 3>&-; wait $!
!4 ink: words.ink: it was removed meanwhile, and is not made again
$ ls -A
in
old.ink
other.ink
words.txt
$ cp old.ink one.ink; ln one.ink two.ink; ink add -e x one.ink && cmp two.ink old.ink && ink info --tsv one.ink | cut -f12
records
11
