# Memory that no setting uses up is reported.
$ ink plan bloom -n 1000 --memory 1M | sed -n 4,5p

bloom takes 5.8 kB of the 1.0 MB: it has no lower rate
$ ink plan bloom --memory 100G | sed -n 4,5p

bloom takes 17.2 GB of the 107 GB: it takes no more keys
$ ink plan fm,hll --memory 1G | sed -n 5,7p

fm takes 65.5 kB of the 1.1 GB: it can be no wider
hll takes 197 kB of the 1.1 GB: it has no higher precision
