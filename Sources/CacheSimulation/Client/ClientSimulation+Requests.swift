import CacheModel
import NormalizedCacheCore
import Workloads

struct RequestTiming: Sendable {
  private let network: NetworkModel
  private let random: RandomSource
  private var count: UInt64 = 0

  init(_ network: NetworkModel, client: Int, label: StaticString = "requests") {
    self.network = network
    random = RandomSource(seed: network.seed).substream(label, UInt64(client))
  }

  /// Returns the round trip of the next request in nanoseconds, drawn from its number alone.
  mutating func nextRoundTrip() -> Int64 {
    var own = random.substream("request", count)
    count += 1
    let extra = own.exponential(mean: Double(network.meanExtra))
    return network.minimumRoundTrip + Int64(extra)
  }
}

/// Carries out the cache's requests, and passes their results to it.
extension ClientSimulation where Cache: ~Copyable {
  /// Carries out the cache's actions, and those that they cause, until there are none.
  ///
  /// - Parameter completing: the query whose fetch has just completed; its view has the response and need not
  ///   read again.
  mutating func carryOutActions(completing: Int?) {
    var answered = completing
    // Exchanged with the store, so that neither array is reallocated.
    var actions: [CacheAction] = []
    swap(&actions, &takenActions)
    endAnsweredReads()
    store.takeActions(into: &actions)
    noteResyncs()
    while !actions.isEmpty {
      for action in actions {
        switch action {
        case .fetch(let id, let request):
          send(.fetch(id, request))
        case .reconcile(let id, _, let position, let form):
          send(.reconcile(id, after: position, form: form))
        case .notify(let key, _):
          guard let query = input.queryOfKey[key] else { continue }
          notify(query, hasResponse: query == answered)
        case .flush:
          beginWrite()
        case .send(let token):
          send(WriteNames.write(of: token))
        }
      }
      answered = nil
      endAnsweredReads()
      store.takeActions(into: &actions)
    }
    swap(&actions, &takenActions)
    isCatchingUp = false
  }

  /// Checks whether the cache has just lost track of the stream: its requests in the same step make up for
  /// that.
  private mutating func noteResyncs() {
    let resyncs = store.statistics.resyncs
    if resyncs != resyncsBefore { isCatchingUp = true }
    resyncsBefore = resyncs
  }

  private mutating func send(_ request: PendingEvent.Request) {
    if isCatchingUp, case .fetch(_, let asked) = request { owed.insert(asked.target) }
    calls?.note(request)
    if requestTimes != nil, case .fetch(let id, _) = request { underWay[id] = now.nanoseconds }
    // A request that cannot be sent has a number too, so that the next one's duration does not depend on the
    // link.
    let roundTrip = timing.nextRoundTrip()
    if sendAsRecorded(request) || failAsRecorded(request) { return tally.count(request) }
    if isLinkDown {
      fail(request, .unreachable)
    } else {
      tally.count(request)
      let departure = uplink.departure(of: TransferSize.request, at: now.nanoseconds)
      put(.request(request, roundTrip: roundTrip), at: departure + roundTrip / 2)
    }
  }

  mutating func handle(_ event: PendingEvent) {
    tally.operations += 1
    switch event {
    case .delivery: break
    case .request(let request, let roundTrip):
      answer(request, roundTrip: roundTrip)
    case .fetched(let id, let target, let response, let bytes, let readAt):
      complete(id, target, response, bytes: bytes, readAt: readAt)
    case .reconciled(let id, let answer, let bytes):
      // The recording has the answers to its own cache, at its own times.
      requestTimes?.noteDoubt(asked: now.nanoseconds)
      let response = merged(answer)
      tally.bytesOfCatchUp += bytes
      isCatchingUp = true
      calls?.note(.reconciled(response), at: now)
      if ledger != nil, case .events(let events, _) = response { events.forEach { hear($0) } }
      store.completeReconcile(id, with: response, at: now)
    case .failed(let request, let failure):
      fail(request, failure)
    case .written:
      endWrite()
    case .writeArrives(let request): arrive(request)
    case .writeAnswered(let request, let answer): take(answer, to: request)
    case .ownEvent(let place): deliverOwnEvent(place)
    }
  }

  /// Answers a request at the server: the answer is read now and then sent back.
  private mutating func answer(_ request: PendingEvent.Request, roundTrip: Int64) {
    let way = roundTrip - roundTrip / 2
    if answerAsRecorded(request, after: way) { return }
    let event: PendingEvent
    let size: Int
    switch request {
    case _ where script.errors.contains(where: { $0.contains(now) }):
      event = .failed(request, .refused)
      size = TransferSize.envelope
    case .fetch(let id, let asked):
      let (response, bytes) = response(to: asked)
      event = .fetched(
        id, asked.target, response, bytes: bytes, readAt: now.nanoseconds)
      size = bytes
    case .reconcile(let id, let position, let form):
      let (response, bytes) = server.reconcile(after: position, form: form, at: now)
      event = .reconciled(id, response, bytes: bytes)
      size = bytes
    }
    let at = downlink.departure(of: size, at: now.nanoseconds) + way
    let isLost = isLinkDown || isLinkDown(at: at)
    put(isLost ? .failed(request, .unreachable) : event, at: at)
  }

  mutating func response(
    to request: FetchRequest
  ) -> (response: FetchResponse<Handle>, bytes: Int) {
    let place = server.place(server.position)
    var entities: [VersionedEntity<Handle>] = []
    var bytes = TransferSize.envelope
    var hasMore = false
    switch request.target {
    case .query(let key):
      if let query = input.queryOfKey[key] {
        if let condition = request.unlessChangedSince, input.workload.saysNotModified,
          server.hasAnswer(query, since: condition.position)
        {
          tally.notModified += 1
          return (.notModified(at: place), TransferSize.envelope)
        }
        let answer = server.answer(query)
        entities = answer.rows.map { server.row($0.revision, of: query) }
        bytes += answer.bytes
        hasMore = answer.hasMore
      }
    case .entity(let key):
      if let object = input.objectOfKey[key],
        case let revision = server.current[Int(object)], revision != SimulatedServer.noRevision
      {
        entities = [server.entity(revision)]
        bytes += Int(server.catalog.revisions[Int(revision)].bytes)
      }
    }
    return (FetchResponse(entities: entities, hasMore: hasMore, place: place), bytes)
  }

  private mutating func complete(
    _ id: FetchID, _ target: FetchTarget, _ response: FetchResponse<Handle>, bytes: Int,
    readAt: Int64
  ) {
    if !owed.isEmpty, owed.remove(target) != nil {
      tally.bytesOfCatchUp += bytes
    } else {
      tally.bytesOfAnswers += bytes
    }
    countIdentical(response.entities, answering: target)
    noteAnswer(id, to: target, response)
    noteTimes(of: id, target, response)
    if store.completeFetch(id, with: response, at: now) == .askedAgain { return }
    for read in waiting.removeValue(forKey: id) ?? [] { end(read, read.outcome) }
    guard case .query(let key) = target, let query = input.queryOfKey[key] else { return }
    views[query].answerReadAt = readAt
    carryOutActions(completing: query)
    if views[query].observers > 0 {
      showResponse(response.entities.map(\.payload), of: query)
    }
  }

  /// Notes whether the recording contains an answer given to the cache.
  private mutating func noteTimes(
    of id: FetchID, _ target: FetchTarget, _ response: FetchResponse<Handle>
  ) {
    guard let sightings = input.sightings, var times = requestTimes.take() else { return }
    let asked = underWay.removeValue(forKey: id) ?? now.nanoseconds
    switch target {
    case .query(let key):
      guard let query = input.queryOfKey[key] else { break }
      sightings.note(query, response.entities.lazy.map(\.payload.object), asked: asked, in: &times)
    case .entity(let key):
      if let object = input.objectOfKey[key] { sightings.note(object, asked: asked, in: &times) }
    }
    requestTimes = times
  }

  private mutating func countIdentical(
    _ rows: [VersionedEntity<Handle>], answering target: FetchTarget
  ) {
    // A cache that holds nothing has none; what one holds that is known from outside is not known.
    guard Cache.isKnownFromOutside || store.residentEntities > 0 else { return }
    var members: [Int32] = []
    if case .query(let key) = target { members = store.members(of: key) ?? [] }
    var next = 0
    for (index, row) in rows.enumerated() {
      // Most rows stand where they stood, or follow the one before as they did, and need not be looked for.
      let first = Cache.isKnownFromOutside ? index : next
      let end = min(first + (Cache.isKnownFromOutside ? 1 : 2), members.count)
      var held: Handle?
      var place = first
      while held == nil, place < end {
        let member = store.payload(of: members[place])
        if member?.object == row.payload.object {
          (held, next) = (member, place + 1)
        } else if member == nil, place == next {
          // One without a value is passed over.
          next += 1
        }
        place += 1
      }
      if held == nil { held = store.confirmedEntity(row.key)?.payload }
      // Of a state that it has whole, a summary brings nothing either.
      if held == row.payload || held?.summary == row.payload {
        tally.bytesWastedIdentical += input.schema.weight(of: row.payload)
      }
    }
  }

  private mutating func fail(_ request: PendingEvent.Request, _ failure: PendingEvent.Failure) {
    switch request {
    case .fetch(let id, let asked):
      underWay.removeValue(forKey: id)
      noteAnswer(id, to: asked.target, nil)
      let ending = store.failFetch(id, isRefused: failure == .refused, at: now)
      for read in waiting.removeValue(forKey: id) ?? [] { end(read, ending, failure) }
      if case .query(let key) = asked.target, let query = input.queryOfKey[key] {
        decideNotifications(of: query, changed: showStored(query))
      }
    case .reconcile(let id, _, _):
      calls?.note(.reconciled(nil), at: now)
      store.failReconcile(id, isRefused: failure == .refused, at: now)
    }
  }

  /// Ends a read whose fetch has failed: with cached rows, or without.
  ///
  /// If the server cannot be reached, all complete cached results are shown; after an error, those that the
  /// policy serves.
  private mutating func end(
    _ read: Read, _ ending: FetchEnding, _ failure: PendingEvent.Failure
  ) {
    let isServedExpired = failure == .refused && ending == .servedExpired
    let hasSomething =
      failure == .unreachable ? read.query.map { isComplete($0) } ?? false : isServedExpired
    end(read, hasSomething ? read.outcome : .failed)
    if isServedExpired { note(read) { $0.servedExpired += 1 } }
  }
}

/// How reads wait, end, and are counted.
extension ClientSimulation where Cache: ~Copyable {
  mutating func wait(_ read: Read, for fetch: FetchID) {
    if read.isAwaited { isUserWaiting = true }
    if read.isOfView, let query = read.query { views[query].fetch = fetch }
    waiting[fetch, default: []].append(read)
  }

  /// Ends a read that waited: it is answered, left or given up.
  mutating func end(_ read: Read, _ outcome: Outcome) {
    let waited = now.nanoseconds - read.since
    if read.isAwaited {
      isUserWaiting = false
      delay += waited
    }
    if outcome != .failed { note(read) { $0.waits.append(waited) } }
    count(read, outcome)
  }

  /// Ends the reads that a cache has answered in a later turn.
  mutating func endAnsweredReads() {
    guard Cache.isKnownFromOutside else { return }
    for answer in store.takeAnswered() {
      for var read in waiting.removeValue(forKey: answer.ticket) ?? [] {
        let outcome = outcome(of: &read, answer)
        if answer.isFromDisk { note(read) { $0.diskHits += 1 } }
        end(read, outcome)
        if let query = read.query { showStored(query) }
      }
    }
  }

  mutating func abandonRead(of query: Int) {
    guard let fetch = views[query].fetch, let reads = waiting[fetch] else { return }
    waiting[fetch] = reads.filter { !$0.isOfView }
    for read in reads where read.isOfView {
      if isCounted(read) { tally.abandoned += 1 }
      end(read, read.outcome)
    }
  }

  mutating func count(_ read: Read, _ outcome: Outcome) {
    note(read) { $0[outcome] += 1 }
    if !read.isRedraw { timeline?.count(outcome, at: read.since) }
    guard !read.isRedraw, isCounted(read) else { return }
    if read.isOffline {
      tally.offline.count(isServed: outcome != .failed)
      if read.isTagged { tally.offlineTagged.count(isServed: outcome != .failed) }
    }
    outcomes[read.action] = UInt8(outcome.ordinal)
    records?.append(
      ReadRecord(
        read, outcome, client: client, at: now.nanoseconds, queries: input.workload.queries))
  }

  /// Adds to every class of a read.
  mutating func note(_ read: Read, _ add: (inout ReadTally) -> Void) {
    guard isCounted(read) else { return }
    if read.isColdStart { add(&tally.coldStarts) }
    if read.isRedraw { return add(&tally.redraws) }
    if let query = read.query {
      add(&tally.queries[input.classOfQuery[query]])
    } else {
      add(&tally.entities)
    }
    if read.isFirst { add(&tally.firsts) }
  }

  /// Returns whether a read was made after the warm-up.
  func isCounted(_ read: Read) -> Bool {
    read.since >= input.workload.warmUp.wholeNanoseconds
  }
}
