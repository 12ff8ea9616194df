import Text

/// A place in a text file; line and column count from 1, columns in Unicode scalars.
package struct SourcePlace: Hashable, Comparable, Sendable {
  package var line: Int
  package var column: Int
  /// The file, where it is another than the one that is read: that of a model.
  package var file: String?

  package init(line: Int, column: Int) {
    self.line = line
    self.column = column
  }

  package static func < (lhs: SourcePlace, rhs: SourcePlace) -> Bool {
    let files = (lhs.file ?? "", rhs.file ?? "")
    if files.0 != files.1 { return files.0 < files.1 }
    return lhs.line != rhs.line ? lhs.line < rhs.line : lhs.column < rhs.column
  }
}

/// Everything that is wrong with a scenario file.
package struct ScenarioError: Error, Hashable, Sendable, CustomStringConvertible {
  /// In order of place; never empty.
  package var problems: [Problem]

  package struct Problem: Hashable, Sendable, CustomStringConvertible {
    package var file: String
    /// `nil` for a value that came from the command line.
    package var place: SourcePlace?
    /// What is wrong.
    package var cause: String
    /// What to do about it.
    package var remedy: String

    package init(file: String, place: SourcePlace?, cause: String, remedy: String) {
      self.file = file
      self.place = place
      self.cause = cause
      self.remedy = remedy
    }

    /// One line: `file:line:column: cause; remedy`; the cause may repeat names from the file.
    package var description: String {
      let location = place.map { ":\($0.line):\($0.column)" } ?? ""
      return "\(file)\(location): \(cause); \(remedy)".legible
    }
  }

  package init(problems: [Problem]) {
    self.problems = problems
  }

  /// One line for each problem.
  package var description: String {
    problems.map(\.description).joined(separator: "\n")
  }
}
