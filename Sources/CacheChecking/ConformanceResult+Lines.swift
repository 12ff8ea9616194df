import CacheModel
import CacheSimulation

extension ConformanceResult.Finding {
  /// For people: where it was, what was asked, what is right, what came, and what that means.
  ///
  /// What came may be text of a process.
  package var lines: [String] {
    var place = turn.map { "turn \($0)" } ?? "before the first turn"
    if let at { place += " at \(at.inWords)" }
    var lines = ["\(place): \(asked)"]
    if !right.isEmpty { lines.append("right: \(right.joined(separator: " or "))") }
    lines.append("came: \(came)")
    if !meaning.isEmpty { lines.append("why: \(meaning)" + (word.map { " [\($0)]" } ?? "")) }
    return lines
  }
}
