import CacheModel
import RecordingCodec
import Workloads

/// What the recording of an app shows of the server: when each state was seen, and each list as it stood.
///
/// An answer is a sighting of what the server held when it was asked; an event is one of what it held when it came.
/// Between the last sighting of a state and the first of a later one of its object either may have been the
/// truth, and after the last sighting of all nothing is known. So of a hit it is known that it was fresh, or that it
/// was stale, or neither, whatever the server did in between.
struct Sightings: Sendable {
  /// Of states as wholes, and of what lists of summaries show of them.
  private let wholes: StateTimes
  private let summaries: StateTimes
  /// By query, in order of time.
  private let lists: [[ListTimes]]
  private let seen: SeenStates

  /// A list as it stood for some time.
  private struct ListTimes: Sendable {
    var objects: [UInt32]
    var first: Int64
    var last: Int64
  }

  /// O(sightings · log sightings).
  init(of workload: Workload, seen: SeenStates) {
    self.seen = seen
    var wholes = StateTimes(workload.catalog)
    var summaries = wholes
    func note(_ state: UInt32, at time: Int64, isWhole: Bool) {
      summaries.note(state, at: time)
      if isWhole { wholes.note(state, at: time) }
    }
    for state in 0..<workload.catalog.initialCount {
      note(UInt32(state), at: 0, isWhole: true)
    }
    for mutation in workload.mutations {
      for item in workload.items[mutation.items] where item.revision != MutationItem.deleted {
        note(item.revision, at: mutation.at.nanoseconds, isWhole: true)
      }
    }
    var shown = [[ListTimes]](repeating: [], count: workload.queries.count)
    for answer in ServerAnswer.all(of: workload) {
      let time = answer.asked.nanoseconds
      guard let query = answer.query else {
        for state in answer.result { note(state, at: time, isWhole: true) }
        continue
      }
      for state in answer.result { note(state, at: time, isWhole: !seen.areSummaries(query)) }
      let objects = answer.result.map { workload.catalog.revisions[Int($0)].object }
      shown[query].append(ListTimes(objects: objects, first: time, last: time))
    }
    lists = shown.map(Self.joined)
    wholes.order(workload) { $0 }
    summaries.order(workload) { seen.look(ofState: $0) }
    self.wholes = wholes
    self.summaries = summaries
  }

  /// Lists that follow each other and are the same are one.
  private static func joined(_ shown: [ListTimes]) -> [ListTimes] {
    var joined: [ListTimes] = []
    let order = shown.indices.sorted { (shown[$0].first, $0) < (shown[$1].first, $1) }
    for one in order.map({ shown[$0] }) {
      if let last = joined.last, last.objects == one.objects {
        joined[joined.count - 1].last = one.last
      } else {
        joined.append(one)
      }
    }
    return joined
  }

  /// What is known of a hit that served these rows.
  ///
  /// O(rows).
  ///
  /// - Parameters:
  ///   - rows: What was served.
  ///   - query: Of which query.
  ///   - now: When, in nanoseconds.
  ///   - requests: When the cache asked for what it holds.
  /// - Returns: a hit that was fresh or stale, or of which that is unknown.
  func outcome(
    of rows: [Handle], in query: Int, at now: Int64, _ requests: RequestTimes
  ) -> Outcome {
    let list = listOutcome(rows.map(\.object), query, at: now, asked: requests.ofQuery[query])
    let times = seen.areSummaries(query) ? summaries : wholes
    return rows.reduce(list) { known, row in
      known.combined(
        with: times.outcome(
          of: row.revision, at: now, asked: requests.ofObject[Int(row.object)]))
    }
  }

  /// What is known of a hit that served one entity.
  func outcome(of row: Handle, at now: Int64, _ requests: RequestTimes) -> Outcome {
    wholes.outcome(of: row.revision, at: now, asked: requests.ofObject[Int(row.object)])
  }

  private func listOutcome(
    _ objects: [UInt32], _ query: Int, at now: Int64, asked: Int64
  ) -> Outcome {
    let lists = lists[query]
    guard let index = Self.index(of: now, in: lists) else { return .hitUnknown }
    let isCertain = now <= lists[index].last
    if lists[index].objects == objects { return isCertain ? .hitFresh : .hitUnknown }
    let own = lists[..<index].suffix(Self.remembered).lastIndex { $0.objects == objects }
    if !isCertain {
      let mayBeNext = index + 1 < lists.count && lists[index + 1].objects == objects
      guard own != nil, !mayBeNext else { return .hitUnknown }
    }
    // A request from after that list was seen last may have been answered with the next.
    guard let former = own ?? (index > 0 ? index - 1 : nil) else { return .hitUnknown }
    return asked > lists[former].last ? .hitUnknown : .hitStale
  }

  /// How many former lists a hit is compared with; of one that was earlier less is known.
  private static let remembered = 64

  /// The last that was there by then, by bisection.
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

/// When the cache of one client asked last for what it holds, in nanoseconds.
struct RequestTimes: Sendable {
  fileprivate(set) var ofQuery: [Int64]
  fileprivate(set) var ofObject: [Int64]

  init(of workload: Workload) {
    ofQuery = [Int64](repeating: .min, count: workload.queries.count)
    ofObject = [Int64](repeating: .min, count: workload.catalog.objects.count)
  }

  mutating func note(query: Int?, _ objects: some Sequence<UInt32>, asked: Int64) {
    if let query { ofQuery[query] = max(ofQuery[query], asked) }
    for object in objects where Int(object) < ofObject.count {
      ofObject[Int(object)] = max(ofObject[Int(object)], asked)
    }
  }
}

/// An answer of the server to a request of the app's, as far as it is recorded what it showed.
struct ServerAnswer: Sendable {
  let asked: Instant
  /// `nil`: a single entity was asked for.
  let query: Int?
  let result: [UInt32]

  private struct Request: Hashable {
    let at: Instant
    let query: UInt32
  }

  /// Of all clients; results that may have come from the app's own cache are none.
  static func all(of workload: Workload) -> [ServerAnswer] {
    var all: [ServerAnswer] = []
    for (client, script) in workload.clients.enumerated() {
      var confirmed: Set<Request> = []
      for answer in script.answers where answer.failure == nil {
        let query: UInt32? = if case .query(let query) = answer.target { query } else { nil }
        if let result = answer.result {
          all.append(
            ServerAnswer(asked: answer.asked, query: query.map { Int($0) }, result: result))
        } else if answer.isUnchanged, let query {
          confirmed.insert(Request(at: answer.asked, query: query))
        }
      }
      for (number, action) in script.actions.enumerated() {
        let name = ObservedRead(client: client, action: number)
        guard let result = workload.observedResults[name] else { continue }
        let query = action.kind.asksFor
        let isConfirmed =
          query.map { confirmed.contains(Request(at: action.at, query: $0)) } ?? false
        guard isConfirmed || workload.recordedOutcomes[name]?.isOfServer == true else { continue }
        if let query {
          all.append(ServerAnswer(asked: action.at, query: Int(query), result: result))
        } else if case .open = action.kind {
          all.append(ServerAnswer(asked: action.at, query: nil, result: result))
        }
      }
    }
    return all
  }
}

extension RecordedOutcome {
  /// Whether the server answered the read.
  fileprivate var isOfServer: Bool {
    switch self {
    case .miss, .partial, .missCold, .missExpired, .missEvicted, .missInvalidated, .coalesced,
      .bypass:
      true
    case .hit, .hitFresh, .hitStale, .failed: false
    }
  }
}

/// When states were seen, and since when it is known that they are no longer the truth.
private struct StateTimes: Sendable {
  private var first: [Int64]
  private var last: [Int64]
  private var outdatedSince: [Int64]

  init(_ catalog: Catalog) {
    first = [Int64](repeating: .max, count: catalog.revisions.count)
    last = [Int64](repeating: .min, count: catalog.revisions.count)
    outdatedSince = first
  }

  mutating func note(_ state: UInt32, at time: Int64) {
    first[Int(state)] = min(first[Int(state)], time)
    last[Int(state)] = max(last[Int(state)], time)
  }

  /// What is known of a state that was served.
  ///
  /// Whoever asked for it after it was seen last may have been answered with a later one.
  func outcome(of state: UInt32, at now: Int64, asked: Int64) -> Outcome {
    if now <= last[Int(state)] { return .hitFresh }
    guard outdatedSince[Int(state)] <= now, asked <= last[Int(state)] else { return .hitUnknown }
    return .hitStale
  }

  /// A state of an object, or its end.
  private struct Entry {
    var object: UInt32
    var version: Version
    /// `nil` for its end.
    var state: UInt32?
    var look: UInt32
    var first: Int64
  }

  /// Finds what later states tell, once all are seen; those that look alike are one, if they follow each other.
  ///
  /// Nothing is told by what may have come back.
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
    // What is later of the same object: when it was seen first, and how it looks.
    var seenLater = Int64.max
    var looks: Set<UInt32> = []
    for index in order.reversed() {
      let entry = entries[index]
      if next?.object != entry.object { (next, seenLater, looks) = (nil, .max, []) }
      if let next, let state = entry.state {
        if next.look == entry.look, let following = next.state {
          last[Int(state)] = max(last[Int(state)], last[Int(following)])
          outdatedSince[Int(state)] = outdatedSince[Int(following)]
        } else if !looks.contains(entry.look) {
          outdatedSince[Int(state)] = seenLater
        }
      }
      next = entry
      seenLater = min(seenLater, entry.first)
      looks.insert(entry.look)
    }
  }
}
