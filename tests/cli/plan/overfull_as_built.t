# The rates that are shown for twice and four times the keys are those of filters with that many keys.
$ ink plan bloom -n 20000 | tail -3
* 20000   0.00995  #
  40000      0.15  ###########
  80000     0.676  ################################################
$ seq 40000 | ink build bloom -n 20000 --max-rate 1 -o twice.ink
$ seq 80000 | ink build bloom -n 20000 --max-rate 1 -o four.ink
$ for file in twice four; do ink info --json $file.ink | grep -o '"current_rate":0.[0-9][0-9][0-9]'; done
"current_rate":0.146
"current_rate":0.672
$ ink plan classic -n 20000 -p 0.001 | tail -2
  40000    0.0586  #####
  80000     0.535  ################################################
$ seq 40000 | ink build classic -n 20000 -p 0.001 --max-rate 1 -o twice_classic.ink
$ ink info --json twice_classic.ink | grep -o '"current_rate":0.[0-9][0-9][0-9]'
"current_rate":0.056
