package import CacheModel
package import NormalizedCache

/// The server carries out what clients ask for: each token once, however often it is asked.
extension NoteServer {
  /// Carries a mutation out and tells of it; one that was carried out before is only answered again.
  ///
  /// What is created gets a number of the server's own. An edit of a note that does not exist has no
  /// effect.
  ///
  /// - Parameter mutation: what the client asks for.
  /// - Returns: the answer, and the events that tell of it: deletions first, and the token on the
  ///   last.
  package mutating func carryOut(
    _ mutation: NoteMutation
  ) -> (response: MutationResponse<Note>, events: [Envelope]) {
    if let response = answers[mutation.token] { return (response, []) }
    let effect = apply(mutation)
    var events: [Envelope] = []
    let version = tick()
    if !effect.deleted.isEmpty {
      let isLast = effect.changed.isEmpty
      events.append(
        publish(
          .deleted(effect.deleted, version: version), mutation: isLast ? mutation.token : nil))
    }
    if !effect.changed.isEmpty || events.isEmpty {
      events.append(
        publish(
          .batchChanged(effect.changed), mutation: mutation.token, keys: effect.keys,
          origin: Self.origin(ofBatchOf: effect.changed.count)))
    }
    let response = MutationResponse(
      changed: effect.changed, deleted: effect.deleted.map { ($0, version) }, keys: effect.keys,
      place: place)
    answers[mutation.token] = response
    return (response, events)
  }

  /// Whether a mutation has had its effect.
  package func hasCarriedOut(_ token: MutationToken) -> Bool { answers[token] != nil }

  private struct Effect {
    var changed: [VersionedEntity<Note>] = []
    var deleted: [EntityKey] = []
    var keys: [EntityKey: EntityKey] = [:]
  }

  private mutating func apply(_ mutation: NoteMutation) -> Effect {
    var effect = Effect()
    var changed: [EntityKey] = []
    for edit in mutation.edits {
      let key = effect.keys[edit.key] ?? edit.key
      switch edit {
      case .create(_, let note):
        let own = makeKey()
        effect.keys[edit.key] = own
        put(note, at: own)
        changed.append(own)
      case .update(_, let change):
        guard let note = notes[key]?.payload else { continue }
        put(change.applied(to: note), at: key)
        changed.append(key)
      case .delete:
        guard remove(key) else { continue }
        effect.deleted.append(key)
      }
    }
    var told: Set<EntityKey> = []
    effect.changed = changed.filter { told.insert($0).inserted }.compactMap { notes[$0] }
    return effect
  }
}
