#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// A folder that one cache has for itself, until this value goes or the process ends.
package final class FolderLock: Sendable {
  private let file: Int32

  fileprivate init(file: Int32) { self.file = file }

  deinit { close(file) }
}

extension FileFolder {
  /// Takes the folder for one cache alone; those of other processes, and of this one, are refused meanwhile.
  ///
  /// - Returns: `nil` if another has it.
  /// - Throws: a failure: no folder, no right to it.
  package func lock() throws(FileFailure) -> FolderLock? {
    let file = open("\(path)/lock", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    guard file >= 0 else { throw FileFailure.last("open") }
    let lock = FolderLock(file: file)
    guard flock(file, LOCK_EX | LOCK_NB) != 0 else { return lock }
    if errno == EWOULDBLOCK { return nil }
    throw FileFailure.last("flock")
  }

  /// The bytes that are free for this user on the file system of the folder; `nil`: not known.
  package var freeBytes: Int? {
    var status = statvfs()
    guard statvfs(path, &status) == 0 else { return nil }
    let (bytes, overflow) = UInt64(status.f_bavail)
      .multipliedReportingOverflow(by: UInt64(status.f_frsize))
    return overflow ? .max : Int(clamping: bytes)
  }
}
