# Filters that hold more keys than -n said are reported, and info marks them.
$ seq 1000 > w; ink build bloom -n 10 -o s.ink w
! ink: s.ink: 1 filter is above the promised rate: planned for 10 keys, the current rate is 1, promised 0.01; expected a larger -n
$ ink info s.ink | tail -n 1
bloom    10   256       8  32 B     25.60  0.0100    0.0100  [...]     1000  above promise
$ ink build bloom -n 1000 -o t.ink w; ink info --json t.ink | grep -o '"ok":true'
"ok":true
