/// A word of a command line that a message asks the user to type.
package enum ShellWord {
  /// The word as a shell reads it back.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
        UInt8(ascii: "0")...UInt8(ascii: "9"):
        true
      default: "_-./+:@%,=".utf8.contains(byte)
      }
    }
    return isPlain && !word.isEmpty
      ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
