#!/bin/sh
# A sweep as a Slurm job array, merged when its last task has ended.
#
#   ./slurm.sh plan.json 8          # eight tasks, then the merge
#   ./slurm.sh plan.json 8 3,5      # tasks 3 and 5 again, of the same eight, then the merge
#
# The merge waits for the tasks to end, however they end: where one failed, it names the hole, and which
# tasks would fill it; the results.csv of an earlier merge is gone then. The folder `shards` must be the
# same for all nodes. TIDEMARK is the executable.
set -eu
plan=$1
count=$2
tasks=${3:-1-$count}
tidemark=${TIDEMARK:-tidemark}
array=$(sbatch --parsable --array="$tasks" --output='shard-%a.log' \
  --wrap "'$tidemark' sweep run '$plan' --shards $count --output shards")
merge=$(sbatch --parsable --dependency="afterany:$array" --output=merge.log \
  --wrap "rm -f results.csv && '$tidemark' sweep merge '$plan' shards --format csv --output results.csv")
echo "array $array, merge $merge: see merge.log"
