# Memory is fixed: a pipe of 200 MB takes no more than the 64 MiB of the filter and a few chunks.
# Not with sanitizers.
$ cat > peak.py <<'EOF'
> import resource, subprocess
> subprocess.run("seq 24000000 | ink uniq -q --threads 2 > /dev/null", shell=True, check=True)
> peak = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss / 1024
> print("ok" if 66 < peak < 80 else f"{peak} MiB")
> EOF
$ python3 peak.py
ok
