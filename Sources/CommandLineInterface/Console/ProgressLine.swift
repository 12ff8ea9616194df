import Foundation

/// Tells a person at a terminal what is going on, in one line that is written over; silent elsewhere.
package struct ProgressLine: Sendable {
  private let title: String

  package init(_ title: String) {
    self.title = title
  }

  /// That of a part.
  package func of(_ part: String) -> ProgressLine { ProgressLine("\(title), \(part)") }

  package func report(_ step: String) {
    guard Console.isInteractive else { return }
    // What is measured among others names itself; alone it has said so in the title.
    let line = (step.hasPrefix("\(title): ") ? step : "\(title): \(step)").prefix(100)
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K\(line)".utf8))
  }

  package func end() {
    guard Console.isInteractive else { return }
    try? FileHandle.standardError.write(contentsOf: Array("\r\u{1B}[2K".utf8))
  }
}
