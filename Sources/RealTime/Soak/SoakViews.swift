import CacheModel
import NormalizedCache
import Synchronization

/// What is on screen: each listing as it was when it was last drawn.
final class SoakViews: Sendable {
  private struct State {
    var changed: Set<QueryKey> = []
    var shown: [QueryKey: [Version]] = [:]
  }

  private let state = Mutex(State())

  var isIdle: Bool { state.withLock { $0.changed.isEmpty } }

  func mark(_ key: QueryKey) { state.withLock { _ = $0.changed.insert(key) } }

  func isMarked(_ key: QueryKey) -> Bool { state.withLock { $0.changed.contains(key) } }

  func take() -> Set<QueryKey> {
    state.withLock { state in
      defer { state.changed = [] }
      return state.changed
    }
  }

  func draw(_ key: QueryKey, _ rows: [VersionedEntity<FilePayload>]) {
    state.withLock { $0.shown[key] = rows.map(\.version) }
  }

  func shown(_ key: QueryKey) -> [Version] { state.withLock { $0.shown[key] ?? [] } }
}

extension NormalizedCache where Schema == MeasurementSchema {
  /// Whether a view shows what the cache has; `nil` where it was told that it does not.
  ///
  /// In one turn of the actor, on which observers are called too, so that nothing comes between.
  func isShown(_ key: QueryKey, in views: SoakViews) -> Bool? {
    views.isMarked(key) ? nil : views.shown(key) == rows(of: key).map(\.version)
  }
}
