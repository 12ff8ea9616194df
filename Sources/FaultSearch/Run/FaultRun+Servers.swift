import CacheModel
import NormalizedCache

/// What the servers do, and what the network does to it.
extension FaultRun {
  mutating func performAtServer(_ step: Step) -> Bool {
    switch step {
    case .publish(let server, let commit, let message, let telling):
      guard world.servers.indices.contains(server) else { return false }
      let envelope = world.perform(commit, at: server)
      if telling != .lost {
        link.send(Link.Message(number: message, server: server, envelope: envelope))
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

  /// Tells at once what need not wait for its event.
  private mutating func tell(_ event: CacheEvent<Note>, _ telling: Telling, from server: Int) {
    let library = world.servers[server].stream.library
    guard !link.isCut[server] else { return }
    switch telling {
    case .lost, .sent:
      break
    case .whispered(let namesLibrary):
      if !namesLibrary { unplaced += event.keys.filter { !unplaced.contains($0) } }
      let envelope = EventEnvelope(place: nil, event: event)
      store.receive(envelope, library: namesLibrary ? library : nil, at: now)
      didCall()
    case .confirmed:
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
      guard let message = link.take(number) else { return false }
      receive(message.envelope)
    case .repeat(let number):
      guard let message = link.message(number) else { return false }
      receive(message.envelope)
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
