public import CacheModel

/// Encodes an app's values as bytes, and decodes them.
///
/// Called outside the cache's actor. A value that cannot be encoded or decoded affects no other: its entity
/// is fetched again.
public protocol StorageCodec<Payload, Change>: Sendable {
  associatedtype Payload: Sendable
  associatedtype Change: Sendable = Never

  /// The version of the app's data model in which values are encoded.
  ///
  /// Values stored in another version are decoded with that version's number, their queries are stale, and
  /// the whole cache is rewritten in this one.
  var schemaVersion: Int { get }

  /// Encodes a value in the current version.
  ///
  /// - Throws: an error if it cannot; the entity is stored without its value.
  func encode(_ payload: Payload, of key: EntityKey) throws -> [UInt8]

  /// Decodes the bytes of ``encode(_:of:)``, from the current version or another.
  func decode(_ bytes: [UInt8], of key: EntityKey, schemaVersion: Int) throws -> Payload

  /// Encodes a queued change in the current version.
  ///
  /// - Throws: an error if it cannot; the batch is not written but retried, since a user's change must not be
  ///   lost.
  func encodeChange(_ change: Change, of key: EntityKey) throws -> [UInt8]

  /// Decodes the bytes of ``encodeChange(_:of:)``, from the current version or another.
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

/// Encoding and decoding of whole batches and states.
extension StorageCodec {
  /// - Throws: the codec's error for a mutation, which must not be lost; an entity whose value cannot be
  ///   encoded is stored without it.
  package func encode(
    _ batch: StorageBatch<Payload, ClientMutation<Payload, Change>>
  ) throws -> StorageBatch<[UInt8], EncodedMutation> {
    var encoded = StorageBatch<[UInt8], EncodedMutation>(
      number: batch.number, replacesAll: batch.replacesAll)
    encoded.schemaVersion = schemaVersion
    encoded.removedEntities = batch.removedEntities
    encoded.entities = batch.entities.map { entity in
      entity.mapPayload { try? encode($0, of: entity.key) }
    }
    encoded.removedQueries = batch.removedQueries
    encoded.queries = batch.queries
    encoded.uses = batch.uses
    encoded.progress = batch.progress
    encoded.outbox = try batch.outbox?.map { try encode($0) }
    return encoded
  }

  /// Returns the decoded state, how much of it could not be decoded, and the queued mutations among that.
  package func decode(
    _ stored: StoredState<[UInt8], EncodedMutation>
  ) -> (
    state: StoredState<Payload, ClientMutation<Payload, Change>>, undecodable: Int,
    lost: [MutationToken]
  ) {
    let version = stored.schemaVersion
    var undecodable = 0
    var lost: [MutationToken] = []
    var state = StoredState<Payload, ClientMutation<Payload, Change>>(
      queries: stored.queries, progress: stored.progress)
    state.schemaVersion = version
    state.entities = stored.entities.map { entity in
      entity.mapPayload { bytes in
        let payload = try? decode(bytes, of: entity.key, schemaVersion: version)
        if payload == nil { undecodable += 1 }
        return payload
      }
    }
    for mutation in stored.outbox {
      if let decoded = try? decode(mutation, version: version) {
        state.outbox.append(decoded)
      } else {
        lost.append(mutation.token)
      }
    }
    if version != schemaVersion {
      // Another version may have filtered and sorted differently.
      for index in state.queries.indices {
        state.queries[index].isMarkedStale = true
        state.queries[index].isSorted = false
      }
    }
    return (state, undecodable + lost.count, lost)
  }

  private func encode(_ mutation: ClientMutation<Payload, Change>) throws -> EncodedMutation {
    let edits = try mutation.edits.map { edit -> EncodedEdit in
      switch edit {
      case .create(let key, let payload): .create(key, try encode(payload, of: key))
      case .update(let key, let change): .update(key, try encodeChange(change, of: key))
      case .delete(let key): .delete(key)
      }
    }
    return EncodedMutation(token: mutation.token, library: mutation.library, edits: edits)
  }

  private func decode(
    _ mutation: EncodedMutation, version: Int
  ) throws -> ClientMutation<Payload, Change>? {
    let edits = try mutation.decodedEdits?.map { edit -> ClientMutation<Payload, Change>.Edit in
      switch edit {
      case .create(let key, let bytes):
        .create(key, try decode(bytes, of: key, schemaVersion: version))
      case .update(let key, let bytes):
        .update(key, try decodeChange(bytes, of: key, schemaVersion: version))
      case .delete(let key): .delete(key)
      }
    }
    return edits.map {
      ClientMutation(token: mutation.token, library: mutation.library, edits: $0)
    }
  }
}

/// A pending mutation as a storage keeps it.
public struct EncodedMutation: Hashable, Sendable {
  public var token: MutationToken
  public var library: LibraryID
  /// Its edits in order: the app's bytes in the cache's framing.
  public var edits: [UInt8]

  public init(token: MutationToken, library: LibraryID, edits: [UInt8]) {
    self.token = token
    self.library = library
    self.edits = edits
  }
}

/// A change of the app as bytes, before or after the app's codec.
typealias EncodedEdit = ClientMutation<[UInt8], [UInt8]>.Edit

extension EncodedMutation {
  /// Frames edits: for each its kind, its entity's type and identifier, the length of the rest, and the app's
  /// bytes; numbers are big-endian.
  init(token: MutationToken, library: LibraryID, edits: [EncodedEdit]) {
    var bytes: [UInt8] = []
    for edit in edits {
      let (kind, payload): (UInt8, [UInt8]) =
        switch edit {
        case .create(_, let payload): (1, payload)
        case .update(_, let change): (2, change)
        case .delete: (3, [])
        }
      bytes.append(kind)
      bytes.append(bigEndian: UInt64(edit.key.type.rawValue), count: 2)
      bytes.append(bigEndian: edit.key.id.high, count: 8)
      bytes.append(bigEndian: edit.key.id.low, count: 8)
      bytes.append(bigEndian: UInt64(payload.count), count: 4)
      bytes += payload
    }
    self.init(token: token, library: library, edits: bytes)
  }

  /// The edits; `nil` if the bytes are incomplete or malformed.
  var decodedEdits: [EncodedEdit]? {
    var decoded: [EncodedEdit] = []
    var rest = edits[...]
    while let kind = rest.popFirst() {
      guard let type = rest.popBigEndian(count: 2), let high = rest.popBigEndian(count: 8),
        let low = rest.popBigEndian(count: 8), let count = rest.popBigEndian(count: 4),
        rest.count >= Int(count)
      else { return nil }
      let key = EntityKey(
        type: ResourceType(rawValue: UInt16(type)), id: UniqueID(high: high, low: low))
      let payload = Array(rest.prefix(Int(count)))
      rest = rest.dropFirst(Int(count))
      switch kind {
      case 1: decoded.append(.create(key, payload))
      case 2: decoded.append(.update(key, payload))
      case 3: decoded.append(.delete(key))
      default: return nil
      }
    }
    return decoded
  }
}

extension [UInt8] {
  /// Appends the lowest bytes of a number.
  mutating func append(bigEndian number: UInt64, count: Int) {
    for byte in stride(from: count - 1, through: 0, by: -1) {
      append(UInt8(truncatingIfNeeded: number >> UInt64(byte * 8)))
    }
  }
}

extension ArraySlice<UInt8> {
  mutating func popBigEndian(count: Int) -> UInt64? {
    guard self.count >= count else { return nil }
    let number = prefix(count).reduce(0) { $0 << 8 | UInt64($1) }
    self = dropFirst(count)
    return number
  }
}

/// Why a storage operation failed.
///
/// It costs persistence, never the process: the cache continues in memory.
public enum StorageError: Error, Hashable, Sendable {
  /// The contents cannot be read. They were set aside if there is a path, and are not written again; the
  /// cache writes its own contents again.
  case corrupt(String, keptAside: String?)
  /// The disk, or the storage's own limit, is full.
  case full(String)
  case readOnly(String)
  /// Another process or cache has locked it.
  case locked(String)
  /// A newer version of the program wrote it; it is left unchanged.
  case newerSchema(found: Int, supported: Int, String)
  case closed
  /// Any other failure, with its message.
  case failed(String)

  /// The cache's reaction.
  @usableFromInline package enum Remedy {
    /// Retries the same write later.
    case retry
    /// Writes all contents later.
    case rewrite
    case giveUp
  }

  @inlinable package var remedy: Remedy {
    switch self {
    case .full, .locked, .failed: .retry
    case .corrupt: .rewrite
    case .readOnly, .newerSchema, .closed: .giveUp
    }
  }
}

extension StorageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .corrupt(let what, let aside?):
      "\(what) is corrupt; it was kept as \(aside), and the cache begins a new file"
    case .corrupt(let what, nil):
      "\(what) is corrupt; the cache writes itself again"
    case .full(let what):
      "\(what) is full; make space or raise the limit, the cache tries again"
    case .readOnly(let what):
      "\(what) cannot be written; the cache goes on in memory, allow writing and open it again"
    case .locked(let what):
      "\(what) is in use elsewhere; close the other cache, or give each its own file"
    case .newerSchema(let found, let supported, let what):
      "\(what) has schema \(found), this program knows up to \(supported); it is left untouched, "
        + "update the program or give it another file"
    case .closed:
      "the storage was closed; open the cache again"
    case .failed(let message):
      message
    }
  }
}
