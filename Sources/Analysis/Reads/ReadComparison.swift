package import ResultModel

/// Two runs of the same workloads, compared read by read.
package struct ReadComparison: Sendable {
  /// A read that both made, and that ended differently.
  package struct Pair: Hashable, Sendable {
    package var first: ReadLine
    package var second: ReadLine
  }

  /// How often the one outcome stands beside the other.
  package struct Change: Hashable, Sendable {
    package var first: Metric
    package var second: Metric
    package var reads: Int
  }

  /// Why two runs cannot be compared.
  package enum Fault: Error, Hashable, Sendable {
    /// No read is in both.
    case nothingInCommon
    /// One action of one client asks for two different things.
    case otherWorkload(ReadLine, ReadLine)
  }

  /// The reads that both made.
  package let inBoth: Int
  /// Those that only one of them came to: a user who waits does less.
  package let onlyInFirst: Int
  package let onlyInSecond: Int
  /// Those that ended differently, in order of time; of equal instants in the order of the first run.
  package let differing: [Pair]
  /// The most frequent first.
  package let changes: [Change]

  /// O(reads · log reads).
  ///
  /// - Parameters:
  ///   - first: the reads of one policy.
  ///   - second: those of another, or of the same one in another version.
  /// - Throws: ``Fault``.
  package init(_ first: [ReadLine], _ second: [ReadLine]) throws(Fault) {
    let others = Dictionary(
      second.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    var pairs: [Pair] = []
    var inBoth = 0
    for read in first {
      guard let other = others[read.identity] else { continue }
      // A user who waits is later, so the instants may differ.
      guard read.read == other.read else { throw .otherWorkload(read, other) }
      inBoth += 1
      if !read.isLike(other) { pairs.append(Pair(first: read, second: other)) }
    }
    guard inBoth > 0 else { throw .nothingInCommon }
    self.inBoth = inBoth
    onlyInFirst = first.count - inBoth
    onlyInSecond = second.count - inBoth
    differing = pairs.enumerated().sorted {
      ($0.element.first.at, $0.offset) < ($1.element.first.at, $1.offset)
    }.map(\.element)
    changes = Self.changes(pairs)
  }

  private static func changes(_ pairs: [Pair]) -> [Change] {
    var changes: [Change] = []
    for pair in pairs {
      let (first, second) = (pair.first.outcome, pair.second.outcome)
      if let known = changes.firstIndex(where: { $0.first == first && $0.second == second }) {
        changes[known].reads += 1
      } else {
        changes.append(Change(first: first, second: second, reads: 1))
      }
    }
    return changes.sorted {
      ($1.reads, $0.first.name, $0.second.name) < ($0.reads, $1.first.name, $1.second.name)
    }
  }
}
