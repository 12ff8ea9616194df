package import CacheModel
package import FoundationEssentials
import NIOCore
import Processes

/// An encoded event: one JSON object with its envelope.
package struct WireMessage: Codable, Hashable, Sendable {
  package var id: UUID
  package var timestamp: Date
  package var libraryID: UUID
  package var epoch: UInt32
  package var sequence: UInt64
  package var kind: Kind
  package var resources: [Resource]
  /// The times of its creation and sending; `nil` if a driver in the same process has them.
  package var stamps: Stamps?

  /// Instants of ``MonotonicClock``, in nanoseconds.
  package struct Stamps: Codable, Hashable, Sendable {
    /// The send time according to the arrival process.
    package var intended: Int64
    /// The time when the device sent it.
    package var sent: Int64
    /// The time when the server had assigned its position and notified its subscribers.
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

/// Decodes messages into a cache's input.
///
/// It has a JSON decoder, so each task needs its own.
package struct WireDecoder: Sendable {
  private let decoder = JSONDecoder()

  package init() {
    decoder.dateDecodingStrategy = .iso8601
  }

  /// - Throws: `DecodingError` for bytes that are no file.
  package func file(from bytes: Data) throws -> FilePayload {
    try decoder.decode(FilePayload.self, from: bytes)
  }

  /// - Throws: `DecodingError` for bytes that are no message, ``SyncProtocolError`` for a message without
  ///   content.
  package func envelope(from bytes: Data) throws -> EventEnvelope<FilePayload> {
    try decoder.decode(WireMessage.self, from: bytes).envelope()
  }
}

extension WireMessage {
  /// Returns the event as a cache receives it.
  ///
  /// - Throws: ``SyncProtocolError/malformed(_:)`` for a message without content.
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
  /// Creates a position in the only stream of a library.
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

/// Encodes messages, and single files as a server sends them.
package struct WireEncoder {
  private let encoder = JSONEncoder()

  package init() {
    encoder.dateEncodingStrategy = .iso8601
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
  }

  package func bytes(of message: WireMessage) throws -> Data { try encoder.encode(message) }

  package func bytes(of file: FilePayload) throws -> Data { try encoder.encode(file) }
}

/// Splits a stream of bytes into lines, and fails for a peer whose line is too long.
///
/// It buffers at most one incomplete line. After a failure, it forwards nothing more.
final class LineFramer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer
  /// A line without its terminator.
  typealias InboundOut = ByteBuffer

  private let limits: WireLimits
  private var pending = ByteBuffer()
  /// The number of bytes of `pending` that are known to contain no terminator.
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

/// The limits of a connection's end for its peer.
package struct WireLimits: Hashable, Sendable {
  /// The maximum length of a line, in bytes without its terminator; the sender of a longer one is
  /// disconnected.
  package var lineBytes = 8 << 20
  /// The timeout of a client for a silent server; heartbeats are much more frequent.
  package var silenceSeconds = 5.0

  package init() {}
}

/// The address of a sync server.
package enum SyncEndpoint: Hashable, Sendable, LosslessStringConvertible {
  case unix(path: String)
  /// Port 0 lets the system choose.
  case tcp(host: String, port: Int)

  /// The maximum length of a path that fits into the address of a Unix socket on every system, in bytes.
  package static let longestPath = 103

  /// Parses `unix:PATH` or `tcp:HOST:PORT`.
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
