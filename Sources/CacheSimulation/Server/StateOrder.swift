import CacheModel
import NormalizedCacheCore
import Workloads

/// Every state of every object in the order of each list that is asked for, and where it stands there.
///
/// A list is a section of one array, sorted beforehand: an answer is those of its entries that are
/// current. It does not depend on the policy or the run, so it is made once for all runs. The model is read
/// here in a way of its own, by where a state is put, and in ``SimulationSchema`` in another, by what it is
/// asked. O(places of states · log places).
struct StateOrder: Sendable {
  /// A state in a section, with what an answer needs of it.
  struct Entry: Sendable, BitwiseCopyable {
    var row: Handle
    var bytes: Int32
  }

  /// Where a state stands.
  struct Place: Sendable, BitwiseCopyable {
    var section: Int32
    /// An index of `entries`.
    var entry: Int32
  }

  /// Each state as it is sent.
  let entities: [VersionedEntity<Handle>]
  /// The place of each object in the order of keys, which breaks ties.
  let ranks: [UInt32]
  /// The sections one after another.
  private(set) var entries: [Entry] = []
  private var sections: [Range<Int>] = []
  /// The places of all states, and where those of each state begin.
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

  /// Each section is counted, given its room, filled, and then sorted.
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

  /// The section of what a query lists; `nil` where it names no object.
  func section(of spec: QuerySpec) -> Int? {
    if lists.isAboutObject(spec), spec.subject >= UInt64(ranks.count) { return nil }
    return lists.section(of: spec)
  }

  /// The entries that a query lists where they are current, its limit aside.
  func range(of spec: QuerySpec, inSection section: Int) -> Range<Int> {
    let range = sections[section]
    guard spec.after != Revision.noObject else { return range }
    let cursor = sortKey(spec.after, inSection: section)
    // The first entry behind the cursor, by bisection.
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

  /// What a state is sorted by where a section has, or would have, it.
  func sortKey(_ revision: UInt32, inSection section: Int) -> SortKey {
    let sorting = lists.sortings[section]
    let state = Int(revision)
    return SortKey(
      primary: sorting.first?.key(of: state, in: columns) ?? 0,
      secondary: sorting.second?.key(of: state, in: columns) ?? 0,
      rank: ranks[Int(columns.object(of: state))], revision: revision)
  }

  /// Where a state stands in a section; `nil` where it never does.
  func entry(of revision: UInt32, inSection section: Int) -> Int? {
    for index in firstPlace[Int(revision)]..<firstPlace[Int(revision) + 1]
    where Int(places[index].section) == section {
      return Int(places[index].entry)
    }
    return nil
  }

  /// The places of a state.
  func forEachPlace(of revision: UInt32, _ body: (Place) -> Void) {
    for index in firstPlace[Int(revision)]..<firstPlace[Int(revision) + 1] { body(places[index]) }
  }
}

/// What a list sorts by: ascending numbers, ties by rank.
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
