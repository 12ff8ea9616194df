import CacheModel
import CacheSimulation

/// In plain words, how what came differs from what is right, and which rule says what is right.
extension ConformanceRun {
  typealias Reason = (words: String, rule: ConformanceRule)

  /// Of an answer that is not right.
  func reason(_ read: Read, _ right: [ConformanceStep.Answer]) -> Reason {
    let lists = right.compactMap { answer in Self.names(of: answer).map { states($0, read.target) }
    }
    switch read.came {
    case .none:
      return lists.isEmpty
        ? ("the read waits, though it cannot be answered now", .failsReads)
        : ("the read has no answer", .answersReads)
    case .failed: return ("it gives up a read that it can answer", .answersReads)
    case .kept(let rows), .asked(let rows):
      guard let expected = lists.first else {
        return ("it serves rows where there is no answer; `fail` gives a read up", .failsReads)
      }
      if case .kept = read.came, right.allSatisfy(\.isAsked) {
        return ("it answers before the server has", .asksFirst)
      }
      if lists.contains(rows) { return ("it asks again for what it has", .keepsAnswers) }
      return (difference(of: rows, from: expected), test.rule)
    }
  }

  private static func names(of answer: ConformanceStep.Answer) -> String? {
    switch answer {
    case .kept(let names), .asked(let names), .shown(let names): names
    case .failed, .none: nil
    }
  }

  /// What is wrong with rows: which are missing, do not belong there, are another state, or stand elsewhere.
  func difference(of rows: [Int], from expected: [Int]) -> String {
    func object(_ state: Int) -> UInt32 { ConformanceWorld.object(of: UInt32(state)) }
    func states(_ all: [Int]) -> [UInt32: Int] {
      Dictionary(all.map { (object($0), $0) }) { first, _ in first }
    }
    let (came, right) = (states(rows), states(expected))
    let missing = expected.filter { came[object($0)] == nil }
    let extra = rows.filter { right[object($0)] == nil }
    let older = rows.filter { $0 < right[object($0)] ?? $0 }
    let newer = rows.filter { $0 > right[object($0)] ?? $0 }
    let parts = [
      ("missing", missing), ("not to be there", extra), ("older than it should be", older),
      ("later than it should be", newer),
    ]
    let words = parts.filter { !$0.1.isEmpty }.map { "\($0.0): \(self.words($0.1))" }
    return words.isEmpty ? "the rows stand in another order" : words.joined(separator: "; ")
  }
}

extension ConformanceStep.Answer {
  fileprivate var isAsked: Bool {
    if case .asked = self { true } else { false }
  }
}
