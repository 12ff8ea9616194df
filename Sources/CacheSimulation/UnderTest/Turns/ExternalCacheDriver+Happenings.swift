package import CacheModel
import NormalizedCacheCore
import Workloads

/// What a cache is told besides reads.
extension ExternalCacheDriver {
  // MARK: Views

  mutating func addObserver(of key: QueryKey, at now: Instant) {
    guard let query = input.queryOfKey[key] else { return }
    observers[query] += 1
    begins[query] = true
  }

  mutating func removeObserver(of key: QueryKey, at now: Instant) {
    guard let query = input.queryOfKey[key], observers[query] > 0 else { return }
    observers[query] -= 1
    if observers[query] == 0 { take(.unobserve(query), at: now) }
  }

  mutating func tag(_ key: QueryKey, _ isTagged: Bool, at now: Instant) {
    if isTagged, let query = input.queryOfKey[key] { take(.tag(query), at: now) }
  }

  // MARK: The server

  mutating func tellLink(isUp: Bool, at now: Instant) {
    guard isUp != isLinkUp else { return }
    isLinkUp = isUp
    take(.link(isUp: isUp), at: now)
  }

  mutating func receive(
    _ envelope: consuming EventEnvelope<Handle>, library: LibraryID?, at now: Instant
  ) {
    take(.event(noting(envelope)), at: now)
  }

  mutating func receiveHeartbeat(_ place: EventEnvelope<Handle>.Place, at now: Instant) {
    take(.heartbeat(place.position), at: now)
  }

  mutating func noting(_ envelope: EventEnvelope<Handle>) -> CacheTurn.Event {
    let content: CacheTurn.Event.Content
    switch envelope.event {
    case .changed(let entity): content = .changed([send(entity)])
    case .batchChanged(let items): content = .changed(items.map { send($0) })
    case .partlyDecoded(let items, _): content = .changed(items.map { send($0) })
    case .deleted(let keys, let version):
      content = .deleted(keys.compactMap { input.objectOfKey[$0] }, version)
    case .bulkNotice(let tag, _, _):
      content = .mayHaveChanged(
        tag.resourceType,
        location: tag.location.flatMap { location in
          input.workload.catalog.objects.firstIndex { $0.id == location }.map { UInt32($0) }
        })
    case .infrastructure: content = .nothing
    }
    var event = CacheTurn.Event(position: envelope.place?.position, content: content)
    event.token = ownToken(of: envelope)
    if event.token != nil { event.keys = numbers(of: envelope.keys) }
    if let lists = outliving.lists, let position = event.position {
      var objects: Set<UInt32> = []
      if case .changed(let rows) = content {
        objects = Set(rows.map { object(of: Int32($0.state)) })
      }
      event.lists = lists.changes(at: position, with: objects, input)
    }
    return event
  }

  mutating func send(_ entity: VersionedEntity<Handle>) -> SentRow {
    isSent[Int(entity.payload.revision)] = true
    return SentRow(
      object: entity.payload.object, state: entity.payload.revision, version: entity.version)
  }

  mutating func completeFetch(
    _ id: FetchID, with response: FetchResponse<Handle>, at now: Instant
  ) -> FetchEnding {
    let position = response.place?.position ?? StreamPosition(epoch: 0, sequence: 0)
    let rows = response.entities.map { send($0) }
    end(
      Int(id.number),
      response.isNotModified
        ? .notModified(position) : .rows(rows, hasMore: response.hasMore, position), at: now)
    return .answered
  }

  mutating func failFetch(_ id: FetchID, isRefused: Bool, at now: Instant) -> FetchEnding {
    end(Int(id.number), isRefused ? .refused : .unreachable, at: now)
    return .failed
  }

  mutating func completeReconcile(
    _ id: ReconcileID, with response: ReconcileResponse<Handle>, at now: Instant
  ) {
    switch response {
    case .events(let events, let position):
      end(Int(id.number), .events(events.map { noting($0) }, through: position), at: now)
    case .outline(_, let position), .tooOld(let position):
      end(Int(id.number), .tooOld(position), at: now)
    }
  }

  mutating func failReconcile(_ id: ReconcileID, isRefused: Bool, at now: Instant) {
    end(Int(id.number), isRefused ? .refused : .unreachable, at: now)
  }

  mutating func end(_ id: Int, _ response: CacheTurn.Response, at now: Instant) {
    requests.removeAll { $0.id == id }
    take(.response(id, response), at: now)
  }

  // MARK: Time

  var nextDeadline: Instant? {
    guard fault == nil else { return nil }
    let patience = unanswered.first.map { $0.since.advanced(by: Self.patience) }
    return [wake, patience].compactMap { $0 }.min()
  }

  var nextDeadlineBesidesPolls: Instant? { nextDeadline }

  package mutating func advance(to now: Instant) {
    while let read = unanswered.first, read.since.advanced(by: Self.patience) <= now {
      unanswered.removeFirst()
      givenUp[read.turn] = read.target
      answered.append(AnsweredRead(ticket: read.ticket, isServed: false))
    }
    guard let due = wake, due <= now else { return }
    wake(at: now)
  }

  /// Wakes it as it wanted.
  mutating func wake(at now: Instant) {
    wakes = wakes.at == now ? (now, wakes.count + 1) : (now, 1)
    guard wakes.count <= Self.mostWakes else {
      fault = CacheFault(.wakesForEver, turn: turn, at: now)
      return
    }
    take(.wake, at: now)
  }

  mutating func takeActions(into taken: inout [CacheAction]) {
    taken.removeAll(keepingCapacity: true)
    swap(&taken, &actions)
  }

  package func end() {
    cache.end()
    guard outliving.isStoring else { return }
    (outliving.isSent, outliving.created, outliving.told) = (isSent, created, told)
    outliving.writes += writes.filter { !$0.isSentOnce }
  }
}
