/// When a repository fetches, and how it writes.
public struct RepositoryOptions: Hashable, Sendable {
  /// What an answer does to the rows that are stored.
  public enum WriteMode: String, Hashable, Sendable, CaseIterable {
    /// They become what the answer has; rows that it lacks are deleted.
    case replace
    /// Rows of the answer are added or changed, and none is deleted.
    case upsertOnly
  }

  /// What a collection is fetched for; a pull by the user always does.
  public var triggers = Set(RepositoryTrigger.allCases)
  /// Whether a login and the foreground fetch what is not observed, too.
  ///
  /// Otherwise it is fetched when it is viewed next.
  public var fetchesUnobserved = false
  /// How long the foreground fetches nothing after it last did.
  public var foregroundInterval = Duration.zero
  /// After how long what is observed is fetched again; `nil`: never for time alone.
  public var interval: Duration?

  public var writeMode = WriteMode.replace
  /// Whether rows that are stored as they are in the answer are written nevertheless.
  public var rewritesUnchangedRows = false

  /// How many requests of a collection may be on their way; one more follows when they have ended.
  public var maximumRequests = 2
  /// The most rows of one answer.
  public var maximumRows = 1_000_000
  /// How many changes may wait for the server or for the next answer.
  public var maximumChanges = 256
  /// The most bytes that the file takes, besides its write-ahead log.
  public var maximumBytes = 256 << 20
  /// How long a write waits for another process that has the file.
  public var busyTimeout = Duration.milliseconds(250)
  /// After how long an optimistic change is undone again where that failed.
  public var retryInterval = Duration.seconds(1)

  public init() {}

  /// Finds the first setting that cannot be.
  ///
  /// - Throws: ``RepositoryError/invalidOption(_:)``.
  package func check() throws(RepositoryError) {
    try Self.check("maximumRequests", maximumRequests, 1...64)
    try Self.check("maximumRows", maximumRows, 0...100_000_000)
    try Self.check("maximumChanges", maximumChanges, 0...1_000_000)
    try Self.check("maximumBytes", maximumBytes, 1 << 17...Int.max)
    try Self.check("foregroundInterval", foregroundInterval, atLeast: .zero)
    try Self.check("interval", interval, atLeast: .milliseconds(1))
    try Self.check("busyTimeout", busyTimeout, atLeast: .zero)
    try Self.check("retryInterval", retryInterval, atLeast: .milliseconds(1))
  }

  private static func check(
    _ name: String, _ number: Int, _ range: ClosedRange<Int>
  ) throws(RepositoryError) {
    guard !range.contains(number) else { return }
    throw .invalidOption(
      "\(name): \(number) is not possible; from \(range.lowerBound) to \(range.upperBound)")
  }

  private static func check(
    _ name: String, _ duration: Duration?, atLeast minimum: Duration
  ) throws(RepositoryError) {
    guard let duration, duration < minimum else { return }
    throw .invalidOption("\(name): \(duration) is too short; at least \(minimum)")
  }
}
