import CacheModel
package import CacheSimulation

/// What a process was told in a case, as the lines that it was sent: `COMMAND < turns.jsonl` tells it the
/// same without this program.
package struct ConformanceTranscript {
  private let lines = TurnLines(ConformanceWorld.workload)

  package init() {}

  package func bytes(of result: ConformanceResult) -> [UInt8] {
    var lines = lines
    lines.hasUnknownMembers = result.test.hasUnknownMembers
    var bytes = lines.hello(result.launch)
    for turn in result.turns { bytes += lines.line(turn) }
    let last = result.turns.last
    return bytes + lines.end(turn: (last?.number ?? 0) + 1, at: last?.at ?? .zero)
  }
}

extension Conformance {
  /// Runs a case over a process of its own, that ends with it.
  package func run(
    _ test: ConformanceCase, _ command: CacheCommand, limits: CacheLimits = CacheLimits()
  ) -> ConformanceResult {
    run(test) { launch throws(CacheFault) in
      try ProcessCache(command, for: Self.prepared, launch, limits: limits)
    }
  }

  package static let prepared = PreparedWorkload(ConformanceWorld.workload)
}
