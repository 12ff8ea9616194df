package import CacheModel
package import FaultSearch
package import NormalizedCache
import Synchronization

/// A server that answers at once and tells every connected device what happens, over the wire.
package actor NoteHost: CacheSource {
  package private(set) var server: NoteServer
  private var connections: [AsyncStream<WireEvent>.Continuation] = []
  package private(set) var fetchCount = 0
  package private(set) var reconcileCount = 0
  package private(set) var sendCount = 0
  /// While it is out of reach every request fails, and no client receives anything.
  package private(set) var isReachable = true
  private var waiting: [CheckedContinuation<Void, Never>] = []
  private var isHolding = false

  package struct OutOfReach: Error, Hashable {}

  package init(_ server: NoteServer = NoteServer()) {
    self.server = server
  }

  // MARK: Requests

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<Note> {
    fetchCount += 1
    if isHolding { await withCheckedContinuation { waiting.append($0) } }
    guard isReachable else { throw OutOfReach() }
    return server.answer(request.target)
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Note> {
    reconcileCount += 1
    guard isReachable else { throw OutOfReach() }
    return server.answer(form, after: position)
  }

  package func send(_ mutation: NoteMutation) async throws -> MutationResponse<Note> {
    sendCount += 1
    guard isReachable else { throw OutOfReach() }
    let (response, events) = server.carryOut(mutation)
    for event in events { tell(event) }
    return response
  }

  /// Lets requests wait until they are released.
  package func hold(_ isHolding: Bool) {
    self.isHolding = isHolding
    guard !isHolding else { return }
    for continuation in waiting { continuation.resume() }
    waiting = []
  }

  package func setReachable(_ isReachable: Bool) { self.isReachable = isReachable }

  // MARK: Events

  /// The events from here on.
  package func connect() -> AsyncStream<WireEvent> {
    let (stream, continuation) = AsyncStream<WireEvent>.makeStream()
    connections.append(continuation)
    return stream
  }

  /// Ends every connection.
  package func disconnect() {
    for connection in connections { connection.finish() }
    connections = []
  }

  /// Writes notes, and tells of it in one event.
  package func write(_ changes: (number: Int, note: Note)...) {
    writeAll(changes)
  }

  /// Writes notes, and tells of it in one event.
  package func writeAll(_ changes: [(number: Int, note: Note)]) {
    tell(server.write(changes.map { (EntityKey.note($0.number), $0.note) }))
  }

  package func delete(_ keys: EntityKey...) {
    for key in keys { tell(server.delete(key)) }
  }

  /// Tells how far the stream has come.
  package func beat() {
    guard isReachable else { return }
    for connection in connections {
      connection.yield(WireEvent(place: server.place, content: .heartbeat))
    }
  }

  private func tell(_ envelope: EventEnvelope<Note>) {
    guard isReachable else { return }
    for connection in connections { connection.yield(NoteWire.event(envelope)) }
  }
}

/// Counts from any thread.
package final class Counter: Sendable {
  private let count = Atomic(0)

  package init() {}

  package var value: Int { count.load(ordering: .acquiring) }

  package func increment() { count.add(1, ordering: .acquiringAndReleasing) }
}
