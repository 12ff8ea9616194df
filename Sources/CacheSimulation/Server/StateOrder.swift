import CacheModel
import Workloads

/// All states of all objects in the order of each list that is read.
///
/// A list is a section of one array, sorted beforehand: an answer consists of its current entries. It does
/// not depend on the policy or the run, so it is computed once for all runs. It assigns states to lists,
/// whereas ``SimulationSchema`` tests states by a query, so the two read the model independently. O(positions
/// of states · log positions).
struct StateOrder: Sendable {
  /// A state in a section, with the data needed for an answer.
  struct Entry: Sendable, BitwiseCopyable {
    var row: Handle
    var bytes: Int32
  }

  struct Place: Sendable, BitwiseCopyable {
    var section: Int32
    /// An index of `entries`.
    var entry: Int32
  }

  /// Each state as it is sent.
  let entities: [VersionedEntity<Handle>]
  /// The rank of each object in the order of keys, which breaks ties.
  let ranks: [UInt32]
  /// The sections, one after another.
  private(set) var entries: [Entry] = []
  private var sections: [Range<Int>] = []
  /// The positions of all states, and the beginning of each state's.
  private var places: [Place] = []
  private var firstPlace: [Int] = []
  private let lists: AskedLists
  private let columns: StateColumns

  init(of workload: Workload) {
    let catalog = workload.catalog
    let (objects, revisions) = (catalog.objects, catalog.revisions)
    lists = AskedLists(workload.queries, of: workload.model)
    columns = StateColumns(catalog)
    entities = revisions.indices.map { index in
      let object = revisions[index].object
      return VersionedEntity(
        key: objects[Int(object)], version: revisions[index].version,
        payload: Handle(object: object, revision: UInt32(index)))
    }
    var ranks = [UInt32](repeating: 0, count: objects.count)
    for (rank, object) in objects.indices.sorted(by: { objects[$0] < objects[$1] }).enumerated() {
      ranks[object] = UInt32(rank)
    }
    self.ranks = ranks
    fill(revisions, columns)
  }

  /// Counts, allocates, fills and then sorts the sections.
  private mutating func fill(_ revisions: [Revision], _ columns: StateColumns) {
    var sizes = [Int](repeating: 0, count: lists.count)
    firstPlace.reserveCapacity(revisions.count + 1)
    // The sections of all states, one state after another.
    var sectionsOfStates: [Int32] = []
    for revision in revisions.indices {
      firstPlace.append(sectionsOfStates.count)
      lists.forEachSection(of: revision, in: columns) { section in
        sizes[section] += 1
        sectionsOfStates.append(Int32(section))
      }
    }
    let placeCount = sectionsOfStates.count
    firstPlace.append(placeCount)
    var start = 0
    for size in sizes {
      sections.append(start..<start + size)
      start += size
    }
    var next = sections.map(\.lowerBound)
    var keys = [SortKey](
      repeating: SortKey(primary: 0, secondary: 0, rank: 0, revision: 0), count: placeCount)
    for revision in revisions.indices {
      for place in firstPlace[revision]..<firstPlace[revision + 1] {
        let section = Int(sectionsOfStates[place])
        keys[next[section]] = sortKey(UInt32(revision), inSection: section)
        next[section] += 1
      }
    }
    for section in sections { keys[section].sort() }
    entries.reserveCapacity(placeCount)
    for key in keys {
      let state = revisions[Int(key.revision)]
      entries.append(
        Entry(row: Handle(object: state.object, revision: key.revision), bytes: state.bytes))
    }
    places = [Place](repeating: Place(section: -1, entry: -1), count: placeCount)
    var nextPlace = firstPlace
    for (section, range) in sections.enumerated() {
      for entry in range {
        let revision = Int(keys[entry].revision)
        places[nextPlace[revision]] = Place(section: Int32(section), entry: Int32(entry))
        nextPlace[revision] += 1
      }
    }
  }

  var sectionCount: Int { sections.count }

  /// The places of a section in `entries`.
  func entries(ofSection section: Int) -> Range<Int> { sections[section] }

  /// The section of what a query lists; `nil` if it names no object.
  func section(of spec: QuerySpec) -> Int? {
    if lists.isAboutObject(spec), spec.subject >= UInt64(ranks.count) { return nil }
    return lists.section(of: spec)
  }

  /// Returns the entries that a query lists if they are current, ignoring its limit.
  func range(of spec: QuerySpec, inSection section: Int) -> Range<Int> {
    let range = sections[section]
    guard spec.after != Revision.noObject else { return range }
    let cursor = sortKey(spec.after, inSection: section)
    // The first entry after the cursor, by bisection.
    var low = range.lowerBound
    var high = range.upperBound
    while low < high {
      let middle = (low + high) / 2
      if cursor < sortKey(entries[middle].row.revision, inSection: section) {
        high = middle
      } else {
        low = middle + 1
      }
    }
    return low..<range.upperBound
  }

  /// Returns the sort key that a state has, or would have, in a section.
  func sortKey(_ revision: UInt32, inSection section: Int) -> SortKey {
    let sorting = lists.sortings[section]
    let state = Int(revision)
    return SortKey(
      primary: sorting.first?.key(of: state, in: columns) ?? 0,
      secondary: sorting.second?.key(of: state, in: columns) ?? 0,
      rank: ranks[Int(columns.object(of: state))], revision: revision)
  }

  /// Returns the entry of a state in a section; `nil` if it is never there.
  func entry(of revision: UInt32, inSection section: Int) -> Int? {
    for index in firstPlace[Int(revision)]..<firstPlace[Int(revision) + 1]
    where Int(places[index].section) == section {
      return Int(places[index].entry)
    }
    return nil
  }

  func forEachPlace(of revision: UInt32, _ body: (Place) -> Void) {
    for index in firstPlace[Int(revision)]..<firstPlace[Int(revision) + 1] { body(places[index]) }
  }
}

/// A sort key: ascending numbers, ties by rank.
struct SortKey: Comparable, BitwiseCopyable {
  var primary: UInt64
  var secondary: UInt64
  var rank: UInt32
  var revision: UInt32

  static func < (lhs: SortKey, rhs: SortKey) -> Bool {
    if lhs.primary != rhs.primary { return lhs.primary < rhs.primary }
    if lhs.secondary != rhs.secondary { return lhs.secondary < rhs.secondary }
    return lhs.rank < rhs.rank
  }
}

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

  /// Returns the object that a field refers to; `nil`: none.
  func reference(_ field: QueryShape.Member, of state: Int) -> UInt32? {
    let object = UInt32(truncatingIfNeeded: number(field, of: state))
    return object == Revision.noObject ? nil : object
  }

  /// Returns the range of a field's references in the catalog's labels.
  func references(_ field: QueryShape.Member, of state: Int) -> Range<Int> {
    LabelRange(word: number(field, of: state)).indices
  }

  func label(_ index: Int) -> UInt32 { catalog.labels[index] }

  /// Returns a field as a number with the same order.
  func number(_ field: QueryShape.Member, of state: Int) -> UInt64 {
    catalog.values[Int(catalog.valueStarts[state]) + field.slot]
  }
}

/// When the entries of each section of a ``StateOrder`` become current, and when they end.
///
/// The same for all policies with a seed, so it is computed once; a server applies only the sections that it
/// needs.
struct SectionHistory: Sendable {
  struct Change: BitwiseCopyable, Sendable {
    /// The number of mutations applied by then; 0 for the initial state.
    var applied: Int32
    /// An index of `StateOrder.entries`.
    var entry: Int32
    var isCurrent: Bool
  }

  /// The changes of the sections, one section after another, each in order of time.
  private(set) var changes: [Change]
  /// The beginning of each section's changes, and the end of the last.
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

  /// Calls `body` with each state that begins or ends, and the number of mutations applied by then.
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
