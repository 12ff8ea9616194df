import CacheModel
import CacheSimulation
import Foundation
import ResultModel
import Testing
import Workloads

/// The outcomes of a client, or of the preset that models it, on a recording.
struct ClientTotals: Equatable {
  var reads = 0
  var hitFresh = 0
  var hitStale = 0
  /// Reads that had to wait.
  var misses = 0
  var fetches = 0
  var bytesFetched = 0
}

@Suite(
  "Presets of shipped clients compared with recordings of those clients", .timeLimit(.minutes(30)))
struct ClientTests {
  static let folder = URL(filePath: #filePath)
    .deletingLastPathComponent().appending(path: "Recordings")

  struct Line: Sendable, CustomTestStringConvertible {
    var recording: String
    var client: String
    var preset: String
    var fields: [Int]
    var testDescription: String { "\(recording): \(client)" }

    var totals: ClientTotals {
      ClientTotals(
        reads: fields[0], hitFresh: fields[1], hitStale: fields[2], misses: fields[3],
        fetches: fields[4], bytesFetched: fields[5])
    }
  }

  static let presets = [
    "tanstack-query-core": "tanstack", "relay-runtime": "relay", "graphcache": "graphcache",
    "apollo-client": "apollo-client", "rtk-query": "rtk-query", "swr": "swr",
  ]

  static let lines: [Line] = {
    let text =
      (try? String(contentsOf: folder.appending(path: "totals.csv"), encoding: .utf8)) ?? ""
    return text.split(separator: "\n").dropFirst().compactMap { line in
      let cells = line.split(separator: ",").map(String.init)
      guard cells.count == 10, let preset = presets[cells[1]] else { return nil }
      return Line(
        recording: cells[0], client: cells[1], preset: preset,
        fields: cells[4...].compactMap { Int($0) })
    }
  }()

  private func workload(_ recording: String) throws -> Workload {
    let data = try Data(contentsOf: Self.folder.appending(path: "\(recording).jsonl"))
    return try SessionRecording.read([UInt8](data))
  }

  private func totals(of preset: String, on recording: String) throws -> ClientTotals {
    let allowance = Preset.Allowance(
      capacity: Capacity(entities: 100), maximumQueries: 2,
      freshness: Freshness(timeToLive: .seconds(1)))
    let composition = try #require(Preset.named(preset)).composition(allowance)
    let result = try Simulation(of: workload(recording))
      .run(policy: preset, composition: composition)
    let values = RunValues(rows: result.rows.filter { $0.class == "total" })
    func count(_ metric: Metric) throws -> Int { Int(try #require(values[metric])) }
    let reads = try count(.reads)
    let fresh = try count(.hitFresh)
    let stale = try count(.hitStale)
    return ClientTotals(
      reads: reads, hitFresh: fresh, hitStale: stale, misses: reads - fresh - stale,
      fetches: try count(.fetches), bytesFetched: try count(.bytesFetched))
  }

  @Test("There is a preset for each of six clients, on each of three recordings")
  func complete() {
    #expect(Self.lines.count == 18)
    #expect(Set(Self.lines.map(\.preset)).count == 6)
    #expect(Self.lines.allSatisfy { $0.fields.count == 6 })
  }

  @Test("Each preset gives its client's outcomes, read by read", arguments: lines)
  func agrees(line: Line) throws {
    #expect(try totals(of: line.preset, on: line.recording) == line.totals)
  }

  @Test("A limit of the comparison applies to a client only if asked for")
  func limits() throws {
    for preset in Set(Self.lines.map(\.preset)).sorted() {
      let own = try totals(of: preset, on: "toy")
      let limited = try totals(of: preset + Preset.limitSuffix, on: "toy")
      #expect(limited.misses > own.misses, "\(preset)")
    }
  }
}
