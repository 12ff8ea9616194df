/// What a repository has done since it was opened.
public struct RepositoryStatistics: Hashable, Sendable {
  /// Requests to the server for a collection.
  public var requests = 0
  /// Triggers that an answer on its way was enough for.
  public var joined = 0
  /// Triggers that met no network.
  public var missed = 0
  /// Answers that came.
  public var answers = 0
  /// Requests that failed.
  public var failedRequests = 0
  /// Answers that came after a newer one, and were dropped.
  public var olderAnswers = 0
  /// Answers that a newer one replaced while they waited to be written.
  public var superseded = 0

  /// Answers that were written.
  public var written = 0
  /// Answers that could not be.
  public var failedWrites = 0
  /// What became of their rows.
  public var rows = RowCounts()
  /// The bytes of the rows of all answers, as the file holds them.
  public var bytes = 0

  /// Changes that the server has carried out.
  public var changes = 0
  /// Changes that failed.
  public var failedChanges = 0
  /// The bytes of answers that were asked for after a change.
  public var bytesAfterChanges = 0

  /// The time from one write of a collection to its next.
  public var refreshAges = DurationSummary()
  /// The time from the end of a write until a view that it changed has the rows.
  public var viewLatencies = DurationSummary()

  public init() {}

  /// The bytes that a change costs beside itself; `nil`: there was none.
  public var bytesPerChange: Double? {
    changes > 0 ? Double(bytesAfterChanges) / Double(changes) : nil
  }
}

/// What became of the rows of answers.
public struct RowCounts: Hashable, Sendable {
  public var inserted = 0
  public var updated = 0
  public var deleted = 0
  /// Rows that were stored as they are in the answer.
  public var unchanged = 0
  /// Of these, the ones that were written all the same.
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

/// How many times were taken, their sum, and the longest.
public struct DurationSummary: Hashable, Sendable {
  public private(set) var count = 0
  public private(set) var total = Duration.zero
  public private(set) var maximum = Duration.zero

  public init() {}

  /// `nil`: there was none.
  public var mean: Duration? { count > 0 ? total / count : nil }

  package mutating func add(_ duration: Duration) {
    count += 1
    total += duration
    maximum = max(maximum, duration)
  }
}
