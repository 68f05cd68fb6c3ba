# A secret is 16 bytes or 32 hex digits; anything else is an error that names the file.
$ ink build bloom -o x.ink --secret none
!4 ink: none: cannot read the secret: No such file or directory
$ printf 'short' > short; printf '0123456789abcdef\n' > seventeen; printf '000102030405060708090a0b0c0d0e0g\n' > odd; head -c 100 /dev/zero > long; : > empty; printf '00000000000000000000000000000001\n\n' > longer; printf '0000000000000000000000000000001\n' > shorter
$ for f in short seventeen odd long empty longer shorter; do ink build bloom -o x.ink --secret $f; done
! ink: short: 5 bytes, expected a secret of 16 bytes, or 32 hex digits
! ink: seventeen: 17 bytes, expected a secret of 16 bytes, or 32 hex digits
! ink: odd: 33 bytes, expected a secret of 16 bytes, or 32 hex digits
! ink: long: at least 64 bytes, expected a secret of 16 bytes, or 32 hex digits
! ink: empty: 0 bytes, expected a secret of 16 bytes, or 32 hex digits
! ink: longer: 34 bytes, expected a secret of 16 bytes, or 32 hex digits
!3 ink: shorter: 32 bytes, expected a secret of 16 bytes, or 32 hex digits
$ printf '000102030405060708090A0b0c0D0e0f' > hex; for end in '\n' '\r\n' '\r'; do (cat hex; printf "$end") > ended; echo | ink build hll --secret hex -o - | cksum; echo | ink build hll --secret ended -o - | cksum; done | uniq | wc -l
1
$ ink build bloom -o x.ink --secret .
!4 ink: .: cannot read the secret: Is a directory
$ seq 3 > a.txt; cp hex key; ln -s key link; for o in key ./key link; do ink build bloom --secret key --force -o $o a.txt; done
! ink: key: is an input too; see ink help build
! ink: ./key: is an input too; see ink help build
!2 ink: link: is an input too; see ink help build
$ ink build bloom --secret - --force -o key a.txt < key; ink uniq --secret key --force -o key a.txt; cmp key hex && rm key link
! ink: key: is an input too; see ink help build
! ink: key: is an input too; see ink help uniq
$ ink build bloom --secret hex -o k.ink a.txt && ink filter --secret hex --force -o hex k.ink a.txt
!2 ink: hex: is an input too; see ink help filter
