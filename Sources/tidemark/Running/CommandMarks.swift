import CacheSimulation
import CommandLineInterface
import Reporting
import ResultModel
import Text

/// How results of caches in other processes are told from those of policies.
struct CommandMarks {
  private struct Mark {
    var name: String
    var command: String
    /// What it said of its name and version, which is not checked.
    var claim: String?
    /// Who finds out which lists a change enters and leaves.
    var membership: ListMembership { ListMembership(ofCache: name) }
  }

  private let marks: [Mark]

  /// - Parameters:
  ///   - contenders: of all scenarios.
  ///   - claims: what caches said of their names and versions, by the contender's name.
  init(_ contenders: [Contender], claims: [String: String]) {
    marks = contenders.distinct(\.name).compactMap { name in
      contenders.first { $0.name == name }?.cache.command.map {
        Mark(name: name, command: $0, claim: claims[name])
      }
    }
  }

  /// Columns for a table of rows; `nil` where no cache is in another process.
  func columns(of rows: [ResultRow]) -> AddedColumns? {
    guard !marks.isEmpty else { return nil }
    return AddedColumns(
      names: ["command", "claim", "membership"],
      cells: rows.map { row in
        marks.first { $0.name == row.policy }
          .map { [$0.command, $0.claim ?? "", $0.membership.rawValue] } ?? []
      })
  }

  /// A line each, below a table; empty where no cache is in another process.
  var text: String { marks.map { "\($0.name): \(Self.meaning($0)).\n" }.joined() }

  /// Where the document tells how to read figures of caches in other processes that no error explains;
  /// empty where there are none.
  func guidance(for rows: [ResultRow]) -> String {
    let metrics: [Metric] = [.divergentQueries, .divergentEntities, .notificationsMissed]
    let shown = metrics.filter { metric in
      rows.contains { row in
        row.metric == metric && (row.value?.asDouble ?? 0) > 0
          && marks.contains { $0.name == row.policy }
      }
    }
    guard !shown.isEmpty else { return "" }
    return
      "\(shown.map(\.name).joined(separator: ", ")): no error of the protocol, but what a cache "
      + "does not promise; what to make of it: Documentation/CacheProtocol.md, What is measured.\n"
  }

  /// What the names stand for.
  var policies: [SavedPolicy] {
    marks.map { SavedPolicy(name: $0.name, meaning: Self.meaning($0)) }
  }

  private static func meaning(_ mark: Mark) -> String {
    "a cache in a process of its own, `\(mark.command.legible)`"
      + (mark.claim.map { ", which calls itself \($0)" } ?? "")
      + "; membership \(mark.membership.rawValue), memory unknown"
  }
}
