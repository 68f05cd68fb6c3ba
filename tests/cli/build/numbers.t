# Numbers are read strictly, and an error names the option, what was found, and the range.
$ for p in 0 1 2 -1 nan inf 1e-400 0,01 1% 0.01x ' 0.01' 0x1p-7 1e; do ink build bloom -o x.ink -p "$p"; done
! ink: -p 0, expected a number above 0 and below 1; see ink help build
! ink: -p 1, expected a number above 0 and below 1; see ink help build
! ink: -p 2, expected a number above 0 and below 1; see ink help build
! ink: -p -1, expected a number above 0 and below 1; see ink help build
! ink: -p nan, expected a number above 0 and below 1; see ink help build
! ink: -p inf, expected a number above 0 and below 1; see ink help build
! ink: -p 1e-400, expected a number above 0 and below 1; see ink help build
! ink: -p 0,01, expected a number above 0 and below 1; see ink help build
! ink: -p 1%, expected a number above 0 and below 1; see ink help build
! ink: -p 0.01x, expected a number above 0 and below 1; see ink help build
! ink: -p " 0.01", expected a number above 0 and below 1; see ink help build
! ink: -p 0x1p-7, expected a number above 0 and below 1; see ink help build
!2 ink: -p 1e, expected a number above 0 and below 1; see ink help build
$ for n in 0 -1 18446744073709551616 1e30 '10 M' 0x10 ' 5' 5x 10M 1.5 nan; do ink build bloom -o x.ink -n "$n"; done
! ink: -n 0, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n -1, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 18446744073709551616, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 1e30, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n "10 M", expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 0x10, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n " 5", expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 5x, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 10M, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
! ink: -n 1.5, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
!2 ink: -n nan, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help build
$ for t in 0 -1 1025 1e9 2.5 two; do ink build bloom -o x.ink --threads "$t"; done
! ink: --threads 0, expected a whole number from 1 to 1024; see ink help build
! ink: --threads -1, expected a whole number from 1 to 1024; see ink help build
! ink: --threads 1025, expected a whole number from 1 to 1024; see ink help build
! ink: --threads 1e9, expected a whole number from 1 to 1024; see ink help build
! ink: --threads 2.5, expected a whole number from 1 to 1024; see ink help build
!2 ink: --threads two, expected a whole number from 1 to 1024; see ink help build
$ for x in 0 0.5x 4xx x 1e7 nan; do ink build bloom -o x.ink --headroom "$x"; done
! ink: --headroom 0, expected a number from 1 to 1000000, as 4x; see ink help build
! ink: --headroom 0.5x, expected a number from 1 to 1000000, as 4x; see ink help build
! ink: --headroom 4xx, expected a number from 1 to 1000000, as 4x; see ink help build
! ink: --headroom x, expected a number from 1 to 1000000, as 4x; see ink help build
! ink: --headroom 1e7, expected a number from 1 to 1000000, as 4x; see ink help build
!2 ink: --headroom nan, expected a number from 1 to 1000000, as 4x; see ink help build
$ for m in 0 1K 64MB 64m -1M 2048T 1e30 M; do ink build bloom -o x.ink --memory "$m"; done
! ink: --memory 0, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory 1K, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory 64MB, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory 64m, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory -1M, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory 2048T, expected bytes from 1M to 1024T, as 64M; see ink help build
! ink: --memory 1e30, expected bytes from 1M to 1024T, as 64M; see ink help build
!2 ink: --memory M, expected bytes from 1M to 1024T, as 64M; see ink help build
$ ink build count-min -o x.ink --depth 4294967296 --width 10
!2 ink: --depth 4294967296, expected a whole number from 1 to 4294967295; see ink help build
$ ink build hll -o x.ink --precision 3.5
!2 ink: --precision 3.5, expected a whole number from 4 to 26; see ink help build
$ ink build bloom -o x.ink --seed 18446744073709551616
!2 ink: --seed 18446744073709551616, expected a whole number from 0 to 2^64 - 1, as 1e6; see ink help build
$ ink build bloom -o x.ink --seed -1
!2 ink: --seed -1, expected a whole number from 0 to 2^64 - 1, as 1e6; see ink help build
$ ink build count-min -o x.ink --counters 16
!2 ink: --counters 16, expected 32 or 64; see ink help build
$ ink build bloom -o x.ink -p0
!2 ink: -p 0, expected a number above 0 and below 1; see ink help build
$ ink build bloom -o x.ink --rate=2
!2 ink: --rate 2, expected a number above 0 and below 1; see ink help build
$ ls
