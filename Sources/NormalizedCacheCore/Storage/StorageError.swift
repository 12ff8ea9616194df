/// Why a storage did not do what it was asked.
///
/// It costs persistence, never the process: the cache goes on in memory.
public enum StorageError: Error, Hashable, Sendable {
  /// What is stored cannot be read. It was put aside, where there is a path, and is not written to
  /// again; the cache writes itself anew.
  case corrupt(String, keptAside: String?)
  /// The disk, or the storage's own limit, is full.
  case full(String)
  case readOnly(String)
  /// Another process, or another cache, has it.
  case locked(String)
  /// A newer program wrote it; it is left untouched.
  case newerSchema(found: Int, supported: Int, String)
  case closed
  /// Anything else, in the words of whoever failed.
  case failed(String)

  /// What a cache does about it.
  @usableFromInline package enum Remedy {
    /// Write the same again later.
    case retry
    /// Write everything later.
    case rewrite
    /// Write no more.
    case giveUp
  }

  @inlinable package var remedy: Remedy {
    switch self {
    case .full, .locked, .failed: .retry
    case .corrupt: .rewrite
    case .readOnly, .newerSchema, .closed: .giveUp
    }
  }
}

extension StorageError: CustomStringConvertible {
  public var description: String {
    switch self {
    case .corrupt(let what, let aside?):
      "\(what) is corrupt; it was kept as \(aside), and the cache begins a new file"
    case .corrupt(let what, nil):
      "\(what) is corrupt; the cache writes itself anew"
    case .full(let what):
      "\(what) is full; make space or raise the limit, the cache tries again"
    case .readOnly(let what):
      "\(what) cannot be written; the cache goes on in memory, allow writing and open it again"
    case .locked(let what):
      "\(what) is in use elsewhere; close the other cache, or give each its own file"
    case .newerSchema(let found, let supported, let what):
      "\(what) has schema \(found), this program knows up to \(supported); it is left untouched, "
        + "update the program or give it another file"
    case .closed:
      "the storage was closed; open the cache again"
    case .failed(let message):
      message
    }
  }
}
