package import CacheModel
package import FoundationEssentials
import NIOCore
import Processes

/// An event as it travels: one JSON object with its envelope.
package struct WireMessage: Codable, Hashable, Sendable {
  package var id: UUID
  package var timestamp: Date
  package var libraryID: UUID
  package var epoch: UInt32
  package var sequence: UInt64
  package var kind: Kind
  package var resources: [Resource]
  /// When it was made and sent; `nil` if a driver in the same process knows.
  package var stamps: Stamps?

  /// Instants of ``MonotonicClock``, in nanoseconds.
  package struct Stamps: Codable, Hashable, Sendable {
    /// When the arrival process wanted the change sent.
    package var intended: Int64
    /// When the device sent it.
    package var sent: Int64
    /// When the server had given it its position and notified its subscribers.
    package var published: Int64
  }

  package enum Kind: String, Codable, Sendable {
    case resourceChanged = "resource_changed"
    case resourceBatchChanged = "resource_batch_changed"
  }

  package struct Resource: Codable, Hashable, Sendable {
    package var clock: UInt64
    package var device: UInt64
    package var value: FilePayload
  }
}

/// Turns the bytes of messages into what a cache receives.
///
/// One per task: it has a JSON decoder.
package struct WireDecoder: Sendable {
  private let decoder = JSONDecoder()

  package init() {
    decoder.dateDecodingStrategy = .iso8601
  }

  /// - Throws: `DecodingError` for bytes that are no file.
  package func file(from bytes: Data) throws -> FilePayload {
    try decoder.decode(FilePayload.self, from: bytes)
  }

  /// - Throws: `DecodingError` for bytes that are no message, ``SyncProtocolError`` for a message that
  ///   says nothing.
  package func envelope(from bytes: Data) throws -> EventEnvelope<FilePayload> {
    try decoder.decode(WireMessage.self, from: bytes).envelope()
  }
}

extension WireMessage {
  /// The event as a cache receives it.
  ///
  /// - Throws: ``SyncProtocolError/malformed(_:)`` for a message that says nothing.
  package func envelope() throws(SyncProtocolError) -> EventEnvelope<FilePayload> {
    let place = EventPlace(library: libraryID, epoch: epoch, sequence: sequence)
    switch kind {
    case .resourceChanged:
      guard let resource = resources.first, resources.count == 1 else {
        throw .malformed(
          "a resource_changed message carries \(resources.count) resources; it must carry exactly 1"
        )
      }
      return EventEnvelope(place: place, event: .changed(resource.entity))
    case .resourceBatchChanged:
      return EventEnvelope(place: place, event: .batchChanged(resources.map(\.entity)))
    }
  }
}

extension EventPlace {
  /// A place in the only stream of a library.
  init(library: UUID, epoch: UInt32, sequence: UInt64) {
    self.init(
      stream: StreamID(library: LibraryID(rawValue: UniqueID(library))),
      position: StreamPosition(epoch: epoch, sequence: sequence))
  }
}

extension WireMessage.Resource {
  package init(_ entity: VersionedEntity<FilePayload>) {
    self.init(
      clock: entity.version.clock, device: entity.version.device, value: entity.payload)
  }

  package var entity: VersionedEntity<FilePayload> {
    VersionedEntity(
      key: EntityKey(type: FileLibrary.fileType, id: UniqueID(value.id)),
      version: Version(clock: clock, device: device), payload: value)
  }
}

/// Writes messages, and single files as a server would send them.
package struct WireEncoder {
  private let encoder = JSONEncoder()

  package init() {
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  package func bytes(of message: WireMessage) throws -> Data { try encoder.encode(message) }

  package func bytes(of file: FilePayload) throws -> Data { try encoder.encode(file) }
}

/// Cuts a stream of bytes into lines, and gives up on a peer whose line is too long.
///
/// Holds at most one line that has not ended. After it has given up, it passes on nothing more.
final class LineFramer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// A line without its end.
  typealias InboundOut = ByteBuffer

  private let limits: WireLimits
  private var pending = ByteBuffer()
  /// How many bytes of `pending` are known to hold no end of a line.
  private var scanned = 0
  private var hasGivenUp = false

  init(limits: WireLimits) {
    self.limits = limits
  }

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    guard !hasGivenUp else { return }
    var bytes = unwrapInboundIn(data)
    if pending.readableBytes == 0 {
      pending = bytes
    } else {
      pending.writeBuffer(&bytes)
    }
    while let length = lengthOfLine() {
      guard length <= limits.lineBytes else { break }
      guard let line = pending.readSlice(length: length) else { return }
      pending.moveReaderIndex(forwardBy: 1)
      scanned = 0
      context.fireChannelRead(wrapInboundOut(line))
      guard !hasGivenUp else { return }
    }
    guard pending.readableBytes <= limits.lineBytes else {
      giveUp(.lineTooLong(limit: limits.lineBytes), context: context)
      return
    }
    if pending.readableBytes == 0 { pending = ByteBuffer() }
  }

  func handlerRemoved(context: ChannelHandlerContext) {
    hasGivenUp = true
    pending = ByteBuffer()
  }

  private func lengthOfLine() -> Int? {
    let view = pending.readableBytesView
    let start = view.index(view.startIndex, offsetBy: scanned)
    guard let end = view[start...].firstIndex(of: UInt8(ascii: "\n")) else {
      scanned = view.count
      return nil
    }
    return view.distance(from: view.startIndex, to: end)
  }

  private func giveUp(_ error: SyncProtocolError, context: ChannelHandlerContext) {
    guard !hasGivenUp else { return }
    hasGivenUp = true
    pending = ByteBuffer()
    context.fireErrorCaught(error)
  }
}

/// What one end of a connection puts up with from the other.
package struct WireLimits: Hashable, Sendable {
  /// The longest line taken, in bytes without its end; a sender of a longer one is disconnected.
  package var lineBytes = 8 << 20
  /// For how long a client believes in a server that says nothing; heartbeats come far more often.
  package var silenceSeconds = 5.0

  package init() {}
}

/// Where a sync server listens.
package enum SyncEndpoint: Hashable, Sendable, LosslessStringConvertible {
  case unix(path: String)
  /// Port 0 lets the system choose.
  case tcp(host: String, port: Int)

  /// The longest path that fits into the address of a Unix socket on every system, in bytes.
  package static let longestPath = 103

  /// Reads `unix:PATH` or `tcp:HOST:PORT`.
  package init?(_ description: String) {
    let parts = description.split(separator: ":", maxSplits: 1)
    guard parts.count == 2 else { return nil }
    switch parts[0] {
    case "unix":
      guard parts[1].utf8.count <= Self.longestPath else { return nil }
      self = .unix(path: String(parts[1]))
    case "tcp":
      guard let colon = parts[1].lastIndex(of: ":"),
        let port = Int(parts[1][parts[1].index(after: colon)...]), (0...65_535).contains(port)
      else { return nil }
      self = .tcp(host: String(parts[1][..<colon]), port: port)
    default:
      return nil
    }
  }

  package var description: String {
    switch self {
    case .unix(let path): "unix:\(path)"
    case .tcp(let host, let port): "tcp:\(host):\(port)"
    }
  }
}
