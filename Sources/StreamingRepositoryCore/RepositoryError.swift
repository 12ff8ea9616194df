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
