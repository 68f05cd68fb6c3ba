"""Every command's answers and error texts, in RESP2 and RESP3: one table for each family."""
import re
import shlex

import pytest
from resp import Wire

# A line is a command, ->, and its answer; after | the one of RESP3, if that is another. A blank line forgets all keys.
TABLE = r"""
BF.RESERVE f 0.01 1000 -> +OK
BF.RESERVE f 0.01 1000 -> -ERR item exists
BF.RESERVE g x 1000 -> -ERR bad error rate
BF.RESERVE g 0 1000 -> -ERR (0 < error rate range < 1) 
BF.RESERVE g 1 1000 -> -ERR (0 < error rate range < 1) 
BF.RESERVE g 0.1 x -> -ERR bad capacity
BF.RESERVE g 0.1 0 -> -ERR (capacity should be larger than 0)
BF.RESERVE g 0.1 10 EXPANSION x -> -ERR bad expansion
BF.RESERVE g 0.1 10 EXPANSION 0 -> -ERR bad expansion
BF.RESERVE g 0.1 10 EXPANSION 4294967296 -> -ERR bad expansion
BF.RESERVE g 0.1 10 EXPANSION -> -ERR wrong number of arguments for 'bf.reserve' command
BF.RESERVE g -0.1 10 -> -ERR (0 < error rate range < 1) 
BF.RESERVE g ' 0.1' 10 -> -ERR bad error rate
BF.RESERVE g '0.1 ' 10 -> -ERR bad error rate
BF.RESERVE g inf 10 -> -ERR bad error rate
BF.RESERVE g nan 10 -> -ERR bad error rate
BF.RESERVE g '' 10 -> -ERR bad error rate
BF.RESERVE g 0.1 -1 -> -ERR (capacity should be larger than 0)
BF.RESERVE g 0.1 10 EXPANSION 2 NONSCALING -> -Nonscaling filters cannot expand
BF.RESERVE g 0.1 10 SOMETHING -> -ERR wrong number of arguments for 'bf.reserve' command
BF.RESERVE g 0.1 -> -ERR wrong number of arguments for 'bf.reserve' command
BF.ADD f x -> :1 | #t
BF.ADD f x -> :0 | #f
BF.ADD f -> -ERR wrong number of arguments for 'bf.add' command
BF.MADD f x y z -> [:0 :1 :1] | [#f #t #t]
BF.EXISTS f x -> :1 | #t
BF.EXISTS f nothing -> :0 | #f
BF.EXISTS missing x -> :0 | #f
BF.MEXISTS f x nothing -> [:1 :0] | [#t #f]
BF.MEXISTS missing x y -> [:0 :0] | [#f #f]
BF.CARD f -> :3
BF.CARD missing -> :0
BF.INFO f -> [+Capacity :1000 +Size :* +Number of filters :1 +Number of items inserted :3 +Expansion rate :2] | {+Capacity :1000 +Size :* +Number of filters :1 +Number of items inserted :3 +Expansion rate :2}
BF.INFO f CAPACITY -> [:1000] | {+Capacity :1000}
BF.INFO f SIZE -> [:*] | {+Size :*}
BF.INFO f FILTERS -> [:1] | {+Number of filters :1}
BF.INFO f ITEMS ITEMS -> -ERR wrong number of arguments for 'bf.info' command
BF.INFO f items -> [:3] | {+Number of items inserted :3}
BF.INFO f EXPANSION -> [:2] | {+Expansion rate :2}
BF.INFO f SOMETHING -> -ERR Invalid information value
BF.INFO missing -> -ERR not found
BF.INSERT f ITEMS x new -> [:0 :1] | [#f #t]
BF.INSERT h CAPACITY 10 ERROR 0.1 EXPANSION 4 ITEMS x -> [:1] | [#t]
BF.INFO h EXPANSION -> [:4] | {+Expansion rate :4}
BF.INSERT missing NOCREATE ITEMS x -> -ERR not found
BF.INSERT f SOMETHING 1 ITEMS x -> -Unknown argument received
BF.INSERT f NOCREATE ITEMS -> -ERR wrong number of arguments for 'bf.insert' command
BF.INSERT f CAPACITY x ITEMS x -> -ERR bad capacity
BF.INSERT f CAPACITY 0 ITEMS x -> -ERR (capacity should be larger than 0)
BF.INSERT f ERROR 1 ITEMS x -> -ERR (0 < error rate range < 1) 
BF.INSERT f EXPANSION 0 ITEMS x -> -ERR bad expansion
BF.INSERT n NONSCALING EXPANSION 2 ITEMS x -> -Nonscaling filters cannot expand
BF.INSERT f NOCREATE ERROR -> -ERR wrong number of arguments for 'bf.insert' command
BF.ADD auto x -> :1 | #t
BF.INFO auto -> [+Capacity :100 +Size :* +Number of filters :1 +Number of items inserted :1 +Expansion rate :2] | {*}
INK.INFO auto -> ${"kind":"scalable","keys":4096,*"target_rate":0.01,*}
BF.INSERT fixed CAPACITY 5000 ERROR 0.0001 NONSCALING ITEMS x -> [:1] | [#t]
INK.INFO fixed -> ${"kind":"bloom","keys":5000,*}
BF.INSERT strict CAPACITY 50 ERROR 0.00009 NONSCALING ITEMS x -> [:1] | [#t]
INK.INFO strict -> ${"kind":"classic","keys":50,*}
INK.INFO h -> ${"kind":"scalable","keys":4096,*"target_rate":0.1,*}
SET s text -> +OK
BF.ADD s x -> -WRONGTYPE Operation against a key holding the wrong kind of value
BF.EXISTS s x -> -WRONGTYPE Operation against a key holding the wrong kind of value
BF.CARD s -> -WRONGTYPE Operation against a key holding the wrong kind of value
BF.RESERVE s 0.1 10 -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.ADD s x -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.GET s -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.SET s x -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.MERGE f s -> -WRONGTYPE Operation against a key holding the wrong kind of value
CF.ADD f x -> -WRONGTYPE Operation against a key holding the wrong kind of value
TOPK.QUERY f x -> -WRONGTYPE Operation against a key holding the wrong kind of value
TYPE f -> +inksketch
BF.SCANDUMP missing 0 -> -ERR not found
BF.SCANDUMP f x -> -ERR Second argument must be numeric
BF.SCANDUMP f 99999999 -> -ERR the filter has changed since the scan began: start again
BF.LOADCHUNK l 1 nonsense -> -ERR received bad data
BF.LOADCHUNK l x y -> -ERR Second argument must be numeric
EXISTS l -> :0

BF.RESERVE f 0.01 3 NONSCALING -> +OK
BF.MADD f a b a c d e -> [:1 :1 :0 :1 -ERR non scaling filter is full] | [#t #t #f #t -ERR non scaling filter is full]
BF.ADD f new -> -ERR non scaling filter is full
BF.ADD f a -> :0 | #f
BF.INFO f EXPANSION -> [_] | {+Expansion rate _}
BF.CARD f -> :3

CMS.INITBYDIM c 2000 5 -> +OK
CMS.INITBYDIM c 2000 5 -> -CMS: key already exists
CMS.INITBYDIM d 0 5 -> -CMS: invalid width
CMS.INITBYDIM d 5 x -> -CMS: invalid depth
CMS.INITBYDIM d x 5 -> -CMS: invalid width
CMS.INITBYDIM d 5 0 -> -CMS: invalid depth
CMS.INITBYDIM d 5 4294967296 -> -CMS: invalid depth
CMS.INITBYPROB p 0.001 0.01 -> +OK
CMS.INITBYPROB p 0.001 0.01 -> -CMS: key already exists
CMS.INITBYPROB q 2 0.01 -> -CMS: invalid overestimation value
CMS.INITBYPROB q 0.1 1 -> -CMS: invalid prob value
CMS.INITBYPROB q 0 0.1 -> -CMS: invalid overestimation value
CMS.INITBYPROB q 1 0.1 -> -CMS: invalid overestimation value
CMS.INITBYPROB q 1e-10 0.1 -> -CMS: invalid overestimation value
CMS.INITBYPROB q 0.1 0 -> -CMS: invalid prob value
CMS.INITBYPROB r 0.003 0.03 -> +OK
CMS.INFO r -> [+width :667 +depth :6 +count :0] | {*}
CMS.INFO p -> [+width :2000 +depth :7 +count :0] | {+width :2000 +depth :7 +count :0}
CMS.INCRBY c x 3 y 4 -> [:3 :4]
CMS.INCRBY c x 2 -> [:5]
CMS.INCRBY c x 4294967295 -> [-CMS: INCRBY overflow]
CMS.INCRBY c half 4294967294 -> [:4294967294]
CMS.INCRBY c half 0 other 4294967295 -> [:4294967294 -CMS: INCRBY overflow]
CMS.QUERY c other -> [:4294967295]
CMS.INFO c -> [+width :2000 +depth :5 +count :12884901893] | {*}
CMS.INCRBY c x y -> -CMS: Cannot parse number
CMS.INCRBY c x -1 -> -CMS: Number cannot be negative
CMS.INCRBY missing x 1 -> -CMS: key does not exist
CMS.INCRBY c x 1 y -> -ERR wrong number of arguments for 'cms.incrby' command
CMS.QUERY c y nothing -> [:4 :0]
CMS.QUERY missing x -> -CMS: key does not exist
CMS.INFO missing -> -CMS: key does not exist

CMS.INITBYDIM a 2000 5 -> +OK
CMS.INITBYDIM b 2000 5 -> +OK
CMS.INITBYDIM d 2000 5 -> +OK
CMS.INITBYDIM small 20 5 -> +OK
CMS.INCRBY a x 3 y 4 -> [:3 :4]
CMS.INCRBY b x 10 -> [:10]
CMS.MERGE d 2 a b -> +OK
CMS.QUERY d x y -> [:13 :4]
CMS.MERGE d 2 a b WEIGHTS 5 2 -> +OK
CMS.QUERY d x y -> [:35 :20]
CMS.MERGE d 1 d -> +OK
CMS.QUERY d x y -> [:35 :20]
CMS.MERGE d 1 a WEIGHTS 0 -> +OK
CMS.INFO d -> [+width :2000 +depth :5 +count :0] | {+width :2000 +depth :5 +count :0}
CMS.MERGE d 0 a -> -CMS: wrong number of keys
CMS.MERGE d 3 a b -> -CMS: wrong number of keys
CMS.MERGE d x a -> -CMS: invalid numkeys
CMS.MERGE d 2 a b WEIGHTS 1 -> -CMS: wrong number of keys
CMS.MERGE d 2 a b WEIGHT 1 2 -> -CMS: wrong number of keys
CMS.MERGE d 1 a WEIGHTS x -> -CMS: invalid weight value
CMS.MERGE d 1 small -> -CMS: width/depth is not equal
CMS.INITBYDIM flat 2000 4 -> +OK
CMS.MERGE d 1 flat -> -CMS: width/depth is not equal
CMS.MERGE d 2 a flat -> -CMS: width/depth is not equal
CMS.MERGE d 1 a WEIGHTS -1 -> -CMS: a negative weight, expected 0 or more
CMS.MERGE missing 1 a -> -CMS: key does not exist
CMS.MERGE d 1 missing -> -CMS: key does not exist
CMS.MERGE d 1 a WEIGHTS 4294967296 -> +OK
CMS.QUERY d x y -> [:4294967295 :4294967295]

TOPK.RESERVE t 2 -> +OK
TOPK.RESERVE t 2 -> -TopK: key already exists
TOPK.RESERVE u 0 -> -TopK: invalid k
TOPK.RESERVE u 4294967301 -> -TopK: invalid k
TOPK.RESERVE u 2 8 7 2 -> -TopK: invalid decay value. must be '<= 1' & '> 0'
TOPK.RESERVE u 2 8 -> -ERR wrong number of arguments for 'topk.reserve' command
TOPK.RESERVE u 2 0 7 0.9 -> -TopK: invalid width
TOPK.RESERVE u 2 8 0 0.9 -> -TopK: invalid depth
TOPK.RESERVE u 2 8 7 0 -> -TopK: invalid decay value. must be '<= 1' & '> 0'
TOPK.RESERVE u 32769 -> -ERR k *
TOPK.RESERVE u 32768 9 5 1 -> +OK
TOPK.INFO u -> [+k :32768 +width :9 +depth :5 +decay $1] | {+k :32768 +width :9 +depth :5 +decay ,1}
TOPK.RESERVE e 3 -> +OK
TOPK.ADD e seventeen-letters sixteen-letters- c -> [_ _ _]
TOPK.LIST e -> [$seventeen-letters $sixteen-letters- $c]
TOPK.INCRBY e c 2 sixteen-letters- 2 another-of-many-letters 5 -> [_ _ $seventeen-letters]
TOPK.LIST e WITHCOUNT -> [$another-of-many-letters :5 $c :3 $sixteen-letters- :3]
TOPK.QUERY e seventeen-letters another-of-many-letters -> [:0 :1] | [#f #t]
TOPK.ADD t a b a -> [_ _ _]
TOPK.ADD t c -> [$b]
TOPK.INCRBY t d 5 e x f 200000 -> [$c -TopK: increment must be an integer greater or equal to 0 and smaller or equal to 100,000 -TopK: increment must be an integer greater or equal to 0 and smaller or equal to 100,000]
TOPK.QUERY t a d b -> [:1 :1 :0] | [#t #t #f]
TOPK.COUNT t a d b nothing -> [:2 :5 :1 :0]
TOPK.LIST t -> [$d $a]
TOPK.LIST t WITHCOUNT -> [$d :5 $a :2]
TOPK.LIST t SOMETHING -> -WITHCOUNT keyword expected
TOPK.INFO t -> [+k :2 +width :8 +depth :7 +decay $0.9*] | {+k :2 +width :8 +depth :7 +decay ,0.9*}
TOPK.ADD missing x -> -TopK: key does not exist
TOPK.LIST missing -> -TopK: key does not exist
TOPK.INCRBY t d 100000 e 100001 a -1 -> [_ -TopK: increment must be * -TopK: increment must be *]
TOPK.INCRBY t d -> -ERR wrong number of arguments for 'topk.incrby' command
TOPK.INCRBY t d 5 e -> -ERR wrong number of arguments for 'topk.incrby' command
TOPK.INCRBY missing x 1 -> -TopK: key does not exist
TOPK.QUERY missing x -> -TopK: key does not exist
TOPK.COUNT missing x -> -TopK: key does not exist
TOPK.INFO missing -> -TopK: key does not exist
TOPK.LIST t WITHCOUNT x -> -ERR wrong number of arguments for 'topk.list' command
INK.TOP t 1 -> [[+item $d +estimate :100005 *]] | [{+item $d +estimate :100005 *}]
INK.ADDW t x 3 -> -ERR the list of TOPK takes keys by TOPK.ADD alone
INK.CREATE native top k 5 -> +OK
TOPK.ADD native x -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.ADD t x -> -ERR the list of TOPK takes keys by TOPK.ADD alone
INK.MERGE t t -> -ERR the list of TOPK takes keys by TOPK.ADD alone

CF.RESERVE c 1000 -> +OK
CF.RESERVE c 1000 -> -ERR item exists
CF.RESERVE d 0 -> -Bad capacity
CF.RESERVE d 10 BUCKETSIZE x -> -Couldn't parse BUCKETSIZE
CF.RESERVE d 10 BUCKETSIZE 0 -> -Couldn't parse BUCKETSIZE
CF.RESERVE d 10 BUCKETSIZE 256 -> -Couldn't parse BUCKETSIZE
CF.RESERVE d 10 MAXITERATIONS 0 -> -Couldn't parse MAXITERATIONS
CF.RESERVE d 10 MAXITERATIONS 65536 -> -Couldn't parse MAXITERATIONS
CF.RESERVE d 10 EXPANSION -1 -> -Couldn't parse EXPANSION
CF.RESERVE d 10 EXPANSION 32769 -> -Couldn't parse EXPANSION
CF.RESERVE d 10 SOMETHING 1 -> -Unknown argument received
CF.RESERVE d 10 EXPANSION -> -ERR wrong number of arguments for 'cf.reserve' command
CF.RESERVE d 10 BUCKETSIZE 255 MAXITERATIONS 65535 EXPANSION 32768 -> +OK
CF.INFO d -> [*+Bucket size :255 +Expansion rate :32768 +Max iterations :65535] | {*}
CF.ADD c x -> :1 | #t
CF.ADD c x -> :1 | #t
CF.ADDNX c x -> :0 | #f
CF.ADDNX c y -> :1 | #t
CF.COUNT c x -> :2
CF.COUNT missing x -> :0
CF.EXISTS c x -> :1 | #t
CF.EXISTS missing x -> :0 | #f
CF.MEXISTS c x y nothing -> [:1 :1 :0] | [#t #t #f]
CF.DEL c x -> :1 | #t
CF.DEL c nothing -> :0 | #f
CF.DEL missing x -> -Not found
CF.INSERT c ITEMS a b -> [:1 :1] | [#t #t]
CF.INSERTNX c ITEMS a e -> [:0 :1]
CF.INSERT missing NOCREATE ITEMS a -> -Not found
CF.INSERT n CAPACITY 10 ITEMS a -> [:1] | [#t]
CF.INSERTNX n ITEMS a b -> [:0 :1]
CF.INSERT m CAPACITY x ITEMS a -> -Bad capacity
CF.INSERT m CAPACITY 0 ITEMS a -> -Bad capacity
CF.INSERT m SOMETHING 1 ITEMS a -> -Unknown argument received
CF.INSERT m CAPACITY 10 ITEMS -> -ERR wrong number of arguments for 'cf.insert' command
CF.MEXISTS missing x y -> [:0 :0] | [#f #f]
CF.ADDNX auto x -> :1 | #t
CF.INSERTNX auto2 NOCREATE ITEMS x -> -Not found
CF.ADD s x -> :1 | #t
BF.EXISTS s x -> -WRONGTYPE Operation against a key holding the wrong kind of value
CF.INFO c -> [+Size :* +Number of buckets :174 +Number of filters :1 +Number of items inserted :5 +Number of items deleted :1 +Bucket size :2 +Expansion rate :1 +Max iterations :20] | {+Size :* +Number of buckets :174 +Number of filters :1 +Number of items inserted :5 +Number of items deleted :1 +Bucket size :2 +Expansion rate :1 +Max iterations :20}
CF.INFO missing -> -ERR not found

INK.CREATE b bloom n 1e4 p 0.001 -> +OK
INK.CREATE b hll -> -ERR key already exists
INK.CREATE x classic p 0.1 -> -ERR classic needs n, or its size in bits
INK.CREATE x bloom n 5 key-type text -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x bloom n 1.5 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x bloom n -1 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x top k 4294967296 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x hll precision 4294967300 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x hll hash md5 -> -ERR *
INK.CREATE x hll seed 18446744073709551616 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x hll seed 018446744073709551615 -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE seeded hll seed 18446744073709551615 -> +OK
INK.CREATE i bloom N 9 KEY-TYPE int -> +OK
INK.ADD i 9223372036854775807 -9223372036854775808 -> :2
INK.ADD i 9223372036854775808 -> -ERR a key that is no whole number of 64 bits, which this sketch holds
INK.CONTAINS i -9223372036854775808 9223372036854775807 8 -> [:1 :1 :0] | [#t #t #f]
BF.EXISTS i 8 -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.CREATE x bloom -> -ERR bloom needs n, or its size in bits
INK.CREATE x nothing n 5 -> -ERR kind "nothing", expected one of bloom, *
INK.CREATE x fuse n 5 -> -ERR *
INK.CREATE x bloom n 5 width 7 -> -ERR unknown option, expected n, p, eps, delta, k, precision, key-type, hash or seed
INK.CREATE x bloom n -> -ERR an option without its value
INK.CREATE x bloom n x -> -ERR an option with a value that is no number, or none of its kinds
INK.CREATE x hll p 0.1 -> -ERR hll has no p
INK.CREATE x bloom n 5 p 2 -> -ERR p *
INK.CREATE x count-min eps 2 -> -ERR eps 2, *
INK.CREATE x count-min delta 2 -> -ERR delta 2, *
INK.CREATE x top k 32769 -> -ERR k 32769, *
INK.ADD b x y z -> :3
INK.ADD b x y new -> :1
INK.ADD missing x -> -ERR no such key: INK.CREATE makes one
INK.CONTAINS b x nothing -> [:1 :0] | [#t #f]
INK.CONTAINS missing x -> [:0] | [#f]
INK.COUNT b x -> -ERR *
INK.REMOVE b x -> -ERR *
INK.ADDW b x 3 -> -ERR *
INK.ADDW b x -> -ERR wrong number of arguments for 'ink.addw' command
INK.TOP b -> -ERR *
INK.DISTINCT b -> [+estimate :4 +low :4 +high :4 +confidence $0.9*] | {+estimate :4 +low :4 +high :4 +confidence ,0.9*}
INK.DIGEST b -> $*
INK.DIGEST missing -> -ERR no such key
INK.INFO b -> ${"kind":"bloom",*"records":4,*}
INK.GET missing -> _
INK.GET b OFFSET x -> -ERR expected OFFSET, COUNT or GENERATION, and a whole number from 0 on
INK.GET b OFFSET 0 COUNT 4 GENERATION 7 -> -ERR the value has changed since its first piece: start again
INK.GET b OFFSET 0 COUNT 4 -> [:* :* $*INK*]
INK.GET b OFFSET 4000000 -> [:* :* $]
INK.GET b COUNT -> -ERR expected OFFSET, COUNT or GENERATION, and a whole number from 0 on
INK.SETCHUNK n 0 0 x -> -ERR expected the offset of these bytes, and the total, which is not less than both
INK.SETCHUNK n 0 10 abc TAIL x -> -ERR expected the offset of these bytes, and the total, which is not less than both
INK.SETCHUNK n 0 10 abc HEAD -> -ERR expected the offset of these bytes, and the total, which is not less than both
INK.SETCHUNK n 0 10 abc HEAD xyz -> -ERR a HEAD that is not that of a value
INK.SET n nonsense -> -ERR byte 0: not an .ink file, but text
INK.SETCHUNK n 5 10 abc -> -ERR a piece that does not follow the one before
INK.SETCHUNK n 0 10 abcde -> +OK
INK.INFO n -> -ERR the value has not come whole yet
BF.ADD n x -> -ERR the value has not come whole yet
INK.SETCHUNK n 5 11 abcdef -> -ERR a piece that does not follow the one before
INK.SETCHUNK n 4 10 abcdef -> -ERR a piece that does not follow the one before
INK.SETCHUNK n 5 10 abcde -> -ERR byte 0: not an .ink file, but text
INK.SETCHUNK n 0 2 abc -> -ERR expected the offset of these bytes, and the total, which is not less than both
BF.EXISTS b x -> :1 | #t
CMS.QUERY b x -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.FOLD b 0.5 -> :*
INK.FOLD b 2 -> -ERR rate: expected a number between 0 and 1
INK.FOLD b 0 -> -ERR rate: expected a number between 0 and 1
INK.FOLD b 1 -> -ERR rate: expected a number between 0 and 1
INK.FOLD b x -> -ERR rate: expected a number between 0 and 1
INK.FOLD missing 0.5 -> -ERR no such key

INK.CREATE c counting n 1000 -> +OK
INK.ADD c x x y -> :*
INK.COUNT c x -> [[+estimate :2 +low :0 +high :2 +confidence $1]] | [{+estimate :2 +low :0 +high :2 +confidence ,1}]
INK.REMOVE c x -> :1
INK.REMOVE c nothing -> -ERR key 0: *
INK.ADDW c z 7 -> :1
CF.COUNT c z -> :7
CF.INFO c -> [*+Number of items inserted :9 +Number of items deleted :1 *] | {*}
CF.DEL c z -> :1 | #t
INK.REMOVE c z z z z z z -> :6
INK.REMOVE c y -> :1
CF.INFO c -> [*+Number of items inserted :1 +Number of items deleted :9 *] | {*}
INK.CREATE w counting n 1000 -> +OK
INK.ADDW w z 7 -> :1
CF.DEL w z -> :1 | #t
CF.INFO w -> [*+Number of items inserted :6 +Number of items deleted :1 *] | {*}
CF.RESERVE f 10 -> +OK
INK.ADDW f z 4096 -> :1
CF.ADD f y -> -Filter is full
CF.ADDNX f y -> -Filter is full
CF.ADDNX f z -> :0 | #f
CF.INSERT f ITEMS y -> [:-1] | [#f]
CF.INSERTNX f ITEMS z y -> [:0 :-1]
CF.DEL f z -> :1 | #t
CF.INSERT f ITEMS y x -> [:1 :-1] | [#t #f]

INK.CREATE t top k 5 -> +OK
INK.ADDW t a 3 b 7 -> :2
INK.ADDW t a x -> -ERR a weight that is no whole number from 0 on
INK.ADDW t a -1 -> -ERR a weight that is no whole number from 0 on
INK.ADDW t a 1.5 -> -ERR a weight that is no whole number from 0 on
INK.ADDW t c 1e3 -> :1
INK.TOP t 1 2 -> -ERR wrong number of arguments for 'ink.top' command
INK.TOP missing -> -ERR no such key
INK.COUNT missing x -> -ERR no such key
INK.COUNT t c -> [[+estimate :1000 *]] | [{+estimate :1000 *}]
INK.CREATE x count-min eps 0.01 -> +OK
INK.ADDW x big 18446744073709551615 -> :1
INK.COUNT x big -> [[+estimate :4294967295 *]] | [{*}]
INK.TOP t 2 -> [[+item $c +estimate :1000 *] [+item $b +estimate :7 +low :7 +high :7 +confidence $1]] | [{*} {+item $b +estimate :7 +low :7 +high :7 +confidence ,1}]
INK.TOP t 0 -> -ERR k: expected a whole number from 1 on
INK.COUNT t a -> [[+estimate :3 +low :3 +high :3 +confidence $1]] | [{+estimate :3 +low :3 +high :3 +confidence ,1}]
INK.CREATE u top key-type int -> +OK
INK.ADD u 0 5 5 -> :3
INK.ADD u x -> -ERR a key that is no whole number of 64 bits, which this sketch holds
INK.TOP u -> [[+item :5 +estimate :2 +low :2 +high :2 +confidence $1] [+item :0 +estimate :1 +low :1 +high :1 +confidence $1]] | [{+item :5 +estimate :2 +low :2 +high :2 +confidence ,1} {+item :0 +estimate :1 +low :1 +high :1 +confidence ,1}]

INK.CREATE a theta -> +OK
INK.CREATE b theta -> +OK
INK.ADD a 1 2 3 -> :3
INK.ADD b 3 4 -> :2
INK.OVERLAP a b -> [+a [+estimate :3 *] +b [+estimate :2 *] +union [+estimate :4 *] +intersection [+estimate :1 *] +only_a [+estimate :2 *] +only_b [+estimate :1 *] +jaccard [+estimate $0.25 *] +a_in_b [*] +b_in_a [*] +method +sampled] | {+a {*} * +method +sampled}
INK.OVERLAP b a -> [*+a_in_b [+estimate $0.5 *] +b_in_a [+estimate $0.3333*]*] | {*+a_in_b {+estimate ,0.5 *} +b_in_a {+estimate ,0.3333*}*}
INK.OVERLAP a missing -> -ERR no such key
INK.DISTINCT a b missing -> [+estimate :4 *] | {+estimate :4 *}
INK.DISTINCT missing -> [+estimate :0 +low :0 +high :0 +confidence $1] | {+estimate :0 +low :0 +high :0 +confidence ,1}
INK.MERGE all a b missing -> +OK
INK.MERGE all a -> +OK
INK.DISTINCT all -> [+estimate :4 *] | {+estimate :4 *}
INK.CREATE h hll -> +OK
INK.MERGE all h -> -ERR *
INK.DISTINCT a h -> -ERR *
INK.MERGE none missing -> -ERR none of these keys exists
TDIGEST.ADD t 1 -> -ERR unknown command *

CF.RESERVE a 5000 BUCKETSIZE 3 MAXITERATIONS 30 EXPANSION 4 -> +OK
CF.RESERVE b 5000 BUCKETSIZE 5 MAXITERATIONS 50 EXPANSION 6 -> +OK
CF.ADD b x -> :1 | #t
INK.MERGE a b -> +OK
CF.INFO a -> [*+Number of items inserted :1 *+Bucket size :3 +Expansion rate :4 +Max iterations :30] | {*}
INK.MERGE new missing b a -> +OK
CF.INFO new -> [*+Bucket size :5 +Expansion rate :6 +Max iterations :50] | {*}
TOPK.RESERVE t 3 -> +OK
TOPK.ADD t x x -> [_ _]
INK.MERGE n t -> +OK
TOPK.ADD n x -> -WRONGTYPE Operation against a key holding the wrong kind of value
INK.ADD n x -> :1
INK.TOP n -> [[+item $x +estimate :3 *]] | [{*}]
TOPK.LIST t WITHCOUNT -> [$x :2]
"""

SECTIONS = [section.strip("\n").splitlines() for section in TABLE.strip("\n").split("\n\n")]


def expect(found, pattern, command):
    good = re.fullmatch(".*".join(map(re.escape, pattern.split("*"))), found, re.S) is not None
    assert good, f"{command}: {found}, expected {pattern}"


@pytest.mark.parametrize("protocol", [2, 3])
@pytest.mark.parametrize("section", SECTIONS, ids=lambda lines: lines[0].split(" -> ")[0])
def test_each_command_answers_as_documented(server, r, section, protocol):
    wire = Wire(server.socket, protocol)
    for line in section:
        command, answers = line.split(" -> ")
        answers = answers.split(" | ")
        expect(wire.ask(*shlex.split(command)), answers[-1 if protocol == 3 else 0], command)
    wire.close()


def test_every_command_is_in_the_table(server):
    wire = Wire(server.socket, 2)
    asked = {line.split(" ")[0].lower() for section in SECTIONS for line in section}
    there = set(wire.ask("COMMAND", "LIST", "FILTERBY", "MODULE", "inkling")[1:-1].replace("$", "").split())
    wire.close()
    assert there - asked == {"bf.debug"}  # lines for people
