#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes files by the system's own calls, so that an error says what the system said.
enum FileWriter {
  /// Why a file could not be written.
  struct Failure: Error, CustomStringConvertible {
    var description: String
    /// What would help.
    var remedy: String

    /// The reason of the call that just failed.
    init() {
      let code = errno
      description = String(cString: strerror(code))
      remedy =
        switch code {
        case ENOSPC, EDQUOT, EFBIG: "make room, or choose another file"
        case ENOENT: "make its folder first, or choose another file"
        case EISDIR: "name a file in it, or choose another"
        case EACCES, EPERM, EROFS: "choose a file that you may write"
        default: "choose another file"
        }
    }
  }

  /// Replaces a file whole: writes beside it, and renames when everything is on disk.
  ///
  /// A device or a pipe is written to as it is, since a rename would put a file in its place. A link
  /// stays, and what it leads to is replaced.
  ///
  /// - Throws: ``Failure``; a former file is then as it was, and nothing else is there.
  static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    do {
      try replace(path) { try $0(bytes) }
    } catch let failure as Failure {
      throw failure
    } catch {
      preconditionFailure("only the file system fails here: \(error)")
    }
  }

  /// Replaces a file whole by what `body` hands over, a piece at a time.
  ///
  /// - Throws: ``Failure``, or what `body` throws; a former file is then as it was, and nothing else
  ///   is there.
  static func replace(
    _ path: String, by body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let path = target(of: path)
    if kind(of: path) ?? S_IFREG != S_IFREG {
      try write(to: path, body)
      return
    }
    let draft = "\(path).\(getpid()).partial"
    do {
      try write(to: draft, body)
      guard rename(draft, path) == 0 else { throw Failure() }
    } catch {
      unlink(draft)
      throw error
    }
  }

  /// Removes a file; a device, a folder or nothing stays as it is.
  static func removeFile(_ path: String) {
    if kind(of: path) == S_IFREG { unlink(path) }
  }

  /// Writes a file and waits until it is on disk.
  static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    do {
      try write(to: path) { try $0(bytes) }
    } catch let failure as Failure {
      throw failure
    } catch {
      preconditionFailure("only the file system fails here: \(error)")
    }
  }

  /// Writes a file, a piece at a time, and waits until it is on disk.
  private static func write(
    to path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw Failure() }
    do {
      try body { try write($0, toOpen: file) }
      // A device or a pipe has no disk to wait for.
      if fsync(file) != 0, errno != EINVAL, errno != EROFS, errno != ENOTSUP { throw Failure() }
    } catch {
      close(file)
      throw error
    }
    guard close(file) == 0 else { throw Failure() }
  }

  /// Writes to what is open already.
  static func write(_ bytes: [UInt8], toOpen file: Int32) throws(Failure) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { systemWrite(file, $0) }
      if count >= 0 {
        rest = rest.dropFirst(count)
      } else if errno != EINTR {
        throw Failure()
      }
    }
  }

  /// Whether a file of that path could be written now, as far as can be asked without doing it.
  static func check(_ path: String) throws(Failure) {
    let path = target(of: path)
    if kind(of: path) != nil {
      guard access(path, W_OK) == 0 else { throw Failure() }
      guard kind(of: path) != S_IFDIR else {
        errno = EISDIR
        throw Failure()
      }
    } else {
      let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? "."
      guard access(String(parent) + "/", W_OK | X_OK) == 0 else { throw Failure() }
    }
  }

  private static func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
  }

  /// `S_IFREG` for a file, `S_IFDIR` for a folder, and so on; `nil` where nothing is.
  private static func kind(of path: String) -> mode_t? {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mode & S_IFMT : nil
  }

  /// The file behind a chain of links, or the path itself.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}
