# The column of --by follows =; without = the word is a file, and a word that is none is an error.
$ printf 'shop,item\nx,ant\ny,bee\n' > n.csv; ink build bloom -p 0.00001 --header --by shop --key item -o gs.ink n.csv
$ ink filter --by=shop gs.ink n.csv
shop,item
x,ant
y,bee
$ ink filter --by shop gs.ink n.csv
!2 ink: --by shop: --by takes its column after =, as --by=shop; see ink help filter
$ ink filter --by n.csv gs.ink n.csv
!2 ink: --by n.csv: --by takes its column after =, as --by=n.csv; see ink help filter
$ ink filter --by shop - < gs.ink
!2 ink: --by shop: --by takes its column after =, as --by=shop; see ink help filter
$ ink filter --by gs.ink gs.ink
!3 ink: gs.ink: an .ink file, expected records
$ ink filter --by none.ink n.csv
!4 ink: none.ink: cannot open: No such file or directory
$ ink filter --by gs.ink n.csv
shop,item
x,ant
y,bee
$ (head -c 150 gs.ink) > cut.ink; ink filter --by cut.ink n.csv
!3 ink: cut.ink: byte 40: the file is cut short: it has 150 bytes, its header declares a directory of 192 and payloads of 64
$ ink filter --by=1 n.csv gs.ink
!3 ink: n.csv: byte 0: not an .ink file, but text
