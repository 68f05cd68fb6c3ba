# A script is printed for a shell that is known.
$ ink completion
!2 ink: 0 shells, expected one: bash, fish or zsh; see ink help completion
$ ink completion bsh
!2 ink: no shell bsh, did you mean bash; see ink help completion
$ ink completion tcsh
!2 ink: no shell tcsh, expected bash, fish or zsh; see ink help completion
$ ink completion bash fish
!2 ink: 2 shells, expected one: bash, fish or zsh; see ink help completion
$ ink completion bash --force
!2 ink: completion has no option --force; see ink help completion
$ ink completion bash | head -n 1
\# Completes the words of ink 0.2.0 in bash; printed by: ink completion bash
$ ink completion zsh | head -n 2
#compdef ink
\# Completes the words of ink 0.2.0 in zsh; printed by: ink completion zsh
$ ink completion fish | head -n 1
\# Completes the words of ink 0.2.0 in fish; printed by: ink completion fish
