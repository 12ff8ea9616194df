import CacheModel
import CacheSimulation
import Foundation
import NormalizedCache
import Workloads

/// An object of a scenario as an app would hold it: typed, and in JSON as large as the scenario says.
struct AppValue: Codable, Sendable {
  /// The object's key.
  var high: UInt64
  var low: UInt64
  var type: UInt16
  var clock: UInt64
  var device: UInt64
  /// What the scenario's schema looks it up by: an object, and whether this is a summary of it.
  var object: UInt32
  var revision: UInt32
  /// What the declared fields hold, by which a screen shows it, each kind in the order of the fields.
  var texts: [String] = []
  var numbers: [Int64] = []
  var flags: [Bool] = []
  /// By field, the objects that it refers to.
  var references: [[UInt32]] = []
  /// Makes up the size.
  var text: String

  /// The same value in storage of its own, as a decoder makes it.
  var copied: AppValue {
    do {
      return try JSONDecoder().decode(AppValue.self, from: JSONEncoder().encode(self))
    } catch {
      preconditionFailure("a value of plain fields is not coded: \(error)")
    }
  }

  var handle: Handle { Handle(place: object, revision: revision) }
  var key: EntityKey {
    EntityKey(type: ResourceType(rawValue: type), id: UniqueID(high: high, low: low))
  }
  var entity: VersionedEntity<AppValue> {
    VersionedEntity(key: key, version: Version(clock: clock, device: device), payload: self)
  }
}

/// The scenario's own schema over typed values.
struct AppSchema: CacheSchema {
  let schema: SimulationSchema

  func plan(for query: QueryKey) -> QueryPlan<QueryPredicate> { schema.plan(for: query) }

  func forEachScope(
    of payload: AppValue, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    schema.forEachScope(of: payload.handle, key: key, body)
  }

  func weight(of payload: AppValue) -> Int { schema.weight(of: payload.handle) }

  static var hasSummaries: Bool { true }

  func isSummary(_ payload: AppValue) -> Bool { payload.handle.isSummary }

  func areEqual(_ lhs: AppValue, _ rhs: AppValue) -> Bool {
    schema.areEqual(lhs.handle, rhs.handle)
  }

  func belongs(
    _ payload: AppValue, key: EntityKey, in predicate: QueryPredicate
  ) -> MatchResult {
    schema.belongs(payload.handle, key: key, in: predicate)
  }

  func precedes(
    _ lhs: AppValue, key lhsKey: EntityKey, _ rhs: AppValue, key rhsKey: EntityKey,
    in predicate: QueryPredicate
  ) -> Bool {
    schema.precedes(lhs.handle, key: lhsKey, rhs.handle, key: rhsKey, in: predicate)
  }

  func location(of payload: AppValue) -> UniqueID? { schema.location(of: payload.handle) }
}
