package import CacheModel
package import FoundationEssentials
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
  /// When it was made and sent; `nil` where a driver in the same process knows.
  package var stamps: Stamps?

  /// Instants of ``MonotonicClock``, in nanoseconds.
  package struct Stamps: Codable, Hashable, Sendable {
    /// When the arrival process wanted the change sent.
    package var intended: Int64
    /// When the device sent it.
    package var sent: Int64
    /// When the server had given it its place and told its subscribers.
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
/// One per task: it holds a JSON decoder.
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
