import Foundation
import GRDB
import NormalizedCache

extension StorageError {
  /// What went wrong with a file, in the cache's terms.
  init(_ error: any Error, path: String) {
    switch error {
    case let error as StorageError:
      self = error
    case let error as DatabaseError:
      switch error.resultCode {
      case .SQLITE_CORRUPT, .SQLITE_NOTADB: self = .corrupt(path, keptAside: nil)
      case .SQLITE_FULL: self = .full(path)
      case .SQLITE_READONLY, .SQLITE_PERM: self = .readOnly(path)
      case .SQLITE_BUSY, .SQLITE_LOCKED: self = .locked(path)
      default: self = .failed("\(path): \(error.message ?? error.description)")
      }
    default:
      self = .failed("\(path): \(error)")
    }
  }
}
