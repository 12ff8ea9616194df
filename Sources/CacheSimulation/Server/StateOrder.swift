import CacheModel
import Workloads

/// Every state that a workload ever gives an object, in the order of each list that it stands in.
///
/// A list at one instant is what is current of its section. Nothing here depends on the policy or
/// changes during a run, so it is made once for all runs. O(states log states).
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

  /// The place of each object in the order of keys, which breaks ties.
  let ranks: [UInt32]
  /// The sections one after another.
  private(set) var entries: [Entry] = []
  private var sections: [Range<Int>] = []
  /// The places of all states, and where those of each state begin.
  private var places: [Place] = []
  private var firstPlace: [Int] = []
  /// The name of each entry of the section of all files by name.
  private var names: [UInt64] = []
  /// The queries of another order than that of their kind, in the order of their sections, and where
  /// each stands there.
  private let reordered: [QuerySpec]
  private let placeOfReordered: [QuerySpec: Int]
  /// The first of their sections.
  private let firstReordered: Int

  /// The sections of the whole library; those of single directories and labels follow, and then one for
  /// each query of another order than that of its kind.
  private enum Section {
    static let recents = 0
    static let media = 1
    static let files = 2
    static let albums = 3
    static let tags = 4
    static let count = 5
  }

  init(of catalog: Catalog, queries: [QuerySpec]) {
    let objects = catalog.objects
    var reordered: [QuerySpec] = []
    var placeOfReordered: [QuerySpec: Int] = [:]
    for query in queries
    where query.order != nil && query.order != .asShown && placeOfReordered[query] == nil {
      placeOfReordered[query] = reordered.count
      reordered.append(query)
    }
    self.reordered = reordered
    self.placeOfReordered = placeOfReordered
    firstReordered = Section.count + 2 * objects.count
    let revisions = catalog.revisions
    var ranks = [UInt32](repeating: 0, count: objects.count)
    for (rank, object) in objects.indices.sorted(by: { objects[$0] < objects[$1] }).enumerated() {
      ranks[object] = UInt32(rank)
    }
    self.ranks = ranks
    let byName = revisions.indices.map { SortKey.byName(revisions[$0], UInt32($0), ranks) }.sorted()
    let byTime = revisions.indices.map { SortKey.byTime(revisions[$0], UInt32($0), ranks) }.sorted()

    // Each section is counted, given its room, and then filled in order.
    var sizes = [Int](repeating: 0, count: firstReordered + reordered.count)
    firstPlace.reserveCapacity(revisions.count + 1)
    var placeCount = 0
    for revision in revisions.indices {
      firstPlace.append(placeCount)
      Self.forEachSection(of: revisions[revision], in: catalog, reordered: reordered) {
        section, _ in
        sizes[section] += 1
        placeCount += 1
      }
    }
    firstPlace.append(placeCount)
    var start = 0
    for size in sizes {
      sections.append(start..<start + size)
      start += size
    }
    let none = Entry(row: .unknown, bytes: 0)
    entries = [Entry](repeating: none, count: placeCount)
    places = [Place](repeating: Place(section: -1, entry: -1), count: placeCount)
    var nextEntry = sections.map(\.lowerBound)
    var nextPlace = firstPlace
    for (keys, isByTime) in [(byName, false), (byTime, true)] {
      for key in keys {
        let state = revisions[Int(key.revision)]
        Self.forEachSection(of: state, in: catalog, reordered: reordered) {
          section, isSortedByTime in
          guard isSortedByTime == isByTime else { return }
          let entry = nextEntry[section]
          nextEntry[section] += 1
          entries[entry] = Entry(
            row: Handle(object: state.object, revision: key.revision), bytes: state.bytes)
          places[nextPlace[Int(key.revision)]] = Place(
            section: Int32(section), entry: Int32(entry))
          nextPlace[Int(key.revision)] += 1
        }
      }
    }
    names = entries[sections[Section.files]].map { revisions[Int($0.row.revision)].name }
  }

  /// The sections that a state stands in, each once, and whether they are sorted by time.
  ///
  /// Not of `self`: what fills its arrays here would copy them at each entry.
  private static func forEachSection(
    of state: Revision, in catalog: Catalog, reordered: [QuerySpec], _ body: (Int, Bool) -> Void
  ) {
    let firstReordered = Section.count + 2 * catalog.objects.count
    for (place, spec) in reordered.enumerated() where matches(state, spec, in: catalog) {
      body(firstReordered + place, isByTime(spec))
    }
    switch EntityKind(rawValue: catalog.objects[Int(state.object)].type.rawValue) {
    case .file:
      body(Section.recents, true)
      if state.isMedia { body(Section.media, true) }
      body(Section.files, false)
      if state.parent != Revision.noObject { body(directory(Int(state.parent)), false) }
      let labels = catalog.labels(of: state)
      for index in labels.indices where !labels[..<index].contains(labels[index]) {
        body(label(Int(labels[index])), false)
      }
    case .directory:
      if state.parent != Revision.noObject { body(directory(Int(state.parent)), false) }
    case .album: body(Section.albums, false)
    case .tag: body(Section.tags, false)
    case .location, nil: break
    }
  }

  private static func directory(_ object: Int) -> Int { Section.count + 2 * object }

  private static func label(_ object: Int) -> Int { Section.count + 2 * object + 1 }

  var sectionCount: Int { sections.count }

  /// The section of what a query lists; `nil` where it names no object.
  func section(of spec: QuerySpec) -> Int? {
    if spec.order != nil, let place = placeOfReordered[spec] { return firstReordered + place }
    return switch spec.kind {
    case .recents: Section.recents
    case .media: Section.media
    case .search: Section.files
    case .albumList: Section.albums
    case .tagList: Section.tags
    case .directory: spec.subject < UInt64(ranks.count) ? Self.directory(Int(spec.subject)) : nil
    case .album, .tag: spec.subject < UInt64(ranks.count) ? Self.label(Int(spec.subject)) : nil
    }
  }

  /// The entries that a query lists where they are current, its limit aside.
  func range(of spec: QuerySpec, inSection section: Int) -> Range<Int> {
    let range = sections[section]
    guard spec.kind == .search, section < firstReordered else { return range }
    let shift = UInt64(5 * (12 - min(Int(spec.prefixLength), 12)))
    let prefix = spec.subject >> shift
    let first = firstName { $0 >> shift >= prefix }
    let end = firstName { $0 >> shift > prefix }
    return range.lowerBound + first..<range.lowerBound + end
  }

  /// The first name for which a condition holds that holds for all after it; by bisection.
  private func firstName(where holds: (UInt64) -> Bool) -> Int {
    var low = 0
    var high = names.count
    while low < high {
      let middle = (low + high) / 2
      if holds(names[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }

  /// Whether a query lists an object in this state, its limit aside.
  static func matches(_ state: Revision, _ spec: QuerySpec, in catalog: Catalog) -> Bool {
    let type = catalog.objects[Int(state.object)].type
    let isFile = type == EntityKind.file.resourceType
    switch spec.kind {
    case .directory:
      let isListed = isFile || type == EntityKind.directory.resourceType
      return isListed && UInt64(state.parent) == spec.subject
        && state.parent != Revision.noObject
    case .recents: return isFile
    case .media: return isFile && state.isMedia
    case .album, .tag:
      return isFile && catalog.labels(of: state).contains { UInt64($0) == spec.subject }
    case .albumList: return type == EntityKind.album.resourceType
    case .tagList: return type == EntityKind.tag.resourceType
    case .search:
      let shift = UInt64(5 * (12 - min(Int(spec.prefixLength), 12)))
      return isFile && state.name >> shift == spec.subject >> shift
    }
  }

  /// Whether a query lists the latest first; else by name.
  static func isByTime(_ spec: QuerySpec) -> Bool {
    switch spec.order {
    case .name: false
    case .modifiedDescending: true
    case .asShown, nil: spec.kind == .recents || spec.kind == .media
    }
  }

  /// The places of a state.
  func forEachPlace(of revision: UInt32, _ body: (Place) -> Void) {
    for index in firstPlace[Int(revision)]..<firstPlace[Int(revision) + 1] { body(places[index]) }
  }
}

/// What a query sorts by: ascending numbers, ties by rank.
struct SortKey: Comparable, BitwiseCopyable {
  var primary: UInt64
  var rank: UInt32
  var revision: UInt32

  static func byName(_ state: Revision, _ revision: UInt32, _ ranks: [UInt32]) -> SortKey {
    SortKey(primary: state.name, rank: ranks[Int(state.object)], revision: revision)
  }

  /// Latest first.
  static func byTime(_ state: Revision, _ revision: UInt32, _ ranks: [UInt32]) -> SortKey {
    SortKey(
      primary: ~(UInt64(bitPattern: state.modified) ^ (1 << 63)),
      rank: ranks[Int(state.object)], revision: revision)
  }

  static func < (lhs: SortKey, rhs: SortKey) -> Bool {
    lhs.primary != rhs.primary ? lhs.primary < rhs.primary : lhs.rank < rhs.rank
  }
}
