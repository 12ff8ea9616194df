import Workloads

/// Which entries of each section of a ``StateOrder`` become current or cease to be, and when.
///
/// The same for all policies of a seed, so it is told once; a server follows only the sections that it
/// is asked about.
struct SectionHistory: Sendable {
  struct Change: BitwiseCopyable, Sendable {
    /// How many mutations have been applied by then; 0 for what there is at the beginning.
    var applied: Int32
    /// An index of `StateOrder.entries`.
    var entry: Int32
    var isCurrent: Bool
  }

  /// The sections one after another, each in order of time.
  private(set) var changes: [Change]
  /// Where the changes of each section begin, and at the end where the last ones end.
  let starts: [Int]

  /// O(changes of all sections).
  init(of workload: Workload, order: StateOrder) {
    var counts = [Int](repeating: 0, count: order.sectionCount + 1)
    Self.forEachChange(of: workload) { _, revision, _ in
      order.forEachPlace(of: revision) { counts[Int($0.section) + 1] += 1 }
    }
    for section in 1..<counts.count { counts[section] += counts[section - 1] }
    starts = counts
    var next = counts
    let none = Change(applied: 0, entry: -1, isCurrent: false)
    var changes = [Change](repeating: none, count: counts[order.sectionCount])
    Self.forEachChange(of: workload) { applied, revision, isCurrent in
      order.forEachPlace(of: revision) { place in
        changes[next[Int(place.section)]] = Change(
          applied: Int32(applied), entry: place.entry, isCurrent: isCurrent)
        next[Int(place.section)] += 1
      }
    }
    self.changes = changes
  }

  /// Calls `body` with each state that begins or ends, and how many mutations have been applied by then.
  private static func forEachChange(
    of workload: Workload, _ body: (Int, UInt32, _ isCurrent: Bool) -> Void
  ) {
    let none = SimulatedServer.noRevision
    var current = [UInt32](repeating: none, count: workload.catalog.objects.count)
    func apply(_ new: UInt32, to object: UInt32, _ applied: Int) {
      let former = current[Int(object)]
      guard former != new else { return }
      current[Int(object)] = new
      if former != none { body(applied, former, false) }
      if new != none { body(applied, new, true) }
    }
    for index in 0..<workload.catalog.initialCount {
      apply(UInt32(index), to: workload.catalog.revisions[index].object, 0)
    }
    for (index, mutation) in workload.mutations.enumerated() {
      for item in mutation.items {
        let item = workload.items[item]
        let isDeletion = item.revision == MutationItem.deleted
        apply(isDeletion ? none : item.revision, to: item.object, index + 1)
      }
    }
  }
}
