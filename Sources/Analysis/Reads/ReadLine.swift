package import ResultModel

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
  /// For how long it waited, in nanoseconds; `nil` where no answer came.
  package var waited: Int64?
  /// For how long what it was served had not been the truth, in nanoseconds; `nil` where it was.
  package var age: Int64?
  /// In what the first row that is not the truth differs from it, and the row, from 1; `nil` where no
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
