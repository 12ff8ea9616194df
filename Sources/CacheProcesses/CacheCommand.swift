import CacheModel
package import CacheSimulation
import Foundation
import Synchronization
package import Workloads

/// A cache to be started: what results call it, and the command of a shell that runs it.
package struct CacheCommand: Sendable {
  package var name: String
  package var command: String
  package var limits = CacheLimits()
  /// Where its turns are counted; `nil`: nowhere.
  package var pace: TurnPace?
  /// What all its processes have to say of themselves alike.
  private var firstHello = FirstHello()

  package init(name: String, command: String) {
    self.name = name
    self.command = command
  }

  /// - Parameter text: `name=COMMAND` or `name@given=COMMAND`; `nil` comes where there is no name of letters,
  ///   digits, `-`, `_` and `.`, or no command.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<equals])
    command = String(text[text.index(after: equals)...])
    let plain = ListMembership.plainName(ofCache: name)
    let isName = plain.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.".utf8.contains(byte)
      }
    }
    guard isName, !plain.isEmpty, !command.allSatisfy(\.isWhitespace) else { return nil }
  }
}

/// A command can be used like a policy; how it decides is not known.
extension CacheCommand: BlackBoxCache {
  package var content: [ScenarioContent.Value] { [.init(path: "command", text: command)] }
  package var isDeterministic: Bool { false }
  package var predictsMemory: Bool { false }

  /// Puts a value in the place of each `{option}` of the command, which a shell then takes apart; `${option}` is
  /// the shell's own.
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

/// What the harness puts up with from a cache.
package struct CacheLimits: Hashable, Sendable {
  /// How long it may take to say hello, and to close a turn.
  package var startSeconds = 30.0
  package var turnSeconds = 10.0
  /// How long it may take to end, once its output is closed or it was killed.
  ///
  /// One that closes its output and goes on has no status.
  package var endSeconds = 10.0
  /// The longest line, in bytes without its end, and the most lines of a turn.
  package var lineBytes = 8 << 20
  package var linesPerTurn = 10_000
  /// What its processes may take together, in bytes that are resident.
  package var memoryBytes = 4 << 30

  package init() {}
}

/// What the first process of a cache said of itself: all others of it have to say the same, since the
/// results of seeds are only of one cache if they are.
package final class FirstHello: Sendable {
  private struct Hello: Hashable {
    var claim: TextKey
    var features: Set<CacheFeature>
  }

  private let first = Mutex<Hello?>(nil)

  package init() {}

  /// - Throws: ``CacheFault`` if an earlier process has said something else.
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

/// How many turns were sent to processes, and how long that took on this machine: for people, never a result.
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

  /// Of all processes so far, the time of each from its start to its end.
  package var words: String {
    let (turns, seconds) = total.withLock { $0 }
    let pace = seconds > 0 ? Int((Double(turns) / seconds).rounded()) : 0
    return "\(turns) turns in \(Int((seconds * 1_000).rounded())) ms, \(pace) turns/s"
  }
}
