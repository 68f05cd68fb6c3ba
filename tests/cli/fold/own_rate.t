# Without -p every filter is folded to the rate that it was made for; what is full or cannot be folded stays, and a size by hand has no rate.
$ seq 1000 > w; ink build bloom,hll --bits 1048576 -n 80000 -o big.ink w; ink fold -o small.ink big.ink && ink info --tsv small.ink | cut -f 1,5,9-11
kind	bits	target_rate	promised_rate	current_rate
bloom	16384		0.0036729090820773313	0.0010472129397669505
hll				
$ ink build bloom -o full.ink w; ink fold -o same.ink full.ink && cmp full.ink same.ink
$ ink build bloom --bits 4096 -o bits.ink w; ink fold -o x.ink bits.ink
!2 ink: bits.ink: a filter of a given size has no target rate, expected a rate (--rate)
