import Text

/// Why a recording cannot be read.
package struct RecordingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// From 1.
  package var line: Int
  /// What is wrong.
  package var cause: String
  /// What to do about it.
  package var remedy: String

  package init(line: Int, cause: String, remedy: String) {
    self.line = line
    self.cause = cause
    self.remedy = remedy
  }

  /// One line; the cause may repeat names from the file.
  package var description: String { "line \(line): \(cause); \(remedy)".legible }
}
