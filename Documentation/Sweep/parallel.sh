#!/bin/sh
# A sweep by GNU parallel on this machine, or on those that PARALLEL names (see `man parallel`, --sshlogin).
#
#   ./parallel.sh plan.json 8       # eight shards, then the merge
#   ./parallel.sh plan.json 8       # once more: those that failed, or were never begun, then the merge
#
# JOBS is how many run at once; TIDEMARK is the executable.
set -eu
plan=$1
count=$2
tidemark=${TIDEMARK:-tidemark}
seq "$count" | parallel -n0 --jobs "${JOBS:-100%}" --joblog sweep.joblog --resume-failed \
  "'$tidemark' sweep run '$plan' --shards $count --output shards" || true
# Where this merge fails, no earlier one is to look like it.
rm -f results.csv
"$tidemark" sweep merge "$plan" shards --format csv --output results.csv
