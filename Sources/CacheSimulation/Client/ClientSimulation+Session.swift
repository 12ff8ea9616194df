import CacheModel
import NormalizedCacheCore
import Workloads

/// A read by a user or a view, until it is answered.
struct Read: Sendable {
  /// The index of its action in the client's script.
  var action: Int
  /// The query, as an index of the workload's; `nil` for an entity.
  var query: Int?
  /// The entity, as an index of `Catalog.objects`, unless it is a query.
  var object: UInt32 = 0
  /// The time of the read, in nanoseconds.
  var since: Int64
  var outcome = Outcome.hitFresh
  /// Whether a view read again by itself.
  var isRedraw = false
  /// Whether it is the client's first read of the target.
  var isFirst = false
  /// Whether it is the process's first read of a target that an earlier process had read.
  var isColdStart = false
  /// Whether it is the read of a view, so that it ends when the view is left.
  var isOfView = false
  var isOffline = false
  var isTagged = false
  /// Whether the user waits for the answer.
  var isAwaited = false
  /// The age of outdated rows that were served, in nanoseconds, if known.
  var age: Int64?
  /// The difference from the ground truth; only if reads are recorded.
  var difference: RowDifference?
}

/// The user's actions, and their results.
extension ClientSimulation where Cache: ~Copyable {
  mutating func act(_ action: SessionAction.Kind) {
    tally.operations += 1
    switch action {
    case .read(let query):
      ask(Int(query), begun(query: Int(query)))
    case .redraw(let query):
      uses?.isReading = false
      ask(
        Int(query),
        Read(action: nextAction - 1, query: Int(query), since: now.nanoseconds, isRedraw: true))
    case .observe(let query):
      beginObserving(Int(query))
      var read = begun(query: Int(query))
      read.isOfView = true
      read.isAwaited = script.reaction == .waits
      ask(Int(query), read)
      showStored(Int(query))
    case .unobserve(let query):
      endObserving(Int(query))
    case .tag(let query):
      calls?.note(.tag(input.keys[Int(query)], true), at: now)
      store.tag(input.keys[Int(query)], true, at: now)
      isTagged[Int(query)] = true
    case .open(let object, let view):
      if let view { noteOpening(of: object, in: Int(view)) }
      open(Int(object))
    case .write(let number):
      write(number)
    case .maintenance(let maintenance):
      take(maintenance)
    }
  }

  private mutating func take(_ maintenance: Maintenance) {
    switch maintenance {
    case .untag(let query):
      calls?.note(.tag(input.keys[Int(query)], false), at: now)
      store.tag(input.keys[Int(query)], false, at: now)
      isTagged[Int(query)] = false
    case .invalidate(let query):
      calls?.note(.invalidate(input.keys[Int(query)]), at: now)
      store.invalidate(input.keys[Int(query)], at: now)
    case .take(let query, let longer):
      let (key, longer) = (input.keys[Int(query)], input.keys[Int(longer)])
      calls?.note(.take(key, from: longer), at: now)
      store.take(key, from: longer, at: now)
    case .clear:
      calls?.note(.clear, at: now)
      store.clear(input.workload.library, at: now)
    case .release(let billionths):
      let share = Double(billionths) / 1e9
      calls?.note(.release(toFraction: share), at: now)
      store.releaseMemory(toFraction: share, at: now)
    }
  }

  /// Returns a read by the user at the current time.
  private mutating func begun(query: Int) -> Read {
    let isFirst = !hasReadQuery[query]
    hasReadQuery[query] = true
    var read = Read(
      action: nextAction - 1, query: query, since: now.nanoseconds, isFirst: isFirst,
      isColdStart: coldStarts?.isColdStart(ofQuery: query) ?? false)
    read.isOffline = isLinkDown
    read.isTagged = isTagged[query]
    return read
  }

  /// Counts an opened entity whose row may not be on screen.
  private mutating func noteOpening(of object: UInt32, in view: Int) {
    tally.opensInViews += 1
    let isShown = views[view].shown?.contains { $0.object == object && $0.hasValue } ?? false
    if !isShown { tally.impossibleOpens += 1 }
  }

  /// Makes a recorded result of a read the server's answer from now on.
  mutating func takeRecordedResult(ofAction index: Int) {
    guard input.workload.truth == .observed else { return }
    takeRecordedAnswers()
    let action = script.actions[index].kind
    if let query = action.asksFor { takeRecordedAnswer(to: query) }
    guard
      let result = input.workload.observedResults[ObservedRead(client: client, action: index)]
    else { return }
    let rows = input.workload.catalog.rows(result)
    switch action {
    case .read(let query), .redraw(let query), .observe(let query), .unobserve(let query):
      server.record(rows, of: Int(query))
    case .open(let object, _):
      server.apply(
        rows.first?.revision ?? SimulatedServer.noRevision, to: object, at: now.nanoseconds)
    case .maintenance(.take(let query, _)): server.record(rows, of: Int(query))
    case .tag, .write, .maintenance: break
    }
  }

  mutating func ask(_ query: Int, _ begun: Read) {
    var read = begun
    let truth = server.answer(query)
    let isDown = isLinkDown
    if !isDown, !read.isRedraw {
      tally.bytesWithoutCache += truth.bytes + TransferSize.envelope
    }
    // Beginning to observe also reads.
    if !read.isOfView {
      calls?.note(.read(input.keys[query], isRepeated: read.isRedraw), at: now)
    }
    let answer = store.read(input.keys[query], at: now, isRepeated: read.isRedraw)
    guard answer.outcome != .hit, let fetch = answer.fetch else {
      countServed(query, truth, read, hasExpired: answer.isExpired)
      return
    }
    if Cache.isKnownFromOutside {
      read.outcome = Outcome(answer.outcome)
      return wait(read, for: fetch)
    }
    if isDown, answer.outcome != .bypass, isComplete(query) {
      // If the server cannot be reached, cached rows are served at once, however old.
      countServed(query, truth, read, hasExpired: answer.outcome == .missExpired)
      return
    }
    if isDown {
      count(read, .failed)
    } else {
      read.outcome = Outcome(answer.outcome)
      wait(read, for: fetch)
    }
  }

  private mutating func countServed(
    _ query: Int, _ truth: Answer, _ read: Read, hasExpired: Bool
  ) {
    if hasExpired { note(read) { $0.servedExpired += 1 } }
    var read = read
    let outcome = judge(&read, of: query, truth)
    count(read, outcome)
  }

  /// Compares served rows with the ground truth, or with what a recording shows of it.
  mutating func judge(_ read: inout Read, of query: Int, _ truth: Answer) -> Outcome {
    let members = store.members(of: input.keys[query]) ?? []
    if let sightings = input.sightings, let requestTimes {
      let rows = members.compactMap { value(of: $0, in: query) }
      return sightings.outcome(of: rows, in: query, at: now.nanoseconds, requestTimes)
    }
    let isFresh =
      if let rows = overlaidRows(query) {
        input.seen.look(of: rows, in: query)
          == input.seen.look(of: expectedRows(query), in: query)
      } else {
        shows(members, truth.rows, in: query)
      }
    if isFresh { return .hitFresh }
    let rows = members.compactMap { value(of: $0, in: query) }
    if let missed = server.earliestMissedCommit(
      served: rows, truth: truth.rows, query)
    {
      let age = now.nanoseconds - missed
      read.age = age
      note(read) { $0.stalenessAges.append(age) }
    }
    if records != nil {
      let overlaid = overlaidRows(query)
      let expected = overlaid == nil ? truth.rows : expectedRows(query)
      read.difference = RowDifference(
        served: input.seen.look(of: overlaid ?? rows, in: query),
        truth: input.seen.look(of: expected, in: query))
    }
    return .hitStale
  }

  /// Returns the cached value of a member, as far as the query can show it.
  ///
  /// The harness itself distinguishes summaries from wholes, without asking a cache.
  @inline(__always) func value(of slot: Int32, in query: Int) -> Handle? {
    input.seen.shown(store.payload(of: slot), in: query)
  }

  /// Returns whether the cache's rows are these, in this order.
  func shows(_ members: [Int32], _ rows: [Handle], in query: Int) -> Bool {
    guard members.count == rows.count else { return false }
    if input.seen.areSummaries(query) {
      return zip(members, rows).allSatisfy { slot, row in
        store.payload(of: slot).map { input.seen.areAlike($0, row, in: query) } ?? false
      }
    }
    for index in members.indices where store.payload(of: members[index]) != rows[index] {
      return false
    }
    return true
  }

  /// Returns whether the cache has a result of the query and a value of every member.
  func isComplete(_ query: Int) -> Bool {
    if let rows = overlaidRows(query) { return rows.allSatisfy(\.hasValue) }
    guard let members = store.members(of: input.keys[query]) else { return false }
    return members.allSatisfy { value(of: $0, in: query) != nil }
  }

  private mutating func open(_ object: Int) {
    var read = Read(
      action: nextAction - 1, query: nil, object: UInt32(object), since: now.nanoseconds,
      isFirst: !hasReadEntity[object])
    read.isAwaited = script.reaction == .waits
    read.isColdStart = coldStarts?.isColdStart(ofEntity: object) ?? false
    read.isOffline = isLinkDown
    hasReadEntity[object] = true
    let truth = expectedState(of: object)
    let isDown = isLinkDown
    if !isDown {
      tally.bytesWithoutCache += TransferSize.envelope + bytes(of: truth)
    }
    let key =
      ledger == nil ? input.workload.catalog.objects[object] : key(ofObject: UInt32(object))
    calls?.note(.readEntity(key), at: now)
    let answer = store.readEntity(
      key, library: input.workload.library, at: now)
    guard answer.outcome != .hit, let fetch = answer.fetch else {
      if let entity = answer.entity {
        countServed(entity.payload, truth: truth, read, hasExpired: answer.isExpired)
      }
      return
    }
    if Cache.isKnownFromOutside {
      read.outcome = Outcome(answer.outcome)
      return wait(read, for: fetch)
    }
    if isDown, let entity = answer.entity {
      countServed(
        entity.payload, truth: truth, read, hasExpired: answer.outcome == .missExpired)
    } else if isDown {
      count(read, .failed)
    } else {
      read.outcome = Outcome(answer.outcome)
      wait(read, for: fetch)
    }
  }

  private mutating func countServed(
    _ payload: Handle, truth: UInt32, _ read: Read, hasExpired: Bool
  ) {
    if hasExpired { note(read) { $0.servedExpired += 1 } }
    var read = read
    let outcome = judge(&read, payload, truth: truth)
    count(read, outcome)
  }

  private mutating func judge(
    _ read: inout Read, _ payload: Handle, truth: UInt32
  ) -> Outcome {
    if let sightings = input.sightings, let requestTimes {
      return sightings.outcome(of: payload, at: now.nanoseconds, requestTimes)
    }
    guard payload.revision != truth else { return .hitFresh }
    let superseded = server.supersededAt[Int(payload.revision)]
    if superseded != .max {
      let age = now.nanoseconds - superseded
      read.age = age
      note(read) { $0.stalenessAges.append(age) }
    }
    let row =
      truth == SimulatedServer.noRevision ? [] : [Handle(object: payload.object, revision: truth)]
    read.difference = RowDifference(served: [payload], truth: row)
    return .hitStale
  }

  /// Returns the outcome of a read that a cache has answered in a later turn.
  ///
  /// If the server was not asked, the cache already had the rows: they are judged like those served at once.
  mutating func outcome(of read: inout Read, _ answer: AnsweredRead) -> Outcome {
    guard answer.isServed else { return .failed }
    guard !answer.isAsked || isLinkDown else { return read.outcome }
    if let query = read.query { return judge(&read, of: query, server.answer(query)) }
    guard let entity = answer.entity else { return read.outcome }
    return judge(&read, entity, truth: expectedState(of: Int(read.object)))
  }

  private func bytes(of revision: UInt32) -> Int {
    revision == SimulatedServer.noRevision
      ? 0 : Int(input.workload.catalog.revisions[Int(revision)].bytes)
  }
}

extension Outcome {
  /// Creates the outcome counted for a read that waits for the server.
  init(_ outcome: ReadOutcome) {
    switch outcome {
    case .hit: self = .hitFresh
    case .partial: self = .partial
    case .missCold: self = .missCold
    case .missExpired: self = .missExpired
    case .missEvicted: self = .missEvicted
    case .missInvalidated: self = .missInvalidated
    case .coalesced: self = .coalesced
    case .bypass: self = .bypass
    }
  }
}
