import CacheModel
import Workloads

/// What a client misses while it hears nothing, beside what the server replays: where more is missed, all
/// that a cache holds is stale, whatever its policy.
struct Absence {
  /// A line for each group of clients whose app is suspended between visits.
  let lines: [String]
  private let server: ServerSection
  /// Commits of others, in a second.
  private let rate: Double
  private let isPushed: Bool

  init(_ scenario: Scenario) {
    server = scenario.server
    isPushed = scenario.network.events == .push
    let rate = scenario.writers.reduce(0.0) { rate, group in
      let bursts = group.burst.map { Double($0.operations) / $0.every.inSeconds } ?? 0
      return rate + Double(group.count) * (group.rate + bursts)
    }
    self.rate = rate
    lines = scenario.users.compactMap { [server, isPushed] group in
      guard let visits = group.visits, visits.between == .suspended, isPushed else { return nil }
      // Visits are a Poisson process, so the time until the next one is exponential.
      let mean = 1 / visits.rate
      let age = server.replayAge.inSeconds
      let window = rate > 0 ? min(age, Double(server.replayEvents) / rate) : age
      let longer = PortableMath.exp(-window * visits.rate)
      return
        "\(group.name): hears nothing for \(Words.about(seconds: mean)) on average between two visits, in "
        + "which others make \(Words.about(mean * rate)) \(mean * rate == 1 ? "change" : "changes"). "
        + "\(Words.sentence(Words.aboutShare(longer))) of these absences are longer than what is "
        + "replayed, so that the visit begins with everything stale."
    }
  }

  /// Whether what passes during an absence is replayed.
  func missed(during length: Duration) -> String {
    guard isPushed, rate > 0 else { return "" }
    let count = rate * length.inSeconds
    let isReplayed = length <= server.replayAge && count <= Double(server.replayEvents)
    return ", in which others make \(Words.about(count)) \(count == 1 ? "change" : "changes"), "
      + (isReplayed ? "all of them replayed" : "more than is replayed: everything is stale then")
  }
}
