package import ResultModel

/// Two runs of the same workloads, compared read by read.
package struct ReadComparison: Sendable {
  /// A read of both runs with different outcomes.
  package struct Pair: Hashable, Sendable {
    package var first: ReadLine
    package var second: ReadLine
  }

  package struct Change: Hashable, Sendable {
    package var first: Metric
    package var second: Metric
    package var reads: Int
  }

  /// Why two runs cannot be compared.
  package enum Fault: Error, Hashable, Sendable {
    /// The runs have no read in common.
    case nothingInCommon
    /// An action of a client has two different targets.
    case otherWorkload(ReadLine, ReadLine)
  }

  /// The reads that both made.
  package let inBoth: Int
  /// The reads of only one run: a user who waits does less.
  package let onlyInFirst: Int
  package let onlyInSecond: Int
  /// The virtual time that users waited for the reads of both, in nanoseconds.
  package let waited: (first: Double, second: Double)
  /// The reads with different outcomes, in order of time; ties in the order of the first run.
  package let differing: [Pair]
  /// The changes, most frequent first.
  package let changes: [Change]

  /// Compares two runs; O(reads · log reads).
  package init(_ first: [ReadLine], _ second: [ReadLine]) throws(Fault) {
    let others = Dictionary(
      second.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    var pairs: [Pair] = []
    var inBoth = 0
    var waited = (first: 0.0, second: 0.0)
    for read in first {
      guard let other = others[read.identity] else { continue }
      // A user who waits is later, so times may differ.
      guard read.read == other.read else { throw .otherWorkload(read, other) }
      inBoth += 1
      waited.first += Double(read.waited ?? 0)
      waited.second += Double(other.waited ?? 0)
      if !read.isLike(other) { pairs.append(Pair(first: read, second: other)) }
    }
    guard inBoth > 0 else { throw .nothingInCommon }
    self.inBoth = inBoth
    self.waited = waited
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

/// One read by a user under one policy, and its outcome.
package struct ReadLine: Hashable, Sendable {
  package var scenario: String
  package var policy: String
  package var seed: UInt64
  package var client: String
  /// The index of the action in the client's script.
  package var action: Int
  /// The time of the read, in nanoseconds of virtual time.
  package var at: Int64
  /// The target, by the model's names.
  package var read: String
  /// The metric that counts such reads.
  package var outcome: Metric
  /// The waiting time in nanoseconds; `nil` if no answer came.
  package var waited: Int64?
  /// How long served rows had been outdated, in nanoseconds; `nil` if they were current.
  package var age: Int64?
  /// The first difference from the ground truth, and its row, from 1; `nil` if there is none.
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

  /// Identifies a read of a run, whatever the policy.
  struct Identity: Hashable {
    var scenario: String
    var seed: UInt64
    var client: String
    var action: Int
  }

  var identity: Identity {
    Identity(scenario: scenario, seed: seed, client: client, action: action)
  }

  /// Returns whether both were served, or failed, in the same way, whatever their waiting times.
  func isLike(_ other: Self) -> Bool {
    outcome == other.outcome && difference == other.difference
  }
}

/// Why one contender has more fresh hits than another: read by read, what became of the same read.
///
/// Both had the same stream, so their reads can be paired. Reads that both served fresh, or neither, explain
/// nothing and are excluded.
package struct ReadMargin: Hashable, Sendable {
  /// The reads lost by either side to one outcome.
  package struct Cause: Hashable, Sendable {
    /// The metric that counts the outcome: `.missExpired`, `.hitStale`.
    package let outcome: Metric
    /// Reads with this outcome for the runner-up that the winner served fresh.
    package fileprivate(set) var lost: Int
    /// Reads with this outcome for the winner that the runner-up served fresh.
    package fileprivate(set) var regained: Int

    /// The outcome's net contribution to the margin; negative if it cost the winner more.
    package var net: Int { lost - regained }

    package init(outcome: Metric, lost: Int, regained: Int) {
      self.outcome = outcome
      self.lost = lost
      self.regained = regained
    }
  }

  /// The causes in the order in which they were first counted.
  package private(set) var causes: [Cause] = []

  package init() {}

  /// Counts reads with an outcome of the winner and an outcome of the runner-up.
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

  /// The fresh reads of the winner minus those of the runner-up.
  package var reads: Int { causes.reduce(0) { $0 + $1.net } }

  /// The causes by net contribution, largest first; ties by the number of lost reads, then by name.
  package var ranked: [Cause] {
    causes.sorted { ($1.net, $1.lost, $0.outcome.name) < ($0.net, $0.lost, $1.outcome.name) }
  }

  /// The main cause: the one with the largest net contribution.
  ///
  /// `nil` if nothing adds to it, since the runner-up has as many fresh hits or more.
  package var main: Cause? { ranked.first.flatMap { $0.net > 0 ? $0 : nil } }
}
