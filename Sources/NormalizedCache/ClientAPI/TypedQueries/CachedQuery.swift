public import CacheModel

/// A query as a type of the app's own, instead of a method's number and bytes.
///
/// ```swift
/// struct Messages: CachedQuery {
///   static let method = QueryMethod(rawValue: 2)
///   static let rule = QueryRule<Messages>(
///     scope: .field(\.conversation, \.conversation), order: [.descending(\.sentAt)],
///     limit: \.limit)
///
///   typealias Row = Message
///   var conversation: UniqueID
///   var limit = 50
/// }
/// ```
///
/// Its input is encoded in one form only, which is JSON: the order in which a program names its members
/// does not matter, and one that is null is not one that is absent. Two queries have one key if and only if
/// their inputs are the same in bytes, texts in UTF-8: `é` as one scalar and as two makes two queries, though
/// Swift calls them equal. What has no order of its own (a `Set`, a `Dictionary` whose keys are no texts) has
/// no such form: use a sorted array.
public protocol CachedQuery: Codable, Hashable, Sendable {
  /// What the query lists.
  associatedtype Row: CachedResource

  /// The number of its method; each type has its own.
  static var method: QueryMethod { get }

  /// Which entities it lists, and in which order.
  static var rule: QueryRule<Self> { get }
}

extension CachedQuery {
  /// The query's name in a cache.
  ///
  /// O(bytes of the input); keep the key where it is used often.
  ///
  /// - Parameter library: whose data it asks for.
  /// - Returns: the key, whose input is the query in its canonical form.
  /// - Throws: `EncodingError` where a number is not finite, and what the type's own `encode(to:)` throws.
  public func key(in library: LibraryID) throws -> QueryKey {
    QueryKey(library: library, method: Self.method, input: try CanonicalEncoder.bytes(of: self))
  }

  /// The query that a key names: for a source that is asked for it.
  ///
  /// O(bytes of the input).
  ///
  /// - Throws: ``QueryInputError`` where the key is no such query's, `DecodingError` where its input says
  ///   something else.
  public init(key: QueryKey) throws {
    guard key.method == Self.method else {
      throw QueryInputError.otherMethod(key.method, expected: Self.method)
    }
    self = try CanonicalDecoder.value(Self.self, of: key.input)
  }
}

/// Why a key is not the one of a typed query.
public enum QueryInputError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherMethod(QueryMethod, expected: QueryMethod)
  /// The input is not in the form that ``CachedQuery/key(in:)`` makes, from this byte on.
  case notCanonical(offset: Int)

  public var description: String {
    switch self {
    case .otherMethod(let method, let expected):
      "a query of method \(method.rawValue) cannot be read as one of method \(expected.rawValue); "
        + "look at the key's method first"
    case .notCanonical(let offset):
      "the input of a query is not in canonical form at byte \(offset); make the key with `key(in:)`"
    }
  }
}

extension NormalizedCache {
  /// The rows of a typed query as the app's own values, in the server's order: from the cache where it is
  /// fresh, else from the server.
  ///
  /// Concurrent calls share one fetch. O(rows).
  ///
  /// ```swift
  /// let messages = try await cache.query(Messages(conversation: id), in: library)
  /// ```
  ///
  /// - Throws: as ``query(_:)`` and ``CachedQuery/key(in:)``; ``ResourceTypeMismatch`` where a row is no
  ///   such value.
  @inlinable public func query<Query: CachedQuery>(
    _ query: Query, in library: LibraryID
  ) async throws -> [Query.Row] where Query.Row.Payload == Payload {
    try await self.query(try query.key(in: library)).map { try Query.Row.value(of: $0) }
  }
}
