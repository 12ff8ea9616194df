package import ResultModel

/// The rows that a baseline keeps and a gate compares, of all that a simulation says.
///
/// Those are what the summary shows, reads and hits of every class (a model names its own), what became
/// of users' writes, and whatever a target of the scenario asks for: a target without data never passes.
package struct BaselineRows {
  private struct Key: Hashable {
    let scenario: String
    let metric: Metric
    let statistic: Statistic
    let `class`: ResultClass
  }

  // Looked up, never iterated.
  private let targeted: Set<Key>
  private let ofEachClass: Set<Metric> = [.reads, .hitRatio]
  private let ofWrites = Set(MetricRegistry.ofWrites)

  package init(targets: [Target]) {
    targeted = Set(
      targets.map {
        Key(scenario: $0.scenario, metric: $0.metric, statistic: $0.statistic, class: $0.class)
      })
  }

  package func keeps(_ row: ResultRow) -> Bool {
    SummaryTable.shows(row) || ofEachClass.contains(row.metric) || ofWrites.contains(row.metric)
      || targeted.contains(
        Key(
          scenario: row.scenario, metric: row.metric, statistic: row.statistic, class: row.class))
  }
}
