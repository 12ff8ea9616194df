package import CacheModel
package import FaultSearch
package import NormalizedCache

/// A server at the other end of an actor: its answers come when the test gives them.
package actor NoteSource: CacheSource {
  private var fetches:
    [(request: FetchRequest, answer: CheckedContinuation<FetchResponse<Note>, any Error>)] = []
  private var reconciles:
    [(after: StreamPosition, answer: CheckedContinuation<ReconcileResponse<Note>, any Error>)] = []
  private var sends:
    [(mutation: NoteMutation, answer: CheckedContinuation<MutationResponse<Note>, any Error>)] = []
  private var arrivals: [CheckedContinuation<Void, Never>] = []
  /// How often it was asked.
  package private(set) var fetchCount = 0
  package private(set) var reconcileCount = 0

  package struct Failure: Error, Hashable {
    package init() {}
  }

  package init() {}

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<Note> {
    fetchCount += 1
    return try await withCheckedThrowingContinuation { answer in
      fetches.append((request, answer))
      announce()
    }
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<Note> {
    reconcileCount += 1
    return try await withCheckedThrowingContinuation { answer in
      reconciles.append((position, answer))
      announce()
    }
  }

  /// Waits for a fetch, and answers the one that came first.
  package func answerFetch(from server: NoteServer) async {
    while fetches.isEmpty { await arrival() }
    let fetch = fetches.removeFirst()
    fetch.answer.resume(returning: server.answer(fetch.request.target))
  }

  /// Waits for a fetch, and answers it with anything.
  package func answerFetch(with response: FetchResponse<Note>) async {
    while fetches.isEmpty { await arrival() }
    fetches.removeFirst().answer.resume(returning: response)
  }

  /// Waits for a fetch, and answers that nothing has changed since the place that it names.
  ///
  /// - Returns: the place.
  @discardableResult
  package func confirmFetch(from server: NoteServer) async -> EventPlace? {
    while fetches.isEmpty { await arrival() }
    let fetch = fetches.removeFirst()
    fetch.answer.resume(returning: .notModified(at: server.place))
    return fetch.request.unlessChangedSince
  }

  /// Waits for a fetch, and fails it.
  package func failFetch() async {
    while fetches.isEmpty { await arrival() }
    fetches.removeFirst().answer.resume(throwing: Failure())
  }

  /// Waits until a fetch has come, and leaves it unanswered.
  package func awaitFetch() async {
    while fetches.isEmpty { await arrival() }
  }

  /// Waits for a reconcile, and answers it.
  package func answerReconcile(from server: NoteServer) async {
    while reconciles.isEmpty { await arrival() }
    let reconcile = reconciles.removeFirst()
    reconcile.answer.resume(returning: server.missed(after: reconcile.after))
  }

  /// Waits for a reconcile, and fails it.
  package func failReconcile() async {
    while reconciles.isEmpty { await arrival() }
    reconciles.removeFirst().answer.resume(throwing: Failure())
  }

  package func send(_ mutation: NoteMutation) async throws -> MutationResponse<Note> {
    try await withCheckedThrowingContinuation { answer in
      sends.append((mutation, answer))
      announce()
    }
  }

  /// Waits for a mutation to be sent, and leaves the first one unanswered.
  package func awaitSend() async -> NoteMutation {
    while true {
      if let first = sends.first { return first.mutation }
      await arrival()
    }
  }

  /// Answers the mutation that was sent first.
  package func answerSend(_ answer: Result<MutationResponse<Note>, any Error>) {
    sends.removeFirst().answer.resume(with: answer)
  }

  /// How many mutations have been sent and not answered.
  package var sendCount: Int { sends.count }

  private func arrival() async {
    await withCheckedContinuation { arrivals.append($0) }
  }

  private func announce() {
    let waiting = arrivals
    arrivals = []
    for arrival in waiting { arrival.resume() }
  }
}
