#if canImport(Darwin)
  import Darwin
#elseif canImport(Musl)
  import Musl
#else
  import Glibc
#endif

package struct FileFailure: Error, Hashable, Sendable, CustomStringConvertible {
  package enum Kind: Hashable, Sendable {
    /// The file does not exist.
    case absent
    /// The disk, or the user's quota, is full.
    case noSpace
    /// No permission, or no folder.
    case refused
    /// It is not a regular file, or larger than allowed.
    case damaged
    /// It may succeed later: too many open files, a device error.
    case transient
  }

  package var kind: Kind
  package var call: String
  /// The system's error number; 0 without one.
  package var code: Int32

  package init(kind: Kind, call: String, code: Int32 = 0) {
    self.kind = kind
    self.call = call
    self.code = code
  }

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

  /// Returns the failure of the last system call.
  static func last(_ call: String) -> FileFailure { FileFailure(call, code: errno) }

  package var description: String {
    code == 0 ? call : "\(call): \(String(cString: strerror(code)))"
  }
}
