import CacheModel
import FoundationEssentials
import Testing

@testable import RealTime

/// Drives a server as a shell does, without sockets.
struct ServerBench {
  let library = FileLibrary(directories: 3, filesPerDirectory: 4, seed: 1)
  var server: SyncServer
  /// The messages sent to each connection, by name.
  private(set) var sent: [Int: [SyncMessage]] = [:]
  private(set) var ended: [Int: SyncProtocolError?] = [:]
  /// Every event that was sent, and its receiver.
  private(set) var published: [(event: WireMessage, to: [Int])] = []
  private var serial = 0

  init(largestMutation: Int = 1_000) {
    server = SyncServer(library: library, largestMutation: largestMutation)
  }

  mutating func join(_ id: Int, as role: SyncMessage.Role, version: Int = 1) throws {
    server.connect(id)
    try say(.hello(.init(version: version, role: role, name: "\(id)")), from: id)
  }

  mutating func say(_ message: SyncMessage, from id: Int) throws {
    try carryOut(server.receive(message, from: id, at: Instant(nanoseconds: 5)))
  }

  mutating func beat() throws { try carryOut(server.heartbeat()) }

  mutating func carryOut(_ actions: [SyncServer.Action]) throws {
    for action in actions {
      switch action {
      case .send(let message, let ids):
        if case .event(let event) = message { published.append((event, ids)) }
        for id in ids { sent[id, default: []].append(message) }
      case .end(let id, let reason): ended[id] = .some(reason)
      }
    }
  }

  /// A device changes one file.
  mutating func change(_ file: Int, by device: Int) throws {
    serial += 1
    try say(mutation([file], device: device), from: device)
  }

  func mutation(_ files: [Int], device: Int) -> SyncMessage {
    .mutation(
      .init(
        token: UUID(), intended: 1, sent: 2, device: UInt64(device),
        files: files.map { library.payload(ofFile: $0, revision: serial) }))
  }

  func names(_ id: Int) -> [String] { sent[id, default: []].map(\.name) }
}

@Suite("Decisions of a sync server")
struct SyncServerTests {
  @Test("Subscribers receive every change, devices the outcome of theirs")
  func roles() throws {
    var bench = ServerBench()
    try bench.join(1, as: .subscriber)
    try bench.join(2, as: .device)
    try bench.change(0, by: 2)
    try bench.change(5, by: 2)
    try bench.beat()
    #expect(
      bench.names(1) == ["welcome", "resource_changed", "resource_changed", "heartbeat"])
    #expect(bench.names(2) == ["welcome", "accepted", "accepted"])
    #expect(bench.published.map(\.event.sequence) == [1, 2])
    #expect(bench.published.allSatisfy { $0.event.stamps?.published == 5 })
  }

  @Test("Versions grow with every change, so a later one always wins")
  func versions() throws {
    var bench = ServerBench()
    try bench.join(2, as: .device)
    try bench.join(9, as: .device)
    for device in [9, 2, 9] { try bench.change(0, by: device) }
    let versions = bench.published.map { $0.event.resources[0].entity.version }
    #expect(versions == versions.sorted() && Set(versions).count == 3)
    #expect(versions[0] > FileLibrary.version(ofRevision: 0))
  }

  @Test("Subscribers take turns in being notified first")
  func turns() throws {
    var bench = ServerBench()
    for id in 1...3 { try bench.join(id, as: .subscriber) }
    try bench.join(4, as: .device)
    for file in 0..<6 { try bench.change(file, by: 4) }
    #expect(bench.published.map { $0.to[0] } == [2, 3, 1, 2, 3, 1])
    #expect(bench.published.allSatisfy { $0.to.sorted() == [1, 2, 3] })
  }

  @Test("A query shows the changes at the position of its read")
  func queries() throws {
    var bench = ServerBench()
    try bench.join(1, as: .subscriber)
    try bench.join(2, as: .device)
    try bench.change(5, by: 2)
    try bench.say(.query(.init(id: 8, directory: bench.library.directoryIDs[1])), from: 1)
    guard case .rows(let rows) = bench.sent[1]?.last else {
      Issue.record("no rows")
      return
    }
    #expect(rows.id == 8 && rows.sequence == 1)
    #expect(
      rows.resources.map(\.value.id) == Array(bench.library.fileIDs[4..<8]))
    #expect(rows.resources[1].entity == bench.published[0].event.resources[0].entity)
    #expect(rows.resources[0].entity == bench.library.entity(file: 4, revision: 0))
  }

  @Test("A question that names nothing is answered so, and the connection stays")
  func nothing() throws {
    var bench = ServerBench()
    try bench.join(1, as: .subscriber)
    try bench.say(.query(.init(id: 1, directory: UUID())), from: 1)
    #expect(bench.names(1) == ["welcome", "failure"])
    #expect(bench.ended.isEmpty)
  }

  @Test("A peer without hello, of another version or out of turn is refused with an error")
  func outOfTurn() throws {
    var bench = ServerBench()
    bench.server.connect(1)
    try bench.say(.bye, from: 1)
    try bench.join(2, as: .device, version: 99)
    try bench.join(3, as: .device)
    try bench.say(.query(.init(id: 1, directory: bench.library.directoryIDs[0])), from: 3)
    try bench.join(4, as: .subscriber)
    try bench.change(0, by: 4)
    try bench.join(5, as: .device)
    try bench.say(.hello(.init(version: 1, role: .device, name: "again")), from: 5)
    #expect(bench.ended.count == 5)
    #expect(bench.ended[1] == .unexpected("a bye before the hello"))
    #expect(bench.ended[2] == .version(theirs: 99, ours: 1))
    #expect(bench.ended[3] == .unexpected("a query from a device"))
    #expect(bench.ended[4] == .unexpected("a mutation from a subscriber"))
    #expect(bench.ended[5] == .unexpected("a hello from a device"))
    // Messages after the end are ignored.
    try bench.change(0, by: 5)
    #expect(bench.published.isEmpty)
  }

  @Test("An empty, too large or impossible mutation changes nothing")
  func badMutations() throws {
    var bench = ServerBench(largestMutation: 3)
    var strange = bench.library.payload(ofFile: 0, revision: 1)
    strange.id = UUID()
    var moved = bench.library.payload(ofFile: 0, revision: 1)
    moved.directoryID = bench.library.directoryIDs[1]
    let known = bench.library.payload(ofFile: 1, revision: 1)
    for (id, files) in [
      [], Array(repeating: known, count: 4), [known, strange], [known, moved],
    ].enumerated() {
      try bench.join(id, as: .device)
      try bench.say(
        .mutation(.init(token: UUID(), intended: 0, sent: 0, device: 1, files: files)), from: id)
      #expect(bench.ended[id] != nil)
    }
    #expect(bench.published.isEmpty && bench.server.sequence == 0)
  }

  @Test("Several files are one event, applied as one")
  func batch() throws {
    var bench = ServerBench()
    try bench.join(1, as: .device)
    try bench.say(bench.mutation([0, 1, 4], device: 1), from: 1)
    #expect(bench.published.map(\.event.kind) == [.resourceBatchChanged])
    #expect(bench.published[0].event.resources.count == 3)
  }
}
