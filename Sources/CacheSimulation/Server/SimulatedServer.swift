import CacheModel
import Workloads

/// The ground truth: the state of every object, and what each query would list, at one instant.
///
/// It applies the workload's mutations in the order of their commits and answers queries from lists
/// of all states that ever exist, sorted beforehand: those that are current, up to the limit.
/// Deliberately it shares no code with the cache, and knows none of its policies.
struct SimulatedServer: ~Copyable {
  let workload: Workload
  let catalog: Catalog
  let order: StateOrder

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
  /// Where the stream stood before the first mutation.
  private let start: StreamPosition
  private var announced: StreamPosition

  /// Which entries of `order` are states that objects are in now.
  private(set) var isCurrent: EntryBits
  /// How often each section of `order` has changed.
  private(set) var changes: [Int]

  var answers: [Answer]
  /// Marks objects that were seen in the current pass.
  var stamps: [UInt32]
  var stamp: UInt32 = 0

  static let noRevision = UInt32.max

  /// - Parameters:
  ///   - workload: What happens to the truth, and when.
  ///   - order: The order of the workload's states.
  init(_ workload: Workload, order: StateOrder) {
    self.workload = workload
    catalog = workload.catalog
    self.order = order
    current = [UInt32](repeating: Self.noRevision, count: catalog.objects.count)
    committedAt = [Int64](repeating: 0, count: catalog.revisions.count)
    supersededAt = [Int64](repeating: .max, count: catalog.revisions.count)
    predecessor = [UInt32](repeating: Self.noRevision, count: catalog.revisions.count)
    replaced = [UInt32](repeating: Self.noRevision, count: workload.items.count)
    isCurrent = EntryBits(count: order.entries.count)
    changes = [Int](repeating: 0, count: order.sectionCount)
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
    list(former, isCurrent: false)
    list(new, isCurrent: true)
  }

  private mutating func list(_ revision: UInt32, isCurrent: Bool) {
    guard revision != Self.noRevision else { return }
    order.forEachPlace(of: revision) { place in
      self.isCurrent.set(Int(place.entry), to: isCurrent)
      changes[Int(place.section)] += 1
    }
  }

  /// Whether an object in this state stands in a query's result, its limit aside.
  func matches(_ revision: UInt32, _ spec: QuerySpec) -> Bool {
    StateOrder.matches(catalog.revisions[Int(revision)], spec, in: catalog)
  }

  /// What a query sorts by.
  func sortKey(_ revision: UInt32, _ spec: QuerySpec) -> SortKey {
    let state = catalog.revisions[Int(revision)]
    return StateOrder.isByTime(spec)
      ? .byTime(state, revision, order.ranks) : .byName(state, revision, order.ranks)
  }
}
