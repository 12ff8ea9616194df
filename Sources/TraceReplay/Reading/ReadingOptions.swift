import Text

/// What a reader takes from a trace, and how it finds it.
package struct ReadingOptions: Hashable, Sendable {
  package var limits: TraceLimits
  /// What is wanted besides keys; the rest is neither read nor checked.
  package var columns: TraceColumns
  /// Whether times are wanted even where no lifetime makes use of them.
  package var wantsTimesAlone: Bool
  /// Names of columns that a file with a header has instead of the usual ones.
  package var columnNames: [ColumnRole: String]
  /// Of times and lifetimes in text files with columns.
  package var timeUnit: TimeUnit
  /// Which keys are kept; `nil`: all.
  package var sampling: KeySampling?

  package init(
    limits: TraceLimits = .standard, columns: TraceColumns = .all, wantsTimesAlone: Bool = true,
    columnNames: [ColumnRole: String] = [:], timeUnit: TimeUnit = .seconds,
    sampling: KeySampling? = nil
  ) {
    self.limits = limits
    self.columns = columns
    self.wantsTimesAlone = wantsTimesAlone
    self.columnNames = columnNames
    self.timeUnit = timeUnit
    self.sampling = sampling
  }

  package static let standard = ReadingOptions()
}

/// What a reader accepts before it gives up.
package struct TraceLimits: Hashable, Sendable {
  /// The longest key, in bytes.
  package var keyBytes: Int
  /// The longest record of a text file with columns, in bytes, quotes included.
  package var recordBytes: Int
  /// The most requests; each takes four bytes of memory.
  package var requests: Int
  /// The most memory that a trace may take while it is read, in bytes.
  package var memoryBytes: Int

  package init(
    keyBytes: Int = 4096, recordBytes: Int = 65_536, requests: Int = 2_000_000_000,
    memoryBytes: Int = .max
  ) {
    self.keyBytes = keyBytes
    self.recordBytes = recordBytes
    self.requests = requests
    self.memoryBytes = memoryBytes
  }

  package static let standard = TraceLimits()
}

/// The unit of times and lifetimes in a text file.
package enum TimeUnit: String, Hashable, Sendable, CaseIterable {
  case seconds = "s"
  case milliseconds = "ms"
  case microseconds = "us"
  case nanoseconds = "ns"

  /// How many one of the unit is.
  var asNanoseconds: Int { Int(Dimension.duration.factor(of: rawValue) ?? 1) }
}
