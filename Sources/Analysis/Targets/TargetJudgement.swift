package import ResultModel

/// What a target came to for one policy.
package struct TargetJudgement: Hashable, Sendable {
  package enum Outcome: Hashable, Sendable {
    case met
    case missed
    /// The machine's own noise is too large a part of the limit.
    case inconclusive(reason: String)
    /// There is no value to judge; never a pass.
    case missing(reason: String)
  }

  package let target: Target
  package let policy: String
  /// The worst value over the seeds, in the unit of the metric; `nil` where one is missing.
  package let measured: MetricValue?
  /// The seed of the worst value.
  package let seed: UInt64?
  /// Of how many seeds it is the worst.
  package let seeds: Int
  package let outcome: Outcome
}
