# Parts of files that standard input lists.
$ printf 'k,n\nant,1\r\nbee,2\ncow,3\ndoe,4' > d.csv; ink build bloom --header --key k -o whole.ink d.csv
$ printf '0\t7\td.csv\t7\t12\td.csv\n19\t0\td.csv\n' > list
$ ink map --splits bloom --header --key k --header-line k,n < list | ink reduce bloom --in csv --header --key k --header-line k,n > parts.ink
$ ink info --digest whole.ink > whole; ink info --digest parts.ink | cmp - whole && echo the same
the same
$ ink build bloom -o set.ink --in csv --key 1 d.csv
$ printf '0\t4\td.csv\n' | ink map --filter set.ink --splits --header
k,n
$ printf '4\t8\td.csv\n' | ink map --filter set.ink --splits --header | tr -d '\r'
ant,1
bee,2
$ printf '0\t12\td.csv\n' | ink map --filter set.ink --splits --header | tr -d '\r'
k,n
ant,1
bee,2
$ printf '5\t0\td.csv' | ink map --splits bloom --header --key k
!2 ink: column "k" of a split that does not begin its file, expected --header-line, or a number; see ink help map
$ printf '0\t9\td.csv\n' | ink map --splits bloom --key 3
!3 ink: d.csv: line 1: 2 columns, expected at least 3; --bad skip skips such records
$ printf '5\t9\td.csv\n' | ink map --splits bloom --key 3
!3 ink: d.csv: byte 11: line 3: 2 columns, expected at least 3; --bad skip skips such records
$ printf '0\t0\tnowhere\n' | ink map --splits bloom
!4 ink: nowhere: cannot open: No such file or directory
$ gzip -c d.csv > d.csv.gz; printf '1\t2\td.csv.gz\n' | ink map --splits bloom --key 1
!2 ink: d.csv.gz: a split of what can only be read from its start
$ printf '0\t0\thdfs://nn:8020/in/x.csv\n' | ink map --splits bloom --key 1
!2 ink: hdfs://nn:8020/in/x.csv: no address of a NameNode, expected INK_WEBHDFS or dfs_namenode_http_address in the environment
$ printf '0\t0\thdfs://nn:8020/in/x.csv\n' | INK_WEBHDFS=127.0.0.1:1 ink map --splits bloom --key 1
!4 ink: hdfs://nn:8020/in/x.csv: cannot connect to 127.0.0.1:1: Connection refused
$ ink map bloom webhdfs://127.0.0.1:1/in/x.csv --key 1
!4 ink: webhdfs://127.0.0.1:1/in/x.csv: cannot connect to 127.0.0.1:1: Connection refused
$ ink map --splits bloom < /dev/null
!3 ink: standard input: the list of splits ends within split 1, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf '0\t0\td.csv\n0\t' | ink map --splits bloom --key 1
!3 ink: standard input: the list of splits ends within split 2, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf '0\tx\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: x, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf -- '-1\t0\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: -1, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf -- '0\t-1\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: -1, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf -- '0\t0x10\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: 0x10, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf -- '0\t\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: "", expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf '9223372036854775808\t0\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: 9223372036854775808, expected less than 2^63
$ printf '0\t18446744073709551616\td.csv\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: 18446744073709551616, expected less than 2^63
$ printf '0\t0\td.csv\0x\n' | ink map --splits bloom
!3 ink: standard input: a zero byte in the list of splits, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ printf '0\t0\t-\n' | ink map --splits bloom
!3 ink: standard input: split 1 of the list: -, expected OFFSET, BYTES and PATH, each followed by a tab or a line end
$ ink map --splits bloom d.csv
!2 ink: --splits and d.csv: files do not go with a list; see ink help map
$ ink map --splits --plan bloom
!2 ink: --splits with --plan, which reads nothing; see ink help map
$ printf 'k,g\nant,1\nbee,2\n' > h.csv; printf '9223372036854775807\t0\th.csv\n' | ink map --splits bloom --key 1 > p
$ for list in '6\t0\th.csv\n0\t6\th.csv\n' '0\t6\th.csv\n6\t0\th.csv\n'; do printf "$list" | ink map --splits hll --header --key k; done
! ink: column "k" of a split that does not begin its file, expected --header-line, or a number; see ink help map
!2 ink: column "k" of a split that does not begin its file, expected --header-line, or a number; see ink help map
