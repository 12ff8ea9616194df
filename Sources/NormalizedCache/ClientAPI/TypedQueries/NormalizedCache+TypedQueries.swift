public import CacheModel

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
