import CacheModel
import Workloads

/// What goes with what: an object is deleted with each that it belongs to.
struct Ownership: Sendable {
  /// By type: the slots of the references to owners among a state's values.
  private let slots: [[Int]]
  /// The objects that belong to another, in order.
  let owned: [UInt32]

  init(_ workload: Workload) {
    let slots = workload.model.types.map { type in
      type.fields.compactMap { field in
        if case .one(_, _, true) = field.content { field.slot } else { nil }
      }
    }
    self.slots = slots
    let objects = workload.catalog.objects
    owned = objects.indices.filter { index in
      let type = Int(objects[index].type.rawValue) - 1
      return slots.indices.contains(type) && !slots[type].isEmpty
    }.map { UInt32($0) }
  }

  /// Whether an owner of a state is among those asked for.
  @inline(__always)
  func hasOwner(
    _ revision: UInt32, in catalog: Catalog, where isAskedFor: (UInt32) -> Bool
  ) -> Bool {
    let object = Int(catalog.revisions[Int(revision)].object)
    let type = Int(catalog.objects[object].type.rawValue) - 1
    guard slots.indices.contains(type) else { return false }
    for slot in slots[type] {
      let word = catalog.values[Int(catalog.valueStarts[Int(revision)]) + slot]
      let owner = UInt32(truncatingIfNeeded: word)
      if owner != Revision.noObject, isAskedFor(owner) { return true }
    }
    return false
  }
}
