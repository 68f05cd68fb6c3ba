# A task of Hadoop counts groups, the null one too, and leaves the line of a failure, also of a promise, in the folder of its job.
$ seq 1000 > n; printf '{"k":"a","g":null}\n{"k":"b","g":"x"}\n' > j.jsonl
$ ink map hll --in jsonl --key k --by g j.jsonl | mapreduce_task_attempt_id=a_0 mapreduce_task_output_dir=$PWD/out ink reduce hll --in jsonl --key k --by g; ls out
part-00000.ink
! reporter:counter:Ink,Sketches,2
! reporter:counter:Ink,Groups,2
! reporter:counter:Ink,Keys,2
$ ink map bloom -n 10 n | mapreduce_task_attempt_id=a_1 mapreduce_task_output_dir=$PWD/full mapreduce_output_fileoutputformat_outputdir=$PWD/all ink reduce bloom -n 10
!1 ink: [...]/full/part-00000.ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
$ ls full; cat all/_errors/a_1
ink: [...]/full/part-00000.ink: the result would have false-positive rate 1, above the 0.01 that is promised, expected --keys 1000, or --max-rate to allow it
exit code 1
