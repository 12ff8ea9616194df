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
  /// The results of the client's own writes; `nil` if users only read.
  let writing: ServerWriting?
  /// The stream's position before the first mutation.
  let start: StreamPosition
  /// Whether any event carries changed fields alone.
  let hasChanges: Bool
  private var announced: StreamPosition

  let history: SectionHistory
  /// What is seen of states in lists of summaries.
  let seen: SeenStates
  /// Which entries of `order` are states that objects are in, as far as their sections are followed.
  private(set) var isCurrent: EntryBits
  /// How far the history of each section of `order` has been followed: an index of its changes; where
  /// the client writes, how often it has changed since it was first asked for.
  private(set) var followed: [Int]

  /// The section of each query; `nil` for one that names no object.
  let sections: [Int?]
  var answers: [Answer]
  /// Marks objects that were seen in the current pass.
  var stamps: [UInt32]
  var stamp: UInt32 = 0

  static let noRevision = UInt32.max
  /// Stands for a section that nobody has asked for, where the client writes.
  private static let unasked = -1

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
    if isWritten {
      mutations.reserveCapacity(workload.mutations.count)
      items.reserveCapacity(workload.items.count)
      replaced.reserveCapacity(workload.items.count)
    }
    writing = isWritten ? ServerWriting(workload, client: client) : nil
    isCurrent = EntryBits(count: order.entries.count)
    followed =
      isWritten
      ? [Int](repeating: Self.unasked, count: order.sectionCount)
      : Array(history.starts.dropLast())
    stamps = [UInt32](repeating: 0, count: catalog.objects.count)
    answers = [Answer](repeating: Answer(), count: workload.queries.count)
    if let first = workload.mutations.first(where: \.isPlaced)?.position {
      start = StreamPosition(epoch: first.epoch, sequence: first.sequence &- 1)
    } else {
      start = StreamPosition(epoch: 1, sequence: 0)
    }
    announced = start
    hasChanges = workload.mutations.contains { $0.carries == .changes }
    for index in 0..<catalog.initialCount {
      apply(UInt32(index), to: catalog.revisions[index].object, at: 0)
    }
  }

  /// The stream's position: of the last commit, or the beginning of a later epoch.
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

  /// A state replaces another in its lists; either may be none.
  mutating func exchange(_ former: UInt32, for new: UInt32) {
    if former != Self.noRevision { setCurrent(former, to: false) }
    if new != Self.noRevision { setCurrent(new, to: true) }
  }

  private mutating func setCurrent(_ revision: UInt32, to isSet: Bool) {
    order.forEachPlace(of: revision) { place in
      guard followed[Int(place.section)] != Self.unasked else { return }
      isCurrent.set(Int(place.entry), to: isSet)
      followed[Int(place.section)] += 1
    }
  }

  /// Brings a section up to date.
  ///
  /// Amortised O(1) for each of its changes.
  mutating func follow(_ section: Int) {
    guard writing == nil else { return beginToFollow(section) }
    let end = history.starts[section + 1]
    var next = followed[section]
    while next < end, case let change = history.changes[next], change.applied <= applied {
      isCurrent.set(Int(change.entry), to: change.isCurrent)
      next += 1
    }
    followed[section] = next
  }

  /// Looks which entries of a section are current, where that was not asked yet; O(entries).
  private mutating func beginToFollow(_ section: Int) {
    guard followed[section] == Self.unasked else { return }
    for entry in order.entries(ofSection: section) {
      let row = order.entries[entry].row
      isCurrent.set(entry, to: current[Int(row.object)] == row.revision)
    }
    followed[section] = 0
  }
}

/// What the server would answer to a query, kept until a commit touches it.
struct Answer: Sendable {
  var rows: [Handle] = []
  /// Whether more objects match than the limit lets through.
  var hasMore = false
  /// The bytes of the rows as compact JSON.
  var bytes = 0
  /// How far the history of its section had been followed; `nil` if it was never computed.
  var followed: Int?
  /// A place in the stream since which the answer has been this one.
  ///
  /// Found when it is asked for: the true place may be earlier, but not beyond one at which another
  /// answer was given.
  var since = StreamPosition(epoch: 0, sequence: 0)
}

extension SimulatedServer {
  /// Brings the answer of a query up to date, and returns it.
  mutating func answer(_ query: Int) -> Answer {
    if workload.truth == .observed { return recordedAnswer(query) }
    guard let section = sections[query] else { return Answer() }
    follow(section)
    if answers[query].followed != followed[section] {
      compute(query, workload.queries[query], section: section)
    }
    return answers[query]
  }

  /// A state as it is sent in the answer to a query.
  func row(_ revision: UInt32, of query: Int) -> VersionedEntity<Handle> {
    var entity = entity(revision)
    if seen.areSummaries(query) { entity.payload = entity.payload.summary }
    return entity
  }

  /// Whether the answer is still the one that was given at a place.
  mutating func hasAnswer(_ query: Int, since place: StreamPosition) -> Bool {
    let answer = answer(query)
    return answer.followed != nil && answer.since <= place
  }

  /// Takes what an app recorded for an answer of the server.
  ///
  /// It counts as whole, even where it is as long as its limit: until the next read is recorded it is
  /// not known what would move into a window, and a cache that asked for it would get the same again.
  mutating func record(_ rows: [Handle], of query: Int) {
    answers[query].rows = rows
    answers[query].bytes = rows.reduce(0) { bytes, row in
      bytes
        + (seen.areSummaries(query)
          ? seen.bytes(ofSummary: row.revision) : Int(catalog.revisions[Int(row.revision)].bytes))
    }
  }

  /// The last recorded result, with the states that are known by now.
  ///
  /// A list with a declared order is left as it was: in other states its rows may be elsewhere.
  private mutating func recordedAnswer(_ query: Int) -> Answer {
    let rows = answers[query].rows
    let shape = workload.model.shapes[Int(workload.queries[query].kind.rawValue) - 1]
    guard shape.isAsShown else { return answers[query] }
    let later = rows.map { row in
      let now = current[Int(row.object)]
      guard now != Self.noRevision, now != row.revision,
        catalog.revisions[Int(row.revision)].version < catalog.revisions[Int(now)].version
      else { return row }
      return Handle(object: row.object, revision: now)
    }
    if later != rows { record(later, of: query) }
    return answers[query]
  }

  /// Lists what is current of a query's entries, in their order, up to the limit.
  private mutating func compute(_ query: Int, _ spec: QuerySpec, section: Int) {
    let limit = Int(spec.limit)
    // Kept only where it is asked for, so that elsewhere its rows are overwritten in place.
    let former = workload.saysNotModified ? answers[query] : Answer()
    var rows: [Handle] = []
    swap(&rows, &answers[query].rows)
    rows.removeAll(keepingCapacity: true)
    var bytes = 0
    var hasMore = false
    let areSummaries = seen.areSummaries(query)
    let range = order.range(of: spec, inSection: section)
    var next = isCurrent.next(from: range.lowerBound, below: range.upperBound)
    while let entry = next {
      guard rows.count < limit else {
        hasMore = true
        break
      }
      let row = order.entries[entry].row
      rows.append(row)
      let whole = order.entries[entry].bytes
      bytes += areSummaries ? seen.bytes(ofSummary: row.revision) : Int(whole)
      next = isCurrent.next(from: entry + 1, below: range.upperBound)
    }
    let isSame = former.followed != nil && former.hasMore == hasMore && former.rows == rows
    answers[query] = Answer(
      rows: rows, hasMore: hasMore, bytes: bytes, followed: followed[section],
      since: isSame ? former.since : position)
  }
}

/// One bit for each entry of a ``StateOrder``.
struct EntryBits: Sendable {
  private var words: [UInt64]

  init(count: Int) {
    words = [UInt64](repeating: 0, count: (count + 63) / 64)
  }

  mutating func set(_ entry: Int, to isSet: Bool) {
    let bit: UInt64 = 1 << UInt64(entry & 63)
    if isSet { words[entry >> 6] |= bit } else { words[entry >> 6] &= ~bit }
  }

  /// The first entry at or after one, and before another, whose bit is set.
  func next(from first: Int, below end: Int) -> Int? {
    guard first < end else { return nil }
    var index = first >> 6
    var word = words[index] & (.max << UInt64(first & 63))
    while word == 0 {
      index += 1
      guard index << 6 < end else { return nil }
      word = words[index]
    }
    let entry = index << 6 + word.trailingZeroBitCount
    return entry < end ? entry : nil
  }
}
