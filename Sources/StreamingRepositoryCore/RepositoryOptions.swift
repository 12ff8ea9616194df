/// When a repository fetches, and how it writes.
public struct RepositoryOptions: Hashable, Sendable {
  /// The effect of an answer on stored rows.
  public enum WriteMode: String, Hashable, Sendable, CaseIterable {
    /// Rows become equal to the answer's; missing ones are deleted.
    case replace
    /// Rows of the answer are inserted or updated, and none is deleted.
    case upsertOnly
  }

  /// The triggers for fetches; a pull by the user always fetches.
  public var triggers = Set(RepositoryTrigger.allCases)
  /// Whether logins and the foreground also fetch collections that are not observed.
  ///
  /// Otherwise these are fetched at their next view.
  public var fetchesUnobserved = false
  /// The minimum time between fetches for the foreground.
  public var foregroundInterval = Duration.zero
  /// The interval at which observed collections are fetched again; `nil`: never.
  public var interval: Duration?

  public var writeMode = WriteMode.replace
  /// Whether unchanged rows are rewritten.
  public var rewritesUnchangedRows = false

  /// The maximum number of requests of a collection in flight; one more follows when they have ended.
  public var maximumRequests = 2
  /// The maximum number of rows of one answer.
  public var maximumRows = 1_000_000
  /// The maximum number of changes waiting for the server or the next answer.
  public var maximumChanges = 256
  /// The maximum size of the file in bytes, without its write-ahead log.
  public var maximumBytes = 256 << 20
  /// How long a write waits for another process that has locked the file.
  public var busyTimeout = Duration.milliseconds(250)
  /// The delay before undoing an optimistic change is retried.
  public var retryInterval = Duration.seconds(1)

  public init() {}

  /// Throws an error about the first invalid option.
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
      "\(name): \(number) is out of range; give \(range.lowerBound) to \(range.upperBound)")
  }

  private static func check(
    _ name: String, _ duration: Duration?, atLeast minimum: Duration
  ) throws(RepositoryError) {
    guard let duration, duration < minimum else { return }
    throw .invalidOption("\(name): \(duration) is too short; at least \(minimum)")
  }
}

/// Why a collection is fetched.
public enum RepositoryTrigger: String, Hashable, Sendable, CaseIterable {
  /// A read or observed collection that was not fetched since the login or the last foreground.
  case firstView
  /// The app came to the foreground, or the repository was started again.
  case foreground
  /// A user has logged in.
  case login
  /// A call of `refresh`, usually by the user.
  case pull
  /// The server has applied a change by the user.
  case change
  /// ``RepositoryOptions/interval`` has passed.
  case interval

  /// Whether an answer in flight suffices, although the server may have read it earlier.
  var joins: Bool { self == .firstView || self == .interval }
}

/// Why a repository operation failed.
///
/// In every case the stored rows are unchanged.
public enum RepositoryError: Error, Sendable, CustomStringConvertible {
  /// There is no network: stored rows can be read, but nothing can be fetched or changed.
  case offline
  /// No user is logged in, or the user has logged out meanwhile.
  case loggedOut
  /// The repository was stopped.
  case stopped
  /// The waiting task was cancelled; its operation continues.
  case cancelled
  /// The maximum number of changes already waits for the server.
  case tooManyChanges(maximum: Int)
  /// The repository was opened without a source for this table.
  case unknownCollection(String)
  /// The error of the source.
  case source(any Error)
  /// An answer that cannot be stored, and why.
  case invalidAnswer(String)
  /// An account name that could be confused with another's, and why.
  case invalidAccount(String)
  /// An invalid option, and its valid values.
  case invalidOption(String)
  /// The disk, or ``RepositoryOptions/maximumBytes``, has no space.
  case full(path: String)
  /// The file, or its folder, cannot be written.
  case readOnly(path: String)
  /// Another process has locked the file.
  case locked(path: String)
  /// The file is damaged. The next `open` renames it and creates a new one.
  case damaged(path: String)
  /// Any other error of the file.
  case file(path: String, String)

  public var description: String {
    switch self {
    case .offline: "there is no network; try again when there is"
    case .loggedOut: "no user is logged in; log in first"
    case .stopped: "the repository was stopped; start it again"
    case .cancelled: "the task that waited was cancelled; the repository goes on"
    case .tooManyChanges(let maximum):
      "\(maximum) changes wait for the server already; wait for one of them"
    case .unknownCollection(let name):
      "the repository has no source for \(name); give it one when it is opened"
    case .source(let error): "the server's answer: \(error)"
    case .invalidAnswer(let why): "an answer cannot be stored: \(why)"
    case .invalidAccount(let why): "the account cannot be used: \(why); log in by another name"
    case .invalidOption(let what): what
    case .full(let path): "\(path): there is no space; free some, or allow more bytes"
    case .readOnly(let path): "\(path) cannot be written; give it a folder that can"
    case .locked(let path): "\(path) is locked by another process; try again"
    case .damaged(let path): "\(path) is damaged; open the repository again"
    case .file(let path, let message): "\(path): \(message)"
    }
  }
}

/// A defect that a store has on request, to show that a search would find it.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedRepositoryDefect: String, Hashable, Sendable, CaseIterable {
  /// An answer is written though a newer one was received earlier.
  case olderAnswerKept
  /// Of two waiting answers, the older one is kept.
  case newerAnswerForgotten
  /// A pull accepts an answer that the server read earlier.
  case pullJoins
  /// A failed first view counts as a view.
  case failedViewCounts
  /// Answers requested before a logout are written after it.
  case answersSurviveLogout
  /// Waiting answers are not dropped at a logout.
  case waitingSurvivesLogout
  /// A change is removed with the next answer, whenever that was requested.
  case settledEarly
  /// A failed change remains if it could not be undone immediately.
  case undoForgotten
  /// Nothing is fetched after a change.
  case changeUnasked
  /// A trigger that occurred offline is dropped.
  case missedForgotten
  /// Changes are accepted without a network.
  case changedOffline
  /// A caller that waits for a replaced answer never gets a result.
  case callerForgotten
}
