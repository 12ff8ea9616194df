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
  var current: [UInt32]
  /// When each state was committed, and when the next one (or its deletion) was.
  private(set) var committedAt: [Int64]
  private(set) var supersededAt: [Int64]
  /// The state of the same object before each state; `noRevision` for its first.
  private(set) var predecessor: [UInt32]
  /// The state after each; `noRevision` where it is current, was deleted, or never was.
  ///
  /// Empty where no query shows summaries.
  private(set) var successor: [UInt32]

  /// The commits, in order: the workload's, or, where the client writes, those that happened so far.
  var mutations: [Mutation]
  /// Their items.
  var items: [MutationItem]
  /// How many mutations have been applied.
  var applied = 0
  /// What each applied item replaced, in the order of `items`.
  var replaced: [UInt32]
  /// What the client's own writes came to; `nil` where users only read.
  let writing: ServerWriting?
  /// Where the stream stood before the first mutation.
  let start: StreamPosition
  private var announced: StreamPosition

  let history: SectionHistory
  /// What is seen of states in lists of summaries.
  let seen: SeenStates
  /// Which entries of `order` are states that objects are in, as far as their sections are followed.
  private(set) var isCurrent: EntryBits
  /// How far the history of each section of `order` has been followed: an index of its changes; where
  /// the client writes, how often it has changed.
  private(set) var followed: [Int]

  /// The section of each query; `nil` for one that names no object.
  let sections: [Int?]
  var answers: [Answer]
  /// Marks objects that were seen in the current pass.
  var stamps: [UInt32]
  var stamp: UInt32 = 0

  static let noRevision = UInt32.max

  /// - Parameters:
  ///   - workload: What happens to the truth, and when.
  ///   - order: The order of the workload's states.
  ///   - history: What changes in the sections of the order; made where it is not at hand.
  ///   - seen: What is seen of states in lists of summaries; made where it is not at hand.
  ///   - client: Whose server it is, where users write: its own writes happen when they arrive.
  init(
    _ workload: Workload, order: StateOrder, history: SectionHistory? = nil,
    seen: SeenStates? = nil, client: Int = 0
  ) {
    self.workload = workload
    let history = history ?? SectionHistory(of: workload, order: order)
    self.history = history
    let seen = seen ?? SeenStates(of: workload)
    self.seen = seen
    sections = workload.queries.map { order.section(of: $0) }
    catalog = workload.catalog
    self.order = order
    current = [UInt32](repeating: Self.noRevision, count: catalog.objects.count)
    committedAt = [Int64](repeating: 0, count: catalog.revisions.count)
    supersededAt = [Int64](repeating: .max, count: catalog.revisions.count)
    predecessor = [UInt32](repeating: Self.noRevision, count: catalog.revisions.count)
    successor = [UInt32](
      repeating: Self.noRevision, count: seen.isEmpty ? 0 : catalog.revisions.count)
    let isWritten = !workload.writes.isEmpty
    mutations = isWritten ? [] : workload.mutations
    items = isWritten ? [] : workload.items
    replaced = [UInt32](repeating: Self.noRevision, count: items.count)
    writing = isWritten ? ServerWriting(workload, client: client) : nil
    isCurrent = EntryBits(count: order.entries.count)
    followed = Array(history.starts.dropLast())
    stamps = [UInt32](repeating: 0, count: catalog.objects.count)
    answers = [Answer](repeating: Answer(), count: workload.queries.count)
    if let first = workload.mutations.first(where: \.isPlaced)?.position {
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
    if let writing { return position(at: writing.now) }
    let last = applied == 0 ? start : max(start, mutations[applied - 1].position)
    return last.epoch < announced.epoch ? announced : last
  }

  /// Learns from a heartbeat on its way that an epoch began with no commit yet.
  mutating func note(announced position: StreamPosition) {
    if position.epoch > self.position.epoch { announced = position }
  }

  /// When the next mutation commits; `Int64.max` after the last.
  var nextCommit: Int64 {
    applied < mutations.count ? mutations[applied].at.nanoseconds : .max
  }

  /// When the last mutation of the workload commits, in nanoseconds.
  var lastCommit: Int64 { workload.mutations.last?.at.nanoseconds ?? 0 }

  /// Commits the mutations up to and including an instant.
  mutating func advance(to now: Instant) {
    if writing != nil { return advanceBesideWrites(to: now) }
    while nextCommit <= now.nanoseconds {
      let at = mutations[applied].at.nanoseconds
      let range = mutations[applied].items
      applied += 1
      for index in range {
        let item = items[index]
        replaced[index] = current[Int(item.object)]
        let isDeletion = item.revision == MutationItem.deleted
        apply(isDeletion ? Self.noRevision : item.revision, to: item.object, at: at)
      }
    }
  }

  /// Gives an object another state, or none.
  mutating func apply(_ new: UInt32, to object: UInt32, at time: Int64) {
    let former = current[Int(object)]
    guard former != new else { return }
    current[Int(object)] = new
    if former != Self.noRevision {
      supersededAt[Int(former)] = time
      if !seen.isEmpty { successor[Int(former)] = new }
    }
    if new != Self.noRevision {
      committedAt[Int(new)] = time
      predecessor[Int(new)] = former
    }
    if writing != nil { exchange(former, for: new) }
  }

  /// A state stands in its lists in another's place; either may be none.
  mutating func exchange(_ former: UInt32, for new: UInt32) {
    for (revision, isSet) in [(former, false), (new, true)] where revision != Self.noRevision {
      order.forEachPlace(of: revision) { place in
        isCurrent.set(Int(place.entry), to: isSet)
        followed[Int(place.section)] += 1
      }
    }
  }

  /// Brings a section up to date.
  ///
  /// Amortised O(1) for each of its changes.
  mutating func follow(_ section: Int) {
    guard writing == nil else { return }
    let end = history.starts[section + 1]
    var next = followed[section]
    while next < end, case let change = history.changes[next], change.applied <= applied {
      isCurrent.set(Int(change.entry), to: change.isCurrent)
      next += 1
    }
    followed[section] = next
  }
}
