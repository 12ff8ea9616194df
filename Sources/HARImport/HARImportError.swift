import Text

package struct HARImportError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The index in `log.entries`, from 1; `nil`: the whole file.
  package var entry: Int?
  package var cause: String
  package var remedy: String

  package init(entry: Int? = nil, _ cause: String, _ remedy: String) {
    self.entry = entry
    self.cause = cause
    self.remedy = remedy
  }

  /// The error in one line, without the name of the file.
  package var description: String {
    ((entry.map { "entry \($0): " } ?? "") + "\(cause); \(remedy)").legible
  }
}
