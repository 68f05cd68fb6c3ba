# What is a command and a kind too has help about both.
$ ink help top | grep -e '^usage' -e 'a kind of sketch$'
usage: ink top [FILE...] [options]
top, a kind of sketch
