import CacheModel
package import Workloads

/// What becomes of the entities of one type in a workload.
package struct TypeProfile: Sendable {
  package let name: String
  /// Entities at time zero, and their sizes in bytes; `nil` where there are none.
  package let atStart: Int
  package let bytes: (p50: Int, p99: Int, largest: Int)?
  /// Entities in commits, by what they do.
  package private(set) var created = 0
  package private(set) var changed = 0
  package private(set) var deleted = 0

  /// The types of the model, in its order; O(states + what sorting sizes takes).
  package static func all(of workload: Workload) -> [TypeProfile] {
    let catalog = workload.catalog
    func place(of object: UInt32) -> Int { Int(catalog.objects[Int(object)].type.rawValue) - 1 }
    var sizes = workload.model.types.map { _ in [Int]() }
    var exists = [Bool](repeating: false, count: catalog.objects.count)
    for revision in catalog.revisions.prefix(catalog.initialCount) {
      sizes[place(of: revision.object)].append(Int(revision.bytes))
      exists[Int(revision.object)] = true
    }
    var profiles = zip(workload.model.types, sizes).map { TypeProfile($0.name, $1.sorted()) }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] {
        let object = Int(item.object)
        if item.revision == MutationItem.deleted {
          profiles[place(of: item.object)].deleted += 1
        } else if exists[object] {
          profiles[place(of: item.object)].changed += 1
        } else {
          profiles[place(of: item.object)].created += 1
        }
        exists[object] = item.revision != MutationItem.deleted
      }
    }
    return profiles
  }

  private init(_ name: String, _ sizes: [Int]) {
    self.name = name
    atStart = sizes.count
    bytes = sizes.last.map { (sizes[sizes.count / 2], sizes[sizes.count * 99 / 100], $0) }
  }
}
