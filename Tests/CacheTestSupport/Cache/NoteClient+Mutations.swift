package import CacheModel
package import FaultSearch
package import NormalizedCache

extension ClientMutation where Payload == Note, Change == NoteChange {
  package init(_ number: Int, _ edits: Edit...) {
    self.init(token: .mutation(number), library: .test, edits: edits)
  }
}

/// The user's side of mutations.
extension NoteClient {
  package mutating func begin(_ mutation: NoteMutation, timeout: Duration? = nil) throws {
    try store.begin(mutation, timeout: timeout, at: now)
    collect()
  }

  package mutating func commit(_ number: Int, _ response: MutationResponse<Note>) {
    store.commit(.mutation(number), with: response, at: now)
    collect()
  }

  @discardableResult
  package mutating func rollBack(_ number: Int) -> Bool {
    defer { collect() }
    return store.rollBack(.mutation(number), at: now)
  }

  package mutating func enqueue(_ mutation: NoteMutation) throws {
    try store.enqueue(mutation, at: now)
    collect()
  }

  package mutating func setOnline(_ isOnline: Bool) {
    store.setOnline(isOnline, at: now)
    collect()
  }

  /// Takes the oldest send in flight.
  package mutating func takeSend() -> NoteMutation? {
    guard !sends.isEmpty else { return nil }
    return store.pendingMutation(sends.removeFirst())
  }

  package mutating func complete(_ token: MutationToken, with response: MutationResponse<Note>) {
    store.completeSend(token, with: response, at: now)
    collect()
  }

  @discardableResult
  package mutating func reject(_ token: MutationToken) -> [MutationToken] {
    defer { collect() }
    return store.rejectSend(token, at: now)
  }

  package mutating func fail(_ token: MutationToken) {
    store.failSend(token, at: now)
    collect()
  }

  /// The titles of the query's resident rows, in order.
  package func titles(of query: NoteQuery) -> String {
    (store.rows(of: query.key()) ?? []).map { $0?.payload.title ?? "-" }.joined()
  }
}
