package import CacheModel
package import FoundationEssentials
import NIOCore
import NIOPosix
package import NormalizedCache
import Synchronization

/// A client of a sync server on one connection, which sends requests and receives events.
///
/// One task executes ``run(_:)``, which decodes every line outside of the listener's actor, and long ones
/// outside of the shared thread pool too. Any task may send requests.
package final class SyncClient: Sendable {
  /// Receives a client's messages, in order; each call ends before the next line is decoded.
  package protocol Listener: Sendable {
    /// Notes the connection, and the present position of the stream.
    func welcomed(at place: EventPlace) async
    func heartbeat(_ place: EventPlace) async
    func received(_ event: ArrivedEvent) async
  }

  private struct State {
    /// The connection, once the server has sent the welcome.
    var connection: SyncConnection?
    var isStopped = false
    var lastRequest: UInt64 = 0
    var pending: [UInt64: CheckedContinuation<SyncMessage, any Error>] = [:]
  }

  private let state = Mutex(State())
  private let endpoint: SyncEndpoint
  private let name: String
  private let limits: WireLimits
  private let clock = MonotonicClock()

  private let background = BackgroundThread()

  /// The maximum size of a line, in bytes, that is decoded on the shared thread pool, in a millisecond or
  /// two.
  private static let longestShort = 32 << 10

  /// - Parameters:
  ///   - endpoint: the address of the server.
  ///   - name: the client's name.
  ///   - limits: the limits for the server.
  package init(endpoint: SyncEndpoint, name: String, limits: WireLimits) {
    self.endpoint = endpoint
    self.name = name
    self.limits = limits
  }

  /// Whether the connection is established, including the server's welcome.
  package var isConnected: Bool { state.withLock { $0.connection != nil } }

  // MARK: Asking

  /// Sends a request and waits for its answer; fails if the connection ends before.
  ///
  /// - Throws: ``SyncProtocolError``.
  func request(_ make: @Sendable (_ id: UInt64) -> SyncMessage) async throws -> SyncMessage {
    let answer = try await withCheckedThrowingContinuation { continuation in
      let (connection, id) = state.withLock { state -> (SyncConnection?, UInt64) in
        state.lastRequest += 1
        if state.connection != nil { state.pending[state.lastRequest] = continuation }
        return (state.connection, state.lastRequest)
      }
      do {
        guard let connection else { throw SyncProtocolError.closed }
        try connection.send(make(id))
      } catch {
        let isOurs =
          connection == nil || state.withLock { $0.pending.removeValue(forKey: id) } != nil
        if isOurs { continuation.resume(throwing: error) }
      }
    }
    if case .failure(let failure) = answer { throw SyncProtocolError.refused(failure.reason) }
    return answer
  }

  // MARK: Listening

  /// Connects, on its own event loop, and receives messages until it is stopped.
  ///
  /// - Throws: ``SyncProtocolError`` if the server does not answer, refuses, or ends the connection;
  ///   `CancellationError`.
  package func run(_ listener: some Listener) async throws {
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let result: Result<Void, any Error>
    do {
      result = .success(try await run(listener, on: group))
    } catch {
      result = .failure(error)
    }
    try? await group.shutdownGracefully()
    try result.get()
  }

  private func run(
    _ listener: some Listener, on group: MultiThreadedEventLoopGroup
  ) async throws {
    let connection: SyncConnection
    do {
      connection = try await SyncConnection.open(to: endpoint, on: group.next(), limits: limits)
    } catch {
      throw SyncProtocolError.unreachable("\(endpoint)")
    }
    do {
      try connection.send(
        .hello(.init(version: SyncMessage.version, role: .subscriber, name: name)))
      try await listen(on: connection, listener)
      throw SyncProtocolError.closed
    } catch {
      if await drop(connection) { return }
      try Task.checkCancellation()
      throw error
    }
  }

  /// Ends ``run(_:)`` in order.
  package func stop() {
    let connection = state.withLock { state in
      state.isStopped = true
      return state.connection
    }
    connection?.endInbox()
  }

  /// Returns when the server has ended the connection in order, or this client was stopped.
  private func listen(on connection: SyncConnection, _ listener: some Listener) async throws {
    let decoder = SyncDecoder()
    for try await line in connection.inbox {
      let taken = clock.now
      let (message, envelope) = try await decoded(line.bytes, by: decoder)
      switch message {
      case .event(let message):
        guard let envelope else { continue }
        await listener.received(
          ArrivedEvent(
            message: message, envelope: envelope, received: line.received, taken: taken,
            decoded: clock.now))
      case .welcome(let welcome):
        guard welcome.version == SyncMessage.version else {
          throw SyncProtocolError.version(theirs: welcome.version, ours: SyncMessage.version)
        }
        let isStopped = state.withLock { state in
          state.connection = connection
          return state.isStopped
        }
        // The client was stopped before it had a connection to close.
        if isStopped { return }
        await listener.welcomed(
          at: EventPlace(
            library: welcome.library, epoch: welcome.epoch, sequence: welcome.sequence))
      case .heartbeat(let beat):
        await listener.heartbeat(
          EventPlace(library: beat.library, epoch: beat.epoch, sequence: beat.sequence))
      case .rows(let rows): answer(rows.id, message)
      case .failure(let failure):
        guard let id = failure.id else { throw SyncProtocolError.refused(failure.reason) }
        answer(id, message)
      case .bye: return
      case .hello, .query, .mutation, .accepted:
        throw SyncProtocolError.unexpected("a \(message.name) from a server")
      }
    }
  }

  /// Returns a message, with the decoded event if it is one; a long one is decoded on a background thread.
  private func decoded(
    _ bytes: Data, by decoder: SyncDecoder
  ) async throws -> (SyncMessage, EventEnvelope<FilePayload>?) {
    func decode(_ decoder: SyncDecoder) throws -> (SyncMessage, EventEnvelope<FilePayload>?) {
      let message = try decoder.message(from: bytes)
      guard case .event(let event) = message else { return (message, nil) }
      return (message, try event.envelope())
    }
    guard bytes.count > Self.longestShort else { return try decode(decoder) }
    return try await withTaskExecutorPreference(background) { try decode(SyncDecoder()) }
  }

  private func answer(_ id: UInt64, _ message: SyncMessage) {
    state.withLock { $0.pending.removeValue(forKey: id) }?.resume(returning: message)
  }

  /// Closes the connection, and fails all pending requests.
  ///
  /// - Returns: whether this client was stopped; the server is notified.
  private func drop(_ connection: SyncConnection) async -> Bool {
    let (pending, isStopped) = state.withLock { state in
      defer {
        state.connection = nil
        state.pending = [:]
      }
      return (state.pending, state.isStopped)
    }
    if isStopped { await connection.close() } else { connection.cut() }
    for continuation in pending.values { continuation.resume(throwing: SyncProtocolError.closed) }
    return isStopped
  }
}

/// A decoded event with the times of its arrival.
package struct ArrivedEvent: Sendable {
  package var message: WireMessage
  package var envelope: EventEnvelope<FilePayload>
  /// The times when its line arrived in the inbox, was taken from it, and was decoded.
  package var received: Instant
  package var taken: Instant
  package var decoded: Instant
}

/// The source of a cache whose server is at the other end of a socket.
package struct SyncSource: CacheSource {
  package typealias Change = FileChange

  private let client: SyncClient
  private let directoryOfQuery: [QueryKey: UUID]

  package init(client: SyncClient, library: FileLibrary) {
    self.client = client
    directoryOfQuery = Dictionary(
      zip(library.queryKeys, library.directoryIDs), uniquingKeysWith: { first, _ in first })
  }

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw SyncProtocolError.unexpected("a request for \(request.target)")
    }
    return try await files(ofDirectory: directory, library: key.library)
  }

  /// Returns a directory's files from the server.
  package func files(
    ofDirectory directory: UUID, library: LibraryID
  ) async throws -> FetchResponse<FilePayload> {
    let answer = try await client.request { .query(.init(id: $0, directory: directory)) }
    guard case .rows(let rows) = answer else {
      throw SyncProtocolError.unexpected("a \(answer.name) as the answer to a query")
    }
    return FetchResponse(
      entities: rows.resources.map(\.entity), hasMore: false,
      place: EventPlace(
        stream: StreamID(library: library),
        position: StreamPosition(epoch: rows.epoch, sequence: rows.sequence)))
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    // One connection sends every event in order, so no replay is needed.
    throw SyncProtocolError.unexpected("a request for events after \(position)")
  }
}
