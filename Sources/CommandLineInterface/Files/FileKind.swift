#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// What is at a path, at the end of any links.
package enum FileKind {
  case file, directory, other

  /// What messages call a path; one that is empty, as a script's unset variable leaves it, is shown.
  package static func title(of path: String) -> String { path.isEmpty ? "''" : path }

  /// - Returns: `nil` where nothing is.
  package static func of(_ path: String) -> FileKind? {
    var status = stat()
    guard stat(path, &status) == 0 else { return nil }
    return switch status.st_mode & S_IFMT {
    case S_IFREG: .file
    case S_IFDIR: .directory
    default: .other
    }
  }
}
