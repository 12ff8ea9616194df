#!/bin/sh
# Counts the lines of memory, of 64 bytes, that an event touches: of code and of data.
#
#   Documentation/Profiling/CacheLines/count.sh [CHECKOUT]
#
# CHECKOUT is the repository at a commit that has these files; by default this one. Needs valgrind,
# whose callgrind simulates the caches: the same program counts the same on every machine.
#
# First part: each event finds nothing in the caches, as after a sleep, so each line that it touches is
# one miss. Counted is what `event_cost` times: until the last of ten observers is called.
#
# Second part: events that follow one another, with a second-level cache of 1 MB. The difference of
# N and 2 N events by N is one event.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
checkout=$(cd "${1:-$here/../../..}" && pwd)
work=${TMPDIR:-/tmp}/cache-lines-$(printf %s "$checkout" | cksum | cut -d' ' -f1)
mkdir -p "$work/Sources/cache-lines"
cp "$here/Package.swift" "$work"
for room in CacheModel CCallgrind CPrefetch Containers EvictionPolicies NormalizedCache; do
  ln -sfn "$checkout/Sources/$room" "$work/Sources/$room"
done
# The files of one module are one of its own here, without the database and the network of the rest.
for file in SyncStack/Files/FileLibrary Files/FilledCache Driver/Notifier \
  Alternatives/AlternativeCache Alternatives/Control Alternatives/Ours Alternatives/MutexDictionary; do
  ln -sf "$checkout/Sources/RealTime/$file.swift" "$work/Sources/cache-lines"
done
ln -sf "$here/main.swift" "$work/Sources/cache-lines"
swift build -c release --package-path "$work" >&2

count() { # second-level cache in bytes, arguments: one line of totals
  memory=$1
  shift
  SWIFT_DETERMINISTIC_HASHING=1 valgrind --tool=callgrind --instr-atstart=no --cache-sim=yes \
    --I1=32768,8,64 --D1=32768,8,64 --LL="$memory,16,64" --callgrind-out-file="$work/out" \
    "$work/.build/release/cache-lines" "$@" >/dev/null 2>"$work/log" ||
    { cat "$work/log" >&2; exit 1; }
  sed -n 's/^totals: //p' "$work/out"
}

echo "each event finds nothing in the caches: 10,000 entities, 100 queries, ten observers of each"
for design in control mutex-dictionary cache; do
  echo "$design $(count 16777216 cold "$design" 400)" | awk '{
    printf "%-18s %6.0f instructions %6.0f lines of code %6.0f of data\n",
      $1, $2 / 400, $8 / 400, ($9 + $10) / 400 }'
done
echo "events that follow one another: lines that are not in a second-level cache of 1 MB"
for design in dictionary store; do
  for entities in 1000 1000000; do
    once=$(count 1048576 warm "$design" 20000 "$entities")
    twice=$(count 1048576 warm "$design" 40000 "$entities")
    echo "$design $entities $once $twice" | awk '{
      printf "%-18s %8d entities %6.0f instructions %6.1f lines\n",
        $1, $2, ($12 - $3) / 20000, ($19 + $20 - $10 - $11) / 20000 }'
  done
done
