import Analysis
import CommandLineInterface
import Processes
import RealTime
import Reporting
import ResultModel

/// All peers under all workloads, in turns: a pause of the machine falls on all alike.
struct PeerComparison: Sendable {
  let peers: [Peer]
  let workloads: [PeerWorkload]
  let seed: UInt64
  var rounds = 7
  var events = 1_500
  var rate = 1_000.0

  static let scenario = PeerTable.scenario

  /// The cache under test is added where it is missing.
  init(peers: [Peer], workloads: [PeerWorkload], seed: UInt64) {
    let own = Peers.all[0]
    self.peers = peers.contains { $0.name == own.name } ? peers : [own] + peers
    self.workloads = workloads
    self.seed = seed
  }

  /// - Throws: ``CommandFailure`` where a peer does what is wrong.
  func run(progress: ProgressLine) async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for workload in workloads {
      rows += Self.rows(of: try await results(of: workload, progress: progress), seed: seed)
    }
    return rows
  }

  private func results(
    of workload: PeerWorkload, progress: ProgressLine
  ) async throws -> [PeerResult] {
    let contestants = peers + [Peers.control]
    var results = contestants.map { peer in
      PeerResult(
        design: peer.name, isControl: peer.name == Peers.control.name, workload: workload.name)
    }
    let samples = try await Turns(rounds: rounds).take(contestants) { peer, round in
      try Task.checkCancellation()
      progress.report("\(workload.name), round \(round + 1) of \(rounds): \(peer.name)")
      return try await Self.round([
        "run-peer", peer.name, "--workload", workload.name, "--round", "\(round)",
        "--events", "\(events)", "--rate", "\(rate)", "--seed", "\(seed)",
      ])
    }
    for index in results.indices { results[index].rounds = samples[index] }
    return results
  }

  /// Runs one round of a peer in a process of its own.
  ///
  /// - Throws: ``CommandFailure`` where the process fails, with what it said, or did not hand over its
  ///   samples whole.
  private static func round(_ arguments: [String]) async throws -> PeerSamples {
    // Longer than any round may take: its phases end by themselves.
    var run = ProcessRun(arguments: arguments, deadline: .seconds(300))
    // For removing its files, once its input has ended.
    run.patience = .seconds(2)
    do {
      return try PeerSamples(text: try await run.output())
    } catch let error where error is ProcessRunError || error is ChildTextError {
      throw CommandFailure(.data, "\(arguments.joined(separator: " ")): \(error)")
    }
  }

  /// The distributions of all, and the ratios of the peers to the first.
  static func rows(of results: [PeerResult], seed: UInt64) -> [ResultRow] {
    guard let own = results.first else { return [] }
    let ratios = results.dropFirst().filter { !$0.isControl }.flatMap { peer in
      PeerResult.Stage.all.flatMap { stage -> [ResultRow] in
        guard let ratio = stage.metric.peerRatio else { return [] }
        return ratio.statistics.map { statistic in
          let pairs = zip(peer.values(of: stage, statistic), own.values(of: stage, statistic))
          let quotients = pairs.map { peer, own -> Double? in
            guard let peer, let own, own > 0 else { return nil }
            return peer / own
          }
          // A round that cannot state it says that the rounds are too short.
          let known = quotients.compactMap { $0 }
          let summary = known.count == quotients.count ? MedianInterval(known) : nil
          return ResultRow(
            scenario: scenario, policy: peer.design, seed: seed, class: peer.class(of: stage),
            metric: ratio, statistic: statistic,
            value: summary.map { .real($0.median) }, sampleCount: known.count,
            confidenceInterval: summary?.interval)
        }
      }
    }
    return results.flatMap { $0.rows(scenario: scenario, seed: seed) } + ratios
  }

  /// What the cache under test claims over its peers, back to back; only of those that ran.
  var targets: [Target] {
    [("literal-actor", 50.0), ("grdb-value-observation", 10.0)].compactMap { peer, limit in
      guard peers.contains(where: { $0.name == peer }),
        workloads.contains(where: { $0.name == "single" })
      else { return nil }
      return Target(
        scenario: Self.scenario, metric: .eventCostRatio, statistic: .p50, class: "single/hot",
        comparison: .atLeast, limit: limit, policies: [peer])
    }
  }
}
