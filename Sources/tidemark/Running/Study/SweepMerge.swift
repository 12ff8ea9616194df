import CommandLineInterface
import Foundation

/// The shards of a folder, held against their plan: every run once, or what is wrong.
struct SweepMerge {
  /// The records by their keys.
  let records: [String: RunRecord]

  /// - Throws: ``CommandFailure`` that names each hole and each double.
  init(_ plan: SweepPlan, folder: String) throws {
    let cells = plan.cells
    let prints = plan.task.inputs.map(\.fingerprint)
    let keys = cells.map { $0.key(workload: prints[$0.input]) }
    let digest = try plan.digest()
    let files = try Self.files(in: folder).map { try ShardFile(path: "\(folder)/\($0)", name: $0) }
    var problems: [String] = []
    for file in files where file.plan != digest {
      problems.append("\(file.name): is of another plan; remove it, or name its own plan")
    }
    var places: [String: Int] = [:]
    for (index, key) in keys.enumerated() { places[key] = index }
    var holders = [[String]](repeating: [], count: keys.count)
    var records: [String: RunRecord] = [:]
    for file in files where file.plan == digest {
      for entry in file.entries {
        guard let place = places[entry.key] else {
          problems.append("\(file.name): \(entry.subject) is no run of the plan; remove the file")
          break
        }
        holders[place].append(file.name)
        records[entry.key] = entry.record
      }
    }
    problems += Self.doubles(holders)
    problems += Self.holes(
      holders, count: files.first { $0.plan == digest }?.shard.count, folder: folder)
    guard problems.isEmpty else {
      throw CommandFailure(.data, problems.joined(separator: "\n"))
    }
    self.records = records
  }

  private static func files(in folder: String) throws(CommandFailure) -> [String] {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: folder)
        .filter { $0.hasSuffix(".jsonl") }.sorted()
    } catch {
      throw CommandFailure(
        .input,
        "\(folder): no folder that can be read is there; name the one that the shards went to")
    }
  }

  private static func doubles(_ holders: [[String]]) -> [String] {
    stretches(holders) { $0.count > 1 ? $0.joined(separator: " and ") : nil }.map {
      "\(text(of: $0.range)) doubled, in \($0.value); remove all but one"
    }
  }

  private static func holes(_ holders: [[String]], count: Int?, folder: String) -> [String] {
    stretches(holders) { $0.isEmpty ? "" : nil }.map { hole in
      // Which shards would fill it, if there are as many as were run.
      let shards = count.map { count in
        (1...count).compactMap { try? SweepShard($0, of: count, named: "") }
          .filter { $0.range(of: holders.count).overlaps(hole.range) }
      }
      let remedy =
        shards.map { shards in
          "run again with "
            + shards.map { "--shard \($0.number)/\($0.count)" }.joined(separator: ", ")
        } ?? "run its shards, into \(folder)"
      return "\(text(of: hole.range)) missing; \(remedy)"
    }
  }

  /// Neighbours of which the same can be said.
  private static func stretches(
    _ holders: [[String]], _ value: ([String]) -> String?
  ) -> [(range: Range<Int>, value: String)] {
    var stretches: [(range: Range<Int>, value: String)] = []
    for (index, names) in holders.enumerated() {
      guard let own = value(names) else { continue }
      if let last = stretches.last, last.range.upperBound == index, last.value == own {
        stretches[stretches.count - 1].range = last.range.lowerBound..<(index + 1)
      } else {
        stretches.append((index..<(index + 1), own))
      }
    }
    return stretches
  }

  /// Counted from 1.
  private static func text(of range: Range<Int>) -> String {
    range.count == 1
      ? "run \(range.lowerBound + 1) is" : "runs \(range.lowerBound + 1) to \(range.upperBound) are"
  }
}
