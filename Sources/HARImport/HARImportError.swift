import Text

/// Why a HAR file cannot be imported.
package struct HARImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The entry of `log.entries`, from 1; `nil`: the file as a whole.
  package var entry: Int?
  package var cause: String
  package var remedy: String

  package init(entry: Int? = nil, _ cause: String, _ remedy: String) {
    self.entry = entry
    self.cause = cause
    self.remedy = remedy
  }

  /// One line, without the name of the file.
  package var description: String {
    ((entry.map { "entry \($0): " } ?? "") + "\(cause); \(remedy)").legible
  }
}
