import CacheModel
import NormalizedCache
import Processes
package import ResultModel

/// How the cost of an event and of a read grows with the size of the cache.
///
/// All sizes of an axis are there at once and take turns. Of each size the median turn counts.
package struct ScaleRun: Sendable {
  /// Turns of each size.
  var rounds = 41
  /// Events, and reads, in a turn.
  var operations = 2_000
  private var isQuick = false
  /// How long the turns of one axis may take, once there are ``Turns/fewestRounds`` of them.
  private let budget = Duration.seconds(10)
  private let axes: [ScaleAxis]
  private let seed: UInt64
  private let progress: @Sendable (String) -> Void

  package init(
    axes: [ScaleAxis], seed: UInt64, progress: @escaping @Sendable (String) -> Void = { _ in }
  ) {
    self.axes = axes
    self.seed = seed
    self.progress = progress
  }

  /// Seconds: two small sizes of each axis, few turns.
  package mutating func makeQuick() {
    isQuick = true
    rounds = 5
    operations = 200
  }

  /// Three rows for each size and operation (cost, and its inverse), and the exponent of each curve.
  ///
  /// - Throws: `CachePolicyError`.
  package func run() async throws -> [ResultRow] {
    var rows: [ResultRow] = []
    for axis in axes {
      progress(axis.rawValue)
      let curve = try await measure(axis)
      rows += curve.rows(seed: seed)
    }
    return rows
  }

  private func measure(_ axis: ScaleAxis) async throws -> ScaleCurve {
    let sizes = axis.sizes(isQuick: isQuick)
    var subjects: [any Subject<Handover>] = []
    for size in sizes { subjects.append(try await axis.subject(ofSize: size, seed: seed)) }
    let operations =
      switch axis {
      // A fan-out of a thousand makes an event a thousand times as much work.
      case .fanOut: max(self.operations / 10, 1)
      // Waking a thread takes microseconds, as long as dozens of these reads.
      case .queryReaders: self.operations * 10
      default: self.operations
      }
    for index in subjects.indices { _ = try await subjects[index].round(of: operations) }
    // What is slow at its largest size has its answer after fewer turns.
    let turns = try await Turns(rounds: rounds, budget: budget).take(Array(subjects.indices)) {
      index, _ in try await subjects[index].round(of: operations)
    }
    return ScaleCurve(axis: axis, sizes: sizes, turns: turns)
  }
}

extension ScaleAxis {
  /// A cache of a size.
  ///
  /// - Throws: `CachePolicyError`, or what a fetch throws.
  func subject(ofSize size: Int, seed: UInt64) async throws -> any Subject<Handover> {
    switch self {
    case .entities: try StoreSubject(entities: size, seed: seed)
    case .hotEntities: try StoreSubject(entities: size, hot: 100, seed: seed)
    case .queries:
      try StoreSubject(entities: 1_000, unrelatedQueries: size, seed: seed)
    case .handles: try HandleSubject(entities: size, seed: seed)
    case .fanOut: try HandleSubject(entities: 100, fanOut: size, seed: seed)
    case .observers: try await ActorSubject(observers: size, seed: seed)
    case .readers: try await ActorSubject(observers: 1, readers: size, seed: seed)
    case .queryReaders:
      try await ActorSubject(observers: 1, readers: size, readBeside: true, seed: seed)
    }
  }
}
