import CacheModel
import Workloads

/// The states of a catalog, field by field, as the server reads them.
struct StateColumns: Sendable {
  private let catalog: Catalog

  init(_ catalog: Catalog) {
    self.catalog = catalog
  }

  func object(of state: Int) -> UInt32 { catalog.revisions[state].object }

  func type(of state: Int) -> ResourceType {
    catalog.objects[Int(catalog.revisions[state].object)].type
  }

  /// What a state refers to by a field; `nil`: nothing.
  func reference(_ field: QueryShape.Member, of state: Int) -> UInt32? {
    let object: UInt32 =
      if case .value(let slot) = field.storage {
        UInt32(truncatingIfNeeded: value(slot, of: state))
      } else {
        catalog.revisions[state].parent
      }
    return object == Revision.noObject ? nil : object
  }

  /// Where the references of a field lie in the catalog's labels.
  func references(_ field: QueryShape.Member, of state: Int) -> Range<Int> {
    if case .value(let slot) = field.storage {
      return LabelRange(word: value(slot, of: state)).indices
    }
    return catalog.labelRange(of: catalog.revisions[state])
  }

  func label(_ index: Int) -> UInt32 { catalog.labels[index] }

  /// A field that is no reference, by a number that orders as it does.
  func number(_ field: QueryShape.Member, of state: Int) -> UInt64 {
    let revision = catalog.revisions[state]
    return switch field.storage {
    case .value(let slot): value(slot, of: state)
    case .modified: UInt64(bitPattern: revision.modified) ^ (1 << 63)
    case .isMedia: revision.isMedia ? 1 : 0
    case .name, .parent, .labels: revision.name
    }
  }

  private func value(_ slot: Int, of state: Int) -> UInt64 {
    catalog.values[Int(catalog.valueStarts[state]) + slot]
  }
}
