package import CacheModel
import FoundationEssentials
import NIOCore
import NIOPosix
import NormalizedCache

/// A sync server without sockets: it receives messages and returns actions.
///
/// It has a library, assigns to each mutation the next sequence and version of one stream, notifies
/// subscribers, and answers queries. It has no clock; the caller passes the time.
package struct SyncServer: Sendable {
  package typealias ConnectionID = Int

  package enum Action: Sendable {
    case send(SyncMessage, to: [ConnectionID])
    /// Send the reason, if there is one, and close.
    case end(ConnectionID, because: SyncProtocolError?)
  }

  private let largestMutation: Int
  private var library: ServedLibrary
  private var roles: [ConnectionID: SyncMessage.Role] = [:]
  private var newcomers: Set<ConnectionID> = []
  /// The subscribers in the order of their connections.
  private var subscribers: [ConnectionID] = []
  /// The stream's epoch: a server that lost its state would begin a new one.
  package let epoch: UInt32 = 1
  /// The sequence of the newest event; 0 before the first.
  package private(set) var sequence: UInt64 = 0

  /// - Parameters:
  ///   - library: its initial content.
  ///   - largestMutation: the maximum number of files that a mutation changes.
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

  /// Returns messages to all subscribers with the position of the stream.
  package func heartbeat() -> [Action] {
    let message = SyncMessage.heartbeat(
      .init(library: library.made.libraryUUID, epoch: epoch, sequence: sequence))
    return [.send(message, to: subscribers)]
  }

  /// Processes a message; ignores one from a connection that has ended.
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
    // The first subscriber has an advantage, so they rotate.
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

/// The server's data: a synthetic library with the changes of devices.
struct ServedLibrary: Sendable {
  let made: FileLibrary
  private var changed: [Int: VersionedEntity<FilePayload>] = [:]
  private let fileOfID: [UUID: Int]
  private let directoryOfID: [UUID: Int]

  init(_ library: FileLibrary) {
    made = library
    fileOfID = Self.places(library.fileIDs)
    directoryOfID = Self.places(library.directoryIDs)
  }

  private static func places(_ ids: [UUID]) -> [UUID: Int] {
    Dictionary(ids.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns the files of a directory by name; `nil` if there is no such directory.
  func files(ofDirectory id: UUID) -> [VersionedEntity<FilePayload>]? {
    guard let directory = directoryOfID[id] else { return nil }
    let first = directory * made.filesPerDirectory
    return (first..<first + made.filesPerDirectory).map(entity).sorted {
      $0.payload.name != $1.payload.name ? $0.payload.name < $1.payload.name : $0.key < $1.key
    }
  }

  /// Returns the reason why a change is rejected; `nil` if it is accepted.
  func objection(to files: [FilePayload]) -> String? {
    for payload in files {
      guard let file = fileOfID[payload.id] else { return "there is no file \(payload.id)" }
      guard payload.directoryID == made.directoryIDs[made.directory(ofFile: file)] else {
        return "file \(payload.id) cannot move to directory \(payload.directoryID)"
      }
    }
    return nil
  }

  /// - Precondition: there was no objection.
  mutating func take(_ entity: VersionedEntity<FilePayload>) {
    guard let file = fileOfID[entity.payload.id] else {
      preconditionFailure("there is no file \(entity.payload.id)")
    }
    changed[file] = entity
  }

  private func entity(_ file: Int) -> VersionedEntity<FilePayload> {
    changed[file] ?? made.entity(file: file, revision: 0)
  }
}

/// A sync server that accepts connections on a socket.
package struct SyncService: Sendable {
  /// Its address, with the actual port.
  package let endpoint: SyncEndpoint
  private let group: MultiThreadedEventLoopGroup
  private let channel: any Channel
  private let shell: NIOLoopBound<ServerShell>

  /// The interval of heartbeats to subscribers.
  package static let heartbeatMilliseconds: Int64 = 100

  /// Starts a server.
  ///
  /// - Parameters:
  ///   - endpoint: the address; a Unix socket's path must not exist.
  ///   - server: the server without sockets.
  ///   - limits: the limits for peers.
  ///   - note: receives, in one line, why a connection was ended.
  /// - Returns: the service, which accepts connections.
  /// - Throws: `IOError`.
  package static func start(
    at endpoint: SyncEndpoint, server: SyncServer, limits: WireLimits = WireLimits(),
    note: @escaping @Sendable (String) -> Void = { _ in }
  ) async throws -> SyncService {
    // One loop, so that all connections and their state belong to one thread.
    let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
    let loop = group.next()
    do {
      let shell = try await loop.submit {
        NIOLoopBound(
          ServerShell(server: server, note: note), eventLoop: loop)
      }.get()
      let bootstrap = ServerBootstrap(group: group)
        .serverChannelOption(.backlog, value: 1_024)
        .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
        .childChannelInitializer { channel in
          channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandlers([
              LineFramer(limits: limits), ServerConnection(shell: shell.value),
            ])
            if case .tcp = endpoint {
              try channel.syncOptions?.setOption(.socketOption(.tcp_nodelay), value: 1)
            }
          }
        }
      let channel = try await bind(bootstrap, to: endpoint)
      let interval = TimeAmount.milliseconds(heartbeatMilliseconds)
      loop.scheduleRepeatedTask(initialDelay: interval, delay: interval) { _ in
        shell.value.beat()
      }
      return SyncService(
        endpoint: resolved(endpoint, channel), group: group, channel: channel, shell: shell)
    } catch {
      try? await group.shutdownGracefully()
      throw error
    }
  }

  private static func bind(
    _ bootstrap: ServerBootstrap, to endpoint: SyncEndpoint
  ) async throws -> any Channel {
    switch endpoint {
    case .unix(let path): try await bootstrap.bind(unixDomainSocketPath: path).get()
    case .tcp(let host, let port): try await bootstrap.bind(host: host, port: port).get()
    }
  }

  private static func resolved(_ endpoint: SyncEndpoint, _ channel: any Channel) -> SyncEndpoint {
    guard case .tcp(let host, _) = endpoint, let port = channel.localAddress?.port else {
      return endpoint
    }
    return .tcp(host: host, port: port)
  }

  /// Closes every connection and the socket; removes a Unix socket's file.
  package func stop() async {
    try? await channel.close()
    try? await group.shutdownGracefully()
    if case .unix(let path) = endpoint { try? FileManager.default.removeItem(atPath: path) }
  }
}
