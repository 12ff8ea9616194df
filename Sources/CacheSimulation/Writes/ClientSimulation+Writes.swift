import CacheModel
import NormalizedCacheCore
import SimulatedStorage
import Workloads

typealias SimulatedMutation = ClientMutation<Handle, SimulationSchema.Change>

struct WriteRequest: Sendable {
  /// The write's number in the app.
  var number: UInt32
  /// The token under which it is sent.
  var name: MutationToken
  /// The write that has the sent edits.
  var content: UInt32
  var roundTrip: Int64
}

enum WriteAnswer {
  case carriedOut(MutationResponse<Handle>)
  case refused
  /// The link was down during the transfer, the server failed, or no answer came.
  case unknown

  var isCarriedOut: Bool { if case .carriedOut = self { true } else { false } }
  var isRefusal: Bool { if case .refused = self { true } else { false } }
}

/// The user's writes, and their results.
extension ClientSimulation where Cache: ~Copyable {
  /// How long an app waits for an answer before it gives up (an assumption of the model).
  private static var patienceWithServer: Int64 { 10_000_000_000 }

  /// How long a write that is sent once is shown: as in `NormalizedCache.mutate`.
  private static var showsFor: Duration { .seconds(60) }

  mutating func prepareToWrite() {
    gaps.beginAnew()
    let ledger = WriteLedger(input.workload, client: client)
    guard !ledger.isEmpty else { return }
    self.ledger = ledger
    for (number, write) in input.workload.writes.enumerated()
    where write.client == UInt32(client) {
      let item = input.workload.items[write.items.lowerBound]
      if write.isCreation { creations[item.object] = UInt32(number) }
      if item.revision != MutationItem.deleted { writeOfState[item.revision] = UInt32(number) }
    }
  }

  // MARK: The user

  mutating func write(_ number: UInt32) {
    // Recorded calls of a store contain no writes.
    guard calls == nil, ledger != nil else { return }
    uses?.isReading = false
    let isQueued = script.writing.through == .outbox
    let mutation = SimulatedMutation(
      token: WriteNames.token(of: number), library: input.workload.library,
      edits: script.writing.shown == .atOnce ? [edit(of: number)] : [])
    ledger?.begin(number, isQueued: isQueued, at: now)
    do {
      if isQueued {
        try store.enqueue(mutation, at: now)
      } else {
        try store.begin(mutation, timeout: Self.showsFor, at: now)
        // A black-box cache sends it itself.
        if !Cache.isKnownFromOutside { send(number) }
      }
    } catch {
      ledger?.note(\.failedAt, of: number, at: now)
      return
    }
    if isShown(number) { ledger?.note(\.shownAt, of: number, at: now) }
  }

  private func edit(of number: UInt32) -> SimulatedMutation.Edit {
    let write = input.workload.writes[Int(number)]
    let item = input.workload.items[write.items.lowerBound]
    if item.revision == MutationItem.deleted { return .delete(key(ofObject: item.object)) }
    let handle = Handle(object: item.object, revision: item.revision)
    let key = input.workload.catalog.objects[Int(item.object)]
    return write.isCreation
      ? .create(WriteNames.clientKey(of: number, type: key.type), handle)
      : .update(
        self.key(ofObject: item.object), SimulationSchema.Change(state: item.revision))
  }

  /// Returns the app's key of an object: its own for objects that it created, until the server's is known.
  func key(ofObject object: UInt32) -> EntityKey {
    let key = input.workload.catalog.objects[Int(object)]
    guard let write = creations[object], script.writing.shown == .atOnce,
      let record = ledger?[write], record.confirmedAt == nil, record.heardAt == nil
    else { return key }
    return WriteNames.clientKey(of: write, type: key.type)
  }

  private func isShown(_ number: UInt32) -> Bool {
    let write = input.workload.writes[Int(number)]
    let item = input.workload.items[write.items.lowerBound]
    let shown = store.peek(key(ofObject: item.object))
    return item.revision == MutationItem.deleted
      ? shown == nil && script.writing.shown == .atOnce
      : shown?.payload.revision == item.revision
  }

  // MARK: Network

  /// Sends a write of the cache or the app.
  mutating func send(_ number: UInt32) {
    let token = WriteNames.token(of: number)
    let mutation = store.pendingMutation(token)
    let request = WriteRequest(
      number: number, name: mutation?.token ?? token,
      content: mutation.flatMap { content(of: $0) } ?? number,
      roundTrip: writeTiming.nextRoundTrip())
    ledger?.note(\.sentAt, of: number, at: now)
    if isLinkDown { return take(.unknown, to: request) }
    let departure = uplink.departure(of: TransferSize.request, at: now.nanoseconds)
    put(.writeArrives(request), at: departure + request.roundTrip / 2)
  }

  /// Returns the write with these edits; `nil` if the mutation has none.
  private func content(of mutation: SimulatedMutation) -> UInt32? {
    switch mutation.edits.first {
    case .create(_, let handle): writeOfState[handle.revision]
    case .update(_, let change): writeOfState[change.state]
    case .delete, nil: nil
    }
  }

  /// Applies a request that has reached the server; its answer is sent back.
  mutating func arrive(_ request: WriteRequest) {
    let way = request.roundTrip - request.roundTrip / 2
    var answer = WriteAnswer.unknown
    var size = TransferSize.envelope
    if !script.errors.contains(where: { $0.contains(now) }) {
      if server.take(request.name, content: request.content) { tellOfCommit() }
      switch server.writing?.fates[request.name] {
      case .carriedOut(let place):
        let (response, bytes) = server.answer(toCommit: place)
        answer = .carriedOut(response)
        size = bytes
      case .refused: answer = .refused
      case nil: break
      }
    }
    guard !script.silences.contains(where: { $0.contains(now) }) else {
      return put(.writeAnswered(request, .unknown), at: now.nanoseconds + Self.patienceWithServer)
    }
    let at = downlink.departure(of: size, at: now.nanoseconds) + way
    let isLost = isLinkDown || isLinkDown(at: at)
    put(.writeAnswered(request, isLost ? .unknown : answer), at: at)
  }

  /// Sends the event of the client's own commit to it, as to all others.
  private mutating func tellOfCommit() {
    let place = server.mutations.count - 1
    guard pushesEvents, let traffic = input.workload.ownEvents else {
      return noteCommits(ownArrives: false)
    }
    var draws = ownEventDraws.substream("event", UInt64(place))
    let isLost = draws.chance(traffic.loss) && now.nanoseconds < traffic.activeEnd
    let sent = downlink.departure(of: server.mutations[place].bytes, at: now.nanoseconds)
    let at = sent + traffic.delay + Int64(draws.exponential(mean: Double(traffic.jitter)))
    let arrives = !isLost && !isLinkDown && !isLinkDown(at: at)
    noteCommits(ownArrives: arrives)
    if arrives { put(.ownEvent(place), at: at) }
  }

  mutating func deliverOwnEvent(_ place: Int) {
    let mutation = server.mutations[place]
    guard !isLinkDown, mutation.at.nanoseconds > connectedSince else { return }
    gaps.noteArrival(ofMutation: place)
    tally.bytesPushed += mutation.bytes
    let event = merged(server.event(of: mutation))
    hear(event)
    store.receive(event, library: nil, at: now)
  }

  /// Processes an event, pushed or replayed, that may confirm an own write.
  mutating func hear(_ event: EventEnvelope<Handle>) {
    guard let write = event.mutation.map({ WriteNames.write(of: $0) }), ledger?.has(write) == true
    else { return }
    ledger?.note(\.heardAt, of: write, at: now)
    ledger?.note(\.shownAt, of: write, at: now)
  }

  /// Adds new commits to the ledger of gaps.
  mutating func noteCommits(ownArrives: Bool = false) {
    guard gaps.count < server.mutations.count, let writing = server.writing else { return }
    while gaps.count < server.mutations.count {
      let origin = writing.origins[gaps.count]
      gaps.note(server.mutations[gaps.count], ofWorkload: origin, arrives: ownArrives)
    }
  }

  /// Receives the answer to a write; for a process that has ended there is none.
  mutating func take(_ answer: WriteAnswer, to request: WriteRequest) {
    let token = WriteNames.token(of: request.number)
    let isQueued = script.writing.through == .outbox
    if Cache.isKnownFromOutside, !isQueued, !answer.isCarriedOut {
      return giveUp(request, isRefused: answer.isRefusal)
    }
    switch answer {
    case .carriedOut(let response):
      tally.bytesOfAnswers += TransferSize.envelope
      if isQueued {
        store.completeSend(token, with: response, at: now)
      } else {
        store.commit(token, with: response, at: now)
      }
      ledger?.note(\.acknowledgedAt, of: request.number, at: now)
      ledger?.note(\.confirmedAt, of: request.number, at: now)
      ledger?.note(\.shownAt, of: request.number, at: now)
    case .refused:
      if isQueued {
        for fallen in store.rejectSend(token, at: now) {
          ledger?.note(\.refusedAt, of: WriteNames.write(of: fallen), at: now)
        }
      } else {
        store.rollBack(token, at: now)
        ledger?.note(\.refusedAt, of: request.number, at: now)
      }
    case .unknown:
      if isQueued {
        store.failSend(token, at: now)
        if isLinkDown { store.setOnline(false, at: now) }
      } else if store.isKnownToBeCarriedOut(token) {
        store.rollBack(token, at: now)
        ledger?.note(\.confirmedAt, of: request.number, at: now)
      } else {
        store.rollBack(token, at: now)
        ledger?.note(\.failedAt, of: request.number, at: now)
      }
    }
  }

  /// Ends a write that a black-box cache has sent once without success.
  private mutating func giveUp(_ request: WriteRequest, isRefused: Bool) {
    let token = WriteNames.token(of: request.number)
    if isRefused {
      _ = store.rejectSend(token, at: now)
    } else {
      store.failSend(token, at: now)
    }
    ledger?.note(isRefused ? \.refusedAt : \.failedAt, of: request.number, at: now)
  }

  /// Acknowledges the writes that the storage has.
  mutating func acknowledgeStored() {
    guard ledger != nil, let stored = disk?.storage.storedOutbox else { return }
    for mutation in stored {
      ledger?.note(\.acknowledgedAt, of: WriteNames.write(of: mutation.token), at: now)
    }
  }

  /// The link is up again.
  mutating func comeOnline() {
    calls?.note(.comeOnline, at: now)
    store.setOnline(false, at: now)
    store.setOnline(true, at: now)
  }

  // MARK: The user's expectations

  /// Returns the rows that a query shows if the user's writes change its list; `nil` if they do not, so that
  /// its members decide.
  func overlaidRows(_ query: Int) -> [Handle]? {
    guard ledger != nil, store.hasPendingEdits,
      let rows = store.rows(of: input.keys[query]),
      let members = store.members(of: input.keys[query])
    else { return nil }
    let values = rows.map { input.seen.shown($0?.payload, in: query) }
    if values.allSatisfy({ $0 != nil }) { return values.compactMap(\.self) }
    // Rows without a value keep the order of the members, without those that the user has deleted.
    let deleted = shownWrites.compactMap { deletedObject($0) }
    var missing = members.filter { value(of: $0, in: query) == nil }
      .map { input.objectOfKey[store.key(of: $0)] ?? Handle.unknown.object }
      .filter { !deleted.contains($0) }[...]
    return values.map { value in
      value
        ?? Handle(
          object: missing.popFirst() ?? Handle.unknown.object, revision: Handle.unknown.revision)
    }
  }

  private func deletedObject(_ number: UInt32) -> UInt32? {
    let item = input.workload.items[input.workload.writes[Int(number)].items.lowerBound]
    return item.revision == MutationItem.deleted ? item.object : nil
  }

  /// Returns the rows that a query would have if the user's visible changes were applied.
  mutating func expectedRows(_ query: Int) -> [Handle] {
    server.answer(query, with: shownWrites)
  }

  func expectedState(of object: Int) -> UInt32 {
    guard ledger != nil, store.hasPendingEdits else { return server.current[object] }
    let last = shownWrites.last { number in
      let write = input.workload.writes[Int(number)]
      return Int(input.workload.items[write.items.lowerBound].object) == object
    }
    guard let last else { return server.current[object] }
    return input.workload.items[input.workload.writes[Int(last)].items.lowerBound].revision
  }

  /// The visible writes that are not known to be applied, in order.
  private var shownWrites: [UInt32] {
    store.pendingMutations.filter { store.pendingMutation($0)?.edits.isEmpty == false }
      .map { WriteNames.write(of: $0) }
  }
}
