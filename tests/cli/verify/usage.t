# What does not go together is refused before anything is read.
$ ink verify
!2 ink: verify without a sketch file; see ink help verify
$ ink verify none.ink --truth none.txt
!4 ink: none.ink: cannot open: No such file or directory
$ ink verify -
!2 ink: verify without --truth, expected --truth FILE (- is standard input); see ink help verify
$ ink verify x.ink --truth ''
!2 ink: --truth with an empty value; see ink help verify
$ ink verify x.ink --truth - --truth -
!2 ink: standard input is read twice, for --truth and for --truth, expected a FILE for one of them; see ink help verify
$ ink verify x.ink --json --tsv
!2 ink: --json and --tsv do not go together; see ink help verify
$ ink verify x.ink -q --json
!2 ink: --quiet and --json do not go together; see ink help verify
$ ink verify w.ink --truth - --absent -
!2 ink: standard input is read twice, for --truth and for --absent, expected a FILE for one of them; see ink help verify
$ ink verify - --truth -
!2 ink: standard input is read twice, for --truth and for operand 1, expected a FILE for one of them; see ink help verify
$ ink verify w.ink --truth w.txt --absent - --absent -
!2 ink: standard input is read twice, for --absent and for --absent, expected a FILE for one of them; see ink help verify
$ ink verify w.ink --truth w.txt --temp nowhere
!4 ink: nowhere: the folder of --temp: No such file or directory
$ printf 'ant\nbee\n' > w.txt; ink build bloom -o w.ink w.txt; ink verify w.ink $(yes w.txt | head -n 300) | tail -n 1 | cut -d , -f 1
kept: all 2 members found
