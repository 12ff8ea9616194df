import CacheModel

/// Whole batches and states through a codec.
extension StorageCodec {
  /// - Throws: the codec's error for a mutation, which must not be lost; an entity whose value cannot
  ///   be encoded is stored without it.
  package func encode(
    _ batch: StorageBatch<Payload, ClientMutation<Payload, Change>>
  ) throws -> StorageBatch<[UInt8], EncodedMutation> {
    var encoded = StorageBatch<[UInt8], EncodedMutation>(
      number: batch.number, replacesAll: batch.replacesAll)
    encoded.schemaVersion = schemaVersion
    encoded.removedEntities = batch.removedEntities
    encoded.entities = batch.entities.map { entity in
      entity.mapPayload { try? encode($0, of: entity.key) }
    }
    encoded.removedQueries = batch.removedQueries
    encoded.queries = batch.queries
    encoded.uses = batch.uses
    encoded.progress = batch.progress
    encoded.outbox = try batch.outbox?.map { try encode($0) }
    return encoded
  }

  /// What was stored, and how much of it could not be decoded.
  package func decode(
    _ stored: StoredState<[UInt8], EncodedMutation>
  ) -> (state: StoredState<Payload, ClientMutation<Payload, Change>>, undecodable: Int) {
    let version = stored.schemaVersion
    var undecodable = 0
    var state = StoredState<Payload, ClientMutation<Payload, Change>>(
      queries: stored.queries, progress: stored.progress)
    state.schemaVersion = version
    state.entities = stored.entities.map { entity in
      entity.mapPayload { bytes in
        let payload = try? decode(bytes, of: entity.key, schemaVersion: version)
        if payload == nil { undecodable += 1 }
        return payload
      }
    }
    for mutation in stored.outbox {
      if let decoded = try? decode(mutation, version: version) {
        state.outbox.append(decoded)
      } else {
        undecodable += 1
      }
    }
    if version != schemaVersion {
      // Another version may have filtered and sorted otherwise.
      for index in state.queries.indices {
        state.queries[index].isMarkedStale = true
        state.queries[index].isSorted = false
      }
    }
    return (state, undecodable)
  }

  private func encode(_ mutation: ClientMutation<Payload, Change>) throws -> EncodedMutation {
    let edits = try mutation.edits.map { edit -> EncodedEdit in
      switch edit {
      case .create(let key, let payload): .create(key, try encode(payload, of: key))
      case .update(let key, let change): .update(key, try encodeChange(change, of: key))
      case .delete(let key): .delete(key)
      }
    }
    return EncodedMutation(token: mutation.token, library: mutation.library, edits: edits)
  }

  private func decode(
    _ mutation: EncodedMutation, version: Int
  ) throws -> ClientMutation<Payload, Change>? {
    let edits = try mutation.decodedEdits?.map { edit -> ClientMutation<Payload, Change>.Edit in
      switch edit {
      case .create(let key, let bytes):
        .create(key, try decode(bytes, of: key, schemaVersion: version))
      case .update(let key, let bytes):
        .update(key, try decodeChange(bytes, of: key, schemaVersion: version))
      case .delete(let key): .delete(key)
      }
    }
    return edits.map {
      ClientMutation(token: mutation.token, library: mutation.library, edits: $0)
    }
  }
}
