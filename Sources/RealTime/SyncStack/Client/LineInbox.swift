import CacheModel
import FoundationEssentials
import Synchronization

/// A line as it lay in the client's hands before anything was made of it.
struct ReceivedLine: Sendable {
  var bytes: Data
  var received: Instant
}

/// The lines between a socket and the one task that decodes them; a bounded number.
///
/// When it is full the socket is no longer read, so that the system's buffers fill and the server
/// learns of it. It is read again when half is taken.
final class LineInbox: Sendable {
  private struct State {
    var lines: [ReceivedLine] = []
    /// Taken already.
    var taken = 0
    var bytes = 0
    var isHeld = false
    var end: Result<Void, SyncProtocolError>?
    var waiter: CheckedContinuation<Void, Never>?
  }

  private let state = Mutex(State())
  private let maximumLines: Int
  private let maximumBytes: Int
  private let resumeReading: @Sendable () -> Void

  /// Makes an empty inbox.
  ///
  /// - Parameters:
  ///   - limits: how much it holds.
  ///   - resumeReading: called when there is room again after ``isFull()`` held the socket.
  init(limits: WireLimits, resumeReading: @escaping @Sendable () -> Void) {
    maximumLines = limits.inboxLines
    maximumBytes = limits.inboxBytes
    self.resumeReading = resumeReading
  }

  /// Takes a line from the socket; what was read already is always taken.
  func offer(_ line: ReceivedLine) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      guard state.end == nil else { return nil }
      state.lines.append(line)
      state.bytes += line.bytes.count
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// Whether the socket must not be read now; it will be said when it may.
  func isFull() -> Bool {
    state.withLock { state in
      let isFull =
        state.lines.count - state.taken >= maximumLines || state.bytes >= maximumBytes
      state.isHeld = state.isHeld || isFull
      return isFull
    }
  }

  /// How many lines are not taken yet.
  var waiting: Int { state.withLock { $0.lines.count - $0.taken } }

  /// No more lines come; those that did are still handed out.
  func finish(_ end: Result<Void, SyncProtocolError>) {
    let waiter = state.withLock { state -> CheckedContinuation<Void, Never>? in
      if state.end == nil { state.end = end }
      return state.waiter.take()
    }
    waiter?.resume()
  }

  /// The next line, when there is one; `nil` at an orderly end.
  ///
  /// One task at a time may ask.
  ///
  /// - Throws: ``SyncProtocolError`` at any other end, or where the task is cancelled.
  func next() async throws(SyncProtocolError) -> ReceivedLine? {
    while true {
      if let line = takeLine() { return line }
      if let end = state.withLock({ $0.end }) {
        // A line may have come between the two questions, but none comes after the end.
        if let line = takeLine() { return line }
        try end.get()
        return nil
      }
      await withTaskCancellationHandler {
        await withCheckedContinuation { continuation in
          let isReady = state.withLock { state in
            guard state.taken == state.lines.count, state.end == nil else { return true }
            state.waiter = continuation
            return false
          }
          if isReady { continuation.resume() }
        }
      } onCancel: {
        finish(.failure(.closed))
      }
    }
  }

  private func takeLine() -> ReceivedLine? {
    let (line, isRoomAgain) = state.withLock { state -> (ReceivedLine?, Bool) in
      guard state.taken < state.lines.count else { return (nil, false) }
      let line = state.lines[state.taken]
      state.taken += 1
      state.bytes -= line.bytes.count
      // What was taken is let go in batches: removing from the front costs the rest.
      if state.taken == state.lines.count {
        state.lines.removeAll(keepingCapacity: true)
        state.taken = 0
      } else if state.taken >= 256 {
        state.lines.removeFirst(state.taken)
        state.taken = 0
      }
      let isRoomAgain =
        state.isHeld && state.lines.count - state.taken <= maximumLines / 2
        && state.bytes <= maximumBytes / 2
      if isRoomAgain { state.isHeld = false }
      return (line, isRoomAgain)
    }
    if isRoomAgain { resumeReading() }
    return line
  }
}
