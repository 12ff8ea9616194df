import CommandLineInterface
import ResultModel

/// What simulations did, and how long one core took for it.
struct SimulatedWork: Sendable {
  var operations = 0
  var entityAccesses = 0
  var coreSeconds = 0.0

  static func += (work: inout SimulatedWork, other: SimulatedWork) {
    work.operations += other.operations
    work.entityAccesses += other.entityAccesses
    work.coreSeconds += other.coreSeconds
  }

  /// How fast the simulator itself was, on one core with its ground truth.
  func throughputRows(seed: UInt64) -> [ResultRow] {
    guard coreSeconds > 0 else { return [] }
    return [
      (Metric.entityAccessesPerSecond, entityAccesses), (Metric.operationsPerSecond, operations),
    ].map { metric, count in
      ResultRow(
        scenario: "simulator", policy: "", seed: seed, metric: metric,
        value: .real((Double(count) / coreSeconds).rounded()))
    }
  }
}
