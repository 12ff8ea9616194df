package import CacheModel
import FoundationEssentials
import NormalizedCache

/// What a sync server decides, without sockets: a message in, actions out.
///
/// It holds a library, gives each mutation the next sequence and version of one stream, tells
/// subscribers, and answers queries. It knows no clock; who calls it says what time it is.
package struct SyncServer: Sendable {
  package typealias ConnectionID = Int

  package enum Action: Sendable {
    case send(SyncMessage, to: [ConnectionID])
    /// Say why, where there is a reason, and close.
    case end(ConnectionID, because: SyncProtocolError?)
  }

  private let largestMutation: Int
  private var library: ServedLibrary
  private var roles: [ConnectionID: SyncMessage.Role] = [:]
  private var newcomers: Set<ConnectionID> = []
  /// In the order in which they came.
  private var subscribers: [ConnectionID] = []
  /// The stream's epoch: a server that lost its state would begin a new one.
  package let epoch: UInt32 = 1
  /// The sequence of the newest event; 0 before the first.
  package private(set) var sequence: UInt64 = 0

  /// - Parameters:
  ///   - library: what it holds at first.
  ///   - largestMutation: how many files a mutation may change.
  package init(library: FileLibrary, largestMutation: Int = DevicePlan.largestBatch) {
    self.largestMutation = largestMutation
    self.library = ServedLibrary(library)
  }

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
    return [.send(message, to: subscribers)]
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
    case (.query(let query), .subscriber):
      return [.send(answer(to: query), to: [id])]
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
    return [.send(.welcome(welcome), to: [id])]
  }

  // MARK: Mutations

  private mutating func take(
    _ mutation: SyncMessage.Mutation, from id: ConnectionID, at now: Instant
  ) -> [Action] {
    guard (1...largestMutation).contains(mutation.files.count) else {
      disconnect(id)
      return [
        .end(
          id,
          because: .malformed(
            "a mutation of \(mutation.files.count) files; 1 to \(largestMutation) are "
              + "taken"))
      ]
    }
    if let objection = library.objection(to: mutation.files) {
      disconnect(id)
      return [.end(id, because: .malformed(objection))]
    }
    sequence += 1
    let event = event(of: mutation, published: now)
    for resource in event.resources { library.take(resource.entity) }
    // Who is told first has a head start; they take turns.
    let first = subscribers.isEmpty ? 0 : Int(sequence % UInt64(subscribers.count))
    return [
      .send(.event(event), to: Array(subscribers[first...] + subscribers[..<first])),
      .send(.accepted(.init(token: mutation.token, sequence: sequence)), to: [id]),
    ]
  }

  private func event(of mutation: SyncMessage.Mutation, published: Instant) -> WireMessage {
    let version = FileLibrary.version(ofRevision: Int(sequence), device: mutation.device)
    return WireMessage(
      id: mutation.token,
      timestamp: Date(timeIntervalSince1970: 1_700_000_000 + Double(sequence)),
      libraryID: library.made.libraryUUID, epoch: epoch, sequence: sequence,
      kind: mutation.files.count == 1 ? .resourceChanged : .resourceBatchChanged,
      resources: mutation.files.map {
        .init(clock: version.clock, device: version.device, value: $0)
      },
      stamps: .init(
        intended: mutation.intended, sent: mutation.sent, published: published.nanoseconds))
  }

  // MARK: Questions

  private func answer(to query: SyncMessage.Query) -> SyncMessage {
    guard let files = library.files(ofDirectory: query.directory) else {
      return .failure(.init(id: query.id, reason: "the query names no directory of this library"))
    }
    return .rows(
      .init(
        id: query.id, epoch: epoch, sequence: sequence,
        resources: files.map(WireMessage.Resource.init)))
  }
}
