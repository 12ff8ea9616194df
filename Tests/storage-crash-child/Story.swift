import Foundation

/// What a child process says of its writes while it makes them.
enum Story {
  /// Says a line, past every buffer of this process, which is about to be killed.
  static func say(_ line: String) {
    FileHandle.standardOutput.write(Data((line + "\n").utf8))
  }
}
