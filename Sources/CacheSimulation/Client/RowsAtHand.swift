import CacheModel
import Workloads

/// Rows by object, for a pass at a time: what a view may still show of members without a value.
///
/// Columns by object that are never cleared: a row counts only in the pass that put it in.
struct RowsAtHand: Sendable {
  private var rows: [Handle]
  private var passes: [UInt32]
  private var pass: UInt32 = 0
  /// The object that each slot of the cache last stood for.
  private var objectOfSlot: [UInt32] = []

  init(objectCount: Int) {
    rows = [Handle](repeating: .unknown, count: objectCount)
    passes = [UInt32](repeating: 0, count: objectCount)
  }

  /// Forgets all rows.
  mutating func beginPass() {
    pass &+= 1
    if pass == 0 {
      for index in passes.indices { passes[index] = 0 }
      pass = 1
    }
  }

  /// Puts rows in; of two of one object the later stays.
  mutating func add(_ added: [Handle]) {
    for row in added where Int(row.object) < rows.count {
      rows[Int(row.object)] = row
      passes[Int(row.object)] = pass
    }
  }

  /// The row of an object; one without a value where none is at hand.
  func row(of object: UInt32) -> Handle {
    guard Int(object) < rows.count, passes[Int(object)] == pass else {
      return Handle(object: object, revision: Handle.unknown.revision)
    }
    return rows[Int(object)]
  }

  /// The object of a slot's key: the one that it last stood for, where that has this key.
  mutating func object(ofSlot slot: Int32, key: EntityKey, in input: Simulation) -> UInt32 {
    let index = Int(slot)
    if index >= objectOfSlot.count {
      let missing = index + 1 - objectOfSlot.count
      objectOfSlot += repeatElement(Handle.unknown.object, count: missing)
    }
    let known = Int(objectOfSlot[index])
    let objects = input.workload.catalog.objects
    if known < objects.count, objects[known] == key { return UInt32(known) }
    let object = input.objectOfKey[key] ?? Handle.unknown.object
    objectOfSlot[index] = object
    return object
  }
}
