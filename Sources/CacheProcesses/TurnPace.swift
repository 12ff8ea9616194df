/// How many turns processes were told, and how long that took on this machine: for people, never a result.
package final class TurnPace {
  package private(set) var turns = 0
  private let start = ContinuousClock.now

  package init() {}

  func note() { turns += 1 }

  /// So far, of the time since it was made.
  package var words: String {
    let seconds = start.duration(to: .now) / .seconds(1)
    let pace = seconds > 0 ? Int((Double(turns) / seconds).rounded()) : 0
    return "\(turns) turns in \(Int((seconds * 1_000).rounded())) ms, \(pace) turns/s"
  }
}
