import CacheSimulation

/// A cache to be started: what results call it, and the command of a shell that runs it.
package struct CacheCommand: Hashable, Sendable {
  package var name: String
  package var command: String

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
