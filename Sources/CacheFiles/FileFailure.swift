#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

/// Why something could not be done with a file.
package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// There is no such file.
    case absent
    /// The disk, or the user's share of it, is full.
    case noSpace
    /// No right to, or no folder to do it in.
    case refused
    /// It is no file, or larger than what was allowed.
    case damaged
    /// It may work next time: too many open files, an error of the device.
    case transient
  }

  package var kind: Kind
  /// The call that failed.
  package var call: String
  /// The system's number of the error; 0 if the system had none.
  package var code: Int32

  package init(kind: Kind, call: String, code: Int32 = 0) {
    self.kind = kind
    self.call = call
    self.code = code
  }

  /// Sorts the system's error.
  package init(_ call: String, code: Int32) {
    let kind: Kind =
      switch code {
      case ENOENT: .absent
      case ENOSPC, EDQUOT, EFBIG: .noSpace
      case EACCES, EPERM, EROFS, ENOTDIR, ENAMETOOLONG: .refused
      case EISDIR, ELOOP: .damaged
      default: .transient
      }
    self.init(kind: kind, call: call, code: code)
  }

  /// Of the call that has just failed.
  static func last(_ call: String) -> FileFailure { FileFailure(call, code: errno) }

  package var description: String {
    code == 0 ? call : "\(call): \(String(cString: strerror(code)))"
  }
}
