import CacheModel
import Dispatch
import Synchronization

/// The views that are open, when their tables were last written, and how long they waited.
///
/// Views come and go on any thread, and must not keep the repository alive.
final class ViewRegistry: Sendable {
  private struct State {
    var endings: [Int: @Sendable () -> Void] = [:]
    var lastView = 0
    var hasEnded = false
    var committedAt: [TextKey: Instant] = [:]
    var latencies = DurationSummary()
  }

  /// Where views get their rows.
  let queue = DispatchQueue(label: "tidemark.repository.views")
  private let state = Mutex(State())

  var latencies: DurationSummary { state.withLock { $0.latencies } }

  /// Takes what ends a view; `nil`: it has to end now.
  func add(_ ending: @escaping @Sendable () -> Void) -> Int? {
    state.withLock { state in
      guard !state.hasEnded else { return nil }
      state.lastView += 1
      state.endings[state.lastView] = ending
      return state.lastView
    }
  }

  func remove(_ view: Int) {
    state.withLock { _ = $0.endings.removeValue(forKey: view) }
  }

  /// Ends all views, those to come too.
  func end() {
    let endings = state.withLock { state in
      defer { state.endings = [:] }
      state.hasEnded = true
      return state.endings
    }
    for ending in endings.values { ending() }
  }

  func committed(_ table: TextKey, at now: Instant) {
    state.withLock { $0.committedAt[table] = now }
  }

  /// A view has rows that are not its first.
  ///
  /// - Parameters:
  ///   - table: whose rows.
  ///   - since: the write that the view last had; the same one is not counted twice.
  ///   - now: the time.
  /// - Returns: the write that it has now.
  func delivered(_ table: TextKey, since: Instant?, at now: Instant) -> Instant? {
    state.withLock { state in
      guard let committed = state.committedAt[table], committed != since else { return since }
      state.latencies.add(committed.duration(to: now))
      return committed
    }
  }
}
