/// The candidate nearest to a word, for an error that suggests what was meant.
package enum NearestName {
  /// The nearest candidate, the first of several; `nil` if none is near enough to be a slip of the
  /// pen (more than a third of the letters differ, and more than two).
  package static func suggestion(for word: String, among candidates: [String]) -> String? {
    // A longer word is no slip: this also bounds the table.
    guard word.utf8.count <= 64 else { return nil }
    var best: (name: String, distance: Int)?
    for candidate in candidates {
      let distance = editDistance(Array(word.utf8), Array(candidate.utf8))
      if distance < best?.distance ?? .max { best = (candidate, distance) }
    }
    guard let best, best.distance <= max(2, word.utf8.count / 3) else { return nil }
    return best.name
  }

  /// Insertions, deletions, substitutions and swaps of neighbours (optimal string alignment).
  static func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
    var previous: [Int] = []
    var row = Array(0...b.count)
    for i in a.indices {
      var next = [i + 1]
      for j in b.indices {
        var cost = min(row[j + 1] + 1, next[j] + 1, row[j] + (a[i] == b[j] ? 0 : 1))
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] {
          cost = min(cost, previous[j - 1] + 1)
        }
        next.append(cost)
      }
      previous = row
      row = next
    }
    return row[b.count]
  }
}
