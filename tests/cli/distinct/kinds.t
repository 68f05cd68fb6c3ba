# An hll answers, else an fm, else a filter by its fill; --kind chooses.
$ printf 'ant\nbee\nant\ncat\n' > a.txt
$ ink build -q hll,fm,bloom,classic,count-min -o all.ink a.txt; ink distinct --json all.ink
{"kind":"hll","estimate":3,"low":3,"high":4,"confidence":0.95}
$ for k in fm bloom classic; do ink distinct --json --kind $k all.ink; done
{"kind":"fm","estimate":2,"low":1,"high":4,"confidence":0.95}
{"kind":"bloom","estimate":3,"low":2,"high":4,"confidence":0.95}
{"kind":"classic","estimate":3,"low":1,"high":4,"confidence":0.95}
$ ink distinct --kind counting all.ink
!3 ink: all.ink: the file holds bloom, classic, count-min, fm and hll, expected counting
$ ink distinct --kind count-min all.ink
!2 ink: --kind count-min does not answer that, expected bloom, classic, counting, scalable, fm, hll, theta, fuse; see ink help distinct
$ ink distinct --kind hlll all.ink
!2 ink: --kind hlll, did you mean hll; see ink help distinct
$ ink distinct --kind hll,fm all.ink
!2 ink: --kind hll,fm, expected one kind; see ink help distinct
$ ink build fm,bloom -o two.ink a.txt; ink distinct --json two.ink
{"kind":"fm","estimate":2,"low":1,"high":4,"confidence":0.95}
$ ink build -q bloom,classic -o filters.ink a.txt; ink distinct filters.ink
!2 ink: filters.ink: the file holds bloom and classic, expected a choice (--kind)
$ ink distinct --kind bloom filters.ink
3
$ ink build top,count-min -o none.ink a.txt; ink distinct none.ink
!3 ink: none.ink: the file holds count-min and top, expected hll, theta, fm or a filter
$ ink build hll -o h.ink a.txt; ink build fm -o f.ink a.txt; ink distinct h.ink f.ink
!3 ink: f.ink: the file holds fm, expected hll
$ ink distinct f.ink h.ink
!3 ink: h.ink: the file holds hll, expected fm
$ for k in hll fm bloom classic counting scalable; do ink distinct --kind $k a.txt; done
3
2
3
3
3
3
$ ink distinct --kind bloom -n 1000 -p 0.001 --json a.txt
{"kind":"bloom","estimate":3,"low":2,"high":4,"confidence":0.95}
$ ink distinct --kind fm --width 4 --depth 3 --json a.txt
{"kind":"fm","estimate":4,"low":2,"high":4,"confidence":0.95}
$ ink gen zipf -n 1e4 -o z.txt; ink distinct --json --estimator seed z.txt; ink distinct --json --kind fm z.txt
{"kind":"fm","estimate":12096,"low":3120,"high":12096,"confidence":0.95}
{"kind":"fm","estimate":4038,"low":3120,"high":5226,"confidence":0.95}
$ ink build hll,fm -o z.ink z.txt; ink distinct --json --estimator seed z.ink; ink distinct --json --estimator default z.ink
{"kind":"fm","estimate":12096,"low":3120,"high":12096,"confidence":0.95}
{"kind":"hll","estimate":4114,"low":4049,"high":4181,"confidence":0.95}
$ ink distinct --estimator seed --kind hll z.txt
!2 ink: --estimator seed is for fm, but --kind is hll; see ink help distinct
$ ink distinct --estimator seed h.ink
!3 ink: h.ink: the file holds hll, expected fm
