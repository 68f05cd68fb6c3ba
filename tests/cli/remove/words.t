# Keys that are removed might as well never have been added.
$ seq 1000 > words.txt; seq 10 20 > gone.txt; ink build counting -n 1e5 -o c2.ink words.txt && ink remove c2.ink gone.txt
$ ink filter -c c2.ink gone.txt | sed -n 5p; seq 1000 | grep -vxFf gone.txt | ink build counting -n 1e5 -o left.ink; cmp c2.ink left.ink
admitted          0
$ ink add c2.ink gone.txt && ink build counting -n 1e5 -o all.ink words.txt && cmp c2.ink all.ink
$ ink remove c2.ink < gone.txt; : | ink remove c2.ink; cmp c2.ink left.ink
$ for threads in 1 2 7; do cp all.ink $threads.ink; ink remove --threads $threads $threads.ink gone.txt; cmp $threads.ink left.ink; done; ls -A
1.ink
2.ink
7.ink
all.ink
c2.ink
gone.txt
left.ink
words.txt
