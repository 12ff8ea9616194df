package import CacheModel
package import NormalizedCacheCore

extension StorageFault {
  /// The storage's error.
  package var error: StorageError {
    switch self {
    case .full: .full("the disk")
    case .locked: .locked("the disk")
    case .failed: .failed("the disk")
    case .corrupt: .corrupt("the disk", keptAside: nil)
    case .readOnly: .readOnly("the disk")
    }
  }
}
