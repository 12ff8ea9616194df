import CacheModel
import CacheTestSupport
import Foundation
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

@Suite("Bounds of staleness from recordings")
struct BoundsTests {
  private static let folder = URL(filePath: #filePath).deletingLastPathComponent()
    .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    .appending(path: "Scenarios")

  /// Beside all other tests a few have to do, of different kinds; all of them take minutes.
  private static let scenarios: [String] = {
    let few = ["back-and-forth", "chat", "flaky-network", "issue-tracker", "magazine-reader"]
    let files = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
    let all = files.filter { $0.hasSuffix(".yaml") }.map { String($0.dropLast(5)) }.sorted()
    return Trials.count(few.count, of: all.count) == few.count ? few : all
  }()

  /// The parts that an app's log may lack.
  enum Log: String, CaseIterable {
    case whole
    /// Each answer says where the stream of events stood.
    case placed
    /// A cache of the app's answered every fourth read.
    case fourthMissing

    func maker(of workload: Workload) -> AppLog {
      var log = AppLog(of: workload)
      log.tellsPlaces = self == .placed
      if self == .fourthMissing { log.keepsAnswer = { $0 % 4 != 3 } }
      return log
    }
  }

  /// A scenario, of which a part is enough among all other tests: every policy is run four times.
  private static func scenario(_ name: String) throws -> Scenario {
    let bytes = try [UInt8](Data(contentsOf: folder.appending(path: "\(name).yaml")))
    var scenario = try Scenario.parse(
      bytes, file: name, vocabulary: .unchecked, models: .shipped)
    let part = scenario.duration / Trials.count(8, of: 2)
    scenario.duration = max(part, scenario.drain + .seconds(1_800))
    return scenario
  }

  /// A policy's figures from a recording, and the true ones.
  private struct Said {
    var policy: String
    var truth: RunValues
    var bounds: RunValues

    func fresh(_ statistic: Statistic) -> Double { bounds[.freshHitRatio, statistic] ?? 0 }
  }

  @Test(
    "If a recording lacks the server's states, true staleness is between the bounds, and no other policy is best",
    arguments: scenarios)
  func bounds(name: String) throws {
    let scenario = try Self.scenario(name)
    // Users' writes are not actions of an app's log.
    guard !scenario.hasWrites else { return }
    let policies = Set(["lru", "refcount", "ttl"] + scenario.policies.map(\.name)).filter {
      !PolicyEntry.bounds.contains($0)
    }
    let workload = Workload.generate(scenario, seed: 1)
    let truths = try policies.sorted().compactMap { policy in
      try scenario.composition(for: policy).map {
        (policy, $0, try values(of: workload, $0, class: .all))
      }
    }
    for log in Log.allCases {
      var maker = log.maker(of: workload)
      let recorded = maker.workload()
      let said = try truths.map { policy, composition, truth in
        Said(
          policy: policy, truth: truth,
          bounds: try values(of: recorded, composition, class: .all))
      }
      for one in said {
        let stale = try #require(one.truth[.staleReadShare])
        let low = try #require(one.bounds[.staleReadShare, .lower])
        let high = try #require(one.bounds[.staleReadShare, .upper])
        // An answer takes another time under another policy, so a change in between is seen by one alone: two reads
        // are the most that was found.
        let slack = 2 / max(one.bounds[.reads] ?? 0, 1)
        #expect(
          low - slack <= stale && stale <= high + slack,
          "\(log), \(one.policy): \(stale) is not in \(low)…\(high)")
      }
      // Where answers are missing, caches held something else than in truth, and so did the best of them.
      if log != .fourthMissing { try expectNoContradiction(said, "\(name) \(log)") }
    }
  }

  /// A policy that is best at both ends is best in truth, but for what is too little to choose by.
  private func expectNoContradiction(_ said: [Said], _ label: String) throws {
    let (lower, upper) = (
      said.map { $0.fresh(.lower) }.max() ?? 0, said.map { $0.fresh(.upper) }.max() ?? 0
    )
    let best = said.map { $0.truth[.freshHitRatio] ?? 0 }.max() ?? 0
    for one in said where one.fresh(.lower) == lower && one.fresh(.upper) == upper && lower > 0 {
      let fresh = try #require(one.truth[.freshHitRatio])
      #expect(best - fresh <= 0.005, "\(label): \(one.policy) has \(fresh), the best \(best)")
    }
  }
}
