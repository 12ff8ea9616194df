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
    let object = UInt32(truncatingIfNeeded: number(field, of: state))
    return object == Revision.noObject ? nil : object
  }

  /// Where the references of a field lie in the catalog's labels.
  func references(_ field: QueryShape.Member, of state: Int) -> Range<Int> {
    LabelRange(word: number(field, of: state)).indices
  }

  func label(_ index: Int) -> UInt32 { catalog.labels[index] }

  /// A field by a number that orders as it does.
  func number(_ field: QueryShape.Member, of state: Int) -> UInt64 {
    catalog.values[Int(catalog.valueStarts[state]) + field.slot]
  }
}
