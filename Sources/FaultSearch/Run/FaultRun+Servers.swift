package import CacheModel
package import NormalizedCache

/// Messages from the servers to the client.
package struct Link: Sendable {
  package struct Event: Sendable {
    package var number: Int
    package var server: Int
    package var envelope: EventEnvelope<Note>
  }

  /// The events in flight, in the order of sending.
  package private(set) var events: [Event] = []
  package private(set) var isCut = [false, false, false]

  /// The maximum number of events in flight; more are lost.
  private static let limit = 512

  mutating func send(_ event: Event) {
    guard !isCut[event.server], events.count < Self.limit else { return }
    events.append(event)
  }

  func event(_ number: Int) -> Event? { events.first { $0.number == number } }

  /// Removes and returns an event in flight; `nil` if there is none.
  mutating func take(_ number: Int) -> Event? {
    events.firstIndex { $0.number == number }.map { events.remove(at: $0) }
  }

  mutating func cut(_ server: Int) {
    isCut[server] = true
    events.removeAll { $0.server == server }
  }

  mutating func restore(_ server: Int) { isCut[server] = false }
}

package struct PendingFetch: Sendable {
  package var id: FetchID
  package var request: FetchRequest
  /// The call of the store that sent the request.
  var begun: Int
  /// The server's answer, once it is read.
  package var response: FetchResponse<Note>?

  package var target: FetchTarget { request.target }
}

/// The client's request for the events of a stream after a gap.
package struct NoteReconcile: Sendable {
  package var id: ReconcileID
  package var stream: StreamID
  package var after: StreamPosition
  package var form: ReconcileForm
}

package struct PendingReconcile: Sendable {
  package var request: NoteReconcile
  package var server: Int
  package var response: ReconcileResponse<Note>?
}

/// The servers' answers by position, for later "not modified" answers.
struct ServedAnswers: Sendable {
  private struct Answer: Sendable {
    var key: QueryKey
    var place: EventPlace
    var rows: [VersionedEntity<Note>]
    var hasMore: Bool
  }

  /// The answers, the latest last.
  private var answers: [Answer] = []
  private static let limit = 64

  mutating func note(_ response: FetchResponse<Note>, of key: QueryKey, at place: EventPlace) {
    if answers.count == Self.limit { answers.removeFirst() }
    answers.append(
      Answer(key: key, place: place, rows: response.entities, hasMore: response.hasMore))
  }

  /// Returns the answer at a position; `nil` if it is unknown.
  func rows(of key: QueryKey, at place: EventPlace) -> [VersionedEntity<Note>]? {
    answers.first { $0.key == key && $0.place == place }?.rows
  }

  /// Returns whether every known answer at that position was the same.
  ///
  /// Another source of the library may have changed it at the same position: then the requested answer is
  /// ambiguous.
  func isSame(_ response: FetchResponse<Note>, as key: QueryKey, at place: EventPlace) -> Bool {
    let there = answers.filter { $0.key == key && $0.place == place }
    return !there.isEmpty
      && there.allSatisfy { $0.rows == response.entities && $0.hasMore == response.hasMore }
  }
}

/// Steps of servers and the network.
extension FaultRun {
  mutating func performAtServer(_ step: Step) -> Bool {
    switch step {
    case .publish(let server, let commit, let event, let telling):
      guard world.servers.indices.contains(server) else { return false }
      let envelope = world.perform(commit, at: server)
      if telling != .lost {
        link.send(Link.Event(number: event, server: server, envelope: envelope))
      }
      tell(envelope.event, telling, from: server)
      return true
    case .restart(let server):
      guard world.servers.indices.contains(server) else { return false }
      world.servers[server].restart()
      return true
    case .lag(let server):
      guard world.servers.indices.contains(server) else { return false }
      world.replicas[server] = world.servers[server]
      return true
    default:
      return false
    }
  }

  /// Sends a change immediately if it does not depend on its event.
  private mutating func tell(_ event: CacheEvent<Note>, _ telling: Telling, from server: Int) {
    let library = world.servers[server].stream.library
    guard !link.isCut[server] else { return }
    switch telling {
    case .lost, .sent:
      break
    case .whispered(let namesLibrary):
      toldAhead.formUnion(event.keys)
      if !namesLibrary { unplaced += event.keys.filter { !unplaced.contains($0) } }
      let envelope = EventEnvelope(place: nil, event: event)
      store.receive(envelope, library: namesLibrary ? library : nil, at: now)
      didCall()
    case .confirmed:
      toldAhead.formUnion(event.keys)
      switch event {
      case .changed(let item): write(item, library: library)
      case .batchChanged(let items):
        for item in items { write(item, library: library) }
      case .deleted(let keys, let version):
        for key in keys {
          store.delete(key, version: version, library: library, at: now)
          didCall()
        }
      case .bulkNotice, .partlyDecoded, .infrastructure:
        break
      }
    }
  }

  private mutating func write(_ item: VersionedEntity<Note>, library: LibraryID) {
    entities.forget { $0 == item.key }
    store.write(item, library: library, at: now)
    didCall()
  }

  mutating func performOnLink(_ step: Step) -> Bool {
    switch step {
    case .deliver(let number):
      guard let event = link.take(number) else { return false }
      receive(event.envelope)
    case .repeat(let number):
      guard let event = link.event(number) else { return false }
      receive(event.envelope)
    case .lose(let number):
      return link.take(number) != nil
    case .cut(let server):
      guard link.isCut.indices.contains(server), !link.isCut[server] else { return false }
      link.cut(server)
    case .restore(let server):
      guard link.isCut.indices.contains(server), link.isCut[server] else { return false }
      link.restore(server)
    case .heartbeat(let server):
      guard link.isCut.indices.contains(server), !link.isCut[server] else { return false }
      let namesGap = isGapNamed(byHeartbeatOf: server)
      store.receiveHeartbeat(world.servers[server].place, at: now)
      didCall()
      if namesGap { checkAskedAgain(server) }
    default:
      return false
    }
    return true
  }

  private mutating func receive(_ envelope: EventEnvelope<Note>) {
    let lists = listsShowing(envelope)
    store.receive(envelope, at: now)
    didCall()
    checkSpared(lists, by: envelope.place)
  }
}
