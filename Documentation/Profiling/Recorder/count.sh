#!/bin/sh
# Counts what a recorder costs: instructions of an event and of a read, on the cache's threads and on the
# recorder's.
#
#   swift build -c release --traits Harness --product Overhead
#   Documentation/Profiling/Recorder/count.sh .build/release/Overhead
#
# Needs valgrind. Each workload runs under callgrind with 8,000 operations and with 24,000; the difference
# by 16,000 is one operation. What it takes to make events is counted alone, and taken off.
set -eu
exe=$(cd "$(dirname "$1")" && pwd)/$(basename "$1")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$work"

count() { # watcher, workload, operations: the instructions of the cache's threads and of the recorder's
  rm -f out*
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --separate-threads=yes \
    --callgrind-out-file=out "$exe" count "$1" "$2" "$3" >/dev/null 2>log || { cat log >&2; exit 1; }
  for file in out-*; do
    # The recorder's thread alone makes lines; Foundation's encoder has a writer of that name too.
    if grep -q '4Text10JSONWriterV' "$file"; then thread=recorder; else thread=cache; fi
    awk -v thread=$thread '/^totals:/ { print thread, $2 }' "$file"
  done | awk '{ sum[$1] += $2 } END { print sum["cache"] + 0, sum["recorder"] + 0 }'
}
for workload in event message read; do
  for watcher in nothing bare recorded; do
    echo "$watcher $(count $watcher $workload 8000) $(count $watcher $workload 24000)"
  done | awk -v workload=$workload '
    { cache[$1] = ($4 - $2) / 16000; recorder[$1] = ($5 - $3) / 16000 }
    END {
      bare = cache["bare"] - cache["nothing"]
      more = cache["recorded"] - cache["bare"]
      printf "%-8s %8.0f instructions, and %6.0f where it is recorded: %4.1f %%; recorder %8.0f\n",
        workload, bare, more, 100 * more / bare, recorder["recorded"]
    }'
done
