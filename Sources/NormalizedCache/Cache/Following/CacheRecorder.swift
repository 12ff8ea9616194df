public import CacheModel

/// Told of all that a cache is told, in the order in which its store was: for a recording that simulates to
/// the same.
///
/// Called on the cache's actor, so it must not wait.
@usableFromInline package protocol CacheRecorder: AnyObject, Sendable {
  /// Something happens.
  ///
  /// - Returns: whether the recorder begins anew, and wants to be told what the cache holds.
  func note(_ happening: CacheHappening, at now: Instant) -> Bool

  /// An event tells of one entity: of all that happens, nearly everything.
  ///
  /// - Returns: as ``note(_:at:)``.
  func noteChange(of row: RecordedRow, at place: EventPlace?, _ now: Instant) -> Bool

  /// The schema has said where states stand that were told of since.
  ///
  /// - Returns: as ``note(_:at:)``.
  func note(_ places: [NotedPlace]) -> Bool
}

/// What can happen to a cache, without the values that it is about.
@usableFromInline package enum CacheHappening: Sendable {
  /// A read, with the rows of what was served.
  case read(FetchTarget, ReadOutcome, isView: Bool, [RecordedRow]?)
  /// The app asks again by itself, or ahead.
  case askedAgain(QueryKey)
  /// A view is left, with the rows that it showed last.
  case viewEnded(QueryKey, [RecordedRow]?)
  case tagged(QueryKey, Bool)
  case fetchBegan(FetchID, FetchTarget)
  case fetchEnded(FetchID, FetchTarget, RecordedResponse?)
  case event(RecordedEvent)
  case heartbeat(EventPlace)
  case invalidated(InvalidationTag)
  case invalidatedQuery(QueryKey)
  case cleared(LibraryID)
  /// A query has got the first rows of another that lists the same.
  case taken(QueryKey, from: QueryKey, [RecordedRow]?)
  case released(toFraction: Double)
  /// What the schema said of the states that were told of since.
  case placed([NotedPlace])
  /// What no recording has a place for.
  case other
  /// What the cache holds of now on: how many queries are about to be told, and then each.
  case holds(queries: Int)
  case held(QueryKey, views: Int, [RecordedRow])
}

/// An answer of the server, as a recording knows it.
@usableFromInline package struct RecordedResponse: Sendable {
  @usableFromInline package var rows: [RecordedRow]
  @usableFromInline package var hasMore: Bool
  @usableFromInline package var isNotModified: Bool
  @usableFromInline package var place: EventPlace?

  @inlinable init(
    rows: [RecordedRow], hasMore: Bool, isNotModified: Bool, place: EventPlace?
  ) {
    self.rows = rows
    self.hasMore = hasMore
    self.isNotModified = isNotModified
    self.place = place
  }
}

/// An event, or a write that is confirmed, as a recording knows it.
@usableFromInline package struct RecordedEvent: Sendable {
  @usableFromInline package var place: EventPlace?
  /// Whether the server said so in answer to a write, and its event is still to come.
  @usableFromInline package var isAnswer = false
  @usableFromInline package var kind: Kind

  @usableFromInline package enum Kind: Sendable {
    case changed(RecordedRow)
    case batch([RecordedRow], EventOrigin?)
    case deleted([EntityKey], Version)
    case bulkNotice(InvalidationTag, token: UInt64)
    case infrastructure
  }

  @inlinable package init(place: EventPlace?, isAnswer: Bool = false, kind: Kind) {
    self.place = place
    self.isAnswer = isAnswer
    self.kind = kind
  }
}
