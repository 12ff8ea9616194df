import CacheModel
import NormalizedCache
import Synchronization

/// From the server to the display: what an event changed is drawn by a task that wakes at 60 Hz.
struct FrameLane {
  private let callbacks: CallbackLane
  private let library: FileLibrary

  /// Both answers to "when was it drawn", measured from the intended sending.
  struct Result: Sendable {
    /// When the frame task had read every row that it draws; the task may wake late.
    var drawn: [Int64]
    /// At the first frame boundary after the notification: what a punctual display would show.
    var boundary: [Int64]
    var history: FrameHistory
  }

  init(lane: Lane, cache: NormalizedCache<MeasurementSchema>, library: FileLibrary) async throws {
    self.library = library
    callbacks = try await CallbackLane(lane: lane, cache: cache, library: library)
  }

  func run(from start: Instant) async throws -> Result {
    let frames = FrameClock(origin: start)
    let done = EventCount()
    async let drawings = draw(frames: frames, done: done)
    let stamps = try await callbacks.run(from: start) { done.set($0) }
    let drawing = try await drawings
    let drawnAt = drawing.drawnAt.dropFirst(callbacks.lane.warmUp)
    return Result(
      drawn: zip(stamps, drawnAt).map { $1.nanoseconds - $0.intended.nanoseconds },
      boundary: stamps.map {
        frames.boundary(after: $0.notified).nanoseconds - $0.intended.nanoseconds
      },
      history: drawing.history)
  }

  /// Draws until every event has been drawn; returns when each was, and every frame.
  private func draw(
    frames: FrameClock, done: EventCount
  ) async throws -> (drawnAt: [Instant], history: FrameHistory) {
    let lane = callbacks.lane
    var drawnAt: [Instant] = []
    var history = FrameHistory(clock: frames)
    var checksum: Int64 = 0
    while drawnAt.count < lane.arrivals.offsets.count {
      let due = frames.boundary(after: lane.clock.now)
      try await lane.clock.sleep(until: due)
      history.append(.init(due: due, began: lane.clock.now))
      let events = drawnAt.count..<done.value
      guard !events.isEmpty else { continue }
      for directory in Set(events.flatMap(lane.script.directories(ofEvent:))).sorted() {
        let key = library.queryKey(ofDirectory: directory)
        for row in await callbacks.cache.mapRows(of: key, DrawnRow.init) {
          checksum &+= row.size &+ Int64(row.name.utf8.count)
        }
      }
      let now = lane.clock.now
      drawnAt.append(contentsOf: repeatElement(now, count: events.count))
    }
    // Drawing reads every visible row; without a use of what it read, it need not.
    done.keep(checksum)
    return (drawnAt, history)
  }
}

/// How many events a client has delivered, as another task may ask.
private final class EventCount: Sendable {
  private let count = Atomic<Int>(0)
  private let kept = Atomic<Int64>(0)

  var value: Int { count.load(ordering: .acquiring) }

  func set(_ value: Int) { count.store(value, ordering: .releasing) }

  func keep(_ value: Int64) { kept.store(value, ordering: .relaxed) }
}
