package import CacheModel
package import CacheSimulation

/// What came of a case.
package struct ConformanceResult: Sendable {
  package enum Verdict: String, Sendable, CaseIterable {
    case pass
    /// Allowed, and poorer than it could be.
    case nonStrict = "non-strict"
    case fail
    /// A figure, not judged.
    case info
  }

  /// One thing that was not as it should be, or a figure.
  package struct Finding: Sendable {
    package var verdict: Verdict
    /// The turn that was judged, and when it was; `nil` before the first.
    package var turn: Int?
    package var at: Instant?
    /// What was asked.
    package var asked: String
    /// Which answers are right; empty where that is no question of an answer.
    package var right: [String] = []
    package var came: String
    /// What that says of the cache, or what to look at.
    package var meaning = ""
    /// The rule's or the error's word, under which the document has it; `nil` of a figure.
    package var word: String?
  }

  package var test: ConformanceCase
  package var findings: [Finding]
  /// With what the process was started that was told the turns: the case's last.
  package var launch: CacheLaunch
  /// All that it was told.
  package var turns: [CacheTurn]
  /// What it did not keep to; its case ended there.
  package var fault: CacheFault?
  /// The feature without which the case was not run.
  package var lacks: CacheFeature?

  package var verdict: Verdict {
    let verdicts = findings.map(\.verdict)
    for verdict in [Verdict.fail, .nonStrict, .info] where verdicts.contains(verdict) {
      return verdict
    }
    return .pass
  }
}

extension CacheFault.Kind {
  /// What to ask oneself first.
  package var question: String? {
    switch self {
    case .silentAtStart: "Is standard output flushed after hello?"
    case .silent: "Is standard output flushed after `done`?"
    case .notJSON: "Was that line meant for standard error?"
    case .forgedVersion: "Is the version of a row its third member, and not its order?"
    case .noSuchRead: "Is `for` the `n` of the read, and not the `id` of the request?"
    case .usedID: "Is `id` counted up with each request?"
    default: nil
    }
  }
}
