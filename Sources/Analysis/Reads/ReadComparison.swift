package import ResultModel

/// Two runs of the same workloads, compared read by read.
package struct ReadComparison: Sendable {
  /// A read that both made, and that ended differently.
  package struct Pair: Hashable, Sendable {
    package var first: ReadLine
    package var second: ReadLine
  }

  /// How often one outcome goes with another.
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
  /// The reads that only one of them made: a user who waits does less.
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

/// What became of one read of a user's under one policy.
package struct ReadLine: Hashable, Sendable {
  package var scenario: String
  package var policy: String
  package var seed: UInt64
  package var client: String
  /// The place of the action in the client's script.
  package var action: Int
  /// When it was made, in nanoseconds of virtual time.
  package var at: Int64
  /// What was asked for, as the model names it.
  package var read: String
  /// The metric that counts such reads.
  package var outcome: Metric
  /// For how long it waited, in nanoseconds; `nil` if no answer came.
  package var waited: Int64?
  /// For how long what it was served had not been the truth, in nanoseconds; `nil` if it was.
  package var age: Int64?
  /// In what the first row that is not the truth differs from it, and the row, from 1; `nil` if no
  /// row does.
  package var difference: Difference?

  package struct Difference: Hashable, Sendable {
    package var word: String
    package var row: Int

    package init(word: String, row: Int) {
      self.word = word
      self.row = row
    }
  }

  package init(
    scenario: String, policy: String, seed: UInt64, client: String, action: Int, at: Int64,
    read: String, outcome: Metric, waited: Int64?, age: Int64?, difference: Difference?
  ) {
    self.scenario = scenario
    self.policy = policy
    self.seed = seed
    self.client = client
    self.action = action
    self.at = at
    self.read = read
    self.outcome = outcome
    self.waited = waited
    self.age = age
    self.difference = difference
  }

  /// Which read of which run it is, whatever the policy.
  struct Identity: Hashable {
    var scenario: String
    var seed: UInt64
    var client: String
    var action: Int
  }

  var identity: Identity {
    Identity(scenario: scenario, seed: seed, client: client, action: action)
  }

  /// Whether both were served, or failed, in the same way; for how long they waited is not asked.
  func isLike(_ other: Self) -> Bool {
    outcome == other.outcome && difference == other.difference
  }
}

/// Why one contender has more fresh hits than another: read by read, what became of the same read.
///
/// Both met the same stream, so their reads pair up. Reads that both served fresh, or neither, explain
/// nothing and are not here.
package struct ReadMargin: Hashable, Sendable {
  /// The reads that one outcome took from either side.
  package struct Cause: Hashable, Sendable {
    /// The metric that counts the outcome: `.missExpired`, `.hitStale`.
    package let outcome: Metric
    /// Reads that the runner-up ended so, and the winner served fresh.
    package fileprivate(set) var lost: Int
    /// Reads that the winner ended so, and the runner-up served fresh.
    package fileprivate(set) var regained: Int

    /// What the outcome adds to the margin; negative where it cost the winner more.
    package var net: Int { lost - regained }

    package init(outcome: Metric, lost: Int, regained: Int) {
      self.outcome = outcome
      self.lost = lost
      self.regained = regained
    }
  }

  /// In the order in which the outcomes were first counted.
  package private(set) var causes: [Cause] = []

  package init() {}

  /// Counts reads that ended so under the winner, and so under the runner-up.
  package mutating func count(winner: Metric, runnerUp: Metric, reads: Int = 1) {
    switch (winner == .hitFresh, runnerUp == .hitFresh) {
    case (true, false): add(Cause(outcome: runnerUp, lost: reads, regained: 0))
    case (false, true): add(Cause(outcome: winner, lost: 0, regained: reads))
    case (true, true), (false, false): break
    }
  }

  private mutating func add(_ cause: Cause) {
    if let index = causes.firstIndex(where: { $0.outcome == cause.outcome }) {
      causes[index].lost += cause.lost
      causes[index].regained += cause.regained
    } else {
      causes.append(cause)
    }
  }

  /// Fresh reads of the winner less those of the runner-up.
  package var reads: Int { causes.reduce(0) { $0 + $1.net } }

  /// The causes by what they add to the margin, the largest first; of equals the one with more reads
  /// lost, then by name.
  package var ranked: [Cause] {
    causes.sorted { ($1.net, $1.lost, $0.outcome.name) < ($0.net, $0.lost, $1.outcome.name) }
  }

  /// What explains the margin best: the cause that adds most to it.
  ///
  /// `nil` if nothing adds to it, since the runner-up has as many fresh hits or more.
  package var main: Cause? { ranked.first.flatMap { $0.net > 0 ? $0 : nil } }
}
