public import CacheModel
public import EvictionPolicies
package import Workloads

/// The run of a policy passed as a value ended early.
public struct PolicyFailure: Error, Hashable, Sendable, CustomStringConvertible {
  public var scenario: String
  public var policy: String
  public var client: String
  public var seed: UInt64
  /// The number of the client's simulation step, and its time.
  public var step: Int
  public var at: Instant
  public var fault: PolicyFault

  /// One line: scenario, policy, client, seed, place, then the fault.
  public var description: String {
    "\(scenario), policy \(policy), client \(client), seed \(seed), step \(step), "
      + "\(at.nanoseconds) ns: \(fault)"
  }
}

/// The run of a cache under test ended early.
public struct CacheFailure: Error, Sendable, CustomStringConvertible {
  public var scenario: String
  public var cache: String
  public var client: String
  public var seed: UInt64
  public var fault: CacheFault
  /// The input of the failed process, if it was recorded.
  package var told: FaultReplay?

  /// One line: scenario, cache, client, seed, then the fault.
  public var description: String {
    "\(scenario), cache \(cache), client \(client), seed \(seed): \(fault)"
  }
}

/// A cache that promises convergence did not notify an observer, or calls an outdated result fresh.
///
/// Contains everything needed to reproduce it: scenario, policy, client, seed and step.
public struct DivergenceError: Error, Hashable, Sendable, CustomStringConvertible {
  public var scenario: String
  public var policy: String
  public var client: String
  public var seed: UInt64
  /// The number of the client's simulation step, and its time.
  public var step: Int
  public var at: Instant
  package var finding: Finding

  package enum Finding: Hashable, Sendable {
    /// An observed query differs from the rows of its last notification.
    case missedNotification(QuerySpec, told: [Handle], shows: [Handle])
    /// A fresh query differs from the ground truth.
    case query(QuerySpec, cached: [Handle], truth: [Handle])
    /// A fresh entity differs from the ground truth; `truth` is `nil` if it no longer exists.
    case entity(EntityKey, cached: UInt32, truth: UInt32?)
    /// The cache did not reach the server's position although the link was up.
    case noQuiescence(cursor: StreamPosition?, server: StreamPosition)
  }

  public var description: String {
    "\(scenario), policy \(policy), client \(client), seed \(seed), step \(step), "
      + "\(at.nanoseconds) ns: \(finding.summary)"
  }
}

extension DivergenceError.Finding {
  var summary: String {
    switch self {
    case .missedNotification(let spec, let told, let shows):
      "an observer of \(spec) was not notified; \(Self.difference(told, shows))"
    case .query(let spec, let cached, let truth):
      "the cache calls \(spec) fresh, but it differs from the truth; "
        + Self.difference(truth, cached)
    case .entity(let key, let cached, let truth):
      "the cache calls entity \(key.type.rawValue)/\(key.id) fresh at revision \(cached), but "
        + (truth.map { "the truth is revision \($0)" } ?? "it is deleted")
    case .noQuiescence(let cursor, let server):
      "the cache is at \(cursor.map { "\($0)" } ?? "no position"), the server at \(server)"
    }
  }

  /// The first row in which two results differ.
  private static func difference(_ expected: [Handle], _ found: [Handle]) -> String {
    func name(_ rows: [Handle], _ index: Int) -> String {
      guard index < rows.count else { return "nothing" }
      return "object \(rows[index].object) at revision \(rows[index].revision)"
    }
    let shorter = min(expected.count, found.count)
    let row = (0..<shorter).first { expected[$0] != found[$0] } ?? shorter
    return "row \(row) of \(found.count) is \(name(found, row)), expected "
      + "\(name(expected, row)) of \(expected.count)"
  }
}
