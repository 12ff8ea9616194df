import CacheModel
import RecordingCodec
package import ResultModel
package import Workloads

/// The outcomes of reads in an app's own cache, as far as they are in its log; not ranked with the policies.
package struct RecordedOutcomes: Sendable {
  package let reads: Int
  /// Those of them with an outcome in the log: all figures are of these alone.
  package let told: Int
  /// The rows in the order of the classes and of the metric registry, like those of a simulated policy.
  package let rows: [ResultRow]

  /// - Returns: `nil` if the log has no outcome of a counted read.
  package init?(of workload: Workload) {
    guard !workload.recordedOutcomes.isEmpty else { return nil }
    var classes = workload.model.classes.map { ToldTally($0) }
    var (entity, total, all) = (ToldTally("entity"), ToldTally("total"), ToldTally("all"))
    var (first, redraw) = (ToldTally("first"), ToldTally("redraw"))
    var reads = 0
    let warmUp = workload.warmUp.wholeNanoseconds
    for (client, script) in workload.clients.enumerated() {
      var known = KnownReads(workload)
      for (number, action) in script.actions.enumerated() {
        guard let read = known.take(action.kind) else { continue }
        let isCounted = action.at.nanoseconds >= warmUp
        if isCounted, read.kind != .redraw { reads += 1 }
        guard isCounted,
          let outcome = workload.recordedOutcomes[ObservedRead(client: client, action: number)]
        else { continue }
        switch read.kind {
        case .redraw:
          redraw.count(outcome)
          continue
        case .entity: entity.count(outcome)
        case .query(let queryClass):
          classes[queryClass].count(outcome)
          total.count(outcome)
        }
        all.count(outcome)
        if read.isFirst { first.count(outcome) }
      }
    }
    guard all.told + redraw.told > 0 else { return nil }
    self.reads = reads
    told = all.told
    rows = (classes + [entity, total, all, first, redraw]).flatMap { $0.rows(of: workload) }
  }
}

/// The queries and entities that a client has read before.
private struct KnownReads {
  private let classOfQuery: [Int]
  private var hasReadQuery: [Bool]
  private var hasReadEntity: [Bool]

  enum Kind: Equatable {
    case redraw
    case entity
    /// An index of `DataModel.classes`.
    case query(class: Int)
  }

  init(_ workload: Workload) {
    classOfQuery = workload.classOfQuery
    hasReadQuery = [Bool](repeating: false, count: workload.queries.count)
    hasReadEntity = [Bool](repeating: false, count: workload.catalog.objects.count)
  }

  /// Returns the target of an action, and whether it is read for the first time; `nil` if it reads nothing.
  mutating func take(_ action: SessionAction.Kind) -> (kind: Kind, isFirst: Bool)? {
    switch action {
    case .read(let query), .observe(let query):
      let isFirst = !hasReadQuery[Int(query)]
      hasReadQuery[Int(query)] = true
      return (.query(class: classOfQuery[Int(query)]), isFirst)
    case .open(let object, _):
      let isFirst = !hasReadEntity[Int(object)]
      hasReadEntity[Int(object)] = true
      return (.entity, isFirst)
    case .redraw: return (.redraw, false)
    case .unobserve, .tag, .write, .maintenance: return nil
    }
  }
}

/// The outcomes of one class, as far as they are known.
private struct ToldTally {
  let name: String
  private(set) var told = 0
  private var counts = [Int](repeating: 0, count: Outcome.allCases.count)
  /// Hits without a statement about freshness, and others without a cause.
  private var hits = 0
  private var misses = 0

  init(_ name: String) { self.name = name }

  mutating func count(_ outcome: RecordedOutcome) {
    told += 1
    switch outcome {
    case .hit: hits += 1
    case .miss: misses += 1
    default:
      if let named = Outcome(outcome) { counts[named.ordinal] += 1 }
    }
  }

  /// Returns the number of an outcome; `nil` if ambiguous words may mean it.
  private func count(_ outcome: Outcome) -> Int? {
    let isHit = outcome == .hitFresh || outcome == .hitStale
    return (isHit ? hits : misses) > 0 ? nil : counts[outcome.ordinal]
  }

  private var allHits: Int {
    hits + counts[Outcome.hitFresh.ordinal] + counts[Outcome.hitStale.ordinal]
  }

  func rows(of workload: Workload) -> [ResultRow] {
    func row(_ metric: Metric, _ value: MetricValue?, samples: Int? = nil) -> ResultRow {
      ResultRow(
        scenario: workload.name, policy: ResultRow.recordedPolicy, seed: workload.seed,
        class: ResultClass(name), metric: metric, value: told == 0 ? nil : value,
        sampleCount: told == 0 ? 0 : samples)
    }
    func whole(_ count: Int?) -> MetricValue? { count.map { .integer(Int64($0)) } }
    func share(_ count: Int?) -> MetricValue? {
      told == 0 ? nil : count.map { .real(Double($0) / Double(told)) }
    }
    return [row(.reads, whole(told))]
      + Outcome.allCases.filter { $0 != .hitUnknown }.map { row($0.metric, whole(count($0))) }
      + [
        row(.hitRatio, share(allHits), samples: told),
        row(.freshHitRatio, share(count(.hitFresh)), samples: told),
        row(.staleReadShare, share(count(.hitStale)), samples: told),
      ]
  }
}
