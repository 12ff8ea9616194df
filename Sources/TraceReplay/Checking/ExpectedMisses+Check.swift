package import EvictionPolicies
import Text

extension ExpectedMisses {
  /// A row that this program counts otherwise.
  package struct Mismatch: Hashable, Sendable, CustomStringConvertible {
    package var row: Row
    package var requests: Int
    package var misses: Int

    package var description: String {
      let place = "\(row.trace.excerpt), \(row.policy.excerpt), capacity \(row.capacity)"
      return requests == row.requests
        ? "\(place): \(misses) misses, expected \(row.misses)"
        : "\(place): the trace holds \(requests) requests, expected \(row.requests)"
    }
  }

  /// What a check found.
  ///
  /// Every row of the table is in exactly one of its parts.
  package struct Report: Hashable, Sendable {
    package struct Skipped: Hashable, Sendable {
      package var name: String
      package var rows: Int
    }

    /// Rows that agree.
    package var agreeing = 0
    package var mismatches: [Mismatch] = []
    /// Rows of policies that the registry does not have, by the table's name.
    package var unknownPolicies: [Skipped] = []
    /// Rows of traces that could not be had, where the policy is known.
    package var missingTraces: [Skipped] = []

    package var checked: Int { agreeing + mismatches.count }

    /// Whether something was checked, nothing was missing, and all of it agrees.
    package var passes: Bool { mismatches.isEmpty && missingTraces.isEmpty && agreeing > 0 }
  }

  /// Replays every row whose policy is known, a trace at a time.
  ///
  /// - Parameters:
  ///   - policies: the registry to check.
  ///   - width: how many rows are replayed at once.
  ///   - load: reads a trace; `nil` if there is none of that name.
  /// - Returns: every row of the table, as agreeing, differing, or skipped for a reason.
  /// - Throws: what `load` throws.
  package func check(
    against policies: [EvictionPolicyDescriptor] = EvictionPolicies.all, width: Int,
    load: (TraceSource) async throws -> InternedTrace?
  ) async rethrows -> Report {
    var report = Report()
    for name in Self.distinct(rows.map(\.trace)) {
      var known: [(row: Row, cell: Replay.Cell)] = []
      for row in rows where row.trace == name {
        let policyName = Self.policyName(for: row.policy)
        if let policy = policies.first(where: { $0.name == policyName }) {
          known.append((row, Replay.Cell(policy: policy, capacity: row.capacity)))
        } else {
          Self.count(row.policy, rows: 1, in: &report.unknownPolicies)
        }
      }
      guard !known.isEmpty else { continue }
      guard let source = TraceSource(tableName: name), let trace = try await load(source) else {
        Self.count(name, rows: known.count, in: &report.missingTraces)
        continue
      }
      let results = await Replay.run(known.map(\.cell), of: trace, seed: 1, width: width)
      for ((row, _), result) in zip(known, results) {
        if result.counts.requests == row.requests, result.counts.misses == row.misses {
          report.agreeing += 1
        } else {
          report.mismatches.append(
            Mismatch(
              row: row, requests: result.counts.requests, misses: result.counts.misses))
        }
      }
    }
    return report
  }

  private static func count(_ name: String, rows: Int, in skipped: inout [Report.Skipped]) {
    if let place = skipped.firstIndex(where: { $0.name == name }) {
      skipped[place].rows += rows
    } else {
      skipped.append(Report.Skipped(name: name, rows: rows))
    }
  }

  /// The elements without repetition, by first appearance.
  private static func distinct(_ names: [String]) -> [String] {
    var seen: Set<String> = []
    return names.filter { seen.insert($0).inserted }
  }
}
