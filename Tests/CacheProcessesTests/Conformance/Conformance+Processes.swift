import CacheChecking
import CacheProcesses
import CacheSimulation

extension Conformance {
  /// Runs a case over processes of a command.
  func run(
    _ test: ConformanceCase, _ command: CacheCommand, limits: CacheLimits
  ) -> ConformanceResult {
    run(test) { launch throws(CacheFault) in
      try ProcessCache(command, for: Self.prepared, launch, limits: limits)
    }
  }

  static let prepared = PreparedWorkload(ConformanceWorld.workload)
}
