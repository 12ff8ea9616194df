import CacheModel
import NormalizedCache
import RecordingCodec
import ResultModel
import Testing
import Workloads

@testable import CacheSimulation

/// A log by hand: files 1 to 5, and what reads of the directory showed.
struct TinyLog {
  var tiny = TinyWorkload()
  private var results: [(action: Int, rows: [Handle])] = []
  /// The outcome in the app's cache; `nil`: unknown.
  var places: [ListedPlace]?
  /// Whether only results tell the order of lists.
  var isAsShown = true

  init(files: Int) {
    for name in 1...files { _ = tiny.file(name: UInt64(name)) }
  }

  /// The state of a file at time zero.
  func initial(_ object: UInt32) -> Handle { Handle(object: object, revision: object) }

  /// A new state of a file, which its event brings 10 ms later.
  mutating func change(_ object: UInt32, at seconds: Double, name: UInt64 = 1) -> Handle {
    let mutation = tiny.change(object, at: seconds, name: name)
    tiny.deliver(mutation, at: seconds + 0.01)
    return Handle(object: object, revision: tiny.current[Int(object)])
  }

  mutating func read(_ rows: [Handle], at seconds: Double, query: UInt32 = 0) {
    results.append((tiny.actions.count, rows))
    tiny.act(.read(query: query), at: seconds)
  }

  mutating func place(
    _ row: Handle, is match: ListedPlace.Match = .listed, after: UInt32? = nil,
    before: UInt32? = nil, at seconds: Double
  ) {
    places?.append(
      ListedPlace(
        at: Instant(nanoseconds: Int64(seconds * 1e9)), query: 0, state: row.revision,
        match: match, after: after, before: before))
  }

  var workload: Workload {
    var workload = tiny.workload
    workload.truth = .observed
    if isAsShown {
      for shape in workload.model.shapes.indices { workload.model.shapes[shape].order = [] }
    }
    workload.places = places
    for (action, rows) in results {
      workload.observedResults[ObservedRead(client: 0, action: action)] = rows.map(\.revision)
    }
    return workload
  }

  /// The states that the directory lists, in its order; of one place in the order of their commits.
  var listed: [UInt32] {
    let workload = workload
    let lists = ShownLists(of: workload)
    let list = lists.list(of: workload.queries[0])
    return workload.catalog.revisions.indices.compactMap { state in
      lists.place(of: UInt32(state), in: list).map { (place: $0, state: UInt32(state)) }
    }.sorted { ($0.place, $0.state) < ($1.place, $1.state) }.map(\.state)
  }

  func match(of row: Handle) -> MatchResult {
    let workload = workload
    let lists = ShownLists(of: workload)
    return lists.match(of: row.revision, in: lists.list(of: workload.queries[0]))
  }

  /// Whether two states have one place.
  func isOnePlace(_ left: Handle, _ right: Handle) -> Bool {
    let workload = workload
    let lists = ShownLists(of: workload)
    let list = lists.list(of: workload.queries[0])
    let place = lists.place(of: left.revision, in: list)
    return place != nil && place == lists.place(of: right.revision, in: list)
  }
}

@Suite("Information from a log about a list with its own order")
struct ShownListTests {
  @Test("A state comes after the row before it in the result that first shows it")
  func merged() {
    var log = TinyLog(files: 4)
    let (a, b, c, d) = (log.initial(1), log.initial(2), log.initial(3), log.initial(4))
    log.read([c, a], at: 1)
    log.read([c, b, a], at: 2)
    log.read([d, c, b], at: 3)
    #expect(log.listed == [d, c, b, a].map(\.revision))
  }

  @Test("A new state of a row that has not moved keeps its place, one that has gets another")
  func places() {
    var log = TinyLog(files: 3)
    let (a, b, c) = (log.initial(1), log.initial(2), log.initial(3))
    log.read([a, b, c], at: 1)
    let edited = log.change(2, at: 2)
    log.read([a, edited, c], at: 3)
    let moved = log.change(3, at: 4)
    log.read([moved, a, edited], at: 5)
    #expect(log.isOnePlace(b, edited))
    #expect(!log.isOnePlace(c, moved))
    #expect(log.listed == [moved, a, b, edited, c].map(\.revision))
  }

  @Test("A state after which the object is gone from the list is not listed")
  func unseenThenGone() {
    var log = TinyLog(files: 2)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let left = log.change(2, at: 2)
    log.read([a], at: 3)
    let back = log.change(2, at: 4)
    log.read([a, back], at: 5)
    #expect(log.listed.sorted() == [a, b, back].map(\.revision))
    #expect(!log.listed.contains(left.revision))
  }

  @Test("A read that still shows an older state decides nothing, the next one does")
  func staleRead() {
    var log = TinyLog(files: 2)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let left = log.change(2, at: 2)
    // The app had not received it.
    log.read([a, b], at: 2.005)
    log.read([a], at: 3)
    #expect(!log.listed.contains(left.revision))
  }

  @Test("Without a later read that could tell, a state is like the one before it")
  func noReadFollows() {
    var log = TinyLog(files: 3)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let last = log.change(2, at: 2)
    let stranger = log.change(3, at: 3)
    #expect(log.isOnePlace(b, last))
    #expect(!log.listed.contains(stranger.revision))
  }

  @Test("Logs of two clients are one list, in order of time")
  func twoClients() {
    var log = TinyLog(files: 3)
    let (a, b, c) = (log.initial(1), log.initial(2), log.initial(3))
    log.read([a, c], at: 2)
    log.read([a, c], at: 4)
    var workload = log.workload
    // The other client reads in between, and sees the new row first.
    var other = workload.clients[0]
    other.actions = [SessionAction(at: TinyWorkload.instant(3), kind: .read(query: 0))]
    workload.clients.append(other)
    workload.observedResults[ObservedRead(client: 1, action: 0)] = [b, a, c].map(\.revision)
    workload.observedResults[ObservedRead(client: 0, action: 1)] = [b, c].map(\.revision)
    let lists = ShownLists(of: workload)
    let list = lists.list(of: workload.queries[0])
    let places = [b, a, c].map { lists.place(of: $0.revision, in: list) }
    #expect(places == [0, 1, 2])
  }

  @Test("A list takes rows of any type and location, even those that its method does not list")
  func anyMember() throws {
    var log = TinyLog(files: 1)
    log.tiny.queries[0] = QuerySpec(kind: .tagList, subject: 0, limit: 10)
    log.read([log.initial(1)], at: 1)
    log.read([log.initial(1)], at: 2)
    let workload = log.workload
    let schema = Simulation(of: workload).schema
    let key = QueryKey(
      library: TinyWorkload.library, method: QueryKind.tagList.method,
      input: QueryInput.encode(workload.queries[0]))
    #expect(schema.plan(for: key).resourceTypes == [TinyWorkload.tag, TinyWorkload.file])
    let values = try values(of: workload, composition())
    #expect(values[.hitRatio] == 0.5)
  }
}

@Suite("What an app's cache knew of states and lists")
struct PlacedListTests {
  private static func log(files: Int, limit: UInt32 = 10) -> TinyLog {
    var log = TinyLog(files: files)
    log.tiny.queries[0].limit = limit
    log.places = []
    return log
  }

  @Test("A state that no result shows has its reported position, or none")
  func told() {
    var log = Self.log(files: 4)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let between = log.change(3, at: 2)
    log.place(between, after: 1, before: 2, at: 2.1)
    let out = log.change(4, at: 3)
    let gone = log.change(1, at: 4)
    log.place(gone, is: .notListed, at: 4.1)
    let back = log.change(1, at: 5)
    #expect(log.listed == [a, between, b].map(\.revision))
    for state in [out, gone, back] { #expect(log.match(of: state) == .notMember) }
  }

  @Test("A state without a reported position has its object's, as long as that is shown")
  func carriedOver() {
    var log = Self.log(files: 4, limit: 2)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let edited = log.change(2, at: 2)
    let new = log.change(3, at: 3)
    log.place(new, before: 1, at: 3.1)
    // The second row has fallen out of the window, and the row after it is reported.
    let unseen = log.change(2, at: 4)
    let behind = log.change(4, at: 5)
    log.place(behind, after: 1, at: 5.1)
    let behindAgain = log.change(4, at: 6)
    #expect(log.isOnePlace(b, edited))
    for state in [unseen, behindAgain] { #expect(log.match(of: state) == .notMember) }
    #expect(log.match(of: behind) == .member)
    #expect(Array(log.listed.prefix(2)) == [new, a].map(\.revision))
  }

  @Test("A list that the app could not decide, its simulated cache cannot decide either")
  func unknown() {
    var log = Self.log(files: 2)
    log.read([log.initial(1)], at: 1)
    let doubtful = log.change(2, at: 2)
    log.place(doubtful, is: .unknown, at: 2.1)
    #expect(log.match(of: doubtful) == .unknown)
  }

  @Test("Later information decides between states reported earlier")
  func repaired() {
    var log = Self.log(files: 4)
    let (a, b) = (log.initial(1), log.initial(2))
    log.read([a, b], at: 1)
    let new = log.change(3, at: 2)
    // A row lacks its value, so only one neighbour is known.
    log.place(new, after: 1, at: 2.1)
    log.read([a, b, new], at: 3)
    #expect(log.listed == [a, b, new].map(\.revision))
    log.read([b, a, new], at: 4)
    #expect(log.listed.count == 3, "a contradiction ends somewhere")
  }
}
