package import Analysis
import ResultModel

extension VerdictText {
  /// What the lines below the tables mean that do not say it themselves; nothing of what none of them says.
  package static func legend(of verdicts: [ScenarioVerdict]) -> [String] {
    let causes = verdicts.filter { reason($0) != nil }.compactMap { $0.margin?.main?.outcome }
    let named = Metric.causes.filter { causes.contains($0.outcome) }
    var lines: [String] = []
    if !named.isEmpty {
      lines.append(
        "lost to: read by read beside who is shipped, less what that one lost so."
      )
      lines += named.map { "\($0.name): \($0.meaning)." }
    }
    let asked = verdicts.compactMap(\.robustness).filter { !$0.alternatives.isEmpty }
    guard let alternatives = asked.first?.alternatives else { return lines }
    lines.append("asked again with: \(alternatives.map(\.label).joined(separator: ", ")).")
    if asked.contains(where: { !$0.open.isEmpty }) {
      lines.append("open: the seeds do not decide there whether the same policy is to be shipped.")
    }
    return lines
  }
}

extension Metric {
  /// Outcomes as the causes of a loss: what each is called, and what it means.
  fileprivate static let causes: [(outcome: Metric, name: String, meaning: String)] = [
    (.hitStale, "staleness", "what was served differed from the truth"),
    (.partial, "evicted rows", "the list was held, and some of its rows were not"),
    (.missCold, "not having had them", "the client had never held the answer"),
    (.missExpired, "expiry", "the answer was older than its time to live"),
    (.missEvicted, "dropped queries", "the list had made room for others, or had no observer left"),
    (
      .missInvalidated, "invalidation",
      "an event, a gap in the events or the app had marked the answer stale"
    ),
    (.coalesced, "fetches under way", "the same query was being fetched already"),
    (.bypass, "bypassing the cache", "the query is never kept, such as a search of few letters"),
    (.failed, "failed requests", "there was nothing to serve, and no server could be reached"),
  ]

  /// What an outcome is called as the cause of a loss.
  var causeName: String { Self.causes.first { $0.outcome == self }?.name ?? name }
}
