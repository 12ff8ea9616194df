package import ResultModel

/// The rows of one run, with what makes two runs comparable.
package struct ResultSet: Sendable {
  /// The version of the row schema; `nil` where there was no row to carry one.
  package var schemaVersion: Int?
  package var scenarios: [ScenarioIdentity]
  /// The figures that are compared by name, seed by seed.
  package var rows: [ResultRow]
  /// Of every run the digest of all its exact figures; none where ``rows`` are all there are.
  package var digests: [RunDigest]
  /// How many rows of other scenarios were left out.
  package var rowsOfOthers = 0
  /// Rows of the baseline that stand for seeds that were not run, since the first ones are the same:
  /// targets are judged with them, and no row is compared with itself.
  package var rowsNotRun: [ResultRow] = []

  package init(
    schemaVersion: Int? = ResultSchema.version, scenarios: [ScenarioIdentity], rows: [ResultRow],
    digests: [RunDigest] = []
  ) {
    self.schemaVersion = schemaVersion
    self.scenarios = scenarios
    self.rows = rows
    self.digests = digests
  }
}

/// A scenario or a recording by name, with everything in it that decides its results.
package struct ScenarioIdentity: Hashable, Sendable {
  /// A value by the path of keys to it, such as `network.delay`.
  package struct Field: Hashable, Sendable {
    package var path: String
    package var value: String

    package init(_ path: String, _ value: String) {
      self.path = path
      self.value = value
    }
  }

  package var scenario: String
  /// What happens to every cache: where it differs, results are not comparable.
  package var workload: [Field]
  /// The caches that it happens to: where they differ, results are compared, and say what that did.
  package var contenders: [Field]
  /// Whether there is one stream only, so that a difference is no chance of the draw.
  package var isRecorded: Bool

  package init(
    scenario: String, workload: [Field], contenders: [Field] = [], isRecorded: Bool = false
  ) {
    self.scenario = scenario
    self.workload = workload
    self.contenders = contenders
    self.isRecorded = isRecorded
  }
}

/// A field that is not the same in two runs.
package struct FieldChange: Hashable, Sendable {
  package let path: String
  /// `nil` where the field is only in the other.
  package let baseline: String?
  package let candidate: String?

  /// The fields that differ, in the order of the baseline, then of the candidate.
  static func all(
    from baseline: [ScenarioIdentity.Field], to candidate: [ScenarioIdentity.Field]
  ) -> [FieldChange] {
    let before = Dictionary(baseline.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
    let after = Dictionary(candidate.map { ($0.path, $0.value) }, uniquingKeysWith: { $1 })
    let added = candidate.map(\.path).filter { before[$0] == nil }
    return (baseline.map(\.path) + added).compactMap { path in
      before[path] == after[path]
        ? nil : FieldChange(path: path, baseline: before[path], candidate: after[path])
    }
  }
}
