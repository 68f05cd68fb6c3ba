# A filter that got more keys than -n said is refused, and nothing is written, unless --max-rate allows its rate.
$ seq 1000 > w; ink build bloom -n 10 -o s.ink w
!1 ink: s.ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ echo old > s.ink; ink build bloom -n 10 --force -o s.ink w
!1 ink: s.ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ ink build bloom -n 10 -o - w
!1 ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ ink map bloom -n 10 w | ink reduce bloom -n 10 --force -o s.ink
!1 ink: s.ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ ink map bloom -n 10 --max-rate 1 w | ink reduce bloom -n 10 --max-rate 1 -o r.ink; ink build bloom -n 10 --max-rate 1 -o d.ink w; cmp r.ink d.ink; rm ?.ink; echo old > s.ink
$ ls -A; cat s.ink; rm s.ink
s.ink
w
old
$ for kind in classic counting bloom,hll; do ink build $kind -n 500 -o s.ink w; done
! ink: s.ink: the result would have false-positive rate 0.147672, above the 0.0116975 that is promised, expected --keys 1000, or --max-rate to allow it
! ink: s.ink: the result would have false-positive rate 0.103037, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
!1 ink: s.ink: the result would have false-positive rate 0.103037, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ ink build bloom -n 500 --max-rate 0.1 -o s.ink w
!1 ink: s.ink: the result would have false-positive rate 0.103037, above the 0.1 that is promised, expected --keys 1000, or --max-rate to allow it
$ ink build bloom -n 500 --max-rate 0.2 -o s.ink w && ink info s.ink | tail -n 1
bloom   500  5888       8  736 B     11.78  0.0100     0.200    0.103     1000
$ ink build bloom -n 10 --max-rate 1 --force -o s.ink w
$ ink build bloom -n 500 -p 0.05 --max-rate 0.01 --force -o s.ink w
!2 ink: --max-rate 0.01, expected 0.05, the rate that is planned for, to 1
$ ink build hll --max-rate 0.5 --force -o s.ink w
!2 ink: --max-rate is not for hll; see ink help build
$ (cat w w w) | ink build bloom -n 1000 -o t.ink && ink info --json t.ink | grep -o '"ok":true'
"ok":true
$ ink build scalable -n 10 -o grown.ink w; ink build bloom,classic --bits 256 --hashes 2 -o bits.ink w
$ ink build bloom --bits 256 --max-rate 0.5 -o none.ink w
!1 ink: none.ink: the result would have false-positive rate 1, above the 0.5 that is promised, expected --keys 1000, or --max-rate to allow it
$ seq 1000 | awk '{ print $1 "\t" "group " ($1 % 7 == 0 ? 0 : $1 % 7 < 4 ? $1 % 5 : "of rest of names") }' > g.tsv
$ ink build bloom -n 50 --key 1 --by 2 -o g.ink g.tsv
!1 ink: g.ink: 5 of 6 filters would be above the promised rate 0.01: group of res... (0.958984), group 0 (0.449831), group 4 (0.0278259) and 2 more; expected --keys 429 or none (then each group is sized by its keys), or --max-rate
$ seq 100000 | awk '{ print $1 "\t" $1 % 7 }' > h.tsv; ink build bloom -n 50 --in tsv --key 1 --by 2 -o g.ink < h.tsv
!1 ink: g.ink: 7 of 7 filters would be above the promised rate 0.01: 0 (1), 1 (1), 2 (1) and 4 more; expected --keys 14286 or none (then each group is sized by its keys), or --max-rate
$ ink build bloom --key 1 --by 2 -o g.ink g.tsv && ink info g.ink | grep -c above
0
? 1
$ seq inf | sed 's/$/\tg/' | timeout 50 ink build bloom -n 100 --in tsv --key 1 --by 2 -o e.ink
!1 ink: e.ink: reading stopped: filters would be above the promised rate 0.01: g ([...]); expected --keys above [...] or none (then each group is sized by its keys), or --max-rate
$ seq 1000 | ink stream --train - --state d --sketch bloom:n=10 2> /dev/null; ink info d/state.ink | tail -n 1
bloom    10   256       8  32 B     25.60  0.0100    0.0100     1.00     1000  above promise
