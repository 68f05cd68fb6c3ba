# What a budget leads to fits, and the next rate of three digits, or one more key, does not.
$ ink plan bloom -n 1e5 --memory 100K --json | grep -o '"rate":[^,]*,"bytes":[0-9]*'
"rate":0.0308,"bytes":102400
$ ink plan bloom -n 1e5 -p 0.0308 --json | grep -o '"bytes":[0-9]*'
"bytes":102400
$ ink plan bloom -n 1e5 -p 0.0307 --json | grep -o '"bytes":[0-9]*'
"bytes":102656
$ ink plan bloom --memory 100K --json | grep -o '"keys":[0-9]*\|"bytes":[0-9]*' | paste -s
"keys":77296	"bytes":102400
$ ink plan bloom -n 77296 --json | grep -o '"bytes":[0-9]*'
"bytes":102400
$ ink plan bloom -n 77297 --json | grep -o '"bytes":[0-9]*'
"bytes":102656
$ ink plan scalable --memory 1M --json | grep -o '"keys":[0-9]*\|"bytes":[0-9]*' | paste -s
"keys":458752	"bytes":868288
$ ink plan scalable -n 458753 --json | grep -o '"bytes":[0-9]*'
"bytes":2088960
$ ink plan scalable -n 1e6 --memory 4M --json | grep -o '"rate":[^,]*,"bytes":[0-9]*'
"rate":0.0216,"bytes":4190528
$ ink plan scalable -n 1e6 -p 0.0215 --json | grep -o '"bytes":[0-9]*'
"bytes":4199744
