#!/bin/sh
# Counts what one operation of the cache costs: instructions, reference counts and allocations.
#
#   Documentation/Profiling/HotPath/count.sh [CHECKOUT]
#
# CHECKOUT is the repository at a commit that has these files; by default this one. Needs
# valgrind. Each workload runs twice under callgrind, with N and 2 N operations prepared alike; the
# difference by N is one operation, and the way there, the decoding and the start are not in it.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "${1:-$here/../../..}" && pwd)
work=${TMPDIR:-/tmp}/hot-path-$(printf %s "$checkout" | cksum | cut -d' ' -f1)
mkdir -p "$work/Sources/hot-path"
cp "$here/Package.swift" "$work"
for module in CacheModel CPrefetch Containers EvictionPolicies NormalizedCacheCore NormalizedCache; do
  ln -sfn "$checkout/Sources/$module" "$work/Sources/$module"
done
# Files of RealTime, in the module of the workloads.
for file in SyncStack/Files/FileLibrary SyncStack/Files/FilePayload SyncStack/Files/UniqueID+UUID \
  Files/MeasurementSchema Files/LibraryServer Files/MeasurementError; do
  ln -sf "$checkout/Sources/RealTime/$file.swift" "$work/Sources/hot-path"
done
ln -sf "$here/main.swift" "$work/Sources/hot-path"
workloads="single:2000 batch:20 read:200 event:20000 query:2000"
flags=
if grep -rqs 'func mapRows' "$checkout/Sources/NormalizedCache"; then
  workloads="$workloads map:200"
  flags="-Xswiftc -DMAPS_ROWS"
fi
swift build -c release --package-path "$work" $flags >&2

count() { # workload, operations, prepared: one line of totals
  # What is done on the cache's actor is counted alone, and so repeats to a thousandth.
  only=
  case $1 in event | query) only="--toggle-collect=*runInside*" ;; esac
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind $only --callgrind-out-file="$work/out" \
    "$work/.build/release/hot-path" "$1" "$2" "$3" >/dev/null 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  awk -f "$here/calls.awk" "$work/out"
}
for workload in $workloads; do
  set -- $(echo "$workload" | tr : ' ')
  once=$(count "$1" "$2" $(($2 * 2)))
  twice=$(count "$1" $(($2 * 2)) $(($2 * 2)))
  echo "$1 $2 $once $twice" | awk '{
    printf "%-8s %12.0f instructions %10.1f retains %10.1f releases %8.2f allocations\n",
      $1, ($7 - $3) / $2, ($8 - $4) / $2, ($9 - $5) / $2, ($10 - $6) / $2 }'
done
