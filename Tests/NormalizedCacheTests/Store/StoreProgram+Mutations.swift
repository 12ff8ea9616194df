import CacheModel
import FaultSearch
import NormalizedCache
import Testing

extension StoreProgram {
  /// Mutations under way.
  struct LocalChanges {
    var lastNumber = 0
    /// Begun, and not carried out by a server.
    var unsent: [NoteMutation] = []
    var answers: [(token: MutationToken, response: MutationResponse<Note>)] = []
    /// From the outbox, with the answer that is on its way.
    var inFlight: (mutation: NoteMutation, answer: MutationResponse<Note>?)?
  }

  /// One step of the user's changes, of their way to the server, or of its answers' way back.
  mutating func changeHere(_ client: inout NoteClient) {
    switch random.below(10) {
    case 0...2: change(&client)
    case 3, 4:
      guard !changes.unsent.isEmpty else { return }
      let mutation = changes.unsent.remove(at: random.below(changes.unsent.count))
      let response = carryOut(mutation)
      // The answer may be lost.
      if random.chance(0.8) { changes.answers.append((mutation.token, response)) }
    case 5:
      guard !changes.answers.isEmpty else { return }
      let answer = changes.answers.remove(at: random.below(changes.answers.count))
      client.store.commit(answer.token, with: answer.response, at: client.now)
    case 6:
      let pending = client.store.pendingMutations
      guard !pending.isEmpty else { return }
      let token = pending[random.below(pending.count)]
      client.store.rollBack(token, at: client.now)
      changes.unsent.removeAll { $0.token == token }
    case 7: client.setOnline(random.chance(0.7))
    default: workOnOutbox(&client)
    }
  }

  private mutating func change(_ client: inout NoteClient) {
    let server = random.chance(0.7) ? 0 : 2
    changes.lastNumber += 1
    var mutation = NoteMutation(changes.lastNumber)
    mutation.library = world.servers[server].stream.library
    for _ in 0...random.below(3) { mutation.edits.append(edit(of: server)) }
    do {
      if random.chance(0.5) {
        try client.enqueue(mutation)
      } else {
        try client.begin(mutation, timeout: random.chance(0.3) ? .seconds(20) : nil)
        changes.unsent.append(mutation)
      }
    } catch {
      Issue.record("seed \(seed): \(error)")
    }
  }

  private mutating func edit(of server: Int) -> NoteMutation.Edit {
    let temporary = EntityKey.temporary(1 + random.below(changes.lastNumber))
    let key = random.chance(0.2) ? temporary : anyNote(of: server)
    switch random.below(5) {
    case 0: return .create(.temporary(changes.lastNumber), note())
    case 1: return .delete(key)
    case 2: return .update(key, .title(note().title))
    case 3: return .update(key, .folder(random.below(3)))
    default: return .update(key, .star(random.chance(0.5)))
    }
  }

  private mutating func carryOut(_ mutation: NoteMutation) -> MutationResponse<Note> {
    let server = mutation.library == .other ? 2 : 0
    let (response, events) = world.servers[server].carryOut(mutation)
    inTransit += events
    return response
  }

  private mutating func workOnOutbox(_ client: inout NoteClient) {
    guard let (mutation, answer) = changes.inFlight else {
      guard let mutation = client.takeSend() else { return }
      changes.inFlight = (mutation, random.chance(0.7) ? carryOut(mutation) : nil)
      return
    }
    changes.inFlight = nil
    if let answer, random.chance(0.7) {
      client.complete(mutation.token, with: answer)
    } else if answer == nil, random.chance(0.3), !wasCarriedOut(mutation) {
      client.reject(mutation.token)
    } else {
      client.fail(mutation.token)
    }
  }

  /// A server rejects nothing that it has carried out.
  private func wasCarriedOut(_ mutation: NoteMutation) -> Bool {
    world.servers.contains { $0.hasCarriedOut(mutation.token) }
  }

  /// The user goes home: what is queued is sent, and nothing is left pending.
  mutating func settleChanges(_ client: inout NoteClient) {
    if let (mutation, _) = changes.inFlight { client.fail(mutation.token) }
    client.setOnline(false)
    client.setOnline(true)
    while let mutation = client.takeSend() {
      client.complete(mutation.token, with: carryOut(mutation))
    }
    #expect(client.store.outbox.isEmpty, "seed \(seed)")
    for token in client.store.pendingMutations {
      client.store.rollBack(token, at: client.now)
    }
    #expect(client.store.pendingMutations.isEmpty, "seed \(seed)")
  }
}
