package import CacheModel
package import EvictionPolicies
import RecordingCodec
package import ResultModel
package import Workloads

/// The outcome of a read, as in reports.
enum Outcome: CaseIterable, Sendable {
  case hitFresh
  case hitStale
  /// A hit whose freshness is unknown from a recording.
  case hitUnknown
  case partial
  case missCold
  case missExpired
  case missEvicted
  case missInvalidated
  case coalesced
  case bypass
  case failed

  var metric: Metric {
    switch self {
    case .hitFresh: .hitFresh
    case .hitStale: .hitStale
    case .hitUnknown: .hitUnknown
    case .partial: .partial
    case .missCold: .missCold
    case .missExpired: .missExpired
    case .missEvicted: .missEvicted
    case .missInvalidated: .missInvalidated
    case .coalesced: .coalesced
    case .bypass: .bypass
    case .failed: .failed
    }
  }

  /// The index of the outcome in `allCases`.
  var ordinal: Int {
    switch self {
    case .hitFresh: 0
    case .hitStale: 1
    case .hitUnknown: 2
    case .partial: 3
    case .missCold: 4
    case .missExpired: 5
    case .missEvicted: 6
    case .missInvalidated: 7
    case .coalesced: 8
    case .bypass: 9
    case .failed: 10
    }
  }
}

extension Outcome {
  /// Combines two known facts about a hit: stale if either is, fresh only if both are.
  func combined(with other: Outcome) -> Outcome {
    if self == .hitStale || other == .hitStale { return .hitStale }
    return self == .hitUnknown || other == .hitUnknown ? .hitUnknown : .hitFresh
  }

  /// - Returns: `nil` for a word of a log that may mean several outcomes.
  init?(_ recorded: RecordedOutcome) {
    guard let named = Self.allCases.first(where: { $0.metric.name == recorded.rawValue }) else {
      return nil
    }
    self = named
  }
}

/// The outcome of every counted read of users, by client, in the order of the scripts.
///
/// Two runs of one workload have the same reads, so they can be compared read by read.
package struct ReadOutcomes: Sendable {
  /// The index of the outcome in `Outcome.allCases` for each action of the scripts, or ``none``.
  private(set) var places: [UInt8] = []

  /// An action that reads nothing, or not in the counted part of the run.
  static let none = UInt8.max

  mutating func append(_ client: [UInt8]) { places += client }

  /// Adds the reads of another workload.
  package static func += (reads: inout ReadOutcomes, other: ReadOutcomes) {
    reads.places += other.places
  }

  /// Counts how two runs of one workload differ in fresh hits.
  ///
  /// - Parameter other: the run of another policy on the same workload.
  /// - Returns: by the other's outcome, the reads that only this run served fresh; and by this run's, those
  ///   that only the other did. In the order of the outcomes.
  package func freshHits(
    against other: ReadOutcomes
  ) -> (gained: [(outcome: Metric, reads: Int)], lost: [(outcome: Metric, reads: Int)]) {
    precondition(places.count == other.places.count, "outcomes of two workloads")
    let fresh = UInt8(Outcome.hitFresh.ordinal)
    var gained = [Int](repeating: 0, count: Outcome.allCases.count)
    var lost = gained
    for (own, theirs) in zip(places, other.places) where own != theirs {
      // A user who waits may not make every read.
      if own == fresh, theirs != Self.none { gained[Int(theirs)] += 1 }
      if theirs == fresh, own != Self.none { lost[Int(own)] += 1 }
    }
    func named(_ counts: [Int]) -> [(outcome: Metric, reads: Int)] {
      zip(Outcome.allCases, counts).filter { $0.1 > 0 }.map { ($0.0.metric, $0.1) }
    }
    return (named(gained), named(lost))
  }
}

package struct ReadRecord: Hashable, Sendable {
  /// The client's index in the workload.
  package var client: Int
  /// The index of its action in the client's script.
  package var action: Int
  /// The time of the read, in nanoseconds of virtual time.
  package var at: Int64
  package var subject: Subject
  /// The metric that counts such reads.
  package var outcome: Metric
  /// The waiting time in nanoseconds; `nil` if no answer came.
  package var waited: Int64?
  /// How long served rows had been outdated, in nanoseconds; `nil` if they were current.
  package var age: Int64?
  /// The difference between served rows and the ground truth; `nil` if there is none, and after a wait.
  package var difference: RowDifference?

  package enum Subject: Hashable, Sendable {
    case query(QuerySpec)
    /// An index of `Catalog.objects`.
    case entity(UInt32)
  }

  init(_ read: Read, _ outcome: Outcome, client: Int, at now: Int64, queries: [QuerySpec]) {
    self.client = client
    action = read.action
    at = read.since
    subject = read.query.map { .query(queries[$0]) } ?? .entity(read.object)
    self.outcome = outcome.metric
    waited = outcome == .failed ? nil : now - read.since
    age = read.age
    difference = read.difference
  }
}

extension Simulation {
  /// Returns the counted reads of a policy's users, by client, in the order of their scripts.
  package func reads(
    policy: String, composition: CachePolicy, order: EvictionPolicyDescriptor? = nil
  ) throws -> [ReadRecord] {
    try run(policy: policy, composition: composition, order: order, notesReads: true).reads
  }

  /// Returns a read's subject in the model's words: the query with its subject, or the entity.
  package func name(of subject: ReadRecord.Subject) -> String {
    switch subject {
    case .entity(let object): return name(ofObject: object)
    case .query(let spec):
      guard let shape = workload.model.shape(of: spec.kind) else { return "" }
      var name = shape.name
      if spec.prefixLength > 0 {
        let letters = LetterCode.decode(spec.subject).prefix(Int(spec.prefixLength))
        name += "(\(letters))"
      } else if shape.subjectType != nil {
        name += "(\(spec.subject))"
      }
      if spec.after != Revision.noObject { name += " after \(spec.after)" }
      return name
    }
  }

  private func name(ofObject object: UInt32) -> String {
    let type = Int(workload.catalog.objects[Int(object)].type.rawValue) - 1
    let types = workload.model.types
    return types.indices.contains(type) ? "\(types[type].name) \(object)" : "\(object)"
  }
}

/// The first row in which a served result differs from the ground truth.
public struct RowDifference: Hashable, Sendable {
  /// Counted from 1.
  public var row: Int
  public var kind: Kind

  /// The raw value is the word in reports.
  public enum Kind: String, Sendable, CaseIterable {
    /// The row's entity has a newer version.
    case older
    /// The ground truth has a row here that was not served.
    case missing
    /// The served row no longer belongs here.
    case extra
    /// Both have the row, at different positions.
    case moved
  }

  /// - Returns: `nil` if both are the same. O(rows).
  init?(served: [Handle], truth: [Handle]) {
    let shorter = min(served.count, truth.count)
    guard
      let place = (0..<shorter).first(where: { served[$0] != truth[$0] })
        ?? (served.count == truth.count ? nil : shorter)
    else { return nil }
    row = place + 1
    guard place < truth.count else {
      kind = .extra
      return
    }
    let expected = truth[place].object
    if place < served.count, served[place].object == expected {
      kind = .older
    } else if !served.contains(where: { $0.object == expected }) {
      kind = .missing
    } else {
      let found = served[place].object
      kind = truth.contains { $0.object == found } ? .moved : .extra
    }
  }
}
