#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// An exclusive lock on a folder, until this value is released or the process ends.
package final class FolderLock: Sendable {
  private let file: Int32

  fileprivate init(file: Int32) { self.file = file }

  deinit { close(file) }
}

extension FileFolder {
  /// Locks the folder for one cache; others, in this process or another, fail meanwhile.
  ///
  /// - Returns: `nil` if another has locked it.
  /// - Throws: a failure: the folder does not exist, or no permission.
  package func lock() throws(FileFailure) -> FolderLock? {
    let file = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileFailure.last("open") }
    let lock = FolderLock(file: file)
    guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return lock }
    if errno == EWOULDBLOCK { return nil }
    throw FileFailure.last("flock")
  }

  /// The free bytes for this user on the folder's file system; `nil`: unknown.
  package var freeBytes: Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }
}
