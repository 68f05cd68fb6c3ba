# How a job is best done, before it is started.
$ ink map --plan bloom
{"ranged":false,"reducers":1,"memory":335544352,"map_memory":335544320,"reduce_memory":335544352,"header":false,"in":"lines"}
$ ink map --plan --bytes 1G --tasks 8 bloom
{"ranged":false,"reducers":1,"memory":512229376,"map_memory":335544320,"reduce_memory":512229376,"header":false,"in":"lines"}
$ ink map --plan --bytes 1G --tasks 8 bloom --in csv --key 1 --by 2
{"ranged":false,"reducers":5,"memory":370881331,"map_memory":335544320,"reduce_memory":370881331,"header":false,"in":"csv"}
$ ink map --plan --bytes 100G --tasks 8 bloom --in csv --key 1 --by 2 --memory 1G
{"ranged":false,"reducers":8,"memory":2248146944,"map_memory":1140850688,"reduce_memory":2248146944,"header":false,"in":"csv"}
$ ink map --plan --bytes 100G --tasks 8 bloom
{"ranged":false,"reducers":1,"memory":9193914368,"map_memory":335544320,"reduce_memory":9193914368,"header":false,"in":"lines"}
$ ink map --plan --bytes 100G --tasks 8 bloom -n 1e9
{"ranged":true,"reducers":8,"memory":500170752,"map_memory":335544320,"reduce_memory":500170752,"header":false,"in":"lines"}
$ ink map --plan --bytes 100G --tasks 3 classic --hash mmh3
{"ranged":false,"reducers":1,"memory":838077429,"map_memory":335544320,"reduce_memory":838077429,"header":false,"in":"lines"}
$ ink map --plan --bytes 1M --tasks 3 top --in tsv --header --key a
{"ranged":false,"reducers":1,"memory":335544320,"map_memory":335544320,"reduce_memory":335544320,"header":true,"in":"tsv"}
$ mapreduce_map_input_file=hdfs://h/in/x.csv.gz ink map --plan top --header --key a
{"ranged":false,"reducers":1,"memory":335544320,"map_memory":335544320,"reduce_memory":335544320,"header":true,"in":"csv"}
$ mapreduce_map_input_file=hdfs://h/in/x.csv.gz ink map --plan top --header --key a --header-line b,c
!2 ink: hdfs://h/in/x.csv.gz: no column "a", expected one of "b", "c"
$ mapreduce_map_input_file=hdfs://h/in/x.csv.gz ink map --plan top --header --key a --header-line b,a
{"ranged":false,"reducers":1,"memory":335544320,"map_memory":335544320,"reduce_memory":335544320,"header":true,"in":"csv"}
$ printf 'k,g\nant,1\nbee,2\n' > d.csv; ink build bloom --header --key k --by g -o d.ink d.csv
$ ink map --plan --bytes 1G --tasks 8 --verify d.ink
{"ranged":true,"reducers":1,"memory":335544824,"map_memory":335544320,"reduce_memory":335544824,"header":true,"in":"csv"}
$ ink build -q classic --hash mmh3 --header --key k --by g -o keys.ink d.csv
$ ink map --plan --bytes 128M --verify keys.ink
{"ranged":true,"reducers":1,"memory":1140851096,"map_memory":335544320,"reduce_memory":1140851096,"header":true,"in":"csv"}
$ ink map --plan --bytes 300M --verify keys.ink
{"ranged":true,"reducers":2,"memory":1279263128,"map_memory":335544320,"reduce_memory":1279263128,"header":true,"in":"csv"}
$ ink map --plan --bytes 1G --tasks 8 --filter d.ink --by
{"ranged":false,"reducers":0,"memory":67109272,"map_memory":67109272,"header":true,"in":"csv"}
$ ink map --plan --verify d.ink --header-line x,g
!2 ink: standard input: no column "k", expected one of "x", "g"
$ ink map --plan scalable
!3 ink: scalable has one writer and cannot be built in parts, expected bloom
$ ink map --plan bloom --in nul
!2 ink: records in nul in a task of Hadoop, expected lines; see ink help map
$ ink map --plan bloom --in csv --csv-multiline
!2 ink: --csv-multiline in a task of Hadoop, expected a record a line; see ink help map
$ ink map --plan bloom -p 1e-9 -n 1e6
!2 ink: --rate 1e-09, expected 1e-05 to 0.5 for bloom: bloom needs 318 bits a key at 1e-09; classic needs 43
$ printf 0123456789abcdef | ink map --plan --secret - hll | cut -c 1-15
{"ranged":false
$ ink map --plan --tasks 3 bloom -n 8e9; ink map --plan --tasks 65536 --bytes 1048576T hll --in csv --key 1 --by 2
{"ranged":true,"reducers":4,"memory":2977955840,"map_memory":335544320,"reduce_memory":2977955840,"header":false,"in":"lines"}
{"ranged":false,"reducers":4096,"memory":335544320,"map_memory":335544320,"reduce_memory":335544320,"header":false,"in":"csv"}
$ ink map --plan --bytes 1T --verify keys.ink
{"ranged":true,"reducers":256,"memory":26105348504,"map_memory":335544320,"reduce_memory":26105348504,"header":true,"in":"csv"}
