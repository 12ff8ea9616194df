package import CacheModel
package import FoundationEssentials
package import NormalizedCache

/// The server behind a cache, at the other end of a socket.
package struct SyncSource: CacheSource {
  package typealias Change = FileChange

  private let client: SyncClient
  private let directoryOfQuery: [QueryKey: UUID]

  package init(client: SyncClient, library: FileLibrary) {
    self.client = client
    directoryOfQuery = Dictionary(
      zip(library.queryKeys, library.directoryIDs), uniquingKeysWith: { first, _ in first })
  }

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw SyncProtocolError.unexpected("a request for \(request.target)")
    }
    return try await files(ofDirectory: directory, library: key.library)
  }

  /// A directory's files as the server has them.
  package func files(
    ofDirectory directory: UUID, library: LibraryID
  ) async throws -> FetchResponse<FilePayload> {
    let answer = try await client.request { .query(.init(id: $0, directory: directory)) }
    guard case .rows(let rows) = answer else {
      throw SyncProtocolError.unexpected("a \(answer.name) as the answer to a query")
    }
    return FetchResponse(
      entities: rows.resources.map(\.entity), hasMore: false,
      place: EventPlace(
        stream: StreamID(library: library),
        position: StreamPosition(epoch: rows.epoch, sequence: rows.sequence)))
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    // One connection carries every event in order, so none can be missed.
    throw SyncProtocolError.unexpected("a request for events after \(position)")
  }
}
