import CacheModel
import Workloads

/// The ground truth: the state of every object, and what each query would list, at one instant.
///
/// It applies the workload's mutations in the order of their commits and answers queries by filter,
/// sort and limit. Deliberately it shares no code with the cache, and knows none of its policies.
struct SimulatedServer: ~Copyable {
  let workload: Workload
  let catalog: Catalog
  /// The place of each object in the order of keys, which breaks ties.
  let ranks: [UInt32]
  /// The name of each revision.
  let names: [UInt64]

  /// The state of each object; `noRevision` where it does not exist.
  private(set) var current: [UInt32]
  /// When each state was committed, and when the next one (or its deletion) was.
  private(set) var committedAt: [Int64]
  private(set) var supersededAt: [Int64]
  /// The state of the same object before each state; `noRevision` for its first.
  private(set) var predecessor: [UInt32]

  /// How many mutations have been applied.
  private(set) var applied = 0
  /// What each applied item replaced, in the order of `Workload.items`.
  private(set) var replaced: [UInt32]
  /// Files that changed, in order: former and new state.
  var fileChanges: [(former: UInt32, new: UInt32)] = []
  /// Where the stream stood before the first mutation.
  private let start: StreamPosition
  private var announced: StreamPosition

  /// Objects that may be listed, by directory or label; some may have left again.
  var candidates: [UInt32: [UInt32]] = [:]
  var files: [UInt32] = []
  /// Whether a file came or went since `files` was last put in order.
  var filesChanged = true
  var albums: [UInt32] = []
  var tags: [UInt32] = []
  /// The number of the last mutation that touched what a directory or label holds.
  private var touched: [Int]
  private var listsTouched = 0

  var answers: [Answer]
  /// Marks objects that were seen in the current pass.
  var stamps: [UInt32]
  var stamp: UInt32 = 0

  static let noRevision = UInt32.max

  /// - Parameters:
  ///   - workload: What happens to the truth, and when.
  ///   - ranks: The place of each object in the order of keys.
  ///   - names: The name of each revision.
  init(_ workload: Workload, ranks: [UInt32], names: [UInt64]) {
    self.names = names
    self.workload = workload
    catalog = workload.catalog
    self.ranks = ranks
    current = [UInt32](repeating: Self.noRevision, count: catalog.objects.count)
    committedAt = [Int64](repeating: 0, count: catalog.revisions.count)
    supersededAt = [Int64](repeating: .max, count: catalog.revisions.count)
    predecessor = [UInt32](repeating: Self.noRevision, count: catalog.revisions.count)
    replaced = [UInt32](repeating: Self.noRevision, count: workload.items.count)
    touched = [Int](repeating: 0, count: catalog.objects.count)
    stamps = [UInt32](repeating: 0, count: catalog.objects.count)
    answers = [Answer](repeating: Answer(), count: workload.queries.count)
    if let first = workload.mutations.first?.position {
      start = StreamPosition(epoch: first.epoch, sequence: first.sequence &- 1)
    } else {
      start = StreamPosition(epoch: 1, sequence: 0)
    }
    announced = start
    for index in 0..<catalog.initialCount {
      apply(UInt32(index), to: catalog.revisions[index].object, at: 0)
    }
    fileChanges.removeAll()
  }

  /// Where the stream stands: at the last commit, or at the beginning of a later epoch.
  var position: StreamPosition {
    let last = applied == 0 ? start : workload.mutations[applied - 1].position
    return last.epoch < announced.epoch ? announced : last
  }

  /// Learns from a heartbeat on its way that an epoch began with no commit yet.
  mutating func note(announced position: StreamPosition) {
    if position.epoch > self.position.epoch { announced = position }
  }

  /// When the next mutation commits; `Int64.max` after the last.
  var nextCommit: Int64 {
    applied < workload.mutations.count ? workload.mutations[applied].at.nanoseconds : .max
  }

  /// When the last mutation of the workload commits, in nanoseconds.
  var lastCommit: Int64 { workload.mutations.last?.at.nanoseconds ?? 0 }

  /// Commits the mutations up to and including an instant.
  mutating func advance(to now: Instant) {
    while nextCommit <= now.nanoseconds {
      let mutation = workload.mutations[applied]
      applied += 1
      for index in mutation.items {
        let item = workload.items[index]
        replaced[index] = current[Int(item.object)]
        let isDeletion = item.revision == MutationItem.deleted
        apply(
          isDeletion ? Self.noRevision : item.revision, to: item.object,
          at: mutation.at.nanoseconds)
      }
    }
  }

  /// Gives an object another state, or none.
  mutating func apply(_ new: UInt32, to object: UInt32, at time: Int64) {
    let former = current[Int(object)]
    guard former != new else { return }
    current[Int(object)] = new
    if former != Self.noRevision { supersededAt[Int(former)] = time }
    if new != Self.noRevision {
      committedAt[Int(new)] = time
      predecessor[Int(new)] = former
    }
    let type = EntityKind(rawValue: catalog.objects[Int(object)].type.rawValue)
    switch type {
    case .file:
      touch(former)
      touch(new)
      fileChanges.append((former, new))
      if former == Self.noRevision { files.append(object) }
      if former == Self.noRevision || new == Self.noRevision { filesChanged = true }
      enter(object, former: former, new: new)
    case .directory:
      touch(former)
      touch(new)
      enter(object, former: former, new: new)
    case .album:
      listsTouched = applied
      if former == Self.noRevision { albums.append(object) }
    case .tag:
      listsTouched = applied
      if former == Self.noRevision { tags.append(object) }
    case .location, nil: break
    }
  }

  private mutating func touch(_ revision: UInt32) {
    guard revision != Self.noRevision else { return }
    let state = catalog.revisions[Int(revision)]
    if state.parent != Revision.noObject { touched[Int(state.parent)] = applied }
    for label in catalog.labels(of: state) { touched[Int(label)] = applied }
  }

  /// Makes an object a candidate of the directory and labels that it did not have before.
  private mutating func enter(_ object: UInt32, former: UInt32, new: UInt32) {
    guard new != Self.noRevision else { return }
    let state = catalog.revisions[Int(new)]
    let before = former == Self.noRevision ? nil : catalog.revisions[Int(former)]
    if state.parent != Revision.noObject, before?.parent != state.parent {
      candidates[state.parent, default: []].append(object)
    }
    for label in catalog.labels(of: state) {
      if let before, catalog.labels(of: before).contains(label) { continue }
      candidates[label, default: []].append(object)
    }
  }

  /// The number of the last mutation that may have changed what a narrow query lists.
  func lastTouch(of spec: QuerySpec) -> Int {
    switch spec.kind {
    case .directory, .album, .tag:
      spec.subject < UInt64(touched.count) ? touched[Int(spec.subject)] : 0
    case .albumList, .tagList: listsTouched
    case .recents, .media, .search: 0
    }
  }

  /// Whether an object in this state stands in a query's result, its limit aside.
  func matches(_ revision: UInt32, _ spec: QuerySpec) -> Bool {
    let state = catalog.revisions[Int(revision)]
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

  /// What a query sorts by: ascending numbers, ties by rank.
  func sortKey(_ revision: UInt32, _ kind: QueryKind) -> SortKey {
    let state = catalog.revisions[Int(revision)]
    let primary: UInt64 =
      switch kind {
      case .recents, .media: ~(UInt64(bitPattern: state.modified) ^ (1 << 63))
      case .directory, .album, .tag, .albumList, .tagList, .search: state.name
      }
    return SortKey(primary: primary, rank: ranks[Int(state.object)], revision: revision)
  }

  struct SortKey: Comparable, BitwiseCopyable {
    var primary: UInt64
    var rank: UInt32
    var revision: UInt32

    static func < (lhs: SortKey, rhs: SortKey) -> Bool {
      lhs.primary != rhs.primary ? lhs.primary < rhs.primary : lhs.rank < rhs.rank
    }
  }
}
