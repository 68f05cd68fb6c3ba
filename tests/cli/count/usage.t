# What belongs to data goes with --keys-from alone, and what to sketches without it.
$ printf 'ant\nbee\n' > a.txt; ink build count-min -o a.ink a.txt; printf 'ant\n' > k.txt
$ ink count
!2 ink: count without a sketch file, or --keys-from or -e for data; see ink help count
$ ink count -
!2 ink: standard input is read twice, for operand 1 and for the data, expected a FILE for one of them; see ink help count
$ ink count -e ant a.ink k.txt
!2 ink: k.txt: records after a file of sketches, expected one or the other
$ ink count -e ant k.txt a.ink
!2 ink: a.ink: a file of sketches after one of records, expected one or the other
$ ink count -e ant --key 1 a.ink
!2 ink: --key is for data, but a.ink is a file of sketches; see ink help count
$ ink count -e ant --eps 0.1 a.ink
!2 ink: --eps is for data, but a.ink is a file of sketches; see ink help count
$ ink count -e ant --last 1 a.txt
!2 ink: --last is for sketches with time slots, but a.txt is data; see ink help count
$ ink count -e ant --in csv --key 1,2 a.txt
!2 ink: -e has plain keys, but --key 1,2 makes tuples, expected one column; see ink help count
$ ink count --eps 0.1 a.ink k.txt
!2 ink: --eps is for data, expected it with --keys-from or -e; see ink help count
$ ink count --width 5 a.ink k.txt
!2 ink: --width is for data, expected it with --keys-from or -e; see ink help count
$ ink count --conservative a.ink k.txt
!2 ink: --conservative is for data, expected it with --keys-from or -e; see ink help count
$ ink count --weight 1 a.ink k.txt
!2 ink: --weight is for data, expected it with --keys-from or -e; see ink help count
$ ink count --seed 1 a.ink k.txt
!2 ink: --seed is for data, expected it with --keys-from or -e; see ink help count
$ ink count --memory 1G a.ink k.txt
!2 ink: --memory is for data, expected it with --keys-from or -e; see ink help count
$ ink count --keys-from k.txt -e ant a.txt
!2 ink: -e and --keys-from do not go together; see ink help count
$ ink count --keys-from k.txt --last 1 a.txt
!2 ink: --last is for sketches with time slots, not for data; see ink help count
$ ink count --keys-from k.txt --in csv --key 1,2 a.txt
!2 ink: --keys-from has plain keys, but --key 1,2 makes tuples, expected one column; see ink help count
$ ink count --keys-from - < a.txt
!2 ink: standard input is read twice, for --keys-from and for the data, expected a FILE for one of them; see ink help count
$ ink count --keys-from - a.txt - < k.txt
!2 ink: standard input is read twice, for --keys-from and for operand 2, expected a FILE for one of them; see ink help count
$ ink count --keys-from k.txt -k 5 a.txt
!2 ink: --top is not for count-min; see ink help count
$ ink count --keys-from k.txt --eps 2 a.txt
!2 ink: --eps 2, expected a number above 0 and below 1; see ink help count
$ ink count --keys-from k.txt --kind bloom a.txt
!2 ink: --kind bloom does not answer that, expected counting, count-min, top; see ink help count
$ ink count --keys-from k.txt --kind counting -n 5 a.txt
!2 ink: no option -n; see ink help count
$ ink count --keys-from k.txt a.ink
!3 ink: a.ink: an .ink file, expected records
$ ink count --keys-from none a.txt
!4 ink: none: cannot open: No such file or directory
$ ink count --keys-from k.txt none
!4 ink: none: cannot open: No such file or directory
$ ink count a.txt k.txt
!3 ink: a.txt: not an .ink file, but data; to count in data: --keys-from KEYS or -e KEY
$ ink count a.ink none
!4 ink: none: cannot open: No such file or directory
$ ink count none.ink k.txt
!4 ink: none.ink: cannot open: No such file or directory
$ ink count a.ink a.ink
!3 ink: a.ink: an .ink file, expected records
$ ink count - - < a.ink
!2 ink: standard input is read twice, for operand 1 and for operand 2, expected a FILE for one of them; see ink help count
$ ink count -q --json a.ink k.txt
!2 ink: --quiet and --json do not go together; see ink help count
$ ink count --kind mincount a.ink k.txt
!2 ink: no kind mincount, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help count
$ ink count --key 2 --fields a.ink k.txt
!3 ink: k.txt: line 1: 1 column, expected at least 2; --bad skip skips such records
$ head -c 100 a.ink > cut.ink; ink count cut.ink k.txt
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 543680
$ ink count a.ink k.txt > /dev/full
!4 ink: standard output: cannot write: No space left on device
$ ink count -e ant none
!4 ink: none: cannot open: No such file or directory
$ ink count -e ant cut.ink
!3 ink: cut.ink: byte 40: the file is cut short: it has 100 bytes, its header declares a directory of 128 and payloads of 543680
$ printf 'ant\n' | gzip > a.gz; ink count a.gz k.txt
!3 ink: a.gz: not an .ink file, but data; to count in data: --keys-from KEYS or -e KEY
$ mkfifo pipe; cat a.ink > pipe & ink count -q pipe k.txt
$ ink count --groups 'a*' -e ant a.ink
!2 ink: --groups, but a.ink has no groups; see ink help count
$ ink count --groups 'a*' --keys-from k.txt a.txt
!2 ink: --groups, but data has no groups without --by; see ink help count
