# The totals of a file of callgrind's: instructions, retains, releases, allocations.
#
# A name is given in full once, "fn=(12) swift_retain", then as "fn=(12)"; "calls=3 0" counts the calls
# of the function that the last cfn line named. A string's own entry (swift_bridgeObjectRetain) ends in
# swift_retain, where it is counted.
/^c?fn=/ {
  text = substr($0, index($0, "=") + 1)
  id = text; sub(/\).*/, ")", id)
  if (index(text, ") ")) { name[id] = substr(text, index(text, ") ") + 2) }
  if ($0 ~ /^cfn=/) called = id
}
/^calls=/ { split(substr($0, 7), part, " "); calls[called] += part[1] }
/^(summary|totals):/ { instructions = $2 }
END {
  for (id in calls) {
    symbol = name[id]; sub(/'.*/, "", symbol)
    if (symbol ~ /^swift_retain(_n)?$/) retains += calls[id]
    if (symbol ~ /^swift_release(_n)?$/) releases += calls[id]
    if (symbol ~ /^(malloc|calloc|realloc|posix_memalign|aligned_alloc)$/) allocations += calls[id]
  }
  print instructions, retains + 0, releases + 0, allocations + 0
}
