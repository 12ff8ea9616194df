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

/// Why a collection is fetched.
public enum RepositoryTrigger: String, Hashable, Sendable, CaseIterable {
  /// A collection is read or observed that was not fetched since the login or the last foreground.
  case firstView
  /// The app has come to the foreground, or the repository was started again.
  case foreground
  /// A user has logged in.
  case login
  /// The user, or whoever else calls `refresh`.
  case pull
  /// The server has carried out a change of the user's.
  case change
  /// ``RepositoryOptions/interval`` has passed.
  case interval

  /// Whether an answer that is on its way will do, though the server may have read it before.
  var joins: Bool { self == .firstView || self == .interval }
}

/// What a repository cannot do.
///
/// In every case the stored rows are as they were.
public enum RepositoryError: Error, Sendable, CustomStringConvertible {
  /// There is no network: what is stored can be read, nothing can be fetched or changed.
  case offline
  /// No user is logged in, or the user has logged out meanwhile.
  case loggedOut
  /// The repository was stopped.
  case stopped
  /// The task that waited was cancelled; what it waited for goes on.
  case cancelled
  /// So many changes wait already for the server.
  case tooManyChanges(maximum: Int)
  /// The repository was opened without a source for this table.
  case unknownCollection(String)
  /// What the source threw.
  case source(any Error)
  /// An answer that cannot be stored, and why.
  case invalidAnswer(String)
  /// An account whose rows could not be told from another's, and why.
  case invalidAccount(String)
  /// A setting that cannot be, and what it may be.
  case invalidOption(String)
  /// The disk, or ``RepositoryOptions/maximumBytes``, leaves no space for it.
  case full(path: String)
  /// The file, or its folder, cannot be written.
  case readOnly(path: String)
  /// Another process has the file.
  case locked(path: String)
  /// The file is damaged. The next `open` keeps it aside and begins a new one.
  case damaged(path: String)
  /// Anything else about the file.
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

/// A defect that a store has on request, so that a search can show that it would be found.
///
/// In debug builds only: elsewhere no store has any.
package enum PlantedRepositoryDefect: String, Hashable, Sendable, CaseIterable {
  /// An answer is written though a newer one came before it.
  case olderAnswerKept
  /// Of two answers that wait, the older one stays.
  case newerAnswerForgotten
  /// A pull is content with an answer that the server read before it.
  case pullJoins
  /// A failed first view counts as a view.
  case failedViewCounts
  /// Answers that were asked for before a logout are written after it.
  case answersSurviveLogout
  /// What waits to be written is not dropped at a logout.
  case waitingSurvivesLogout
  /// A change goes with the next answer, whenever that was asked for.
  case settledEarly
  /// A failed change stays where it could not be undone at once.
  case undoForgotten
  /// Nothing is asked for after a change.
  case changeUnasked
  /// What met no network is not made up for.
  case missedForgotten
  /// Changes are taken though there is no network.
  case changedOffline
  /// Whoever waits for an answer that another replaces is never told.
  case callerForgotten
}
