import GRDB

extension RepositoryError {
  /// What went wrong with a file, in the repository's terms.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as RepositoryError: self = error
    case let error as DatabaseError:
      let message = error.message ?? error.description
      switch error.resultCode {
      case .SQLITE_FULL: self = .full(path: path)
      case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path: path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path: path)
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .damaged(path: path)
      case .SQLITE_CONSTRAINT: self = .invalidAnswer(message)
      case .SQLITE_CANTOPEN:
        self = .file(path: path, "\(message); give it a folder that is there and can be written")
      default: self = .file(path: path, message)
      }
    default: self = .file(path: path, "\(error)")
    }
  }
}
