package import CacheModel
import FoundationEssentials
import NormalizedCache

/// What a sync server decides, without sockets: a message in, actions out.
///
/// It holds a library, gives each mutation the next sequence and version of one stream, tells
/// subscribers, answers queries, and replays what somebody missed from a bounded log. It knows no
/// clock; who calls it says what time it is.
package struct SyncServer: Sendable {
  package typealias ConnectionID = Int

  package enum Action: Sendable {
    case send(SyncMessage, to: ConnectionID)
    /// Make it durable where there is a journal, then tell all of these.
    case publish(WireMessage, to: [ConnectionID])
    /// Say why, where there is a reason, and close.
    case end(ConnectionID, because: SyncProtocolError?)
  }

  package struct Limits: Sendable {
    /// What the log of missed events holds at most.
    package var logEvents = 10_000
    package var logBytes = 32 << 20
    /// Bytes of events in one page of a replay; one event is sent whatever it weighs.
    package var pageBytes = 1 << 20
    /// Mutations whose tokens are remembered, so that each is carried out once.
    package var tokens = 200_000
    package var filesPerMutation = 1_000

    package init() {}
  }

  private let limits: Limits
  private var library: ServedLibrary
  private var log: EventLog
  private var tokens: TokenMemory
  private var roles: [ConnectionID: SyncMessage.Role] = [:]
  private var newcomers: Set<ConnectionID> = []
  /// In the order in which they came.
  private var subscribers: [ConnectionID] = []
  /// The stream's epoch: a server that lost its state would begin a new one.
  package let epoch: UInt32 = 1

  package init(library: FileLibrary, limits: Limits = Limits()) {
    self.limits = limits
    self.library = ServedLibrary(library)
    log = EventLog(maximumEvents: limits.logEvents, maximumBytes: limits.logBytes)
    tokens = TokenMemory(capacity: limits.tokens)
  }

  /// The sequence of the newest event; 0 before the first.
  package var sequence: UInt64 { log.last }

  // MARK: Connections

  package mutating func connect(_ id: ConnectionID) { newcomers.insert(id) }

  package mutating func disconnect(_ id: ConnectionID) {
    newcomers.remove(id)
    roles[id] = nil
    subscribers.removeAll { $0 == id }
  }

  /// Whether a connection has yet to say hello.
  package func isNewcomer(_ id: ConnectionID) -> Bool { newcomers.contains(id) }

  /// How far the stream has come, for every subscriber.
  package func heartbeat() -> [Action] {
    let message = SyncMessage.heartbeat(
      .init(library: library.made.libraryUUID, epoch: epoch, sequence: sequence))
    return subscribers.map { .send(message, to: $0) }
  }

  /// Takes a message; one from a connection that has ended is ignored.
  package mutating func receive(
    _ message: SyncMessage, from id: ConnectionID, at now: Instant
  ) -> [Action] {
    if newcomers.contains(id) { return welcome(message, from: id) }
    guard let role = roles[id] else { return [] }
    switch (message, role) {
    case (.mutation(let mutation), .device):
      return take(mutation, from: id, at: now)
    case (.query(let query), .subscriber), (.query(let query), .reader):
      return [.send(answer(to: query), to: id)]
    case (.resume(let resume), .subscriber):
      return [.send(answer(to: resume), to: id)]
    case (.bye, _):
      disconnect(id)
      return [.end(id, because: nil)]
    default:
      disconnect(id)
      return [.end(id, because: .unexpected("a \(message.name) from a \(role.rawValue)"))]
    }
  }

  private mutating func welcome(_ message: SyncMessage, from id: ConnectionID) -> [Action] {
    guard case .hello(let hello) = message else {
      disconnect(id)
      return [.end(id, because: .unexpected("a \(message.name) before the hello"))]
    }
    guard hello.version == SyncMessage.version else {
      disconnect(id)
      return [
        .end(id, because: .version(theirs: hello.version, ours: SyncMessage.version))
      ]
    }
    newcomers.remove(id)
    roles[id] = hello.role
    if hello.role == .subscriber { subscribers.append(id) }
    let welcome = SyncMessage.Welcome(
      version: SyncMessage.version, library: library.made.libraryUUID, epoch: epoch,
      sequence: sequence)
    return [.send(.welcome(welcome), to: id)]
  }

  // MARK: Mutations

  private mutating func take(
    _ mutation: SyncMessage.Mutation, from id: ConnectionID, at now: Instant
  ) -> [Action] {
    if let known = tokens[mutation.token] {
      return [.send(.accepted(.init(token: mutation.token, sequence: known)), to: id)]
    }
    guard (1...limits.filesPerMutation).contains(mutation.files.count) else {
      disconnect(id)
      return [
        .end(
          id,
          because: .malformed(
            "a mutation of \(mutation.files.count) files; 1 to \(limits.filesPerMutation) are "
              + "taken"))
      ]
    }
    if let objection = library.objection(to: mutation.files) {
      disconnect(id)
      return [.end(id, because: .malformed(objection))]
    }
    let event = event(of: mutation, published: now)
    // Who is told first has a head start; they take turns.
    let first = subscribers.isEmpty ? 0 : Int(event.sequence % UInt64(subscribers.count))
    return [
      .publish(event, to: Array(subscribers[first...] + subscribers[..<first])),
      .send(.accepted(.init(token: mutation.token, sequence: event.sequence)), to: id),
    ]
  }

  private func event(of mutation: SyncMessage.Mutation, published: Instant) -> WireMessage {
    let next = sequence + 1
    let version = FileLibrary.version(ofRevision: Int(next), device: mutation.device)
    return WireMessage(
      id: mutation.token,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(next)),
      libraryID: library.made.libraryUUID, epoch: epoch, sequence: next,
      kind: mutation.files.count == 1 ? .resourceChanged : .resourceBatchChanged,
      resources: mutation.files.map {
        .init(clock: version.clock, device: version.device, value: $0)
      },
      stamps: .init(
        intended: mutation.intended, sent: mutation.sent, published: published.nanoseconds))
  }

  /// Takes an event into the state, once it is durable: one that was just published, or one that an
  /// earlier process left in its journal.
  ///
  /// - Parameters:
  ///   - event: the event.
  ///   - bytes: the length of its line.
  /// - Throws: ``SyncProtocolError`` where it is not the next.
  package mutating func commit(_ event: WireMessage, bytes: Int) throws(SyncProtocolError) {
    guard event.sequence == sequence + 1, event.epoch == epoch,
      library.objection(to: event.resources.map(\.value)) == nil
    else { throw .unexpected("event \(event.sequence) after event \(sequence)") }
    for resource in event.resources { library.take(resource.entity) }
    log.append(event, bytes: bytes)
    tokens.remember(event.id, sequence: event.sequence)
  }

  // MARK: Questions

  private func answer(to query: SyncMessage.Query) -> SyncMessage {
    let found: [VersionedEntity<FilePayload>]?
    if let directory = query.directory {
      found = library.files(ofDirectory: directory)
    } else if let file = query.file {
      found = library.file(file).map { [$0] } ?? []
    } else {
      found = nil
    }
    guard let found else {
      return .failure(.init(id: query.id, reason: "the query names no directory of this library"))
    }
    return .rows(
      .init(
        id: query.id, epoch: epoch, sequence: sequence,
        resources: found.map(WireMessage.Resource.init)))
  }

  private func answer(to resume: SyncMessage.Resume) -> SyncMessage {
    guard resume.epoch == epoch,
      let page = log.page(after: resume.after, maximumBytes: limits.pageBytes)
    else {
      return .refetch(.init(id: resume.id, epoch: epoch, sequence: sequence))
    }
    let through = page.last?.sequence ?? resume.after
    return .replay(
      .init(
        id: resume.id, events: page, epoch: epoch, through: through,
        hasMore: through < sequence))
  }
}
