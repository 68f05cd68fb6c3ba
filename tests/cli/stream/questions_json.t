# With --json answers are objects, of the shapes that other commands print; what is wrong is a line of text.
$ printf 'bee\nant\nbee\ncat\n' > keys.txt
$ printf 'bee\ndog\n\nCOUNT bee\nTOP 2\nDISTINCT\nINFO\nTOP x\n' > q.txt
$ ink stream -q --train keys.txt --sketch bloom:n=100 --sketch top --state d --ask q.txt --json
{"kind":"bloom","key":"bee","seen":true,"rate":5.456968210637569e-13}
{"kind":"bloom","key":"dog","seen":false}
{"kind":"bloom","key":"","seen":false}
{"kind":"top","key":"bee","estimate":2,"low":2,"high":2,"confidence":1}
{"question":"TOP 2","answers":[{"kind":"top","key":"bee","estimate":2,"low":2,"high":2,"confidence":1,"share":0.5},{"kind":"top","key":"ant","estimate":1,"low":1,"high":1,"confidence":1,"share":0.25}]}
{"kind":"bloom","estimate":3,"low":2,"high":4,"confidence":0.95}
{"batches":1,"records":4,"bad":0,"late":0,"cut":0,"saved_batches":1,"saved_records":4,"questions":6,"train_connections":0,"ask_connections":0,"ended":true,"seconds":[...],"sketches":[{"kind":"bloom","keys":100,"bits":1280,"hashes":8,"bytes":160,"bits_per_key":12.8,"target_rate":0.01,"promised_rate":0.01,"current_rate":5.456968210637569e-13,"records":4,"ok":true},{"kind":"top","bytes":105,"records":4,"total":4,"capacity":1024,"phi":0.0009765625}]}
ERR TOP x, expected a whole number from 1 to 10000, or ? before a key
$ ink stream -q --train keys.txt --sketch bloom:n=100 --sketch top --state d --ask q.txt --json | sed -n '4p' > count.json; ink count --json -e bee d/state.ink | cmp - count.json
$ printf '\303\251\n\377\n"\\\n' > odd.txt; printf '\303\251\n\377\n"\\\n' | ink stream -q --train odd.txt --sketch bloom:n=100 --state odd --ask - --json
{"kind":"bloom","key":"é","seen":true,"rate":4.674802767112851e-11}
{"kind":"bloom","key_hex":"ff","seen":true,"rate":4.674802767112851e-11}
{"kind":"bloom","key":"\"\\","seen":true,"rate":4.674802767112851e-11}
$ printf '\357\273\277{"key_hex":"e9"}\n{"key":"é"}\n' > hex.jsonl; printf '\351\n\303\251\nTOP 3\n' | ink stream -q --train hex.jsonl --key key --sketch top --state hex --ask - --json
{"kind":"top","key_hex":"e9","estimate":1,"low":1,"high":1,"confidence":1}
{"kind":"top","key":"é","estimate":1,"low":1,"high":1,"confidence":1}
{"question":"TOP 3","answers":[{"kind":"top","key":"é","estimate":1,"low":1,"high":1,"confidence":1,"share":0.5},{"kind":"top","key_hex":"e9","estimate":1,"low":1,"high":1,"confidence":1,"share":0.5}]}
