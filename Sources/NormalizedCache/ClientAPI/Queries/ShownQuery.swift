import CacheModel

/// A state with its rows read as an app's values.
///
/// Reading happens on no actor, so that it keeps neither the cache nor the screen waiting.
@usableFromInline struct ShownQuery<Value: Sendable>: Sendable {
  /// `nil`: as before.
  @usableFromInline var rows: ReadRows<Value>?
  @usableFromInline var standing: QueryStanding

  /// - Parameters:
  ///   - state: the query as the cache has it.
  ///   - former: the rows since which the state was asked for.
  ///   - read: makes the app's value of a row.
  @inlinable init<Payload: Sendable>(
    _ state: QueryState<Payload>, since former: ReadRows<Value>,
    reading read: (VersionedEntity<Payload>) throws -> Value
  ) {
    rows = state.rows.map { ReadRows($0, since: former, reading: read) }
    standing = state.standing
  }
}
