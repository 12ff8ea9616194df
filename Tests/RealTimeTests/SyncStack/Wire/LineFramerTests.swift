import CacheModel
import FoundationEssentials
import NIOCore
import NIOEmbedded
import Testing

@testable import RealTime

@Suite("Lines of a stream of bytes")
struct LineFramerTests {
  private static func limits(_ bytes: Int) -> WireLimits {
    var limits = WireLimits()
    limits.lineBytes = bytes
    return limits
  }

  private static func channel(_ limits: WireLimits = limits(100)) -> EmbeddedChannel {
    EmbeddedChannel(handler: LineFramer(limits: limits))
  }

  private static func lines(of channel: EmbeddedChannel) throws -> [String] {
    var lines: [String] = []
    while let line = try channel.readInbound(as: ByteBuffer.self) {
      lines.append(String(buffer: line))
    }
    return lines
  }

  @Test("However the bytes are cut, the lines are the same", arguments: 1...12)
  func chunks(size: Int) throws {
    let channel = Self.channel()
    let text = "one\n\ntwo \u{e4}\nthree\nfour and more"
    var rest = ByteBuffer(string: text)
    while let chunk = rest.readSlice(length: min(size, max(rest.readableBytes, 1))) {
      try channel.writeInbound(chunk)
    }
    #expect(try Self.lines(of: channel) == ["one", "", "two \u{e4}", "three"])
  }

  @Test("Random lines in random pieces come out whole", arguments: 0..<20 as Range<UInt64>)
  func model(seed: UInt64) throws {
    var random = RandomSource(seed: seed)
    let lines = (0..<200).map { _ in String(repeating: "x", count: random.below(80)) }
    var rest = ByteBuffer(string: lines.map { $0 + "\n" }.joined())
    let channel = Self.channel()
    while rest.readableBytes > 0 {
      let length = min(1 + random.below(300), rest.readableBytes)
      let piece = rest.readSlice(length: length)
      try channel.writeInbound(try #require(piece))
    }
    #expect(try Self.lines(of: channel) == lines)
  }

  @Test("A line at the limit is taken, one beyond it is an error, and nothing comes after")
  func tooLong() throws {
    let exact = String(repeating: "x", count: 100)
    let channel = Self.channel()
    try channel.writeInbound(ByteBuffer(string: exact + "\n"))
    #expect(try Self.lines(of: channel) == [exact])
    #expect(throws: SyncProtocolError.lineTooLong(limit: 100)) {
      try channel.writeInbound(ByteBuffer(string: "ok\n" + exact + "y\nmore\n"))
    }
    try channel.writeInbound(ByteBuffer(string: "and more\n"))
    #expect(try Self.lines(of: channel) == ["ok"])
  }

  @Test("A line that never ends is an error as soon as it is too long")
  func endless() throws {
    let channel = Self.channel()
    try channel.writeInbound(ByteBuffer(repeating: 0x78, count: 60))
    #expect(throws: SyncProtocolError.lineTooLong(limit: 100)) {
      try channel.writeInbound(ByteBuffer(repeating: 0x78, count: 60))
    }
  }
}

@Suite("Events on the wire")
struct WireMessageTests {
  private let library = FileLibrary(directories: 1, filesPerDirectory: 2, seed: 1)

  @Test(
    "Bytes that are not a message are refused", arguments: ["", "{", "[]", "{\"id\":1}", "null"])
  func garbage(text: String) {
    #expect(throws: DecodingError.self) {
      try WireDecoder().envelope(from: Data(text.utf8))
    }
  }

  @Test("A change of one resource carries exactly one", arguments: [0, 2])
  func count(resources: Int) throws {
    let resource = WireMessage.Resource(
      clock: 1, device: 1, value: library.payload(ofFile: 0, revision: 0))
    let message = WireMessage(
      id: resource.value.id, timestamp: resource.value.createdAt, libraryID: library.libraryUUID,
      epoch: 1, sequence: 1, kind: .resourceChanged,
      resources: Array(repeating: resource, count: resources))
    let bytes = try WireEncoder().bytes(of: message)
    let error = #expect(throws: SyncProtocolError.self) {
      try WireDecoder().envelope(from: bytes)
    }
    #expect(error?.description.contains("carries \(resources) resources") == true)
  }
}
