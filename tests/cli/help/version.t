# The version is printed by version and by --version, and what was chosen for this machine by --tuning.
$ ink version
ink 0.2.0
$ ink --version
ink 0.2.0
$ ink version --json
{"version":"0.2.0"}
$ INK_CPU=scalar ink version --tuning | sed 's/[0-9][0-9]* [KM]iB/SIZE/g; s/, assumed: .*//; s/; from SIZE on 128 .*//; s/[0-9][0-9]* keys/N keys/'
ink 0.2.0
instructions   scalar
caches         SIZE and SIZE of a core
prefetched     sketches from SIZE on, N keys ahead
huge pages     requested by sketches from SIZE on
sorted first   many keys for a filter from SIZE on
threads        fill sketches of their own up to SIZE, then ranges of one
$ INK_CPU=scalar ink version --tuning --json | sed 's/:[0-9][0-9]*/:N/g; s/"far_[a-z_]*":N,//g; s/:false/:true/'
{"version":"0.2.0","instructions":"scalar","l1_bytes":N,"l2_bytes":N,"caches_known":true,"prefetch_from_bytes":N,"prefetch_keys":N,"huge_from_bytes":N,"sort_from_bytes":N,"private_to_bytes":N}
$ INK_CPU=scalar ink version --tuning --tsv | cut -f 1,2
version	instructions
0.2.0	scalar
$ INK_CPU=abacus ink version --tuning 2>&1 | sed 's/expected scalar.*/expected scalar.../'
ink: INK_CPU is "abacus", expected scalar...
$ ink version --tuning --json --tsv
!2 ink: --json and --tsv do not go together; see ink help version
$ ink version 2
!2 ink: 2 after version, expected nothing; see ink help version
$ ink --version build
!2 ink: build after version, expected nothing; see ink help version
$ ink --verson
!2 ink: no option --verson, did you mean --version; see ink help
$ ink -help
!2 ink: no option -help, did you mean --help; see ink help
$ ink --hlep
!2 ink: no option --hlep, did you mean --help; see ink help
