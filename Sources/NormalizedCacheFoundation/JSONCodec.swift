public import NormalizedCache

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Stores an app's values and changes as JSON, if both are `Codable`.
///
/// ```swift
/// let codec = JSONCodec<Note, NoteChange>(schemaVersion: 2)
/// ```
///
/// A value that cannot be encoded (a number that is not finite) or decoded affects no other: it is fetched
/// again.
public struct JSONCodec<Payload: Codable & Sendable, Change: Codable & Sendable>: StorageCodec {
  public let schemaVersion: Int
  private let encoder = JSONEncoder()
  private let decoder = JSONDecoder()

  /// Creates a codec.
  ///
  /// - Parameter schemaVersion: increase it when the types change. Values stored in another version are
  ///   decoded by the current types: a new property must be optional, or the type must implement `Decodable`;
  ///   otherwise the value is fetched again.
  public init(schemaVersion: Int = 1) {
    self.schemaVersion = schemaVersion
  }

  /// - Throws: `EncodingError`.
  public func encode(_ payload: Payload, of key: EntityKey) throws -> [UInt8] {
    [UInt8](try encoder.encode(payload))
  }

  /// - Throws: `DecodingError`.
  public func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Payload {
    try decoder.decode(Payload.self, from: Data(bytes))
  }

  /// - Throws: `EncodingError`.
  public func encodeChange(_ change: Change, of key: EntityKey) throws -> [UInt8] {
    [UInt8](try encoder.encode(change))
  }

  /// - Throws: `DecodingError`.
  public func decodeChange(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> Change {
    try decoder.decode(Change.self, from: Data(bytes))
  }
}
