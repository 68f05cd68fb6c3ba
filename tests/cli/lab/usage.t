# Wrong options are reported before anything is run.
$ ink lab everything
!2 ink: everything beside options, expected none, or --only ID; see ink help lab
$ ink lab --only 999
!2 ink: experiment "999", expected one of 000, 001, 002, 003, 004; see ink help lab
$ ink lab -o -
!2 ink: -o -, expected a file: JSON goes beside it; see ink help lab
$ touch page.html && ink lab --quick --only 000 -o page.html
!2 ink: page.html: already exists; use --force to replace it; see ink help lab
$ rm page.html; touch page.json && ink lab --quick --only 000 -o page.html; echo $?; ls
2
page.json
! ink: page.json: already exists; use --force to replace it; see ink help lab
$ ink lab --quick --only 000 -o nowhere/page.html
!4 ink: nowhere/page.html: its folder: No such file or directory
$ touch .html.json; ink lab --quick --only 000 -o .html; echo $?; ls -A; rm .html.json
2
.html.json
page.json
! ink: .html.json: already exists; use --force to replace it; see ink help lab
$ rm page.json; TMPDIR=nowhere ink lab --quick --only 001 -o page.html
!4 ink: nowhere/ink-lab.[...]: No such file or directory
