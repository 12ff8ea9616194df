#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The destination of a recording; called on the writer's queue alone.
package protocol RecordingFile: AnyObject {
  /// Begins an empty file, and keeps this many of the earlier files under other names.
  func begin(keeping former: Int) throws(RecordingFileError)
  /// Appends bytes, all or none.
  func append(_ bytes: [UInt8]) throws(RecordingFileError)
  /// Writes over the first bytes.
  func replaceBeginning(_ bytes: [UInt8]) throws(RecordingFileError)
}

package struct RecordingFileError: Error, CustomStringConvertible {
  package var description: String
  package init(_ description: String) { self.description = description }
}

/// A file at a path; the one before it is called `session.1.jsonl`, and so on.
final class PathFile: RecordingFile {
  private let path: String
  private var descriptor: Int32 = -1
  private var length = 0

  init(path: String) { self.path = path }

  deinit { if descriptor >= 0 { _ = close(descriptor) } }

  func begin(keeping former: Int) throws(RecordingFileError) {
    if descriptor >= 0 { _ = close(descriptor) }
    descriptor = -1
    guard !path.utf8.contains(0) else {
      throw RecordingFileError(
        "the path of the recording contains a NUL character, where the system ends it; remove it")
    }
    // A folder or a device must not be renamed.
    var status = stat()
    if stat(path, &status) == 0, status.st_mode & S_IFMT != S_IFREG {
      throw RecordingFileError("\(path) is not a file; name a file, or a path where nothing is")
    }
    if former > 0 {
      for number in stride(from: former - 1, through: 1, by: -1) {
        _ = rename(name(number), name(number + 1))
      }
      _ = rename(path, name(1))
    }
    descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
    length = 0
    guard descriptor >= 0 else { throw failure("create") }
  }

  private func name(_ number: Int) -> String {
    guard let point = path.lastIndex(of: "."), !path[point...].contains("/") else {
      return "\(path).\(number)"
    }
    return "\(path[..<point]).\(number)\(path[point...])"
  }

  func append(_ bytes: [UInt8]) throws(RecordingFileError) {
    do throws(RecordingFileError) {
      try write(bytes, at: length)
      length += bytes.count
    } catch {
      // Half a line would make the whole file unreadable.
      _ = ftruncate(descriptor, off_t(length))
      throw error
    }
  }

  func replaceBeginning(_ bytes: [UInt8]) throws(RecordingFileError) {
    try write(bytes, at: 0)
  }

  private func write(_ bytes: [UInt8], at offset: Int) throws(RecordingFileError) {
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes { buffer in
        pwrite(
          descriptor, buffer.baseAddress.map { $0 + written }, bytes.count - written,
          off_t(offset + written))
      }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { throw failure("write") }
      written += count
    }
  }

  private func failure(_ verb: String) -> RecordingFileError {
    let code = errno
    return RecordingFileError("cannot \(verb) \(path): \(String(cString: strerror(code)))")
  }
}

/// A value behind a lock of the system's library.
///
/// Instead of `Synchronization.Mutex`, which ThreadSanitizer does not see on Linux: it would report every access to
/// the guarded value as a race.
final class Locked<Value>: @unchecked Sendable {
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  // The lock keeps two accesses apart.
  @exclusivity(unchecked) private var value: Value

  init(_ value: consuming sending Value) {
    self.value = value
    pthread_mutex_init(mutex, nil)
  }

  deinit {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }

  func withLock<Result>(_ body: (inout Value) -> Result) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return body(&value)
  }
}
