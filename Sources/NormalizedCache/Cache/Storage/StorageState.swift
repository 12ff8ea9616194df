/// How a cache stands with its storage.
public enum StorageState: Hashable, Sendable {
  /// It has none.
  case none
  /// What is committed is written within the flush window.
  case working
  /// The last write failed; it is tried again.
  case failing(StorageError)
  /// The storage cannot be used; the cache goes on in memory.
  case abandoned(StorageError)
  /// The app closed it; the cache goes on in memory.
  case closed

  /// Why what is committed does not reach the storage; `nil` where it does, or there is none.
  public var error: StorageError? {
    switch self {
    case .failing(let error), .abandoned(let error): error
    case .none, .working, .closed: nil
    }
  }
}
