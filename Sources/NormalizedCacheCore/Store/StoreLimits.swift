/// The bounds that every store keeps, whatever its composition.
@usableFromInline enum StoreLimits {
  /// Queries of which it is remembered why they left.
  @usableFromInline static let departedQueries = 65_536
  /// Deletions remembered, so that older writes stay dead.
  @usableFromInline static let tombstones = 16_384
  /// Where memory is limited, one departed query is remembered for each so many bytes of it, and one
  /// deletion: each takes a thirtieth of them, so that history takes a small part of the limit.
  @usableFromInline static let memoryPerDeparture = 8_192
  @usableFromInline static let memoryPerTombstone = 4_096
  /// Changes remembered while fetches are in flight.
  @usableFromInline static let recentChanges = 8_192
  /// Streams that are followed; the events of any more are applied as they come, and may have gaps.
  @usableFromInline static let streams = 1_024
  /// Libraries that are told apart; any more share the last of these, and are stale together.
  @usableFromInline static let libraries = 1_024
  /// Events held back behind a gap.
  @usableFromInline static let waitingEvents = 1_024
  /// Partial invalidations remembered for single entities.
  @usableFromInline static let notices = 32
  /// Bulk operations remembered, so that one marks once.
  @usableFromInline static let bulkTokens = 256
  /// Mutations that are neither committed nor rolled back.
  @usableFromInline static let pendingMutations = 1_024
  /// Edits in all of them together.
  @usableFromInline static let pendingEdits = 16_384
  /// Keys of the client's own of which the server's is remembered.
  @usableFromInline static let keyAliases = 4_096
  /// Replaced values that live on until observers have been told.
  @usableFromInline static let replacedValues = 16
  /// Removals remembered for a storage; beyond them it is written anew.
  @usableFromInline static let removedKeys = 32_768
}
