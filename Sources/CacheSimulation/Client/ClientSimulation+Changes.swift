import CacheModel
import NormalizedCacheCore
import Workloads

/// Applies events that carry changed fields alone to the entities of a client.
extension ClientSimulation where Cache: ~Copyable {
  /// An event as the cache can take it.
  ///
  /// For an entity that is cached in the state before: the new state, as much of it as is cached. For another: only
  /// that it has changed, and whether in a field by which lists choose or order their rows. A black-box cache, whose
  /// content is unknown, gets the whole. O(items).
  func merged(_ event: EventEnvelope<Handle>) -> EventEnvelope<Handle> {
    var merges = EventMerges()
    return merged(event, &merges)
  }

  /// The same for events that are replayed, each after those before it.
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
          // Its value came with an answer that was read since.
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

/// The states that events of one answer have put together; looked up, never iterated.
private struct EventMerges {
  var states: [UInt32: Handle] = [:]
}
