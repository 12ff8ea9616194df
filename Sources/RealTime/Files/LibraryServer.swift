package import CacheModel
package import NormalizedCache

/// Answers a cache's fetches from a made library, as it was before the first event.
package struct LibraryServer: CacheSource {
  package typealias Change = FileChange

  private let library: FileLibrary
  private let directoryOfQuery: [QueryKey: Int]

  package init(library: FileLibrary) {
    self.library = library
    directoryOfQuery = Dictionary(
      uniqueKeysWithValues: library.queryKeys.enumerated().map { ($1, $0) })
  }

  package func fetch(_ request: FetchRequest) async throws -> FetchResponse<FilePayload> {
    guard case .query(let key) = request.target, let directory = directoryOfQuery[key] else {
      throw MeasurementError.unexpectedRequest("\(request.target)")
    }
    return library.response(toDirectory: directory)
  }

  package func missed(
    in stream: StreamID, after position: StreamPosition, form: ReconcileForm
  ) async throws -> ReconcileResponse<FilePayload> {
    // Nothing is lost in one process, so nothing can be missed.
    throw MeasurementError.unexpectedRequest("events after \(position)")
  }
}
