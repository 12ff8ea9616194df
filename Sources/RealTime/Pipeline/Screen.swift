import CacheModel
import NormalizedCache
import Synchronization

/// What has changed since the last frame, and which events changed it.
///
/// Filled on the cache's actor, emptied on the main actor.
final class Screen: Sendable {
  /// An event on its way to the screen.
  struct Waiting: Sendable {
    var stamps: PipelineStamps
    /// Its place among the events of the run.
    var sequence: UInt64
  }

  private struct State {
    var changed: [QueryKey] = []
    var isChanged: Set<QueryKey> = []
    var waiting: [Waiting] = []
    var drawn: [Waiting] = []
    var checksum: Int64 = 0
  }

  private let state = Mutex(State())

  /// An observer was told that a query's rows are others.
  func mark(_ key: QueryKey) {
    state.withLock { state in
      if state.isChanged.insert(key).inserted { state.changed.append(key) }
    }
  }

  /// All observers have been told of an event.
  func expect(_ event: Waiting) {
    state.withLock { $0.waiting.append(event) }
  }

  /// What the next frame draws; from now on it belongs to that frame.
  func take() -> (changed: [QueryKey], events: [Waiting]) {
    state.withLock { state in
      let taken = (state.changed, state.waiting)
      state.changed.removeAll(keepingCapacity: true)
      state.isChanged.removeAll(keepingCapacity: true)
      state.waiting.removeAll(keepingCapacity: true)
      return taken
    }
  }

  /// A frame is done.
  func finish(_ events: [Waiting], began: Instant, drawn: Instant, checksum: Int64) {
    state.withLock { state in
      // Drawing reads every visible row; without a use of what it read, it need not.
      state.checksum &+= checksum
      for var event in events {
        event.stamps.frameBegan = began
        event.stamps.drawn = drawn
        state.drawn.append(event)
      }
    }
  }

  /// The events that have been drawn, in the order of the stream.
  var drawn: [Waiting] { state.withLock { $0.drawn }.sorted { $0.sequence < $1.sequence } }

  var drawnCount: Int { state.withLock { $0.drawn.count } }

  /// Whether nothing waits for a frame.
  var isIdle: Bool { state.withLock { $0.waiting.isEmpty && $0.changed.isEmpty } }
}

/// Draws what changed on the main actor, at the frames of a display.
@MainActor
struct FrameLoop {
  let screen: Screen
  let cache: NormalizedCache<MeasurementSchema>
  let frames: FrameClock
  let clock: MonotonicClock

  /// Draws until it is cancelled; returns every frame that there was.
  ///
  /// A frame that wakes late draws late; it never draws between two frames.
  func run() async -> FrameHistory {
    var history = FrameHistory(clock: frames)
    while true {
      let due = frames.boundary(after: clock.now)
      guard (try? await clock.sleep(until: due)) != nil else { return history }
      let (changed, events) = screen.take()
      let began = clock.now
      history.append(.init(due: due, began: began))
      var checksum: Int64 = 0
      for key in changed {
        for row in await cache.mapRows(of: key, DrawnRow.init) {
          checksum &+= row.size &+ Int64(row.name.utf8.count)
        }
      }
      screen.finish(events, began: began, drawn: clock.now, checksum: checksum)
    }
  }
}

/// What a listing shows of a file: all that a frame takes out of the cache.
private struct DrawnRow: Sendable {
  var name: String
  var size: Int64

  init(_ key: EntityKey, _ version: Version, _ file: FilePayload) {
    name = file.name
    size = file.size
  }
}
