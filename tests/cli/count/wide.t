# Columns have room for any answer of the sketches, and full counters are reported.
$ printf 'ant 12345678901234\nbee 1\n' > w.txt; ink build count-min --fields --key 1 --weight 2 --counters 64 -o w.ink w.txt; ink count -e ant -e bee w.ink
      estimate             low            high  key
12345678901234  12344444341596  12345678901234  ant
             1               0               1  bee
$ ink build count-min --fields --key 1 --weight 2 -o full.ink w.txt; ink count -e ant full.ink
      estimate             low            high  key
    4294967295      3060407657  12345678901235  ant
! ink: the sketch is full: the true value may lie far above; use sketches built with --counters 64
$ ink count -e ant -e bee full.ink
      estimate             low            high  key
    4294967295      3060407657  12345678901235  ant
             1               0               1  bee
! ink: the sketch is full in 1 of 2 answers: the true value may lie far above; use sketches built with --counters 64
$ ink count -e ant --json full.ink; ink count -e ant --tsv full.ink
{"kind":"count-min","key":"ant","estimate":4294967295,"low":3060407657,"high":12345678901235,"confidence":0.9932620530009145,"saturated":true}
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
count-min			ant	4294967295	3060407657	12345678901235	0.9932620530009145	true		
$ echo ant > k.txt; ink count --keys-from k.txt --fields --key 1 --weight 2 w.txt
      estimate             low            high  key
    4294967295      3060407657  12345678901235  ant
! ink: the sketch is full: the true value may lie far above; use --counters 64
$ ink count --keys-from k.txt --fields --key 1 --weight 2 --counters 64 w.txt
      estimate             low            high  key
12345678901234  12344444341596  12345678901234  ant
$ printf 'a 4503599627370497\n' > odd.txt; ink count -e a --fields --key 1 --weight 2 --json odd.txt
{"key":"a","estimate":4503599627370497,"low":4503599627370497,"high":4503599627370497,"confidence":1}
$ printf 'ant 18446744073709551615\nant 5\n' > m.txt; ink build count-min --counters 64 --fields --key 1 --weight 2 -o m.ink m.txt; ink count -e ant m.ink
            estimate                   low                  high  key
18446744073709551616                     0                        ant
! ink: the sketch is full: the true value may lie far above
