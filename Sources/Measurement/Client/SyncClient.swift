import CacheModel
import FoundationEssentials
import NIOCore
import NormalizedCache
import Synchronization

/// A client of a sync server that outlives its connections: it asks, it is told events, and when the
/// server is gone it knocks until it is back.
///
/// One task runs ``run(_:)``, which decodes every line, off the actor of whoever is told, and long ones
/// off the threads of tasks too. Requests may come from any task.
final class SyncClient: Sendable {
  /// What a client is told, in order; each call ends before the next line is decoded.
  protocol Listener: Sendable {
    /// A connection stands; the stream has come to this place.
    func welcomed(at place: EventPlace) async
    func heartbeat(_ place: EventPlace) async
    func received(_ event: DecodedEvent) async
  }

  private struct State {
    var connection: SyncConnection?
    var isStopped = false
    var connections = 0
    var welcomedAt: UInt64 = 0
    var lastRequest: UInt64 = 0
    var pending: [UInt64: CheckedContinuation<SyncMessage, any Error>] = [:]
  }

  private let state = Mutex(State())
  private let endpoint: SyncEndpoint
  private let role: SyncMessage.Role
  private let name: String
  private let loop: any EventLoop
  private let limits: WireLimits
  private let clock = MonotonicClock()
  /// For how long a server may be gone.
  private let patience: Duration

  private let background = BackgroundThread()

  /// A line of so many bytes is decoded in a millisecond or two; the way to another thread is not
  /// worth it.
  private static let longestShort = 32 << 10
  /// How long an answer may take.
  private static let answerTime = TimeAmount.seconds(30)
  private static let pauses = (
    shortest: Duration.milliseconds(10), longest: Duration.milliseconds(200)
  )

  init(
    endpoint: SyncEndpoint, role: SyncMessage.Role, name: String, on loop: any EventLoop,
    limits: WireLimits, patience: Duration = .seconds(5)
  ) {
    self.endpoint = endpoint
    self.role = role
    self.name = name
    self.loop = loop
    self.limits = limits
    self.patience = patience
  }

  /// How many connections there have been.
  var connections: Int { state.withLock { $0.connections } }

  /// How far the stream had come when the last connection was made.
  var welcomedAt: UInt64 { state.withLock { $0.welcomedAt } }

  // MARK: Asking

  /// Sends a request and waits for its answer; fails when the connection ends before, or it takes too
  /// long.
  ///
  /// - Throws: ``SyncProtocolError``.
  func request(_ make: @Sendable (_ id: UInt64) -> SyncMessage) async throws -> SyncMessage {
    let deadline = Mutex<Scheduled<Void>?>(nil)
    defer { deadline.withLock { $0 }?.cancel() }
    let answer = try await withCheckedThrowingContinuation { continuation in
      let (connection, id) = state.withLock { state -> (SyncConnection?, UInt64) in
        state.lastRequest += 1
        if state.connection != nil { state.pending[state.lastRequest] = continuation }
        return (state.connection, state.lastRequest)
      }
      do {
        guard let connection else { throw SyncProtocolError.closed }
        try connection.send(make(id))
        let scheduled = loop.scheduleTask(in: Self.answerTime) { self.giveUp(on: id) }
        deadline.withLock { $0 = scheduled }
      } catch {
        let isOurs =
          connection == nil || state.withLock { $0.pending.removeValue(forKey: id) } != nil
        if isOurs { continuation.resume(throwing: error) }
      }
    }
    if case .failure(let failure) = answer { throw SyncProtocolError.refused(failure.reason) }
    return answer
  }

  private func giveUp(on id: UInt64) {
    let seconds = Double(Self.answerTime.nanoseconds) / 1e9
    state.withLock { $0.pending.removeValue(forKey: id) }?
      .resume(throwing: SyncProtocolError.unanswered(seconds: seconds))
  }

  // MARK: Listening

  /// Listens until it is stopped.
  ///
  /// - Throws: ``SyncProtocolError`` where the server refuses, or has not welcomed it for too long;
  ///   `CancellationError`.
  func run(_ listener: some Listener) async throws {
    var attempts = Attempts(deadline: clock.now.advanced(by: patience))
    while true {
      let connections = connections
      guard let connection = try await connect(&attempts) else { return }
      do {
        try await listen(on: connection, listener)
        try Task.checkCancellation()
        drop(connection)
        if state.withLock({ $0.isStopped }) { return }
      } catch let error as SyncProtocolError {
        drop(connection)
        try Task.checkCancellation()
        if state.withLock({ $0.isStopped }) { return }
        switch error {
        case .closed, .silent, .lineTooSlow: break
        default: throw error
        }
      }
      if self.connections > connections {
        attempts = Attempts(deadline: clock.now.advanced(by: patience))
      } else {
        // Somebody answered, and did not welcome: as good as nobody.
        try await wait(&attempts)
      }
    }
  }

  /// Ends ``run(_:)`` in order.
  func stop() async {
    let connection = state.withLock { state in
      state.isStopped = true
      return state.connection
    }
    await connection?.close()
  }

  /// Loses the connection, as when the network goes; ``run(_:)`` makes another.
  func cut() { state.withLock { $0.connection }?.cut() }

  /// How often it may knock.
  private struct Attempts {
    var deadline: Instant
    var pause = SyncClient.pauses.shortest
  }

  /// - Returns: `nil` where it was stopped meanwhile.
  private func connect(_ attempts: inout Attempts) async throws -> SyncConnection? {
    while true {
      if state.withLock({ $0.isStopped }) { return nil }
      do {
        let connection = try await SyncConnection.open(to: endpoint, on: loop, limits: limits)
        try connection.send(
          .hello(.init(version: SyncMessage.version, role: role, name: name)))
        return connection
      } catch {
        try await wait(&attempts)
      }
    }
  }

  /// Waits before the next attempt, twice as long each time.
  private func wait(_ attempts: inout Attempts) async throws {
    guard clock.now < attempts.deadline else {
      throw SyncProtocolError.unreachable("\(endpoint)", seconds: patience / .seconds(1))
    }
    try await Task.sleep(for: attempts.pause)
    attempts.pause = min(attempts.pause * 2, Self.pauses.longest)
  }

  private func listen(on connection: SyncConnection, _ listener: some Listener) async throws {
    let decoder = SyncDecoder()
    while let line = try await connection.inbox.next() {
      let taken = clock.now
      let (message, envelope) = try await decoded(line.bytes, by: decoder)
      switch message {
      case .event(let message):
        guard let envelope else { continue }
        await listener.received(
          DecodedEvent(
            message: message, envelope: envelope, received: line.received, taken: taken,
            decoded: clock.now))
      case .welcome(let welcome):
        guard welcome.version == SyncMessage.version else {
          throw SyncProtocolError.version(theirs: welcome.version, ours: SyncMessage.version)
        }
        let isStopped = state.withLock { state in
          state.connection = connection
          state.connections += 1
          state.welcomedAt = welcome.sequence
          return state.isStopped
        }
        // Whoever stopped it meanwhile found no connection to close.
        if isStopped { return }
        await listener.welcomed(
          at: EventPlace(
            library: welcome.library,
            position: StreamPosition(epoch: welcome.epoch, sequence: welcome.sequence)))
      case .heartbeat(let beat):
        await listener.heartbeat(
          EventPlace(
            library: beat.library,
            position: StreamPosition(epoch: beat.epoch, sequence: beat.sequence)))
      case .rows(let rows): answer(rows.id, message)
      case .replay(let replay): answer(replay.id, message)
      case .refetch(let refetch): answer(refetch.id, message)
      case .failure(let failure):
        guard let id = failure.id else { throw SyncProtocolError.refused(failure.reason) }
        answer(id, message)
      case .bye: return
      case .hello, .query, .mutation, .accepted, .resume:
        throw SyncProtocolError.unexpected("a \(message.name) from a server")
      }
    }
  }

  /// A message, and what an app makes of it if it is an event; a long one is decoded by a thread that
  /// keeps nobody.
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

  /// The connection is gone, welcomed or not, and with it every answer that was to come.
  private func drop(_ connection: SyncConnection) {
    let pending = state.withLock { state in
      defer {
        state.connection = nil
        state.pending = [:]
      }
      return state.pending
    }
    connection.cut()
    for continuation in pending.values { continuation.resume(throwing: SyncProtocolError.closed) }
  }
}

/// An event in a client's hands, before it is anybody else's.
struct DecodedEvent: Sendable {
  var message: WireMessage
  var envelope: EventEnvelope<FilePayload>
  /// When its line lay in the inbox, was taken from it, and had become typed values.
  var received: Instant
  var taken: Instant
  var decoded: Instant
}
