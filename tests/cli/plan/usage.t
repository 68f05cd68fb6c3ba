# A wrong command line is an error in one line.
$ ink plan blom
!2 ink: no kind blom, did you mean bloom; see ink help plan
$ ink plan sketch
!2 ink: no kind sketch, expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help plan
$ ink plan bloom,
!2 ink: no kind "", expected bloom, classic, counting, scalable, count-min, top, fm, hll, theta, fuse; see ink help plan
$ ink plan bloom,bloom
!2 ink: kind bloom is given twice; see ink help plan
$ ink plan bloom hll
!2 ink: 2 operands, expected kinds as bloom,hll; see ink help plan
$ ink plan hll -p 0.1
!2 ink: --rate is not for hll; see ink help plan
$ ink plan bloom,hll --eps 0.1
!2 ink: --eps is for none of bloom,hll; see ink help plan
$ ink plan bloom --headroom 4x
!2 ink: plan has no option --headroom; see ink help plan
$ ink plan bloom -n 0
!2 ink: -n 0, expected a whole number from 1 to 2^64 - 1, as 1e6; see ink help plan
$ ink plan bloom -p 1
!2 ink: -p 1, expected a number above 0 and below 1; see ink help plan
$ ink plan --memory 0
!2 ink: --memory 0, expected bytes from 1 to 1024T, as 64M; see ink help plan
$ ink plan --memory 2000T
!2 ink: --memory 2000T, expected bytes from 1 to 1024T, as 64M; see ink help plan
$ ink plan --json --tsv
!2 ink: --json and --tsv do not go together; see ink help plan
