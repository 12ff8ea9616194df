import Analysis
import CommandLineInterface
import ResultModel

/// What other apps than a library of files ask of a cache.
extension Question {
  private static let apps = [
    "file-browser", "chat", "social-feed", "shop", "issue-tracker", "notes-on-a-phone",
  ].map { Row(name: $0, scenario: $0) }

  static let otherApps = Question(
    name: "other-apps",
    text: "Does another app want another policy?",
    axis: "app",
    rows: apps,
    columns: [
      Column(of: "lru"), Column(of: "refcount"), Column(of: "ttl"),
      Column(of: "spacedrive", settings: [("policy.limit", "hard")]),
      Column("lru-stored", policy: "lru", settings: [("policy.storage", "yes")]),
      Column(of: "no-cache"), Column(of: "unbounded"),
    ],
    figures: [Figure(.freshHitRatio)], form: .ranking,
    uncovered: "the policies that single scenarios add; their verdicts are in the README.")

  static let winnersExplained = Question(
    name: "winners-explained",
    text: "What makes the winner of an app?",
    axis: "app",
    rows: apps,
    columns: [
      Column(of: "lru"),
      Column("holds what lists show", policy: "lru", settings: [("policy.retention", "cached")]),
      Column(
        "and drops what none shows", policy: "lru",
        settings: [("policy.retention", "reference-count")]),
      Column(
        "keeps no pushed ones", policy: "lru",
        settings: [("policy.event-admission", "update-only")]),
      Column(
        "any number of queries", policy: "lru",
        settings: [("policy.maximum-queries", "unlimited")]),
      Column("stored", policy: "lru", settings: [("policy.storage", "yes")]),
      Column("lives 5 min", policy: "lru", settings: [("policy.time-to-live", "5 min")]),
    ],
    figures: [Figure(.freshHitRatio)], form: .effects,
    uncovered: "two changes at once; each column changes one line of `lru`.")
}
