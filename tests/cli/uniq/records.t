# The first record of each key is printed, in the order of the input; with -v those that repeat one.
$ printf 'bee\ndog\nbee\nant\ndog\nbee\n' > text
$ ink uniq text
bee
dog
ant
$ ink uniq -v text
bee
dog
bee
$ ink uniq < text; cat text | ink uniq --threads 2 - text
bee
dog
ant
bee
dog
ant
$ ink uniq -v text | ink uniq
bee
dog
$ printf 'ant 1\nbee 2\nant 3\n' | ink uniq --fields --key 1
ant 1
bee 2
$ printf '1;a;x\n2;b;x\n3;a;x\n4;a;y\n' | ink uniq -d ';' --key 2,3
1;a;x
2;b;x
4;a;y
$ printf '7\n+7\n07\n8\n' | ink uniq --key-type int; printf '7\n+7\n' | ink uniq
7
8
7
+7
$ printf '{"user":{"id":"a"}}\n{"user":{"id":"\\u0061"}}\n' > e.jsonl; gzip e.jsonl; ink uniq --key user.id e.jsonl.gz
{"user":{"id":"a"}}
$ printf 'b\0a\nx\0b\0' | ink uniq --in nul | od -c
0000000   b  \0   a  \n   x  \0
0000006
$ printf 'aaaabbbbaaaacccc' > n.u32; ink uniq --in u32 n.u32
aaaabbbbcccc [no line end]
$ printf 'aaaabbbbaaaabbbbcccccccc' | ink uniq --in u64 -v
aaaabbbb [no line end]
$ ink uniq -o out text && cat out; ink uniq -o out text; ink uniq --force -v -o out text && cat out
bee
dog
ant
bee
dog
bee
! ink: out: already exists; use --force to replace it; see ink help uniq
$ ink uniq /dev/null; ink uniq --threads 7 --seed 5 text | wc -l
3
$ printf '0123456789abcdef' > secret; ink uniq --secret secret text
bee
dog
ant
