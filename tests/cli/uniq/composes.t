# What uniq prints is read as what it read: headers stay, carriage returns too, and a slow pipe is worked on as it comes.
$ printf 'id,n\r\na,1\r\nb,2\r\na,3\r\n' > d.csv; printf 'id,n\nb,4\nc,5' > e.csv
$ ink uniq --header --key id d.csv e.csv | od -c
0000000   i   d   ,   n  \r  \n   a   ,   1  \r  \n   b   ,   2  \r  \n
0000020   c   ,   5  \n
0000024
$ ink uniq --header --key id d.csv | ink uniq --in csv --header --key n -c --tsv | cut -f 1-3
records	first	repeated
2	2	0
$ printf 'a\r\nb\na\nb\r\n\nc' | ink uniq | od -c
0000000   a  \r  \n   b  \n  \n   c  \n
0000010
$ mkfifo in out; ink uniq < in > out & exec 3> in 4< out; printf 'a\na\n' >&3; read line <&4; echo "$line came"; printf 'a\nb\n' >&3; read line <&4; echo "$line came"; exec 3>&-; wait
a came
b came
$ seq 1000000 > many; ink uniq many | head -n 1
1
$ ink uniq --csv-multiline --in csv --key 1 <<'EOF'
> "a
> b",1
> "a
> b",2
> EOF
"a
b",1
