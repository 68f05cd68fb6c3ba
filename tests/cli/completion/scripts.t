# What the scripts for zsh and fish are made of; the texts of options are in help/texts.t.
$ ink completion zsh | sed -n '1,2s/ink [0-9.]* /ink /p; /^_ink_build() {/,/^}/p; /^_ink_gen() {/,/^}/p' | sed 's/\[[^]]*\]/[]/'
\# Completes the words of ink in zsh; printed by: ink completion zsh
_ink_build() {
    _values -s , 'KIND[] -o SKETCHES [FILE...] | --as NAME -o FILE [FILE...]' \
        'bloom[]' \
        'classic[]' \
        'counting[]' \
        'scalable[]' \
        'count-min[]' \
        'top[]' \
        'fm[]' \
        'hll[]' \
        'theta[]' \
        'fuse[]' \
        && return
}
_ink_gen() {
    _values 'KIND [] [--seed S] [-o FILE]' \
        'ip[]' \
        'names[]' \
        'imdb[]' \
        'zipf[]' \
        'u64[]' \
        'log[]' \
        && return
}
$ ink completion zsh | sed -n '/^_ink() {/,/case $words/p'; ink completion zsh | sed -n '/^    esac/,$p'
_ink() {
    local context state state_descr line ret=1
    typeset -A opt_args
    local -a commands
    commands=(
        'plan:sizes and errors before any data is read'
        'build:records in, sketches out'
        'add:add records to a sketch file'
        'remove:remove keys from counting filters'
        'filter:print the records whose key may be in the set'
        'count:how often keys were seen'
        'top:the most frequent keys'
        'distinct:how many different keys'
        'uniq:print the first record of each key'
        'dedup:copy a corpus without texts that repeat'
        'dot:the size of a join'
        'overlap:what two or more sets have in common'
        'info:what a sketch file contains'
        'verify:measure rates and errors against the true data'
        'merge:several sketch files into one'
        'fold:shrink filters that are larger than needed'
        'convert:sketches of other systems from and to files of ours'
        'stream:train and ask at the same time'
        'map:records in, pieces for ink reduce out'
        'reduce:pieces of ink map in, sketches out'
        'gen:generate test data'
        'lab:published experiments, run again, as one page'
        'completion:a completion script for a shell'
        'help:this list, or help on a command or a kind of sketch'
        'version:the version of the library that runs'
    )
    _arguments -C \
        '(- *)'{-h,--help}'[the list of commands]' \
        '(- *)--version[the version]' \
        '1: :->command' '*:: :->argument' && ret=0
    if [[ $state == command ]]; then
        _describe -t commands 'command of ink' commands && ret=0
        return ret
    fi
    [[ $state == argument ]] || return ret
    case $words[1] in
    esac
    return ret
}

if [[ $funcstack[1] == _ink ]]; then
    _ink "$@"
else
    compdef _ink ink
fi
$ ink completion zsh | sed -n '/^    filter)/,/;;/p; /^    gen)/,/;;/p; /^    version)/,/;;/p' | sed 's/\[[^]]*\]/[]/; s/:([a-z0-9 -]*)/:(...)/'
    filter)
        _arguments -s -S : \
            '(-v --invert)-v[]' \
            '(-v --invert)--invert[]' \
            '(-c --count)-c[]' \
            '(-c --count)--count[]' \
            '*-e+[]:KEY: ' \
            '--kind=[]:KIND:(...)' \
            '--groups=[]:PATTERN: ' \
            '--no-groups[]' \
            '--group-column=[]:NAME: ' \
            '--last=[]:W: ' \
            '--from=[]:NAME:(...)' \
            '--funnel=[]:NAME:(...)' \
            '--hash=[]:NAME:(...)' \
            '--bits=[]:M: ' \
            '--hashes=[]:K: ' \
            '--in=[]:FORM:(...)' \
            '(-d --delimiter)-d+[]:C: ' \
            '(-d --delimiter)--delimiter=[]:C: ' \
            '--fields[]' \
            '--header[]' \
            '--key=[]:COL[,COL]: ' \
            '--key-type=[]:TYPE:(...)' \
            '--bad=[]:WHAT:(...)' \
            '--csv-multiline[]' \
            '--by=-[]::COL: ' \
            '--round=[]:HOW:(...)' \
            '--secret=[]:FILE:_files' \
            '--threads=[]:N: ' \
            '(-o --output)-o+[]:FILE:_files' \
            '(-o --output)--output=[]:FILE:_files' \
            '--force[]' \
            '--no-progress[]' \
            '--stats=-[]::WHAT:(...)' \
            '(-q --quiet)-q[]' \
            '(-q --quiet)--quiet[]' \
            '--json[]' \
            '--tsv[]' \
            '(- *)-h[]' \
            '(- *)--help[]' \
            '1:sketches:_files -g "*.ink"' \
            '*:file:_files' \
            && return
        ;;
    gen)
        _arguments -s -S : \
            '(-n --keys)-n+[]:N: ' \
            '(-n --keys)--keys=[]:N: ' \
            '--seed=[]:N: ' \
            '--skew=[]:S: ' \
            '--sample=[]:M: ' \
            '--sample-out=[]:FILE:_files' \
            '(-o --output)-o+[]:FILE:_files' \
            '(-o --output)--output=[]:FILE:_files' \
            '--force[]' \
            '--threads=[]:N: ' \
            '--no-progress[]' \
            '--stats=-[]::WHAT:(...)' \
            '(-q --quiet)-q[]' \
            '(-q --quiet)--quiet[]' \
            '(- *)-h[]' \
            '(- *)--help[]' \
            '1: :_ink_gen' \
            && return
        ;;
    version)
        _arguments -s -S : \
            '--tuning[]' \
            '--json[]' \
            '--tsv[]' \
            '(- *)-h[]' \
            '(- *)--help[]' \
            && return
        ;;
$ ink completion fish | sed -n '3,/^complete -c ink -f/p'; ink completion fish | sed -n "/^complete/{/__ink_is [a-z]*' -[sl] /d;p}; /^set -g/p; /^function __ink_words_gen/,/^end/p"
function __ink_is
    set -l words (commandline -opc)
    set -q words[2]; and contains -- $words[2] $argv
end

function __ink_any
    set -l words (commandline -opc)
    set -q words[2]
end

function __ink_operands
    set -l words (commandline -opc)
    set -l count 0
    set -l valued __ink_valued_$words[2]
    set -l before
    for word in $words[3..-1]
        if test "$before" = value
            set before
        else if test "$before" = end
            set count (math $count + 1)
        else if test "$word" = --
            set before end
        else if contains -- $word $$valued
            set before value
        else if not string match -q -- '-?*' $word
            set count (math $count + 1)
        end
    end
    echo $count
end

function __ink_first
    __ink_is $argv; and test (__ink_operands) = 0
end

function __ink_later
    __ink_is $argv; and test (__ink_operands) != 0
end

complete -c ink -f
complete -c ink -f
complete -c ink -n 'not __ink_any' -s h -l help -d 'the list of commands'
complete -c ink -n 'not __ink_any' -l version -d 'the version'
complete -c ink -n 'not __ink_any' -a plan -d 'sizes and errors before any data is read'
set -g __ink_valued_plan -n --keys -p --rate --eps --delta --phi --precision --bits --hashes --width --depth --counters -k --top --memory --ngrams --bytes --near --text --in --threads
complete -c ink -n '__ink_first plan' -a '(__fish_complete_list , __ink_words_plan)'
complete -c ink -n '__ink_later plan' -F
complete -c ink -n 'not __ink_any' -a build -d 'records in, sketches out'
set -g __ink_valued_build --in -d --delimiter --key --key-type --bad --weight --by --round --hash --seed --secret -n --keys -p --rate --eps --delta --phi --precision --bits --hashes --width --depth --counters -k --top --headroom --max-rate --as --funnel --memory --threads -o --output --temp
complete -c ink -n '__ink_first build' -a '(__fish_complete_list , __ink_words_build)'
complete -c ink -n '__ink_later build' -F
complete -c ink -n 'not __ink_any' -a add -d 'add records to a sketch file'
set -g __ink_valued_add -e --in -d --delimiter --key --key-type --bad --weight --by --round --secret --max-rate --memory --threads
complete -c ink -n '__ink_first add' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later add' -F
complete -c ink -n 'not __ink_any' -a remove -d 'remove keys from counting filters'
set -g __ink_valued_remove -e --in -d --delimiter --key --key-type --bad --weight --by --round --secret --threads
complete -c ink -n '__ink_first remove' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later remove' -F
complete -c ink -n 'not __ink_any' -a filter -d 'print the records whose key may be in the set'
set -g __ink_valued_filter -e --kind --groups --group-column --last --from --funnel --hash --bits --hashes --in -d --delimiter --key --key-type --bad --round --secret --threads -o --output
complete -c ink -n '__ink_first filter' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later filter' -F
complete -c ink -n 'not __ink_any' -a count -d 'how often keys were seen'
set -g __ink_valued_count --keys-from -e --kind --groups --last --from --funnel --in -d --delimiter --key --key-type --bad --weight --by --round --hash --seed --secret --eps --delta --phi --width --depth --counters -k --top --memory --threads
complete -c ink -n '__ink_first count' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later count' -F
complete -c ink -n 'not __ink_any' -a top -d 'the most frequent keys'
set -g __ink_valued_top --groups --last --in -d --delimiter --key --key-type --bad --weight --by --round --hash --seed --secret --phi -k --top --memory --threads
complete -c ink -n '__ink_is top' -F
complete -c ink -n 'not __ink_any' -a distinct -d 'how many different keys'
set -g __ink_valued_distinct --kind --groups --last --confidence --estimator --from --funnel --in -d --delimiter --key --key-type --bad --by --round --hash --seed --secret -n --keys -p --rate --precision --bits --hashes --width --depth --headroom --memory --threads --temp
complete -c ink -n '__ink_is distinct' -F
complete -c ink -n 'not __ink_any' -a uniq -d 'print the first record of each key'
set -g __ink_valued_uniq --in -d --delimiter --key --key-type --bad --seed --secret -n --keys -p --rate --memory --threads -o --output
complete -c ink -n '__ink_is uniq' -F
complete -c ink -n 'not __ink_any' -a dedup -d 'copy a corpus without texts that repeat'
set -g __ink_valued_dedup --ngrams --bytes --overlap --near --seen --against --explain --id --text --in --bad -n --keys -p --rate --max-rate --memory --every --threads -o --output
complete -c ink -n '__ink_is dedup' -F
complete -c ink -n 'not __ink_any' -a dot -d 'the size of a join'
set -g __ink_valued_dot --groups --last --from --funnel --in -d --delimiter --key --key-type --bad --weight --by --round --hash --seed --secret --eps --delta --width --depth --counters --memory --threads
complete -c ink -n '__ink_is dot' -F
complete -c ink -n 'not __ink_any' -a overlap -d 'what two or more sets have in common'
set -g __ink_valued_overlap --kind --groups --last --confidence --from --funnel --in -d --delimiter --key --key-type --bad --by --round --hash --seed --secret --precision --memory --threads
complete -c ink -n '__ink_is overlap' -F
complete -c ink -n 'not __ink_any' -a info -d 'what a sketch file contains'
set -g __ink_valued_info --groups --from --funnel --hash --bits --hashes --precision --key --key-type
complete -c ink -n '__ink_first info' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later info' -F
complete -c ink -n 'not __ink_any' -a verify -d 'measure rates and errors against the true data'
set -g __ink_valued_verify --truth --absent --from --funnel --hash --bits --hashes --precision --in -d --delimiter --key --key-type --bad --weight --by --round --secret --memory --threads --temp
complete -c ink -n '__ink_first verify' -a '(__fish_complete_suffix .ink)'
complete -c ink -n '__ink_later verify' -F
complete -c ink -n 'not __ink_any' -a merge -d 'several sketch files into one'
set -g __ink_valued_merge --from --funnel --hash --bits --hashes --precision --key --key-type --max-rate --threads -o --output
complete -c ink -n '__ink_is merge' -F
complete -c ink -n 'not __ink_any' -a fold -d 'shrink filters that are larger than needed'
set -g __ink_valued_fold -p --rate --threads -o --output
complete -c ink -n '__ink_is fold' -F
complete -c ink -n 'not __ink_any' -a convert -d 'sketches of other systems from and to files of ours'
set -g __ink_valued_convert --from --funnel --hash --bits --hashes --precision --key --key-type --to --threads
complete -c ink -n '__ink_is convert' -F
complete -c ink -n 'not __ink_any' -a stream -d 'train and ask at the same time'
set -g __ink_valued_stream --train --ask --sketch --state --every --checkpoint --window --slots --http --in -d --delimiter --key --key-type --bad --weight --time --time-unit --hash --seed --secret -n --keys -p --rate --eps --delta --phi --precision --bits --hashes --width --depth --counters -k --top
complete -c ink -n 'not __ink_any' -a map -d 'records in, pieces for ink reduce out'
set -g __ink_valued_map --bytes --tasks --verify --filter --kind --groups --group-column --last --buckets --in -d --delimiter --key --key-type --bad --header-line --weight --by --round --hash --seed --secret -n --keys -p --rate --eps --delta --phi --precision --bits --hashes --width --depth --counters -k --top --headroom --max-rate --memory --threads --temp
complete -c ink -n '__ink_first map' -a '(__fish_complete_list , __ink_words_map)'
complete -c ink -n '__ink_later map' -F
complete -c ink -n 'not __ink_any' -a reduce -d 'pieces of ink map in, sketches out'
set -g __ink_valued_reduce --verify --buckets --bucket --in -d --delimiter --key --key-type --bad --header-line --weight --by --round --hash --seed --secret -n --keys -p --rate --eps --delta --phi --precision --bits --hashes --width --depth --counters -k --top --headroom --max-rate --memory --threads -o --output --temp
complete -c ink -n '__ink_first reduce' -a '(__fish_complete_list , __ink_words_reduce)'
complete -c ink -n '__ink_later reduce' -F
complete -c ink -n 'not __ink_any' -a gen -d 'generate test data'
set -g __ink_valued_gen -n --keys --seed --skew --sample --sample-out -o --output --threads
function __ink_words_gen
    echo ip\t'random IPv4 addresses without dots, as 147056003121'
    echo names\t'pronounceable strings of 30 letters'
    echo imdb\t'a table like IMDb\'s of 2022: as many titles with each rating'
    echo zipf\t'words of a vocabulary of 10 million, ever rarer by their rank'
    echo u64\t'random integers of 64 bits, in decimal'
    echo log\t'an access log: host, client, time, request, status, bytes'
end
complete -c ink -n '__ink_first gen' -a '(__ink_words_gen)'
complete -c ink -n 'not __ink_any' -a lab -d 'published experiments, run again, as one page'
set -g __ink_valued_lab --only --spark --hadoop --threads -o --output
complete -c ink -n '__ink_first lab' -a '(__ink_words_lab)'
complete -c ink -n 'not __ink_any' -a completion -d 'a completion script for a shell'
set -g __ink_valued_completion
complete -c ink -n '__ink_first completion' -a '(__ink_words_completion)'
complete -c ink -n 'not __ink_any' -a help -d 'this list, or help on a command or a kind of sketch'
set -g __ink_valued_help
complete -c ink -n '__ink_first help' -a '(__ink_words_help)'
complete -c ink -n 'not __ink_any' -a version -d 'the version of the library that runs'
set -g __ink_valued_version
