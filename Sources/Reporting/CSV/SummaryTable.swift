package import ResultModel
import Text

/// The wide form: one line per scenario, policy and seed, units in the column names; a line without a seed
/// stands for several.
package enum SummaryTable {
  /// A selected metric; its column is named `metric_statistic_unit`, behind the class where that is not
  /// all that the user reads.
  struct Column: Hashable {
    let metric: Metric
    let statistic: Statistic
    let `class`: ResultClass

    init(_ metric: Metric, _ statistic: Statistic = .value, class: ResultClass? = nil) {
      self.metric = metric
      self.statistic = statistic
      self.class = `class` ?? (metric.isOfReads ? .all : .total)
    }

    var name: String {
      let isOfPart = metric.isOfReads && self.class != .all
      return (isOfPart ? "\(self.class)_" : "") + metric.columnName(statistic)
    }
  }

  static let columns: [Column] =
    [
      Column(.reads), Column(.hitRatio), Column(.freshHitRatio), Column(.staleReadShare),
      Column(.readWait, .mean), Column(.readWait, .p95), Column(.slowReadShare),
      Column(.abandoned), Column(.rowNotReadyShare),
      Column(.servedExpired), Column(.stalenessAge, .p50), Column(.stalenessAge, .p95),
      Column(.stalenessAge, .max), Column(.hitFresh), Column(.hitStale), Column(.partial),
      Column(.missCold), Column(.missExpired),
      Column(.missEvicted), Column(.missInvalidated), Column(.coalesced), Column(.bypass),
      Column(.failed),
      Column(.fetches), Column(.bytesFetched), Column(.bytesPushed), Column(.bytesSaved),
      Column(.bytesWastedIdentical), Column(.notifications),
      Column(.notificationsSpurious), Column(.notificationsMissed),
      Column(.divergentEntities), Column(.divergentQueries), Column(.gapsDetected),
      Column(.residentEntities, .peak), Column(.residentWeight, .peak),
      Column(.residentWeight, .mean), Column(.predictedBytes, .peak), Column(.evictions),
      Column(.retainedOverflow), Column(.overLimit, .peak),
    ]
    + ["file", "album-tag", "search", "entity", "total", "first", "redraw"].flatMap {
      [Column(.reads, class: $0), Column(.hitRatio, class: $0)]
    } + [
      Column(.freshHitRatio, class: "worst-client"), Column(.coldStartHitRatio),
      Column(.diskBytes, .peak), Column(.diskWrites),
      Column(.diskBytes, .mean), Column(.files, .peak), Column(.memoryHits),
      Column(.diskHits), Column(.offlineHitRatio),
      Column(.offlineHitRatio, class: "tagged"),
      Column(.writes), Column(.writeConfirmed, .p95), Column(.writesLost), Column(.duplicateWrites),
    ]

  /// Whether a row is shown in the table.
  package static func shows(_ row: ResultRow) -> Bool {
    keys.contains(Key(metric: row.metric, statistic: row.statistic, class: row.class))
  }

  private struct Key: Hashable {
    let metric: Metric
    let statistic: Statistic
    let `class`: ResultClass
  }

  // Looked up, never iterated.
  private static let keys = Set(
    columns.map { Key(metric: $0.metric, statistic: $0.statistic, class: $0.class) })

  private struct Line: Hashable {
    let scenario: String
    let policy: String
    let seed: UInt64?
  }

  /// The wide CSV, lines in the order of their first row.
  package static func csv(_ rows: [ResultRow]) throws(ExportError) -> [UInt8] {
    var writer = CSVWriter(columns: ["scenario", "policy", "seed"] + columns.map(\.name))
    let byIdentity = Dictionary(
      rows.map { ($0.identity, $0) }, uniquingKeysWith: { first, _ in first })
    let lines = rows.distinct {
      Line(scenario: $0.scenario, policy: $0.policy, seed: $0.seed)
    }
    for line in lines {
      writer.text(line.scenario)
      writer.text(line.policy)
      writer.plain(line.seed.map(String.init) ?? "")
      for column in columns {
        let row =
          byIdentity[
            ResultRow(
              scenario: line.scenario, policy: line.policy, seed: line.seed, class: column.class,
              metric: column.metric, statistic: column.statistic, value: nil
            ).identity]
        writer.plain(try row?.machineValue() ?? "")
      }
      writer.endLine()
    }
    return writer.bytes
  }
}

extension Metric {
  /// `metric_statistic_unit`, without what would be said twice: the statistic `value`, a unit that ends
  /// the name already.
  func columnName(_ statistic: Statistic) -> String {
    let base = statistic == .value ? name : "\(name)_\(statistic.rawValue)"
    return base.hasSuffix("_\(unit.rawValue)") ? base : "\(base)_\(unit.rawValue)"
  }
}

extension ResultRow {
  /// The value in full precision; `nil` where there is none.
  ///
  /// - Throws: ``ExportError`` for a number that no text stands for.
  func machineValue() throws(ExportError) -> String? {
    guard let value else { return nil }
    return try number(value)
  }
}
