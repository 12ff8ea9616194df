/// Makes a list of steps shorter that shows something, as long as it still shows it (delta debugging:
/// Zeller and Hildebrandt, 2002).
///
/// Parts are left out, first halves, then smaller ones, until no single step can be, or the trials are
/// used up.
struct StepReduction {
  /// How often something may be tried.
  var trials: Int

  /// - Parameters:
  ///   - count: how many steps there are.
  ///   - isTimeLeft: whether something may be tried still.
  ///   - shows: whether some of them, given by their places, still show it.
  /// - Returns: the places of those that are left, in order.
  mutating func reduce(
    _ count: Int, while isTimeLeft: () -> Bool, _ shows: ([Int]) -> Bool
  ) -> [Int] {
    var kept = Array(0..<count)
    var part = max(1, (count + 1) / 2)
    while !kept.isEmpty {
      var isShorter = false
      var start = 0
      while start < kept.count {
        guard trials > 0, isTimeLeft() else { return kept }
        trials -= 1
        var fewer = kept
        fewer.removeSubrange(start..<min(start + part, kept.count))
        if shows(fewer) {
          kept = fewer
          isShorter = true
        } else {
          start += part
        }
      }
      if part > 1 {
        part = (part + 1) / 2
      } else if !isShorter {
        break
      }
    }
    return kept
  }
}
