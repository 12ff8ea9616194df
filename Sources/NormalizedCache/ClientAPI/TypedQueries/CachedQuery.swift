public import CacheModel

/// A query as a type of the app, instead of a method number and bytes.
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
/// Its input is encoded as canonical JSON: the order in which a program names members does not matter, and a
/// null member differs from an absent one. Two queries have the same key if and only if their inputs are the
/// same bytes, with text in UTF-8: `é` as one scalar and as two makes two queries, though Swift compares them
/// as equal. Unordered values (a `Set`, a `Dictionary` whose keys are not text) have no canonical form: use a
/// sorted array.
public protocol CachedQuery: Codable, Hashable, Sendable {
  /// The type of the listed rows.
  associatedtype Row: CachedResource

  /// The number of its method, unique among the app's query types.
  static var method: QueryMethod { get }

  /// The rule for which entities it lists, and in which order.
  static var rule: QueryRule<Self> { get }
}

extension CachedQuery {
  /// Returns the query's key.
  ///
  /// Keep the key if it is used often.
  ///
  /// - Complexity: O(bytes of the input).
  /// - Parameter library: the library to query.
  /// - Returns: the key, whose input is the query in its canonical form.
  /// - Throws: `EncodingError` if a number is not finite, and the errors of the type's own `encode(to:)`.
  public func key(in library: LibraryID) throws -> QueryKey {
    QueryKey(library: library, method: Self.method, input: try CanonicalEncoder.bytes(of: self))
  }

  /// Decodes the query from a key, for a source that answers it.
  ///
  /// - Complexity: O(bytes of the input).
  /// - Throws: ``QueryInputError`` if the key has another method or form, `DecodingError` if its input does
  ///   not match the type.
  public init(key: QueryKey) throws {
    guard key.method == Self.method else {
      throw QueryInputError.otherMethod(key.method, expected: Self.method)
    }
    self = try CanonicalDecoder.value(Self.self, of: key.input)
  }
}

/// Why a key does not belong to a typed query.
public enum QueryInputError: Error, Hashable, Sendable, CustomStringConvertible {
  case otherMethod(QueryMethod, expected: QueryMethod)
  /// The input is not in the form that ``CachedQuery/key(in:)`` creates, from this byte on.
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
  /// Returns the rows of a typed query as the app's values, in the server's order: from the cache if it is
  /// fresh, otherwise from the server.
  ///
  /// Concurrent calls share one fetch.
  ///
  /// - Complexity: O(rows).
  ///
  /// ```swift
  /// let messages = try await cache.query(Messages(conversation: id), in: library)
  /// ```
  ///
  /// - Throws: as ``query(_:)`` and ``CachedQuery/key(in:)``; ``ResourceTypeMismatch`` if a row has another
  ///   type.
  @inlinable public func query<Query: CachedQuery>(
    _ query: Query, in library: LibraryID
  ) async throws -> [Query.Row] where Query.Row.Payload == Payload {
    try await self.query(try query.key(in: library)).map { try Query.Row.value(of: $0) }
  }
}
