# The output is looked at before any data is read.
$ ink build bloom words.txt
! ink: build without -o, expected -o FILE for the sketches; see ink help build
? 2
$ seq 9 > words.txt; seq 5 > there.ink; mkdir folder; ln -s words.txt link; mkfifo fifo
$ ink build bloom -o there.ink nothing.txt
! ink: there.ink: already exists; use --force to replace it; see ink help build
? 2
$ ink build bloom -o folder nothing.txt
! ink: folder: is a folder, expected the name of a file to write; see ink help build
? 2
$ ink build bloom -o folder/ --force nothing.txt
! ink: folder/: is a folder, expected the name of a file to write; see ink help build
? 2
$ ink build bloom -o none/x.ink nothing.txt
! ink: none/x.ink: its folder: No such file or directory
? 4
$ ink build bloom -o words.txt/x.ink nothing.txt
! ink: words.txt/x.ink: Not a directory
? 4
$ ink build bloom -o words.txt words.txt
! ink: words.txt: is an input too; see ink help build
? 2
$ ink build bloom -o words.txt --force words.txt
! ink: words.txt: is an input too; see ink help build
? 2
$ ink build bloom -o ./folder/../words.txt --force words.txt
! ink: ./folder/../words.txt: is an input too; see ink help build
? 2
$ ink build bloom -o link --force words.txt
! ink: link: is an input too; see ink help build
? 2
$ ink build bloom -o words.txt --force < words.txt
! ink: words.txt: is an input too; see ink help build
? 2
$ ink build bloom -o fifo --force words.txt
! ink: fifo: is no regular file, expected one, or - for standard output; see ink help build
? 2
$ ink build bloom -o x.ink --temp none nothing.txt; ink verify x.ink --temp words.txt
! ink: none: the folder of --temp: No such file or directory
! ink: words.txt: the folder of --temp: Not a directory
? 4
$ cat words.txt there.ink | tr '\n' ' '; ls
1 2 3 4 5 6 7 8 9 1 2 3 4 5 fifo
folder
link
there.ink
words.txt
