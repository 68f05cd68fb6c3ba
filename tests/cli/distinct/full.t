# A sketch that is full says so: the truth may lie far above.
$ seq 2000 > d.txt; ink distinct --kind bloom --bits 256 d.txt
200
! ink: the sketch is full: the true value may lie far above; use a larger --bits
$ ink distinct --kind bloom --bits 256 --json d.txt
{"kind":"bloom","estimate":200,"low":111,"high":2000,"confidence":0.95,"saturated":true}
$ ink distinct --kind bloom --bits 256 --tsv d.txt
kind	group	slot	key	estimate	low	high	confidence	saturated	share	cut
bloom				200	111	2000	0.95	true		
$ seq 2000 | awk '{print $1 % 2, $1} END {print "x few"}' > g.txt; ink distinct --kind bloom --bits 256 --fields --by 1 --key 2 g.txt
group  estimate  low  high
0           200  111  1000
1           200  111  1000
x             1    1     1
! ink: the sketch is full in 2 of 3 answers: the true value may lie far above; use a larger --bits
$ ink distinct --kind bloom -n 10 d.txt
200
! ink: the sketch is full: the true value may lie far above; use a larger -n
$ ink build bloom -q -n 10 --max-rate 1 -o d.ink d.txt; ink distinct d.ink
200
! ink: the sketch is full: the true value may lie far above; use sketches built with a larger -n
