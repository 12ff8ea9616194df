package import CacheModel

/// The life of one event, in nanoseconds of the run's clock.
///
/// - `intended`: when the arrival process wanted it sent.
/// - `received`: when its bytes lay in the client's inbox; waiting behind earlier events begins here.
/// - `started`: when the client took it from the inbox.
/// - `decoded`: when the typed values existed.
/// - `committed`: when the cache held them, before any observer was told.
/// - `notified`: when the last observer concerned had been told.
package struct EventStamps: Hashable, Sendable {
  package var intended: Instant
  package var received: Instant
  package var started: Instant
  package var decoded: Instant
  package var committed: Instant
  package var notified: Instant

  /// Whether no stamp precedes the one before it.
  package var areMonotone: Bool {
    intended <= received && received <= started && started <= decoded && decoded <= committed
      && committed <= notified
  }

  /// The time that one stage took, in nanoseconds.
  package func nanoseconds(of stage: LatencyStage) -> Int64 {
    let (from, to) =
      switch stage {
      case .decode: (started, decoded)
      case .apply: (decoded, committed)
      case .notify: (committed, notified)
      case .updateToNotify: (received, notified)
      case .serviceTime: (started, notified)
      case .responseTime: (intended, notified)
      }
    return to.nanoseconds - from.nanoseconds
  }
}

/// A part of an event's life.
package enum LatencyStage: Hashable, Sendable, CaseIterable {
  case decode, apply, notify, updateToNotify, serviceTime, responseTime
}
