import CacheModel
import Containers
import NormalizedCacheCore
import Workloads

/// What it shows; what it keeps besides is not known.
extension ExternalCacheDriver {
  static var isKnownFromOutside: Bool { true }
  var takesEvents: Bool { measured?.takesEvents ?? true }
  var use: CacheUse? { measured?.use }

  func members(of key: QueryKey) -> [Slot]? { input.queryOfKey[key].flatMap { shown[$0] } }

  func rows(of key: QueryKey) -> [VersionedEntity<Handle>?]? {
    members(of: key)?.map { state in
      VersionedEntity(
        key: self.key(of: state), version: version(of: state), payload: handle(of: state))
    }
  }

  func payload(of slot: Slot) -> Handle? { handle(of: slot) }

  func key(of slot: Slot) -> EntityKey { input.workload.catalog.objects[Int(object(of: slot))] }

  func version(of slot: Slot) -> Version { input.workload.catalog.revisions[Int(slot)].version }

  /// What is on screen is all that is known to count as fresh.
  var queriesWithResult: [QueryKey] {
    observers.indices.filter { observers[$0] > 0 && shown[$0] != nil }.map { input.keys[$0] }
  }

  func isFresh(_ key: QueryKey, at now: Instant) -> Bool {
    input.queryOfKey[key].map { observers[$0] > 0 } ?? false
  }

  func fetch(of target: FetchTarget) -> FetchID? { nil }
}
