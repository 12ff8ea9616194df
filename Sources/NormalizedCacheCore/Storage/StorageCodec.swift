public import CacheModel

/// Makes bytes of an app's values, and values of bytes.
///
/// Called beside the cache's actor, never on it. What cannot be encoded or decoded costs only itself:
/// such an entity is fetched again.
public protocol StorageCodec<Payload, Change>: Sendable {
  associatedtype Payload: Sendable
  associatedtype Change: Sendable = Never

  /// The version of the app's schema in which values are encoded.
  ///
  /// What is stored in another version is decoded with that version's number, its queries are stale,
  /// and the whole cache is written anew in this one.
  var schemaVersion: Int { get }

  /// Makes bytes of a value, in this version of the schema.
  ///
  /// - Throws: where it cannot; the entity is stored without its value.
  func encode(_ payload: Payload, of key: EntityKey) throws -> [UInt8]

  /// Reads what ``encode(_:of:)`` made, in this version of the schema or another.
  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Payload

  /// Makes bytes of a queued change, in this version of the schema.
  ///
  /// - Throws: where it cannot; the batch is not written, since a user's change must not be lost, and
  ///   tried again.
  func encodeChange(_ change: Change, of key: EntityKey) throws -> [UInt8]

  /// Reads what ``encodeChange(_:of:)`` made, in this version of the schema or another.
  func decodeChange(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Change
}

extension StorageCodec where Change == Never {
  public func encodeChange(_ change: Never, of key: EntityKey) throws -> [UInt8] {}

  public func decodeChange(
    _ bytes: [UInt8], of key: EntityKey, schemaVersion: Int
  ) throws -> Never {
    throw StorageError.failed("a change was stored for \(key.id), but the schema has no changes")
  }
}
