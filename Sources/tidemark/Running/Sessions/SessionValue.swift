import CacheModel
import CacheSimulation
import Foundation
import Measurement
import NormalizedCache
import Workloads

/// An object of a scenario as an app would hold it: typed, and in JSON as large as the scenario says.
struct SessionValue: Codable, Sendable {
  /// The object's key.
  var high: UInt64
  var low: UInt64
  var type: UInt16
  var clock: UInt64
  var device: UInt64
  /// What the scenario's schema looks it up by.
  var object: UInt32
  var revision: UInt32
  /// Of a file or a directory: the fields of one, by which a screen shows it.
  var file: FilePayload?
  /// Makes up the size.
  var text: String

  var handle: Handle { Handle(object: object, revision: revision) }
  var key: EntityKey {
    EntityKey(type: ResourceType(rawValue: type), id: UniqueID(high: high, low: low))
  }
  var entity: VersionedEntity<SessionValue> {
    VersionedEntity(key: key, version: Version(clock: clock, device: device), payload: self)
  }
}

/// The scenario's own schema over typed values.
struct SessionSchema: CacheSchema {
  let schema: SimulationSchema

  func plan(for query: QueryKey) -> QueryPlan<QueryPredicate> { schema.plan(for: query) }

  func forEachScope(
    of payload: SessionValue, key: EntityKey, _ body: (QueryScope) -> Void
  ) {
    schema.forEachScope(of: payload.handle, key: key, body)
  }

  func weight(of payload: SessionValue) -> Int { schema.weight(of: payload.handle) }

  func areEqual(_ lhs: SessionValue, _ rhs: SessionValue) -> Bool {
    schema.areEqual(lhs.handle, rhs.handle)
  }

  func belongs(
    _ payload: SessionValue, key: EntityKey, in predicate: QueryPredicate
  ) -> Belonging {
    schema.belongs(payload.handle, key: key, in: predicate)
  }

  func precedes(
    _ lhs: SessionValue, key lhsKey: EntityKey, _ rhs: SessionValue, key rhsKey: EntityKey,
    in predicate: QueryPredicate
  ) -> Bool {
    schema.precedes(lhs.handle, key: lhsKey, rhs.handle, key: rhsKey, in: predicate)
  }

  func location(of payload: SessionValue) -> UniqueID? { schema.location(of: payload.handle) }
}
