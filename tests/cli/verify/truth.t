# Verify needs the truth, and says when nothing was tested.
$ seq 100 > w; ink build bloom -o w.ink w; ink verify w.ink < /dev/null
!2 ink: verify without --truth, expected --truth FILE (- is standard input); see ink help verify
$ ink verify w.ink --truth w --absent w | tail -n 1
kept: all 100 members found, no key to test that is not a member
$ : > empty; ink verify w.ink --truth empty | tail -n 1 | cut -d, -f1
kept: no members to find
