# The rates that are shown for twice and four times the keys are those of filters with that many keys.
$ ink plan bloom -n 20000 | tail -3
* 20000   0.00995  #
  40000      0.15  ###########
  80000     0.676  ################################################
$ seq 40000 | ink build bloom -n 20000 -o twice.ink
! ink: twice.ink: 1 filter is above the promised rate: planned for 20000 keys, the current rate is 0.146, promised 0.01; expected a larger -n
$ seq 80000 | ink build bloom -n 20000 -o four.ink
! ink: four.ink: 1 filter is above the promised rate: planned for 20000 keys, the current rate is 0.672, promised 0.01; expected a larger -n
$ for file in twice four; do ink info --json $file.ink | grep -o '"current_rate":0.[0-9][0-9][0-9]'; done
"current_rate":0.146
"current_rate":0.672
$ ink plan classic -n 20000 -p 0.001 | tail -2
  40000    0.0586  #####
  80000     0.535  ################################################
$ seq 40000 | ink build classic -n 20000 -p 0.001 -o twice_classic.ink
! ink: twice_classic.ink: 1 filter is above the promised rate: planned for 20000 keys, the current rate is 0.0567, promised 0.00103; expected a larger -n
$ ink info --json twice_classic.ink | grep -o '"current_rate":0.[0-9][0-9][0-9]'
"current_rate":0.056
