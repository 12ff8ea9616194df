package import CacheModel
package import NormalizedCache

/// What is on its way from the servers to the client.
package struct Link: Sendable {
  package struct Message: Sendable {
    package var number: Int
    package var server: Int
    package var envelope: EventEnvelope<Note>
  }

  /// In the order in which they were sent.
  package private(set) var messages: [Message] = []
  /// The servers from which nothing comes.
  package private(set) var isCut: [Bool]

  /// The most messages on their way at once; a network that holds more has lost them.
  private static let limit = 512

  init(servers: Int = 3) {
    isCut = Array(repeating: false, count: servers)
  }

  mutating func send(_ message: Message) {
    guard !isCut[message.server], messages.count < Self.limit else { return }
    messages.append(message)
  }

  func message(_ number: Int) -> Message? { messages.first { $0.number == number } }

  /// Takes a message off the way; `nil` where it is not on it.
  mutating func take(_ number: Int) -> Message? {
    messages.firstIndex { $0.number == number }.map { messages.remove(at: $0) }
  }

  mutating func cut(_ server: Int) {
    isCut[server] = true
    messages.removeAll { $0.server == server }
  }

  mutating func restore(_ server: Int) { isCut[server] = false }
}

/// A fetch that the client waits for.
package struct PendingFetch: Sendable {
  package var id: FetchID
  package var request: FetchRequest
  /// The call of the store that sent the request.
  var begun: Int
  /// What the server answered, once it has.
  package var response: FetchResponse<Note>?

  package var target: FetchTarget { request.target }
}

/// What the client asks of a stream that it has lost.
package struct NoteReconcile: Sendable {
  package var id: ReconcileID
  package var stream: StreamID
  package var after: StreamPosition
  package var form: ReconcileForm
}

/// A reconcile that the client waits for.
package struct PendingReconcile: Sendable {
  package var request: NoteReconcile
  package var server: Int
  package var response: ReconcileResponse<Note>?
}
