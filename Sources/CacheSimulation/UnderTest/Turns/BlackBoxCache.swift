package import Workloads

/// A cache that can be begun for any client of any workload, and that the simulation knows only from
/// outside: where policies go, it can go too.
///
/// Conformers are values: a command of a shell, or a design with its options.
package protocol BlackBoxCache: Sendable {
  /// What it is, value by value: of two caches of the same content either can stand for the other.
  var content: [ScenarioContent.Value] { get }
  /// Whether two runs on one stream are alike by construction; else the first seed is run twice, and
  /// both are compared.
  var isDeterministic: Bool { get }
  /// Whether what it begins says what it takes in memory (``CacheUnderTest/predictedBytes``).
  ///
  /// Who does not is in no comparison over memory, and held to no limit.
  var predictsMemory: Bool { get }
  /// The same with one limit on memory in place of all others, which it keeps to; `nil`: it cannot be.
  func held(toMemory bytes: Int) -> (any BlackBoxCache)?
  /// The same with one of its options set; `nil`: it has none of that name.
  func setting(_ option: String, to value: String) -> (any BlackBoxCache)?
  /// Prepares what all clients of a workload have in common.
  ///
  /// - Returns: what begins a cache for a client, or for a client's next process.
  func maker(for workload: Workload) -> Maker

  typealias Maker = (CacheLaunch) throws(CacheFault) -> any CacheUnderTest
}

extension BlackBoxCache {
  package func held(toMemory bytes: Int) -> (any BlackBoxCache)? { nil }
  package func setting(_ option: String, to value: String) -> (any BlackBoxCache)? { nil }
}
