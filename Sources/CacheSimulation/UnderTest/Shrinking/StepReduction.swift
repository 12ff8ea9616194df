/// Makes a list of steps shorter that shows something, as long as it still shows it.
///
/// Parts are left out, the last first, since a step may depend on those before it: halves, then smaller
/// ones, until no single step can be, nor two of a dozen, or the trials are used up. Source: Zeller and
/// Hildebrandt, "Simplifying and isolating failure-inducing input", IEEE TSE 28(2), 2002; pairs are ours,
/// for what comes and goes again, such as an observer.
package struct StepReduction {
  private var trials: Int

  /// - Parameter trials: how often something may be tried.
  package init(trials: Int) { self.trials = trials }

  /// Takes some n·log n trials, where n is the number of steps.
  ///
  /// - Parameters:
  ///   - count: how many steps there are.
  ///   - isTimeLeft: whether something may be tried still.
  ///   - shows: whether some of them, given by their places, still show it.
  /// - Returns: the places of those that are left, in order.
  /// - Throws: what a trial throws.
  package mutating func reduce(
    _ count: Int, while isTimeLeft: () -> Bool = { true }, _ shows: ([Int]) throws -> Bool
  ) rethrows -> [Int] {
    var kept = Array(0..<count)
    var part = max(1, count / 2)
    while !kept.isEmpty {
      var isShorter = false
      var end = kept.count
      while end > 0 {
        guard trials > 0, isTimeLeft() else { return kept }
        trials -= 1
        let start = max(0, end - part)
        var fewer = kept
        fewer.removeSubrange(start..<end)
        if try shows(fewer) {
          kept = fewer
          isShorter = true
        }
        end = start
      }
      if part > 1 {
        part /= 2
      } else if !isShorter {
        guard let fewer = try withoutPair(kept, while: isTimeLeft, shows) else { break }
        kept = fewer
      }
    }
    return kept
  }

  private mutating func withoutPair(
    _ kept: [Int], while isTimeLeft: () -> Bool, _ shows: ([Int]) throws -> Bool
  ) rethrows -> [Int]? {
    guard kept.count <= 12 else { return nil }
    for later in kept.indices.reversed() {
      for earlier in kept.indices.prefix(later).reversed() {
        guard trials > 0, isTimeLeft() else { return nil }
        trials -= 1
        let fewer = kept.indices.filter { $0 != earlier && $0 != later }.map { kept[$0] }
        if try shows(fewer) { return fewer }
      }
    }
    return nil
  }
}
