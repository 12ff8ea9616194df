package import CacheSimulation
package import Workloads

/// A cache to be started: what results call it, and the command of a shell that runs it.
package struct CacheCommand: Hashable, Sendable {
  package var name: String
  package var command: String

  /// - Parameter text: `name=COMMAND`; `nil` comes where there is no name of letters, digits, `-`, `_` and `.`, or no command.
  package init?(_ text: String) {
    guard let equals = text.firstIndex(of: "=") else { return nil }
    name = String(text[..<equals])
    command = String(text[text.index(after: equals)...])
    let isName = name.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "-_.".utf8.contains(byte)
      }
    }
    guard isName, !name.isEmpty, !command.allSatisfy(\.isWhitespace) else { return nil }
  }
}

/// Where policies go, a command can go too: nobody knows what it does with what it is told.
extension CacheCommand: OutsideCache {
  package var content: [ScenarioContent.Value] { [.init(path: "command", text: command)] }
  package var isDeterministic: Bool { false }
  package var predictsMemory: Bool { false }

  package func maker(for workload: Workload) -> Maker {
    let prepared = PreparedWorkload(workload)
    return { launch throws(CacheFault) in try ProcessCache(self, for: prepared, launch) }
  }
}

/// What the harness puts up with from a cache.
package struct CacheLimits: Hashable, Sendable {
  /// How long it may take to say hello, and to close a turn.
  package var startSeconds = 30.0
  package var turnSeconds = 10.0
  /// The longest line, in bytes without its end, and the most lines of a turn.
  package var lineBytes = 8 << 20
  package var linesPerTurn = 10_000

  package init() {}
}
