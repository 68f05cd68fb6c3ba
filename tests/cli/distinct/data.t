# How many different keys there are in data: files, pipes, fields; through a pipe the number alone.
$ printf 'ant\nbee\nant\ncat\nbee\nant\n' > a.txt; printf 'cat\ndog\n' > b.txt; : > none.txt
$ ink distinct a.txt
3
$ ink distinct a.txt b.txt
4
$ cat a.txt b.txt | ink distinct
4
$ cat b.txt | ink distinct a.txt -
4
$ gzip -k a.txt; ink distinct a.txt.gz
3
$ ink distinct none.txt; ink distinct < none.txt
0
0
$ printf 'a 1\nb 1\nc 1\n' | ink distinct --fields --key 2
1
$ printf 'k,v\nx,1\ny,1\n' > d.csv; ink distinct --header --key v d.csv; ink distinct --header --key k d.csv
1
2
$ printf '7\n07\n+7\n8\n' | ink distinct --key-type int
2
$ printf 'a,1\nb,1\na,1\na,2\n' | ink distinct --in csv --key 1,2
3
$ printf 'a,1\nb\na,2\n' | ink distinct --in csv --key 2 --bad skip
2
! ink: 1 of 3 records could not be read and were skipped
$ printf 'a,1\nb\na,2\n' | ink distinct --in csv --key 2
!3 ink: standard input: line 2: 1 column, expected at least 2; --bad skip skips such records
$ ink distinct --threads 1 --no-progress a.txt
3
