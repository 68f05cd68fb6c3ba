# A character that seems to be the delimiter of CSV is named where columns are missing.
$ printf 'name;price;shop\npen;1,5;x\n' > shop.csv
$ ink build hll --header --key shop -o x.ink shop.csv
!2 ink: shop.csv: no column "shop", expected one of "name;price;shop" (or ';' as --delimiter)
$ ink build hll --header --key 3 -o x.ink shop.csv
!3 ink: shop.csv: line 2: 2 columns, expected at least 3 (or ';' as --delimiter); --bad skip skips such records
$ ink build hll --header --key shop -d ';' -o x.ink shop.csv
$ printf '"name";"price"\r\n"pen";"1,5"\r\n' > quoted.csv
$ ink build hll --header --key price -o y.ink quoted.csv
!3 ink: quoted.csv: byte 6: text after a closing quote, expected a delimiter (or ';' as --delimiter)
$ ink build hll --header --key price -d ';' -o y.ink quoted.csv
$ printf '\357\273\277"name";"price"\r\n' > mark.csv; ink build hll --header --key price -o z.ink mark.csv   # the byte is that of the file
!3 ink: mark.csv: byte 9: text after a closing quote, expected a delimiter (or ';' as --delimiter)
$ printf 'name\tprice\npen\t1\n' > tabs.csv
$ ink build hll --header --key price -o z.ink tabs.csv
!2 ink: tabs.csv: no column "price", expected one of "name\x09price" (or '\t' as --delimiter)
$ printf 'name,price\npen,1\n' > commas.csv
$ ink build hll --header --key price -d ';' -o z.ink commas.csv
!2 ink: commas.csv: no column "price", expected one of "name,price" (or ',' as --delimiter)
$ printf 'a|b\nc|d\n' | ink build hll --in csv --key 2 -o z.ink
!3 ink: standard input: line 1: 1 column, expected at least 2 (or '|' as --delimiter); --bad skip skips such records
$ printf 'pen\n' | ink build hll --in csv --key 2 -o z.ink
!3 ink: standard input: line 1: 1 column, expected at least 2; --bad skip skips such records
$ printf 'pen;1\n' | ink build hll --in tsv --key 2 -o z.ink
!3 ink: standard input: line 1: 1 column, expected at least 2; --bad skip skips such records
$ printf 'a,b;c\n' | ink build hll --in csv --key 3 -o z.ink
!3 ink: standard input: line 1: 2 columns, expected at least 3; --bad skip skips such records
$ for d in '\r' '"' ab '\\n'; do ink build hll --key 1 -d "$(printf "${d}x" | sed 's/x$//')" -o z.ink commas.csv; done
! ink: --delimiter \x0d, expected one byte, no line end and no quote; see ink help build
! ink: --delimiter ", expected one byte, no line end and no quote; see ink help build
! ink: --delimiter ab, expected one byte, no line end and no quote; see ink help build
!2 ink: --delimiter \x5cn, expected one byte, no line end and no quote; see ink help build
