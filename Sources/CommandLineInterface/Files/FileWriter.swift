import Foundation

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// Writes files by system calls, so that an error contains the system's reason.
package enum FileWriter {
  /// Why a file could not be written.
  package struct Failure: Error, CustomStringConvertible {
    package var description: String
    package var remedy: String

    /// Creates the failure of the last system call.
    package init() {
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

  /// Replaces a file atomically: writes an adjacent draft, and renames that when everything is on disk.
  ///
  /// If a signal ends the process, an incomplete draft is removed. A device or a pipe is written directly,
  /// since a rename would replace it by a file. A link is kept, and its target replaced.
  ///
  /// - Throws: ``Failure``; the previous file is then unchanged, and no draft remains.
  package static func replace(_ path: String, with bytes: [UInt8]) throws(Failure) {
    do {
      try replace(path) { try $0(bytes) }
    } catch let failure as Failure {
      throw failure
    } catch {
      preconditionFailure("only the file system fails here: \(error)")
    }
  }

  /// Replaces a file atomically with the output of `body`, piece by piece.
  ///
  /// - Throws: ``Failure``, or the error of `body`; the previous file is then unchanged, and no draft
  ///   remains.
  package static func replace(
    _ path: String, by body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let path = target(of: path)
    if FileKind.of(path) ?? .file != .file {
      try write(to: path, body)
      return
    }
    let draft = "\(path).\(getpid()).partial"
    TerminationSignals.add(draft: draft)
    do {
      try write(to: draft, body)
      try TerminationSignals.settle(draft: draft) {
        guard rename(draft, path) == 0 else { throw Failure() }
      }
    } catch {
      TerminationSignals.settle(draft: draft) { unlink(draft) }
      throw error
    }
  }

  /// Removes a file; no effect on a device, a folder, or a missing file.
  package static func removeFile(_ path: String) {
    if FileKind.of(path) == .file { unlink(path) }
  }

  /// Writes a file and waits until it is on disk.
  package static func write(_ bytes: [UInt8], to path: String) throws(Failure) {
    do {
      try write(to: path) { try $0(bytes) }
    } catch let failure as Failure {
      throw failure
    } catch {
      preconditionFailure("only the file system fails here: \(error)")
    }
  }

  /// Writes a file piece by piece, and waits until it is on disk.
  private static func write(
    to path: String, _ body: (([UInt8]) throws -> Void) throws -> Void
  ) throws {
    let file = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o666)
    guard file >= 0 else { throw Failure() }
    do {
      try body { try write($0, toOpen: file) }
      // A device or a pipe cannot be synchronized.
      if fsync(file) != 0, errno != EINVAL, errno != EROFS, errno != ENOTSUP { throw Failure() }
    } catch {
      close(file)
      throw error
    }
    guard close(file) == 0 else { throw Failure() }
  }

  package static func write(_ bytes: [UInt8], toOpen file: Int32) throws(Failure) {
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

  /// Checks whether a file with this path could be written now, as far as possible without writing.
  package static func check(_ path: String) throws(Failure) {
    let path = target(of: path)
    if let kind = FileKind.of(path) {
      guard access(path, W_OK) == 0 else { throw Failure() }
      guard kind != .directory else {
        errno = EISDIR
        throw Failure()
      }
    } else {
      let parent = path.lastIndex(of: "/").map { $0 == path.startIndex ? "/" : path[..<$0] } ?? "."
      guard access(String(parent) + "/", W_OK | X_OK) == 0 else { throw Failure() }
    }
  }

  /// Checks whether a directory can be created by creating and removing it, the only reliable check.
  package static func tryDirectory(_ path: String) throws(Failure) {
    guard mkdir(path, 0o777) == 0, rmdir(path) == 0 else { throw Failure() }
  }

  private static func systemWrite(_ file: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Glibc)
      Glibc.write(file, bytes.baseAddress, bytes.count)
    #else
      Darwin.write(file, bytes.baseAddress, bytes.count)
    #endif
  }

  /// Returns the file at the end of a chain of links, or the path itself.
  private static func target(of path: String) -> String {
    guard let resolved = realpath(path, nil) else { return path }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

/// The system's reason for a failure, which Foundation replaces by a sentence without a cause.
package enum SystemReason {
  package static func text(of error: any Error) -> String {
    if let failure = error as? FileWriter.Failure { return failure.description }
    let underlying = (error as NSError).userInfo[NSUnderlyingErrorKey] as? any Error
    if let cause = underlying.map({ $0 as NSError }), cause.domain == NSPOSIXErrorDomain {
      return String(cString: strerror(Int32(cause.code)))
    }
    // Messages continue after it.
    let sentence = error.localizedDescription
    return sentence.hasSuffix(".") ? String(sentence.dropLast()) : sentence
  }
}

package enum FileKind {
  case file, directory, other

  /// Returns a path for messages; an empty one, as from a script's unset variable, is made visible.
  package static func title(of path: String) -> String { path.isEmpty ? "''" : path }

  /// - Returns: `nil` if there is none.
  package static func of(_ path: String) -> FileKind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }

  /// Returns whether two paths lead to one regular file.
  static func isSameFile(_ path: String, _ other: String) -> Bool {
    var first = stat()
    var second = stat()
    return of(path) == .file && stat(path, &first) == 0 && stat(other, &second) == 0
      && first.st_dev == second.st_dev && first.st_ino == second.st_ino
  }
}
