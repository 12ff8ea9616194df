import CommandLineInterface
import Foundation
import Workloads

/// What `bench` also measures in real time, and what it does not.
struct LabPlan {
  /// An input whose real caches are measured.
  struct Part {
    /// The words that name it.
    var arguments: [String]
    /// The scenario file that lends caches to it.
    var lender: String?
    var policies: [String]

    /// The equivalent arguments for a measuring process.
    var words: [String] { arguments + (lender.map { ["--scenario", $0] } ?? []) }
  }

  /// The input whose real caches are timed and counted; `nil`: none.
  private(set) var timed: Part?
  /// The inputs whose memory alone is counted.
  private(set) var counted: [Part] = []
  /// What is not measured and why, a line each.
  private(set) var omissions: [String] = []

  /// So many inputs are counted too, beside the one that is timed: each takes some seconds.
  private static let mostCounted = 2

  init(_ fields: [(SimulationInput, [Contender])], asked: [String], lender: String?) {
    guard FileManager.default.isExecutableFile(atPath: Companion.lab.executable.path) else {
      omissions = [
        "not measured: latency and memory in real time: \(Companion.lab.missing.message)"
      ]
      return
    }
    let usual = LabMeasurement.usualScenario
    let first = fields.firstIndex { $0.0.isDrawn && $0.0.file.scenario.name == usual } ?? 0
    for (index, (input, contenders)) in fields.enumerated() {
      guard !input.arguments.contains(InputFile.standardInput) else {
        omissions.append(
          "not measured in real time: \(input.name): it was read from standard input; name a file")
        continue
      }
      let part = Part(
        arguments: input.isDrawn ? [input.file.path] : input.arguments,
        lender: input.isDrawn ? nil : lender,
        policies: measured(contenders, of: input, isAsked: !asked.isEmpty, isFirst: index == first))
      guard !part.policies.isEmpty else { continue }
      if index == first {
        timed = part
      } else {
        counted.append(part)
      }
    }
    if timed == nil, !counted.isEmpty { timed = counted.removeFirst() }
    if counted.count > Self.mostCounted {
      let more = counted.count - Self.mostCounted
      counted.removeLast(more)
      omissions.append(
        "memory is not counted of \(more) more; of one: tidemark measure memory INPUT")
    }
    if timed == nil, omissions.isEmpty {
      omissions = ["not measured in real time: no policy that was named is a cache of the library"]
    }
    if fields.count > 1, let timed {
      omissions.append(
        "timed in real time: \(timed.arguments[0]) alone; another: tidemark measure latency SCENARIO"
      )
    }
  }

  /// Returns the policies whose real caches are measured; ``omissions`` lists the others.
  private mutating func measured(
    _ contenders: [Contender], of input: SimulationInput, isAsked: Bool, isFirst: Bool
  ) -> [String] {
    let own = contenders.filter { !PolicyEntry.bounds.contains($0.name) }
    let playable = own.filter(\.isPlayable)
    let measured = isAsked ? playable : PlayedInput.measured(among: contenders)
    guard isFirst || measured.isEmpty else { return measured.map(\.name) }
    let outside = own.filter { $0.cache.composition == nil }.map(\.name)
    if !outside.isEmpty {
      omissions.append(
        "not measured in real time: \(outside.joined(separator: ", ")): no cache of the library")
    }
    let left = playable.map(\.name).filter { name in !measured.contains { $0.name == name } }
    if !left.isEmpty, !measured.isEmpty {
      omissions.append(
        "not measured in real time: \(left.joined(separator: ", ")); name them with --policies")
    }
    return measured.map(\.name)
  }
}
