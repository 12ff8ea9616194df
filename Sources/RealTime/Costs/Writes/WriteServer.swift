import CacheModel
import NormalizedCache

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
    _ mutation: ClientMutation<FilePayload, FileChange>
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
          payload: change.applied(to: library.payload(ofFile: file, revision: 0)))
      })
  }
}
