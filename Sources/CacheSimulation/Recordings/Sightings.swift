import CacheModel
import RecordingCodec
import Workloads

/// The server's states and lists that an app's recording shows, with the times of their sightings.
///
/// An answer shows the server's state at some time between the request and the answer; an event, at some time
/// before its arrival. Between the last sighting of a state and the first of a later one of its object,
/// either may have been current, and after the last sighting of all nothing is known. So a hit is known to be
/// fresh, known to be stale, or unknown, whatever the server did in between; only a list that is the same at
/// two sightings is assumed unchanged between them. A numbered stream of events proves more: see
/// ``RecordedStream``.
struct Sightings: Sendable {
  /// The sightings of whole states, and of their summaries in lists.
  private let wholes: StateTimes
  private let summaries: StateTimes
  /// The lists of each query, in order of time.
  private let lists: [[ListTimes]]
  /// The times of the app's requests, by query and by object, in order.
  private let asked: [[Int64]]
  private let opened: [[Int64]]
  /// By query, the types that it lists.
  private let listed: [[Int]]
  private let seen: SeenStates

  private struct ListTimes: Sendable {
    var objects: [UInt32]
    /// The time of its first request; it began before ``known``.
    var first: Int64
    /// The time of its first answer.
    var known: Int64
    /// The time of its last request; it did not end before.
    var last: Int64
  }

  /// O(sightings · log sightings).
  init(of workload: Workload, seen: SeenStates) {
    self.seen = seen
    var wholes = StateTimes(workload.catalog)
    var summaries = wholes
    func note(_ state: UInt32, asked: Int64, at time: Int64, isWhole: Bool) {
      summaries.note(state, asked: asked, at: time)
      if isWhole { wholes.note(state, asked: asked, at: time) }
    }
    for state in 0..<workload.catalog.initialCount {
      note(UInt32(state), asked: 0, at: 0, isWhole: true)
    }
    let stream = RecordedStream(of: workload)
    for mutation in workload.mutations {
      // It may have ended before the event arrived.
      let since = mutation.since?.nanoseconds ?? .min
      let place = mutation.isPlaced && mutation.carries == .whole ? mutation.position : nil
      for item in workload.items[mutation.items] where item.revision != MutationItem.deleted {
        let unchanged = stream.unchanged(object: item.object, since: place)
        note(
          item.revision, asked: max(since, unchanged), at: mutation.at.nanoseconds, isWhole: true)
      }
    }
    listed = workload.queries.map { workload.model.shape(of: $0.kind)?.types ?? [] }
    var shown = [[ListTimes]](repeating: [], count: workload.queries.count)
    var opened = [[Int64]](repeating: [], count: workload.catalog.objects.count)
    for answer in ServerAnswer.all(of: workload) {
      let (asked, at) = (answer.asked.nanoseconds, answer.at.nanoseconds)
      guard case .query(let number) = answer.target else {
        if case .object(let object) = answer.target { opened[Int(object)].append(asked) }
        for state in answer.result {
          let object = workload.catalog.revisions[Int(state)].object
          let last = max(asked, stream.unchanged(object: object, since: answer.place))
          note(state, asked: last, at: at, isWhole: true)
        }
        continue
      }
      let query = Int(number)
      let objects = answer.result.map { workload.catalog.revisions[Int($0)].object }
      for (state, object) in zip(answer.result, objects) {
        let last = max(asked, stream.unchanged(object: object, since: answer.place))
        note(state, asked: last, at: at, isWhole: !seen.areSummaries(query))
      }
      let last = max(asked, stream.unchanged(types: listed[query], since: answer.place))
      shown[query].append(ListTimes(objects: objects, first: asked, known: at, last: last))
    }
    asked = shown.map { $0.map(\.first).sorted() }
    self.opened = opened.map { $0.sorted() }
    lists = shown.map(Self.joined)
    let looks = WholeLooks(of: workload)
    wholes.order(workload) { looks[$0] }
    summaries.order(workload) { seen.look(ofState: $0) }
    self.wholes = wholes
    self.summaries = summaries
  }

  /// Joins consecutive equal lists.
  private static func joined(_ shown: [ListTimes]) -> [ListTimes] {
    var joined: [ListTimes] = []
    let order = shown.indices.sorted { (shown[$0].first, $0) < (shown[$1].first, $1) }
    for one in order.map({ shown[$0] }) {
      if let last = joined.last, last.objects == one.objects {
        joined[joined.count - 1].last = max(last.last, one.last)
        joined[joined.count - 1].known = min(last.known, one.known)
      } else {
        if !joined.isEmpty {
          joined[joined.count - 1].last = min(joined[joined.count - 1].last, one.known)
        }
        joined.append(one)
      }
    }
    return joined
  }

  /// Judges a hit that served these rows.
  ///
  /// O(rows).
  func outcome(
    of rows: [Handle], in query: Int, at now: Int64, _ requests: RequestTimes
  ) -> Outcome {
    let list = listOutcome(
      rows.map(\.object), query, at: now,
      isRecorded: requests.isRecorded(query: query, of: listed[query]))
    let times = seen.areSummaries(query) ? summaries : wholes
    return rows.reduce(list) { known, row in
      known.combined(
        with: times.outcome(
          of: row.revision, at: now, isRecorded: requests.isRecorded(row.object)))
    }
  }

  /// Judges a hit that served one entity.
  func outcome(of row: Handle, at now: Int64, _ requests: RequestTimes) -> Outcome {
    wholes.outcome(of: row.revision, at: now, isRecorded: requests.isRecorded(row.object))
  }

  /// Notes an answer to a cache.
  ///
  /// O(rows + log answers).
  func note(
    _ query: Int, _ objects: some Sequence<UInt32>, asked time: Int64,
    in requests: inout RequestTimes
  ) {
    if Self.contains(asked[query], time) {
      requests.note(query: query, objects, asked: time)
    } else {
      requests.noteDoubt(ofTypes: listed[query], asked: time)
    }
  }

  /// Notes that a cache received one entity.
  func note(_ object: UInt32, asked time: Int64, in requests: inout RequestTimes) {
    if Self.contains(opened[Int(object)], time) {
      requests.note(query: nil, CollectionOfOne(object), asked: time)
    } else {
      requests.noteDoubt(of: object, asked: time)
    }
  }

  private static func contains(_ times: [Int64], _ time: Int64) -> Bool {
    var (low, high) = (0, times.count)
    while low < high {
      let middle = (low + high) / 2
      if times[middle] < time { low = middle + 1 } else { high = middle }
    }
    return low < times.count && times[low] == time
  }

  private func listOutcome(
    _ objects: [UInt32], _ query: Int, at now: Int64, isRecorded: Bool
  ) -> Outcome {
    let lists = lists[query]
    guard let index = Self.index(of: now, in: lists) else { return .hitUnknown }
    let isCertain = now <= lists[index].last
    if lists[index].objects == objects { return isCertain ? .hitFresh : .hitUnknown }
    // A list that the cache has put together itself proves nothing: at which row a window ended is not recorded. And a
    // state requested just now may have begun while the request was in flight.
    let own = lists[..<index].suffix(Self.remembered).lastIndex { $0.objects == objects }
    guard isRecorded, let own, lists[(own + 1)...index].contains(where: { $0.known <= now })
    else { return .hitUnknown }
    let mayBeNext = index + 1 < lists.count && lists[index + 1].objects == objects
    guard isCertain || !mayBeNext else { return .hitUnknown }
    return .hitStale
  }

  /// The number of earlier lists that a hit is compared with; less is known about older ones.
  private static let remembered = 64

  /// Returns the index of the last list up to a time, by bisection.
  private static func index(of now: Int64, in lists: [ListTimes]) -> Int? {
    var low = 0
    var high = lists.count
    while low < high {
      let middle = (low + high) / 2
      if lists[middle].first <= now { low = middle + 1 } else { high = middle }
    }
    return low > 0 ? low - 1 : nil
  }
}

/// When states were seen, and from when on they are known to be outdated.
private struct StateTimes: Sendable {
  private var first: [Int64]
  private var last: [Int64]
  private var outdatedSince: [Int64]
  /// Until when each state is known to be outdated: then its content may have come back.
  private var outdatedUntil: [Int64]
  /// The next later state of the same object that looks alike, after others; ``none``: there is none.
  private var nextAlike: [UInt32]

  private static let none = UInt32.max

  init(_ catalog: Catalog) {
    first = [Int64](repeating: .max, count: catalog.revisions.count)
    last = [Int64](repeating: .min, count: catalog.revisions.count)
    outdatedSince = first
    outdatedUntil = first
    nextAlike = [UInt32](repeating: Self.none, count: catalog.revisions.count)
  }

  /// Notes that it was the truth at some time between two.
  mutating func note(_ state: UInt32, asked: Int64, at time: Int64) {
    first[Int(state)] = min(first[Int(state)], time)
    last[Int(state)] = max(last[Int(state)], asked)
  }

  /// Whether a served state was true; `isRecorded`: whether the cache would hold exactly this.
  func outcome(of state: UInt32, at now: Int64, isRecorded: Bool) -> Outcome {
    if now <= last[Int(state)] { return .hitFresh }
    // The latest state with this content, if it has come back.
    var state = Int(state)
    while nextAlike[state] != Self.none, first[Int(nextAlike[state])] <= now {
      state = Int(nextAlike[state])
      if now <= last[state] { return .hitFresh }
    }
    let isOutdated = outdatedSince[state] <= now && now <= outdatedUntil[state]
    return isRecorded && isOutdated ? .hitStale : .hitUnknown
  }

  private struct Entry {
    var object: UInt32
    var version: Version
    /// `nil` for the end.
    var state: UInt32?
    var look: UInt32
    var first: Int64
  }

  /// Derives the ends of states from later ones, once all are seen; consecutive states that look alike count
  /// as one.
  ///
  /// A state whose content returns is outdated while the next one is known to last.
  mutating func order(_ workload: Workload, look: (UInt32) -> UInt32) {
    let revisions = workload.catalog.revisions
    var entries = revisions.indices.map { index in
      let state = UInt32(truncatingIfNeeded: index)
      return Entry(
        object: revisions[index].object, version: revisions[index].version, state: state,
        look: look(state), first: first[index])
    }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] where item.revision == MutationItem.deleted {
        entries.append(
          Entry(
            object: item.object, version: mutation.version, state: nil, look: .max,
            first: mutation.at.nanoseconds))
      }
    }
    let order = entries.indices.sorted { left, right in
      let (one, other) = (entries[left], entries[right])
      if one.object != other.object { return one.object < other.object }
      return one.version != other.version ? one.version < other.version : left < right
    }
    var next: Entry?
    // The first sighting of a later state of the same object.
    var seenLater = Int64.max
    // By content, the next later state with it, and the last sighting of the state before that; looked up, never
    // iterated.
    var alike: [UInt32: (state: UInt32, lastBefore: Int64)] = [:]
    for index in order.reversed() {
      let entry = entries[index]
      if next?.object != entry.object { (next, seenLater, alike) = (nil, .max, [:]) }
      if let next, let state = entry.state {
        if last[Int(state)] >= seenLater {
          // It came back: when it was the truth is not known.
          last[Int(state)] = .min
        } else if next.look == entry.look, let following = next.state {
          last[Int(state)] = max(last[Int(state)], last[Int(following)])
          outdatedSince[Int(state)] = outdatedSince[Int(following)]
          outdatedUntil[Int(state)] = outdatedUntil[Int(following)]
          nextAlike[Int(state)] = nextAlike[Int(following)]
        } else if let later = alike[entry.look] {
          nextAlike[Int(state)] = later.state
          outdatedSince[Int(state)] = next.first
          outdatedUntil[Int(state)] = later.lastBefore
        } else {
          outdatedSince[Int(state)] = seenLater
        }
      }
      if let next, next.look != entry.look {
        alike[next.look]?.lastBefore = entry.state.map { last[Int($0)] } ?? .min
      }
      if let state = entry.state { alike[entry.look] = (state, .min) }
      next = entry
      seenLater = min(seenLater, entry.first)
    }
  }
}

/// For each state, the first state of its object with equal fields, if the fields tell states apart.
///
/// A log need not have the fields of an entity. If two consecutive states of any entity of a type are recorded with
/// equal ones, they say nothing for that type, and each state is another.
private struct WholeLooks {
  private var looks: [UInt32]

  /// O(states · fields).
  init(of workload: Workload) {
    let columns = StateColumns(workload.catalog)
    let states = workload.catalog.revisions.indices
    looks = states.map { UInt32(truncatingIfNeeded: $0) }
    var firstOfLook: [[UInt64]: UInt32] = [:]
    for state in states {
      var look = [UInt64(columns.object(of: state))]
      let type = Int(columns.type(of: state).rawValue) - 1
      for field in workload.model.types[type].fields {
        columns.appendLook(of: field, of: state, to: &look)
      }
      let known = firstOfLook[look] ?? looks[state]
      firstOfLook[look] = known
      looks[state] = known
    }
    let revisions = workload.catalog.revisions
    let order = states.sorted {
      (revisions[$0].object, revisions[$0].version, $0)
        < (revisions[$1].object, revisions[$1].version, $1)
    }
    var isTelling = [Bool](repeating: true, count: workload.model.types.count)
    for (state, next) in zip(order, order.dropFirst())
    where revisions[state].object == revisions[next].object && looks[state] == looks[next] {
      isTelling[Int(columns.type(of: state).rawValue) - 1] = false
    }
    for state in states where !isTelling[Int(columns.type(of: state).rawValue) - 1] {
      looks[state] = UInt32(truncatingIfNeeded: state)
    }
  }

  subscript(state: UInt32) -> UInt32 { looks[Int(state)] }
}
