import CacheModel
import Foundation

#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// The system's `write`, which a method of the folder shadows.
func systemWrite(_ file: Int32, _ bytes: UnsafeRawPointer, _ count: Int) -> Int {
  write(file, bytes, count)
}

/// The system's `read`, which a method of the folder shadows.
func systemRead(_ file: Int32, _ memory: UnsafeMutableRawPointer, _ count: Int) -> Int {
  read(file, memory, count)
}

/// Differences between systems.
extension FileFolder {
  /// `UTIME_OMIT`, a macro that Swift does not import.
  private static var unchanged: timespec {
    #if canImport(Darwin)
      timespec(tv_sec: 0, tv_nsec: -2)
    #else
      timespec(tv_sec: 0, tv_nsec: (1 << 30) - 2)
    #endif
  }

  static func status(of file: Int32) throws(FileFailure) -> stat {
    var status = stat()
    guard fstat(file, &status) == 0 else { throw FileFailure.last("fstat") }
    return status
  }

  /// Sets the times of an open file; without a time of writing that is unchanged.
  static func setTimes(of file: Int32, used: Instant, written: Instant?) throws(FileFailure) {
    let times = [timespec(used), written.map(timespec.init) ?? unchanged]
    guard futimens(file, times) == 0 else { throw FileFailure.last("futimens") }
  }

  static func synchronize(_ file: Int32) throws(FileFailure) {
    #if canImport(Darwin)
      // fsync leaves the bytes in the disk's own cache there.
      if fcntl(file, F_FULLFSYNC) == 0 { return }
    #endif
    guard fsync(file) == 0 else { throw FileFailure.last("fsync") }
  }

  /// Makes a rename durable; a file system without this operation does so by itself.
  func synchronizeFolder() {
    let folder = open(path, O_RDONLY | O_CLOEXEC)
    guard folder >= 0 else { return }
    _ = fsync(folder)
    close(folder)
  }

  static func file(_ name: FileName, _ status: stat) -> StoredFile {
    #if canImport(Darwin)
      let (written, used) = (status.st_mtimespec, status.st_atimespec)
    #else
      let (written, used) = (status.st_mtim, status.st_atim)
    #endif
    return StoredFile(
      name: name, bytes: Int(status.st_size), written: Instant(written),
      used: max(Instant(used), Instant(written)), number: UInt64(status.st_ino))
  }
}

extension FileFailure {
  /// Returns the failure of a reading call: an unreadable file does not make the folder unusable.
  static func reading(_ call: String) -> FileFailure {
    var failure = FileFailure.last(call)
    if failure.code == ENOTDIR { failure.kind = .absent }
    if failure.kind == .refused { failure.kind = .transient }
    return failure
  }
}

extension timespec {
  fileprivate init(_ instant: Instant) {
    let (seconds, rest) = instant.nanoseconds.quotientAndRemainder(dividingBy: 1_000_000_000)
    // Before 1970 the remainder is negative.
    self.init(
      tv_sec: Int(rest < 0 ? seconds - 1 : seconds),
      tv_nsec: Int(rest < 0 ? rest + 1_000_000_000 : rest))
  }
}

extension Instant {
  /// Clamps a file's date to the range of 64-bit nanoseconds.
  fileprivate init(_ time: timespec) {
    let seconds = Duration.seconds(Int64(time.tv_sec))
    self = .zero.advanced(by: seconds).advanced(byNanoseconds: Int64(time.tv_nsec))
  }
}
