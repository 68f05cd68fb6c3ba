# Whatever bytes a line has, but for its end, are its key, and none is dropped.
$ : | ink distinct; printf '\n' | ink distinct; printf '\n\n\n' | ink distinct; printf 'a\nb' | ink distinct; printf 'a\r\na\n' | ink distinct
0
1
1
2
1
$ printf 'a\na\0\na\0b\n\0\n' | ink distinct; printf '\200\n\377\n\303\251\n\303\n\r\r\n' | ink distinct; printf '\357\273\277a\na\n' | ink distinct
4
5
1
$ printf '\357\273\277a\n' > mark.txt; printf '\357\273\277{"k":"a"}\n' > mark.jsonl; ink distinct mark.txt mark.txt; ink top --key k --tsv mark.jsonl | cut -f 4; ink uniq mark.txt | od -An -tx1
1
key
a
 61 0a
$ printf '\357\273\277k,g\na,b\n' > mark.csv; ink top --header --key k --by g --tsv mark.csv | cut -f 2,4; printf 'x\n\357\273\277a\na\n' | ink distinct; printf '\357\273\277a\0a\0' | ink distinct --in nul
group	key
b	a
3
2
$ printf '\200\r\n\377\0x\n\n\303\251' | ink build bloom,count-min -o lines.ink; printf '\200\n\377\0x\n\n\303\251\n' | ink build bloom,count-min -o same.ink; cmp lines.ink same.ink
$ printf '\200\n\377\0x\n\377\n\n\303\251\n\303' | ink filter -c lines.ink | grep admitted; ink info --tsv lines.ink | cut -f 1,12
admitted         4
kind	records
bloom	4
count-min	4
