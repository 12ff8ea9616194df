/// The counts of a repository since it was opened.
public struct RepositoryStatistics: Hashable, Sendable {
  /// Requests for collections.
  public var requests = 0
  /// Triggers for which an answer in flight was enough.
  public var joined = 0
  /// Triggers that occurred offline.
  public var missed = 0
  /// Answers received.
  public var answers = 0
  /// Requests that failed.
  public var failedRequests = 0
  /// Answers that were received after a newer one, and dropped.
  public var olderAnswers = 0
  /// Answers replaced by a newer one while they waited to be written.
  public var superseded = 0

  /// Answers written.
  public var written = 0
  /// Answers whose write failed.
  public var failedWrites = 0
  /// The rows of answers by the effect of writing them.
  public var rows = RowCounts()
  /// The bytes of the rows of all answers, as stored.
  public var bytes = 0

  /// Changes that the server has applied.
  public var changes = 0
  /// Changes that failed.
  public var failedChanges = 0
  /// The bytes of answers requested after a change.
  public var bytesAfterChanges = 0

  /// The time between writes of a collection.
  public var refreshAges = DurationSummary()
  /// The time from the end of a write until an affected view has the rows.
  public var viewLatencies = DurationSummary()

  public init() {}

  /// The bytes of fetched answers per change; `nil` without changes.
  public var bytesPerChange: Double? {
    changes > 0 ? Double(bytesAfterChanges) / Double(changes) : nil
  }
}

/// The rows of answers by the effect of writing them.
public struct RowCounts: Hashable, Sendable {
  public var inserted = 0
  public var updated = 0
  public var deleted = 0
  /// Rows that were already stored identically.
  public var unchanged = 0
  /// Of these, the rewritten ones.
  public var rewritten = 0

  public init() {}

  static func += (counts: inout RowCounts, more: RowCounts) {
    counts.inserted += more.inserted
    counts.updated += more.updated
    counts.deleted += more.deleted
    counts.unchanged += more.unchanged
    counts.rewritten += more.rewritten
  }
}

/// The number, sum and maximum of measured durations.
public struct DurationSummary: Hashable, Sendable {
  public private(set) var count = 0
  public private(set) var total = Duration.zero
  public private(set) var maximum = Duration.zero

  public init() {}

  /// The mean; `nil` without durations.
  public var mean: Duration? { count > 0 ? total / count : nil }

  package mutating func add(_ duration: Duration) {
    count += 1
    total += duration
    maximum = max(maximum, duration)
  }
}
