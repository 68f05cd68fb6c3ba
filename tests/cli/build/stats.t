# --stats says what the threads did: every phase and every second of CPU time is in it, and the file is the same.
$ ink gen u64 -n 2e5 > keys; cat > look.py << 'EOF'
> import json, sys
> for line in sys.stdin:
>     all = json.loads(line)
>     phases = all["phases"]
>     summed = sum(phase["cpu_seconds"] for phase in phases)
>     serial = sum(phase["cpu_seconds"] for phase in phases if "tasks" not in phase)
>     assert abs(all["cpu_seconds"] - all["other_seconds"] - summed) < 1e-6, all
>     assert abs(all["serial_seconds"] - serial) < 1e-6 and phases[-1]["name"] == "serial", all
>     assert 1e6 < all["peak_bytes"] < 1e10 and all["threads"] == max(phase.get("workers", 1) for phase in phases), all
>     assert sum(phase["wall_seconds"] for phase in phases) < all["wall_seconds"] + 1e-6 < 120, all
>     for phase in phases:
>         if "list" in phase:
>             assert len(phase["list"]) == phase["tasks"], phase
>             parts = sum(task["exclusive"] + task["parallel"] + task["ordered"] for task in phase["list"]) + sum(phase["once"])
>             assert abs(parts / 1e9 - phase["cpu_seconds"]) < 1e-6, phase
>     names = {phase["name"] for phase in phases}
>     print(all["command"], *sorted(names & {"reading", "saving"}), sum(phase.get("bytes", 0) for phase in phases))
> EOF
$ ink build bloom -o plain.ink keys; for n in 1 2 5 64; do ink build bloom -o $n.ink keys --threads $n --stats=tasks -q 2>&1 | python3 look.py; cmp plain.ink $n.ink; done
build reading saving 4079579
build reading saving 4079579
build reading saving 4079579
build reading saving 4079579
$ for word in distinct 'top -k 1' 'uniq -q' 'filter -c plain.ink' 'verify plain.ink --truth'; do ink $word keys --stats=tasks 2>&1 > /dev/null | grep '^{' | python3 look.py; done
distinct reading 4079579
top reading 4079579
uniq reading 4079579
filter reading 4079579
verify reading 4079579
$ ink merge -o merged.ink 1.ink 2.ink --stats -q 2>&1 | python3 look.py
merge saving 0
$ ink distinct none --stats 2>&1 | grep -o -e '^ink:.*' -e '"threads":[0-9]*'
ink: none: cannot open: No such file or directory
"threads":1
$ ink distinct keys --stats=all
!2 ink: --stats all, expected tasks; see ink help distinct
