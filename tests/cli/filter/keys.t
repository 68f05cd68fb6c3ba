# With -e keys stand on the command line, plain, whatever the input spec says.
$ printf 'id\tname\n1\tant\n2\tbee\n-v\t--\n' > set.tsv; ink build bloom -p 0.00001 --header --key name -o set.ink set.tsv
$ ink filter -e ant set.ink
ant
$ ink filter -e dog -ebee -e ant -e -- set.ink
bee
ant
--
$ ink filter -e dog set.ink
? 1
$ ink filter -qe bee set.ink; ink filter -v -e dog -e ant set.ink
dog
$ ink filter -c -e ant -e dog set.ink | grep -v seconds
functions        8
set records      3
set keys         3
analysed         2
admitted         1
rejected         1
$ printf '0 ant\n60 bee\n' | ink stream -q --train - --fields --key 2 --time 1 --window 2m --slots 2 --sketch bloom -n 9 --state slots
$ for last in 1 2; do ink filter --last $last -e ant -e bee slots/state.ink; done
bee
ant
bee
