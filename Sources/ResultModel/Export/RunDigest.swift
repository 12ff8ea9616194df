import Text

/// The digest of all exact figures of a run: two runs have the same digest if all these figures are equal.
package struct RunDigest: Hashable, Sendable {
  package let scenario: String
  package let policy: String
  package let seed: UInt64?
  /// Sixteen hexadecimal digits.
  package var text: String

  package init(scenario: String, policy: String, seed: UInt64?, text: String) {
    self.scenario = scenario
    self.policy = policy
    self.seed = seed
    self.text = text
  }

  package var run: Run { Run(scenario: scenario, policy: policy, seed: seed) }

  /// A policy of a scenario on one seed.
  package struct Run: Hashable, Sendable {
    package let scenario: String
    package let policy: String
    package let seed: UInt64?

    package init(scenario: String, policy: String, seed: UInt64?) {
      self.scenario = scenario
      self.policy = policy
      self.seed = seed
    }

    package init(_ row: ResultRow) {
      self.init(scenario: row.scenario, policy: row.policy, seed: row.seed)
    }
  }

  /// Returns the digests of all runs in some rows, in the order of their first row; O(n log n).
  ///
  /// Class, metric, statistic and value of each exact row count, with numbers as in CSV, whatever the order
  /// of the rows; "nothing to observe" differs from "not measured".
  package static func all(of rows: [ResultRow]) -> [RunDigest] {
    let exact = rows.filter { $0.metric.noiseClass == .exact }
    let byRun = Dictionary(grouping: exact) { Run($0) }
    return exact.distinct { Run($0) }.map { run in
      var digest = Fingerprint()
      for line in (byRun[run] ?? []).map(line).sorted() { digest.combine(line) }
      return RunDigest(
        scenario: run.scenario, policy: run.policy, seed: run.seed, text: digest.text)
    }
  }

  private static func line(_ row: ResultRow) -> String {
    let value =
      if let value = row.value { (try? MachineNumber.text(value)) ?? "?" } else {
        row.sampleCount == 0 ? "-" : ""
      }
    return "\(row.class),\(row.metric.name),\(row.statistic.rawValue),\(value)"
  }
}
