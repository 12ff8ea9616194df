import CacheModel
import Workloads

/// The ground truth: the state of every object, and the rows of each query, at one instant.
///
/// It applies the workload's mutations in the order of their commits and answers queries from presorted lists
/// of all states that ever exist: the current ones, up to the limit. It deliberately shares no code with the
/// cache, and knows none of its policies.
struct SimulatedServer: ~Copyable {
  let workload: Workload
  let catalog: Catalog
  let order: StateOrder

  /// The state of each object; `noRevision` if it does not exist.
  var current: [UInt32]
  /// When each state was committed, and when the next one (or the deletion) was.
  private(set) var committedAt: [Int64]
  private(set) var supersededAt: [Int64]
  /// The previous state of the same object; `noRevision` for its first.
  private(set) var predecessor: [UInt32]
  /// The next state; `noRevision` if it is current, was deleted, or never existed.
  ///
  /// Empty if no query shows summaries.
  private(set) var successor: [UInt32]

  /// The commits in order: the workload's, or if the client writes, those so far.
  var mutations: [Mutation]
  var items: [MutationItem]
  var applied = 0
  /// The state that each applied item replaced, in the order of `items`.
  var replaced: [UInt32]
  /// The results of the client's own writes; `nil` if users only read.
  let writing: ServerWriting?
  /// The stream's position before the first mutation.
  let start: StreamPosition
  /// Whether any event contains only changed fields.
  let hasChanges: Bool
  private var announced: StreamPosition

  let history: SectionHistory
  /// The appearance of states in lists of summaries.
  let seen: SeenStates
  /// Which entries of `order` are current, as far as their sections are up to date.
  private(set) var isCurrent: EntryBits
  /// How far the history of each section of `order` has been followed: an index of its changes; where
  /// the client writes, how often it has changed since it was first asked for.
  private(set) var followed: [Int]

  /// The section of each query; `nil` for one without an existing subject.
  let sections: [Int?]
  var answers: [Answer]
  /// Marks the objects visited in the current pass.
  var stamps: [UInt32]
  var stamp: UInt32 = 0

  static let noRevision = UInt32.max
  /// Stands for a section that nobody has asked for, where the client writes.
  private static let unasked = -1

  /// - Parameters:
  ///   - workload: the changes of the ground truth, and their times.
  ///   - order: the order of the workload's states.
  ///   - history: the changes of the order's sections; computed if not given.
  ///   - seen: the appearance of states in lists of summaries; computed if not given.
  ///   - client: the client of this server, if users write: its own writes commit on arrival.
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

  /// Notes an epoch without a commit yet, which a heartbeat announces.
  mutating func note(announced position: StreamPosition) {
    if position.epoch > self.position.epoch { announced = position }
  }

  /// The time of the next commit; `Int64.max` after the last.
  var nextCommit: Int64 {
    applied < mutations.count ? mutations[applied].at.nanoseconds : .max
  }

  /// The time of the workload's last commit, in nanoseconds.
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

  /// Replaces a state in its lists by another; either may be none.
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

/// The server's answer to a query, kept until a commit touches it.
struct Answer: Sendable {
  var rows: [Handle] = []
  /// Whether more objects match than the limit allows.
  var hasMore = false
  /// The bytes of the rows as compact JSON.
  var bytes = 0
  /// How far the history of its section had been applied; `nil` if it was never computed.
  var followed: Int?
  /// A stream position since which the answer has been this one.
  ///
  /// Computed on demand: the true position may be earlier, but not before one at which another answer was
  /// given.
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

  func row(_ revision: UInt32, of query: Int) -> VersionedEntity<Handle> {
    var entity = entity(revision)
    if seen.areSummaries(query) { entity.payload = entity.payload.summary }
    return entity
  }

  /// Returns whether the answer is still the one given at a position.
  mutating func hasAnswer(_ query: Int, since place: StreamPosition) -> Bool {
    let answer = answer(query)
    return answer.followed != nil && answer.since <= place
  }

  /// Sets the answer from an app's recording.
  ///
  /// It counts as complete, even if it is as long as its limit: until the next recorded read it is unknown
  /// what would move into a window, and a cache that fetched it would get the same again.
  mutating func record(_ rows: [Handle], of query: Int) {
    answers[query].rows = rows
    answers[query].bytes = rows.reduce(0) { bytes, row in
      bytes
        + (seen.areSummaries(query)
          ? seen.bytes(ofSummary: row.revision) : Int(catalog.revisions[Int(row.revision)].bytes))
    }
  }

  /// Returns the last recorded result, with the states known by now.
  ///
  /// A list with a declared order is left unchanged: in other states its rows may have other positions.
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

  /// Computes a query's current entries, in order, up to the limit.
  private mutating func compute(_ query: Int, _ spec: QuerySpec, section: Int) {
    let limit = Int(spec.limit)
    // Kept only if needed, so that otherwise its rows are overwritten in place.
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

  /// Returns the first entry in a range whose bit is set.
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
