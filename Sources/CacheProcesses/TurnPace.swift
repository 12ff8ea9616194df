import Synchronization

/// How many turns processes were told, and how long that took on this machine: for people, never a result.
///
/// Processes of several runs may be counted at the same time.
package final class TurnPace: Sendable {
  private let total = Mutex((turns: 0, seconds: 0.0))

  package init() {}

  /// Counts a process that has ended.
  func add(turns: Int, seconds: Double) {
    total.withLock {
      $0.turns += turns
      $0.seconds += seconds
    }
  }

  /// Of all processes so far, the time of each from its start to its end.
  package var words: String {
    let (turns, seconds) = total.withLock { $0 }
    let pace = seconds > 0 ? Int((Double(turns) / seconds).rounded()) : 0
    return "\(turns) turns in \(Int((seconds * 1_000).rounded())) ms, \(pace) turns/s"
  }
}
