import CacheModel
import NormalizedCacheCore

/// Applies events with changed fields only to a client's entities.
extension ClientSimulation where Cache: ~Copyable {
  /// Returns an event in a form that the cache can apply.
  ///
  /// For an entity cached in the previous state: its new state, whole or summary as cached. For any other:
  /// only that it has changed, and whether in a field that determines membership or order. A black-box cache,
  /// whose contents are unknown, gets whole entities. O(items).
  func merged(_ event: EventEnvelope<Handle>) -> EventEnvelope<Handle> {
    var merges = EventMerges()
    return merged(event, &merges)
  }

  /// Returns replayed events in that form, each applied after those before it.
  func merged(_ response: ReconcileResponse<Handle>) -> ReconcileResponse<Handle> {
    guard case .events(let events, let position) = response else { return response }
    var merges = EventMerges()
    return .events(events.map { merged($0, &merges) }, through: position)
  }

  private func merged(
    _ event: EventEnvelope<Handle>, _ merges: inout EventMerges
  ) -> EventEnvelope<Handle> {
    guard server.hasChanges, !Cache.isKnownFromOutside, let position = event.place?.position,
      server.carriesChanges(at: position)
    else { return event }
    let entities: [VersionedEntity<Handle>]
    switch event.event {
    case .changed(let entity): entities = [entity]
    case .batchChanged(let items): entities = items
    default: return event
    }
    var whole: [VersionedEntity<Handle>] = []
    var missing: [UndecodableItem] = []
    for var entity in entities {
      let (object, state) = (entity.payload.object, entity.payload.revision)
      let before = server.predecessor[Int(state)]
      let held = merges.states[object] ?? store.confirmedEntity(entity.key)?.payload
      if let held, before != SimulatedServer.noRevision {
        if server.entity(held.revision).version >= entity.version {
          // A later answer has brought its value.
          whole.append(entity)
          continue
        }
        entity.payload = held.inState(state)
      }
      if before == SimulatedServer.noRevision || held?.revision == before {
        merges.states[object] = entity.payload
        whole.append(entity)
      } else {
        missing.append(
          UndecodableItem(
            type: entity.key.type, id: entity.key.id,
            mayEnterLists: input.schema.mayMove(from: before, to: state)))
      }
    }
    var told = event
    if !missing.isEmpty {
      told.event = .partlyDecoded(whole, undecodable: missing)
    } else if case .changed = event.event {
      told.event = .changed(whole[0])
    } else {
      told.event = .batchChanged(whole)
    }
    return told
  }
}

/// The states merged from the events of one answer; looked up, never iterated.
private struct EventMerges {
  var states: [UInt32: Handle] = [:]
}
