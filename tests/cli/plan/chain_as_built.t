# A scalable has the size of the plan for its number of keys, for any number of levels.
$ for n in 1 65000 70000 300000; do
>     ink plan scalable -n $n --json | grep -o '"bytes":[0-9]*\|"levels":[0-9]*' | paste -s
>     seq $n | ink build scalable --force -o chain.ink
>     ink info --json chain.ink | grep -o '"bytes":[0-9]*\|"levels":[0-9]*' | paste -s
> done
"bytes":101184	"levels":1
"bytes":101184	"levels":1
"bytes":101184	"levels":1
"bytes":101184	"levels":1
"bytes":333696	"levels":2
"bytes":333696	"levels":2
"bytes":868288	"levels":3
"bytes":868288	"levels":3
$ ink plan scalable -n 300000 -p 1e-4 --json | grep -o '"bytes":[0-9]*\|"levels":[0-9]*' | paste -s
"bytes":1313050	"levels":3
$ seq 300000 | ink build scalable -p 1e-4 --force -o chain.ink; ink info --json chain.ink | grep -o '"bytes":[0-9]*\|"levels":[0-9]*' | paste -s
"bytes":1313050	"levels":3
