package import Foundation
import Processes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An executable next to `tidemark` with further commands, similar to git's.
///
/// Each is built separately, so that the first table does not wait for a database and a network library.
package enum Companion: String, CaseIterable, Sendable {
  /// Real-time measurements.
  case lab = "tidemark-lab"
  /// Fuzzing and conformance tests, for authors of caches.
  case check = "tidemark-check"
  /// Traces of keys with eviction orders.
  case trace = "tidemark-trace"
  /// Recordings from other programs' files.
  case importer = "tidemark-import"

  /// Creates the companion with a command of this name.
  package init?(command: String) {
    switch command {
    case "measure": self = .lab
    case "check", "conform": self = .check
    case "trace": self = .trace
    case "import": self = .importer
    default: return nil
    }
  }

  /// Its path, if it was built: next to the running executable.
  package var executable: URL { ChildProcess.sibling(rawValue) }

  /// The command that builds it.
  package var build: String {
    switch self {
    case .lab: "make lab"
    case .importer: "make import"
    case .check, .trace: "make all"
    }
  }

  /// Replaces the process by this companion, with the same input and output.
  package func run(_ arguments: [String]) throws(CommandFailure) -> Never {
    let path = executable.path
    guard access(path, X_OK) == 0 else { throw missing }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    execv(path, &words)
    throw CommandFailure(.fault, "\(path): not run: \(String(cString: strerror(errno)))")
  }

  /// The failure if it was not built.
  package var missing: CommandFailure {
    CommandFailure(
      .input, "\(rawValue) is not in tidemark's folder; build it in Tidemark's sources: \(build)")
  }
}
