import Analysis
import Foundation
import Testing

/// The files of `Data/`; its README says who made them.
enum SelectionData {
  /// One row for each line but the header, keyed by column.
  static func rows(of name: String) throws -> [[String: String]] {
    let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "Data/\(name)")
    let lines = try String(contentsOf: file, encoding: .utf8).split(separator: "\n")
    let header = try #require(lines.first).split(separator: ",").map(String.init)
    return lines.dropFirst().map { line in
      let cells = line.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
      return Dictionary(uniqueKeysWithValues: zip(header, cells))
    }
  }

  /// What 100 seeds of a scenario came to, one sample for each policy, in the order of its file.
  static func seeds(of scenario: String) throws -> [ObservedSample] {
    let rows = try rows(of: "\(scenario).csv")
    let policies = rows.filter { $0["seed"] == "1" }.compactMap { $0["policy"] }
    return try policies.map { policy in
      let own = rows.filter { $0["policy"] == policy }
      func column(_ name: String) throws -> [Double] {
        try own.map { try #require($0[name].flatMap(Double.init), "\(policy): \(name)") }
      }
      let reads = try column("reads")
      return ObservedSample(
        contender: policy, seedCount: own.count,
        columns: [
          .init(.freshHitRatio(), zip(try column("hit_fresh"), reads).map { $0 / $1 }),
          .init(.staleReadShare, zip(try column("hit_stale"), reads).map { $0 / $1 }),
          .init(
            .bytesReceived, zip(try column("bytes_fetched"), try column("bytes_pushed")).map(+)),
          .init(.peakMemory, try column("predicted_bytes_peak")),
        ])
    }
  }
}

extension ObservedSample {
  /// The same figures under another name.
  func renamed(_ name: String, figures: [Figure] = [.freshHitRatio(), .bytesReceived, .peakMemory])
    -> ObservedSample
  {
    ObservedSample(
      contender: name, seedCount: seedCount,
      columns: figures.compactMap { figure in complete(figure).map { Column(figure, $0) } })
  }
}
