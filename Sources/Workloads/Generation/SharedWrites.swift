import CacheModel

/// The writes of all users, as other clients receive them.
///
/// Each client runs independently, so that one cache does not affect another: it receives other users' writes
/// at the time at which they would reach the server without a cache, when the link is up, in order. Its own
/// writes commit on arrival.
struct SharedWrites {
  private(set) var mutations: [Mutation]
  private(set) var items: [MutationItem]
  private(set) var all: [UserWrite] = []
  /// The number of the first write of the last addition.
  private(set) var firstOfLatest = 0
  private var heard: [Mutation] = []

  init(_ history: ServerHistory) {
    mutations = history.mutations
    items = history.items
  }

  /// Adds the writes of one client, in order.
  mutating func add(
    _ writes: [DrawnWrite], ofClient client: Int, over link: LinkGenerator, _ scenario: Scenario
  ) {
    firstOfLatest = all.count
    let way = scenario.network.roundTrip.wholeNanoseconds / 2
    let end = scenario.activeDuration.wholeNanoseconds
    // Numbered after the devices of other groups.
    let device = scenario.writers.reduce(0) { $0 + $1.count } + client
    var last: Int64 = 0
    for write in writes {
      let first = items.count
      items += write.items
      all.append(
        UserWrite(
          client: UInt32(client), items: first..<items.count, isCreation: write.isCreation,
          isRefused: write.isRefused))
      last = max(last, Self.passage(at: write.at, over: link) + way)
      guard !write.isRefused, last < end else { continue }
      let isDeletion = write.items.first?.revision == MutationItem.deleted
      var mutation = Mutation(
        at: Instant(nanoseconds: last), device: UInt32(device),
        position: StreamPosition(epoch: 1, sequence: 0),
        kind: isDeletion ? .deleted : write.items.count == 1 ? .changed : .batchChanged,
        items: first..<items.count, bytes: write.bytes)
      mutation.write = UInt32(all.count - 1)
      mutation.origin = mutation.kind == .batchChanged ? .user : nil
      heard.append(mutation)
    }
  }

  /// Returns the first time from an instant on at which the link is up and the server accepts requests.
  private static func passage(at instant: Int64, over link: LinkGenerator) -> Int64 {
    var at = instant
    while let window = (link.partitions + link.errors).first(where: { $0.contains(at) }) {
      at = window.upperBound
    }
    return at
  }

  /// Merges them with the changes of others, in order of time, and renumbers the stream.
  mutating func merge(_ scenario: Scenario) {
    guard !heard.isEmpty else { return }
    let everything = mutations + heard
    let order = everything.indices.sorted {
      everything[$0].at != everything[$1].at
        ? everything[$0].at < everything[$1].at : $0 < $1
    }
    let restarts = scenario.faults.filter { $0.kind == .serverRestart }.map(\.at.wholeNanoseconds)
    var last = StreamPosition(epoch: 1, sequence: 0)
    mutations = order.map { index in
      var mutation = everything[index]
      let epoch = UInt32(1 + restarts.count { $0 <= mutation.at.nanoseconds })
      last = StreamPosition(
        epoch: epoch, sequence: epoch == last.epoch ? last.sequence + 1 : 1)
      mutation.position = last
      return mutation
    }
  }
}

/// Records a user's actions, and keeps track of the views on screen.
struct ScriptWriter {
  private var actions: [SessionAction] = []
  /// The queries on screen in the order in which they appeared, with the number of views of each.
  private var views: [(query: UInt32, count: Int)] = []

  var count: Int { actions.count }

  mutating func append(_ kind: SessionAction.Kind, at instant: Int64) {
    actions.append(SessionAction(at: Instant(nanoseconds: instant), kind: kind))
  }

  /// Opens a view; if another view shows the same query, only reads it.
  mutating func observe(_ query: UInt32, at instant: Int64) {
    if let index = views.firstIndex(where: { $0.query == query }) {
      views[index].count += 1
      append(.read(query: query), at: instant)
    } else {
      views.append((query, 1))
      append(.observe(query: query), at: instant)
    }
  }

  mutating func unobserve(_ query: UInt32, at instant: Int64) {
    guard let index = views.firstIndex(where: { $0.query == query }) else { return }
    views[index].count -= 1
    if views[index].count == 0 {
      views.remove(at: index)
      append(.unobserve(query: query), at: instant)
    }
  }

  /// Closes all views except the first `kept`.
  mutating func closeViews(except kept: Int, at instant: Int64) {
    while views.count > kept {
      let view = views.removeLast()
      append(.unobserve(query: view.query), at: instant)
    }
  }

  /// Returns the actions before `end`, with repeated reads of views on screen at each redraw during a visit.
  func finished(
    redraw: Int64?, during visits: [Range<Int64>], end: Int64, limit: Int
  ) -> [SessionAction] {
    let own = actions.filter { $0.at.nanoseconds < end }
    guard let redraw else { return own }
    var result: [SessionAction] = []
    result.reserveCapacity(own.count)
    var onScreen: [UInt32] = []
    var next = 0
    func take(until instant: Int64) {
      while next < own.count, own[next].at.nanoseconds < instant {
        switch own[next].kind {
        case .observe(let query): onScreen.append(query)
        case .unobserve(let query): onScreen.removeAll { $0 == query }
        case .read, .redraw, .tag, .open, .write, .maintenance: break
        }
        result.append(own[next])
        next += 1
      }
    }
    for visit in visits {
      for at in stride(
        from: visit.lowerBound + redraw, to: min(visit.upperBound, end), by: Int(redraw))
      where result.count < limit {
        take(until: at)
        result += onScreen.map {
          SessionAction(at: Instant(nanoseconds: at), kind: .redraw(query: $0))
        }
      }
    }
    take(until: end)
    return result
  }
}

/// The periods in which a user is in front of the app.
enum VisitTimes {
  /// Returns the visits of a session before `end`, in nanoseconds, in order, disjoint.
  ///
  /// Visits begin as a Poisson process and have exponential lengths; one that begins during another prolongs
  /// it. They are cut to windows of activity.
  static func all(
    _ visits: VisitSection?, within active: [ActiveWindow], end: Int64, _ random: RandomSource
  ) -> [Range<Int64>] {
    let windows =
      active.isEmpty
      ? [0..<end]
      : active.map { $0.at.wholeNanoseconds..<($0.at + $0.length).wholeNanoseconds }
    guard let visits else { return windows.filter { $0.lowerBound < end } }
    var starts = random.substream("starts")
    var lengths = random.substream("lengths")
    var drawn: [Range<Int64>] = []
    for start in Arrivals.poisson(rate: visits.rate, end: end, limit: Int.max, &starts) {
      let length = lengths.exponential(mean: Double(visits.length.wholeNanoseconds))
      let visit = start..<min(end, start + max(1, Int64(length)))
      if let last = drawn.last, visit.lowerBound <= last.upperBound {
        drawn[drawn.count - 1] = last.lowerBound..<max(last.upperBound, visit.upperBound)
      } else {
        drawn.append(visit)
      }
    }
    return drawn.flatMap { visit in
      windows.map { $0.clamped(to: visit) }.filter { !$0.isEmpty }
    }
  }

  /// Returns the periods between visits, in order.
  static func between(_ visits: [Range<Int64>], end: Int64) -> [Range<Int64>] {
    var pauses: [Range<Int64>] = []
    var last: Int64 = 0
    for visit in visits {
      if last < visit.lowerBound { pauses.append(last..<visit.lowerBound) }
      last = visit.upperBound
    }
    if last < end { pauses.append(last..<end) }
    return pauses
  }
}
