import CacheModel
import FoundationEssentials
import Testing

@testable import RealTime

@Suite("Messages of the sync protocol")
struct SyncMessageTests {
  private static let library = FileLibrary(directories: 2, filesPerDirectory: 3, seed: 1)

  private static let event = WireMessage(
    id: library.fileIDs[0], timestamp: Date(timeIntervalSince1970: 1_700_000_000),
    libraryID: library.libraryUUID, epoch: 1, sequence: 7, kind: .resourceChanged,
    resources: [.init(library.entity(file: 0, revision: 7))],
    stamps: .init(intended: 1, sent: 2, published: 3))

  static let all: [SyncMessage] = [
    .hello(.init(version: 1, role: .subscriber, name: "a \"client\"\nof two lines")),
    .welcome(.init(version: 1, library: library.libraryUUID, epoch: 1, sequence: .max)),
    .query(.init(id: 1, directory: library.directoryIDs[0])),
    .rows(.init(id: 1, epoch: 1, sequence: 7, resources: event.resources)),
    .mutation(
      .init(
        token: library.fileIDs[1], intended: .min, sent: .max, device: 3,
        files: [library.payload(ofFile: 1, revision: 1)])),
    .accepted(.init(token: library.fileIDs[1], sequence: 8)),
    .event(event),
    .heartbeat(.init(library: library.libraryUUID, epoch: 1, sequence: 7)),
    .failure(.init(id: nil, reason: "no")), .failure(.init(id: 4, reason: "ä\u{2028}b")),
    .bye,
  ]

  @Test("Every kind comes back as it was sent, on one line", arguments: all.indices)
  func roundTrip(index: Int) throws {
    let message = Self.all[index]
    let line = try SyncEncoder().line(of: message)
    #expect(line.count { $0 == UInt8(ascii: "\n") } == 1)
    #expect(line.last == UInt8(ascii: "\n"))
    let back = try SyncDecoder().message(from: line.dropLast())
    #expect(back.name == message.name)
    // The encoder sorts nothing, so the values are compared by a second round.
    #expect(try Self.object(back) == Self.object(message))
  }

  private static func object(_ message: SyncMessage) throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    return try encoder.encode(message)
  }

  @Test("An unknown kind is an error that names it, and not more of it than fits in a line")
  func unknownKind() throws {
    #expect(throws: SyncProtocolError.unknownKind("gossip")) {
      try SyncDecoder().message(from: Data("{\"kind\":\"gossip\",\"id\":1}".utf8))
    }
    let long = String(repeating: "x", count: 10_000)
    #expect(throws: SyncProtocolError.unknownKind(String(long.prefix(64)))) {
      try SyncDecoder().message(from: Data("{\"kind\":\"\(long)\"}".utf8))
    }
  }

  @Test(
    "An invalid message is refused in one short line",
    arguments: [
      "", " ", "{", "[]", "null", "7", "{}", "{\"kind\":7}", "{\"kind\":\"query\"}",
      "{\"kind\":\"mutation\",\"files\":[{}]}", "{\"kind\":\"hello\",\"version\":1e99}",
      "{\"kind\":\"resource_changed\"}", "\u{0}", "{\"kind\":\"accepted\",\"token\":\"no\"}",
      "[[[[",
    ])
  func malformed(text: String) throws {
    // Deep enough to end a careless parser.
    let text = text == "[[[[" ? String(repeating: "[", count: 100_000) : text
    let error = try #require(throws: SyncProtocolError.self) {
      try SyncDecoder().message(from: Data(text.utf8))
    }
    guard case .malformed(let detail) = error else {
      Issue.record("\(error)")
      return
    }
    #expect(detail.utf8.count <= 400 && !detail.contains("\n"))
  }

  @Test("A missing field is named, with its place")
  func place() {
    #expect(throws: SyncProtocolError.malformed("\"clock\" is missing, at resources.Index 0")) {
      try SyncDecoder().message(
        from: Data(
          #"{"kind":"rows","id":1,"epoch":1,"sequence":1,"resources":[{"device":1}]}"#.utf8))
    }
  }

  @Test(
    "Endpoints are written as they are read",
    arguments: ["unix:/a b/s.sock", "tcp:127.0.0.1:0", "tcp:::1:65535"])
  func endpoints(text: String) throws {
    #expect(try #require(SyncEndpoint(text)).description == text)
  }

  @Test(
    "An invalid endpoint is refused",
    arguments: [
      "", "unix", "tcp:", "tcp:host", "tcp:host:", "tcp:host:65536", "tcp:host:-1", "udp:a:1",
      "unix:/" + String(repeating: "x", count: 103),
    ])
  func noEndpoint(text: String) {
    #expect(SyncEndpoint(text) == nil)
  }
}
