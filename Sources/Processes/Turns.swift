/// Turns of several subjects, forwards and backwards (A B C, C B A), so that a change of the machine's
/// speed falls on all of them alike.
package struct Turns: Sendable {
  /// In each of them every subject has one turn.
  package var rounds: Int
  /// How long they may take, once there are ``fewestRounds`` of them; `nil`: as long as they do.
  package var budget: Duration?

  package static let fewestRounds = 5

  package init(rounds: Int, budget: Duration? = nil) {
    self.rounds = rounds
    self.budget = budget
  }

  /// What the turns of each subject gave, in the order of the subjects.
  package func take<Subject, Sample>(
    _ subjects: [Subject],
    turn: (_ subject: Subject, _ round: Int) async throws -> Sample
  ) async rethrows -> [[Sample]] {
    let start = ContinuousClock.now
    var samples = subjects.map { _ in [Sample]() }
    for round in 0..<rounds {
      if let budget, round >= Self.fewestRounds, start.duration(to: .now) >= budget { break }
      for index in Self.order(of: subjects.count, inRound: round) {
        samples[index].append(try await turn(subjects[index], round))
      }
    }
    return samples
  }

  /// Whose turn comes when in a round.
  package static func order(of subjects: Int, inRound round: Int) -> [Int] {
    round.isMultiple(of: 2) ? Array(0..<subjects) : (0..<subjects).reversed()
  }
}
