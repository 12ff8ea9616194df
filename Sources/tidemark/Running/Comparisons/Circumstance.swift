import Analysis
import CacheModel
import CommandLineInterface
import Workloads

/// A comparison under other circumstances, to see whether its verdict stands there.
struct Circumstance: Sendable {
  var label: String
  var comparison: Comparison
  /// What all caches may take, in bytes, where that is what is different.
  var memory: Int?

  /// So many seeds answer whether a verdict stands elsewhere.
  private static let seeds = 10
  /// The longer run that a verdict has to stand.
  private static let longer = 4
  /// So many seeds make the points of a curve that every report has.
  private static let seedsOfCurves = 2
  /// Of whom every report has a curve over memory, beside the one that is named.
  private static let policiesOfCurves = ["lru", "refcount", "ttl", "spacedrive"]

  /// What is asked of every verdict that was drawn from several seeds.
  ///
  /// - Parameters:
  ///   - comparison: the question.
  ///   - memory: what `lru` takes at the scenario's limit, in bytes; `nil`: not known.
  /// - Returns: the same question under each circumstance.
  static func all(for comparison: Comparison, memory: Int?) -> [Circumstance] {
    guard comparison.plan != .fixed(1), comparison.input.isDrawn else { return [] }
    var asked: [Circumstance] = []
    func ask(_ label: String, memory: Int? = nil, _ change: (inout Comparison) -> Void) {
      var other = comparison
      other.plan = .fixed(min(seeds, comparison.plan.looks.last ?? seeds))
      other.otherRules = []
      other.seedsWithRows = 0
      other.contenders.removeAll { PolicyEntry.bounds.contains($0.name) }
      change(&other)
      asked.append(Circumstance(label: label, comparison: other, memory: memory))
    }
    ask("users who wait") { $0.input.file.scenario = $0.input.file.scenario.withWaitingUsers }
    if let memory {
      for (label, bytes) in [
        ("half of lru's memory", memory / 2), ("lru's memory", memory),
        ("twice lru's memory", memory * 2),
      ] {
        ask(label, memory: bytes) { other in
          // What each does there is a point of a curve.
          other.seedsWithRows = nil
          other.contenders = other.contenders.compactMap { contender in
            contender.cache.held(toMemory: bytes).map {
              Contender(name: contender.name, cache: $0)
            }
          }
        }
      }
    }
    // The most work, so the first to be left where time is short.
    ask("\(longer) × the duration") {
      $0.input.file.scenario = $0.input.file.scenario.prolonged(by: longer)
    }
    return asked
  }

  /// The same with the fewest policies and seeds that make a curve; `nil` where memory is not what is
  /// different.
  func asPointOfCurve(with named: String?) -> Circumstance? {
    guard memory != nil else { return nil }
    var point = self
    point.comparison.plan = .fixed(Self.seedsOfCurves)
    point.comparison.contenders.removeAll {
      !Self.policiesOfCurves.contains($0.name) && $0.name != named
    }
    return point.comparison.contenders.isEmpty ? nil : point
  }
}
