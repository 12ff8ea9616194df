import CacheModel
import NormalizedCache
import SyncStack

/// Files that users may rename.
struct WritableFiles: CacheSchema {
  typealias Payload = FilePayload
  typealias Predicate = MeasurementSchema.Predicate

  struct Change: Sendable {
    var name: String
  }

  private let files = MeasurementSchema()

  func plan(for query: QueryKey) -> QueryPlan<Predicate> { files.plan(for: query) }

  func forEachScope(of payload: FilePayload, key: EntityKey, _ body: (QueryScope) -> Void) {
    files.forEachScope(of: payload, key: key, body)
  }

  func weight(of payload: FilePayload) -> Int { files.weight(of: payload) }
  func areEqual(_ lhs: FilePayload, _ rhs: FilePayload) -> Bool { lhs == rhs }
  func location(of payload: FilePayload) -> UniqueID? { files.location(of: payload) }

  func belongs(_ payload: FilePayload, key: EntityKey, in predicate: Predicate) -> Belonging {
    files.belongs(payload, key: key, in: predicate)
  }

  func precedes(
    _ lhs: FilePayload, key lhsKey: EntityKey, _ rhs: FilePayload, key rhsKey: EntityKey,
    in predicate: Predicate
  ) -> Bool {
    files.precedes(lhs, key: lhsKey, rhs, key: rhsKey, in: predicate)
  }

  func applying(_ change: Change, to payload: FilePayload) -> FilePayload {
    var renamed = payload
    renamed.name = change.name
    return renamed
  }
}

/// A server that answers a user's change at once, and notes when the cache had shown it.
actor WriteServer: CacheSource {
  private let base: LibraryServer
  private let stamps: ObserverStamps
  private var answer = Answer.confirmed
  /// When the last change that was sent had been shown.
  private(set) var shownAt = Instant.zero
  private var revision = 0
  private let library: FileLibrary
  private let files: [UniqueID: Int]

  enum Answer: String, Sendable, CaseIterable {
    case confirmed, refused
  }

  init(library: FileLibrary, stamps: ObserverStamps) {
    base = LibraryServer(library: library)
    self.library = library
    self.stamps = stamps
    files = Dictionary(
      uniqueKeysWithValues: library.fileIDs.enumerated().map { (UniqueID($1), $0) })
  }

  func answer(_ answer: Answer) { self.answer = answer }

  func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    try await base.fetch(request)
  }

  func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    try await base.missed(in: stream, after: position, form: form)
  }

  func send(
    _ mutation: ClientMutation<FilePayload, WritableFiles.Change>
  ) async throws -> MutationResponse<FilePayload> {
    shownAt = stamps.take().notified
    guard answer == .confirmed else { throw MutationRejected(reason: "not allowed") }
    revision += 1
    return MutationResponse(
      changed: mutation.edits.compactMap { edit in
        guard case .update(let key, let change) = edit, let file = files[key.id] else {
          return nil
        }
        return VersionedEntity(
          key: key, version: FileLibrary.version(ofRevision: revision),
          payload: WritableFiles().applying(
            change, to: library.payload(ofFile: file, revision: 0)))
      })
  }
}
