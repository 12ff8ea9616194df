package import Foundation
import Processes

#if canImport(Glibc)
  import Glibc
#elseif canImport(Darwin)
  import Darwin
#endif

/// An executable that stands beside `tidemark` and has commands of its own, as git's stand beside git.
///
/// Each is built by itself, so that the first table does not wait for a database and a network library.
package enum Companion: String, CaseIterable, Sendable {
  /// Everything in real time.
  case lab = "tidemark-lab"
  /// Fault search and conformance, for authors of caches.
  case check = "tidemark-check"
  /// Traces of keys against eviction orders.
  case trace = "tidemark-trace"
  /// Recordings from other programs' files.
  case importer = "tidemark-import"

  /// The companion with a command of that name.
  package init?(command: String) {
    switch command {
    case "measure": self = .lab
    case "check", "conform": self = .check
    case "trace": self = .trace
    case "import": self = .importer
    default: return nil
    }
  }

  /// Where it is, if it was built: beside the running executable.
  package var executable: URL { ChildProcess.sibling(rawValue) }

  /// The command that builds it.
  package var build: String {
    switch self {
    case .lab: "make lab"
    case .importer: "make import"
    case .check, .trace: "make all"
    }
  }

  /// Becomes this companion: same process, same input and output.
  ///
  /// - Parameter arguments: the words behind the executable's name.
  /// - Throws: ``CommandFailure`` where it cannot be run; else it does not return.
  package func run(_ arguments: [String]) throws(CommandFailure) -> Never {
    let path = executable.path
    guard access(path, X_OK) == 0 else { throw missing }
    var words: [UnsafeMutablePointer<CChar>?] = ([path] + arguments).map { strdup($0) }
    words.append(nil)
    execv(path, &words)
    throw CommandFailure(.fault, "\(path): not run: \(String(cString: strerror(errno)))")
  }

  /// That it was not built.
  package var missing: CommandFailure {
    CommandFailure(
      .input, "\(rawValue) is not in tidemark's folder; build it in Tidemark's sources: \(build)")
  }
}
