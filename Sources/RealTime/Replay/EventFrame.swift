import CacheModel
import Foundation
import NormalizedCache
import Workloads

/// The first line of an event's bytes; behind it come the items, one a line.
struct EventFrame: Codable, Sendable {
  var library: [UInt64]
  var epoch: UInt32?
  var sequence: UInt64?
  /// The resource types of the items.
  var types: [UInt16] = []
  var deleted: [Key]?
  var version: [UInt64]?
  var notice: Notice?
  /// What a batch comes from.
  var origin: String?

  struct Key: Codable, Sendable {
    var type: UInt16
    var high: UInt64
    var low: UInt64

    init(_ key: EntityKey) {
      type = key.type.rawValue
      high = key.id.high
      low = key.id.low
    }
  }

  struct Notice: Codable, Sendable {
    var type: UInt16?
    var location: [UInt64]?
    var count: Int
    var token: UInt64
  }

  init(place: EventPlace?) {
    let id = place?.stream.library.rawValue
    library = id.map { [$0.high, $0.low] } ?? []
    epoch = place?.position.epoch
    sequence = place?.position.sequence
  }

  /// Frames the bytes of an event; the items stay bytes.
  ///
  /// - Throws: `DecodingError` where the first line is no frame.
  static func event(in bytes: Data, decoder: JSONDecoder) throws -> WireEvent {
    var lines = bytes.split(separator: UInt8(ascii: "\n"))[...]
    let frame = try decoder.decode(EventFrame.self, from: lines.popFirst() ?? Data())
    let content: WireEvent.Content
    if let notice = frame.notice {
      content = .bulkNotice(
        WireScope(
          library: frame.libraryID, location: notice.location.map(Self.id),
          type: notice.type.map(Self.name)),
        count: notice.count, token: notice.token)
    } else if let deleted = frame.deleted {
      content = .deleted(
        deleted.map {
          WireKey(type: Self.name($0.type), id: UniqueID(high: $0.high, low: $0.low))
        },
        version: Version(clock: frame.version?.first ?? 0, device: frame.version?.last ?? 0))
    } else if frame.types.isEmpty {
      content = .infrastructure
    } else {
      content = .changed(
        zip(frame.types, lines).map { WireItem(type: Self.name($0), bytes: Array($1)) })
    }
    return WireEvent(
      place: frame.place, content: content,
      origin: frame.origin.flatMap { EventOrigin(rawValue: $0) })
  }

  private var libraryID: LibraryID { LibraryID(rawValue: Self.id(library)) }

  private var place: EventPlace? {
    guard let epoch, let sequence else { return nil }
    return EventPlace(
      stream: StreamID(library: libraryID),
      position: StreamPosition(epoch: epoch, sequence: sequence))
  }

  private static func id(_ words: [UInt64]) -> UniqueID {
    UniqueID(high: words.first ?? 0, low: words.last ?? 0)
  }

  private static func name(_ type: UInt16) -> String { "\(type)" }

  /// What decodes the items of a model.
  ///
  /// - Throws: never, as each type is registered once.
  static func registry(of model: DataModel) throws -> ResourceTypeRegistry<AppValue> {
    var registry = ResourceTypeRegistry<AppValue>()
    for place in model.types.indices {
      let type = DataModel.resourceType(ofType: place)
      let decoder = JSONDecoder()
      try registry.register(name(type.rawValue), as: type) { bytes in
        try decoder.decode(AppValue.self, from: Data(bytes)).entity
      }
    }
    return registry
  }
}
