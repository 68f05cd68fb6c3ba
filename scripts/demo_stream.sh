#!/usr/bin/env bash
# What `make demo-stream` shows, with the command ink on the PATH: a training stream and a question stream, as a published
# system has them, killed in between; questions while data arrive on a socket; the last hour of a log. All figures are
# computed here.
#   demo_stream.sh FOLDER    an empty folder to work in
set -eu
cd "$1"

say() {
    printf '\n%s\n' "$1"
}

# Shows a command, and runs it.
run() {
    printf '  $ %s\n' "$1"
    bash -c "$1" 2>&1 | sed 's/^/  /'
}

# Waits until a command succeeds, for ten seconds.
wait_for() {
    for _ in $(seq 200); do
        if "$@" 2>/dev/null; then return 0; fi
        sleep 0.05
    done
    echo "demo: $* does not succeed" >&2
    return 1
}

say 'Two streams: 1,000,000 IPv4 keys to learn, and 200,000 questions, of which half were never learnt'
ink gen ip -n 1100000 --seed 1 -o all.txt
head -n 1000000 all.txt >train.txt
{ head -n 100000 train.txt && tail -n 100000 all.txt; } >questions.txt
run 'ink stream --train train.txt --ask questions.txt --seen --sketch bloom -n 1e6 -p 0.01 --every 50000 --state seen > yes.txt'
awk 'FNR == 1 { file++ }
    file == 1 { learnt[$1]; next }
    file == 2 { if ($1 in learnt) members++; else non-members++; next }
    { if ($1 in learnt) found++; else wrong++ }
    END {
        printf "  found: %d of %d that were learnt\n", found, members
        printf "  false positives: %d of %d others, a rate of %.4f (0.01 was promised)\n", wrong, non-members, wrong / non-members
    }' train.txt questions.txt yes.txt

say 'The same, killed twice on the way: what was saved stays, and it goes on from there'
how='ink stream --train train.txt --sketch bloom -n 1e6 -p 0.01 --every 5000 --state killed'
records() {
    { ink info --json killed/state.ink 2>/dev/null || echo '"records":0'; } | sed 's/.*"records":\([0-9]*\).*/\1/'
}
for least in 100000 400000; do
    $how -q &
    stream=$!
    while [ "$(records)" -lt $least ]; do sleep 0.01; done
    kill -9 $stream 2>/dev/null || true
    wait $stream 2>/dev/null || true
    echo "  killed; killed/state.ink holds $(records) records"
done
run "$how"
ink build bloom -n 1e6 -p 0.01 -o built.ink train.txt
echo "  ink stream: $(ink info --digest killed/state.ink)"
echo "  ink build:  $(ink info --digest built.ink)"

say 'How often, while data arrive on a socket: Count-Min and HyperLogLog over words'
ink gen zipf -n 1000000 -o words.txt
ink stream --train unix:"$PWD"/train.sock --ask unix:"$PWD"/ask.sock --sketch count-min --sketch hll --sketch top:k=100 \
    --every 200ms --state words 2>words.log &
stream=$!
trap 'kill $stream 2>/dev/null || true' EXIT
wait_for test -S ask.sock
word=$(sort words.txt | uniq -c | sort -rn | awk 'NR == 1 { print $2 }')
python3 - "$word" <<'PYTHON'
import socket
import sys
import time


def connect(path):
    made = socket.socket(socket.AF_UNIX)
    made.connect(path)
    return made


client = connect("ask.sock").makefile("rw", encoding="utf-8")
data = open("words.txt", "rb").read()
sender = connect("train.sock")
ends = [data.index(b"\n", len(data) * part // 4 - 2) + 1 for part in range(1, 5)]
for begin, end in zip([0, *ends], ends):
    sender.sendall(data[begin:end])
    time.sleep(0.6)
    exact = data[:end].split(b"\n")[:-1]
    for question in (f"COUNT {sys.argv[1]}", "DISTINCT"):
        client.write(f"{question}\n")
        client.flush()
        fields = client.readline().rstrip("\n").split("\t")
        truth = exact.count(sys.argv[1].encode()) if question != "DISTINCT" else len(set(exact))
        print(f"  after {len(exact):7} words  {question:12} {fields[1]:>7}, between {fields[2]} and {fields[3]}, exactly {truth}")
client.write("TOP 3\n")
client.flush()
print("  " + client.readline().rstrip("\n").expandtabs(1))
PYTHON
kill -TERM $stream
wait $stream 2>/dev/null || true
trap - EXIT

say 'The last hour of an access log, by the times in it: its clients, and who came most often'
ink gen log -n 300000 -o access.log
run 'ink stream --train access.log --fields --key 2 --time 5 --sketch hll --sketch top:k=100 --window 1h --slots 12 --state hour'
end=$(tail -n 1 access.log | awk '{ print substr($5, 2) }')
seconds=$(date -u -d "$(echo "$end" | sed 's|/| |g; s|:| |')" +%s)
from=$(LC_ALL=C date -u -d "@$(((seconds / 300 - 11) * 300))" +%d/%b/%Y:%H:%M:%S)
awk -v from="[$from" '$5 >= from { print $2 }' access.log >hour.txt
echo "  The log ends at $end, its last twelve slots begin at $from; exactly $(wc -l <hour.txt) records of $(
    sort -u hour.txt | wc -l) clients:"
sort hour.txt | uniq -c | sort -rn | awk 'NR <= 3 { printf "  %s %s,", $1, $2 } END { print "" }'
run 'ink distinct --json hour/state.ink'
run 'ink top -k 3 hour/state.ink'
