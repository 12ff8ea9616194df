import CacheModel
package import CacheSimulation
import Foundation
import Synchronization
import Text
package import Workloads

/// A cache to be started: its name in results, and its shell command.
package struct CacheCommand: Sendable {
  package var name: String
  package var command: String
  package var limits = CacheLimits()
  /// Counts its turns; `nil`: they are not counted.
  package var pace: TurnPace?
  /// The hello message that all its processes must repeat.
  private var firstHello = FirstHello()

  package init(name: String, command: String) {
    self.name = name
    self.command = command
  }

  /// - Parameter text: `name=COMMAND` or `name@given=COMMAND`; the result is `nil` without a name (letters,
  ///   digits, `-`, `_` and `.`) or a command.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<equals])
    command = String(text[text.index(after: equals)...])
    let plain = ListMembership.plainName(ofCache: name)
    let isName = plain.utf8.allSatisfy { $0.isASCIILetterOrDigit || "-_.".utf8.contains($0) }
    guard isName, !plain.isEmpty, !command.allSatisfy(\.isWhitespace) else { return nil }
  }
}

/// A command can be used like a policy; its decisions are a black box.
extension CacheCommand: BlackBoxCache {
  package var content: [ScenarioContent.Value] { [.init(path: "command", text: command)] }
  package var isDeterministic: Bool { false }
  package var predictsMemory: Bool { false }

  /// Replaces each `{option}` of the command by a value, quoted for the shell; `${option}` is the shell's
  /// own.
  package func setting(_ option: String, to value: String) -> (any BlackBoxCache)? {
    var filled = ""
    var rest = command[...]
    var isFound = false
    while let place = rest.firstRange(of: "{\(option)}") {
      let isOfShell = rest[..<place.lowerBound].last == "$"
      filled += rest[..<(isOfShell ? place.upperBound : place.lowerBound)]
      if !isOfShell {
        filled += value
        isFound = true
      }
      rest = rest[place.upperBound...]
    }
    guard isFound else { return nil }
    var set = self
    set.command = filled + rest
    set.firstHello = FirstHello()
    return set
  }

  package func maker(for workload: Workload) -> Maker {
    let prepared = PreparedWorkload(workload)
    return { launch throws(CacheFault) in
      let cache = try ProcessCache(self, for: prepared, launch, limits: limits, pace: pace)
      do throws(CacheFault) {
        try firstHello.check(claim: cache.claim ?? "", features: cache.features)
      } catch {
        cache.end()
        throw error
      }
      return cache
    }
  }
}

extension CacheCommand {
  /// The first word of the command, if it is a program that is not there or may not be run; `nil` also if only a
  /// shell can say what the word means.
  package var missingProgram: String? {
    let word = String(command.drop(while: \.isWhitespace).prefix { !$0.isWhitespace })
    let isPlain = word.allSatisfy {
      $0.isASCII && ($0.isLetter || $0.isNumber || "._/+-".contains($0))
    }
    guard isPlain, !Self.wordsOfShell.contains(word) else { return nil }
    let path = ProcessInfo.processInfo.environment["PATH"] ?? "/usr/bin:/bin"
    let files =
      word.contains("/") ? [word] : path.split(separator: ":").map { "\($0)/\(word)" }
    return files.contains { FileManager.default.isExecutableFile(atPath: $0) } ? nil : word
  }

  private static let wordsOfShell: Set<String> = [
    ".", "alias", "break", "case", "cd", "command", "continue", "echo", "eval", "exec", "exit",
    "export", "false", "for", "getopts", "if", "kill", "local", "printf", "pwd", "read", "readonly",
    "return", "set", "shift", "test", "time", "times", "trap", "true", "type", "ulimit", "umask",
    "unset", "until", "wait", "while",
  ]
}

package struct CacheLimits: Hashable, Sendable {
  /// The maximum time for hello, and for closing a turn, in seconds.
  package var startSeconds = 30.0
  package var turnSeconds = 10.0
  /// The maximum time to end, after its output is closed or it was killed, in seconds.
  ///
  /// A process that closes its output and continues has no exit status.
  package var endSeconds = 10.0
  /// The maximum length of a line in bytes, without its end, and the maximum number of lines per turn.
  package var lineBytes = 8 << 20
  package var linesPerTurn = 10_000
  /// The maximum resident memory of its processes together, in bytes.
  package var memoryBytes = 4 << 30

  package init() {}
}

/// The hello message of a cache's first process: all other processes must repeat it, since the results of
/// seeds belong to one cache only then.
package final class FirstHello: Sendable {
  private struct Hello: Hashable {
    var claim: TextKey
    var features: Set<CacheFeature>
  }

  private let first = Mutex<Hello?>(nil)

  package init() {}

  /// - Throws: ``CacheFault`` if it differs from an earlier process's.
  func check(claim: String, features: Set<CacheFeature>) throws(CacheFault) {
    let own = Hello(claim: TextKey(claim), features: features)
    let other = first.withLock { first in
      first = first ?? own
      return first
    }
    guard other == own else {
      throw CacheFault(.otherHello, "\(Self.text(own)), before: \(other.map(Self.text) ?? "")")
    }
  }

  private static func text(_ hello: Hello) -> String {
    ([hello.claim.text] + hello.features.map(\.rawValue).sorted()).joined(separator: " ")
  }
}

/// The number of turns sent to processes, and their time on this machine: for display, never a result.
///
/// Processes of several runs may be counted at the same time.
package final class TurnPace: Sendable {
  private let total = Mutex((turns: 0, seconds: 0.0))

  package init() {}

  /// Counts a process that has ended.
  func add(turns: Int, seconds: Double) {
    total.withLock {
      $0.turns += turns
      $0.seconds += seconds
    }
  }

  /// The figures of all processes so far, with the time of each from start to end.
  package var words: String {
    let (turns, seconds) = total.withLock { $0 }
    let pace = seconds > 0 ? Int((Double(turns) / seconds).rounded()) : 0
    return "\(turns) turns in \(Int((seconds * 1_000).rounded())) ms, \(pace) turns/s"
  }
}
