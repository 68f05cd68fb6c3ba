# Keys and groups that are not UTF-8 are in hex in JSON, and a reader of records undoes it.
$ printf '\351,1\n\303\251,\377\n\351,\377\n' > bytes.csv; ink build top --key 1 --by 2 -o bytes.ink bytes.csv; ink top --json bytes.ink | tee bytes.jsonl | cut -d , -f 2,3
"group":"1","key_hex":"e9"
"group_hex":"ff","key":"é"
"group_hex":"ff","key_hex":"e9"
$ ink build top --key key --by group -o again.ink bytes.jsonl; ink info --json bytes.ink > 1; ink info --json again.ink | cmp - 1
$ ink build bloom -n 9 --key 1 -o filter.ink bytes.csv; ink filter --in jsonl --key key --count filter.ink bytes.jsonl | grep admitted
admitted         3
$ ink top --key 1,2 --json bytes.csv | tee tuples.jsonl | cut -d , -f 2,3; ink top --key 'key[0],key[1]' --json tuples.jsonl | cmp - tuples.jsonl
"key_hex":["e9","31"]
"key_hex":["e9","ff"]
"key_hex":["c3a9","ff"]
$ ink top bytes.csv --key 1; ink top bytes.csv --key 1 --tsv | cut -f 4 | od -An -tx1
estimate  low  high  share  key
       2    2     2  0.667  \xe9
       1    1     1  0.333  é
 6b 65 79 0a e9 0a c3 a9 0a
$ echo '{"key_hex":"6"}' | ink top --in jsonl --key key
!3 ink: standard input: line 1: "6", expected two hexadecimal digits for each byte in a member named _hex; --bad skip skips such records
$ echo '{"key_hex":7}' | ink top --in jsonl --key key
!3 ink: standard input: line 1: "7", expected two hexadecimal digits for each byte in a member named _hex; --bad skip skips such records
$ echo '{"key_hex":"31"}' | ink top --in jsonl --key key --key-type int
!3 ink: standard input: line 1: a record without key, expected a value there; --bad skip skips such records
$ echo '{"id_hex":"31"}' | ink top --in jsonl --key id
!3 ink: standard input: line 1: a record without id, expected a value there; --bad skip skips such records
$ echo '{"key_hex":"31","key":"é"}' | ink top --in jsonl --key key,key_hex --json
{"kind":"top","key":["é","31"],"estimate":1,"low":1,"high":1,"confidence":1,"share":1}
$ printf 'a\rb,c\r\n"d""e",f\r\n"g\nh","i,j"\r\n' > t.csv; ink top --in csv --csv-multiline --key 1,2 t.csv; ink top --tsv --in csv --csv-multiline --key 1,2 t.csv | cut -f 4 | od -An -c
estimate  low  high  share  key
       1    1     1  0.333  "a\x0db",c
       1    1     1  0.333  "d""e",f
       1    1     1  0.333  "g\x0ah","i,j"
   k   e   y  \n   "   a   \   r   b   "   ,   c  \n   "   d   "
   "   e   "   ,   f  \n   "   g   \   n   h   "   ,   "   i   ,
   j   "  \n
