# The output is looked at before any data is read.
$ ink build bloom words.txt
!2 ink: build without -o, expected -o FILE for the sketches; see ink help build
$ seq 9 > words.txt; seq 5 > there.ink; mkdir folder; ln -s words.txt link; mkfifo fifo
$ ink build bloom -o there.ink nothing.txt
!2 ink: there.ink: already exists; use --force to replace it; see ink help build
$ ink build bloom -o folder nothing.txt
!2 ink: folder: is a folder, expected the name of a file to write; see ink help build
$ ink build bloom -o folder/ --force nothing.txt
!2 ink: folder/: is a folder, expected the name of a file to write; see ink help build
$ ink build bloom -o none/x.ink nothing.txt
!4 ink: none/x.ink: its folder: No such file or directory
$ ink build bloom -o words.txt/x.ink nothing.txt
!4 ink: words.txt/x.ink: Not a directory
$ ink build bloom -o words.txt words.txt
!2 ink: words.txt: is an input too; see ink help build
$ ink build bloom -o words.txt --force words.txt
!2 ink: words.txt: is an input too; see ink help build
$ ink build bloom -o ./folder/../words.txt --force words.txt
!2 ink: ./folder/../words.txt: is an input too; see ink help build
$ ink build bloom -o link --force words.txt
!2 ink: link: is an input too; see ink help build
$ ink build bloom -o words.txt --force < words.txt
!2 ink: words.txt: is an input too; see ink help build
$ ink build bloom -o fifo --force words.txt
!2 ink: fifo: is no regular file, expected one, or - for standard output; see ink help build
$ ink build bloom -o x.ink --temp none nothing.txt; ink verify x.ink --temp words.txt
! ink: none: the folder of --temp: No such file or directory
!4 ink: words.txt: the folder of --temp: Not a directory
$ cat words.txt there.ink | tr '\n' ' '; ls
1 2 3 4 5 6 7 8 9 1 2 3 4 5 fifo
folder
link
there.ink
words.txt
$ ink build hll -o none/ none; ink build hll -o /none.ink none 2>&1 | sed -n '/its folder: No such/p'
! ink: none/: is a folder, expected the name of a file to write; see ink help build
