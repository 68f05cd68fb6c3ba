# Keyed sketches are merged and queried; a wrong secret is refused.
$ printf '0123456789abcdef' > s; printf 'fedcba9876543210' > t; printf 'ant\nbee\nant\n' > a.txt
$ ink distinct --secret s a.txt; ink build hll --secret s -o a.ink a.txt; ink distinct --secret s a.ink; ink distinct a.ink
2
2
!3 ink: a.ink: a keyed file, expected its secret (--secret)
$ ink distinct --secret t a.ink
!3 ink: a.ink: another secret: its check value is 673e492cb90604e0, the sketch has be080379acc0cffd
$ ink build hll --secret t -o b.ink a.txt; ink distinct a.ink b.ink
!3 ink: a.ink: a keyed file, expected its secret (--secret)
$ ink build hll -o plain.ink a.txt; ink distinct --secret s plain.ink
!3 ink: plain.ink: a secret was given, but the keys are hashed with xxh3, without one
$ ink distinct a.ink plain.ink
!3 ink: a.ink: a keyed file, expected its secret (--secret)
$ ink distinct --secret none a.ink
!4 ink: none: cannot read the secret: No such file or directory
