package import ResultModel

/// A suggestion for an unknown metric's name.
package enum MetricSuggestion {
  /// Columns of tables that are called otherwise than their metrics, so that readers write them.
  private static let columns: [(title: String, metric: Metric)] = [
    ("hits", .hitRatio), ("fresh hits", .freshHitRatio), ("stale", .staleReadShare),
    ("wait", .readWait), ("fetched", .bytesFetched), ("catch-up", .bytesOfCatchUp),
    ("pushed", .bytesPushed), ("memory", .predictedBytes), ("disk", .diskBytes),
    ("offline", .offlineHitRatio), ("over", .overLimit),
  ]

  /// The nearest of the metrics that are possible, and where all are listed.
  package static func text(for word: String, among metrics: [Metric]) -> String {
    let column = columns.first { NearestName.folded($0.title) == NearestName.folded(word) }
    let name =
      column.flatMap { column in metrics.first { $0 == column.metric } }?.name
      ?? NearestName.suggestion(for: word, among: metrics.map(\.name))
    return (name.map { "did you mean `\($0)`? " } ?? "") + "`tidemark list metrics` names all"
  }
}
